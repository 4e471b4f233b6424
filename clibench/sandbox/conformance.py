"""Whether a sandbox keeps what it promises, seen from inside: asked by `doctor`, and of every back end by the tests.

Each check is a small program, run as a trial, and what has to be true of its recording. It needs nothing but a shell and coreutils. What
fails comes with a hint at what to mend.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from clibench.recording import End, Recording
from clibench.sandbox.contract import HOST, SOURCE_DATE_EPOCH, UID, USER
from clibench.sandbox.interface import Limits, Sandbox, TrialFault
from clibench.sandbox.reap import scratch_folder
from clibench.tasks.case import Case, Entry, Fixture

LIMITS: Final = Limits(wall_s=30.0, memory_mb=128, processes=32, disk_mb=16)
STATE: Final = Fixture((Entry("kept", content=b"kept\n"), Entry("folder/gone"), Entry("hour", age_s=3600.0)))
_INPUT: Final = bytes(range(256)) * (1 << 14)

_NAMESPACES: Final = "Docker: start with --cap-add SYS_ADMIN and without AppArmor; local: allow user namespaces, or use sandbox=docker."
_LIMIT: Final = "The kernel or the container does not enforce the limit; please report it with the output of `uname -a`."


@dataclass(frozen=True)
class Result:
    """One check's answer."""

    name: str
    passed: bool
    reason: str = ""
    """What was seen instead, where it did not pass."""
    fix: str = ""


@dataclass(frozen=True)
class Check:
    """A program, and what has to be true of its recording."""

    name: str
    script: str
    holds: Callable[[Recording], bool]
    fix: str
    stdin: bytes = b""
    timeout_s: float | None = None

    def case(self, number: int) -> Case:
        """The check as a test case."""
        return Case(f"check/{number:02}", "check", ("sh", "-c", self.script), STATE.digest(), self.stdin, {}, timeout_s=self.timeout_s)


def _prints(*lines: object) -> Callable[[Recording], bool]:
    expected = "".join(f"{line}\n" for line in lines).encode()
    return lambda seen: seen.status.ok and seen.stdout.data == expected


def _changes(**expected: str) -> Callable[[Recording], bool]:
    wanted = {f"/workspace/{name}": kind for name, kind in expected.items()}
    return lambda seen: {change.path: str(change.kind) for change in seen.changes} == wanted


def _whole_input(seen: Recording) -> bool:
    return (seen.stdout.size, seen.stdout.sha256) == (len(_INPUT), hashlib.sha256(_INPUT).hexdigest())


CHECKS: Final[tuple[Check, ...]] = (
    Check(
        "runs programs under the determinism contract",
        "id -un; id -u; hostname; pwd; umask; echo $TZ $LC_ALL $PYTHONHASHSEED; echo $$",
        _prints(USER, UID, HOST, "/workspace", "0022", "UTC C.UTF-8 0", 2),
        _NAMESPACES,
    ),
    Check("starts from the fixture's state", "cat kept; ls; ls -A /tmp", _prints("kept", "folder", "hour", "kept"), _NAMESPACES),
    Check(
        "dates files relative to the trial or constantly",
        "echo $(($(stat -c %Y kept) - "
        + str(SOURCE_DATE_EPOCH)
        + ")); a=$(($(date +%s) - $(stat -c %Y hour))); test $a -ge 3600 -a $a -lt 3660; echo $?",
        _prints(0, 0),
        "The clock jumps, or the machine is so busy that a trial takes a minute to start.",
    ),
    Check(
        "records created, modified and deleted files",
        "echo new > made; echo more >> kept; rm folder/gone; cp hour same; mv same hour",
        _changes(made="created", kept="modified", **{"folder/gone": "deleted"}),
        "Try sandbox.isolation=copy.",
    ),
    Check("renames folders of a fixture", "mv folder moved && ls moved", _prints("gone"), "Try sandbox.isolation=copy."),
    Check("hands over all of the input and output", "cat", _whole_input, _LIMIT, stdin=_INPUT),
    Check(
        "kills the whole tree at the time limit",
        "sleep 3000 & sleep 3000",
        lambda seen: seen.status.end is End.TIMEOUT,
        _LIMIT,
        timeout_s=0.5,
    ),
    Check(
        "bounds the memory of a trial",
        "head -c 2000000000 /dev/zero | tail | wc -c",
        lambda seen: seen.status.end is End.OOM,
        _LIMIT,
    ),
    Check(
        "bounds the number of processes",
        "n=0; while test $n -lt 100; do sleep 3000 & n=$((n+1)); done; echo all",
        lambda seen: b"fork" in seen.stderr.data and b"all" not in seen.stdout.data,
        _LIMIT,
    ),
    Check(
        "bounds what a trial writes",
        "head -c 100000000 /dev/zero > big",
        lambda seen: not seen.status.ok and all(change.size <= 2 * LIMITS.disk_mb << 20 for change in seen.changes),
        _LIMIT,
    ),
    Check(
        "has no network",
        "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; tail -n +2 /proc/net/route",
        _prints("lo"),
        _NAMESPACES,
    ),
    Check(
        "gives programs no rights",
        "grep -E '^(CapPrm|CapEff|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t'",
        _prints("CapPrm:0000000000000000", "CapEff:0000000000000000", "NoNewPrivs:1", "Seccomp:2"),
        "The kernel was built without seccomp filters; use another one.",
    ),
    Check("shows programs no other process", "cd /proc; for p in [0-9]*; do echo $p; done", _prints(2), _NAMESPACES),
    Check(
        "protects the installation and the system",
        "for f in /opt/tool/x /usr/x /etc/x /x; do touch $f 2>/dev/null && echo $f; done; true",
        lambda seen: seen.status.ok and not seen.stdout.data and not seen.changes,
        "Run clibench as a user who can't write to the system's folders.",
    ),
)


def run_conformance(sandbox: Sandbox) -> Iterator[Result]:
    """Run every check, and yield each answer as it comes. Raises SandboxError where the sandbox can't be opened at all."""
    with scratch_folder("check") as folder:
        prefix = folder / "prefix"
        prefix.mkdir()
        for path in (prefix, prefix.parent):
            path.chmod(0o755)
        numbered = dict(enumerate(CHECKS, 1))
        cases = {number: check.case(number) for number, check in numbered.items()}
        with sandbox.open(language="", prefix=prefix, limits=LIMITS, workers=2) as session:
            for case, seen in session.run(cases.values(), {STATE.digest(): STATE}):
                check = numbered[int(case.id.partition("/")[2])]
                yield result(check, seen)


def result(check: Check, seen: Recording | TrialFault) -> Result:
    """What a check says of what was seen."""
    if isinstance(seen, TrialFault):
        return Result(check.name, False, seen.reason, check.fix)
    if check.holds(seen):
        return Result(check.name, True)
    printed = (seen.stdout.data[:200] + seen.stderr.data[:200]).decode("utf-8", "replace").strip()
    changes = ", ".join(f"{change.kind} {change.path}" for change in seen.changes[:5])
    return Result(check.name, False, "; ".join(part for part in (str(seen.status), printed, changes) if part), check.fix)
