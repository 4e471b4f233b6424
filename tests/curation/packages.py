"""Small packages of the three languages, written to a folder: what they install is what the tests are about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

HELPFUL = """
    import argparse
    parser = argparse.ArgumentParser(prog="tool")
    parser.add_argument("file")
    parser.add_argument("--upper", action="store_true")
    args = parser.parse_args()
    print(open(args.file).read())
"""


def python_package(folder: Path, scripts: Mapping[str, str], *, name: str = "tool") -> Path:
    """A distribution whose console scripts run the given code, one module each."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = "\n".join(f'{script} = "mod_{number}:main"' for number, script in enumerate(scripts))
    modules = ", ".join(f'"mod_{number}"' for number in range(len(scripts)))
    (folder / "pyproject.toml").write_text(
        f'[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        f'[project]\nname = "{name}"\nversion = "1.2.3"\nlicense = {{text = "MIT"}}\n'
        f"[project.scripts]\n{entries}\n[tool.setuptools]\npy-modules = [{modules}]\n"
    )
    (folder / "README.md").write_text("# Tool\n\nIt does things.\n")
    for number, code in enumerate(scripts.values()):
        body = dedent(code).strip().replace("\n", "\n    ")
        (folder / f"mod_{number}.py").write_text(f"def main():\n    {body}\n")
    return folder


def node_package(folder: Path, code: str, *, name: str = "tool") -> Path:
    """An npm package with one command."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"name": name, "version": "1.0.0", "bin": {name: "cli.js"}, "license": "ISC"}))
    (folder / "cli.js").write_text(f"#!/usr/bin/env node\n{dedent(code)}")
    return folder


def go_package(folder: Path, mains: Mapping[str, str], *, module: str = "example.com/tool") -> Path:
    """A Go module with the given files of package main, by path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.mod").write_text(f"module {module}\n\ngo 1.21\n")
    for path, code in mains.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"package main\n\n{dedent(code)}")
    return folder
