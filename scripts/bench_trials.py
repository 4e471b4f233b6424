"""What isolation costs: a trial here, the bare process, and the same trial by the published scripts' procedure.

    python scripts/bench_trials.py [trials=200] [published=15]

Needs a Docker daemon. All figures are medians in milliseconds of wall time, on the machine as it is; the last line is JSON:

    bare_ms       the program alone, started and waited for in the container by a small C-level spawn
    trial_ms      one trial with one worker, seen by the client: fresh state, isolation, capture, side effects
    overhead_ms   trial_ms - bare_ms
    published_ms  the published procedure: restore by cp -a, upload by docker cp, preparation, manifest (find, cksum), command, manifest
    speedup       published_ms / trial_ms
    scaling_2     trials per second with two workers over those with one

The program is `true`: what is measured is the harness. Only throughput is measured with `python3 -c pass`, the least that a real tool
does. Both procedures have the same fixture of 20 files.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from clibench.errors import ClibenchError
from clibench.recording import Recording
from clibench.sandbox.docker import DockerSandbox
from clibench.sandbox.image import ensure_image
from clibench.sandbox.interface import Limits, Session
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.case import Case, Entry, Fixture

FIXTURE = Fixture(tuple(Entry(f"folder{number % 4}/file{number}.txt", content=b"some text\n" * 20) for number in range(20)))
PROGRAM = ("true",)
TOOL = ("python3", "-c", "pass")

BARE = """
import os, sys, time
times = []
for _ in range(int(sys.argv[1])):
    start = time.perf_counter()
    os.waitpid(os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ), 0)
    times.append(time.perf_counter() - start)
times.sort()
print(times[len(times) // 2] * 1000)
"""
MANIFEST = "find /workspace -type f -exec cksum {} + | sort; find /workspace -type d | sort"


def run(session: Session, count: int, program: tuple[str, ...] = PROGRAM) -> None:
    """`count` trials; none may fail."""
    cases = [Case(f"bench/{number:04}", "bench", program, FIXTURE.digest()) for number in range(count)]
    for _, outcome in session.run(cases, {FIXTURE.digest(): FIXTURE}):
        if not isinstance(outcome, Recording) or not outcome.status.ok:
            raise SystemExit(f"a trial failed: {outcome}")


def median_ms(count: int, step: Callable[[], object]) -> float:
    """Median wall time of `step`."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def docker(*arguments: str) -> str:
    """The Docker client's standard output."""
    return subprocess.run(["docker", *arguments], check=True, capture_output=True, text=True).stdout


def measure_trials(sandbox: DockerSandbox, prefix: Path, count: int) -> tuple[float, float]:
    """Median time of one trial after the other, and how many times as many two workers do in the same time."""
    with (
        sandbox.open(language="python", prefix=prefix, limits=Limits(), workers=1) as one,
        sandbox.open(language="python", prefix=prefix, limits=Limits(), workers=2) as two,
    ):
        for session in (one, two):
            run(session, 20)
        trial_ms = median_ms(count, lambda: run(one, 1))
        rounds: dict[str, list[float]] = {"one": [], "two": []}
        for _ in range(5):  # in turns, so that a busy moment of the machine meets both
            for name, session in (("one", one), ("two", two)):
                start = time.perf_counter()
                run(session, count, TOOL)
                rounds[name].append(count / (time.perf_counter() - start))
        rates = {name: statistics.median(values) for name, values in rounds.items()}
    return trial_ms, rates["two"] / rates["one"]


def measure_bare(container: str, count: int) -> float:
    """Median time of the program alone, in a container."""
    return float(docker("exec", container, "python3", "-I", "-S", "-c", BARE, str(count), *PROGRAM))


def measure_published(container: str, upload: Path, count: int) -> float:
    """Median time of the procedure of the paper's published scripts: five docker exec and one upload for each case."""

    def once() -> None:
        docker("exec", container, "sh", "-c", "rm -rf /workspace/* && cp -a /backup/. /workspace/")
        docker("cp", f"{upload}/.", f"{container}:/workspace")
        docker("exec", container, "sh", "-c", "cd /workspace && true")
        docker("exec", container, "sh", "-c", MANIFEST)
        docker("exec", "--workdir", "/workspace", container, *PROGRAM)
        docker("exec", container, "sh", "-c", MANIFEST)

    docker("exec", container, "sh", "-c", "mkdir -p /backup && cp -a /workspace/. /backup/")
    return median_ms(count, once)


def write_fixture(folder: Path) -> None:
    """The fixture as files of the host."""
    for entry in FIXTURE.entries:
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(entry.content)


def main(arguments: list[str]) -> None:
    """Measure, say it, and end with the JSON line."""
    settings = {"trials": 200, "published": 15} | {name: int(value) for name, _, value in (word.partition("=") for word in arguments)}
    config = SandboxConfig(backend="docker")
    sandbox = DockerSandbox(config)
    image = ensure_image(config.base_image).name
    with tempfile.TemporaryDirectory(prefix="clibench-bench-") as folder:
        prefix, upload = Path(folder) / "prefix", Path(folder) / "upload"
        (prefix / "bin").mkdir(parents=True)
        write_fixture(upload)
        try:
            trial_ms, scaling = measure_trials(sandbox, prefix, settings["trials"])
            container = docker("run", "--detach", "--rm", "--user=0:0", "--network=none", image, "sleep", "3600").strip()
            try:
                bare_ms = measure_bare(container, settings["trials"])
                published_ms = measure_published(container, upload, settings["published"])
            finally:
                docker("rm", "--force", container)
        finally:
            sandbox.close()
    result = {
        "bare_ms": round(bare_ms, 2),
        "trial_ms": round(trial_ms, 2),
        "published_ms": round(published_ms, 1),
        "overhead_ms": round(trial_ms - bare_ms, 2),
        "speedup": round(published_ms / trial_ms, 1),
        "scaling_2": round(scaling, 2),
    }
    for name, wanted in (("overhead_ms", "under 8"), ("speedup", "25 or more"), ("scaling_2", "1.7 or more")):
        print(f"{name:12} {result[name]:8} (wanted: {wanted})")
    print(json.dumps(result))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ClibenchError as error:
        print(error.message, file=sys.stderr)
        sys.exit(error.exit_code)
