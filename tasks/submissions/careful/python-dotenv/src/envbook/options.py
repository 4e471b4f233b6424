"""Options and arguments of the command line."""

from typing import Any, Callable

# How the value of an option is read; None for a flag.
Reader = Callable[[str], Any] | None


class UsageError(Exception):
    """The command line is not right."""


def boolean(text: str) -> bool:
    word = text.strip().lower()
    if word in ("1", "true", "t", "yes", "y", "on"):
        return True
    if word in ("0", "false", "f", "no", "n", "off"):
        return False
    raise UsageError(f"'{text}' is not a valid boolean.")


def choice(*names: str) -> Reader:
    def read(text: str) -> str:
        if text not in names:
            raise UsageError(f"'{text}' is not one of {', '.join(names)}.")
        return text

    return read


def parse(
    args: list[str],
    readers: dict[str, Reader],
    *,
    interspersed: bool = True,
    unknown_is_word: bool = False,
) -> tuple[list[tuple[str, Any]], list[str]]:
    """Return the options with their values, and the other words.

    Where options are not interspersed, the first word ends them.
    """
    found: list[tuple[str, str | None]] = []
    words: list[str] = []
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--":
            words += rest
            break
        if not arg.startswith("-") or arg == "-":
            words.append(arg)
            if not interspersed:
                words += rest
                break
            continue
        if arg.startswith("--"):
            name, equals, text = arg.partition("=")
        else:
            name, equals, text = arg[:2], arg[2:], arg[2:]
        if name not in readers:
            if unknown_is_word:
                words.append(arg)
                continue
            raise UsageError(f"No such option: {name}")
        if readers[name] is None:
            if equals:
                raise UsageError(f"Option '{name}' does not take a value.")
            found.append((name, None))
            continue
        if not equals:
            if not rest:
                raise UsageError(f"Option '{name}' requires an argument.")
            text = rest.pop(0)
        found.append((name, text))
    if any(name == "--help" for name, _ in found):
        return [("--help", None)], words
    values = []
    for name, text in found:
        reader = readers[name]
        values.append((name, text if reader is None else reader(text)))
    return values, words


def arguments(words: list[str], names: list[str]) -> list[str]:
    """Return the words, of which there has to be one for each name."""
    if len(words) < len(names):
        raise UsageError(f"Missing argument '{names[len(words)]}'.")
    if len(words) > len(names):
        raise UsageError(f"Got unexpected extra argument ({words[len(names)]})")
    return words
