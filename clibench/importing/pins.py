"""What the artifact's install commands say about which oracle was tested, as a pin; and what they do not say.

`git clone` of a repository's default branch names no version: whoever installs it later gets another tool. Such a pin is incomplete, and
says so; the name of the package is then presumed from the repository's.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

_REGISTRY_OF_IMAGE: Final = {"python": "pypi", "node": "npm", "golang": "go"}
_URL: Final = re.compile(r"(?:https?://|git@)([\w.-]+)[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?$")
_COMMIT: Final = re.compile(r"[0-9a-f]{7,40}")


@dataclass(frozen=True)
class ImportedPin:
    """An oracle as the install commands name it."""

    registry: str = ""
    name: str = ""
    version: str = ""
    source: str = ""
    """Address of the repository that is cloned."""
    folder: str = ""
    """Below the repository, where it is installed from."""
    missing: tuple[str, ...] = ()
    """What a pin needs and the commands do not tell."""

    @property
    def complete(self) -> bool:
        """Whether it says exactly what was installed."""
        return not self.missing

    def to_json(self) -> dict[str, Any]:
        """For task files."""
        return asdict(self) | {"missing": list(self.missing)}


def read_pin(commands: Iterable[str], base_image: str) -> ImportedPin:
    """The pin in shell commands that install an oracle."""
    pin = ImportedPin(registry=_REGISTRY_OF_IMAGE.get(base_image.split(":", 1)[0].rsplit("/", 1)[-1], ""))
    folder: list[str] = []
    cloned = None
    for words in _commands(commands):
        match words:
            case ["git", "clone", *rest]:
                cloned = next((found for word in rest if (found := _URL.match(word))), None)
                branch = next((rest[place + 1] for place, word in enumerate(rest[:-1]) if word in ("-b", "--branch")), "")
                pin = replace(pin, source=f"{cloned[1]}/{cloned[2]}/{cloned[3]}" if cloned else "", version=branch)
                folder = []
            case ["git", "checkout" | "switch" | "reset", *rest]:
                pin = replace(pin, version=next((word for word in reversed(rest) if not word.startswith("-")), pin.version))
            case ["cd", where]:
                folder.append(where)
            case ["pip" | "pip3" | "pipx" | "uv", *rest] if "install" in rest:
                pin = _installed(pin, "pypi", rest[rest.index("install") + 1 :], "==")
            case ["npm" | "pnpm" | "yarn", *rest] if {"-g", "--global", "global"} & set(rest):
                pin = _installed(pin, "npm", [word for word in rest if word not in ("i", "install", "add", "global")], "@")
            case ["go", "install", *rest]:
                pin = _installed(pin, "go", rest, "@")
    if cloned and not pin.name:
        inner = _below(folder, cloned[3])
        path = f"{cloned[1]}/{cloned[2]}/{cloned[3]}" + (f"/{inner}" if inner else "")
        pin = replace(pin, name=path if pin.registry == "go" else cloned[3].lower(), folder=inner)
        told = {"go": "the module's path is presumed from the repository", "": "no registry"}
        presumed = told.get(pin.registry, f"the package's name on {pin.registry} is presumed from the repository's")
        pin = replace(pin, missing=(*pin.missing, presumed))
    if not pin.name:
        return replace(pin, missing=("no install command that is understood",))
    if not pin.version or (cloned and not _COMMIT.fullmatch(pin.version) and not re.search(r"\d", pin.version)):
        what = "a branch and no commit is named" if pin.version else "no version or commit is named"
        pin = replace(pin, missing=(*pin.missing, what))
    return pin


def _commands(texts: Iterable[str]) -> Iterable[list[str]]:
    """The simple commands in shell texts, `sh -c '...'` opened."""
    for text in texts:
        wrapped = re.fullmatch(r"\s*(?:/bin/)?(?:ba)?sh -l?c (['\"])(.*)\1\s*", text, re.DOTALL)
        for part in re.split(r"&&|\|\||;|\n", wrapped[2] if wrapped else text):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:
                continue
            while words and words[0] in ("sudo", "env", "python", "python3", "-m"):
                words = words[1:]
            if words:
                yield words


def _installed(pin: ImportedPin, registry: str, words: list[str], separator: str) -> ImportedPin:
    """A pin with the package that is installed by name; `.` and options name none."""
    pin = replace(pin, registry=registry)
    for word in words:
        if word.startswith(("-", ".", "/")) or _URL.match(word):
            continue
        name, _, version = word[1:].partition(separator) if word.startswith("@") else word.partition(separator)
        name = f"@{name}" if word.startswith("@") else name
        return replace(pin, name=name, version="" if version in ("latest", "main", "master") else version)
    return pin


def _below(folder: list[str], repository: str) -> str:
    """Folders entered below the clone."""
    inner = [part for where in folder for part in where.split("/") if part not in ("", ".", "repo")]
    if repository in inner:
        inner = inner[inner.index(repository) + 1 :]
    return "/".join(inner)
