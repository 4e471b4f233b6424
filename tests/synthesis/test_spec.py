"""A fault in a spec is answered with the file, its line, what is wrong and the nearest valid name."""

from __future__ import annotations

from pathlib import Path

import pytest

from clibench.errors import TaskError
from clibench.synthesis.spec import parse_spec, read_spec

GOOD = """version: 1
task: {alias: linetool, language: python, category: Text}
oracle:
  registry: pypi
  name: some-tool
  version: 1.10
  entry: slt
  licence: MIT
params:
  n:
    type: int
    min: 1
fixtures:
  base:
    files:
      a.txt: hello
patterns:
  - id: first
    description: does it
    fixture: base
    argv: [run, "{n}", {optional: [-v], name: loud}]
"""


def fault_of(old: str, new: str) -> str:
    text = GOOD.replace(old, new)
    assert text != GOOD
    with pytest.raises(TaskError) as caught:
        parse_spec(text, Path("tasks/x/spec.yaml"))
    return caught.value.message


def test_scalars_are_the_letters_that_are_written() -> None:
    assert parse_spec(GOOD).oracle.version == "1.10"
    spec = parse_spec(GOOD.replace("  n:\n    type: int\n    min: 1", "  n: [yes, 0755, 1.50, null, ~]"))
    assert spec.params["n"].valid.__self__.values == ("yes", "0755", "1.50", "null", "~")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    fixture: base", "    fixtur: base", "tasks/x/spec.yaml:20: unknown key 'fixtur'. Did you mean 'fixture'?"),
        ("    min: 1", "    mim: 1", "spec.yaml:12: unknown key 'mim'. Did you mean 'min'?"),
        ("type: int", "type: itn", "spec.yaml:11: unknown type 'itn'. Did you mean 'int'?"),
        ("    min: 1", "    min: one", "spec.yaml:12: min: input should be a valid integer"),
        ("    min: 1", "    min: 500", "spec.yaml:11: min 500 is above max 100"),
        ("language: python", "language: pyton", "spec.yaml:2: unknown language 'pyton'. Did you mean 'python'?"),
        ("registry: pypi", "registry: pip", "spec.yaml:4: unknown registry 'pip'. Valid: go, npm, pypi."),
        ("  entry: slt\n", "", "spec.yaml:4: the key 'entry' is missing"),
        ("fixture: base", "fixture: bse", "spec.yaml:20: unknown fixture 'bse'. Did you mean 'base'?"),
        ('"{n}"', '"{m}"', "spec.yaml:21: unknown parameter 'm'. Valid: n."),
        ("a.txt: hello", "../a.txt: hello", "spec.yaml:16: '../a.txt': a path must not hold"),
        ("a.txt: hello", "a.txt: {content: x, link: y}", "spec.yaml:16: exactly one of content"),
        ("a.txt: hello", "a.txt: {content: x, age: soon}", "spec.yaml:16: age 'soon' is not a time span"),
        ("a.txt: hello", "a.txt: {base64: '*'}", "spec.yaml:16: not base64"),
        ("  base:\n", "  base:\n    extends: base\n", "spec.yaml:15: fixtures extend each other in a circle"),
        ("{optional: [-v], name: loud}", "{optionl: [-v]}", "spec.yaml:21: a word of argv is text, or a group"),
        ("  - id: first", "  - id: first\n    id: second", "spec.yaml:19: the key 'id' is there twice"),
        ("  - id: first", "  - id: first\n    constraints: [{required: lod}]", "no group of argv has the name 'lod'. Did you mean 'loud'?"),
        ("    argv: [", "    argv: [[", "not YAML"),
        ("version: 1\n", "version: 2\n", "spec.yaml:1: unknown version '2'"),
        ("version: 1.10", "version: latest", "'latest' does not name one release of some-tool for good, as 1.2.0 would"),
        ("registry: pypi\n  name: some-tool\n  version: 1.10", "registry: npm\n  name: a\n  version: 1.2", "'1.2' does not name one"),
        ("registry: pypi\n  name: some-tool\n  version: 1.10", "registry: go\n  name: a.b/c\n  version: main", "for good, as v1.2.0 would"),
    ],
)
def test_a_fault_names_line_and_remedy(old: str, new: str, message: str) -> None:
    assert message in fault_of(old, new)


def test_all_faulty_lines_are_named_so_that_nobody_mends_them_one_by_one() -> None:
    message = fault_of("    min: 1\nfixtures:\n  base:\n    files:", "    mim: 1\nfixtures:\n  base:\n    fils:")
    assert message.startswith("tasks/x/spec.yaml:12: ")
    assert message.endswith("Further faults in line 15.")


def test_a_path_parameter_needs_a_path_in_every_fixture() -> None:
    message = fault_of("  n:\n    type: int\n    min: 1", "  n:\n    type: path\n    match: '*.md'")
    assert "fixture 'base' has no path of kind [file] that matches '*.md'" in message


def test_a_missing_or_binary_or_empty_file_is_a_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "spec.yaml"
    with pytest.raises(TaskError, match="no such file"):
        read_spec(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TaskError, match="cannot be read"):
        read_spec(file)
    file.write_text("# nothing\n")
    with pytest.raises(TaskError, match="empty"):
        read_spec(file)


def test_aliases_that_explode_or_contain_themselves_are_refused() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for letter, before in zip("bcdefg", "abcdef", strict=True):
        bomb += f"{letter}: &{letter} [{', '.join([f'*{before}'] * 10)}]\n"
    with pytest.raises(TaskError, match="more than 200000 values"):
        parse_spec(bomb)
    with pytest.raises(TaskError, match="contains itself"):
        parse_spec("a: &a [*a]\n")
