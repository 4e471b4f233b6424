"""Schemas are read from help texts that real tools printed; the expected ones were written by hand from the text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clibench.errors import UserError
from clibench.synthesis.help.corpus import Expected, Measured, measure, read_corpus
from clibench.synthesis.help.rules import RulesExtractor, style
from clibench.synthesis.schema import Command, Option, Positional, ValueType

CORPUS = read_corpus(Path(__file__).parent / "help_corpus")
GOAL = 0.97


def read(text: str, name: str = "tool") -> Command:
    return RulesExtractor().extract(name, text)


def only_option(text: str) -> Option:
    (option,) = read(f"Usage: tool\n\nOptions:\n{text}\n").options
    return option


def test_options_and_commands_of_the_corpus_reach_the_goal_in_precision_and_recall() -> None:
    total = sum((measure(expected, RulesExtractor()) for expected in CORPUS), Measured())
    for tally in (total.options, total.commands):
        assert tally.precision >= GOAL, tally.invented
        assert tally.recall >= GOAL, tally.missed
    assert total.details.recall >= GOAL, total.details.missed


@pytest.mark.parametrize("expected", CORPUS, ids=lambda expected: expected.id)
def test_the_style_of_a_text_is_recognised(expected: Expected) -> None:
    assert style(expected.text).value == expected.style


@pytest.mark.parametrize("expected", CORPUS, ids=lambda expected: expected.id)
def test_a_schema_survives_json(expected: Expected) -> None:
    schema = RulesExtractor().extract(expected.command, expected.text)
    assert Command.from_json(json.loads(json.dumps(schema.to_json()))) == schema


def test_every_main_style_is_in_the_corpus_at_least_twice_or_is_known_to_be_thin() -> None:
    styles = [expected.style for expected in CORPUS]
    assert {name for name in styles if styles.count(name) < 2} <= THIN


THIN = {"clap"}


def test_a_boxed_help_of_typer_reads_like_a_plain_one() -> None:
    schema = read(
        """
 Usage: tool [OPTIONS] NAME [EXTRA]...

 Greets people.

╭─ Arguments ──────────────────────────────────────────────────────────────────╮
│ *    name       TEXT        The name [required]                              │
│      extra      [EXTRA]...  More names                                       │
╰──────────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────────╮
│ *  --count    -c                INTEGER            How often [default: None] │
│                                                    [required]                │
│    --formal       --no-formal                      Politely                  │
│                                                    [default: no-formal]      │
│    --mode                       [fast|slow|off]    The mode [default: fast]  │
│    --help                                          Show this message and     │
│                                                    exit.                     │
╰──────────────────────────────────────────────────────────────────────────────╯
╭─ Commands ───────────────────────────────────────────────────────────────────╮
│ add    Add one.                                                              │
│ drop   Drop one.                                                             │
╰──────────────────────────────────────────────────────────────────────────────╯
"""
    )
    count, formal, mode, shown = schema.options
    assert (count.names, count.metavar, count.type, count.required) == (("--count", "-c"), "INTEGER", ValueType.INTEGER, True)
    assert (formal.names, formal.negation, formal.takes_value) == (("--formal",), "--no-formal", False)
    assert (mode.choices, mode.default) == (("fast", "slow", "off"), "fast")
    assert shown.names == ("--help",)
    assert [command.name for command in schema.commands] == ["add", "drop"]


def test_a_wrapped_description_that_begins_with_a_dash_is_no_option() -> None:
    schema = read("usage: tool [-h]\n\noptions:\n  -x X        as said, use\n              --yes to force\n  -y          short\n")
    assert [option.names for option in schema.options] == [("-x",), ("-y",), ("-h",)]


def test_a_prose_word_after_a_flag_is_no_value() -> None:
    assert only_option("  -v, --verbose print more").metavar is None
    assert only_option("  -o FILE  where to write").metavar == "FILE"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  --[no-]color  colour", Option(("--color",), negation="--no-color", help="colour")),
        ("  --shout / --quiet  loud", Option(("--shout",), negation="--quiet", help="loud")),
        ("  --color[=WHEN]  when", Option(("--color",), "WHEN", ValueType.STRING, value_optional=True, help="when")),
        ("  -I, --include <dir...>  dirs", Option(("-I", "--include"), "dir", ValueType.PATH, repeatable=True, help="dirs")),
        ("  --n N  [default: 3]", Option(("--n",), "N", ValueType.INTEGER, default="3", help="[default: 3]")),
        ('  --to string   to (default "a, b")', Option(("--to",), "string", ValueType.STRING, default="a, b", help='to (default "a, b")')),
        ("  --f    [string] [required]", Option(("--f",), "string", ValueType.STRING, required=True, help="[string] [required]")),
        ("  --level {low,high}  how", Option(("--level",), "low,high", ValueType.CHOICE, choices=("low", "high"), help="how")),
    ],
)  # fmt: skip
def test_the_marks_of_an_option_are_read(line: str, expected: Option) -> None:
    assert only_option(line) == expected


def test_usage_tells_arity_and_what_excludes_what() -> None:
    schema = read("usage: tool [-a | -b N] [--mode {x,y}] SOURCE [SOURCE ...] [TARGET]\n\noptions:\n  -a\n  -b N\n  --mode {x,y}\n")
    assert schema.positionals == (
        Positional("SOURCE", 1, None, type=ValueType.STRING),
        Positional("TARGET", 0, 1, type=ValueType.STRING),
    )
    assert schema.exclusive == (("-a", "-b"),)


def test_an_option_outside_brackets_in_every_usage_line_is_required() -> None:
    schema = read("usage: tool --out FILE [--log FILE] input\n\noptions:\n  --out FILE\n  --log FILE\n")
    assert [(option.name, option.required) for option in schema.options] == [("--out", True), ("--log", False)]


def test_usage_lines_that_begin_with_words_name_the_commands() -> None:
    schema = read("Usage:\n  tool add <name> [--force]\n  tool remove <name>\n  tool (-h | --help)\n\nOptions:\n  -h --help  Help.\n")
    assert [(command.name, command.usage) for command in schema.commands] == [
        ("add", ("add <name> [--force]",)),
        ("remove", ("remove <name>",)),
    ]


def test_an_argparse_choice_is_no_list_of_commands_but_subparsers_are() -> None:
    choice = read("usage: tool [-h] {a,b}\n\npositional arguments:\n  {a,b}       which\n\noptions:\n  -h, --help  help\n")
    assert (choice.commands, choice.positionals[0].choices) == ((), ("a", "b"))
    commands = read("usage: tool [-h] {a,b} ...\n\npositional arguments:\n  {a,b}\n    a         first\n    b         second\n")
    assert [(command.name, command.summary) for command in commands.commands] == [("a", "first"), ("b", "second")]
    assert commands.positionals == ()


def test_kong_lists_commands_as_blocks_and_nested_ones_by_their_path() -> None:
    schema = read(
        """Usage: tool <command> [flags]

Flags:
  -h, --help            Show context-sensitive help.
      --[no-]cache      Use the cache.
      --level="info"    Log level.
      --size=10         Size.
      --name=STRING     Name.

Commands:
  user add <name> [flags]
    Add a user.

  user rm <name> ... [flags]
    Remove users.

  serve [flags]
    Serve.

Run "tool <command> --help" for more information on a command.
"""
    )
    assert [(path, command.summary) for path, command in schema.walk() if path] == [
        (("user",), ""),
        (("user", "add"), "Add a user."),
        (("user", "rm"), "Remove users."),
        (("serve",), "Serve."),
    ]
    by_name = {option.name: option for option in schema.options}
    assert by_name["--cache"].negation == "--no-cache"
    assert by_name["--level"].default == "info"
    assert by_name["--size"].takes_value


def test_oclif_capitals_are_headings() -> None:
    schema = read(
        """Push the changes.

USAGE
  $ tool push FILE [--force] [-r <value>] [-l debug|info]

ARGUMENTS
  FILE  what to push

FLAGS
  -l, --level=<option>  [default: info] how much to say
                        <options: debug|info>
  -r, --remote=<value>  (required) where to
      --[no-]color      colours
      --force           even so

DESCRIPTION
  Push the changes.

EXAMPLES
  $ tool push a.txt --force

COMMANDS
  push all  Push everything.
""",
        "tool push",
    )
    level, remote, color, force = schema.options
    assert (level.choices, level.default) == (("debug", "info"), "info")
    assert (remote.required, color.negation, force.takes_value) == (True, "--no-color", False)
    assert [(each.name, each.min, each.max) for each in schema.positionals] == [("FILE", 1, 1)]
    assert schema.examples == ("tool push a.txt --force",)


def test_examples_are_kept_as_command_lines() -> None:
    schema = read("Usage\n  $ tool <file>\n\nExamples\n  $ tool a.txt\n  text about it\n  $ cat a.txt | tool -\n")
    assert schema.examples == ("tool a.txt", "cat a.txt | tool -")


@pytest.mark.parametrize(
    "text", ["", "\n\n", "Error: no such command", "[[[(((|||", "\x1b[31m\x00", "usage:", "-", "Options:\n  --\n  -\n"]
)
def test_a_text_that_is_no_help_gives_no_options_and_no_error(text: str) -> None:
    schema = read(text)
    assert (schema.options, schema.commands) == ((), ())


def test_a_corpus_schema_without_its_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("command: a\nstyle: plain\noptions: {}\n")
    with pytest.raises(UserError, match=r"a\.txt: the help text is missing"):
        read_corpus(tmp_path)


def test_go_flags_shows_a_value_by_a_bare_equals_sign_and_choices_in_brackets() -> None:
    text = "Usage:\n  tool [OPTIONS]\n\nApplication Options:\n      --by-file        each file\n"
    text += "      --sort=[name|size] order (default: name)\n"
    text += "      --exclude=       left out\n                       (commas)\n  -m, --match=\n                       include\n"
    options = {option.name: option for option in RulesExtractor().extract("tool", text).options}
    assert [(name, option.takes_value) for name, option in options.items()] == [
        ("--by-file", False),
        ("--sort", True),
        ("--exclude", True),
        ("--match", True),
    ]
    assert options["--sort"].choices == ("name", "size")
    assert options["--exclude"].help == "left out (commas)"


def test_a_number_for_a_default_tells_that_an_option_takes_a_value() -> None:
    assert only_option("  -min-occurrences   report from how many (default: 2)").takes_value
    assert not only_option("  -ignore-tests   leave tests out (default: true)").takes_value


def test_a_bare_args_before_an_operand_in_angle_brackets_stands_for_the_flags() -> None:
    schema = read("Usage:\n\n  tool ARGS <directory> [<directory>...]\n\nFlags:\n\n  -n   numbers\n")
    assert [positional.name for positional in schema.positionals] == ["directory"]
    assert [positional.name for positional in read("Usage: tool FILE ARGS\n").positionals] == ["FILE", "ARGS"]
