"""A sandbox and tasks that run in memory, so that what the pipeline does with results and faults can be counted.

The submission language is Go, whose build recipe wants no more than a go.mod and one executable. A submission's file `behaviour` says how
its tool behaves: `echo` as the oracle does, `shout` prints in upper case.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from clibench.digest import digest_bytes
from clibench.errors import SandboxError
from clibench.recording import End, Output, Recording, Resources, Status
from clibench.sandbox.interface import BuildRequest, BuildResult, Limits, TrialFault
from clibench.tasks import folder as files
from clibench.tasks.case import Case, Fixture
from clibench.tasks.head import OraclePin, PatternHead, TaskFile, encode_head
from clibench.tasks.oracle_lock import lock_digest
from clibench.tasks.task import Difficulty, Language, Oracle, Pattern, Task

FIXTURE = Fixture()
LOCK = "-- go.mod --\nmodule oracle\n-- go.sum --\n"


def behave(behaviour: str, case: Case) -> Recording:
    """What a tool does with a case: print its arguments, or exit with 2 where the first is `bad`."""
    words = " ".join(case.argv[1:])
    if case.argv[1] == "bad":
        return Recording(Status(End.EXIT, 2), Output.of(b""), Output.of(b"usage\n"), resources=Resources(0.01, 0.01, 1000))
    text = words.upper() if behaviour == "shout" else words
    return Recording(Status(End.EXIT), Output.of(f"{text}\n".encode()), Output.of(b""), resources=Resources(0.01, 0.01, 1000))


def make_task(name: str = "words", *, patterns: int = 2, cases: int = 3, prompt: str = "Print the words.") -> Task:
    """A Go task; the last case of each pattern is one that the oracle rejects."""
    made = tuple(
        Case(
            f"p{pattern}/{number:02}",
            f"p{pattern}",
            ("tool", "bad" if number == cases - 1 else "good", str(pattern), str(number)),
            FIXTURE.digest(),
        )
        for pattern in range(patterns)
        for number in range(cases)
    )
    return Task(
        id=name,
        alias="tool",
        language=Language.GO,
        category="text",
        difficulty=Difficulty.EASY,
        loc=100,
        oracle=Oracle("go", "example.org/words", "v1.0.0", "tool", "MIT", LOCK, lock_digest("go", LOCK)),
        prompt=prompt,
        patterns=tuple(Pattern(f"p{pattern}", "prints") for pattern in range(patterns)),
        cases=made,
        fixtures={FIXTURE.digest(): FIXTURE},
        recordings={case.id: behave("echo", case) for case in made},
        digest="f" * 64,
    )


def write_task(tasks_dir: Path, task: Task) -> Path:
    """The frozen folder of a task, as `freeze` would have written it."""
    folder = tasks_dir / task.id
    folder.mkdir(parents=True)
    head = TaskFile(
        id=task.id,
        alias=task.alias,
        language=task.language,
        category=task.category,
        difficulty=task.difficulty,
        loc=task.loc,
        oracle=OraclePin(
            registry=task.oracle.registry,
            name=task.oracle.name,
            version=task.oracle.version,
            entry=task.oracle.entry,
            licence=task.oracle.licence,
            digest=lock_digest(task.oracle.registry, task.oracle.lock),
        ),
        patterns=tuple(
            PatternHead(id=pattern.id, description=pattern.description, cases=sum(case.pattern == pattern.id for case in task.cases))
            for pattern in task.patterns
        ),
    )
    contents = {
        files.TASK: encode_head(head),
        files.SPEC: b"# not read here\n",
        files.PROMPT: task.prompt.encode(),
        files.CASES: files.encode_cases(task.cases),
        files.FIXTURES: files.encode_fixtures(task.fixtures),
        files.RECORDINGS: files.encode_recordings(task.recordings),
        files.ORACLE_LOCK: task.oracle.lock.encode(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / files.LOCK).write_bytes(files.encode_json({"files": {name: digest_bytes(content) for name, content in contents.items()}}))
    return folder


def write_submission(folder: Path, behaviour: str) -> Path:
    """A repository whose tool behaves so."""
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text("module words\n")
    (folder / "behaviour").write_text(behaviour)
    return folder


@dataclass
class FakeSandbox:
    """Counts what it is asked for, and fails where it is told to."""

    identity: dict[str, str] = field(default_factory=lambda: {"backend": "fake", "isolation": "none", "image": "1"})
    builds: list[str] = field(default_factory=list)
    """Behaviour of each installation made, `oracle` for an oracle."""
    trials: list[str] = field(default_factory=list)
    """Case id of each trial run."""
    faults: dict[str, int] = field(default_factory=dict)
    """How often the trial of a case is still to fail."""
    before_trial: Callable[[str], None] = lambda case: None
    """Called with the case id; may raise."""
    before_build: Callable[[], None] = lambda: None
    closed: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def describe(self) -> dict[str, str]:
        """Identity."""
        return self.identity

    def build(self, request: BuildRequest) -> BuildResult:
        """`Install`: the executable holds the behaviour."""
        self.before_build()
        marker = request.source / "behaviour"
        behaviour = marker.read_text() if marker.is_file() else "oracle"
        with self.lock:
            self.builds.append(behaviour)
        if behaviour == "broken":
            return BuildResult(False, b"cannot find module\n", "`go install` failed with status 1", 1.0)
        (request.destination / "bin").mkdir()
        tool = request.destination / "bin" / "tool"
        tool.write_text(behaviour)
        tool.chmod(0o755)
        return BuildResult(True, b"installed\n", wall_s=1.0)

    def open(self, *, language: str, prefix: Path, limits: Limits, workers: int) -> FakeSession:
        """A session with the tool in the prefix."""
        return FakeSession(self, (prefix / "bin" / "tool").read_text())

    def close(self) -> None:
        """Remember it."""
        self.closed = True


@dataclass
class FakeSession:
    """Runs one trial after the other."""

    sandbox: FakeSandbox
    behaviour: str

    def run(
        self, cases: Iterable[Case], fixtures: Mapping[str, Fixture], *, stability: int | None = None
    ) -> Iterator[tuple[Case, Recording | TrialFault]]:
        """Each case, as the tool behaves; a fault where one is due."""
        for case in cases:
            self.sandbox.before_trial(case.id)
            self.sandbox.trials.append(case.id)
            if self.sandbox.faults.get(case.id, 0) > 0:
                self.sandbox.faults[case.id] -= 1
                yield case, TrialFault("state at the start is not the fixture's")
            else:
                yield case, behave(self.behaviour, case)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Nothing is left."""


def gone() -> None:
    """A daemon that went away."""
    raise SandboxError("the Docker daemon went away", where="docker", fix="Start it again.")
