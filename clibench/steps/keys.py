"""The keys of units: a digest of all that can change the unit's result, and of nothing else.

Where things lie, how many workers there are, how often a fault is retried, ports, prices and time change no result and are in no key. Each
key contains the result of the step before (not its key), so that work is repeated exactly as far as a change reaches: a new prompt whose
generation delivers the same repository is not built again.

    generate    framework and model identity, the task's prompt
    build       what is delivered, the recipe, the image, network and limits of builds
    record      the build, the cases of one pattern with their fixtures, the limits of trials, the sandbox
    judge       the recordings, the oracle's, normalisers, parameters and versions of comparers and judge
    job         all of that, of all its tasks, by what they start from
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from clibench.digest import digest_json
from clibench.evaluation.build import ORACLE_RECIPES, RECIPES
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic import SemanticJudge
from clibench.generation.framework import Framework
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.case import Case
from clibench.tasks.task import Task

FORMAT: Final = 1
"""Raise it where the meaning of a unit's record changes."""

_NOT_OF_A_BUILD: Final = ("isolation", "runner")
"""Parts of a sandbox's identity that only trials meet."""


def generate_key(framework: Framework, task: Task) -> str:
    """Key of a generation."""
    return _key(
        "generate",
        framework=framework.name,
        identity=framework.identity(task),
        task={"id": task.id, "alias": task.alias, "language": task.language.value, "prompt": task.prompt},
    )


def oracle_source(task: Task) -> str:
    """Name of the oracle as what is installed."""
    return f"oracle:{task.oracle.digest}"


def build_key(source: str, task: Task, settings: SandboxConfig, identity: dict[str, str]) -> str:
    """Key of an installation; `source` names what is installed."""
    return _key(
        "build",
        source=source,
        alias=task.alias,
        recipe=_oracle_recipe(task) if source == oracle_source(task) else _recipe(task),
        sandbox={name: value for name, value in identity.items() if name not in _NOT_OF_A_BUILD},
        network=settings.build_network,
        limits=[settings.build_timeout_s, settings.build_memory_mb, settings.build_processes],
    )


def record_key(build: str, cases: Sequence[Case], settings: SandboxConfig, identity: dict[str, str]) -> str:
    """Key of the recordings of some cases with the installation `build`."""
    return _key("record", build=build, cases=_cases(cases), limits=asdict(settings.limits), sandbox=identity)


def judge_key(task: Task, recordings: str, params: CompareParams, semantic: SemanticJudge) -> str:
    """Key of a task's verdicts; `recordings` is the digest of the submission's."""
    return _key("judge", recordings=recordings, oracle=oracle_digest(task), params=params.identity(), semantic=semantic.identity())


def oracle_digest(task: Task) -> str:
    """What a verdict depends on of the task: cases, the oracle's recordings, normalisers."""
    return digest_json(
        {
            "alias": task.alias,
            "cases": _cases(task.cases),
            "recordings": [task.recordings[case.id].digest() for case in task.cases],
            "normalisers": list(task.normalisers),
            "case_normalisers": {case: list(names) for case, names in task.case_normalisers.items()},
        }
    )


def work_key(names: dict[str, str], framework: Framework, tasks: Sequence[Task], settings: SandboxConfig, identity: dict[str, str]) -> str:
    """Key of a job up to its recordings, before any of it is done: how it is called in tables, and what each task's steps depend on."""
    keys = []
    for task in tasks:
        # What is delivered is not known yet, so the generation stands for it, with both ways to install.
        builds = [build_key(source, task, settings, identity) for source in (generate_key(framework, task), oracle_source(task))]
        keys.append([task.id, record_key("".join(builds), task.cases, settings, identity), oracle_digest(task)])
    return _key("work", names=names, tasks=sorted(keys))


def job_key(work: str, params: CompareParams, semantic: SemanticJudge) -> str:
    """Key of a job."""
    return _key("job", work=work, params=params.identity(), semantic=semantic.identity())


def _recipe(task: Task) -> dict[str, Any]:
    recipe = RECIPES[task.language.value]
    return {"manifests": recipe.manifests, "commands": recipe.commands, "env": dict(recipe.env)}


def _oracle_recipe(task: Task) -> dict[str, Any]:
    recipe = ORACLE_RECIPES[task.oracle.registry]
    return {"commands": recipe.commands(task.oracle), "env": dict(recipe.env), "executable": recipe.executable}


def _cases(cases: Sequence[Case]) -> list[list[str]]:
    return [[case.id, case.key()] for case in cases]


def _key(step: str, **parts: Any) -> str:
    return digest_json({"step": step, "format": FORMAT, **parts})
