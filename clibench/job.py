"""One job, one point of the sweep: its tasks side by side, then the result on disk and in MLflow.

What is done is taken from the store, so a job that was stopped, or whose parameters changed in part, does only what is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clibench.evaluation.params import CompareParams
from clibench.evaluation.score import missing_tasks, score_job
from clibench.evaluation.semantic import SemanticJudge
from clibench.generation.framework import Framework
from clibench.result_files import write_job
from clibench.results import JobResult, TaskResult, labelled
from clibench.sandbox.interface import Sandbox
from clibench.sandbox.settings import SandboxConfig
from clibench.steps.bench import Bench
from clibench.steps.keys import job_key, work_key
from clibench.task_run import run_task
from clibench.tasks.task import Task

JOB = "job"
"""Kind of the unit that remembers what a job's key is made of, for `rescore`."""


@dataclass(frozen=True)
class Job:
    """What is to be done, checked and ready."""

    model: str
    dataset: str
    language: str
    difficulty: str
    tasks: tuple[Task, ...]
    framework: Framework
    params: CompareParams
    semantic: SemanticJudge
    sandbox: SandboxConfig
    outputs: Path
    retries: int
    config: dict[str, Any]
    """The composed configuration, for the record."""

    @property
    def title(self) -> str:
        """Short name for progress and messages."""
        parts = [labelled(self.framework.name, self.framework.label), *(name for name in (self.language, self.difficulty) if name != "all")]
        return " ".join(parts if self.model == "none" else [self.model, *parts])

    def names(self) -> dict[str, str]:
        """How it is called in tables."""
        return {
            "model": self.model,
            "framework": self.framework.name,
            "label": self.framework.label,
            "dataset": self.dataset,
            "language": self.language,
            "difficulty": self.difficulty,
        }

    def work(self, identity: dict[str, str]) -> str:
        """Digest of all that can change its recordings, on a sandbox of this identity."""
        return work_key(self.names(), self.framework, self.tasks, self.sandbox, identity)


def run_job(job: Job, bench: Bench) -> JobResult:
    """Do the job and write its result under outputs/results. Raises OutputsError where the disk is full."""
    work = job.work(bench.identity)
    tasks = _run_tasks(job, bench)
    result = JobResult(
        key=job_key(work, job.params, job.semantic),
        **job.names(),
        sandbox=f"{bench.identity['backend']}/{bench.identity['isolation']}",
        judge=job.params.judge_name(job.semantic.name),
        tasks=tasks,
        scores=score_job(tasks),
        missing_tasks=missing_tasks(tasks),
        config=job.config,
    )
    bench.store.finish(JOB, result.key, {"work": work})
    write_job(job.outputs, result)
    return result


def _run_tasks(job: Job, bench: Bench) -> tuple[TaskResult, ...]:
    def one(task: Task) -> TaskResult:
        result = run_task(bench, task)
        bench.progress.end(result)
        return result

    with bench.progress, _closing(bench.sandbox, bench) as pool:
        futures = [pool.submit(one, task) for task in job.tasks]
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()  # raise the first failure at once, not when the other tasks have ended
        return tuple(future.result() for future in futures)


@contextmanager
def _closing(sandbox: Sandbox, bench: Bench) -> Iterator[ThreadPoolExecutor]:
    """Threads that end with the block, however it ends: told to stop, and with the sandbox taken away from under them."""
    pool = ThreadPoolExecutor(max_workers=bench.tasks, thread_name_prefix="task")
    try:
        yield pool
    except BaseException:
        bench.stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
        sandbox.close()
        raise
    finally:
        pool.shutdown(wait=True)
