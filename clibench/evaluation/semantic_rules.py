"""The semantic judge without a model: two outputs say the same when they hold the same data in another form of the same format.

Readings are tried from the most to the least specific; the outputs are equal in meaning when one reading finds them equal:

| reading | may differ | may not differ |
| --- | --- | --- |
| JSON, JSON lines, YAML | layout, order of keys, quotes, 1 and 1.0 | values, types, order of lists, comments |
| CSV, TSV | quotes, 1 and 1.0 | delimiter, cells, order of rows |
| blocks: tables, key-value lines, embedded JSON | borders, padding, order of unique keys in one block | cells, order of rows and blocks |
| tree drawings | the style of the branches | depth, order, names |
| listings of paths | order, where the expected one has none | the paths |
| lines | spelling of numbers and paths | every word |

A false pass is worse than a false fail: what differs in wording fails, whatever it means. Binary and empty outputs never come here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from clibench.evaluation.blocks import blocks_mismatch, read_blocks
from clibench.evaluation.documents import Value, first_mismatch, parse_json, parse_yaml
from clibench.evaluation.listings import same_listing, tree_mismatch
from clibench.evaluation.normalise import strip_ansi, text_lines
from clibench.evaluation.semantic import Question
from clibench.evaluation.tables import parse_csv, rows_mismatch
from clibench.evaluation.tokens import same_text
from clibench.evaluation.verdict import Check

VERSION: Final = 1

SIZE: Final = 1 << 22
"""Longest side, in bytes, that is read for structure; beyond it only lines are compared."""


class RulesJudge:
    """Structure-aware and deterministic; costs nothing and never abstains."""

    name = "rules"

    def identity(self) -> dict[str, Any]:
        """The version of the rules."""
        return {"judge": self.name, "version": VERSION}

    def judge(self, questions: Sequence[Question]) -> list[Check]:
        """One check a question; the reason names the reading that decided."""
        return [judge_one(question) for question in questions]


def judge_one(question: Question) -> Check:
    """Whether the two outputs of `question` hold the same data."""
    comparer = f"rules/{VERSION}"
    expected, actual = (strip_text(side) for side in (question.expected, question.actual))
    readings = READINGS if same_words(expected, actual) else READINGS[:1]
    why = ""
    for name, reading in readings:
        if name != "lines" and max(len(expected), len(actual)) > SIZE:
            continue
        try:
            mismatch = reading(expected, actual, question)
        except RecursionError:
            mismatch = "nested too deep to compare"
        if mismatch is None:
            return Check(True, f"equal as {name}", comparer=comparer)
        why = why or (f"{name}: {mismatch}" if mismatch else "")
    return Check(False, why or "the lines differ", comparer=comparer)


def same_words(expected: str, actual: str) -> bool:
    """Whether both hold the same words, in any order. No reading finds texts equal that don't, and this is told much sooner.

    Words that a format may spell in another way (null, true, letters in a number) are left out; a backslash may hide letters, so then the
    answer is yes.
    """
    if "\\" in expected or "\\" in actual:
        return True
    return sorted(_words(expected)) == sorted(_words(actual))


_WORD: Final = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")
_SPELLINGS: Final = frozenset({"null", "true", "false"})


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.casefold() not in _SPELLINGS]


def strip_text(data: bytes) -> str:
    """As text, without terminal escape sequences and with one kind of line end."""
    return strip_ansi(data).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


Reading = Callable[[str, str, Question], str | None]
"""None: equal. Else why not, or empty where the expected text is not in this form."""


def _json(expected: str, actual: str, _: Question) -> str | None:
    return _documents(parse_json(expected), parse_json(actual), "JSON")


def _yaml(expected: str, actual: str, _: Question) -> str | None:
    # YAML includes JSON, but a tool that prints the one when the other was asked for is wrong.
    if parse_json(expected) is not None or parse_json(actual) is not None:
        return ""
    left = parse_yaml(expected)
    right = parse_yaml(actual) if left is not None else None
    return _documents(left, right, "YAML")


def _documents(expected: Value | list[Value] | None, actual: Value | list[Value] | None, kind: str) -> str | None:
    if expected is None:
        return ""
    return f"the output is no {kind}" if actual is None else first_mismatch(expected, actual)


def _csv(expected: str, actual: str, _: Question) -> str | None:
    left = parse_csv(expected)
    if left is None:
        return ""
    right = parse_csv(actual)
    if right is None or right[0] != left[0]:
        return "the output is no table with this delimiter"
    return rows_mismatch(left[1], right[1])


def _blocks(expected: str, actual: str, _: Question) -> str | None:
    return blocks_mismatch(read_blocks(expected), read_blocks(actual))


def _tree(expected: str, actual: str, _: Question) -> str | None:
    return tree_mismatch(expected, actual)


def _listing(expected: str, actual: str, question: Question) -> str | None:
    return None if same_listing(expected, actual, (*question.inputs, " ".join(question.argv).encode("utf-8", "surrogateescape"))) else ""


def _lines(expected: str, actual: str, _: Question) -> str | None:
    left, right = (text_lines(side.encode()) for side in (expected, actual))
    if len(left) != len(right):
        return f"{len(left)} lines are not {len(right)}"
    for number, (line, other) in enumerate(zip(left, right, strict=True), 1):
        if line != other and not same_text(line.decode(), other.decode()):
            return f"line {number} differs"
    return None


READINGS: Final[tuple[tuple[str, Reading], ...]] = (
    ("JSON", _json),
    ("YAML", _yaml),
    ("CSV", _csv),
    ("a tree", _tree),
    ("a listing", _listing),
    ("blocks", _blocks),
    ("lines", _lines),
)
