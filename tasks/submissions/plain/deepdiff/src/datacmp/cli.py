"""Command line of datacmp."""

import argparse
import json
import os
import pprint
import re
import sys
from decimal import Decimal, InvalidOperation

from . import help as texts
from .diff import Differ, group
from .grep import grep
from .load import load
from .places import Exclusion, extract


class Parser(argparse.ArgumentParser):
    def __init__(self, prog, text):
        super().__init__(prog=prog, add_help=False, allow_abbrev=False)
        self.text = text
        self.add_argument("--help", action="help")

    def format_help(self):
        return self.text

    def format_usage(self):
        return self.text.split("\n", 1)[0] + "\n"


def decimal(text):
    try:
        return float(Decimal(text))
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid decimal")


def existing(text):
    if not os.path.exists(text):
        raise argparse.ArgumentTypeError(f"Path '{text}' does not exist.")
    return text


def expression(text):
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"bad regular expression {text}: {error}")
    return text


def diff_parser():
    parser = Parser("datacmp diff", texts.DIFF)
    add = parser.add_argument
    add("t1", type=existing)
    add("t2", type=existing)
    for name in ("cutoff-distance-for-pairs", "cutoff-intersection-for-pairs", "threshold-to-diff-deeper"):
        add(f"--{name}", type=float)
    for name in ("cache-size", "cache-tuning-sample-size", "log-frequency-in-sec", "max-passes", "max_diffs"):
        add(f"--{name}", type=int)
    for name in ("cache-purge-level", "verbose-level"):
        add(f"--{name}", type=int, choices=range(3), default=1)
    for name in (
        "create-patch",
        "get-deep-distance",
        "ignore-order",
        "ignore-string-type-changes",
        "ignore-numeric-type-changes",
        "ignore-type-subclasses",
        "ignore-string-case",
        "ignore-nan-inequality",
        "include-private-variables",
        "report-repetition",
        "debug",
    ):
        add(f"--{name}", action="store_true")
    add("--exclude-paths", action="append", default=[])
    add("--exclude-regex-paths", action="append", default=[])
    add("--math-epsilon", type=decimal)
    add("--group-by")
    add("--significant-digits", type=int)
    add("--number-format-notation", choices=["f", "e"], default="f")
    add("--progress-logger", choices=["info", "error"], default="info")
    add("--truncate-datetime", choices=["second", "minute", "hour", "day"])
    add("--view", choices=["tree", "colored", "colored_compact"], default="tree")
    return parser


def run_diff(argv):
    args = diff_parser().parse_intermixed_args(argv)
    if args.significant_digits is not None and args.significant_digits < 0:
        raise ValueError("significant digits must not be negative")
    exclusion = Exclusion(args.exclude_paths, [expression(e) for e in args.exclude_regex_paths])
    old, new = load(args.t1), load(args.t2)
    if args.group_by is not None:
        old, new = group(old, args.group_by), group(new, args.group_by)
    result = Differ(args, exclusion).run(old, new)
    print(json.dumps(result, indent=2, default=str))


def run_grep(argv):
    parser = Parser("datacmp grep", texts.GREP)
    add = parser.add_argument
    add("item")
    add("path", type=existing)
    add("-i", "--ignore-case", action="store_true")
    add("--exact-match", action="store_true")
    add("--exclude-paths", action="append", default=[])
    add("--exclude-regex-paths", action="append", default=[])
    add("--verbose-level", type=int, choices=range(3), default=1)
    add("--debug", action="store_true")
    args = parser.parse_intermixed_args(argv)
    exclusion = Exclusion(args.exclude_paths, [expression(e) for e in args.exclude_regex_paths])
    pprint.pprint(grep(load(args.path), args.item, args.ignore_case, args.exact_match, exclusion))


def run_extract(argv):
    parser = Parser("datacmp extract", texts.EXTRACT)
    parser.add_argument("path_inside")
    parser.add_argument("path", type=existing)
    parser.add_argument("--debug", action="store_true")
    args = parser.parse_intermixed_args(argv)
    pprint.pprint(extract(load(args.path), args.path_inside))


def run_patch(argv):
    raise ValueError("patch is not supported")


COMMANDS = {"diff": run_diff, "grep": run_grep, "extract": run_extract, "patch": run_patch}


def main():
    argv = sys.argv[1:]
    if not argv or argv[0] == "--help":
        sys.stdout.write(texts.MAIN)
        return
    if argv[0] not in COMMANDS:
        print(f"{texts.MAIN.splitlines()[0]}\n\nError: No such command '{argv[0]}'.", file=sys.stderr)
        sys.exit(2)
    try:
        COMMANDS[argv[0]](argv[1:])
    except (ValueError, LookupError, TypeError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
