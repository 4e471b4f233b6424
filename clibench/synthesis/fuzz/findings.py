"""Commands that end with status 1 when they found something, as linters and comparers do: ways to use them that end with status 0 too.

Output is scored only where the oracle ends with status 0. What was found is as good an answer, so a way to give input that only ever ends
with status 1 is not given up: its files are compared with themselves in part of the cases, and options are tried that keep the status at 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clibench.synthesis.fuzz.contents import Kind
from clibench.synthesis.fuzz.documented import Documented
from clibench.synthesis.fuzz.draft import Draft, Plan
from clibench.synthesis.fuzz.found import Found
from clibench.synthesis.fuzz.options import NEVER, candidates
from clibench.synthesis.fuzz.probe import Attempt


def at_peace(finding: Sequence[Attempt], found: Found, domain: Sequence[Kind], documented: Documented) -> Iterator[Draft]:
    """Drafts like those that found something, that may end with status 0."""
    for attempt in finding:
        yield from _alike(attempt.draft)
        for option in found.command.options:
            if not {*option.names} & NEVER and not any(option.name == use.option.name for use in attempt.draft.uses):
                yield from (attempt.draft.with_use(use) for use in candidates(option, found.path, domain, documented)[:2])


def _alike(draft: Draft) -> Iterator[Draft]:
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
