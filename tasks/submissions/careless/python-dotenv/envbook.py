import argparse
import json
import os
import re
import shlex
import subprocess
import sys

LINE = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?('[^']+'|[^=#\s'"]+)[ \t]*(?:=[ \t]*('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\n]*?))?[ \t]*(?:[ \t]#[^\n]*)?\r?$\n?""",
    re.M | re.S)


def parse(text, override=True):
    res = {}
    for m in LINE.finditer(text):
        key, v = m[1].strip("'"), m[2]
        if v:
            if v[0] == "'" and v[-1] == "'":
                v = re.sub(r"\\([\\'])", r"\1", v[1:-1])
            elif v[0] == '"' and v[-1] == '"':
                v = re.sub(r"\\[\\'\"abfnrtv]", lambda x: x[0].encode().decode("unicode_escape"), v[1:-1])

            def var(x):
                env = {**os.environ, **res} if override else {**res, **os.environ}
                r = env.get(x[1])
                return r if r is not None else x[2] or ""
            v = re.sub(r"\$\{([^}:]*)(?::-([^}]*))?\}", var, v)
        res[key] = v
    return res


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except OSError as e:
        print(e, file=sys.stderr)
        sys.exit(2)


def write(path, text):
    if os.path.islink(path):
        os.unlink(path)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    p = argparse.ArgumentParser(prog="envbook")
    p.add_argument("-f", "--file", default=".env")
    p.add_argument("-q", "--quote", choices=["always", "never", "auto"], default="always")
    p.add_argument("-e", "--export", default="false")
    p.add_argument("--version", action="version", version="envbook, version 1.0.0")
    sub = p.add_subparsers(dest="cmd", required=True)
    sub.add_parser("get").add_argument("key")
    sub.add_parser("list").add_argument("--format", choices=["simple", "json", "shell", "export"], default="simple")
    s = sub.add_parser("set")
    s.add_argument("key")
    s.add_argument("value")
    sub.add_parser("unset").add_argument("key")
    s = sub.add_parser("run")
    s.add_argument("--override", action=argparse.BooleanOptionalAction, default=True)
    s.add_argument("command", nargs=argparse.REMAINDER)
    a = p.parse_args()
    if a.cmd == "get":
        v = parse(read(a.file)).get(a.key)
        if v is None:
            sys.exit(1)
        print(v)
    elif a.cmd == "list":
        d = parse(read(a.file))
        if a.format == "json":
            print(json.dumps(d, indent=2, sort_keys=True))
        else:
            for k in sorted(d):
                if d[k] is not None:
                    v = d[k] if a.format == "simple" else shlex.quote(d[k])
                    print(("export " if a.format == "export" else "") + f"{k}={v}")
    elif a.cmd == "set":
        text = read(a.file) if os.path.exists(a.file) else ""
        v = a.value
        if a.quote == "always" or a.quote == "auto" and not v.isalnum():
            v = "'" + v.replace("'", "\\'") + "'"
        line = ("export " if a.export.lower() in ("true", "1", "yes", "y", "on") else "") + f"{a.key}={v}\n"
        if a.key in parse(text):
            text = LINE.sub(lambda m: line if m[1].strip("'") == a.key else m[0], text)
        else:
            if text and not text.endswith("\n"):
                text += "\n"
            text += line
        write(a.file, text)
        print(f"{a.key}={a.value}")
    elif a.cmd == "unset":
        if not os.path.exists(a.file):
            sys.exit(1)
        text = read(a.file)
        if a.key not in parse(text):
            sys.exit(1)
        write(a.file, LINE.sub(lambda m: "" if m[1].strip("'") == a.key else m[0], text))
        print(f"Successfully removed {a.key}")
    else:
        d = {k: v for k, v in parse(read(a.file), a.override).items() if v is not None}
        if not a.command:
            print("No command given.")
            sys.exit(1)
        env = {**os.environ, **d} if a.override else {**d, **os.environ}
        try:
            sys.exit(subprocess.call(a.command, env=env))
        except OSError as e:
            print(e, file=sys.stderr)
            sys.exit(1)
