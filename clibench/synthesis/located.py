"""YAML whose every value knows its line, and whose every scalar is text.

Two things that YAML's own types make wrong are avoided. A value list such as `[yes, 1.50, 0755]` means these six, four and four letters,
so scalars are kept as they are written and the models turn them into numbers where a number is meant. And an error has to name the
line, which plain loading throws away: the marks are kept by path, in the form of pydantic's error locations.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from clibench.errors import TaskError

MAX_NODES = 200_000
"""Values that a document may expand to: aliases of aliases must not fill the memory."""

Location = tuple[str | int, ...]


@dataclass(frozen=True)
class Located:
    """A document: its `data` (text, lists, mappings) and the 1-based line of each value and key."""

    file: Path
    data: Any
    values: dict[Location, int]
    keys: dict[Location, int]

    def line(self, location: Sequence[str | int], *, key: bool = False) -> int:
        """Line of what `location` names. Steps that are no part of the document (tags of pydantic's unions) are passed over."""
        path: Location = ()
        for step in location:
            for candidate in ((*path, step), (*path, str(step))):
                if candidate in self.values:
                    path = candidate
                    break
        if key and path in self.keys:
            return self.keys[path]
        return self.values.get(path, 1)

    def error(self, location: Sequence[str | int], what: str, *, key: bool = False) -> TaskError:
        """A TaskError that says file, line and fault."""
        return TaskError(what, where=f"{self.file}:{self.line(location, key=key)}")


def read_located(file: Path) -> Located:
    """Read a YAML file; raises TaskError naming file and line where it is not one."""
    refuse_special(file)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise TaskError("no such file", where=str(file), fix="A task folder needs one.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"cannot be read: {error}", where=str(file)) from None
    return parse_located(text, file)


def refuse_special(file: Path) -> None:
    """Raise TaskError for a pipe, socket or device in place of a file: reading it might never end."""
    try:
        mode = file.stat().st_mode
    except OSError:
        return  # whoever reads it says why it can't be read
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise TaskError("is no regular file", where=str(file))


def parse_located(text: str, file: Path) -> Located:
    """Parse YAML text; `file` is for the messages."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise TaskError(f"not YAML: {error.problem or error.context or error}", where=f"{file}:{line}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise TaskError(f"not YAML: {' '.join(str(error).split())}", where=str(file)) from None
    if node is None:
        raise TaskError("empty", where=str(file))
    walk = _Walk(file)
    data = walk.value(node, (), ())
    return Located(file, data, walk.values, walk.keys)


class _Walk:
    """Turns nodes into data, and notes where each stood."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.values: dict[Location, int] = {}
        self.keys: dict[Location, int] = {}

    def value(self, node: yaml.Node, path: Location, ancestors: tuple[int, ...]) -> Any:
        line = node.start_mark.line + 1
        if len(self.values) >= MAX_NODES:
            raise TaskError(f"more than {MAX_NODES} values", where=f"{self.file}:{line}", fix="Use fewer aliases.")
        if id(node) in ancestors:
            raise TaskError("an alias that contains itself", where=f"{self.file}:{line}")
        self.values[path] = line
        within = (*ancestors, id(node))
        if isinstance(node, yaml.ScalarNode):
            return str(node.value)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*path, index), within) for index, child in enumerate(node.value)]
        return self._mapping(node, path, within)

    def _mapping(self, node: yaml.Node, path: Location, within: tuple[int, ...]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, child in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise TaskError("a key has to be text", where=f"{self.file}:{line}")
            key = str(key_node.value)
            if key in result:
                raise TaskError(f"the key '{key}' is there twice", where=f"{self.file}:{line}")
            self.keys[(*path, key)] = line
            result[key] = self.value(child, (*path, key), within)
        return result
