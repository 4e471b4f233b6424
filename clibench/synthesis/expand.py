"""From a spec to its test cases: for each pattern 50 distinct ones, valid and invalid mixed, the same on every machine.

A valid case has valid values only and keeps every constraint. Any other case is wrong in one respect: one parameter with an invalid or
an edge value, one broken constraint, or a whole command line that the spec lists as a mistake. Two cases are the same when their keys are
(argv, standard input, environment, fixture); a pattern whose value space is smaller than what was asked for gives fewer cases and a
`Shortfall`, and never a case twice. (Whole patterns of the published benchmark consist of 50 identical commands.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from clibench.synthesis import fixtures
from clibench.synthesis.check import templates
from clibench.synthesis.fixtures import FixtureSpec
from clibench.synthesis.scalars import Drawn, Scene
from clibench.synthesis.spec import AnyOrder, Constraint, Item, OneOf, Optional, PatternSpec, Repeat, Spec
from clibench.synthesis.stream import Stream
from clibench.synthesis.template import Placeholder, placeholders, render
from clibench.synthesis.values import AnyValue
from clibench.tasks.case import WORKSPACE, Case, Fixture

CaseClass = Literal["valid", "invalid", "edge"]

PATIENCE: Final = 400
"""Draws in a row that may give nothing new before a value space counts as exhausted."""
MAX_ARGUMENT: Final = 128 * 1024 - 1
"""Bytes of one argument (Linux: MAX_ARG_STRLEN, with the closing NUL)."""


@dataclass(frozen=True)
class Shortfall:
    """A pattern that gave fewer cases than were asked for."""

    pattern: str
    got: int
    wanted: int

    def __str__(self) -> str:
        return f"pattern '{self.pattern}': {self.got} of {self.wanted} cases, the value space has no more distinct ones"


@dataclass(frozen=True)
class Expansion:
    """The cases of a spec."""

    cases: tuple[Case, ...]
    fixtures: Mapping[str, Fixture]
    """By digest."""
    classes: Mapping[str, CaseClass]
    """By case id."""
    shortfalls: tuple[Shortfall, ...] = ()


@dataclass(frozen=True)
class _Draft:
    """A case before it has an id, with its fixture."""

    case: Case
    fixture: Fixture
    kind: CaseClass


def expand(spec: Spec) -> Expansion:
    """All cases of all patterns, in the order of the spec."""
    cases: list[Case] = []
    found: dict[str, Fixture] = {}
    classes: dict[str, CaseClass] = {}
    shortfalls: list[Shortfall] = []
    for pattern in spec.patterns:
        drafts = _drafts(spec, pattern)
        if len(drafts) < spec.cases_of(pattern):
            shortfalls.append(Shortfall(pattern.id, len(drafts), spec.cases_of(pattern)))
        for number, draft in enumerate(drafts, start=1):
            case = replace(draft.case, id=f"{pattern.id}/{number:02}")
            cases.append(case)
            found[case.fixture] = draft.fixture
            classes[case.id] = draft.kind
    return Expansion(tuple(cases), found, classes, tuple(shortfalls))


def _drafts(spec: Spec, pattern: PatternSpec) -> list[_Draft]:
    stream = Stream("clibench cases 1", spec.seed, pattern.id)
    wanted = spec.cases_of(pattern)
    share = spec.valid_share_of(pattern)
    maker = _Maker(spec, pattern)
    seen: set[str] = set()

    examples = [maker.example(line, stream.child("example", index)) for index, line in enumerate(pattern.examples)]
    first = _distinct(examples, seen, wanted)
    valid_wanted = max(round(wanted * share), len(first))
    valid = _distinct((maker.valid(stream.child("valid", n)) for n in _forever()), seen, valid_wanted - len(first)) if share > 0 else []
    # Where the valid space is small, the share is kept rather than filled up with mistakes.
    known = len(first) + len(valid)
    wrong_wanted = wanted - known if known == valid_wanted or share == 0 else round(known * (1 - share) / share)
    wrong = _distinct((maker.wrong(stream.child("wrong", n)) for n in _forever()), seen, min(wrong_wanted, wanted - known))
    missing = min(wrong_wanted, wanted - known) - len(wrong)
    if missing and share > 0 and known == valid_wanted:
        more = (maker.valid(stream.child("valid", n)) for n in _forever(valid_wanted * PATIENCE))
        valid += _distinct(more, seen, missing)
    return first + stream.child("order").shuffled(valid + wrong)


def _forever(start: int = 0) -> Iterable[int]:
    while True:
        yield start
        start += 1


def _distinct(drafts: Iterable[_Draft | None], seen: set[str], wanted: int) -> list[_Draft]:
    """The first `wanted` drafts that are not in `seen`; gives up after PATIENCE in a row without a new one."""
    found: list[_Draft] = []
    idle = 0
    if wanted < 1:
        return found
    for draft in drafts:
        key = draft.case.key() if draft is not None else None
        if draft is None or key is None or key in seen:
            idle += 1
            if idle >= PATIENCE:
                break
            continue
        idle = 0
        seen.add(key)
        found.append(draft)
        if len(found) == wanted:
            break
    return found


@dataclass
class _Line:
    """A command line whose groups are decided: templates with the scope of their draws, and the names of the groups that are there."""

    words: list[tuple[str, str]] = field(default_factory=list)
    present: set[str] = field(default_factory=set)


class _Maker:
    """Draws the cases of one pattern."""

    def __init__(self, spec: Spec, pattern: PatternSpec) -> None:
        self.spec = spec
        self.pattern = pattern
        self.params: dict[str, AnyValue] = {**spec.params, **pattern.params}
        self.fixtures = [(name, fixtures.resolve(name, spec.fixtures)) for name in pattern.fixture] or [("", FixtureSpec())]
        self.scenes = {name: fixtures.scene_of(fixture, pattern.files) for name, fixture in self.fixtures}
        self.shared = {p.label for _, text in _outside_repeats(pattern) for p in placeholders(text)}
        self.breaks = [rule for constraint in pattern.constraints if constraint.violate for rule in _rules(constraint)]
        self.rules = [rule for constraint in pattern.constraints for rule in _rules(constraint)]

    def valid(self, stream: Stream) -> _Draft | None:
        line = self._line(stream.child("line"), self.pattern.argv, {}, self.rules)
        return self._draft(stream, line, {}, "valid") if line else None

    def example(self, items: Sequence[Item], stream: Stream) -> _Draft | None:
        line = self._line(stream.child("line"), items, {}, [])
        return self._draft(stream, line, {}, "valid") if line else None

    def wrong(self, stream: Stream) -> _Draft | None:
        """A case that is wrong in one respect, or None where this draw found none."""
        kinds = ["value"] * 4 + ["edge"] * 3 + ["rule"] * (2 if self.breaks else 0) + ["mistake"] * (3 if self.pattern.mistakes else 0)
        match stream.pick(kinds):
            case "value":
                return self._with_bad_value(stream, lambda value, source, _: value.draw_invalid(source), "invalid")
            case "edge":
                return self._with_bad_value(stream, lambda value, source, data: value.draw_edge(source, data=data), "edge")
            case "rule":
                broken = stream.pick(self.breaks)
                line = self._line(stream.child("line"), self.pattern.argv, broken.force, [*_others(self.rules, broken), broken.inverse()])
                return self._draft(stream, line, {}, "invalid") if line else None
            case _:
                line = self._line(stream.child("line"), stream.pick(self.pattern.mistakes), {}, [])
                return self._draft(stream, line, {}, "invalid") if line else None

    def _with_bad_value(self, stream: Stream, draw: Callable[[AnyValue, Stream, bool], Drawn | None], kind: CaseClass) -> _Draft | None:
        line = self._line(stream.child("line"), self.pattern.argv, {}, self.rules)
        if line is None:
            return None
        arguments = {self._key(p, scope): p.name for text, scope in line.words for p in placeholders(text)}
        arguments |= {p.label: p.name for text in self.pattern.env.values() for p in placeholders(text)}
        data = {p.label: p.name for text in self._data_templates() for p in placeholders(text)}
        keys = sorted({**data, **arguments})
        if not keys:
            return None
        key = stream.pick(keys)
        name = arguments.get(key) or data[key]
        bad = draw(self.params[name], stream.child("bad"), key not in arguments)
        return None if bad is None else self._draft(stream, line, {key: bad}, kind)

    def _data_templates(self) -> list[str]:
        texts = [self.pattern.stdin, *self.pattern.files]
        texts += [text for file in self.pattern.files.values() for text in (file.content, file.repeat, file.link) if text is not None]
        return texts

    def _key(self, placeholder: Placeholder, scope: str) -> str:
        """The name of a draw: within a repetition its own, unless the same placeholder stands outside of it too."""
        return placeholder.label if placeholder.label in self.shared or not scope else f"{placeholder.label}@{scope}"

    def _line(self, stream: Stream, items: Sequence[Item], force: Mapping[str, bool], rules: Sequence[_Rule]) -> _Line | None:
        for attempt in range(60):
            line = _Line()
            _decide(items, stream.child(attempt), force, line, "")
            if all(rule.holds(line.present) for rule in rules):
                return line
        return None

    def _draft(self, stream: Stream, line: _Line, fixed: Mapping[str, Drawn], kind: CaseClass) -> _Draft | None:
        name, base = stream.child("fixture").pick(self.fixtures)
        values = _Values(self.params, stream, self.scenes[name], dict(fixed))
        argv = [render(text, lambda p, scope=scope: values.text(p, self._key(p, scope))) for text, scope in line.words]  # type: ignore[misc]
        env = {key: render(text, values.shared) for key, text in self.pattern.env.items()}
        if any("\0" in text or len(text.encode("utf-8", "surrogateescape")) > MAX_ARGUMENT for text in (*argv, *env.values())):
            return None
        fixture = fixtures.build(base, self.pattern.files, lambda text: render(text, values.shared))
        if fixture is None:
            return None
        cwd = WORKSPACE if self.pattern.cwd is None else f"{WORKSPACE}/{self.pattern.cwd.rstrip('/')}"
        case = Case(
            id="",
            pattern=self.pattern.id,
            argv=(self.spec.task.alias, *argv),
            fixture=fixture.digest(),
            stdin=render(self.pattern.stdin, values.shared).encode("utf-8", "surrogateescape"),
            env=env,
            cwd=cwd,
            timeout_s=self.pattern.timeout_s,
        )
        return _Draft(case, fixture, kind)


@dataclass
class _Values:
    """The values of one case, drawn when they are first asked for."""

    params: Mapping[str, AnyValue]
    stream: Stream
    scene: Scene
    drawn: dict[str, Drawn]

    def text(self, placeholder: Placeholder, key: str) -> str:
        if key not in self.drawn:
            self.drawn[key] = self.params[placeholder.name].valid(self.stream.child("value", key), self.scene)
        return self.drawn[key][placeholder.field]

    def shared(self, placeholder: Placeholder) -> str:
        return self.text(placeholder, placeholder.label)


def _decide(items: Sequence[Item], stream: Stream, force: Mapping[str, bool], line: _Line, scope: str) -> None:
    """Decide every group of `items` and append what remains to `line`."""
    for index, item in enumerate(items):
        source = stream.child(index)
        before = len(line.words)
        forced = None if isinstance(item, str) or item.name is None else force.get(item.name)
        match item:
            case str():
                line.words.append((item, scope))
            case Optional():
                if source.chance(item.p) if forced is None else forced:
                    _decide(item.optional, source, force, line, scope)
            case Repeat():
                low = max(item.min, 1) if forced else item.min
                count = 0 if forced is False else source.between(low, max(item.max, low))
                for number in range(count):
                    _decide(item.repeat, source.child("round", number), force, line, f"{scope}/{index}.{number}")
            case OneOf():
                if forced is not False:
                    _decide(source.pick(item.one_of), source.child("one"), force, line, scope)
            case AnyOrder():
                if forced is not False:
                    for number, group in enumerate(source.shuffled(item.any_order)):
                        _decide(group, source.child("part", number), force, line, scope)
        if not isinstance(item, str) and item.name is not None and len(line.words) > before:
            line.present.add(item.name)


@dataclass(frozen=True)
class _Rule:
    """One condition on the groups that are there, and which groups to force for breaking it."""

    needs: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    """With `needs`: only where all of these are there."""
    excludes: tuple[str, ...] = ()
    """At most one of these."""
    force: Mapping[str, bool] = field(default_factory=dict)
    broken: bool = False

    def holds(self, present: set[str]) -> bool:
        kept = self._kept(present)
        return not kept if self.broken else kept

    def _kept(self, present: set[str]) -> bool:
        if sum(name in present for name in self.excludes) > 1:
            return False
        return not all(name in present for name in self.given) or all(name in present for name in self.needs)

    def inverse(self) -> _Rule:
        return replace(self, broken=True)


def _rules(constraint: Constraint) -> list[_Rule]:
    rules = [_Rule(needs=(name,), force={name: False}) for name in constraint.required]
    exclusive = constraint.exclusive
    for index, one in enumerate(exclusive):
        rules += [_Rule(excludes=(one, other), force={one: True, other: True}) for other in exclusive[index + 1 :]]
    for name, needed in constraint.requires.items():
        rules += [_Rule(needs=(other,), given=(name,), force={name: True, other: False}) for other in needed]
    return rules


def _others(rules: Sequence[_Rule], broken: _Rule) -> list[_Rule]:
    """The rules that can still hold when `broken` does not: those over other groups."""
    touched = set(broken.force)
    return [rule for rule in rules if not touched & {*rule.needs, *rule.given, *rule.excludes}]


def _outside_repeats(pattern: PatternSpec) -> Iterable[tuple[tuple[str | int, ...], str]]:
    return ((where, text) for where, text in templates(pattern) if where[0] not in ("examples", "mistakes") and "repeat" not in where)
