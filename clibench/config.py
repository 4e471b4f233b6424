"""The schema of conf/: what a user may set, of which type, and what each thing means.

Hydra merges the YAML files and the command line into these dataclasses, so that a typo or a wrong type is an error before any work starts.
Nothing here imports more than omegaconf: `--cfg job` has to be fast.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from omegaconf import MISSING

from clibench.bounds import refuse_less_than
from clibench.curation.settings import CurationConfig
from clibench.errors import UserError
from clibench.evaluation.params import DEFAULT_IGNORE
from clibench.llm.settings import LlmSettings, ModelSettings
from clibench.sandbox.settings import SandboxConfig
from clibench.tracking.settings import TrackingConfig


class LanguageChoice(StrEnum):
    """Which languages' tasks to take."""

    all = "all"
    python = "python"
    javascript = "javascript"
    go = "go"


class DifficultyChoice(StrEnum):
    """Which difficulties' tasks to take."""

    all = "all"
    easy = "easy"
    medium = "medium"
    hard = "hard"


class ProgressChoice(StrEnum):
    """How progress is shown on stderr: auto is bars on a terminal and plain lines elsewhere."""

    auto = "auto"
    bars = "bars"
    plain = "plain"
    off = "off"


class OutputChoice(StrEnum):
    """Form of an answer on stdout."""

    table = "table"
    json = "json"


@dataclass
class LanguageConfig:
    """Filter of the dataset by language."""

    name: LanguageChoice = LanguageChoice.all


@dataclass
class DifficultyConfig:
    """Filter of the dataset by difficulty."""

    name: DifficultyChoice = DifficultyChoice.all


@dataclass
class DatasetConfig:
    """A named set of tasks."""

    name: str = MISSING
    tasks: list[str] | None = None
    """Task ids; null is every task under `tasks_dir`."""


@dataclass
class SuiteConfig:
    """The kind of benchmark."""

    name: str = "cli"


class JudgeChoice(StrEnum):
    """Who judges whether two outputs are equal in meaning (SM)."""

    rules = "rules"
    llm = "llm"


class ModeChoice(StrEnum):
    """Which permission bits are compared."""

    executable = "executable"
    full = "full"
    none = "none"


@dataclass
class JudgeConfig:
    """How recordings are compared."""

    name: JudgeChoice = JudgeChoice.rules
    fuzzy_threshold: float = 0.8
    """Normalised Levenshtein similarity from which on FM passes (paper: tau = 0.8)."""
    ignore: list[str] = field(default_factory=lambda: list(DEFAULT_IGNORE))
    """Paths of caches and build artefacts that are no side effect."""
    also_ignore: list[str] = field(default_factory=list)
    """Further ones, so that the list above need not be written again."""
    mode: ModeChoice = ModeChoice.executable
    normalisers: list[str] = field(default_factory=list)
    """Applied to both sides in every case, beside those that a task names."""
    model: ModelSettings = field(default_factory=ModelSettings)
    """Of `name: llm`: the model that is asked."""
    max_chars: int = 20_000
    """Of `name: llm`: longest output that is shown to the model; about longer ones the judge abstains."""
    workers: int = 8
    """Of `name: llm`: questions that are open at once."""

    def __post_init__(self) -> None:
        refuse_less_than(1, {"judge.max_chars": self.max_chars, "judge.workers": self.workers})


def _null_framework() -> dict[str, Any]:
    return {"_target_": "clibench.generation.null.Null"}


@dataclass
class Config:
    """What every verb understands."""

    model: ModelSettings = MISSING
    llm: LlmSettings = MISSING
    framework: Any = field(default_factory=_null_framework)
    """Parameters of the framework's class, named by `_target_`; typed by that class (see generation/choose.py)."""
    language: LanguageConfig = MISSING
    difficulty: DifficultyConfig = MISSING
    dataset: DatasetConfig = MISSING
    suite: SuiteConfig = MISSING
    sandbox: SandboxConfig = field(default_factory=SandboxConfig)
    judge: JudgeConfig = MISSING
    tracking: TrackingConfig = MISSING
    tasks_dir: str = MISSING
    """Folder of the tasks, one sub-folder each."""
    outputs: str = "outputs"
    """Everything that is written goes here; relative to the current folder."""
    progress: ProgressChoice = ProgressChoice.auto


@dataclass
class RunConfig(Config):
    """`run`: one job, or with -m a sweep of them."""

    dry_run: bool = False
    """Print the plan and do nothing."""
    retries: int = 2
    """Further attempts at a unit that an infrastructure fault ended; what then still fails is reported as missing."""
    generations: int = 0
    """Agents at work at once, each in a container of its own; 0 takes as many as there are trials, at least two."""

    def __post_init__(self) -> None:
        if self.generations < 0:
            raise UserError(f"must be 0 (as many as there are trials) or more, is {self.generations}", where="generations")
        refuse_less_than(0, {"retries": self.retries})


@dataclass
class GradeConfig(RunConfig):
    """`grade`: one repository against one task."""

    task: str = MISSING
    submission: str = MISSING
    output: OutputChoice = OutputChoice.table


@dataclass
class RescoreConfig(Config):
    """`rescore`: judge stored recordings again with the `judge` of this configuration."""

    jobs: list[str] | None = None
    """Job keys, or beginnings of them; null is every job under outputs/results."""


@dataclass
class ReportConfig(Config):
    """`report`: tables and pages from the results."""

    destination: str = "${outputs}/report"


@dataclass
class DoctorConfig(RunConfig):
    """`doctor`: what works on this machine, and what to do about what does not."""


@dataclass
class TasksConfig(Config):
    """`tasks`: list the dataset."""

    output: OutputChoice = OutputChoice.table


@dataclass
class FreezeConfig(Config):
    """`freeze`: run the oracle of a task and freeze its cases and recordings."""

    task: str = MISSING
    """Folder name under `tasks_dir` that holds task.yaml, spec.yaml and oracle.lock."""
    runs: int = 5
    """Of every case; more than one shows what is not stable."""

    def __post_init__(self) -> None:
        """Refuse a number of runs that records nothing."""
        refuse_less_than(1, {"runs": self.runs})


@dataclass
class AuditConfig(TasksConfig):
    """`audit`: measure what the cases of frozen tasks are worth."""

    task: str | None = None
    """One task's id; null is every task that dataset, language and difficulty choose."""
    save: bool = False
    """Store the result as audit.json with each task."""
    mutants: int = 20
    """Defects put into each oracle, one at a time; 0 makes none, and then no sandbox is needed."""
    mutant_cases: int | None = 10
    """Cases of a pattern that mutants are run with, chosen by the seed; null is all."""
    seed: int = 0
    """Of the choice of mutants and their cases."""
    oracle_check: bool = False
    """Run the oracle anew, as freezing does, and compare with the frozen recordings."""


ExtractorChoice = StrEnum("ExtractorChoice", [("rules", "rules"), ("llm", "llm"), ("rules+llm", "rules+llm")])
"""Who reads a tool's help and writes its fuzz spec. A choice is given by its name, and one of these is no name of a class's field."""


class RegistryChoice(StrEnum):
    """Where a package comes from."""

    pypi = "pypi"
    npm = "npm"
    go = "go"


@dataclass
class SynthesizeConfig(Config):
    """`synthesize`: make a task of a package."""

    registry: RegistryChoice | None = None
    package: str | None = None
    """Name in the registry; for Go the path of the main package."""
    version: str | None = None
    entry: str | None = None
    """The executable; null is the only one, or the one that is named as the package."""
    alias: str | None = None
    """Neutral name of the tool; null makes one."""
    extras: list[str] = field(default_factory=list)
    """Of a Python package."""
    task: str | None = None
    """Id of the task's folder. Without a package, the oracle is that of the spec.yaml or task.yaml in this folder."""
    out: str = "${tasks_dir}"
    """Where the folder is written."""
    replace: bool = False
    """Also where a hand wrote or edited the spec that is there, or it is another package's."""
    cases: int = 50
    """Distinct cases a pattern."""
    runs: int = 5
    """Runs of every case when it is frozen."""
    most_patterns: int = 12
    least_patterns: int = 3
    """With fewer that succeed the package is rejected."""
    least_documented: float = 0.5
    """With a smaller share of documented command lines that succeed the package is rejected; 0 never."""
    extractor: ExtractorChoice = ExtractorChoice.rules


@dataclass
class ScriptedConfig(Config):
    """`scripted`: serve what model.script says, in the four dialects, until interrupted."""

    host: str = "127.0.0.1"
    port: int = 8080
    """0 takes a free one; the address is printed."""


@dataclass
class CurateConfig(Config, CurationConfig):
    """`curate`: from a list of candidates to tools that can be oracles."""

    destination: str = "${outputs}/curation"
    """Where candidates.csv and the review queue go."""


@dataclass
class ImportConfig(Config):
    """`import`: make tasks of a checkout of the published benchmark."""

    path: str = MISSING
    only: list[str] | None = None
    """Tasks as owner/name; null is all of them."""
    seed: int = 0
    """Of the random numbers in the modules that generate the cases."""
    freeze: bool = False
    """Freeze the tasks whose oracle is pinned, so that they can be graded with."""
    pins: str | None = None
    """YAML file of pins for what the artifact does not tell."""
    libraries: dict[str, str] = field(default_factory=dict)
    """What the modules import beside the standard library: requirement for pip, by the name that is imported."""
    destination: str = "${outputs}/imported"


SCHEMAS: dict[str, type[Config]] = {
    "run": RunConfig,
    "grade": GradeConfig,
    "rescore": RescoreConfig,
    "report": ReportConfig,
    "doctor": DoctorConfig,
    "tasks": TasksConfig,
    "freeze": FreezeConfig,
    "curate": CurateConfig,
    "import": ImportConfig,
    "audit": AuditConfig,
    "synthesize": SynthesizeConfig,
    "scripted": ScriptedConfig,
}
"""By verb. conf/<verb>.yaml names its schema as `schema_<verb>`."""


def register_resolver() -> None:
    """Make the resolver of the sample tasks' folder known to OmegaConf; harmless when repeated."""
    from omegaconf import OmegaConf

    from clibench.paths import sample_tasks_dir

    OmegaConf.register_new_resolver("clibench.sample_tasks", lambda: str(sample_tasks_dir()), replace=True)


def register_schema(verb: str) -> None:
    """Make the schema of one verb known to Hydra: that of all of them costs more than the rest of the start."""
    from hydra.core.config_store import ConfigStore
    from omegaconf import OmegaConf

    node = OmegaConf.structured(SCHEMAS[verb])
    OmegaConf.set_readonly(node.sandbox.limits, None)  # frozen as a value, but here a user sets it
    ConfigStore.instance().store(name=f"schema_{verb}", node=node, provider="clibench")
