"""What goes into the files that a tool is given, by kind: each kind has suffixes, a template, and the parameters that its template draws.

A template is made so that two draws nearly always differ and any reader of the format takes them: a tool whose output depends on its input
then gives fifty results for fifty cases. JSON, YAML, TOML and CSV share their keys, so that a query or a column name fits all of them. One
document in two is laid out by a careless hand (`forms`): a formatter has something to do then, and a checker something to find. In invalid
cases a text that is no such document stands before or behind it (`broken`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

KEYS: Final = ("name", "id", "size", "active", "tags", "meta", "items")
"""Top-level keys of every structured document."""


@dataclass(frozen=True, eq=False)
class Kind:
    """One kind of content."""

    name: str
    suffixes: tuple[str, ...]
    """The usual one first, with its dot; a whole file name where it has none."""
    words: str
    """Regular expression of words that speak of it."""
    template: str
    params: dict[str, Any]
    """In the form of a spec; names begin with the kind's."""
    broken: tuple[str, ...] = ()
    """Texts that are no such document."""
    env: dict[str, str] = field(default_factory=dict)
    """Environment that the content refers to."""


@cache
def kinds() -> dict[str, Kind]:
    """All kinds by name, in the order in which they are tried where nothing speaks for one."""
    rows = yaml.safe_load((Path(__file__).parent / "contents.yaml").read_text("utf-8"))
    return {
        name: Kind(
            name,
            tuple(row["suffixes"]),
            row["words"],
            breakable(name, row["template"], row.get("broken", ())),
            {
                **{key: rows["_shared"][key] for key in row.get("shared", ())},
                **row.get("params", {}),
                **({f"{name}_form": {"type": "record", "rows": row["forms"]}} if "forms" in row else {}),
                **fault_of(name, row.get("broken", ())),
            },
            tuple(row.get("broken", ())),
            dict(row.get("env", {})),
        )
        for name, row in rows.items()
        if name != "_shared"
    }


def breakable(name: str, template: str, broken: Sequence[str]) -> str:
    """The template with the places in which an invalid case has a fault: as many as make it about as frequent as a wrong number."""
    return f"{{{name}_fault}}{template}{{{name}_fault#2}}{{{name}_fault#3}}" if broken else template


def fault_of(name: str, broken: Sequence[str]) -> dict[str, Any]:
    """The parameter for it: nothing in a valid case."""
    return {f"{name}_fault": {"type": "choice", "values": [""], "invalid": list(broken)}} if broken else {}


@cache
def details() -> dict[str, Kind]:
    """By the name of a kind: a document of it that uses more of its format, with the same faults."""
    folder = Path(__file__).parent
    shared = yaml.safe_load((folder / "contents.yaml").read_text("utf-8"))["_shared"]
    rows = yaml.safe_load((folder / "details.yaml").read_text("utf-8"))
    found = {}
    for name, row in rows.items():
        kind = kinds()[name]
        forms = {f"{name}_detail": {"type": "record", "rows": row["forms"]}} if "forms" in row else {}
        params = {**{key: shared[key] for key in row["shared"]}, **forms, **fault_of(name, kind.broken)}
        template = breakable(name, row["template"], kind.broken)
        found[name] = Kind(f"detailed {name}", kind.suffixes, kind.words, template, params, kind.broken)
    return found


@cache
def by_suffix() -> dict[str, Kind]:
    """Kind of a file by its suffix or whole name, lower case."""
    return {suffix: kind for kind in reversed(kinds().values()) for suffix in kind.suffixes}


def kind_of_path(path: str) -> Kind | None:
    """The kind that a file's name speaks of."""
    name = path.rsplit("/", 1)[-1].lower()
    table = by_suffix()
    if name in table:
        return table[name]
    return table.get("." + name.rsplit(".", 1)[-1]) if "." in name else None
