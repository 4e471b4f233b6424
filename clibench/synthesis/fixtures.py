"""Fixtures as a spec writes them, and the fixtures of the data model that they stand for."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, model_validator

from clibench.synthesis.scalars import PathKind, Scene
from clibench.synthesis.strict import Strict
from clibench.synthesis.template import placeholders
from clibench.tasks.case import Entry, Fixture

MAX_FILE: Final = 8 << 20
"""Bytes of one fixture file: a fixture is written anew for each case that uses it."""

MAX_NAME: Final = 255
"""Bytes of one name in a path (Linux: NAME_MAX)."""

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_SPAN: Final = re.compile(r"-?(\d+(?:\.\d+)?)([smhdw])", re.ASCII)


class FileSpec(Strict):
    """One path of a fixture: exactly one of content, base64, repeat, dir and link."""

    content: str | None = None
    base64: str | None = None
    """Binary data."""
    repeat: str | None = None
    """Text that is there `times` times."""
    times: int = Field(default=1000, ge=1)
    dir: bool = False
    link: str | None = None
    """Target of a symbolic link."""
    mode: str | None = Field(default=None, pattern=r"^0?[0-7]{3,4}$")
    """Permission bits in octal."""
    age: str | None = None
    """Modification time before the start of the trial: 90s, 5m, 36h, 2d, 1w (a leading minus means the same)."""

    @model_validator(mode="after")
    def _one_source(self) -> FileSpec:
        sources = [name for name in ("content", "base64", "repeat", "link") if getattr(self, name) is not None] + ["dir"] * self.dir
        if len(sources) != 1:
            found = " and ".join(sources) or "none"
            raise ValueError(f"exactly one of content, base64, repeat, dir and link is needed, found {found}")
        if self.age is not None and not _SPAN.fullmatch(self.age):
            raise ValueError(f"age '{self.age}' is not a time span such as 90s, 5m, 36h, 2d or 1w")
        if self.base64 is not None:
            try:
                base64.b64decode("".join(self.base64.split()), validate=True)
            except (binascii.Error, ValueError) as error:
                raise ValueError(f"not base64: {error}") from None
        if self.repeat is not None and len(self.repeat.encode()) * self.times > MAX_FILE:
            raise ValueError(f"the file would be larger than {MAX_FILE} bytes")
        return self


def _short_form(data: Any) -> Any:
    """Plain text is the content."""
    return {"content": data} if isinstance(data, str) else data


File = Annotated[FileSpec, BeforeValidator(_short_form)]


class FixtureSpec(Strict):
    """Files and set-up, on top of those of the fixture that it extends."""

    extends: str | None = None
    files: dict[str, File] = Field(default_factory=dict)
    """By path: relative to the workspace, or below `~/`."""
    prepare: tuple[str, ...] | None = None
    """argv run once in the workspace after the files are written, where nothing declarative does."""


def path_fault(path: str) -> str | None:
    """Why a fixture can't hold `path`, or None."""
    inner = path.removeprefix("~/")
    if "\0" in path or not inner.strip("/"):
        return "a path must not be empty"
    if inner.startswith("/"):
        return "a path is relative to the workspace, or starts with ~/"
    if any(part in ("", ".", "..") for part in inner.rstrip("/").split("/")):
        return "a path must not hold empty parts, '.' or '..'"
    return None


def resolve(name: str, specs: Mapping[str, FixtureSpec]) -> FixtureSpec:
    """The fixture with what it extends merged in; raises KeyError for an unknown one, ValueError for a cycle."""
    chain: list[str] = []
    step: str | None = name
    while step is not None:
        if step in chain:
            raise ValueError(" -> ".join([*chain, step]))
        chain.append(step)
        step = specs[step].extends
    files: dict[str, FileSpec] = {}
    prepare: tuple[str, ...] | None = None
    for link in reversed(chain):
        files |= specs[link].files
        prepare = specs[link].prepare or prepare
    return FixtureSpec(files=files, prepare=prepare)


def scene_of(fixture: FixtureSpec, more: Mapping[str, FileSpec]) -> Scene:
    """The paths below the workspace, with the folders that the files imply."""
    kinds: dict[str, PathKind] = {}
    for raw, file in {**fixture.files, **more}.items():
        if raw.startswith("~/") or any(placeholders(raw)):
            continue  # no path of the workspace, or one that each case names anew
        path = raw.rstrip("/")
        for parent in _parents(path):
            kinds.setdefault(parent, "dir")
        kinds[path] = "dir" if file.dir else "link" if file.link is not None else "file"
    return Scene(tuple(sorted(kinds.items())))


def build(fixture: FixtureSpec, more: Mapping[str, FileSpec], text: Callable[[str], str]) -> Fixture | None:
    """The data model's fixture; `more` are the pattern's own files, whose paths and text go through `text` (placeholders).

    None where what was drawn makes no path that a fixture can hold.
    """
    entries = {path: _entry(path, file, lambda content: content) for path, file in fixture.files.items()}
    for template, file in more.items():
        path = text(template)
        if path_fault(path) or max(len(os.fsencode(part)) for part in path.split("/")) > MAX_NAME:
            return None
        entries[path] = _entry(path, file, text)
    names = {path.rstrip("/"): entry for path, entry in entries.items()}
    if any(parent in names and names[parent].type != "dir" for path in names for parent in _parents(path)):
        return None
    return Fixture(tuple(entries[path] for path in sorted(entries)), fixture.prepare)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _entry(path: str, file: FileSpec, text: Callable[[str], str]) -> Entry:
    name = path.rstrip("/")
    mode = int(file.mode, 8) if file.mode is not None else None
    age = _seconds(file.age) if file.age is not None else None
    if file.dir:
        return Entry(name, "dir", mode=mode, age_s=age)
    if file.link is not None:
        return Entry(name, "symlink", target=text(file.link), age_s=age)
    return Entry(name, "file", _content(file, text), mode=mode, age_s=age)


def _content(file: FileSpec, text: Callable[[str], str]) -> bytes:
    if file.base64 is not None:
        return base64.b64decode("".join(file.base64.split()), validate=True)
    if file.repeat is not None:
        return text(file.repeat).encode("utf-8", "surrogateescape") * file.times
    return text(file.content or "").encode("utf-8", "surrogateescape")


def _seconds(span: str) -> float:
    match = _SPAN.fullmatch(span)
    assert match is not None  # noqa: S101 - the model has checked it
    return float(match[1]) * _UNITS[match[2]]
