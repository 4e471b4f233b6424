"""Judge: compare a submission's recordings with the oracle's, from stored bytes alone."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from clibench.evaluation.judge import judge_task
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic import SemanticJudge
from clibench.evaluation.stored import decode_verdicts, encode_cases, encode_recordings, encode_verdicts
from clibench.evaluation.verdict import Verdict
from clibench.sandbox.interface import TrialFault
from clibench.steps.keys import judge_key
from clibench.steps.record import Recordings
from clibench.store import Store
from clibench.tasks.task import Task

KIND = "judge"


@dataclass(frozen=True)
class Judgement:
    """Verdicts of a task, with the digests of what they rest on."""

    verdicts: list[Verdict]
    wall_s: float
    refs: dict[str, str] = field(default_factory=dict)


def judge(store: Store, task: Task, recordings: Recordings, params: CompareParams, semantic: SemanticJudge) -> Judgement:
    """The verdicts, from the store where they are there. Raises InfraError where the semantic judge fails."""
    refs = {
        "recordings": store.put(encode_recordings(recordings.by_case)),
        "oracle_recordings": store.put(encode_recordings(dict(task.recordings))),
        "cases": store.put(encode_cases(task.cases, task.fixtures)),
    }
    key = judge_key(task, refs["recordings"], params, semantic)
    with store.claim(KIND, key):
        body = store.lookup(KIND, key)
        if body is not None:
            return Judgement(decode_verdicts(store.get(body["refs"]["verdicts"])), body["wall_s"], refs | body["refs"])
        start = time.monotonic()
        verdicts = judge_task(task, recordings.by_case, params, semantic)
        wall_s = round(time.monotonic() - start, 3)
        own = {"verdicts": store.put(encode_verdicts(verdicts))}
        if not any(isinstance(outcome, TrialFault) for outcome in recordings.by_case.values()):
            store.finish(KIND, key, {"wall_s": wall_s, "refs": own})
        return Judgement(verdicts, wall_s, refs | own)
