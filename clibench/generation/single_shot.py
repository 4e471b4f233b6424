"""The plain-LLM baseline: the task's prompt in one call, and the files that its answer holds. No tools, no second look.

Files are asked for as <file path="..."> ... </file>; an answer that uses fenced blocks with the path on the line before is read too, as
models that were trained on chat do that. A path that would leave the workspace is not written, and told.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Final

from clibench.generation.agent import Agent, AgentEnd, AgentLimits, AgentRun
from clibench.generation.context import AgentContext
from clibench.tasks.task import Task

PROMPT: Final = """{task}

Answer with the complete contents of every file of the repository, and nothing else. Write each file as

<file path="path/relative/to/the/repository">
contents
</file>
"""

_TAGGED: Final = re.compile(r'<file path="([^"\n]+)">\n?(.*?)\n?</file>', re.DOTALL)
_FENCED: Final = re.compile(
    r"^[#*` \t]*(?:File: *)?([\w./-]*[\w-]\.?[\w-]*)[*`: \t]*\n(`{3,}|~{3,})[^\n]*\n(.*?)^\2[ \t]*$", re.DOTALL | re.MULTILINE
)


@dataclass
class SingleShot:
    """Nothing to set but limits, and the words around the task."""

    limits: AgentLimits = field(default_factory=AgentLimits)
    prompt: str = PROMPT
    """`{task}` is the task's prompt."""

    name: ClassVar[str] = "single_shot"
    label: ClassVar[str] = ""
    uses_model: ClassVar[bool] = True

    def bind(self, context: AgentContext) -> Agent:
        """Able to generate."""
        return Agent(self, context)

    def identity(self) -> dict[str, Any]:
        """The words."""
        return {"name": self.name, "prompt": self.prompt, "version": 1}

    def ready(self, context: AgentContext) -> None:
        """It needs nothing of its own."""

    def prepare(self, context: AgentContext) -> str:
        """Nothing."""
        return ""

    def drive(self, run: AgentRun, task: Task, workspace: Path) -> AgentEnd:
        """One call."""
        messages = [{"role": "user", "content": self.prompt.replace("{task}", task.prompt)}]
        body = {"model": run.model.upstream_name, "messages": messages}
        try:
            status, answer = _post(f"{run.lease.url}/v1/chat/completions", run.lease.token, body, self.limits.wall_s)
        except TimeoutError:
            return AgentEnd(limit=f"its limit of {self.limits.wall_s:g} s is reached")
        if status != 200:
            return AgentEnd(f"the call was answered with status {status}: {_message(answer)}")
        choice = answer["choices"][0]
        text = (choice.get("message") or {}).get("content") or ""
        written, refused = write_files(files_of(text), workspace)
        notes = [] if written else [f"the answer holds no file ({choice.get('finish_reason')})"]
        if choice.get("finish_reason") == "length":
            notes.append("the answer was cut off at its length limit")
        notes += [f"not written, outside the workspace: {path}" for path in refused]
        return AgentEnd("; ".join(notes), artifacts={"answer.md": text.encode()})


def files_of(text: str) -> dict[str, str]:
    """The files that an answer holds, by path; the last of two with one path counts."""
    tagged = {path.strip(): content for path, content in _TAGGED.findall(text)}
    found = tagged or {path: content.removesuffix("\n") for path, _, content in _FENCED.findall(text)}
    return {path: f"{content}\n" if content and not content.endswith("\n") else content for path, content in found.items()}


def write_files(files: dict[str, str], workspace: Path) -> tuple[list[str], list[str]]:
    """Write what stays inside; the paths written and the paths refused (out of the workspace, or a file and a folder at once)."""
    written, refused = [], []
    for name, content in files.items():
        path = PurePosixPath(name)
        place = workspace / path
        if path.is_absolute() or ".." in path.parts or not path.parts:
            refused.append(name)
            continue
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8", errors="surrogatepass")
        except (FileExistsError, NotADirectoryError, IsADirectoryError, ValueError):
            refused.append(name)
            continue
        written.append(name)
    return written, refused


def _post(url: str, token: str, body: dict[str, Any], timeout_s: float | None) -> tuple[int, dict[str, Any]]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - the gateway's own address
    # No proxy: it is this machine. Without a limit no time-out: the gateway has its own, and answers in the end whatever the provider does.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout_s) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise error.reason from error
        return 503, {"error": {"message": f"the gateway is gone ({error.reason})"}}


def _message(body: dict[str, Any]) -> str:
    error = body.get("error")
    return str(error.get("message") if isinstance(error, dict) else error)[:300]
