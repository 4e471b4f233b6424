"""Run the cases of a task with the oracle and with each mutant, keeping what is done: a killed audit repeats nothing that was finished.

A unit is one mutant with the cases that reach it. What the harness could not run is tried once more; what fails then leaves the unit
undone, and its mutant is missing: never killed. A mutant that hangs is stopped after a few cases, since each costs the time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final

from clibench.audit.mutants.edit import Edit
from clibench.audit.mutants.reach import VERSION as REACH_VERSION
from clibench.audit.mutants.reach import Covered, Reach, decode_reach, encode_reach
from clibench.audit.mutants.workshop import Made, Tools, Workshop, watching
from clibench.digest import digest_json
from clibench.errors import SandboxError
from clibench.evaluation.stored import decode_recordings, encode_recordings
from clibench.recording import End, Recording
from clibench.sandbox.interface import Limits, Session, TrialFault
from clibench.steps.record import steady
from clibench.tasks.case import Case, Fixture
from clibench.tasks.task import Task

KIND: Final = "mutant"
FORMAT: Final = 1
"""Raise it where the meaning of a unit changes."""
CHUNKS: Final = (2, 4, 8, 16)
"""Cases after which it is asked whether the mutant hangs: few at first, since most that hang do so at once; the last size repeats."""
HANGS: Final = 2
"""Time-outs in one chunk, confirmed as everywhere, after which a mutant is known to hang."""
FAULTY: Final = 3
"""Mutants in a row that the harness could not run, after which the audit ends."""


@dataclass(frozen=True)
class Outcome:
    """What became of one mutant."""

    edit: Edit
    built: bool
    reason: str = ""
    """Why it was not built, or why it is missing."""
    missing: bool = False
    """The harness failed: not done."""
    recordings: Mapping[str, Recording] = field(default_factory=dict)
    """By case; cases that do not reach it, and those behind the end of one that hangs, are not there."""
    hangs: bool = False


@dataclass(frozen=True)
class Ground:
    """What the oracle itself does with the chosen cases, without a defect."""

    runs: tuple[Mapping[str, Recording], ...]
    """Repeated runs under the contract."""
    reach: Reach


class Trials:
    """The trials of one task's oracle and mutants, over the cases of `pool`."""

    def __init__(self, tools: Tools, task: Task, shop: Workshop, pool: Sequence[Case], say: Callable[[str], None]) -> None:
        self._tools, self._task, self._shop, self._pool, self._say = tools, task, shop, pool, say
        self._limits: Limits = tools.settings.limits
        self._base: dict[str, Any] = {
            "format": FORMAT,
            "oracle": task.oracle.digest,
            "package": [task.oracle.name, task.oracle.entry, task.alias],
            "sandbox": dict(sorted(tools.identity.items())),
            "limits": asdict(self._limits),
        }

    def ground(self, runs: int) -> Ground:
        """Run the oracle. Raises SandboxError where a case can't be run."""
        return Ground(tuple(self._plain(number) for number in range(runs)), self._reach())

    def outcomes(self, edits: Sequence[Edit], reach: Reach) -> Iterator[Outcome]:
        """The outcome of each edit, in their order. Raises SandboxError where the harness fails again and again."""
        done = {edit: self._stored(edit, reach) for edit in edits}
        waiting = [edit for edit, outcome in done.items() if outcome is None]
        made = self._shop.make(waiting)
        faulty = 0
        for edit in edits:
            outcome = done[edit]
            if outcome is None:
                outcome = self._try(next(made), reach)
                faulty = faulty + 1 if outcome.missing else 0
                if faulty == FAULTY:
                    raise SandboxError(f"{FAULTY} mutants in a row could not be run: {outcome.reason}", where=self._task.id)
            yield outcome

    def _plain(self, number: int) -> Mapping[str, Recording]:
        key = self._key("plain", run=number, cases=_cases(self._pool))
        body = self._tools.store.lookup(KIND, key)
        if body is None:
            self._say(f"run {number + 1} of the oracle: {len(self._pool)} cases")
            recordings, _ = self._run(self._shop.baseline, self._limits, self._pool)
            body = {"refs": {"recordings": self._tools.store.put(encode_recordings(recordings))}}
            self._tools.store.finish(KIND, key, body)
        return _whole(decode_recordings(self._tools.store.get(body["refs"]["recordings"])))

    def _reach(self) -> Reach:
        key = self._key("reach", version=REACH_VERSION, cases=_cases(self._pool))
        body = self._tools.store.lookup(KIND, key)
        if body is None:
            self._say("what the cases run of the oracle's source")
            covered: dict[str, Covered | None] = {}
            instrumented = [self._shop.instrument(case) for case in self._pool]
            with self._session(self._shop.watched, watching(self._limits)) as session:
                for case, outcome in session.run(instrumented, self._task.fixtures):
                    covered[case.id] = self._shop.reach(outcome) if isinstance(outcome, Recording) else None
            blob = encode_reach(Reach({case.id: covered.get(case.id) for case in self._pool}))
            body = {"refs": {"reach": self._tools.store.put(blob)}}
            self._tools.store.finish(KIND, key, body)
        return decode_reach(self._tools.store.get(body["refs"]["reach"]))

    def _stored(self, edit: Edit, reach: Reach) -> Outcome | None:
        body = self._tools.store.lookup(KIND, self._mutant_key(edit, self._reached(edit, reach)))
        if body is None:
            return None
        if not body["built"]:
            return Outcome(edit, False, body["reason"])
        return Outcome(edit, True, "", False, _whole(decode_recordings(self._tools.store.get(body["refs"]["recordings"]))), body["hangs"])

    def _try(self, made: Made, reach: Reach) -> Outcome:
        edit = made.edit
        cases = self._reached(edit, reach)
        key = self._mutant_key(edit, cases)
        source = self._shop.sources[edit.file]
        self._say(f"{edit.kind} in {edit.file}:{edit.line(source)}: {made.reason or f'{len(cases)} cases'}")
        store = self._tools.store
        if made.prefix is None:
            store.finish(KIND, key, {"built": False, "reason": made.reason})
            return Outcome(edit, False, made.reason)
        try:
            if made.check and not self._passes(made.prefix, made.check) and self._passes(self._shop.baseline, made.check):
                store.finish(KIND, key, {"built": False, "reason": "does not compile"})
                return Outcome(edit, False, "does not compile")
            recordings, hangs = self._run(made.prefix, self._limits, cases)
        except SandboxError as error:
            return Outcome(edit, True, error.message, missing=True)
        refs = {"recordings": store.put(encode_recordings(recordings))}
        store.finish(KIND, key, {"built": True, "hangs": hangs, "refs": refs})
        return Outcome(edit, True, "", False, recordings, hangs)

    def _passes(self, prefix: Path, check: tuple[str, ...]) -> bool:
        """Whether a check succeeds with an installation; a check that fails without a defect too says nothing. Raises SandboxError."""
        nothing = Fixture()
        case = Case("check/00", "check", check, nothing.digest(), timeout_s=60.0)
        with self._session(prefix, self._limits) as session:
            ((_, outcome),) = session.run((case,), {case.fixture: nothing})
        if isinstance(outcome, TrialFault):
            raise SandboxError(outcome.reason, where=self._task.id)
        return outcome.status.ok

    def _run(self, prefix: Path, limits: Limits, cases: Sequence[Case]) -> tuple[dict[str, Recording], bool]:
        """What each case did, and whether that ended early since the tool hangs. Raises SandboxError where a case can't be run."""
        recordings: dict[str, Recording] = {}
        waiting = list(cases)
        sizes = chain(CHUNKS, repeat(CHUNKS[-1]))
        with self._session(prefix, limits) as session:
            while waiting:
                size = next(sizes)
                chunk, waiting = waiting[:size], waiting[size:]
                late = 0
                for case, outcome in self._insisting(session, chunk):
                    recordings[case.id] = outcome
                    late += outcome.status.end is End.TIMEOUT
                if late >= HANGS and waiting:
                    return recordings, True
        return recordings, False

    def _insisting(self, session: Session, cases: Sequence[Case]) -> Iterator[tuple[Case, Recording]]:
        faulty = []
        for case, outcome in steady(session, cases, self._task.fixtures):
            if isinstance(outcome, TrialFault):
                faulty.append(case)
            else:
                yield case, outcome
        for case, outcome in steady(session, faulty, self._task.fixtures):
            if isinstance(outcome, TrialFault):
                raise SandboxError(f"case {case.id} could not be run: {outcome.reason}", where=self._task.id)
            yield case, outcome

    def _session(self, prefix: Path, limits: Limits) -> Session:
        tools = self._tools
        return tools.sandbox.open(language=self._task.language.value, prefix=prefix, limits=limits, workers=tools.workers)

    def _reached(self, edit: Edit, reach: Reach) -> tuple[Case, ...]:
        """One case of each pattern in turn, so that the first few cases of a mutant that hangs are not all of one."""
        wanted = set(reach.of(edit))
        return tuple(case for case in self._pool if case.id in wanted)

    def _mutant_key(self, edit: Edit, cases: Sequence[Case]) -> str:
        return self._key("mutant", edit=edit.key(self._shop.sources[edit.file]), cases=_cases(cases))

    def _key(self, step: str, **parts: Any) -> str:
        return digest_json({"step": f"audit {step}", **self._base, **parts})


def _cases(cases: Sequence[Case]) -> list[list[str]]:
    return [[case.id, case.key()] for case in cases]


def _whole(outcomes: Mapping[str, Recording | TrialFault]) -> dict[str, Recording]:
    return {case: outcome for case, outcome in outcomes.items() if isinstance(outcome, Recording)}
