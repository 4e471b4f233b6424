"""Check that gold scored 1 and null 0 in every metric of a scores.csv: `python scripts/check_ends.py PATH`; exit status 1 where not."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from clibench.evaluation.verdict import METRICS

EXPECTED = {"gold": 1.0, "null": 0.0}


def main(path: Path) -> int:
    """Print what differs, and say so in the exit status."""
    with path.open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["framework"] in EXPECTED]
    wrong = [
        f"{row['framework']}: {metric} is {row[metric] or 'missing'}, must be {EXPECTED[row['framework']]}"
        for row in rows
        for metric in METRICS
        # reject has no value where no case of the oracle fails
        if (row[metric] or metric != "reject") and (not row[metric] or float(row[metric]) != EXPECTED[row["framework"]])
    ]
    wrong += [f"{name}: no row in {path}" for name in sorted(set(EXPECTED) - {row["framework"] for row in rows})]
    print("\n".join(wrong) if wrong else f"{len(rows)} jobs: gold is 1 and null 0 in every metric")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
