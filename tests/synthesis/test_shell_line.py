"""Redirections, pipes and here-documents of an example are the shell's, not the tool's: `tool < in > out` has no argument."""

import pytest

from clibench.synthesis.fuzz.documented import read_lines
from clibench.synthesis.fuzz.shell_line import Line, read_line
from clibench.synthesis.help.rules import RulesExtractor


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tool < in.json > out.json", Line((), "in.json")),
        ("tool <in.json >out.json", Line((), "in.json")),
        ("tool -n a.json 2>&1 | less", Line(("-n", "a.json"))),
        ("tool a.json >> out 2> err", Line(("a.json",))),
        ("tool a.json &> out", Line(("a.json",))),
        ("cat a.json b.json | tool -n", Line(("-n",), "a.json")),
        ("cat < a.json | tool", Line((), "a.json")),
        ("tool - <<< '{}'", Line(("-",), None, "{}\n")),
        ("echo -n 'a b' | tool", Line((), None, "a b")),
        ("echo 'a\\nb' | tool", Line((), None, "a\\nb\n")),
        ("printf 'a\\nb\\n' | tool", Line((), None, "a\nb\n")),
        ("curl -s https://host.dev/v1/x.json | tool .a", Line((".a",), "x.json")),
        ("git diff | tool", Line((), "")),
        ("yaml2json a.yml | tool", Line((), "")),
        ("cd there && FORM=short tool a.json; echo $?", Line(("a.json",), env=(("FORM", "short"),))),
        ("other a.json && tool b.json", Line(("b.json",))),
        ("npx tool a.json", Line(("a.json",))),
        ("tool <(cat a) b", None),
        ("tool $(cat a)", None),
        ("tool 'open", None),
        ("echo tool", None),
        ("xargs tool a", None),
    ],
)
def test_a_line_of_shell_gives_the_words_and_the_input_of_the_tool(line: str, expected: Line | None) -> None:
    assert read_line(line, ["tool"]) == expected


def test_a_here_document_is_the_standard_input_of_its_command() -> None:
    readme = "```sh\ntool - <<EOF\nname: x\n  size: 1\nEOF\ncat <<'END' | tool -n\nb\nEND\n```\n"
    assert read_lines([readme], ["tool"]) == (Line(("-",), None, "name: x\n  size: 1\n"), Line(("-n",), None, "b\n"))


@pytest.mark.parametrize(
    ("usage", "operands"),
    [
        ("tool < in.json > out.json", []),
        ("tool [options] < input > output", []),
        ("tool <infile >outfile", []),
        ("cat file | tool [-n]", []),
        ("tool [-n] <file> > <output>", ["file"]),
        ("tool [-n] <input file>", ["input file"]),
        ("tool <first> <second>", ["first", "second"]),
        ("tool [-n] <path> (where path is some path to a folder (e.g. .) or a file)", ["path"]),
    ],
)
def test_what_the_shell_redirects_and_remarks_in_a_usage_line_are_no_arguments(usage: str, operands: list[str]) -> None:
    schema = RulesExtractor().extract("tool", f"Usage: {usage}\n\nOptions:\n  -n   number the lines\n")
    assert [positional.name for positional in schema.positionals] == operands
