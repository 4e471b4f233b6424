"""Carry out the command lines that help and README show, each as it stands, and where it fails as its message asks.

An example needs files that its text only names; they get content of the kind that the name speaks of. What still fails after the
repairs is a documented pattern that never succeeds: of a tool with many of them no task should be made (paper II-B).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from clibench.synthesis.fuzz.contents import Kind
from clibench.synthesis.fuzz.documented import Documented, line_draft, locate, option_of
from clibench.synthesis.fuzz.draft import Draft, Plan
from clibench.synthesis.fuzz.inputs import labelled
from clibench.synthesis.fuzz.mend import repaired
from clibench.synthesis.fuzz.options import NEVER
from clibench.synthesis.fuzz.probe import Attempt, Prober
from clibench.synthesis.fuzz.repair import hints_of
from clibench.synthesis.fuzz.shell_line import Line
from clibench.synthesis.schema import Command

MOST: Final = 24
"""Lines that are tried."""
REPAIRS: Final = 4
"""Other drafts for a line that failed, in each of the rounds."""
ROUNDS: Final = 2


def try_lines(
    documented: Documented, root: Command, commands: Collection[tuple[str, ...]], prober: Prober, domain: Sequence[Kind],
    shown: Mapping[str, Kind] = MappingProxyType({}),
) -> list[Attempt]:  # fmt: skip
    """An attempt for each line that uses one of the `commands`, the most successful that was found. Lines that only ask for help or a
    version are no use of the tool. `shown` are the documents of the README (see `samples.documents`)."""
    lines = [
        line
        for line in documented.lines
        if not line.words or not ({*line.words} <= NEVER | {"-h", "-V", "help"} or any(_endless(word, line, root) for word in line.words))
    ]
    drafts = labelled(line_draft(line, root, domain, shown) for line in lines)
    usual = {draft.label: draft for line in lines if (draft := line_draft(line, root, domain)) not in drafts}
    drafts = [draft for draft in drafts if draft.path in commands][:MOST]
    best = prober.try_all(drafts)
    # A document that never varies gives one case: the usual one is better where it does as well.
    dull = {place: usual[a.draft.label] for place, a in enumerate(best) if a.distinct < 2 and a.draft.label in usual}
    for place, attempt in zip(dull, prober.try_all(list(dull.values())), strict=True):
        best[place] = attempt if attempt.distinct > best[place].distinct else best[place]
    latest = list(best)
    found = dict(root.walk())
    for _ in range(ROUNDS):
        others = {
            place: labelled(_others(attempt, found[attempt.draft.path], domain, documented))[:REPAIRS]
            for place, attempt in enumerate(latest)
            if not best[place].answered
        }
        flat = [(place, draft) for place, listed in others.items() for draft in listed]
        if not flat:
            break
        # One case shows whether the message was understood; what was gets all.
        shorter = prober.try_all([draft for _, draft in flat], cases=1)
        better: dict[int, Draft] = {}
        for (place, draft), attempt in zip(flat, shorter, strict=True):
            latest[place] = attempt if attempt.answered or latest[place] is best[place] else latest[place]
            if attempt.answered:
                better.setdefault(place, draft)
        for place, attempt in zip(better, prober.try_all(list(better.values())), strict=True):
            best[place] = attempt
    return best


def _endless(word: str, line: Line, root: Command) -> bool:
    """Whether a word is an option that is never tried, by whichever name."""
    option, _ = option_of(word, locate(line.words, root)[1], root)
    return option is not None and bool({*option.names} & (NEVER - {"--help", "--version", "-help", "-version"}))


def _others(attempt: Attempt, command: Command, domain: Sequence[Kind], documented: Documented) -> Iterator[Draft]:
    expanded = _expanded(attempt.draft)
    if expanded != attempt.draft:
        yield expanded
    hints = hints_of(attempt.errors)
    if attempt.trials and not hints.impossible:
        for draft in repaired(attempt.draft, hints, command, domain, documented):
            if len(draft.operands) >= len(attempt.draft.operands) and _options(draft) >= _options(attempt.draft):
                yield draft  # with a word less it would be another line


def _options(draft: Draft) -> set[str]:
    return {word for plan in draft.operands for word in plan.words if isinstance(word, str) and word.startswith("-")}


def _expanded(draft: Draft) -> Draft:
    """With the files in the place of a pattern that the shell would expand."""

    def files(plan: Plan) -> Plan:
        if not plan.files or not any(isinstance(word, str) and re.search(r"[*?]", word) for word in plan.words):
            return plan
        return replace(plan, label=f"{plan.label} expanded", words=tuple(plan.files))

    return replace(draft, operands=tuple(map(files, draft.operands)))
