"""Command line of envbook."""

import getopt
import json
import os
import shlex
import stat
import sys
import tempfile

from . import __version__
from . import help as texts
from .parse import parse, resolve


class UsageError(Exception):
    pass


class Failure(Exception):
    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


class Context:
    def __init__(self):
        self.file = os.path.join(os.getcwd(), ".env")
        self.quote = "always"
        self.export = False


def options(argv, text, short="", long=(), mixed=True):
    try:
        parse_argv = getopt.gnu_getopt if mixed else getopt.getopt
        pairs, rest = parse_argv(argv, short, ["help", *long])
    except getopt.GetoptError as error:
        raise UsageError(str(error))
    if any(name == "--help" for name, _ in pairs):
        sys.stdout.write(text)
        sys.exit(0)
    return pairs, rest


def arguments(rest, *names):
    if len(rest) < len(names):
        raise UsageError(f"Missing argument '{names[len(rest)]}'.")
    if len(rest) > len(names):
        raise UsageError(f"Got unexpected extra argument ({rest[len(names)]})")
    return rest


def boolean(text):
    value = text.strip().lower()
    if value in ("1", "true", "t", "yes", "y", "on"):
        return True
    if value in ("0", "false", "f", "no", "n", "off"):
        return False
    raise UsageError(f"'{text}' is not a valid boolean.")


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def load(path, override=True):
    try:
        text = read(path)
    except OSError as error:
        raise Failure(f"Error opening env file: {error}", 2)
    return resolve(parse(text), os.environ, override)


def write(path, text):
    """Replace the file; a symbolic link is not followed."""
    mode = None
    try:
        info = os.lstat(path)
        if stat.S_ISREG(info.st_mode):
            mode = stat.S_IMODE(info.st_mode)
    except FileNotFoundError:
        pass
    if mode is None:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".tmp_")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def do_get(context, argv):
    _, rest = options(argv, texts.GET)
    (key,) = arguments(rest, "KEY")
    value = load(context.file).get(key)
    if value is None:
        sys.exit(1)
    print(value)


def do_list(context, argv):
    pairs, rest = options(argv, texts.LIST, "", ["format="])
    arguments(rest)
    form = pairs[-1][1] if pairs else "simple"
    if form not in ("simple", "json", "shell", "export"):
        raise UsageError(f"Invalid value for '--format': '{form}'")
    values = load(context.file)
    if form == "json":
        print(json.dumps(values, indent=2, sort_keys=True))
        return
    prefix = "export " if form == "export" else ""
    for key in sorted(values):
        value = values[key]
        if value is not None:
            if form != "simple":
                value = shlex.quote(value)
            print(f"{prefix}{key}={value}")


def do_set(context, argv):
    _, rest = options(argv, texts.SET)
    key, value = arguments(rest, "KEY", "VALUE")
    if context.quote == "always" or context.quote == "auto" and not value.isalnum():
        written = "'" + value.replace("'", "\\'") + "'"
    else:
        written = value
    line = f"{'export ' if context.export else ''}{key}={written}\n"
    try:
        text = read(context.file)
    except FileNotFoundError:
        text = ""
    out = []
    found = False
    for binding in parse(text):
        if binding.key == key:
            out.append(line)
            found = True
        else:
            out.append(binding.text)
    if not found:
        if out and not out[-1].endswith("\n"):
            out.append("\n")
        out.append(line)
    write(context.file, "".join(out))
    print(f"{key}={value}")


def do_unset(context, argv):
    _, rest = options(argv, texts.UNSET)
    (key,) = arguments(rest, "KEY")
    bindings = list(parse(read(context.file)))
    kept = [binding.text for binding in bindings if binding.key != key]
    if len(kept) == len(bindings):
        raise Failure(f"Key {key} not removed from {context.file} - key doesn't exist.")
    write(context.file, "".join(kept))
    print(f"Successfully removed {key}")


def do_run(context, argv):
    pairs, command = options(argv, texts.RUN, "", ["override", "no-override"], mixed=False)
    override = not pairs or pairs[-1][0] == "--override"
    values = {k: v for k, v in load(context.file, override).items() if v is not None}
    if not command:
        print("No command given.")
        sys.exit(1)
    environ = {**os.environ, **values} if override else {**values, **os.environ}
    sys.stdout.flush()
    try:
        os.execvpe(command[0], command, environ)
    except FileNotFoundError:
        raise Failure(f"Command not found: {command[0]}")


COMMANDS = {"get": do_get, "list": do_list, "run": do_run, "set": do_set, "unset": do_unset}


def run(argv):
    context = Context()
    pairs, rest = options(argv, texts.MAIN, "f:q:e:", ["file=", "quote=", "export=", "version"], mixed=False)
    for name, value in pairs:
        if name == "--version":
            print(f"envbook, version {__version__}")
            return
        if name in ("-f", "--file"):
            context.file = value
        elif name in ("-q", "--quote"):
            if value not in ("always", "never", "auto"):
                raise UsageError(f"Invalid value for '--quote': '{value}'")
            context.quote = value
        elif name in ("-e", "--export"):
            context.export = boolean(value)
    if not rest:
        sys.stdout.write(texts.MAIN)
        return
    if rest[0] not in COMMANDS:
        raise UsageError(f"No such command '{rest[0]}'.")
    COMMANDS[rest[0]](context, rest[1:])


def main():
    try:
        run(sys.argv[1:])
    except UsageError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
    except Failure as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(error.status)
    except (OSError, ValueError) as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
