"""`import path=CHECKOUT`: make tasks of a checkout of the published benchmark, and say what is wrong in it.

The checkout's modules run inside the sandbox alone. A task whose module fails is a line in the report; the others are imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from rich.markup import escape
from rich.table import Table

from clibench.config import ImportConfig
from clibench.errors import TaskError, UserError, did_you_mean
from clibench.experiment import prepare_folder
from clibench.importing.artifact import Artifact, Source, read_artifact
from clibench.importing.freeze import PinRow, freeze_imported, oracle_spec, read_pins
from clibench.importing.generate import LIMITS, GenerationError, generate
from clibench.importing.imported import Failed, Imported, imported, row
from clibench.importing.libraries import install_libraries
from clibench.importing.report import to_csv, to_markdown
from clibench.sandbox.choose import make_sandbox
from clibench.sandbox.interface import Sandbox, Session
from clibench.sandbox.reap import scratch_folder
from clibench.store import write_file
from clibench.tables import console


def import_artifact(config: DictConfig) -> None:
    """Import, write the report and show it. Raises UserError for a folder that is no checkout, SandboxError where nothing can be run."""
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, ImportConfig)  # noqa: S101 - named by conf/import.yaml
    artifact = read_artifact(Path(settings.path).expanduser())
    sources = _chosen(artifact, settings.only)
    destination = Path(settings.destination).expanduser()
    results: list[Imported | Failed] = []
    pins = read_pins(Path(settings.pins).expanduser() if settings.pins else None)
    prepare_folder(destination, "destination")
    sandbox = make_sandbox(settings.sandbox, Path(settings.outputs).expanduser())
    frozen: dict[str, str] = {}
    try:
        with scratch_folder("import") as prefix:
            modules = [*artifact.shared.values(), *(source.start for source in sources)]
            install_libraries(sandbox, modules, settings.libraries, prefix)
            with sandbox.open(language="python", prefix=prefix, limits=LIMITS, workers=1) as session:
                for number, source in enumerate(sources, start=1):
                    results.append(_read(session, source, artifact, settings, destination))
                    cells = row(results[-1])
                    told = f"{cells['cases']} cases" if cells["status"] == "imported" else f"not imported: {cells['reason']}"
                    print(f"{number}/{len(sources)} {source.id}: {told}", file=sys.stderr, flush=True)  # noqa: T201 - progress
        for task in results if settings.freeze else ():
            if isinstance(task, Imported) and task.converted.cases:
                frozen[task.source.id] = _frozen(task, pins, destination / "tasks" / task.id, sandbox, settings)
                print(f"{task.source.id}: {frozen[task.source.id]}", file=sys.stderr, flush=True)  # noqa: T201 - progress
    finally:
        sandbox.close()
    write_file(destination / "import.csv", to_csv(results, frozen).encode("utf-8", "replace"))
    write_file(destination / "import.md", to_markdown(results, artifact.prompts_without_tests).encode("utf-8", "replace"))
    show(results, destination)


def _read(session: Session, source: Source, artifact: Artifact, settings: ImportConfig, destination: Path) -> Imported | Failed:
    """One task, generated, converted and written below `destination`."""
    try:
        result = imported(source, generate(session, source, artifact.shared, settings.seed))
    except GenerationError as error:
        return Failed(source, str(error))
    if result.converted.cases:
        for name, content in result.files().items():
            write_file(destination / "tasks" / result.id / name, content)
    return result


def _frozen(task: Imported, pins: Mapping[str, PinRow], folder: Path, sandbox: Sandbox, settings: ImportConfig) -> str:
    """Freeze a task; what it came to, in a few words. A task that can't be frozen keeps its cases, and the others go on."""
    try:
        oracle = oracle_spec(task, pins)
        if oracle is None:
            return f"not frozen: {'; '.join(task.pin.missing)}"
        made = freeze_imported(
            task,
            oracle,
            folder,
            sandbox,
            workers=settings.sandbox.workers or os.cpu_count() or 1,
            limits=settings.sandbox.limits,
            say=lambda text: print(f"{task.source.id}: {text}", file=sys.stderr, flush=True),  # noqa: T201 - progress
        )
    except TaskError as error:
        return f"not frozen: {error.what}"
    return f"frozen: {made.cases} cases, {len(made.quarantined)} quarantined"


def show(results: Sequence[Imported | Failed], destination: Path) -> None:
    """A row a task, and where the report is."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = ("repository", "tool", "cases", "duplicates", "left_out", "unseeded", "unrepeatable", "absent_from_prompt", "leaks", "pin")
    for column in columns:
        table.add_column(column.replace("_", " "), justify="left" if column in ("repository", "tool", "pin") else "right", no_wrap=True)
    rows = [row(result) for result in results]
    for cells in rows:
        if cells["status"] == "imported":
            table.add_row(*(escape(str(cells.get(column, ""))) for column in columns))
    out = console()
    done = sum(cells["status"] == "imported" for cells in rows)
    if done:
        out.print(table)
    for cells in rows:
        if cells["status"] == "failed":
            out.print(f"not imported: {cells['repository']}: {cells['reason']}", markup=False, soft_wrap=True)
    out.print(f"{done} of {len(rows)} tasks imported; see {destination / 'import.md'}", markup=False, soft_wrap=True)


def _chosen(artifact: Artifact, only: Sequence[str] | None) -> list[Source]:
    known = {source.id: source for source in artifact.sources}
    for name in only or ():
        if name not in known:
            raise UserError(f"the checkout has no task '{name}'", where="only", fix=did_you_mean(name, known))
    return [source for source in artifact.sources if only is None or source.id in only]
