"""Random structured documents, and their text in JSON, YAML, TOML and CSV.

The writers are our own and small: a library's next version must not change a frozen task's cases. They write plain forms that every
reader of the format takes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from clibench.synthesis.stream import Stream

Node = dict[str, "Node"] | list["Node"] | str | int | bool | float | None

WORDS: Final = (
    "alpha", "beta", "gamma", "delta", "north", "south", "river", "stone", "lamp", "paper", "green", "amber", "violet", "copper",
    "winter", "summer", "signal", "harbor", "engine", "ticket", "orbit", "pixel", "socket", "window", "garden", "mirror", "rocket",
)  # fmt: skip
"""Plain words without a meaning to any tool."""

BROKEN_JSON: Final = ('{"a": 1', '{"a": 1,}', "{'a': 1}", "[1, 2", "{a: 1}", '{"a" 1}', "nul", '"open', "{} {}", "")
BROKEN_YAML: Final = ("a: [1, 2", "a: b: c", "a:\n\t- 1\n", "- 1\nb: 2\n", "'open", "{a: 1", "a: &x *y\n", "%bad\n", "a: 1\n b: 2\n")
BROKEN_TOML: Final = ("a = ", "= 1\n", "[a\nb = 1\n", 'a = "open\n', "a = 1\na = 2\n", "a = [1, 2\n", "a 1\n", "[a]\n[a]\n", "a = 01\n")
BROKEN_CSV: Final = ('a,b\n"open,1\n', "a,b\n1,2,3\n", "a,b\n1\n", 'a,b\n1,"x"y\n', "\n\n", "a,b\r1,2\r")


def document(stream: Stream, keys: Sequence[str], *, depth: int, width: int, nulls: bool, root: str = "object") -> Node:
    """A random tree of at most `depth` levels and `width` children a level; its root is `object`, `array` or `any`."""
    kind = stream.pick(("object", "array", "scalar")) if root == "any" else root
    if kind == "scalar":
        return _scalar(stream, nulls=nulls)
    size = stream.between(1, width)
    if kind == "array":
        return [_child(stream, keys, depth=depth - 1, width=width, nulls=nulls) for _ in range(size)]
    names = stream.shuffled(keys)[: min(size, len(keys))]
    return {name: _child(stream, keys, depth=depth - 1, width=width, nulls=nulls) for name in names}


def _child(stream: Stream, keys: Sequence[str], *, depth: int, width: int, nulls: bool) -> Node:
    if depth < 1 or stream.chance(0.6):
        return _scalar(stream, nulls=nulls)
    return document(stream, keys, depth=depth, width=width, nulls=nulls, root=stream.pick(("object", "object", "array")))


def _scalar(stream: Stream, *, nulls: bool) -> Node:
    kind = stream.below(7 if nulls else 6)
    if kind < 2:
        return stream.pick(WORDS)
    if kind == 2:
        return stream.between(-50, 1000)
    if kind == 3:
        # A quarter is exact in binary: every language prints the same digits.
        return stream.between(-200, 4000) / 4
    if kind == 4:
        return stream.chance(0.5)
    if kind == 5:
        return f"{stream.pick(WORDS)} {stream.pick(WORDS)}"
    return None


def to_json_text(node: Node, indent: int | None) -> str:
    """JSON, on one line where `indent` is None."""
    return json.dumps(node, indent=indent, ensure_ascii=False) + "\n"


def to_yaml_text(node: Node) -> str:
    """Block-style YAML; scalars are written as JSON, which is YAML too, and words plain."""
    lines = _yaml_lines(node)
    return "\n".join(lines) + "\n"


def _yaml_lines(node: Node) -> list[str]:
    if isinstance(node, dict) and node:
        rows: list[str] = []
        for key, child in node.items():
            rows.extend(_yaml_pair(f"{key}:", child))
        return rows
    if isinstance(node, list) and node:
        items: list[str] = []
        for child in node:
            first, *rest = _yaml_lines(child)
            items.append(f"- {first}")
            items.extend(f"  {line}" for line in rest)
        return items
    return [node if isinstance(node, str) and node in WORDS else json.dumps(node, ensure_ascii=False)]


def _yaml_pair(head: str, child: Node) -> list[str]:
    lines = _yaml_lines(child)
    if isinstance(child, dict | list) and child:
        return [head, *(f"  {line}" for line in lines)]
    return [f"{head} {lines[0]}"]


def to_toml_text(node: Node) -> str:
    """TOML of an object without nulls: plain keys first, then a table for each child object."""
    if not isinstance(node, dict):
        node = {"value": node}
    lines: list[str] = []
    _toml_table(node, (), lines)
    return "\n".join(lines).strip("\n") + "\n"


def _toml_table(table: dict[str, Node], path: tuple[str, ...], lines: list[str]) -> None:
    if path:
        lines.extend(("", f"[{'.'.join(path)}]"))
    lines.extend(f"{key} = {_toml_value(child)}" for key, child in table.items() if not isinstance(child, dict))
    for key, child in table.items():
        if isinstance(child, dict):
            _toml_table(child, (*path, key), lines)


def _toml_value(node: Node) -> str:
    if isinstance(node, dict):
        return "{" + ", ".join(f"{key} = {_toml_value(child)}" for key, child in node.items()) + "}"
    if isinstance(node, list):
        return "[" + ", ".join(_toml_value(child) for child in node) + "]"
    return '""' if node is None else json.dumps(node, ensure_ascii=False)


def to_csv_text(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """CSV (RFC 4180) with LF line ends; a cell is quoted where it has to be."""
    return "".join(delimiter.join(_csv_cell(cell, delimiter) for cell in row) + "\n" for row in rows)


def _csv_cell(cell: str, delimiter: str) -> str:
    quoted = any(mark in cell for mark in (delimiter, '"', "\n", "\r")) or cell != cell.strip()
    return '"' + cell.replace('"', '""') + '"' if quoted else cell
