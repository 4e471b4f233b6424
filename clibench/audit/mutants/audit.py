"""The mutants of one task, from choosing them to the tally."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from clibench.audit.mutants.choose import in_order, sites
from clibench.audit.mutants.tally import MutantAudit, fate_of, is_steady
from clibench.audit.mutants.trials import Outcome, Trials
from clibench.audit.mutants.variation import masks
from clibench.audit.mutants.workshop import Tools, workshop
from clibench.evaluation.params import CompareParams
from clibench.synthesis.stream import Stream
from clibench.tasks.case import Case
from clibench.tasks.task import Task

RUNS: Final = 3
"""Of the oracle, to see in which cases it does the same each time."""
TRIES: Final = 3
"""Times the wanted number that are tried where many do not compile."""


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    mutants: int = 20
    """Of a task."""
    cases: int | None = 10
    """Of a pattern; None is all."""
    seed: int = 0


def audit_mutants(task: Task, tools: Tools, plan: Plan, params: CompareParams, say: Callable[[str], None] = lambda _: None) -> MutantAudit:
    """Make, run and judge mutants of the task's oracle.

    Raises TaskError for an oracle that can't be had or whose source is not found, SandboxError where the harness fails; what is done stays
    in the store, and the next call goes on from there.
    """
    pool = choose_cases(task, plan)
    with workshop(tools, task) as shop:
        trials = Trials(tools, task, shop, pool, say)
        ground = trials.ground(RUNS)
        unsteady = is_steady(task, ground, params)
        chains = masks(task, ground)
        found = sites(shop.sources, task.language)
        useful = {case.id for case in pool} - unsteady.keys()
        reached = [edit for edit in found if ground.reach.is_known(edit) and useful & set(ground.reach.of(edit))]
        order = in_order(reached, shop.sources, plan.seed)[: plan.mutants * TRIES]
        ran: list[Outcome] = []
        not_built: list[Outcome] = []
        missing: list[Outcome] = []
        while order and len(ran) + len(missing) < plan.mutants:
            batch = order[: plan.mutants - len(ran) - len(missing)]
            order = order[len(batch) :]
            for outcome in trials.outcomes(batch, ground.reach):
                (missing if outcome.missing else ran if outcome.built else not_built).append(outcome)
        return MutantAudit(
            seed=plan.seed,
            cases_a_pattern=plan.cases,
            wanted=plan.mutants,
            sites=len(found),
            reached=len(reached),
            sandbox="/".join(tools.identity.get(name, "") for name in ("backend", "isolation")),
            pool=tuple(pool),
            unsteady=unsteady,
            fates=tuple(fate_of(task, outcome, ground, chains, unsteady, params) for outcome in ran),
            not_built=tuple(not_built),
            missing=tuple(missing),
            sources=dict(shop.sources),
            patterns=tuple(pattern.id for pattern in task.patterns),
        )


def choose_cases(task: Task, plan: Plan) -> Sequence[Case]:
    """The plan's number of cases of each pattern, patterns taking turns."""
    stream = Stream("mutants", plan.seed, task.id)
    chosen = []
    for pattern in task.patterns:
        cases = stream.child(pattern.id).shuffled([case for case in task.cases if case.pattern == pattern.id])
        chosen.append(cases if plan.cases is None else cases[: plan.cases])
    longest = max((len(cases) for cases in chosen), default=0)
    return [cases[place] for place in range(longest) for cases in chosen if place < len(cases)]
