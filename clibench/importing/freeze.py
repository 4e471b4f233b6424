"""Freeze an imported task: its cases are those of the artifact, its recordings those of an oracle that is pinned for good.

What the published tests ran changes with every commit of the tool; from here on it is one release, with hashes. As in any freeze, each case
runs several times under changed conditions, and what is not stable is masked or quarantined. The prompt stays the published one: what is
wrong in it is in the import report. spec.yaml names the oracle and shows a command line a pattern; the cases are not expanded from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import Field

import clibench
from clibench.digest import digest_bytes
from clibench.errors import TaskError
from clibench.importing.baked import bake
from clibench.importing.imported import LANGUAGES, Imported
from clibench.sandbox.interface import Limits, Sandbox, Session, TrialFault
from clibench.sandbox.reap import scratch_folder
from clibench.store import write_file
from clibench.synthesis.explain import validate
from clibench.synthesis.located import read_located
from clibench.synthesis.spec import OracleSpec, Spec, parse_spec
from clibench.synthesis.strict import Strict
from clibench.tasks import folder as files
from clibench.tasks.case import Case, Fixture
from clibench.tasks.freeze import RUNS, head_of, install, normalisers_of, oracle_of, run_once, write_folder
from clibench.tasks.head import encode_head
from clibench.tasks.pin import pin_oracle
from clibench.tasks.stability import judge_stability

HEAD: Final = "# Written by `python -m clibench import`: the cases are the published ones and are not expanded from this file.\n"
_UNTOLD: Final = "not told by the artifact"


class PinRow(Strict):
    """A pin that a user adds: the artifact itself mostly names a branch."""

    registry: str
    name: str
    version: str
    entry: str | None = None
    """Executable; the command of the tests where it is not given."""
    licence: str = _UNTOLD
    extras: tuple[str, ...] = ()


class PinFile(Strict):
    """The file of pins: `pins: {owner/name: {registry: pypi, name: tool, version: 1.0, licence: MIT}}`."""

    pins: dict[str, PinRow] = Field(default_factory=dict)
    """By owner/name."""


@dataclass(frozen=True)
class FrozenImport:
    """What a freeze made of an imported task."""

    cases: int
    quarantined: Mapping[str, str]


def read_pins(path: Path | None) -> dict[str, PinRow]:
    """The pins of a YAML file; raises TaskError naming file, line and fault."""
    return {} if path is None else validate(read_located(path), PinFile).pins


def oracle_spec(imported: Imported, pins: Mapping[str, PinRow]) -> OracleSpec | None:
    """The oracle to freeze a task with: the user's pin, else that of the install commands where it is complete; None where neither is."""
    given = pins.get(imported.source.id)
    if given is None and not imported.pin.complete:
        return None
    pin = given or PinRow(registry=imported.pin.registry, name=imported.pin.name, version=imported.pin.version)
    body = pin.model_dump() | {"entry": pin.entry or imported.tool}
    try:
        return OracleSpec.model_validate(body)
    except ValueError as error:
        raise TaskError(f"no pin: {' '.join(str(error).split())[:200]}", where=imported.source.id) from None


def freeze_imported(
    imported: Imported,
    oracle: OracleSpec,
    folder: Path,
    sandbox: Sandbox,
    *,
    runs: int = RUNS,
    workers: int = 2,
    limits: Limits | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> FrozenImport:
    """Freeze into `folder`, whose name becomes the task's id.

    Raises TaskError for an oracle that can't be had or a task without a stable case, SandboxError where trials can't be carried out.
    """
    limits = limits or Limits()
    say(f"pinning {oracle.name} {oracle.version}")
    draft = _spec(imported, oracle, {case.pattern for case in imported.converted.cases}, folder)
    pin = pin_oracle(sandbox, oracle, draft.task.language)
    with scratch_folder("freeze-import") as scratch:
        prefix = install(sandbox, draft, oracle_of(draft, pin), scratch / "prefix", where=imported.source.id)
        with sandbox.open(language=draft.task.language.value, prefix=prefix, limits=limits, workers=workers) as session:
            baked = bake(session, imported.converted.cases, imported.converted.fixtures, imported.tool)
            say(f"run 1 of {runs}: {len(baked.cases)} cases")
            runnable, faulty = _runnable(session, baked.cases, baked.fixtures)
            recorded = [run_once(session, runnable, baked.fixtures, None)]
            for number in range(1, runs):
                say(f"run {number + 1} of {runs}, under changed conditions")
                recorded.append(run_once(session, runnable, baked.fixtures, number))
    kept = recorded[0]
    normalisers = normalisers_of(draft, kept.values())
    stability = judge_stability(
        {case.id: [run[case.id] for run in recorded] for case in runnable},
        {case.id: (case, baked.fixtures[case.fixture]) for case in runnable},
        {case.id: normalisers for case in runnable},
        draft.task.alias,
    )
    quarantined = {**baked.faults, **faulty, **stability.quarantined}
    cases = tuple(case for case in runnable if case.id not in quarantined)
    if not cases:
        raise TaskError("no case is stable", where=imported.source.id, fix=f"First reason: {next(iter(quarantined.values()))[:200]}")
    spec = _spec(imported, oracle, {case.pattern for case in cases}, folder)
    head = head_of(folder, spec, pin, oracle_of(spec, pin), cases, normalisers, stability)
    contents = {
        files.TASK: encode_head(head.model_copy(update={"quarantined": quarantined})),
        files.SPEC: (folder / files.SPEC).read_bytes(),
        files.PROMPT: (folder / files.PROMPT).read_bytes(),
        files.CASES: files.encode_cases(cases),
        files.FIXTURES: files.encode_fixtures({case.fixture: baked.fixtures[case.fixture] for case in cases}),
        files.RECORDINGS: files.encode_recordings({case.id: kept[case.id] for case in cases}),
        files.ORACLE_LOCK: pin.lock.encode(),
    }
    lock = {
        "files": {name: digest_bytes(content) for name, content in contents.items()},
        "imported_from": imported.source.id,
        "made_with": {"clibench": clibench.__version__, **sandbox.describe()},
        "limits": asdict(limits),
        "stability": {"runs": runs, "quarantined": quarantined},
    }
    write_folder(folder, contents, files.encode_json(lock))
    return FrozenImport(len(cases), quarantined)


def _runnable(session: Session, cases: Sequence[Case], fixtures: Mapping[str, Fixture]) -> tuple[tuple[Case, ...], dict[str, str]]:
    """Cases whose preparation works, and why the others can't be run: published preparation scripts fail at times."""
    waiting, faults = list(cases), {}
    for _ in range(2):
        faults = {case.id: result.reason for case, result in session.run(waiting, fixtures) if isinstance(result, TrialFault)}
        waiting = [case for case in waiting if case.id in faults]
        if not waiting:
            break
    return tuple(case for case in cases if case.id not in faults), {name: f"could not be run: {reason}" for name, reason in faults.items()}


def _spec(imported: Imported, oracle: OracleSpec, patterns: set[str], folder: Path) -> Spec:
    """spec.yaml, written and read back."""
    first = {case.pattern: case for case in reversed(imported.converted.cases)}
    body: dict[str, Any] = {
        "version": "1",
        "task": {
            "alias": imported.tool,
            "language": LANGUAGES[oracle.registry].value,
            "category": imported.source.category or "Uncategorised",
        },
        "oracle": {name: value for name, value in oracle.model_dump(mode="json").items() if value},
        "patterns": [
            {"id": each.id, "description": each.description, "argv": [_literal(word) for word in first[each.id].argv[1:]]}
            for each in imported.converted.patterns
            if each.id in patterns
        ],
    }
    text = HEAD + yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=140)
    spec = parse_spec(text, folder / files.SPEC)
    write_file(folder / files.SPEC, text.encode("utf-8", "surrogateescape"))
    return spec


def _literal(word: str) -> str:
    """A word in which no brace is a placeholder."""
    return re.sub(r"\{([A-Za-z_][\w#.-]*)\}", r"{{\1}}", word)
