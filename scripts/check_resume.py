"""Kill a sweep with SIGKILL again and again, start it anew each time, and compare it with one that was left alone.

    python scripts/check_resume.py [kills=12] [seed=0] [-m framework=gold,null,replay_careful dataset=smoke]

What follows the two settings is the sweep (default: as above; `-m +experiment=demo` is the whole of `make run`). The points of killing are
drawn by `seed` from the units that the undisturbed sweep finishes, each with a delay that moves it into the work on the next one. Ends with
1 where scores.csv differs by a byte, a finished unit was done again, or a container, process, mount or scratch folder is left.
"""

from __future__ import annotations

import filecmp
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from clibench.sandbox.reap import OUTPUTS_LABEL, Owner, scratch_root

SWEEP = ["-m", "framework=gold,null,replay_careful", "dataset=smoke"]
POLL_S = 0.02
LONGEST_DELAY_S = 2.0


def main(arguments: list[str]) -> int:
    """Print a line a kill and what differs at the end."""
    settings = {"kills": 12, "seed": 0}
    while arguments and arguments[0].partition("=")[0] in settings:
        name, _, value = arguments.pop(0).partition("=")
        settings[name] = int(value)
    sweep = arguments or SWEEP
    drawn = random.Random(settings["seed"])  # noqa: S311 - points of time, no secrets
    with tempfile.TemporaryDirectory(prefix="clibench-resume-") as folder:
        alone, killed = Path(folder) / "alone", Path(folder) / "killed"
        _finish(sweep, alone)
        total = len(_units(alone))
        print(f"left alone: {total} units", flush=True)
        seen: dict[str, int] = {}
        for point in sorted(drawn.sample(range(total), min(settings["kills"], total))):
            done = _kill(sweep, killed, point, drawn.uniform(0, LONGEST_DELAY_S))
            print(f"killed at {point}: {done} units done", flush=True)
            seen.update(_units(killed))
        _finish(sweep, killed)
        wrong = _differences(alone, killed, seen) + _left(Path(folder))
    print("\n".join(wrong) if wrong else "same scores.csv; nothing done twice, nothing left")
    return 1 if wrong else 0


def _start(words: list[str], outputs: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "clibench", *words, f"outputs={outputs}", "progress=off"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)


def _finish(sweep: list[str], outputs: Path) -> None:
    for words in (sweep, ["report"]):
        status = _start(words, outputs).wait()
        if status:
            raise SystemExit(f"{' '.join(words)} ended with status {status}")


def _kill(sweep: list[str], outputs: Path, point: int, delay: float) -> int:
    """Start the sweep, kill its whole process group once `point` units are done and `delay` seconds have passed; the units then done."""
    run = _start(sweep, outputs)
    while run.poll() is None and len(_units(outputs)) < point:
        time.sleep(POLL_S)
    try:
        run.wait(delay)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return len(_units(outputs))


def _units(outputs: Path) -> dict[str, int]:
    """When each finished unit was written, by its path below the store."""
    root = outputs / "store" / "units"
    return {str(path.relative_to(root)): path.stat().st_mtime_ns for path in root.glob("*/*.json")}


def _differences(alone: Path, killed: Path, seen: dict[str, int]) -> list[str]:
    same = filecmp.cmp(alone / "report" / "scores.csv", killed / "report" / "scores.csv", shallow=False)
    wrong = [] if same else [f"scores.csv differs:\n{(killed / 'report' / 'scores.csv').read_text()}"]
    now = _units(killed)
    return wrong + [f"done again after it was finished: {unit}" for unit, written in seen.items() if now.get(unit) != written]


def _left(folder: Path) -> list[str]:
    wrong = [f"process {process.pid} is left" for process in psutil.process_iter() if _names(process, folder)]
    for outputs in ("alone", "killed"):
        listed = ["docker", "ps", "--all", "--quiet", f"--filter=label={OUTPUTS_LABEL}={(folder / outputs).resolve()}"]
        wrong += [f"container {name} is left" for name in subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()]
    wrong += [f"mount is left: {line}" for line in Path("/proc/self/mounts").read_text().splitlines() if str(folder) in line]
    owners = {path: Owner.parse(path.name.split("-", 2)[2]) for path in scratch_root().glob("*-*-*")}
    return wrong + [f"scratch folder is left: {path}" for path, owner in owners.items() if owner is not None and owner.is_dead()]


def _names(process: psutil.Process, folder: Path) -> bool:
    try:
        return any(str(folder) in word for word in process.cmdline())
    except psutil.Error:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
