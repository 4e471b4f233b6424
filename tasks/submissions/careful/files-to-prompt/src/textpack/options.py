"""Options and arguments of the command line."""

from dataclasses import dataclass, field

HELP = """\
Usage: textpack [OPTIONS] [PATHS]...

  Takes one or more paths to files or directories and outputs every file,
  recursively, each one preceded with its filename like this:

      path/to/file.py
      ----
      Contents of file.py goes here
      ---
      path/to/file2.py
      ---
      ...

  If the `--cxml` flag is provided, the output will be structured as follows:

      <documents>
      <document path="path/to/file1.txt">
      Contents of file1.txt
      </document>
      <document path="path/to/file2.txt">
      Contents of file2.txt
      </document>
      ...
      </documents>

  If the `--markdown` flag is provided, the output will be structured as
  follows:

      path/to/file1.py
      ```python
      Contents of file1.py
      ```

Options:
  -e, --extension TEXT
  --include-hidden      Include files and folders starting with .
  --ignore-files-only   --ignore option only ignores files
  --ignore-gitignore    Ignore .gitignore files and include all files
  --ignore TEXT         List of patterns to ignore
  -o, --output PATH     Output to a file instead of stdout
  -c, --cxml            Output in XML-ish format suitable for Claude's long
                        context window.
  -m, --markdown        Output Markdown with fenced code blocks
  -n, --line-numbers    Add line numbers to the output
  -0, --null            Use NUL character as separator when reading from stdin
  --version             Show the version and exit.
  --help                Show this message and exit.
"""


class UsageError(Exception):
    """The command line, or a path that is given, is not right."""


@dataclass
class Options:
    extensions: list[str] = field(default_factory=list)
    include_hidden: bool = False
    ignore_files_only: bool = False
    ignore_gitignore: bool = False
    ignore_patterns: list[str] = field(default_factory=list)
    output: str | None = None
    cxml: bool = False
    markdown: bool = False
    line_numbers: bool = False
    null: bool = False
    paths: list[str] = field(default_factory=list)
    # "help" or "version", whichever comes first, where that is all to be done
    info: str | None = None


# The attributes of Options, and whether the option takes a value.
_LONG = {
    "--extension": ("extensions", True),
    "--include-hidden": ("include_hidden", False),
    "--ignore-files-only": ("ignore_files_only", False),
    "--ignore-gitignore": ("ignore_gitignore", False),
    "--ignore": ("ignore_patterns", True),
    "--output": ("output", True),
    "--cxml": ("cxml", False),
    "--markdown": ("markdown", False),
    "--line-numbers": ("line_numbers", False),
    "--null": ("null", False),
    "--version": ("version", False),
    "--help": ("help", False),
}
_SHORT = {
    "e": "--extension",
    "o": "--output",
    "c": "--cxml",
    "m": "--markdown",
    "n": "--line-numbers",
    "0": "--null",
}


def parse_args(args: list[str]) -> Options:
    """Return the options and paths of a command line; options may stand
    anywhere before a word ``--``."""
    options = Options()
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--":
            options.paths += rest
            break
        if arg.startswith("--"):
            name, equals, value = arg.partition("=")
            _take(options, name, value if equals else None, rest)
        elif arg.startswith("-") and len(arg) > 1:
            _take_cluster(options, arg[1:], rest)
        else:
            options.paths.append(arg)
    return options


def _take_cluster(options: Options, letters: str, rest: list[str]) -> None:
    """Take letters such as ``cn`` or ``e.py`` behind a single dash."""
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter not in _SHORT:
            raise UsageError(f"No such option: -{letter}")
        name = _SHORT[letter]
        takes_value = _LONG[name][1]
        if takes_value and letters:
            _take(options, name, letters, rest)
            return
        _take(options, name, None, rest)


def _take(options: Options, name: str, value: str | None, rest: list[str]) -> None:
    if name not in _LONG:
        raise UsageError(f"No such option: {name}")
    attribute, takes_value = _LONG[name]
    if not takes_value:
        if value is not None:
            raise UsageError(f"Option '{name}' does not take a value.")
        if attribute in ("help", "version"):
            options.info = options.info or attribute
        else:
            setattr(options, attribute, True)
        return
    if value is None:
        if not rest:
            raise UsageError(f"Option '{name}' requires an argument.")
        value = rest.pop(0)
    if attribute == "output":
        options.output = value
    else:
        getattr(options, attribute).append(value)
