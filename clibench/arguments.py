"""The words of the command line: which verb, and what Hydra gets to see.

Hydra's parser wants flags before or after all overrides and explains an unknown flag with its whole usage; here they may come in any order
and a wrong one is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clibench.errors import UserError, did_you_mean
from clibench.verbs import VERBS, Verb

_SWITCHES: Final = frozenset(
    {"-m", "--multirun", "-r", "--run", "-h", "--help", "--hydra-help", "--version", "--resolve", "-sc", "--shell-completion"}
)
_WITH_VALUE: Final = frozenset(
    {
        "-c",
        "--cfg",
        "-p",
        "--package",
        "-cd",
        "--config-dir",
        "-cp",
        "--config-path",
        "-cn",
        "--config-name",
        "--experimental-rerun",
        "-i",
        "--info",
    }
)

DEFAULT_AGENT: Final = "mini_swe_agent"
"""What drives a model that is named without a framework: the one of the paper's two whose loop is the smallest."""

USAGE: Final = "usage: clibench [VERB] [key=value ...] [-m] [--cfg job] [--config-dir DIR]"


def split(arguments: Sequence[str]) -> tuple[Verb, list[str]]:
    """The verb, and what is left for Hydra. Raises UserError for a word that is no verb."""
    if arguments and arguments[0][:1].isalpha() and "=" not in arguments[0]:
        name, rest = arguments[0], list(arguments[1:])
        if name not in VERBS:
            raise UserError(f"unknown verb '{name}'", fix=did_you_mean(name, VERBS))
        return VERBS[name], rest
    return VERBS["run"], list(arguments)


def in_order(arguments: Sequence[str]) -> list[str]:
    """Flags first, then overrides; raises UserError for an unknown flag or a flag without its value."""
    flags: list[str] = []
    overrides: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, _ = word.partition("=")
        if not word.startswith("-"):
            overrides.append(_quoted_null(word))
        elif name in _SWITCHES:
            flags.append(word)
        elif name in _WITH_VALUE:
            value = [] if equals else [next(words, "")]
            if value == [""]:
                raise UserError("needs a value", where=word, fix="For example --cfg job, --config-dir DIR.")
            flags += [word, *value]
        else:
            raise UserError(f"unknown flag '{name}'", fix=did_you_mean(name, _SWITCHES | _WITH_VALUE))
    return flags + overrides


def overview() -> str:
    """The answer to --help without a verb."""
    width = max(map(len, VERBS))
    lines = [f"  {verb.name:<{width}}  {verb.help}" for verb in VERBS.values()]
    return "\n".join([USAGE, "", *lines, "", "`clibench VERB --help` lists the configuration of a verb, with all choices."])


def with_agent(arguments: list[str]) -> list[str]:
    """`model=gpt` alone means an agent with that model; the default framework, gold, would ask no model anything."""
    keys = {word.lstrip("+").partition("=")[0] for word in arguments}
    named = any(word.startswith("model=") and word != "model=none" for word in arguments)
    return [*arguments, f"framework={DEFAULT_AGENT}"] if named and not keys & {"framework", "experiment"} else arguments


def _quoted_null(word: str) -> str:
    """`framework=gold,null` means the framework called null, where Hydra's grammar would read "no framework"."""
    key, equals, values = word.partition("=")
    if key != "framework" or not equals:
        return word
    return f"{key}={','.join(repr(value) if value == 'null' else value for value in values.split(','))}"
