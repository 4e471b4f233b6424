"""What a prompt must not tell: which tool it describes, who made it, and test cases beside the shown examples.

(One prompt of the published benchmark is a model's answer with the whole solution in it.) Names are whole words, in any case. The mistake
that is accepted: a maker's name that the spec does not list as forbidden.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from clibench.evaluation.normalise import AFTER_COLOUR
from clibench.synthesis.spec import Spec
from clibench.tasks.case import Case

_ADDRESS: Final = re.compile(
    r"(?:https?|ftp|git|ssh)://[A-Za-z0-9][^\s)>\"'`]+|\bwww\.[^\s)>\"'`]+|\b(?=[\d.+-]*[A-Za-z_])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]*[A-Za-z]\b",
    re.IGNORECASE,
)
_RESERVED: Final = re.compile(
    r"(?:[a-z]+://|[\w.+-]+@|www\.)?(?:[\w-]+\.)*(?:example(?:\.(?:com|org|net))?|test|invalid|localhost|192\.0\.2\.\d+)(?:[:/?#.,;].*)?",
    re.IGNORECASE,
)
"""Addresses that belong to nobody (RFC 2606, RFC 5737): test data, not a source."""


_COMMON: Final = frozenset({"cmd", "v2", "v3", "v4", "v5", "github.com", "gitlab.com", "cli", "sh", "tool", "tools", "go", "bin"})
"""Parts of a package's path that any text may hold: they tell nothing."""


def own_names(spec: Spec) -> tuple[str, ...]:
    """Names that the oracle may print for itself: its executable, its package without the scope or the path before it, and the other
    spellings that the spec tells."""
    last = spec.oracle.name.rstrip("/").rsplit("/", 1)[-1]
    names = dict.fromkeys((spec.oracle.entry, last, *spec.oracle.spellings))
    return tuple(name for name in names if name != spec.task.alias)


def leaks(prompt: str, spec: Spec, cases: Sequence[Case], shown: Sequence[Case]) -> list[str]:
    """What the prompt must not tell, one line each: names of the tool and its makers, addresses, command lines of further test cases."""
    found = []
    allowed = _allowed(spec)
    for name in secret_names(spec):
        match = word(name).search(prompt)
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


def missing_patterns(prompt: str, spec: Spec) -> list[str]:
    """The patterns that the prompt has no example of, one line each."""
    return [
        f"nothing of the pattern '{pattern.id}'"
        for number, pattern in enumerate(spec.patterns, start=1)
        if not re.search(rf"^### {number}\. {re.escape(pattern.description.strip())}$", prompt, re.MULTILINE)
    ]


def secret_names(spec: Spec) -> list[str]:
    """Names of the tool and its makers that a prompt must not hold."""
    path = spec.oracle.name.strip("@").split("/")
    secret = dict.fromkeys((*own_names(spec), spec.oracle.name, *path[:-1], *spec.task.forbidden))
    return [name for name in secret if name.lower() not in _allowed(spec) | _COMMON]


def hide(text: str, spec: Spec) -> str:
    """The text without what a prompt must not tell: a help text often ends with the tool's home page and its author. Addresses and makers
    give way to a note, the tool's names, however they are capitalised, to the alias."""
    for position, address in reversed(_addresses(text, _allowed(spec))):
        text = text[:position] + "(address left out)" + text[position + len(address) :]
    own = {*own_names(spec), spec.oracle.name}
    for name in sorted(secret_names(spec), key=len, reverse=True):
        text = word(name).sub(spec.task.alias if name in own else "(name left out)", text)
    return text


def addresses(text: str, spec: Spec) -> list[tuple[int, str]]:
    """Addresses that a prompt must not hold, with where they stand."""
    return _addresses(text, _allowed(spec))


def _allowed(spec: Spec) -> set[str]:
    return {word.lower() for word in spec.task.allowed}


def word(name: str) -> re.Pattern[str]:
    """Matches the name as a whole word. What follows a dot is none, unless a slash is before it: the ending of a file is a format that the
    tool may look at, a hidden file (`~/.tool.txt`) is the tool's own. Parts may be joined otherwise: `some-tool`, `some_tool`,
    `SomeTool`."""
    forms = "[-_]?".join(map(re.escape, re.split(r"[-_]", name)))
    return re.compile(rf"(?:(?<![A-Za-z0-9_-])(?<![^/]\.)(?<!^\.)|{AFTER_COLOUR}){forms}(?![A-Za-z0-9_-])", re.IGNORECASE)


def _addresses(text: str, allowed: set[str]) -> list[tuple[int, str]]:
    found = [(match.start(), match[0].rstrip(".,;:")) for match in _ADDRESS.finditer(text)]
    return [(position, address) for position, address in found if not _RESERVED.fullmatch(address) and address.lower() not in allowed]


def command_line(case: Case) -> str:
    """The case's argv and environment as one would type them into a POSIX shell."""
    assignments = [f"{name}={shlex.quote(value)}" for name, value in sorted(case.env.items())]
    return " ".join([*assignments, *(shlex.quote(word) for word in case.argv)])


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
