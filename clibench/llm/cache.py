"""Answers kept by the content of their request, so that a finished sweep or a judge's second look costs nothing and says the same.

One JSON file an answer, named by the digest of the request: a folder of them can be copied into a bug report. Session and user ids and
whether the answer was streamed are no part of the digest. For agents (`agent_key`) neither are call ids, UUIDs and dates, which they put
into their prompts and which differ from run to run; a judge's request may differ in nothing but a date, so there (`exact_key`) they count.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from clibench.digest import digest_json
from clibench.errors import InfraError, StoreError, UserError, did_you_mean

Mode = Literal["off", "record", "replay"]
MODES: Final = ("off", "record", "replay")

_LEFT_OUT: Final = frozenset(
    {"stream", "stream_options", "user", "metadata", "session_id", "prompt_cache_key", "store", "safety_identifier", "client_metadata"}
)
_MASKS: Final = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE), "<uuid>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "<date>"),
    (re.compile(r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, )?[A-Z][a-z]{2,8} \d{1,2},? 20\d\d\b"), "<date>"),
)
_IDS: Final = frozenset({"id", "call_id", "tool_call_id", "tool_use_id", "item_id"})


class ReplayMissError(InfraError):
    """llm.cache=replay, and the cache has no answer for the request."""

    passing = False


class AnswerCache:
    """The folder, in one mode."""

    def __init__(self, folder: Path, mode: str, key: Callable[[dict[str, Any]], str]) -> None:
        if mode not in MODES:
            raise UserError(f"llm.cache: unknown mode '{mode}'", fix=did_you_mean(mode, MODES))
        self.folder = folder
        self.mode = mode
        self._key = key

    def find(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to a request, None where a call has to be made; raises ReplayMissError when none may be made."""
        if self.mode == "off":
            return None
        path = self._path(self._key(request))
        try:
            answer: dict[str, Any] = json.loads(path.read_bytes())["answer"]
        except FileNotFoundError:
            if self.mode == "replay":
                raise ReplayMissError(
                    f"no recorded answer for this request ({path.stem[:12]})",
                    where=str(self.folder),
                    fix="Record it first: llm.cache=record.",
                ) from None
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"a recorded answer can't be read: {error}", where=str(path), fix="Delete the file and record again."
            ) from error
        return answer

    def keep(self, request: dict[str, Any], answer: dict[str, Any]) -> None:
        """Keep an answer (mode record), atomically; the last of two at once stays."""
        if self.mode != "record":
            return
        path = self._path(self._key(request))
        body = json.dumps({"request": request, "answer": answer}).encode()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            with os.fdopen(handle, "wb") as stream:
                stream.write(body)
            Path(name).replace(path)
        except OSError as error:
            raise StoreError(f"an answer can't be kept ({error.strerror})", where=str(path)) from error

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def exact_key(request: dict[str, Any]) -> str:
    """Digest of all that a request asks."""
    return digest_json({name: value for name, value in request.items() if name not in _LEFT_OUT})


def agent_key(request: dict[str, Any]) -> str:
    """Digest of what an agent's request asks, without the ids and dates that differ from run to run."""
    return digest_json(_masked({name: value for name, value in request.items() if name not in _LEFT_OUT}, {}))


def _masked(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            name: names.setdefault(item, f"id{len(names)}") if name in _IDS and isinstance(item, str) else _masked(item, names)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_masked(item, names) for item in value]
    if isinstance(value, str):
        for pattern, mask in _MASKS:
            value = pattern.sub(mask, value)
    return value
