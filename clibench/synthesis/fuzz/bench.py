"""Runs of the oracle while its spec is being made: one open session, every recording kept by what was run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from clibench.errors import SandboxError
from clibench.recording import End, Recording
from clibench.sandbox.interface import Session, TrialFault
from clibench.synthesis.help.streams import help_streams
from clibench.tasks.case import Case, Fixture

NOTHING = Fixture()
"""An empty workspace."""


class Bench:
    """Runs cases on the oracle that answers to `alias`, and counts them."""

    def __init__(self, session: Session, alias: str, *, rename: Callable[[bytes], bytes] = lambda data: data) -> None:
        self._session = session
        self.alias = alias
        self.rename = rename
        """Puts the alias in the place of the oracle's own names."""
        self.trials = 0
        self._known: dict[str, Recording] = {}

    def run(self, cases: Sequence[Case], fixtures: Mapping[str, Fixture]) -> dict[str, Recording]:
        """One recording a case, by its id. A case that was run before is not run again: an oracle is taken to be deterministic until the
        freeze's stability check. Raises SandboxError where a trial can't be carried out twice in a row."""
        keys = {case.id: case.key() for case in cases}
        new = {keys[case.id]: case for case in cases if keys[case.id] not in self._known}
        again = list(self._attempt(new.values(), fixtures))
        # Once more alone: on a busy machine a first time-out says nothing of the tool.
        for case, last in self._attempt_twice(again, fixtures):
            if isinstance(last, TrialFault):
                raise SandboxError(f"the tool could not be run: {last.reason}", where=" ".join(case.argv))
            self._known[case.key()] = last
        return {case.id: self._known[keys[case.id]] for case in cases}

    def varied(self, cases: Sequence[Case], fixtures: Mapping[str, Fixture], number: int) -> dict[str, Recording]:
        """The recordings of cases under the numbered variation of the conditions (see `sandbox.contract`); what failed is left out."""
        self.trials += len(cases)
        found = self._session.run(cases, fixtures, stability=number)
        return {case.id: recording for case, recording in found if not isinstance(recording, TrialFault)}

    def words(self, lines: Iterable[Sequence[str]], *, stdin: bytes = b"") -> list[Recording]:
        """The recordings of command lines (without the tool's name) in an empty workspace, in their order."""
        cases = [
            Case(f"words/{number:03}", "words", (self.alias, *line), NOTHING.digest(), stdin=stdin) for number, line in enumerate(lines)
        ]
        found = self.run(cases, {NOTHING.digest(): NOTHING})
        return [found[case.id] for case in cases]

    def _attempt(self, cases: Iterable[Case], fixtures: Mapping[str, Fixture]) -> Iterable[Case]:
        listed = list(cases)
        self.trials += len(listed)
        for case, recording in self._session.run(listed, fixtures):
            if isinstance(recording, TrialFault) or recording.status.end is End.TIMEOUT:
                yield case
            else:
                self._known[case.key()] = recording

    def _attempt_twice(self, cases: Sequence[Case], fixtures: Mapping[str, Fixture]) -> Iterable[tuple[Case, Recording | TrialFault]]:
        if cases:
            self.trials += len(cases)
            yield from self._session.run(cases, fixtures)


def shown_text(recording: Recording, rename: Callable[[bytes], bytes] = lambda data: data) -> str:
    """A help as a user reads it."""
    return rename(b"\n".join(output.data for output in help_streams(recording))).decode("utf-8", "replace")
