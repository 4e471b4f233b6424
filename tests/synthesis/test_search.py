"""What counts as working: status 1 of a comparer that found something does, a page of help and a copy of the input do not, and the tool
itself is tried where it has subcommands too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import pytest

from clibench.recording import Change, End, Output, Recording, Resources, Status
from clibench.sandbox.interface import TrialFault
from clibench.synthesis.fuzz.bench import Bench
from clibench.synthesis.fuzz.choose import Chosen, choose
from clibench.synthesis.fuzz.contents import Kind, details, kinds
from clibench.synthesis.fuzz.documented import Documented, read_lines
from clibench.synthesis.fuzz.draft import Draft
from clibench.synthesis.fuzz.example_lines import try_lines
from clibench.synthesis.fuzz.files import file_plan
from clibench.synthesis.fuzz.found import Found
from clibench.synthesis.fuzz.keep import verified
from clibench.synthesis.fuzz.mend import repairs
from clibench.synthesis.fuzz.options import quiet
from clibench.synthesis.fuzz.probe import Attempt, Prober, Trial
from clibench.synthesis.fuzz.samples import documents
from clibench.synthesis.fuzz.search import LEADING, search
from clibench.synthesis.fuzz.values import operand_plans
from clibench.synthesis.help.rules import RulesExtractor
from clibench.synthesis.schema import Command, Option, Positional
from clibench.tasks.case import Case, Fixture
from tests.synthesis.fake_tool import FactorySandbox
from tests.tasks.scripted_sandbox import ScriptedSession

HEAD = {
    "version": "1",
    "task": {"alias": "oakmill", "language": "python", "category": "x"},
    "oracle": {"registry": "pypi", "name": "some-tool", "version": "1.0", "entry": "slt", "licence": "MIT"},
}
TEXT = (kinds()["text"], kinds()["json"], kinds()["yaml"])

Answer = Callable[[list[str], Mapping[str, bytes], bytes], tuple[int, bytes, bytes]]
"""From the words, the files and standard input to the status, standard output and standard error."""


def prober(answer: Answer, help_text: str = "") -> Prober:
    def tool(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        files = {entry.path: entry.content for entry in fixture.entries if entry.type == "file"}
        code, out, err = answer(list(case.argv[1:]), files, case.stdin)
        return Recording(Status(End.EXIT, code), Output.of(out), Output.of(err), (), Resources())

    return Prober(Bench(ScriptedSession(FactorySandbox(tool)), "oakmill"), HEAD, [help_text] if help_text else [])


def searched(answer: Answer, help_text: str, domain: Sequence[Kind] = TEXT) -> Found:
    return search((), RulesExtractor().extract("oakmill", help_text), prober(answer, help_text), domain, Documented())


def statuses(found: Found) -> set[int]:
    return {trial.recording.status.code for trial in found.bases[0].trials}


def test_a_comparer_that_ends_with_1_on_a_difference_works_and_gets_equal_files_too() -> None:
    def compare(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if len(words) != 2 or not {*words} <= {*files}:
            return 2, b"", b"usage: oakmill OLD NEW\n"
        old, new = files[words[0]], files[words[1]]
        return (0, b"", b"") if old == new else (1, b"- " + old.split(b"\n")[0] + b"\n+ " + new.split(b"\n")[0] + b"\n", b"")

    found = searched(compare, "Usage: oakmill OLD NEW\n\nCompare two files.\n")
    assert found.bases[0].scored
    assert statuses(found) == {0, 1}


def test_an_option_that_keeps_the_status_at_0_makes_a_linter_scored() -> None:
    def lint(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        paths = [word for word in words if word in files]
        if not paths:
            return 2, b"", b"usage: oakmill FILE\n"
        report = b"".join(b"%s:1: %d bytes\n" % (path.encode(), len(files[path])) for path in paths)
        return int("--report-only" not in words), report, b""

    found = searched(lint, "Usage: oakmill [OPTIONS] FILE\n\nOptions:\n  --report-only  end with status 0\n  --twice  more\n")
    assert found.bases[0].scored
    assert [use.option.name for use in found.bases[0].draft.uses] == ["--report-only"]


def test_a_tool_that_mends_files_and_ends_with_1_works() -> None:
    changed = (Change("/workspace/a.py", "modified", "file", 0o644, 1, "0" * 64, content=b"1"),)

    def ended(code: int, err: bytes, changes: tuple[Change, ...]) -> Trial:
        recording = Recording(Status(End.EXIT, code), Output.of(b""), Output.of(err), changes, Resources())
        return Trial(Case("a", "a", ("oakmill",), "0"), recording)

    elsewhere = (replace(changed[0], path="/home/user/.state"),)
    assert ended(1, b"Rewriting a.py\n", changed).found
    assert not ended(1, b"Rewriting a.py\n", elsewhere).found
    assert not ended(1, b"Rewriting a.py\n", ()).found
    assert not ended(1, b"error: cannot write\n", changed).found
    assert not ended(2, b"", changed).found


@pytest.mark.parametrize(
    ("code", "out", "err", "found"),
    [
        (1, b"a.py:1: too long\n", b"", True),
        (65, b"a.py:1: too long\n", b"", True),
        (3, b"a.py:1: too long\n", b"1 problem\n", True),
        (2, b"~ oakmill ~\n", b"invalid value x for -n\nUsage of oakmill:\n", False),
        (1, b"", b"a.py is not part of anything\n", False),
        (127, b"a.py:1: too long\n", b"", False),
        (64, b"Only two arguments may be passed.\n\nUsage: oakmill IN [OUT]\n", b"", False),
        (1, b"a.py:1: D100 Missing docstring in public module\n", b"", True),
        (1, b"a.ts(3,5): error TS2304: Cannot find name 'a'\n", b"", True),
        (1, b"Error: permission denied: a.py\n", b"", False),
        (1, b"fatal: a.py is no archive\n", b"", False),
    ],
)
def test_a_report_on_standard_output_is_a_finding_whatever_the_status(code: int, out: bytes, err: bytes, found: bool) -> None:
    recording = Recording(Status(End.EXIT, code), Output.of(out), Output.of(err), (), Resources())
    assert Trial(Case("a", "a", ("oakmill",), "0"), recording).found is found


def test_a_linter_gets_files_in_which_it_finds_nothing_too() -> None:
    def spell(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if not words or words[-1] not in files:
            return 2, b"", b"usage: oakmill FILE\n"
        wrong = [word for word in files[words[-1]].split() if word in {b"recieve", b"langauge", b"occured", b"seperate", b"definately"}]
        found = [word for word in wrong or files[words[-1]].split()[:1] if files[words[-1]].startswith(b"We ")]
        return (65 if found else 0), b"".join(b"%s: wrong\n" % word for word in found), b""

    found = searched(spell, "Usage: oakmill FILE\n\nCheck the spelling.\n", (kinds()["typos"], *TEXT))
    assert found.bases[0].scored
    assert statuses(found) == {0, 65}


def test_go_source_is_made_part_of_a_module_where_the_tool_asks_for_one() -> None:
    def vet(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if not words or words[0] not in files:
            return 2, b"", b"usage: oakmill FILE\n"
        if b"module " not in files.get("go.mod", b""):
            return 1, b"", b"not part of a module\n"
        return 0, b"%d bytes\n" % len(files[words[0]]), b""

    found = searched(vet, "Usage: oakmill FILE\n\nCheck Go source.\n", (kinds()["go"], *TEXT))
    assert found.bases[0].scored
    assert "go.mod" in found.bases[0].draft.more_files


def test_content_of_which_the_answer_is_a_complaint_goes_behind() -> None:
    def read(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if not words or words[0] not in files:
            return 2, b"", b"usage: oakmill FILE\n"
        data = files[words[0]]
        return 0, (b"%d bytes\n" % len(data) if data.startswith(b"{") else b"invalid file: found " + data[:20] + b"\n"), b""

    found = searched(read, "Usage: oakmill FILE\n\nMeasure.\n")
    assert "json" in found.bases[0].draft.label
    assert found.bases[-1].doubtful


def test_a_document_with_details_leads_where_a_usual_one_gives_one_result_only() -> None:
    def find(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if not words or words[0] not in files:
            return 2, b"", b"usage: oakmill FILE\n"
        long = [line for line in files[words[0]].splitlines() if b"@" in line]
        return 0, b"".join(b"%s\n" % line for line in long) or b"nothing\n", b""

    assert details()["text"].template.count("@") == 1
    found = searched(find, "Usage: oakmill FILE\n\nFind addresses in a text file.\n")
    assert found.bases[0].draft.label == "<detailed text file>"


def test_a_flag_of_one_dash_that_asks_for_the_version_is_not_tried() -> None:
    tried: list[str] = []

    def answer(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        tried.extend(words)
        return (0, files[words[-1]].upper(), b"") if words and words[-1] in files else (2, b"", b"no file\n")

    text = "Usage of oakmill:\n  -upper\n    \tprint capitals\n  -version\n    \tprint the version\n"
    searched(answer, text)
    assert "-upper" in tried
    assert "-version" not in tried


def test_an_error_is_no_finding() -> None:
    def broken(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        return 1, b"Error: cannot read " + " ".join(words).encode() + b"\n", b""

    assert searched(broken, "Usage: oakmill FILE\n\nRead a file.\n").bases == []


def test_what_takes_knowledge_goes_before_a_copy_of_the_input() -> None:
    def layout(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if words:
            return (0, files[words[0]].upper(), b"") if words[0] in files else (2, b"", b"no such file\n")
        return 0, stdin.replace(b" ", b"   "), b""

    found = searched(layout, "Usage: oakmill [FILE]\n\nLay out text.\n")
    assert found.bases[0].draft.operands
    assert found.bases[0].ignorant == 0
    copied = next(base for base in found.bases if base.draft.stdin and not base.draft.operands)
    assert copied.ignorant == copied.ok > 0


def test_the_tool_itself_is_tried_where_it_has_subcommands() -> None:
    text = "Usage: oakmill [FILE]\n       oakmill COMMAND\n\nCommands:\n  list  list all\n  show  show one\n"

    def answer(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        return (0, files[words[0]].upper(), b"") if words and words[0] in files else (0, text.encode(), b"")

    assert searched(answer, text).bases[0].draft.operands


def test_a_tool_that_prints_its_help_whatever_it_gets_has_no_way_of_input() -> None:
    text = "Usage: oakmill COMMAND\n\nCommands:\n  list  list all\n  show  show one\n"
    assert searched(lambda *_: (0, text.encode(), b""), text).bases == []


def test_a_documented_line_is_repaired_by_what_its_message_says() -> None:
    def needs(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if "rules.conf" not in files:
            return 1, b"", b"open rules.conf: no such file or directory\n"
        return (0, files["rules.conf"] + stdin, b"") if words == ["apply"] else (1, b"", b"bad\n")

    lines = read_lines(["```sh\noakmill apply < a.txt\noakmill other\noakmill --help\n```\n"], ["oakmill"])
    root = RulesExtractor().extract("oakmill", "Usage: oakmill WHAT\n")
    first, second = try_lines(Documented(lines), root, [()], prober(needs), TEXT)
    assert first.usable
    assert second.answered == 0


def test_a_folder_that_an_example_names_is_made_and_what_runs_without_an_end_is_not_tried() -> None:
    def answer(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        inside = [path for path in files if path.startswith("src/")]
        return (0, " ".join(inside).encode(), b"") if inside else (1, b"", b"ERROR: stat src: no such file or directory\n")

    root = RulesExtractor().extract("oakmill", "Usage: oakmill DIR\n\nOptions:\n  -w, --watch  watch it\n  -r  all\n")
    lines = read_lines(["```sh\noakmill -r src/\noakmill -w src/\n```\n"], ["oakmill"])
    (attempt,) = try_lines(Documented(lines), root, [()], prober(answer), TEXT)
    assert attempt.usable


def test_an_example_is_run_on_the_document_that_the_readme_shows_and_else_on_a_usual_one() -> None:
    def answer(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        text = files.get(words[-1], b"")
        return (0, text.upper(), b"") if (words[0] == "special") == (b"Server" in text) else (1, b"", b"bad\n")

    shown = "```go\ntype Server struct {\n\tName string\n\tPort int\n}\n```\n"
    readme = f"{shown}\n```sh\noakmill special demo.go\noakmill usual demo.go\n```\n"
    root = RulesExtractor().extract("oakmill", "Usage: oakmill HOW FILE\n")
    attempts = try_lines(Documented(read_lines([readme], ["oakmill"])), root, [()], prober(answer), TEXT, documents(readme))
    assert [attempt.usable for attempt in attempts] == [True, True]


def test_an_example_varies_where_the_document_of_the_readme_does_not() -> None:
    readme = "```toml\n[one]\n[one.two]\n[one.two.three.four]\n```\n\n```sh\noakmill a.toml\n```\n"
    root = RulesExtractor().extract("oakmill", "Usage: oakmill FILE\n")
    echoing = prober(lambda words, files, _: (0, files[words[0]], b""))
    (attempt,) = try_lines(Documented(read_lines([readme], ["oakmill"])), root, [()], echoing, TEXT, documents(readme))
    assert attempt.distinct > 1


def test_a_pattern_of_files_in_an_example_stands_for_files() -> None:
    def cat(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        paths = [word.removeprefix("./") for word in words]
        missing = [path for path in paths if path not in files]
        return (1, b"", f"{missing[0]} is missing\n".encode()) if missing else (0, b"".join(map(files.__getitem__, paths)), b"")

    root = RulesExtractor().extract("oakmill", "Usage: oakmill FILE...\n")
    lines = read_lines(["```sh\noakmill ./a.md\noakmill docs/*.md\n```\n"], ["oakmill"])
    one, attempt = try_lines(Documented(lines), root, [()], prober(cat), TEXT)
    assert attempt.usable
    assert attempt.trials[0].case.argv[1:] == ("docs/first.md", "docs/second.md")
    assert [entry.path for entry in one.trials[0].fixture.entries] == ["a.md"]


def test_a_document_that_uses_more_of_its_format_is_one_more_way_of_input() -> None:
    def answer(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        return (0, files[words[0]].upper(), b"") if words and words[0] in files else (2, b"", b"usage: oakmill FILE\n")

    found = searched(answer, "Usage: oakmill FILE\n\nPrint a text file in capitals.\n")
    assert [base.draft.label for base in found.bases[:2]] == ["<text file>", "<detailed text file>"]


@pytest.mark.parametrize(
    ("names", "help_text", "last"),
    [
        (("-v", "--verbose"), "", True),
        (("-v", "--invert"), "", False),
        (("-v",), "invert the match", False),
        (("-v",), "show the version", True),
        (("-w",), "write the result to the file", False),
        (("-w", "--width"), "width of a line", False),
        (("-q", "--quiet"), "", True),
    ],
)
def test_a_letter_alone_does_not_make_an_option_come_last(names: tuple[str, ...], help_text: str, last: bool) -> None:
    assert quiet(Option(names, help=help_text)) is last


def test_a_command_that_runs_without_an_end_is_given_up_after_the_first_tries() -> None:
    tried = 0

    def watch(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        nonlocal tried
        tried += 1
        return Recording(Status(End.TIMEOUT), Output.of(b"waiting\n"), Output.of(b""), (), Resources())

    endless = Prober(Bench(ScriptedSession(FactorySandbox(watch)), "oakmill"), HEAD)
    found = search((), RulesExtractor().extract("oakmill", "Usage: oakmill FILE\n\nWatch a file.\n"), endless, TEXT, Documented())
    assert found.bases == []
    assert found.impossible == "runs without an end"
    assert tried == 2 * LEADING, "each once more, since a busy machine may be to blame"


def test_a_request_for_other_words_is_no_answer_whatever_its_status() -> None:
    def make(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        chosen = [word for word in words if word in ("-all", "-exported")]
        paths = [word for word in words if word in files]
        if not chosen:
            return 0, b"Please specify either the -only, -exported, or -all flag\n", b""
        if not paths:
            return 0, b"Please specify a file\n", b""
        return 0, b"%d bytes, %s\n" % (len(files[paths[0]]), chosen[0].encode()), b""

    text = "Usage of oakmill:\n  -all\n    \tall\n  -exported\n    \texported alone\n  -only string\n    \tonly these\n"
    found = searched(make, text)
    assert found.bases[0].telling > 1
    assert [use.option.name for use in found.bases[0].draft.uses] == ["-exported"]
    assert not any(b"Please" in trial.recording.stdout.data for trial in found.bases[0].trials)


def test_go_packages_are_given_where_the_tool_wants_no_files() -> None:
    def vet(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if words != ["./..."]:
            return 1, b"", b"package project is not in std\n"
        if not files.get("go.mod", b"").startswith(b"module "):
            return 1, b"", b"matched no packages\n"
        return 0, b"%d bytes of Go\n" % sum(len(data) for path, data in files.items() if path.endswith(".go")), b""

    found = searched(vet, "Usage: oakmill PACKAGES\n\nCheck Go packages.\n", (kinds()["go"], *TEXT))
    assert found.bases[0].scored
    assert found.bases[0].draft.operands[0].words == ("./...",)


def test_what_ends_that_a_result_varies_leaves_as_much_to_see_as_can_be() -> None:
    def stamp(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        words = list(case.argv[1:])
        data = next((entry.content for entry in fixture.entries if entry.path in words), b"")
        if not data:
            return Recording(Status(End.EXIT, 2), Output.of(b""), Output.of(b"usage: oakmill FILE\n"), (), Resources())
        when = b"" if "--year" in words else b"%d\n" % (variation * 977)
        out = b"same\n" if "--check" in words else data.upper() + when
        return Recording(Status(End.EXIT, 0), Output.of(out), Output.of(b""), (), Resources())

    text = "Usage: oakmill [OPTIONS] FILE\n\nOptions:\n  --check      only say whether\n  --year YEAR  of the result (default: 2020)\n"
    varying = Prober(Bench(ScriptedSession(FactorySandbox(stamp)), "oakmill"), HEAD)
    found = search((), RulesExtractor().extract("oakmill", text), varying, TEXT, Documented())
    assert [use.option.name for use in found.bases[0].draft.uses] == ["--year"]


def test_repairs_of_one_attempt_do_not_keep_those_of_another_from_their_turn() -> None:
    def answer(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        return 1, b"", b"one of -a, -b, -c, -d is required\n"

    text = "Usage of oakmill:\n  -a\n    \ta\n  -b\n    \tb\n  -c\n    \tc\n  -d\n    \td\n"
    command = RulesExtractor().extract("oakmill", text)
    attempts = prober(answer).try_all([Draft((), (), (file_plan(kind),)) for kind in TEXT])
    first = list(islice(repairs(attempts, command, TEXT, Documented()), len(TEXT)))
    assert [draft.operands[0].label for draft in first] == [f"{kind.name} file" for kind in TEXT]
    assert {use.option.name for draft in first for use in draft.uses} == {"-a"}


def test_a_linter_that_finds_nothing_in_an_ordinary_document_gets_one_with_details() -> None:
    def repeated(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if not words or words[0] not in files:
            return 2, b"", b"usage: oakmill FILE\n"
        return 0, b"".join(b"found %s\n" % line for line in files[words[0]].splitlines() if b"@" in line), b""

    found = searched(repeated, "Usage: oakmill FILE\n\nFind addresses in a text file.\n")
    assert found.bases[0].draft.label == "<detailed text file>"
    assert found.bases[0].telling > 1


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        (b"Error: cannot read a.json: bad magic number 54686520\n", False),
        (b"Traceback (most recent call last):\n" + b"  File x\n" * 99 + b"ValueError: bad magic\n", False),
        (b"Could not read a.json (12 bytes).\nChoose a format with --format.\n", False),
        (b"Please choose a format\n", False),
        (b"Specify a file\n", False),
        (b"Need at least one file\n", False),
        (b"No input files specified.\n", False),
        (b"Missing: 12 of 30\n", True),
        (b"no files need formatting\n", True),
        (b"2024-01-01 ERROR code=3\n2024-01-01 INFO ready\n", True),
        (b"errors: 3\n", True),
        (b"Providence\n", True),
    ],
)
def test_a_short_failure_is_no_answer_though_the_status_be_0(said: bytes, answered: bool) -> None:
    recording = Recording(Status(End.EXIT, 0), Output.of(said), Output.of(b""), (), Resources())
    assert Trial(Case("a", "a", ("oakmill",), "0"), recording).answered is answered


def test_a_file_without_an_ending_that_a_message_names_is_made() -> None:
    def build(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if "Makefile" not in files:
            return 1, b"", b"No such file or directory: 'Makefile'\n"
        return 0, b"%d bytes\n" % len(files["Makefile"]), b""

    found = searched(build, "Usage: oakmill [TARGET]\n\nBuild.\n")
    assert found.bases[0].scored
    assert "Makefile" in found.bases[0].draft.more_files


def test_content_of_another_kind_only_fills_up() -> None:
    draft = Draft((), (), (file_plan(TEXT[0]),))
    trials = tuple(
        Trial(
            Case(str(n), "p", ("oakmill", str(n)), "0"),
            Recording(Status(End.EXIT, 0), Output.of(b"%d\n" % n), Output.of(b""), (), Resources()),
        )
        for n in range(6)
    )
    rows = [
        Chosen(f"p{rank}", "A pattern.", Attempt(draft, trials), Command("oakmill"), (), rank=rank) for rank in (0, 10, 11, 12, 50, 51, 70)
    ]

    class Same(Prober):
        def try_all(self, drafts: Sequence[Draft], *, cases: int | None = None) -> list[Attempt]:
            return [Attempt(draft, trials) for draft in drafts]

    kept, _, weak = verified(rows, Same(Bench(ScriptedSession(FactorySandbox()), "oakmill"), HEAD), 12)
    assert [row.rank for row in kept] == [0, 10, 11, 12, 50]
    assert {row["why"] for row in weak} == {"adds little to the others"}


def test_a_free_text_of_which_help_shows_two_values_gets_others_too() -> None:
    plans = operand_plans(Positional("string"), TEXT, ["Unicorns & Rainbows", "Deja Vu!"])
    more = next(plan for plan in plans if plan.label == "documented values and others")
    (value,) = more.params.values()
    assert {"Unicorns & Rainbows", "Deja Vu!", "alphaBeta gamma", "_lamp_ post"} <= {*value["values"]}
    numbers = operand_plans(Positional("count"), TEXT, ["12", "7"])
    assert not any(plan.label == "documented values and others" for plan in numbers)


def test_an_option_that_takes_the_place_of_the_input_is_tried_without_it() -> None:
    def shout(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        given = words[words.index("-c") + 1] if "-c" in words[:-1] else None
        rest = [word for word in words if word in files]
        if given is not None and rest:
            return 1, b"", b"Can't use both FILE and -c option\n"
        if given is None and not rest:
            return 2, b"", b"usage: oakmill [-c TEXT] [FILE]\n"
        return 0, (given.encode() if given is not None else files[rest[0]]).upper(), b""

    found = searched(shout, "Usage: oakmill [-c TEXT] [FILE]\n\nOptions:\n  -c TEXT  use TEXT instead of FILE\n")
    (attempt,) = [attempt for use, attempt, changed in found.singles if use.option.name == "-c" and changed]
    assert attempt.draft.operands == ()
    assert attempt.telling > 1


def test_the_arguments_of_each_usage_line_are_tried_by_themselves() -> None:
    def compile_(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        if len(words) > 2:
            return 64, b"Only two arguments may be passed.\n\nUsage: oakmill IN [OUT]\n", b""
        return (0, files[words[0]].upper(), b"") if words and words[0] in files else (2, b"", b"no such file\n")

    found = searched(compile_, "Usage: oakmill <input> [output]\n       oakmill <dir> <target> <mode>\n\nCompile.\n")
    assert found.bases[0].scored
    assert len(found.bases[0].draft.operands) <= 2


@pytest.mark.parametrize("reads", [False, True])
def test_a_standard_input_that_is_ignored_makes_no_pattern(reads: bool) -> None:
    def slug(words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, bytes, bytes]:
        return (0, "-".join(words).lower().encode() + (stdin if reads else b"") + b"\n", b"") if words else (2, b"", b"no text\n")

    found = searched(slug, "Usage: oakmill <string>\n\nMake a slug.\n")
    chosen = choose("oakmill", [found], [], 12)
    assert any(row.draft.operands and row.draft.stdin for row in chosen) is reads
