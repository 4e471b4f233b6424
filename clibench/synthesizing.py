"""`synthesize`: make a task of a package, and say what came out; a package that makes none is recorded as a rejection with its reason."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from rich.markup import escape

from clibench.bounds import refuse_less_than
from clibench.config import SynthesizeConfig
from clibench.errors import TaskError, UserError
from clibench.experiment import prepare_folder
from clibench.freezing import show
from clibench.package_name import fault_of_pin
from clibench.sandbox.choose import make_sandbox
from clibench.synthesis.factory import Made, RejectedError, Wish
from clibench.synthesis.factory import synthesize as make
from clibench.synthesis.llm.ask import open_client
from clibench.synthesis.spec import ENTRY, NAME
from clibench.tables import console
from clibench.tasks.origin import TRACE, Origin, origin_of


def synthesize(config: DictConfig) -> None:
    """Make the task and show its patterns. Raises UserError for a wish that is incomplete and a package that makes no task."""
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, SynthesizeConfig)  # noqa: S101 - named by conf/synthesize.yaml
    out, outputs = Path(settings.out).expanduser(), Path(settings.outputs).expanduser()
    wish = wish_of(settings, out)
    name = settings.task or folder_name(wish.package)
    mode = settings.extractor.value
    prepare_folder(out, "out")
    if not settings.replace:
        _refuse_to_replace(out / name, wish)
    client = None if mode == "rules" else open_client(settings.model, settings.llm, outputs, name)
    sandbox = make_sandbox(settings.sandbox, outputs)
    try:
        made = make(
            wish,
            out / name,
            sandbox,
            mode=mode,
            client=client,
            workers=settings.sandbox.workers or os.cpu_count() or 1,
            limits=settings.sandbox.limits,
            say=lambda text: print(f"{name}: {text}", file=sys.stderr, flush=True),  # noqa: T201 - progress
        )
    except TaskError as error:
        raise _recorded(RejectedError(error.what, where=error.where, fix=error.fix), wish, outputs, name) from error
    except RejectedError as error:
        raise _recorded(error, wish, outputs, name) from error
    finally:
        sandbox.close()
    _show(made)


def wish_of(settings: SynthesizeConfig, out: Path) -> Wish:
    """What is to be made; the package of a task that is there already comes from its spec. Raises UserError for what is missing."""
    registry = settings.registry.value if settings.registry else None
    package, version, entry, alias, extras = settings.package, settings.version, settings.entry, settings.alias, tuple(settings.extras)
    if settings.task is not None and package is None:
        known = _known(out / settings.task)
        registry, package, version = known["registry"], known["name"], known["version"]
        entry, alias, extras = entry or known["entry"], alias or known["alias"], extras or tuple(known["extras"])
    missing = [name for name, value in (("registry", registry), ("package", package), ("version", version)) if not value]
    if missing or registry is None or package is None or version is None:
        raise UserError(
            f"{', '.join(missing)} must be given", where="synthesize", fix="For example: registry=pypi package=NAME version=1.0"
        )
    fault = fault_of_pin(registry, package, version)
    if fault is not None:
        raise UserError(fault, where="synthesize", fix="Give package=NAME and version=VERSION as the registry has them.")
    for key, value, pattern in (("entry", entry, ENTRY), ("alias", alias, NAME)):
        if value is not None and not re.match(pattern, value):
            raise UserError(f"'{value}' is no name", where=key, fix=f"It has to match {pattern}.")
    refuse_less_than(1, {"cases": settings.cases, "runs": settings.runs, "most_patterns": settings.most_patterns})
    if not 0 <= settings.least_documented <= 1:
        raise UserError(f"must be from 0 to 1, is {settings.least_documented}", where="least_documented")
    return Wish(
        registry, package, version, entry, alias, extras, settings.cases, settings.runs, settings.most_patterns, settings.least_patterns,
        settings.least_documented,
    )  # fmt: skip


def _refuse_to_replace(folder: Path, wish: Wish) -> None:
    """Raise UserError for what is there and is not what the factory itself made of this package: the new task would take its place."""
    from clibench.tasks import folder as files

    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not any((folder / name).is_file() for name in (files.SPEC, files.TASK)):
        raise UserError("is there, and is no task", where=str(folder), fix="Give another folder (out=DIR) or another name (task=ID).")
    fix = "Give another folder (out=DIR) or name (task=ID), or replace=true to lose what is there."
    if origin_of(folder) is not Origin.FACTORY:
        raise UserError("holds a spec that a hand wrote or edited", where=str(folder), fix=fix)
    known = _known(folder)
    if (known["registry"], known["name"]) != (wish.registry, wish.package):
        raise UserError(f"holds the task of another package, {known['registry']} {known['name']}", where=str(folder), fix=fix)


def folder_name(package: str) -> str:
    """The task's id for a package: its last part that is no version, in lower case."""
    parts = [part for part in package.strip("/@").split("/") if not re.fullmatch(r"v\d+", part)]
    return re.sub(r"[^a-z0-9._-]+", "-", parts[-1].lower()).strip("-._") or "task"


def _known(folder: Path) -> dict[str, str]:
    from clibench.synthesis.spec import read_spec
    from clibench.tasks import folder as files

    if (folder / files.SPEC).is_file():
        spec = read_spec(folder / files.SPEC)
        return {**spec.oracle.model_dump(mode="json"), "alias": spec.task.alias}
    raise UserError("no spec.yaml that names a package", where=str(folder), fix="Give registry=, package= and version=.")


def _recorded(error: RejectedError, wish: Wish, outputs: Path, name: str) -> RejectedError:
    """Keep the rejection under outputs/synthesis, one file a package."""
    folder = outputs / "synthesis" / "rejected"
    body = {
        "registry": wish.registry,
        "package": wish.package,
        "version": wish.version,
        "entry": wish.entry,
        "reason": error.message,
        "dropped": list(error.dropped),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{wish.registry}-{name}.json").write_text(json.dumps(body, indent=1) + "\n", "utf-8")
    except OSError as fault:
        return RejectedError(f"{error.what} (and the rejection can't be recorded: {fault.strerror})", where=error.where, fix=error.fix)
    return error


def _show(made: Made) -> None:
    show(made.report)
    out = console()
    out.print(f"{made.trials} trials to find the patterns; {len(made.dropped)} drafts dropped, see {escape(str(made.folder / TRACE))}")
