"""Which tasks a configuration means: a dataset, filtered by language and difficulty."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from omegaconf import OmegaConf

from clibench.config import Config, DatasetConfig
from clibench.digest import digest_json
from clibench.errors import UserError
from clibench.paths import conf_dir
from clibench.tasks.load import load_tasks
from clibench.tasks.task import Task

NAMED: Final = 3
"""Tasks of a dataset that its label lists."""


def select_tasks(config: Config) -> tuple[Task, ...]:
    """The tasks, by id. Raises UserError where none is left, TaskError for a faulty one."""
    folder = _folder(config.tasks_dir)
    ids = None if config.dataset.tasks is None else tuple(config.dataset.tasks)
    language, difficulty = config.language.name.value, config.difficulty.name.value
    chosen = tuple(
        task
        for task in _load(folder.resolve(), ids)
        if language in ("all", task.language.value) and difficulty in ("all", task.difficulty.value)
    )
    if not chosen:
        raise UserError(
            f"dataset '{config.dataset.name}' has no task with language={language} difficulty={difficulty}",
            where=str(folder),
            fix="`clibench tasks` lists what there is.",
        )
    return chosen


def dataset_label(dataset: DatasetConfig, added: Iterable[Path] = ()) -> str:
    """What a result calls its dataset: the name, and which tasks where they are not those that the configuration has under that name.

    `added` are the user's folders of configuration. Two sets of tasks under one name would be compared as if they were the same.
    """
    declared = next((found for folder in (*added, conf_dir()) if (found := folder / "dataset" / f"{dataset.name}.yaml").is_file()), None)
    if declared is None:
        return dataset.name
    of_name = OmegaConf.select(OmegaConf.load(declared), "tasks")
    if dataset.tasks is None or (of_name is not None and {*dataset.tasks} == {*of_name}):
        return dataset.name
    chosen = sorted({*dataset.tasks})
    which = ", ".join(chosen) if len(chosen) <= NAMED else f"{len(chosen)} tasks, {digest_json(chosen)[:6]}"
    return f"{dataset.name} ({which})"


def load_by_ids(tasks_dir: str, ids: tuple[str, ...]) -> tuple[Task, ...]:
    """The tasks of these ids; raises UserError where there is no such folder, TaskError where one is missing or faulty."""
    return _load(_folder(tasks_dir).resolve(), ids)


def known_ids(config: Config) -> frozenset[str]:
    """Ids of all tasks under `tasks_dir`, chosen or not."""
    return frozenset(path.parent.name for path in Path(config.tasks_dir).expanduser().glob("*/task.yaml"))


def _folder(tasks_dir: str) -> Path:
    folder = Path(tasks_dir).expanduser()
    if not folder.is_dir():
        raise UserError("no such folder", where=f"tasks_dir={tasks_dir}", fix="Give the folder that holds the tasks.")
    return folder


@lru_cache(maxsize=4)
def _load(folder: Path, ids: tuple[str, ...] | None) -> tuple[Task, ...]:
    """Loaded once a process: the jobs of a sweep are about the same tasks."""
    return load_tasks(folder, ids)
