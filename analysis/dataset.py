"""Table I: how many tasks of each difficulty, language and category."""

from __future__ import annotations

import pandas as pd

from analysis.answer import Answer, Question
from analysis.frame import DIFFICULTIES
from analysis.tables import Table, number


def answer(question: Question) -> Answer:
    """Counts of tasks, with the size of their oracles."""
    tasks = question.frame.tasks
    rows: list[list[str]] = []
    for group, names in (
        ("difficulty", [name for name in DIFFICULTIES if (tasks["difficulty"] == name).any()]),
        ("language", by_count(tasks["language"])),
        ("category", by_count(tasks["category"])),
    ):
        rows += [_row(group, name, tasks[tasks[group] == name], len(tasks)) for name in names]
    rows.append(_row("all", "all", tasks, len(tasks)))
    csv = pd.DataFrame(rows, columns=["group", "name", "tasks", "share_percent", "median_oracle_loc", "median_oracle_files"])
    counts = {group: ", ".join(f"{row[2]} {row[1]}" for row in rows if row[0] == group) for group in ("difficulty", "language")}
    sentences = [
        f"The dataset has {len(tasks)} tasks in {tasks['category'].nunique()} categories: {counts['difficulty']}; {counts['language']}.",
    ]
    if tasks["oracle_loc"].notna().any():
        lines = tasks["oracle_loc"]
        sentences.append(f"The oracles have {lines.min():,.0f} to {lines.max():,.0f} lines of code, median {lines.median():,.0f}.")
    return Answer("Dataset (Table I)", tuple(sentences), (Table("table1_dataset", "Tasks by difficulty, language and category.", csv),))


def by_count(values: pd.Series) -> list[str]:
    """Distinct values, the most frequent first, equal ones by name."""
    counts = values.value_counts()
    return sorted(map(str, counts.index), key=lambda name: (-int(counts[name]), name))


def _row(group: str, name: str, tasks: pd.DataFrame, total: int) -> list[str]:
    lines, files = tasks["oracle_loc"].median(), tasks["oracle_files"].median()
    return [group, name, str(len(tasks)), number(100 * len(tasks) / total), number(lines, 0), number(files, 0)]


if __name__ == "__main__":
    from analysis.app import main

    main("dataset")
