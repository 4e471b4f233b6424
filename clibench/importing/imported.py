"""One task of the artifact, imported: what its folder holds, and its row in the import report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from clibench.importing.artifact import Source
from clibench.importing.audit import PromptAudit, audit_prompt
from clibench.importing.convert import Converted, convert, relocated, tool_name
from clibench.importing.generate import Generated, distinct
from clibench.importing.pins import ImportedPin, read_pin
from clibench.tasks.folder import CASES, FIXTURES, PROMPT, encode_cases, encode_fixtures
from clibench.tasks.task import Language

DESCRIPTION: Final = "import.yaml"
LANGUAGES: Final = {"pypi": Language.PYTHON, "npm": Language.JAVASCRIPT, "go": Language.GO}


@dataclass(frozen=True)
class Imported:
    """A task that could be read."""

    source: Source
    generated: Generated
    duplicates: int
    tool: str
    """The command that the tests call."""
    converted: Converted
    pin: ImportedPin
    audit: PromptAudit

    @property
    def id(self) -> str:
        """Name of its folder."""
        return self.source.id.replace("/", "-").lower()

    @property
    def mismatch(self) -> str:
        """How the prompt's name for the tool and that of the tests differ; empty where they do not."""
        if not self.source.prompt:
            return "no prompt"
        if not self.audit.tool:
            return "the prompt names no command"
        return "" if self.audit.tool == self.tool else f"prompt: {self.audit.tool}, tests: {self.tool}"

    def files(self) -> dict[str, bytes]:
        """The task's folder: description, prompt, cases, fixtures."""
        return {
            DESCRIPTION: self._description(),
            PROMPT: relocated(self.source.prompt).encode(),
            CASES: encode_cases(self.converted.cases),
            FIXTURES: encode_fixtures(self.converted.fixtures),
        }

    def _description(self) -> bytes:
        language = LANGUAGES.get(self.pin.registry)
        body: dict[str, Any] = {
            "source": self.source.id,
            "alias": self.tool,
            "language": language.value if language else None,
            "category": self.source.category or None,
            "base_image": self.generated.base_image,
            "install": list(self.generated.install),
            "oracle": self.pin.to_json(),
            "patterns": [{"id": each.id, "description": each.description, "cases": each.cases} for each in self.converted.patterns],
            "left_out": dict(sorted(self.converted.left_out.items())),
        }
        text = yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=140)
        return ("# Written by `python -m clibench import`. oracle.missing says what a pin still needs.\n" + text).encode(
            "utf-8", "surrogateescape"
        )


def imported(source: Source, generated: Generated) -> Imported:
    """A task from what its module generated."""
    kept, duplicates = distinct(generated.cases)
    tool = tool_name(kept)
    converted = convert(kept, tool)
    pin = read_pin(generated.install, generated.base_image)
    audit = audit_prompt(
        relocated(source.prompt),
        tool,
        source.owner,
        source.name,
        pin,
        converted.cases,
        [relocated(case.category) for case in kept] if source.prompt else (),
    )
    return Imported(source, generated, duplicates, tool, converted, pin, audit)


@dataclass(frozen=True)
class Failed:
    """A task that could not be read, and why."""

    source: Source
    reason: str


def row(result: Imported | Failed) -> dict[str, object]:
    """The row of a task in import.csv."""
    if isinstance(result, Failed):
        return {"repository": result.source.id, "status": "failed", "reason": result.reason, "category": result.source.category}
    left_out: Mapping[str, int] = result.converted.left_out
    language = LANGUAGES.get(result.pin.registry)
    return {
        "repository": result.source.id,
        "status": "imported" if result.converted.cases else "failed",
        "reason": "" if result.converted.cases else "no case is a single call of the tool",
        "task": result.id,
        "category": result.source.category,
        "language": language.value if language else "",
        "base_image": result.generated.base_image,
        "tool": result.tool,
        "name_mismatch": result.mismatch,
        "generated": len(result.generated.cases),
        "duplicates": result.duplicates,
        "left_out": sum(left_out.values()),
        "cases": len(result.converted.cases),
        "patterns": len(result.converted.patterns),
        "unseeded": result.generated.unseeded,
        "unrepeatable": result.generated.unrepeatable,
        "sanitiser": "own" if result.generated.sanitises else "",
        "absent_from_prompt": len(result.audit.absent),
        "leaks": len(result.audit.leaks),
        "code_lines": result.audit.code_lines,
        "pin": f"{result.pin.registry}:{result.pin.name}" + (f"@{result.pin.version}" if result.pin.version else ""),
        "pin_missing": "; ".join(result.pin.missing),
    }
