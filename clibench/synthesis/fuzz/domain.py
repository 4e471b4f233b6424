"""Which kinds of content a tool reads, by what its name, help and README speak of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clibench.synthesis.fuzz.contents import Kind, kinds

USUAL = ("text", "json", "yaml", "markdown", "csv")
"""What is tried where nothing speaks for anything."""


def ranked_kinds(name: str, texts: Sequence[str], weights: Sequence[int]) -> tuple[Kind, ...]:
    """All kinds, the likeliest first: words count by the weight of their text, a file name with the kind's suffix three times."""
    table = kinds()
    scores: dict[str, float] = {}
    for kind in table.values():
        words = re.compile(rf"(?<![A-Za-z0-9])(?:{kind.words})(?![A-Za-z0-9])", re.IGNORECASE)
        suffixes = [re.escape(suffix) for suffix in kind.suffixes]
        files = re.compile(rf"(?:[\w*}}\])]|(?<=\s))(?:{'|'.join(suffixes)})(?![\w])", re.IGNORECASE) if suffixes else None
        score = 12.0 * bool(re.search(rf"(?:^|[^a-z]|2|to)(?:{kind.words})(?![a-z])|^(?:{kind.words})", name, re.IGNORECASE))
        if kind.name == "go" and re.fullmatch(r"\S+\.\S+/\S+ go[a-z]+", name):  # a Go module whose command is named go...
            score += 8.0
        for text, weight in zip(texts, weights, strict=True):
            found = len(words.findall(text)) + (3 * len(files.findall(text)) if files else 0)
            score += weight * min(found, 12)
        if kind.name == "text":
            score /= 2  # every format is text too
        if kind.name in USUAL:
            score += 1.5 - 0.1 * USUAL.index(kind.name)
        scores[kind.name] = score
    order = sorted(table, key=lambda kind: (-scores[kind], list(table).index(kind)))
    return tuple(table[kind] for kind in order)


def kinds_in(text: str) -> tuple[Kind, ...]:
    """The kinds that a short text (a metavar, an option's help) speaks of."""
    found = []
    for kind in kinds().values():
        suffixes = "|".join(re.escape(suffix) for suffix in kind.suffixes if suffix.startswith("."))
        pattern = rf"(?<![A-Za-z0-9])(?:{kind.words})(?![A-Za-z0-9])" + (rf"|\w(?:{suffixes})\b" if suffixes else "")
        if re.search(pattern, text, re.IGNORECASE):
            found.append(kind)
    return tuple(found)
