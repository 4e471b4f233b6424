"""Which options of a command matter: each alone on top of an input that works, with a value that succeeds and changes the result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from clibench.synthesis.fuzz.contents import Kind
from clibench.synthesis.fuzz.documented import Documented
from clibench.synthesis.fuzz.draft import Draft, Plan, Use
from clibench.synthesis.fuzz.found import Found
from clibench.synthesis.fuzz.probe import Attempt, Prober
from clibench.synthesis.fuzz.repair import hints_of
from clibench.synthesis.fuzz.values import CLASSES, texts_plan, value_plans
from clibench.synthesis.schema import Option

ROUNDS: Final = 3
"""Repairs of a failed option in a row."""
PLANS: Final = 6
"""Plans for an option's value that are tried."""
IN_VAIN: Final = 3
"""Values that succeed and change nothing, after which an option is taken to matter for other input only."""
_QUIET: Final = re.compile(
    r"--?(?:help|version|verbose|quiet|silent|debug|no-?colou?r|colou?r|interactive|watch|completions?|install-completion|show-completion"
    r"|update|upgrade|open|clipboard|copy|serve|daemon)"
)
_QUIET_HELP: Final = re.compile(r"\b(?:help|version|verbos\w*|quiet\w*|silen\w*|debug\w*|watch\w*)\b", re.IGNORECASE)
_NEVER_NAMES: Final = (
    "help",
    "version",
    "interactive",
    "watch",
    "install-completion",
    "show-completion",
    "completion",
    "serve",
    "daemon",
    "update",
    "upgrade",
    "open",
    "clipboard",
)
NEVER: Final = frozenset(f"{dash}{name}" for name in _NEVER_NAMES for dash in ("-", "--"))
"""Options that are never tried."""


_TEXT: Final = re.compile(r"\b(?:text|string|phrase|sentence|words?|message)\b", re.IGNORECASE)


def quiet(option: Option) -> bool:
    """Whether an option comes last: it changes how much a tool says, or is no way to use it. A letter alone says nothing: `-v` inverts,
    and `-w` writes, where the help says so."""
    named = [name for name in option.names if len(name) > 2]
    return any(map(_QUIET.fullmatch, named)) if named else bool(option.names) and bool(_QUIET_HELP.search(option.help[:60]))


@dataclass(frozen=True)
class Candidate:
    """A use of an option, with others that it needs."""

    use: Use
    others: tuple[Use, ...] = ()
    alone: bool = False
    """Whether it takes the place of the input: --string TEXT, or a file."""

    def on(self, draft: Draft) -> Draft:
        if self.alone:
            draft = replace(draft, operands=(), stdin=None)
        for use in (*self.others, self.use):
            draft = draft.with_use(use)
        return draft

    @property
    def label(self) -> str:
        return " ".join((self.use.label, "=" * self.use.equals, "alone" * self.alone, *(use.label for use in self.others)))


def candidates(option: Option, path: tuple[str, ...], domain: Sequence[Kind], documented: Documented) -> list[Use]:
    """Uses of an option, the likeliest first."""
    if not option.takes_value:
        uses = [Use(option, Plan("flag"))]
        return [*uses, Use(option, Plan("negated"), negated=True)] if option.negation else uses
    plans = value_plans(option, domain, documented.values.get((path, option.name), ()))[:PLANS]
    uses = [Use(option, plan) for plan in plans]
    # An optional value is mostly written --name=value, but not by every library.
    return [replace(use, equals=equals) for use in uses for equals in (True, False)][:PLANS] if option.value_optional else uses


def singles(found: Found, prober: Prober, domain: Sequence[Kind], documented: Documented) -> None:
    base = found.bases[0]
    used = {use.option.name for use in base.draft.uses}
    # A documented line that serves as a way to give input has options among its words.
    words = {word.partition("=")[0] for plan in base.draft.operands for word in plan.words if isinstance(word, str)}
    used |= {option.name for option in found.command.options if words & {*option.names}}
    waiting = {
        option.name: [Candidate(use) for use in candidates(option, found.path, domain, documented)]
        for option in found.command.options
        if not {*option.names} & NEVER and option.name not in used
    }
    for name in (option.name for option in found.command.options if option.name in waiting and quiet(option)):
        waiting[name] = waiting[name][:1]
    best: dict[str, tuple[Candidate, Attempt, int]] = {}
    in_vain: Counter[str] = Counter()
    failed: dict[str, Attempt] = {}
    tried: set[str] = set()
    for _ in range(PLANS + ROUNDS):
        batch = [(name, rest.pop(0)) for name, rest in waiting.items() if rest]
        if not batch:
            break
        attempts = prober.try_all([candidate.on(base.draft) for _, candidate in batch])
        for (name, candidate), attempt in zip(batch, attempts, strict=True):
            tried.add(candidate.label)
            if 0 < attempt.answered < len(attempt.trials) or (not attempt.answered and not hints_of(attempt.errors).choices):
                narrow = _narrowed(candidate, base.draft, prober)
                if narrow is not None and narrow.label not in tried:
                    waiting[name].insert(0, narrow)
            changed = attempt.differs(base)
            if attempt.usable or (attempt.answered * 2 > len(attempt.trials) and changed):
                if name not in best or (changed, attempt.ok) > (best[name][2], best[name][1].ok):
                    best[name] = (candidate, attempt, changed)
                in_vain[name] += not changed
                if in_vain[name] == IN_VAIN or (changed > len(attempt.trials) // 2 and attempt.answered == len(attempt.trials)):
                    waiting[name] = []
            else:
                failed.setdefault(name, attempt)
                more = _mended(candidate, attempt, found, domain, documented)
                waiting[name][:0] = [other for other in more if other.label not in tried]
    # An option may matter for another input only: several files, a folder.
    idle = [name for name, (_, _, changed) in best.items() if not changed]
    for other in found.bases[1:3]:
        if not idle or other.distinct < 1:
            break
        attempts = prober.try_all([best[name][0].on(other.draft) for name in idle])
        for name, attempt in zip(list(idle), attempts, strict=True):
            changed = attempt.differs(other)
            if changed and attempt.usable:
                best[name] = (best[name][0], attempt, changed)
                idle.remove(name)
    rows = [(candidate.use, attempt, changed) for candidate, attempt, changed in best.values()]
    found.singles = sorted(rows, key=lambda row: (not row[1].scored, quiet(row[0].option), -min(row[2], 2), -min(row[1].telling, 2)))
    found.failed += [attempt for name, attempt in failed.items() if name not in best]


def _narrowed(candidate: Candidate, draft: Draft, prober: Prober) -> Candidate | None:
    """The candidate with the values that succeed alone: of a guessed list each is tried, of a range the low end is taken."""
    use = candidate.use
    name, value = next(iter(use.plan.params.items()), ("", None))
    if not isinstance(value, dict) or use.plan.label.endswith("narrowed") or use.plan.files:
        return None
    if value["type"] == "int":
        narrow: dict[str, Any] = {"type": "int", "min": "1", "max": "3"}
    elif value["type"] == "choice" and len(value["values"]) > 2:
        alone = [_with_value(candidate, name, {**value, "values": [one]}) for one in value["values"]]
        attempts = prober.try_all([other.on(draft) for other in alone], cases=1)
        good = [one for one, attempt in zip(value["values"], attempts, strict=True) if attempt.answered]
        bad = [one for one in value["values"] if one not in good]
        if not good or not bad:
            return None
        narrow = {**value, "values": good, "invalid": bad[:2]}
    else:
        return None
    return _with_value(candidate, name, narrow, label=f"{use.plan.label} narrowed")


def _with_value(candidate: Candidate, name: str, value: dict[str, Any], label: str | None = None) -> Candidate:
    plan = candidate.use.plan
    return replace(
        candidate, use=replace(candidate.use, plan=replace(plan, label=label or plan.label, params={**plan.params, name: value}))
    )


def _mended(candidate: Candidate, attempt: Attempt, found: Found, domain: Sequence[Kind], documented: Documented) -> list[Candidate]:
    """Other uses of an option after a failure, as its message asks."""
    use, hints = candidate.use, hints_of(attempt.errors)
    more: list[Candidate] = []
    base = found.bases[0].draft
    if hints.conflict and (base.operands or base.stdin) and not candidate.alone:
        if use.option.takes_value and _TEXT.search(f"{use.option.metavar} {use.option.help}"):
            texts = texts_plan("v_text", "texts", [*chain(*CLASSES.values())])
            more.append(replace(candidate, alone=True, use=replace(use, plan=texts)))
        more.append(replace(candidate, alone=True))
    if hints.choices and use.option.takes_value and use.plan.label != "values of the message":
        name = next((word.strip("{}") for word in use.plan.words if word.startswith("{")), "v_choice")
        value = {"type": "choice", "values": list(hints.choices), "invalid": ["no-such-choice"]}
        more.append(replace(candidate, use=replace(use, plan=Plan("values of the message", (f"{{{name}}}",), {name: value}))))
    for needed in hints.needs[:2] if not candidate.others else ():
        option = found.command.option(needed)
        if option is not None and option.name != use.option.name:
            more += [replace(candidate, others=(other,)) for other in candidates(option, found.path, domain, documented)[:2]]
    if hints.equals and use.option.takes_value and not use.equals:
        more.append(replace(candidate, use=replace(use, equals=True)))
    if not use.option.takes_value and not use.negated:
        valued = replace(use.option, metavar="FILE" if "file" in use.option.help.lower() else "VALUE")
        more += [Candidate(other) for other in candidates(valued, found.path, domain, documented)[:2]]
    return more[:4]
