"""The help texts of a task, read back from its prompt: a frozen task keeps them nowhere else.

A tool's help is the cheapest thing that an implementer can print. Own names and addresses are hidden in it as they are in the prompt.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Final

from clibench.tasks.case import Case
from clibench.tasks.task import Task

_ASKING: Final = frozenset({"-h", "--help", "-help", "help"})
_SECTION: Final = re.compile(r"^## Help\n(.*?)(?=^## How it is used$|\Z)", re.MULTILINE | re.DOTALL)
_PRINTS: Final = re.compile(r"^`([^`\n]+)` prints[^\n]*:\n\n(`{3,})text\n(.*?)^\2$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Help:
    """What one help command printed; `subcommand` is the words of that command without those that ask for help."""

    subcommand: tuple[str, ...]
    text: bytes


def help_texts(task: Task) -> tuple[Help, ...]:
    """All help texts of the prompt, in its order; none where the prompt has no section of help."""
    section = _SECTION.search(task.prompt)
    if section is None:
        return ()
    return tuple(
        Help(tuple(word for word in shlex.split(command)[1:] if word not in _ASKING), text.encode("utf-8", "surrogateescape"))
        for command, _, text in _PRINTS.findall(section[1])
    )


def help_for(helps: tuple[Help, ...], case: Case) -> bytes:
    """The help of the subcommand that the case calls, else the first one. Raises ValueError where there is none at all."""
    if not helps:
        raise ValueError("the task has no help")
    fitting = [each for each in helps if case.argv[1 : len(each.subcommand) + 1] == each.subcommand]
    return max(fitting or helps[:1], key=lambda each: len(each.subcommand)).text
