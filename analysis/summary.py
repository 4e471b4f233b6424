"""summary.md: the findings in the paper's order, each with its computed number, what looks wrong, and the paper's own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from analysis import claims, compare
from analysis.answer import Answer, Question
from analysis.settings import Compare, Source
from analysis.tables import Table

REMARKS: Final = {"flat price": "Cached tokens were not told apart, so these costs are upper bounds."}
"""What a remark of a detector means for the reader."""


def further_answers(question: Question) -> list[Answer]:
    """What stands after the questions: caveats; the paper's statements, for the published results; the comparison, where asked for."""
    answers = [caveat_answer(question)]
    if question.settings.results is Source.published:
        answers.append(claims.answer(question))
    if question.settings.compare is Compare.published:
        answers.append(compare.answer(question))
    return answers


def caveat_answer(question: Question) -> Answer:
    """The suspect runs, and a sentence for each thing found."""
    suspects = question.suspects
    if suspects.empty:
        return Answer("What looks wrong", ("No detector found a suspect run.",), (_table(suspects),))
    sentences: list[str] = []
    remarks: dict[str, list[str]] = {}
    for (detector, detail), rows in suspects.groupby(["detector", "detail"], sort=False):
        doubted = ", ".join(rows["metrics"].iloc[0])
        if not doubted:
            remarks.setdefault(str(detector), []).append(str(detail))
            continue
        sentences.append(f"{detector}: {detail}; {len(rows)} runs, left out of the clean columns of {doubted}.")
    sentences += [f"{detector}: {'; '.join(details)}. {REMARKS[detector]}" for detector, details in remarks.items()]
    return Answer("What looks wrong", tuple(sentences), (_table(suspects),))


def summary(question: Question, answers: Sequence[Answer]) -> str:
    """The Markdown text."""
    frame = question.frame
    lines = ["# Results of CLI-Tool-Bench, rebuilt" if question.settings.results is Source.published else "# Results", ""]
    lines += [
        f"Source: {frame.source}. {len(frame.runs):,} runs: {len(frame.tasks)} tasks, {len(frame.models)} models, "
        f"{len(frame.frameworks)} frameworks, {len(frame.configurations)} configurations."
        + (f" SM judged by: {frame.judge}." if frame.judge else ""),
        "",
    ]
    lines += [f"- {note}" for note in frame.notes] + ([""] if frame.notes else [])
    for answer in answers:
        lines += [f"## {answer.title}", "", *(f"- {sentence}" for sentence in answer.sentences), ""]
        names = [f"`{table.name}.csv`" for table in answer.tables] + [f"`{name}.pdf`" for name in answer.figures]
        lines += [f"Files: {', '.join(names)}", ""] if names else []
    return "\n".join(lines).rstrip() + "\n"


def _table(suspects: pd.DataFrame) -> Table:
    csv = suspects.copy()
    csv["metrics"] = [" ".join(metrics) for metrics in csv["metrics"]]
    return Table("caveats", "Runs that a detector suspects, and the columns that it puts in doubt.", csv)
