"""The command datacmp."""

import json
import os
import pprint
import re
import sys
from typing import Any

from . import files, help, options, places
from .compare import Settings, compare
from .options import HelpRequest, UsageError
from .places import Exclusion
from .search import grep


class Failure(Exception):
    """The work can't be done."""


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
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (Failure, files.FileError, OSError, RecursionError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def _dispatch(args: list[str]) -> None:
    if not args:
        sys.stderr.write(help.MAIN)
        raise UsageError("Missing command.")
    if args[0] == "--help":
        sys.stdout.write(help.MAIN)
        return
    name, rest = args[0], args[1:]
    if name.startswith("-"):
        raise UsageError(f"No such option: {name}")
    if name not in _COMMANDS:
        raise UsageError(f"No such command '{name}'.")
    run, specs, names, text = _COMMANDS[name]
    try:
        values = options.parse(rest, specs, names)
    except HelpRequest:
        sys.stdout.write(text)
        return
    for argument in names:
        if argument in _PATHS and not os.path.exists(values[argument]):
            raise UsageError(f"Path '{values[argument]}' does not exist.")
    run(values)


def _exclusion(values: dict[str, Any]) -> Exclusion:
    try:
        return Exclusion(values["exclude-paths"], values["exclude-regex-paths"])
    except re.error as error:
        raise Failure(f"not a regular expression: {error}") from None


def _diff(values: dict[str, Any]) -> None:
    old, new = files.load(values["T1"]), files.load(values["T2"])
    digits = values["significant-digits"]
    if digits is not None and digits < 0:
        raise Failure("the number of significant digits can't be negative")
    if values["create-patch"]:
        raise Failure("patches are not supported")
    if values["group-by"] is not None:
        old, new = _grouped(old, values["group-by"]), _grouped(new, values["group-by"])
    settings = Settings(
        excluded=_exclusion(values),
        ignore_order=values["ignore-order"],
        report_repetition=values["report-repetition"],
        ignore_string_case=values["ignore-string-case"],
        ignore_numeric_type_changes=values["ignore-numeric-type-changes"],
        ignore_nan_inequality=values["ignore-nan-inequality"],
        include_private=values["include-private-variables"],
        significant_digits=digits,
        number_notation=values["number-format-notation"],
        math_epsilon=values["math-epsilon"],
        truncate_datetime=values["truncate-datetime"],
        cutoff_distance=values["cutoff-distance-for-pairs"],
        threshold=values["threshold-to-diff-deeper"],
        verbose_level=values["verbose-level"],
    )
    result = compare(old, new, settings)
    print(json.dumps(_with_text_keys(result), indent=2, default=str))


def _grouped(rows: Any, column: str) -> dict:
    """Return a mapping from a column's value to the rest of the row."""
    if not isinstance(rows, list):
        raise Failure("only rows can be grouped")
    result = {}
    for row in rows:
        if not isinstance(row, dict) or column not in row:
            raise Failure(f"a row has no column {column}")
        rest = dict(row)
        try:
            result[rest.pop(column)] = rest
        except TypeError:
            raise Failure(f"the column {column} can't group rows") from None
    return result


def _with_text_keys(value: Any) -> Any:
    """Return data that JSON can hold: other keys than texts become texts."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, (str, int, float, type(None))) else str(key): _with_text_keys(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_with_text_keys(item) for item in value]
    return value


def _grep(values: dict[str, Any]) -> None:
    data = files.load(values["PATH"])
    result = grep(
        data,
        values["ITEM"],
        ignore_case=values["ignore-case"],
        exact=values["exact-match"],
        excluded=_exclusion(values),
        with_values=values["verbose-level"] >= 2,
    )
    pprint.pprint(result)


def _extract(values: dict[str, Any]) -> None:
    data = files.load(values["PATH"])
    place = values["PATH_INSIDE"]
    try:
        for key in places.parse(place):
            data = data[key]
    except (LookupError, TypeError, ValueError) as error:
        raise Failure(f"there is nothing at {place}: {error}") from None
    pprint.pprint(data)


def _patch(values: dict[str, Any]) -> None:
    raise Failure("patches are not supported")


_PATHS = {"T1", "T2", "PATH", "DELTA_PATH"}
_COMMANDS = {
    "diff": (_diff, options.DIFF, ["T1", "T2"], help.DIFF),
    "grep": (_grep, options.GREP, ["ITEM", "PATH"], help.GREP),
    "extract": (_extract, options.EXTRACT, ["PATH_INSIDE", "PATH"], help.EXTRACT),
    "patch": (_patch, options.EXTRACT, ["PATH", "DELTA_PATH"], help.PATCH),
}
