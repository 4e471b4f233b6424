"""Scripts: what the scripted model answers, turn by turn.

A script is chosen by the first `when` that fits the request; the turn by how many answers the conversation already holds, so that retries
and any number of conversations at once need no state. `files`, `run` and `done` are said in whatever tools the agent offers (see
`actions.py`), so that one script drives every framework.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clibench.errors import UserError

FaultKind = Literal["rate_limit", "server_error", "auth", "stall", "cut", "garbage", "malformed_tool_call"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(_Strict):
    """Something that goes wrong with a turn, the first `times` times that it is asked for (by one API key)."""

    kind: FaultKind
    """rate_limit: 429. server_error: `status`. auth: 401. stall: begins to answer, then silence. cut: begins, then closes the connection.
    garbage: 200 with a body that is not JSON. malformed_tool_call: arguments that are not JSON."""
    times: int = 1
    """-1 is always."""
    status: int = 500
    retry_after: float | None = None
    """Seconds, sent as the Retry-After header."""


class ScriptedUsage(_Strict):
    """Token counts to report instead of the counted ones. None keeps the count."""

    prompt_tokens: int | None = None
    cached_tokens: int = 0
    """Part of prompt_tokens."""
    completion_tokens: int | None = None
    reasoning_tokens: int = 0
    """Part of completion_tokens."""


class ToolCall(_Strict):
    """One call of a tool, by the agent's own name for it."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Turn(_Strict):
    """One answer of the model."""

    text: str = ""
    files: dict[str, str] = Field(default_factory=dict)
    """Files to write, by path, with the tools that the agent offers; as fenced blocks of text where it offers none."""
    run: str | None = None
    """A shell command to run, after the files are written."""
    tools: tuple[ToolCall, ...] = ()
    """Calls by name, for one framework in particular."""
    done: bool = False
    """Say, as the agent wants to hear it, that the task is complete."""
    refusal: bool = False
    """Refuse, as the dialect does it (finish reason content_filter, refusal, SAFETY)."""
    cut_at: int | None = None
    """Stop after this many characters of text, with finish reason `length`."""
    repeat: int = 1
    """Repeat `text` this many times (huge output)."""
    usage: ScriptedUsage = ScriptedUsage()
    fault: Fault | None = None


class When(_Strict):
    """Which requests a script answers. Empty fits all."""

    text: str | None = None
    """Regular expression, searched in all text of the request."""
    model: str | None = None
    """Regular expression for the whole model name."""
    tools: bool | None = None
    """Whether the request offers tools (agents ask for titles and summaries without)."""


class Script(_Strict):
    """A conversation from its first answer on."""

    name: str = "script"
    when: When = When()
    turns: tuple[Turn, ...]
    then: Literal["last", "again"] = "last"
    """After the last turn: give it again and again, or start over (an agent that loops for ever)."""

    def fits(self, *, text: str, model: str, tools: bool) -> bool:
        """Whether this script answers a request."""
        when = self.when
        return (
            (when.tools is None or when.tools == tools)
            and (when.model is None or re.fullmatch(when.model, model) is not None)
            and (when.text is None or re.search(when.text, text) is not None)
        )

    def turn(self, index: int) -> tuple[int, Turn]:
        """The turn that answers a conversation which already holds `index` answers, and its place."""
        place = min(index, len(self.turns) - 1) if self.then == "last" else index % len(self.turns)
        return place, self.turns[place]


class Scripts(_Strict):
    """What one server plays."""

    scripts: tuple[Script, ...]

    @classmethod
    def of(cls, *turns: Turn, then: Literal["last", "again"] = "last") -> Scripts:
        """One script that answers everything."""
        return cls(scripts=(Script(turns=turns, then=then),))


@dataclass(frozen=True)
class Reply:
    """What a dialect renders: an answer with its counted tokens."""

    id: str
    model: str
    text: str
    tools: tuple[ToolCall, ...]
    finish: Literal["stop", "length", "tool", "refusal"]
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    malformed: bool = False
    """Cut the tools' arguments so that they are not JSON."""

    def arguments(self, call: ToolCall) -> str:
        """The JSON text of a call's arguments, broken where the script says so."""
        text = json.dumps(call.arguments)
        return text[: max(1, len(text) // 2)] if self.malformed else text


def load_scripts(path: Path) -> Scripts:
    """Read a YAML or JSON file of scripts; raises UserError with file and place."""
    try:
        body = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"the script can't be read ({error.strerror})", where=str(path)) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"not YAML or JSON: {error}", where=str(path)) from error
    try:
        return Scripts.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{first['msg']} at {'.'.join(map(str, first['loc'])) or 'the top'}", where=str(path)) from error


_TOKEN = re.compile(r"\w+|[^\w\s]")


def count_tokens(text: str) -> int:
    """Words and punctuation marks: a count that is exact, cheap and the same everywhere; it is no model's tokenizer."""
    return sum(1 for _ in _TOKEN.finditer(text))
