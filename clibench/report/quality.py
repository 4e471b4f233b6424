"""What the cases of the graded tasks are worth, for the page: from the audits that are stored with the tasks, as far as they are fresh."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from clibench.audit.stored import StoredAudit, read_audit
from clibench.errors import TaskError
from clibench.report.bodies import text
from clibench.tasks.load import load_task

SURVIVORS: Final = 20
"""Of one task, shown with their diffs."""


def quality_rows(tasks_dir: Path, ids: Iterable[str]) -> list[dict[str, Any]]:
    """A row a task, by id. A task that is not in the folder any more, or was never audited, has no numbers and says why."""
    rows = []
    for name in sorted(set(ids)):
        try:
            audit = read_audit(load_task(tasks_dir / name))
        except TaskError:
            rows.append({"task": text(name), "state": "not there"})
            continue
        rows.append({"task": text(name), "state": audit.state.value, **(_numbers(audit) if audit.body else {})})
    return rows


def _numbers(audit: StoredAudit) -> dict[str, Any]:
    """Everything is read leniently: an older audit of the same task lacks what was not measured then."""
    body, total = audit.body, audit.body["total"]
    stability, mutants, check = body.get("stability", {}), audit.mutants, body.get("oracle_check")
    row: dict[str, Any] = {
        "cases": total.get("cases"),
        "effective": total.get("effective"),
        "negative": total.get("negative"),
        "flagged": total.get("flagged"),
        "weak": [text(f"{pattern}: {tool}") for pattern, tool in body.get("weak", {}).items()],
        "masked": sum(stability.get("masked", {}).values()),
        "quarantined": [text(f"{case}: {reason}") for case, reason in stability.get("quarantined", {}).items()],
    }
    if check:
        row["reproduced"] = check.get("reproduced")
    if mutants is not None:
        row["mutants"] = [mutants["run"], mutants["changed"], mutants.get("compared"), mutants["killed"]]
        row["tiers"] = [mutants.get("tiers", {}).get(tier) for tier in ("exec", "sp", "em", "reject")]
        row["unkilled"] = [text(pattern) for pattern in mutants.get("unkilled", ())]
        row["survivors"] = [
            [text(f"{each['file']}:{each['line']} ({each['kind']}): {each['differs']}"), text(each["before"]), text(each["after"])]
            for each in mutants.get("survivors", ())[:SURVIVORS]
        ]
        row["more"] = max(0, len(mutants.get("survivors", ())) - SURVIVORS)
    return row
