"""The files of a frozen task, as bytes: one form for given content, so that freezing twice gives the same folder.

task.yaml             what the task is: oracle pin, language, difficulty, patterns, normalisers, quarantined cases
spec.yaml             written by hand, the source of the cases
prompt.md             what an implementer gets
cases.jsonl           one case a line
fixtures.jsonl        one fixture a line
recordings.jsonl.xz   {"case": id, "recording": {...}} a line, resources zeroed
oracle.lock           see `oracle_lock.py`
lock.json             digests of the others, and under what they were made
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from clibench.recording import Recording, Resources, from_json, to_json
from clibench.tasks.case import Case, Fixture, case_from_json, case_to_json, fixture_from_json, fixture_to_json

TASK: Final = "task.yaml"
SPEC: Final = "spec.yaml"
PROMPT: Final = "prompt.md"
CASES: Final = "cases.jsonl"
FIXTURES: Final = "fixtures.jsonl"
RECORDINGS: Final = "recordings.jsonl.xz"
ORACLE_LOCK: Final = "oracle.lock"
LOCK: Final = "lock.json"
CONTEXT: Final = "context.md"

LOCKED: Final = (TASK, SPEC, PROMPT, CASES, FIXTURES, RECORDINGS, ORACLE_LOCK)
"""The files whose digests lock.json holds."""


class LineError(ValueError):
    """A line that is not of its file's form."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


def encode_cases(cases: Iterable[Case]) -> bytes:
    """cases.jsonl."""
    return _encode(case_to_json(case) for case in cases)


def decode_cases(data: bytes) -> tuple[Case, ...]:
    """Inverse of `encode_cases`; raises LineError."""
    return tuple(_decode(data, case_from_json))


def encode_fixtures(fixtures: Mapping[str, Fixture]) -> bytes:
    """fixtures.jsonl, sorted by digest."""
    return _encode(fixture_to_json(fixtures[digest]) for digest in sorted(fixtures))


def decode_fixtures(data: bytes) -> dict[str, Fixture]:
    """Inverse of `encode_fixtures`; raises LineError."""
    return {fixture.digest(): fixture for fixture in _decode(data, fixture_from_json)}


def encode_recordings(recordings: Mapping[str, Recording]) -> bytes:
    """recordings.jsonl.xz, sorted by case; what the trials used is left out, since it differs from run to run."""
    still = {case: replace(recording, resources=Resources()) for case, recording in recordings.items()}
    return lzma.compress(_encode({"case": case, "recording": to_json(still[case])} for case in sorted(still)))


def decode_recordings(data: bytes) -> dict[str, Recording]:
    """Inverse of `encode_recordings`; raises LineError."""
    try:
        plain = lzma.decompress(data)
    except (lzma.LZMAError, EOFError) as error:
        raise LineError(1, f"not xz data: {error}") from None
    return dict(_decode(plain, lambda row: (str(row["case"]), from_json(row["recording"]))))


def encode_json(body: Mapping[str, Any]) -> bytes:
    """lock.json."""
    return (json.dumps(body, indent=1, sort_keys=True, ensure_ascii=True) + "\n").encode("ascii")


def _encode(rows: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii") + b"\n" for row in rows)


def _decode(data: bytes, convert: Any) -> Iterable[Any]:
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            yield convert(json.loads(line))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            name = type(error).__name__
            raise LineError(number, f"not of its form ({name}: {error})") from error
