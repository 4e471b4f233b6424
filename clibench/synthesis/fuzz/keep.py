"""Which of the chosen patterns are kept: those that don't tell the tool, give the same result twice, and succeed with more cases too.

What is left out is recorded with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from clibench.synthesis.fuzz.choose import Chosen
from clibench.synthesis.fuzz.probe import Attempt, Prober
from clibench.synthesis.leaks import secret_names
from clibench.synthesis.prompt import Example, write_prompt
from clibench.synthesis.spec import Spec
from clibench.synthesis.telling import mentions

FULL: Final = 5
"""Patterns up to which also such are taken that a tool which knows nothing passes, or that add little."""
LITTLE: Final = 50
"""Rank from which a pattern adds little: content of another kind, an option whose effect was never seen."""


def untold(chosen: Sequence[Chosen], spec: Spec, head: dict[str, Any]) -> tuple[list[Chosen], list[dict[str, Any]]]:
    """Those whose part of the prompt, whichever case is shown, does not hold the tool's own name in a spelling that the alias can't take
    the place of."""
    names = [name for name in secret_names(spec) if name not in spec.task.forbidden]
    kept, weak = [], []
    for row in chosen:
        whole = Spec.model_validate({**head, "patterns": [row.draft.body(row.id, "A pattern.")]})
        shown = [Example(trial.case, trial.fixture, trial.recording) for trial in row.attempt.trials if trial.recording.status.ok]
        if any(mentions(write_prompt(whole, "", (), {row.id: example}), names) for example in shown):
            weak.append(record(row.attempt, "tells the tool's name"))
        else:
            kept.append(row)
    return kept, weak


def stable(chosen: Sequence[Chosen], prober: Prober) -> tuple[list[Chosen], list[dict[str, Any]]]:
    """Those with a case whose result is the same under other conditions: a freeze can compare nothing of the others."""
    bad = prober.unstable([row.draft for row in chosen])
    weak = [{"pattern": chosen[place].draft.label[:200], "why": reason, "ok": 0, "cases": 0, "said": ""} for place, reason in bad.items()]
    return [row for place, row in enumerate(chosen) if place not in bad], weak


def verified(chosen: Sequence[Chosen], prober: Prober, most: int) -> tuple[list[Chosen], bool, list[dict[str, Any]]]:
    """Those that also succeed with more cases, and whether any of their cases takes knowledge. A pattern whose results hardly differ
    goes behind the others; one that a tool which knows nothing passes in most cases is taken only where there are few others."""
    attempts = prober.try_all([row.draft for row in chosen])
    ranks: dict[str, tuple[bool, bool, int]] = {}
    weak = []
    by_name = {}
    for row, attempt in zip(chosen, attempts, strict=True):
        by_name[row.id] = attempt
        if not attempt.scored or attempt.answered * 5 < len(attempt.trials) * 3:
            weak.append(record(attempt, "fails with more cases"))
        else:
            alike = row.rank > 0 and attempt.distinct < min(3, len(attempt.trials))
            ranks[row.id] = (attempt.ignorant * 2 > attempt.ok, alike, row.rank)
    telling = {name for name, (ignorant, _, rank) in ranks.items() if not ignorant and rank < LITTLE}
    leading = sorted(ranks, key=lambda name: ranks[name])[: min(most, max(len(telling), FULL))]
    weak += [
        record(by_name[name], "a tool that knows nothing passes it" if ranks[name][0] else "adds little to the others")
        for name in ranks
        if name not in leading and name not in telling
    ]
    kept = [row for row in chosen if row.id in leading]
    return kept, any(by_name[row.id].telling for row in kept), weak


def record(attempt: Attempt, why: str) -> dict[str, Any]:
    error = next(iter(attempt.errors), attempt.fault)
    lines = [line.strip() for line in error.strip().splitlines() if line.strip()]
    said = (lines[0] if len(lines) < 2 else f"{lines[0][:120]} ... {lines[-1]}")[:300] if lines else ""
    return {"pattern": attempt.draft.label[:200], "why": why, "ok": attempt.ok, "cases": len(attempt.trials), "said": said}
