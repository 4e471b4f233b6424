"""Tools that know nothing of the task: a case that one of them passes shows little about a submission that passes it too.

What a null tool would record is a pure function of the case (for `files` also of the oracle's recording, for `help` of the prompt), so
that nothing is run; the recordings are judged as a submission's are.

A case whose oracle succeeds, prints nothing and changes nothing is passed by `true` by right: the right answer *is* nothing. Such cases
are `trivial`, counted apart, and play no part in the rates. On cases that the oracle rejects, every tool that always fails is right, which
is why `false` is accepted there: Reject alone says nothing of a submission that scores nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from clibench.audit.help_text import Help, help_for, help_texts
from clibench.evaluation.judge import judge_task
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic_rules import RulesJudge
from clibench.evaluation.side_effects import effective
from clibench.evaluation.verdict import METRICS, Verdict
from clibench.recording import Change, End, Output, Recording, Status
from clibench.tasks.case import Case
from clibench.tasks.task import Task

COMPARERS: Final = METRICS[1:]
"""The metrics that are asked of a case."""

FLAGGING: Final = ("em", "sm")
"""A case that a null tool passes at one of these is flagged."""

_NOTHING: Final = Output.of(b"")


@dataclass(frozen=True)
class Sight:
    """What a null tool is built from."""

    case: Case
    oracle: Recording
    """Of the case; only `files` looks at it, and only at which paths are written."""
    helps: tuple[Help, ...]
    """The task's."""


def _prints(data: bytes) -> Recording:
    return Recording(Status(End.EXIT), Output.of(data), _NOTHING)


def _true(_: Sight) -> Recording:
    return _prints(b"")


def _false(_: Sight) -> Recording:
    return Recording(Status(End.EXIT, 1), _NOTHING, _NOTHING)


def _echo(sight: Sight) -> Recording:
    return _prints(" ".join(sight.case.argv[1:]).encode("utf-8", "surrogateescape") + b"\n")


def _help(sight: Sight) -> Recording:
    return _prints(help_for(sight.helps, sight.case))


def _files(sight: Sight) -> Recording:
    written = (change for change in sight.oracle.changes if change.kind != "deleted" and change.type in ("file", "dir"))
    return Recording(Status(End.EXIT), _NOTHING, _NOTHING, tuple(map(_emptied, written)))


def _emptied(change: Change) -> Change:
    if change.type == "dir":
        return change
    mode = 0o644 if change.kind == "created" else change.mode
    return Change(change.path, change.kind, "file", mode, 0, _NOTHING.sha256, None, b"")


def _cat(sight: Sight) -> Recording:
    return _prints(sight.case.stdin)


NULL_TOOLS: Final[Mapping[str, Callable[[Sight], Recording]]] = {
    "true": _true,
    "false": _false,
    "echo": _echo,
    "help": _help,
    "files": _files,
    "cat": _cat,
}
"""What each tool would record.

true: exits 0. false: exits 1. echo: prints its arguments. help: prints the help, that of the subcommand where it has one. files: prints
nothing and leaves every file and folder that the oracle writes, the files empty; deletes and links nothing. cat: copies standard input to
standard output.
"""


@dataclass(frozen=True)
class Rate:
    """How many of the cases that count for a metric passed; trivial ones and abstentions are left out."""

    passed: int = 0
    of: int = 0

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.passed + other.passed, self.of + other.of)

    @property
    def value(self) -> float | None:
        """The false-accept rate in [0, 1]; None where no case counts."""
        return self.passed / self.of if self.of else None


@dataclass(frozen=True)
class PatternNulls:
    """What the null tools achieve on one pattern."""

    trivial: tuple[str, ...]
    """Cases whose right answer is to do nothing."""
    rates: Mapping[str, Mapping[str, Rate]]
    """False accepts by tool, then by metric (COMPARERS)."""
    flagged: Mapping[str, tuple[str, ...]]
    """By case, sorted: the tools that pass it at EM or SM. Without trivial cases."""
    shares: Mapping[str, Rate]
    """By tool: cases passed at SM, trivial ones too, of all whose oracle succeeds: what the tool would score."""


def try_null_tools(task: Task, params: CompareParams) -> dict[str, PatternNulls]:
    """What each null tool achieves on each pattern, judged by rules. A task whose prompt has no help is not tried with `help`."""
    helps = help_texts(task)
    tools = [name for name in NULL_TOOLS if helps or name != "help"]
    verdicts = {tool: _judged(task, tool, helps, params) for tool in tools}
    trivial = {case.id for case in task.cases if is_trivial(task.recordings[case.id], params)}
    return {
        pattern.id: _of_pattern(
            {tool: [each for each in judged if each.pattern == pattern.id] for tool, judged in verdicts.items()}, trivial
        )
        for pattern in task.patterns
    }


def is_trivial(oracle: Recording, params: CompareParams) -> bool:
    """Whether the oracle succeeds and does nothing that is compared."""
    return oracle.status.ok and not oracle.stdout.size and not effective(oracle.changes, params.ignore)


def _judged(task: Task, tool: str, helps: tuple[Help, ...], params: CompareParams) -> list[Verdict]:
    recordings = {case.id: NULL_TOOLS[tool](Sight(case, task.recordings[case.id], helps)) for case in task.cases}
    return judge_task(task, recordings, params, RulesJudge())


def _of_pattern(verdicts: Mapping[str, list[Verdict]], trivial: set[str]) -> PatternNulls:
    flagged: dict[str, tuple[str, ...]] = {}
    for tool, judged in verdicts.items():
        for verdict in judged:
            if verdict.case not in trivial and any(verdict.passed(metric) for metric in FLAGGING):
                flagged[verdict.case] = (*flagged.get(verdict.case, ()), tool)
    return PatternNulls(
        trivial=tuple(verdict.case for verdict in next(iter(verdicts.values())) if verdict.case in trivial),
        rates={
            tool: {metric: _rate([each for each in judged if each.case not in trivial], metric) for metric in COMPARERS}
            for tool, judged in verdicts.items()
        },
        flagged=dict(sorted(flagged.items())),
        shares={tool: _rate(judged, "sm") for tool, judged in verdicts.items()},
    )


def _rate(verdicts: list[Verdict], metric: str) -> Rate:
    answers = [answer for verdict in verdicts if (answer := verdict.passed(metric)) is not None]
    return Rate(sum(answers), len(answers))
