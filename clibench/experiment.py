"""`run`: from a composed configuration to a job that is checked, done, logged and shown; and the same for all jobs of a sweep.

Everything that a user can get wrong is found in `prepare`, before any work starts; for a sweep, before the work of any of its jobs starts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from clibench.config import Config, JudgeChoice, JudgeConfig, RunConfig
from clibench.errors import ClibenchError, InfraError, OutputsError, SweepError, TrackingError, UserError
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic import SemanticJudge
from clibench.generation.choose import make_framework
from clibench.generation.context import AgentContext, bound
from clibench.hydra_errors import refuse_nonsense
from clibench.job import Job, run_job
from clibench.llm.ledger import Ledger, Scope, Totals
from clibench.outcome import Outcome
from clibench.progress import Silence, make_progress
from clibench.results import JobResult
from clibench.selection import dataset_label, known_ids, select_tasks
from clibench.steps.bench import Bench
from clibench.store import Store

RESUME = "The same command tries again what is missing, and nothing else."


@dataclass(frozen=True)
class Done:
    """What became of a job: None where there was nothing to do."""

    job: JobResult | None
    problem: ClibenchError | None = None
    """Of a job whose result is there all the same."""


def run_one(config: DictConfig) -> Done:
    """Do, or with dry_run plan, one job. A job of a sweep is shown when the sweep ends."""
    settings = typed(config)
    job = prepare(config, settings)
    if settings.dry_run:
        from clibench.plan import show_plan

        with bench(job, settings, silent=True) as tools:
            show_plan(job, tools, _keys(job, settings))
        return Done(None)
    done = _do(job, settings)
    if HydraConfig.get().mode is not RunMode.MULTIRUN:
        show([done], settings)
    return done


def check_sweep(configs: Sequence[DictConfig]) -> None:
    """Raise what is wrong with any job of a sweep, each fault once."""
    faults: dict[str, UserError] = {}
    for config in configs:
        try:
            refuse_nonsense(_own(config))
            prepare(config, typed(config))
        except UserError as error:
            faults.setdefault(error.message, error)
    if len(faults) == 1:
        raise next(iter(faults.values()))
    if faults:
        raise SweepError(list(faults))


def prepare_folder(folder: Path, key: str = "outputs") -> None:
    """Make a folder that will be written to, which `key` of the configuration names. Raises OutputsError where that can't be done."""
    fix = f"Make it writable, or choose another: {key}=DIR."
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputsError(f"can't be made: {reason}", where=str(folder), fix=fix) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputsError("can't be written to", where=str(folder), fix=fix)


def show_sweep(results: Sequence[Any], config: DictConfig) -> None:
    """Show all jobs of a sweep; raises what stopped one of them, or says what is missing."""
    failed = [result for result in results if isinstance(result, ClibenchError)]
    done = [result for result in results if isinstance(result, Done)]
    try:
        show(done, typed(config))
    except ClibenchError as error:
        failed.append(error)
    if failed:
        raise failed[0]


def typed(config: DictConfig) -> RunConfig:
    """The configuration as an object of its schema; raises OmegaConf's errors where something has no value."""
    made = OmegaConf.to_object(_own(config))
    assert isinstance(made, RunConfig)  # noqa: S101 - every verb that runs names such a schema
    return made


def prepare(config: DictConfig, settings: RunConfig) -> Job:
    """Check all that can be checked without doing anything. Raises UserError."""
    search = (str(path) for path in _config_dirs())
    outputs = Path(settings.outputs).expanduser()
    made = make_framework(settings.framework, search=tuple(search))
    framework = bound(made, _context(settings, outputs, made.name))
    semantic = make_judge(settings, plan_only=settings.dry_run)
    params = compare_params(settings.judge)
    tasks = framework.check(select_tasks(settings), known_ids(settings))
    plain = OmegaConf.to_container(_own(config), resolve=True, enum_to_str=True)
    assert isinstance(plain, dict)  # noqa: S101 - it is a mapping at the top
    return Job(
        model=settings.model.name if framework.uses_model else "none",
        dataset=dataset_label(settings.dataset, _config_dirs()),
        language=settings.language.name.value,
        difficulty=settings.difficulty.name.value,
        tasks=tasks,
        framework=framework,
        params=params,
        semantic=semantic,
        sandbox=settings.sandbox,
        outputs=outputs,
        retries=settings.retries,
        config={str(key): value for key, value in plain.items()},
    )


def _context(settings: RunConfig, outputs: Path, framework: str) -> AgentContext:
    names = (settings.model.name, settings.dataset.name, settings.language.name.value, settings.difficulty.name.value)
    job = "/".join((framework, *names))
    return AgentContext(settings.model, settings.llm, settings.sandbox, outputs, job=job, plan_only=settings.dry_run)


def _keys(job: Job, settings: RunConfig) -> list[str]:
    """The variables that the job will read keys from."""
    from clibench.llm.models import resolve

    asked = ((job.framework.uses_model, settings.model), (settings.judge.name is JudgeChoice.llm, settings.judge.model))
    models = [model for is_asked, model in asked if is_asked]
    return list(dict.fromkeys(key for model in models if (key := resolve(model).needed_key) is not None))


def compare_params(judge: JudgeConfig) -> CompareParams:
    """The comparers' parameters of a configuration. UserError for a normaliser that there is not."""
    from clibench.evaluation.normalise import resolve

    resolve(judge.normalisers)
    return CompareParams(
        fuzzy_threshold=judge.fuzzy_threshold,
        ignore=(*judge.ignore, *judge.also_ignore),
        mode=judge.mode.value,
        normalisers=tuple(judge.normalisers),
    )


def make_judge(settings: Config, *, plan_only: bool = False) -> SemanticJudge:
    """The semantic judge of a configuration. UserError (a missing key, no model) before anything is asked of a model."""
    judge = settings.judge
    if judge.name is JudgeChoice.llm:
        from clibench.evaluation.semantic_llm import LlmJudgeSettings, open_llm_judge

        asked = LlmJudgeSettings(max_chars=judge.max_chars, workers=judge.workers)
        return open_llm_judge(judge.model, settings.llm, Path(settings.outputs).expanduser(), asked, plan_only=plan_only)
    from clibench.evaluation.semantic_rules import RulesJudge

    return RulesJudge()


@contextmanager
def bench(job: Job, settings: RunConfig, *, silent: bool = False) -> Iterator[Bench]:
    """The tools of a job: its store and a sandbox that is closed in the end."""
    from clibench.sandbox.choose import make_sandbox

    if not silent:
        prepare_folder(job.outputs)
    store = Store(job.outputs / "store")
    sandbox = make_sandbox(job.sandbox, job.outputs)
    try:
        identity = sandbox.describe()
        title = f"{job.title} ({identity['backend']}/{identity['isolation']})"
        cases = {task.id: len(task.cases) for task in job.tasks}
        yield Bench(
            store=store,
            sandbox=sandbox,
            settings=job.sandbox,
            identity=identity,
            framework=job.framework,
            params=job.params,
            semantic=job.semantic,
            progress=Silence() if silent else make_progress(settings.progress, title, cases, _spending(job)),
            workers=job.sandbox.workers or os.cpu_count() or 1,
            generations=settings.generations,
            retries=job.retries,
        )
    finally:
        sandbox.close()


def _spending(job: Job) -> Callable[[], Totals] | None:
    """What the job has used from now on, as the ledger has it; None where it calls no model."""
    context = getattr(job.framework, "context", None)
    if not isinstance(context, AgentContext):
        return None
    ledger, scope = Ledger(job.outputs / "ledger.jsonl"), Scope(sweep=context.sweep, job=context.job)
    before = ledger.totals("job", scope)
    return lambda: ledger.totals("job", scope).since(before)


def show(done: Sequence[Done], settings: RunConfig) -> None:
    """Print the score table and where to see more; raises an InfraError that says what is missing, if anything is."""
    from clibench.tables import score_table
    from clibench.tracking.settings import ui_command

    jobs = [item.job for item in done if item.job is not None]
    if not jobs:
        return
    score_table(jobs)
    if settings.tracking.enabled:
        print(f"MLflow: {ui_command(settings.tracking, Path(settings.outputs).expanduser())}")  # noqa: T201 - the answer
    problems = [item.problem for item in done if item.problem is not None]
    if problems:
        raise problems[0]


def _do(job: Job, settings: RunConfig) -> Done:
    from clibench.tracking.mlflow_log import log_job

    if not job.tasks:
        print(f"{job.title}: no task to grade, left out", flush=True)  # noqa: T201 - the answer
        return Done(None)
    with bench(job, settings) as tools:
        tools.store.sweep()
        result = run_job(job, tools)
    problem = missing(job, result)
    try:
        log_job(result, tools.store, settings.tracking)
    except OutputsError:
        raise
    except TrackingError as error:
        problem = problem or error
    return Done(result, problem)


def missing(job: Job, result: JobResult) -> InfraError | None:
    """What of a job is missing, as an error to end with; None where nothing is."""
    graded = [task for task in result.tasks if task.outcome is not Outcome.INFRA]
    cases = sum(task.scores[metric].missing for task in graded for metric in ("exec", "reject"))  # each case counts for one of the two
    if not result.missing_tasks and not cases:
        return None
    reason = next((task.reason for task in result.tasks if task.reason and any(score.missing for score in task.scores.values())), "")
    parts = [f"{result.missing_tasks} of {len(result.tasks)} tasks"] if result.missing_tasks else []
    what = " and ".join([*parts, *([f"{cases} cases"] if cases else [])]) + " missing"
    return InfraError(f"{what} ({reason})" if reason else what, where=job.title, fix=RESUME)


def _own(config: DictConfig) -> DictConfig:
    """Without Hydra's part, which a sweep's jobs still carry while they are checked."""
    own = deepcopy(config)
    if "hydra" in own:
        with read_write(own), open_dict(own):
            del own["hydra"]
    return own


def _config_dirs() -> Iterator[Path]:
    """Folders of configuration that the user added."""
    if not HydraConfig.initialized():
        return
    for source in HydraConfig.get().runtime.config_sources:
        if source.provider == "command-line" and source.schema == "file":
            yield Path(source.path)
