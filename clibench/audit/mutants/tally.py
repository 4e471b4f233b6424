"""What the mutants say about the cases: pure, from recordings, judged as a submission's are.

A mutant is *killed* where a case that the oracle itself passes, built and run the same way, fails with it: at Exec, SP or EM, each of which
holds those before it, or at Reject. Three shares are given, since which mutants one could kill at all is a matter of definition:

    raw        killed / all that were run
    changed    killed / those that did anything else than the oracle on a case, in any byte: status, output, standard error, side effects
    compared   killed / those that did something else in what a verdict looks at: whether it ended with 0, and standard output and
               effective side effects of cases where the oracle succeeds

`changed` is the number that goals are set for. A change in standard error alone, or from one failing exit status to another, counts in it
as survived: no metric of the paper can see it, which is a weakness of the metrics and not of the cases; `compared` leaves such mutants out.
Bytes are compared after masks where the oracle itself varies from run to run (`variation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clibench.audit.mutants.edit import Kind, Sources
from clibench.audit.mutants.trials import Ground, Outcome
from clibench.audit.mutants.variation import masked
from clibench.evaluation.judge import judge_task
from clibench.evaluation.normalise import Chain
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic_rules import RulesJudge
from clibench.evaluation.side_effects import effective
from clibench.evaluation.verdict import Verdict
from clibench.recording import Change, Recording
from clibench.tasks.case import Case
from clibench.tasks.task import Task

TIERS: Final = ("exec", "sp", "em")
"""From the first gate to the last; what an earlier one kills, the later ones do too."""

NOTHING, STDERR, STATUS, UNSEEN, COMPARED = (
    "nothing",
    "standard error only",
    "exit status of a failure",
    "output that is not compared",
    "compared output",
)
UNTOLD = "nothing, where the oracle itself does not vary"
DIFFERENCES: Final = (NOTHING, STDERR, STATUS, UNSEEN, COMPARED)
"""What a mutant changed at most, from the least to the most that a verdict looks at."""


@dataclass(frozen=True)
class Fate:
    """What the cases made of one mutant."""

    outcome: Outcome
    cases: int
    """Cases that it was run with and that count."""
    killed_at: Mapping[str, tuple[str, ...]]
    """The cases that fail, by metric: exec, sp, em, reject."""
    differs: str
    """The most that it changed (DIFFERENCES)."""
    changed_in: tuple[str, ...]
    """Cases in which it did anything else than the oracle."""

    @property
    def killed(self) -> bool:
        """By any of the metrics."""
        return any(self.killed_at.values())

    @property
    def changed(self) -> bool:
        """It did anything else than the oracle."""
        return self.killed or self.differs not in (NOTHING, UNTOLD)

    @property
    def tier(self) -> str:
        """The first metric that kills it."""
        return next((metric for metric in (*TIERS, "reject") if self.killed_at[metric]), "")


@dataclass(frozen=True)
class MutantAudit:
    """The mutants of one task."""

    seed: int
    cases_a_pattern: int | None
    wanted: int
    sites: int
    """Places where a defect could be put."""
    reached: int
    """Of those, such that a chosen case runs them."""
    sandbox: str
    pool: tuple[Case, ...]
    unsteady: Mapping[str, str]
    """Cases left out, since the oracle itself, built and run as its mutants are, does not pass them; with the reason."""
    fates: tuple[Fate, ...]
    not_built: tuple[Outcome, ...]
    missing: tuple[Outcome, ...]
    sources: Sources
    patterns: tuple[str, ...]


def is_steady(task: Task, ground: Ground, params: CompareParams) -> dict[str, str]:
    """The cases that the oracle does not pass in every run, with the reason."""
    found: dict[str, str] = {}
    for run in ground.runs:
        for verdict in _judged(task, run, params):
            failed = next((check.reason or metric for metric, check in verdict.checks.items() if check.passed is False), None)
            if failed is not None:
                found.setdefault(verdict.case, failed)
    return found


def fate_of(
    task: Task, outcome: Outcome, ground: Ground, chains: Mapping[str, Chain | None], unsteady: Mapping[str, str], params: CompareParams
) -> Fate:
    """Judge one mutant that was run; `chains` are what `variation.masks` found."""
    counted = {case: recording for case, recording in sorted(outcome.recordings.items()) if case not in unsteady}
    verdicts = _judged(task, counted, params)
    killed = {metric: tuple(verdict.case for verdict in verdicts if verdict.passed(metric) is False) for metric in (*TIERS, "reject")}
    differences = {}
    for case, recording in counted.items():
        chain = chains[case]
        if chain is not None:
            differences[case] = _difference(masked(ground.runs[0][case], chain), masked(recording, chain), params)
    failed = {case for cases in killed.values() for case in cases}
    differs = max((*differences.values(), COMPARED if failed else NOTHING), key=DIFFERENCES.index)
    if differs == NOTHING and differences.keys() != counted.keys():
        differs = UNTOLD
    changed_in = tuple(case for case in counted if case in failed or differences.get(case, NOTHING) != NOTHING)
    return Fate(outcome, len(counted), killed, differs, changed_in)


def audit_to_json(audit: MutantAudit) -> dict[str, Any]:
    """The mutants' part of audit.json."""
    fates = audit.fates
    pattern_of = {case.id: case.pattern for case in audit.pool}
    return {
        "seed": audit.seed,
        "wanted": audit.wanted,
        "cases_a_pattern": audit.cases_a_pattern,
        "cases": len(audit.pool),
        "sandbox": audit.sandbox,
        "sites": {"found": audit.sites, "reached": audit.reached},
        **counts(fates),
        "not_built": len(audit.not_built),
        "missing": len(audit.missing),
        "unsteady": dict(sorted(audit.unsteady.items())),
        "kinds": {kind.value: counts([fate for fate in fates if fate.outcome.edit.kind is kind]) for kind in Kind},
        "patterns": {
            pattern: {
                "reached": sum(any(pattern_of[case] == pattern for case in fate.outcome.recordings) for fate in fates),
                "changed": sum(any(pattern_of[case] == pattern for case in fate.changed_in) for fate in fates),
                "killed": sum(_kills(fate, pattern, pattern_of) for fate in fates),
            }
            for pattern in audit.patterns
        },
        "unkilled": [pattern for pattern in audit.patterns if not any(_kills(fate, pattern, pattern_of) for fate in fates)],
        "survivors": [
            _shown(fate, audit.sources) | {"cases": fate.cases, "differs": fate.differs, "changed_in": list(fate.changed_in[:5])}
            for fate in fates
            if not fate.killed
        ],
        "kills": [
            _shown(fate, audit.sources) | {"by": fate.tier, "case": fate.killed_at[fate.tier][0], "cases": fate.cases}
            for fate in fates
            if fate.killed
        ],
        "left_out": [
            outcome.edit.to_json(audit.sources[outcome.edit.file]) | {"reason": outcome.reason}
            for outcome in (*audit.not_built, *audit.missing)
        ],
    }


def counts(fates: Sequence[Fate]) -> dict[str, Any]:
    """Numbers of mutants: run, that changed anything, that changed what is compared, killed, and killed by tier."""
    return {
        "run": len(fates),
        "changed": sum(fate.changed for fate in fates),
        "compared": sum(fate.differs == COMPARED for fate in fates),
        "killed": sum(fate.killed for fate in fates),
        "tiers": {
            tier: sum(any(fate.killed_at[metric] for metric in TIERS[: number + 1]) for fate in fates) for number, tier in enumerate(TIERS)
        }
        | {"reject": sum(bool(fate.killed_at["reject"]) for fate in fates)},
    }


def _kills(fate: Fate, pattern: str, pattern_of: Mapping[str, str]) -> bool:
    return any(pattern_of[case] == pattern for cases in fate.killed_at.values() for case in cases)


def _shown(fate: Fate, sources: Sources) -> dict[str, Any]:
    return fate.outcome.edit.to_json(sources[fate.outcome.edit.file]) | ({"hangs": True} if fate.outcome.hangs else {})


def _judged(task: Task, recordings: Mapping[str, Recording], params: CompareParams) -> Iterable[Verdict]:
    part = replace(task, cases=tuple(case for case in task.cases if case.id in recordings))
    return judge_task(part, recordings, params, RulesJudge())


def _compared(changes: Sequence[Change], params: CompareParams) -> list[Change]:
    """Effective side effects, with no more of their modes than is compared."""
    bits = {"executable": 0o111, "full": 0o7777, "none": 0}[params.mode]
    return [replace(change, mode=change.mode & bits) for change in effective(tuple(changes), params.ignore)]


def _difference(oracle: Recording, mutant: Recording, params: CompareParams) -> str:
    if oracle.digest() == mutant.digest():
        return NOTHING
    if oracle.status.ok != mutant.status.ok or oracle.status.end is not mutant.status.end:
        return COMPARED
    sides = _compared(oracle.changes, params) != _compared(mutant.changes, params)
    if oracle.stdout != mutant.stdout or sides:
        return COMPARED if oracle.status.ok else UNSEEN
    if oracle.status != mutant.status:
        return STATUS
    return STDERR if oracle.changes == mutant.changes else UNSEEN
