"""Signs that a submission is not what it should be, shown beside its scores and never a verdict: a person decides what they mean.

Zero files, work that was done outside the workspace (the paper's RQ4 cases), prebuilt binaries, packages that are the oracle itself, source
that calls a command of the tool's own name, and agents that tried to install the oracle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from clibench.generation.delivery import listing
from clibench.generation.packages import Download, looks_like_oracle
from clibench.tasks.task import Oracle, Task

_BINARY: Final = {b"\x7fELF": "ELF", b"MZ": "PE", b"\xca\xfe\xba\xbe": "Mach-O", b"\xcf\xfa\xed\xfe": "Mach-O", b"\x00asm": "WebAssembly"}
_ARCHIVES: Final = (".whl", ".tgz", ".tar.gz", ".zip", ".jar")
_OWN_STATE: Final = re.compile(
    r"/\.(?:cache|npm|config|local|gemini|claude|codex|qwen|aider|openhands|node_repl_history|bash_history|gnupg)|/\.[^/]*\.json(?:\.|$)|/go/|\.lock$|/__pycache__/"
)
"""Where agents and toolchains keep what is theirs."""
_MANIFESTS: Final = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "package.json", "go.mod")
_INSTALLS: Final = re.compile(
    r"\b(?:pip3? (?:install|download)|npm (?:i|install|pack|exec)|npx|go (?:install|get)|uvx?|pipx|apt(?:-get)? install)\b[^\n;&|]*"
)
_MOST_BYTES: Final = 1 << 20


def evidence(task: Task, workspace: Path, elsewhere: Iterable[str] = (), commands: Iterable[str] = ()) -> list[str]:
    """Short notes, each with its place. `elsewhere` are files written outside the workspace, `commands` what the agent ran."""
    names = [entry.path for entry in listing(workspace).entries if entry.target is None]
    outside = [path for path in elsewhere if not _OWN_STATE.search(path)]
    notes = []
    if not names:
        notes.append(f"built elsewhere: {_some(outside)}" if outside else "zero files")
    notes += _binaries(workspace, names)
    notes += _vendored(task, workspace, names)
    notes += [f"tried to install the oracle: {command.strip()[:120]}" for command in _installs(task, commands)]
    return notes


def download_signs(oracle: Oracle, downloads: Sequence[Download]) -> list[str]:
    """What an agent that could reach the package registries asked of them: the oracle itself, what may carry it, and all the rest."""
    refused = [row for row in downloads if row.outcome == "refused"]
    fetched = list(dict.fromkeys((row.registry, row.package) for row in downloads if row.outcome == "fetched"))
    notes = [f"asked for the oracle's package, and was refused: {row.registry} {row.package}" for row in refused]
    notes += [f"downloaded a package that may be the oracle: {' '.join(row)}" for row in fetched if looks_like_oracle(oracle, row[1])]
    if fetched:
        notes.append(f"downloaded {len(fetched)} packages: {_some([' '.join(row) for row in fetched])}")
    return notes


def _binaries(workspace: Path, names: list[str]) -> Iterator[str]:
    for name in names:
        if name.endswith(_ARCHIVES):
            yield f"prebuilt archive: {name}"
            continue
        with (workspace / name).open("rb") as stream:
            head = stream.read(4)
        kind = next((kind for magic, kind in _BINARY.items() if head.startswith(magic)), None)
        if kind:
            yield f"prebuilt binary ({kind}): {name}"


def _vendored(task: Task, workspace: Path, names: list[str]) -> Iterator[str]:
    oracle = task.oracle.name
    folders = {
        str(PurePosixPath(*PurePosixPath(name).parts[: place + 1])) for name in names for place in range(len(PurePosixPath(name).parts) - 1)
    }
    for folder in sorted(folders):
        if folder.endswith((f"node_modules/{oracle}", f"vendor/{oracle}", f"site-packages/{oracle.replace('-', '_')}")):
            yield f"a copy of the oracle: {folder}"
    named = _whole(oracle)
    entry = re.compile(
        rf"""(?:exec|spawn|run|Popen|system|call|Command|check_output)\w*\(\s*\[?\s*["'`]{re.escape(task.oracle.entry)}(?:["'`]|\s)"""
    )
    for name in names:
        path = workspace / name
        if path.stat().st_size > _MOST_BYTES:
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        if PurePosixPath(name).name in _MANIFESTS and named.search(text):
            yield f"names the oracle's package: {name}"
        if found := entry.search(text):
            yield f"calls a command of the oracle's name: {name} ({found[0].strip()[:60]})"


def _installs(task: Task, commands: Iterable[str]) -> Iterator[str]:
    named = _whole(task.oracle.name)
    for command in commands:
        for found in _INSTALLS.findall(command):
            if named.search(found):
                yield found


def _whole(name: str) -> re.Pattern[str]:
    """The package's name as a word of its own: `tree` is no part of `tree-sitter`."""
    return re.compile(rf"(?<![\w./@-]){re.escape(name)}(?![\w/-])", re.IGNORECASE)


def _some(paths: list[str]) -> str:
    return ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
