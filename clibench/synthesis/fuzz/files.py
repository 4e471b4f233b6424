"""Plans for inputs: a file, several, a folder, standard input."""

from __future__ import annotations

from typing import Any

from clibench.synthesis.fuzz.contents import Kind, details, kinds
from clibench.synthesis.fuzz.draft import Plan, content

MISSING = "missing-{}"


def file_plan(kind: Kind, *, stem: str = "input", number: int = 0) -> Plan:
    """One file."""
    path = _path(stem, kind)
    template, params = content(kind, number)
    return Plan(f"{kind.name} file", (path,), params, {path: template}, env=kind.env, mistakes=(f"no-such-file{_suffix(kind)}",))


def named_file_plan(path: str, kind: Kind, *, number: int = 0) -> Plan:
    """One file of a given name."""
    template, params = content(kind, number)
    return Plan(f"{kind.name} file {path}", (path,), params, {path: template}, env=kind.env)


def two_files_plan(kind: Kind) -> Plan:
    """Two files of one kind."""
    first, params = content(kind, 1)
    second, _ = content(kind, 2)
    one, two = _path("first", kind), _path("second", kind)
    return Plan(f"two {kind.name} files", (one, two), params, {one: first, two: second}, mistakes=(f"no-such-file{_suffix(kind)}",))


def folder_plan(kind: Kind, *, word: str = "project") -> Plan:
    """A folder with files of the kind at two depths, and a few others."""
    suffix = _suffix(kind)
    first, params = content(kind, 3)
    second, _ = content(kind, 4)
    third, _ = content(kind, 5)
    files: dict[str, Any] = {
        f"{word}/main{suffix}": first,
        f"{word}/notes.txt": "{word#91} {word#92}\nsecond line {num#91}\n",
        f"{word}/sub/other{suffix}": second,
        f"{word}/sub/deep/{{word#93}}{suffix}": third,
        f"{word}/.hidden": "hidden\n",
        f"{word}/README.md": "# {word#94}\n\nSome text.\n",
    }
    return Plan(f"folder of {kind.name} files", (word,), {**params, **_words()}, files, mistakes=("no-such-folder",))


def here_plan(kind: Kind) -> Plan:
    """The same files in the working folder, and `.` for it."""
    inner = folder_plan(kind)
    files = {path.removeprefix("project/"): template for path, template in inner.files.items()}
    return Plan(f"working folder of {kind.name} files", (".",), inner.params, files, mistakes=("no-such-folder",))


def module_plan() -> Plan:
    """What makes the Go source of the working folder a module."""
    return named_file_plan("go.mod", kinds()["gomod"], number=8)


def packages_plan() -> Plan:
    """All Go packages of the working folder, as the Go tools name them."""
    here, module = here_plan(details()["go"]), module_plan()
    return Plan("Go packages of the working folder", ("./...",), {**here.params, **module.params}, {**here.files, **module.files})


def stdin_plan(kind: Kind) -> Plan:
    """Standard input."""
    template, params = content(kind)
    return Plan(f"{kind.name} on standard input", (), params, {}, template, kind.env)


def _words() -> dict[str, Any]:
    shared = kinds()["log"].params
    return {"word": shared["word"], "num": shared["num"]}


def _path(stem: str, kind: Kind) -> str:
    suffix = _suffix(kind)
    return f"{stem}{suffix}" if suffix.startswith(".") or not suffix else suffix


def _suffix(kind: Kind) -> str:
    first = kind.suffixes[0] if kind.suffixes else {"jsonlist": ".json", "numbers": ".txt"}.get(kind.name, ".txt")
    return first if first.startswith(".") else "" if first != "requirements.txt" else ".txt"
