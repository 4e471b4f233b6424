"""The files of a checkout of the published benchmark: which tasks it has, and what belongs to each. Nothing in it is run here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clibench.errors import UserError

TESTS: Final = "run_differential_test"
START: Final = "start.py"
_PROMPT: Final = "agent_prompt.txt"
_LARGEST: Final = 8 << 20
"""Bytes of a file that is read."""


@dataclass(frozen=True)
class Source:
    """What the artifact holds of one task."""

    id: str
    """owner/name."""
    start: bytes
    prompt: str
    """Empty where there is none."""
    category: str

    @property
    def owner(self) -> str:
        """Account of the repository."""
        return self.id.split("/", 1)[0]

    @property
    def name(self) -> str:
        """Of the repository."""
        return self.id.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Artifact:
    """A checkout."""

    sources: tuple[Source, ...]
    shared: dict[str, bytes]
    """Modules that the start.py files import, by file name."""
    prompts_without_tests: tuple[str, ...]


def read_artifact(checkout: Path) -> Artifact:
    """The tasks of a checkout, by name. Raises UserError for a folder that is none."""
    repositories = checkout / TESTS / "repo"
    starts = {"/".join(path.parts[-3:-1]): path for path in sorted(repositories.glob(f"*/*/{START}"))}
    if not starts:
        raise UserError(
            f"no {TESTS}/repo/<owner>/<name>/{START} in it", where=f"path={checkout}", fix="Give the folder of a checkout of the artifact."
        )
    prompts = {"/".join(path.parts[-3:-1]): path for path in sorted((checkout / "agent_prompt").glob(f"*/*/{_PROMPT}"))}
    categories = _categories(checkout / "category.json")
    sources = tuple(
        Source(name, _bytes(path), _bytes(prompts[name]).decode("utf-8", "replace") if name in prompts else "", categories.get(name, ""))
        for name, path in sorted(starts.items(), key=lambda item: item[0].lower())
    )
    shared = {path.name: _bytes(path) for path in sorted((checkout / TESTS).glob("*.py"))}
    return Artifact(sources, shared, tuple(sorted(set(prompts) - set(starts))))


def _categories(path: Path) -> dict[str, str]:
    """By owner/name, from {category: [owner/name]} or {owner/name: category}; empty where there is no such file."""
    if not path.is_file():
        return {}
    try:
        body = json.loads(_bytes(path))
    except ValueError as error:
        raise UserError(f"not JSON: {error}", where=str(path)) from None
    found: dict[str, str] = {}
    for key, value in body.items() if isinstance(body, dict) else ():
        found.update({str(name): str(key) for name in value} if isinstance(value, list) else {str(key): str(value)})
    return found


def _bytes(path: Path) -> bytes:
    """Content of a file of the checkout; links out of it are not followed."""
    if path.is_symlink():
        raise UserError("a symbolic link", where=str(path), fix="Put the file in its place.")
    try:
        if path.stat().st_size > _LARGEST:
            raise UserError(f"larger than {_LARGEST} bytes", where=str(path))
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"can't be read: {error.strerror}", where=str(path)) from None
