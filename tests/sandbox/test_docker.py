"""What the Docker back end promises for untrusted code: nothing of the host, nothing of other builds, nothing left behind."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clibench.errors import SandboxError
from clibench.recording import Recording
from clibench.sandbox.daemon import docker
from clibench.sandbox.docker import DockerSandbox
from clibench.sandbox.interface import BuildRequest, BuildResult, Limits
from clibench.sandbox.reap import OWNER_LABEL, Owner, remove_tree, scratch_root
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.case import Case, Fixture

FIXTURE = Fixture()


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def run(sandbox: DockerSandbox, tmp_path: Path, script: str, *, network: bool = False, timeout_s: float = 120.0) -> BuildResult:
    """Build with one shell script, from tmp_path/source into tmp_path/prefix."""
    for name in ("source", "prefix"):
        (tmp_path / name).mkdir(exist_ok=True)
    commands = (("sh", "-euc", script),)
    return sandbox.build(BuildRequest("python", tmp_path / "source", commands, tmp_path / "prefix", network, timeout_s))


def containers(label: str) -> list[str]:
    return docker("ps", "--all", "--quiet", "--no-trunc", f"--filter=label={label}").split()


def test_a_build_runs_as_an_ordinary_user_without_capabilities_or_network(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    built = run(docker_sandbox, tmp_path, "id -u; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status; ls /sys/class/net; ! touch /etc/x")
    assert built.ok, built.log
    lines = built.log.decode().splitlines()[1:]
    assert lines[0] == str(os.getuid() or 1000)
    assert [line.split()[1] for line in lines[1:4]] == ["0" * 16, "0" * 16, "1"]
    assert lines[4] == "lo"
    assert "Read-only file system" in lines[5]


def test_the_environment_of_the_host_is_not_seen_by_a_build(
    docker_sandbox: DockerSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("PIP_INDEX_URL", "https://user:sk-secret@index.example/simple")
    built = run(docker_sandbox, tmp_path, "env; test ! -e /root/.ssh", network=True)
    assert built.ok
    assert b"sk-secret" not in built.log


def test_the_prefix_ends_readable_by_all_and_owned_by_this_user_without_setuid(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    script = "cd /opt/tool; mkdir -p bin d; echo 1 > bin/t; chmod 4711 bin/t; echo 2 > d/f; chmod 600 d/f; chmod 000 d; ln -s /etc/passwd l"
    assert run(docker_sandbox, tmp_path, script).ok
    prefix = tmp_path / "prefix"
    modes = {str(path.relative_to(prefix)): stat.S_IMODE(path.lstat().st_mode) for path in prefix.rglob("*") if not path.is_symlink()}
    assert modes == {"bin": 0o755, "bin/t": 0o755, "d": 0o755, "d/f": 0o644}
    assert {path.lstat().st_uid for path in prefix.rglob("*")} == {os.getuid()}
    assert Path("/etc/passwd").stat().st_uid == 0
    assert (prefix / "l").readlink() == Path("/etc/passwd")


def test_links_in_a_submission_do_not_bring_in_the_host_and_special_files_stay_out(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the host")
    source = folder(tmp_path / "source")
    (source / "link").symlink_to(tmp_path / "secret")
    (source / "code").write_text("x")
    os.mkfifo(source / "fifo")
    built = run(docker_sandbox, tmp_path, "ls; cat link || true; echo changed > code")
    assert built.ok
    assert b"of the host" not in built.log
    assert b"fifo" not in built.log
    assert (source / "code").read_text() == "x"


def test_no_build_sees_what_another_one_wrote(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    script = "find ~ /tmp /run /var/tmp /build -newer /etc/hostname -type f; echo x | tee ~/poison /tmp/poison /run/poison /build/poison"
    for number in range(2):
        built = run(docker_sandbox, folder(tmp_path / str(number)), script)
        assert built.ok
        assert b"/poison" not in built.log.partition(b"\n")[2]


@pytest.mark.parametrize(
    ("settings", "script", "reason"),
    [
        ({}, "exit 7", "failed with status 7"),
        ({}, "nothing-of-this-name", "failed with status 127"),
        ({"build_memory_mb": 64}, "python3 -c 'x = b\"a\" * (1 << 28)'", "out of memory (64 MB)"),
        ({"build_disk_mb": 16}, "head -c 64M /dev/zero > /opt/tool/big; exec sleep 1000", "wrote more than 16 MB"),
        ({"build_processes": 32}, 'python3 -c "import os\nfor _ in range(100): os.fork()"', "failed with status 1"),
    ],
)
def test_a_build_that_goes_wrong_is_a_result_with_its_reason(
    docker_sandbox: DockerSandbox, tmp_path: Path, settings: dict[str, int], script: str, reason: str
) -> None:
    sandbox = DockerSandbox(SandboxConfig(**settings)) if settings else docker_sandbox  # type: ignore[arg-type]
    built = run(sandbox, tmp_path, script)
    assert not built.ok
    assert reason in built.reason


def test_a_build_that_never_ends_is_ended_with_all_its_processes(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    built = run(docker_sandbox, tmp_path, "echo begun; (setsid sleep 1000 &); trap '' TERM; sleep 1000", timeout_s=2.0)
    assert built.reason.endswith("did not end in 2 s")
    assert b"begun" in built.log
    assert not containers(f"{OWNER_LABEL}={Owner.current().token}")


def test_a_process_that_a_build_leaves_behind_does_not_hold_it_up(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    built = run(docker_sandbox, tmp_path, "setsid sleep 1000 & echo done")
    assert built.ok
    assert built.log.endswith(b"done\n")


def test_a_session_runs_the_installation_read_only_and_leaves_no_container(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    script = folder(tmp_path / "bin") / "tool"
    script.write_text('#!/bin/sh\necho "$0 $1"; cat; rm -rf /opt/tool/bin; echo > /opt/tool/new\n')
    script.chmod(0o755)
    cases = [Case(f"a/{number}", "a", ("tool", str(number)), FIXTURE.digest(), stdin=b"in\n") for number in range(5)]
    with docker_sandbox.open(language="python", prefix=tmp_path, limits=Limits(), workers=2) as session:
        results = list(session.run(cases, {FIXTURE.digest(): FIXTURE}))
    assert len(results) == 5
    for case, result in results:
        assert isinstance(result, Recording), result
        assert result.stdout.data == f"/opt/tool/bin/tool {case.argv[1]}\nin\n".encode()
        assert not result.changes
    assert script.is_file()
    assert not containers(f"{OWNER_LABEL}={Owner.current().token}")


def test_describe_names_the_image_the_runner_and_the_toolchains(docker_sandbox: DockerSandbox) -> None:
    described = docker_sandbox.describe()
    assert described["backend"] == "docker"
    assert described["isolation"] in ("overlay", "copy")
    assert len(described["image"]) == len(described["runner"]) == 64
    assert all(described[name][0].isdigit() for name in ("python", "node", "go"))
    assert described == DockerSandbox(SandboxConfig()).describe()


def test_copy_isolation_is_described_where_it_is_asked_for() -> None:
    assert DockerSandbox(SandboxConfig(isolation="copy")).describe()["isolation"] == "copy"


def test_an_image_without_the_toolchains_is_named() -> None:
    with pytest.raises(SandboxError, match=r"sandbox\.image: it has no /usr/bin/python3"):
        DockerSandbox(SandboxConfig(image="debian:trixie-slim")).describe()


# A test run that was started in the background ignores the interrupt, and so would its children.
CLIENT = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from clibench.sandbox.docker import DockerSandbox
from clibench.sandbox.interface import BuildRequest
from clibench.sandbox.settings import SandboxConfig
sandbox = DockerSandbox(SandboxConfig())
from clibench.sandbox.reap import Owner
print(Owner.current().token, flush=True)
sandbox.build(BuildRequest("python", Path(sys.argv[1]), (("sleep", "100000"),), Path(sys.argv[2]), False, 100000.0))
"""


@contextmanager
def building(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Another process in the middle of a build: it, its owner token, and the id of its container."""
    arguments = [sys.executable, "-c", CLIENT, str(folder(tmp_path / "source")), str(folder(tmp_path / "prefix"))]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as client:
        assert client.stdout is not None
        token = client.stdout.readline().strip()
        while not (found := containers(f"{OWNER_LABEL}={token}")):
            assert client.poll() is None
        while "Up" not in docker("ps", "--filter", f"id={found[0]}", "--format", "{{.Status}}"):
            assert client.poll() is None
        yield client, token, found[0]


def test_a_killed_process_takes_its_build_along_and_the_next_start_sweeps_its_scratch(tmp_path: Path) -> None:
    with building(tmp_path) as (client, token, container):
        client.kill()
    scratch = list(scratch_root().glob(f"build-*-{token}"))
    assert len(scratch) == 1
    try:
        docker("wait", container)
    except SandboxError as error:
        assert "No such container" in error.what  # it was gone before we could wait for it
    DockerSandbox(SandboxConfig())
    assert not scratch[0].exists()
    assert not containers(f"{OWNER_LABEL}={token}")


def test_an_interrupted_process_leaves_nothing_at_all(tmp_path: Path) -> None:
    with building(tmp_path) as (client, token, _):
        client.send_signal(signal.SIGINT)
    assert not containers(f"{OWNER_LABEL}={token}")
    assert not list(scratch_root().glob(f"*-{token}"))


def test_a_tree_that_is_nested_deeper_than_paths_can_be_long_is_tidied_and_removed(docker_sandbox: DockerSandbox, deep_path: Path) -> None:
    deeper = r"os.mkdir(\"deep\", 0o700); os.chdir(\"deep\")"
    nest = "\n".join(f"os.chdir('{place}')\nfor _ in range(3000): {deeper}" for place in ("/opt/tool", "/tmp"))
    assert run(docker_sandbox, deep_path, f'python3 -c "import os\n{nest}"').ok
    assert (deep_path / "prefix/deep/deep").stat().st_mode & 0o777 == 0o755
    assert not list(scratch_root().glob(f"build-*-{Owner.current().token}"))
    remove_tree(deep_path / "prefix")
    assert not (deep_path / "prefix").exists()


def test_a_daemon_that_went_away_is_told_with_what_to_do(
    docker_sandbox: DockerSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    with pytest.raises(SandboxError, match=r"no Docker daemon answers\. Run scripts/setup_docker\.sh"):
        run(docker_sandbox, tmp_path, "true")
    with (
        pytest.raises(SandboxError, match=r"no Docker daemon answers"),
        docker_sandbox.open(language="python", prefix=tmp_path, limits=Limits(), workers=1),
    ):
        pass


def test_the_image_holds_nothing_of_this_host(docker_sandbox: DockerSandbox) -> None:
    inspected = json.loads(docker("image", "inspect", f"clibench-sandbox:{docker_sandbox.describe()['image'][:16]}"))[0]
    assert [entry.split("=")[0] for entry in inspected["Config"]["Env"] or []] in (["PATH"], [])
