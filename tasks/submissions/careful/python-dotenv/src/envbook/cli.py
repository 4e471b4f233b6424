"""The command envbook."""

import json
import os
import shlex
import sys
from dataclasses import dataclass

from . import __version__, help, store
from .options import UsageError, arguments, boolean, choice, parse


@dataclass
class Settings:
    file: str = ".env"
    quote: str = "always"
    export: bool = False


class Failure(Exception):
    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def main(args: list[str] | None = None) -> None:
    sys.exit(_main(sys.argv[1:] if args is None else args))


def _main(args: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        _dispatch(args)
        sys.stdout.flush()
    except UsageError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    except Failure as error:
        if str(error):
            print(f"Error: {error}", file=sys.stderr)
        return error.status
    except (store.KeyMissing, OSError, ValueError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def _dispatch(args: list[str]) -> None:
    readers = {
        "-f": str,
        "--file": str,
        "-q": choice("always", "never", "auto"),
        "--quote": choice("always", "never", "auto"),
        "-e": boolean,
        "--export": boolean,
        "--version": None,
        "--help": None,
    }
    options, words = parse(args, readers, interspersed=False)
    settings = Settings()
    for name, value in options:
        match name:
            case "--help":
                sys.stdout.write(help.MAIN)
                return
            case "--version":
                print(f"envbook, version {__version__}")
                return
            case "-f" | "--file":
                settings.file = value
            case "-q" | "--quote":
                settings.quote = value
            case "-e" | "--export":
                settings.export = value
    if not words:
        sys.stderr.write(help.MAIN)
        raise UsageError("Missing command.")
    name, rest = words[0], words[1:]
    if name not in _COMMANDS:
        raise UsageError(f"No such command '{name}'.")
    _COMMANDS[name](settings, rest)


def _read(settings: Settings, environment_first: bool = False) -> dict[str, str | None]:
    try:
        return store.read(settings.file, os.environ, environment_first)
    except OSError as error:
        raise Failure(str(error), 2) from None


def _get(settings: Settings, args: list[str]) -> None:
    options, words = parse(args, {"--help": None})
    if options:
        sys.stdout.write(help.GET)
        return
    (key,) = arguments(words, ["KEY"])
    value = _read(settings).get(key)
    if value is None:
        raise Failure("")
    print(value)


def _list(settings: Settings, args: list[str]) -> None:
    formats = choice("simple", "json", "shell", "export")
    options, words = parse(args, {"--format": formats, "--help": None})
    form = "simple"
    for name, value in options:
        if name == "--help":
            sys.stdout.write(help.LIST)
            return
        form = value
    arguments(words, [])
    values = _read(settings)
    if form == "json":
        print(json.dumps(values, indent=2, sort_keys=True))
        return
    prefix = "export " if form == "export" else ""
    for key, value in sorted(values.items()):
        if value is not None:
            print(f"{prefix}{key}={value if form == 'simple' else shlex.quote(value)}")


def _set(settings: Settings, args: list[str]) -> None:
    options, words = parse(args, {"--help": None})
    if options:
        sys.stdout.write(help.SET)
        return
    key, value = arguments(words, ["KEY", "VALUE"])
    store.assign(settings.file, key, value, settings.quote, settings.export)
    print(f"{key}={value}")


def _unset(settings: Settings, args: list[str]) -> None:
    options, words = parse(args, {"--help": None})
    if options:
        sys.stdout.write(help.UNSET)
        return
    (key,) = arguments(words, ["KEY"])
    store.remove(settings.file, key)
    print(f"Successfully removed {key}")


def _run(settings: Settings, args: list[str]) -> None:
    readers = {"--override": None, "--no-override": None, "--help": None}
    options, words = parse(args, readers, interspersed=False, unknown_is_word=True)
    override = True
    for name, _ in options:
        if name == "--help":
            sys.stdout.write(help.RUN)
            return
        override = name == "--override"
    values = _read(settings, environment_first=not override)
    if not words:
        print("No command given.")
        raise Failure("")
    environment = dict(os.environ)
    for key, value in values.items():
        if value is not None and (override or key not in environment):
            environment[key] = value
    sys.stdout.flush()
    try:
        os.execvpe(words[0], words, environment)
    except (OSError, ValueError) as error:
        raise Failure(f"{words[0]}: {error}") from None


_COMMANDS = {"get": _get, "list": _list, "run": _run, "set": _set, "unset": _unset}
