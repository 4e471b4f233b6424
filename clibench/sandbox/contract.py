"""The determinism contract: what every process under test sees, and the numbered variations of it.

The contract is what makes two recordings comparable; it is part of every recording's key. The variations are its opposite: the stability
check of the oracle runs each case again with everything changed that a result must not depend on, and what then differs is masked or
quarantined.

What can't be varied honestly: the wall clock of a program that asks the kernel (there is no namespace for it). It really passes between
the runs, and where the sandbox has libfaketime, dynamically linked programs (Python and Node) are shown another day; Go programs are not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from clibench.tasks.case import HOME, WORKSPACE

SOURCE_DATE_EPOCH: Final = 1_577_880_000
"""2020-01-01T12:00:00Z: the modification time of every file that a fixture does not date. Noon, so that no time zone changes the day."""

UID: Final = 1000
USER: Final = "user"
HOST: Final = "sandbox"
UMASK: Final = 0o022

ENVIRONMENT: Final[dict[str, str]] = {
    "PATH": "/opt/tool/bin:/usr/local/bin:/usr/bin:/bin",
    "HOME": HOME,
    "USER": USER,
    "LOGNAME": USER,
    "PWD": WORKSPACE,
    "SHELL": "/bin/sh",
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TERM": "dumb",
    "COLUMNS": "80",
    "LINES": "24",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "SOURCE_DATE_EPOCH": str(SOURCE_DATE_EPOCH),
}
"""Nothing else is in the environment, apart from what a case adds. NO_COLOR is unset on purpose: outputs are compared without colours."""

RULES: Final[dict[str, str]] = {
    "working directory": f"{WORKSPACE}, owned by the user, as the home folder {HOME} is; /tmp, /var/tmp and /dev/shm are empty",
    "user": f"{USER} ({UID}:{UID}); everything that is not theirs belongs to nobody",
    "host name": HOST,
    "umask": f"{UMASK:04o}",
    "standard input": "a pipe with the case's bytes; /dev/null where it has none",
    "terminal": "none",
    "network": "none but a loopback interface of the trial's own",
    "modification times": "SOURCE_DATE_EPOCH, or the start of the trial less the entry's age",
    "privileges": "no capabilities, no_new_privs, a seccomp filter, no namespaces of one's own",
    "/sys": "empty",
}


@dataclass(frozen=True)
class Conditions:
    """What one trial is run under. The default is the contract."""

    environment: dict[str, str] = field(default_factory=lambda: dict(ENVIRONMENT))
    host: str = HOST
    user: str = USER
    uid: int = UID
    first_pid: int = 2
    """PID of the process under test, in its own PID namespace."""
    clock_shift_s: int = 0
    """Added to the clock where libfaketime is found, and then to relative modification times too."""
    reverse_entries: bool = False
    """Fixture entries are created in reverse, which changes the order in which a folder is listed."""

    def to_json(self) -> dict[str, Any]:
        """For results and keys, and for the runner."""
        return {
            "environment": dict(sorted(self.environment.items())),
            "host": self.host,
            "user": self.user,
            "uid": self.uid,
            "first_pid": self.first_pid,
            "clock_shift_s": self.clock_shift_s,
            "reverse_entries": self.reverse_entries,
        }


CONTRACT: Final = Conditions()


def _varied(**changes: str) -> dict[str, str]:
    return {**ENVIRONMENT, **changes}


_DAY: Final = 86_400

VARIATIONS: Final[tuple[Conditions, ...]] = (
    # 0 is the contract again: what differs here depends on nothing but chance.
    CONTRACT,
    Conditions(_varied(TZ="Asia/Tokyo", PYTHONHASHSEED="1"), host="alpha", first_pid=321, reverse_entries=True),
    Conditions(
        _varied(TZ="America/New_York", PYTHONHASHSEED="4242", LANG="C", LC_ALL="C", USER="tester", LOGNAME="tester"),
        host="build-07",
        user="tester",
        uid=1234,
        first_pid=1042,
        clock_shift_s=40 * _DAY + 3_723,
    ),
    Conditions(
        _varied(TZ="Asia/Kolkata", PYTHONHASHSEED="99"), host="x", user=USER, uid=2001, first_pid=77, clock_shift_s=400 * _DAY + 41_011
    ),
    Conditions(
        _varied(TZ="Pacific/Auckland", PYTHONHASHSEED="31337", USER="ci", LOGNAME="ci", SHELL="/bin/bash"),
        host="node-3.example",
        user="ci",
        uid=1500,
        first_pid=2500,
        clock_shift_s=200 * _DAY + 7,
        reverse_entries=True,
    ),
)


def conditions(stability: int | None) -> Conditions:
    """The contract for None, else the numbered variation (they repeat after the last, numbered from 1 on so that 0 stays the contract)."""
    if stability is None:
        return CONTRACT
    if stability < len(VARIATIONS):
        return VARIATIONS[stability]
    return VARIATIONS[1 + (stability - 1) % (len(VARIATIONS) - 1)]
