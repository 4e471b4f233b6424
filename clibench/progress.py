"""How far a job is, on stderr: bars on a terminal, a plain line a task elsewhere. stdout belongs to results.

Bars of one process at a time: the jobs that a launcher runs in processes of their own use plain lines, which mix without harm.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from multiprocessing import parent_process
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from clibench.config import ProgressChoice
from clibench.outcome import Outcome
from clibench.results import TaskResult

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress


class Progress(Protocol):
    """What the steps tell of. Called from several threads."""

    def step(self, task: str, step: str) -> None:
        """A task begins a step that is not done yet."""
        ...

    def cases(self, task: str, count: int) -> None:
        """So many more cases of a task are done."""
        ...

    def end(self, result: TaskResult) -> None:
        """A task has ended."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...


def make_progress(choice: ProgressChoice, title: str, cases: Mapping[str, int], spent: Callable[[], object] | None = None) -> Progress:
    """The progress of a job with so many cases a task; `spent` says what its model calls have used until now."""
    if choice is ProgressChoice.auto:
        choice = ProgressChoice.bars if sys.stderr.isatty() and parent_process() is None else ProgressChoice.plain
    if choice is ProgressChoice.bars:
        return Bars(title, cases, spent)
    return Lines(title, cases, spent) if choice is ProgressChoice.plain else Silence()


class Silence(AbstractContextManager["Silence"]):
    """Tells nothing."""

    def step(self, task: str, step: str) -> None:
        """Nothing."""

    def cases(self, task: str, count: int) -> None:
        """Nothing."""

    def end(self, result: TaskResult) -> None:
        """Nothing."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Nothing to end."""


class Lines(Silence):
    """A line when a job begins, and one for each task that ends."""

    def __init__(self, title: str, cases: Mapping[str, int], spent: Callable[[], object] | None = None) -> None:
        self._title = title
        self._spent = spent
        self._tasks = len(cases)
        self._ended = 0
        self._worked: set[str] = set()
        self._lock = threading.Lock()
        self._say(f"{self._tasks} tasks, {sum(cases.values())} cases")

    def step(self, task: str, step: str) -> None:  # noqa: ARG002 - which one is not told
        """Steps are told for work that is not in the store."""
        with self._lock:
            self._worked.add(task)

    def end(self, result: TaskResult) -> None:
        """Its outcome, scores and time, or that all of it was there already."""
        with self._lock:
            self._ended += 1
            took = f"{sum(result.durations.values()):.0f} s" if result.task in self._worked else "stored"
            spent = f"; job: {self._spent()}" if self._spent else ""
            self._say(f"{self._ended}/{self._tasks} {result.task}: {summary(result)} ({took}{spent})")

    def _say(self, text: str) -> None:
        print(f"{self._title}: {text}", file=sys.stderr, flush=True)  # noqa: T201 - progress


class Bars(Silence):
    """One bar for the job, counted in cases, with the steps that are at work, and tokens and dollars as they are spent."""

    def __init__(self, title: str, cases: Mapping[str, int], spent: Callable[[], object] | None = None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
        from rich.text import Text

        class Spent(ProgressColumn):
            max_refresh = 1.0

            def render(self, task: Task) -> Text:  # noqa: ARG002 - there is one
                return Text(str(spent()) if spent else "")

        self._cases = dict(cases)
        self._done = dict.fromkeys(cases, 0)
        self._working: dict[str, str] = {}
        self._lock = threading.Lock()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            *((Spent(),) if spent else ()),
            TextColumn("{task.fields[now]}"),
        )
        self._bars: RichProgress = Progress(*columns, console=Console(stderr=True))
        self._bar = self._bars.add_task(title, total=sum(cases.values()), now="")

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._bars.update(self._bar, now="")
        self._bars.stop()

    def step(self, task: str, step: str) -> None:
        """Show the step beside the bar."""
        with self._lock:
            self._working[task] = step
            self._show()

    def cases(self, task: str, count: int) -> None:
        """Move the bar."""
        with self._lock:
            self._done[task] += count
            self._bars.advance(self._bar, count)

    def end(self, result: TaskResult) -> None:
        """Its outcome above the bar; cases that were not run, since the build failed, count as done."""
        with self._lock:
            self._working.pop(result.task, None)
            self._bars.advance(self._bar, self._cases[result.task] - self._done[result.task])
            self._bars.console.print(f"  {result.task}: {summary(result)}", highlight=False, markup=False)
            self._show()

    def _show(self) -> None:
        self._bars.update(self._bar, now=", ".join(f"{step} {task}" for task, step in sorted(self._working.items())))


def summary(result: TaskResult) -> str:
    """Outcome and main scores in a few words."""
    if result.outcome is Outcome.INFRA or not result.scores or result.scores["build"].value in (0.0, None):
        return f"{result.outcome}, {result.reason}" if result.reason else str(result.outcome)
    scores = (f"{metric} {score.value:.2f}" for metric, score in result.scores.items() if metric != "build" and score.value is not None)
    return f"{result.outcome}, {' '.join(scores)}"
