"""The back end without Docker: as root and as an ordinary user, with what the host has and a clear word about what it lacks."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from clibench.errors import SandboxError, UserError
from clibench.recording import End, Output, Recording, Status
from clibench.sandbox import local
from clibench.sandbox.interface import BuildRequest
from clibench.sandbox.local import LocalSandbox, build_reason, build_script, system_items
from clibench.sandbox.reap import scratch_root
from clibench.sandbox.session import PipeSession, RunnerPlace
from clibench.sandbox.settings import SandboxConfig
from tests.sandbox.conftest import LIMITS, Opener, Place

NOBODY = 65_534


@pytest.fixture
def sandbox() -> LocalSandbox:
    """A back end of its own."""
    return LocalSandbox(SandboxConfig(backend="local"))


def request(tmp_path: Path, *commands: tuple[str, ...], timeout_s: float = 120.0) -> BuildRequest:
    """A build of a small folder, without a network."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "file").write_text("content\n")
    (source / "file").chmod(0o600)
    destination = tmp_path / "prefix"
    destination.mkdir()
    return BuildRequest("go", source, commands, destination, timeout_s=timeout_s)


def test_an_installation_is_made_in_the_sandbox_and_kept(sandbox: LocalSandbox, tmp_path: Path) -> None:
    commands = (
        ("mkdir", "/opt/tool/bin"),
        (
            "sh",
            "-c",
            "printf '#!/bin/sh\\necho tool $*\\n' > /opt/tool/bin/tool; chmod 755 /opt/tool/bin/tool; cat file; id -u; touch here",
        ),
    )
    made = sandbox.build(request(tmp_path, *commands))
    assert (made.ok, made.reason) == (True, ""), made.log
    assert b"content\n1000\n" in made.log
    assert (tmp_path / "prefix" / "bin" / "tool").stat().st_uid == os.getuid()
    assert not (tmp_path / "source" / "here").exists()
    with sandbox.open(language="go", prefix=tmp_path / "prefix", limits=LIMITS, workers=1) as session:
        assert Place("local", session).run("tool", "x").stdout.data == b"tool x\n"
    assert not scratch_root().exists() or not list(scratch_root().glob(f"build-*-{os.getpid()}_*"))


def test_a_build_that_fails_says_which_command_and_shows_its_output(sandbox: LocalSandbox, tmp_path: Path) -> None:
    made = sandbox.build(request(tmp_path, ("true",), ("sh", "-c", "echo no luck >&2; exit 3"), ("touch", "/opt/tool/never")))
    assert (made.ok, made.reason) == (False, "`sh -c 'echo no luck >&2; exit 3'` failed: exit 3")
    assert b"no luck" in made.log
    assert not (tmp_path / "prefix" / "never").exists()


def test_a_build_without_a_network_has_none_and_sees_nothing_of_the_host(sandbox: LocalSandbox, tmp_path: Path) -> None:
    script = "tail -n +3 /proc/net/dev | cut -d: -f1; ls /root /home; ls -A / | grep -x work; test -e /var/lib/docker && echo docker; true"
    made = sandbox.build(request(tmp_path, ("sh", "-c", script)))
    assert [line.strip() for line in made.log.decode().splitlines()[1:]] == [
        "lo",
        "/home:",
        "user",
        "ls: cannot open directory '/root': Permission denied",
    ] or sorted(line.strip() for line in made.log.decode().splitlines()[1:] if line.strip()) == sorted(
        ["lo", "ls: cannot open directory '/root': Permission denied", "/home:", "user"]
    )


def test_a_build_that_does_not_end_is_killed(sandbox: LocalSandbox, tmp_path: Path) -> None:
    made = sandbox.build(request(tmp_path, ("sleep", "1000"), timeout_s=0.5))
    assert (made.ok, made.reason) == (False, "the installation did not end in 0 s")


def test_programs_never_run_as_root_even_where_clibench_does(open_place: Opener) -> None:
    place = open_place("local/overlay")
    seen = place.sh("cat /proc/self/uid_map; id -u")
    assert seen.stdout.data.split() == [b"1000", b"0", b"1", b"1000"]
    dropped = LocalSandbox(SandboxConfig(backend="local"))._place(None).drop_to
    assert dropped == (local.UNPRIVILEGED if os.getuid() == 0 else None)


def test_an_ordinary_user_without_any_rights_gets_the_same() -> None:
    """The runner's own process is nobody, has no capability and no group, before it does anything."""
    program = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); from clibench.sandbox import runner\n"
        f"os.setgroups([]); os.setresgid({NOBODY}, {NOBODY}, {NOBODY}); os.setresuid({NOBODY}, {NOBODY}, {NOBODY})\n"
        "runner.prctl(runner.PR_SET_DUMPABLE, 1); sys.exit(runner.main())\n"
    )
    items = tuple(item for item in system_items(network=False) if not str(item.get("source", "")).startswith("/root"))
    argv = (sys.executable, "-I", "-S", "-c", program, str(Path(local.__file__).parents[2]))
    with PipeSession(argv, RunnerPlace("local", prefix=None, isolation="overlay", system=items), limits=LIMITS, workers=2) as session:
        here = Place("local", session)
        seen = here.sh("id -u; cat /proc/self/uid_map; echo x > made; touch /usr/x /etc/x; ls /root")
        assert seen.stdout.data.split() == [b"1000", b"1000", b"0", b"1"]
        assert [change.path for change in seen.changes] == ["/workspace/made"]
        assert here.run("sleep", "1000", timeout_s=0.5).status == Status(End.TIMEOUT)


def test_a_missing_toolchain_is_named_with_its_package_only_for_its_language(
    sandbox: LocalSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match="node and npm not found.*language=javascript.*nodejs npm.*sandbox=docker"):
        sandbox.open(language="javascript", prefix=tmp_path, limits=LIMITS, workers=1)
    with pytest.raises(UserError, match="golang-go"):
        sandbox.build(request(tmp_path, ("true",)))
    sandbox.open(language="python", prefix=tmp_path, limits=LIMITS, workers=1)


def test_the_toolchains_of_the_host_work_in_a_trial(open_place: Opener) -> None:
    place = open_place("local/overlay")
    for command in (("python3", "-c", "import json, ssl; print(1)"), ("node", "-p", "1"), ("go", "version")):
        assert place.run(*command).status.ok, command


def test_a_folder_that_is_not_there_is_a_sandbox_error(sandbox: LocalSandbox, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="missing"):
        sandbox.open(language="go", prefix=tmp_path / "missing", limits=LIMITS, workers=1).__enter__()


def test_where_user_namespaces_are_forbidden_the_error_says_how_to_allow_them() -> None:
    """A namespace whose own limit of user namespaces is zero stands for a host that forbids them."""
    program = (
        "echo 0 > /proc/sys/user/max_user_namespaces; exec " + sys.executable + " -I -S " + str(Path(local.__file__).parent / "runner.py")
    )
    session = PipeSession(
        ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", program),
        RunnerPlace("local", prefix=None, system=tuple(system_items(network=False))),
        limits=LIMITS,
        workers=1,
    )
    with pytest.raises(SandboxError, match=r"not allowed here.*max_user_namespaces.*sandbox=docker"):
        session.__enter__()
    session.close()


def test_describe_names_everything_that_can_change_a_result(sandbox: LocalSandbox) -> None:
    first = sandbox.describe()
    assert first["backend"] == "local"
    assert first["isolation"] == "overlay"
    assert {"image", "runner", "contract", "toolchains", "system"} <= first.keys()
    assert LocalSandbox(SandboxConfig(backend="local", isolation="copy")).describe() == {**first, "isolation": "copy"}


def test_a_build_script_stops_at_the_first_failure_and_quotes_what_it_runs() -> None:
    script = build_script((("printf", "%s\\n", "it's"), ("false",), ("echo", "never")))
    done = subprocess.run(["sh", "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout.decode()) == (1, "$ printf '%s\\n' 'it'\"'\"'s'\nit's\n$ false\n")


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (Status(End.EXIT, 0), ""),
        (Status(End.TIMEOUT), "the installation did not end in 5 s"),
        (Status(End.OOM), "the installation ran out of memory"),
        (Status(End.EXIT, 2), "`make all` failed: exit 2"),
    ],
)
def test_every_end_of_a_build_has_its_words(status: Status, reason: str) -> None:
    ended = Recording(status, Output.of(b"$ true\n$ make all\nmake: no\n"), Output.of(b""))
    assert build_reason(ended, 5.0) == reason
    assert build_reason(replace(ended, stdout=Output.of(b"")), 5.0) == reason.replace("make all", "sh")
