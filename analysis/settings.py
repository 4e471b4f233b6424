"""What can be set on the command line of `python -m analysis`, with types; the defaults stand in conf/analysis.yaml too."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Source(StrEnum):
    """Where results are read from."""

    published = "published"
    outputs = "outputs"
    mlflow = "mlflow"


class Compare(StrEnum):
    """What the results are set beside."""

    none = "none"
    published = "published"


class Step(StrEnum):
    """Step of the judge agreement study."""

    none = "none"
    sample = "sample"
    score = "score"


@dataclass
class JudgeAgreementConfig:
    """The study of how far the judges agree with human annotators."""

    step: Step = Step.none
    """sample: draw pairs and write the annotators' sheets; score: read them back."""
    size: int = 1000
    """Pairs to draw (paper: 1,000)."""
    sheets: list[str] | None = None
    """The two filled sheets; null is annotator_a.csv and annotator_b.csv where `sample` wrote them."""


@dataclass
class AnalysisConfig:
    """Configuration of the analysis."""

    results: Source = Source.published
    input: str | None = None
    """Folder or tracking URI to read; null is the packaged published results, outputs/, or outputs/mlflow.db."""
    out: str | None = None
    """Folder to write; null is outputs/analysis/<results>."""
    compare: Compare = Compare.none
    models: list[str] | None = None
    """Only these models; null is all."""
    frameworks: list[str] | None = None
    """Only these frameworks; null is all."""
    seed: int = 20260408
    resamples: int = 10_000
    """Of every bootstrap and permutation (paper: 10,000)."""
    threshold: float = 0.5
    """SM from which a task counts as passed, where no verdicts of test cases are stored."""
    figures: bool = True
    experiment: str | None = None
    """Name of the MLflow experiment; null is every experiment that holds clibench jobs."""
    judge: str | None = None
    """Only jobs of this judge, where the outputs hold several."""
    sandbox: str | None = None
    """Only jobs of this sandbox (for example docker/overlay), where the outputs hold several."""
    judge_agreement: JudgeAgreementConfig = field(default_factory=JudgeAgreementConfig)
