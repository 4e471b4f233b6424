"""Search for a text in data."""

from .places import child


def grep(data, item, ignore_case=False, exact=False, exclusion=()):
    if ignore_case:
        item = item.lower()
    paths = []
    values = []

    def matches(text):
        if ignore_case:
            text = text.lower()
        return text == item if exact else item in text

    def visit(value, place):
        if isinstance(value, dict):
            for key, sub in value.items():
                at = child(place, key)
                if at in exclusion:
                    continue
                if matches(str(key)):
                    paths.append(at)
                visit(sub, at)
        elif isinstance(value, list):
            for i, sub in enumerate(value):
                at = child(place, i)
                if at not in exclusion:
                    visit(sub, at)
        elif isinstance(value, str) and matches(value):
            values.append(place)

    if "root" not in exclusion:
        visit(data, "root")
    result = {}
    if paths:
        result["matched_paths"] = paths
    if values:
        result["matched_values"] = values
    return result
