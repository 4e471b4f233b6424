"""The graded cases of a task, put together from the store: what was run, what both sides did, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clibench.errors import StoreError
from clibench.evaluation.stored import decode_cases, decode_recordings, decode_verdicts
from clibench.evaluation.verdict import METRICS, Check, Verdict
from clibench.outcome import Outcome
from clibench.recording import Recording
from clibench.results import TaskResult
from clibench.sandbox.interface import TrialFault
from clibench.store import Store
from clibench.tasks.case import Case, Fixture


@dataclass(frozen=True)
class Graded:
    """One case. `expected` is the oracle's recording, `actual` the submission's; None where there is none (nothing was installed)."""

    case: Case
    verdict: Verdict
    expected: Recording | None
    actual: Recording | TrialFault | None

    @property
    def failed(self) -> tuple[str, ...]:
        """The metrics that this case fails."""
        return tuple(metric for metric in METRICS if self.verdict.passed(metric) is False)


@dataclass(frozen=True)
class GradedTask:
    """The cases of a task in their order, and the fixtures that they start from, by digest."""

    cases: tuple[Graded, ...]
    fixtures: Mapping[str, Fixture]


def graded_task(store: Store, task: TaskResult) -> GradedTask:
    """The graded cases of `task`; none where the job did not get as far as to keep them.

    Cases of a submission that could not be installed fail every check that applies to them. Raises StoreError for blobs that are lost.
    """
    if "cases" not in task.refs:
        return GradedTask((), {})
    stored = decode_cases(store.get(task.refs["cases"]))
    expected = decode_recordings(store.get(task.refs["oracle_recordings"])) if "oracle_recordings" in task.refs else {}
    actual = decode_recordings(store.get(task.refs["recordings"])) if "recordings" in task.refs else {}
    verdicts = {verdict.case: verdict for verdict in decode_verdicts(store.get(task.refs["verdicts"]))} if "verdicts" in task.refs else {}
    cases = []
    for case in stored.cases:
        oracle = expected.get(case.id)
        recording = oracle if isinstance(oracle, Recording) else None
        verdict = verdicts.get(case.id) or _without_trial(task, case, recording)
        cases.append(Graded(case, verdict, recording, actual.get(case.id)))
    return GradedTask(tuple(cases), stored.fixtures)


def build_log(store: Store, task: TaskResult, *, lines: int) -> str:
    """The last lines of the build log, empty where there is none."""
    if "build_log" not in task.refs:
        return ""
    try:
        log = store.get(task.refs["build_log"])
    except StoreError as error:
        return str(error)
    return "\n".join(log.decode("utf-8", "backslashreplace").splitlines()[-lines:])


def _without_trial(task: TaskResult, case: Case, oracle: Recording | None) -> Verdict:
    oracle_ok = oracle is None or oracle.status.ok
    if task.outcome is not Outcome.BUILD_FAIL:
        return Verdict(case.id, case.pattern, oracle_ok, infra=task.reason or "not run")
    failed, other = Check(False, "the submission could not be installed"), Check(None)
    checks = {metric: failed if (metric == "reject") != oracle_ok else other for metric in METRICS if metric != "build"}
    return Verdict(case.id, case.pattern, oracle_ok, checks)
