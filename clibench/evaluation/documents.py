"""JSON and YAML as typed values, and the first place where two values are not the same.

A value is a dict, a list or a `Scalar`. Numbers are equal by value (1, 1.0 and 1e0), keys have no order, lists have one. Everything else is
as strict as the formats are: text "1" is not the number 1, and texts are equal only character by character. What a parser would drop or
guess (duplicate keys, comments, anchors, tags) makes a text no document here, so that nothing that was printed goes unnoticed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal, TypeAlias

YAML_SIZE: Final = 1 << 18
"""Longest text that is read as YAML, in characters: the parser is slow."""


@dataclass(frozen=True)
class Scalar:
    """A leaf."""

    kind: Literal["number", "text", "bool", "null"]
    value: Decimal | str | bool | None

    def __str__(self) -> str:
        return json.dumps(self.value, ensure_ascii=False) if self.kind == "text" else "null" if self.value is None else str(self.value)


Value: TypeAlias = "dict[str, Value] | list[Value] | Scalar"


class _NotADocument(Exception):  # noqa: N818 - a signal between functions of this module
    """The text is not in this format, or holds what a comparison of values would miss."""


def parse_json(text: str) -> Value | None:
    """The object or array that `text` is, or None. A bare scalar is not taken for a document."""
    try:
        value = json.loads(text, object_pairs_hook=_pairs, parse_int=_number, parse_float=_number, parse_constant=_constant)
        return _typed(value) if isinstance(value, dict | list) else None
    except (ValueError, _NotADocument, RecursionError, InvalidOperation):
        return None


def parse_json_at(text: str, start: int) -> tuple[Value, int] | None:
    """The object or array that begins at `start`, and where it ends; None where there is none."""
    decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_number, parse_float=_number, parse_constant=_constant)
    try:
        value, end = decoder.raw_decode(text, start)
        return (_typed(value), end) if isinstance(value, dict | list) else None
    except (ValueError, _NotADocument, RecursionError, InvalidOperation):
        return None


def parse_yaml(text: str) -> list[Value] | None:
    """The documents of a YAML stream, or None. Only nested ones count: flat `key: value` lines may be prose, and are read as lines."""
    import yaml

    if len(text) > YAML_SIZE or "\t" in text or not _MAY_NEST.search(text) or _has_comment(text):
        return None
    marks = yaml.AnchorToken | yaml.AliasToken | yaml.TagToken
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if _MARKS.search(text) and any(isinstance(token, marks) for token in yaml.scan(text, loader)):
            return None
        documents = [_from_node(node) for node in yaml.compose_all(text, loader)]
    except (yaml.YAMLError, _NotADocument, RecursionError, InvalidOperation, ValueError):
        return None
    return documents if documents and all(_nested(document) for document in documents) else None


def first_mismatch(expected: Value, actual: Value, where: str = "$") -> str | None:
    """Where two values part, as `$.key[2]: 1 is not 2`; None where they are the same."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key, value in expected.items():
            if key not in actual:
                return f"{where}: key {key!r} is missing"
            if found := first_mismatch(value, actual[key], f"{where}.{key}"):
                return found
        extra = next((key for key in actual if key not in expected), None)
        return None if extra is None else f"{where}: key {extra!r} is not expected"
    if isinstance(expected, list) and isinstance(actual, list):
        for place, (left, right) in enumerate(zip(expected, actual, strict=False)):
            if found := first_mismatch(left, right, f"{where}[{place}]"):
                return found
        return None if len(expected) == len(actual) else f"{where}: {len(expected)} items are not {len(actual)}"
    if isinstance(expected, Scalar) and isinstance(actual, Scalar):
        same = expected.kind == actual.kind and expected.value == actual.value
        return None if same else f"{where}: {str(expected)[:80]} is not {str(actual)[:80]}"
    return f"{where}: {_kind(expected)} is not {_kind(actual)}"


def _kind(value: Value) -> str:
    return "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else f"{value}"[:80]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _NotADocument
    return found


def _number(text: str) -> Scalar:
    return Scalar("number", Decimal(text))


def _constant(text: str) -> Scalar:
    """NaN and the infinities, which JSON printers of some languages emit: equal by name."""
    return Scalar("text", f"constant {text}")


def _typed(value: Any) -> Value:
    if isinstance(value, Scalar):
        return value
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    if isinstance(value, bool):
        return Scalar("bool", value)
    return Scalar("null", None) if value is None else Scalar("text", value)


_YAML_TRUE: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


def _from_node(node: Any) -> Value:
    """From a composed node. What surprises in YAML 1.1 (yes, 0o10, 1_000, 12:30, dates) stays text, told apart from quoted text."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Value] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _NotADocument
            name = str(_from_node(key)) if key.tag != "tag:yaml.org,2002:str" else key.value
            if name in mapping:
                raise _NotADocument
            mapping[name] = _from_node(value)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_from_node(item) for item in node.value]
    kind = node.tag.rpartition(":")[2]
    if kind == "str":
        return Scalar("text", node.value)
    if kind == "null":
        return Scalar("null", None)
    if kind == "bool" and node.value in _YAML_TRUE:
        return Scalar("bool", _YAML_TRUE[node.value])
    plain = node.value.removeprefix("-")
    if (
        kind in ("int", "float")
        and plain.replace(".", "", 1).isdecimal()
        and (plain == "0" or not plain.startswith("0") or plain.startswith("0."))
    ):
        return Scalar("number", Decimal(node.value))
    return Scalar("text", f"{kind} {node.value}")


def _nested(value: Value) -> bool:
    """A collection that holds a collection."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(not isinstance(item, Scalar) for item in items)


_MAY_NEST: Final = re.compile(r"[\[{]|^ *-\s|: *$", re.MULTILINE)
"""What a nested document must have somewhere; asked first, since it is cheap."""

_MARKS: Final = re.compile(r"[&*!]")
"""What anchors, aliases and tags begin with."""


def _has_comment(text: str) -> bool:
    """Whether there may be a comment: ` #` or a line that starts with `#`. Inside a quoted text this errs on the strict side."""
    return any(line.lstrip().startswith("#") or " #" in line for line in text.split("\n"))
