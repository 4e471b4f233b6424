"""Read data from a file."""

import csv
import json
import os
import re
import tomllib

from . import yamlish


def number(text):
    if re.fullmatch(r"[-+]?\d+", text):
        return int(text)
    if re.fullmatch(r"[-+]?(\d+\.\d*|\.\d+)", text):
        return float(text)
    return text


def table(path, delimiter):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    rows = [row for row in rows if row]
    if not rows:
        return []
    header = rows[0]
    return [{name: number(value) for name, value in zip(header, row)} for row in rows[1:]]


def load(path):
    extension = os.path.splitext(path)[1].lower()
    if extension == ".json":
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    if extension in (".yaml", ".yml"):
        with open(path, encoding="utf-8") as file:
            return yamlish.loads(file.read())
    if extension == ".toml":
        with open(path, "rb") as file:
            return tomllib.load(file)
    if extension == ".csv":
        return table(path, ",")
    if extension == ".tsv":
        return table(path, "\t")
    raise ValueError(f"Unsupported file type: {path}")
