"""The session is worth trusting: many trials at once, fixtures as declared, and a runner that dies costs no more than its own trials."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from clibench.errors import SandboxError
from clibench.recording import End, Recording, Status
from clibench.sandbox import runner
from clibench.sandbox.contract import ENVIRONMENT, SOURCE_DATE_EPOCH, VARIATIONS
from clibench.sandbox.image import ensure_image
from clibench.sandbox.interface import Limits, TrialFault
from clibench.sandbox.local import LocalSandbox
from clibench.sandbox.runner import digest_tree
from clibench.sandbox.session import PipeSession, RunnerPlace
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.case import Case, Entry, Fixture
from tests.sandbox.conftest import EMPTY, LIMITS, Opener, Place
from tests.sandbox.test_runner_hostile import running


def cases(count: int, *argv: str) -> list[Case]:
    """Cases of one command line that differ in an argument."""
    return [Case(f"p/{number:02}", "p", (*argv, str(number)), EMPTY.digest()) for number in range(count)]


@pytest.fixture
def local(prefix: Path) -> PipeSession:
    """A session of its own, to be broken."""
    return LocalSandbox(SandboxConfig(backend="local")).open(language="go", prefix=prefix, limits=LIMITS, workers=2)


def test_every_case_is_answered_once_with_its_own_result(place: Place) -> None:
    many = cases(40, "echo")
    answers = {case.id: outcome for case, outcome in place.session.run(many, {EMPTY.digest(): EMPTY})}
    assert {name: isinstance(one, Recording) and one.stdout.data for name, one in answers.items()} == {
        case.id: f"{case.argv[1]}\n".encode() for case in many
    }


def test_cases_are_taken_only_as_fast_as_results_are_read(place: Place) -> None:
    taken = 0

    def endless() -> object:
        nonlocal taken
        while True:
            taken += 1
            yield cases(1, "echo")[0]

    run = place.session.run(endless(), {EMPTY.digest(): EMPTY})  # type: ignore[arg-type]
    for _ in range(5):
        next(run)
    assert taken <= 5 + 4
    assert place.sh("echo after").stdout.data == b"after\n"


def test_the_contract_is_what_a_program_sees(place: Place) -> None:
    did = place.sh("env; umask; hostname; id -un; id -u; pwd; test -t 1 || echo no tty; date +%z")
    lines = did.stdout.data.decode().splitlines()
    path = ENVIRONMENT["PATH"]
    seen = {line.partition("=")[0]: line.partition("=")[2] for line in lines if "=" in line}
    assert seen.pop("PATH").replace(":/opt/toolchain/bin", "") == path
    assert seen == {name: value for name, value in ENVIRONMENT.items() if name != "PATH"}
    assert lines[-7:] == ["0022", "sandbox", "user", "1000", "/workspace", "no tty", "+0000"]


def test_a_case_may_add_to_the_environment_and_choose_its_folder(place: Place) -> None:
    fixture = Fixture((Entry("sub/x"),))
    did = place.outcome("sh", "-c", "echo $PWD $NEW $TZ", fixture=fixture, env={"NEW": "1", "TZ": "UTC+1"}, cwd="/workspace/sub")
    assert isinstance(did, Recording)
    assert did.stdout.data == b"/workspace/sub 1 UTC+1\n"


def test_variations_change_what_a_result_must_not_depend_on(place: Place) -> None:
    script = "echo $TZ $PYTHONHASHSEED $LC_ALL $(hostname) $(id -un) $(id -u) $$"
    seen = []
    for number in range(1, len(VARIATIONS)):
        did = place.outcome("sh", "-c", script, stability=number)
        assert isinstance(did, Recording), did
        seen.append(tuple(did.stdout.data.decode().split()))
    expected = [
        tuple(
            str(part)
            for part in (
                one.environment["TZ"],
                one.environment["PYTHONHASHSEED"],
                one.environment["LC_ALL"],
                one.host,
                one.user,
                one.uid,
                one.first_pid,
            )
        )
        for one in VARIATIONS[1:]
    ]
    assert seen == expected
    assert place.sh("echo $(id -u) $$").stdout.data == b"1000 2\n"


def test_modification_times_are_constant_or_relative_to_the_trial(place: Place) -> None:
    fixture = Fixture(
        (Entry("old", age_s=3600), Entry("now", age_s=0), Entry("plain"), Entry("folder/x"), Entry("folder", type="dir", age_s=60))
    )
    did = place.sh("date +%s; stat -c %Y old now plain folder/x folder . ~", fixture)
    now, old, fresh, *rest = map(int, did.stdout.data.split())
    assert 0 <= now - fresh < 60
    assert fresh - old == 3600
    folder = rest.pop(2)
    assert fresh - folder == 60
    assert rest == [SOURCE_DATE_EPOCH] * 4
    assert did.changes == ()


def test_the_clock_of_a_variation_moves_files_along_and_spares_what_asks_the_kernel(open_place: Opener, tmp_path: Path) -> None:
    place = open_place("docker/overlay")
    number, shift = next((n, one.clock_shift_s) for n, one in enumerate(VARIATIONS) if one.clock_shift_s)
    script = "import os, time; print(int(time.time()), round(time.time() - os.stat('old').st_mtime))"
    seen = place.outcome("python3", "-c", script, fixture=Fixture((Entry("old", age_s=3600),)), stability=number)
    assert isinstance(seen, Recording)
    now, age = map(int, seen.stdout.data.split())
    assert abs(now - time.time() - shift) < 600
    assert 3600 <= age < 3660
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "script").write_bytes(b"#!/bin/sh\n")
    (tmp_path / "bin" / "go").write_bytes(b"\x7fELF" + bytes(900) + b"Go\0\0")
    (tmp_path / "bin" / "link").symlink_to("/opt/tool/bin/go")
    assert [runner.asks_the_kernel(str(tmp_path), name) for name in ("script", "go", "link", "none")] == [False, True, True, False]


def test_a_preparation_belongs_to_the_fixture(place: Place) -> None:
    fixture = Fixture(
        (Entry("a", content=b"1"), Entry("gone"), Entry("d/x")),
        ("sh", "-c", "echo made > b; rm gone; rm -r d; mkdir d; echo y > d/y; echo t > /tmp/t; test ! -e /opt/tool/bin/tool"),
    )
    did = place.sh("cat a b d/y /tmp/t; ls; stat -c %Y b; rm b", fixture)
    assert did.stdout.data == f"1made\ny\nt\na\nb\nd\n{SOURCE_DATE_EPOCH}\n".encode()
    assert [(change.path, change.kind) for change in did.changes] == [("/workspace/b", "deleted")]


def test_a_preparation_that_fails_is_a_fault_that_says_so(place: Place) -> None:
    outcome = place.outcome("true", fixture=Fixture((), ("sh", "-c", "echo no luck >&2; exit 3")))
    assert isinstance(outcome, TrialFault)
    assert "preparation" in outcome.reason
    assert "exit 3" in outcome.reason
    assert "no luck" in outcome.reason


@pytest.mark.parametrize(
    "entries",
    [
        (Entry("../x"),),
        (Entry("/etc/passwd"),),
        (Entry("a/../../x"),),
        (Entry("link", type="symlink", target="/etc"), Entry("link/x")),
        (Entry("a"), Entry("a/b")),
        (Entry("a"), Entry("a")),
    ],
)
def test_a_fixture_can_not_leave_its_place(open_place: Opener, entries: tuple[Entry, ...]) -> None:
    place = open_place("docker/overlay")
    assert isinstance(place.outcome("true", fixture=Fixture(entries)), TrialFault)


def test_a_case_without_its_fixture_or_folder_is_a_fault(place: Place) -> None:
    case = Case("p/01", "p", ("true",), "0" * 64)
    assert [type(outcome) for _, outcome in place.session.run([case], {})] == [TrialFault]
    assert isinstance(place.outcome("true", cwd="/workspace/nowhere"), TrialFault)


def test_the_digest_of_a_state_changes_with_anything_in_it(tmp_path: Path) -> None:
    file = tmp_path / "root" / "file"
    file.parent.mkdir()
    file.write_bytes(b"one")
    os.utime(file, (1, 1))
    os.utime(file.parent, (1, 1))
    seen = {digest_tree(["root"], str(tmp_path))}

    def changed() -> None:
        digest = digest_tree(["root"], str(tmp_path))
        assert digest not in seen
        seen.add(digest)

    file.write_bytes(b"two")
    os.utime(file, (1, 1))
    changed()
    file.chmod(0o600)
    changed()
    os.utime(file, (2, 2))
    changed()
    (file.parent / "more").symlink_to("x")
    changed()


def test_a_runner_that_dies_costs_the_trials_in_flight_and_no_others(local: PipeSession) -> None:
    with local:
        many = cases(12, "sh", "-c", "echo $1", "sh")
        run = local.run(many, {EMPTY.digest(): EMPTY})
        next(run)
        process = local._channel._process  # type: ignore[union-attr]
        assert process is not None
        process.kill()
        rest = [outcome for _, outcome in run]
    faults = [outcome for outcome in rest if isinstance(outcome, TrialFault)]
    assert len(rest) == 11
    assert 1 <= len(faults) <= 4
    assert all("runner ended" in fault.reason for fault in faults)


def test_what_the_kernel_kills_for_memory_is_out_of_memory_and_not_a_signal() -> None:
    runner_file = Path(runner.__file__).resolve()
    argv = ("docker", "run", "--rm", "-i", "--network=none", "--cap-add=SYS_ADMIN", "--user=0:0", "--memory=160m", "--memory-swap=160m")
    image = ensure_image(SandboxConfig().base_image).name
    command = (*argv, f"--volume={runner_file}:/runner.py:ro", image, "python3", "-I", "-S", "/runner.py")
    with PipeSession(command, RunnerPlace("docker", prefix=None), limits=replace(LIMITS, memory_mb=4096), workers=1) as session:
        here = Place("docker", session)
        assert here.python("x = bytearray(1 << 30)").status == Status(End.OOM)
        assert here.sh("kill -9 $$").status == Status(End.SIGNAL, 9)


def test_a_runner_that_never_starts_is_a_sandbox_error() -> None:
    session = PipeSession((sys.executable, "-c", "raise SystemExit('no way')"), RunnerPlace("local"), limits=Limits(), workers=1)
    with pytest.raises(SandboxError, match="no way"):
        session.__enter__()
    with pytest.raises(SandboxError, match="could not start"):
        PipeSession(("/no/such/program",), RunnerPlace("local"), limits=Limits(), workers=1).__enter__()


def test_closing_a_session_in_mid_trial_leaves_no_process(local: PipeSession) -> None:
    with local:
        local._send_trial(1, Case("p/01", "p", ("sleep", "76543210"), EMPTY.digest()), EMPTY, VARIATIONS[0])
        wait_until_running("76543210")
    assert running("76543210") == []


def test_a_state_that_is_not_the_fixtures_is_a_fault(local: PipeSession) -> None:
    fixture = Fixture((Entry("a", content=b"1"),))
    with local:
        here = Place("local", local)
        assert here.run("cat", "a", fixture=fixture).stdout.data == b"1"
        for layer in layers_of(local):
            file = layer / "workspace" / "a"
            dated = file.stat()
            with file.open("r+b") as stream:
                stream.write(b"2")
            os.utime(file, ns=(dated.st_mtime_ns, dated.st_mtime_ns))
        outcome = here.outcome("true", fixture=fixture)
    assert isinstance(outcome, TrialFault)
    assert "the state at the start" in outcome.reason


def layers_of(session: PipeSession) -> list[Path]:
    """The fixture layers of a local session, as seen through its runner's own mounts."""
    process = session._channel._process  # type: ignore[union-attr]
    assert process is not None
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    found = [path for child in children for path in Path(f"/proc/{child}/root").glob("mnt/fixtures/*/entries")]
    assert found
    return found


@pytest.mark.parametrize("place", ["docker/overlay", "local/overlay"])
def test_a_client_killed_by_sigkill_leaves_no_process(prefix: Path, place: str) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from tests.sandbox.conftest import EMPTY, LIMITS, sandbox_of; from clibench.tasks.case import Case\n"
        "with sandbox_of(sys.argv[2]).open(language='go', prefix=Path(sys.argv[1]), limits=LIMITS, workers=1) as session:\n"
        "    list(session.run([Case('p/01', 'p', ('sleep', '76543211'), EMPTY.digest())], {EMPTY.digest(): EMPTY}))\n"
    )
    client = subprocess.Popen([sys.executable, "-c", script, str(prefix), place])
    try:
        pids = wait_until_running("76543211")
        handles = [os.pidfd_open(int(pid)) for pid in pids]
        client.send_signal(signal.SIGKILL)
        for handle in handles:
            assert select.select([handle], [], [], 30)[0], "a process of the trial is still there"
            os.close(handle)
    finally:
        client.kill()
        client.wait()
    assert running("76543211") == []


def wait_until_running(marker: str) -> list[str]:
    """Wait for the processes with `marker` in their command line."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if pids := [pid for pid in running(marker) if os.path.basename(os.path.realpath(f"/proc/{pid}/exe")) == "sleep"]:  # noqa: PTH119
            return pids
        select.select([], [], [], 0.05)
    raise AssertionError("the trial did not start")
