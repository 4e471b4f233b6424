"""Pass or fail of every test case under every configuration, for statistics at the level of test cases.

Only cases whose oracle succeeds count (the paper's metrics leave the others out). A case that could not be run or judged is NaN, and a
comparison says how many of them it left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Configuration = tuple[str, str]


@dataclass(frozen=True)
class Verdicts:
    """The matrix of SM verdicts."""

    tasks: tuple[str, ...]
    """Names; `task_of` points here."""
    task_of: npt.NDArray[np.int64]
    """(cases,) the task of each case, 0..len(tasks) - 1."""
    pattern_of: npt.NDArray[np.int64]
    """(cases,) the pattern of each case, numbered over all tasks."""
    configurations: tuple[Configuration, ...]
    passed: npt.NDArray[np.float64]
    """(cases, configurations) 1 passed, 0 failed, NaN missing."""

    def select(self, kept: Sequence[Configuration]) -> Verdicts:
        """Only the given configurations."""
        columns = [index for index, name in enumerate(self.configurations) if name in set(kept)]
        names = tuple(self.configurations[index] for index in columns)
        return Verdicts(self.tasks, self.task_of, self.pattern_of, names, self.passed[:, columns])


def from_rows(rows: pd.DataFrame) -> Verdicts:
    """Verdicts of a long table with the columns task, pattern, case, model, framework, passed (1, 0 or NaN), a row a case and
    configuration.

    A (case, configuration) without a row is missing.
    """
    keys = ["task", "pattern", "case"]
    cases = rows[keys].drop_duplicates().sort_values(keys, ignore_index=True)
    configurations = sorted(set(zip(rows["model"], rows["framework"], strict=True)))
    case_of = pd.MultiIndex.from_frame(cases).get_indexer(pd.MultiIndex.from_frame(rows[keys]))
    column_of = pd.MultiIndex.from_tuples(configurations).get_indexer(pd.MultiIndex.from_frame(rows[["model", "framework"]]))
    passed = np.full((len(cases), len(configurations)), np.nan)
    passed[case_of, column_of] = rows["passed"].to_numpy(dtype=np.float64, na_value=np.nan)
    tasks, task_of = np.unique(cases["task"].to_numpy(dtype=str), return_inverse=True)
    pattern_of = cases.groupby(["task", "pattern"], sort=True).ngroup().to_numpy().astype(np.int64)
    return Verdicts(tuple(map(str, tasks)), task_of.astype(np.int64), pattern_of, tuple(configurations), passed)
