"""The audit of one task: its sizes and what null tools achieve on it. Pure; `stored.py` keeps it beside the task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from clibench.audit.null_tools import COMPARERS, PatternNulls, Rate, try_null_tools
from clibench.audit.size import Size, sizes, total
from clibench.digest import digest_json
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic_rules import RulesJudge
from clibench.tasks.task import Task

VERSION: Final = 1
"""Of the form of an audit."""

WEAK_SHARE: Final = 0.2
"""A pattern is weak where a null tool passes more than this share of its successful cases at SM."""


@dataclass(frozen=True)
class TaskAudit:
    """What the cases of a task are worth. Mappings are by pattern, in the task's order."""

    task: str
    task_digest: str
    """Of the task that was audited."""
    comparers: str
    """Digest of the comparers' parameters and the judge's version."""
    size: Mapping[str, Size]
    nulls: Mapping[str, PatternNulls]

    @property
    def total(self) -> Size:
        """Sums over the patterns."""
        return total(self.size.values())

    @property
    def trivial(self) -> int:
        """Cases whose right answer is to do nothing."""
        return sum(len(nulls.trivial) for nulls in self.nulls.values())

    @property
    def flagged(self) -> dict[str, tuple[str, ...]]:
        """The null tools that pass a case at EM or SM, by case; trivial ones aside."""
        return {case: tools for nulls in self.nulls.values() for case, tools in nulls.flagged.items()}

    def weak(self) -> list[tuple[str, str, Rate]]:
        """Pattern, tool and share, for each pattern of which a null tool passes too much; by pattern the tool that passes most."""
        found = []
        for pattern, nulls in self.nulls.items():
            tool = max(nulls.shares, key=lambda name: nulls.shares[name].passed)
            share = nulls.shares[tool]
            if (share.value or 0.0) > WEAK_SHARE:
                found.append((pattern, tool, share))
        return found


def audit_task(task: Task, params: CompareParams) -> TaskAudit:
    """Audit a task. Raises UserError for an unknown normaliser."""
    comparers = digest_json({"params": params.identity(), "semantic": RulesJudge().identity()})
    return TaskAudit(task.id, task.digest, comparers, sizes(task, params), try_null_tools(task, params))


def rates(nulls: Iterable[PatternNulls]) -> dict[str, dict[str, Rate]]:
    """False accepts of these patterns together, by tool and metric."""
    found: dict[str, dict[str, Rate]] = {}
    for each in nulls:
        for tool, by_metric in each.rates.items():
            sums = found.setdefault(tool, dict.fromkeys(COMPARERS, Rate()))
            for metric, rate in by_metric.items():
                sums[metric] += rate
    return found


def audit_to_json(audit: TaskAudit) -> dict[str, Any]:
    """The audit with its sums. Rates are pairs: passed, and of how many."""
    return {
        "version": VERSION,
        "task": audit.task,
        "task_digest": audit.task_digest,
        "comparers": audit.comparers,
        "total": _size(audit.total) | {"trivial": audit.trivial, "flagged": len(audit.flagged)},
        "null_tools": _rates(rates(audit.nulls.values())),
        "patterns": {
            pattern: _size(size)
            | {
                "trivial": list(audit.nulls[pattern].trivial),
                "flagged": {case: list(tools) for case, tools in audit.nulls[pattern].flagged.items()},
                "passed_at_sm": {tool: _pair(share) for tool, share in audit.nulls[pattern].shares.items()},
                "null_tools": _rates(audit.nulls[pattern].rates),
            }
            for pattern, size in audit.size.items()
        },
        "weak": {pattern: tool for pattern, tool, _ in audit.weak()},
    }


def _size(size: Size) -> dict[str, Any]:
    return asdict(size) | {"duplicates": size.duplicates}


def _rates(rates: Mapping[str, Mapping[str, Rate]]) -> dict[str, dict[str, list[int]]]:
    return {tool: {metric: _pair(rate) for metric, rate in by_metric.items()} for tool, by_metric in rates.items()}


def _pair(rate: Rate) -> list[int]:
    return [rate.passed, rate.of]
