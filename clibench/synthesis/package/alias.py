"""The neutral name under which a tool is described, tested and built: two plain words that say nothing of what it does or who made it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from clibench.synthesis.stream import Stream

_FIRST: Final = (
    "amber", "birch", "cedar", "cobalt", "coral", "delta", "ember", "fern", "flint", "granite", "hazel", "indigo", "ivory", "jade",
    "juniper", "lark", "linen", "maple", "mint", "moss", "north", "oak", "ochre", "onyx", "opal", "pearl", "pine", "plum", "quartz",
    "raven", "reed", "rowan", "rust", "saffron", "slate", "spruce", "teal", "thistle", "umber", "willow",
)  # fmt: skip
_SECOND: Final = (
    "anvil", "arrow", "basket", "beacon", "bench", "bridge", "brook", "chisel", "compass", "crane", "dial", "forge", "gauge", "hammer",
    "harbor", "kettle", "lantern", "latch", "lever", "loom", "mill", "needle", "paddle", "pocket", "quill", "ratchet", "rudder", "shelf",
    "shuttle", "sickle", "spindle", "trowel", "tumbler", "valve", "wharf", "wheel", "whistle", "winch", "yard", "yoke",
)  # fmt: skip


def neutral_name(registry: str, package: str, entry: str, taken: Collection[str] = ()) -> str:
    """The name for a tool: always the same for one tool, unless `taken` holds it."""
    stream = Stream("clibench alias 1", registry, package, entry)
    for _ in range(1000):
        name = stream.pick(_FIRST) + stream.pick(_SECOND)
        if name not in taken and name not in (package.lower(), entry.lower()):
            return name
    raise ValueError("every neutral name is taken")
