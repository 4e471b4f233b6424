"""Any agent that is a command: what to install, what to write before, what to run, how to read what it says of itself. YAML alone.

The texts of `files`, `env`, `command` and `stdin` are Jinja templates over: prompt, model (the provider's name of it), token, root (the
gateway's address), openai_url (the same with /v1), workspace, home. Adding an agent is adding a file to conf/framework, and no Python.

An exit status is not believed: several of these agents exit with 0 when their provider failed, and the gateway knows better. What they say
of themselves (`usage`, `signs`) is a second source, reported where it differs.
"""

from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from clibench.errors import SandboxError, UserError, did_you_mean
from clibench.generation.agent import Agent, AgentEnd, AgentLimits, AgentRun
from clibench.generation.agent_image import agent_image
from clibench.generation.agent_sandbox import (
    HOME,
    PORT,
    WORKSPACE,
    AgentSandbox,
    AgentSandboxSettings,
    CommandEnd,
    Placement,
    require_docker,
)
from clibench.generation.context import AgentContext
from clibench.tasks.task import Task

_CLOSED_GRACE_S: Final = 60.0
"""How long an agent may go on after its run was closed: some wait for ever for a model that will not answer."""


@dataclass
class UsageRule:
    """Where the agent writes what it used. Numbers that several rows or paths give are added up."""

    source: str = "stdout"
    """stdout, stderr, or a path in its home."""
    form: str = "json"
    """json: one value (the last line that is one, where there is more). jsonl: a value a line."""
    where: dict[str, str] = field(default_factory=dict)
    """Only rows whose fields have these values."""
    prompt: list[str] = field(default_factory=list)
    """Dotted paths; `*` is every item of a list or object."""
    completion: list[str] = field(default_factory=list)


@dataclass
class Sign:
    """Something in its output that a reader of the results should know."""

    pattern: str
    """Regular expression."""
    means: str
    """What it means, in a few words."""
    source: str = "stdout"


@dataclass
class CommandLineAgent:
    """One agent."""

    name: str
    command: list[str]
    install: list[str] = field(default_factory=list)
    """Shell commands, run as root when its image is made; pin versions here."""
    files: dict[str, str] = field(default_factory=dict)
    """Written before it starts, by path below its home."""
    env: dict[str, str] = field(default_factory=dict)
    stdin: str = ""
    usage: UsageRule | None = None
    signs: list[Sign] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)
    """Further files of its home to keep as artifacts."""
    limits: AgentLimits = field(default_factory=AgentLimits)
    sandbox: AgentSandboxSettings = field(default_factory=AgentSandboxSettings)

    label: ClassVar[str] = ""
    uses_model: ClassVar[bool] = True

    def bind(self, context: AgentContext) -> Agent:
        """Able to generate."""
        return Agent(self, context)

    def identity(self) -> dict[str, Any]:
        """All that it is made of but its bounds."""
        return {key: value for key, value in asdict(self).items() if key not in ("limits", "sandbox")} | self.sandbox.identity()

    def ready(self, context: AgentContext) -> None:
        """A Docker daemon has to answer, and the YAML has to make sense."""
        where = f"framework={self.name}"
        for text in (*self.command, *self.env.values(), *self.files.values(), self.stdin):
            _render(text, dict.fromkeys(_VARIABLES, ""), where)
        for sign in self.signs:
            try:
                re.compile(sign.pattern)
            except re.error as error:
                raise UserError(f"not a regular expression: {sign.pattern} ({error})", where=where) from error
        if self.usage is not None and self.usage.form not in ("json", "jsonl"):
            raise UserError(
                f"usage.form: unknown form '{self.usage.form}'", where=where, fix=did_you_mean(self.usage.form, ("json", "jsonl"))
            )
        try:
            require_docker()
        except SandboxError as error:
            raise UserError(f"it runs in Docker: {error.what}", where=where, fix=error.fix) from error

    def prepare(self, context: AgentContext) -> str:
        """The image with the agent in it."""
        return agent_image(context.sandbox, self.name, self.install)

    def drive(self, run: AgentRun, task: Task, workspace: Path) -> AgentEnd:
        """Start it, wait for its end, take its word and its files."""
        root = f"http://127.0.0.1:{PORT}"
        values = {
            "prompt": task.prompt,
            "model": run.model.upstream_name,
            "token": run.lease.token,
            "root": root,
            "openai_url": f"{root}/v1",
            "workspace": WORKSPACE,
            "home": HOME,
        }
        where = f"framework={self.name}"
        placement = Placement(run.image, workspace, run.lease.socket_folder, run.context.outputs, self.sandbox, task.oracle)
        with AgentSandbox(placement) as sandbox:
            for path, text in self.files.items():
                _write(sandbox, f"{HOME}/{path}", _render(text, values, where))
            end = sandbox.run(
                [_render(word, values, where) for word in self.command],
                env={name: _render(text, values, where) for name, text in self.env.items()},
                stdin=_render(self.stdin, values, where),
                timeout_s=self.limits.wall_s,
                stop=_overdue(run),
            )
            sandbox.settle()
            elsewhere, downloads = tuple(sandbox.written_elsewhere()), sandbox.downloads
            outputs = {"stdout": end.stdout, "stderr": end.stderr}
            sources = {*(sign.source for sign in self.signs), *self.keep, *([self.usage.source] if self.usage else [])}
            outputs |= {source: _read(sandbox, f"{HOME}/{source}") for source in sorted(sources - outputs.keys())}
        return replace(self._end(end, outputs, elsewhere, run.lease.token), downloads=downloads)

    def _end(self, end: CommandEnd, outputs: Mapping[str, bytes], elsewhere: tuple[str, ...], token: str) -> AgentEnd:
        notes = []
        if end.status and not end.timed_out:
            last = (end.stderr.strip() or end.stdout.strip()).decode("utf-8", "replace").splitlines()[-1:]
            notes.append(f"exited with status {end.status}" + (f" ({last[0][:200]})" if last else ""))
        said = {source: data.decode("utf-8", "replace") for source, data in outputs.items()}
        notes += [sign.means for sign in self.signs if re.search(sign.pattern, said.get(sign.source, ""))]
        limit = f"its limit of {self.limits.wall_s:g} s is reached" if end.timed_out else ""
        counted = {} if self.usage is None else counted_by(self.usage, outputs.get(self.usage.source, b""))
        kept = {f"{self.name}.{name.replace('/', '_')}": data.replace(token.encode(), b"<token>") for name, data in outputs.items() if data}
        return AgentEnd("; ".join(notes).replace(token, "<token>"), limit, counted, elsewhere, kept)


def counted_by(rule: UsageRule, data: bytes) -> dict[str, int]:
    """The agent's own count; empty where it says nothing that can be read."""
    rows = [row for row in _rows(rule.form, data.decode("utf-8", "replace")) if _fits(row, rule.where)]
    if not rows:
        return {}
    sums = {"prompt_tokens": rule.prompt, "completion_tokens": rule.completion}
    return {
        name: sum(number for row in rows for path in paths for number in _numbers(row, path.split(".")))
        for name, paths in sums.items()
        if paths
    }


def _rows(form: str, text: str) -> list[Any]:
    def parsed(candidates: Iterator[str]) -> Iterator[Any]:
        for candidate in candidates:
            try:
                yield json.loads(candidate)
            except ValueError:
                continue

    if form == "jsonl":
        return list(parsed(iter(text.splitlines())))
    starts = [found.start() for found in re.finditer(r"^[\[{]", text, re.MULTILINE)]
    whole = next(parsed(text[start:].strip() for start in starts), None)
    return [whole] if whole is not None else list(parsed(iter(text.splitlines())))[-1:]


def _fits(row: Any, where: Mapping[str, str]) -> bool:
    return all(isinstance(row, Mapping) and str(row.get(name)) == value for name, value in where.items())


def _numbers(value: Any, path: list[str]) -> Iterator[int]:
    if not path:
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield int(value)
        return
    if path[0] == "*":
        for item in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
            yield from _numbers(item, path[1:])
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _numbers(value[path[0]], path[1:])


_VARIABLES: Final = ("prompt", "model", "token", "root", "openai_url", "workspace", "home")


def _render(text: str, values: Mapping[str, str], where: str) -> str:
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import SandboxedEnvironment

    try:
        return (
            SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False).from_string(text).render(values)
        )
    except TemplateError as error:
        raise UserError(f"template {text[:60]!r}: {error}", where=where, fix=f"Known: {', '.join(_VARIABLES)}.") from error


def _overdue(run: AgentRun) -> Any:
    """True once the run has been closed for longer than an agent needs to notice."""
    since: list[float] = []

    def overdue() -> bool:
        if not since and run.lease.account().closed_by:
            since.append(time.monotonic())
        return bool(since) and time.monotonic() - since[0] > _CLOSED_GRACE_S

    return overdue


def _write(sandbox: AgentSandbox, path: str, text: str) -> None:
    script = f'mkdir -p "$(dirname {shlex.quote(path)})" && cat > {shlex.quote(path)}'
    end = sandbox.run(["bash", "-c", script], stdin=text or "\n", merge=True)
    if end.status:
        raise SandboxError(f"can't write {path}: {end.stdout.decode(errors='replace').strip()}", where="the agent's container")


def _read(sandbox: AgentSandbox, path: str) -> bytes:
    end = sandbox.run(["cat", path])
    return b"" if end.status else end.stdout
