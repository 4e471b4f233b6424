"""Lines of code of an oracle: its own sources, without tests, vendored packages, blank lines and comments (paper II-A).

Line based and the same for all three languages: a line counts when something other than a comment is on it. Docstrings count, since they
are statements to Python; minified files do not, since their lines mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from clibench.tasks.task import Language

_SUFFIXES: Final = {
    Language.PYTHON: (".py",),
    Language.JAVASCRIPT: (".js", ".mjs", ".cjs"),
    Language.GO: (".go",),
}
_OTHERS_CODE: Final = frozenset({"node_modules", "vendor", "_vendor", "test", "tests", "testdata", "__tests__", "examples", "__pycache__"})


def lines_of_code(source: Path, language: Language) -> int:
    """Lines of code below the folder `source`."""
    return sum(_count(path.read_text("utf-8", "replace"), language) for path in _sources(source, language))


def _sources(source: Path, language: Language) -> Iterator[Path]:
    for path in sorted(source.rglob("*")):
        inner = path.relative_to(source)
        if path.suffix not in _SUFFIXES[language] or not path.is_file() or _OTHERS_CODE & set(inner.parts[:-1]):
            continue
        name = path.name
        if name.endswith(("_test.go", ".min.js", ".test.js", ".spec.js")) or (language is Language.PYTHON and name.startswith("test_")):
            continue
        yield path


def _count(text: str, language: Language) -> int:
    count, inside = 0, False
    for raw in text.splitlines():
        line = raw.strip()
        if language is Language.PYTHON:
            count += bool(line) and not line.startswith("#")
            continue
        if inside:
            inside = "*/" not in line
            line = line.partition("*/")[2].strip() if not inside else ""
        if line.startswith("/*"):
            inside = "*/" not in line
            line = line.partition("*/")[2].strip() if not inside else ""
        count += bool(line) and not line.startswith("//")
    return count
