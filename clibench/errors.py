"""Errors that a user sees, as one line and an exit status, never as a traceback.

Every message says what was wrong, where, and what to do about it. They are caught once, in `__main__`. An error that is not one of these
is a defect of clibench itself and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class ClibenchError(Exception):
    """Base of all errors that are explained to the user; `exit_code` is the status of the process."""

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what = what
        self.where = where
        self.fix = fix
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """`where: what. fix`, leaving out what is empty."""
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text.rstrip('.')}. {self.fix}" if self.fix else text


class UserError(ClibenchError):
    """Bad input or configuration: the user can mend it. Exit status 2."""

    exit_code = 2


class SweepError(UserError):
    """Several faults of one sweep, each on a line of its own."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))

    def __reduce__(self) -> tuple[type[SweepError], tuple[tuple[str, ...]]]:
        return type(self), (self.faults,)


class TaskError(UserError):
    """A task's files are malformed or do not match their lock."""


class MissingKeyError(UserError):
    """A model needs a key that the environment does not hold."""


class InfraError(ClibenchError):
    """The harness, not the submission, failed (daemon gone, disk full, rate limit): to be retried, never scored. Exit status 3."""

    exit_code = 3
    passing: bool = True
    """Whether the run itself may try again at once: a wrong key or a spent budget is still one a second later."""


class SandboxError(InfraError):
    """The sandbox could not be started, or broke while it ran."""


class StoreError(InfraError):
    """The store under outputs/ could not be read or written."""


class OutputsError(StoreError):
    """outputs/ is full or not writable: infra for the unit that met it, but the user's to mend, hence exit status 2."""

    exit_code = 2


class TrackingError(InfraError):
    """The tracking server could not be reached: the results are on disk and can be logged later."""


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """`Valid: a, b.` with the nearest valid name first in the sentence where one is close (rapidfuzz ratio of 60 or more)."""
    from rapidfuzz import process

    names = sorted(valid)
    nearest = process.extractOne(name, names, score_cutoff=60.0)
    hint = f"Did you mean '{nearest[0]}'? " if nearest else ""
    return f"{hint}Valid: {', '.join(names) or 'none'}."
