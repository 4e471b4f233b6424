"""Load frozen tasks: every file is checked against the lock, then against its form; a fault is named with file and line.

A folder of tasks holds a folder for each; those without a task.yaml (drafts, submissions) are no tasks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from clibench.digest import digest_bytes, digest_json
from clibench.errors import TaskError, did_you_mean
from clibench.synthesis.explain import validate
from clibench.synthesis.located import parse_located, read_located, refuse_special
from clibench.tasks import folder as files
from clibench.tasks.case import Case, Fixture
from clibench.tasks.head import TaskFile
from clibench.tasks.oracle_lock import lock_digest
from clibench.tasks.task import Oracle, Pattern, Task

T = TypeVar("T")

_REFREEZE = "Freeze the task again if the change is meant, else restore the file."


def load_tasks(tasks_dir: Path, ids: Iterable[str] | None = None) -> tuple[Task, ...]:
    """The named tasks in the order of their names, or all; raises TaskError for a missing folder, an unknown id or a faulty task."""
    known = task_ids(tasks_dir)
    wanted = known if ids is None else sorted(set(ids))
    for name in wanted:
        if name not in known:
            if (tasks_dir / name / files.SPEC).is_file():
                raise TaskError(
                    "the task is not frozen yet", where=str(tasks_dir / name), fix=f"Run: python -m clibench freeze task={name}"
                )
            raise TaskError(f"unknown task '{name}'", where=str(tasks_dir), fix=f"{did_you_mean(name, known)} dataset=full takes all of a folder.".lstrip())
    return tuple(load_task(tasks_dir / name) for name in wanted)


def task_ids(tasks_dir: Path) -> list[str]:
    """Names of the frozen tasks in a folder, sorted; raises TaskError where there is no such folder."""
    try:
        return sorted(path.name for path in tasks_dir.iterdir() if (path / files.TASK).is_file())
    except OSError as error:
        raise TaskError(f"no folder of tasks: {error.strerror}", where=str(tasks_dir), fix="Set tasks_dir to a folder of tasks.") from None


def load_task(folder: Path) -> Task:
    """The task in `folder`; raises TaskError naming file, line and fault."""
    head_file = folder / files.TASK
    head = validate(read_located(head_file), TaskFile)
    if head.id != folder.name:
        raise TaskError(f"the id is '{head.id}' and the folder's name '{folder.name}'", where=str(head_file), fix="Rename the folder.")
    contents = _locked(folder)

    cases = _decoded(folder / files.CASES, contents, files.decode_cases)
    fixtures = _decoded(folder / files.FIXTURES, contents, files.decode_fixtures)
    recordings = _decoded(folder / files.RECORDINGS, contents, files.decode_recordings)
    _check_cases(folder, head, cases, fixtures)
    if missing := [case.id for case in cases if case.id not in recordings]:
        raise TaskError(f"no recording of case {missing[0]}", where=str(folder / files.RECORDINGS), fix=_REFREEZE)
    lock = contents[files.ORACLE_LOCK].decode()
    if lock_digest(head.oracle.registry, lock) != head.oracle.digest:
        raise TaskError("is not the lock that task.yaml names", where=str(folder / files.ORACLE_LOCK), fix=_REFREEZE)

    per_case = {
        case.id: tuple(names)
        for case in cases
        if (names := dict.fromkeys((*head.case_normalisers.get(case.pattern, ()), *head.case_normalisers.get(case.id, ()))))
    }
    return Task(
        id=head.id,
        alias=head.alias,
        language=head.language,
        category=head.category,
        difficulty=head.difficulty,
        loc=head.loc,
        oracle=Oracle(**head.oracle.model_dump(exclude={"digest"}), lock=lock, digest=head.oracle.digest),
        prompt=contents[files.PROMPT].decode(),
        patterns=tuple(Pattern(pattern.id, pattern.description) for pattern in head.patterns),
        cases=cases,
        fixtures=fixtures,
        recordings=recordings,
        normalisers=head.normalisers,
        case_normalisers=per_case,
        quarantined=head.quarantined,
        folder=folder,
        digest=digest_json(
            {
                "head": head.model_dump(mode="json", exclude={"category", "difficulty", "loc"}),
                "files": {name: digest_bytes(contents[name]) for name in (files.PROMPT, files.CASES, files.FIXTURES, files.RECORDINGS)},
            }
        ),
    )


def _locked(folder: Path) -> dict[str, bytes]:
    """The locked files' contents, each equal to what was frozen."""
    lock_file = folder / files.LOCK
    refuse_special(lock_file)
    try:
        digests: dict[str, Any] = json.loads(lock_file.read_bytes())["files"]
        expected = {name: str(digests[name]) for name in files.LOCKED}
    except FileNotFoundError:
        raise TaskError("no such file", where=str(lock_file), fix="Freeze the task.") from None
    except json.JSONDecodeError as error:
        raise TaskError(f"not JSON: {error.msg}", where=f"{lock_file}:{error.lineno}", fix=_REFREEZE) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TaskError(f"not a lock: {error!r}", where=str(lock_file), fix=_REFREEZE) from None
    contents: dict[str, bytes] = {}
    for name, digest in expected.items():
        file = folder / name
        refuse_special(file)
        try:
            contents[name] = file.read_bytes()
        except OSError as error:
            raise TaskError(f"cannot be read: {error.strerror}", where=str(file), fix=_REFREEZE) from None
        if digest_bytes(contents[name]) != digest:
            if name == files.SPEC:
                _explain_spec(contents[name], file)
            raise TaskError("changed since the task was frozen (digest mismatch)", where=str(file), fix=_REFREEZE)
    return contents


def _explain_spec(content: bytes, file: Path) -> None:
    """A spec that was edited may be malformed: that is the better answer than a digest."""
    from clibench.synthesis.spec import spec_of

    spec_of(parse_located(content.decode("utf-8", "replace"), file))


def _decoded(file: Path, contents: dict[str, bytes], decode: Any) -> Any:
    try:
        return decode(contents[file.name])
    except files.LineError as error:
        raise TaskError(str(error), where=f"{file}:{error.line}", fix=_REFREEZE) from None


def _check_cases(folder: Path, head: TaskFile, cases: tuple[Case, ...], fixtures: dict[str, Fixture]) -> None:
    patterns = {pattern.id for pattern in head.patterns}
    seen: set[str] = set()
    for line, case in enumerate(cases, start=1):
        if case.pattern not in patterns:
            fault = f"case {case.id} is of the unknown pattern '{case.pattern}'"
        elif case.fixture not in fixtures:
            fault = f"case {case.id} needs the fixture {case.fixture}, which fixtures.jsonl does not hold"
        elif case.id in seen:
            fault = f"case {case.id} is there twice"
        elif case.argv[:1] != (head.alias,):
            fault = f"case {case.id} does not start with '{head.alias}'"
        else:
            seen.add(case.id)
            continue
        raise TaskError(fault, where=f"{folder / files.CASES}:{line}", fix=_REFREEZE)
