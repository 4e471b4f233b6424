"""A task comes from a package's name alone; the same name gives the same bytes; a package that makes none is refused with its reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clibench.recording import Change, End, Output, Recording, Resources, Status
from clibench.sandbox.interface import TrialFault
from clibench.synthesis.expand import expand
from clibench.synthesis.factory import Made, RejectedError, Wish, synthesize
from clibench.synthesis.fuzz.choose import Chosen
from clibench.synthesis.fuzz.draft import Draft, Plan
from clibench.synthesis.fuzz.keep import untold
from clibench.synthesis.fuzz.probe import Attempt, Trial
from clibench.synthesis.schema import Command
from clibench.synthesis.spec import Spec, read_spec
from clibench.tasks.case import Case, Fixture
from clibench.tasks.load import load_task
from clibench.tasks.origin import Origin, origin_of
from tests.synthesis.fake_tool import METADATA, FactorySandbox, tool
from tests.tasks.scripted_sandbox import Tool

WISH = Wish("pypi", "some-tool", "1.0", cases=8, runs=2)


def made(folder: Path, sandbox: FactorySandbox | None = None, wish: Wish = WISH) -> Made:
    return synthesize(wish, folder / "lines", sandbox or FactorySandbox())


def test_a_task_is_made_of_a_package_by_its_name_alone(tmp_path: Path) -> None:
    result = made(tmp_path)
    task = load_task(tmp_path / "lines")
    assert task.oracle.entry == "slt"
    assert task.oracle.licence == "MIT"
    assert len(task.patterns) >= 8
    assert {case.argv[1] for case in task.cases} >= {"count", "sort", "pick"}
    assert all(row.ok >= row.cases / 2 for row in result.report.patterns.values())


def test_a_synthesized_spec_is_known_until_a_hand_edits_it(tmp_path: Path) -> None:
    folder = made(tmp_path).folder
    assert origin_of(folder) is Origin.FACTORY
    (folder / "spec.yaml").write_text((folder / "spec.yaml").read_text() + "# edited\n")
    assert origin_of(folder) is Origin.EDITED


def test_most_cases_of_a_pattern_have_results_of_their_own(tmp_path: Path) -> None:
    rows = made(tmp_path).report.patterns.values()
    assert sum(row.distinct for row in rows) >= 0.6 * sum(row.cases for row in rows)


def test_the_same_wish_gives_the_same_bytes(tmp_path: Path) -> None:
    made(tmp_path / "one")
    made(tmp_path / "two")
    first = {path.name: path.read_bytes() for path in (tmp_path / "one" / "lines").iterdir()}
    assert first == {path.name: path.read_bytes() for path in (tmp_path / "two" / "lines").iterdir()}
    assert {"task.yaml", "spec.yaml", "prompt.md", "cases.jsonl", "lock.json", "synthesis.json"} <= set(first)


def test_the_prompt_tells_neither_the_tool_nor_its_maker(tmp_path: Path) -> None:
    made(tmp_path)
    prompt = (tmp_path / "lines" / "prompt.md").read_text().lower()
    assert "counts and sorts the lines of text files." in prompt, "only the sentence after it names the author"
    assert "count and sort lines of text" in prompt
    for word in ("slt", "some-tool", "some_tool", "jane", "host.dev", "pip install some"):
        assert word not in prompt


def test_every_flag_that_changes_the_result_gets_a_pattern(tmp_path: Path) -> None:
    made(tmp_path)
    used = {word for case in load_task(tmp_path / "lines").cases for word in case.argv}
    assert {"--words", "--by", "--output", "--reverse", "--limit", "--line"} <= used


def test_a_flag_that_needs_another_one_is_given_it(tmp_path: Path) -> None:
    made(tmp_path, wish=Wish("pypi", "some-tool", "1.0", cases=8, runs=2, most_patterns=30))
    patterns = [pattern for pattern in read_spec(tmp_path / "lines" / "spec.yaml").patterns if "--upper" in str(pattern.argv)]
    assert patterns
    assert all("--limit" in str(pattern.argv) for pattern in patterns)


def test_a_file_that_the_folder_has_already_stays_when_nothing_is_made(tmp_path: Path) -> None:
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "kept").write_text("mine")
    with pytest.raises(RejectedError):
        made(tmp_path, FactorySandbox(_silent))
    assert (tmp_path / "lines" / "kept").read_text() == "mine"


def _ends(status: Status, out: bytes = b"", err: bytes = b"") -> Recording:
    return Recording(status, Output.of(out), Output.of(err), (), Resources())


def _silent(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
    return _ends(Status(End.EXIT, 0))


def _hangs(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
    return _ends(Status(End.TIMEOUT))


def _offline(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
    asks = {"-h", "--help"} & set(case.argv) or len(case.argv) == 1
    return tool(case, fixture, variation) if asks else _ends(Status(End.EXIT, 1), err=b"getaddrinfo ENOTFOUND api.example.com\n")


def _no_terminal(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
    asks = {"-h", "--help"} & set(case.argv) or len(case.argv) == 1
    return tool(case, fixture, variation) if asks else _ends(Status(End.EXIT, 1), err=b"stdin is not a tty\n")


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (_silent, "prints no help for --help, -h and help"),
        (_hangs, "hangs on --help"),
        (_offline, "needs a network"),
        (_no_terminal, "needs a terminal"),
    ],
)
def test_a_tool_that_can_not_be_tested_is_rejected_with_the_reason(tmp_path: Path, behaviour: object, reason: str) -> None:
    with pytest.raises(RejectedError, match=reason) as caught:
        made(tmp_path, FactorySandbox(behaviour))  # type: ignore[arg-type]
    assert caught.value.exit_code == 2
    assert "\n" not in caught.value.message
    assert not (tmp_path / "lines").exists()


def test_a_package_without_a_command_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(RejectedError, match="has no executable"):
        made(tmp_path, FactorySandbox(scripts=""))


def test_several_commands_are_a_question_to_the_user(tmp_path: Path) -> None:
    with pytest.raises(RejectedError, match="has 2 executables: one, slt. Choose one with entry=NAME"):
        made(tmp_path, FactorySandbox(scripts="[console_scripts]\nslt = tool:main\none = tool:one\n"))


def _readme(lines: str) -> FactorySandbox:
    shown = "".join(f"    {line}\n" for line in lines.split("; "))
    return FactorySandbox(metadata=METADATA.replace("    slt sort --reverse notes.txt\n", shown))


LINES = "slt sort notes.txt; slt sort --gone notes.txt; slt count --gone a.txt; slt pick --lost 1 a.txt"


def test_a_package_most_of_whose_documented_lines_never_succeed_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(RejectedError, match="3 of 4 documented command lines never succeeded, after repairs; the first said: ") as caught:
        made(tmp_path, _readme(LINES))
    assert "least_documented=0.25 takes it" in caught.value.message
    assert "\n" not in caught.value.message
    made(tmp_path, _readme(LINES), replace(WISH, least_documented=0.25))
    trace = json.loads((tmp_path / "lines" / "synthesis.json").read_text())
    assert [row["succeeds"] for row in trace["documented"]] == [True, False, False, False]


def _without_clipboard(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
    if {"--gone", "--lost"} & {*case.argv}:
        return _ends(Status(End.EXIT, 1), err=b"could not find a copy/paste mechanism for your system\n")
    return tool(case, fixture, variation)


def test_documented_lines_that_want_what_no_sandbox_has_are_no_evidence_against_a_tool(tmp_path: Path) -> None:
    sandbox = _readme(LINES)
    sandbox.tool = _without_clipboard
    made(tmp_path, sandbox)
    trace = json.loads((tmp_path / "lines" / "synthesis.json").read_text())
    assert [row["succeeds"] for row in trace["documented"]] == [True, False, False, False]


def test_the_share_that_is_told_takes_the_package(tmp_path: Path) -> None:
    """Three of seven round up to more than there are."""
    lines = _readme(f"{LINES}; slt sort a.txt; slt sort --reverse a.txt; slt sort --gone a.txt")
    with pytest.raises(RejectedError, match=r"least_documented=0\.\d\d takes it") as caught:
        made(tmp_path, lines, replace(WISH, least_documented=0.99))
    told = float(caught.value.message.partition("least_documented=")[2].split()[0])
    made(tmp_path, lines, replace(WISH, least_documented=told))
    rows = json.loads((tmp_path / "lines" / "synthesis.json").read_text())["documented"]
    assert told < sum(row["succeeds"] for row in rows) / len(rows) < round(told + 0.01, 2), "a share that two decimals can't hold"


def test_a_few_documented_lines_that_fail_say_nothing_of_a_tool(tmp_path: Path) -> None:
    made(tmp_path, _readme("slt sort --gone notes.txt; slt count --gone a.txt"))
    trace = json.loads((tmp_path / "lines" / "synthesis.json").read_text())
    assert [row["succeeds"] for row in trace["documented"]] == [False, False]


def test_a_document_of_the_readme_that_tells_the_tool_is_no_content(tmp_path: Path) -> None:
    shown = "```markdown\n# Some-Tool\n\nIt is alpha, beta and more.\n```\n"
    made(tmp_path, FactorySandbox(metadata=METADATA.replace("text", "markdown") + shown))
    patterns = read_spec(tmp_path / "lines" / "spec.yaml").patterns
    assert len(patterns) >= 8
    assert "some-tool" not in str(patterns).lower()


def saying(text: bytes, where: Callable[[Case], bool] = lambda _: True) -> Tool:
    """The tool, with a text before what it prints with --words, in the cases that are asked for."""

    def run(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        found = tool(case, fixture, variation)
        if isinstance(found, Recording) and "--words" in case.argv and found.status.ok and found.stdout.data and where(case):
            return _ends(found.status, text + found.stdout.data)
        return found

    return run


def test_the_alias_takes_the_place_of_other_spellings_that_the_tool_prints_of_its_name(tmp_path: Path) -> None:
    made(tmp_path, FactorySandbox(saying(b"counted by Some-Tool: ")))
    task = load_task(tmp_path / "lines")
    assert read_spec(tmp_path / "lines" / "spec.yaml").oracle.spellings == ("Some-Tool",)
    assert f"alias(Some-Tool,{task.alias})" in task.normalisers or "alias(Some-Tool)" in task.normalisers
    prompt = (tmp_path / "lines" / "prompt.md").read_text()
    assert "some-tool" not in prompt.lower()
    assert f"counted by {task.alias}: " in prompt


def test_a_pattern_that_prints_the_scope_of_its_package_is_left_out() -> None:
    head = {
        "version": "1",
        "task": {"alias": "oakmill", "language": "javascript", "category": "x"},
        "oracle": {"registry": "npm", "name": "@janedoe/lines", "version": "1.0.0", "entry": "lines", "licence": "MIT"},
    }
    draft = Draft((), (), (Plan("word", ("a",)),))
    spec = Spec.model_validate({**head, "patterns": [draft.body("p", "A pattern.")]})
    (case,) = expand(spec).cases[:1]
    rows = []
    for said in (b"by JaneDoe\n", b"by Jane\n"):
        trial = Trial(case, _ends(Status(End.EXIT, 0), said), fixture=Fixture())
        rows.append(Chosen("p", "A pattern.", Attempt(draft, (trial,)), Command("oakmill"), ()))
    kept, weak = untold(rows, spec, head)
    assert kept == rows[1:]
    assert [row["why"] for row in weak] == ["tells the tool's name"]


def test_an_address_that_holds_the_tools_name_and_is_printed_by_it_is_allowed(tmp_path: Path) -> None:
    made(tmp_path, FactorySandbox(saying(b"see https://slt.run/rules#words ")))
    prompt = (tmp_path / "lines" / "prompt.md").read_text()
    assert "slt.run" not in prompt
    assert ".run/rules#words" in prompt


def test_an_address_that_only_an_example_of_the_freeze_prints_is_allowed_too(tmp_path: Path) -> None:
    def frozen(case: Case) -> bool:
        return not case.id[0].isdigit() and not case.id.startswith("words/")

    made(tmp_path, FactorySandbox(saying(b"see https://manual.dev/words ", frozen)))
    assert "https://manual.dev/words" in read_spec(tmp_path / "lines" / "spec.yaml").task.allowed


def _parrot(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
    found = tool(case, fixture, variation)
    if isinstance(found, Recording) and found.status.ok and not {"-h", "--help"} & {*case.argv} and len(case.argv) > 1:
        return _ends(found.status, case.stdin)
    return found


def test_a_tool_that_only_keeps_a_cache_is_rejected(tmp_path: Path) -> None:
    cache = Change("/home/user/.cache/slt/table", "created", "file", 0o644, 1, "0" * 64, content=b"1")

    def caching(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        asks = {"-h", "--help"} & set(case.argv) or len(case.argv) == 1
        return tool(case, fixture, variation) if asks else replace(_ends(Status(End.EXIT, 0)), changes=(cache,))

    with pytest.raises(RejectedError):
        made(tmp_path, FactorySandbox(caching))


def test_a_pattern_that_prints_the_current_year_is_left_out(tmp_path: Path) -> None:
    year = datetime.now(UTC).year

    def dated(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        done = tool(case, fixture, variation)
        if isinstance(done, TrialFault) or "--words" not in case.argv or not done.status.ok:
            return done
        return replace(done, stdout=Output.of(done.stdout.data + f"counted in {year}\n".encode()))

    made(tmp_path, FactorySandbox(dated))
    assert not any(
        "--words" in case.argv and task.recordings[case.id].status.ok for task in [load_task(tmp_path / "lines")] for case in task.cases
    )
    trace = json.loads((tmp_path / "lines" / "synthesis.json").read_text())
    assert any(row["why"] == f"prints the year {year}, in which it was run" for row in trace["dropped"])


def test_a_tool_that_prints_only_what_it_is_given_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(RejectedError, match="a tool that knows nothing would pass"):
        made(tmp_path, FactorySandbox(_parrot))


def test_a_file_with_a_fault_is_among_the_cases_of_a_tool_that_reads_documents(tmp_path: Path) -> None:
    def strict(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        texts = [entry.content for entry in fixture.entries if entry.path.endswith(".json")]
        if any(_is_broken(text) for text in texts):
            return _ends(Status(End.EXIT, 1), err=b"slt: no JSON\n")
        return tool(case, fixture, variation)

    metadata = METADATA.replace("text", "JSON").replace("notes.txt", "notes.json")
    made(tmp_path, FactorySandbox(strict, metadata=metadata), replace(WISH, cases=40))
    task = load_task(tmp_path / "lines")
    texts = {digest: [e.content for e in fixture.entries if e.path.endswith(".json")] for digest, fixture in task.fixtures.items()}
    broken = [case for case in task.cases if any(map(_is_broken, texts[case.fixture]))]
    assert len(broken) >= len(task.patterns)
    assert not any(task.recordings[case.id].status.ok for case in broken)


def _is_broken(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return True
    return False


def test_what_never_succeeded_is_on_record(tmp_path: Path) -> None:
    made(tmp_path)
    trace = json.loads((tmp_path / "lines" / "synthesis.json").read_text())
    assert any("--upper" in row["pattern"] or row["why"] for row in trace["dropped"]) or trace["dropped"] == []
    assert trace["schema"]["commands"]
    assert trace["pages"] == ["--help", "count --help", "sort --help", "pick --help"]
