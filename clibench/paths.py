"""Where the package's own data lies: the configuration groups and the sample tasks.

In a checkout they are the folders conf/ and tasks/ beside the package; in an installed wheel they are inside it, under _data/. What a run
writes never goes to either: it goes under the current folder (`outputs`).
"""

from __future__ import annotations

from pathlib import Path

from clibench.errors import UserError

PACKAGE = Path(__file__).resolve().parent


def conf_dir() -> Path:
    """Folder of the configuration groups."""
    return _data("conf")


def sample_tasks_dir() -> Path:
    """Folder of the sample tasks and of their recorded submissions."""
    return _data("tasks")


def _data(name: str) -> Path:
    places = (PACKAGE / "_data" / name, PACKAGE.parent / name)
    for place in places:
        if place.is_dir():
            return place
    raise UserError(
        f"the folder {name}/ of clibench is missing",
        where=str(PACKAGE),
        fix="Install clibench again (pip install --force-reinstall clibench), or run from a complete checkout.",
    )
