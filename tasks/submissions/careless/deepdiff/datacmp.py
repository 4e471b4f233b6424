import argparse
import csv
import json
import os
import pprint
import re
import sys
import tomllib


def number(s):
    if re.fullmatch(r"-?\d+", s):
        return int(s)
    if re.fullmatch(r"-?\d+\.\d+", s):
        return float(s)
    return s


def scalar(s):
    s = s.strip()
    if s in ("", "null", "~"):
        return None
    if s in ("true", "false"):
        return s == "true"
    if s[0] in "[{":
        return json.loads(s)
    if s[0] in "'\"":
        return s[1:-1]
    return number(s)


def yaml(lines):
    lines = [x.rstrip() for x in lines if x.strip() and not x.strip().startswith("#") and x.strip() != "---"]

    def block(ind):
        if lines[0].lstrip().startswith("- ") or lines[0].strip() == "-":
            out = []
            while lines and len(lines[0]) - len(lines[0].lstrip()) == ind and lines[0].lstrip().startswith("-"):
                rest = lines[0].lstrip()[2:]
                if re.match(r"[\w.-]+:( |$)", rest):
                    lines[0] = " " * (ind + 2) + rest
                    out.append(block(ind + 2))
                else:
                    lines.pop(0)
                    out.append(scalar(rest))
            return out
        out = {}
        while lines and len(lines[0]) - len(lines[0].lstrip()) == ind and not lines[0].lstrip().startswith("- "):
            k, _, v = lines.pop(0).strip().partition(":")
            if v.strip():
                out[scalar(k)] = scalar(v)
            elif lines and (len(lines[0]) - len(lines[0].lstrip()) > ind or lines[0].lstrip().startswith("- ")):
                out[scalar(k)] = block(len(lines[0]) - len(lines[0].lstrip()))
            else:
                out[scalar(k)] = None
        return out
    if not lines:
        return None
    return block(0) if ":" in lines[0] or lines[0].startswith("-") else scalar(lines[0])


def load(path):
    if not os.path.isfile(path):
        print(f"Path '{path}' does not exist.", file=sys.stderr)
        sys.exit(2)
    ext = path.rsplit(".", 1)[-1]
    try:
        with open(path, encoding="utf-8") as f:
            if ext == "json":
                return json.load(f)
            if ext == "toml":
                return tomllib.loads(f.read())
            if ext in ("yaml", "yml"):
                return yaml(f.read().splitlines())
            if ext in ("csv", "tsv"):
                return [{k: number(v) for k, v in r.items()} for r in csv.DictReader(f, delimiter="\t" if ext == "tsv" else ",")]
            raise ValueError("unknown file type")
    except Exception as e:
        print(e, file=sys.stderr)
        sys.exit(1)


def diff(a, x, y):
    res = {k: {} for k in ("type_changes", "dictionary_item_added", "dictionary_item_removed", "values_changed",
                           "iterable_item_added", "iterable_item_removed")}

    def skip(path):
        return any(path == e or path == f"root['{e}']" for e in a.exclude_paths) or any(re.search(e, path) for e in a.exclude_regex_paths)

    def same(p, q):
        if p == q and type(p) is type(q):
            return True
        if isinstance(p, str) and isinstance(q, str) and a.ignore_string_case:
            return p.lower() == q.lower()
        if isinstance(p, (int, float)) and isinstance(q, (int, float)) and (type(p) is type(q) or a.ignore_numeric_type_changes):
            if a.significant_digits is not None:
                return f"{p:.{a.significant_digits}f}" == f"{q:.{a.significant_digits}f}"
            if a.math_epsilon is not None:
                return abs(p - q) <= a.math_epsilon
            return p == q
        return False

    def walk(p, q, path):
        if skip(path) or same(p, q):
            return
        numeric = a.ignore_numeric_type_changes and isinstance(p, (int, float)) and isinstance(q, (int, float))
        if type(p) is not type(q) and not numeric:
            res["type_changes"][path] = {"old_type": type(p).__name__, "new_type": type(q).__name__, "old_value": p, "new_value": q}
        elif isinstance(p, dict):
            for k in q:
                if k not in p and not skip(f"{path}[{k!r}]"):
                    res["dictionary_item_added"][f"{path}[{k!r}]"] = q[k]
            for k in p:
                if k not in q and not skip(f"{path}[{k!r}]"):
                    res["dictionary_item_removed"][f"{path}[{k!r}]"] = p[k]
            for k in p:
                if k in q:
                    walk(p[k], q[k], f"{path}[{k!r}]")
        elif isinstance(p, list):
            if a.ignore_order:
                for i, v in enumerate(q):
                    if not any(same(v, w) for w in p):
                        res["iterable_item_added"][f"{path}[{i}]"] = v
                for i, v in enumerate(p):
                    if not any(same(v, w) for w in q):
                        res["iterable_item_removed"][f"{path}[{i}]"] = v
                return
            for i in range(min(len(p), len(q))):
                walk(p[i], q[i], f"{path}[{i}]")
            for i in range(len(p), len(q)):
                res["iterable_item_added"][f"{path}[{i}]"] = q[i]
            for i in range(len(q), len(p)):
                res["iterable_item_removed"][f"{path}[{i}]"] = p[i]
        else:
            res["values_changed"][path] = {"new_value": q, "old_value": p}

    if a.group_by:
        x, y = ({r[a.group_by]: {k: v for k, v in r.items() if k != a.group_by} for r in t} for t in (x, y))
    walk(x, y, "root")
    print(json.dumps({k: v for k, v in res.items() if v}, indent=2))


def grep(a, data):
    res = {"matched_paths": [], "matched_values": []}
    low = str.lower if a.ignore_case else str
    item = low(a.item)

    def hit(s):
        return item == low(s) if a.exact_match else item in low(s)

    def walk(v, path):
        if isinstance(v, dict):
            for k in v:
                if hit(str(k)):
                    res["matched_paths"].append(f"{path}[{k!r}]")
                walk(v[k], f"{path}[{k!r}]")
        elif isinstance(v, list):
            for i, w in enumerate(v):
                walk(w, f"{path}[{i}]")
        elif isinstance(v, str) and hit(v):
            res["matched_values"].append(path)
    walk(data, "root")
    pprint.pprint({k: v for k, v in res.items() if v})


def main():
    p = argparse.ArgumentParser(prog="datacmp")
    sub = p.add_subparsers(dest="cmd", required=True)
    d = sub.add_parser("diff")
    d.add_argument("t1")
    d.add_argument("t2")
    for n in ("ignore-order", "report-repetition", "ignore-string-case", "ignore-numeric-type-changes"):
        d.add_argument("--" + n, action="store_true")
    d.add_argument("--significant-digits", type=int)
    d.add_argument("--math-epsilon", type=float)
    d.add_argument("--exclude-paths", action="append", default=[])
    d.add_argument("--exclude-regex-paths", action="append", default=[])
    d.add_argument("--group-by")
    g = sub.add_parser("grep")
    g.add_argument("item")
    g.add_argument("path")
    g.add_argument("-i", "--ignore-case", action="store_true")
    g.add_argument("--exact-match", action="store_true")
    e = sub.add_parser("extract")
    e.add_argument("place")
    e.add_argument("path")
    a = p.parse_args()
    if a.cmd == "diff":
        diff(a, load(a.t1), load(a.t2))
    elif a.cmd == "grep":
        grep(a, load(a.path))
    else:
        v = load(a.path)
        try:
            for m in re.finditer(r"\[(?:'([^']*)'|\"([^\"]*)\"|(-?\d+))\]", a.place):
                v = v[int(m[3]) if m[3] else m[1] or m[2]]
        except (KeyError, IndexError, TypeError) as err:
            print(err, file=sys.stderr)
            sys.exit(1)
        pprint.pprint(v)
