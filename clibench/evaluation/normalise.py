"""Named normalisers: what is masked before two executions are compared, and nothing that is not named.

A normaliser is a pure function from bytes to bytes. A task names those that its oracle needs (found by the stability check), a job may add
others; they are applied to both sides, in the order of `NORMALISERS`, whatever the order in which they are named, so that one set of names
has one meaning. A spec is a name with optional parameters in parentheses: `timestamp`, `alias(black)`, `alias(black,tool)`.

Masks replace a value inside a line by its name in angle brackets and are safe on paths and symlink targets too; the others (`ansi`,
`whitespace`, `unordered_lines`) change the layout of a text and are applied to texts alone. Every normaliser is idempotent. What none of
them does: judge whether a masked value was right. A mask says that the value cannot be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from clibench.errors import UserError, did_you_mean

Function = Callable[[bytes], bytes]

_MONTH = (
    rb"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May"
    rb"|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DAY = rb"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6})"
_CLOCK = rb"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp][Mm]\b)?"
_ZONE = rb"(?: ?(?:Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d\b))"
_ISO_DATE = rb"(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2])[-/](?:0?[1-9]|[12]\d|3[01])"
_UNIT = rb"(?:ns|\xc2\xb5s|us|ms|s|secs?|seconds?|milliseconds?|microseconds?|nanoseconds?|m|mins?|minutes?|h|hrs?|hours?)"

ANSI: Final = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor
    rb"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # operating system commands: titles, hyperlinks
    rb"|\x1b[PX^_][^\x1b]*\x1b\\"  # device strings
    rb"|\x1b[ -/]*[0-~]"  # two-character escapes
)


def strip_ansi(data: bytes) -> bytes:
    """Without terminal escape sequences."""
    return ANSI.sub(b"", data) if b"\x1b" in data else data


def text_lines(data: bytes) -> list[bytes]:
    """The normal form of a text, line by line: trimmed, runs of blanks as one space, blank lines left out, any line end."""
    return [line for line in (b" ".join(raw.split()) for raw in data.splitlines()) if line]


def collapse_whitespace(data: bytes) -> bytes:
    """Whitespace normalisation as EM needs it (paper II-C3): `text_lines`, joined by line feeds."""
    data = data.strip()
    if any(blanks in data for blanks in _COLLAPSIBLE):
        return b"\n".join(text_lines(data))
    return data


_COLLAPSIBLE: Final = (b"  ", b"\n\n", b" \n", b"\n ", b"\t", b"\r", b"\v", b"\f")
"""None of these inside: the text is in normal form already, which is told much faster than it is brought there."""


def sort_lines(data: bytes) -> bytes:
    """Lines in byte order, for output whose order is not the tool's to choose. The last line end is kept as it was."""
    lines = data.splitlines()
    return b"\n".join(sorted(lines)) + (b"\n" if data.endswith((b"\n", b"\r")) else b"")


def _mask(pattern: bytes, label: bytes) -> Callable[..., Function]:
    """A factory of masks without parameters. A group named `keep` is kept before the label."""
    compiled = re.compile(pattern)
    replacement = rb"\g<keep>" + label if "keep" in compiled.groupindex else label

    def apply(data: bytes) -> bytes:
        return compiled.sub(replacement, data)

    return lambda: apply


AFTER_COLOUR: Final = r"(?<=\x1b\[m)|(?<=\x1b\[\dm)|(?<=\x1b\[\d\dm)|(?<=\x1b\[\d;\d\dm)|(?<=\x1b\[\d\d;\dm)"
"""Regular expression of the place right behind a colour's escape sequence: its last letter is no part of the word that follows."""


def _alias(name: str, alias: str) -> Function:
    """Whole words `name` become `alias`; a longer name that contains it (`name-extra`, `my_name`) is another word, and the ending of a
    file's name (`data.name`) is its format. The last letter of a colour's escape sequence is no part of a word."""
    word = re.compile(rf"(?:(?<![A-Za-z0-9_.-])|{AFTER_COLOUR}){re.escape(name)}(?![A-Za-z0-9_-])".encode())
    replacement = alias.encode()
    return lambda data: word.sub(lambda _: replacement, data)


@dataclass(frozen=True)
class Normaliser:
    """One row of the table."""

    make: Callable[..., Function]
    """From the parameters of the spec to the function."""
    parameters: int = 0
    mask: bool = True
    """Replaces values inside a line: also applied to paths and symlink targets."""
    version: int = 1


NORMALISERS: Final[dict[str, Normaliser]] = {
    # In order of application: what contains another comes first.
    "ansi": Normaliser(lambda: strip_ansi, mask=False),
    "alias": Normaliser(_alias, parameters=2, version=3),
    "temp_path": Normaliser(_mask(rb"(?<![\w.~/-])(?:/private)?(?:/var)?/tmp/[^\s/:'\"`,;()<>]+", b"<temp_path>")),
    "uuid": Normaliser(_mask(rb"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", b"<uuid>")),
    "timestamp": Normaliser(
        _mask(
            rb"\b" + _ISO_DATE + rb"(?:T|t|[ ]|_)" + _CLOCK + _ZONE + rb"?"
            rb"|\b(?:19|20)\d{6}[T_-]\d{6}(?:\.\d+)?Z?\b"
            rb"|\b" + _DAY + rb",? \d{1,2} " + _MONTH + rb" \d{4},? " + _CLOCK + _ZONE + rb"?"
            rb"|\b(?:" + _DAY + rb" )?" + _MONTH + rb" [ \d]?\d " + _CLOCK + rb"(?: [A-Z]{3,4})?(?: \d{4}\b)?",
            b"<timestamp>",
        )
    ),
    "date": Normaliser(
        _mask(
            rb"\b" + _ISO_DATE + rb"\b"
            rb"|\b\d{1,2}([./-])\d{1,2}\1(?:19|20)\d\d\b"
            rb"|\b(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\b"
            rb"|\b(?:" + _DAY + rb",? )?(?:" + _MONTH + rb" \d{1,2}(?:st|nd|rd|th)?|\d{1,2} " + _MONTH + rb"),? \d{4}\b",
            b"<date>",
        )
    ),
    "time": Normaliser(_mask(rb"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?: ?[AaPp][Mm]\b)?(?![\d:])", b"<time>")),
    "epoch": Normaliser(_mask(rb"(?<![\w.])1\d{9}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?(?![\w.]*\d)", b"<epoch>")),
    "duration": Normaliser(
        _mask(
            rb"(?<![\w.])\d+(?:\.\d+)? ?" + _UNIT + rb"(?: ?\d+(?:\.\d+)? ?" + _UNIT + rb")*(?![A-Za-z0-9_])"
            rb"|(?<![\d:])\d+:\d\d(?::\d\d)?\.\d+",
            b"<duration>",
        )
    ),
    "pid": Normaliser(
        _mask(rb"(?P<keep>\b(?:[Pp][Ii][Dd]|[Pp]rocess(?: [Ii][Dd])?)\b[ :=#(\[]{0,3}|(?<=\w)\[(?=\d{1,7}\]:))\d{1,7}\b", b"<pid>")
    ),
    "address": Normaliser(_mask(rb"\b0x[0-9a-fA-F]{6,16}\b", b"<address>")),
    "version": Normaliser(
        _mask(
            rb"(?<![\w.])v?\d+\.\d+\.\d+(?:[-+.]?[0-9A-Za-z])*"
            rb"|(?P<keep>\b[Vv]ersion:? |\bv(?=\d+\.))\d+(?:\.\d+)*",
            b"<version>",
        )
    ),
    "whitespace": Normaliser(lambda: collapse_whitespace, mask=False),
    "unordered_lines": Normaliser(lambda: sort_lines, mask=False),
}

_SPEC: Final = re.compile(r"([a-z_]+)(?:\(([^()]*)\))?")


@dataclass(frozen=True)
class Chain:
    """Normalisers, resolved and in order of application."""

    names: tuple[str, ...]
    """With parameters and version, for verdicts and keys: `alias(black,tool)/1`."""
    text: tuple[Function, ...]
    masks: tuple[Function, ...]

    def __call__(self, data: bytes) -> bytes:
        """Normalise a text."""
        for function in self.text:
            data = function(data)
        return data

    def value(self, text: str) -> str:
        """Normalise a path or symlink target: masks alone. `text` may hold surrogate escapes."""
        if not self.masks:
            return text
        data = text.encode("utf-8", "surrogateescape")
        for function in self.masks:
            data = function(data)
        return data.decode("utf-8", "surrogateescape")


def resolve(specs: Iterable[str], *, alias: str = "") -> Chain:
    """The chain that `specs` name; `alias` completes `alias(name)`. UserError for an unknown name or a wrong number of parameters."""
    return _resolve(tuple(specs), alias)


@lru_cache(maxsize=4096)
def _resolve(specs: tuple[str, ...], alias: str) -> Chain:
    rank = {name: place for place, name in enumerate(NORMALISERS)}
    parsed = sorted({_parse(spec, alias) for spec in specs}, key=lambda item: (rank[item[0]], item[1]))
    names, text, masks = [], [], []
    for name, parameters in parsed:
        row = NORMALISERS[name]
        function = row.make(*parameters)
        names.append(f"{name}({','.join(parameters)})/{row.version}" if parameters else f"{name}/{row.version}")
        text.append(function)
        if row.mask:
            masks.append(function)
    return Chain(tuple(names), tuple(text), tuple(masks))


def _parse(spec: str, alias: str) -> tuple[str, tuple[str, ...]]:
    match = _SPEC.fullmatch(spec.strip())
    name = match[1] if match else spec.strip()
    if match is None or name not in NORMALISERS:
        raise UserError(f"unknown normaliser '{spec}'", fix=did_you_mean(name, NORMALISERS))
    given = tuple(part.strip() for part in match[2].split(",")) if match[2] else ()
    if name == "alias" and len(given) == 1 and alias:
        given = (*given, alias)
    wanted = NORMALISERS[name].parameters
    if len(given) != wanted or not all(given):
        raise UserError(
            f"normaliser '{spec}' has {len(given)} parameters",
            fix=f"{name} takes {wanted}" + ("" if wanted else ": write the bare name") + ".",
        )
    return name, given
