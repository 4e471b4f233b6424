"""A defect must be the one that it says, in code and nowhere else: not in a comment, a string, a docstring or an import."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from clibench.audit.mutants.choose import in_order, sites
from clibench.audit.mutants.edit import Edit, Kind
from clibench.audit.mutants.python_sites import python_sites
from clibench.audit.mutants.scanner import ScanError, scan
from clibench.tasks.task import Language

PYTHON, GO, JS = Language.PYTHON, Language.GO, Language.JAVASCRIPT


def made(source: str, language: Language) -> set[tuple[str, str]]:
    """Kind and changed line of each defect."""
    data = source.encode()
    edits = sites({"file": data}, language)
    return {(edit.kind.value, edit.diff(data)[1]) for edit in edits}


@pytest.mark.parametrize(
    ("source", "kind", "after"),
    [
        ("x = a < b", "comparison", "x = a <= b"),
        ("x = a not  in b", "comparison", "x = a in b"),
        ("x = (a) is (b)", "comparison", "x = (a) is not (b)"),
        ("x = a < b == c", "comparison", "x = a < b != c"),
        ("x = a and b and c", "comparison", "x = a and b or c"),
        ("if args.force:\n    go()", "flag", "if False:"),
        ("while not done:\n    go()", "flag", "while done:"),
        ("f(sort_keys=True)", "flag", "f(sort_keys=False)"),
        ("x = y[3]", "off-by-one", "x = y[4]"),
        ("def f(a, b='x', *, c=2):\n    pass", "default", "def f(a, b='', *, c=2):"),
        ("def f(a, b='x', *, c=2):\n    pass", "default", "def f(a, b='x', *, c=3):"),
        ("p.add_argument('-n', default=10)", "default", "p.add_argument('-n', default=11)"),
        ("x = d.get('k', 'v')", "default", "x = d.get('k', '')"),
        ("out.write(data)", "write", "None"),
        ("table[key] = value", "write", "None"),
        ("print('done')", "message", "print('done*')"),
        ("print(f'{n} files\\n')", "message", "print(f'{n} files*\\n')"),
        ("m = '''two words'''", "message", "m = '''two words*'''"),
    ],
)
def test_python_gets_each_kind_of_defect(source: str, kind: str, after: str) -> None:
    assert (kind, after) in made(source, PYTHON)


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring of two words, 3 < 4."""',
        "def f():\n    'What it does: 1.'",
        "# a < b, print('hello there')",
        "x: Literal[3]",
        "if __name__ == '__main__':\n    pass",
        "x = f'{a < 3}'",
        "def f(",
        "x = '\udcff'",
    ],
)
def test_python_that_does_nothing_or_can_not_be_read_gets_none(source: str) -> None:
    assert python_sites("file", source.encode("utf-8", "surrogateescape")) == []


@pytest.mark.parametrize(
    ("source", "kind", "after"),
    [
        ("if a != nil {\n}", "comparison", "if a == nil {"),
        ("x := a && b", "comparison", "x := a || b"),
        ("if *verbose {\n}", "flag", "if *verbose && false {"),
        ("return !opts.Quiet", "flag", "return opts.Quiet"),
        ("x := y[3]", "off-by-one", "x := y[4]"),
        ('n := flag.Int("n", 10, "number of lines")', "default", 'n := flag.Int("n", 11, "number of lines")'),
        ('flag.StringVar(&name, "name", "a", "the name")', "default", 'flag.StringVar(&name, "name", "", "the name")'),
        ('f.BoolP("all", "a", false, "all of them")', "default", 'f.BoolP("all", "a", true, "all of them")'),
        ("\tfmt.Fprintln(w, x)\n", "write", "if false { fmt.Fprintln(w, x) }"),
        ("\tlines = append(lines, line)\n", "write", "if false { lines = append(lines, line) }"),
        (
            "if err := os.WriteFile(f, b, 0o644); err != nil {\n}",
            "write",
            "if err := func() error { if false { return os.WriteFile(f, b, 0o644) }; return nil }(); err != nil {",
        ),
        ('fmt.Printf("%d done\\n", n)', "message", 'fmt.Printf("%d done*\\n", n)'),
    ],
)
def test_go_gets_each_kind_of_defect(source: str, kind: str, after: str) -> None:
    assert (kind, after) in made(source, GO)


@pytest.mark.parametrize(
    ("source", "kind", "after"),
    [
        ("if (a === b) go()", "comparison", "if (a !== b) go()"),
        ("const x = a < b;", "comparison", "const x = a <= b;"),
        ("if (opts.force) { go() }", "flag", "if (opts.force && false) { go() }"),
        ("x = !y", "flag", "x = y"),
        ("f({deep: true})", "flag", "f({deep: false})"),
        ("x = y[3]", "off-by-one", "x = y[4]"),
        ("const n = opts.n ?? 10;", "default", "const n = opts.n ?? 11;"),
        ("function f(a, b = 'x') {}", "default", "function f(a, b = '') {}"),
        ("option({default: false})", "default", "option({default: true})"),
        ("console.log(x);", "write", "if (false) console.log(x);"),
        ("  await fs.writeFile(x, y)\n", "write", "if (false) await fs.writeFile(x, y)"),
        ("console.log(`${n} files`)", "message", "console.log(`${n} files*`)"),
    ],
)
def test_javascript_gets_each_kind_of_defect(source: str, kind: str, after: str) -> None:
    assert (kind, after) in made(source, JS)


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ('// if a < 3 "hello there"\n/* x == 4 */', GO),
        ('import (\n\t"some words/3"\n)', GO),
        ('type T struct {\n\tA string `json:"a b c"`\n}', GO),
        ("x := 'y'", GO),
        ("import x from 'two words';", JS),
        ("const x = require('two words 3');", JS),
        ("'use strict';", JS),
        ("#!/usr/bin/env node 3 < 4\n", JS),
        ('Object.defineProperty(exports, "__esModule", { value: true });', JS),
        ("var __a = (this && this.__a) || function (b, c) { return c < 3 && b[1]; };", JS),
        ("var __a = (this && this.__a) || (function () { return d < 3; })();", JS),
        ("x = /a < 3 == '4/g", JS),
        ("x = y.replace(/[/'\"]/g, z)", JS),
        ("`never closed 3 < 4", JS),
    ],
)
def test_what_is_no_code_of_the_tool_gets_none(source: str, language: Language) -> None:
    assert made(source, language) == set()


def test_what_stands_behind_the_helpers_of_a_compiler_gets_its_defects() -> None:
    helper = "var __a = (this && this.__a) || function (b) { return b < 3; };\nvar c = d < 4;"
    assert made(helper, JS) == {("comparison", "var c = d <= 4;"), ("off-by-one", "var c = d < 5;")}


def test_a_template_is_scanned_with_what_stands_in_its_placeholders() -> None:
    tokens = scan(b"`a ${b < `${c}` } d` + /x`/.test(e)", JS)
    assert [token.text for token in tokens] == [
        b"`a ${", b"b", b"<", b"`${", b"c", b"}`", b"} d`", b"+", b"/x`/", b".", b"test", b"(", b"e", b")",
    ]  # fmt: skip


def test_a_slash_is_a_division_behind_a_value_and_a_regular_expression_behind_a_condition() -> None:
    assert [token.kind for token in scan(b"a / b / c", JS)] == ["word", "op", "word", "op", "word"]
    assert "regex" in [token.kind for token in scan(b"if (a) /b'/.test(c)", JS)]
    assert "regex" not in [token.kind for token in scan(b"(a) / b / c", JS)]


@pytest.mark.parametrize("source", [b"(a", b"a)", b"(a]", b'"abc', b"`abc", b"/* abc"])
def test_a_text_that_ends_inside_something_is_refused(source: bytes) -> None:
    with pytest.raises(ScanError):
        scan(source, JS)


def test_every_defect_in_a_real_file_leaves_valid_python() -> None:
    data = Path(ast.__file__).read_bytes()
    edits = python_sites("ast.py", data)
    assert {edit.kind for edit in edits} == set(Kind)
    for edit in edits[::40]:
        ast.parse(edit.apply(data))


def test_the_order_is_the_seeds_and_takes_kinds_files_and_lines_in_turn() -> None:
    body = "".join(f"if a{n} < {n} and b{n}:\n    print('line {n}')\n" for n in range(20)).encode()
    sources = {"a.py": body, "b.py": body}
    found = sites(sources, PYTHON)
    order = in_order(found, sources, 1)
    assert sorted(order, key=hash) == sorted(found, key=hash)
    assert order == in_order(reversed(found), sources, 1)
    assert order != in_order(found, sources, 2)
    head = order[:16]
    assert {edit.kind for edit in head[:5]} >= {Kind.COMPARISON, Kind.FLAG, Kind.OFF_BY_ONE, Kind.WRITE}
    assert len({(edit.file, edit.line(sources[edit.file])) for edit in head}) == 16, "one line once, while there are others"
    by_file = [edit.file for edit in head if edit.kind is Kind.COMPARISON]
    assert abs(by_file.count("a.py") - by_file.count("b.py")) <= 1


def test_a_long_line_is_shown_around_its_defect() -> None:
    source = b"x" * 5000 + b" < 3" + b"y" * 5000
    edit = Edit("f", Kind.COMPARISON, 5001, 5002, b"<=", (5001, 5002))
    before, after = edit.diff(source)
    assert (len(before), before[0], before[-1]) == (162, "…", "…")
    assert (" < 3" in before, " <= 3" in after) == (True, True)
