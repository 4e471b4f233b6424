"""Install commands become pins, and what a pin lacks is said."""

from __future__ import annotations

import pytest

from clibench.importing.pins import read_pin

CLONE = "mkdir -p /repo && cd /repo && git clone https://github.com/acme/tool.git && cd tool"


@pytest.mark.parametrize(
    ("commands", "image", "pin", "missing"),
    [
        (["pip install tool==1.2"], "python:3.12", ("pypi", "tool", "1.2"), ()),
        (["pip install 'tool'"], "python:3.12", ("pypi", "tool", ""), ("no version or commit is named",)),
        (["sh -c 'npm install -g @acme/tool@2.0.0'"], "node:20", ("npm", "@acme/tool", "2.0.0"), ()),
        (["go install github.com/acme/tool/cmd/t@v1.0.0"], "golang:1", ("go", "github.com/acme/tool/cmd/t", "v1.0.0"), ()),
        (["go install github.com/acme/tool@latest"], "golang:1", ("go", "github.com/acme/tool", ""), ("no version or commit is named",)),
        (
            [f"sh -c '{CLONE} && pip install .'"],
            "python:latest",
            ("pypi", "tool", ""),
            ("the package's name on pypi is presumed from the repository's", "no version or commit is named"),
        ),
        (
            [f"sh -c '{CLONE}/tools/cli && git checkout 0a1b2c3d && go install -buildvcs=false .'"],
            "golang:latest",
            ("go", "github.com/acme/tool/tools/cli", "0a1b2c3d"),
            ("the module's path is presumed from the repository",),
        ),
        (
            [f"{CLONE.replace('clone', 'clone --depth 1 -b main')} && npm install && npm install -g ."],
            "node:latest",
            ("npm", "tool", "main"),
            ("the package's name on npm is presumed from the repository's", "a branch and no commit is named"),
        ),
        (["make"], "gcc:13", ("", "", ""), ("no install command that is understood",)),
    ],
)
def test_install_commands_become_a_pin(commands: list[str], image: str, pin: tuple[str, ...], missing: tuple[str, ...]) -> None:
    found = read_pin(commands, image)
    assert (found.registry, found.name, found.version) == pin
    assert found.missing == missing
    assert found.complete is (not missing)
