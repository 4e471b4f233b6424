"""One task of a job: generate, build, record, judge, score. Everything that can happen to it ends in a TaskResult."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clibench.errors import InfraError, OutputsError
from clibench.evaluation.score import score_task
from clibench.evaluation.verdict import Verdict
from clibench.outcome import Outcome
from clibench.results import TaskResult
from clibench.steps.bench import Bench
from clibench.steps.build import build
from clibench.steps.generate import Submission, generate
from clibench.steps.judge import judge
from clibench.steps.record import record
from clibench.tasks.task import Task


def run_task(bench: Bench, task: Task) -> TaskResult:
    """The result of a task. A fault of the harness makes it, or some of its cases, missing; a full disk is raised (OutputsError)."""
    submission: Submission | None = None
    try:
        submission = generate(bench, task)
        installed = build(bench, task, submission)
        refs = {name: digest for name, digest in submission.refs.items() if not name.startswith("artifact_")} | {"build_log": installed.log}
        durations = {"generate": submission.wall_s, "build": installed.wall_s}
        if not installed.ok:
            return _result(task, submission, None, Outcome.BUILD_FAIL, installed.reason, durations, refs, build_ok=False)
        recordings = record(bench, task, submission, installed)
        judgement = bench.attempt(lambda: judge(bench.store, task, recordings, bench.params, bench.semantic))
    except OutputsError:
        raise
    except InfraError as error:
        return _result(task, submission, None, Outcome.INFRA, error.message, {}, {}, build_ok=None)
    durations |= {"record": round(recordings.wall_s, 3), "judge": judgement.wall_s}
    faults = recordings.faults
    outcome = outcome_of(judgement.verdicts, limited=submission.outcome is Outcome.AGENT_LIMIT)
    reason = f"{len(faults)} cases could not be run: {faults[0]}" if faults else submission.reason
    return _result(task, submission, judgement.verdicts, outcome, reason, durations, refs | judgement.refs, build_ok=True)


def outcome_of(verdicts: Sequence[Verdict], *, limited: bool) -> Outcome:
    """A task passes where no check of no case failed; one that was cut short by a limit says so whatever its scores."""
    if all(verdict.infra for verdict in verdicts):
        return Outcome.INFRA
    if limited:
        return Outcome.AGENT_LIMIT
    decisive = ("exec", "sp", "sm", "reject")
    failed = any(verdict.passed(metric) is False for verdict in verdicts for metric in decisive)
    return Outcome.FAIL if failed else Outcome.PASS


def _result(
    task: Task,
    submission: Submission | None,
    verdicts: Sequence[Verdict] | None,
    outcome: Outcome,
    reason: str,
    durations: dict[str, float],
    refs: dict[str, str],
    *,
    build_ok: bool | None,
) -> TaskResult:
    scores, patterns = score_task(task, verdicts, build_ok)
    shared = TaskResult(
        task=task.id,
        language=task.language.value,
        difficulty=task.difficulty.value,
        category=task.category,
        outcome=outcome,
        reason=reason,
        scores=scores,
        patterns=patterns,
        cases=len(task.cases),
        durations=durations,
        refs=refs,
        oracle={"loc": task.loc},
    )
    if submission is None:
        return shared
    return replace(shared, usage=submission.usage, submission=submission.size)
