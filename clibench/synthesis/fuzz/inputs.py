"""Ways to give a command its input, the likeliest first: files, folders and standard input of the contents that the tool speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from clibench.synthesis.fuzz.contents import Kind, details
from clibench.synthesis.fuzz.documented import Documented
from clibench.synthesis.fuzz.draft import Draft, Plan, Use
from clibench.synthesis.fuzz.files import file_plan, folder_plan, here_plan, stdin_plan, two_files_plan
from clibench.synthesis.fuzz.options import NEVER
from clibench.synthesis.fuzz.values import literal, operand_plans, value_plans
from clibench.synthesis.schema import Command, Positional

_INPUT: Final = re.compile(
    r"input|\bread\b|\bstring\b|\btext\b|\bfile\b|\bdata\b|source|\bsrc\b|expression|\bquery\b|\bfrom\b", re.IGNORECASE
)


USAGES: Final = 3
"""Usage lines whose arguments are tried by themselves."""


def labelled(drafts: Iterable[Draft]) -> list[Draft]:
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
            yield from (Draft(path, needed, operands) for operands in islice(_varied(shown[:places]), 5 if places == 1 else 2))
    for chosen in _alternatives(command, slots, full, least):
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


def _alternatives(command: Command, slots: Sequence[list[Plan]], *usual: list[list[Plan]]) -> Iterator[list[list[Plan]]]:
    """The arguments to fill: those of each usage line where there are several, which no call has together, then the `usual` ones."""
    named = list(zip(command.positionals, slots, strict=True))
    lines = command.usage[:USAGES] if len(command.usage) > 1 else ()
    tried: list[list[int]] = []
    for chosen in (*([slot for positional, slot in named if positional.name in line] for line in lines), *usual):
        if chosen and (key := [id(slot) for slot in chosen]) not in tried:
            tried.append(key)
            yield chosen


def detailed(draft: Draft) -> Draft | None:
    """The draft with a document that uses more of its format, where it has just one and of a kind that has such."""
    plans = [plan for plan in (*draft.operands, draft.stdin) if plan is not None and (plan.files or plan.stdin)]
    named = re.fullmatch(r"(?:documented )?(\w+)( file.*| on standard input)", plans[0].label) if len(plans) == 1 else None
    kind = details().get(named[1]) if named else None
    if named is None or kind is None or len(plans[0].files) > 1:
        return None
    old = plans[0]
    new = Plan(
        f"{kind.name}{named[2]}",
        old.words,
        kind.params,
        dict.fromkeys(old.files, kind.template),
        kind.template if old.stdin else "",
        mistakes=old.mistakes,
    )
    return replace(
        draft, operands=tuple(new if plan is old else plan for plan in draft.operands), stdin=new if draft.stdin is old else draft.stdin
    )


def input_options(path: tuple[str, ...], command: Command, domain: Sequence[Kind], documented: Documented) -> Iterator[Draft]:
    """Input that is given by an option: --input FILE, --string TEXT."""
    for option in command.options:
        word = " ".join((*option.names, option.metavar or "", option.help))
        if option.takes_value and not {*option.names} & NEVER and _INPUT.search(word) and not re.search("output", word, re.IGNORECASE):
            for plan in value_plans(option, domain, documented.values.get((path, option.name), ()))[:3]:
                yield Draft(path, (Use(option, plan),))


def _example_slot(values: Sequence[str], domain: Sequence[Kind]) -> list[Plan]:
    """Plans for a place that examples fill and the usage does not tell of."""
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
