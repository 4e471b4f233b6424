"""What a synthesised task could tell of its tool, found before the prompt is written: lines to leave out, and words that can't be avoided.

The prompt audit (`leaks.py`) has the last word. Here its refusals are prevented where that is honest: a line of the README goes; an address
or a maker's name that the tool prints itself, or that a fixture holds, is behaviour and is allowed by name in the spec.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from clibench.recording import Recording
from clibench.synthesis.leaks import addresses, own_names, secret_names, word
from clibench.synthesis.spec import Spec

ORDINARY: Final = frozenset(
    {
        "tree", "diff", "sort", "table", "json", "yaml", "toml", "csv", "html", "css", "xml", "sql", "markdown", "text", "file", "files",
        "list", "tool", "data", "date", "time", "env", "hash", "color", "colour", "merge", "split", "join", "convert", "format", "lint",
        "check", "test", "run", "build", "parse", "query", "search", "find", "replace", "count", "watch", "serve", "print", "show", "get",
        "set", "add", "remove", "tag", "template", "schema", "patch", "log", "graph", "chart", "clock", "calendar", "url", "uri", "http",
        "regex", "glob", "path", "dot", "tidy", "minify", "prettify", "slug", "case", "word", "line", "python", "go", "node", "javascript",
        "java", "rust", "google", "microsoft", "facebook", "apple", "amazon", "linux", "apache", "mozilla", "json2csv", "the", "a", "an",
        "of", "to", "npm", "pip", "golang", "cli", "and",
    }
)  # fmt: skip
"""Words that say nothing of a tool though it be named so: renaming them everywhere would make a text unreadable."""


def ordinary_names(names: Iterable[str]) -> list[str]:
    """Those of the names that any text may hold."""
    return sorted({name.lower() for name in names if name.lower() in ORDINARY})


def unavoidable(spec: Spec, texts: Iterable[bytes]) -> list[str]:
    """Addresses and makers' names in what the tool prints or its fixtures hold, lower case."""
    text = b"\n".join(texts).decode("utf-8", "replace")
    own = {*own_names(spec), spec.oracle.name}
    found = {address.lower() for _, address in addresses(text, spec)}
    found |= {name.lower() for name in secret_names(spec) if name not in own and mentions(text, [name])}
    return sorted(found)


def spellings(spec: Spec, texts: Iterable[bytes]) -> list[str]:
    """How else, in capitals or not, the tool spells its own secret names in these texts, in the order of the alphabet."""
    text = b"\n".join(texts).decode("utf-8", "replace")
    names = [name for name in secret_names(spec) if name in own_names(spec)]
    return sorted({match[0] for name in names for match in word(name).finditer(text)} - {*names, spec.task.alias})


def mentions(text: str, names: Sequence[str]) -> bool:
    """Whether the text holds one of the names as a whole word, in any case."""
    return any(word(name).search(text) for name in names if name)


def printed(recordings: Iterable[Recording]) -> list[bytes]:
    """What the recordings show of a tool: its output, and the files that it wrote."""
    return [
        part
        for recording in recordings
        for part in (recording.stdout.data, *(change.content or b"" for change in recording.changes))
        if part
    ]


def fixture_texts(body: dict[str, Any]) -> list[bytes]:
    """The texts of a pattern's files and standard input, and the values that are drawn for them."""
    texts = [str(text) for text in body.get("files", {}).values()] + [str(body.get("stdin", "")), str(body.get("params", ""))]
    return [text.encode("utf-8", "replace") for text in texts]
