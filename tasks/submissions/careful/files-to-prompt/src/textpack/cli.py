"""The command textpack."""

import os
import sys
from typing import TextIO

from . import __version__
from .formats import Printer
from .options import HELP, Options, UsageError, parse_args
from .walk import Finder


def main(args: list[str] | None = None) -> None:
    sys.exit(_main(sys.argv[1:] if args is None else args))


def _main(args: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        options = parse_args(args)
        if options.info == "help":
            sys.stdout.write(HELP)
        elif options.info == "version":
            print(f"textpack, version {__version__}")
        else:
            _check(options)
            _run(options)
        sys.stdout.flush()
    except UsageError as error:
        sys.stdout.flush()
        print("Usage: textpack [OPTIONS] [PATHS]...", file=sys.stderr)
        print("Try 'textpack --help' for help.", file=sys.stderr)
        print(f"\nError: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Nobody reads on; keep the interpreter from complaining at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, ValueError) as error:
        sys.stdout.flush()
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def _check(options: Options) -> None:
    """Check the paths of the command line before anything is done."""
    for path in options.paths:
        _check_exists(path)
        if not os.access(path, os.R_OK):
            raise UsageError(f"Path '{path}' is not readable.")
    output = options.output
    if output is not None and os.path.exists(output) and not os.access(output, os.W_OK):
        raise UsageError(f"Path '{output}' is not writable.")


def _check_exists(path: str) -> None:
    if not os.path.exists(path):
        raise UsageError(f"Path '{path}' does not exist.")


def _run(options: Options) -> None:
    paths = options.paths + _paths_from_stdin(options.null)
    if options.output is None:
        _pack(paths, options, sys.stdout)
    else:
        with open(
            options.output, "w", encoding="utf-8", errors="surrogateescape"
        ) as file:
            _pack(paths, options, file)


def _paths_from_stdin(null: bool) -> list[str]:
    if sys.stdin is None or sys.stdin.isatty():
        return []
    text = os.fsdecode(sys.stdin.buffer.read())
    if null:
        return [path for path in text.split("\0") if path]
    return text.split()


def _pack(paths: list[str], options: Options, out: TextIO) -> None:
    printer = Printer(
        lambda text: print(text, file=out),
        cxml=options.cxml,
        markdown=options.markdown,
        line_numbers=options.line_numbers,
    )
    finder = Finder(options)
    for number, path in enumerate(paths):
        _check_exists(path)
        if number == 0:
            printer.start()
        for file_path in finder.files(path):
            try:
                with open(file_path, encoding="utf-8") as file:
                    content = file.read()
            except UnicodeDecodeError:
                print(
                    f"Warning: Skipping file {file_path} due to UnicodeDecodeError",
                    file=sys.stderr,
                )
                continue
            printer.print_file(file_path, content)
    printer.end()
