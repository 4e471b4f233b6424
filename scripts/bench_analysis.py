"""How long the analysis takes, and whether its intervals and tests keep what they promise.

    python scripts/bench_analysis.py                     # time and memory; the last line is JSON
    python scripts/bench_analysis.py coverage=true       # simulations at length (minutes); the last line is JSON

published_s: `python -m analysis`, everything, in a process of its own. pairs_s and pairs_mb: statistics of all 91 pairs of 14
configurations over 94 tasks x 300 cases, from a table of 394,800 verdicts, in a process of its own; pairs_mb is its peak.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
from omegaconf import OmegaConf

TASKS, PATTERNS, CASES = 94, 6, 50
MODELS, FRAMEWORKS = 7, 2


def main() -> None:
    """Measure what the command line asks for."""
    wanted = OmegaConf.from_cli()
    measured: dict[str, object]
    if wanted.get("pairs"):
        measured = measure_pairs()
    elif wanted.get("coverage"):
        measured = coverage()
    else:
        measured = measure_published() | last_line([sys.executable, __file__, "pairs=true"])
    print(json.dumps(measured))


def measure_published() -> dict[str, object]:
    """Seconds of the whole published analysis, start-up included."""
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "analysis", f"out={out}"], check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        files = len(list(Path(out).iterdir()))
    return {"published_s": round(seconds, 2), "published_files": files}


def measure_pairs() -> dict[str, object]:
    """Seconds and peak memory of the pairwise statistics at the level of test cases."""
    import resource

    from analysis import pairs, stats
    from analysis.frame import validate
    from analysis.verdicts import from_rows

    rows = verdict_rows()
    start = time.perf_counter()
    verdicts = from_rows(rows)
    scores = stats.group_means(verdicts.passed, verdicts.task_of)
    frame = validate(score_rows(verdicts.tasks, verdicts.configurations, scores), "benchmark")
    found = pairs.compare(type(frame)(frame.runs, "benchmark", verdicts=verdicts), threshold=0.5, resamples=10_000, seed=0)
    stats.holm(found.mcnemar)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"pairs": len(found.first), "verdicts": len(rows), "pairs_s": round(seconds, 2), "pairs_mb": round(peak)}


def verdict_rows() -> pd.DataFrame:
    """A row a case and configuration, cases of a task being alike."""
    rng = np.random.default_rng(0)
    configurations = [(f"model{m}", f"framework{f}") for m in range(MODELS) for f in range(FRAMEWORKS)]
    rates = rng.beta(0.6, 1.2, size=(TASKS, 1, 1, len(configurations)))
    passed = rng.random((TASKS, PATTERNS, CASES, len(configurations))) < rates
    task, pattern, case, column = (index.ravel() for index in np.indices(passed.shape))
    models, frameworks = zip(*configurations, strict=True)
    return pd.DataFrame(
        {
            "task": np.char.add("task", task.astype(str)),
            "pattern": np.char.add("p", pattern.astype(str)),
            "case": np.char.add(np.char.add(pattern.astype(str), "/"), case.astype(str)),
            "model": np.array(models)[column],
            "framework": np.array(frameworks)[column],
            "passed": passed.ravel().astype(np.float64),
        }
    )


def score_rows(tasks: tuple[str, ...], configurations: tuple[tuple[str, str], ...], scores: np.ndarray) -> pd.DataFrame:
    """The score table that belongs to the verdicts."""
    about = {"language": "go", "category": "x", "difficulty": "easy", "build": 1.0}
    return pd.DataFrame(
        [
            {"task": name, "model": model, "framework": framework}
            | about
            | dict.fromkeys(("exec", "sp", "em", "fm", "sm"), scores[row, column])
            for column, (model, framework) in enumerate(configurations)
            for row, name in enumerate(tasks)
        ]
    )


def coverage() -> dict[str, object]:
    """Coverage of 95 % intervals, and false findings in tables of equal configurations."""
    from analysis.simulate import clustered_coverage, family_errors, paired_coverage

    results: dict[str, object] = {}
    for tasks in (9, 20, 94):
        results[f"paired_{tasks}_tasks"] = paired_coverage(tasks=tasks, simulations=8000, resamples=4000, seed=1)
    for likeness in (0.0, 0.2, 0.6):
        found = clustered_coverage(tasks=94, cases=50, likeness=likeness, simulations=2000, resamples=2000, seed=2)
        results[f"likeness_{likeness}"] = asdict(found)
    results["family"] = asdict(family_errors(configurations=14, tasks=94, tables=1000, resamples=4000, seed=3))
    return results


def last_line(command: list[str]) -> dict[str, object]:
    """The JSON that a process prints last."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return measured


if __name__ == "__main__":
    main()
