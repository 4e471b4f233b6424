"""The fuzz spec, `tasks/<id>/spec.yaml`: what a person, the rules or a model writes, and everything else of a task follows from.

`read_spec` gives a checked `Spec` or a TaskError that names file, line and fault, with the nearest valid name for a misspelt one.
tasks/README.md describes the format for authors. Every scalar is text in the file (`located.py`), and becomes a number where the model
says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from clibench.package_name import fault_of_pin
from clibench.synthesis.explain import first_fault, validate
from clibench.synthesis.fixtures import File, FixtureSpec
from clibench.synthesis.located import Located, parse_located, read_located
from clibench.synthesis.strict import Strict
from clibench.synthesis.values import Value
from clibench.tasks.task import Language

GROUPS = ("optional", "repeat", "one_of", "any_order")
NAME = r"^[a-z0-9][a-z0-9._-]*$"
PARAMETER = r"^[A-Za-z_][A-Za-z0-9_-]*$"


def _as_list(data: Any) -> Any:
    """One name is a list of one."""
    return [data] if isinstance(data, str) else data


Names = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class Optional(Strict):
    """Words that are there in some cases."""

    optional: tuple[Item, ...] = Field(min_length=1)
    name: str | None = None
    """What constraints call it."""
    p: float = Field(default=0.5, ge=0, le=1)
    """Share of the cases that have it."""


class Repeat(Strict):
    """Words that are there several times, each with values of its own."""

    repeat: tuple[Item, ...] = Field(min_length=1)
    name: str | None = None
    min: int = Field(default=1, ge=0, le=100)
    max: int = Field(default=3, ge=0, le=100)


class OneOf(Strict):
    """One of several sequences of words; an empty one is allowed."""

    one_of: tuple[tuple[Item, ...], ...] = Field(min_length=1)
    name: str | None = None


class AnyOrder(Strict):
    """Sequences of words whose order doesn't matter to the tool."""

    any_order: tuple[tuple[Item, ...], ...] = Field(min_length=1)
    name: str | None = None


Group = Optional | Repeat | OneOf | AnyOrder


def _item_tag(data: Any) -> str | None:
    if isinstance(data, str):
        return "text"
    keys = data if isinstance(data, dict) else vars(data) if isinstance(data, Strict) else ()
    return next((name for name in GROUPS if name in keys), None)


Item = Annotated[
    Annotated[str, Tag("text")]
    | Annotated[Optional, Tag("optional")]
    | Annotated[Repeat, Tag("repeat")]
    | Annotated[OneOf, Tag("one_of")]
    | Annotated[AnyOrder, Tag("any_order")],
    Discriminator(
        _item_tag,
        custom_error_type="item",
        custom_error_message="a word of argv is text, or a group with one of the keys optional, repeat, one_of and any_order",
    ),
]


class Constraint(Strict):
    """A rule over named groups, kept in valid cases; each invalid case breaks at most one."""

    required: Names = ()
    """Each must be there."""
    exclusive: Names = ()
    """At most one may be there."""
    requires: dict[str, Names] = Field(default_factory=dict)
    """Where the key is there, the others must be."""
    violate: bool = True
    """Make invalid cases that break it."""


class PatternSpec(Strict):
    """One command pattern: one way to use the tool."""

    id: str = Field(pattern=NAME)
    description: str = Field(min_length=1)
    argv: tuple[Item, ...]
    """Words after the command's name."""
    fixture: Names = ()
    """Names of fixtures; each case takes one. None is an empty workspace."""
    files: dict[str, File] = Field(default_factory=dict)
    """Files on top of the fixture; their text may hold placeholders."""
    stdin: str = ""
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    """Working directory below the workspace."""
    params: dict[str, Value] = Field(default_factory=dict)
    """Parameters of this pattern, before those of the spec."""
    constraints: tuple[Constraint, ...] = ()
    examples: tuple[tuple[Item, ...], ...] = ()
    """Command lines that are always among the valid cases, and first in the prompt."""
    mistakes: tuple[tuple[Item, ...], ...] = ()
    """Command lines that a user gets wrong: invalid cases."""
    cases: int | None = Field(default=None, ge=1, le=99)
    valid_share: float | None = Field(default=None, ge=0, le=1)
    normalisers: tuple[str, ...] = ()
    timeout_s: float | None = Field(default=None, gt=0, le=120)


ENTRY: Final = r"^[^/\s,()]+$"
"""The name of an executable: one that a normaliser can be given too."""


class OracleSpec(Strict):
    """The pinned tool."""

    registry: Literal["pypi", "npm", "go"]
    name: str = Field(min_length=1)
    """Package; for Go, the path of the main package."""
    version: str = Field(min_length=1)
    entry: str = Field(min_length=1, pattern=ENTRY)
    licence: str = Field(min_length=1)
    """SPDX identifier."""
    extras: tuple[str, ...] = ()
    """Of a Python package."""
    spellings: tuple[Annotated[str, Field(pattern=r"^[^\s,()]+(?: [^\s,()]+)*$")], ...] = ()
    """Other spellings of its name that it prints (`DocTool` of doctool): the alias takes their place too."""

    @model_validator(mode="after")
    def _can_be_in_the_registry(self) -> Self:
        fault = fault_of_pin(self.registry, self.name, self.version)
        if fault is not None:
            raise ValueError(fault)
        return self


class TaskHead(Strict):
    """What an implementer is told about the assignment, and what must not be told."""

    alias: str = Field(pattern=NAME)
    language: Language
    category: str = Field(min_length=1)
    forbidden: tuple[str, ...] = ()
    """Words that must not appear in the prompt, besides the names of package, entry and module: authors, owners, brands."""
    allowed: tuple[str, ...] = ()
    """Words and addresses that the tool itself prints or takes (a licence's address, a default), and that may therefore appear."""


class Spec(Strict):
    """A whole spec.yaml."""

    version: Literal["1"]
    task: TaskHead
    oracle: OracleSpec
    help: tuple[tuple[str, ...], ...] = (("--help",),)
    """Words of the commands whose output is the help text of the prompt."""
    seed: int = 0
    cases: int = Field(default=50, ge=1, le=99)
    valid_share: float = Field(default=0.7, ge=0, le=1)
    """Share of valid cases in each pattern."""
    normalisers: tuple[str, ...] = ()
    """Named normalisers for every case."""
    unstable: dict[str, str] = Field(default_factory=dict)
    """Ids of cases that are left out, each with the reason: what is known to vary so seldom that repeated runs may not show it (a race)."""
    params: dict[str, Value] = Field(default_factory=dict)
    fixtures: dict[str, FixtureSpec] = Field(default_factory=dict)
    patterns: tuple[PatternSpec, ...] = Field(min_length=1)

    def cases_of(self, pattern: PatternSpec) -> int:
        """Cases wanted for a pattern."""
        return self.cases if pattern.cases is None else pattern.cases

    def valid_share_of(self, pattern: PatternSpec) -> float:
        """Share of valid cases in a pattern."""
        return self.valid_share if pattern.valid_share is None else pattern.valid_share


for _model in (Optional, Repeat, OneOf, AnyOrder, PatternSpec, Spec):
    _model.model_rebuild()


def read_spec(file: Path) -> Spec:
    """Read and check a spec.yaml; raises TaskError naming file, line and fault."""
    return spec_of(read_located(file))


def parse_spec(content: str, file: Path = Path("spec.yaml")) -> Spec:
    """Check the text of a spec.yaml; `file` is for the messages."""
    return spec_of(parse_located(content, file))


def spec_of(document: Located) -> Spec:
    """The spec that a located document holds."""
    from clibench.synthesis.check import faults

    spec = validate(document, Spec)
    if broken := [(location, what, False) for location, what in faults(spec)]:
        raise first_fault(document, broken)
    return spec
