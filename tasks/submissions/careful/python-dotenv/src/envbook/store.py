"""Reading and changing a file of environment variables."""

import os
import stat
import sys
import tempfile
from typing import Mapping

from .parser import Part, parse, resolve


class KeyMissing(Exception):
    """A key, or the file that should hold it, isn't there."""


def _parts(text: str, path: str) -> list[Part]:
    parts = list(parse(text))
    line = 1
    for part in parts:
        if part.bad:
            print(f"envbook: {path}: could not parse line {line}", file=sys.stderr)
        line += part.text.count("\n")
    return parts


def read(
    path: str, environment: Mapping[str, str], environment_first: bool = False
) -> dict[str, str | None]:
    """Return the values of all keys."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return resolve(_parts(text, path), environment, environment_first)


def assign(path: str, key: str, value: str, quote: str, export: bool) -> None:
    """Bind the key to the value in the file."""
    if quote == "always" or (quote == "auto" and not value.isalnum()):
        value = "'" + value.replace("'", "\\'") + "'"
    line = f"{'export ' if export else ''}{key}={value}\n"
    try:
        text = _read_exactly(path)
    except FileNotFoundError:
        text = ""
    parts = _parts(text, path)
    result = "".join(line if part.key == key else part.text for part in parts)
    if all(part.key != key for part in parts):
        if result and not result.endswith("\n"):
            result += "\n"
        result += line
    _write(path, result)


def remove(path: str, key: str) -> None:
    """Remove all bindings of the key from the file."""
    try:
        text = _read_exactly(path)
    except FileNotFoundError:
        raise KeyMissing(f"{path} doesn't exist") from None
    parts = _parts(text, path)
    kept = [part for part in parts if part.key != key]
    if len(kept) == len(parts):
        raise KeyMissing(f"key {key} is not in {path}")
    _write(path, "".join(part.text for part in kept))


def _read_exactly(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def _write(path: str, text: str) -> None:
    """Put a new file in the place of the old one, or of a link to it."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        status = None
    if status is not None and stat.S_ISREG(status.st_mode):
        mode = stat.S_IMODE(status.st_mode)
    else:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
