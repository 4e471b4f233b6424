"""Try one candidate: install it, find its entry, measure its sources. What was found is data that can be kept.

A finding says all that the static filter and the reviewers may want to know later, so that neither a changed threshold nor a second look
installs the candidate again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from clibench.curation.candidates import Candidate
from clibench.curation.entries import entries, usable
from clibench.curation.install import install
from clibench.curation.package import RejectedError
from clibench.digest import digest_file, digest_json
from clibench.sandbox.interface import Sandbox
from clibench.sandbox.reap import scratch_folder
from clibench.tasks.measure import language_shares, layout, lines_of_code

VERSION: Final = 2
"""Of findings: raise it when discovery or measuring changes, and candidates are tried again."""
_TEXT: Final = 20_000
"""Characters of README and help that are kept."""


@dataclass(frozen=True)
class Finding:
    """What a trial installation showed. A candidate that was rejected has a reason, and of the rest as much as was found."""

    reason: str = ""
    """Empty for a candidate that is usable (see `Reason`)."""
    detail: str = ""
    version: str = ""
    licence: str = ""
    about: str = ""
    readme: str = ""
    readme_chars: int = 0
    shares: Mapping[str, float] = field(default_factory=dict)
    entry: str = ""
    entry_package: str = ""
    """What to pin: the package; for Go, the path of the main package."""
    match: str = ""
    score: float = 0.0
    help_words: str = ""
    help: str = ""
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Further executables of the package."""
    loc: int | None = None
    files: int | None = None
    directories: int | None = None
    depth: int | None = None

    def to_json(self) -> dict[str, Any]:
        """For the store."""
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Finding:
        """Inverse of `to_json`; raises KeyError or TypeError for another body."""
        return cls(**{**body, "notes": tuple(body["notes"]), "others": tuple(body["others"])})


def finding_key(candidate: Candidate, help_timeout_s: float) -> str:
    """Names what a trial would show: it is repeated when the package, its content or the patience changes."""
    package = candidate.package
    content = _content(package.folder) if package.folder is not None else ""
    return digest_json(
        {
            "version": VERSION,
            "package": [package.registry, package.name, package.version, *package.extras],
            "content": content,
            "patience": help_timeout_s,
        }
    )


def try_candidate(sandbox: Sandbox, candidate: Candidate, *, install_timeout_s: float, help_timeout_s: float, network: bool) -> Finding:
    """Install, discover, measure. A rejection is a finding; raises SandboxError for faults of the harness alone."""
    package = candidate.package
    with scratch_folder("curate") as prefix:
        try:
            installed = install(sandbox, prefix, package, timeout_s=install_timeout_s, network=network)
        except RejectedError as error:
            return Finding(str(error.reason), error.detail)
        size = layout(installed.source)
        seen: dict[str, Any] = {
            "version": installed.version,
            "licence": installed.licence,
            "about": installed.about[:_TEXT],
            "readme": installed.readme[:_TEXT],
            "readme_chars": len(installed.readme),
            "shares": language_shares(installed.source),
            "loc": lines_of_code(installed.source, package.language),
            "files": size.files,
            "directories": size.directories,
            "depth": size.depth,
        }
        found = entries(sandbox, prefix, installed, help_timeout_s=help_timeout_s)
    try:
        entry = usable(found, package)
    except RejectedError as error:
        return Finding(str(error.reason), error.detail, others=tuple(each.name for each in found), **seen)
    assert entry.help is not None  # noqa: S101 - usable
    return Finding(
        entry=entry.name,
        entry_package=entry.package,
        match=entry.match.value,
        score=entry.score,
        help_words=" ".join(entry.help.words),
        help=entry.help.text[:_TEXT],
        notes=tuple(note for note in (*entry.help.notes, entry.bare) if note),
        others=tuple(each.name for each in found if each is not entry),
        **seen,
    )


def _content(folder: Path) -> str:
    """Digest of all files of a repository, version control aside."""
    files = [path for path in sorted(folder.rglob("*")) if not path.is_symlink() and path.is_file() and ".git" not in path.parts]
    return digest_json([[str(path.relative_to(folder)), digest_file(path)] for path in files])
