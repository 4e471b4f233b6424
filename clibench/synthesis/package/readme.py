"""The functional context of a prompt from a README: what the tool does, without who made it, where it lives and how it is installed.

A README is cut to the sections that describe behaviour; badges, pictures, links, HTML and addresses go, the tool's names become the alias
everywhere, and a sentence that still tells a maker is left out, as a whole, wherever its lines break. What is kept is the README's own
wording (paper II-B).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

READ: Final = 60_000
"""Characters of a README that are looked at."""
LONGEST: Final = 6000
"""Characters of a context: a README that documents a whole library says more about its API than about its command line."""

_DROPPED: Final = re.compile(
    r"install|licen[cs]e|author|contribut|credit|acknowledg|sponsor|support|badge|changelog|change log|release|download|build|compil"
    r"|develop|\btests?\b|testing|roadmap|to.?do|faq|community|related|similar|alternativ|see also|table of contents|^contents$|donat"
    r"|thanks|star history|documentation$|docs$|\bapi\b|library|programmatic|in (?:python|node|go|code)|import|docker|homebrew"
    r"|package manager|ci\b|github|action|pre-?commit|editor|vs ?code|vim|emacs|bugs|issues|security|code of conduct|requirements"
    r"|prerequisites|upgrad|migrat|benchmark|why\b|getting help|contact|who uses|history|performance|motivation|inspir|status|copyright"
    r"|maintain|module usage|uninstall|update|setup",
    re.IGNORECASE,
)
"""Titles of sections that say nothing of what the command does."""
_INSTALL_LINE: Final = re.compile(
    r"\b(?:pipx?|uv|uvx|npm|npx|yarn|pnpm|brew|conda|apt|apt-get|go|cargo|snap|scoop|choco|winget|docker|curl|wget|git) "
    r"(?:install|add|get|i|run|pull|clone|tool|-|exec|global)",
)
_BADGE: Final = re.compile(
    r"\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|!\[[^\]]*\]\([^)]*\)|!\[[^\]]*\]\[[^\]]*\]|\[!\[[^\]]*\]\[[^\]]*\]\](?:\[[^\]]*\]|\([^)]*\))"
)
_LINK: Final = re.compile(r"\[([^\]\[]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)|\[([^\]\[]+)\]\[[^\]]*\]")
_REFERENCE: Final = re.compile(
    r"^\s*\[[^\]]+\]:\s+\S.*$|^\.\. .*$|^\s*\|[\w -]+\|_?\s*$"
    r"|^\s*(?:[Cc]opyright\s+(?:\(c\)|©|\d)|\(c\)\s|©).*|^\s+:(?:target|alt|width|height):.*$"
)
_OFF_TOPIC: Final = re.compile(
    r"\b(?:licen[cs]ed?|released|distributed) under\b|\bcopyright (?:©|\(c\)|\d)"
    r"|\b(?:published|available|hosted) (?:on|at|from|via) (?:pypi|npm|github)"
    r"|\brequires? (?:at least )?(?:go|python|node(?:\.?js)?) ?(?:v?\d|>)|\b(?:star|fork|sponsor) (?:this|the|me|us)\b|\bpull requests?\b"
    r"|\bfor (?:more|further|full|additional) (?:\w+ )?(?:information|details?|documentation|reference)\b"
    r"|\bsee (?:the|this|our|also) [^.]{0,200}\b(?:documentation|docs|guide|post|wiki|article|whitepaper|repository|website|site)\b"
    r"|\b(?:port|fork|clone|rewrite|re-?implementation|successor) of\b|\binspired by\b|\btidelift\b|\bcommercial support\b"
    r"|\b(?:report|file|open|raise) (?:\w+ ){0,3}an? issue\b|(?:^|[.!?] )(?:first,? )?(?:to )?install\b",
    re.IGNORECASE,
)
"""Sentences that say nothing of what the command does, wherever they stand."""
_STOP: Final = re.compile(r"(?<=[.!?])(?:[*_)`\"']*)\s+(?=[A-Z`\"'(*_])")
"""Between two sentences."""
_TAG: Final = re.compile(
    r"<!--.*?-->|</?(?:p|div|img|a|br|h\d|b|i|em|strong|sub|sup|details|summary|picture|source|center|table|tr|td|th|kbd|code|ul|li|ol|span|video)\b[^>]*>",
    re.DOTALL | re.IGNORECASE,
)
_ADDRESS: Final = re.compile(
    r"<?(?:https?|ftp|git|ssh)://[^\s)>\"'`\]]+>?|\bwww\.[^\s)>\"'`]+|<?\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]*[A-Za-z]\b>?", re.IGNORECASE
)
_RESERVED: Final = re.compile(r"://(?:[\w-]+\.)*(?:example\.(?:com|org|net)|localhost)|@example\.(?:com|org|net)", re.IGNORECASE)


_LIBRARY: Final = re.compile(
    r"\s*(?:>>> |import [\w{*]|from [\w.]+ import |(?:const|var|let) .*= (?:await )?(?:require|import)\(|package \w+$|func \w+\(|use \w+::)"
)


def name_pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    """Matches the names in any case, with any of blank, dash and underscore between their parts; None for no names. The ending of a file's
    name is none: it is a format that the tool may look at. A hidden file (`~/.tool.txt`) has the name."""
    forms = {r"[-_ ]?".join(map(re.escape, re.split(r"[-_ ]", name))) for name in names if name}
    if not forms:
        return None
    return re.compile(
        rf"(?<![A-Za-z0-9])(?<![^/]\.)(?<!^\.)(?:{'|'.join(sorted(forms, key=len, reverse=True))})(?![A-Za-z0-9])", re.IGNORECASE
    )


def context_of(readme: str, summary: str, *, alias: str, names: Sequence[str], makers: Sequence[str], drop: Iterable[str] = ()) -> str:
    """The context: Markdown that begins with what the tool is. `names` are the tool's own, `makers` must not be told, and a line that is in
    `drop` is left out."""
    own, told = name_pattern(names), name_pattern(makers)
    dropped = {line.strip() for line in drop}
    renamed = [own.sub(alias, line) if own else line for line in _sections(plain_text(readme))]
    lines = _without(renamed, lambda text: text.strip() in dropped or bool(told and told.search(text)))
    opening = own.sub(alias, summary.strip()) if own else summary.strip()
    if told and told.search(opening):
        opening = ""
    opening = re.sub(rf"^{re.escape(alias)}\s*(?::|[-–—]+)\s+", "", _ADDRESS.sub("", opening))
    body = _cut(re.sub(r"\n{3,}", "\n\n", "\n".join(_closed(_answered(_closed(lines))))).strip())
    first = f"`{alias}`: {opening}" if opening else f"`{alias}` is a command-line tool. Its help says how it is used."
    return f"{first}\n\n{body}\n" if body else f"{first}\n"


def plain_text(text: str) -> str:
    """A README without badges, pictures, links, HTML and addresses; of a very long one its beginning."""
    text = text[:READ]
    text = _TAG.sub("", _BADGE.sub("", text))
    text = _LINK.sub(lambda match: match[1] if match[1] is not None else match[2], text)
    lines = _without_library_code(_unwrapped([line for line in text.splitlines() if not _REFERENCE.match(line)]))
    return "\n".join(_without(lines, lambda text: _tells_address(text) or bool(_OFF_TOPIC.search(text) or _INSTALL_LINE.search(text))))


def _tells_address(line: str) -> bool:
    """Whether a sentence would be left with a hole where an address was."""
    return any(not _RESERVED.search(match[0]) for match in _ADDRESS.finditer(line))


_PROSE: Final = re.compile(r"(?![-*+] |\d+[.)] |#|\||>|```|~~~|\.\. )\S")
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d+[.)]|>) +")
_UNDERLINE: Final = re.compile(r"([=\-~^])\1{2,}\s*$")


def _unwrapped(lines: Sequence[str]) -> list[str]:
    """With the lines of a paragraph, or of an item of a list, in one: what is said of a sentence is said of all of it."""
    result: list[str] = []
    fenced = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if re.match(r"\s*(?:```|~~~)", line):
            fenced = not fenced
        before = result[-1] if result else ""
        broken = before.endswith(("  ", "\\"))
        item = _ITEM.match(before)
        goes_on = (
            (_PROSE.match(before) and _PROSE.match(line) and not _UNDERLINE.match(following))
            or (item and re.match(r" {2,}(?![-*+] |\d+[.)] |\||```|~~~)\S", line) and not line.startswith(" " * (len(item[0]) + 4)))
        )  # fmt: skip
        if not fenced and before.startswith("> ") and re.match(r"> +[^\s>#*-]", line) and not before.startswith("> #"):
            result[-1] = f"{before} {line[1:].strip()}"
        elif goes_on and not fenced and not broken and not _UNDERLINE.match(line) and not _UNDERLINE.match(before):
            result[-1] = f"{before} {line.strip()}"
        else:
            result.append(line)
    return result


def _without(lines: Sequence[str], tells: Callable[[str], bool]) -> list[str]:
    """Without what tells what must not be told: sentences of prose, command lines, and whole blocks of other code."""
    kept: list[str] = []
    for block, is_code in _blocks(lines):
        if not is_code:
            kept += [left.rstrip() for line in block if (left := _sentences(line, tells)) is not None]
        elif not any(map(tells, block)):
            kept += block
        else:
            kept += [line for line in block if not tells(line)] if _are_commands(block) else [""]
    return kept


_SHELL: Final = re.compile(r"\s*(?:```|~~~)\s*(?:sh|bash|zsh|shell|shell-session|console|terminal|text|cmd)?\s*$", re.IGNORECASE)
_COMMAND: Final = re.compile(r"\s*(?:[$>%#] |[a-z][\w.-]*(?: |$))")


def _are_commands(block: Sequence[str]) -> bool:
    """Whether each line of a code block stands for itself."""
    return all(_SHELL.match(line) or _COMMAND.match(line) for line in block if line.strip())


def _sentences(line: str, tells: Callable[[str], bool]) -> str | None:
    """The line without its sentences that tell what must not be told; None where nothing is left. A row of a table goes as a whole."""
    if not tells(line):
        return line
    mark = _ITEM.match(line)
    start = mark[0] if mark else ""
    if not mark and not _PROSE.match(line):
        return None
    kept = [sentence for sentence in _STOP.split(line[len(start) :]) if not tells(sentence)]
    return start + " ".join(kept) if kept else None


def _answered(lines: Sequence[str]) -> list[str]:
    """Without paragraphs that announce what was left out: they end in a colon, and no code, list or table follows."""
    result = []
    for number, line in enumerate(lines):
        following = next((later for later in lines[number + 1 :] if later.strip()), "")
        if (
            re.search(r":[*_]*\s*$", line)
            and _PROSE.match(line)
            and (not following or _PROSE.match(following) or following.startswith("#"))
        ):
            sentences = _STOP.split(line)
            if len(sentences) > 1:
                result.append(" ".join(sentences[:-1]))
            continue
        result.append(line)
    return result


def _without_library_code(lines: Sequence[str]) -> list[str]:
    """Without code blocks, fenced or indented, that use the package from a program: the prompt is about its command."""
    kept: list[str] = []
    for block, is_code in _blocks(lines):
        kept += [""] if is_code and any(map(_LIBRARY.match, block)) else block
    return kept


def _blocks(lines: Sequence[str]) -> Iterator[tuple[list[str], bool]]:
    """The lines in groups, each with whether it is a code block, fenced or indented."""
    block: list[str] = []
    fenced = False
    before = ""
    for line in lines:
        mark = bool(re.match(r"\s*(?:```|~~~)", line))
        if mark and not fenced and block:
            yield block, True
            block = []
        indented = re.match(r" {3}|\t", line) and (block or not before.strip())
        before = line
        if fenced or mark or indented or (block and not line.strip()):
            block.append(line)
            fenced = fenced != mark
            if mark and not fenced:
                yield block, True
                block = []
            continue
        if block:
            yield block, True
            block = []
        yield [line], False
    if block:
        yield block, True


def _sections(text: str) -> list[str]:
    """The lines of the sections that are kept; a dropped heading takes those below it with it."""
    kept: list[str] = []
    dropping: int | None = None
    fenced = False
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if re.match(r"\s*(?:```|~~~)", line):
            fenced = not fenced
        level, title = (0, "") if fenced else _heading(line, lines[number + 1] if number + 1 < len(lines) else "")
        if level:
            if dropping is not None and level <= dropping:
                dropping = None
            if dropping is None and level > 1 and _DROPPED.search(title):
                dropping = level
            if level == 1:
                continue  # the title is the tool's name
        if dropping is None and not re.match(r"^[=\-~^]{3,}\s*$", line):
            kept.append(f"{'#' * min(level, 4)} {title}" if level else line)
    return kept


def _heading(line: str, following: str) -> tuple[int, str]:
    """Level and title of a Markdown or reStructuredText heading; level 0 for another line."""
    if match := re.match(r"(#{1,6})\s+(.*?)\s*#*\s*$", line):
        return len(match[1]), match[2]
    if line.strip() and re.fullmatch(r"([=\-~^])\1{2,}\s*", following) and len(following.strip()) >= len(line.strip()) - 2:
        return {"=": 1, "-": 2}.get(following[0], 3), line.strip()
    return 0, ""


def _closed(lines: list[str]) -> list[str]:
    """Without empty fences and headings that nothing follows."""
    result: list[str] = []
    for line in lines:
        if re.match(r"\s*(?:```|~~~)\s*$", line) and result and re.match(r"\s*(?:```|~~~)\S*\s*$", result[-1]):
            result.pop()
            continue
        if re.match(r"#+ ", line):
            while result and (not result[-1].strip() or re.match(rf"#{{{len(line) - len(line.lstrip('#'))},}} ", result[-1])):
                if result[-1].strip():
                    result.pop()
                    continue
                if len(result) > 1 and re.match(rf"#{{{len(line) - len(line.lstrip('#'))},}} ", result[-2]):
                    result.pop()
                    continue
                break
        result.append(line)
    while result and (not result[-1].strip() or re.match(r"#+ ", result[-1])):
        result.pop()
    return result


def _cut(text: str) -> str:
    """At a paragraph before LONGEST, with every fence closed."""
    if len(text) <= LONGEST:
        cut = text
    else:
        cut = text[:LONGEST]
        cut = cut[: cut.rfind("\n\n")] if "\n\n" in cut else cut
    if len(re.findall(r"^\s*(?:```|~~~)", cut, re.MULTILINE)) % 2:
        cut = cut[: max(cut.rfind("```"), cut.rfind("~~~"))].rstrip()
    return cut.rstrip()
