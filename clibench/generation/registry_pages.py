"""What registries answer about a package, with the addresses of its files replaced."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import urljoin

Rewrite = Callable[[bytes, str, Callable[[str], str]], bytes]
"""From an answer, the address that it came from, and a function from a file's address to the one that takes its place.

ValueError, KeyError, TypeError or AttributeError where the answer is not of its form."""

_ANCHOR: Final = re.compile(r"""(<a\b[^>]*?\bhref\s*=\s*)(["'])(.*?)\2""", re.IGNORECASE | re.DOTALL)


def pypi_page(body: bytes, base: str, replaced: Callable[[str], str]) -> bytes:
    """A page of the simple API: JSON (PEP 691) or HTML (PEP 503)."""
    if body.lstrip().startswith(b"{"):
        page = json.loads(body)
        for row in page["files"]:
            row["url"] = replaced(urljoin(base, row["url"]))
        return json.dumps(page).encode()

    def link(found: re.Match[str]) -> str:
        url = replaced(urljoin(base, html.unescape(found[3])))
        return f"{found[1]}{found[2]}{html.escape(url)}{found[2]}"

    return _ANCHOR.sub(link, body.decode("utf-8", "replace")).encode()


def npm_page(body: bytes, base: str, replaced: Callable[[str], str]) -> bytes:
    """All versions of a package, or one of them."""
    page = json.loads(body)
    for version in page["versions"].values() if "versions" in page else [page]:
        if "tarball" in (version.get("dist") or {}):
            version["dist"]["tarball"] = replaced(urljoin(base, version["dist"]["tarball"]))
    return json.dumps(page).encode()
