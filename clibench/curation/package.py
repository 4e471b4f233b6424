"""What is looked at for an oracle: a package of a registry, or a folder with a repository; and why one is turned down."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from clibench.errors import UserError, did_you_mean
from clibench.tasks.task import Language

LANGUAGES: Final = {"pypi": Language.PYTHON, "npm": Language.JAVASCRIPT, "go": Language.GO}
"""By registry."""


class Reason(StrEnum):
    """Why a candidate, or one of its executables, is no oracle."""

    MISSING = "does not exist"
    REFUSED = "is refused by the registry"
    INSTALL = "does not install"
    NO_EXECUTABLE = "has no executable"
    HANGS = "hangs"
    NEEDS_TERMINAL = "needs a terminal"
    NEEDS_NETWORK = "needs a network"
    NEEDS_KEY = "needs a key"
    CRASHES = "crashes"
    NO_HELP = "prints no help"


class RejectedError(UserError):
    """A candidate that is no oracle; `reason` says of which kind the fault is, `detail` what was seen."""

    def __init__(self, reason: Reason, detail: str, *, where: str) -> None:
        self.reason, self.detail, self.package = reason, " ".join(detail.split()), where
        super().__init__(f"{reason}: {self.detail}" if self.detail else str(reason), where=where)

    def __reduce__(self) -> tuple[type[RejectedError], tuple[Reason, str], dict[str, str]]:
        return type(self), (self.reason, self.detail), {"package": self.package}


@dataclass(frozen=True)
class Package:
    """What to install. Raises UserError for a registry that is not known."""

    registry: str
    """pypi, npm or go; of a folder: the one whose packages are in its language."""
    name: str
    """Package; for Go, the path of a module or of a main package."""
    version: str = ""
    """Empty takes the newest."""
    extras: tuple[str, ...] = ()
    """Of a Python package."""
    folder: Path | None = None
    """A repository on this machine, which is installed in place of a release."""

    def __post_init__(self) -> None:
        if self.registry not in LANGUAGES:
            raise UserError(f"unknown registry '{self.registry}'", where=self.name, fix=did_you_mean(self.registry, LANGUAGES))

    @property
    def language(self) -> Language:
        """Language of the tool."""
        return LANGUAGES[self.registry]

    def __str__(self) -> str:
        if self.folder is not None:
            return str(self.folder)
        return f"{self.registry}:{self.name}" + (f"@{self.version}" if self.version else "")
