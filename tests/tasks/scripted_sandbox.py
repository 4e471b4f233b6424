"""A sandbox whose oracle is a Python function: what freezing and loading do is tested without a daemon and without registries.

It answers a build as the registry's client would, with a report and the installed executable; trials call the function.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from clibench.recording import Change, Output, Recording, Resources, Status
from clibench.sandbox.interface import BuildRequest, BuildResult, Limits, TrialFault
from clibench.tasks.case import Case, Fixture

Tool = Callable[[Case, Fixture, int], Recording | TrialFault]
"""From a case, its fixture and the number of the variation (0 is the contract)."""


def recording(status: Status, stdout: bytes = b"", changes: tuple[Change, ...] = ()) -> Recording:
    """A recording with empty standard error."""
    return Recording(status, Output.of(stdout), Output.of(b""), changes, Resources(wall_s=0.123, cpu_s=0.05, max_rss_kb=999))


class ScriptedSandbox:
    """Implements the protocol `Sandbox` for one oracle, `some-tool` 1.0 of PyPI with the entry `slt`."""

    def __init__(self, tool: Tool, *, hash_of_artefact: str = "0" * 64) -> None:
        self.tool = tool
        self.hash_of_artefact = hash_of_artefact
        self.trials = 0

    def describe(self) -> dict[str, str]:
        return {"backend": "scripted", "isolation": "none"}

    def build(self, request: BuildRequest) -> BuildResult:
        if any("--report" in word for command in request.commands for word in command):
            item = {
                "metadata": {"name": "some_tool", "version": "1.0"},
                "download_info": {"archive_info": {"hashes": {"sha256": self.hash_of_artefact}}},
            }
            (request.destination / "report-own.json").write_text(json.dumps({"install": [item]}))
            (request.destination / "source").mkdir()
            (request.destination / "source" / "tool.py").write_text("# a comment\n\nx = 1\ny = 2\n")
        else:
            assert (request.source / "requirements.txt").read_text() == f"some-tool==1.0 --hash=sha256:{self.hash_of_artefact}\n"
            (request.destination / "bin").mkdir()
            (request.destination / "bin" / "slt").write_text("#!/bin/sh\n")
            (request.destination / "bin" / "slt").chmod(0o755)
        return BuildResult(True, b"")

    def open(self, *, language: str, prefix: Path, limits: Limits, workers: int) -> ScriptedSession:
        assert (prefix / "bin" / "linetool").is_symlink()
        return ScriptedSession(self)

    def close(self) -> None: ...


class ScriptedSession:
    """Implements the protocol `Session`."""

    def __init__(self, sandbox: ScriptedSandbox) -> None:
        self.sandbox = sandbox

    def run(
        self, cases: Iterable[Case], fixtures: Mapping[str, Fixture], *, stability: int | None = None
    ) -> Iterator[tuple[Case, Recording | TrialFault]]:
        for case in reversed(list(cases)):
            self.sandbox.trials += 1
            yield case, self.sandbox.tool(case, fixtures[case.fixture], stability or 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...
