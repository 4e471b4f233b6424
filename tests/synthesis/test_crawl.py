"""A help crawl ends, whatever a tool prints, and finds every command once."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from clibench.errors import UserError
from clibench.recording import End, Output, Recording, Resources, Status
from clibench.sandbox.interface import TrialFault
from clibench.synthesis.fuzz.bench import Bench
from clibench.synthesis.fuzz.crawl import DEEPEST, Crawl, crawl
from clibench.synthesis.help.rules import RulesExtractor
from clibench.tasks.case import Case, Fixture
from tests.synthesis.fake_tool import FactorySandbox
from tests.tasks.scripted_sandbox import ScriptedSession


def page(words: str, *commands: str, note: str = "") -> str:
    listed = "".join(f"  {name}    does {name}\n" for name in commands)
    head = f"Usage: tool {words} [OPTIONS]{' COMMAND' if commands else ''}\n\n{note}\n\nOptions:\n  --help  Show this message and exit.\n"
    return head + (f"\nCommands:\n{listed}" if commands else "")


def crawled(pages: Mapping[str, str], *, otherwise: str | None = None, readme: str = "") -> Crawl:
    """The crawl of a tool that prints these pages for `<words> --help`, and `otherwise` for all else."""

    def tool(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        words = " ".join(case.argv[1:])
        text = pages.get(words.removesuffix("--help").strip()) if words.endswith("--help") else None
        text = text if text is not None else otherwise
        code = 0 if text is not None else 2
        return Recording(Status(End.EXIT, code), Output.of((text or "").encode()), Output.of(b"" if text else b"no\n"), (), Resources())

    return crawl(Bench(ScriptedSession(FactorySandbox(tool)), "tool"), RulesExtractor(), readme)


def paths(found: Crawl) -> list[str]:
    return [" ".join(path) for path, _ in found.command.walk()]


def test_commands_of_any_depth_are_found_breadth_first() -> None:
    pages = {
        "": page("", "remote", "log"),
        "remote": page("remote", "add", "rename"),
        "log": page("log", note="Log."),
        "remote add": page("remote add", note="Add."),
        "remote rename": page("remote rename", note="Rename."),
    }
    found = crawled(pages)
    assert [" ".join(row.path) for row in found.pages] == ["", "remote", "log", "remote add", "remote rename"]
    assert paths(found) == ["", "remote", "remote add", "remote rename", "log"]


def test_a_tool_that_prints_its_own_help_for_every_command_has_no_deeper_ones() -> None:
    root = page("", "one", "two")
    found = crawled({}, otherwise=root)
    assert paths(found) == ["", "one", "two"]
    assert len(found.pages) == 1


def test_a_command_that_lists_itself_ends() -> None:
    found = crawled({"": page("", "a", "b"), "a": page("a", "a", "b", note="About a."), "b": page("b", note="About b.")})
    assert paths(found) == ["", "a", "b"]


def test_a_tree_without_an_end_is_cut() -> None:
    class Endless(dict[str, str]):
        def get(self, key: str, default: str | None = None) -> str:  # type: ignore[override]
            depth = len(key.split())
            return page(key, f"next{depth}", note=f"Level {depth}.")

    found = crawled(Endless())
    assert found.cut
    assert max(len(path) for path, _ in found.command.walk()) == DEEPEST


def test_a_command_under_two_names_is_one_command_with_an_alias() -> None:
    same = page("list", note="List all.")
    found = crawled({"": page("", "list", "ls"), "list": same, "ls": same})
    assert paths(found) == ["", "list"]
    assert found.command.commands[0].aliases == ("ls",)


def test_help_and_completion_are_no_commands() -> None:
    found = crawled({"": page("", "run", "help", "completion"), "run": page("run", note="Run it.")})
    assert paths(found) == ["", "run"]


def test_a_tool_without_help_is_an_error_that_quotes_it() -> None:
    with pytest.raises(UserError, match="prints no help for --help, -h and help .exit 2.: no"):
        crawled({})


def test_lines_that_run_the_tool_are_a_help_though_nothing_in_it_says_usage() -> None:
    text = "tool can be used in two ways.\nReading from STDIN:\n  cat file.toml | tool > out.toml\n\nReading files:\n  tool a.toml b.toml\n"
    found = crawled({"": text})
    assert [page.argv for page in found.pages] == [("--help",)]
    assert found.command.positionals == ()


def test_words_that_a_tool_prints_of_any_argument_are_no_help() -> None:
    with pytest.raises(UserError, match="prints no help"):
        crawled({}, otherwise="two lines of text\nthat speak of tool in passing\n")


def test_a_tool_without_help_is_known_by_what_its_readme_shows() -> None:
    usage = "Usage: tool [options] FILE\n\n  -n, --number   number the lines\n  -o FILE   output\n"
    readme = f"# Tool\n\n```sh\ntool a.json\n```\n\n```\n{usage}```\n"
    found = crawled({}, readme=readme)
    assert found.pages == ()
    assert [option.name for option in found.command.options] == ["--number", "-o"]
    assert [positional.name for positional in found.command.positionals] == ["FILE"]


def test_a_readme_may_tell_the_usage_in_backquotes() -> None:
    readme = "# Tool\n\n`tool filename [options]`\n\nSorts files.\n\n`--ignore-case, -i`  \nWhatever case.\n\n* `--depth=N`: how deep\n"
    found = crawled({}, readme=readme)
    assert [option.names for option in found.command.options] == [("--ignore-case", "-i"), ("--depth",)]
    assert [positional.name for positional in found.command.positionals] == ["filename"]


def test_a_readme_that_shows_no_use_of_a_tool_without_help_does_not_help() -> None:
    with pytest.raises(UserError, match="prints no help"):
        crawled({}, readme="# Tool\n\n    import tool\n\nUsage: see the manual.\n")


def test_a_banner_on_one_stream_and_the_options_on_the_other_are_one_help() -> None:
    def banner(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        flags = b"Usage of tool:\n  -size int\n    \thow many (default 3)\n  -upper\n    \tprint capitals\n"
        return Recording(
            Status(End.EXIT, 0), Output.of(b"~~ TOOL ~~\n\nExample:\n  tool -size 4 a.txt\n"), Output.of(flags), (), Resources()
        )

    found = crawl(Bench(ScriptedSession(FactorySandbox(banner)), "tool"), RulesExtractor())
    assert {option.name for option in found.command.options} == {"-size", "-upper"}
    assert found.pages[0].text.startswith("~~ TOOL ~~")


def test_a_warning_beside_a_help_is_no_part_of_it() -> None:
    def warning(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        return Recording(Status(End.EXIT, 0), Output.of(page("").encode()), Output.of(b"warning: -x is old\n"), (), Resources())

    found = crawl(Bench(ScriptedSession(FactorySandbox(warning)), "tool"), RulesExtractor())
    assert "warning" not in found.pages[0].text


def test_a_tool_that_crashes_on_the_word_since_it_takes_it_for_a_file_is_known_by_its_readme() -> None:
    def crashing(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
        said = f"node:internal/fs:573\nError: ENOENT: no such file or directory, open '{case.argv[-1]}'\n    at main.js:1:1\n"
        return Recording(Status(End.EXIT, 1), Output.of(b""), Output.of(said.encode()), (), Resources())

    bench = Bench(ScriptedSession(FactorySandbox(crashing)), "tool")
    found = crawl(bench, RulesExtractor(), "# tool\n\n```\ntool notes.txt\n```\n")
    assert found.pages == ()
    assert found.missing
    with pytest.raises(UserError, match="prints no help"):
        crawl(bench, RulesExtractor(), "# tool\n")
