"""Content digests: the names of everything that the store holds.

A digest is the lower-case SHA-256 hex of bytes, or of the canonical JSON of a value (sorted keys, no blanks, UTF-8 with lone surrogates
escaped), so that equal content has one name on every machine and in every process.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def digest_bytes(data: bytes) -> str:
    """SHA-256 of `data`, as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: Any) -> bytes:
    """The one JSON form of `value` that digests are taken of; raises TypeError for what JSON can't hold."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def digest_json(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`."""
    return digest_bytes(canonical_json(value))


def digest_file(path: Path) -> str:
    """SHA-256 of a file's content, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
