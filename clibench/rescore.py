"""`rescore`: judge stored recordings again with the `judge` of this configuration, without a sandbox.

Each job under outputs/results gives a new result, under the key that `run` with that judge would give it; the old one stays, so that two
thresholds can be compared. A task that failed to build, or is missing, scores as before. Where a task was frozen anew since then, its
stored recordings belong to other cases: that is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from clibench.config import RescoreConfig
from clibench.digest import digest_bytes
from clibench.errors import StoreError, UserError, did_you_mean
from clibench.evaluation.params import CompareParams
from clibench.evaluation.score import missing_tasks, score_job, score_task
from clibench.evaluation.semantic import SemanticJudge
from clibench.evaluation.stored import decode_recordings, encode_cases, encode_recordings
from clibench.experiment import compare_params, make_judge
from clibench.job import JOB
from clibench.outcome import Outcome
from clibench.result_files import read_jobs, write_job
from clibench.results import JobResult, TaskResult
from clibench.selection import load_by_ids
from clibench.steps.judge import judge
from clibench.steps.keys import job_key
from clibench.steps.record import Recordings
from clibench.store import Store
from clibench.tables import score_table
from clibench.task_run import outcome_of
from clibench.tasks.task import Task
from clibench.tracking.mlflow_log import log_job


def rescore(config: DictConfig) -> None:
    """Judge, write, log and show. Raises UserError where there is no such job."""
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, RescoreConfig)  # noqa: S101 - named by conf/rescore.yaml
    outputs = Path(settings.outputs).expanduser()
    jobs = _chosen(read_jobs(outputs), settings.jobs, outputs)
    params, semantic = compare_params(settings.judge), make_judge(settings)
    store = Store(outputs / "store")
    plain = OmegaConf.to_container(OmegaConf.masked_copy(config, ["judge"]), resolve=True, enum_to_str=True)
    assert isinstance(plain, dict)  # noqa: S101 - it is a mapping at the top
    made: dict[str, JobResult] = {}
    for job in jobs:
        tasks = {task.id: task for task in load_by_ids(settings.tasks_dir, tuple(result.task for result in job.tasks))}
        again = replace(rescored(job, tasks, store, params, semantic), config={**job.config, "judge": plain["judge"]})
        write_job(outputs, again)
        log_job(again, store, settings.tracking)
        made[again.key] = again
    score_table(list(made.values()))
    print("The report has them after: python -m clibench report")  # noqa: T201 - the answer


def rescored(job: JobResult, tasks: dict[str, Task], store: Store, params: CompareParams, semantic: SemanticJudge) -> JobResult:
    """The same job, judged with these parameters; its key is the one that `run` would give it."""
    record = store.lookup(JOB, job.key)
    if record is None:
        raise StoreError(
            "the record of this job is missing", where=f"job {job.key[:12]}", fix="Run it again: what is stored is not repeated."
        )
    results = tuple(_rescored_task(result, tasks[result.task], store, params, semantic) for result in job.tasks)
    key = job_key(record["work"], params, semantic)
    store.finish(JOB, key, record)
    name = params.judge_name(semantic.name)
    return replace(job, key=key, judge=name, tasks=results, scores=score_job(results), missing_tasks=missing_tasks(results))


def _rescored_task(result: TaskResult, task: Task, store: Store, params: CompareParams, semantic: SemanticJudge) -> TaskResult:
    if "verdicts" not in result.refs:
        return result  # it did not build, or is missing
    _check_unchanged(result, task)
    recordings = Recordings(decode_recordings(store.get(result.refs["recordings"])))
    judgement = judge(store, task, recordings, params, semantic)
    scores, patterns = score_task(task, judgement.verdicts, build_ok=True)
    limited = result.outcome is Outcome.AGENT_LIMIT
    return replace(
        result,
        outcome=outcome_of(judgement.verdicts, limited=limited),
        scores=scores,
        patterns=patterns,
        durations={**result.durations, "judge": judgement.wall_s},
        refs={**result.refs, **judgement.refs},
    )


def _check_unchanged(result: TaskResult, task: Task) -> None:
    now = {
        "cases": digest_bytes(encode_cases(task.cases, task.fixtures)),
        "oracle_recordings": digest_bytes(encode_recordings(dict(task.recordings))),
    }
    if any(result.refs.get(name) != digest for name, digest in now.items()):
        raise UserError(
            "its cases or the oracle's recordings are not those that the job was run with",
            where=f"task {task.id}",
            fix="Run the job again (what still holds is not repeated), or give the tasks of then with tasks_dir=DIR.",
        )


def _chosen(jobs: Sequence[JobResult], keys: Sequence[str] | None, outputs: Path) -> tuple[JobResult, ...]:
    if not jobs:
        raise UserError("there are no results to judge again", where=str(outputs / "results"), fix="Run a job first, or give outputs=DIR.")
    if keys is None:
        return tuple(jobs)
    chosen = []
    for key in keys:
        found = [job for job in jobs if job.key.startswith(key)]
        if not found:
            raise UserError(f"no job '{key}'", where=str(outputs / "results"), fix=did_you_mean(key, (job.key[:12] for job in jobs)))
        chosen += found
    return tuple({job.key: job for job in chosen}.values())
