"""Lines of code of an oracle: its own sources, without tests, vendored packages, generated files, blank lines and comments (paper II-A).

Counted by pygount, which reads each language's tokens. A line counts when it has code or a string on it; Python's docstrings are
documentation, and lines of brackets alone are blank to it, so its numbers lie some 20 % below those of a line-based counter. Of code that a
package ships twice (TypeScript and what it compiles to, or a bundle beside its sources) only the original counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
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


_SHARED: Final = frozenset({".git", ".hg", ".svn", ".github"})
_TEXT_LANGUAGES: Final = {suffix: language.value for language, suffixes in _SUFFIXES.items() for suffix in suffixes} | {
    ".c": "c",
    ".cc": "c++",
    ".cpp": "c++",
    ".h": "c",
    ".rs": "rust",
    ".java": "java",
    ".rb": "ruby",
    ".sh": "shell",
    ".php": "php",
    ".cs": "c#",
    ".lua": "lua",
    ".pl": "perl",
}


@dataclass(frozen=True)
class Layout:
    """How an oracle's sources lie in folders (the columns of RQ4), measured as a submission is."""

    files: int
    directories: int
    depth: int
    """Of the deepest file; 1 is the top."""


def layout(source: Path) -> Layout:
    """Files, folders and depth below `source`, without version control, tests and the code of others."""
    paths = _all_own(source)
    directories = {parent for path in paths for parent in path.parents if parent != Path()}
    return Layout(len(paths), len(directories), max((len(path.parts) for path in paths), default=0))


def language_shares(source: Path) -> dict[str, float]:
    """Share of each language's bytes in the code below `source`, as a code host counts it; empty where there is no code."""
    sizes: Counter[str] = Counter()
    for path in _all_own(source):
        if path.suffix in _TEXT_LANGUAGES:
            sizes[_TEXT_LANGUAGES[path.suffix]] += (source / path).stat().st_size
    whole = sum(sizes.values())
    return {name: size / whole for name, size in sorted(sizes.items())} if whole else {}


def _all_own(source: Path) -> list[Path]:
    """Relative paths of the regular files that are the project's own, code or not."""
    found = []
    for path in sorted(source.rglob("*")):
        inner = path.relative_to(source)
        folders = set(inner.parts[:-1])
        described = any(part.endswith((".dist-info", ".egg-info")) for part in folders)
        if not path.is_symlink() and path.is_file() and not described and not folders & (_OTHERS_CODE | _SHARED):
            found.append(inner)
    return found


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
        if not path.is_symlink() and path.is_file() and _is_own(path.relative_to(source), language)
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
