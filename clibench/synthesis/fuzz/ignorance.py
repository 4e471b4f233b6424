"""What a tool that knows nothing would answer too: a copy of its standard input, its arguments, a page of help.

A case that such a tool passes shows little of a submission that passes it (see the audit's null tools), so the search looks for others.
Equal means what a verdict calls equal, exactly or in meaning by the rules: a formatter that only lays out anew gives what `cat` gives.
"""

from __future__ import annotations

from collections.abc import Collection

from clibench.evaluation.compare import text_form
from clibench.evaluation.params import DEFAULT_IGNORE
from clibench.evaluation.semantic import Question
from clibench.evaluation.semantic_rules import judge_one
from clibench.evaluation.side_effects import effective
from clibench.recording import Recording
from clibench.tasks.case import Case


def known_to_none(case: Case, recording: Recording, pages: Collection[bytes]) -> str:
    """Which ignorant tool gives this result: `cat`, `echo` or `help`; empty where none does. `pages` are helps in comparable form."""
    if effective(recording.changes, DEFAULT_IGNORE) or not recording.stdout.data.strip():
        return ""
    printed = text_form(recording.stdout.data)
    if printed in pages:
        return "help"
    if printed == text_form(" ".join(case.argv[1:]).encode("utf-8", "surrogateescape")):
        return "echo"
    if case.stdin.strip() and (printed == text_form(case.stdin) or _same_meaning(recording.stdout.data, case)):
        return "cat"
    return ""


def _same_meaning(expected: bytes, case: Case) -> bool:
    try:
        expected.decode(), case.stdin.decode()
    except UnicodeDecodeError:
        return False
    question = Question(expected, case.stdin, case.argv, (case.stdin,))
    return b"\0" not in expected and judge_one(question).passed is True
