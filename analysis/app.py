"""The command: compose the configuration, load the results once, answer the questions, write what they give.

`python -m analysis` answers all of them; `python -m analysis.rq1_overall` and its siblings one. Errors that a user can mend are caught here
and nowhere else: one line on stderr and exit status 2.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Final

from analysis.settings import AnalysisConfig
from clibench.errors import ClibenchError, UserError

QUESTIONS: Final = ("dataset", "rq1_overall", "rq2_complexity", "rq3_cost", "rq4_structure", "failures", "significance", "judge_agreement")
"""In the order of the paper, which is that of summary.md."""


def main(*only: str) -> None:
    """Run as a command over `only` these questions (all by default); exits the process."""
    try:
        _compose(only)
    except ClibenchError as error:
        print(f"analysis: {' '.join(error.message.split())}", file=sys.stderr)  # noqa: T201 - what a command says
        sys.exit(error.exit_code)


def run(settings: AnalysisConfig, only: tuple[str, ...] = ()) -> Path:
    """Answer the questions over the results that `settings` names; returns the folder that was written."""
    from analysis import caveats, summary, write
    from analysis.answer import Question
    from analysis.frame import select
    from analysis.load import load

    if settings.resamples < 100:
        raise UserError(f"resamples={settings.resamples} is too few for intervals", fix="Use 100 or more; the paper has 10,000.")
    if not 0 < settings.threshold <= 1:
        raise UserError(f"threshold={settings.threshold} is outside (0, 1]", fix="It is a share of test cases, for example 0.5.")
    frame = select(load(settings), settings.models, settings.frameworks)
    question = Question(frame, caveats.find(frame), settings)
    out = output_folder(settings)
    names = only or QUESTIONS
    answers = [importlib.import_module(f"analysis.{name}").answer(question) for name in names]
    if not only:
        answers += summary.further_answers(question)
    write.write_answers(answers, out)
    if not only:
        write.write_summary(summary.summary(question, answers), out)
    return out


def output_folder(settings: AnalysisConfig) -> Path:
    """Where everything is written."""
    return Path(settings.out) if settings.out else Path("outputs/analysis") / settings.results.value


def _compose(only: tuple[str, ...]) -> None:
    import hydra
    from hydra.core.config_store import ConfigStore
    from omegaconf import DictConfig, OmegaConf

    from clibench.hydra_errors import explained
    from clibench.paths import conf_dir

    ConfigStore.instance().store(name="schema_analysis", node=AnalysisConfig, provider="clibench")
    # Hydra would print an error itself and exit with 1; this makes it hand the error on, so that there is one place and one form.
    os.environ["HYDRA_FULL_ERROR"] = "1"

    @hydra.main(version_base="1.3", config_path=str(conf_dir()), config_name="analysis")
    def app(config: DictConfig) -> None:
        settings = OmegaConf.to_object(config)
        if not isinstance(settings, AnalysisConfig):
            raise TypeError("the composed configuration is not an AnalysisConfig")
        try:
            out = run(settings, only)
        except ClibenchError as error:
            failures.append(error)  # raised from here, Hydra would add lines of its own
            return
        print(f"{settings.results.value} results analysed: {out}")  # noqa: T201

    failures: list[ClibenchError] = []
    with explained("analysis"):
        app()
    if failures:
        raise failures[0]
