"""Submissions of each language are installed as their users would, and answer to the alias or say why not."""

import re
from pathlib import Path

import pytest

from clibench.errors import SandboxError, UserError
from clibench.evaluation.build import build_submission
from clibench.recording import Recording
from clibench.sandbox.docker import DockerSandbox
from clibench.sandbox.interface import BuildResult, Limits
from clibench.tasks.case import Case, Fixture

PYTHON = {
    "pyproject.toml": """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "greeter"
version = "1"
scripts = {{ {scripts} }}
[tool.setuptools]
py-modules = ["greeter"]
""",
    "greeter.py": "import sys\ndef main():\n    print('hello', sys.argv[1])\n",
}
JAVASCRIPT = {
    "package.json": '{{"name": "greeter", "version": "1.0.0", "bin": {{ {scripts} }} }}',
    "cli.js": "#!/usr/bin/env node\nconsole.log(require('./words.js'), process.argv[2])\n",
    "words.js": "module.exports = 'hello'\n",
}
GO = {
    "go.mod": "module example.com/greeter\n\ngo 1.21\n",
    "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() { fmt.Println("hello", os.Args[1]) }\n',
}


def write(source: Path, files: dict[str, str], scripts: str = "") -> Path:
    for name, content in files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(content.format(scripts=scripts) if "{scripts}" in content else content)
    return source


def build(sandbox: DockerSandbox, language: str, tmp_path: Path, alias: str = "greet") -> BuildResult:
    (tmp_path / "prefix").mkdir()
    return build_submission(sandbox, language, tmp_path / "source", tmp_path / "prefix", alias=alias, network=False, timeout_s=300.0)


def printed(sandbox: DockerSandbox, prefix: Path, *argv: str) -> bytes:
    """What the installed tool prints in a trial."""
    fixture = Fixture()
    case = Case("a/00", "a", argv, fixture.digest(), timeout_s=60.0)
    with sandbox.open(language="any", prefix=prefix, limits=Limits(), workers=1) as session:
        ((_, result),) = session.run([case], {case.fixture: fixture})
    assert isinstance(result, Recording), result
    return result.stdout.data


@pytest.mark.parametrize(
    ("language", "files", "scripts"),
    [
        ("python", PYTHON, 'greet = "greeter:main"'),
        ("javascript", JAVASCRIPT, '"greet": "cli.js"'),
        ("go", {**GO, "cmd/greet/main.go": GO["main.go"], "main.go": GO["main.go"]}, ""),
    ],
)
def test_the_executable_that_is_named_as_the_alias_runs(
    docker_sandbox: DockerSandbox, tmp_path: Path, language: str, files: dict[str, str], scripts: str
) -> None:
    write(tmp_path / "source", files, scripts)
    built = build(docker_sandbox, language, tmp_path)
    assert built.ok, built.log
    assert printed(docker_sandbox, tmp_path / "prefix", "greet", "you") == b"hello you\n"


@pytest.mark.parametrize(
    ("language", "files", "scripts"),
    [("python", PYTHON, 'other = "greeter:main"'), ("javascript", JAVASCRIPT, '"other": "cli.js"'), ("go", GO, "")],
)
def test_a_single_executable_of_another_name_answers_to_the_alias(
    docker_sandbox: DockerSandbox, tmp_path: Path, language: str, files: dict[str, str], scripts: str
) -> None:
    write(tmp_path / "source", files, scripts)
    built = build(docker_sandbox, language, tmp_path)
    assert built.ok, built.log
    assert printed(docker_sandbox, tmp_path / "prefix", "greet", "you") == b"hello you\n"


@pytest.mark.parametrize(
    ("language", "files", "scripts", "found"),
    [
        ("python", PYTHON, 'a = "greeter:main", b = "greeter:main"', "creates a, b"),
        ("python", PYTHON, "", "creates no executable"),
        ("javascript", JAVASCRIPT, '"a": "cli.js", "b": "cli.js"', "creates a, b"),
        ("javascript", JAVASCRIPT, "", "creates no executable"),
        ("go", {**GO, "cmd/other/main.go": GO["main.go"]}, "", "creates greeter, other"),
        ("go", {"go.mod": GO["go.mod"], "lib.go": "package lib\n"}, "", "creates no executable"),
    ],
)
def test_where_no_executable_can_be_the_tool_the_build_fails_with_what_was_found(
    docker_sandbox: DockerSandbox, tmp_path: Path, language: str, files: dict[str, str], scripts: str, found: str
) -> None:
    write(tmp_path / "source", files, scripts)
    built = build(docker_sandbox, language, tmp_path)
    assert not built.ok
    assert built.reason == f"the installation {found}, and none is named greet"


def test_a_script_of_a_dependency_is_not_taken_for_the_tool(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    write(tmp_path / "source", {**PYTHON, "pyproject.toml": PYTHON["pyproject.toml"].replace("[tool", DEPENDENCY + "[tool")})
    write(tmp_path / "source/helper", PYTHON, 'helper = "greeter:main"')
    manifest = tmp_path / "source/helper/pyproject.toml"
    manifest.write_text(manifest.read_text().replace('"greeter"\nversion', '"helper"\nversion'))
    built = build(docker_sandbox, "python", tmp_path)
    assert (tmp_path / "prefix/bin/helper").exists(), built.log
    assert built.reason == "the installation creates no executable, and none is named greet"


DEPENDENCY = 'dependencies = ["helper @ file:///build/helper"]\n'


@pytest.mark.parametrize(
    ("language", "missing"),
    [("python", "no pyproject.toml or setup.py"), ("javascript", "no package.json"), ("go", "no go.mod")],
)
def test_an_empty_workspace_fails_without_a_container(tmp_path: Path, language: str, missing: str, docker_sandbox: DockerSandbox) -> None:
    (tmp_path / "source").mkdir()
    built = build(docker_sandbox, language, tmp_path)
    assert built == BuildResult(False, b"", f"{missing} in the root of the repository")


@pytest.mark.parametrize(
    ("language", "files", "told", "typed"),
    [
        ("python", {"pyproject.toml": "[project\n"}, "TOMLDecodeError", "pip install ."),
        ("javascript", {"package.json": "{"}, "package.json", "npm install -g ."),
        ("go", {**GO, "main.go": "package main\nfunc main() { undefined() }\n"}, "undefined: undefined", "go install ./..."),
    ],
)
def test_what_does_not_build_leaves_its_log(
    docker_sandbox: DockerSandbox, tmp_path: Path, language: str, files: dict[str, str], told: str, typed: str
) -> None:
    write(tmp_path / "source", files)
    built = build(docker_sandbox, language, tmp_path)
    assert not built.ok
    assert re.match(rf"`{re.escape(typed)}` failed with status \d+: .", built.reason)
    assert "complete log" not in built.reason
    assert told in built.log.decode()


def test_the_build_step_of_a_javascript_package_is_run(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    scripts = '"greet": "out.js"'
    files = {
        **JAVASCRIPT,
        "package.json": JAVASCRIPT["package.json"].replace(" }} }}", ' }}, "scripts": {{"prepare": "cp cli.js out.js"}} }}'),
    }
    write(tmp_path / "source", files, scripts)
    built = build(docker_sandbox, "javascript", tmp_path)
    assert built.ok, built.log
    assert printed(docker_sandbox, tmp_path / "prefix", "greet", "you") == b"hello you\n"


def test_dependencies_come_from_the_registries_where_the_network_is_allowed(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    write(tmp_path / "source", {**GO, "go.mod": GO["go.mod"] + "\nrequire github.com/spf13/pflag v1.0.5\n", "main.go": PFLAG})
    (tmp_path / "prefix").mkdir()
    built = build_submission(docker_sandbox, "go", tmp_path / "source", tmp_path / "prefix", alias="greet", network=True, timeout_s=300.0)
    assert built.ok, built.log
    assert printed(docker_sandbox, tmp_path / "prefix", "greet", "you") == b"hello you\n"


PFLAG = """package main

import (
	"fmt"

	"github.com/spf13/pflag"
)

func main() { pflag.Parse(); fmt.Println("hello", pflag.Arg(0)) }
"""


def test_a_registry_that_does_not_answer_is_not_held_against_the_submission(
    docker_sandbox: DockerSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOPROXY", "http://127.0.0.1:9")
    write(tmp_path / "source", {**GO, "go.mod": GO["go.mod"] + "\nrequire github.com/spf13/pflag v1.0.5\n", "main.go": PFLAG})
    (tmp_path / "prefix").mkdir()
    with pytest.raises(SandboxError, match="the package registry of go does not answer"):
        build_submission(docker_sandbox, "go", tmp_path / "source", tmp_path / "prefix", alias="greet", network=True, timeout_s=300.0)


def test_a_host_that_only_the_submission_asks_for_is_held_against_it(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    write(tmp_path / "source", {**JAVASCRIPT, "package.json": UNREACHABLE})
    (tmp_path / "prefix").mkdir()
    built = build_submission(
        docker_sandbox, "javascript", tmp_path / "source", tmp_path / "prefix", alias="greet", network=True, timeout_s=300.0
    )
    assert "npm install" in built.reason
    assert "ECONNREFUSED" in built.log.decode()


UNREACHABLE = '{"name": "greeter", "version": "1.0.0", "bin": {"greet": "cli.js"}, "dependencies": {"x": "http://127.0.0.1:9/x.tgz"}}'


def test_a_language_without_a_recipe_is_told_with_those_that_have_one(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"unknown language 'pyton'\. Did you mean 'python'\? Valid: go, javascript, python"):
        build(docker_sandbox, "pyton", tmp_path)
