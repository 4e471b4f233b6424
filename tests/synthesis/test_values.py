"""Each type draws values that are what it says, in the syntax of its format, and refuses to be what it can't."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from datetime import date
from typing import Any, get_args

import pytest
import yaml
from pydantic import TypeAdapter

from clibench.synthesis.edges import DATA_ONLY, FAMILIES
from clibench.synthesis.scalars import Scene
from clibench.synthesis.stream import Stream
from clibench.synthesis.values import AnyValue, Value

ADAPTER: TypeAdapter[Any] = TypeAdapter(Value)
TYPES = [model.model_fields["type"].default for model in get_args(get_args(AnyValue)[0])]
NEEDED: dict[str, dict[str, Any]] = {
    "choice": {"values": ["a", "b"]},
    "record": {"rows": [{"k": "v"}]},
    "csv": {"columns": {"a": ["x", 'y"z', "p,q", "two\nlines"], "n": {"type": "int"}}},
    "list": {"of": ["a", "b", "c"]},
    "path": {"values": ["out.txt"]},
}


def draws(type_: str, count: int = 60, scene: Scene | None = None, **fields: Any) -> list[str]:
    value = ADAPTER.validate_python({"type": type_, **NEEDED.get(type_, {}), **fields})
    return [next(iter(value.valid(Stream("t", n), scene or Scene()).values())) for n in range(count)]


def test_numbers_stay_in_their_range_and_reach_both_ends() -> None:
    numbers = [int(text) for text in draws("int", 200, min="-3", max="9")]
    assert (min(numbers), max(numbers)) == (-3, 9)
    decimals = draws("float", 200, min="-1.5", max="1.5", decimals="1")
    assert all(re.fullmatch(r"-?\d\.\d", text) and -1.5 <= float(text) <= 1.5 for text in decimals)
    assert any(text.startswith("-0.") for text in decimals)


def test_documents_are_of_their_format() -> None:
    for text in draws("json"):
        assert isinstance(json.loads(text), dict)
    for text in draws("json", root="any"):
        json.loads(text)
    for text in draws("toml"):
        assert tomllib.loads(text)
    for text in draws("yaml", depth="5"):
        assert isinstance(yaml.safe_load(text), dict)


def test_a_yaml_document_says_what_its_json_twin_says() -> None:
    twins = zip(draws("yaml", depth="5"), draws("json", depth="5", indent=["0"]), strict=True)
    assert all(yaml.safe_load(one) == json.loads(two) for one, two in twins)


def test_tables_have_their_columns_and_read_back() -> None:
    for text in draws("csv", max_rows="3"):
        rows = list(csv.reader(io.StringIO(text, newline="")))
        assert rows[0] == ["a", "n"]
        assert 2 <= len(rows) <= 4
        assert all(row[0] in ("x", 'y"z', "p,q", "two\nlines") and row[1].isdigit() for row in rows[1:])


def test_dates_follow_their_format_and_range() -> None:
    days = [date.fromisoformat(text) for text in draws("date", min="2024-02-27", max="2024-03-02")]
    assert date(2024, 2, 29) in days
    assert min(days) >= date(2024, 2, 27)
    assert all(
        re.fullmatch(r"31/12/0999 100%", text) for text in draws("date", 3, min="0999-12-31", max="0999-12-31", format="%d/%m/%Y 100%%")
    )


def test_texts_and_strings_have_their_size() -> None:
    assert all(1 <= len(text) <= 8 and text.isalpha() for text in draws("string"))
    assert all(set(text.split("-")) <= {"a", "b"} for text in draws("string", words=["a", "b"], separator="-"))
    assert {len(text.splitlines()) for text in draws("text", min_lines="2", max_lines="3")} == {2, 3}
    assert all(not text.endswith("\n") for text in draws("text", final_newline="false", words=["w"], max_words="1", min_lines="1") if text)


def test_lists_join_distinct_values() -> None:
    found = draws("list", max="3", separator=";")
    assert all(len(set(text.split(";"))) == len(text.split(";")) for text in found)
    assert {len(text.split(";")) for text in found} == {1, 2, 3}


def test_regular_expressions_and_urls_are_well_formed() -> None:
    assert all(re.compile(text) for text in draws("regex"))
    assert all(re.fullmatch(r"https?://[\w.:-]+(/\S*)?", text) for text in draws("url"))


@pytest.mark.parametrize("type_", TYPES)
def test_every_type_draws_valid_invalid_and_edge_values_and_the_same_ones_again(type_: str) -> None:
    value = ADAPTER.validate_python({"type": type_, **NEEDED.get(type_, {}), **({} if type_ == "record" else {"edges": sorted(FAMILIES)})})
    for stream in ("a", "b", "c"):
        assert value.valid(Stream(stream), Scene()) == value.valid(Stream(stream), Scene())
        edge = value.draw_edge(Stream(stream), data=True)
        assert (edge is None) == (type_ == "record")
        assert value.draw_invalid(Stream(stream)) == value.draw_invalid(Stream(stream))


@pytest.mark.parametrize("type_", [name for name in TYPES if name != "record"])
def test_edge_values_of_arguments_never_hold_nul_or_broken_utf8(type_: str) -> None:
    value = ADAPTER.validate_python({"type": type_, **NEEDED.get(type_, {}), "edges": sorted(FAMILIES)})
    for number in range(200):
        drawn = value.draw_edge(Stream("e", number), data=False)
        assert drawn is not None
        assert "\0" not in drawn[""]
        drawn[""].encode("utf-8")
    only_data = ADAPTER.validate_python({"type": "text", "edges": sorted(DATA_ONLY)})
    assert only_data.draw_edge(Stream("e"), data=False) is None


def test_a_list_stands_for_a_choice() -> None:
    assert ADAPTER.validate_python(["a", "b"]).values == ("a", "b")
