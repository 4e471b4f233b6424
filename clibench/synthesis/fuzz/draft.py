"""A command pattern in the making: plans for its words, files and standard input, and the pattern of a spec that they come to.

A plan says how one place of a command line gets its values. It is data, so that the search can take another one in its place, and the trace
can tell which ones were tried.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clibench.synthesis.fuzz.contents import Kind
from clibench.synthesis.schema import Option


@dataclass(frozen=True)
class Plan:
    """How one place gets its values: words of argv, the parameters that they draw, files that have to be there, standard input."""

    label: str
    """For traces: `json file`, `whole number`."""
    words: tuple[Any, ...] = ()
    """Items of a pattern's argv."""
    params: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)
    stdin: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    mistakes: tuple[str, ...] = ()
    """Words that a user might give wrongly in this place."""


@dataclass(frozen=True)
class Use:
    """An option with the plan of its value (a plan without words for a flag)."""

    option: Option
    plan: Plan
    equals: bool = False
    """Written --name=value."""
    negated: bool = False

    @property
    def label(self) -> str:
        """For traces."""
        name = self.option.negation if self.negated and self.option.negation else self.option.name
        return f"{name} ({self.plan.label})" if self.option.takes_value else name

    def items(self) -> list[Any]:
        """As items of argv: where the option has two names, either one."""
        names = [self.option.negation] if self.negated and self.option.negation else _spellings(self.option)
        lines = [[f"{name}={word}" for word in self.plan.words] if self.equals else [name, *self.plan.words] for name in names]
        return [{"one_of": lines}] if len(lines) > 1 else lines[0]


def _spellings(option: Option) -> list[str]:
    """The longest and the shortest name."""
    short = min(option.names, key=len)
    return list(dict.fromkeys((option.name, short)))


@dataclass(frozen=True)
class Draft:
    """One command pattern in the making."""

    path: tuple[str, ...]
    uses: tuple[Use, ...] = ()
    operands: tuple[Plan, ...] = ()
    stdin: Plan | None = None
    operands_first: bool = False
    more_files: Mapping[str, Any] = field(default_factory=dict)
    """Files that a repair has added."""
    more_params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """For traces."""
        parts = [*self.path, *(use.label for use in self.uses), *(f"<{plan.label}>" for plan in self.operands)]
        if self.stdin is not None:
            parts.append(f"< {self.stdin.label}")
        if self.more_files:
            parts.append(f"+ {', '.join(self.more_files)}")
        return " ".join(parts) or "(no arguments)"

    def plans(self) -> list[Plan]:
        """All plans."""
        return [*(use.plan for use in self.uses), *self.operands, *([self.stdin] if self.stdin else [])]

    def with_use(self, use: Use) -> Draft:
        """With an option more, in the place of one of the same name."""
        kept = tuple(other for other in self.uses if other.option.name != use.option.name)
        return replace(self, uses=(*kept, use))

    def body(self, identifier: str, description: str, **more: Any) -> dict[str, Any]:
        """The pattern of a spec."""
        options: list[Any] = [item for use in self.uses for item in use.items()]
        words: list[Any] = [word for plan in self.operands for word in plan.words]
        ordered = words + options if self.operands_first else options + words
        body: dict[str, Any] = {"id": identifier, "description": description, "argv": [*self.path, *ordered]}
        files: dict[str, Any] = dict(self.more_files)
        params: dict[str, Any] = dict(self.more_params)
        for plan in self.plans():
            files |= plan.files
            params |= plan.params
        env = {name: value for plan in self.plans() for name, value in plan.env.items()}
        if env:
            body["env"] = env
        if files:
            body["files"] = files
        if self.stdin is not None and self.stdin.stdin:
            body["stdin"] = self.stdin.stdin
        if params:
            body["params"] = params
        return body | more


@dataclass(frozen=True)
class WrittenDraft(Draft):
    """A pattern that was written as a whole."""

    title: str = ""
    pattern: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """For traces."""
        return f"{self.title}: {json.dumps(self.pattern['argv'])[:160]}"

    def body(self, identifier: str, description: str, **more: Any) -> dict[str, Any]:
        """The pattern of a spec."""
        return {"id": identifier, "description": description, **self.pattern, **more}


def content(kind: Kind, number: int = 0) -> tuple[str, dict[str, Any]]:
    """Template and parameters of the `number`th document of a kind in one case: each draws values of its own."""
    if not number:
        return kind.template, dict(kind.params)

    def shift(match: re.Match[str]) -> str:
        return f"{{{match[1]}#{int(match[2] or 1) + 20 * number}{match[3] or ''}}}"

    names = "|".join(map(re.escape, kind.params))
    return re.sub(rf"\{{({names})(?:#(\d+))?(\.\w+)?\}}", shift, kind.template), dict(kind.params)
