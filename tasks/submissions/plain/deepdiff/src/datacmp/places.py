"""Places in the data, such as root['a'][0]."""

import ast
import re

STEP = re.compile(r"""\[\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\[\]'"]+)\s*\]""")


def child(place, key):
    return f"{place}[{key!r}]"


def parse(place):
    if not place.startswith("root"):
        raise ValueError(f"not a place: {place}")
    keys = []
    pos = 4
    while pos < len(place):
        m = STEP.match(place, pos)
        if not m:
            raise ValueError(f"not a place: {place}")
        try:
            keys.append(ast.literal_eval(m.group(1)))
        except (ValueError, SyntaxError):
            keys.append(m.group(1))
        pos = m.end()
    return keys


def normal(place):
    """The canonical form of a place, or of the name of a key at the top."""
    if not place.startswith("root"):
        return child("root", place)
    try:
        keys = parse(place)
    except ValueError:
        return child("root", place)
    result = "root"
    for key in keys:
        result = child(result, key)
    return result


class Exclusion:
    def __init__(self, places, expressions):
        self.places = {normal(place) for place in places}
        self.expressions = [re.compile(expression) for expression in expressions]

    def __contains__(self, place):
        return place in self.places or any(e.search(place) for e in self.expressions)


def extract(data, place):
    for key in parse(place):
        data = data[key]
    return data
