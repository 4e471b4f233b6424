"""The rules judge: what it may let pass, and above all what it must not. A false pass is worse than a false fail."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

import pytest

from clibench.evaluation.compare import text_form
from clibench.evaluation.semantic import Question
from clibench.evaluation.semantic_rules import RulesJudge, judge_one
from clibench.recording import Recording
from clibench.tasks.load import load_task

TASKS = Path(__file__).parents[2] / "tasks"

BOX = "┌────┬─────┐\n│ id │ qty │\n├────┼─────┤\n│ a  │ 1   │\n│ b  │ 2   │\n└────┴─────┘"
ASCII = "+----+-----+\n| id | qty |\n+====+=====+\n| a  | 1   |\n| b  | 2   |\n+----+-----+"
MARKDOWN = "| id | qty |\n|:---|----:|\n| a | 1.0 |\n| b | 2 |"
COLUMNS = "id    qty\n---------\na     1\nb     2"
TREE = ".\n├── src\n│   ├── a.py\n│   └── b.py\n└── README"
ASCII_TREE = ".\n|-- src\n|   |-- a.py\n|   `-- b.py\n`-- README"

SAME = {
    "JSON: layout, key order, numbers": ('{"a": 1, "b": [1.50, {"c": null}]}', '{\n  "b": [1.5, {"c": null}],\n  "a": 1.0\n}'),
    "JSON: escapes": ('{"a": "é\\n"}', '{"a": "\\u00e9\\n"}'),
    "JSON: exponents": ('{"a": 1e3}', '{"a":1000}'),
    "JSON lines": ('{"a": 1, "b": 2}\n{"a": 2, "b": 3}\n', '{"b":2,"a":1}\n{"b":3,"a":2}\n'),
    "JSON inside text": ('Result:\n{"a": 1, "b": 2}\nDone', 'Result:\n{\n  "b": 2,\n  "a": 1\n}\nDone'),
    "YAML: styles and key order": ("a: 1\nb:\n- x\n- 'y'\n", "b: [x, y]\na: 1.0\n"),
    "YAML: nested maps": ("a:\n  x: 1\n  y: 2\nb: true\n", "b: True\na: {y: 2, x: 1}\n"),
    "CSV: quotes and numbers": ("id,n\na,1\nb,2.0\n", '"id","n"\r\n"a","1.0"\r\n"b","2"\r\n'),
    "TSV": ("id\tn\na b\t1\n", "id\tn\na b\t1.0\n"),
    "tables: box and ASCII": (BOX, ASCII),
    "tables: ASCII and Markdown": (ASCII, MARKDOWN),
    "tables: box and columns": (BOX, COLUMNS),
    "table inside text": (f"Stock\n{BOX}\n2 rows", f"Stock\n{ASCII}\n2 rows"),
    "key-value lines in another order": ("Name: tool\nSize: 12\nOwner: me\n", "Owner: me\nName:   tool\nSize:  12.0\n"),
    "key=value lines in another order": ("alpha=1\nbeta=x y\n", "beta = x y\nalpha = 1\n"),
    "numbers in prose": ("Total: 3.0 items, 50.0% done", "Total: 3 items, 50% done"),
    "paths": ("read ./a/b.txt and src//c", "read a/b.txt and src/c"),
    "trees": (TREE, ASCII_TREE),
    "a listing in no order": ("./lib/z.py\n./a.py\n./lib/b.py\n", "a.py\nlib/b.py\nlib/z.py\n"),
    "colours and line ends": ("\x1b[1mok\x1b[0m: 1.0\r\n", "ok: 1\n"),
}

DIFFERENT = {
    "wording": ("Error: file not found", "Error: no such file"),
    "case": ("Done", "done"),
    "punctuation": ("Done.", "Done"),
    "synonym": ("Removed 3 files", "Deleted 3 files"),
    "a number": ("Total: 3", "Total: 4"),
    "a sign": ("Total: -3", "Total: 3"),
    "rounding": ("0.333", "0.3333"),
    "leading zeros": ("007", "7"),
    "versions": ("Python 3.10", "Python 3.1"),
    "versions that end in zero": ("version 2.0", "version 2"),
    "long versions": ("1.2.0", "1.2"),
    "units": ("5 KB", "5 MB"),
    "dates": ("2026-01-02", "2026-1-2"),
    "JSON: types": ('{"a": 1}', '{"a": "1"}'),
    "JSON: bool and number": ('{"a": true}', '{"a": 1}'),
    "JSON: null and missing": ('{"a": null, "b": 1}', '{"b": 1}'),
    "JSON: order of a list": ('{"a": [1, 2]}', '{"a": [2, 1]}'),
    "JSON: an extra key": ('{"a": 1}', '{"a": 1, "b": 2}'),
    "JSON: a doubled key": ('{"a": 1, "a": 2}', '{"a": 2}'),
    "JSON: text in another case": ('{"a": "X"}', '{"a": "x"}'),
    "JSON: one object and lines of it": ('[{"a": 1}, {"a": 2}]', '{"a": 1}\n{"a": 2}'),
    "JSON: not JSON any more": ('{"a": 1}', "{'a': 1}"),
    "JSON: trailing text": ('{"a": 1}', '{"a": 1}\nDone'),
    "YAML: order of a list": ("a:\n- x\n- y\n", "a:\n- y\n- x\n"),
    "YAML: nesting": ("a:\n  b:\n    c: 1\n  d: 2\n", "a:\n  d: 2\n  b: 1\n  c: 1\n"),
    "YAML: a comment": ("a:\n- x # why\n- y\n", "a: [x, y]\n"),
    "YAML: text and number": ("a:\n- '1'\n", "a: [1]\n"),
    "YAML: text and bool": ("a:\n- 'true'\n", "a: [true]\n"),
    "YAML: yes is a text": ("a:\n- yes\n", "a: [true]\n"),
    "YAML: octal": ("a:\n- 010\n", "a: [8]\n"),
    "YAML: sexagesimal": ("a:\n- 1:30\n", "a: [90]\n"),
    "YAML and JSON": ("a:\n- 1\n", '{"a": [1]}'),
    "CSV: delimiter": ("a,b\n1,2\n", "a\tb\n1\t2\n"),
    "CSV: order of rows": ("h,i\n1,2\n3,4\n", "h,i\n3,4\n1,2\n"),
    "CSV: order of columns": ("a,b\n1,2\n", "b,a\n2,1\n"),
    "CSV: a cell with the delimiter": ('a,b\n"1,2",3\n', "a,b\n1,2,3\n"),
    "CSV: empty cell moved": ("a,b,c\n1,,2\n", "a,b,c\n,1,2\n"),
    "table: a cell": (BOX, ASCII.replace("2", "3")),
    "table: order of rows": (BOX, "id    qty\nb     2\na     1"),
    "table: a missing row": (BOX, "id    qty\na     1"),
    "table: cells run together": ("| a b | c |\n| d | e |", "| a | b c |\n| d | e |"),
    "key-value: a value": ("Name: a\nSize: 1\n", "Size: 2\nName: a\n"),
    "key-value: values swapped": ("Name: a\nOwner: b\n", "Name: b\nOwner: a\n"),
    "key-value: separator": ("name: a\nsize: b\n", "name=a\nsize=b\n"),
    "key-value: a log has an order": ("start: a\nstop: b\nstart: c\n", "start: c\nstop: b\nstart: a\n"),
    "key-value: groups keep their own": ("one:\n  x: 1\ntwo:\n  y: 2\n", "one:\n  y: 2\ntwo:\n  x: 1\n"),
    "key-value: a program has an order": ("a = 1\nb = a\n", "b = a\na = 1\n"),
    "lines in another order": ("first step\nsecond step\nthird step\n", "second step\nfirst step\nthird step\n"),
    "a missing line": ("one\ntwo\nthree", "one\ntwo"),
    "an extra line": ("one\ntwo", "one\ntwo\nthree"),
    "a sorted listing has an order": ("a.py\nb.py\nc.py\n", "b.py\na.py\nc.py\n"),
    "a listing with a path twice": ("b.py\na.py\nc/d.py\nb.py\n", "a.py\nb.py\nc/d.py\na.py\n"),
    "words are no paths": ("pear\napple\nzebra\nfig\n", "apple\npear\nzebra\nfig\n"),
    "absolute and relative paths": ("/workspace/a/b", "a/b"),
    "a folder's mark": ("src/lib/", "src/lib"),
    "the parent folder": ("../a/b", "a/b"),
    "a double slash in a URL": ("http://a/b", "http:/a/b"),
    "a comment is no path": ("//comment", "/comment"),
    "tree: depth": (TREE, ".\n|-- src\n|-- a.py\n|   `-- b.py\n`-- README"),
    "tree: order": (TREE, ".\n|-- README\n`-- src\n    |-- a.py\n    `-- b.py"),
    "bars without a table": ("a|b\nc|d", "a | b\nc | d"),
    "a rule between rows is not any punctuation": ("| a | b |\n--$$\n| c | d |", "| a | b |\n| c | d |"),
    "other line separators": ("x: a\u2028y: b", "x: a\ny: b"),
    "usage text": ("usage: tool [-h] FILE", "Usage: tool [options] FILE"),
    "quotes": ("unknown option 'x'", 'unknown option "x"'),
    "bullets": ("- a\n- b", "+ a\n+ b"),
}  # fmt: skip


def same(expected: str, actual: str, *inputs: bytes) -> bool | None:
    return judge_one(Question(expected.encode(), actual.encode(), inputs=inputs)).passed


@pytest.mark.parametrize("name", SAME)
def test_the_same_data_in_another_form_passes_in_both_directions(name: str) -> None:
    expected, actual = SAME[name]
    assert same(expected, actual) is True
    if "in no order" not in name:  # which has an order once it is sorted
        assert same(actual, expected) is True


@pytest.mark.parametrize("name", DIFFERENT)
def test_other_data_and_other_wording_fail_in_both_directions(name: str) -> None:
    expected, actual = DIFFERENT[name]
    assert same(expected, actual) is False
    if "listing" not in name:  # which is in no order once it is shuffled
        assert same(actual, expected) is False


def test_a_listing_in_the_order_of_the_input_has_an_order() -> None:
    listing, other = "src/z.py\na.py\nlib/b.py\n", "a.py\nlib/b.py\nsrc/z.py\n"
    assert same(listing, other) is True
    assert same(listing, other, b"files: src/z.py, a.py, lib/b.py") is False
    assert judge_one(Question(listing.encode(), other.encode(), argv=("tool", "src/z.py", "a.py", "lib/b.py"))).passed is False


def test_a_passed_check_names_the_reading_and_a_failed_one_the_place() -> None:
    checks = RulesJudge().judge([Question(b'{"a": [1, 2.0]}', b'{"a": [1,2]}'), Question(b'{"a": [1, {"b": 2}]}', b'{"a": [1, {"b": 3}]}')])
    assert [(check.passed, check.reason, check.comparer) for check in checks] == [
        (True, "equal as JSON", "rules/1"),
        (False, "JSON: $.a[1].b: 2 is not 3", "rules/1"),
    ]


def test_any_single_change_of_a_value_fails() -> None:
    draw = random.Random(1)
    for name, (expected, actual) in SAME.items():
        places = [place for place, char in enumerate(actual) if char.isalpha() and actual[max(0, place - 1)] not in "\\\x1b"]
        for place in draw.sample(places, min(8, len(places))):
            if actual[place - 1 : place + 1] == "1m" or "escapes" in name or "exponents" in name:
                continue
            broken = actual[:place] + ("q" if actual[place] != "q" else "w") + actual[place + 1 :]
            assert same(expected, broken) is False, (name, broken)


HOSTILE = [
    "[" * 5000,
    '{"a":' * 3000,
    "a: &x [1]\nb: *x\n",
    "- " * 3000 + "x",
    '"' * 999 + ",",
    "1e99999999,2\n1,2",
    "|" * 3000,
    "│\n" * 50,
    "\u2028a: b\u2028",
    '{"a": ' + "9" * 5000 + "}",
    "a: !!python/none x\nb: [1]",
    "=" * 500,
    " " * 3000 + "x",
    "│ " * 3000,
    "x\n" * 20000,
    "\n" * 200_000 + "x",
    "| a\n" * 20000 + "| a | b |",
    "a  b\n" * 20000 + "a  b  c",
]
"""Some take forever, or their length squared, where a reading goes over the same text again and again."""


@pytest.mark.parametrize("place", range(len(HOSTILE)))
def test_hostile_output_is_judged_like_any_other(place: int) -> None:
    text = HOSTILE[place]
    assert same(text, text + "\nzz") is False
    assert same("ab: [1]\n" + text, "zz: [1]\n" + text) is False
    assert same(text, text) is True


def test_outputs_of_different_cases_of_real_tools_do_not_pass_for_each_other() -> None:
    # Outputs of one tool look alike, which makes them the hardest to tell apart; each pair that passes may differ in spelling alone.
    tasks = sorted(path.parent for path in TASKS.glob("*/lock.json"))
    judged = 0
    for folder in tasks:
        task = load_task(folder)
        texts = {form: True for case in task.cases if (form := printed(task.recordings[case.id]))}
        # A draw of its own for each task: another task in the folder must not change what is looked at in this one.
        chosen = random.Random(folder.name).sample(list(texts), min(25, len(texts)))
        for expected, actual in permutations(chosen, 2):
            judged += 1
            if same(expected, actual):
                assert spelling(expected) == spelling(actual), (folder.name, expected[:200], actual[:200])
    assert judged > 500 * len(tasks) / 2


def printed(recording: Recording) -> str:
    """The comparable form of an output that is a short text, else nothing."""
    if not recording.status.ok or len(recording.stdout.data) > 3000:
        return ""
    return text_form(recording.stdout.data).decode("utf-8", "ignore").replace("\0", "")


def spelling(text: str) -> str:
    """Without what numbers, paths and the layout of JSON may have or lack."""
    text = text.replace("./", "").replace(".0", "")
    return "".join(text.split()) if "{" in text or "[" in text else text
