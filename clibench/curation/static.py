"""The static filter (paper II-A): popularity, language, topic, licence and build file, from what is known of a candidate.

A pure function of metadata and thresholds. What is not known is named: whether that rejects is a setting. Licences are compared as SPDX
identifiers, since every registry words them differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from clibench.curation.candidates import Candidate
from clibench.curation.settings import StaticConfig, Unknown

_SPDX: Final = (
    (r"agpl|affero", "AGPL-3.0"),
    (r"lgpl.*2\.1|lesser.*2\.1", "LGPL-2.1"),
    (r"lgpl|lesser", "LGPL-3.0"),
    (r"gpl.*2(?!\d)|general public.*2", "GPL-2.0"),
    (r"gpl|general public", "GPL-3.0"),
    (r"apache", "Apache-2.0"),
    (r"mozilla|mpl", "MPL-2.0"),
    (r"0bsd|zero.clause", "0BSD"),
    (r"bsd.*2|simplified bsd", "BSD-2-Clause"),
    (r"bsd", "BSD-3-Clause"),
    (r"\bisc\b", "ISC"),
    (r"unlicense|public domain", "Unlicense"),
    (r"cc0", "CC0-1.0"),
    (r"zlib", "Zlib"),
    (r"python software foundation|\bpsf\b", "PSF-2.0"),
    (r"\bmit\b|expat", "MIT"),
)
"""How registries word licences, and what is meant; the first that fits."""


@dataclass(frozen=True)
class Fault:
    """A criterion that a candidate does not meet."""

    criterion: str
    """stars, language, keywords, licence or build file."""
    detail: str


def spdx(licence: str) -> str:
    """The SPDX identifier that a licence's wording means; the wording itself where it is none that is known."""
    text = licence.strip().lower()
    return next((name for pattern, name in _SPDX if re.search(pattern, text)), licence.strip())


def faults(candidate: Candidate, settings: StaticConfig, readme: str = "") -> list[Fault]:
    """Criteria that are not met, those of unknown value among them where the settings say so; empty for a candidate that passes."""
    found = [
        _stars(candidate, settings),
        _language(candidate, settings),
        _keywords(candidate, settings, readme),
        _licence(candidate, settings),
        _build_file(candidate, settings),
    ]
    return [fault for fault in found if fault is not None]


def unknown(candidate: Candidate, settings: StaticConfig, readme: str = "") -> list[str]:
    """Criteria whose value is not known."""
    known: Mapping[str, object] = {
        "stars": settings.min_stars is None or candidate.stars is not None,
        "language": settings.min_language_share is None or candidate.shares,
        "keywords": settings.keywords is None or candidate.keywords or candidate.description or readme,
        "licence": settings.licences is None or candidate.licence,
        "build file": settings.build_files is None or candidate.build_files,
    }
    return [name for name, value in known.items() if not value]


def _missing(criterion: str, settings: StaticConfig) -> Fault | None:
    return Fault(criterion, "not known") if settings.unknown is Unknown.reject else None


def _stars(candidate: Candidate, settings: StaticConfig) -> Fault | None:
    if settings.min_stars is None:
        return None
    if candidate.stars is None:
        return _missing("stars", settings)
    return Fault("stars", f"{candidate.stars}, fewer than {settings.min_stars}") if candidate.stars < settings.min_stars else None


def _language(candidate: Candidate, settings: StaticConfig) -> Fault | None:
    language = candidate.package.language.value
    if settings.languages is not None and language not in settings.languages:
        return Fault("language", f"{language} is none of {', '.join(settings.languages)}")
    if settings.min_language_share is None:
        return None
    if not candidate.shares:
        return _missing("language", settings)
    share = candidate.shares.get(language, 0.0) + (candidate.shares.get("typescript", 0.0) if language == "javascript" else 0.0)
    return (
        Fault("language", f"{share:.0%} {language}, less than {settings.min_language_share:.0%}")
        if share < settings.min_language_share
        else None
    )


def _keywords(candidate: Candidate, settings: StaticConfig, readme: str) -> Fault | None:
    if settings.keywords is None:
        return None
    texts = (*candidate.keywords, candidate.description, readme)
    if not any(texts):
        return _missing("keywords", settings)
    if any(_mentions(text, settings.keywords) for text in texts):
        return None
    return Fault("keywords", f"none of {', '.join(settings.keywords)} in topics, description or README")


def _mentions(text: str, words: Iterable[str]) -> bool:
    return any(re.search(rf"(?<![a-z0-9]){re.escape(word.lower())}(?![a-z0-9])", text.lower()) for word in words)


def _licence(candidate: Candidate, settings: StaticConfig) -> Fault | None:
    if settings.licences is None:
        return None
    if not candidate.licence:
        return _missing("licence", settings)
    choices = [spdx(part) for part in re.split(r"\bOR\b|;", candidate.licence)]
    return (
        None if any(choice in settings.licences for choice in choices) else Fault("licence", f"{candidate.licence[:80]} is not in the list")
    )


def _build_file(candidate: Candidate, settings: StaticConfig) -> Fault | None:
    if settings.build_files is None:
        return None
    if not candidate.build_files:
        return _missing("build file", settings)
    wanted = settings.build_files.get(candidate.package.language.value, [])
    return None if set(wanted) & set(candidate.build_files) else Fault("build file", f"no {' or '.join(wanted)}")
