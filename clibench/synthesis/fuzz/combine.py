"""Options together, and on other input: what one option alone does not show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clibench.synthesis.fuzz.found import Found
from clibench.synthesis.fuzz.options import quiet
from clibench.synthesis.fuzz.probe import Prober
from clibench.synthesis.schema import Command

SMALL: Final = 4
"""Options and pairs of a command up to which its options are tried on other input too."""
PAIRED: Final = 4
"""Options of a command of which pairs are tried."""


def pairs(found: Found, prober: Prober) -> None:
    good = [row for row in found.singles if row[2] and not quiet(row[0].option)][:PAIRED]
    combined = []
    for index, (first, one, _) in enumerate(good):
        for second, two, _ in good[index + 1 :]:
            if any({first.option.name, second.option.name} <= _all_names(group, found.command) for group in found.command.exclusive):
                continue
            combined.append(((first, second), one, two))
    attempts = prober.try_all([one.draft.with_use(uses[1]) for uses, one, _ in combined])
    for (uses, one, two), attempt in zip(combined, attempts, strict=True):
        if attempt.usable and attempt.differs(one) and attempt.differs(two):
            found.pairs.append((uses, attempt))


def crossed(found: Found, prober: Prober) -> None:
    """Of a command with little to it: its options on other ways to give input."""
    if len(found.singles) + len(found.pairs) > SMALL:
        return
    uses = [use for use, _, changed in found.singles if changed][:3]
    drafts = [(use, other, other.draft.with_use(use)) for use in uses for other in found.bases[1:3]]
    attempts = prober.try_all([draft for _, _, draft in drafts])
    for (use, other, _), attempt in zip(drafts, attempts, strict=True):
        if attempt.usable and attempt.differs(other):
            found.crossed.append((use, attempt))


def _all_names(group: Sequence[str], command: Command) -> set[str]:
    return {option.name for name in group if (option := command.option(name)) is not None}
