"""Each language's small oracle, mutated and run for real: what its instrument tells and what its build does can't be imitated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clibench.audit.mutants.audit import Plan, audit_mutants
from clibench.audit.mutants.tally import audit_to_json
from clibench.audit.mutants.workshop import Tools, workshop
from clibench.evaluation.params import CompareParams
from clibench.recording import Recording
from clibench.sandbox.docker import DockerSandbox
from clibench.sandbox.interface import BuildRequest, BuildResult, Limits, Session
from clibench.sandbox.settings import SandboxConfig
from clibench.store import Store
from clibench.tasks.case import Case, Fixture
from clibench.tasks.oracle_lock import go_lock
from clibench.tasks.task import Difficulty, Language, Oracle, Pattern, Task

LIMITS = Limits(wall_s=60.0)
FIXTURE = Fixture()

PYTHON_SITE = "lib/python3/site-packages"
PYTHON = {
    "bin/sum": f"#!/usr/bin/python3\nimport site\nsite.addsitedir('/opt/tool/{PYTHON_SITE}')\nfrom sums.cli import main\nmain()\n",
    f"{PYTHON_SITE}/sums/__init__.py": "",
    f"{PYTHON_SITE}/sums/cli.py": """\
import os
import sys


def main():
    words = sys.argv[1:]
    if words[0] == "bad":
        sys.exit("no such command")
    total = sum(int(word) for word in words[1:])
    if words[0] == "save":
        with open("total", "w") as stream:
            stream.write(str(total))
        os._exit(0)
    if total < 10:
        print("the sum is", total)


def never():
    print("nobody calls this")
""",
    f"{PYTHON_SITE}/sums-1.dist-info/RECORD": "sums/__init__.py,,\nsums/cli.py,,\n",
}
NODE = {
    "bin/other": "",
    "lib/node_modules/.bin/sum": '#!/bin/sh\nexec node /opt/tool/lib/node_modules/sums/cli.mjs "$@"\n',
    "lib/node_modules/sums/cli.mjs": """\
import fs from 'node:fs';
const [command, ...words] = process.argv.slice(2);
if (command === 'bad') {
  console.error('no such command');
  process.exit(1);
}
const total = words.map(Number).reduce((a, b) => a + b, 0);
if (command === 'save') {
  fs.writeFileSync('total', String(total));
} else if (total < 10) console.log(`thé sum is ${total}`);
function never() {
  console.log('nobody calls this');
}
""",
}
GO = {
    "words/go.mod": "module example.org/words\n\ngo 1.21\n",
    "words/cmd/sum/main.go": """\
package main

import (
\t"fmt"
\t"os"
\t"strconv"

\t"example.org/words/add"
)

func main() {
\tif os.Args[1] == "bad" {
\t\tfmt.Fprintln(os.Stderr, "no such command")
\t\tos.Exit(1)
\t}
\ttotal := add.Up(os.Args[2:])
\tif os.Args[1] == "save" {
\t\tif err := os.WriteFile("total", []byte(strconv.Itoa(total)), 0o644); err != nil {
\t\t\tos.Exit(2)
\t\t}
\t\treturn
\t}
\tif total < 10 {
\t\tfmt.Println("the sum is", total)
\t}
}

func never() {
\tfmt.Println("nobody calls this")
}
""",
    "words/add/add.go": """\
package add

import "strconv"

var sizes = [2]string{"small", "very large"}

// Up adds numbers.
func Up(words []string) int {
\ttotal := 0
\tfor _, word := range words {
\t\tnumber, _ := strconv.Atoi(word)
\t\ttotal += number
\t}
\treturn total
}
""",
}


class HomeMade:
    """A sandbox in which the registry's part of an installation is played by the files of an oracle that a test wrote."""

    def __init__(self, real: DockerSandbox, files: dict[str, str], language: Language) -> None:
        self.real, self.files, self.language = real, files, language

    def describe(self) -> dict[str, str]:
        return self.real.describe()

    def build(self, request: BuildRequest) -> BuildResult:
        go = self.language is Language.GO
        if not (go and (request.source / "mutants").exists()):
            for name, content in self.files.items():
                path = (request.source if go else request.destination) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
                path.chmod(0o755)
        return self.real.build(request) if go else BuildResult(True, b"")

    def open(self, *, language: str, prefix: Path, limits: Limits, workers: int) -> Session:
        return self.real.open(language=language, prefix=prefix, limits=limits, workers=workers)

    def close(self) -> None: ...


def oracle_of(language: Language) -> Oracle:
    go_mod = "module oracle\n\ngo 1.21\n\nrequire example.org/words v1.0.0\n\nreplace example.org/words => ./words\n"
    match language:
        case Language.PYTHON:
            return Oracle("pypi", "sums", "1", "sum", "MIT", "sums==1 --hash=sha256:00\n", "a" * 64)
        case Language.JAVASCRIPT:
            lock = '{"packages": {"": {"dependencies": {"sums": "1.0.0"}}}}'
            return Oracle("npm", "sums", "1.0.0", "sum", "MIT", lock, "b" * 64)
        case Language.GO:
            return Oracle("go", "example.org/words/cmd/sum", "v1.0.0", "sum", "MIT", go_lock(go_mod, ""), "c" * 64)


def cases_of() -> Sequence[Case]:
    commands = {"add": (("add", "1", "2"), ("add", "8", "2")), "save": (("save", "3"),), "bad": (("bad",),)}
    return [
        Case(f"{pattern}/{number:02}", pattern, ("sum", *words), FIXTURE.digest())
        for pattern, rows in commands.items()
        for number, words in enumerate(rows)
    ]


def audited(real: DockerSandbox, files: dict[str, str], language: Language, path: Path) -> dict[str, Any]:
    """The mutants of an oracle whose task was recorded from its own runs."""
    sandbox = HomeMade(real, files, language)
    tools = Tools(Store(path / "store"), sandbox, SandboxConfig(limits=LIMITS), real.describe(), 2)
    cases = tuple(cases_of())
    words = {"add": b"the sum is 3\n" if language is not Language.JAVASCRIPT else "thé sum is 3\n".encode()}
    patterns = tuple(Pattern(name, name) for name in ("add", "save", "bad"))
    recordings = recorded(tools, language, cases)
    fixtures = {FIXTURE.digest(): FIXTURE}
    oracle = oracle_of(language)
    task = Task("sums", "sum", language, "text", Difficulty.EASY, 10, oracle, "", patterns, cases, fixtures, recordings)
    assert task.recordings["add/00"].stdout.data == words["add"]
    return audit_to_json(audit_mutants(task, tools, Plan(60, None), CompareParams()))


def recorded(tools: Tools, language: Language, cases: Sequence[Case]) -> dict[str, Recording]:
    bare = Task("sums", "sum", language, "text", Difficulty.EASY, 10, oracle_of(language), "", (Pattern("add", ""),), (), {}, {})
    with workshop(tools, bare) as shop, tools.sandbox.open(language="any", prefix=shop.baseline, limits=LIMITS, workers=2) as session:
        outcomes = {case.id: outcome for case, outcome in session.run(cases, {FIXTURE.digest(): FIXTURE})}
    assert all(isinstance(outcome, Recording) for outcome in outcomes.values()), outcomes
    return {case: outcome for case, outcome in outcomes.items() if isinstance(outcome, Recording)}


def kills(found: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """By the changed line: the first metric that kills, and its first case."""
    return {row["after"].strip(): (row["by"], row["case"]) for row in found["kills"]}


def lines(found: dict[str, Any]) -> str:
    return "\n".join(row["after"] for key in ("kills", "survivors", "left_out") for row in found[key])


@pytest.mark.parametrize(
    ("language", "files", "expected", "survivor"),
    [
        (
            Language.PYTHON,
            PYTHON,
            {
                'if words[0] != "bad":': ("exec", "add/00"),
                "if total < 11:": ("em", "add/01"),
                "if total <= 10:": ("em", "add/01"),
                'print("the sum is*", total)': ("em", "add/00"),
                "None": ("sp", "save/00"),
            },
            'sys.exit("no such command*")',
        ),
        (
            Language.JAVASCRIPT,
            NODE,
            {
                "if (command !== 'bad') {": ("exec", "add/00"),
                "if (false) fs.writeFileSync('total', String(total));": ("sp", "save/00"),
                "} else if (total <= 10) console.log(`thé sum is ${total}`);": ("em", "add/01"),
                "process.exit(2);": ("", ""),
            },
            "console.error('no such command*');",
        ),
        (
            Language.GO,
            GO,
            {
                'if os.Args[1] != "bad" {': ("exec", "add/00"),
                "if total <= 10 {": ("em", "add/01"),
                'fmt.Println("the sum is*", total)': ("em", "add/00"),
                "total := 1": ("sp", "save/00"),
            },
            'fmt.Fprintln(os.Stderr, "no such command*")',
        ),
    ],
    ids=["python", "javascript", "go"],
)
def test_an_oracle_of_each_language_is_mutated_where_its_cases_run_it(
    language: Language,
    files: dict[str, str],
    expected: dict[str, tuple[str, str]],
    survivor: str,
    docker_sandbox: DockerSandbox,
    tmp_path: Path,
) -> None:
    found = audited(docker_sandbox, files, language, tmp_path)
    killed = kills(found)
    survivors = {row["after"]: row["differs"] for row in found["survivors"]}
    for line, by in expected.items():
        if by == ("", ""):
            assert survivors[line] == "exit status of a failure"
        else:
            assert killed[line] == by, line
    assert survivors[survivor] == "standard error only"
    assert "nobody calls this" not in lines(found)
    assert (found["missing"], found["unsteady"]) == (0, {})
    assert found["killed"] >= 6
    if language is Language.GO:
        assert any("[3]string" in row["after"] or "[2]string" in row["after"] for row in found["survivors"] + found["left_out"])
