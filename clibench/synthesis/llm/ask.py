"""The one client of synthesis: purpose `synthesize` in the ledger, answers always kept, so that a second run is free and the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from clibench.errors import UserError
from clibench.llm.client import Client, Shaped
from clibench.llm.ledger import Ledger, Scope
from clibench.llm.models import ModelConfig, serving
from clibench.llm.settings import LlmSettings, ModelSettings

Shape = TypeVar("Shape", bound=BaseModel)


class Asker(Protocol):
    """What of `clibench.llm.client.Client` is used."""

    model: ModelConfig

    def ask(self, messages: Sequence[dict[str, Any]], shape: type[Shape], **params: Any) -> Shaped[Shape]:
        """An answer that is a `shape`; raises UnusableAnswerError where there is none, CallError where the model can't be reached."""
        ...


def open_client(model: ModelSettings, llm: LlmSettings, outputs: Path, task: str) -> Client:
    """The client of a configuration. Raises UserError for a model that can't be called, MissingKeyError where its key is not set."""
    if not model.id:
        raise UserError("a model is needed", where="extractor", fix="Give model=NAME, or extractor=rules.")
    resolved = serving(model)
    resolved.key()
    return make_client(resolved, Ledger(outputs / "ledger.jsonl"), llm, task=task, cache_dir=outputs / "llm_cache")


def make_client(model: ModelConfig, ledger: Ledger, settings: LlmSettings, *, task: str, cache_dir: Path) -> Client:
    """A client that keeps answers (unless `settings` only replays them)."""
    kept = replace(settings, cache="replay" if settings.cache == "replay" else "record")
    return Client(model, ledger, kept, scope=Scope(task=task, purpose="synthesize"), cache_dir=cache_dir)
