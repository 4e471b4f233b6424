"""The semantic judge (SM): do two outputs that are not equal say the same? A protocol with two implementations.

`rules` (`semantic_rules`) is deterministic and free; `llm` (`semantic_llm`) asks a model, as the paper does. A judge is asked only where
Exec and SP hold and EM fails: an EM pass is an SM pass without a call. It may abstain (`passed` is None): the case then counts as missing,
with bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clibench.evaluation.verdict import Check


@dataclass(frozen=True)
class Question:
    """Two texts, with what a judge may need to know about the command that printed them."""

    expected: bytes
    """The oracle's standard output after the task's normalisers; UTF-8."""
    actual: bytes
    """The submission's; UTF-8."""
    argv: tuple[str, ...] = ()
    inputs: tuple[bytes, ...] = ()
    """What the command could read: stdin, and the files of the fixture. A listing in the order of its input has an order."""


class SemanticJudge(Protocol):
    """Answers questions, many at a time, in order."""

    name: str
    """`rules`, or `llm:<model>`: SM numbers always say which judge made them."""

    def identity(self) -> dict[str, Any]:
        """What can change an answer (version, model, prompt, parameters): part of the key of a verdict."""
        ...

    def judge(self, questions: Sequence[Question]) -> list[Check]:
        """One check a question, in order. Faults of the harness are raised as InfraError, never returned as an answer."""
        ...
