"""What a prompt must not tell: which tool it describes, who made it, and test cases beside the shown examples.

(One prompt of the published benchmark is a model's answer with the whole solution in it.) Names are whole words, in any case. The mistake
that is accepted: a maker's name that the spec does not list as forbidden.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from clibench.synthesis.spec import Spec
from clibench.tasks.case import Case

_ADDRESS: Final = re.compile(
    r"(?:https?|ftp|git|ssh)://[A-Za-z0-9][^\s)>\"'`]+|\bwww\.[^\s)>\"'`]+|\b[\w.+-]+@[\w-]+\.[\w.]*[A-Za-z]\b", re.IGNORECASE
)
_RESERVED: Final = re.compile(
    r"(?:[a-z]+://|[\w.+-]+@|www\.)?(?:[\w-]+\.)*(?:example(?:\.(?:com|org|net))?|test|invalid|localhost|192\.0\.2\.\d+)(?:[:/?#.,;].*)?",
    re.IGNORECASE,
)
"""Addresses that belong to nobody (RFC 2606, RFC 5737): test data, not a source."""


_COMMON: Final = frozenset({"cmd", "v2", "v3", "v4", "v5", "github.com", "gitlab.com", "cli", "sh", "tool", "tools", "go", "bin"})
"""Parts of a package's path that any text may hold: they tell nothing."""


def own_names(spec: Spec) -> tuple[str, ...]:
    """Names that the oracle may print for itself: its executable, and its package without the scope or the path before it."""
    last = spec.oracle.name.rstrip("/").rsplit("/", 1)[-1]
    names = dict.fromkeys((spec.oracle.entry, last))
    return tuple(name for name in names if name != spec.task.alias)


def leaks(prompt: str, spec: Spec, cases: Sequence[Case], shown: Sequence[Case]) -> list[str]:
    """What the prompt must not tell, one line each: names of the tool and its makers, addresses, command lines of further test cases."""
    found = []
    path = spec.oracle.name.strip("@").split("/")
    allowed = {word.lower() for word in spec.task.allowed}
    secret = dict.fromkeys((*own_names(spec), spec.oracle.name, *path[:-1], *spec.task.forbidden))
    for name in secret:
        if name.lower() in allowed | _COMMON:
            continue
        match = re.search(rf"(?<![A-Za-z0-9_-]){re.escape(name)}(?![A-Za-z0-9_-])", prompt, re.IGNORECASE)
        if match:
            found.append(f"line {_line(prompt, match.start())}: the name '{match[0]}'")
    found += [f"line {_line(prompt, position)}: the address '{address}'" for position, address in _addresses(prompt, allowed)]
    lines = {line.strip() for line in prompt.splitlines()}
    told = {command_line(case) for case in shown}
    for case in cases:
        line = command_line(case)
        if len(case.argv) > 2 and line not in told and line in lines:
            found.append(f"the command of case {case.id}: {line}")
    return found


def hide_addresses(text: str, spec: Spec) -> str:
    """The text with a note in the place of every address that a prompt must not tell: a help text often ends with the tool's home page."""
    for position, address in reversed(_addresses(text, {word.lower() for word in spec.task.allowed})):
        text = text[:position] + "(address left out)" + text[position + len(address) :]
    return text


def _addresses(text: str, allowed: set[str]) -> list[tuple[int, str]]:
    found = [(match.start(), match[0].rstrip(".,;:")) for match in _ADDRESS.finditer(text)]
    return [(position, address) for position, address in found if not _RESERVED.fullmatch(address) and address.lower() not in allowed]


def command_line(case: Case) -> str:
    """The case's argv and environment as one would type them into a POSIX shell."""
    assignments = [f"{name}={shlex.quote(value)}" for name, value in sorted(case.env.items())]
    return " ".join([*assignments, *(shlex.quote(word) for word in case.argv)])


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
