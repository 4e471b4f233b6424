"""What a spec must hold beyond the form of its parts: names that are used are declared, and every value can be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clibench.errors import did_you_mean
from clibench.synthesis.fixtures import FixtureSpec, path_fault, resolve, scene_of
from clibench.synthesis.located import Location
from clibench.synthesis.scalars import PathValue, RecordValue
from clibench.synthesis.spec import AnyOrder, Item, OneOf, Optional, PatternSpec, Repeat, Spec
from clibench.synthesis.template import Placeholder, placeholders
from clibench.synthesis.values import AnyValue, ListValue

Fault = tuple[Location, str]


def faults(spec: Spec) -> list[Fault]:
    """All faults of a spec, with where they are."""
    found = list(_fixtures(spec))
    if found:
        return found  # patterns are judged over sound fixtures
    seen: dict[str, int] = {}
    for index, pattern in enumerate(spec.patterns):
        if pattern.id in seen:
            found.append((("patterns", index, "id"), f"the pattern '{pattern.id}' is there twice"))
        seen[pattern.id] = index
        found.extend((("patterns", index, *where), what) for where, what in _pattern(spec, pattern))
    return found


def _fixtures(spec: Spec) -> Iterator[Fault]:
    for name, fixture in spec.fixtures.items():
        for path in fixture.files:
            if fault := path_fault(path):
                yield ("fixtures", name, "files", path), f"'{path}': {fault}"
        if fixture.extends is not None and fixture.extends not in spec.fixtures:
            hint = did_you_mean(fixture.extends, spec.fixtures)
            yield ("fixtures", name, "extends"), f"unknown fixture '{fixture.extends}'. {hint}"
            continue
        try:
            whole = resolve(name, spec.fixtures)
        except KeyError:
            continue  # said where the unknown name stands
        except ValueError as error:
            yield ("fixtures", name, "extends"), f"fixtures extend each other in a circle: {error}"
            continue
        if fault := _tree_fault(whole):
            yield ("fixtures", name), fault


def _tree_fault(fixture: FixtureSpec) -> str | None:
    """A path below another one that is no folder."""
    solid = {path.rstrip("/") for path, file in fixture.files.items() if not file.dir}
    for path in fixture.files:
        parts = path.rstrip("/").split("/")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            if parent in solid:
                return f"'{path}' is below '{parent}', which is no folder"
    return None


def _pattern(spec: Spec, pattern: PatternSpec) -> Iterator[Fault]:
    for path in pattern.files:
        if fault := path_fault(path):
            yield ("files", path), f"'{path}': {fault}"
    unknown = [name for name in pattern.fixture if name not in spec.fixtures]
    for name in unknown:
        yield ("fixture",), f"unknown fixture '{name}'. {did_you_mean(name, spec.fixtures)}"
    if pattern.cwd is not None and (fault := path_fault(pattern.cwd)):
        yield ("cwd",), f"'{pattern.cwd}': {fault}"
    names = set(group_names(pattern.argv))
    for index, constraint in enumerate(pattern.constraints):
        mentioned = {*constraint.required, *constraint.exclusive, *constraint.requires}
        mentioned.update(*constraint.requires.values())
        for name in sorted(mentioned - names):
            yield ("constraints", index), f"no group of argv has the name '{name}'. {did_you_mean(name, names)}"
    params = {**spec.params, **pattern.params}
    used: dict[str, AnyValue] = {}
    for where, template in templates(pattern):
        if "\0" in template and where[0] in ("argv", "env", "examples", "mistakes"):
            yield where, "an argument or environment value can't hold NUL"
        for placeholder in placeholders(template):
            if fault := _placeholder_fault(placeholder, params):
                yield where, fault
            else:
                used[placeholder.name] = params[placeholder.name]
    if not unknown:
        for name, value in used.items():
            yield from _drawable(spec, pattern, name, value)


def _placeholder_fault(placeholder: Placeholder, params: dict[str, AnyValue]) -> str | None:
    value = params.get(placeholder.name)
    if value is None:
        return f"unknown parameter '{placeholder.name}'. {did_you_mean(placeholder.name, params)}"
    fields = set(value.rows[0]) if isinstance(value, RecordValue) else {""}
    if placeholder.field in fields:
        return None
    if isinstance(value, RecordValue):
        return f"record '{placeholder.name}' needs one of its fields, not '{placeholder.field}'. {did_you_mean(placeholder.field, fields)}"
    return f"parameter '{placeholder.name}' is no record and has no field '{placeholder.field}'"


def _drawable(spec: Spec, pattern: PatternSpec, name: str, value: AnyValue) -> Iterator[Fault]:
    if isinstance(value, ListValue):
        yield from _drawable(spec, pattern, name, value.of)
    if not isinstance(value, PathValue):
        return
    for fixture in pattern.fixture or ("",):
        whole = resolve(fixture, spec.fixtures) if fixture else FixtureSpec()
        if not value.candidates(scene_of(whole, pattern.files)):
            shown = f"fixture '{fixture}'" if fixture else "an empty workspace"
            kinds = ", ".join(value.of)
            where: Location = ("params", name) if name in pattern.params else ("fixture",)
            yield where, f"parameter '{name}': {shown} has no path of kind [{kinds}] that matches '{value.match}'"


def templates(pattern: PatternSpec) -> Iterator[tuple[Location, str]]:
    """Every text of a pattern that may hold placeholders, with where it stands."""
    yield from item_templates(pattern.argv, ("argv",))
    for index, line in enumerate(pattern.examples):
        yield from item_templates(line, ("examples", index))
    for index, line in enumerate(pattern.mistakes):
        yield from item_templates(line, ("mistakes", index))
    yield ("stdin",), pattern.stdin
    for name, template in pattern.env.items():
        yield ("env", name), template
    for path, file in pattern.files.items():
        for content in (path, file.content, file.repeat, file.link):
            if content is not None:
                yield ("files", path), content


def item_templates(items: Sequence[Item], where: Location) -> Iterator[tuple[Location, str]]:
    """The texts of a command line, with where they stand."""
    for index, item in enumerate(items):
        here = (*where, index)
        match item:
            case str():
                yield here, item
            case Optional():
                yield from item_templates(item.optional, (*here, "optional"))
            case Repeat():
                yield from item_templates(item.repeat, (*here, "repeat"))
            case OneOf():
                for number, line in enumerate(item.one_of):
                    yield from item_templates(line, (*here, "one_of", number))
            case AnyOrder():
                for number, line in enumerate(item.any_order):
                    yield from item_templates(line, (*here, "any_order", number))


def group_names(items: Sequence[Item]) -> Iterator[str]:
    """Names of the groups of a command line, nested ones too."""
    for item in items:
        if isinstance(item, str):
            continue
        if item.name is not None:
            yield item.name
        match item:
            case Optional():
                yield from group_names(item.optional)
            case Repeat():
                yield from group_names(item.repeat)
            case OneOf():
                for line in item.one_of:
                    yield from group_names(line)
            case AnyOrder():
                for line in item.any_order:
                    yield from group_names(line)
