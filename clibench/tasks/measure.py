"""Lines of code of an oracle: its own sources, without tests, vendored packages, generated files, blank lines and comments (paper II-A).

Counted by pygount, which reads each language's tokens. A line counts when it has code or a string on it; Python's docstrings are
documentation, and lines of brackets alone are blank to it, so its numbers lie some 20 % below those of a line-based counter. Of code that a
package ships twice (TypeScript and what it compiles to, or a bundle beside its sources) only the original counts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clibench.tasks.task import Language

# The first suffix under which a file is there is its original.
_SUFFIXES: Final = {
    Language.PYTHON: (".py",),
    Language.JAVASCRIPT: (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx"),
    Language.GO: (".go",),
}
_OTHERS_CODE: Final = frozenset(
    {
        "node_modules",
        "vendor",
        "_vendor",
        "third_party",
        "test",
        "tests",
        "testdata",
        "__tests__",
        "spec",
        "examples",
        "example",
        "__pycache__",
    }
)
_BUILT: Final = frozenset({"dist", "build", "out", "umd", "esm", "cjs", "browser"})
_NOT_OURS: Final = (
    "_test.go",
    ".pb.go",
    ".min.js",
    ".test.js",
    ".spec.js",
    ".test.ts",
    ".spec.ts",
    ".d.ts",
    ".d.mts",
    ".d.cts",
    "_test.py",
)


def lines_of_code(source: Path, language: Language) -> int:
    """Lines of code below the folder `source`, read as text and never run."""
    from pygount import SourceAnalysis

    return sum(
        SourceAnalysis.from_file(str(path), "oracle", encoding="automatic", fallback_encoding="latin-1").source_count
        for path in own_sources(source, language)
    )


def own_sources(source: Path, language: Language) -> list[Path]:
    """The files that count, sorted."""
    found = [
        path
        for path in sorted(source.rglob("*"))
        if path.is_file() and not path.is_symlink() and _is_own(path.relative_to(source), language)
    ]
    originals = [path for path in found if not _BUILT & set(path.relative_to(source).parts[:-1])] or found
    best: dict[Path, Path] = {}
    for path in sorted(originals, key=lambda path: _SUFFIXES[language].index(path.suffix)):
        best.setdefault(path.with_suffix(""), path)
    return sorted(best.values())


def _is_own(inner: Path, language: Language) -> bool:
    if inner.suffix not in _SUFFIXES[language] or _OTHERS_CODE & set(inner.parts[:-1]):
        return False
    return not inner.name.endswith(_NOT_OURS) and not (language is Language.PYTHON and inner.name.startswith(("test_", "conftest")))
