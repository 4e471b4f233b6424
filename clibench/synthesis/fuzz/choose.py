"""Which of all that works becomes a task's command patterns: bounded, ranked, and with an id and a description each.

Every command gets its plain use first; then options that change its result, documented lines, ways to give it other input and pairs follow,
command after command, until the bound. An option whose effect was never seen comes last: its cases would test what is tested already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from clibench.synthesis.fuzz.draft import Draft, Use, WrittenDraft
from clibench.synthesis.fuzz.found import Found
from clibench.synthesis.fuzz.probe import Attempt
from clibench.synthesis.fuzz.values import CLASSES
from clibench.synthesis.schema import Command


@dataclass(frozen=True)
class Chosen:
    """A pattern to be."""

    id: str
    description: str
    attempt: Attempt
    command: Command
    path: tuple[str, ...]
    documented: bool = False
    rank: int = 0
    """0 is the command's plain use; the higher, the sooner it is left out."""
    mistakes: tuple[tuple[str, ...], ...] = field(default=())

    @property
    def draft(self) -> Draft:
        """What it runs."""
        return self.attempt.draft


@dataclass(frozen=True)
class _Row:
    rank: int
    title: str
    description: str
    attempt: Attempt
    found: Found
    documented: bool = False


def choose(alias: str, founds: Sequence[Found], lines: Sequence[Attempt], most: int) -> list[Chosen]:
    """At most `most` patterns, the plain use of every command first."""
    rows: list[_Row] = []
    for found in founds:
        if not found.bases:
            continue
        rows += _of_command(alias, found, [attempt for attempt in lines if attempt.draft.path == found.path])
    rows.sort(key=lambda row: row.rank)  # stable: command after command within a rank
    taken: list[_Row] = []
    results: set[tuple[object, ...]] = set()
    forms: set[str] = set()
    for row in filter(lambda row: row.attempt.scored and not _ignores_stdin(row.attempt, row.found.bases), rows):
        result = tuple(trial.result for trial in row.attempt.trials)
        signature = (*row.found.path, bool(row.attempt.draft.stdin), *result)
        if row.rank > 0 and (_form(row.attempt.draft) in forms or (signature in results and row.rank < 60)):
            continue  # does exactly what another pattern does
        results.add(signature)
        forms.add(_form(row.attempt.draft))
        taken.append(row)
    kept = taken[:most]
    names: dict[str, int] = {}
    chosen = []
    for row in _grouped(kept):
        base = _slug(" ".join((*row.found.path, row.title)))
        names[base] = names.get(base, 0) + 1
        identifier = base if names[base] == 1 else f"{base}-{names[base]}"
        chosen.append(
            Chosen(
                identifier,
                row.description,
                row.attempt,
                row.found.command,
                row.found.path,
                row.documented,
                row.rank,
                tuple(_mistakes(row.attempt.draft)),
            )
        )
    return chosen


def _ignores_stdin(attempt: Attempt, bases: Sequence[Attempt]) -> bool:
    """Whether the same arguments give the same results without the standard input."""
    bare = replace(attempt.draft, stdin=None)
    return attempt.draft.stdin is not None and any(
        other.draft == bare and [trial.result for trial in other.trials] == [trial.result for trial in attempt.trials] for other in bases
    )


def _other_contents(bases: Sequence[Attempt]) -> list[Attempt]:
    """Ways like the first one, with content of another kind that gives results of its own."""
    first = bases[0]
    return [attempt for attempt in _clear(bases)[1:] if _shape(attempt.draft) == _shape(first.draft) and attempt.distinct > 1]


def _clear(bases: Sequence[Attempt]) -> list[Attempt]:
    """The first one and those of the others that are no mere complaint about the input, unless the first is one too."""
    return [attempt for attempt in bases if attempt is bases[0] or bases[0].doubtful or not attempt.doubtful]


def written(attempts: Sequence[tuple[Attempt, Found]], ids: Iterable[str], rank: int) -> list[Chosen]:
    """Patterns that a model wrote, with ids of their own; the first of each command is its plain use where `rank` is 0."""
    taken = set(ids)
    rows: list[Chosen] = []
    seen: set[tuple[str, ...]] = set()
    for attempt, found in attempts:
        body = attempt.draft.body("x", "x")
        title = attempt.draft.title if isinstance(attempt.draft, WrittenDraft) else attempt.draft.label
        base = _slug(" ".join(word for word in body["argv"] if isinstance(word, str) and "{" not in word)) or "plain"
        identifier = next(name for name in (base, *(f"{base}-{number}" for number in range(2, 100))) if name not in taken)
        taken.add(identifier)
        place = rank if found.path not in seen else max(rank, 10)
        seen.add(found.path)
        rows.append(Chosen(identifier, " ".join(title.split()), attempt, found.command, found.path, False, place))
    return rows


def _grouped(rows: Sequence[_Row]) -> list[_Row]:
    """Patterns of one command side by side, in the order in which commands appear first."""
    order: dict[tuple[str, ...], list[_Row]] = {}
    for row in rows:
        order.setdefault(row.found.path, []).append(row)
    return [row for group in order.values() for row in group]


def _of_command(alias: str, found: Found, lines: Sequence[Attempt]) -> list[_Row]:
    shown = " ".join((alias, *found.path))
    about = sentence(found.command.summary)
    base = found.bases[0]
    rows = [_Row(0, "plain" if found.path == () else "", f"`{shown}`{_with(base.draft.uses)} {_input(base.draft)}.{about}", base, found)]
    kinds = {base.draft.label}
    shapes = {_shape(base.draft)}
    others = []
    for attempt in _clear(found.bases)[1:]:
        shape = _shape(attempt.draft)
        if attempt.draft.label in kinds or attempt.distinct < min(2, base.distinct) or shape in shapes:
            continue
        shapes.add(shape)
        kinds.add(attempt.draft.label)
        others.append(
            _Row(20, _title(attempt.draft), f"`{shown}`{_with(attempt.draft.uses)} {_input(attempt.draft)}.{about}", attempt, found)
        )
    effective = [
        _Row(10 + min(place, 5), _name(use), f"`{shown}` with `{_option(use)}`: {_help(use)}", attempt, found)
        for place, (use, attempt, changed) in enumerate(row for row in found.singles if row[2])
    ]
    same_shape = [
        _Row(50 + place, f"{_title(attempt.draft)}-{place + 2}", f"`{shown}` {_input(attempt.draft)}.{about}", attempt, found)
        for place, attempt in enumerate(_other_contents(found.bases)[:3])
    ]
    crossed = [
        _Row(
            40 + place, f"{_name(use)}-{_title(attempt.draft)}", f"`{shown}` with `{_option(use)}` {_input(attempt.draft)}.", attempt, found
        )
        for place, (use, attempt) in enumerate(found.crossed)
    ]
    idle = [
        _Row(70, _name(use), f"`{shown}` with `{_option(use)}`: {_help(use)}", attempt, found)
        for use, attempt, changed in found.singles
        if not changed and attempt.distinct > 1
    ]
    documented = [
        _Row(15 + 5 * (place > 1), f"example-{place + 1}", f"`{shown}` as in a documented example.", attempt, found, documented=True)
        for place, attempt in enumerate(_different(lines)[:4])
    ]
    pairs = [
        _Row(
            30 + place,
            "-".join(_name(use) for use in uses),
            f"`{shown}` with `{'` and `'.join(_option(use) for use in uses)}` together.",
            attempt,
            found,
        )
        for place, (uses, attempt) in enumerate(found.pairs[:4])
    ]
    return [*rows, *effective, *documented, *others[:3], *pairs, *crossed, *same_shape, *idle]


def _form(draft: Draft) -> str:
    """The pattern without which draw of a value it takes: two of one form differ in nothing that a user would see."""
    return re.sub(r"#\d+", "", json.dumps(draft.body("x", "x"), sort_keys=True))


def _different(attempts: Sequence[Attempt]) -> list[Attempt]:
    """The first of those that do the same in the same way."""
    found: dict[tuple[object, ...], Attempt] = {}
    for attempt in attempts:
        found.setdefault((bool(attempt.draft.stdin), *(trial.result for trial in attempt.trials)), attempt)
    return list(found.values())


def _shape(draft: Draft) -> str:
    """The way of input without the kind of content."""
    kind = re.compile(r"^(?:(?:detailed|documented) )?[a-z]+ (?=file$|on standard)|(?<=of )[a-z]+|(?<=two )[a-z]+")
    parts = [kind.sub("", plan.label) for plan in draft.operands]
    return " ".join((*parts, "stdin" if draft.stdin and draft.stdin.stdin else ""))


def _title(draft: Draft) -> str:
    if draft.stdin is not None and draft.stdin.stdin:
        return "stdin"
    labels = " ".join(plan.label for plan in draft.operands)
    for word, title in (("working folder", "here"), ("folder", "folder"), ("two", "files"), ("file", "file")):
        if word in labels:
            return title
    return "values" if draft.operands else "bare"


def _input(draft: Draft) -> str:
    parts = [plan.label for plan in draft.operands if plan.files]
    text = " and ".join(f"{_article(part)}{part}" for part in parts)
    if draft.stdin is not None and draft.stdin.stdin:
        text = f"{text + ' and ' if text else ''}{draft.stdin.label}"
    if text:
        return f"on {text}".replace("on json on", "on JSON on")
    spoken = [plan.label for plan in draft.operands if plan.label in CLASSES]
    if spoken:
        return f"with {' and '.join(spoken)} for arguments"
    return "with arguments" if draft.operands else "without arguments"


def _article(label: str) -> str:
    return "" if label.startswith(("two", "no")) else "an " if label[0] in "aeiou" else "a "


def _with(uses: Sequence[Use]) -> str:
    return f" with `{'`, `'.join(_option(use) for use in uses)}`" if uses else ""


def _option(use: Use) -> str:
    name = use.option.negation if use.negated and use.option.negation else use.option.name
    metavar = (use.option.metavar or "").strip("<>[]") or "VALUE"
    return f"{name} {metavar}" if use.option.takes_value else name


def _name(use: Use) -> str:
    return (use.option.negation if use.negated and use.option.negation else use.option.name).lstrip("-")


def _help(use: Use) -> str:
    text = " ".join(use.option.help.split())
    return (re.split(r"(?<=[.;])\s", text)[0][:200] or "see its help").rstrip(".") + "."


def sentence(text: str) -> str:
    """The first sentence of a summary, with a blank before it."""
    first = re.split(r"(?<=[.!?])\s", " ".join(text.split()))[0][:200].strip()
    return f" {first.rstrip('.')}." if re.search(r"[a-z]{3}", first) and not first.endswith(":") else ""


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:48].strip("-") or "plain"


def _mistakes(draft: Draft) -> Iterable[tuple[str, ...]]:
    """Command lines that are wrong in one respect: an unknown option, a missing file, a missing argument."""
    words = [word for plan in draft.operands for word in plan.words]
    options = [item for use in draft.uses for item in _flat(use)]
    yield (*draft.path, *options, "--no-such-option", *words)
    for place, plan in enumerate(draft.operands):
        for mistake in plan.mistakes:
            rest = [word for number, other in enumerate(draft.operands) for word in ((mistake,) if number == place else other.words)]
            yield (*draft.path, *options, *rest)
    if draft.operands and not (draft.stdin and draft.stdin.stdin):
        yield (*draft.path, *options, *(word for plan in draft.operands[:-1] for word in plan.words))
    for place, use in enumerate(draft.uses):
        if use.option.takes_value and not use.option.value_optional:
            others = [item for number, other in enumerate(draft.uses) if number != place for item in _flat(other)]
            yield (*draft.path, *others, *words, use.option.name)


def _flat(use: Use) -> list[str]:
    return [f"{use.option.name}={word}" for word in use.plan.words] if use.equals else [_first(use), *use.plan.words]


def _first(use: Use) -> str:
    return use.option.negation if use.negated and use.option.negation else use.option.name
