"""A task says whether its spec was synthesized, edited since, or written by a hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clibench.digest import digest_bytes
from clibench.tasks.origin import Origin, origin_of

SPEC = b"version: 1\n"


@pytest.mark.parametrize(
    ("trace", "origin"),
    [
        (None, Origin.HAND),
        (b"{", Origin.HAND),
        (b"[]", Origin.HAND),
        (b"{}", Origin.HAND),
        (json.dumps({"spec": digest_bytes(SPEC)}).encode(), Origin.FACTORY),
        (json.dumps({"spec": digest_bytes(b"version: 1 \n")}).encode(), Origin.EDITED),
    ],
)
def test_the_trace_tells_whether_the_spec_is_as_it_was_synthesized(tmp_path: Path, trace: bytes | None, origin: Origin) -> None:
    (tmp_path / "spec.yaml").write_bytes(SPEC)
    if trace is not None:
        (tmp_path / "synthesis.json").write_bytes(trace)
    assert origin_of(tmp_path) is origin
