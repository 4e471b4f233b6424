"""Faults of a YAML document in the words of its author: file, line, what is wrong, the nearest valid name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from clibench.errors import TaskError, did_you_mean
from clibench.synthesis.located import Located, Location

Model = TypeVar("Model", bound=BaseModel)


def validate(document: Located, model: type[Model]) -> Model:
    """The document as a model; raises TaskError naming file, line and fault."""
    try:
        return model.model_validate(document.data)
    except ValidationError as error:
        found = [_explain(item) for item in error.errors(include_url=False)]
        # A list whose items are all faulty counts as too short for pydantic: the fault is the items'.
        inner = {location[:length] for location, _, _ in found for length in range(len(location))}
        raise first_fault(document, [item for item in found if item[0] not in inner] or found) from None


def first_fault(document: Located, found: Sequence[tuple[Location, str, bool]]) -> TaskError:
    """The first fault in the file; the number of the others is said, so that nobody takes it for the only one."""
    lines = [(document.line(location, key=key), what) for location, what, key in found]
    line, what = min(lines, key=lambda item: item[0])
    others = sorted({number for number, _ in lines} - {line})
    fix = f"Further faults in line {', '.join(map(str, others[:8]))}." if others else ""
    return TaskError(what, where=f"{document.file}:{line}", fix=fix)


def _explain(item: Any) -> tuple[Location, str, bool]:
    """A pydantic error in the words of the file: where, what, and whether the key (and not its value) is at fault."""
    context, location = item.get("ctx", {}), tuple(item["loc"])
    field = next((step for step in reversed(location) if isinstance(step, str)), "")
    match item["type"]:
        case "unknown_key":
            return (*location, context["key"]), f"unknown key '{context['key']}'. {context['hint']}", True
        case "missing":
            return location[:-1], f"the key '{location[-1]}' is missing", False
        case "union_tag_invalid":
            tags = [tag.strip().strip("'") for tag in context["expected_tags"].split(",")]
            return (*location, "type"), f"unknown type '{context['tag']}'. {did_you_mean(context['tag'], tags)}", False
        case "union_tag_not_found":
            return location, "a parameter is a list of values, or a mapping with the key 'type'", False
        case "literal_error" | "enum":
            valid = [name.strip(" '") for name in context["expected"].replace(" or ", ",").split(",")]
            return location, f"unknown {field} '{item['input']}'. {did_you_mean(str(item['input']), valid)}", False
        case "value_error":
            return location, str(context["error"]), False
        case "item":
            return location, item["msg"], False
        case _:
            return location, f"{field}: {item['msg'][:1].lower()}{item['msg'][1:]}", False
