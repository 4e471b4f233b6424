"""Commands that end with status 1 when they found something, as linters and comparers do: ways to use them that end with status 0 too.

Output is scored only where the oracle ends with status 0. What was found is as good an answer, so a way to give input that only ever ends
with status 1 is not given up: its files are compared with themselves in part of the cases, or give way to one in which nothing is found,
and options are tried that keep the status at 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from clibench.synthesis.fuzz.contents import Kind
from clibench.synthesis.fuzz.documented import Documented
from clibench.synthesis.fuzz.draft import Draft, Plan
from clibench.synthesis.fuzz.found import Found
from clibench.synthesis.fuzz.options import NEVER, candidates
from clibench.synthesis.fuzz.probe import Attempt

_PEACE: Final = re.compile(r"exit|status|code|fail|fix|write|error|warn|quiet|level|threshold", re.IGNORECASE)


def with_options(finding: Sequence[Attempt], found: Found, domain: Sequence[Kind], documented: Documented) -> Iterator[Draft]:
    """Drafts like those that found something, with an option that may keep the status at 0; the likeliest first."""
    options = sorted(found.command.options, key=lambda option: not _PEACE.search(f"{option.name} {option.help}"))
    for attempt in finding:
        for option in options:
            if not {*option.names} & NEVER and not any(option.name == use.option.name for use in attempt.draft.uses):
                yield from (attempt.draft.with_use(use) for use in candidates(option, found.path, domain, documented)[:1])


def alike(draft: Draft) -> Iterator[Draft]:
    """The draft with its first two files the same in part of the cases."""
    names = [word for plan in draft.operands for word in plan.words if isinstance(word, str) and word in plan.files]
    if len(names) < 2:
        return
    first, second = names[:2]
    same = {"one_of": [[second], [first]]}

    def changed(plan: Plan) -> Plan:
        words = tuple(same if word == second else word for word in plan.words)
        return plan if words == plan.words else replace(plan, words=words, label=f"{plan.label}, in part the same")

    yield replace(draft, operands=tuple(map(changed, draft.operands)))


def with_clean(finding: Sequence[Attempt], attempts: Sequence[Attempt]) -> Iterator[Draft]:
    """Drafts whose one file is, in part of the cases, one in which the command finds nothing: of another kind, as another attempt shows."""
    clean = [attempt.draft for attempt in attempts if attempt.trials and attempt.ok == len(attempt.trials) and _one_file(attempt.draft)]
    for attempt in finding:
        for other in clean if _one_file(attempt.draft) else ():
            if (other.path, other.uses) == (attempt.draft.path, attempt.draft.uses):
                yield replace(attempt.draft, operands=(_either(attempt.draft.operands[0], other.operands[0]),))


def _one_file(draft: Draft) -> bool:
    """Whether all input is one file, named by the only operand."""
    plans = draft.operands
    return len(plans) == 1 and len(plans[0].words) == 1 and plans[0].words == tuple(plans[0].files) and draft.stdin is None


def _either(plan: Plan, other: Plan) -> Plan:
    (path,), (template,) = plan.words, other.files.values()
    clean = f"clean{PurePosixPath(path).suffix}"
    return replace(
        plan,
        label=f"{plan.label}, or a {other.label}",
        words=({"one_of": [[path], [clean]]},),
        files={**plan.files, clean: template},
        params={**other.params, **plan.params},
    )
