"""Search for a text in keys and values."""

from typing import Any

from .places import Exclusion, child


def grep(
    data: Any,
    item: str,
    *,
    ignore_case: bool = False,
    exact: bool = False,
    excluded: Exclusion,
    with_values: bool = False,
) -> dict:
    """Return the places whose key, and those whose text holds the item."""
    if ignore_case:
        item = item.lower()
    paths: dict[str, Any] = {}
    values: dict[str, Any] = {}

    def matches(text: str) -> bool:
        if ignore_case:
            text = text.lower()
        return text == item if exact else item in text

    def visit(value: Any, place: str) -> None:
        if place in excluded:
            return
        if isinstance(value, str):
            if matches(value):
                values[place] = value
        elif isinstance(value, dict):
            for key, inner in value.items():
                inner_place = child(place, key)
                if inner_place not in excluded and matches(str(key)):
                    paths[inner_place] = inner
                visit(inner, inner_place)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                visit(inner, child(place, index))

    visit(data, "root")
    found = {"matched_paths": paths, "matched_values": values}
    return {
        name: places if with_values else list(places)
        for name, places in found.items()
        if places
    }
