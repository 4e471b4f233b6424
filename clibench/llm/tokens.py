"""Token counts of one call, and how each dialect reports them.

One convention inside clibench, OpenAI's: cached tokens are part of prompt tokens, reasoning tokens are part of completion tokens. Anthropic
and Gemini count them apart; they are added up here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tokens:
    """What one call used."""

    prompt: int = 0
    """All prompt tokens, cached ones included."""
    cached: int = 0
    """Of the prompt: read from the provider's cache."""
    cache_write: int = 0
    """Of the prompt: written to the provider's cache."""
    completion: int = 0
    """All generated tokens, reasoning included."""
    reasoning: int = 0
    """Of the completion."""

    @property
    def total(self) -> int:
        """Prompt and completion."""
        return self.prompt + self.completion


def _number(body: Any, *path: str) -> int:
    for name in path:
        if not isinstance(body, Mapping):
            return 0
        body = body.get(name)
    return int(body) if isinstance(body, int | float) else 0


def from_openai_chat(usage: Mapping[str, Any]) -> Tokens:
    """From `usage` of a chat completion."""
    return Tokens(
        prompt=_number(usage, "prompt_tokens"),
        cached=_number(usage, "prompt_tokens_details", "cached_tokens") or _number(usage, "prompt_cache_hit_tokens"),
        cache_write=_number(usage, "cache_creation_input_tokens"),
        completion=_number(usage, "completion_tokens"),
        reasoning=_number(usage, "completion_tokens_details", "reasoning_tokens"),
    )


def from_openai_responses(usage: Mapping[str, Any]) -> Tokens:
    """From `usage` of a Responses answer."""
    return Tokens(
        prompt=_number(usage, "input_tokens"),
        cached=_number(usage, "input_tokens_details", "cached_tokens"),
        completion=_number(usage, "output_tokens"),
        reasoning=_number(usage, "output_tokens_details", "reasoning_tokens"),
    )


def from_anthropic(usage: Mapping[str, Any]) -> Tokens:
    """From `usage` of a message: input_tokens is what neither came from the cache nor went into it."""
    cached = _number(usage, "cache_read_input_tokens")
    cache_write = _number(usage, "cache_creation_input_tokens")
    return Tokens(
        prompt=_number(usage, "input_tokens") + cached + cache_write,
        cached=cached,
        cache_write=cache_write,
        completion=_number(usage, "output_tokens"),
    )


def from_gemini(usage: Mapping[str, Any]) -> Tokens:
    """From `usageMetadata`: thoughts are counted apart from candidates."""
    reasoning = _number(usage, "thoughtsTokenCount")
    return Tokens(
        prompt=_number(usage, "promptTokenCount"),
        cached=_number(usage, "cachedContentTokenCount"),
        completion=_number(usage, "candidatesTokenCount") + reasoning,
        reasoning=reasoning,
    )
