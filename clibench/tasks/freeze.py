"""Freeze a task: from spec.yaml and context.md, with the oracle in a sandbox, to a folder that needs neither again.

Pin and install the oracle, expand the spec, run every case several times under changed conditions, name a normaliser for what may differ
or quarantine it, write the prompt, and lock all of it by digests. The same spec on the same sandbox gives the same bytes. lock.json is
written last: a freeze that was interrupted leaves a folder that the loader refuses, never one that is half old and half new.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import clibench
from clibench.digest import digest_bytes
from clibench.errors import SandboxError, TaskError
from clibench.evaluation.normalise import resolve
from clibench.recording import End, Recording
from clibench.sandbox.interface import Limits, Sandbox, Session, TrialFault
from clibench.sandbox.reap import scratch_folder
from clibench.synthesis.copied import copied_lines, source_texts
from clibench.synthesis.expand import Expansion, expand
from clibench.synthesis.help.streams import help_streams
from clibench.synthesis.leaks import leaks, missing_patterns, own_names
from clibench.synthesis.prompt import HelpText, introduce, write_prompt
from clibench.synthesis.spec import Spec, read_spec
from clibench.tasks import folder as files
from clibench.tasks.case import Case, Fixture
from clibench.tasks.effective import PatternReport, choose_examples, pattern_reports
from clibench.tasks.head import OraclePin, PatternHead, TaskFile, encode_head
from clibench.tasks.oracle_lock import lock_digest
from clibench.tasks.pin import Pin, fetch_oracle
from clibench.tasks.stability import Stability, judge_stability
from clibench.tasks.task import Difficulty, Oracle

RUNS = 5
"""Runs of every case: one under the contract, which is kept, and four under conditions that are changed each time."""


@dataclass(frozen=True)
class FreezeReport:
    """What a freeze made of a task."""

    task: str
    loc: int
    cases: int
    patterns: Mapping[str, PatternReport]
    normalisers: tuple[str, ...]
    masked: Mapping[str, tuple[str, ...]]
    quarantined: Mapping[str, str]
    shortfalls: tuple[str, ...]


@dataclass(frozen=True)
class Installed:
    """An oracle that was pinned and installed before, by whoever wrote the spec."""

    pin: Pin
    prefix: Path
    """The installation, whose `bin` holds the alias."""
    source: Path
    """The package as its registry ships it."""


def freeze_task(
    folder: Path,
    sandbox: Sandbox,
    *,
    runs: int = RUNS,
    workers: int = 2,
    limits: Limits | None = None,
    say: Callable[[str], None] = lambda _: None,
    installed: Installed | None = None,
) -> FreezeReport:
    """Freeze the task in `folder` (spec.yaml, context.md), in place; `say` hears of each step.

    The oracle is pinned and installed, unless it comes `installed`: then that is what is run and locked.

    Raises TaskError for a faulty spec, an oracle that can't be had, a leak in the prompt or a pattern without a stable case;
    SandboxError where trials can't be carried out.
    """
    spec = read_spec(folder / files.SPEC)
    context = _context(folder)
    expansion = expand(spec)
    if gone := sorted(spec.unstable.keys() - {case.id for case in expansion.cases}):
        raise TaskError(f"unstable names '{gone[0]}', which is no case", where=str(folder / files.SPEC), fix="Remove it, or correct it.")
    for shortfall in expansion.shortfalls:
        say(str(shortfall))
    limits = limits or Limits()
    with scratch_folder("freeze") as scratch:
        if installed is None:
            say(f"pinning {spec.oracle.name} {spec.oracle.version}")
            installed = _installed(folder, spec, sandbox, scratch)
        pin, prefix = installed.pin, installed.prefix
        oracle = oracle_of(spec, pin)
        copied = copied_lines(context, source_texts(installed.source, spec.task.language))
        _refuse([f"lines {copied[0]} to {copied[-1]} of context.md: source code of the tool"] if copied else [], folder)
        with sandbox.open(language=spec.task.language.value, prefix=prefix, limits=limits, workers=workers) as session:
            helps = _helps(session, spec)
            _refuse(leaks(introduce(spec, context, helps), spec, (), ()), folder)  # now, rather than after all the runs
            say(f"run 1 of {runs}: {len(expansion.cases)} cases")
            kept = run_once(session, expansion.cases, expansion.fixtures, None)
            told = _likely_prompt(spec, context, helps, expansion, kept)
            _refuse(leaks(told, spec, (), ()), folder)  # examples show output: now, rather than after the other runs
            again = []
            for number in range(1, runs):
                say(f"run {number + 1} of {runs}, under changed conditions")
                again.append(run_once(session, expansion.cases, expansion.fixtures, number))

    normalisers = normalisers_of(spec, kept.values())
    of_pattern = {pattern.id: _spelled(spec, pattern.normalisers) for pattern in spec.patterns}
    stability = judge_stability(
        {case.id: [kept[case.id], *(run[case.id] for run in again)] for case in expansion.cases},
        {case.id: (case, expansion.fixtures[case.fixture]) for case in expansion.cases},
        {case.id: (*normalisers, *of_pattern[case.pattern]) for case in expansion.cases},
        spec.task.alias,
    )
    stability = replace(stability, quarantined={**stability.quarantined, **spec.unstable})
    cases = tuple(case for case in expansion.cases if case.id not in stability.quarantined)
    examples = choose_examples(spec, expansion, cases, kept)
    prompt = write_prompt(spec, context, helps, examples)
    found = leaks(prompt, spec, cases, [example.case for example in examples.values()])
    if missing := missing_patterns(prompt, spec):
        raise TaskError(f"the prompt says {'; '.join(missing[:5])}", where=str(folder), fix="Give each pattern a description of one line.")
    _refuse(found, folder)

    recordings = {case.id: kept[case.id] for case in cases}
    head = head_of(folder, spec, pin, oracle, cases, normalisers, stability)
    patterns = pattern_reports(spec, expansion, cases, recordings)
    contents = {
        files.TASK: encode_head(head),
        files.SPEC: (folder / files.SPEC).read_bytes(),
        files.PROMPT: prompt.encode("utf-8", "surrogateescape"),
        files.CASES: files.encode_cases(cases),
        files.FIXTURES: files.encode_fixtures({case.fixture: expansion.fixtures[case.fixture] for case in cases}),
        files.RECORDINGS: files.encode_recordings(recordings),
        files.ORACLE_LOCK: pin.lock.encode(),
    }
    lock = {
        "files": {name: digest_bytes(content) for name, content in contents.items()},
        "context": digest_bytes((folder / files.CONTEXT).read_bytes()),
        "made_with": {"clibench": clibench.__version__, **sandbox.describe()},
        "limits": asdict(limits),
        "patterns": {name: asdict(report) for name, report in patterns.items()},
        "shortfalls": [str(shortfall) for shortfall in expansion.shortfalls],
        "stability": {
            "runs": runs,
            "masked": dict(Counter("+".join(names) for names in stability.normalisers.values())),
            "quarantined": dict(stability.quarantined),
        },
    }
    write_folder(folder, contents, files.encode_json(lock))
    return FreezeReport(
        task=folder.name,
        loc=pin.loc,
        cases=len(cases),
        patterns=patterns,
        normalisers=normalisers,
        masked=stability.normalisers,
        quarantined=stability.quarantined,
        shortfalls=tuple(map(str, expansion.shortfalls)),
    )


def install(sandbox: Sandbox, spec: Spec, oracle: Oracle, prefix: Path, *, where: str) -> Path:
    """Install the oracle into the new folder `prefix`; raises TaskError where it can't be installed."""
    from clibench.evaluation.build import build_oracle

    prefix.mkdir()
    built = build_oracle(sandbox, spec.task.language.value, oracle, spec.task.alias, prefix)
    if not built.ok:
        tail = built.log.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
        raise TaskError(f"the oracle can't be installed: {built.reason}: {tail[0]}", where=where)
    return prefix


def _likely_prompt(spec: Spec, context: str, helps: Sequence[HelpText], expansion: Expansion, kept: Mapping[str, Recording]) -> str:
    """The prompt if all cases turn out to be stable."""
    cases = [case for case in expansion.cases if case.id not in spec.unstable]
    if {case.pattern for case in cases} != {pattern.id for pattern in spec.patterns}:
        return ""
    return write_prompt(spec, context, helps, choose_examples(spec, expansion, cases, kept))


class LeakError(TaskError):
    """A prompt that would tell what it must not; `told` has a line for each."""

    def __init__(self, what: str, *, where: str, fix: str, told: Sequence[str]) -> None:
        super().__init__(what, where=where, fix=fix)
        self.told = tuple(told)


def _refuse(found: Sequence[str], folder: Path) -> None:
    if found:
        told = "; ".join(found[:5])
        fix = "Change context.md, the spec or its fixtures, or name under task.allowed what the tool itself prints."
        raise LeakError(f"the prompt would tell {told}", where=str(folder), fix=fix, told=found)


def _context(folder: Path) -> str:
    try:
        text = (folder / files.CONTEXT).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"cannot be read: {error}", where=str(folder / files.CONTEXT), fix="Describe there what the tool is for.") from None
    if not text.strip():
        raise TaskError("empty", where=str(folder / files.CONTEXT), fix="Describe there what the tool is for.")
    return text


def _installed(folder: Path, spec: Spec, sandbox: Sandbox, scratch: Path) -> Installed:
    fetched = scratch / "fetched"
    fetched.mkdir()
    pin = _pin(folder, spec, sandbox, fetched)
    prefix = install(sandbox, spec, oracle_of(spec, pin), scratch / "prefix", where=str(folder))
    return Installed(pin, prefix, fetched / "source")


def _pin(folder: Path, spec: Spec, sandbox: Sandbox, fetched: Path) -> Pin:
    """The lock and size of the oracle; a lock that was frozen for the same release is kept, whatever its dependencies are by now."""
    from clibench.synthesis.explain import validate
    from clibench.synthesis.located import read_located

    pin = fetch_oracle(sandbox, spec.oracle, spec.task.language, fetched)
    if not (folder / files.TASK).is_file() or not (folder / files.ORACLE_LOCK).is_file():
        return pin
    frozen = validate(read_located(folder / files.TASK), TaskFile).oracle
    lock = (folder / files.ORACLE_LOCK).read_text("utf-8")
    same = (frozen.registry, frozen.name, frozen.version) == (spec.oracle.registry, spec.oracle.name, spec.oracle.version)
    return Pin(lock, pin.loc) if same and lock_digest(frozen.registry, lock) == frozen.digest else pin


def oracle_of(spec: Spec, pin: Pin) -> Oracle:
    """The oracle that the spec names, as the pin locks it."""
    return Oracle(
        registry=spec.oracle.registry,
        name=spec.oracle.name,
        version=spec.oracle.version,
        entry=spec.oracle.entry,
        licence=spec.oracle.licence,
        lock=pin.lock,
        digest=lock_digest(spec.oracle.registry, pin.lock),
    )


def run_once(session: Session, cases: Sequence[Case], fixtures: Mapping[str, Fixture], stability: int | None) -> dict[str, Recording]:
    """One recording a case.

    A trial that the harness failed is tried once more, then the freeze ends. So is one that ran out of time, whose second end counts: on a
    busy machine the first says nothing of the tool.
    """
    found: dict[str, Recording] = {}
    failed: list[Case] = []
    for case, recording in session.run(cases, fixtures, stability=stability):
        if isinstance(recording, TrialFault) or recording.status.end is End.TIMEOUT:
            failed.append(case)
        else:
            found[case.id] = recording
    if failed:
        for case, recording in session.run(failed, fixtures, stability=stability):
            if isinstance(recording, TrialFault):
                raise SandboxError(f"case {case.id} could not be run: {recording.reason}")
            found[case.id] = recording
    return found


def _helps(session: Session, spec: Spec) -> list[HelpText]:
    nothing = Fixture()
    cases = [
        Case(id=f"help/{number:02}", pattern="help", argv=(spec.task.alias, *words), fixture=nothing.digest())
        for number, words in enumerate(spec.help, start=1)
    ]
    recordings, again = (run_once(session, cases, {nothing.digest(): nothing}, None) for _ in range(2))
    for case in cases:
        recording = recordings[case.id]
        if not (recording.stdout.data.strip() or recording.stderr.data.strip()):
            raise TaskError(f"'{' '.join(case.argv)}' prints no help", where="help", fix="Name the words that do in the spec.")
        if [output.data for output in help_streams(recording)] != [output.data for output in help_streams(again[case.id])]:
            raise TaskError(
                f"'{' '.join(case.argv)}' prints another help each time", where="help", fix="Name words that print a steady one in the spec."
            )
    return [HelpText(case.argv[1:], recordings[case.id]) for case in cases]


def normalisers_of(spec: Spec, recordings: Iterable[Recording]) -> tuple[str, ...]:
    """The spec's, with `alias` spelled out; and `alias` where the tool prints a name of its own, whether the spec says so or not."""
    names = own_names(spec)
    given = _spelled(spec, spec.normalisers)
    printed = b"\0".join(
        part
        for recording in recordings
        for part in (recording.stdout.data, *(change.content or b"" for change in recording.changes), *_paths(recording))
    )
    given += [f"alias({name})" for name in names if re.search(rb"(?<![\w-])" + re.escape(name.encode()) + rb"(?![\w-])", printed)]
    resolve(given, alias=spec.task.alias)  # an unknown name is an error now, not when the task is judged
    return tuple(dict.fromkeys(given))


def _spelled(spec: Spec, names: Iterable[str]) -> list[str]:
    """`alias` alone means the name of the oracle's executable."""
    return [f"alias({spec.oracle.entry})" if name == "alias" else name for name in names]


def _paths(recording: Recording) -> list[bytes]:
    return [change.path.encode("utf-8", "surrogateescape") for change in recording.changes]


def head_of(
    folder: Path, spec: Spec, pin: Pin, oracle: Oracle, cases: Sequence[Case], normalisers: tuple[str, ...], stability: Stability
) -> TaskFile:
    """task.yaml of a task that was run."""
    counts = Counter(case.pattern for case in cases)
    return TaskFile(
        id=folder.name,
        alias=spec.task.alias,
        language=spec.task.language,
        category=spec.task.category,
        difficulty=Difficulty.of(pin.loc),
        loc=pin.loc,
        oracle=OraclePin(**{name: getattr(oracle, name) for name in OraclePin.model_fields}),
        patterns=tuple(PatternHead(id=p.id, description=p.description.strip(), cases=counts[p.id]) for p in spec.patterns),
        normalisers=normalisers,
        case_normalisers={
            **{pattern.id: tuple(_spelled(spec, pattern.normalisers)) for pattern in spec.patterns if pattern.normalisers},
            **stability.normalisers,
        },
        quarantined=dict(stability.quarantined),
    )


def write_folder(folder: Path, contents: Mapping[str, bytes], lock: bytes) -> None:
    """Write all files but the spec, lock.json last; raises TaskError where one can't be written."""
    for name, content in (*contents.items(), (files.LOCK, lock)):
        if name == files.SPEC:
            continue  # it is the author's, and read from here
        partial = folder / f".{name}.{os.getpid()}"
        try:
            partial.write_bytes(content)
            partial.replace(folder / name)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise TaskError(f"cannot be written: {error.strerror}", where=str(folder / name), fix="Free space, or allow writing.") from None
