"""Say `write these files`, `run this`, `done` in the tools that an agent offers.

Tables, not code: a new agent's shell tool is one more row. Files go through the shell where there is one (base64, so that no quoting is
needed), else through a file-writing tool, else as fenced blocks of text with the path on the line before.
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable, Collection, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from clibench.llm.scripted.script import ToolCall, Turn

SHELL_TOOLS: Final[dict[str, Callable[[str], dict[str, Any]]]] = {
    "bash": lambda command: {"command": command, "description": "run"},  # mini-swe-agent, opencode
    "Bash": lambda command: {"command": command, "description": "run"},  # Claude Code
    "exec_command": lambda command: {"cmd": command},  # Codex
    "shell": lambda command: {"command": ["bash", "-lc", command]},  # Codex, older
    "shell_command": lambda command: {"command": command},
    "run_shell_command": lambda command: {"command": command, "description": "run", "is_background": False},  # Gemini CLI, Qwen Code
    "terminal": lambda command: {"command": command},  # OpenHands
    "execute_bash": lambda command: {"command": command},
}

WRITE_TOOLS: Final[dict[str, Callable[[str, str], dict[str, Any]]]] = {
    "Write": lambda path, content: {"file_path": path, "content": content},
    "write_file": lambda path, content: {"file_path": path, "content": content},
    "write": lambda path, content: {"filePath": path, "content": content},
    "file_editor": lambda path, content: {"command": "create", "path": path, "file_text": content},
}

DONE_TOOLS: Final[dict[str, dict[str, Any]]] = {"finish": {"message": "Done."}}
MINI_SWE_DONE: Final = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def calls_for(turn: Turn, offered: Collection[str], prompt: str) -> tuple[str, tuple[ToolCall, ...]]:
    """The text and the tool calls that a turn becomes for an agent that offers the tools `offered` and was told `prompt`."""
    if not offered:
        return "\n\n".join(part for part in (turn.text * turn.repeat, _as_text(turn.files)) if part), ()
    calls = list(turn.tools)
    shell = next((name for name in SHELL_TOOLS if name in offered), None)
    writer = next((name for name in WRITE_TOOLS if name in offered), None)
    if shell:
        command = " && ".join([*(_write_command(path, content) for path, content in turn.files.items()), *([turn.run] if turn.run else [])])
        if command:
            calls.append(ToolCall(name=shell, arguments=SHELL_TOOLS[shell](command)))
    elif writer:
        calls.extend(ToolCall(name=writer, arguments=WRITE_TOOLS[writer](path, content)) for path, content in turn.files.items())
    if turn.done:
        finisher = next((name for name in DONE_TOOLS if name in offered), None)
        if finisher:
            calls.append(ToolCall(name=finisher, arguments=DONE_TOOLS[finisher]))
        elif shell and "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" in prompt:
            calls.append(ToolCall(name=shell, arguments=SHELL_TOOLS[shell](MINI_SWE_DONE)))
    return turn.text * turn.repeat, tuple(calls)


def _write_command(path: str, content: str) -> str:
    # No $(...) and no quoting within: some agents refuse a command that has them.
    data = base64.b64encode(content.encode()).decode()
    folder = str(PurePosixPath(path).parent)
    made = "" if folder == "." else f"mkdir -p {shlex.quote(folder)} && "
    return f"{made}printf %s {data} | base64 -d > {shlex.quote(path)}"


def _as_text(files: Mapping[str, str]) -> str:
    """Fenced blocks: the path alone on the line before the fence, as aider, gpt-engineer and `single_shot` read them."""
    return "\n\n".join(f"{path}\n```\n{content.rstrip(chr(10))}\n```" for path, content in files.items())
