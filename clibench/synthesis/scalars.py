# ruff: noqa: ARG002 - the types share one signature, and not every one of them needs all of it
"""Typed values of a spec's parameters that are one word or text, and how each is drawn.

Every value has a class: `valid` (a careful user would give it), `invalid` (the tool should refuse it) or `edge` (the material of
`edges.py`, whose outcome only the oracle knows). A model here says what is valid and what is invalid; the classes of a case follow from
the values that it draws. All drawing is from a `Stream`, so it is the same everywhere.

A drawn value is a mapping from field to text: `{"": text}` for all types but `record`, which has a text for each field. Text is `str`
with surrogateescape for bytes that are not UTF-8.
"""

from __future__ import annotations

import datetime
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from clibench.synthesis import documents
from clibench.synthesis.edges import DATA_ONLY, FAMILIES, Edge
from clibench.synthesis.stream import Stream
from clibench.synthesis.strict import Strict

Drawn = Mapping[str, str]
PathKind = Literal["file", "dir", "link"]


@dataclass(frozen=True)
class Scene:
    """What the drawing of a value may look at: the paths of the case's fixture, with their kinds, sorted by path."""

    paths: tuple[tuple[str, PathKind], ...] = ()


class BaseValue(Strict):
    """Fields that every type has."""

    default_edges: ClassVar[tuple[Edge, ...]] = ()

    edges: tuple[Edge, ...] | None = None
    """Families of edge values to draw; left out, the type's own choice; `[]` for none."""
    invalid: tuple[str, ...] | None = None
    """Values that the tool refuses, instead of the type's own."""

    @abstractmethod
    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        """A valid value."""

    def own_invalid(self) -> tuple[str, ...]:
        """The type's own invalid values."""
        return ()

    def draw_invalid(self, stream: Stream) -> Drawn | None:
        """An invalid value, or None where there is none."""
        values = self.own_invalid() if self.invalid is None else self.invalid
        return text(stream.pick(values)) if values else None

    def draw_edge(self, stream: Stream, *, data: bool) -> Drawn | None:
        """An edge value, or None where there is none; `data` says that it goes to standard input or a file, not to an argument."""
        names = self.default_edges if self.edges is None else self.edges
        usable = [name for name in names if data or name not in DATA_ONLY]
        return text(self._edge(stream.pick(usable), stream)) if usable else None

    def _edge(self, name: Edge, stream: Stream) -> str:
        return FAMILIES[name](stream)


def text(value: str) -> Drawn:
    """A drawn value with one text."""
    return {"": value}


class ChoiceValue(BaseValue):
    """One of `values`."""

    type: Literal["choice"] = "choice"
    values: tuple[str, ...] = Field(min_length=1)

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        return text(stream.pick(self.values))


class RecordValue(BaseValue):
    """One of `rows`: texts that belong together, used as {name.field}."""

    type: Literal["record"] = "record"
    rows: tuple[dict[str, str], ...] = Field(min_length=1)
    invalid_rows: tuple[dict[str, str], ...] = ()

    @model_validator(mode="after")
    def _same_fields(self) -> RecordValue:
        fields = set(self.rows[0])
        for row in (*self.rows, *self.invalid_rows):
            if set(row) != fields:
                raise ValueError(f"every row needs the fields {', '.join(sorted(fields))}; one has {', '.join(sorted(row))}")
        return self

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        return stream.pick(self.rows)

    def draw_invalid(self, stream: Stream) -> Drawn | None:
        return stream.pick(self.invalid_rows) if self.invalid_rows else None

    def draw_edge(self, stream: Stream, *, data: bool) -> Drawn | None:
        return None


class BoolValue(BaseValue):
    """A truth value in one of its spellings."""

    type: Literal["bool"] = "bool"
    yes: tuple[str, ...] = ("true",)
    no: tuple[str, ...] = ("false",)

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        return text(stream.pick(self.yes if stream.chance(0.5) else self.no))

    def own_invalid(self) -> tuple[str, ...]:
        return ("maybe", "2", "")


class IntValue(BaseValue):
    """A whole number in [min, max]."""

    type: Literal["int"] = "int"
    min: int = 0
    max: int = 100
    default_edges: ClassVar[tuple[Edge, ...]] = ("out_of_range",)

    @model_validator(mode="after")
    def _ordered(self) -> IntValue:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        # The two ends are where programs go wrong by one: each is drawn for itself in a tenth of the cases.
        place = stream.below(10)
        number = self.min if place == 0 else self.max if place == 1 else stream.between(self.min, self.max)
        return text(str(number))

    def own_invalid(self) -> tuple[str, ...]:
        return ("abc", "1.5", "", "1e3x", "--")

    def _edge(self, name: Edge, stream: Stream) -> str:
        if name != "out_of_range":
            return FAMILIES[name](stream)
        return str(stream.pick((self.min - 1, self.max + 1, -(1 << 31) - 1, 1 << 31, 1 << 63, 1 << 64, 10**30)))


class FloatValue(BaseValue):
    """A decimal number in [min, max] with at most `decimals` places."""

    type: Literal["float"] = "float"
    min: float = 0.0
    max: float = 1.0
    decimals: int = Field(default=2, ge=0, le=9)
    default_edges: ClassVar[tuple[Edge, ...]] = ("out_of_range",)

    @model_validator(mode="after")
    def _ordered(self) -> FloatValue:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        scale: int = 10**self.decimals
        return text(_decimal(stream.between(round(self.min * scale), round(self.max * scale)), self.decimals))

    def own_invalid(self) -> tuple[str, ...]:
        return ("abc", "1,5", "", "0.1.2")

    def _edge(self, name: Edge, stream: Stream) -> str:
        if name != "out_of_range":
            return FAMILIES[name](stream)
        below, above = _decimal(round(self.min * 10) - 10, 1), _decimal(round(self.max * 10) + 10, 1)
        return stream.pick((below, above, "1e400", "-1e400", "nan", "inf"))


def _decimal(units: int, decimals: int) -> str:
    if decimals == 0:
        return str(units)
    digits = str(abs(units)).rjust(decimals + 1, "0")
    return f"{'-' if units < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"


_ALPHABETS: dict[str, str] = {
    "lower": "abcdefghijklmnopqrstuvwxyz",
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "digits": "0123456789",
    "alnum": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "hex": "0123456789abcdef",
    "identifier": "abcdefghijklmnopqrstuvwxyz_",
    "printable": "".join(map(chr, range(32, 127))),
}


class StringValue(BaseValue):
    """A string: one or more of `words` joined by `separator`, or, without words, letters of an alphabet."""

    type: Literal["string"] = "string"
    words: tuple[str, ...] = ()
    separator: str = " "
    alphabet: Literal["lower", "upper", "digits", "alnum", "hex", "identifier", "printable"] = "lower"
    min_length: int = Field(default=1, ge=0, le=10_000)
    max_length: int = Field(default=8, ge=0, le=10_000)
    """In words, or in letters."""
    default_edges: ClassVar[tuple[Edge, ...]] = ("empty", "blank", "nonascii", "shell", "quotes", "long")

    @model_validator(mode="after")
    def _ordered(self) -> StringValue:
        if self.min_length > self.max_length:
            raise ValueError(f"min_length {self.min_length} is above max_length {self.max_length}")
        return self

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        size = stream.between(self.min_length, self.max_length)
        if self.words:
            return text(self.separator.join(stream.pick(self.words) for _ in range(size)))
        return text("".join(stream.pick(_ALPHABETS[self.alphabet]) for _ in range(size)))


class TextValue(BaseValue):
    """Lines of words, as a file or standard input holds them."""

    type: Literal["text"] = "text"
    words: tuple[str, ...] = documents.WORDS
    min_lines: int = Field(default=1, ge=0, le=10_000)
    max_lines: int = Field(default=8, ge=0, le=10_000)
    max_words: int = Field(default=6, ge=0, le=1_000)
    """A line has 0 (an empty line) to this many."""
    final_newline: bool = True
    default_edges: ClassVar[tuple[Edge, ...]] = ("empty", "newline", "nonascii", "long", "nul", "bytes")

    @model_validator(mode="after")
    def _ordered(self) -> TextValue:
        if self.min_lines > self.max_lines:
            raise ValueError(f"min_lines {self.min_lines} is above max_lines {self.max_lines}")
        if not self.words:
            raise ValueError("words is empty")
        return self

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        lines = [
            " ".join(stream.pick(self.words) for _ in range(stream.between(0, self.max_words)))
            for _ in range(stream.between(self.min_lines, self.max_lines))
        ]
        joined = "\n".join(lines)
        return text(joined + "\n" if self.final_newline and lines else joined.rstrip("\n"))


class PathValue(BaseValue):
    """A path of the case's fixture (`of`, `match`), or one of `values`, or both."""

    type: Literal["path"] = "path"
    of: tuple[PathKind, ...] = ("file",)
    """Kinds of the fixture's paths to draw from; `[]` for none of them."""
    match: str = "*"
    """Shell pattern that the whole path matches; `*` crosses folders."""
    values: tuple[str, ...] = ()
    """Further paths that are valid, for example names of output files."""
    default_edges: ClassVar[tuple[Edge, ...]] = ("empty", "traversal", "nonascii", "blank")

    def candidates(self, scene: Scene) -> list[str]:
        """All valid paths."""
        found = [path for path, kind in scene.paths if kind in self.of and fnmatchcase(path, self.match)]
        return [*found, *self.values]

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        return text(stream.pick(self.candidates(scene)))

    def own_invalid(self) -> tuple[str, ...]:
        return ("missing.txt", "no/such/dir/file", "missing-dir/")


class GlobValue(BaseValue):
    """A glob over `suffixes` and `stems`."""

    type: Literal["glob"] = "glob"
    suffixes: tuple[str, ...] = Field(default=(".txt", ".md", ".py"), min_length=1)
    stems: tuple[str, ...] = Field(default=("a", "test", "read"), min_length=1)
    default_edges: ClassVar[tuple[Edge, ...]] = ("empty", "traversal", "nonascii")

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        suffix, stem = stream.pick(self.suffixes), stream.pick(self.stems)
        forms = (f"*{suffix}", f"{stem}*", f"{stem}*{suffix}", f"*{stem}*", f"**/*{suffix}", f"?{stem[1:]}*", f"[{stem[0]}]*", "*")
        return text(stream.pick(forms))

    def own_invalid(self) -> tuple[str, ...]:
        return ("[", "[a-", "no-match-*")


class RegexValue(BaseValue):
    """A regular expression over `words`, in the syntax that all common dialects share."""

    type: Literal["regex"] = "regex"
    words: tuple[str, ...] = Field(default=documents.WORDS, min_length=1)
    default_edges: ClassVar[tuple[Edge, ...]] = ("empty", "nonascii", "quotes")

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        word, other = stream.pick(self.words), stream.pick(self.words)
        forms = (word, f"^{word}", f"{word}$", f"{word[:1]}.*{word[-1:]}", f"({word}|{other})", f"[{word[:1]}{other[:1]}]{word[1:]}")
        more = (f"{word}?", "[0-9]+", f"{word}s*", ".", "[a-z]{3}", f"\\b{word}\\b")
        return text(stream.pick((*forms, *more)))

    def own_invalid(self) -> tuple[str, ...]:
        return ("(", "[a", "*a", "a{2,1}", "(?P<", "\\")


class DateValue(BaseValue):
    """A date in [min, max] (ISO), written by `format` (%Y %m %d %H %M %S %j and %%)."""

    type: Literal["date"] = "date"
    min: datetime.date = datetime.date(1999, 1, 1)
    max: datetime.date = datetime.date(2030, 12, 31)
    format: str = "%Y-%m-%d"
    default_edges: ClassVar[tuple[Edge, ...]] = ("empty", "out_of_range")

    @model_validator(mode="after")
    def _ordered(self) -> DateValue:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is after max {self.max}")
        return self

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        day = self.min + datetime.timedelta(days=stream.below((self.max - self.min).days + 1))
        moment = datetime.datetime.combine(day, datetime.time(stream.below(24), stream.below(60), stream.below(60)))
        return text(_write_date(moment, self.format))

    def own_invalid(self) -> tuple[str, ...]:
        return ("2023-02-30", "2023-13-01", "yesterdayish", "01/02", "2023-1", "")

    def _edge(self, name: Edge, stream: Stream) -> str:
        if name != "out_of_range":
            return FAMILIES[name](stream)
        return stream.pick(("0001-01-01", "9999-12-31", "10000-01-01", "2024-02-29", "1900-02-28", "-0001-01-01"))


def _write_date(moment: datetime.datetime, form: str) -> str:
    # By hand: strftime's years below 1000 and its %e, %k, %P differ between C libraries.
    parts = {
        "Y": f"{moment.year:04}", "m": f"{moment.month:02}", "d": f"{moment.day:02}", "H": f"{moment.hour:02}",
        "M": f"{moment.minute:02}", "S": f"{moment.second:02}", "j": f"{moment.timetuple().tm_yday:03}", "%": "%",
    }  # fmt: skip
    pieces = form.split("%")
    result, index = pieces[0], 1
    while index < len(pieces):
        piece = pieces[index]
        if piece == "" and index + 1 < len(pieces):
            result += "%" + pieces[index + 1]
            index += 2
            continue
        result += parts.get(piece[:1], f"%{piece[:1]}") + piece[1:]
        index += 1
    return result


class UrlValue(BaseValue):
    """A URL; the hosts are reserved names, since no test may reach a network."""

    type: Literal["url"] = "url"
    schemes: tuple[str, ...] = Field(default=("http", "https"), min_length=1)
    hosts: tuple[str, ...] = Field(default=("example.com", "sub.example.org", "localhost:8080", "192.0.2.7"), min_length=1)
    paths: tuple[str, ...] = Field(default=("", "/", "/a/b.html", "/search?q=x&n=2", "/doc#top", "/%7Euser/"), min_length=1)
    default_edges: ClassVar[tuple[Edge, ...]] = ("empty", "nonascii", "blank")

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        return text(f"{stream.pick(self.schemes)}://{stream.pick(self.hosts)}{stream.pick(self.paths)}")

    def own_invalid(self) -> tuple[str, ...]:
        return ("http//x", "://example.com", "example", "http://", "http://[::1")
