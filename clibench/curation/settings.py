"""What a user may set about curation: the thresholds of the static filter, each with its source, and the limits of a trial installation.

The paper (II-A) filters repositories by popularity, language, topic, licence and build file. Where its numbers are not known here, the
default is ours, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from clibench.bounds import refuse_up_to_0


class Step(StrEnum):
    """What `curate` does: filter and try candidates, hand the rest to two annotators, or read back what they decided."""

    discover = "discover"
    review = "review"
    agree = "agree"


class Unknown(StrEnum):
    """What becomes of a candidate of which a criterion's value is not known."""

    keep = "keep"
    reject = "reject"


@dataclass
class StaticConfig:
    """The static filter; a criterion set to null is left out."""

    min_stars: int | None = 10
    """Criterion: the paper. Number: ours."""
    min_language_share: float | None = 0.6
    """Share of the main language in the code, in [0, 1]. Criterion: the paper. Number: ours."""
    languages: list[str] | None = field(default_factory=lambda: ["python", "javascript", "go"])
    """The paper's three, those that the sandbox has toolchains for."""
    keywords: list[str] | None = field(
        default_factory=lambda: ["cli", "command-line", "command line", "commandline", "terminal", "console"]
    )
    """One of these has to be a topic or a word of the description or the README. Criterion: the paper. Words: ours."""
    licences: list[str] | None = field(
        default_factory=lambda: [
            *("MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "Unlicense", "Zlib", "CC0-1.0", "PSF-2.0", "MPL-2.0"),
            *("GPL-2.0", "GPL-3.0", "LGPL-2.1", "LGPL-3.0", "AGPL-3.0"),
        ]
    )
    """SPDX identifiers. Criterion: the paper. List: ours; oracles are installed from their registries and never copied."""
    build_files: dict[str, list[str]] | None = field(
        default_factory=lambda: {"python": ["pyproject.toml", "setup.py"], "javascript": ["package.json"], "go": ["go.mod"]}
    )
    """One of its language's has to be there: what `pip install .`, `npm install -g .` and `go install ./...` need (the paper's Build)."""
    unknown: Unknown = Unknown.keep
    """A registry tells no stars. Ours: people see the gaps in the queue."""


@dataclass
class CurationConfig:
    """The group of keys that `curate` adds."""

    candidates: Any = None
    """A CSV or YAML file, a folder with a repository, `registry:name@version`, or a list of these."""
    step: Step = Step.discover
    static: StaticConfig = field(default_factory=StaticConfig)
    install_timeout_s: float = 600.0
    help_timeout_s: float = 30.0
    """Until a tool that was asked for its help is taken to hang."""
    refresh: bool = False
    """Try candidates again that were tried before."""
    sheets: list[str] | None = None
    """Of step=agree: the two annotators' sheets; null takes those in the destination."""
    decisions: str = "curation/decisions.csv"
    """What the annotators decided: data that belongs to the repository."""
    seed: int = 0
    """Of the order in which each annotator sees the candidates."""

    def __post_init__(self) -> None:
        refuse_up_to_0({"install_timeout_s": self.install_timeout_s, "help_timeout_s": self.help_timeout_s})
