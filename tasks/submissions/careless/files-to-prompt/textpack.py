import argparse
import os
import sys
from fnmatch import fnmatch

LANGS = {"py": "python", "c": "c", "cpp": "cpp", "java": "java", "js": "javascript", "ts": "typescript",
         "html": "html", "css": "css", "xml": "xml", "json": "json", "yaml": "yaml", "yml": "yaml",
         "sh": "bash", "rb": "ruby"}


def main():
    p = argparse.ArgumentParser(prog="textpack")
    p.add_argument("paths", nargs="*")
    p.add_argument("-e", "--extension", action="append", default=[])
    p.add_argument("--include-hidden", action="store_true")
    p.add_argument("--ignore-files-only", action="store_true")
    p.add_argument("--ignore-gitignore", action="store_true")
    p.add_argument("--ignore", action="append", default=[])
    p.add_argument("-o", "--output")
    p.add_argument("-c", "--cxml", action="store_true")
    p.add_argument("-m", "--markdown", action="store_true")
    p.add_argument("-n", "--line-numbers", action="store_true")
    p.add_argument("-0", "--null", action="store_true")
    p.add_argument("--version", action="version", version="textpack, version 1.0.0")
    a = p.parse_intermixed_args()
    paths = list(a.paths)
    if not sys.stdin.isatty():
        text = sys.stdin.read()
        paths += [x for x in (text.split("\0") if a.null else text.split()) if x]
    out = open(a.output, "w", encoding="utf-8") if a.output else sys.stdout
    count = 0
    rules = []

    def gitignore(folder):
        f = os.path.join(folder, ".gitignore")
        if not a.ignore_gitignore and os.path.isfile(f):
            with open(f) as h:
                rules.extend(x.strip() for x in h if x.strip() and not x.startswith("#"))

    def ignored(name, is_dir):
        return any(fnmatch(name, r) or is_dir and r.endswith("/") and fnmatch(name, r[:-1]) for r in rules)

    def show(path):
        nonlocal count
        try:
            with open(path, encoding="utf-8") as h:
                s = h.read()
        except UnicodeDecodeError:
            print(f"Warning: Skipping file {path} due to UnicodeDecodeError", file=sys.stderr)
            return
        if a.line_numbers:
            lines = s.splitlines()
            w = len(str(len(lines)))
            s = "\n".join(f"{i:{w}}  {x}" for i, x in enumerate(lines, 1))
        if a.cxml:
            count += 1
            if count == 1:
                print("<documents>", file=out)
            print(f'<document index="{count}">\n<source>{path}</source>\n<document_content>\n{s}\n</document_content>\n</document>', file=out)
        elif a.markdown:
            fence = "```"
            while fence in s:
                fence += "`"
            print(f"{path}\n{fence}{LANGS.get(path.split('.')[-1], '')}\n{s}\n{fence}", file=out)
        else:
            print(f"{path}\n---\n{s}\n\n---", file=out)

    for path in paths:
        if not os.path.exists(path):
            p.error(f"Path does not exist: {path}")
    for path in paths:
        gitignore(os.path.dirname(path))
        if os.path.isfile(path):
            show(path)
            continue
        for root, dirs, files in os.walk(path):
            gitignore(root)
            if not a.include_hidden:
                dirs[:] = [d for d in dirs if d[0] != "."]
                files = [f for f in files if f[0] != "."]
            dirs[:] = sorted(d for d in dirs if not ignored(d, True) and (a.ignore_files_only or not any(fnmatch(d, i) for i in a.ignore)))
            for f in sorted(files):
                if ignored(f, False) or any(fnmatch(f, i) for i in a.ignore):
                    continue
                if a.extension and not f.endswith(tuple(a.extension)):
                    continue
                show(os.path.join(root, f))
    if a.cxml:
        print("</documents>", file=out)
