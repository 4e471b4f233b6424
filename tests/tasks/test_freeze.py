"""Freezing gives a folder that loads, the same bytes twice, and nothing in it that can't be compared or must not be told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clibench.__main__ import run
from clibench.errors import SandboxError, TaskError
from clibench.recording import Change, End, Recording, Resources, Status
from clibench.sandbox.interface import TrialFault
from clibench.synthesis.leaks import hide, word
from clibench.synthesis.spec import Spec
from clibench.tasks.case import Case, Fixture
from clibench.tasks.freeze import freeze_task
from clibench.tasks.load import load_task
from clibench.tasks.task import Difficulty
from tests.tasks.scripted_sandbox import ScriptedSandbox, recording

OK = Status(End.EXIT, 0)

SPEC = """\
version: 1
task: {alias: linetool, language: python, category: Text, forbidden: [jane doe]}
oracle: {registry: pypi, name: some-tool, version: 1.0, entry: slt, licence: MIT}
cases: 10
fixtures:
  base: {files: {a.txt: "hello\\n", b.txt: "bye\\n"}}
patterns:
  - id: count
    description: Count words.
    fixture: base
    argv: [count, "{n}"]
    params: {n: {type: int, max: 1000, invalid: [x], edges: []}}
  - id: small
    description: Show a file.
    fixture: base
    argv: [show, "{file}"]
    params: {file: {type: path, edges: [], invalid: [gone.txt]}}
"""


def tool(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
    word = case.argv[1]
    if word == "--help":
        return recording(OK, b"Usage: slt count N\n")
    if case.argv[-1] in ("x", "gone.txt"):
        return recording(Status(End.EXIT, 2))
    change = Change("/workspace/log", "created", "file", 0o644, 1, "0" * 64, content=b"1")
    return recording(OK, f"{word}: {case.argv[-1]}\n".encode(), (change,))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    task = tmp_path / "words"
    task.mkdir()
    (task / "spec.yaml").write_text(SPEC)
    (task / "context.md").write_text("`linetool` counts words and shows files.\n")
    yield task


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_frozen_task_loads_with_its_cases_recordings_and_measures(folder: Path) -> None:
    report = freeze_task(folder, ScriptedSandbox(tool))
    task = load_task(folder)
    assert (task.id, task.alias, task.loc, task.difficulty) == ("words", "linetool", 2, Difficulty.EASY)
    assert {case.id for case in task.cases} == set(task.recordings)
    shown = next(case for case in task.cases if case.argv == ("linetool", "show", "b.txt"))
    assert task.recordings[shown.id].stdout.data == b"show: b.txt\n"
    assert task.recordings[shown.id].resources == Resources()
    assert report.patterns["count"].cases == 10
    assert report.patterns["count"].ok == sum(task.recordings[c.id].status.ok for c in task.cases if c.pattern == "count") > 0
    assert report.shortfalls == ("pattern 'small': 3 of 10 cases, the value space has no more distinct ones",)


def test_freezing_twice_gives_the_same_bytes(folder: Path) -> None:
    freeze_task(folder, ScriptedSandbox(tool))
    first = contents(folder)
    freeze_task(folder, ScriptedSandbox(tool))
    assert contents(folder) == first


def test_a_help_that_is_another_one_each_time_is_refused(folder: Path) -> None:
    asked = 0

    def moody(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        nonlocal asked
        if case.argv[1] != "--help":
            return tool(case, fixture, variation)
        asked += 1
        return recording(OK, b"Usage: slt count N\n\nTip of the day: %d\n" % asked)

    before = contents(folder)
    with pytest.raises(TaskError, match="'linetool --help' prints another help each time"):
        freeze_task(folder, ScriptedSandbox(moody))
    assert contents(folder) == before


def test_the_verb_takes_an_id_or_the_path_of_a_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("clibench.freezing.make_sandbox", lambda *_: ScriptedSandbox(tool))
    monkeypatch.chdir(folder.parent.parent)
    for named in ("words", f"{folder.parent.name}/words", str(folder)):
        assert run(["freeze", f"task={named}", f"tasks_dir={folder.parent}"]) == 0
        out, err = capsys.readouterr()
        assert "words: 13 cases" in out
        assert "words: pinning some-tool 1.0" in err
    assert run(["freeze", "task=gone/words", f"tasks_dir={folder.parent}"]) == 2
    assert "no folder with a spec.yaml" in capsys.readouterr().err


def test_the_verb_runs_every_case_as_often_as_it_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("clibench.freezing.make_sandbox", lambda *_: ScriptedSandbox(tool))
    assert run(["freeze", f"task={folder}", "runs=2"]) == 0
    assert json.loads((folder / "lock.json").read_text())["stability"]["runs"] == 2
    assert run(["freeze", f"task={folder}", "runs=0"]) == 2
    assert "runs: must be 1 or more, is 0" in capsys.readouterr().err


def test_a_lock_is_kept_when_the_registry_gives_another_artefact_for_the_same_release(folder: Path) -> None:
    freeze_task(folder, ScriptedSandbox(tool))
    lock = (folder / "oracle.lock").read_bytes()

    class Moved(ScriptedSandbox):
        def build(self, request):  # type: ignore[no-untyped-def]
            self.hash_of_artefact = "1" * 64 if "report" in str(request.commands) else "0" * 64
            return super().build(request)

    freeze_task(folder, Moved(tool))
    assert (folder / "oracle.lock").read_bytes() == lock


def test_every_case_runs_five_times_under_five_conditions(folder: Path) -> None:
    seen: dict[str, set[int]] = {}

    def watched(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        seen.setdefault(case.id, set()).add(variation)
        return tool(case, fixture, variation)

    freeze_task(folder, ScriptedSandbox(watched))
    assert {frozenset(numbers) for case, numbers in seen.items() if not case.startswith("help")} == {frozenset(range(5))}


def test_a_case_that_the_spec_calls_unstable_is_left_out_with_its_reason(folder: Path) -> None:
    (folder / "spec.yaml").write_text(SPEC + 'unstable: {count/02: "a race"}\n')
    freeze_task(folder, ScriptedSandbox(tool))
    task = load_task(folder)
    assert task.quarantined == {"count/02": "a race"}
    assert "count/02" not in {case.id for case in task.cases} | set(task.recordings)
    (folder / "spec.yaml").write_text(SPEC + 'unstable: {count/99: "a race"}\n')
    with pytest.raises(TaskError, match="unstable names 'count/99', which is no case"):
        freeze_task(folder, ScriptedSandbox(tool))


def test_what_a_normaliser_can_mask_is_masked_and_what_none_can_is_quarantined_with_its_reason(folder: Path) -> None:
    def restless(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        if case.id == "count/02":
            return recording(OK, f"done in 0.{variation}3 s\n".encode())
        if case.id == "count/03":
            return recording(OK, b"a b c d e".split()[variation])
        if case.id == "count/04":
            return recording(Status(End.TIMEOUT))
        if case.id == "count/05":
            return recording(Status(End.EXIT, variation % 2))
        return tool(case, fixture, variation)

    freeze_task(folder, ScriptedSandbox(restless))
    task = load_task(folder)
    assert task.case_normalisers == {"count/02": ("duration",)}
    assert task.quarantined == {
        "count/03": "not the same in every run: standard output",
        "count/04": "ended by timeout",
        "count/05": "not the same in every run: status exit 0 and exit 1",
    }
    assert not {case.id for case in task.cases} & set(task.quarantined)
    assert json.loads((folder / "lock.json").read_text())["stability"]["masked"] == {"duration": 1}


def test_what_holds_the_current_year_is_left_out_though_every_run_agrees(folder: Path) -> None:
    year = datetime.now(UTC).year
    (folder / "spec.yaml").write_text(SPEC.replace("    params: {n: {type", f"    examples: [[count, '{year}']]\n    params: {{n: {{type"))

    def dated(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        if case.id == "count/02":
            return recording(OK, f"Copyright {year} us\n".encode())
        if case.id == "count/03":
            change = Change("/workspace/log", "created", "file", 0o644, 1, "0" * 64, content=f"({year})".encode())
            return recording(OK, b"done", (change,))
        if case.id == "count/04":
            return recording(OK, f"U+{year} v1.{year} {year}0 {year - 1}\n".encode())
        return tool(case, fixture, variation)

    freeze_task(folder, ScriptedSandbox(dated))
    task = load_task(folder)
    reason = f"prints the year {year}, in which it was run"
    assert task.quarantined == {"count/02": reason, "count/03": reason}
    assert any(case.argv[-1] == str(year) for case in task.cases), "the case itself gives the year"


def test_a_prompt_does_not_ask_for_caches_that_no_verdict_looks_at(folder: Path) -> None:
    def caching(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        done = tool(case, fixture, variation)
        if isinstance(done, TrialFault) or not done.changes:
            return done
        cache = Change("/home/user/.cache/slt/1.0/table", "created", "file", 0o644, 1, "0" * 64, content=b"1")
        return recording(OK, done.stdout.data, (*done.changes, cache))

    freeze_task(folder, ScriptedSandbox(caching))
    prompt = (folder / "prompt.md").read_text()
    assert "cache" not in prompt
    assert "Created: file `log`" in prompt
    assert len(load_task(folder).recordings["count/01"].changes) == 2, "what was seen is kept"


def test_headings_of_the_context_go_down_and_comments_in_its_code_do_not(folder: Path) -> None:
    (folder / "context.md").write_text("# Words\n\nIt counts.\n\n```yaml\n# a note\nkey: 1\n```\n\n## Files\n\nIt shows.\n")
    freeze_task(folder, ScriptedSandbox(tool))
    lines = (folder / "prompt.md").read_text().splitlines()
    assert {"### Words", "# a note", "#### Files"} <= {*lines}


def test_a_tool_that_prints_its_own_name_gets_the_alias_normaliser(folder: Path) -> None:
    def vain(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        return recording(OK, b"slt says " + case.argv[-1].encode())

    assert freeze_task(folder, ScriptedSandbox(vain)).normalisers == ("alias(slt)",)
    prompt = (folder / "prompt.md").read_text()
    assert "linetool says" in prompt
    assert "slt" not in prompt


def test_the_prompt_holds_context_help_and_one_observed_example_a_pattern(folder: Path) -> None:
    freeze_task(folder, ScriptedSandbox(tool))
    prompt = (folder / "prompt.md").read_text()
    task = load_task(folder)
    assert "counts words and shows files" in prompt
    assert "Usage: linetool count N" in prompt
    assert "`pip install .`" in prompt
    assert prompt.count("Exit status 0. Standard output:") == 2
    assert "Created: file `log`" in prompt
    assert "`a.txt`:\n\n```text\nhello\n```" in prompt
    shown = [case.id for case in task.cases if f"\n{' '.join(case.argv)}\n" in prompt]
    assert len(shown) == 2


@pytest.mark.parametrize(
    ("context", "told"),
    [
        ("A wrapper of some-tool.", "the name 'some-tool'"),
        ("Written by Jane Doe.", "the name 'Jane Doe'"),
        ("Like SLT, but better.", "the name 'SLT'"),
        ("See https://host.dev/linetool.", "the address 'https://host.dev/linetool'"),
        ("Ask me@host.dev about it.", "the address 'me@host.dev'"),
    ],
)
def test_a_prompt_that_tells_the_tool_or_its_makers_is_refused(folder: Path, context: str, told: str) -> None:
    (folder / "context.md").write_text(context)
    with pytest.raises(TaskError, match=told):
        freeze_task(folder, ScriptedSandbox(tool))
    assert not (folder / "prompt.md").exists()


def test_the_ending_of_a_file_is_told_as_the_tool_will_see_it(folder: Path) -> None:
    (folder / "context.md").write_text("It reads `table.slt` and writes `.slt` files.")
    freeze_task(folder, ScriptedSandbox(tool))
    assert "reads `table.slt` and writes `.slt` files" in (folder / "prompt.md").read_text()


def test_an_example_that_tells_the_tool_is_found_after_one_run(folder: Path) -> None:
    seen: set[int] = set()

    def proud(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        seen.add(variation)
        return recording(OK, b"SLT says hello\n") if case.argv[1] == "count" else tool(case, fixture, variation)

    with pytest.raises(TaskError, match="the name 'SLT'"):
        freeze_task(folder, ScriptedSandbox(proud))
    assert seen == {0}


def test_a_prompt_that_tells_another_case_is_refused(folder: Path) -> None:
    freeze_task(folder, ScriptedSandbox(tool))
    prompt = (folder / "prompt.md").read_text()
    hidden = next(case for case in load_task(folder).cases if case.pattern == "count" and " ".join(case.argv) not in prompt)
    (folder / "context.md").write_text(f"For example\n\n    {' '.join(hidden.argv)}\n")
    with pytest.raises(TaskError, match=f"the command of case {hidden.id}"):
        freeze_task(folder, ScriptedSandbox(tool))


def test_the_home_page_at_the_end_of_a_help_text_is_left_out(folder: Path) -> None:
    def proud(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        return recording(OK, b"Usage: N\n\nSee https://host.dev/jane/slt.\n") if case.pattern == "help" else tool(case, fixture, variation)

    freeze_task(folder, ScriptedSandbox(proud))
    assert "See (address left out).\n" in (folder / "prompt.md").read_text()


def test_addresses_that_belong_to_nobody_are_no_leak(folder: Path) -> None:
    (folder / "context.md").write_text("Takes http://example.com/a?b and mail@example.org, or http://localhost:8080/.\n")
    freeze_task(folder, ScriptedSandbox(tool))
    assert "http://example.com/a?b and mail@example.org" in (folder / "prompt.md").read_text()


def test_a_trial_that_the_harness_fails_is_tried_again_and_then_ends_the_freeze(folder: Path) -> None:
    failures = {"count/01": 1}

    def flaky(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        if failures.get(case.id, 0) > 0:
            failures[case.id] -= 1
            return TrialFault("the disk was full")
        return tool(case, fixture, variation)

    freeze_task(folder, ScriptedSandbox(flaky))
    failures["count/01"] = 2
    with pytest.raises(SandboxError, match="count/01 could not be run: the disk was full"):
        freeze_task(folder, ScriptedSandbox(flaky))


def test_a_case_that_runs_out_of_time_once_on_a_busy_machine_is_not_left_out(folder: Path) -> None:
    waits = {"count/01": 1, "count/02": 99}

    def busy(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        if waits.get(case.id, 0) > 0:
            waits[case.id] -= 1
            return recording(Status(End.TIMEOUT))
        return tool(case, fixture, variation)

    freeze_task(folder, ScriptedSandbox(busy))
    assert load_task(folder).quarantined == {"count/02": "ended by timeout"}


def test_a_pattern_without_a_stable_case_is_an_error(folder: Path) -> None:
    def restless(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        return recording(OK, str(variation).encode()) if case.pattern == "small" else tool(case, fixture, variation)

    with pytest.raises(TaskError, match="the pattern 'small' has no stable case"):
        freeze_task(folder, ScriptedSandbox(restless))


def test_a_missing_context_is_a_clear_error(folder: Path) -> None:
    (folder / "context.md").unlink()
    with pytest.raises(TaskError, match=r"context\.md: cannot be read"):
        freeze_task(folder, ScriptedSandbox(tool))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("see Some-Tool", "Some-Tool"),
        ("see some_tool", "some_tool"),
        ("see SomeTool 1.0", "SomeTool"),
        ("kept in ~/.some-tool.txt", "some-tool"),
        ("\x1b[32msome-tool\x1b[0m", "some-tool"),
        ("a.some-tool is a format", None),
        ("`.some-tool` files", None),
        ("some tools", None),
        ("awesome-tool", None),
        ("some-tool-kit", None),
    ],
)
def test_a_name_is_known_however_its_parts_are_joined(text: str, told: str | None) -> None:
    found = word("some-tool").search(text)
    assert (found[0] if found else None) == told


@pytest.mark.parametrize(("text", "hidden"), [("jane@host.dev", True), ("j4ne-2@host.dev", True), ("18-21@main.py", False)])
def test_an_address_of_mail_begins_with_a_name(text: str, hidden: bool) -> None:
    assert ("address left out" in hide(f"see {text} now", SPELLED)) is hidden


def test_a_long_line_of_dashes_is_searched_for_addresses_in_time() -> None:
    assert hide("a-" * 100_000, SPELLED) == "a-" * 100_000


SPELLED = Spec.model_validate(
    {
        "version": "1",
        "task": {"alias": "oakmill", "language": "python", "category": "x"},
        "oracle": {"registry": "pypi", "name": "some-tool", "version": "1.0", "entry": "slt", "licence": "MIT"},
        "patterns": [{"id": "p", "description": "A pattern.", "argv": ["a"]}],
    }
)


@pytest.mark.parametrize("spelling", ["", " ", "Doc,Tool", "Doc(Tool)", "Doc ", " Doc"])
def test_a_spelling_that_no_normaliser_can_be_given_is_refused_where_it_stands(spelling: str) -> None:
    body = SPELLED.model_dump()
    body["oracle"]["spellings"] = [spelling]
    with pytest.raises(ValueError, match="spellings"):
        Spec.model_validate(body)
