"""What the tests of the model layer share: models on scripted servers, settings that do not wait, ledgers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

import clibench
from clibench.llm.client import Client
from clibench.llm.ledger import Ledger, Scope
from clibench.llm.models import ModelConfig, resolve
from clibench.llm.scripted import ScriptedServer
from clibench.llm.settings import LlmSettings, ModelSettings, RetrySettings

CONF = Path(clibench.__file__).parent.parent / "conf"
PAPER_MODELS = ("gpt", "claude", "deepseek", "qwen", "glm", "minimax", "kimi")
SCOPE = Scope(sweep="s1", job="j1", task="t1", run="r1")


def model_settings(group: str, /, **changes: Any) -> ModelSettings:
    """conf/model/GROUP.yaml, as the application composes it, with changes."""
    merged = OmegaConf.merge(OmegaConf.structured(ModelSettings), OmegaConf.load(CONF / "model" / f"{group}.yaml"), changes)
    settings = OmegaConf.to_object(merged)
    assert isinstance(settings, ModelSettings)
    return settings


def model_on(server: ScriptedServer, name: str = "scripted", **changes: Any) -> ModelConfig:
    """The named model, its base URL pointed at a scripted server."""
    return resolve(model_settings(name, base_url=server.root if name == "claude" else server.url, **changes))


def client_on(
    server: ScriptedServer, folder: Path, *, model: str = "scripted", settings: LlmSettings | None = None, **options: Any
) -> Client:
    """A client that records its pauses instead of waiting."""
    chosen = settings or LlmSettings(retry=RetrySettings(attempts=3))
    changes = options.pop("changes", {})
    options.setdefault("pause", lambda seconds: None)
    return Client(
        model_on(server, model, **changes), Ledger(folder / "ledger.jsonl"), chosen, scope=SCOPE, cache_dir=folder / "cache", **options
    )
