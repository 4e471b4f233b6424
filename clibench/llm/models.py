"""A model as clibench calls it: resolved from conf/model, with its price, its key looked up only when a call is made.

The key is in no dataclass, so that no dump, digest, log or trajectory can hold it by accident.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from clibench.digest import digest_file
from clibench.errors import InfraError, MissingKeyError, UserError, did_you_mean
from clibench.llm.prices import Price, price_of
from clibench.llm.settings import ModelSettings

DIALECT_NAMES = ("openai_chat", "openai_responses", "anthropic", "gemini")
NO_MODEL = ModelSettings().name
NO_KEY = "no-key"
"""What is sent to servers that ask for none: clients refuse an empty one."""


@dataclass(frozen=True)
class ModelConfig:
    """One callable model."""

    name: str
    id: str
    """litellm's name: provider/model."""
    key_env: str | None = None
    base_url: str | None = None
    native: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    price: Price | None = None
    script: str | None = None
    serve: str | None = None

    @property
    def provider(self) -> str:
        """The part of `id` before the first slash."""
        return self.id.partition("/")[0]

    @property
    def upstream_name(self) -> str:
        """The model's name as its provider knows it."""
        return self.id.partition("/")[2] or self.id

    @property
    def local(self) -> bool:
        """Whether it is served on this machine: then a key is optional."""
        host = urlsplit(self.base_url or "").hostname or ""
        return host in ("localhost", "::1") or host.startswith("127.")

    @property
    def needed_key(self) -> str | None:
        """The variable without which it can't be called."""
        return None if self.local or self.script is not None else self.key_env

    def key(self) -> str:
        """The provider's key, from the environment; raises MissingKeyError. Never store what it returns."""
        if self.key_env and (key := os.environ.get(self.key_env)):
            return key
        if self.needed_key is None:
            return NO_KEY
        raise MissingKeyError(
            f"model '{self.name}' needs a key and {self.key_env} is not set",
            fix=f"Set it (export {self.key_env}=...), or point model.base_url at a server on this machine.",
        )

    @property
    def place(self) -> dict[str, Any]:
        """Part of its identity. A server on this machine is not the provider: what stands in for a model there (the scripted one, say) must
        never be taken for the model's own work.
        """
        return {"local": True} if self.local else {}

    def identity(self) -> dict[str, Any]:
        """What of the model can change a result: not its port, price or key."""
        body: dict[str, Any] = {"id": self.id, "params": dict(self.params), **self.place}
        if self.script is not None:
            body["script"] = digest_file(Path(self.script))
        return body


def resolve(settings: ModelSettings) -> ModelConfig:
    """Check settings and look up the price; raises UserError."""
    if not settings.id:
        raise UserError(
            f"model '{settings.name}' can't be called: it has no id", fix="Choose a model (model=gpt, model=openai_compatible, ...)."
        )
    if settings.name == NO_MODEL:
        raise UserError("the model has no name", where="model.name", fix="Set model.name=NAME, as its server knows it.")
    if "/" not in settings.id:
        raise UserError(f"model.id '{settings.id}' names no provider", fix="Write provider/model, for example openai/gpt-5.4.")
    for dialect in settings.native:
        if dialect not in DIALECT_NAMES:
            raise UserError(f"model.native: unknown dialect '{dialect}'", fix=did_you_mean(dialect, DIALECT_NAMES))
    if settings.script is not None and not Path(settings.script).is_file():
        raise UserError("model.script is not a file", where=settings.script, fix="Give the path of a YAML file of scripts.")
    if settings.script is not None:
        from clibench.llm.scripted.script import load_scripts

        load_scripts(Path(settings.script))
    if settings.serve is not None and settings.base_url is None:
        _server_module(settings.serve).check()
    if settings.key_env is None and settings.base_url is None and settings.script is None and settings.serve is None:
        raise UserError(
            f"model '{settings.name}' has no address",
            fix="Set model.base_url=http://HOST:PORT/v1 (or model.script=FILE for the scripted one).",
        )
    return ModelConfig(
        name=settings.name,
        id=settings.id,
        key_env=settings.key_env,
        base_url=settings.base_url,
        native=tuple(settings.native),
        params=dict(settings.params),
        price=price_of(settings.id, settings.price),
        script=settings.script,
        serve=settings.serve,
    )


def _server_module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError(
            f"can't be imported ({error})", where=f"model.serve={name}", fix="Name a module such as clibench.llm.local_model."
        ) from error


_SERVED: Final[dict[str, Any]] = {}
_SERVED_LOCK: Final = threading.Lock()


def serving(settings: ModelSettings) -> ModelConfig:
    """The resolved model, ready to be called: where it is a script or served on this machine, until this process ends."""
    model = resolve(settings)
    if model.base_url is not None or (model.script is None and model.serve is None):
        return model
    if model.serve is not None:
        with _SERVED_LOCK:
            if model.serve not in _SERVED:
                _SERVED[model.serve] = _start(model.serve)
            return replace(model, base_url=_SERVED[model.serve])
    from clibench.llm.scripted import ScriptedServer, load_scripts

    assert model.script is not None  # noqa: S101 - see above
    path = Path(model.script).resolve()
    name = f"{path}@{digest_file(path)}"
    with _SERVED_LOCK:
        if name not in _SERVED:
            _SERVED[name] = ScriptedServer(load_scripts(path)).__enter__()
            atexit.register(_SERVED[name].__exit__, None, None, None)
        return replace(model, base_url=_SERVED[name].url)


def _start(module: str) -> str:
    """Start a server and wait until it says its address. Its standard input is ours to hold: it ends with this process."""
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - it goes with the process
    process = subprocess.Popen([sys.executable, "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout  # noqa: S101 - a pipe was asked for
    address = process.stdout.readline().strip()
    if not address:
        status = process.wait()
        errors.seek(0)
        said = " ".join(errors.read().decode("utf-8", "replace").strip().splitlines()[-1:])[:200]
        raise InfraError(f"the model's server ended at its start with status {status} ({said})", where=f"model.serve={module}")
    atexit.register(process.communicate)  # closes its input, and waits for its end
    return address
