"""Difference of two data."""

import difflib
from collections import defaultdict

from .places import child

ORDER = [
    "type_changes",
    "dictionary_item_added",
    "dictionary_item_removed",
    "values_changed",
    "iterable_item_added",
    "iterable_item_removed",
    "repetition_change",
]


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_nan(value):
    return isinstance(value, float) and value != value


class Differ:
    def __init__(self, options, exclusion):
        self.options = options
        self.exclusion = exclusion
        self.result = defaultdict(dict)

    def run(self, old, new):
        self.compare(old, new, "root")
        return {key: self.result[key] for key in ORDER if self.result[key]}

    def digits(self, number):
        text = format(number, f".{self.options.significant_digits}{self.options.number_format_notation}")
        return text[1:] if text.startswith("-") and not text.strip("-0.") else text

    def equal_scalars(self, a, b):
        options = self.options
        if is_number(a) and is_number(b):
            if options.ignore_nan_inequality and is_nan(a) and is_nan(b):
                return True
            if options.math_epsilon is not None:
                return abs(a - b) <= options.math_epsilon
            if options.significant_digits is not None:
                return self.digits(a) == self.digits(b)
            return a == b
        if isinstance(a, str) and isinstance(b, str) and options.ignore_string_case:
            return a.lower() == b.lower()
        return a == b

    def key(self, value, place):
        """A text that is the same for equal values."""
        options = self.options
        if isinstance(value, dict):
            parts = sorted(
                f"{k!r}:{self.key(v, child(place, k))}"
                for k, v in value.items()
                if child(place, k) not in self.exclusion
            )
            return "{" + ",".join(parts) + "}"
        if isinstance(value, list):
            parts = [
                self.key(item, child(place, i))
                for i, item in enumerate(value)
                if child(place, i) not in self.exclusion
            ]
            if options.ignore_order:
                parts = sorted(parts if options.report_repetition else set(parts))
            return "[" + ",".join(parts) + "]"
        if isinstance(value, str):
            return repr(value.lower() if options.ignore_string_case else value)
        if is_number(value):
            name = "number" if options.ignore_numeric_type_changes else type(value).__name__
            if options.significant_digits is not None:
                return f"{name}:{self.digits(value)}"
            return f"{name}:{float(value) if name == 'number' else value}"
        return f"{type(value).__name__}:{value}"

    def compare(self, old, new, place):
        if place in self.exclusion:
            return
        if type(old) is not type(new):
            if not (self.options.ignore_numeric_type_changes and is_number(old) and is_number(new)):
                self.result["type_changes"][place] = {
                    "old_type": type(old).__name__,
                    "new_type": type(new).__name__,
                    "old_value": old,
                    "new_value": new,
                }
                return
        if isinstance(old, dict):
            self.dicts(old, new, place)
        elif isinstance(old, list):
            if self.options.ignore_order:
                self.unordered(old, new, place)
            else:
                self.lists(old, new, place)
        elif not self.equal_scalars(old, new):
            self.result["values_changed"][place] = {"new_value": new, "old_value": old}

    def put(self, kind, place, value):
        if place not in self.exclusion:
            self.result[kind][place] = value

    def dicts(self, old, new, place):
        for key in new:
            if key not in old:
                self.put("dictionary_item_added", child(place, key), new[key])
        for key in old:
            if key not in new:
                self.put("dictionary_item_removed", child(place, key), old[key])
        for key in old:
            if key in new:
                self.compare(old[key], new[key], child(place, key))

    def lists(self, old, new, place):
        old_keys = [self.key(item, child(place, i)) for i, item in enumerate(old)]
        new_keys = [self.key(item, child(place, i)) for i, item in enumerate(new)]
        matcher = difflib.SequenceMatcher(None, old_keys, new_keys, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag == "equal":
                continue
            common = min(i2 - i1, j2 - j1)
            for n in range(common):
                self.compare(old[i1 + n], new[j1 + n], child(place, i1 + n))
            for i in range(i1 + common, i2):
                self.put("iterable_item_removed", child(place, i), old[i])
            for j in range(j1 + common, j2):
                self.put("iterable_item_added", child(place, j), new[j])

    def unordered(self, old, new, place):
        old_at = defaultdict(list)
        new_at = defaultdict(list)
        for items, at in ((old, old_at), (new, new_at)):
            for i, item in enumerate(items):
                if child(place, i) not in self.exclusion:
                    at[self.key(item, child(place, i))].append(i)
        if self.options.math_epsilon is not None:
            self.match_close(old, new, old_at, new_at)
        removed = [at for key, at in old_at.items() if key not in new_at]
        added = [at for key, at in new_at.items() if key not in old_at]
        common = min(len(removed), len(added))
        for r, a in zip(removed, added):
            self.compare(old[r[0]], new[a[0]], child(place, r[0]))
        for at in added[common:]:
            for i in at if self.options.report_repetition else at[:1]:
                self.put("iterable_item_added", child(place, i), new[i])
        for at in removed[common:]:
            for i in at if self.options.report_repetition else at[:1]:
                self.put("iterable_item_removed", child(place, i), old[i])
        if self.options.report_repetition:
            for key, at in old_at.items():
                if key in new_at and len(at) != len(new_at[key]):
                    self.put("repetition_change", child(place, at[0]), {
                        "old_repeat": len(at),
                        "new_repeat": len(new_at[key]),
                        "old_indexes": at,
                        "new_indexes": new_at[key],
                        "value": old[at[0]],
                    })

    def match_close(self, old, new, old_at, new_at):
        """Give numbers that are close enough to each other the same key."""
        for old_key, at in old_at.items():
            if old_key in new_at or not is_number(old[at[0]]):
                continue
            for new_key, other in list(new_at.items()):
                value = new[other[0]]
                if new_key not in old_at and type(value) is type(old[at[0]]) and self.equal_scalars(old[at[0]], value):
                    new_at[old_key] = new_at.pop(new_key)
                    break


def group(rows, column):
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("--group-by needs a list of rows")
    result = {}
    for row in rows:
        if column not in row:
            raise ValueError(f"no column {column}")
        result[row[column]] = {key: value for key, value in row.items() if key != column}
    return result
