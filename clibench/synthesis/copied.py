"""Source code of the oracle in a text that is to describe it.

A description in words is no solution; four lines of code in a row that stand so in the oracle's own files are a piece of one. Compared are
lines with the marks of code, blanks apart. Help and examples are not looked at: a tool may print what its source says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from clibench.tasks.measure import own_sources
from clibench.tasks.task import Language

RUN: Final = 4
"""Lines in a row from which on a text counts as copied."""
SHORTEST: Final = 12
_CODE: Final = re.compile(r"[(){}\[\];=]|^(?:def|class|func|return|import|from|if|for|while|const|let|var|else|try|switch|case)\b")
MOST_BYTES: Final = 20 << 20


def source_texts(source: Path, language: Language) -> list[str]:
    """The oracle's own files, as text."""
    texts, total = [], 0
    for path in own_sources(source, language):
        try:
            text = path.read_text("utf-8", "replace")
        except OSError:
            continue
        total += len(text)
        if total > MOST_BYTES:
            break
        texts.append(text)
    return texts


def copied_lines(text: str, sources: Iterable[str]) -> list[int]:
    """Numbers (from 1) of the lines of `text` that belong to a run of the oracle's code."""
    known = {_normal(line) for source in sources for line in source.splitlines() if _is_code(line)}
    found: list[int] = []
    run: list[int] = []
    for number, line in enumerate((*text.splitlines(), "the end"), start=1):
        if not line.strip():
            continue
        if _is_code(line) and _normal(line) in known:
            run.append(number)
            continue
        if len(run) >= RUN:
            found += run
        run = []
    return found


def _is_code(line: str) -> bool:
    text = line.strip()
    return len(text) >= SHORTEST and bool(_CODE.search(text))


def _normal(line: str) -> str:
    return " ".join(line.split()).rstrip(";,")
