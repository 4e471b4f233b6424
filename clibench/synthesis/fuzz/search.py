"""Find how each command of a tool is used with success: the execution feedback loop (paper II-B), by rules.

First the inputs: which file, folder or standard input of which content makes the command succeed and print something that depends on it.
Then each option alone on top of that: a plan for its value that succeeds and changes the result. Then pairs of options that change it both.
What fails is repaired by what its message says (`repair.py`), a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from clibench.synthesis.fuzz.contents import Kind, kind_of_path, kinds
from clibench.synthesis.fuzz.documented import Documented
from clibench.synthesis.fuzz.draft import Draft, Plan, Use, content
from clibench.synthesis.fuzz.files import file_plan, folder_plan, here_plan, stdin_plan, two_files_plan
from clibench.synthesis.fuzz.probe import Attempt, Prober
from clibench.synthesis.fuzz.repair import Hints, hints_of
from clibench.synthesis.fuzz.values import literal, operand_plans, value_plans
from clibench.synthesis.schema import Command, Option

FIRST: Final = 12
MOST: Final = 32
"""Drafts of a command's inputs: the likeliest, and all."""
LEADING: Final = 3
WELL_TRIED: Final = 8
"""The best ways to give input are compared with this many cases."""
ROUNDS: Final = 3
"""Repairs of a failed draft in a row."""
PLANS: Final = 6
"""Plans for an option's value that are tried."""
SMALL: Final = 4
"""Options and pairs of a command up to which its options are tried on other input too."""
PAIRED: Final = 4
"""Options of a command of which pairs are tried."""
_QUIET: Final = frozenset(
    {
        "--help",
        "--version",
        "-h",
        "-V",
        "-v",
        "--verbose",
        "--quiet",
        "-q",
        "--silent",
        "--debug",
        "--no-color",
        "--color",
        "--colour",
        "--interactive",
        "--watch",
        "-w",
        "--completion",
        "--install-completion",
        "--show-completion",
        "--update",
        "--upgrade",
        "--open",
        "--clipboard",
        "--copy",
        "--serve",
        "--daemon",
    }
)
_INPUT: Final = re.compile(
    r"input|\bread\b|\bstring\b|\btext\b|\bfile\b|\bdata\b|source|\bsrc\b|expression|\bquery\b|\bfrom\b", re.IGNORECASE
)
_NEVER: Final = frozenset(
    {
        "--help",
        "--version",
        "--interactive",
        "--watch",
        "--install-completion",
        "--show-completion",
        "--completion",
        "--serve",
        "--daemon",
        "--update",
        "--upgrade",
        "--open",
        "--clipboard",
    }
)


@dataclass
class Found:
    """What was found for one command."""

    path: tuple[str, ...]
    command: Command
    bases: list[Attempt] = field(default_factory=list)
    """Ways to give it input, the best first."""
    singles: list[tuple[Use, Attempt, int]] = field(default_factory=list)
    """Options that succeed, with the attempt and how many of its cases they change."""
    pairs: list[tuple[tuple[Use, ...], Attempt]] = field(default_factory=list)
    crossed: list[tuple[Use, Attempt]] = field(default_factory=list)
    """Options with another way to give input."""
    failed: list[Attempt] = field(default_factory=list)
    """The last attempt at what never succeeded."""
    impossible: str = ""


def search(
    path: tuple[str, ...], command: Command, prober: Prober, domain: Sequence[Kind], documented: Documented,
    say: Callable[[str], None] = lambda _: None,
) -> Found:  # fmt: skip
    """All that works of one command."""
    found = Found(path, command)
    _bases(found, prober, domain, documented)
    if found.bases:
        _steady(found, prober, domain, documented)
        _singles(found, prober, domain, documented)
        _pairs(found, prober)
        _crossed(found, prober)
    say(f"{' '.join(path) or 'the command'}: {len(found.bases)} ways to give input, {len(found.singles)} options, {len(found.pairs)} pairs")
    return found


def _bases(found: Found, prober: Prober, domain: Sequence[Kind], documented: Documented) -> None:
    drafts = _labelled(input_drafts(found.path, found.command, domain, documented))[:MOST]
    attempts = prober.try_all(drafts[:FIRST])
    if not any(attempt.usable and attempt.distinct > 1 for attempt in attempts):
        attempts += prober.try_all(drafts[FIRST:])
    if not any(attempt.usable and attempt.distinct > 1 for attempt in attempts):
        attempts += prober.try_all(_labelled(_input_options(found.path, found.command, domain, documented))[:FIRST])
    seen = {attempt.draft.label for attempt in attempts}
    latest = attempts
    for _ in range(ROUNDS):
        if any(attempt.usable and attempt.distinct > 1 for attempt in attempts):
            break
        repaired = [draft for draft in _labelled(_repairs(latest, found.command, domain, documented)) if draft.label not in seen][:FIRST]
        if not repaired:
            break
        seen |= {draft.label for draft in repaired}
        latest = prober.try_all(repaired)
        attempts += latest
    usable = [attempt for attempt in attempts if attempt.usable]
    # sorted() is stable: among equals the likelier draft stays first.
    found.bases = sorted(
        usable, key=lambda attempt: (-min(attempt.distinct, 3), -attempt.ok, len(attempt.draft.uses), _beyond(attempt, found))
    )
    found.bases = _best_first(found.bases, prober)
    if not usable:
        reasons = [hints_of(attempt.errors).impossible for attempt in attempts]
        found.impossible = max(set(reasons), key=reasons.count) if reasons and all(reasons) else ""
        found.failed = attempts[:4]


def _beyond(attempt: Attempt, found: Found) -> int:
    """Operands that the usage does not tell of, beyond the first: a tool may ignore them."""
    return max(0, len(attempt.draft.operands) - max(len(found.command.positionals), 1))


def _best_first(bases: list[Attempt], prober: Prober) -> list[Attempt]:
    """The first few ways by how they do with more cases."""
    leading = bases[:LEADING]
    if len(leading) < 2:
        return bases
    longer = prober.try_all([attempt.draft for attempt in leading], cases=WELL_TRIED)
    order = sorted(range(len(leading)), key=lambda place: (-_grade(longer[place]), place))
    return [*(leading[place] for place in order), *bases[LEADING:]]


def _grade(attempt: Attempt) -> int:
    """Coarse, so that the likelier way stays first where it is as good: quarters of the cases that succeed, and that differ."""
    total = max(len(attempt.trials), 1)
    return 4 * attempt.ok // total + 4 * attempt.distinct // total


def _labelled(drafts: Iterable[Draft]) -> list[Draft]:
    """Each label once."""
    kept: dict[str, Draft] = {}
    for draft in drafts:
        kept.setdefault(draft.label, draft)
    return list(kept.values())


def input_drafts(path: tuple[str, ...], command: Command, domain: Sequence[Kind], documented: Documented) -> Iterator[Draft]:
    """Ways to give a command its input, the likeliest first."""
    needed = tuple(
        Use(option, next(iter(value_plans(option, domain, documented.values.get((path, option.name), ()))), Plan("flag")))
        for option in command.options
        if option.required and option.takes_value
    )
    examples = documented.operands.get(path, ())
    slots = [
        operand_plans(positional, domain, examples[place] if place < len(examples) else ())
        for place, positional in enumerate(command.positionals)
    ]
    full = slots
    least = [slot for slot, positional in zip(slots, command.positionals, strict=True) if positional.min > 0]
    if not slots and examples:
        shown = [_example_slot(values, domain) for values in examples[:3]]
        for places in range(1, len(shown) + 1):
            yield from (Draft(path, needed, operands) for operands in islice(_varied(shown[:places]), 2))
    for chosen in [full, least] if len(full) != len(least) else [full]:
        if not chosen:
            continue
        for place, operands in enumerate(_varied(chosen)):
            yield Draft(path, needed, operands)
            if place == 3:
                yield Draft(path, needed, tuple(plan for plan in operands if not plan.files), stdin_plan(domain[0]))
            if operands is not None and not any(plan.files for plan in operands):
                yield Draft(path, needed, operands, stdin_plan(domain[0]))
    if least:
        without = tuple(slot[0] for slot in least if not slot[0].files)
        for kind in domain[:3]:
            yield Draft(path, needed, without, stdin_plan(kind))
        return
    for kind in domain[:4]:
        yield Draft(path, needed, (), stdin_plan(kind))
        if not slots:
            yield Draft(path, needed, (file_plan(kind),))
    yield Draft(path, needed, (literal("dash", "-"),), stdin_plan(domain[0]))
    if not slots:
        yield Draft(path, needed, (folder_plan(domain[0]),))
        yield Draft(path, needed, (two_files_plan(domain[0]),))
        yield Draft(path, needed, (here_plan(domain[0]),))
    yield Draft(
        path, needed, (), Plan("nothing, in a working folder with files", (), here_plan(domain[0]).params, here_plan(domain[0]).files)
    )
    yield Draft(path, needed)


def _input_options(path: tuple[str, ...], command: Command, domain: Sequence[Kind], documented: Documented) -> Iterator[Draft]:
    """Input that is given by an option: --input FILE, --string TEXT."""
    for option in command.options:
        word = " ".join((*option.names, option.metavar or "", option.help))
        if option.takes_value and not {*option.names} & _NEVER and _INPUT.search(word) and not re.search("output", word, re.IGNORECASE):
            for plan in value_plans(option, domain, documented.values.get((path, option.name), ()))[:3]:
                yield Draft(path, (Use(option, plan),))


def _example_slot(values: Sequence[str], domain: Sequence[Kind]) -> list[Plan]:
    """Plans for a place that examples fill and the usage does not tell of."""
    from clibench.synthesis.schema import Positional

    return operand_plans(Positional("value"), domain, values)


def _varied(slots: Sequence[Sequence[Plan]]) -> Iterator[tuple[Plan, ...]]:
    """One plan for each place: the first of each, then the same kind of file in all, then one place after the other varied."""
    usual = tuple(slot[0] for slot in slots)
    yield usual
    labels = list(dict.fromkeys(plan.label for slot in slots for plan in slot if plan.files))[:8]
    for label in labels:
        if len(slots) > 1:
            yield tuple(next((plan for plan in slot if plan.label == label), slot[0]) for slot in slots)
    for depth in range(1, 9):
        for place, slot in enumerate(slots):
            if depth < len(slot):
                yield (*usual[:place], slot[depth], *usual[place + 1 :])


def _repairs(attempts: Sequence[Attempt], command: Command, domain: Sequence[Kind], documented: Documented) -> Iterator[Draft]:
    """Drafts that do what the messages of failed ones ask for; the most successful are repaired first."""
    for attempt in sorted(attempts, key=lambda attempt: -attempt.ok)[:12]:
        hints = hints_of(attempt.errors)
        if hints.impossible or not attempt.trials:
            continue
        if attempt.ok:
            yield _small_numbers(attempt.draft)
        yield from repaired(attempt.draft, hints, command, domain, documented)


def _small_numbers(draft: Draft) -> Draft:
    """The draft with every number from 1 to 3."""

    def small(plan: Plan) -> Plan:
        params = {
            name: {"type": "int", "min": "1", "max": "3"} if name.startswith("v_") and value.get("type") == "int" else value
            for name, value in plan.params.items()
        }
        return replace(plan, params=params, label=plan.label if params == plan.params else f"{plan.label} narrowed")

    return replace(draft, uses=tuple(replace(use, plan=small(use.plan)) for use in draft.uses), operands=tuple(map(small, draft.operands)))


def repaired(draft: Draft, hints: Hints, command: Command, domain: Sequence[Kind], documented: Documented) -> Iterator[Draft]:
    """What to try in the place of a draft that failed with these hints."""
    for name in hints.needs:
        option = command.option(name)
        if option is None or any(use.option.name == option.name for use in draft.uses):
            continue
        plans = value_plans(option, domain, documented.values.get((draft.path, option.name), ())) if option.takes_value else [Plan("flag")]
        for plan in plans[:3]:
            yield draft.with_use(Use(option, plan))
    if hints.missing_files:
        files = {}
        params: dict[str, object] = {}
        for number, path in enumerate(hints.missing_files[:3]):
            template, drawn = content(kind_of_path(path) or domain[0], 8 + number)
            files[path], params = template, {**params, **drawn}
        yield replace(draft, more_files={**draft.more_files, **files}, more_params={**draft.more_params, **params})
    if hints.choices and draft.operands:
        picked = Plan(
            "values of the message",
            ("{v_choice}",),
            {"v_choice": {"type": "choice", "values": list(hints.choices), "invalid": ["no-such-choice"]}},
        )
        yield replace(draft, operands=(*draft.operands[:-1], picked))
        yield replace(draft, operands=(picked, *draft.operands[1:]))
    if hints.folder:
        yield replace(draft, operands=(*draft.operands[:-1], folder_plan(domain[0])))
    if hints.file:
        yield replace(draft, operands=(*draft.operands[:-1], file_plan(domain[0])))
    if hints.too_many and draft.operands:
        yield replace(draft, operands=draft.operands[:-1])
        yield replace(draft, operands=draft.operands[:-1], stdin=stdin_plan(domain[0]))
    if hints.operands:
        for plan in (file_plan(domain[0], stem="extra", number=12), literal("word", "alpha"), literal("number", "3")):
            yield replace(draft, operands=(*draft.operands, plan))
    if hints.stdin and draft.stdin is None:
        yield replace(draft, stdin=stdin_plan(domain[0]))
        yield replace(draft, operands=(), stdin=stdin_plan(domain[0]))
    if hints.number and draft.operands:
        whole = Plan("whole number", ("{v_number}",), {"v_number": {"type": "int", "min": "1", "max": "9"}})
        yield replace(draft, operands=(*draft.operands[:-1], whole))
    if hints.equals and draft.uses:
        yield replace(draft, uses=tuple(replace(use, equals=True) for use in draft.uses))
    if hints.parse or not any(vars(hints).values()):
        for kind in [*domain[4:9], kinds()["numbers"]]:
            if draft.stdin is not None:
                yield replace(draft, stdin=stdin_plan(kind))
            elif draft.operands and draft.operands[-1].files:
                yield replace(draft, operands=(*draft.operands[:-1], file_plan(kind)))
    if draft.uses and draft.operands and not draft.operands_first:
        yield replace(draft, operands_first=True)


def candidates(option: Option, path: tuple[str, ...], domain: Sequence[Kind], documented: Documented) -> list[Use]:
    """Uses of an option, the likeliest first."""
    if not option.takes_value:
        uses = [Use(option, Plan("flag"))]
        return [*uses, Use(option, Plan("negated"), negated=True)] if option.negation else uses
    plans = value_plans(option, domain, documented.values.get((path, option.name), ()))[:PLANS]
    uses = [Use(option, plan) for plan in plans]
    # An optional value is mostly written --name=value, but not by every library.
    return [replace(use, equals=equals) for use in uses for equals in (True, False)][:PLANS] if option.value_optional else uses


def _steady(found: Found, prober: Prober, domain: Sequence[Kind], documented: Documented) -> None:
    """Where a result depends on chance or the clock, add a flag or a seed that ends it, if the command has one."""
    base = found.bases[0]
    if not prober.unstable([base.draft]):
        return
    uses = [
        candidates(option, found.path, domain, documented)[0]
        for option in found.command.options
        if not {*option.names} & _NEVER and (not option.takes_value or re.search("seed|random|date|time|log", option.name))
    ]
    drafts = [base.draft.with_use(use) for use in uses]
    bad = prober.unstable(drafts)
    for place, attempt in enumerate(prober.try_all(drafts)):
        if place not in bad and attempt.usable:
            others = prober.try_all([other.draft.with_use(uses[place]) for other in found.bases[1:6]])
            found.bases = [attempt, *(other for other in others if other.usable)]
            return


@dataclass(frozen=True)
class _Candidate:
    """A use of an option, with others that it needs."""

    use: Use
    others: tuple[Use, ...] = ()

    def on(self, draft: Draft) -> Draft:
        for use in (*self.others, self.use):
            draft = draft.with_use(use)
        return draft

    @property
    def label(self) -> str:
        return " ".join((self.use.label, "=" if self.use.equals else "", *(use.label for use in self.others)))


def _singles(found: Found, prober: Prober, domain: Sequence[Kind], documented: Documented) -> None:
    base = found.bases[0]
    used = {use.option.name for use in base.draft.uses}
    waiting = {
        option.name: [_Candidate(use) for use in candidates(option, found.path, domain, documented)]
        for option in found.command.options
        if not {*option.names} & _NEVER and option.name not in used
    }
    best: dict[str, tuple[_Candidate, Attempt, int]] = {}
    failed: dict[str, Attempt] = {}
    tried: set[str] = set()
    for _ in range(PLANS + ROUNDS):
        batch = [(name, rest.pop(0)) for name, rest in waiting.items() if rest]
        if not batch:
            break
        attempts = prober.try_all([candidate.on(base.draft) for _, candidate in batch])
        for (name, candidate), attempt in zip(batch, attempts, strict=True):
            tried.add(candidate.label)
            if 0 < attempt.ok < len(attempt.trials) or (not attempt.ok and not hints_of(attempt.errors).choices):
                narrow = _narrowed(candidate, base.draft, prober)
                if narrow is not None and narrow.label not in tried:
                    waiting[name].insert(0, narrow)
            changed = attempt.differs(base)
            if attempt.usable or (attempt.ok * 2 > len(attempt.trials) and changed):
                if name not in best or (changed, attempt.ok) > (best[name][2], best[name][1].ok):
                    best[name] = (candidate, attempt, changed)
                if changed > len(attempt.trials) // 2 and attempt.ok == len(attempt.trials):
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
    found.singles = sorted(rows, key=lambda row: (bool({*row[0].option.names} & _QUIET), -min(row[2], 2), -min(row[1].distinct, 2)))
    found.failed += [attempt for name, attempt in failed.items() if name not in best]


def _narrowed(candidate: _Candidate, draft: Draft, prober: Prober) -> _Candidate | None:
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
        good = [one for one, attempt in zip(value["values"], attempts, strict=True) if attempt.ok]
        bad = [one for one in value["values"] if one not in good]
        if not good or not bad:
            return None
        narrow = {**value, "values": good, "invalid": bad[:2]}
    else:
        return None
    return _with_value(candidate, name, narrow, label=f"{use.plan.label} narrowed")


def _with_value(candidate: _Candidate, name: str, value: dict[str, Any], label: str | None = None) -> _Candidate:
    plan = candidate.use.plan
    return replace(
        candidate, use=replace(candidate.use, plan=replace(plan, label=label or plan.label, params={**plan.params, name: value}))
    )


def _mended(candidate: _Candidate, attempt: Attempt, found: Found, domain: Sequence[Kind], documented: Documented) -> list[_Candidate]:
    """Other uses of an option after a failure, as its message asks."""
    use, hints = candidate.use, hints_of(attempt.errors)
    more: list[_Candidate] = []
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
        more += [_Candidate(other) for other in candidates(valued, found.path, domain, documented)[:2]]
    return more[:4]


def _pairs(found: Found, prober: Prober) -> None:
    good = [row for row in found.singles if row[2] and not {*row[0].option.names} & _QUIET][:PAIRED]
    combined = []
    for index, (first, one, _) in enumerate(good):
        for second, two, _ in good[index + 1 :]:
            if any({first.option.name, second.option.name} <= _all_names(group, found.command) for group in found.command.exclusive):
                continue
            combined.append(((first, second), one, two))
    attempts = prober.try_all([one.draft.with_use(uses[1]) for uses, one, _ in combined])
    for (uses, one, two), attempt in zip(combined, attempts, strict=True):
        if attempt.usable and attempt.differs(one) and attempt.differs(two):
            found.pairs.append((uses, attempt))


def _crossed(found: Found, prober: Prober) -> None:
    """Of a command with little to it: its options on other ways to give input."""
    if len(found.singles) + len(found.pairs) > SMALL:
        return
    uses = [use for use, _, changed in found.singles if changed][:3]
    drafts = [(use, other, other.draft.with_use(use)) for use in uses for other in found.bases[1:3]]
    attempts = prober.try_all([draft for _, _, draft in drafts])
    for (use, other, _), attempt in zip(drafts, attempts, strict=True):
        if attempt.usable and attempt.differs(other):
            found.crossed.append((use, attempt))


def _all_names(group: Sequence[str], command: Command) -> set[str]:
    return {option.name for name in group if (option := command.option(name)) is not None}
