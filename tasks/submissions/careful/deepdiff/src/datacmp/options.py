"""Options and arguments of the command line."""

from decimal import Decimal, InvalidOperation
from typing import Any, Callable

Reader = Callable[[str], Any]


class UsageError(Exception):
    """The command line is not right."""


class HelpRequest(Exception):
    """The help is asked for."""


class Flag:
    default: Any = False


class Value:
    def __init__(self, read: Reader = str, default: Any = None, multiple: bool = False) -> None:
        self.read = read
        self.multiple = multiple
        self.default = [] if multiple else default


def number(kind: type) -> Reader:
    def read(text: str) -> Any:
        try:
            return kind(text)
        except (ValueError, InvalidOperation):
            raise UsageError(f"'{text}' is not a valid {kind.__name__}.") from None

    return read


def in_range(low: int, high: int) -> Reader:
    def read(text: str) -> int:
        value = number(int)(text)
        if not low <= value <= high:
            raise UsageError(f"{value} is not in the range {low}<=x<={high}.")
        return value

    return read


def choice(*names: str) -> Reader:
    def read(text: str) -> str:
        if text not in names:
            raise UsageError(f"'{text}' is not one of {', '.join(names)}.")
        return text

    return read


COMMON = {
    "--exclude-paths": Value(multiple=True),
    "--exclude-regex-paths": Value(multiple=True),
    "--verbose-level": Value(in_range(0, 2), 1),
    "--debug": Flag(),
}
DIFF = COMMON | {
    "--cutoff-distance-for-pairs": Value(number(float), 0.3),
    "--cutoff-intersection-for-pairs": Value(number(float), 0.7),
    "--cache-size": Value(number(int), 0),
    "--cache-tuning-sample-size": Value(number(int), 0),
    "--cache-purge-level": Value(in_range(0, 2), 1),
    "--create-patch": Flag(),
    "--math-epsilon": Value(number(Decimal)),
    "--get-deep-distance": Flag(),
    "--group-by": Value(),
    "--ignore-order": Flag(),
    "--ignore-string-type-changes": Flag(),
    "--ignore-numeric-type-changes": Flag(),
    "--ignore-type-subclasses": Flag(),
    "--ignore-string-case": Flag(),
    "--ignore-nan-inequality": Flag(),
    "--include-private-variables": Flag(),
    "--log-frequency-in-sec": Value(number(int), 0),
    "--max-passes": Value(number(int), 10000000),
    "--max_diffs": Value(number(int)),
    "--threshold-to-diff-deeper": Value(number(float)),
    "--number-format-notation": Value(choice("f", "e"), "f"),
    "--progress-logger": Value(choice("info", "error"), "info"),
    "--report-repetition": Flag(),
    "--significant-digits": Value(number(int)),
    "--truncate-datetime": Value(choice("second", "minute", "hour", "day")),
    "--view": Value(choice("tree", "colored", "colored_compact"), "tree"),
}
GREP = COMMON | {"--ignore-case": Flag(), "-i": "--ignore-case", "--exact-match": Flag()}
EXTRACT = {"--debug": Flag()}


def parse(args: list[str], specs: dict, names: list[str]) -> dict[str, Any]:
    """Return the values of options, without their dashes, and of arguments."""
    values: dict[str, Any] = {}
    for name, spec in specs.items():
        if not isinstance(spec, str):
            values[name.lstrip("-")] = list(spec.default) if isinstance(spec.default, list) else spec.default
    words: list[str] = []
    given: list[tuple[str, str]] = []
    wants_help = False
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--":
            words += rest
            break
        if not arg.startswith("-") or arg == "-":
            words.append(arg)
            continue
        name, equals, text = arg.partition("=") if arg.startswith("--") else (arg, "", "")
        if not arg.startswith("--") and len(arg) > 2:
            rest.insert(0, "-" + arg[2:])
            name = arg[:2]
        if name == "--help" and not equals:
            wants_help = True
            continue
        spec = specs.get(name)
        if isinstance(spec, str):
            name, spec = spec, specs[spec]
        if spec is None:
            raise UsageError(f"No such option: {name}")
        if isinstance(spec, Flag):
            if equals:
                raise UsageError(f"Option '{name}' does not take a value.")
            values[name.lstrip("-")] = True
            continue
        if not equals:
            if not rest:
                raise UsageError(f"Option '{name}' requires an argument.")
            text = rest.pop(0)
        given.append((name, text))
    if wants_help:
        raise HelpRequest
    for name, text in given:
        spec = specs[name]
        value = spec.read(text)
        if spec.multiple:
            values[name.lstrip("-")].append(value)
        else:
            values[name.lstrip("-")] = value
    if len(words) < len(names):
        raise UsageError(f"Missing argument '{names[len(words)]}'.")
    if len(words) > len(names):
        raise UsageError(f"Got unexpected extra argument ({words[len(names)]})")
    return values | dict(zip(names, words))
