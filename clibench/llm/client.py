"""The one way in which clibench itself calls a model: `Client.complete` for text, `Client.ask` for an answer of a given shape.

Around litellm, which is imported at the first call (it takes seconds): retries by the table in `faults.py`, a line in the ledger for every
attempt, budgets before each, answers kept on disk where asked. Agents don't come this way: they talk to the gateway.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from clibench.errors import ClibenchError
from clibench.llm.budget import Budget, check_budget
from clibench.llm.cache import AnswerCache, exact_key
from clibench.llm.faults import CallError, kind_of_status, retry_after, wait_s, worth_a_retry
from clibench.llm.ledger import Ledger, Line, Scope, now, priced
from clibench.llm.limit import ThreadLimiter
from clibench.llm.models import ModelConfig
from clibench.llm.settings import LlmSettings
from clibench.llm.tokens import Tokens, from_openai_chat

Message = Mapping[str, Any]
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True)
class Answer:
    """What a model said."""

    text: str
    finish: str
    """stop, length, tool_calls, content_filter."""
    refused: bool
    tokens: Tokens
    cost_usd: float | None
    """None is unknown. 0 for a replayed answer."""
    replayed: bool = False
    raw: Mapping[str, Any] | None = None
    """The whole answer in the form of a chat completion."""


@dataclass(frozen=True)
class Shaped(Generic[Shape]):
    """An answer that was asked to have a shape, and has it."""

    value: Shape
    answer: Answer


class UnusableAnswerError(ClibenchError):
    """The model refused, or its answer did not have the shape that was asked for: the caller abstains or goes on without it."""

    def __init__(self, what: str, answer: Answer) -> None:
        self.answer = answer
        super().__init__(what)


class Client:
    """Calls one model. Safe to use from several threads."""

    def __init__(
        self,
        model: ModelConfig,
        ledger: Ledger,
        settings: LlmSettings,
        *,
        scope: Scope,
        cache_dir: Path,
        pause: Any = time.sleep,
        seed: int | None = None,
    ) -> None:
        check_budget(settings.budget, model)
        self.model = model
        self.scope = scope
        self._ledger = ledger
        self._settings = settings
        self._cache = AnswerCache(Path(settings.cache_dir) if settings.cache_dir else cache_dir, settings.cache, exact_key)
        self._budget = Budget(ledger)
        self._limiter = ThreadLimiter(settings.concurrency)
        self._pause = pause
        self._draw = random.Random(seed)  # noqa: S311 - jitter, not a secret

    def complete(self, messages: Sequence[Message], *, scope: Scope | None = None, **params: Any) -> Answer:
        """One answer. `params` (temperature, max_tokens, ...) go over those of the model.

        Raises CallError when the call failed for good, BudgetExceededError, ReplayMissError, MissingKeyError.
        """
        scope = scope or self.scope
        request = {"model": self.model.id, "messages": [dict(message) for message in messages], **self.model.params, **params}
        recorded = {**request, **self.model.place}
        kept = self._cache.find(recorded)
        if kept is not None:
            line = self._line(uuid.uuid4().hex, 0, scope, "replayed", Tokens(), 0.0)
            self._ledger.append(line)
            return replace(_answer(kept, 0.0), replayed=True)
        answer, raw = self._attempts(request, scope)
        self._cache.keep(recorded, raw)
        return answer

    def ask(
        self, messages: Sequence[Message], shape: type[Shape], *, scope: Scope | None = None, tries: int = 2, **params: Any
    ) -> Shaped[Shape]:
        """An answer that is a `shape`. One that isn't is shown to the model with its fault, `tries` times in all.

        Raises UnusableAnswerError for a refusal or where no answer had the shape, and what `complete` raises.
        """
        schema = shape.model_json_schema()
        asked = [*messages, {"role": "system", "content": _SHAPE_PROMPT.format(schema=json.dumps(schema))}]
        if self._takes_schema():
            params["response_format"] = {"type": "json_schema", "json_schema": {"name": shape.__name__, "schema": schema}}
        for left in range(tries - 1, -1, -1):
            answer = self.complete(asked, scope=scope, **params)
            if answer.refused:
                raise UnusableAnswerError(f"the model refused: {answer.text[:200]}", answer)
            try:
                return Shaped(shape.model_validate_json(json_text(answer.text)), answer)
            except ValidationError as error:
                fault = f"{error.errors()[0]['msg']} at {'.'.join(map(str, error.errors()[0]['loc'])) or 'the top'}"
                if not left:
                    raise UnusableAnswerError(f"the model's answer is not a {shape.__name__}: {fault}", answer) from error
                asked = [
                    *asked,
                    {"role": "assistant", "content": answer.text},
                    {"role": "user", "content": _MEND_PROMPT.format(fault=fault)},
                ]
        raise AssertionError("unreachable")

    def _attempts(self, request: dict[str, Any], scope: Scope) -> tuple[Answer, dict[str, Any]]:
        key = self.model.key()
        litellm = load_litellm()
        call_id = uuid.uuid4().hex
        estimate = estimate_tokens(request["messages"])
        most = int(request.get("max_tokens") or request.get("max_completion_tokens") or 0)
        for attempt in range(1, self._settings.retry.attempts + 1):
            with self._limiter.slot(), self._budget.admit(self._settings.budget, scope, self.model, estimate, most):
                started = time.monotonic()
                try:
                    raw = _call(litellm, self.model, request, key, self._settings.timeout_s)
                except CallError as error:
                    latency = time.monotonic() - started
                    used = None if error.policy.billed else Tokens()
                    self._ledger.append(self._line(call_id, attempt, scope, error.kind, used, latency, error))
                    if error.kind == "rate_limit":
                        self._limiter.limit.throttled(started)
                    failure = error
                else:
                    tokens = from_openai_chat(raw.get("usage") or {})
                    line = self._line(call_id, attempt, scope, "ok", tokens, time.monotonic() - started)
                    self._ledger.append(line)
                    self._limiter.limit.answered()
                    return _answer(raw, line.cost_usd), raw
            if not worth_a_retry(attempt, failure, self._settings.retry):
                raise failure
            self._pause(wait_s(attempt, failure, self._settings.retry, self._draw))
        raise AssertionError("unreachable")

    def _line(
        self, call_id: str, attempt: int, scope: Scope, outcome: str, tokens: Tokens | None, latency: float, error: CallError | None = None
    ) -> Line:
        cost, price = priced(tokens, self.model.price)
        return Line(
            id=call_id,
            attempt=attempt,
            at=now(),
            scope=scope,
            model=self.model.name,
            model_id=self.model.id,
            dialect="openai_chat",
            outcome=outcome,
            tokens=tokens,
            cost_usd=cost,
            price=price,
            latency_s=round(latency, 6),
            status=error.status if error else None,
            detail=error.what[:300] if error else "",
        )

    def _takes_schema(self) -> bool:
        if self.model.base_url is not None and self.model.provider in ("openai", "custom_openai"):
            return True  # unknown servers: most take it, and one that doesn't answers from the prompt's own copy of the schema
        return bool(load_litellm().supports_response_schema(model=self.model.id))


_SHAPE_PROMPT: Final = "Answer with one JSON object and nothing else, valid against this JSON Schema:\n{schema}"
_MEND_PROMPT: Final = "That is not valid: {fault}. Answer again, with the JSON object alone."
_FENCE: Final = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


def json_text(text: str) -> str:
    """The JSON object of an answer: what a fence holds, else from the first brace to the last."""
    fenced = _FENCE.search(text)
    inner = fenced[1] if fenced else text
    start, end = inner.find("{"), inner.rfind("}")
    return inner[start : end + 1] if 0 <= start < end else inner


def estimate_tokens(messages: Any) -> int:
    """A rough number, for budgets alone."""
    return len(json.dumps(messages, default=str)) // CHARACTERS_PER_TOKEN


CHARACTERS_PER_TOKEN: Final = 4


def load_litellm() -> Any:
    """litellm, quiet, with its own price table instead of a download."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    reach_this_machine_directly()
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = True
    # It breaks a stream off at the hundredth equal piece. A model that repeats itself is a result, and its answer has been paid for.
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize  # type: ignore[attr-defined]
    return litellm


def reach_this_machine_directly() -> None:
    """On a host behind a proxy: the gateway and what else is on this machine are none of its business, whoever asks."""
    kept = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    missing = [name for name in ("127.0.0.1", "localhost") if name not in kept.split(",")]
    if missing and "*" not in kept and urllib.request.getproxies():
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join(filter(None, (kept, *missing)))


def _call(litellm: Any, model: ModelConfig, request: Mapping[str, Any], key: str, timeout_s: float) -> dict[str, Any]:
    try:
        response = litellm.completion(**request, api_key=key, base_url=model.base_url, timeout=timeout_s, **NO_RETRIES)
    except Exception as error:  # litellm wraps providers' errors in dozens of types; `explain` sorts them
        raise explain(error, model, key) from error
    body: dict[str, Any] = response.model_dump(mode="json")
    if not body.get("choices"):
        raise CallError("garbage", "the provider's answer holds no choice", where=f"model '{model.name}'")
    return body


NO_RETRIES: Final[dict[str, Any]] = {"num_retries": 0, "max_retries": 0, "allowed_openai_params": ["max_retries"]}
"""Retries are ours: hidden ones would be missing in the ledger. litellm drops max_retries for some providers unless it is allowed by name,
and the OpenAI client beneath it then tries three times."""

_BY_NAME: Final = {
    "Timeout": "timeout",
    "APITimeoutError": "timeout",
    "ContextWindowExceededError": "too_long",
    "ContentPolicyViolationError": "refused",
    "APIResponseValidationError": "garbage",
    "JSONSchemaValidationError": "garbage",
}


def explain(error: Exception, model: ModelConfig, key: str) -> CallError:
    """litellm's error as ours: kind, status, Retry-After, and a first line without the key."""
    text = str(error).replace(key, "<key>") if key else str(error)
    first = text.strip().splitlines()[0][:300] if text.strip() else type(error).__name__
    where = f"model '{model.name}'"
    names = {kind.__name__ for kind in type(error).__mro__}
    beneath = {type(cause).__name__ for cause in _causes(error)}
    named = next((kind for name, kind in _BY_NAME.items() if name in names), None)
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or getattr(error, "litellm_response_headers", None) or {}
    status = getattr(error, "status_code", None)
    status = int(status) if isinstance(status, int | str) and str(status).isdigit() else None
    if named:
        return CallError(named, first, where=where, status=status if named in ("too_long", "refused") else None)
    if "ConnectError" in beneath:
        return CallError("connection", first, where=where)
    if beneath & {"RemoteProtocolError", "ReadError"}:
        return CallError("cut", first, where=where)
    if beneath & {"JSONDecodeError", "APIResponseValidationError"}:
        return CallError("garbage", first, where=where)
    if "APIConnectionError" in names or status is None:
        kind = "garbage" if "JSON" in text or "Expecting value" in text else "connection"
        return CallError(kind, first, where=where)
    return CallError(kind_of_status(status, text), first, where=where, status=status, retry_after_s=retry_after(headers))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _answer(raw: Mapping[str, Any], cost: float | None) -> Answer:
    choice = raw["choices"][0]
    message = choice.get("message") or {}
    finish = choice.get("finish_reason") or "stop"
    refusal = message.get("refusal")
    return Answer(
        text=message.get("content") or refusal or "",
        finish=finish,
        refused=finish == "content_filter" or bool(refusal),
        tokens=from_openai_chat(raw.get("usage") or {}),
        cost_usd=cost,
        raw=raw,
    )
