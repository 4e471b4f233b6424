"""Libraries that the artifact's modules import, for the sandbox that they run in. Imports are read from the text; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from clibench.errors import SandboxError
from clibench.evaluation.build import UNREACHED, require_registry
from clibench.sandbox.interface import PREFIX, BuildRequest, Sandbox
from clibench.sandbox.reap import scratch_folder

FOLDER: Final = f"{PREFIX}/libraries"
"""Where they are in the sandbox."""


def imported_names(source: bytes) -> set[str]:
    """Top-level names of the modules that a module imports, anywhere in it; empty for a text that is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return found | {node.module.partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}


def wanted(sources: Iterable[bytes], known: Mapping[str, str]) -> list[str]:
    """The requirements, of those known, that the modules import."""
    names = set().union(*(imported_names(source) for source in sources))
    return sorted({requirement for name, requirement in known.items() if name in names})


def install_libraries(sandbox: Sandbox, modules: Iterable[bytes], known: Mapping[str, str], prefix: Path) -> None:
    """Install into the empty folder `prefix` what the modules need. Raises SandboxError where that fails."""
    requirements = wanted(modules, known)
    if not requirements:
        return
    command = ("python3", "-m", "pip", "install", "--no-cache-dir", "--no-deps", "--target", FOLDER, *requirements)
    with scratch_folder("libraries") as source:
        built = sandbox.build(BuildRequest("python", source, (command,), prefix, network=True))
    if not built.ok:
        if UNREACHED.search(built.log):
            require_registry(sandbox, "python")
        said = built.log.decode("utf-8", "replace").strip().splitlines()[-1:] or [built.reason]
        raise SandboxError(
            f"{', '.join(requirements)} can't be installed: {said[0][:200]}",
            where="libraries",
            fix="Mend its requirement: libraries.NAME=...",
        )
