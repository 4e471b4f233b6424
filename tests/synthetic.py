"""Jobs without a sandbox: cases, recordings and verdicts made up by a seeded generator, stored through the real encoders.

About one case in five of a submission is wrong, each at another gate, so that every kind of difference occurs.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from clibench.evaluation.stored import encode_cases, encode_recordings, encode_verdicts
from clibench.evaluation.verdict import METRICS, Check, Difference, Verdict
from clibench.generation.framework import Usage
from clibench.outcome import Outcome
from clibench.recording import Change, End, Output, Recording, Resources, Status
from clibench.result_files import write_job
from clibench.results import JobResult, PatternResult, Score, TaskResult
from clibench.sandbox.interface import TrialFault
from clibench.store import Store
from clibench.tasks.case import Case, Entry, Fixture

HOSTILE = b"<script>document.title='pwned'</script></script><!--<script>\x1b[31mred\x1b[0m \xff\xfe ${x} `y` \\u2028 \xe2\x80\xa8 end\n"
FIXTURE = Fixture((Entry("data/in.csv", content=b"a,b\n1,2\n"), Entry("link", "symlink", target="data/in.csv"), Entry("~/.rc", mode=0o600)))


def make_job(outputs: Path, key: str, *, seed: int = 0, patterns: int = 2, cases: int = 10, tasks: int = 2, **changes: Any) -> JobResult:
    """A job of `tasks` x `patterns` x `cases`, in the store and in the results folder of `outputs`."""
    store = Store(outputs / "store")
    made = tuple(make_task(store, f"task{n}", seed=seed + n, patterns=patterns, cases=cases) for n in range(tasks))
    body: dict[str, Any] = {
        "key": key,
        "model": "none",
        "framework": "replay",
        "dataset": "sample",
        "language": "python",
        "difficulty": "all",
        "sandbox": "docker/overlay",
        "judge": "rules",
        "tasks": made,
        "scores": mean_scores(made),
        "label": "careful",
        "config": {"model": {"name": "none", "api_key": "sk-very-secret"}, "sandbox": {"workers": 2}},
    }
    job = JobResult(**(body | changes))
    write_job(outputs, job)
    return job


def make_task(store: Store, task: str, *, seed: int = 0, patterns: int = 2, cases: int = 10, **changes: Any) -> TaskResult:
    """One graded task."""
    rng = random.Random(seed)
    all_cases = [
        Case(f"p{p}/{n:02}", f"p{p}", ("tool", f"--level={n}", "a file.txt", f"p{p}"), FIXTURE.digest(), stdin=b"in\n" if n % 3 else b"")
        for p in range(patterns)
        for n in range(cases)
    ]
    oracle = {case.id: _recording(case, rng) for case in all_cases}
    mine: dict[str, Recording | TrialFault] = {case.id: _spoil(oracle[case.id], rng) for case in all_cases}
    verdicts = [judge(case, oracle[case.id], mine[case.id]) for case in all_cases]
    rows = tuple(
        PatternResult(f"p{p}", _scores([verdict for verdict in verdicts if verdict.pattern == f"p{p}"]), cases) for p in range(patterns)
    )
    return TaskResult(
        **{
            "task": task,
            "language": "python",
            "difficulty": "easy",
            "category": "text",
            "outcome": Outcome.PASS,
            "reason": "",
            "scores": _scores(verdicts),
            "patterns": rows,
            "cases": len(all_cases),
            "usage": Usage(3, 1000, 10, 200, 0, 0.25, 12.5),
            "submission": {"files": 3, "loc": 120},
            "durations": {"generate": 12.5, "build": 3.0, "record": 1.0, "judge": 0.5},
            "refs": {
                "cases": store.put(encode_cases(all_cases, {FIXTURE.digest(): FIXTURE})),
                "oracle_recordings": store.put(encode_recordings(oracle)),
                "recordings": store.put(encode_recordings(mine)),
                "verdicts": store.put(encode_verdicts(verdicts)),
                "build_log": store.put(b"Collecting tool\nSuccessfully installed tool\n"),
                "trajectory": store.put(b'{"steps":[]}'),
            },
            **changes,
        }
    )


def failed_build(store: Store, task: str) -> TaskResult:
    """A task whose submission could not be installed."""
    log = b"".join(b"line %d of the build\n" % n for n in range(100)) + b"error: <b>no setup.py</b>\n"
    scores = {metric: Score(None if metric == "reject" else 0.0, n=20) for metric in METRICS}
    reason = "pip install . exited with 1"
    return TaskResult(
        task, "python", "easy", "text", Outcome.BUILD_FAIL, reason, scores, cases=20, usage=Usage(), refs={"build_log": store.put(log)}
    )


def missing_task(task: str) -> TaskResult:
    """A task that the harness could not carry out."""
    scores = {metric: Score(None, 0.0, 1.0, 0, 20) for metric in METRICS}
    return TaskResult(task, "python", "easy", "text", Outcome.INFRA, "the Docker daemon stopped", scores)


def judge(case: Case, oracle: Recording, mine: Recording | TrialFault) -> Verdict:
    """A plain stand-in of the judge."""
    if isinstance(mine, TrialFault):
        return Verdict(case.id, case.pattern, oracle.status.ok, infra=mine.reason)
    if not oracle.status.ok:
        passed = not mine.status.ok
        checks = {name: Check(None) for name in METRICS[1:-1]}
        return Verdict(case.id, case.pattern, False, checks | {"reject": Check(passed, "" if passed else "exits 0 where the oracle fails")})
    exec_ = mine.status.ok
    sp = exec_ and mine.changes == oracle.changes
    em = sp and mine.stdout == oracle.stdout
    difference = None
    if not exec_:
        difference = Difference("exit status", str(oracle.status), str(mine.status))
    elif not sp:
        difference = Difference("/workspace/out.txt", "created", "absent")
    elif not em:
        difference = Difference("stdout:2", "line 2 of the oracle", "line two")
    return Verdict(
        case.id,
        case.pattern,
        True,
        {
            "exec": Check(exec_, "" if exec_ else f"ended with {mine.status}", difference=None if exec_ else difference),
            "sp": Check(
                sp, "" if sp else "side effects differ" if exec_ else "not exec", difference=difference if exec_ and not sp else None
            ),
            "em": Check(em, "" if em else "stdout differs" if sp else "not sp", 1.0 if em else 0.7, difference if sp else None, "exact/1"),
            "fm": Check(em, "", 1.0 if em else 0.7, comparer="fuzzy/1"),
            "sm": Check(em, comparer="rules/1"),
            "reject": Check(None),
        },
    )


def mean_scores(tasks: tuple[TaskResult, ...]) -> dict[str, Score]:
    """Means over tasks, plainly."""
    scores = {}
    for metric in METRICS:
        values = [value for task in tasks if (value := task.scores[metric].value) is not None]
        missing = sum(task.scores[metric].missing for task in tasks)
        total = len(values) + (1 if missing else 0)
        low = sum(values) / total if missing and total else None
        high = (sum(values) + 1) / total if missing and total else None
        scores[metric] = Score(sum(values) / len(values) if values else None, low, high, len(values), missing)
    return scores


def _scores(verdicts: list[Verdict]) -> dict[str, Score]:
    scores = {"build": Score(1.0, n=1)}
    for metric in METRICS[1:]:
        answers = [passed for verdict in verdicts if (passed := verdict.passed(metric)) is not None]
        missing = sum(1 for verdict in verdicts if verdict.infra)
        low = sum(answers) / (len(answers) + missing) if missing else None
        high = (sum(answers) + missing) / (len(answers) + missing) if missing else None
        scores[metric] = Score(sum(answers) / len(answers) if answers else None, low, high, len(answers), missing)
    return scores


def _recording(case: Case, rng: random.Random) -> Recording:
    if case.id.endswith("9"):
        return Recording(Status(End.EXIT, 2), Output.of(b""), Output.of(b"usage: tool [--level N] FILE\n"))
    lines = b"".join(b"line %d of the oracle\n" % n for n in range(1, rng.randrange(3, 12)))
    change = Change("/workspace/out.txt", "created", "file", 0o644, 4, "ab" * 32, content=b"out\n")
    return Recording(
        Status(End.EXIT), Output.of(lines), Output.of(b""), (change,) if rng.random() < 0.5 else (), Resources(0.02, 0.01, 9000)
    )


def _spoil(recording: Recording, rng: random.Random) -> Recording | TrialFault:
    kind = rng.randrange(30)
    if kind == 0:
        return Recording(Status(End.SIGNAL, 11), Output.of(b""), Output.of(b"Segmentation fault\n"))
    if kind == 1:
        return Recording(Status(End.TIMEOUT), recording.stdout, recording.stderr)
    if kind == 2:
        return Recording(recording.status, recording.stdout, recording.stderr, (Change("/workspace/x", "deleted", "file"),))
    if kind == 3:
        return Recording(
            recording.status, Output.of(recording.stdout.data.replace(b"line 2", b"line two")), recording.stderr, recording.changes
        )
    if kind == 4:
        return Recording(recording.status, Output.of(HOSTILE), recording.stderr, recording.changes)
    if kind == 5:
        return Recording(Status(End.EXIT), recording.stdout, recording.stderr, recording.changes)
    return recording
