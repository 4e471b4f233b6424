"""Expansion gives 50 different cases a pattern, the same ones everywhere; where it can't, it says so and repeats nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from clibench.digest import digest_json
from clibench.synthesis.expand import Expansion, expand
from clibench.synthesis.spec import parse_spec
from clibench.tasks.case import case_to_json

HEAD = """
version: 1
task: {alias: linetool, language: python, category: Text}
oracle: {registry: pypi, name: some-tool, version: 1.0, entry: slt, licence: MIT}
"""


def expansion(body: str) -> Expansion:
    return expand(parse_spec(HEAD + body))


def readme_spec() -> str:
    text = (Path(__file__).parents[2] / "tasks" / "README.md").read_text()
    found = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


def test_the_example_of_the_readme_is_a_valid_spec_and_gives_fifty_cases_a_pattern() -> None:
    result = expand(parse_spec(readme_spec()))
    assert Counter(case.pattern for case in result.cases) == {"sort-files": 50, "stdin-filter": 50, "convert": 50}
    assert result.shortfalls == ()


def test_all_cases_are_distinct_by_key_and_numbered_in_order() -> None:
    result = expand(parse_spec(readme_spec()))
    assert len({case.key() for case in result.cases}) == len(result.cases)
    assert [case.id for case in result.cases if case.pattern == "convert"] == [f"convert/{n:02}" for n in range(1, 51)]


def test_seventy_percent_are_valid_and_the_others_are_mixed_among_them() -> None:
    result = expand(parse_spec(readme_spec()))
    classes = [result.classes[case.id] for case in result.cases if case.pattern == "sort-files"]
    assert classes.count("valid") == 35
    assert "valid" in classes[40:]
    assert {"invalid", "edge"} <= set(classes[:30])


def test_a_small_value_space_gives_fewer_cases_and_says_so() -> None:
    result = expansion("""
valid_share: 1
patterns:
  - {id: small, description: x, argv: ["{a}", "{b}"], params: {a: [x, y], b: ["1", "2", "3"]}}
""")
    assert {case.argv[1:] for case in result.cases} == {(a, b) for a in "xy" for b in "123"}
    assert len(result.cases) == 6
    assert str(result.shortfalls[0]) == "pattern 'small': 6 of 50 cases, the value space has no more distinct ones"


def test_a_small_valid_space_is_not_filled_up_with_invalid_cases() -> None:
    result = expansion("""
valid_share: 0.5
patterns:
  - {id: small, description: x, argv: ["{a}"], params: {a: {type: choice, values: [x, y, z], invalid: [a, b, c, d, e, f, g]}}}
""")
    assert Counter(result.classes.values()) == {"valid": 3, "invalid": 3}


def test_the_same_spec_gives_the_same_bytes_in_every_process_and_under_every_hash_seed() -> None:
    code = (
        "import sys; from clibench.synthesis.spec import parse_spec; from clibench.synthesis.expand import expand\n"
        "from clibench.digest import digest_json; from clibench.tasks.case import case_to_json\n"
        "print(digest_json([case_to_json(c) for c in expand(parse_spec(sys.stdin.read())).cases]))"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=readme_spec(),
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
        ).stdout.strip()
        for seed in ("0", "1")
    }
    assert digests == {digest_json([case_to_json(case) for case in expand(parse_spec(readme_spec())).cases])}


def test_another_parameter_does_not_change_what_the_others_draw() -> None:
    one = expansion("""
valid_share: 1
cases: 10
patterns: [{id: p, description: x, argv: ["{n}"], params: {n: {type: string, min_length: 8}}}]
""")
    two = expansion("""
valid_share: 1
cases: 10
patterns: [{id: p, description: x, argv: ["{n}", "{m}"], params: {m: {type: int}, n: {type: string, min_length: 8}}}]
""")
    assert [case.argv[1] for case in one.cases] == [case.argv[1] for case in two.cases]


def test_valid_cases_keep_every_constraint_and_invalid_ones_break_exactly_one() -> None:
    result = expansion("""
valid_share: 0.6
patterns:
  - id: rules
    description: x
    argv:
      - {optional: [--json], name: json}
      - {optional: [--csv], name: csv}
      - {optional: [--indent, "{n}"], name: indent}
      - {optional: ["{n#2}"], name: number, p: 0.9}
    params: {n: {type: int, invalid: [], edges: []}}
    constraints:
      - exclusive: [json, csv]
      - requires: {indent: json}
      - required: number
""")
    broken = Counter[int]()
    for case in result.cases:
        words = case.argv[1:]
        faults = ("--json" in words and "--csv" in words) + ("--indent" in words and "--json" not in words)
        faults += not words or words[-1].startswith("--") or (len(words) > 1 and words[-2] == "--indent")
        broken[faults] += 1
        assert (faults == 0) == (result.classes[case.id] == "valid")
    assert set(broken) == {0, 1}


def test_each_round_of_a_repeat_draws_its_own_value_and_one_name_is_one_value_elsewhere() -> None:
    result = expansion("""
valid_share: 1
patterns:
  - id: p
    description: x
    argv: [{repeat: [-e, "{n}"], min: 3, max: 3}, "{m}", "{m}", "{m#2}"]
    stdin: "{m}"
    params: {n: {type: int, max: 10000}, m: {type: int, max: 10000}}
""")
    assert any(len(set(case.argv[2:7:2])) == 3 for case in result.cases)
    assert all(case.argv[7] == case.argv[8] == case.stdin.decode() for case in result.cases)
    assert any(case.argv[8] != case.argv[9] for case in result.cases)


def test_no_argument_or_variable_holds_nul_while_standard_input_and_files_do() -> None:
    result = expansion("""
valid_share: 0
cases: 99
patterns:
  - id: p
    description: x
    argv: ["{t}"]
    env: {X: "{e}"}
    stdin: "{s}"
    files: {f.txt: "{f}"}
    params:
      t: {type: text, edges: [nul, bytes, empty, blank]}
      e: {type: text, edges: [nul, quotes]}
      s: {type: text, edges: [nul, bytes]}
      f: {type: text, edges: [nul, bytes]}
""")
    assert not any("\0" in text for case in result.cases for text in (*case.argv, *case.env.values()))
    assert any(b"\0" in case.stdin for case in result.cases)
    assert any(b"\0" in entry.content for fixture in result.fixtures.values() for entry in fixture.entries)
    assert any(b"\xff" in case.stdin for case in result.cases)


def test_paths_are_drawn_from_the_fixture_of_the_case() -> None:
    result = expansion("""
valid_share: 1
fixtures:
  one: {files: {a/b.py: x, c.md: y, d/: {dir: true}, l: {link: c.md}, ~/.rc: z}}
  two: {files: {q.py: x}}
patterns:
  - {id: files, description: x, fixture: one, argv: ["{p}"], params: {p: {type: path}}}
  - {id: dirs, description: x, fixture: one, argv: ["{p}"], params: {p: {type: path, of: [dir, link], values: [new]}}}
  - {id: both, description: x, fixture: [one, two], argv: ["{p}"], params: {p: {type: path, match: "*.py"}}}
""")
    drawn = {pattern: {case.argv[1] for case in result.cases if case.pattern == pattern} for pattern in ("files", "dirs", "both")}
    assert drawn == {"files": {"a/b.py", "c.md"}, "dirs": {"a", "d", "l", "new"}, "both": {"a/b.py", "q.py"}}
    for case in result.cases:
        if case.pattern == "both":
            assert case.argv[1] in {entry.path for entry in result.fixtures[case.fixture].entries}


def test_the_fields_of_a_record_stay_together() -> None:
    result = expansion("""
valid_share: 1
patterns:
  - id: p
    description: x
    argv: [get, "{row.key}"]
    stdin: "{row.doc}"
    params: {row: {type: record, rows: [{key: a, doc: '{"a": 1}'}, {key: b.c, doc: '{"b": {"c": 2}}'}]}}
""")
    assert {(case.argv[2], case.stdin) for case in result.cases} == {("a", b'{"a": 1}'), ("b.c", b'{"b": {"c": 2}}')}


def test_examples_come_first_and_count_as_valid() -> None:
    result = expansion("""
cases: 4
patterns:
  - {id: p, description: x, argv: ["{n}"], examples: [[first], [second, "{n}"]], params: {n: {type: int}}}
""")
    assert result.cases[0].argv == ("linetool", "first")
    assert result.cases[1].argv[1] == "second"
    assert [result.classes[f"p/0{n}"] for n in (1, 2)] == ["valid", "valid"]


def test_files_of_a_pattern_may_be_named_by_parameters_and_never_by_what_is_no_path() -> None:
    result = expansion("""
valid_share: 0.5
patterns:
  - id: p
    description: x
    argv: ["a{ext}", "{name}"]
    files: {"a{ext}": "{name}", "{name}": x}
    params: {ext: [.c, .py], name: {type: string, edges: [empty, traversal, long, nonascii]}}
""")
    for case in result.cases:
        assert {entry.path for entry in result.fixtures[case.fixture].entries} == {case.argv[1], case.argv[2]}
    assert any("é" in case.argv[2] for case in result.cases)
    assert not any("\0" in case.argv[2] or case.argv[2].startswith("..") for case in result.cases)
