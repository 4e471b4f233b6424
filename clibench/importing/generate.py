"""Let a start.py generate its test cases, inside the sandbox alone, three times: to have them, and to see what they depend on.

The first run has a fixed seed under the determinism contract. The second has the same seed under another clock, hash seed and host: what
then differs can't be reproduced by any seed of `random`. The third has another seed: what then differs was never seeded by its authors, so
that their published numbers came from cases that nobody can make again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final

from clibench.importing.artifact import START, TESTS, Source
from clibench.importing.libraries import FOLDER as LIBRARIES
from clibench.recording import End, Recording, bytes_from_json
from clibench.sandbox.interface import Limits, Session, TrialFault
from clibench.tasks.case import WORKSPACE, Case, Entry, Fixture

LIMITS: Final = Limits(wall_s=300.0, memory_mb=1024, disk_mb=256, content_bytes=128 << 20)
_OUT: Final = "cases.json"
_FOLDER: Final = "artifact"


@dataclass(frozen=True)
class Raw:
    """One test case as the artifact has it."""

    command: str
    category: str
    prep_script: str = ""
    mount_files: Mapping[str, bytes] = field(default_factory=dict)
    env_vars: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[Any, ...]:
        """What is run: two cases with one key are duplicates."""
        return self.command, self.prep_script, tuple(sorted(self.mount_files.items())), tuple(sorted(self.env_vars.items()))


@dataclass(frozen=True)
class Generated:
    """What a start.py made."""

    base_image: str
    install: tuple[str, ...]
    """Shell commands that install the oracle."""
    cases: tuple[Raw, ...]
    said: tuple[str, ...]
    """What it printed meanwhile: mostly cases that it skipped."""
    sanitises: bool
    """It has rules of its own for what of the output does not count."""
    unseeded: int = 0
    """Cases that another seed changes: its authors seeded nothing."""
    unrepeatable: int = 0
    """Cases that differ under the same seed."""


class GenerationError(Exception):
    """A start.py that can't be used; the text says why."""


def generate(session: Session, source: Source, shared: Mapping[str, bytes], seed: int) -> Generated:
    """The cases of one task. Raises GenerationError where the module fails, SandboxError for faults of the harness."""
    fixture = _fixture(source, shared)
    first = _run(session, fixture, seed, None)
    cases = tuple(_raw(row) for row in first["cases"])
    if not cases:
        raise GenerationError("generate_test_cases() gives no case")
    same = [_raw(row) for row in _run(session, fixture, seed, 1)["cases"]]
    other = [_raw(row) for row in _run(session, fixture, seed + 1, None)["cases"]]
    return Generated(
        base_image=str(first["base_image"]),
        install=tuple(map(str, first["install"])),
        cases=cases,
        said=tuple(map(str, first["said"])),
        sanitises=bool(first["sanitises"]),
        unseeded=_differing(cases, other),
        unrepeatable=_differing(cases, same),
    )


def distinct(cases: tuple[Raw, ...]) -> tuple[list[Raw], int]:
    """The first of each, in their order, and how many were dropped."""
    kept = {case.key: case for case in reversed(cases)}
    ordered = [case for case in cases if kept.get(case.key) is case]
    return ordered, len(cases) - len(ordered)


def _differing(cases: tuple[Raw, ...], others: list[Raw]) -> int:
    """How many of `cases` the other run does not have, wherever they stand in it."""
    missing = Counter(case.key for case in cases) - Counter(case.key for case in others)
    return sum(missing.values())


def _fixture(source: Source, shared: Mapping[str, bytes]) -> Fixture:
    driver = files("clibench.importing").joinpath("driver.py").read_bytes()
    entries = [Entry(f"{_FOLDER}/{TESTS}/{name}", content=content) for name, content in sorted(shared.items())]
    start = Entry(f"{_FOLDER}/{TESTS}/repo/{source.id}/{START}", content=source.start)
    return Fixture((Entry("driver.py", content=driver), *entries, start))


def _run(session: Session, fixture: Fixture, seed: int, stability: int | None) -> dict[str, Any]:
    root = f"{WORKSPACE}/{_FOLDER}/{TESTS}"
    start = next(entry.path for entry in fixture.entries if entry.path.endswith(f"/{START}"))
    orders = {"root": root, "start": f"{WORKSPACE}/{start}", "libraries": LIBRARIES, "seed": seed, "out": f"{WORKSPACE}/{_OUT}"}
    case = Case("import/00", "import", ("python3", f"{WORKSPACE}/driver.py", json.dumps(orders)), fixture.digest())
    recordings = [result for _, result in session.run([case], {case.fixture: fixture}, stability=stability)]
    result = recordings[0]
    if isinstance(result, TrialFault):
        raise GenerationError(f"it could not be run: {result.reason}")
    body = _body(result)
    if body.get("error"):
        raise GenerationError(" ".join(str(body["error"]).split())[:300])
    return body


def _body(recording: Recording) -> dict[str, Any]:
    if recording.status.end is End.TIMEOUT:
        raise GenerationError(f"it does not end within {LIMITS.wall_s:.0f} s")
    written = next((change.content for change in recording.changes if change.path == f"{WORKSPACE}/{_OUT}"), None)
    try:
        body = json.loads(written or b"")
        assert isinstance(body["cases"], list) and isinstance(body["install"], list)  # noqa: S101 - caught below
    except (ValueError, KeyError, TypeError, AssertionError):
        said = recording.stderr.data.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it wrote no cases"]
        raise GenerationError(f"{recording.status}: {said[0][:200]}") from None
    return dict(body)


def _raw(row: dict[str, Any]) -> Raw:
    try:
        return Raw(
            command=_str(row["command"]),
            category=_str(row["category"]),
            prep_script=_str(row["prep_script"]),
            mount_files={str(path): _content(content) for path, content in row["mount_files"].items()},
            env_vars={str(name): _str(value) for name, value in row["env_vars"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GenerationError(f"a case is not of its form: {error!r}") from None


def _content(value: Any) -> bytes:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else bytes_from_json(value)


def _str(value: Any) -> str:
    return value if isinstance(value, str) else bytes_from_json(value).decode("utf-8", "surrogateescape")
