"""A sweep of days is worth what its resume is worth: what is finished is not done twice, what failed is not scored as if it were done."""

from __future__ import annotations

import errno
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from clibench.errors import InfraError, OutputsError
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic_rules import RulesJudge
from clibench.evaluation.verdict import METRICS
from clibench.generation.framework import Framework, Generation
from clibench.generation.gold import Gold
from clibench.generation.null import Null
from clibench.generation.replay import Replay
from clibench.job import Job, run_job
from clibench.outcome import Outcome
from clibench.progress import Silence
from clibench.results import JobResult
from clibench.sandbox.settings import SandboxConfig
from clibench.steps.bench import Bench
from clibench.store import Store
from clibench.tasks.task import Task
from tests.pipeline.fakes import FakeSandbox, gone, make_task, write_submission

PATTERNS, CASES = 2, 3


def run(
    outputs: Path,
    framework: Framework,
    *,
    tasks: tuple[Task, ...] = (),
    sandbox: FakeSandbox | None = None,
    settings: SandboxConfig | None = None,
    params: CompareParams | None = None,
    workers: int = 2,
    retries: int = 0,
    generations: int = 0,
) -> JobResult:
    job = Job(
        model="none",
        dataset="test",
        language="all",
        difficulty="all",
        tasks=tasks or (make_task(patterns=PATTERNS, cases=CASES),),
        framework=framework,
        params=params or CompareParams(),
        semantic=RulesJudge(),
        sandbox=settings or SandboxConfig(),
        outputs=outputs,
        retries=retries,
        config={},
    )
    sandbox = sandbox or FakeSandbox()
    bench = Bench(
        store=Store(outputs / "store"),
        sandbox=sandbox,
        settings=job.sandbox,
        identity=sandbox.describe(),
        framework=framework,
        params=job.params,
        semantic=job.semantic,
        progress=Silence(),
        workers=workers,
        retries=retries,
        generations=generations,
        pause_s=0.0,
    )
    return run_job(job, bench)


def values(job: JobResult) -> dict[str, float | None]:
    return {metric: job.scores[metric].value for metric in METRICS}


def submissions(tmp_path: Path, behaviour: str = "echo", name: str = "set") -> Replay:
    write_submission(tmp_path / name / "words", behaviour)
    return Replay(str(tmp_path / name))


def test_gold_scores_one_in_every_metric(tmp_path: Path) -> None:
    assert values(run(tmp_path, Gold())) == dict.fromkeys(METRICS, 1.0)


def test_an_empty_workspace_scores_zero_in_every_metric(tmp_path: Path) -> None:
    job = run(tmp_path, Null())
    assert values(job) == dict.fromkeys(METRICS, 0.0)
    assert job.tasks[0].outcome is Outcome.BUILD_FAIL
    assert "go.mod" in job.tasks[0].reason


def test_a_submission_that_prints_something_else_keeps_what_it_gets_right(tmp_path: Path) -> None:
    job = run(tmp_path / "outputs", submissions(tmp_path, "shout"))
    assert values(job) == {"build": 1.0, "exec": 1.0, "sp": 1.0, "em": 0.0, "fm": 0.0, "sm": 0.0, "reject": 1.0}
    assert job.label == "set"
    assert job.tasks[0].submission == {"files": 2, "directories": 0, "depth": 1, "loc": 0}


def test_a_failed_build_keeps_its_log_and_runs_no_case(tmp_path: Path) -> None:
    sandbox = FakeSandbox()
    job = run(tmp_path / "outputs", submissions(tmp_path, "broken"), sandbox=sandbox)
    assert job.tasks[0].outcome is Outcome.BUILD_FAIL
    assert Store(tmp_path / "outputs" / "store").get(job.tasks[0].refs["build_log"]) == b"cannot find module\n"
    assert sandbox.trials == []


def test_a_job_that_is_done_repeats_nothing_and_gives_the_same_result(tmp_path: Path) -> None:
    first = run(tmp_path, Gold())
    again = FakeSandbox()
    assert run(tmp_path, Gold(), sandbox=again) == first
    assert (again.builds, again.trials) == ([], [])


def test_another_place_and_another_number_of_workers_repeat_nothing(tmp_path: Path) -> None:
    first = run(tmp_path / "outputs", submissions(tmp_path, name="set"))
    again = FakeSandbox()
    (tmp_path / "moved").mkdir()
    (tmp_path / "set").rename(tmp_path / "moved" / "set")
    settings = SandboxConfig(workers=7)
    job = run(tmp_path / "outputs", Replay(str(tmp_path / "moved" / "set")), sandbox=again, settings=settings, workers=7)
    assert job.key == first.key
    assert (again.builds, again.trials) == ([], [])


def test_a_new_limit_of_trials_records_anew_and_builds_nothing(tmp_path: Path) -> None:
    first = run(tmp_path, Gold())
    again = FakeSandbox()
    settings = SandboxConfig()
    settings = replace(settings, limits=replace(settings.limits, wall_s=5.0))
    job = run(tmp_path, Gold(), sandbox=again, settings=settings)
    assert job.key != first.key
    assert (len(again.builds), len(again.trials)) == (0, PATTERNS * CASES)


def test_a_new_image_builds_and_records_anew(tmp_path: Path) -> None:
    run(tmp_path, Gold())
    again = FakeSandbox(identity={"backend": "fake", "isolation": "none", "image": "2"})
    run(tmp_path, Gold(), sandbox=again)
    assert (len(again.builds), len(again.trials)) == (1, PATTERNS * CASES)


def test_a_new_comparer_parameter_judges_anew_and_runs_nothing(tmp_path: Path) -> None:
    replay = submissions(tmp_path, "shout")
    first = run(tmp_path / "outputs", replay)
    again = FakeSandbox()
    job = run(tmp_path / "outputs", replay, sandbox=again, params=CompareParams(fuzzy_threshold=0.1))
    assert (again.builds, again.trials) == ([], [])
    assert job.key != first.key
    assert (job.scores["fm"].value, first.scores["fm"].value) == (1.0, 0.0)


def test_a_case_that_was_added_to_one_pattern_leaves_the_others_recorded(tmp_path: Path) -> None:
    task = make_task(cases=3)
    run(tmp_path, Gold(), tasks=(task,))
    wider = make_task(cases=4)
    changed = tuple(case for case in task.cases if case.pattern == "p0") + tuple(case for case in wider.cases if case.pattern == "p1")
    again = FakeSandbox()
    recordings = {
        **wider.recordings,
        **task.recordings,
        **{case.id: wider.recordings[case.id] for case in wider.cases if case.pattern == "p1"},
    }
    run(tmp_path, Gold(), tasks=(replace(task, cases=changed, recordings=recordings),), sandbox=again)
    assert {case.partition("/")[0] for case in again.trials} == {"p1"}


def test_a_run_that_was_killed_does_not_run_a_finished_pattern_again(tmp_path: Path) -> None:
    def kill(case: str) -> None:
        if case == "p1/01":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, Gold(), sandbox=FakeSandbox(before_trial=kill))
    again = FakeSandbox()
    assert values(run(tmp_path, Gold(), sandbox=again)) == dict.fromkeys(METRICS, 1.0)
    assert (again.builds, again.trials) == ([], ["p1/00", "p1/01", "p1/02"])


def test_an_interrupted_run_closes_its_sandbox(tmp_path: Path) -> None:
    def kill(case: str) -> None:
        raise KeyboardInterrupt

    sandbox = FakeSandbox(before_trial=kill)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, Gold(), sandbox=sandbox)
    assert sandbox.closed
    assert list((tmp_path / "store" / "scratch").iterdir()) == []


def test_a_trial_that_the_harness_failed_is_tried_again_alone(tmp_path: Path) -> None:
    sandbox = FakeSandbox(faults={"p0/01": 2})
    job = run(tmp_path, Gold(), sandbox=sandbox, retries=2)
    assert values(job) == dict.fromkeys(METRICS, 1.0)
    assert sandbox.trials.count("p0/01") == 3
    assert len(sandbox.trials) == PATTERNS * CASES + 2


def test_a_trial_that_keeps_failing_is_missing_with_bounds_and_its_pattern_is_tried_at_the_next_start(tmp_path: Path) -> None:
    job = run(tmp_path, Gold(), sandbox=FakeSandbox(faults={"p0/01": 99}), retries=1)
    score = job.scores["exec"]
    assert (score.value, score.missing) == (1.0, 1)
    assert score.low is not None and score.low < 1.0 and score.high == 1.0
    assert "1 cases could not be run" in job.tasks[0].reason
    again = FakeSandbox()
    assert run(tmp_path, Gold(), sandbox=again).scores["exec"].missing == 0
    assert again.trials == ["p0/00", "p0/01", "p0/02"]


def test_a_sandbox_that_goes_away_makes_the_task_missing_and_never_zero(tmp_path: Path) -> None:
    job = run(tmp_path, Gold(), sandbox=FakeSandbox(before_build=gone), retries=1)
    assert job.missing_tasks == 1
    assert job.tasks[0].outcome is Outcome.INFRA
    assert "daemon went away" in job.tasks[0].reason
    assert job.scores["exec"].value is None
    assert values(run(tmp_path, Gold())) == dict.fromkeys(METRICS, 1.0)


def test_a_sandbox_that_goes_away_during_trials_keeps_what_was_recorded(tmp_path: Path) -> None:
    def stop(case: str) -> None:
        if case.startswith("p1"):
            gone()

    job = run(tmp_path, Gold(), sandbox=FakeSandbox(before_trial=stop))
    assert job.scores["exec"].missing == CASES - 1
    assert job.scores["exec"].value == 1.0
    again = FakeSandbox()
    run(tmp_path, Gold(), sandbox=again)
    assert {case.partition("/")[0] for case in again.trials} == {"p1"}


def test_a_full_disk_ends_the_job_at_once_and_loses_nothing(tmp_path: Path) -> None:
    def full(case: str) -> None:
        if case == "p1/00":
            raise OutputsError("cannot write: no space left on device", fix="Free some space.")

    sandbox = FakeSandbox(before_trial=full)
    with pytest.raises(OutputsError):
        run(tmp_path, Gold(), sandbox=sandbox, retries=5)
    assert len(sandbox.trials) == CASES
    again = FakeSandbox()
    run(tmp_path, Gold(), sandbox=again)
    assert len(again.trials) == CASES


def test_a_disk_that_fills_while_a_submission_is_written_is_the_users_to_mend_at_once(tmp_path: Path) -> None:
    class Writing(Null):
        calls: list[str] = []  # noqa: RUF012 - shared on purpose

        def generate(self, task: Task, workspace: Path) -> Generation:
            self.calls.append(task.id)
            raise OSError(errno.ENOSPC, "No space left on device", str(workspace / "x"))

    with pytest.raises(OutputsError, match="no space left"):
        run(tmp_path, Writing(), retries=3)
    assert Writing.calls == ["words"]


def test_a_generation_is_kept_and_only_a_new_prompt_repeats_it(tmp_path: Path) -> None:
    class Counting(Null):
        calls: list[str] = []  # noqa: RUF012 - shared on purpose

        def identity(self, task: Task) -> dict[str, str]:
            return {"model": "m"}

        def generate(self, task: Task, workspace: Path) -> Generation:
            self.calls.append(task.id)
            write_submission(workspace / "x", "echo")
            for path in (workspace / "x").iterdir():
                path.rename(workspace / path.name)
            return Generation(Outcome.AGENT_LIMIT, reason="step limit")

    job = run(tmp_path, Counting())
    assert job.tasks[0].outcome is Outcome.AGENT_LIMIT
    assert job.scores["sm"].value == 1.0
    run(tmp_path, Counting())
    assert Counting.calls == ["words"]
    again = FakeSandbox()
    run(tmp_path, Counting(), tasks=(make_task(prompt="Print them, please."),), sandbox=again)
    assert Counting.calls == ["words", "words"]
    assert (again.builds, again.trials) == ([], []), "the same repository was delivered"


def test_a_generation_that_the_harness_failed_is_missing_and_tried_again(tmp_path: Path) -> None:
    class Failing(Null):
        def generate(self, task: Task, workspace: Path) -> Generation:
            return Generation(Outcome.INFRA, reason="rate limit")

    job = run(tmp_path, Failing())
    assert (job.tasks[0].outcome, job.missing_tasks) == (Outcome.INFRA, 1)
    assert Store(tmp_path / "store").root.joinpath("units", "generate").exists() is False


@pytest.mark.parametrize("passing", [True, False])
def test_a_generation_is_tried_again_at_once_only_where_its_fault_may_pass(passing: bool, tmp_path: Path) -> None:
    tried: list[str] = []

    class Failing(Null):
        def generate(self, task: Task, workspace: Path) -> Generation:
            tried.append(task.id)
            fault = InfraError("rate limit" if passing else "wrong key")
            fault.passing = passing
            raise fault

    assert run(tmp_path, Failing(), retries=2).missing_tasks == 1
    assert len(tried) == (3 if passing else 1)


@pytest.mark.parametrize(("generations", "together"), [(0, 2), (1, 1), (4, 4)])
def test_agents_at_work_at_once_are_bounded_apart_from_trials(generations: int, together: int, tmp_path: Path) -> None:
    """Each agent waits until as many are at work as may be, so that one that is too many would be seen and one that is missing too."""
    lock, at_work, most = threading.Lock(), 0, 0
    full = threading.Barrier(together)

    class Waiting(Null):
        def generate(self, task: Task, workspace: Path) -> Generation:
            nonlocal at_work, most
            with lock:
                at_work += 1
                most = max(most, at_work)
            full.wait(60)
            with lock:
                at_work -= 1
            return Generation(Outcome.PASS)

    run(tmp_path, Waiting(), tasks=tuple(make_task(f"t{number}") for number in range(4)), workers=2, generations=generations)
    assert most == together


def test_several_tasks_end_in_the_order_that_they_were_given(tmp_path: Path) -> None:
    tasks = tuple(make_task(f"t{number}") for number in range(5))
    job = run(tmp_path, Gold(), tasks=tasks)
    assert [result.task for result in job.tasks] == [task.id for task in tasks]
    assert values(job) == dict.fromkeys(METRICS, 1.0)


def test_a_removed_installation_is_made_again_only_where_cases_are_left(tmp_path: Path) -> None:
    run(tmp_path, Gold(), sandbox=FakeSandbox(faults={"p0/01": 99}))
    shutil.rmtree(tmp_path / "store" / "folders")
    again = FakeSandbox()
    run(tmp_path, Gold(), sandbox=again)
    assert len(again.builds) == 1
    shutil.rmtree(tmp_path / "store" / "folders")
    third = FakeSandbox()
    run(tmp_path, Gold(), sandbox=third)
    assert third.builds == []


def test_a_defect_is_raised_and_not_taken_for_a_missing_result(tmp_path: Path) -> None:
    def broken(case: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(tmp_path, Gold(), sandbox=FakeSandbox(before_trial=broken), retries=3)
