"""index.html: one self-contained page around the index. It loads nothing but the bodies beside it, which its content policy enforces.

The index is inert JSON, in which no character can end the element that holds it, and the script sets strings as text only: what a
submission prints can't become markup or code.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from clibench import __version__


def page(index: dict[str, Any]) -> str:
    """The text of index.html."""
    script = _asset("page.js")
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src '{_hash(script)}' 'self' file:; base-uri 'none'; form-action 'none'"
    )
    parts = {"POLICY": policy, "VERSION": __version__, "STYLE": _asset("page.css"), "INDEX": inert_json(index), "SCRIPT": script}
    pieces = _asset("page.html").split("%%")  # text, name, text, name, ... so that nothing is replaced inside what was filled in
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))


def inert_json(value: Any) -> str:
    """JSON that is safe inside a script element: ASCII without `<`, `>` and `&`."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files("clibench.report").joinpath(name).read_text("utf-8")
