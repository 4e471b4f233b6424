"""A spec as YAML that a person can read and edit: `params` that several patterns share stand once, long texts as blocks."""

from __future__ import annotations

from typing import Any, Final

import yaml

HEAD: Final = "# Made by `python -m clibench synthesize`. It may be edited: freeze the task again then.\n"


class _Dumper(yaml.SafeDumper):
    """Block texts for several lines; no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the library's signature
        return True


def _text(dumper: yaml.SafeDumper, data: str) -> yaml.ScalarNode:
    readable = (
        "\n" in data and not any(line != line.rstrip() or "\t" in line for line in data.split("\n")) and not data.startswith((" ", "\n"))
    )
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style="|" if readable else None)


_Dumper.add_representer(str, _text)


def spec_text(body: dict[str, Any]) -> str:
    """The text of spec.yaml; `parse_spec` reads it back to what the body says."""
    return HEAD + yaml.dump(share_params(body), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=140, default_flow_style=None)


def share_params(body: dict[str, Any]) -> dict[str, Any]:
    """Parameters that mean the same in every pattern that has them move to the top."""
    patterns = [dict(pattern) for pattern in body["patterns"]]
    values: dict[str, list[Any]] = {}
    for pattern in patterns:
        for name, value in pattern.get("params", {}).items():
            known = values.setdefault(name, [])
            if value not in known:
                known.append(value)
    shared = {name: known[0] for name, known in values.items() if len(known) == 1}
    for pattern in patterns:
        own = {name: value for name, value in pattern.get("params", {}).items() if name not in shared}
        pattern.pop("params", None)
        if own:
            pattern["params"] = own
    head = {key: value for key, value in body.items() if key != "patterns"}
    if shared:
        head["params"] = dict(sorted(shared.items()))
    return {**head, "patterns": patterns}
