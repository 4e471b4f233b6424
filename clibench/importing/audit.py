"""What is wrong with a published prompt: it tells who made the tool, shows tests beside its examples, holds a program, names another tool.

Leaks are found by the same rules that refuse prompts of ours (`clibench.synthesis.leaks`). The name of the command itself is no leak here:
the published prompts name it on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clibench.importing.pins import ImportedPin
from clibench.synthesis.leaks import command_line, leaks
from clibench.synthesis.spec import OracleSpec, Spec, TaskHead
from clibench.tasks.case import Case

_TOOL: Final = re.compile(r"^\W*CLI Tool Name\W*:\W*`?([^\s`*]+)", re.MULTILINE)
_CODE: Final = re.compile(
    r"^(?:def \w+\(|class \w+[(:]|from [\w.]+ import |import [\w.]+$|package main\b|func (?:\(\w+ \*?\w+\) )?\w+\(|type \w+ struct"
    r"|(?:export )?(?:async )?function \w+\(|(?:const|let|var) \w+ = |module\.exports|#!/usr/bin/env )"
)
_CODE_LINES: Final = 10
"""Lines that begin a definition or an import: fewer may be data that the tool reads."""


@dataclass(frozen=True)
class PromptAudit:
    """What was found in a prompt."""

    tool: str
    """Name that the prompt gives the command; empty where it gives none."""
    leaks: tuple[str, ...]
    absent: tuple[str, ...]
    """Categories of tests that the prompt does not speak of."""
    code_lines: int
    """Lines of program text, where there are so many that it is a program."""


def audit_prompt(
    prompt: str, tool: str, owner: str, repository: str, pin: ImportedPin, cases: Sequence[Case], categories: Sequence[str]
) -> PromptAudit:
    """Audit a prompt whose paths are already those of the cases; `categories` as the tests name them."""
    named = _TOOL.search(prompt)
    shown: dict[str, Case] = {}
    lines = {line.strip().strip("`").removeprefix("$ ") for line in prompt.splitlines()}
    for case in cases:
        if command_line(case) in lines:
            shown.setdefault(case.pattern, case)
    bare = "\n".join(line.strip().strip("`").removeprefix("$ ") for line in prompt.splitlines())
    found = leaks(bare, _spec(tool, owner, repository, pin), cases, list(shown.values()))
    code = sum(bool(_CODE.match(line)) for line in prompt.splitlines())
    absent = tuple(category for category in dict.fromkeys(categories) if not _speaks_of(prompt, category))
    return PromptAudit(named[1] if named else "", tuple(found), absent, code if code >= _CODE_LINES else 0)


def _speaks_of(prompt: str, category: str) -> bool:
    def plain(text: str) -> str:
        return " ".join(re.sub(r"[`*\\]", "", text).split())

    return plain(category) in plain(prompt)


def _spec(tool: str, owner: str, repository: str, pin: ImportedPin) -> Spec:
    """A spec that holds no more than what the audit asks for."""
    name = pin.name or f"{owner}/{repository}"
    oracle = OracleSpec.model_construct(registry="pypi", name=name, version="", entry=tool, licence="", extras=())
    task = TaskHead.model_construct(alias=tool, category="", forbidden=(owner, f"{owner}/{repository}"), allowed=(tool,))
    return Spec.model_construct(task=task, oracle=oracle)
