"""Places in the data, such as root['size'][0]."""

import ast
import re
from typing import Any


def child(place: str, key: Any) -> str:
    """Return the place of an item of a mapping or a list."""
    if isinstance(key, str):
        quote = '"' if "'" in key else "'"
        return f"{place}[{quote}{key}{quote}]"
    return f"{place}[{key}]"


def parse(text: str) -> list:
    """Return the keys of a place; a place that makes no sense is a ValueError."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
        keys = []
        while isinstance(node, ast.Subscript):
            keys.append(ast.literal_eval(node.slice))
            node = node.value
    except (SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text} is no place: {error}") from None
    if not isinstance(node, ast.Name) or node.id != "root":
        raise ValueError(f"{text} is no place: it doesn't begin with root")
    return keys[::-1]


def normalized(text: str) -> str:
    """Return a place as it is written here; a bare name is a key at the top."""
    if text != "root" and not text.startswith("root["):
        return child("root", text)
    try:
        place = "root"
        for key in parse(text):
            place = child(place, key)
        return place
    except ValueError:
        return text


class Exclusion:
    """Tells which places are left out, each with all below it."""

    def __init__(self, places: list[str], expressions: list[str]) -> None:
        self._places = {normalized(place) for place in places}
        self._expressions = [re.compile(expression) for expression in expressions]

    def __contains__(self, place: str) -> bool:
        return place in self._places or any(
            expression.search(place) for expression in self._expressions
        )
