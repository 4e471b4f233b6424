"""Try drafts of patterns on the oracle: a few valid cases each, drawn exactly as a frozen task would draw them.

All drafts draw from the same streams, so that two drafts with the same content in the same file get the same bytes: what an option changes
is seen by comparing its results with those of the draft without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clibench.recording import End, Recording
from clibench.synthesis.check import faults
from clibench.synthesis.expand import expand
from clibench.synthesis.fuzz.bench import Bench
from clibench.synthesis.fuzz.draft import Draft
from clibench.synthesis.spec import Spec
from clibench.tasks.case import Case, Fixture
from clibench.tasks.stability import judge_stability

CASES = 3
"""Cases a draft."""


@dataclass(frozen=True)
class Trial:
    """One case of a draft, and what the oracle did."""

    case: Case
    recording: Recording

    @property
    def result(self) -> tuple[Any, ...]:
        """What is compared of it."""
        return (self.recording.status, self.recording.stdout.sha256, self.recording.changes)

    @property
    def visible(self) -> bool:
        """Whether it printed or changed anything."""
        return bool(self.recording.stdout.data.strip() or self.recording.changes)


@dataclass(frozen=True)
class Attempt:
    """What became of a draft."""

    draft: Draft
    trials: tuple[Trial, ...]
    fault: str = ""
    """Why it could not be tried."""

    @property
    def ok(self) -> int:
        """Cases that the oracle ended with status 0."""
        return sum(trial.recording.status.ok for trial in self.trials)

    @property
    def usable(self) -> bool:
        """Whether more than half of the cases succeed, and one of them can be seen."""
        return self.ok * 2 > len(self.trials) and any(trial.recording.status.ok and trial.visible for trial in self.trials)

    @property
    def distinct(self) -> int:
        """Different results among the successful cases that can be seen."""
        return len({trial.result for trial in self.trials if trial.recording.status.ok and trial.visible})

    @property
    def errors(self) -> tuple[str, ...]:
        """What the failed cases said, each once."""
        failed = [trial.recording for trial in self.trials if not trial.recording.status.ok]
        texts = [(run.stderr.data.strip() or run.stdout.data.strip()).decode("utf-8", "replace")[-1500:] for run in failed]
        return tuple(dict.fromkeys(texts))

    def differs(self, other: Attempt) -> int:
        """Successful cases whose result is not that of the same case of `other`."""
        pairs = zip(self.trials, other.trials, strict=False)
        return sum(mine.recording.status.ok and mine.result != theirs.result for mine, theirs in pairs)

    @property
    def timed_out(self) -> bool:
        """Whether a case did not end."""
        return any(trial.recording.status.end is End.TIMEOUT for trial in self.trials)


class Prober:
    """Tries drafts for one tool."""

    def __init__(self, bench: Bench, head: dict[str, Any], *, cases: int = CASES) -> None:
        self.bench = bench
        self._head = head
        self._cases = cases

    def try_all(self, drafts: Sequence[Draft], *, cases: int | None = None) -> list[Attempt]:
        """An attempt for each draft, in their order; all of them are run at once."""
        cases_of, found, _ = self._prepared(drafts, cases)
        return [
            Attempt(draft, tuple(Trial(case, found[case.id]) for case in own), fault or ("" if own else "no case can be drawn"))
            for draft, (own, fault) in zip(drafts, cases_of, strict=True)
        ]

    def unstable(self, drafts: Sequence[Draft]) -> dict[int, str]:
        """Places of the drafts none of whose cases gives the same result under other conditions, with the reason."""
        cases_of, found, fixtures = self._prepared(drafts, None)
        listed = [case for own, _ in cases_of for case in own]
        again = self.bench.varied(listed, fixtures, 3)
        runs = {case.id: [found[case.id], again[case.id]] for case in listed if case.id in again}
        alias, oracle = self._head["task"]["alias"], self._head["oracle"]
        names = {oracle["entry"], oracle["name"].rstrip("/").rsplit("/", 1)[-1]} - {alias}
        base = {case: tuple(f"alias({name})" for name in sorted(names)) for case in runs}
        judged = judge_stability(runs, {case.id: fixtures[case.fixture] for case in listed if case.id in runs}, base, alias)
        bad = {}
        for place, (own, _) in enumerate(cases_of):
            reasons = [judged.quarantined[case.id] for case in own if case.id in judged.quarantined]
            if own and len(reasons) == len(own):
                bad[place] = reasons[0]
        return bad

    def _prepared(
        self, drafts: Sequence[Draft], cases: int | None
    ) -> tuple[list[tuple[list[Case], str]], dict[str, Recording], dict[str, Fixture]]:
        prepared: list[tuple[list[Case], str]] = []
        fixtures: dict[str, Fixture] = {}
        for number, draft in enumerate(drafts):
            try:
                spec = probe_spec(self._head, draft, cases or self._cases)
            except ValueError as error:
                prepared.append(([], " ".join(str(error).split())[:300]))
                continue
            expansion = expand(spec)
            fixtures |= expansion.fixtures
            prepared.append(([replace(case, id=f"{number}/{case.id}") for case in expansion.cases], ""))
        return prepared, self.bench.run([case for own, _ in prepared for case in own], fixtures), fixtures


def probe_spec(head: dict[str, Any], draft: Draft, cases: int) -> Spec:
    """A spec with the draft as its only pattern, valid cases alone; raises ValueError for a draft that makes none."""
    spec = Spec.model_validate({**head, "cases": cases, "valid_share": 1.0, "patterns": [draft.body("probe", "A draft.")]})
    if found := faults(spec):
        raise ValueError(found[0][1])
    return spec
