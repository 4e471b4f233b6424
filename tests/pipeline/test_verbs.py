"""The verbs as a user meets them: what is printed where, which status the process ends with, what is left on disk."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from clibench.__main__ import run
from clibench.config import DatasetConfig
from clibench.errors import SandboxError
from clibench.grade import brief, command
from clibench.result_files import read_jobs
from clibench.sandbox.settings import SandboxConfig
from clibench.selection import dataset_label
from clibench.tasks.case import Case
from tests.pipeline.fakes import FakeSandbox, make_task, write_submission, write_task


class Bench:
    """A folder with two tasks, a sandbox in memory, and the command line."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.outputs = folder / "outputs"
        self.sandbox = FakeSandbox()
        self._capsys = capsys
        monkeypatch.setattr("clibench.sandbox.choose.make_sandbox", self._make)
        for name in ("lines", "words"):
            write_task(folder / "tasks", make_task(name))

    def _make(self, config: SandboxConfig, outputs: Path | None = None) -> FakeSandbox:
        if self.sandbox.closed and self.sandbox.identity["backend"] == "none":
            raise SandboxError("no sandbox may be made here")
        return self.sandbox

    def without_sandbox(self) -> None:
        """From now on, asking for a sandbox is an error."""
        self.sandbox = FakeSandbox(identity={"backend": "none"}, closed=True)

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, stdout, stderr."""
        fixed = (f"tasks_dir={self.folder / 'tasks'}", f"outputs={self.outputs}", "progress=plain")
        plain = () if arguments[0] in ("tasks", "grade") else ("tracking=none",) if arguments[0] != "report" else ()
        dataset = () if arguments[0] in ("grade", "rescore", "report") else ("dataset=full",)
        status = run([*arguments, *fixed, *plain, *dataset])
        out, err = self._capsys.readouterr()
        return status, out, err


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, capsys, monkeypatch)


def submissions(bench: Bench, **behaviours: str) -> str:
    for name, behaviour in behaviours.items():
        write_submission(bench.folder / "careful" / name, behaviour)
    return f"framework.submissions={bench.folder / 'careful'}"


def test_a_sweep_prints_a_row_a_job_and_ends_with_0(bench: Bench) -> None:
    status, out, err = bench("-m", "framework=gold,null")
    rows = [line.split() for line in out.splitlines()]
    assert status == 0
    assert rows[0][:2] == ["model", "framework"]
    assert [(row[1], row[-6:]) for row in rows[1:3]] == [("gold", ["1.000"] * 6), ("null", ["0.000"] * 6)]
    assert "gold (fake/none): 2/2" in err
    assert len(read_jobs(bench.outputs)) == 2


def test_what_is_missing_is_said_in_one_line_and_the_same_command_mends_it(bench: Bench) -> None:
    bench.sandbox.faults["p0/01"] = 99
    status, out, err = bench("framework=gold", "retries=0")
    assert status == 3
    assert err.splitlines()[-1].startswith("clibench: gold: 2 cases missing (1 cases could not be run: state at the start")
    assert ".." in out.splitlines()[1], "bounds in place of a value"
    bench.sandbox.faults.clear()
    assert bench("framework=gold")[0] == 0
    assert len(read_jobs(bench.outputs)) == 1, "the same job, now complete"


def test_a_fault_in_one_job_of_a_sweep_leaves_the_others_their_results(bench: Bench) -> None:
    bench.sandbox.faults["p0/01"] = 99
    status, out, _ = bench("-m", "framework=gold,null", "retries=0")
    assert status == 3
    assert len(out.splitlines()) == 3


def test_a_dry_run_tells_what_is_left_and_does_nothing(bench: Bench) -> None:
    status, out, _ = bench("framework=gold", "dry_run=true")
    assert status == 0
    assert "2 tasks, 4 patterns, 12 cases, 12 of them to run" in out
    assert "tokens: 0, cost: 0 USD" in out
    assert not bench.outputs.exists()
    bench("framework=gold")
    assert "12 cases, 0 of them to run" in bench("framework=gold", "dry_run=true")[1]
    assert "12 cases, 12 of them to run" in bench("framework=gold", "dry_run=true", "sandbox.limits.wall_s=3")[1]


def test_a_dry_run_needs_no_key_and_names_those_that_a_run_will_need(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-something")
    monkeypatch.delenv("MOONSHOT_API_KEY", raising=False)
    judged = ("judge=llm", "model@judge.model=kimi")
    status, out, _ = bench("model=gpt", "framework=single_shot", "dry_run=true", *judged)
    assert status == 0
    assert "needs a key: OPENAI_API_KEY (set)" in out
    assert "needs a key: MOONSHOT_API_KEY (not set)" in out
    assert "needs a key" not in bench("model=gpt", "model.base_url=http://127.0.0.1:1/v1", "framework=single_shot", "dry_run=true")[1]
    assert not bench.outputs.exists()
    status, _, err = bench("-m", "model=gpt,kimi,qwen", "framework=single_shot", *judged)
    assert status == 2
    assert [name in err for name in ("OPENAI_API_KEY", "MOONSHOT_API_KEY", "DASHSCOPE_API_KEY")] == [False, True, False], err
    assert not bench.outputs.exists(), "nothing was started"


def test_a_server_s_model_without_name_or_address_is_refused(bench: Bench) -> None:
    server = ("model=openai_compatible", "framework=single_shot")
    for given, asked in (("model.base_url=http://127.0.0.1:1/v1", "model.name=NAME"), ("model.name=house", "model.base_url=")):
        status, _, err = bench(*server, given)
        assert (status, asked in err) == (2, True), err


def test_a_dry_run_tells_a_submission_that_does_not_install_from_one_that_was_not_tried(bench: Bench) -> None:
    def row() -> list[str]:
        return next(line.split()[-5:-2] for line in bench("framework=null", "dry_run=true")[1].splitlines() if line.startswith("lines"))

    assert row() == ["no", "no", "0/6"]
    bench("framework=null")
    assert row() == ["yes", "failed", "-"]


def test_grade_shows_each_failed_case_with_its_command_and_first_difference(bench: Bench) -> None:
    folder = write_submission(bench.folder / "mine", "shout")
    status, out, _ = bench("grade", "task=words", f"submission={folder}")
    assert status == 0
    assert "4 of 6 cases failed" in out
    assert "$ tool good 0 0" in out
    assert "expected: 'good 0 0'" in out and "actual:   'GOOD 0 0'" in out


def test_grade_shows_what_a_case_is_given_beside_its_arguments() -> None:
    case = Case("p/1", "p", ("tool", "a b"), "0" * 64, stdin=b"x" * 250, env={"HOST": "east one"})
    assert command(case) == "'HOST=east one' tool 'a b' < 250 bytes of stdin"
    assert brief(case.stdin) == f"'{'x' * 200}' and 50 bytes more"
    assert brief(b"one\ntwo\xff") == "'one\\ntwo\ufffd'"


def test_another_threshold_is_another_row_that_says_so(bench: Bench) -> None:
    where = submissions(bench, words="shout", lines="echo")
    bench("framework=replay", where)
    status, out, _ = bench("rescore", "judge.fuzzy_threshold=0.5")
    assert (status, "rules/fm0.5" in out) == (0, True)
    assert "python -m clibench report" in out
    assert {job.judge for job in read_jobs(bench.outputs)} == {"rules", "rules/fm0.5"}


def test_grade_in_json_prints_one_document_and_nothing_else(bench: Bench) -> None:
    folder = write_submission(bench.folder / "mine", "shout")
    status, out, err = bench("grade", "task=words", f"submission={folder}", "output=json")
    document: dict[str, Any] = json.loads(out)
    assert status == 0
    assert (document["task"], document["outcome"]) == ("words", "fail")
    assert {metric: score["value"] for metric, score in document["scores"].items()} == {
        "build": 1.0,
        "exec": 1.0,
        "sp": 1.0,
        "em": 0.0,
        "fm": 0.0,
        "sm": 0.0,
        "reject": 1.0,
    }
    failed = [case for case in document["cases"] if case["checks"]["sm"]["passed"] is False]
    assert [case["case"] for case in failed] == ["p0/00", "p0/01", "p1/00", "p1/01"]
    assert failed[0]["checks"]["em"]["difference"]["expected"] == "good 0 0"
    assert "folder:mine (fake/none)" in err


def test_grade_shows_the_end_of_the_log_of_a_failed_build(bench: Bench) -> None:
    folder = write_submission(bench.folder / "mine", "broken")
    status, out, _ = bench("grade", "task=words", f"submission={folder}")
    assert status == 0
    assert "build-fail" in out and "cannot find module" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("task=wrds", "submission=."), "unknown task 'wrds'. Did you mean 'words'?"),
        (("task=words", "submission=/nowhere"), "submission=/nowhere: no such folder."),
    ],
)
def test_grade_explains_bad_input(bench: Bench, arguments: tuple[str, ...], message: str) -> None:
    status, out, err = bench("grade", *arguments)
    assert (status, out) == (2, "")
    assert message in err


def test_replay_names_folders_that_are_no_task_and_tasks_without_folder(bench: Bench) -> None:
    where = submissions(bench, words="echo", wodrs="echo")
    status, _, err = bench("framework=replay", where)
    assert (status, "'wodrs' is the id of no task. Did you mean 'words'?" in "".join(err.split("\n"))) == (2, True), err
    (bench.folder / "careful" / "wodrs").rename(bench.folder / "elsewhere")
    status, _, err = bench("framework=replay", where)
    assert (status, "no submission for lines" in err) == (2, True)
    assert bench.sandbox.builds == []


def test_replay_can_leave_out_or_grade_as_nothing_what_was_not_submitted(bench: Bench) -> None:
    where = submissions(bench, words="echo")
    assert bench("framework=replay", where, "framework.missing=skip")[0] == 0
    assert bench("framework=replay", where, "framework.missing=empty")[0] == 0
    by_tasks = {len(job.tasks): job for job in read_jobs(bench.outputs)}
    assert (by_tasks[1].scores["sm"].value, by_tasks[2].scores["sm"].value) == (1.0, 0.5)
    assert by_tasks[1].label == "careful"


def test_tasks_that_were_chosen_by_hand_do_not_go_by_the_name_of_the_whole_dataset(bench: Bench) -> None:
    assert bench("framework=gold", "dataset.tasks=[words]")[0] == 0
    assert bench("framework=gold")[0] == 0
    assert {job.dataset for job in read_jobs(bench.outputs)} == {"full (words)", "full"}
    assert "full (words)" in bench("framework=gold", "dataset.tasks=[words]")[1]
    several = DatasetConfig("sample", ["d", "c", "b", "a"])
    assert re.fullmatch(r"sample \(4 tasks, [0-9a-f]{6}\)", dataset_label(several))
    assert (
        dataset_label(several)
        == dataset_label(DatasetConfig("sample", ["a", "b", "c", "d"]))
        != dataset_label(DatasetConfig("sample", [*"abce"]))
    )
    assert dataset_label(DatasetConfig("smoke", ["files-to-prompt", "envsubst", "csvtojson"])) == "smoke"
    assert dataset_label(DatasetConfig("my own", ["a"])) == "my own"


def test_a_dataset_of_ones_own_goes_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "mine.yaml").write_text("name: mine\ntasks: [a, b]\n")
    assert dataset_label(DatasetConfig("mine", ["b", "a"]), [tmp_path]) == "mine"
    assert dataset_label(DatasetConfig("mine", ["a"]), [tmp_path]) == "mine (a)"


def test_a_filter_of_language_does_not_make_other_submissions_unknown(bench: Bench) -> None:
    write_task(bench.folder / "tasks", make_task("other"))
    where = submissions(bench, words="echo", lines="echo", other="echo")
    assert bench("framework=replay", where, "dataset.tasks=[words]")[0] == 0


def test_a_filter_that_leaves_nothing_is_an_error_that_says_so(bench: Bench) -> None:
    status, _, err = bench("framework=gold", "difficulty=hard")
    assert (status, "has no task with language=all difficulty=hard" in err) == (2, True)


def test_a_task_that_changed_since_its_freeze_does_not_hide_the_others_in_the_list(bench: Bench) -> None:
    prompt = bench.folder / "tasks" / "lines" / "prompt.md"
    prompt.write_text(prompt.read_text() + "More.\n")
    status, out, err = bench("tasks")
    assert (status, "words" in out, "lines" in out) == (2, True, False)
    assert "prompt.md: changed since the task was frozen" in "".join(err.split("\n"))


def test_the_error_for_an_unknown_task_tells_how_to_take_all_of_a_folder(bench: Bench) -> None:
    status, _, err = bench("tasks", "dataset.tasks=[elsewhere]")
    assert (status, "unknown task" in err, "dataset=full takes all" in " ".join(err.split())) == (2, True, True)


def test_rescoring_needs_no_sandbox_and_gives_the_result_that_a_run_with_these_parameters_gives(bench: Bench) -> None:
    where = submissions(bench, words="shout", lines="echo")
    bench("framework=replay", where)
    bench.without_sandbox()
    status, out, _ = bench("rescore", "judge.fuzzy_threshold=0.1")
    assert status == 0
    assert len(out.splitlines()) == 3
    jobs = {job.scores["fm"].value: job for job in read_jobs(bench.outputs)}
    assert sorted(jobs, key=str) == [0.5, 1.0]
    bench.sandbox = FakeSandbox()
    bench("framework=replay", where, "judge.fuzzy_threshold=0.1")
    assert bench.sandbox.trials == []
    assert {job.key for job in read_jobs(bench.outputs)} == {job.key for job in jobs.values()}


def test_rescoring_with_the_same_parameters_adds_nothing(bench: Bench) -> None:
    bench("framework=gold")
    before = read_jobs(bench.outputs)
    assert bench("rescore")[0] == 0
    assert [job.key for job in read_jobs(bench.outputs)] == [job.key for job in before]


def test_rescoring_against_a_task_that_was_frozen_anew_is_refused(bench: Bench) -> None:
    bench("framework=gold")
    task = make_task("words", cases=4)
    for path in (bench.folder / "tasks" / "words").iterdir():
        path.unlink()
    (bench.folder / "tasks" / "words").rmdir()
    write_task(bench.folder / "tasks", task)
    status, _, err = bench("rescore")
    assert (status, "task words: its cases or the oracle's recordings are not those" in err) == (2, True)


def test_rescoring_nothing_is_an_error(bench: Bench) -> None:
    assert bench("rescore")[0] == 2
    bench("framework=gold")
    status, _, err = bench("rescore", "jobs=[zz]")
    assert (status, "no job 'zz'" in err) == (2, True)


def test_the_tasks_are_listed_for_people_and_for_programs(bench: Bench) -> None:
    assert "2 tasks, 4 patterns, 12 cases" in bench("tasks")[1]
    rows = json.loads(bench("tasks", "output=json")[1])
    assert [(row["task"], row["cases"], row["rejected"]) for row in rows] == [("lines", 6, 2), ("words", 6, 2)]


def test_recordings_that_were_changed_on_disk_are_found_before_anything_runs(bench: Bench) -> None:
    path = bench.folder / "tasks" / "words" / "recordings.jsonl.xz"
    path.write_bytes(path.read_bytes() + b"x")
    status, _, err = bench("framework=gold")
    assert (status, "digest mismatch" in err) == (2, True)
    assert bench.sandbox.builds == []
