"""Other drafts in the place of one that failed, as its message asks (`repair.py` reads the message)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from clibench.synthesis.fuzz.contents import Kind, kind_of_path, kinds
from clibench.synthesis.fuzz.documented import Documented
from clibench.synthesis.fuzz.draft import Draft, Plan, Use, content
from clibench.synthesis.fuzz.files import file_plan, folder_plan, module_plan, packages_plan, stdin_plan
from clibench.synthesis.fuzz.probe import Attempt
from clibench.synthesis.fuzz.repair import Hints, hints_of
from clibench.synthesis.fuzz.values import literal, value_plans
from clibench.synthesis.schema import Command


def repairs(attempts: Sequence[Attempt], command: Command, domain: Sequence[Kind], documented: Documented) -> Iterator[Draft]:
    """Drafts that do what the messages of failed ones ask for, one of each in turn: first those whose message asks for something, then the
    most successful."""
    read = [(attempt, hints_of(attempt.errors)) for attempt in attempts if attempt.trials]
    leading = sorted(read, key=lambda row: (row[1] == Hints(), -row[0].answered))[:12]
    rows = [
        [*repaired(attempt.draft, hints, command, domain, documented), _small_numbers(attempt.draft)]
        for attempt, hints in leading
        if not hints.impossible
    ]
    yield from (draft for turn in zip_longest(*rows) for draft in turn if draft is not None)


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
    needed = [option for name in hints.needs if (option := command.option(name)) is not None]
    for option in sorted(needed, key=lambda option: option.takes_value):  # a flag can't be given wrongly
        if any(use.option.name == option.name for use in draft.uses):
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
        made = [replace(draft, more_files={**draft.more_files, **files}, more_params={**draft.more_params, **params})]
        bare = [path.rstrip("/") for path in files if "." not in path.rstrip("/").rsplit("/", 1)[-1]]
        if bare:
            plan = folder_plan(domain[0], word=bare[0])
            there = replace(draft, more_files={**draft.more_files, **plan.files}, more_params={**draft.more_params, **plan.params})
            # Makefile, LICENSE: a name in capitals is mostly that of a file.
            made = [*made, there] if bare[0].rsplit("/", 1)[-1][0].isupper() else [there, *made]
        yield from made
    if hints.module:
        module = module_plan()
        yield replace(draft, more_files={**draft.more_files, **module.files}, more_params={**draft.more_params, **module.params})
    if hints.packages:
        yield replace(draft, operands=(packages_plan(),), stdin=None)
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
