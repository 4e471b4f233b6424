"""Dynamic entry discovery (paper II-A): which of the executables that a package installs is the tool, and how it prints its help.

`discover` installs a candidate into a prefix, ranks its own executables by name and tries them in that order until one prints its help
without a network, a key and a terminal. The prefix can be opened by a session afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clibench.curation.install import Installed, Program, install
from clibench.curation.names import Match, match
from clibench.curation.package import Package, RejectedError
from clibench.curation.probe import FORMS, Help, Refusal, best_help, complaint, refusal
from clibench.errors import SandboxError
from clibench.recording import End, Recording
from clibench.sandbox.interface import Limits, Sandbox, Session, TrialFault
from clibench.tasks.case import Case, Fixture

TRIED: Final = 6
"""Executables that are tried at most."""
HELP_TIMEOUT_S: Final = 30.0
CLEAR_NAME: Final = 0.8
"""Fit of a name from which on it tells the tool among several executables without a trial."""
_BARE: Final[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Entry:
    """An executable of a candidate."""

    name: str
    package: str
    """What to pin for it: the package; for Go, the path of its main package."""
    match: Match
    score: float
    """Fit of the name in [0, 1]."""
    help: Help | None = None
    """None where it was not tried, or was refused."""
    refused: Refusal | None = None
    bare: str = ""
    """What a call without arguments shows about network, key and terminal, for the reviewers; empty where it shows nothing."""


def discover(
    sandbox: Sandbox,
    prefix: Path,
    package: Package,
    *,
    install_timeout_s: float = 600.0,
    help_timeout_s: float = HELP_TIMEOUT_S,
    network: bool = True,
    tried: int = TRIED,
) -> tuple[Entry, ...]:
    """Install `package` into the empty folder `prefix` and rank its executables: one with help first where there is one, else by name.

    Raises RejectedError for a package that is not there, does not install or has no executable, SandboxError for faults of the harness.
    """
    found = install(sandbox, prefix, package, timeout_s=install_timeout_s, network=network)
    return entries(sandbox, prefix, found, help_timeout_s=help_timeout_s, tried=tried)


def entries(
    sandbox: Sandbox, prefix: Path, installed: Installed, *, help_timeout_s: float = HELP_TIMEOUT_S, tried: int = TRIED
) -> tuple[Entry, ...]:
    """The second half of `discover`, for a candidate that is installed."""
    ranked = rank(installed.programs, installed.package)
    limits = Limits(wall_s=help_timeout_s)
    with sandbox.open(language=installed.package.language.value, prefix=prefix, limits=limits, workers=len(FORMS)) as session:
        for place, entry in enumerate(ranked[:tried]):
            ranked[place] = _tried(session, entry)
            if ranked[place].help is not None:
                break
    return tuple(sorted(ranked, key=lambda entry: entry.help is None))


def usable(found: Iterable[Entry], package: Package) -> Entry:
    """The entry to take; raises RejectedError with the reason of the best one where none prints its help."""
    ranked = tuple(found)
    for entry in ranked:
        if entry.help is not None:
            return entry
    first = next(entry for entry in ranked if entry.refused is not None)
    assert first.refused is not None  # noqa: S101 - just filtered
    raise RejectedError(first.refused.reason, f"{first.name} {first.refused.detail}", where=str(package))


def rank(programs: Iterable[Program], package: Package) -> list[Entry]:
    """By the fit of their names, best first."""
    found = [Entry(program.name, program.package, *match(program.name, package.name)) for program in programs]
    return sorted(found, key=lambda entry: (-entry.score, len(entry.name), entry.name))


def named(ranked: Sequence[Entry]) -> Entry | None:
    """Of the ranked executables of a package the one that its name, or the lack of others, makes the tool; None where neither does."""
    return ranked[0] if len(ranked) == 1 or (ranked and ranked[0].score >= CLEAR_NAME) else None


def _tried(session: Session, entry: Entry) -> Entry:
    """The entry with its help, or the reason why it has none. `--help` alone is asked first: mostly it is enough."""
    first, *others = FORMS
    answers = _ask(session, entry, [first])
    found = best_help(entry.name, answers)
    if found is None or found.notes:
        again = [first] if answers[first].status.end is End.TIMEOUT else []  # a busy machine may have been at fault
        answers |= _ask(session, entry, [*again, *others])
        found = best_help(entry.name, answers)
    if found is None:
        return Entry(entry.name, entry.package, entry.match, entry.score, refused=refusal(answers))
    return Entry(entry.name, entry.package, entry.match, entry.score, help=found, bare=_without_arguments(session, entry))


def _without_arguments(session: Session, entry: Entry) -> str:
    recording = _ask(session, entry, [_BARE])[_BARE]
    if recording.status.end is End.TIMEOUT:
        return "called without arguments it does not end by itself"
    missed = complaint(recording)
    return f"called without arguments it {missed.reason}: {missed.detail}" if missed else ""


def _ask(session: Session, entry: Entry, forms: list[tuple[str, ...]]) -> dict[tuple[str, ...], Recording]:
    """Recordings by form, in their order; a trial that the harness failed is tried once more."""
    nothing = Fixture()
    cases = {f"probe/{number:02}": words for number, words in enumerate(forms, 1)}
    asked = [Case(name, "probe", (entry.name, *words), nothing.digest()) for name, words in cases.items()]
    answers: dict[tuple[str, ...], Recording] = {}
    for _ in range(2):
        faults = []
        for case, result in session.run(asked, {nothing.digest(): nothing}):
            if isinstance(result, TrialFault):
                faults.append((case, result))
            else:
                answers[cases[case.id]] = result
        if not faults:
            break
        asked = [case for case, _ in faults]
    else:
        raise SandboxError(f"{entry.name} could not be run: {faults[0][1].reason}", where="curation")
    return {words: answers[words] for words in forms}
