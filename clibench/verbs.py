"""The verbs of the command line, each a Hydra task over its own primary config conf/<verb>.yaml.

A verb's function imports what it needs when it is called: composing and printing a configuration must not pay for Docker or MLflow. The
module registers the resolver when it is imported, so that a sweep's worker process, which unpickles the function, has it too.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from omegaconf import DictConfig

from clibench.config import register_resolver
from clibench.errors import ClibenchError, OutputsError
from clibench.hydra_errors import explained, refuse_nonsense

register_resolver()


@dataclass(frozen=True)
class Verb:
    """One verb: its name is also that of its primary config."""

    name: str
    help: str
    call: Callable[[DictConfig], Any]


_FREE: Final = "Free some space, then run the same command again: nothing finished is lost."

failures: list[ClibenchError] = []
"""What verbs raised in this process since the launcher cleared it."""


def _explained(call: Callable[[DictConfig], Any]) -> Callable[[DictConfig], Any]:
    """Return a ClibenchError instead of raising it: Hydra writes lines of its own about whatever a task raises."""

    @wraps(call)
    def returning(config: DictConfig) -> Any:
        try:
            with explained(call.__name__.rstrip("_")):
                refuse_nonsense(config)
                return call(config)
        except ClibenchError as error:
            failures.append(error)
            return error
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            full = OutputsError("the disk is full", where=str(error.filename or "the answer"), fix=_FREE)
            failures.append(full)
            return full

    return returning


@_explained
def run(config: DictConfig) -> Any:
    """One job; the sweeper calls it once for each job of a sweep."""
    from clibench.experiment import run_one

    return run_one(config)


@_explained
def grade(config: DictConfig) -> None:
    """Grade one repository."""
    from clibench.grade import grade

    grade(config)


@_explained
def rescore(config: DictConfig) -> None:
    """Judge stored recordings again."""
    from clibench.rescore import rescore

    rescore(config)


@_explained
def report(config: DictConfig) -> None:
    """Write tables and pages."""
    from clibench.reporting import report

    report(config)


@_explained
def doctor(config: DictConfig) -> None:
    """Check this machine."""
    from clibench.doctor import doctor

    doctor(config)


@_explained
def tasks(config: DictConfig) -> None:
    """List the dataset."""
    from clibench.listing import list_tasks

    list_tasks(config)


@_explained
def curate(config: DictConfig) -> None:
    """Choose oracles."""
    from clibench.curating import curate

    curate(config)


@_explained
def import_(config: DictConfig) -> None:
    """Import the published benchmark."""
    from clibench.import_artifact import import_artifact

    import_artifact(config)


@_explained
def freeze(config: DictConfig) -> None:
    """Freeze a task."""
    from clibench.freezing import freeze

    freeze(config)


@_explained
def synthesize(config: DictConfig) -> None:
    """Make a task of a package."""
    from clibench.synthesizing import synthesize

    synthesize(config)


@_explained
def audit(config: DictConfig) -> None:
    """Measure what tasks are worth."""
    from clibench.auditing import audit

    audit(config)


@_explained
def scripted(config: DictConfig) -> None:
    """Serve a scripted model."""
    from clibench.llm.scripted.verb import scripted

    scripted(config)


VERBS: Final = {
    verb.name: verb
    for verb in (
        Verb("run", "grade a framework's submissions on a dataset (the default); -m sweeps, dry_run=true shows the plan", run),
        Verb("grade", "grade one repository: grade task=ID submission=DIR [output=json]", grade),
        Verb("rescore", "judge stored recordings again with other parameters, without a sandbox", rescore),
        Verb("report", "write outputs/report: scores.csv, tasks.csv, cases.parquet, index.html", report),
        Verb("tasks", "list the tasks of a dataset", tasks),
        Verb("curate", "try candidates for oracles, and have two people review them: curate candidates=FILE [step=review|agree]", curate),
        Verb("import", "make tasks of a checkout of the published benchmark: import path=CHECKOUT", import_),
        Verb("freeze", "run a task's oracle and freeze its cases and recordings: freeze task=FOLDER", freeze),
        Verb("synthesize", "make a task of a package: synthesize registry=pypi|npm|go package=NAME version=V [entry=COMMAND]", synthesize),
        Verb("audit", "measure what cases are worth: audit [task=ID] [mutants=N] [oracle_check=true] [output=json] [save=true]", audit),
        Verb("scripted", "serve a scripted model over HTTP: scripted model.script=FILE [port=8080]", scripted),
        Verb("doctor", "check this machine and say what to do about what fails", doctor),
    )
}
