"""Examples of each stage of failure, from stored verdicts, recordings and build logs: what was run, expected and got."""

from __future__ import annotations

import shlex
from typing import Final

import pandas as pd

from analysis import evidence
from analysis.evidence import Evidence, Run
from clibench.evaluation.verdict import Verdict

PER_STAGE: Final = 3
COLUMNS: Final = ["stage", "model", "framework", "task", "case", "command", "reason", "where", "expected", "actual", "stderr"]
_GATES: Final = ("exec", "sp", "sm")
_SHORT: Final = 300
"""Characters of an output that an example shows."""


def examples(source: Evidence, runs: pd.DataFrame, stages: pd.Series, judge: str) -> pd.DataFrame:
    """Up to PER_STAGE examples of each failing stage, of different configurations as far as there are; columns COLUMNS.

    `stages` holds the stage of each row of `runs`; runs without evidence give no example.
    """
    rows = []
    for stage in dict.fromkeys(stages.dropna()):
        if stage.startswith("SM"):
            continue
        failed = runs[stages == stage].assign(turn=lambda part: part.groupby(["model", "framework"]).cumcount())
        shown = 0
        for task, model, framework in failed.sort_values("turn", kind="stable")[["task", "model", "framework"]].itertuples(index=False):
            if shown == PER_STAGE:
                break
            row = _example(source, (task, model, framework, judge))
            if row is not None:
                rows.append([stage, model, framework, task, *row])
                shown += 1
    return pd.DataFrame(rows, columns=COLUMNS)


def _example(source: Evidence, run: Run) -> list[str] | None:
    verdicts = evidence.verdicts(source, run)
    if not verdicts:
        log = source.blob(run, "build_log")
        return None if log is None else ["", "", "does not install", "build log", "", _tail(log, 3), ""]
    for gate in _GATES:
        for verdict in verdicts:
            if verdict.oracle_ok and not verdict.infra and verdict.passed(gate) is False:
                return _of_case(source, run, verdict, gate)
    return None


def _of_case(source: Evidence, run: Run, verdict: Verdict, gate: str) -> list[str]:
    check = verdict.checks[gate]
    case, made = evidence.cases(source, run).get(verdict.case), evidence.recordings(source, run).get(verdict.case)
    command = "" if case is None else evidence.text(shlex.join(case.argv).encode("utf-8", errors="surrogateescape"), _SHORT)
    difference = check.difference
    parts = ("", "", "") if difference is None else (difference.where, difference.expected, difference.actual)
    stderr = "" if made is None else _tail(made.stderr.data, 1)
    return [verdict.case, command, f"{gate}: {check.reason}".rstrip(": "), *parts, stderr]


def _tail(data: bytes, lines: int) -> str:
    """The last lines that are not blank."""
    kept = [line for line in data.splitlines() if line.strip()][-lines:]
    return evidence.text(b"\n".join(kept)[-_SHORT:], _SHORT)
