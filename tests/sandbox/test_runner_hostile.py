"""Programs that mean harm, or do it: each is contained, and the trial after it finds everything as it was."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from clibench.recording import End, Status
from clibench.tasks.case import Entry, Fixture
from tests.sandbox.conftest import Place, changed

SEEN = Fixture((Entry("seen", content=b"yes"),))


@pytest.fixture(autouse=True)
def _next_trial_is_unaffected(place: Place) -> object:
    yield
    after = place.sh("cat seen; tool; ls -A /tmp; echo $$", SEEN)
    assert (after.status.ok, after.stdout.data, after.changes) == (True, b"yes/opt/tool/bin/tool \n2\n", ())


def running(marker: str) -> list[str]:
    """Processes of this machine whose command line holds `marker`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_a_fork_bomb_runs_into_the_limit_of_processes(place: Place) -> None:
    did = place.python(
        "import os, sys\nmade = 0\ntry:\n  while made < 1000:\n    if os.fork() == 0:\n      import time; time.sleep(1000)\n    made += 1\n"
        "except OSError: print(made)"
    )
    assert (did.status.ok, did.stdout.data) == (True, b"47\n")
    assert place.sh("bomb() { bomb | bomb & }; bomb; sleep 0.5").status.end is End.EXIT


def test_a_full_disk_is_an_error_of_the_program_and_of_its_trial_only(place: Place) -> None:
    did = place.sh("head -c 100000000 /dev/zero > big; echo $?; stat -c %s big")
    status, size = did.stdout.data.split()
    assert status == b"1"
    assert b"No space left on device" in did.stderr.data
    assert 24 << 20 < int(size) < 40 << 20


def test_many_small_files_are_bounded_too(place: Place) -> None:
    did = place.python("try:\n  for n in range(100000): open(str(n), 'w').close()\nexcept OSError as e: print(e.errno)")
    assert did.stdout.data == b"28\n"


@pytest.mark.parametrize(("name", "times"), [("d" * 200, 100), ("d", 1900)])
def test_folders_deeper_than_a_path_can_name_are_side_effects_and_no_fault(place: Place, name: str, times: int) -> None:
    did = place.python(f"import os\nfor n in range({times}):\n  os.mkdir('{name}'); os.chdir('{name}')\nopen('bottom', 'w').close()")
    assert did.status.ok, did.stderr.data
    paths = changed(did)
    assert f"/workspace/{name}/{name}/{name}" in paths
    assert len(paths) > 10


def test_very_many_long_names_are_side_effects_and_no_fault(place: Place) -> None:
    did = place.python(
        "import os\nfor n in range(7):\n  os.mkdir('d' * 250); os.chdir('d' * 250)\n"
        "try:\n  for n in range(100000): open(f'{n:0250}', 'w').close()\nexcept OSError as e: print(e.errno)"
    )
    assert did.stdout.data == b"28\n"
    assert len(did.changes) > 1000


def test_a_daemon_ends_with_its_trial(place: Place) -> None:
    did = place.sh("setsid nohup sleep 87654321 >/dev/null 2>&1 & sleep 0.2; echo started")
    assert (did.status.ok, did.stdout.data) == (True, b"started\n")
    assert running("87654321") == []


def test_a_daemon_that_holds_the_output_open_does_not_hold_up_the_trial(place: Place) -> None:
    assert place.sh("sleep 87654322 & echo started").stdout.data == b"started\n"
    assert running("87654322") == []


def test_what_hangs_is_killed_with_its_whole_tree(place: Place) -> None:
    did = place.run("sh", "-c", "trap '' TERM INT HUP; echo hi; sleep 87654323 & sleep 87654323", timeout_s=1.0)
    assert (did.status, did.stdout.data) == (Status(End.TIMEOUT), b"hi\n")
    assert running("87654323") == []


def test_the_system_can_not_be_written_to(place: Place) -> None:
    did = place.sh(
        "for f in /x /etc/passwd /usr/bin/x /root/x /opt/tool/x /proc/sys/kernel/hostname; do echo > $f; done; rm -rf /usr/games /etc"
    )
    assert not did.status.ok
    assert did.changes == ()


def test_a_link_out_of_the_workspace_leads_to_the_sandbox_and_no_further(place: Place) -> None:
    fixture = Fixture((Entry("out", type="symlink", target="/tmp"), Entry("up", type="symlink", target="../../../../etc")))
    did = place.sh("echo x > out/file; echo x > up/file; cat up/shadow; cat ../../../../../etc/shadow; ls ../../..", fixture)
    assert changed(did) == {"/tmp/file": ("created", "file")}
    assert not Path("/tmp/file").exists()
    assert b"root:" not in did.stdout.data


def test_the_installation_can_not_be_deleted(place: Place) -> None:
    did = place.sh("rm -rf /opt/tool; chmod -R 777 /opt/tool; echo > /opt/tool/bin/tool; tool")
    assert did.stdout.data == b"/opt/tool/bin/tool \n"


def test_killing_the_parent_and_everything_else_harms_nobody(place: Place) -> None:
    did = place.sh("kill -9 $PPID; kill -9 1; kill -STOP 1; kill -TERM 1; kill -INT 1; echo alive; kill -9 -1; echo still")
    assert did.stdout.data == b"alive\nstill\n"
    assert did.status.ok


def test_neither_the_network_nor_the_hosts_loopback_is_reachable_but_its_own_is(place: Place) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        did = place.python(
            "import socket\n"
            f"for address in (('127.0.0.1', {port}), ('192.0.2.1', 80), ('10.255.255.53', 53)):\n"
            "  try: socket.create_connection(address, 2); print('reached')\n"
            "  except OSError as e: print(type(e).__name__)\n"
            "s = socket.socket(); s.bind(('127.0.0.1', 4711)); s.listen(); socket.create_connection(('127.0.0.1', 4711)); print('own')"
        )
    assert did.stdout.data.split() == [b"ConnectionRefusedError", b"OSError", b"OSError", b"own"]


def test_a_port_used_by_one_trial_is_free_in_the_next(place: Place) -> None:
    talk = (
        "import socket\ns = socket.socket(); s.bind(('127.0.0.1', 4712)); s.listen()\n"
        "c = socket.create_connection(('127.0.0.1', 4712)); a, _ = s.accept(); a.sendall(b'x'); a.close(); print(c.recv(9)); c.close()"
    )
    for _ in range(3):
        assert place.python(talk).stdout.data == b"b'x'\n"


def test_other_processes_can_not_be_seen_or_read(place: Place) -> None:
    did = place.sh("ls -d /proc/[0-9]*; cat /proc/1/environ /proc/1/cmdline; ls /proc/1/root/; cat /proc/1/mem")
    assert did.stdout.data == b"/proc/2\n" or set(did.stdout.data.split()) <= {b"/proc/2", b"/proc/3"}
    assert did.status == Status(End.EXIT, 1)


def test_there_are_no_capabilities_and_no_way_to_get_them(place: Place) -> None:
    did = place.sh("grep -E '^(CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t ' ' '")
    none = b"0000000000000000"
    assert did.stdout.data == b"".join(b"Cap%s: %s\n" % (name, none) for name in (b"Inh", b"Prm", b"Eff", b"Amb")) + (
        b"NoNewPrivs: 1\nSeccomp: 2\n"
    )


@pytest.mark.parametrize("flags", [0x10000000, 0x00020000, 0x40000000, 0x10000000 | 0x00020000])
def test_a_trial_can_not_make_namespaces(place: Place, flags: int) -> None:
    did = place.run(
        "python3", "-I", "-c", f"import ctypes, os; l = ctypes.CDLL(None, use_errno=True); print(l.unshare({flags}), ctypes.get_errno())"
    )
    assert did.stdout.data == b"-1 1\n", did.stderr
    cloned = place.run(
        "python3",
        "-I",
        "-c",
        f"import ctypes; l = ctypes.CDLL(None, use_errno=True); print(l.syscall(56, {flags} | 17, 0, 0, 0, 0), ctypes.get_errno())",
    )
    assert cloned.stdout.data == b"-1 1\n", cloned.stderr


def test_mounting_and_tracing_are_refused(place: Place) -> None:
    did = place.run(
        "python3",
        "-I",
        "-c",
        "import ctypes; l = ctypes.CDLL(None, use_errno=True)\n"
        "print(l.mount(b'none', b'/tmp', b'tmpfs', 0, None), ctypes.get_errno())\n"
        "print(l.ptrace(16, 1, 0, 0), ctypes.get_errno())\n"
        "print(l.chroot(b'/tmp'), ctypes.get_errno())",
    )
    assert did.stdout.data == b"-1 1\n-1 1\n-1 1\n", did.stderr


def test_open_descriptors_of_the_runner_are_not_inherited(place: Place) -> None:
    assert place.python("import os; print(sorted(os.listdir('/proc/self/fd')))").stdout.data == b"['0', '1', '2', '3']\n"
