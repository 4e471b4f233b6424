"""Drive a framework through the whole application against the scripted server, and hold five bills against each other.

The server plays a model that delivers a recorded submission of each task (after one refusal by rate limit, so that a retry is part of it).
What it says it has served has to be what the ledger, MLflow and the report say that was used, to the token.
"""

from __future__ import annotations

import csv
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

import clibench
from clibench.generation.delivery import listing
from clibench.llm.ledger import Ledger, Totals
from clibench.llm.prices import Price, Rates, cost_usd
from clibench.llm.scripted import Fault, Script, ScriptedServer, ScriptedUsage, Scripts, Turn
from clibench.llm.scripted.script import When
from clibench.llm.tokens import Tokens
from clibench.result_files import read_jobs
from clibench.results import JobResult
from clibench.tasks.load import load_tasks

PRICES: Final = {"prompt": 1.0, "completion": 2.0, "cached": 0.1}
"""Dollars per million tokens, invented."""
PRICE: Final = Price(Rates(1.0e-6, 2.0e-6, 0.1e-6, 1.0e-6), "invented")
_CACHED, _REASONING = 40, 3


@dataclass(frozen=True)
class Bill:
    """What was used, by one of the five."""

    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    cached_tokens: int | None = None
    """None where it is not told."""

    def __str__(self) -> str:
        cached = "" if self.cached_tokens is None else f" ({self.cached_tokens} cached)"
        return f"{self.prompt_tokens}{cached} + {self.completion_tokens} tokens, {self.cost_usd:.6f} USD"

    def agrees(self, other: Bill) -> bool:
        """Equal tokens; equal dollars but for the order of adding floats up."""
        mine, theirs = asdict(self), asdict(other)
        told = [field.name for field in fields(Bill) if mine[field.name] is not None and theirs[field.name] is not None]
        return all(math.isclose(mine[name], theirs[name], rel_tol=1e-12) for name in told)


@dataclass(frozen=True)
class Tried:
    """How it went."""

    status: int
    """Of the application."""
    said: str
    """What it wrote to standard error, the end of it."""
    jobs: tuple[JobResult, ...]
    bills: dict[str, Bill]
    """By server, ledger, mlflow, traces, report; of all jobs together."""
    attempts: tuple[int, int]
    """Calls that the server saw, and attempts in the ledger."""
    seconds: float
    keys: frozenset[str]
    """What the server was given as a key, in whatever header."""

    @property
    def agrees(self) -> bool:
        """Whether all bills are one."""
        first = self.bills["server"]
        return self.attempts[0] == self.attempts[1] and all(first.agrees(bill) for bill in self.bills.values())


def scripts_for(tasks_dir: Path, ids: Iterable[str], submissions: str = "careful") -> Scripts:
    """A script a task: write the recorded submission, be done. Tasks are told apart by their tool's name in the prompt."""
    scripts = []
    for task in load_tasks(tasks_dir, ids):
        folder = tasks_dir / "submissions" / submissions / task.id
        files = {entry.path: (folder / entry.path).read_text(encoding="utf-8") for entry in listing(folder).entries if entry.target is None}
        usage = ScriptedUsage(cached_tokens=_CACHED, reasoning_tokens=_REASONING)
        first = Turn(text="I write the tool.", files=files, usage=usage, fault=Fault(kind="rate_limit", times=1))
        last = Turn(text="The tool is complete.", done=True, usage=usage)
        scripts.append(Script(name=task.id, when=When(text=rf"\b{task.alias}\b"), turns=(first, last)))
    return Scripts(scripts=tuple(scripts))


def try_out(
    framework: str, tasks: Sequence[str], tasks_dir: Path, outputs: Path, *, model: str = "scripted", arguments: Sequence[str] = ()
) -> Tried:
    """Run the application on tasks with a framework (or with several, and `-m` among `arguments`), then its report; collect the bills.

    `outputs` may hold the work of other frameworks; nothing that is equal is done again.
    """
    started = time.monotonic()
    with ScriptedServer(scripts_for(tasks_dir, tasks)) as server:
        price = [f"model.price.{name}={value}" for name, value in PRICES.items()]
        done = _clibench(
            *arguments,
            f"framework={framework}",
            f"model={model}",
            f"model.base_url={server.url}",
            *price,
            f"dataset.tasks=[{','.join(tasks)}]",
            f"tasks_dir={tasks_dir}",
            f"outputs={outputs}",
            "llm.retry.first_wait_s=0.01",
            "progress=off",
        )
        keys = frozenset(server.keys)
        served = [Tokens(call.prompt_tokens, call.cached_tokens, 0, call.completion_tokens, call.reasoning_tokens) for call in server.calls]
    names = framework.split(",")
    jobs = tuple(job for job in read_jobs(outputs) if job.framework in names)
    report = _clibench("report", f"outputs={outputs}")
    totals = Totals()
    for line in Ledger(outputs / "ledger.jsonl").lines():
        totals = totals.plus(line) if line.scope.job.partition("/")[0] in names else totals
    bills = {
        "server": Bill(
            sum(tokens.prompt for tokens in served),
            sum(tokens.completion for tokens in served),
            sum(cost_usd(tokens, PRICE) or 0.0 for tokens in served),
            sum(tokens.cached for tokens in served),
        ),
        "ledger": Bill(totals.prompt_tokens, totals.completion_tokens, totals.known_usd, totals.cached_tokens),
        **_in_mlflow(outputs, names),
        "report": _in_report(outputs / "report" / "tasks.csv", names),
    }
    said = (done.stderr + report.stderr).strip()[-2000:]
    return Tried(done.returncode or report.returncode, said, jobs, bills, (len(served), totals.attempts), time.monotonic() - started, keys)


def _clibench(*arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(filter(None, (str(Path(clibench.__file__).parent.parent), os.environ.get("PYTHONPATH"))))
    return subprocess.run(
        [sys.executable, "-m", "clibench", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )


def _in_report(path: Path, frameworks: Sequence[str]) -> Bill:
    table = csv.DictReader(path.read_text(encoding="utf-8").splitlines()) if path.exists() else ()
    rows = [row for row in table if row["framework"] in frameworks]

    def total(name: str) -> float:
        return sum(float(row[name] or "nan") for row in rows)

    return Bill(int(total("prompt_tokens")), int(total("completion_tokens")), total("cost_usd")) if rows else Bill(0, 0, 0.0)


def _in_mlflow(outputs: Path, frameworks: Sequence[str]) -> dict[str, Bill]:
    """Sums over the jobs' runs, and over the traces of their calls."""
    from clibench.tracking.mlflow_log import quieten_mlflow
    from clibench.tracking.settings import TrackingConfig, tracking_uri

    quieten_mlflow()
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri(TrackingConfig(), outputs))
    experiment = client.get_experiment_by_name("clibench")
    if experiment is None:
        return {"mlflow": Bill(0, 0, 0.0), "traces": Bill(0, 0, 0.0)}
    runs = [
        run for run in client.search_runs([experiment.experiment_id], max_results=1000) if run.data.params.get("framework") in frameworks
    ]
    metrics = [run.data.metrics for run in runs if run.data.tags.get("clibench.kind") == "job"]
    own = {run.info.run_id for run in runs}
    names = ("prompt_tokens", "completion_tokens", "cost_usd", "cached_tokens")
    sums: dict[str, Any] = {name: sum(row.get(name, 0.0) for row in metrics) for name in names}
    spans = [
        span
        for trace in client.search_traces(locations=[experiment.experiment_id], max_results=1000)
        for span in trace.data.spans
        if span.parent_id is not None and trace.info.trace_metadata.get("mlflow.sourceRun") in own
    ]
    used: list[dict[str, int]] = [span.get_attribute("mlflow.chat.tokenUsage") or {} for span in spans]
    dollars = [(span.get_attribute("mlflow.llm.cost") or {}).get("total_cost", 0.0) for span in spans]
    traced = Bill(
        sum(row.get("input_tokens", 0) for row in used),
        sum(row.get("output_tokens", 0) for row in used),
        sum(dollars),
        sum(row.get("cache_read_input_tokens", 0) for row in used),
    )
    return {"mlflow": Bill(**sums), "traces": traced}
