"""Text with placeholders: `{name}`, `{name.field}` of a record, `{name#2}` for a second, independent draw of the same parameter.

Only braces around such a name are placeholders, so that JSON, shell and Go templates can be written as they are; `{{name}}` is the text
`{name}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

_PLACEHOLDER: Final = re.compile(r"\{\{([A-Za-z_][\w-]*(?:#\d+)?(?:\.[\w-]+)?)\}\}|\{([A-Za-z_][\w-]*)(#\d+)?(?:\.([\w-]+))?\}", re.ASCII)


@dataclass(frozen=True)
class Placeholder:
    """A draw of the parameter `name`; draws with one `label` are one value in a case."""

    name: str
    label: str
    field: str = ""


def placeholders(template: str) -> Iterator[Placeholder]:
    """The placeholders of a template, in order."""
    for match in _PLACEHOLDER.finditer(template):
        if match[2] is not None:
            yield _placeholder(match)


def render(template: str, value: Callable[[Placeholder], str]) -> str:
    """The template with each placeholder's value in its place."""
    return _PLACEHOLDER.sub(lambda match: f"{{{match[1]}}}" if match[2] is None else value(_placeholder(match)), template)


def _placeholder(match: re.Match[str]) -> Placeholder:
    return Placeholder(match[2], match[2] + (match[3] or ""), match[4] or "")
