"""Make a task of each package of a list, by rules and without a hand, and print what came of it: time and result a tool.

    python scripts/eval_synthesis.py scripts/synthesis_sample.txt out=/tmp/made [cases=8] [runs=2] [workers=2] [most_patterns=12]

A line of the list is `registry package version [entry]`. The packages are made one after the other; a rejection is a row with its reason,
and what was tried is kept beside the tasks as NAME.rejected.json.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from clibench.errors import ClibenchError
from clibench.sandbox.choose import make_sandbox
from clibench.sandbox.interface import Sandbox
from clibench.sandbox.settings import SandboxConfig
from clibench.synthesis.factory import Made, Wish, synthesize
from clibench.synthesizing import folder_name

ENOUGH = 5
"""Patterns with successful cases that a task should have."""


@dataclass(frozen=True)
class Row:
    """What became of one package."""

    wish: Wish
    seconds: float
    made: Made | None = None
    reason: str = ""

    @property
    def patterns(self) -> int:
        """Patterns with a successful case."""
        return sum(row.ok > 0 for row in self.made.report.patterns.values()) if self.made else 0

    def cells(self) -> list[str]:
        """As a row of the table."""
        name = [self.wish.registry, f"{self.wish.package} {self.wish.version}", f"{self.seconds:.0f} s"]
        if self.made is None:
            return [*name, "-", "-", "-", "-", self.reason]
        rows = self.made.report.patterns.values()
        cases, ok = sum(row.cases for row in rows), sum(row.ok for row in rows)
        distinct = sum(row.distinct for row in rows)
        return [*name, str(self.made.trials), str(self.patterns), f"{ok} of {cases}", f"{distinct} of {cases}", "made"]


HEAD = ["registry", "package", "time", "trials", "patterns", "successful cases", "distinct results", "result"]


def main(arguments: list[str]) -> int:
    """Make all of the list; returns 0 where at least 8 of 10 have enough patterns."""
    settings = dict(word.split("=", 1) for word in arguments if "=" in word)
    lists = [word for word in arguments if "=" not in word]
    if len(lists) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    wishes = [_wish(line, settings) for line in Path(lists[0]).read_text("utf-8").splitlines() if line.strip() and line[0] != "#"]
    out = Path(settings.get("out", "outputs/synthesis/sample"))
    out.mkdir(parents=True, exist_ok=True)
    sandbox = make_sandbox(SandboxConfig(), out)
    rows = []
    try:
        for wish in wishes:
            rows.append(_row(wish, out, sandbox, int(settings.get("workers", os.cpu_count() or 1))))
            print(" | ".join(rows[-1].cells()), file=sys.stderr, flush=True)
    finally:
        sandbox.close()
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for row in rows:
        print(f"| {' | '.join(cell.replace('|', '/') for cell in row.cells())} |")
    good = sum(row.patterns >= ENOUGH for row in rows)
    print(f"\n{good} of {len(rows)} have {ENOUGH} patterns or more with successful cases; {sum(row.seconds for row in rows):.0f} s in all.")
    return 0 if good * 10 >= len(rows) * 8 else 1


def _wish(line: str, settings: dict[str, str]) -> Wish:
    registry, package, version, *entry = line.split()
    numbers = {name: int(settings[name]) for name in ("most_patterns",) if name in settings}
    cases, runs = int(settings.get("cases", 8)), int(settings.get("runs", 2))
    return Wish(registry, package, version, entry[0] if entry else None, cases=cases, runs=runs, **numbers)  # type: ignore[arg-type]


def _row(wish: Wish, out: Path, sandbox: Sandbox, workers: int) -> Row:
    started = time.monotonic()
    folder = out / folder_name(wish.package)
    try:
        made = synthesize(
            wish,
            folder,
            sandbox,
            workers=workers,
            say=lambda text: print(f"{time.monotonic() - started:5.0f} s {folder.name}: {text}", file=sys.stderr, flush=True),
        )
    except ClibenchError as error:
        if dropped := getattr(error, "dropped", ()):
            folder.with_suffix(".rejected.json").write_text(json.dumps(list(dropped), indent=1) + "\n", "utf-8")
        return Row(wish, time.monotonic() - started, reason=error.message)
    return Row(wish, time.monotonic() - started, made)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
