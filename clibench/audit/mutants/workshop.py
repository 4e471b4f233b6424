"""Where mutants of one oracle are made: its sources, an installation without a defect, one that tells what it runs, and one a mutant.

Python and JavaScript are mutated where they are installed: a mutant is a copy of the prefix in which one file differs (the others are the
same files, by hard link: trials see them read-only). Go is built from the oracle's module, vendored with its dependencies, so that further
builds need no network; many mutants are built in one container, one after the other, since they share all that is compiled but one package.
"""

from __future__ import annotations

import ast
import csv
import os
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from clibench.audit.mutants import line_monitor
from clibench.audit.mutants.edit import Edit, Sources
from clibench.audit.mutants.reach import PLACE, Covered, javascript_reach, python_reach
from clibench.errors import SandboxError, TaskError
from clibench.evaluation.build import build_oracle
from clibench.recording import Recording
from clibench.sandbox.interface import PREFIX, Limits, Sandbox
from clibench.sandbox.settings import SandboxConfig
from clibench.steps.keys import build_key, oracle_source
from clibench.store import Store
from clibench.tasks.case import Case
from clibench.tasks.task import Language, Task

_OTHERS: Final = frozenset({"node_modules", "vendor", "_vendor", "test", "tests", "__tests__", "testdata", "__pycache__"})
_SCRIPTS: Final = (".js", ".mjs", ".cjs")


@dataclass(frozen=True)
class Tools:
    """What all of it is made with."""

    store: Store
    sandbox: Sandbox
    settings: SandboxConfig
    identity: dict[str, str]
    """`sandbox.describe()`, asked once."""
    workers: int


@dataclass(frozen=True)
class Made:
    """A mutant: its installation, or why there is none."""

    edit: Edit
    prefix: Path | None
    reason: str = ""
    check: tuple[str, ...] = ()
    """A command that fails in the sandbox where the mutant is no program of its language."""


class Workshop(Protocol):
    """The mutants of one oracle. Paths that it gives are host folders, valid inside `make` only where it says so."""

    @property
    def sources(self) -> Sources:
        """The files that may get a defect."""
        ...

    @property
    def baseline(self) -> Path:
        """An installation without a defect, made as the mutants are."""
        ...

    @property
    def watched(self) -> Path:
        """An installation that writes what it runs."""
        ...

    def instrument(self, case: Case) -> Case:
        """The case as the watched installation has to be asked."""
        ...

    def reach(self, recording: Recording) -> Covered | None:
        """What a trial of an instrumented case ran."""
        ...

    def make(self, edits: Sequence[Edit]) -> Iterator[Made]:
        """The mutants, in the order of the edits; a prefix is there until the next one is asked for. Raises SandboxError."""
        ...


def watching(limits: Limits) -> Limits:
    """Limits of trials of a watched installation: instruments take time, memory and processes, and their files are kept whole."""
    return replace(
        limits, wall_s=limits.wall_s * 6, memory_mb=limits.memory_mb * 2, processes=limits.processes + 64, disk_mb=limits.disk_mb + 64,
        content_bytes=1 << 24,
    )  # fmt: skip


def oracle_prefix(tools: Tools, task: Task) -> Path:
    """The oracle's installation, from the store where it is there. Raises TaskError where it can't be installed, SandboxError."""
    key = build_key(oracle_source(task), task, tools.settings, tools.identity)
    with tools.store.claim("build", key):
        folder = tools.store.folder("prefix", key)
        if folder is not None:
            return folder
        with tools.store.scratch("oracle") as scratch:
            settings, destination = tools.settings, scratch / "prefix"
            destination.mkdir()
            built = build_oracle(
                tools.sandbox,
                task.language.value,
                task.oracle,
                task.alias,
                destination,
                network=settings.build_network,
                timeout_s=settings.build_timeout_s,
            )
            if not built.ok:
                tail = built.log.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
                raise TaskError(f"the oracle can't be installed: {built.reason}: {tail[0]}", where=task.id)
            return tools.store.publish("prefix", key, destination)


@contextmanager
def workshop(tools: Tools, task: Task) -> Iterator[Workshop]:
    """The workshop of a task's oracle, gone with its folders at the end. Raises TaskError for an oracle whose source is not found."""
    from clibench.audit.mutants.go_workshop import GoWorkshop, prepared

    with tools.store.scratch("mutants") as scratch:
        made: Workshop
        if task.language is Language.GO:
            made = GoWorkshop(tools, task, prepared(tools, task), scratch)
        else:
            prefix = oracle_prefix(tools, task)
            made = PythonWorkshop(prefix, task, scratch) if task.language is Language.PYTHON else ScriptWorkshop(prefix, task, scratch)
        if not made.sources:
            raise TaskError("no source file of the oracle's own was found in its installation", where=task.id)
        yield made


class PythonWorkshop:
    """Mutants of an installed Python distribution."""

    def __init__(self, prefix: Path, task: Task, scratch: Path) -> None:
        self.baseline, self._scratch = prefix, scratch
        self._root = _site_packages(prefix, task)
        self.sources = _python_sources(prefix / self._root, task)
        self.watched = scratch / "watched"
        copy_prefix(prefix, self.watched, {})
        site = self.watched / self._root
        shutil.copyfile(line_monitor.__file__, site / "clibench_reach.py")
        (site / line_monitor.WATCHED).write_text("".join(f"{file}\n" for file in self.sources), encoding="utf-8")
        (site / "clibench_reach.pth").write_text("import clibench_reach\n")

    def instrument(self, case: Case) -> Case:
        """As it is."""
        return case

    def reach(self, recording: Recording) -> Covered | None:
        """From what the monitor wrote."""
        return python_reach(recording, self.sources)

    def make(self, edits: Sequence[Edit]) -> Iterator[Made]:
        """Copies of the prefix; a mutant that is no Python is told by compiling it here, which runs nothing."""
        for number, edit in enumerate(edits):
            source = edit.apply(self.sources[edit.file])
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    compile(ast.parse(source), edit.file, "exec")
            except (SyntaxError, ValueError, RecursionError) as error:
                yield Made(edit, None, f"does not compile: {type(error).__name__}: {error}")
                continue
            folder = self._scratch / f"mutant-{number}"
            copy_prefix(self.baseline, folder, {f"{self._root}/{edit.file}": source})
            yield Made(edit, folder)
            shutil.rmtree(folder)


class ScriptWorkshop:
    """Mutants of an installed npm package."""

    def __init__(self, prefix: Path, task: Task, scratch: Path) -> None:
        self.baseline = self.watched = prefix
        self._scratch = scratch
        self._root = f"lib/node_modules/{task.oracle.name}"
        self.sources = _scripts(prefix / self._root)

    def instrument(self, case: Case) -> Case:
        """V8 writes what ran to a folder that the environment names."""
        return replace(case, env={**case.env, "NODE_V8_COVERAGE": PLACE})

    def reach(self, recording: Recording) -> Covered | None:
        """From V8's reports."""
        return javascript_reach(recording, self.sources, f"{PREFIX}/{self._root}")

    def make(self, edits: Sequence[Edit]) -> Iterator[Made]:
        """Copies of the prefix; Node itself has to say what is no JavaScript, in the sandbox."""
        for number, edit in enumerate(edits):
            folder = self._scratch / f"mutant-{number}"
            path = f"{self._root}/{edit.file}"
            copy_prefix(self.baseline, folder, {path: edit.apply(self.sources[edit.file])})
            yield Made(edit, folder, check=("node", "--check", f"{PREFIX}/{path}"))
            shutil.rmtree(folder)


def copy_prefix(prefix: Path, target: Path, changed: Mapping[str, bytes]) -> None:
    """A copy in which some files have other contents; all else is linked, not copied, and must not be written to."""

    def link(source: str, destination: str) -> str:
        os.link(source, destination, follow_symlinks=False)
        return destination

    try:
        shutil.copytree(prefix, target, symlinks=True, copy_function=link)
        for name, content in changed.items():
            path = target / name
            mode = path.stat().st_mode
            path.unlink()
            path.write_bytes(content)
            path.chmod(mode)
            for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                stale.unlink()
    except (shutil.Error, OSError) as error:
        first = error.args[0][0][2] if isinstance(error, shutil.Error) else error
        raise SandboxError(
            f"an installation can't be copied: {first}", where=str(target), fix="Free space, or make it writable."
        ) from error


def _site_packages(prefix: Path, task: Task) -> str:
    found = sorted(path for path in prefix.glob("lib/python3*/site-packages") if path.is_dir())
    if not found:
        raise TaskError("the installation has no site-packages", where=task.id)
    return str(found[0].relative_to(prefix))


def _python_sources(site: Path, task: Task) -> dict[str, bytes]:
    """The .py files that the distribution's RECORD lists; those of its dependencies are not the oracle's."""
    wanted = _plain(task.oracle.name)
    sources = {}
    for record in site.glob("*.dist-info/RECORD"):
        if _plain(record.parent.name.split("-")[0]) != wanted:
            continue
        with record.open(newline="", encoding="utf-8", errors="replace") as stream:
            names = sorted(row[0] for row in csv.reader(stream) if row)
        for name in names:
            inner = Path(name)
            if inner.suffix == ".py" and ".." not in inner.parts and not _OTHERS & set(inner.parts) and (site / inner).is_file():
                sources[name] = (site / inner).read_bytes()
    return sources


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(".", "").lower()


def _scripts(root: Path) -> dict[str, bytes]:
    """Scripts that are in the package, those of its dependencies and tests aside."""
    sources = {}
    for path in sorted(root.rglob("*")):
        inner = path.relative_to(root)
        if _OTHERS & set(inner.parts[:-1]) or path.is_symlink() or not path.is_file():
            continue
        if path.name.endswith((".min.js", ".test.js", ".spec.js")):
            continue
        if path.suffix in _SCRIPTS or (not path.suffix and path.read_bytes()[:20].startswith(b"#!") and b"node" in path.read_bytes()[:40]):
            sources[str(inner)] = path.read_bytes()
    return sources
