"""The list of candidates: read from CSV, YAML, folders and words, into one form.

A row may be of a registry (`registry`, `package`, `version`), of a folder (`path`), or of exported repository metadata (`repository`,
`stars`, `languages`, `keywords`, `licence`, `build_file`): then the package is presumed from repository and main language, unless it is
named too. What a row does not tell is None or empty, never a guess.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from clibench.curation.package import LANGUAGES, Package
from clibench.curation.unreadable import UNREADABLE, unreadable
from clibench.errors import UserError, did_you_mean
from clibench.package_name import fault_of_name

_ALIASES: Final = {
    "registry": ("registry",),
    "package": ("package", "name"),
    "version": ("version",),
    "extras": ("extras",),
    "path": ("path", "folder"),
    "repository": ("repository", "repo", "full_name", "url", "html_url"),
    "stars": ("stars", "stargazers_count", "stargazers"),
    "language": ("language",),
    "languages": ("languages", "language_shares"),
    "keywords": ("keywords", "topics"),
    "description": ("description",),
    "licence": ("licence", "license"),
    "build_files": ("build_files", "build_file"),
    "main_package": ("main_package",),
}
"""Names under which exports have a column."""
_UNTOLD: Final = frozenset({"", "unknown", "none", "n/a", "null", "noassertion", "other"})
"""What exports write for a licence that they do not know."""
_REGISTRIES: Final = {language.value: registry for registry, language in LANGUAGES.items()} | {"typescript": "npm"}


@dataclass(frozen=True)
class Candidate:
    """A tool that may become an oracle, with what is known of it before it is installed."""

    package: Package
    repository: str = ""
    stars: int | None = None
    shares: Mapping[str, float] = field(default_factory=dict)
    """Share of each language in the code, in [0, 1], by lower-case name."""
    keywords: tuple[str, ...] = ()
    description: str = ""
    licence: str = ""
    build_files: tuple[str, ...] = ()
    presumed: bool = False
    """The package was not named: it is what the repository's name suggests."""

    @property
    def id(self) -> str:
        """Names the candidate in tables, sheets and decisions; nothing in it is of this machine."""
        return str(self.package) if self.package.folder is None else f"folder:{self.repository or self.package.name}"


def read_candidates(given: Any) -> tuple[Candidate, ...]:
    """The candidates in their order, each once. Raises UserError, naming file and row, for what is none."""
    words = [given] if isinstance(given, str) else given
    if not isinstance(words, list) or not words:
        raise UserError(
            "has no value", where="candidates", fix="Give a CSV or YAML file, a folder, registry:name@version, or a list of these."
        )
    found: dict[str, Candidate] = {}
    for word in words:
        for candidate in _read(str(word)):
            same = found.setdefault(candidate.id, candidate)
            if same.package.folder != candidate.package.folder:
                raise UserError(f"two folders are {candidate.id}", where=f"candidates={word}", fix="Give each a `package` of its own.")
    if not found:
        raise UserError("no candidate in it", where=f"candidates={given}", fix="Add rows.")
    return tuple(found.values())


def _read(word: str) -> Iterable[Candidate]:
    path = Path(word).expanduser()
    if path.is_dir():
        return [_of_folder(path, {}, where=word)]
    if path.suffix.lower() in (".csv", ".yaml", ".yml"):
        rows = _csv_rows(path) if path.suffix.lower() == ".csv" else _yaml_rows(path)
        return [_candidate(row, path.parent, where=where) for where, row in rows]
    if spec := re.fullmatch(r"(\w+):(@?[^@\s]+)(?:@(\S+))?", word):
        _refuse_odd(spec[1], spec[2], spec[3] or "", f"candidates={word}")
        return [Candidate(Package(spec[1], spec[2], spec[3] or ""))]
    if path.is_file():
        raise UserError("is no list of candidates", where=f"candidates={word}", fix="A list is a .csv or a .yaml file.")
    raise UserError(
        "no such file or folder, and no registry:name@version", where=f"candidates={word}", fix="For example pypi:csvkit@2.2.0."
    )


def _csv_rows(path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream, strict=True)
            return [(f"{path}:{reader.line_num}", {k: v for k, v in row.items() if k is not None}) for row in reader]
    except UNREADABLE as error:
        raise unreadable(error, path) from None


def _yaml_rows(path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        body = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"not YAML: {' '.join(str(error).split())[:200]}", where=str(path)) from None
    rows = body.get("candidates") if isinstance(body, dict) else body
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError(
            "not a list of mappings", where=str(path), fix="Write `- {registry: pypi, package: csvkit, version: 2.2.0}` a line."
        )
    return [(f"{path}, candidate {number}", row) for number, row in enumerate(rows, start=1)]


def _candidate(row: Mapping[str, Any], beside: Path, *, where: str) -> Candidate:
    told = {name: next((row[key] for key in keys if row.get(key) not in (None, "")), None) for name, keys in _ALIASES.items()}
    if told["path"] is not None:
        return _of_folder(beside / str(told["path"]), told, where=where)
    repository = _repository(str(told["repository"] or ""))
    shares = _shares(told["languages"], where)
    main = str(told["language"] or (max(shares, key=lambda name: shares[name]) if shares else "")).lower()
    registry, name, presumed = told["registry"], told["package"], False
    if registry is None or name is None:
        registry = registry or _REGISTRIES.get(main)
        if registry is None or not (name or repository):
            columns = ", ".join(str(key) for key in row)
            raise UserError(
                f"neither a package nor a repository in a known language (columns: {columns})",
                where=where,
                fix="Give registry and package, or repository and language (python, javascript, go).",
            )
        presumed = name is None
        name = name or (f"github.com/{repository}" if registry == "go" else repository.rsplit("/", 1)[-1].lower())
    if not presumed:
        _refuse_odd(str(registry), str(name).split(" (")[0], str(told["version"] or ""), where)
    try:
        package = Package(str(registry), str(name).split(" (")[0], str(told["version"] or ""), tuple(_words(told["extras"])))
    except UserError as error:
        raise UserError(error.what, where=where, fix=error.fix) from None
    return Candidate(package, repository, presumed=presumed, **_metadata(told, shares, where))


def _refuse_odd(registry: str, name: str, version: str, where: str) -> None:
    fault = fault_of_name(registry, name, version)
    if fault is not None:
        raise UserError(fault, where=where, fix="Give name and version as the registry has them.")


def _metadata(told: Mapping[str, Any], shares: Mapping[str, float], where: str) -> dict[str, Any]:
    return {
        "stars": _whole(told.get("stars"), where),
        "shares": shares,
        "keywords": tuple(word.lower() for word in _words(told.get("keywords"))),
        "description": str(told.get("description") or ""),
        "licence": "" if str(told.get("licence") or "").strip().lower() in _UNTOLD else str(told["licence"]),
        "build_files": tuple(_words(told.get("build_files"))),
    }


def _of_folder(folder: Path, told: Mapping[str, Any], *, where: str) -> Candidate:
    """A repository on this machine: the language is that of its manifest."""
    from clibench.evaluation.build import RECIPES

    if not folder.is_dir():
        raise UserError("no such folder", where=f"{where}: {folder}")
    languages = [name for name, recipe in RECIPES.items() if any((folder / manifest).is_file() for manifest in recipe.manifests)]
    registry = told.get("registry") or (_REGISTRIES[languages[0]] if languages else "pypi")
    if registry not in LANGUAGES:
        raise UserError(f"unknown registry '{registry}'", where=where, fix=did_you_mean(str(registry), LANGUAGES))
    name = str(told.get("package") or folder.resolve().name)
    package = Package(str(registry), name, str(told.get("version") or ""), folder=folder)
    build_files = tuple(path.name for path in sorted(folder.glob("*")) if path.is_file())
    metadata = _metadata(told, _shares(told.get("languages"), where), where)
    return Candidate(package, _repository(str(told.get("repository") or "")), **metadata | {"build_files": build_files})


def _repository(text: str) -> str:
    """owner/name."""
    return re.sub(r"^(?:https?://|git@)?(?:www\.)?github\.com[/:]|\.git$|/$", "", text.strip())


def _shares(value: Any, where: str) -> dict[str, float]:
    """Of {name: bytes or share}, as a mapping, as JSON, or as `Python:92.5;Shell:7.5`; percentages and bytes become shares of the whole."""
    if value is None:
        return {}
    if isinstance(value, str):
        if value.lstrip().startswith("{"):
            try:
                value = json.loads(value)
            except ValueError:
                raise UserError(f"languages are no JSON: {value[:60]}", where=where) from None
        else:
            value = dict(part.rsplit(":", 1) for part in re.split(r"[;,]", value) if ":" in part)
    try:
        numbers = {str(name).strip().lower(): float(str(amount).strip(" %")) for name, amount in dict(value).items()}
    except (TypeError, ValueError):
        raise UserError(f"languages are no numbers: {value}", where=where, fix="Write Python:92.5;Shell:7.5.") from None
    whole = max(sum(numbers.values()), 1e-9)
    return {name: amount / whole for name, amount in numbers.items()}


def _words(value: Any) -> list[str]:
    """A list, or text parted by semicolons, bars or commas, or JSON."""
    if value is None:
        return []
    if isinstance(value, str):
        text = value.strip().strip("[]")
        return [word for part in re.split(r"[;,|]", text) if (word := part.strip().strip("'\""))]
    return [str(word) for word in value]


def _whole(value: Any, where: str) -> int | None:
    if value is None:
        return None
    try:
        return int(float(str(value).replace(",", "")))
    except ValueError:
        raise UserError(f"stars are no number: {value}", where=where) from None
