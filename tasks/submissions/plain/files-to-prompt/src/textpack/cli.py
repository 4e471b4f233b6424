"""Command line of textpack."""

import getopt
import os
import sys
from fnmatch import fnmatch

from . import __version__

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

LANGUAGES = {
    "py": "python",
    "c": "c",
    "cpp": "cpp",
    "java": "java",
    "js": "javascript",
    "ts": "typescript",
    "html": "html",
    "css": "css",
    "xml": "xml",
    "json": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "sh": "bash",
    "rb": "ruby",
}


class UsageError(Exception):
    pass


class Options:
    def __init__(self):
        self.extensions = []
        self.include_hidden = False
        self.ignore_files_only = False
        self.ignore_gitignore = False
        self.ignore = []
        self.output = None
        self.cxml = False
        self.markdown = False
        self.line_numbers = False
        self.null = False


def parse_args(argv):
    try:
        pairs, paths = getopt.gnu_getopt(
            argv,
            "e:o:cmn0",
            [
                "extension=",
                "include-hidden",
                "ignore-files-only",
                "ignore-gitignore",
                "ignore=",
                "output=",
                "cxml",
                "markdown",
                "line-numbers",
                "null",
                "version",
                "help",
            ],
        )
    except getopt.GetoptError as error:
        raise UsageError(str(error))
    options = Options()
    for name, value in pairs:
        if name == "--help":
            sys.stdout.write(HELP)
            sys.exit(0)
        elif name == "--version":
            print(f"textpack, version {__version__}")
            sys.exit(0)
        elif name in ("-e", "--extension"):
            options.extensions.append(value)
        elif name == "--ignore":
            options.ignore.append(value)
        elif name in ("-o", "--output"):
            options.output = value
        elif name == "--include-hidden":
            options.include_hidden = True
        elif name == "--ignore-files-only":
            options.ignore_files_only = True
        elif name == "--ignore-gitignore":
            options.ignore_gitignore = True
        elif name in ("-c", "--cxml"):
            options.cxml = True
        elif name in ("-m", "--markdown"):
            options.markdown = True
        elif name in ("-n", "--line-numbers"):
            options.line_numbers = True
        elif name in ("-0", "--null"):
            options.null = True
    return options, paths


def stdin_paths(null):
    if sys.stdin is None or sys.stdin.isatty():
        return []
    text = os.fsdecode(sys.stdin.buffer.read())
    if null:
        return [path for path in text.split("\0") if path]
    return text.split()


def read_gitignore(folder):
    path = os.path.join(folder, ".gitignore")
    if not os.path.isfile(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file]
    return [line for line in lines if line and not line.startswith("#")]


def gitignored(name, is_dir, patterns):
    for pattern in patterns:
        if pattern.endswith("/"):
            if is_dir and fnmatch(name, pattern[:-1]):
                return True
        elif fnmatch(name, pattern):
            return True
    return False


def number_lines(content):
    lines = content.split("\n")
    if lines[-1] == "":
        lines.pop()
    width = len(str(len(lines)))
    return "\n".join(f"{i:{width}}  {line}" for i, line in enumerate(lines, 1))


class Packer:
    def __init__(self, options, out):
        self.options = options
        self.out = out
        self.gitignore = []
        self.index = 0

    def write(self, text):
        self.out.write(text + "\n")

    def print_file(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                content = file.read()
        except UnicodeDecodeError:
            print(f"Warning: Skipping file {path} due to UnicodeDecodeError", file=sys.stderr)
            return
        if self.options.line_numbers:
            content = number_lines(content)
        if self.options.cxml:
            self.index += 1
            self.write(f'<document index="{self.index}">')
            self.write(f"<source>{path}</source>")
            self.write("<document_content>")
            self.write(content)
            self.write("</document_content>")
            self.write("</document>")
        elif self.options.markdown:
            fence = "```"
            while fence in content:
                fence += "`"
            language = LANGUAGES.get(path.split(".")[-1], "")
            self.write(path)
            self.write(fence + language)
            self.write(content)
            self.write(fence)
        else:
            self.write(path)
            self.write("---")
            self.write(content)
            self.write("")
            self.write("---")

    def skipped(self, name, is_dir):
        options = self.options
        if name.startswith(".") and not options.include_hidden:
            return True
        if gitignored(name, is_dir, self.gitignore):
            return True
        if not (is_dir and options.ignore_files_only):
            return any(fnmatch(name, pattern) for pattern in options.ignore)
        return False

    def walk(self, folder):
        if not self.options.ignore_gitignore:
            self.gitignore.extend(read_gitignore(folder))
        files = []
        folders = []
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            is_dir = os.path.isdir(path)
            if self.skipped(name, is_dir):
                continue
            if is_dir:
                if not os.path.islink(path):
                    folders.append(path)
            elif not self.options.extensions or name.endswith(tuple(self.options.extensions)):
                files.append(path)
        for path in files:
            self.print_file(path)
        for path in folders:
            self.walk(path)

    def add(self, path):
        if not os.path.exists(path):
            raise UsageError(f"Path does not exist: {path}")
        if not self.options.ignore_gitignore:
            self.gitignore.extend(read_gitignore(os.path.dirname(path)))
        if os.path.isdir(path):
            self.walk(path)
        else:
            self.print_file(path)


def run(argv):
    options, paths = parse_args(argv)
    for path in paths:
        if not os.path.exists(path):
            raise UsageError(f"Path '{path}' does not exist.")
    paths = paths + stdin_paths(options.null)

    if options.output:
        out = open(options.output, "w", encoding="utf-8", newline="\n")
    else:
        out = sys.stdout
        out.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        packer = Packer(options, out)
        if options.cxml and paths:
            packer.write("<documents>")
        for path in paths:
            packer.add(path)
        if options.cxml:
            packer.write("</documents>")
    finally:
        out.flush()
        if options.output:
            out.close()


def main():
    try:
        run(sys.argv[1:])
    except UsageError as error:
        print(f"Usage: textpack [OPTIONS] [PATHS]...\n\nError: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
