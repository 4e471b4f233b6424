"""The import report: import.csv, a row a task, and import.md, what is wrong with the artifact in words and numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from clibench.importing.imported import Failed, Imported, row

COLUMNS: Final = (
    *("repository", "status", "reason", "task", "category", "language", "base_image", "tool", "name_mismatch", "generated", "duplicates"),
    *("left_out", "cases", "patterns", "unseeded", "unrepeatable", "sanitiser", "absent_from_prompt", "leaks", "code_lines", "pin"),
    *("pin_missing", "frozen"),
)
_SHOWN: Final = 5


def to_csv(results: Sequence[Imported | Failed], frozen: Mapping[str, str]) -> str:
    """import.csv. `frozen` says by repository what a freeze came to."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    for result in results:
        cells = {name: str(value) for name, value in row(result).items()} | {"frozen": frozen.get(result.source.id, "")}
        writer.writerow({name: f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell for name, cell in cells.items()})
    return text.getvalue()


def to_markdown(results: Sequence[Imported | Failed], without_tests: Sequence[str]) -> str:
    """import.md."""
    good = [result for result in results if isinstance(result, Imported) and result.converted.cases]
    generated = sum(len(result.generated.cases) for result in good)
    lines = [
        "# Import of the published benchmark",
        "",
        f"{len(good)} of {len(results)} tasks were imported: {sum(len(result.converted.cases) for result in good)} of {generated} cases.",
        "",
        "| finding | tasks | cases |",
        "| --- | ---: | ---: |",
        *(_finding(name, count, good) for name, count in _FINDINGS),
        "",
    ]
    failed = [(result.source.id, result.reason) for result in results if isinstance(result, Failed)]
    failed += [(r.source.id, "no case is a single call of the tool") for r in results if isinstance(r, Imported) and not r.converted.cases]
    lines += _section("Not imported", [f"`{name}`: {_plain(reason)}" for name, reason in failed])
    lines += _section("Prompts without tests", [f"`{name}`" for name in without_tests])
    for result in good:
        lines += _section(f"{result.source.id}", list(_faults(result)))
    return "\n".join(lines).rstrip("\n") + "\n"


_FINDINGS: Final[tuple[tuple[str, Callable[[Imported], int]], ...]] = (
    ("duplicate cases, dropped", lambda each: each.duplicates),
    ("cases that are no single call of the tool, left out", lambda each: sum(each.converted.left_out.values())),
    ("randomness that nobody seeded: cases that another seed changes", lambda each: each.generated.unseeded),
    ("cases that differ under one seed (clock, hash seed, entropy)", lambda each: each.generated.unrepeatable),
    ("prompt and tests name the tool differently", lambda each: int(bool(each.mismatch))),
    ("categories of tests that the prompt does not speak of", lambda each: len(each.audit.absent)),
    ("leaks in the prompt", lambda each: len(each.audit.leaks)),
    ("program text in the prompt (lines)", lambda each: each.audit.code_lines),
    ("oracle without a version or commit", lambda each: int(not each.pin.complete)),
    ("rules of its own for what of the output counts, not imported", lambda each: int(each.generated.sanitises)),
)


def _finding(name: str, count: Callable[[Imported], int], results: Sequence[Imported]) -> str:
    numbers = [number for result in results if (number := count(result))]
    return f"| {name} | {len(numbers)} | {sum(numbers)} |"


def _faults(result: Imported) -> list[str]:
    generated, audit = result.generated, result.audit
    found = []
    if result.duplicates:
        found.append(f"{result.duplicates} duplicates of {len(generated.cases)} generated cases, dropped")
    found += [f"{number} cases left out: {_plain(reason)}" for reason, number in sorted(result.converted.left_out.items())]
    if generated.unseeded:
        found.append(f"unseeded randomness: another seed changes {generated.unseeded} of {len(generated.cases)} cases")
    if generated.unrepeatable:
        found.append(f"not repeatable: {generated.unrepeatable} cases differ under one seed, with another clock and hash seed")
    if result.mismatch:
        found.append(f"name mismatch: {_plain(result.mismatch)}")
    found += _some("not in the prompt: ", [f"`{_plain(category)}`" for category in audit.absent])
    found += _some("leak, ", [_plain(leak) for leak in audit.leaks])
    if audit.code_lines:
        found.append(f"the prompt holds program text ({audit.code_lines} lines that define or import something)")
    found += [f"oracle `{result.pin.registry}:{result.pin.name}`: {missing}" for missing in result.pin.missing]
    if generated.said:
        found.append(f"the module printed {len(generated.said)} lines, first: {_plain(generated.said[0])[:200]}")
    return found


def _some(prefix: str, items: Sequence[str]) -> list[str]:
    more = [f"{prefix}and {len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
    return [f"{prefix}{item}" for item in items[:_SHOWN]] + more


def _section(title: str, items: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *(f"- {item}" for item in items), ""] if items else []


def _plain(text: str) -> str:
    """One line that is no markup."""
    return " ".join(text.split()).replace("`", "'").replace("|", "\\|").replace("<", "&lt;")
