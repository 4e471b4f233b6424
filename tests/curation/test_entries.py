"""Entries are found by installing small packages for real and running what they created."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from clibench.curation.entries import Entry, discover, usable
from clibench.curation.install import _failure
from clibench.curation.names import Match
from clibench.curation.package import Package, Reason, RejectedError
from clibench.errors import UserError
from clibench.sandbox.docker import DockerSandbox
from clibench.sandbox.interface import BuildResult, Sandbox
from tests.curation.packages import HELPFUL, go_package, node_package, python_package


def found(sandbox: DockerSandbox, scratch: Path, folder: Path, *, registry: str = "pypi", name: str = "tool") -> tuple[Entry, ...]:
    prefix = scratch / "prefix"
    prefix.mkdir()
    return discover(sandbox, prefix, Package(registry, name, folder=folder), network=False)


def test_the_script_named_as_the_package_is_the_entry_and_its_companions_are_listed(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    folder = python_package(tmp_path / "package", {"tool-extra": "print('usage: tool-extra')", "tool": HELPFUL})
    entries = found(docker_sandbox, tmp_path, folder)
    assert [(entry.name, entry.match) for entry in entries] == [("tool", Match.EXACT), ("tool-extra", Match.SIMILAR)]
    assert entries[1].help is None and entries[1].refused is None, "not tried: the first was good"
    entry = usable(entries, Package("pypi", "tool"))
    assert entry.help is not None
    assert (entry.help.words, entry.help.notes) == (("--help",), ())
    assert "--upper" in entry.help.text
    assert entry.bare == "", "that it wants an argument says nothing of network, key or terminal"


def test_a_companion_that_prints_its_help_is_taken_where_the_best_name_does_not(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    folder = python_package(tmp_path / "package", {"tool": "print(42)", "tool-cli2": HELPFUL})
    entries = found(docker_sandbox, tmp_path, folder)
    assert usable(entries, Package("pypi", "tool")).name == "tool-cli2"
    assert entries[1].refused is not None and entries[1].refused.reason is Reason.NO_HELP


def test_help_on_standard_error_with_a_status_is_kept_with_a_note(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    code = """
        if (process.argv[2] === 'help') { console.log('Usage: tool <command>'); process.exit(0); }
        console.error('unknown command: ' + process.argv[2] + '\\nUsage: tool <command>');
        process.exit(3);
    """
    (entry,) = found(docker_sandbox, tmp_path, node_package(tmp_path / "package", code), registry="npm")
    assert entry.help is not None and (entry.help.words, entry.help.notes) == (("help",), ()), "a form that ends with 0 is better"


def test_a_tool_whose_every_help_fails_is_kept_where_it_prints_its_usage(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    code = """
        import (
            "fmt"
            "os"
        )

        func main() {
            fmt.Fprintln(os.Stderr, "usage: tool file...")
            os.Exit(2)
        }
    """
    (entry,) = found(docker_sandbox, tmp_path, go_package(tmp_path / "package", {"main.go": code}), registry="go")
    assert entry.help is not None
    assert (entry.help.words, entry.help.notes) == (("--help",), ("exit status 2", "on standard error"))


LACKING = {
    "terminal": ("import sys\nif not sys.stdin.isatty(): sys.exit('error: stdin is not a terminal')", Reason.NEEDS_TERMINAL),
    "network": ("import urllib.request\nurllib.request.urlopen('http://example.com')", Reason.NEEDS_NETWORK),
    "secret": ("import os, sys\nos.environ.get('X_API_KEY') or sys.exit('X_API_KEY is not set')", Reason.NEEDS_KEY),
    "crash": ("raise KeyError('gone')", Reason.CRASHES),
    "answer": ("print('42')", Reason.NO_HELP),
    "silence": ("pass", Reason.NO_HELP),
}
TOLD = {
    "terminal": "`--help`: error: stdin is not a terminal",
    "network": "`--help`: urllib.error.URLError: <urlopen error ",
    "secret": "`--help`: X_API_KEY is not set",
    "crash": "`--help`: KeyError: 'gone'",
    "answer": "`--help` prints '42'",
    "silence": "`--help` prints nothing",
}


def test_what_tools_without_help_lack_is_told_for_each(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    folder = python_package(tmp_path / "package", {name: code for name, (code, _) in LACKING.items()}, name="silence")
    entries = found(docker_sandbox, tmp_path, folder, name="silence")
    refusals = {entry.name: entry.refused for entry in entries}
    assert {name: refusal and refusal.reason for name, refusal in refusals.items()} == {
        name: reason for name, (_, reason) in LACKING.items()
    }
    for name, refusal in refusals.items():
        assert refusal is not None and refusal.detail.startswith(TOLD[name])
    with pytest.raises(RejectedError, match="prints no help: silence `--help` prints nothing"):
        usable(entries, Package("pypi", "silence"))


def test_a_tool_that_hangs_on_its_help_is_told(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    entries = found(docker_sandbox, tmp_path, python_package(tmp_path / "package", {"tool": "import time\ntime.sleep(100_000)"}))
    with pytest.raises(RejectedError, match="hangs: tool `--help` did not end by itself"):
        usable(entries, Package("pypi", "tool"))


def test_a_call_without_arguments_that_asks_for_a_terminal_is_a_hint_and_no_refusal(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    code = """
        import sys
        if sys.argv[1:] == ["--help"]:
            print("Usage: tool")
        else:
            sys.exit("could not open a new TTY: open /dev/tty")
    """
    (entry,) = found(docker_sandbox, tmp_path, python_package(tmp_path / "package", {"tool": code}))
    assert entry.help is not None
    assert entry.bare.startswith("called without arguments it needs a terminal")


def test_a_package_that_does_not_install_or_creates_nothing_is_told(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    broken = go_package(tmp_path / "broken", {"main.go": "func main() { nothing() }\n"})
    with pytest.raises(RejectedError) as caught:
        found(docker_sandbox, tmp_path / "broken", broken, registry="go")
    assert (caught.value.reason, "undefined: nothing" in caught.value.detail) == (Reason.INSTALL, True)

    library = python_package(tmp_path / "library", {})
    with pytest.raises(RejectedError) as caught:
        found(docker_sandbox, tmp_path / "library", library)
    assert caught.value.reason is Reason.NO_EXECUTABLE

    (tmp_path / "empty").mkdir()
    with pytest.raises(RejectedError, match="no package.json in its root"):
        found(docker_sandbox, tmp_path / "empty", tmp_path / "empty", registry="npm")


@pytest.mark.parametrize(
    ("registry", "name", "log", "reason"),
    [
        (
            "go",
            "a.dev/x/cmd/t",
            "go: a.dev/x/cmd/t@latest: module a.dev/x: reading http://p/a.dev/x/@v/list: 403 Forbidden",
            Reason.REFUSED,
        ),
        ("go", "a.dev/x", "go: a.dev/x@v9.0.0: reading http://p/a.dev/x/@v/v9.0.0.info: 404 Not Found", Reason.MISSING),
        ("go", "a.dev/x", "go: a.dev/x@v9.0.0: invalid version: unknown revision v9.0.0", Reason.MISSING),
        ("npm", "@a/x", "npm error code E403\nnpm error 403 Forbidden - GET http://p/@a%2fx - not allowed", Reason.REFUSED),
        ("npm", "@a/x", "npm error code E404\nnpm error 404 Not Found - GET http://p/@a%2fx - Not found", Reason.MISSING),
        ("npm", "@a/x", "npm error 403 Forbidden - GET http://p/other - not allowed", Reason.INSTALL),
        ("pypi", "x", "ERROR: No matching distribution found for x==9", Reason.MISSING),
    ],
)
def test_what_a_registry_does_not_have_is_told_from_what_it_refuses(registry: str, name: str, log: str, reason: Reason) -> None:
    built = BuildResult(ok=False, log=log.encode(), reason="exit status 1", wall_s=1.0)
    assert _failure(cast("Sandbox", None), Package(registry, name, "9"), built, network=False).reason is reason


def test_a_release_that_no_registry_has_is_told_in_one_line(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    for registry, name, version in (
        ("pypi", "files-to-prompt", "99.9"),
        ("npm", "dot-json", "99.9.9"),
        ("go", "github.com/pelletier/go-toml/v2", "v2.99.0"),
    ):
        prefix = tmp_path / registry
        prefix.mkdir()
        with pytest.raises(RejectedError) as caught:
            discover(docker_sandbox, prefix, Package(registry, name, version))
        # A module proxy may refuse what it does not have.
        assert caught.value.reason in (Reason.MISSING, *([Reason.REFUSED] if registry == "go" else [])), caught.value.message
        assert caught.value.message.startswith(f"{registry}:{name}@{version}: {caught.value.reason}: ")
        assert "\n" not in caught.value.message
        assert "://" not in caught.value.message, "the address of this machine's mirror is nobody's business"


def test_releases_of_registries_are_installed_with_their_own_executables_alone(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    for package, names in (
        (Package("pypi", "files-to-prompt", "0.6"), {"files-to-prompt"}),
        (Package("npm", "dot-json", "1.3.0"), {"dot-json"}),
        (Package("go", "github.com/pelletier/go-toml/v2/cmd/tomljson", "v2.4.3"), {"tomljson"}),
    ):
        prefix = tmp_path / package.registry
        prefix.mkdir()
        entries = discover(docker_sandbox, prefix, package)
        assert {entry.name for entry in entries} == names
        assert usable(entries, package).package == package.name


def test_an_unknown_registry_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match="Did you mean 'pypi'"):
        Package("pypii", "tool")
