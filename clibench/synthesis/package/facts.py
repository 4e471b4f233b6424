"""What a package ships about itself, read from its files as the registry ships them; nothing of it is run.

Python: the METADATA of the distribution (core metadata, PEP 566 and later) and its entry points; npm: package.json; Go: the module's
folder. What a package does not say is empty, never guessed, but for the licence of a Go module, which is told from its text.
"""

from __future__ import annotations

import configparser
import json
import re
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, Final

from clibench.synthesis.package.readme import plain_text

UNKNOWN_LICENCE: Final = "NOASSERTION"
"""SPDX: no claim is made."""


@dataclass(frozen=True)
class Facts:
    """What a package says of itself."""

    readme: str = ""
    summary: str = ""
    keywords: tuple[str, ...] = ()
    licence: str = UNKNOWN_LICENCE
    entries: tuple[str, ...] = ()
    """Executables that its installation creates, sorted."""
    makers: tuple[str, ...] = ()
    """Names and accounts of authors, maintainers and owners of the repository, lower case."""


def read_facts(source: Path, registry: str, name: str) -> Facts:
    """The facts of the package `name` in the folder `source`."""
    match registry:
        case "pypi":
            return _python(source, name)
        case "npm":
            return _npm(source)
        case _:
            return _go(source, name)


def opening(readme: str) -> str:
    """Title and first paragraph of a README: what its author would say in one breath."""
    text = plain_text(readme)
    title = re.search(r"^#\s+(.+)$|^(.+)\n=+\s*$", text, re.MULTILINE)
    rest = text[title.end() :] if title else text
    paragraph = next(
        (part.strip() for part in re.split(r"\n\s*\n", rest) if re.match(r"\s*[A-Za-z`*]", part) and len(part.split()) > 3), ""
    )
    return " ".join(f"{(title[1] or title[2]) if title else ''}. {paragraph[:400]}".split())


_CLASSIFIERS: Final = {
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "Python Software Foundation License": "PSF-2.0",
}

# A phrase that only this licence's text has; the first that is found.
_TEXTS: Final = (
    ("Apache License", "Apache-2.0"),
    ("Mozilla Public License", "MPL-2.0"),
    ("GNU AFFERO GENERAL PUBLIC LICENSE", "AGPL-3.0-only"),
    ("GNU LESSER GENERAL PUBLIC LICENSE", "LGPL-3.0-only"),
    ("GNU GENERAL PUBLIC LICENSE", "GPL-3.0-only"),
    ("Permission is hereby granted, free of charge", "MIT"),
    ("Permission to use, copy, modify, and/or distribute", "ISC"),
    ("Neither the name of", "BSD-3-Clause"),
    ("Redistribution and use in source and binary forms", "BSD-2-Clause"),
    ("This is free and unencumbered software", "Unlicense"),
)


def _python(source: Path, name: str) -> Facts:
    canonical = re.sub(r"[-_.]+", "-", name).lower()
    folder = next((path for path in sorted(source.glob("*.dist-info")) if _distribution(path) == canonical), None)
    if folder is None:
        return Facts()
    head, _, body = _text(folder / "METADATA").partition("\n\n")
    fields = HeaderParser().parsestr(head)
    readme = body.strip() or str(fields.get("Description", "")).replace("\n        ", "\n")
    makers = [str(fields.get(key, "")) for key in ("Author", "Author-email", "Maintainer", "Maintainer-email")]
    addresses = [str(value) for key in ("Home-page", "Project-URL", "Download-URL") for value in fields.get_all(key, [])]
    classified = [str(line).split(" :: ")[-1] for line in fields.get_all("Classifier", []) if str(line).startswith("License ::")]
    declared = str(fields.get("License-Expression", "")) or next((_CLASSIFIERS[line] for line in classified if line in _CLASSIFIERS), "")
    return Facts(
        readme=readme,
        summary=str(fields.get("Summary", "")),
        keywords=tuple(re.split(r"[,\s]+", str(fields.get("Keywords", "")).strip())),
        licence=_licence(declared or str(fields.get("License", "")), folder, source),
        entries=_scripts(folder),
        makers=_makers(makers, addresses),
    )


def _distribution(folder: Path) -> str:
    return re.sub(r"[-_.]+", "-", folder.name.removesuffix(".dist-info").rsplit("-", 1)[0]).lower()


def _scripts(folder: Path) -> tuple[str, ...]:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), strict=False)
    setattr(parser, "optionxform", str)  # noqa: B010 - names keep their case
    try:
        parser.read_string(_text(folder / "entry_points.txt"))
    except configparser.Error:
        return ()
    names = set(parser["console_scripts"]) if parser.has_section("console_scripts") else set()
    for row in _text(folder / "RECORD").splitlines():  # scripts that are no entry points: ../../bin/name
        path = row.split(",")[0]
        if re.fullmatch(r"(?:\.\./)+bin/[^/]+|[^/]+\.data/scripts/[^/]+", path):
            names.add(path.rsplit("/", 1)[-1])
    return tuple(sorted(names))


def _npm(source: Path) -> Facts:
    try:
        body: dict[str, Any] = json.loads(_text(source / "package.json") or "{}")
    except json.JSONDecodeError:
        return Facts()
    binaries = body.get("bin") or {}
    own = str(body.get("name", "")).rsplit("/", 1)[-1]
    entries = [own] if isinstance(binaries, str) else list(binaries) if isinstance(binaries, dict) else []
    people = [body.get("author"), *_list(body.get("contributors")), *_list(body.get("maintainers"))]
    makers = [
        f"{person.get('name', '')} <{person.get('email', '')}>" if isinstance(person, dict) else str(person or "") for person in people
    ]
    repository = body.get("repository") or ""
    addresses = [str(repository.get("url", "") if isinstance(repository, dict) else repository), str(body.get("homepage") or "")]
    licence = body.get("license") or ""
    return Facts(
        readme=_readme(source),
        summary=str(body.get("description") or ""),
        keywords=tuple(map(str, _list(body.get("keywords")))),
        licence=_licence(str(licence.get("type", "") if isinstance(licence, dict) else licence), source),
        entries=tuple(sorted(map(str, entries))),
        makers=_makers(makers, [_url(address) for address in addresses if address]),
    )


def _url(repository: str) -> str:
    """npm's short forms, `owner/name` and `github:owner/name`, written out."""
    short = re.fullmatch(r"(?:(github|gitlab|bitbucket):)?([\w.-]+/[\w.-]+)", repository)
    return f"https://{short[1] or 'github'}.com/{short[2]}" if short else repository


def _go(source: Path, name: str) -> Facts:
    parts = name.split("/")
    last = parts[-2] if re.fullmatch(r"v\d+", parts[-1]) and len(parts) > 1 else parts[-1]
    inner = source / name.rsplit("/cmd/", 1)[-1] if "/cmd/" in name else source
    cmd = source / "cmd" / inner.name
    readme = next((text for folder in (cmd, source) if (text := _readme(folder))), "")
    summary = re.search(
        r"^/?[/*]+\s*((?:Command|Package|Program|The)?\s*.+)$", _text(cmd / "main.go") or _text(source / "main.go"), re.MULTILINE
    )
    return Facts(
        readme=readme,
        summary="" if summary is None or re.search(r"copyright|licen[cs]e|build", summary[1], re.IGNORECASE) else summary[1],
        licence=_licence("", source),
        entries=(last,),
        makers=_makers((), [f"https://{name}"]),
    )


def _licence(declared: str, *folders: Path) -> str:
    """The SPDX identifier that is declared, else what the licence's text is."""
    declared = declared.strip().splitlines()[0].strip() if declared.strip() else ""
    if declared and re.fullmatch(r"[A-Za-z0-9][\w.+-]*(?: (?:OR|AND|WITH) [\w.+() -]+)?", declared) and declared.upper() != "UNLICENSED":
        return {"apache2": "Apache-2.0", "apache": "Apache-2.0", "bsd": "BSD-3-Clause", "gpl": "GPL-3.0-only"}.get(
            declared.lower(), declared
        )
    if re.fullmatch(r"(?:the )?mit(?: licen[sc]e)?", declared, re.IGNORECASE):
        return "MIT"
    for folder in folders:
        for path in sorted((*folder.glob("[Ll][Ii][Cc][Ee][Nn]*"), *folder.glob("[Cc][Oo][Pp][Yy]*"), *folder.glob("licenses/*"))):
            text = " ".join(_text(path).split())
            if found := next((name for mark, name in _TEXTS if mark.lower() in text.lower()), None):
                return found
    return UNKNOWN_LICENCE


_HOSTS: Final = re.compile(r"(?:github|gitlab|bitbucket|codeberg)\.(?:com|org)[/:]+([\w.-]+)/", re.IGNORECASE)
_NOT_A_MAKER: Final = frozenset(
    {"the", "and", "authors", "contributors", "team", "unknown", "maintainers", "inc", "noreply", "info", "none"}
)


def _makers(people: Any, addresses: Any) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for person in people:
        for part in re.split(r",|;| and ", str(person)):
            mail = re.search(r"([\w.+-]+)@[\w.-]+", part)
            plain = re.sub(r"<.*?>|\(.*?\)|[\w.+-]+@[\w.-]+|https?://\S+", " ", part)
            names = [plain.strip().strip("\"'"), mail[1] if mail else ""]
            found.update(dict.fromkeys(name.lower() for name in names if len(name) > 2))
    for address in addresses:
        found.update(dict.fromkeys(owner.lower() for owner in _HOSTS.findall(f"{address}/")))
    return tuple(name for name in found if name not in _NOT_A_MAKER)


def _readme(folder: Path) -> str:
    found = sorted(folder.glob("[Rr][Ee][Aa][Dd][Mm][Ee]*"), key=lambda path: (path.suffix.lower() != ".md", path.name))
    return next((text for path in found if path.is_file() and (text := _text(path)).strip()), "")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
