"""Reading of structured data from files."""

import csv
import json
import os
import re
import tomllib
from typing import Any

from . import yaml

_WHOLE = re.compile(r"[-+]?\d+")
_DECIMAL = re.compile(r"[-+]?(\d+\.\d*|\.\d+)")


class FileError(ValueError):
    """A file that can't be read as structured data."""


def load(path: str) -> Any:
    """Return the data in a file, the format of which its extension tells."""
    extension = os.path.splitext(path)[1].lower()
    try:
        if extension == ".json":
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        if extension in (".yaml", ".yml"):
            with open(path, encoding="utf-8", newline="") as file:
                return yaml.load(file.read())
        if extension == ".toml":
            with open(path, "rb") as file:
                return tomllib.load(file)
        if extension in (".csv", ".tsv"):
            with open(path, encoding="utf-8", newline="") as file:
                return _rows(file, "\t" if extension == ".tsv" else ",")
    except (OSError, ValueError, csv.Error, RecursionError) as error:
        raise FileError(f"{path}: {error}") from error
    raise FileError(f"{path}: only json, yaml, toml, csv and tsv files are supported")


def _rows(file, delimiter: str) -> list[dict]:
    reader = csv.DictReader(file, delimiter=delimiter)
    return [{name: _value(value) for name, value in row.items()} for row in reader]


def _value(text: Any) -> Any:
    if isinstance(text, str):
        if _WHOLE.fullmatch(text):
            return int(text)
        if _DECIMAL.fullmatch(text):
            return float(text)
    return text
