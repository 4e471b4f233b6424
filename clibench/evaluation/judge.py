"""The verdict of two recordings: a pure function of them, the comparers' parameters and the semantic judge.

Gates in a row, as in the paper (II-C): Exec, then SP, then EM, FM and SM. A case that stops at a gate fails all that is behind it, with
the gate's reason. Only cases whose oracle exits 0 count for them. The others count for Reject: the submission must turn the input down as
the oracle did, by exiting with a code other than 0. A crash by signal, a time-out or running out of memory is no rejection. Which
code it is, and what stderr says, is not compared: the paper's metrics do not, and messages are free.

Nothing here runs or reads anything: stored recordings are judged anew, with other parameters, in seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from clibench.digest import digest_json
from clibench.evaluation.compare import Pair, comparer_name, exact_match, fuzzy_match
from clibench.evaluation.normalise import Chain, resolve
from clibench.evaluation.params import VERSIONS, CompareParams
from clibench.evaluation.semantic import Question, SemanticJudge
from clibench.evaluation.side_effects import compare_side_effects
from clibench.evaluation.verdict import Check, Difference, Verdict
from clibench.recording import End, Recording, Status
from clibench.sandbox.interface import TrialFault
from clibench.tasks.case import Case, Fixture
from clibench.tasks.task import Task

__all__ = ["GATED", "CompareParams", "judge_case", "judge_task"]

GATED: Final = ("exec", "sp", "em", "fm", "sm")
"""The paper's metrics that are asked of each case, in the order of the gates."""

_STATUS: Final = f"status/{VERSIONS['status']}"
_EXEC: Final = Check(True, comparer=_STATUS)
_NO_REJECT: Final = Check(None, "the oracle exits 0")
_EMPTY: Final = resolve(())


def judge_task(
    task: Task, recordings: Mapping[str, Recording | TrialFault], params: CompareParams, semantic: SemanticJudge
) -> list[Verdict]:
    """One verdict for each case of the task, in its order. A case without a recording, or with a fault, is `infra`.

    `recordings` are the submission's, by case id. Raises UserError for an unknown normaliser, InfraError where the semantic judge fails.
    """
    names = (*task.normalisers, *params.normalisers)
    common = resolve(names, alias=task.alias)
    verdicts: list[Verdict] = []
    open_questions: dict[Question, list[int]] = {}
    for case in task.cases:
        expected, actual = task.recordings[case.id], recordings.get(case.id)
        if not isinstance(actual, Recording):
            reason = actual.reason if actual is not None else "no recording of this case"
            verdicts.append(Verdict(case.id, case.pattern, expected.status.ok, infra=reason or "unknown fault"))
            continue
        own = task.case_normalisers.get(case.id)
        chain = resolve((*names, *own), alias=task.alias) if own else common
        verdict, question = _judge(case, expected, actual, chain, params, task.fixtures.get(case.fixture))
        if question is not None:
            open_questions.setdefault(question, []).append(len(verdicts))
        verdicts.append(verdict)
    for (_, places), answer in zip(open_questions.items(), semantic.judge(list(open_questions)) if open_questions else (), strict=True):
        for place in places:
            verdicts[place] = _with_answer(verdicts[place], answer)
    return verdicts


def judge_case(
    case: Case,
    expected: Recording,
    actual: Recording,
    params: CompareParams,
    semantic: SemanticJudge,
    *,
    chain: Chain = _EMPTY,
    fixture: Fixture | None = None,
) -> Verdict:
    """The verdict of one case."""
    verdict, question = _judge(case, expected, actual, chain, params, fixture)
    return verdict if question is None else _with_answer(verdict, semantic.judge([question])[0])


def _judge(
    case: Case, expected: Recording, actual: Recording, chain: Chain, params: CompareParams, fixture: Fixture | None
) -> tuple[Verdict, Question | None]:
    """The verdict, and the question that its `sm` still waits for (`sm` then fails provisionally)."""
    if not expected.status.ok:
        return Verdict(case.id, case.pattern, False, _reject(expected.status, actual.status)), None
    checks: dict[str, Check] = {"exec": _EXEC}
    if not actual.status.ok:
        difference = Difference("exit status", str(expected.status), str(actual.status))
        checks["exec"] = Check(False, f"the submission ends with {actual.status}", difference=difference, comparer=_STATUS)
        return _stopped(case, checks, "exec"), None
    checks["sp"] = _side_effects(expected, actual, chain, params, fixture)
    if not checks["sp"].passed:
        return _stopped(case, checks, "sp"), None
    pair = Pair(expected.stdout, actual.stdout, chain)
    checks["em"] = exact_match(pair)
    checks["fm"] = fuzzy_match(pair, params.fuzzy_threshold)
    question = None
    if checks["em"].passed:
        checks["sm"] = replace(checks["em"], reason="exact match")
    else:
        checks["sm"], question = _semantic(pair, case, fixture)
    checks["reject"] = _NO_REJECT
    return Verdict(case.id, case.pattern, True, checks), question


def _semantic(pair: Pair, case: Case, fixture: Fixture | None) -> tuple[Check, Question | None]:
    """What needs no judge: bytes have no meaning beyond themselves, nothing is not something, a part is not the whole."""
    reason = ""
    if pair.binary:
        reason = "binary output differs"
    elif not all(pair.forms):
        reason = "one of the outputs is empty"
    elif pair.cut:
        reason = "stdout was cut at the recorder's cap: the meaning of a part is not judged"
    if reason:
        abstains = pair.expected.truncated and pair.actual.truncated and not pair.binary
        return Check(None if abstains else False, reason, difference=pair.difference, comparer=pair.comparer("exact")), None
    files = tuple(entry.content for entry in fixture.entries if entry.type == "file" and entry.content) if fixture is not None else ()
    inputs = (case.stdin, *files) if case.stdin else files
    return Check(False, "not judged", difference=pair.difference), Question(*pair.named, argv=case.argv, inputs=inputs)


def _with_answer(verdict: Verdict, answer: Check) -> Verdict:
    difference = None if answer.passed else answer.difference or verdict.checks["sm"].difference
    return replace(verdict, checks={**verdict.checks, "sm": replace(answer, difference=difference)})


def _stopped(case: Case, checks: dict[str, Check], gate: str) -> Verdict:
    """All metrics behind `gate` fail with it."""
    behind = Check(False, f"{gate} failed", comparer=checks[gate].comparer)
    for metric in GATED[GATED.index(gate) + 1 :]:
        checks[metric] = behind
    checks["reject"] = _NO_REJECT
    return Verdict(case.id, case.pattern, True, checks)


def _reject(expected: Status, actual: Status) -> dict[str, Check]:
    none = Check(None, f"the oracle ends with {expected}")
    checks = dict.fromkeys(GATED, none)
    # An oracle that dies by a signal is not frozen as a rule; where one is, the same end is as good as an exit.
    rejected = not actual.ok and (actual.end is End.EXIT or actual.end is expected.end)
    if rejected:
        checks["reject"] = Check(True, comparer=_STATUS)
    else:
        what = "the submission accepts what the oracle rejects" if actual.ok else f"{actual} is a crash, not a rejection"
        checks["reject"] = Check(False, what, difference=Difference("exit status", str(expected), str(actual)), comparer=_STATUS)
    return checks


@lru_cache(maxsize=64)
def _ignore_name(ignore: tuple[str, ...]) -> str:
    """Short name of an ignore list, the same for the same patterns."""
    return digest_json(sorted(set(ignore)))[:8]


def _side_effects(expected: Recording, actual: Recording, chain: Chain, params: CompareParams, fixture: Fixture | None) -> Check:
    comparer = comparer_name("side_effects", chain.names, mode=params.mode, ignore=_ignore_name(params.ignore))
    found = compare_side_effects(expected.changes, actual.changes, chain, params, fixture)
    if not found:
        return Check(True, comparer=comparer)
    shown = "; ".join(f"{mismatch.path}: {mismatch.reason}" for mismatch in found[:5])
    more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
    return Check(False, shown + more, difference=found[0].difference, comparer=comparer)
