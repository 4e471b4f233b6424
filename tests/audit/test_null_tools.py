"""A case that a tool passes which knows nothing is no proof of anything: such cases have to be found, and only such."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from clibench.audit.audit import audit_task
from clibench.audit.help_text import help_for, help_texts
from clibench.audit.null_tools import NULL_TOOLS, Rate, Sight, try_null_tools
from clibench.evaluation.params import CompareParams
from clibench.paths import sample_tasks_dir
from clibench.recording import Recording
from clibench.tasks.case import Fixture
from clibench.tasks.load import load_task
from clibench.tasks.task import Task
from tests.evaluation.samples import file, folder, gone, make_task, ran

PARAMS = CompareParams()
PROMPT = """\
# Build the command-line tool `tool`

## Context

`tool` prints things.

## Help

`tool --help` prints:

```text
usage: tool COMMAND
```

`tool remote add -h` prints on standard error:

````text
usage: tool remote add
```
fenced
```
````

## How it is used

`tool p/1` prints:

```text
no help
```
"""


@cache
def real(name: str) -> Task:
    return load_task(sample_tasks_dir() / name)


def with_stdin(task: Task, **stdin: bytes) -> Task:
    """`stdin` by the case's number."""
    return replace(task, cases=tuple(replace(case, stdin=stdin.get(f"c{case.id[2:]}", b"")) for case in task.cases))


def flagged(task: Task) -> dict[str, tuple[str, ...]]:
    return audit_task(task, PARAMS).flagged


def test_a_case_that_wants_something_particular_is_passed_by_no_null_tool() -> None:
    task = make_task({"p/1": ran(b"42\n"), "p/2": ran(b"", changes=[file("/workspace/out", b"42\n")]), "p/3": ran(b"", 2)})
    assert flagged(replace(task, prompt=PROMPT)) == {}


@pytest.mark.parametrize(
    ("oracle", "tools"),
    [
        (ran(b"p/1\n"), ("echo",)),
        (ran(b"\n"), ("true", "files", "cat")),
        (ran(b"copied\n"), ("cat",)),
        (ran(b"usage: tool COMMAND\n"), ("help",)),
        (ran(changes=[file("/workspace/new")]), ("files",)),
        (ran(changes=[folder("/workspace/a"), file("/workspace/a/new")]), ("files",)),
        (ran(changes=[file("/workspace/old", kind="modified", mode=0o755)]), ("files",)),
        (ran(changes=[file("/workspace/new", mode=0o755)]), ()),
        (ran(changes=[file("/workspace/new"), gone("/workspace/old")]), ()),
        (ran(b"done\n", changes=[file("/workspace/new")]), ()),
    ],
)
def test_a_case_is_flagged_with_the_tools_that_pass_it(oracle: Recording, tools: tuple[str, ...]) -> None:
    stdin = b"copied\n" if oracle.stdout.data != b"\n" else b""
    task = with_stdin(replace(make_task({"p/1": oracle}), prompt=PROMPT), c1=stdin)
    assert flagged(task).get("p/1", ()) == tools


def test_a_case_that_asks_for_nothing_is_trivial_and_not_held_against_anybody() -> None:
    cached = ran(changes=[folder("/home/user/.cache"), file("/home/user/.cache/x")])
    task = make_task({"p/1": ran(), "p/2": ran(b"1\n"), "p/3": ran(b"", 1), "p/4": cached, "q/1": ran(b"2\n")})
    audit = audit_task(task, PARAMS)
    assert audit.nulls["p"].trivial == ("p/1", "p/4")
    assert (audit.flagged, audit.trivial, audit.nulls["q"].trivial) == ({}, 2, ())
    assert audit.nulls["p"].rates["true"]["em"] == Rate(0, 1)
    assert audit.nulls["p"].shares["true"] == Rate(2, 3), "but it is what the tool would score"
    assert audit.weak() == [("p", "true", Rate(2, 3))]


def test_each_comparer_has_its_own_rate_of_false_accepts() -> None:
    task = make_task({"p/1": ran(b"1\n"), "p/2": ran(b"p/2!\n"), "p/3": ran(changes=[file("/workspace/a")]), "p/4": ran(b"", 3)})
    rates = try_null_tools(task, CompareParams(fuzzy_threshold=0.7))["p"].rates
    shown = {tool: [(rate.passed, rate.of) for rate in by_metric.values()] for tool, by_metric in rates.items()}
    assert list(rates["echo"]) == ["exec", "sp", "em", "fm", "sm", "reject"]
    assert shown["echo"] == [(3, 3), (2, 3), (0, 3), (1, 3), (0, 3), (0, 1)]
    assert shown["false"] == [(0, 3)] * 5 + [(1, 1)]
    assert shown["files"] == [(3, 3), (3, 3), (1, 3), (1, 3), (1, 3), (0, 1)]
    assert "help" not in rates, "the prompt has none"


def test_the_help_of_the_subcommand_is_printed_where_there_is_one() -> None:
    task = replace(make_task({"p/1": ran()}), prompt=PROMPT)
    helps = help_texts(task)
    assert [each.subcommand for each in helps] == [(), ("remote", "add")]
    case = replace(task.cases[0], argv=("tool", "remote", "add", "x"))
    assert help_for(helps, case) == b"usage: tool remote add\n```\nfenced\n```\n"
    assert help_for(helps, replace(case, argv=("tool", "remote"))) == b"usage: tool COMMAND\n"


def test_bytes_of_the_arguments_that_are_no_text_are_echoed_as_they_are() -> None:
    case = replace(make_task({"p/1": ran()}).cases[0], argv=("tool", "a", "\udcff"))
    assert NULL_TOOLS["echo"](Sight(case, ran(), ())).stdout.data == b"a \xff\n"


def test_a_null_tool_sees_nothing_of_the_oracle_but_the_paths_that_it_writes() -> None:
    case = make_task({"p/1": ran()}, fixture=Fixture()).cases[0]
    told = Sight(case, ran(b"secret\n", changes=[file("/workspace/x", b"secret")]), ())
    bare = Sight(case, ran(changes=[file("/workspace/x", b"other")]), ())
    for tool in NULL_TOOLS.keys() - {"help"}:
        assert NULL_TOOLS[tool](told).digest() == NULL_TOOLS[tool](bare).digest()


def test_a_formatter_leaves_what_is_well_formed_and_copying_passes_there_alone() -> None:
    task = real("shfmt")
    found = {case for case, tools in flagged(task).items() if "cat" in tools}
    stdin = {case.id: case.stdin for case in task.cases}
    assert found
    for case in found:
        assert task.recordings[case].stdout.data.split() == stdin[case].split()


def test_a_tool_with_subcommands_is_asked_for_the_help_of_each() -> None:
    task = real("python-dotenv")
    helps = help_texts(task)
    assert {("get",), ("list",), ("set",)} <= {each.subcommand for each in helps}
    case = next(case for case in task.cases if "set" in case.argv[1:2])
    assert help_for(helps, case).startswith(b"Usage: envbook set ")


@pytest.mark.parametrize("name", ["shfmt", "python-dotenv", "envsubst"])
def test_over_a_real_task_each_gate_lets_fewer_null_tools_through(name: str) -> None:
    for nulls in audit_task(real(name), PARAMS).nulls.values():
        for rates in nulls.rates.values():
            assert rates["exec"].passed >= rates["sp"].passed >= rates["fm"].passed >= rates["em"].passed
            assert rates["sp"].passed >= rates["sm"].passed >= rates["em"].passed
        assert nulls.rates["true"]["exec"].value in (1.0, None)
        assert nulls.rates["false"]["exec"].passed == 0
