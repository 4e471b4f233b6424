"""task.yaml as a model: what is known of a task without its cases. Written by freezing, checked by loading."""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import Field

from clibench.synthesis.strict import Strict
from clibench.tasks.task import Difficulty, Language


class OraclePin(Strict):
    """The tool, pinned; `digest` is of what was installed."""

    registry: str
    name: str
    version: str
    entry: str
    licence: str
    digest: str


class PatternHead(Strict):
    """A command pattern, with the number of its cases."""

    id: str
    description: str
    cases: int


class TaskFile(Strict):
    """task.yaml."""

    id: str
    alias: str
    language: Language
    category: str
    difficulty: Difficulty
    loc: int = Field(ge=0)
    oracle: OraclePin
    patterns: tuple[PatternHead, ...] = Field(min_length=1)
    normalisers: tuple[str, ...] = ()
    case_normalisers: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """By case, or by pattern: a key without a slash holds for all cases of the pattern."""
    quarantined: dict[str, str] = Field(default_factory=dict)


def encode_head(head: TaskFile) -> bytes:
    """The bytes of task.yaml."""
    body: dict[str, Any] = head.model_dump(mode="json", exclude_defaults=True)
    text = yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=140, default_flow_style=None)
    return ("# Written by `python -m clibench freeze`: change spec.yaml and freeze again.\n" + text).encode()
