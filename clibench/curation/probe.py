"""Whether an executable prints its help, and works with no network, no key and no terminal: what its answers in the sandbox say.

A trial has none of the three, so a tool that prints its help there needs none of them for that. A usage message counts wherever it is
printed and whatever the exit status is; status and stream are noted. What a tool says when it is called without arguments is a hint for the
people who review, not a verdict: many tools rightly refuse that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from clibench.curation.package import Reason
from clibench.recording import End, Recording
from clibench.synthesis.help.rules import RulesExtractor

FORMS: Final = (("--help",), ("-h",), ("help",))
"""Ways to ask for help, in the order in which they are tried."""

_READ: Final = 100_000
"""Characters of an output that are looked at."""

_USAGE: Final = re.compile(r"^\W{0,4}(usage|synopsis)\b", re.IGNORECASE | re.MULTILINE)
_CRASH: Final = re.compile(r"^Traceback \(most recent call last\)|^panic: |^\s+at .+\(?(?:node:|file:|/)\S+:\d+:\d+\)?$", re.MULTILINE)

_COMPLAINTS: Final = (
    (
        Reason.NEEDS_TERMINAL,
        re.compile(
            r"not a (?:tty|terminal|console)|/dev/tty|inappropriate ioctl|raw mode"
            r"|(?:requires?|needs?|without) an? (?:interactive )?(?:tty|terminal)"
            r"|could not open a new tty|not an interactive|setupterm|isatty|cbreak\(\) returned ERR",
            re.IGNORECASE,
        ),
    ),
    (
        Reason.NEEDS_NETWORK,
        re.compile(
            r"getaddrinfo|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|dial tcp|name resolution|name or service not known|no such host"
            r"|network is unreachable|connection refused|could not resolve host|max retries exceeded|urlopen error|fetch failed",
            re.IGNORECASE,
        ),
    ),
    (
        Reason.NEEDS_KEY,
        re.compile(
            r"(?:api|access|secret|auth)[ _-]?(?:key|token)s?\b.{0,60}"
            r"(?:required|missing|not set|not found|must be|invalid|unset|provide|empty)"
            r"|(?:missing|no|set|provide|requires?|need)\b.{0,40}\b(?:\w+_)?(?:api|access|secret|auth)[ _-]?(?:key|token)s?\b"
            r"|please (?:log ?in|authenticate)|not logged in|credentials.{0,30}(?:required|missing|not found)",
            re.IGNORECASE,
        ),
    ),
)
"""What tools print that miss something."""


@dataclass(frozen=True)
class Help:
    """How an executable prints its help."""

    words: tuple[str, ...]
    text: str
    notes: tuple[str, ...]
    """What is unusual in it: the exit status, standard error."""


@dataclass(frozen=True)
class Refusal:
    """Why an executable is no entry."""

    reason: Reason
    detail: str


def is_usage(name: str, text: str) -> bool:
    """Whether a text is a usage message of the tool `name`: it says so, lists options or commands, or shows how the tool is called.

    Data that a tool printed is none, and neither is the trace of a crash.
    """
    if _CRASH.search(text):
        return False
    if _USAGE.search(text):
        return True
    schema = RulesExtractor().extract(name, text[:_READ])
    calls = re.findall(rf"^\s*(?:[$>%] )?{re.escape(name)} \S", text[:_READ], re.MULTILINE)
    return len(schema.options) + len(schema.commands) > 1 or (bool(calls) and len(text.split("\n")) > 2)


def read_help(name: str, words: tuple[str, ...], recording: Recording) -> Help | None:
    """The help in a recording of the tool `name` called with `words`; None where there is none."""
    if recording.status.end is not End.EXIT:
        return None
    for data, note in ((recording.stdout.data, ""), (recording.stderr.data, "on standard error")):
        text = data.decode("utf-8", "replace")
        if text.strip() and is_usage(name, text):
            status = "" if recording.status.ok else f"exit status {recording.status.code}"
            return Help(words, text, tuple(each for each in (status, note) if each))
    return None


def best_help(name: str, answers: dict[tuple[str, ...], Recording]) -> Help | None:
    """The first form that ends with 0, else the first one that prints help at all."""
    helps = [found for words, recording in answers.items() if (found := read_help(name, words, recording)) is not None]
    return next((found for found in helps if answers[found.words].status.ok), helps[0] if helps else None)


def refusal(answers: dict[tuple[str, ...], Recording]) -> Refusal:
    """Why none of the answers is a help, the most telling reason first."""
    for words, recording in answers.items():
        if (found := complaint(recording)) is not None:
            return Refusal(found.reason, f"`{' '.join(words)}`: {found.detail}")
    for words, recording in answers.items():
        if recording.status.end is End.TIMEOUT:
            return Refusal(Reason.HANGS, f"`{' '.join(words)}` did not end by itself")
    for words, recording in answers.items():
        if recording.status.end is not End.EXIT or _CRASH.search(_said(recording)):
            return Refusal(Reason.CRASHES, f"`{' '.join(words)}`: {_last_line(_said(recording)) or recording.status}")
    words, recording = next(iter(answers.items()))
    said = _last_line(_said(recording))
    return Refusal(Reason.NO_HELP, f"`{' '.join(words)}` prints {said!r}" if said else f"`{' '.join(words)}` prints nothing")


def complaint(recording: Recording) -> Refusal | None:
    """What the tool says that it misses; None where it misses nothing or ends well."""
    if recording.status.ok:
        return None
    said = _said(recording)
    for reason, pattern in _COMPLAINTS:
        lines = [line.strip() for line in said.splitlines() if pattern.search(line)]
        if lines:
            return Refusal(reason, lines[-1][:200])  # of a trace, the last one is the error itself
    return None


def _said(recording: Recording) -> str:
    return (recording.stdout.data + b"\n" + recording.stderr.data).decode("utf-8", "replace")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
