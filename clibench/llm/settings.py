"""The typed schema of conf/model and conf/llm. Plain dataclasses, so that composing the configuration needs neither litellm nor a key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from clibench.bounds import refuse_less_than, refuse_up_to_0


@dataclass
class PriceSettings:
    """A price given in the configuration, in US dollars per million tokens; it goes before litellm's table."""

    prompt: float | None = None
    completion: float | None = None
    cached: float | None = None
    """Prompt tokens read from the provider's cache; null is the full prompt price."""
    cache_write: float | None = None
    """Prompt tokens written to the provider's cache; null is the full prompt price."""
    source: str = ""
    """Where the price was read."""
    date: str = ""
    """When it was read (YYYY-MM-DD)."""

    def __post_init__(self) -> None:
        names = ("prompt", "completion", "cached", "cache_write")
        refuse_less_than(0, {f"model.price.{name}": getattr(self, name) for name in names})


@dataclass
class ModelSettings:
    """One model. `id` is what litellm calls it (provider/name); an empty `id` is no model at all (frameworks that need none)."""

    name: str = "none"
    """Short name, as in tables and columns."""
    id: str = ""
    key_env: str | None = None
    """Name of the environment variable that holds the provider's key. The key itself never enters the configuration."""
    base_url: str | None = None
    """Null is the provider's own."""
    native: list[str] = field(default_factory=list)
    """Dialects (openai_chat, openai_responses, anthropic, gemini) that `base_url` speaks itself; the others are translated by litellm."""
    params: dict[str, Any] = field(default_factory=dict)
    """Sent with every call: temperature, max_tokens, reasoning_effort... Part of the resume key."""
    price: PriceSettings = field(default_factory=PriceSettings)
    script: str | None = None
    """For the scripted server: a YAML file of scripts."""
    serve: str | None = None
    """A module that serves the model on this machine, run as a process of its own while it is needed (see llm/local_model.py)."""


@dataclass
class RetrySettings:
    """How calls are tried again: rate limits, time-outs, 5xx and broken connections only."""

    attempts: int = 6
    first_wait_s: float = 1.0
    """Doubled each time, with full jitter; a Retry-After header goes before it."""
    max_wait_s: float = 60.0
    longest_retry_after_s: float = 900.0
    """A provider that asks for a longer pause (a quota of the day, say) has an outage: the work stops, to be taken up later."""

    def __post_init__(self) -> None:
        refuse_less_than(1, {"llm.retry.attempts": self.attempts})
        names = ("first_wait_s", "max_wait_s", "longest_retry_after_s")
        refuse_less_than(0, {f"llm.retry.{name}": getattr(self, name) for name in names})


@dataclass
class BudgetSettings:
    """What may be spent before calls are refused. Null is no limit, as in the paper. Checked before each call."""

    call_usd: float | None = None
    task_usd: float | None = None
    job_usd: float | None = None
    sweep_usd: float | None = None
    call_tokens: int | None = None
    task_tokens: int | None = None
    job_tokens: int | None = None
    sweep_tokens: int | None = None

    def __post_init__(self) -> None:
        refuse_less_than(0, {f"llm.budget.{name}": number for name, number in vars(self).items()})

    def of_a_generation(self) -> dict[str, float]:
        """What of it ends an agent, whose work is then graded as it is: part of the resume key. Those of job and sweep end the work."""
        names = ("call_usd", "task_usd", "call_tokens", "task_tokens")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass
class LlmSettings:
    """How models are called. Nothing here but a budget of a call or task changes a result or is part of the resume key."""

    cache: str = "off"
    """off; record: answer from the cache where it can, keep what is new; replay: answer from the cache alone."""
    cache_dir: str | None = None
    """Null is `llm_cache` under the outputs."""
    timeout_s: float = 600.0
    """Of one attempt, from request to the end of the answer."""
    stall_s: float = 120.0
    """Longest silence within a streamed answer."""
    hold_streams: bool = True
    """Whether the gateway passes a streamed answer on when it is complete, so that a break in the middle is retried there and costs the
    agent nothing; false passes on each event as it comes, and a break is the agent's to handle."""
    concurrency: int = 16
    """Calls in flight to one provider; halved at a rate limit, regained one by one."""
    retry: RetrySettings = field(default_factory=RetrySettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)

    def __post_init__(self) -> None:
        refuse_up_to_0({"llm.timeout_s": self.timeout_s, "llm.stall_s": self.stall_s})
        refuse_less_than(1, {"llm.concurrency": self.concurrency})
