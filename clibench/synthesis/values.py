# ruff: noqa: ARG002 - the types share one signature, and not every one of them needs all of it
"""All types of values that a spec may name: those of `scalars.py`, structured documents, tables and lists."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from clibench.synthesis import documents
from clibench.synthesis.edges import Edge
from clibench.synthesis.scalars import (
    BaseValue,
    BoolValue,
    ChoiceValue,
    DateValue,
    Drawn,
    FloatValue,
    GlobValue,
    IntValue,
    PathValue,
    RecordValue,
    RegexValue,
    Scene,
    StringValue,
    TextValue,
    UrlValue,
    text,
)
from clibench.synthesis.stream import Stream


class DocumentValue(BaseValue):
    """Fields of the types that hold a random tree (json, yaml, toml)."""

    default_edges: ClassVar[tuple[Edge, ...]] = ("empty", "newline", "nul", "bytes")

    keys: tuple[str, ...] = Field(default=("name", "id", "tags", "size", "meta", "items", "active", "notes"), min_length=1)
    depth: int = Field(default=3, ge=0, le=8)
    width: int = Field(default=4, ge=1, le=50)
    nulls: bool = True
    values: tuple[str, ...] = ()
    """Documents to draw from instead of random ones."""

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        return text(stream.pick(self.values)) if self.values else text(self._random(stream))

    @abstractmethod
    def _random(self, stream: Stream) -> str: ...


class JsonValue(DocumentValue):
    """A JSON document."""

    type: Literal["json"] = "json"
    root: Literal["object", "array", "any"] = "object"
    indent: tuple[int, ...] = (0, 2)
    """Indentations to draw from; 0 is one line."""

    def _random(self, stream: Stream) -> str:
        tree = documents.document(stream, self.keys, depth=self.depth, width=self.width, nulls=self.nulls, root=self.root)
        return documents.to_json_text(tree, stream.pick(self.indent) or None)

    def own_invalid(self) -> tuple[str, ...]:
        return documents.BROKEN_JSON


class YamlValue(DocumentValue):
    """A YAML document."""

    type: Literal["yaml"] = "yaml"
    root: Literal["object", "array", "any"] = "object"

    def _random(self, stream: Stream) -> str:
        tree = documents.document(stream, self.keys, depth=self.depth, width=self.width, nulls=self.nulls, root=self.root)
        return documents.to_yaml_text(tree)

    def own_invalid(self) -> tuple[str, ...]:
        return documents.BROKEN_YAML


class TomlValue(DocumentValue):
    """A TOML document."""

    type: Literal["toml"] = "toml"

    def _random(self, stream: Stream) -> str:
        return documents.to_toml_text(documents.document(stream, self.keys, depth=self.depth, width=self.width, nulls=False))

    def own_invalid(self) -> tuple[str, ...]:
        return documents.BROKEN_TOML


class CsvValue(BaseValue):
    """A table: `columns` maps each name to the type of its cells."""

    type: Literal["csv"] = "csv"
    columns: dict[str, Value] = Field(min_length=1)
    min_rows: int = Field(default=1, ge=0, le=10_000)
    max_rows: int = Field(default=6, ge=0, le=10_000)
    header: bool = True
    delimiter: str = ","
    default_edges: ClassVar[tuple[Edge, ...]] = ("empty", "newline", "nul", "bytes")

    @model_validator(mode="after")
    def _ordered(self) -> CsvValue:
        if self.min_rows > self.max_rows:
            raise ValueError(f"min_rows {self.min_rows} is above max_rows {self.max_rows}")
        return self

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        rows = [list(self.columns)] if self.header else []
        rows.extend(
            [column.valid(stream, scene).get("", "") for column in self.columns.values()]
            for _ in range(stream.between(self.min_rows, self.max_rows))
        )
        return text(documents.to_csv_text(rows, self.delimiter))

    def own_invalid(self) -> tuple[str, ...]:
        return documents.BROKEN_CSV


class ListValue(BaseValue):
    """Several values of one type, joined: `a,b,c`."""

    type: Literal["list"] = "list"
    of: Value
    min: int = Field(default=1, ge=0, le=1_000)
    max: int = Field(default=3, ge=0, le=1_000)
    separator: str = ","
    distinct: bool = True
    """Drop a value that is there already."""

    @model_validator(mode="after")
    def _ordered(self) -> ListValue:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def valid(self, stream: Stream, scene: Scene) -> Drawn:
        items = [self.of.valid(stream, scene).get("", "") for _ in range(stream.between(self.min, self.max))]
        return text(self.separator.join(dict.fromkeys(items) if self.distinct else items))

    def draw_invalid(self, stream: Stream) -> Drawn | None:
        return super().draw_invalid(stream) if self.invalid is not None else self.of.draw_invalid(stream)

    def draw_edge(self, stream: Stream, *, data: bool) -> Drawn | None:
        return super().draw_edge(stream, data=data) if self.edges is not None else self.of.draw_edge(stream, data=data)


def _short_form(data: Any) -> Any:
    """A plain list is a choice."""
    return {"type": "choice", "values": data} if isinstance(data, list) else data


AnyValue = Annotated[
    ChoiceValue
    | RecordValue
    | BoolValue
    | IntValue
    | FloatValue
    | StringValue
    | TextValue
    | PathValue
    | GlobValue
    | RegexValue
    | DateValue
    | UrlValue
    | JsonValue
    | YamlValue
    | TomlValue
    | CsvValue
    | ListValue,
    Field(discriminator="type"),
]
Value = Annotated[AnyValue, BeforeValidator(_short_form)]

CsvValue.model_rebuild()
ListValue.model_rebuild()
