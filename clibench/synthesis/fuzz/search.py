"""Find how each command of a tool is used with success: the execution feedback loop (paper II-B), by rules.

First the inputs (`inputs.py`): which file, folder or standard input of which content makes the command succeed and print something that
depends on it. Then each option alone on top of that (`options.py`). Then pairs of options that change it both (`combine.py`). What fails is
repaired by what its message says (`mend.py`), a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from clibench.synthesis.fuzz.combine import crossed, pairs
from clibench.synthesis.fuzz.contents import Kind
from clibench.synthesis.fuzz.documented import Documented
from clibench.synthesis.fuzz.findings import alike, with_clean, with_options
from clibench.synthesis.fuzz.found import Found
from clibench.synthesis.fuzz.inputs import detailed, input_drafts, input_options, labelled
from clibench.synthesis.fuzz.mend import repairs
from clibench.synthesis.fuzz.options import NEVER, candidates, singles
from clibench.synthesis.fuzz.probe import Attempt, Prober
from clibench.synthesis.fuzz.repair import hints_of
from clibench.synthesis.schema import Command

FIRST: Final = 12
MOST: Final = 32
"""Drafts of a command's inputs: the likeliest, and all."""
LEADING: Final = 3
FINDING: Final = 2
"""Ways that end with status 1 for which a way to status 0 is looked for."""
DETAILED: Final = 2
"""Ways to give input that are tried with documents that use more of their format."""
WELL_TRIED: Final = 8
"""The best ways to give input are compared with this many cases."""
ROUNDS: Final = 3
"""Repairs of a failed draft in a row."""


def search(
    path: tuple[str, ...], command: Command, prober: Prober, domain: Sequence[Kind], documented: Documented,
    shown: Sequence[Attempt] = (), say: Callable[[str], None] = lambda _: None,
) -> Found:  # fmt: skip
    """All that works of one command. `shown` are the attempts at documented lines of it."""
    found = Found(path, command)
    if command.commands and not path and not shown and not _alone(found, prober, domain, documented):
        return found
    _bases(found, prober, domain, documented, shown)
    if found.bases:
        _steady(found, prober, domain, documented)
        singles(found, prober, domain, documented)
        pairs(found, prober)
        crossed(found, prober)
    say(f"{' '.join(path) or 'the command'}: {len(found.bases)} ways to give input, {len(found.singles)} options, {len(found.pairs)} pairs")
    return found


def _alone(found: Found, prober: Prober, domain: Sequence[Kind], documented: Documented) -> bool:
    """Whether a tool with subcommands does something without one, by one case of each of the likeliest ways."""
    drafts = labelled(input_drafts(found.path, found.command, domain, documented))[:FIRST]
    return any(attempt.usable for attempt in prober.try_all(drafts, cases=1))


def _bases(found: Found, prober: Prober, domain: Sequence[Kind], documented: Documented, shown: Sequence[Attempt]) -> None:
    drafts = labelled(input_drafts(found.path, found.command, domain, documented))[:MOST]
    attempts = prober.try_all(drafts[:LEADING])
    if attempts and all(attempt.timed_out for attempt in attempts):  # it watches or serves: every further try would take as long
        found.impossible, found.failed = "runs without an end", attempts
        return
    attempts += prober.try_all(drafts[LEADING:FIRST])
    if not any(map(_good, attempts)):
        attempts += prober.try_all(drafts[FIRST:])
    if not any(map(_good, attempts)):  # a linter may find nothing in an ordinary document
        silent = [attempt.draft for attempt in attempts if attempt.answered and not attempt.usable]
        attempts += prober.try_all(labelled(draft for each in silent if (draft := detailed(each)) is not None)[:LEADING])
    if not any(map(_good, attempts)):
        attempts += prober.try_all(labelled(input_options(found.path, found.command, domain, documented))[:FIRST])
    seen = {attempt.draft.label for attempt in attempts}
    latest = attempts
    for _ in range(ROUNDS):
        if any(map(_good, attempts)):
            break
        repaired = [draft for draft in labelled(repairs(latest, found.command, domain, documented)) if draft.label not in seen][:FIRST]
        if not repaired:
            break
        seen |= {draft.label for draft in repaired}
        latest = prober.try_all(repaired)
        attempts += latest
    if not any(map(_good, attempts)):
        attempts += [attempt for attempt in shown if attempt.draft.label not in seen]
    if not any(map(_good, attempts)) and (finding := sorted(filter(_finds, attempts), key=lambda attempt: -attempt.telling)[:FINDING]):
        mixed = [*(draft for attempt in finding for draft in alike(attempt.draft)), *labelled(with_clean(finding, attempts))[:LEADING]]
        same = prober.try_all(mixed, cases=WELL_TRIED)
        attempts += same
        if not any(map(_good, same)):
            attempts += prober.try_all(labelled(with_options(finding, found, domain, documented))[:MOST])
    usable = [attempt for attempt in attempts if attempt.usable]
    # sorted() is stable: among equals the likelier draft stays first.
    found.bases = sorted(usable, key=lambda attempt: (*_merit(attempt), len(attempt.draft.uses), _beyond(attempt, found)))
    found.bases = _best_first(found.bases, prober)
    more = [draft for base in found.bases[:DETAILED] if (draft := detailed(base.draft)) is not None]
    # Behind the best way: an option that matters for details only is tried on them too. Before it where only they are told apart.
    rich = [attempt for attempt in prober.try_all(more) if attempt.scored and attempt.distinct > 1]
    place = 0 if rich and found.bases[0].telling < 2 <= rich[0].telling else 1
    found.bases[place:place] = rich
    if not usable:
        reasons = [hints_of(attempt.errors).impossible for attempt in attempts]
        found.impossible = max(dict.fromkeys(reasons), key=reasons.count) if reasons and all(reasons) else ""
        found.failed = attempts[:4]


def _good(attempt: Attempt) -> bool:
    """Nothing better need be looked for."""
    return attempt.scored and attempt.telling > 1 and not attempt.doubtful


def _finds(attempt: Attempt) -> bool:
    """Whether the command works, and says so with status 1."""
    return attempt.usable and not attempt.scored


def _merit(attempt: Attempt) -> tuple[bool, bool, int, int, int]:
    """For sorting, the best first: what is scored, what is no complaint, what differs and takes knowledge, what differs, what succeeds."""
    return (not attempt.scored, attempt.doubtful, -min(attempt.telling, 3), -min(attempt.distinct, 3), -attempt.ok)


def _beyond(attempt: Attempt, found: Found) -> int:
    """Operands that the usage does not tell of, beyond the first: a tool may ignore them."""
    return max(0, len(attempt.draft.operands) - max(len(found.command.positionals), 1))


def _best_first(bases: list[Attempt], prober: Prober) -> list[Attempt]:
    """The first few ways by how they do with more cases."""
    leading = bases[:LEADING]
    if len(leading) < 2:
        return bases
    longer = prober.try_all([attempt.draft for attempt in leading], cases=WELL_TRIED)
    order = sorted(range(len(leading)), key=lambda place: (-_grade(longer[place]), place))
    return [*(leading[place] for place in order), *bases[LEADING:]]


def _grade(attempt: Attempt) -> int:
    """Coarse, so that the likelier way stays first where it is as good: quarters of the cases that succeed, and that differ."""
    total = max(len(attempt.trials), 1)
    return 4 * attempt.ok // total + 4 * attempt.telling // total - 8 * attempt.doubtful


def _steady(found: Found, prober: Prober, domain: Sequence[Kind], documented: Documented) -> None:
    """Where a result depends on chance or the clock, add a flag or a seed that ends it, if the command has one."""
    base = found.bases[0]
    if not prober.unstable([base.draft]):
        return
    uses = [
        candidates(option, found.path, domain, documented)[0]
        for option in found.command.options
        if not {*option.names} & NEVER
        and (
            not option.takes_value or re.search("seed|random|date|time|log|year", " ".join((option.name, option.help[:60])), re.IGNORECASE)
        )
    ]
    drafts = [base.draft.with_use(use) for use in uses]
    bad = prober.unstable(drafts)
    steady = [(place, attempt) for place, attempt in enumerate(prober.try_all(drafts)) if place not in bad and attempt.scored]
    if steady:  # the one that leaves the most to see: a flag may end all that varies by doing nothing
        place, attempt = max(steady, key=lambda row: row[1].telling)
        others = prober.try_all([other.draft.with_use(uses[place]) for other in found.bases[1:6]])
        found.bases = [attempt, *(other for other in others if other.usable)]
