"""Comparison of two values."""

import datetime
import difflib
import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from .places import Exclusion, child

# The kinds of differences, in the order in which they are reported.
KINDS = (
    "type_changes",
    "dictionary_item_added",
    "dictionary_item_removed",
    "values_changed",
    "iterable_item_added",
    "iterable_item_removed",
    "repetition_change",
)


@dataclass
class Settings:
    excluded: Exclusion = field(default_factory=lambda: Exclusion([], []))
    ignore_order: bool = False
    report_repetition: bool = False
    ignore_string_case: bool = False
    ignore_numeric_type_changes: bool = False
    ignore_nan_inequality: bool = False
    include_private: bool = False
    significant_digits: int | None = None
    number_notation: str = "f"
    math_epsilon: Decimal | None = None
    truncate_datetime: str | None = None
    cutoff_distance: float = 0.3
    threshold: float | None = None
    verbose_level: int = 1


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def compare(old: Any, new: Any, settings: Settings) -> dict:
    """Return what has to change to come from one value to the other."""
    comparison = _Comparison(settings)
    comparison.values(old, new, "root")
    return {kind: found for kind, found in comparison.found.items() if found}


class _Comparison:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.found: dict[str, dict] = {kind: {} for kind in KINDS}

    def report(self, kind: str, place: str, what: Any) -> None:
        if place not in self.settings.excluded:
            self.found[kind][place] = what

    def values(self, old: Any, new: Any, place: str) -> None:
        if place in self.settings.excluded or old is new:
            return
        if type(old) is not type(new) and not (
            self.settings.ignore_numeric_type_changes and is_number(old) and is_number(new)
        ):
            change = {"old_type": type(old).__name__, "new_type": type(new).__name__}
            if self.settings.verbose_level > 0:
                change |= {"old_value": old, "new_value": new}
            self.report("type_changes", place, change)
        elif isinstance(old, dict):
            self.mappings(old, new, place)
        elif isinstance(old, list):
            if self.settings.ignore_order:
                self.unordered_lists(old, new, place)
            else:
                self.lists(old, new, place)
        elif not self.equal_scalars(old, new):
            self.changed(old, new, place)

    def changed(self, old: Any, new: Any, place: str) -> None:
        self.report("values_changed", place, {"new_value": new, "old_value": old})

    def equal_scalars(self, old: Any, new: Any) -> bool:
        settings = self.settings
        if is_number(old):
            if settings.ignore_nan_inequality and old != old and new != new:
                return True
            if settings.math_epsilon is not None and math.isfinite(old) and math.isfinite(new):
                return abs(_decimal(old) - _decimal(new)) <= settings.math_epsilon
        return self.scalar_key(old) == self.scalar_key(new)

    def scalar_key(self, value: Any) -> Any:
        """Return what stands for a scalar among others of its type."""
        settings = self.settings
        if isinstance(value, str) and settings.ignore_string_case:
            return value.lower()
        if is_number(value) and settings.significant_digits is not None:
            text = f"{value:.{settings.significant_digits}{settings.number_notation}}"
            # There is no negative zero.
            return text.lstrip("-") if not text.strip("-0.e+") else text
        if isinstance(value, datetime.datetime) and settings.truncate_datetime:
            units = ("day", "hour", "minute", "second")
            names = ("hour", "minute", "second", "microsecond")
            at = units.index(settings.truncate_datetime)
            return value.replace(**{name: 0 for name in names[at:]})
        return value

    def keys(self, mapping: dict) -> list:
        if self.settings.include_private:
            return list(mapping)
        return [k for k in mapping if not (isinstance(k, str) and k.startswith("__"))]

    def mappings(self, old: dict, new: dict, place: str) -> None:
        old_keys, new_keys = self.keys(old), self.keys(new)
        common = [key for key in old_keys if key in new]
        threshold = self.settings.threshold
        if threshold is not None and len(old_keys) > 1 and len(new_keys) > 1:
            union = len(old_keys) + len(new_keys) - len(common)
            if len(common) / union < threshold:
                self.changed(old, new, place)
                return
        for key in new_keys:
            if key not in old:
                self.report("dictionary_item_added", child(place, key), new[key])
        for key in old_keys:
            if key not in new:
                self.report("dictionary_item_removed", child(place, key), old[key])
        for key in common:
            self.values(old[key], new[key], child(place, key))

    # Lists

    def lists(self, old: list, new: list, place: str) -> None:
        if all(isinstance(item, Hashable) for item in old + new):
            old_keys = [(type(item), item) for item in old]
            new_keys = [(type(item), item) for item in new]
            matcher = difflib.SequenceMatcher(None, old_keys, new_keys, autojunk=False)
            spans = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
        else:
            spans = [(0, len(old), 0, len(new))]
        for old_start, old_end, new_start, new_end in spans:
            both = min(old_end - old_start, new_end - new_start)
            for i in range(both):
                index = old_start + i
                self.values(old[index], new[new_start + i], child(place, index))
            for index in range(new_start + both, new_end):
                self.report("iterable_item_added", child(place, index), new[index])
            for index in range(old_start + both, old_end):
                self.report("iterable_item_removed", child(place, index), old[index])

    def unordered_lists(self, old: list, new: list, place: str) -> None:
        old_at = self.indexes(old, place)
        new_at = self.indexes(new, place)
        added = [key for key in new_at if key not in old_at]
        removed = [key for key in old_at if key not in new_at]
        every = self.settings.report_repetition

        pairs = self.pairs(
            [(key, old[old_at[key][0]]) for key in removed],
            [(key, new[new_at[key][0]]) for key in added],
        )
        partners = set(pairs.values())
        for key in added:
            if key in partners:
                continue
            for index in new_at[key] if every else new_at[key][:1]:
                self.report("iterable_item_added", child(place, index), new[index])
        for key in removed:
            index = old_at[key][0]
            if key in pairs:
                self.values(old[index], new[new_at[pairs[key]][0]], child(place, index))
                continue
            for index in old_at[key] if every else old_at[key][:1]:
                self.report("iterable_item_removed", child(place, index), old[index])
        if every:
            for key, old_indexes in old_at.items():
                new_indexes = new_at.get(key, [])
                if new_indexes and len(old_indexes) != len(new_indexes):
                    self.report(
                        "repetition_change",
                        child(place, old_indexes[0]),
                        {
                            "old_repeat": len(old_indexes),
                            "new_repeat": len(new_indexes),
                            "old_indexes": old_indexes,
                            "new_indexes": new_indexes,
                            "value": old[old_indexes[0]],
                        },
                    )

    def indexes(self, items: list, place: str) -> dict[Hashable, list[int]]:
        """Return the places of the items, equal ones together."""
        result: dict[Hashable, list[int]] = {}
        for index, item in enumerate(items):
            inner = child(place, index)
            if inner not in self.settings.excluded:
                result.setdefault(self.key(item, inner), []).append(index)
        return result

    def key(self, value: Any, place: str) -> Hashable:
        """Return what equal values, and no others, have in common."""
        excluded = self.settings.excluded
        if isinstance(value, dict):
            return "dict", frozenset(
                (type(name).__name__, name, self.key(value[name], child(place, name)))
                for name in self.keys(value)
                if child(place, name) not in excluded
            )
        if isinstance(value, list):
            keys = [
                self.key(item, child(place, index))
                for index, item in enumerate(value)
                if child(place, index) not in excluded
            ]
            if not self.settings.report_repetition:
                return "list", frozenset(keys)
            return "list", frozenset((key, keys.count(key)) for key in keys)
        kind = type(value).__name__
        if is_number(value) and self.settings.ignore_numeric_type_changes:
            kind = "number"
        return kind, self.scalar_key(value)

    def pairs(self, removed: list, added: list) -> dict[Hashable, Hashable]:
        """Return which removed item became which added one, those that differ
        least first."""
        candidates = []
        for i, (old_key, old) in enumerate(removed):
            for j, (new_key, new) in enumerate(added):
                distance = self.distance(old, new)
                if distance < self.settings.cutoff_distance:
                    candidates.append((distance, i, j, old_key, new_key))
        candidates.sort(key=lambda candidate: candidate[:3])
        result: dict[Hashable, Hashable] = {}
        taken = set()
        for _, _, _, old_key, new_key in candidates:
            if old_key not in result and new_key not in taken:
                result[old_key] = new_key
                taken.add(new_key)
        return result

    def distance(self, old: Any, new: Any) -> float:
        """Return how far two values differ: from 0, not at all, to 1."""
        if is_number(old) and is_number(new):
            if self.equal_scalars(old, new):
                return 0.0
            if not (math.isfinite(old) and math.isfinite(new)):
                return 1.0
            return abs(old - new) / (abs(old) + abs(new))
        if type(old) is not type(new) or not isinstance(old, (dict, list)):
            return 1.0
        inner = _Comparison(self.settings)
        inner.values(old, new, "root")
        operations = 0
        for kind, found in inner.found.items():
            for change in found.values():
                operations += 1
                if kind.endswith(("_added", "_removed")):
                    operations += _size(change) - 1
        return min(1.0, operations / max(1, _size(old) + _size(new)))


def _size(value: Any) -> int:
    """Return the number of keys and values."""
    if isinstance(value, dict):
        return 1 + sum(1 + _size(item) for item in value.values())
    if isinstance(value, list):
        return 1 + sum(map(_size, value))
    return 1


def _decimal(number: int | float) -> Decimal:
    return Decimal(str(number))
