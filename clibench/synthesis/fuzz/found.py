"""What the search found for one command: ways to give it input, options that matter, pairs of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from clibench.synthesis.fuzz.draft import Use
from clibench.synthesis.fuzz.probe import Attempt
from clibench.synthesis.schema import Command


@dataclass
class Found:
    """What was found for one command."""

    path: tuple[str, ...]
    command: Command
    bases: list[Attempt] = field(default_factory=list)
    """Ways to give it input, the best first."""
    singles: list[tuple[Use, Attempt, int]] = field(default_factory=list)
    """Options that succeed, with the attempt and how many of its cases they change."""
    pairs: list[tuple[tuple[Use, ...], Attempt]] = field(default_factory=list)
    crossed: list[tuple[Use, Attempt]] = field(default_factory=list)
    """Options with another way to give input."""
    failed: list[Attempt] = field(default_factory=list)
    """The last attempt at what never succeeded."""
    impossible: str = ""
