"""An oracle whose behaviour is its own source, in memory: a case prints the lines that are marked with its pattern's name.

So a defect shows exactly in the cases whose lines it is in: a line `x = 1  # p` is printed by the cases of pattern p and counts as run by
them; `# p err` goes to standard error, `# p quiet` nowhere, and `# p hang` never ends once the line is another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from clibench.audit.mutants.reach import PLACE
from clibench.digest import digest_bytes
from clibench.recording import Change, End, Output, Recording, Status
from clibench.sandbox.interface import BuildRequest, BuildResult, Limits, TrialFault
from clibench.tasks.case import Case, Fixture
from clibench.tasks.oracle_lock import lock_digest
from clibench.tasks.task import Difficulty, Language, Oracle, Pattern, Task

SITE = "lib/python3.11/site-packages"
FILE = "words/cli.py"
LOCK = "some-words==1.0 --hash=sha256:00\n"
FIXTURE = Fixture()
EMPTY = Output.of(b"")


def behave(source: str, original: str, case: Case) -> Recording | None:
    """What the tool does; None where it hangs."""
    out: list[str] = []
    err: list[str] = []
    for line, before in zip(source.splitlines(), original.splitlines(), strict=True):
        _, _, marks = line.partition("# ")
        words = marks.split()
        if case.pattern not in words:
            continue
        if "hang" in words and line != before:
            return None
        if "quiet" in words:
            continue
        (err if "err" in words else out).append(f"{line} {case.argv[1]}\n")
    return Recording(Status(End.EXIT), Output.of("".join(out).encode()), Output.of("".join(err).encode()))


@dataclass
class PrintingSandbox:
    """Implements the protocol `Sandbox` for one oracle; counts what it is asked for, and fails where it is told to."""

    source: str
    builds: int = 0
    sessions: int = 0
    trials: list[tuple[str, str]] = field(default_factory=list)
    """Case and source of each trial."""
    fault: Callable[[str, str], bool] = lambda case, source: False
    """Whether the trial of a case with this source fails for reasons of the harness."""

    def describe(self) -> dict[str, str]:
        return {"backend": "printing", "isolation": "none"}

    def build(self, request: BuildRequest) -> BuildResult:
        self.builds += 1
        for name, content in {
            f"{SITE}/{FILE}": self.source,
            f"{SITE}/other/dependency.py": "x = 1 < 2\n",
            f"{SITE}/some_words-1.0.dist-info/RECORD": f"{FILE},sha256=x,1\nwords/tests/test_cli.py,,\n../../../bin/words,,\n",
            f"{SITE}/other-2.0.dist-info/RECORD": "other/dependency.py,,\n",
            "bin/words": "#!/bin/sh\n",
        }.items():
            path = request.destination / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        (request.destination / "bin" / "words").chmod(0o755)
        return BuildResult(True, b"")

    def open(self, *, language: str, prefix: Path, limits: Limits, workers: int) -> PrintingSession:
        self.sessions += 1
        watched = (prefix / SITE / "clibench_reach.pth").is_file()
        return PrintingSession(self, (prefix / SITE / FILE).read_text(), watched)

    def close(self) -> None: ...


@dataclass
class PrintingSession:
    """Implements the protocol `Session`."""

    sandbox: PrintingSandbox
    source: str
    watched: bool

    def run(
        self, cases: Iterable[Case], fixtures: Mapping[str, Fixture], *, stability: int | None = None
    ) -> Iterator[tuple[Case, Recording | TrialFault]]:
        for case in reversed(list(cases)):
            self.sandbox.trials.append((case.id, self.source))
            yield case, self._trial(case)

    def _trial(self, case: Case) -> Recording | TrialFault:
        if self.sandbox.fault(case.id, self.source):
            return TrialFault("the disk is full")
        recording = behave(self.source, self.sandbox.source, case)
        if recording is None:
            return Recording(Status(End.TIMEOUT), EMPTY, EMPTY)
        if not self.watched:
            return recording
        lines = [number for number, line in enumerate(self.source.splitlines(), 1) if case.pattern in line.partition("# ")[2].split()]
        content = f"{FILE}:{','.join(map(str, lines))}\n".encode()
        change = Change(f"{PLACE}-1", "created", "file", 0o644, len(content), digest_bytes(content), None, content)
        return Recording(recording.status, recording.stdout, recording.stderr, (change,))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...


def printing_task(source: str, *, patterns: tuple[str, ...] = ("p", "q"), cases: int = 3) -> Task:
    """A task of that oracle."""
    made = tuple(
        Case(f"{pattern}/{number:02}", pattern, ("words", str(number)), FIXTURE.digest()) for pattern in patterns for number in range(cases)
    )
    recordings = {case.id: recording for case in made if (recording := behave(source, source, case)) is not None}
    return Task(
        id="words",
        alias="words",
        language=Language.PYTHON,
        category="text",
        difficulty=Difficulty.EASY,
        loc=10,
        oracle=Oracle("pypi", "some-words", "1.0", "words", "MIT", LOCK, lock_digest("pypi", LOCK)),
        prompt="Print the words.",
        patterns=tuple(Pattern(pattern, "prints") for pattern in patterns),
        cases=made,
        fixtures={FIXTURE.digest(): FIXTURE},
        recordings=recordings,
        digest="f" * 64,
    )
