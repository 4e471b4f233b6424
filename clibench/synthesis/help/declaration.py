"""How an option is declared: its names, and what stands for its value.

One grammar for all families, since they differ in punctuation only:

    -o, --output FILE        argparse, click, cobra, commander, yargs, clap
    -o FILE, --output FILE   argparse before 3.13, urfave/cli
    -o --output=<file>       docopt
    --output=<value>         oclif, kong
    --output='x':            kubectl
    --output=  --sort=[a|b]  go-flags
    --[no-]color  --color / --no-color  --color[=WHEN]  -l[=0], --list[=0]

A declaration ends at two blanks, unless another name follows. Where one blank is all there is, a word is taken for a value only when it
looks like one (brackets, capitals) or ends the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

_NAME: Final = re.compile(r"(--\[no-?\]-?[A-Za-z0-9][\w.:-]*|--?[A-Za-z0-9?#@%$][\w.:+-]*)(\[no-\])?")
_ATTACHED: Final = re.compile(
    r"\[=?(?P<maybe>[^\]\s]+)\]|=(?P<quote>\"[^\"]*\"|'[^']*')|=\[?(?P<list>[^\]\s]*)\](?=:)|=(?P<plain><[^>]+>(?:=<[^>]+>)?(?:\.\.\.)?|[^\s,|:\[]+(?:\|(?!-)[^\s,|:\[]+)*(?:,\.\.\.)?)"
    r"|(?P<angle><[^>]+>(?:\.\.\.)?)|=\[(?P<set>[^\]\s|]+(?:\|[^\]\s|]+)+)\](?=\s|$)|=(?P<bare>)(?=\s\s|\s*$)"
)
_TYPED: Final = re.compile(r"((?:\[\])?\w+(?:\[\w+\]\w+)?)\[=(\"[^\"]*\"|[^\]\s]+)\]")
_BRACKETED: Final = re.compile(r"<[^<>]+>(?:\[[^\[\]]*\])?(?:\.{2,3})?|\{[^{}]+\}|\"[^\"]*\"(?=\s\s|$)")
_CAPITAL: Final = re.compile(r"[A-Z](?:[A-Z0-9_.\-/|]|[:,](?=[A-Z]))*(?:=[\w.]+)?(?:\[[^\]]*\])?(?:\.{3}|,\.{3})?(?=\s|,|$|:)")
_PAIR: Final = re.compile(r"[a-z]\w{0,7} [a-z]\w{0,7}(?=\s{2,}\S)")
_WORD: Final = re.compile(r"[A-Za-z\[{(<][^\s,]*")
_SEPARATOR: Final = re.compile(r"\s*(?:,|\||/|\bor\b)\s*(?=-{1,2}\[?[A-Za-z0-9?])|\s+(?=-{1,2}\[?[A-Za-z0-9?])")


@dataclass(frozen=True)
class Declaration:
    """What was declared, and what of the line is left as description."""

    names: tuple[str, ...]
    metavar: str | None = None
    default: str | None = None
    value_optional: bool = False
    repeatable: bool = False
    negation: str | None = None
    rest: str = ""


def read_declaration(text: str, *, boxed: bool = False) -> Declaration | None:
    """The option that a line declares (`text` starts at the dash), or None when it declares none."""
    found = Declaration(())
    slash = False
    while name := _NAME.match(text):
        found = _with_name(found, name[1].rstrip(".:,"), negative=slash)
        text = text[len(name[1].rstrip(".:,")) :]
        found, text = _value(found, text, boxed=boxed)
        separator = _SEPARATOR.match(text)
        if separator is None or (len(separator[0]) > 1 and not separator[0].strip() and not _aligned(found, separator[0], boxed=boxed)):
            break
        if not separator[0].strip() and found.metavar is not None:
            same = re.match(rf"\S+?[= ]?[<\[]?{re.escape(found.metavar)}\b", text[separator.end() :])
            if same is None:
                break  # two options beside each other, as in an example
        if separator[0].startswith(" ,") and found.metavar is None:
            found = replace(found, metavar="value")  # argparse with an empty metavar: `-d , --directory`
        slash = slash or "/" in separator[0]
        text = text[separator.end() :]
    if not found.names:
        return None
    text = re.sub(r"^\s*:(\s|$)|^\.\.\.(?=\s|$)", " ", text)
    if text and not text[0].isspace():
        return None  # `-foo.` in a sentence
    return replace(found, rest=text.strip())


def _aligned(found: Declaration, gap: str, *, boxed: bool) -> bool:
    """Names in columns: rich parts them by blanks."""
    return len(gap) == 1 or (boxed and found.metavar is None)


def _with_name(found: Declaration, name: str, *, negative: bool) -> Declaration:
    if optional := re.match(r"--\[(no-?)\]-?(.*)$", name):
        word = optional[2]
        return replace(found, names=(*found.names, f"--{word}"), negation=f"--no-{word}")
    if negative and name.startswith("--"):
        return replace(found, negation=name) if found.negation is None else found
    if name in found.names or negative:
        return found
    return replace(found, names=(*found.names, name))


def _value(found: Declaration, text: str, *, boxed: bool) -> tuple[Declaration, str]:
    """Reads what follows a name: a value, several, or nothing."""
    if attached := _ATTACHED.match(text):
        return _attached(found, attached, text)
    if text.startswith(" ..."):
        return replace(found, repeatable=True), text[4:]
    if text.startswith("..."):
        return replace(found, repeatable=True), text[3:]
    metavars: list[str] = []
    while True:
        gap = re.match(r" +", text)
        if gap is None or (len(gap[0]) > 1 and not boxed):
            break
        if boxed and metavars and len(gap[0]) > 1:
            break
        after = text[gap.end() :]
        if after.startswith("-") and not metavars:
            break
        value = _metavar(after, first=not metavars, boxed=boxed)
        if value is None:
            break
        if boxed and value == "<bool>":  # typer's column of types says it of flags too
            text = after[len(value) :]
            break
        metavars.append(value)
        text = after[len(value) :]
    if not metavars:
        return found, text
    if len(metavars) > 1:
        repeatable = found.repeatable or any("..." in metavar for metavar in metavars)
        return _with_metavar(replace(found, repeatable=repeatable), " ".join(clean_metavar(metavar) for metavar in metavars)), text
    return _with_metavar(found, metavars[0]), text


def _attached(found: Declaration, attached: re.Match[str], text: str) -> tuple[Declaration, str]:
    rest = text[attached.end() :]
    if (quoted := attached["quote"]) is not None or rest.startswith(":"):
        value = attached["plain"] or attached["list"] or (quoted or "").strip("'\"")
        if rest.startswith(":") or quoted is not None:
            if attached["list"] is not None:
                return replace(found, metavar="strings", repeatable=True, default=value or None), rest
            if value in ("true", "false"):
                return replace(found, default=value), rest
            kind = _kubectl_kind(value, quoted)
            more = re.match(r" (\[\]\w+)", rest)
            return replace(found, metavar=more[1] if more else kind, default=value), rest[more.end() :] if more else rest
    if attached["maybe"] is not None:
        return replace(_with_metavar(found, attached["maybe"]), value_optional=True), rest
    if attached["bare"] is not None:
        return replace(found, metavar="VALUE"), rest
    return _with_metavar(found, attached["plain"] or attached["angle"] or attached["set"] or ""), rest


def _kubectl_kind(value: str, quoted: str | None) -> str:
    if quoted is None and re.fullmatch(r"-?\d+", value):
        return "int"
    if quoted is None and re.fullmatch(r"(\d+(ns|us|ms|s|m|h))+", value):
        return "duration"
    return "string"


def _metavar(text: str, *, first: bool, boxed: bool) -> str | None:
    if found := _TYPED.match(text):
        return found[0]
    bracketed = _balanced(text) if text.startswith("[") else (found := _BRACKETED.match(text)) and found[0]
    if bracketed:
        return bracketed if _closes(text, bracketed) else None
    if found := _CAPITAL.match(text):
        if boxed and found[0] == "RANGE":
            return found[0]
        alone = len(found[0]) == 1 and re.match(r" [a-z]", text[1:])
        return None if alone else found[0]
    if not first or boxed:
        return None
    if pair := _PAIR.match(text):
        return pair[0]
    if mapping := re.match(r"map\[\w+\]\w+", text):
        return mapping[0]
    word = _WORD.match(text)
    if word is None:
        return None
    after = text[word.end() :]
    ends = not after or after.startswith("  ") or re.match(r",?\s*(,|\|)\s*-|,\s+-", after) or re.match(r" \[ ?-", after)
    return word[0] if ends or after == ":" else None


def _balanced(text: str) -> str:
    """The group in square brackets that the text begins with, dots and a Go type (`[]string`) after it included; "" when it stays open."""
    depth = 0
    for at, sign in enumerate(text[:400]):
        depth += (sign == "[") - (sign == "]")
        if depth == 0:
            tail = re.match(r"(?:\.{2,3})?\w*", text[at + 1 :])
            return text[: at + 1] + (tail[0] if tail else "")
    return ""


def _closes(text: str, bracketed: str) -> bool:
    """Brackets right after a name are a value only when they do not begin the description, like `[default: 3]` or `[boolean]`."""
    if bracketed.startswith("[") and re.match(r"(default|env|required|possible|boolean|deprecated|string|number)\b", bracketed[1:]):
        return False
    return text[len(bracketed) :][:1] in ("", " ", ",", ":", "|") or text[len(bracketed) :].startswith("...")


def _with_metavar(found: Declaration, metavar: str) -> Declaration:
    typed = _TYPED.fullmatch(metavar)
    if typed:
        return replace(found, metavar=typed[1], value_optional=True)
    repeatable = found.repeatable or "..." in metavar or metavar.endswith("..>") or metavar.startswith("[]")
    optional = found.value_optional or (metavar.startswith("[") and metavar.endswith("]") and "|" not in metavar and " " not in metavar)
    optional = optional and not metavar.startswith("[]")
    if found.metavar is not None:
        return replace(found, repeatable=repeatable)
    default = found.default
    if metavar.startswith('"') and metavar.endswith('"'):
        default, metavar = metavar.strip('"'), "string"
    return replace(found, metavar=clean_metavar(metavar), repeatable=repeatable, value_optional=optional, default=default)


def clean_metavar(text: str) -> str:
    """Without the outer brackets and dots."""
    text = re.sub(r",?\.{2,3}|…", "", text).strip()
    text = f"[{text[2:]}" if text.startswith("[=") else text
    if re.fullmatch(r"<[^<>]+>=<[^<>]+>", text):
        return re.sub(r"[<>]", "", text)
    text = re.sub(r"^<([^<>]+)>(?=\[)", r"\1", text)
    while len(text) > 1 and f"{text[0]}{text[-1]}" in ("<>", "[]", "{}", '""', "''") and not text.startswith("[]"):
        text = text[1:-1].strip()
    return text
