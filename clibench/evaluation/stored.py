"""How a task's cases, recordings and verdicts lie in the store: one blob each, JSON lines, so that a report or a re-score reads them back.

The blobs of a `TaskResult`, by name in its `refs`:

    recordings          {"case": id, "recording": {...}} or {"case": id, "fault": reason}, sorted by case
    oracle_recordings   the same, of the oracle; equal for all jobs, hence kept once
    verdicts            one verdict a line, in the order of the cases
    cases               {"fixture": {...}} lines, then {"case": {...}} lines; a case names its fixture by digest
    build_log           plain bytes, as the tools printed them
    trajectory          one JSON object
    submission          a tar of what was delivered

Decoding raises StoreError for bytes that are not of this form (another version wrote them).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from clibench.errors import StoreError
from clibench.evaluation.verdict import Verdict, verdict_from_json, verdict_to_json
from clibench.recording import Recording, from_json, to_json
from clibench.sandbox.interface import TrialFault
from clibench.tasks.case import Case, Fixture, case_from_json, case_to_json, fixture_from_json, fixture_to_json


@dataclass(frozen=True)
class StoredCases:
    """What was run: the cases in order, and the fixtures that they start from, by digest."""

    cases: tuple[Case, ...]
    fixtures: Mapping[str, Fixture]


def encode_recordings(recordings: Mapping[str, Recording | TrialFault]) -> bytes:
    """The blob of recordings by case id."""
    return _encode(_recording_line(case, recordings[case]) for case in sorted(recordings))


def decode_recordings(blob: bytes) -> dict[str, Recording | TrialFault]:
    """Inverse of `encode_recordings`."""
    return dict(_decode(blob, "recordings", _recording_of_line))


def encode_verdicts(verdicts: Iterable[Verdict]) -> bytes:
    """The blob of a task's verdicts."""
    return _encode(verdict_to_json(verdict) for verdict in verdicts)


def decode_verdicts(blob: bytes) -> list[Verdict]:
    """Inverse of `encode_verdicts`."""
    return list(_decode(blob, "verdicts", verdict_from_json))


def encode_cases(cases: Iterable[Case], fixtures: Mapping[str, Fixture]) -> bytes:
    """The blob of a task's cases; of `fixtures`, those that the cases use."""
    cases = tuple(cases)
    used = sorted({case.fixture for case in cases} & fixtures.keys())
    lines: list[dict[str, Any]] = [{"fixture": fixture_to_json(fixtures[digest])} for digest in used]
    return _encode(lines + [{"case": case_to_json(case)} for case in cases])


def decode_cases(blob: bytes) -> StoredCases:
    """Inverse of `encode_cases`."""
    parts = list(_decode(blob, "cases", _case_or_fixture_of_line))
    fixtures = [part for part in parts if isinstance(part, Fixture)]
    return StoredCases(tuple(part for part in parts if isinstance(part, Case)), {fixture.digest(): fixture for fixture in fixtures})


def _recording_line(case: str, recording: Recording | TrialFault) -> dict[str, Any]:
    if isinstance(recording, TrialFault):
        return {"case": case, "fault": recording.reason}
    return {"case": case, "recording": to_json(recording)}


def _recording_of_line(line: dict[str, Any]) -> tuple[str, Recording | TrialFault]:
    return str(line["case"]), TrialFault(str(line["fault"])) if "fault" in line else from_json(line["recording"])


def _case_or_fixture_of_line(line: dict[str, Any]) -> Case | Fixture:
    return fixture_from_json(line["fixture"]) if "fixture" in line else case_from_json(line["case"])


def _encode(lines: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(line, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n" for line in lines)


_T = TypeVar("_T")


def _decode(blob: bytes, what: str, convert: Callable[[dict[str, Any]], _T]) -> Iterator[_T]:
    for number, line in enumerate(blob.splitlines(), start=1):
        try:
            yield convert(json.loads(line))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise StoreError(
                f"not readable ({type(error).__name__}: {error})",
                where=f"stored {what}, line {number}",
                fix="Another version of clibench wrote it: run the job again in a new outputs folder.",
            ) from error
