"""A task: one oracle turned into an assignment (prompt, command patterns, cases, frozen recordings).

This is what the rest of clibench sees of `tasks/<id>/`; `load.py` reads and validates the files, `freeze.py` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from clibench.recording import Recording
from clibench.tasks.case import Case, Fixture


class Language(StrEnum):
    """Language in which the submission has to be written, that of the oracle."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    GO = "go"


class Difficulty(StrEnum):
    """By the oracle's lines of code: easy <= 1500 < medium <= 4000 < hard (paper II-A)."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"

    @classmethod
    def of(cls, loc: int) -> Difficulty:
        """The class of an oracle with `loc` lines of code."""
        return cls.EASY if loc <= 1500 else cls.MEDIUM if loc <= 4000 else cls.HARD


@dataclass(frozen=True)
class Oracle:
    """The human-written tool, pinned. Never shown to an agent."""

    registry: str
    """pypi, npm or go."""
    name: str
    version: str
    entry: str
    """Executable that the installation creates."""
    licence: str
    lock: str
    """Content of oracle.lock: every package that is installed, with the hash of its artefact (forms: `oracle_lock.py`)."""
    digest: str
    """SHA-256 of the canonical form of `lock`: what was installed, whatever the platform."""


@dataclass(frozen=True)
class Pattern:
    """One command pattern c in C."""

    id: str
    description: str


@dataclass(frozen=True)
class Task:
    """A loaded, validated task."""

    id: str
    alias: str
    """Name of the command in the prompt, the cases and the submission."""
    language: Language
    category: str
    difficulty: Difficulty
    loc: int
    """Lines of code of the oracle, measured."""
    oracle: Oracle
    prompt: str
    patterns: tuple[Pattern, ...]
    cases: tuple[Case, ...]
    fixtures: Mapping[str, Fixture]
    """By digest."""
    recordings: Mapping[str, Recording]
    """The oracle's, by case id."""
    normalisers: tuple[str, ...] = ()
    """Named normalisers that the comparers apply to both sides, for every case."""
    case_normalisers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further ones, by case id (from the stability check)."""
    quarantined: Mapping[str, str] = field(default_factory=dict)
    """Cases left out, with the reason; they are not in `cases`."""
    folder: Path | None = None
    digest: str = ""
    """Of everything above that can change a result."""
