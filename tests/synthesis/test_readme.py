"""What of a README becomes a prompt's context, and what of a package's files is read."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from xml.dom import minidom

import pytest
import yaml

from clibench.synthesis.copied import copied_lines
from clibench.synthesis.expand import expand
from clibench.synthesis.fuzz.contents import details, kinds
from clibench.synthesis.fuzz.documented import line_draft, read_lines, understand, with_shown_options
from clibench.synthesis.fuzz.domain import ranked_kinds
from clibench.synthesis.fuzz.draft import content
from clibench.synthesis.fuzz.repair import hints_of
from clibench.synthesis.fuzz.samples import samples
from clibench.synthesis.fuzz.shell_line import Line
from clibench.synthesis.package.alias import neutral_name
from clibench.synthesis.package.facts import read_facts
from clibench.synthesis.package.readme import context_of
from clibench.synthesis.schema import Command, Option
from clibench.synthesis.spec import parse_spec
from clibench.synthesis.spec_text import spec_text

README = """\
# Line-Tool [![ci](https://ci.dev/b.svg)](https://ci.dev)

<p align="center"><img src="logo.png"></p>

**line_tool** sorts lines. See the [manual](https://host.dev/manual) or <https://host.dev>.
It was made by Jane Doe.

## Installation

npm install -g line-tool

### From source

make

## Usage

LINE-TOOL reads `a.txt`.

    lt sort a.txt

## License

MIT
"""


def test_the_context_tells_what_the_tool_does_and_nothing_else() -> None:
    text = context_of(README, "Sorts lines", alias="oakmill", names=["line-tool", "lt"], makers=["jane doe"])
    assert text.startswith("`oakmill`: Sorts lines\n")
    assert "\n**oakmill** sorts lines.\n" in text, "the sentences after it hold addresses and the maker"
    assert "oakmill reads `a.txt`" in text
    assert "    oakmill sort a.txt" in text
    for word in ("Jane", "http", "badge", "npm", "make", "MIT", "Install", "img", "line", "LINE"):
        assert word not in text.replace("sorts lines", "").replace("Sorts lines", "")


@pytest.mark.parametrize(
    ("readme", "context"),
    [
        (
            "It makes sure that files have\ncopyright headers, by patterns.\n",
            "It makes sure that files have copyright headers, by patterns.",
        ),
        ("It sorts\nlines. Written\nby Jane\nDoe. It is fast.\n", "It sorts lines. It is fast."),
        ("- sorts lines\n- see\n  http://host.dev for more\n- counts\n", "- sorts lines\n- counts"),
        ("It sorts. Released under\nthe MIT licence.\n", "It sorts."),
        ("It needs no options. This requires go 1.16 or later.\n", "It needs no options."),
        ("It sorts.\n\nFor example, to sort all:\n\nIt counts.\n", "It sorts.\n\nIt counts."),
        ("It sorts. For example:\n\n    t a\n", "It sorts. For example:\n\n    t a"),
        ("Modes\n-----\none  \ntwo\n", "## Modes\none\ntwo"),
        ("It sorts. Run `pip install x-y` first.\n", "It sorts."),
        ("To run:\n\n```sh\npip install x-y\n```\n\nIt sorts.\n", "It sorts."),
        ("> It sorts. Made by\n> Jane Doe for\n> all.\n", "> It sorts."),
        ("```\n> x-y a\n> x-y b\n```\n", "```\n> oakmill a\n> oakmill b\n```"),
        ("It sorts. See this blog post for the rest. If it fails, please open an issue.\n", "It sorts."),
        ("First, install the tool. It sorts lines. For more information, see below.\n", "It sorts lines."),
        (
            "It opens an issue in the tracker, and tells which packages to install.\n",
            "It opens an issue in the tracker, and tells which packages to install.",
        ),
        ("Sort:\n\n```sh\nx-y a\ngo get x-y\nx-y b\n```\n", "Sort:\n\n```sh\noakmill a\noakmill b\n```"),
        ('Sort:\n\n```json\n{\n  "by": "Jane Doe"\n}\n```\n\nIt counts.\n', "It counts."),
        ("Like so:\n\n    key: 1\n    by: jane doe\n\nIt counts.\n", "It counts."),
        ("| a | b |\n|---|---|\n| 1 | http://host.dev |\n| 2 | x |\n", "| a | b |\n|---|---|\n| 2 | x |"),
    ],
)
def test_what_must_not_be_told_goes_by_sentences_wherever_lines_break(readme: str, context: str) -> None:
    assert context_of(readme, "", alias="oakmill", names=["x-y"], makers=["jane doe"]).split("\n\n", 1)[1].strip() == context


def test_the_summary_does_not_begin_with_the_name_twice() -> None:
    assert context_of("", "line-tool - sorts lines", alias="oakmill", names=["line-tool"], makers=[]) == "`oakmill`: sorts lines\n"


def test_code_that_uses_the_package_as_a_library_is_left_out() -> None:
    fence = "```"
    readme = f"# t\n\nIt sorts.\n\n{fence}python\nimport t\nt.sort()\n{fence}\n\n   >>> t.sort()\n   1\n\n{fence}\n$ t a.txt\n{fence}\n"
    assert context_of(readme, "", alias="oakmill", names=["t"], makers=[]).split("\n\n", 1)[1] == "It sorts.\n\n```\n$ oakmill a.txt\n```\n"


def test_the_ending_of_a_file_keeps_its_name() -> None:
    text = context_of("# lt\n\nlt turns a.lt into `.lt` text, ./lt and LT too.\n", "", alias="oakmill", names=["lt"], makers=[])
    assert "oakmill turns a.lt into `.lt` text, ./oakmill and oakmill too." in text


def test_a_line_that_is_a_test_case_is_left_out() -> None:
    text = context_of(README, "", alias="oakmill", names=["line-tool", "lt"], makers=[], drop=["oakmill sort a.txt"])
    assert "sort a.txt" not in text


def test_a_name_says_nothing_and_is_always_the_same() -> None:
    name = neutral_name("pypi", "some-tool", "slt")
    assert name == neutral_name("pypi", "some-tool", "slt")
    assert neutral_name("pypi", "some-tool", "slt", taken=[name]) != name


def test_the_facts_of_an_npm_package(tmp_path: Path) -> None:
    body = {
        "name": "@me/t",
        "bin": {"t": "cli.js", "u": "u.js"},
        "license": "ISC",
        "author": "Jane Doe <jd@host.dev>",
        "repository": "github:janed/t",
    }
    (tmp_path / "package.json").write_text(json.dumps(body))
    (tmp_path / "README.md").write_text("# t\n")
    facts = read_facts(tmp_path, "npm", "@me/t")
    assert facts.entries == ("t", "u")
    assert facts.licence == "ISC"
    assert set(facts.makers) == {"jane doe", "janed"}


def test_the_licence_of_a_go_module_is_told_from_its_text(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("Permission is hereby granted, free of charge, to any person\n")
    facts = read_facts(tmp_path, "go", "github.com/jane/mod/cmd/tool/v2")
    assert (facts.licence, facts.entries, facts.makers) == ("MIT", ("tool",), ("jane",))


def test_four_lines_of_the_oracles_code_in_a_row_are_copied() -> None:
    source = "def double(a):\n    b = a * 2 + 1\n    if b > 1000:\n        return str(b)\n    return repr(b)\n"
    context = "It doubles.\n\n```\ndef double(a):\n    b = a * 2 + 1\n\n    if b > 1000:\n        return str(b)\n    return repr(b)\n```\n"
    assert copied_lines(context, [source]) == [4, 5, 7, 8, 9]
    assert copied_lines("It doubles; b = a * 2 + 1 is the rule.\n", [source]) == []


def test_documented_lines_come_from_code_and_not_from_prose() -> None:
    code = "$ tool sort -r a.txt > b.txt  # backwards\ncat x.json | tool get .name\ntool <file>\n"
    readme = f"tool reads a file and prints it\n\n```sh\n{code}```\n"
    assert read_lines([readme], ["tool"]) == (Line(("sort", "-r", "a.txt")), Line(("get", ".name"), stdin_file="x.json"))


def test_options_of_a_tool_without_help_are_those_of_its_examples() -> None:
    lines = read_lines(["```sh\ntool --indent=4 a.json\ntool -r --plain a.json\n```\n"], ["tool"])
    root = with_shown_options(Command("tool"), lines)
    assert [(option.name, option.takes_value) for option in root.options] == [("--indent", True), ("-r", False), ("--plain", False)]
    assert understand(lines, root).values == {((), "--indent"): ("4",)}
    told = Command("tool", options=(Option(("--all",)),))
    assert with_shown_options(told, lines) is told


@pytest.mark.parametrize(
    ("message", "field", "value"),
    [
        ("error: argument --format: invalid choice: 'x' (choose from 'json', 'yaml')", "choices", ("json", "yaml")),
        ("Error: Missing option '--key'.", "needs", ("--key",)),
        ('Error: required flag(s) "from", "to" not set', "needs", ("--from", "--to")),
        ("error: required option '-o, --output <file>' not specified", "needs", ("-o",)),
        ("t: error: You must specify at least one column to search using the -c option.", "needs", ("-c",)),
        ("t: error: One of -r, -m or -f must be specified, along with the -c option.", "needs", ("-r", "-m", "-f")),
        ("Please specify either the -only, -excl, -exported, or -all flag", "needs", ("-only", "-excl", "-exported", "-all")),
        ("Specify at least `--regex` or `--string`", "needs", ("--regex", "--string")),
        ("The `--replacement` option is required when using `--string` or `--regex`", "needs", ("--replacement", "--string")),
        ("Error: [Errno 2] No such file or directory: '/workspace/.env'", "missing_files", (".env",)),
        ("Error: Input file not found: data.toon\n", "missing_files", ("data.toon",)),
        ("Invalid value for 'PATHS': Path 'path/to/directory' does not exist.", "missing_files", ("path/to/directory",)),
        ("linting: not part of a module: '/workspace'", "module", True),
        ("-: package project is not in std (/usr/lib/go/src/project)", "packages", True),
        ("--count must be given", "needs", ("--count",)),
        ("ENOENT: no such file or directory, open 'conf.json'", "missing_files", ("conf.json",)),
        ("open data.csv: no such file or directory", "missing_files", ("data.csv",)),
        ("EISDIR: illegal operation on a directory, read", "file", True),
        ("NotADirectoryError: [Errno 20] Not a directory: 'a'", "folder", True),
        ("error: unrecognized arguments: b.txt", "too_many", True),
        ("invalid int value: 'abc'", "number", True),
        ("Unexpected token a in JSON at position 0", "parse", True),
        ("flag needs an argument: -i", "equals", True),
        ("Can't use both FILE and -c option", "conflict", True),
        ("usage: tool [--both] FILE", "conflict", False),
        ("banana.json: no such pipeline", "number", False),
        ("argument --a: not allowed with argument --b", "conflict", True),
        ("getaddrinfo ENOTFOUND registry.example.com", "impossible", "needs a network"),
        ("the input device is not a TTY", "impossible", "needs a terminal"),
    ],
)
def test_a_message_tells_what_to_try_next(message: str, field: str, value: object) -> None:
    assert getattr(hints_of([message]), field) == value


def test_a_document_that_the_readme_shows_varies_in_values_and_not_in_form() -> None:
    readme = '```json\n{"nodes": [{"id": "a", "label": "Start"}, {"id": "b", "label": "Stop"}], "edges": [["a", "b"]], "size": 120}\n```\n'
    kind = samples(readme, list(kinds().values()))[0]
    assert kind.name == "documented json"
    assert '"label": "{word#51}"' in kind.template
    assert '"id": "a"' in kind.template
    assert '"size": {num#51}' in kind.template


@pytest.mark.parametrize("name", kinds())
def test_every_kind_of_content_is_a_valid_spec_whose_text_comes_back(name: str) -> None:
    kind = kinds()[name]
    body = {
        "version": "1",
        "task": {"alias": "oakmill", "language": "go", "category": "x"},
        "oracle": {"registry": "go", "name": "host.dev/t", "version": "v1.0.0", "entry": "t", "licence": "MIT"},
        "patterns": [{"id": "one", "description": "One.", "argv": ["a"], "stdin": kind.template, "params": kind.params, "env": kind.env}],
    }
    spec = parse_spec(spec_text(body))
    assert spec.patterns[0].stdin == kind.template
    assert set(spec.params) == set(kind.params)
    assert len(expand(spec).cases) == 50, "no two cases have the same document"


@pytest.mark.parametrize("name", [name for name, kind in kinds().items() if kind.broken])
def test_invalid_cases_hold_documents_that_are_none(name: str) -> None:
    kind = kinds()[name]
    head = {
        "version": "1",
        "task": {"alias": "oakmill", "language": "go", "category": "x"},
        "oracle": {"registry": "go", "name": "host.dev/t", "version": "v1.0.0", "entry": "t", "licence": "MIT"},
    }
    template, params = content(kind, 3)
    pattern = {"id": "one", "description": "One.", "argv": ["a.x"], "files": {"a.x": template}, "params": params}
    body = {**head, "valid_share": 0.5, "patterns": [pattern]}
    found = expand(parse_spec(spec_text(body)))
    texts = {case.id: found.fixtures[case.fixture].entries[0].content.decode("utf-8", "surrogateescape") for case in found.cases}
    faulty = [case for case, text in texts.items() if text.startswith(kind.broken) or text.endswith(kind.broken)]
    assert len(faulty) > 1
    assert {found.classes[case] for case in faulty} == {"invalid"}


@pytest.mark.parametrize("name", [name for name, kind in kinds().items() if f"{name}_form" in kind.params])
def test_documents_are_laid_out_with_care_and_without(name: str) -> None:
    rows = kinds()[name].params[f"{name}_form"]["rows"]
    assert len({tuple(row.items()) for row in rows}) >= 3


@pytest.mark.parametrize("name", details())
def test_a_detailed_document_is_one_of_its_kind(name: str) -> None:
    body = {
        "version": "1",
        "task": {"alias": "oakmill", "language": "go", "category": "x"},
        "oracle": {"registry": "go", "name": "host.dev/t", "version": "v1.0.0", "entry": "t", "licence": "MIT"},
        "valid_share": 1,
        "patterns": [
            {"id": "one", "description": "One.", "argv": ["a"], "stdin": details()[name].template, "params": details()[name].params}
        ],
    }
    cases = expand(parse_spec(spec_text(body))).cases
    assert len(cases) == 50
    readers: dict[str, Callable[[str], object]] = {
        "json": json.loads, "yaml": yaml.safe_load, "toml": tomllib.loads, "python": ast.parse, "xml": minidom.parseString,
    }  # fmt: skip
    for case in cases:
        readers.get(name, str)(case.stdin.decode())


def test_an_example_on_go_packages_gets_a_module_with_packages() -> None:
    (line,) = read_lines(["```sh\ntool -l ./...\n```\n"], ["tool"])
    draft = line_draft(line, Command("tool", options=(Option(("-l",)),)), tuple(kinds().values()))
    files = draft.body("x", "x")["files"]
    assert draft.operands[-1].words == ("./...",)
    assert "go.mod" in files
    assert sum(path.endswith(".go") for path in files) == 3
    assert read_lines(["```sh\ntool a ...\n```\n"], ["tool"]) == ()


def test_a_go_module_whose_command_begins_with_go_most_likely_reads_go() -> None:
    assert ranked_kinds("github.com/some/goword goword", ("finds repeated numbers",), (6,))[0].name == "go"
    assert ranked_kinds("github.com/some/thing thing", ("finds repeated numbers",), (6,))[0].name == "numbers"
