"""The oracle, installed and run anew as when its task was frozen: does it still do what was recorded, and do the same cases vary?

Every case is run once under the contract and again under each of the changed conditions. The first run is judged against the frozen
recordings as a submission's would be; all runs together are judged for stability with the masks that the task has already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clibench.audit.mutants.workshop import Tools, oracle_prefix
from clibench.evaluation.judge import judge_task
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic_rules import RulesJudge
from clibench.recording import Recording
from clibench.tasks.freeze import RUNS, run_once
from clibench.tasks.stability import judge_stability
from clibench.tasks.task import Task


@dataclass(frozen=True)
class OracleCheck:
    """What the fresh runs showed."""

    runs: int
    cases: int
    identical: int
    """Cases whose first run equals the frozen recording in every byte."""
    differing: Mapping[str, str]
    """Cases that the oracle itself does not pass any more, with the reason."""
    unstable: Mapping[str, str]
    """Cases that vary in a way that no mask of the task covers, with the reason or the normaliser that would."""
    sandbox: str


def check_oracle(task: Task, tools: Tools, params: CompareParams, say: Callable[[str], None] = lambda _: None) -> OracleCheck:
    """Install and run the oracle. Raises TaskError where it can't be installed, SandboxError where a case can't be run."""
    prefix = oracle_prefix(tools, task)
    runs: list[dict[str, Recording]] = []
    with tools.sandbox.open(language=task.language.value, prefix=prefix, limits=tools.settings.limits, workers=tools.workers) as session:
        for number in range(RUNS):
            say(f"oracle check, run {number + 1} of {RUNS}: {len(task.cases)} cases")
            runs.append(run_once(session, task.cases, task.fixtures, number or None))
    return compare_runs(task, runs, params, "/".join(tools.identity.get(name, "") for name in ("backend", "isolation")))


def compare_runs(task: Task, runs: list[dict[str, Recording]], params: CompareParams, sandbox: str) -> OracleCheck:
    """Compare fresh runs, the first of them under the contract, with each other and with the frozen recordings."""
    differing = {}
    for verdict in judge_task(task, runs[0], params, RulesJudge()):
        failed = [f"{metric}: {check.reason}" for metric, check in verdict.checks.items() if check.passed is False]
        if failed or verdict.infra:
            differing[verdict.case] = verdict.infra or failed[0]
    stability = judge_stability(
        {case.id: [run[case.id] for run in runs] for case in task.cases},
        {case.id: (case, task.fixtures[case.fixture]) for case in task.cases},
        {case.id: (*task.normalisers, *task.case_normalisers.get(case.id, ())) for case in task.cases},
        task.alias,
    )
    masks = {case: f"needs the normaliser {'+'.join(names)}" for case, names in stability.normalisers.items()}
    return OracleCheck(
        runs=len(runs),
        cases=len(task.cases),
        identical=sum(runs[0][case.id].digest() == task.recordings[case.id].digest() for case in task.cases),
        differing=dict(sorted(differing.items())),
        unstable=dict(sorted({**masks, **stability.quarantined}.items())),
        sandbox=sandbox,
    )


def check_to_json(check: OracleCheck) -> dict[str, Any]:
    """For audit.json."""
    return {
        "runs": check.runs,
        "cases": check.cases,
        "reproduced": check.cases - len(check.differing),
        "identical": check.identical,
        "differing": dict(check.differing),
        "unstable": dict(check.unstable),
        "sandbox": check.sandbox,
    }
