"""What a trial did is recorded as it was: ends, streams and side effects, in every sandbox alike."""

from __future__ import annotations

import hashlib
import os
import signal
from dataclasses import replace

from clibench.recording import End, Status
from clibench.sandbox.runner import pack, unpack
from clibench.tasks.case import Entry, Fixture
from tests.sandbox.conftest import PLACES, Opener, Place, changed, files

TREE = Fixture(
    (
        Entry("a.txt", content=b"alpha\n"),
        Entry("tool.sh", content=b"#!/bin/sh\n", mode=0o755),
        Entry("folder/one", content=b"1"),
        Entry("folder/deep/two", content=b"2"),
        Entry("empty", type="dir"),
        Entry("link", type="symlink", target="a.txt"),
        Entry("~/.config", content=b"x"),
    )
)


def test_exit_code_signal_timeout_and_out_of_memory_are_four_different_ends(place: Place) -> None:
    assert place.sh("exit 7").status == Status(End.EXIT, 7)
    assert place.sh("kill -SEGV $$").status == Status(End.SIGNAL, signal.SIGSEGV)
    assert place.sh("kill -KILL $$").status == Status(End.SIGNAL, signal.SIGKILL)
    assert place.run("sleep", "1000", timeout_s=0.5).status == Status(End.TIMEOUT)
    assert place.python("bytearray(1 << 30)").status == Status(End.OOM)


def test_memory_counts_for_all_processes_of_the_trial_together(place: Place) -> None:
    each = "import os, time\nfor _ in range(3): os.fork()\nblock = bytearray(os.urandom(1 << 10) * (60 << 10)); time.sleep(1000)"
    assert place.python(each).status == Status(End.OOM)


def test_a_program_that_is_not_there_ends_as_in_a_shell(place: Place) -> None:
    missing = place.run("no-such-tool")
    assert (missing.status, missing.stderr.data) == (Status(End.EXIT, 127), b"no-such-tool: No such file or directory\n")
    assert place.run("./a.txt", fixture=TREE).status == Status(End.EXIT, 126)


def test_the_installation_comes_first_on_the_path(place: Place) -> None:
    assert place.run("tool", "é", "").stdout.data == "/opt/tool/bin/tool é \n".encode()


def test_created_modified_and_deleted_entries_are_the_side_effects(place: Place) -> None:
    did = place.sh(
        "echo beta > a.txt; chmod -x tool.sh; rm -r folder; mkdir -p new/sub; echo n > new/sub/n; ln -s nowhere sym; rm link; mkfifo pipe; "
        "echo t > /tmp/t; echo h >> ~/.config",
        TREE,
    )
    assert did.status.ok, did.stderr
    assert changed(did) == {
        "/home/user/.config": ("modified", "file"),
        "/tmp/t": ("created", "file"),
        "/workspace/a.txt": ("modified", "file"),
        "/workspace/folder": ("deleted", "dir"),
        "/workspace/folder/deep": ("deleted", "dir"),
        "/workspace/folder/deep/two": ("deleted", "file"),
        "/workspace/folder/one": ("deleted", "file"),
        "/workspace/link": ("deleted", "symlink"),
        "/workspace/new": ("created", "dir"),
        "/workspace/new/sub": ("created", "dir"),
        "/workspace/new/sub/n": ("created", "file"),
        "/workspace/pipe": ("created", "fifo"),
        "/workspace/sym": ("created", "symlink"),
        "/workspace/tool.sh": ("modified", "file"),
    }
    by_path = {change.path: change for change in did.changes}
    assert (by_path["/workspace/a.txt"].content, by_path["/workspace/a.txt"].mode) == (b"beta\n", 0o644)
    assert by_path["/workspace/tool.sh"].mode == 0o644
    assert by_path["/workspace/sym"].target == "nowhere"
    assert by_path["/workspace/new/sub/n"].sha256 == hashlib.sha256(b"n\n").hexdigest()


def test_a_file_rewritten_with_the_same_bytes_is_no_change(place: Place) -> None:
    did = place.sh("echo alpha > a.txt; touch folder/one; cp a.txt b; mv b a.txt; touch folder/x; rm folder/x; chmod 755 tool.sh", TREE)
    assert did.changes == ()


def test_a_folder_is_not_modified_by_what_happens_in_it(place: Place) -> None:
    assert changed(place.sh("touch folder/deep/three", TREE)) == {"/workspace/folder/deep/three": ("created", "file")}


def test_a_replaced_folder_shows_what_is_gone_and_what_came(place: Place) -> None:
    did = place.sh("rm -r folder; mkdir -p folder/deep; printf 1 > folder/one; echo > folder/new", TREE)
    assert changed(did) == {"/workspace/folder/deep/two": ("deleted", "file"), "/workspace/folder/new": ("created", "file")}


def test_a_folder_of_the_fixture_can_be_renamed(place: Place) -> None:
    did = place.python("import os; os.rename('folder', 'moved')", TREE)
    assert did.status.ok, did.stderr
    assert changed(did) == {
        "/workspace/folder": ("deleted", "dir"),
        "/workspace/folder/deep": ("deleted", "dir"),
        "/workspace/folder/deep/two": ("deleted", "file"),
        "/workspace/folder/one": ("deleted", "file"),
        "/workspace/moved": ("created", "dir"),
        "/workspace/moved/deep": ("created", "dir"),
        "/workspace/moved/deep/two": ("created", "file"),
        "/workspace/moved/one": ("created", "file"),
    }


def test_a_file_can_become_a_folder_and_a_folder_a_file(place: Place) -> None:
    did = place.sh("rm a.txt; mkdir a.txt; touch a.txt/in; rm -r folder; touch folder; rm link; echo > link", TREE)
    assert changed(did) == {
        "/workspace/a.txt": ("modified", "dir"),
        "/workspace/a.txt/in": ("created", "file"),
        "/workspace/folder": ("modified", "file"),
        "/workspace/folder/deep": ("deleted", "dir"),
        "/workspace/folder/deep/two": ("deleted", "file"),
        "/workspace/folder/one": ("deleted", "file"),
        "/workspace/link": ("modified", "file"),
    }


def test_names_and_output_that_are_not_utf8_are_kept_byte_for_byte(place: Place) -> None:
    did = place.python(r"import os, sys; open(b'n\xff\n', 'wb').write(b'\x00\xfe'); os.write(1, b'\xff\x00\r\n'); os.write(2, b'\xc3')")
    assert (did.stdout.data, did.stderr.data) == (b"\xff\x00\r\n", b"\xc3")
    assert [(change.path, change.content) for change in did.changes] == [(os.fsdecode(b"/workspace/n\xff\n"), b"\x00\xfe")]


def test_a_large_standard_input_arrives_whole_while_output_is_written(place: Place) -> None:
    data = os.urandom(1 << 20) * 9
    did = place.run("cat", stdin=data)
    assert (did.status.ok, did.stdout.size, did.stdout.sha256) == (True, len(data), hashlib.sha256(data).hexdigest())
    assert did.stdout.truncated
    assert did.stdout.data == data[: len(did.stdout.data)]


def test_a_program_may_leave_its_input_unread(place: Place) -> None:
    assert place.run("true", stdin=bytes(1 << 22)).status.ok


def test_a_hundred_megabytes_of_output_are_counted_and_hashed_but_not_kept(place: Place) -> None:
    did = place.run("head", "-c", "100000000", "/dev/zero")
    digest = hashlib.sha256()
    for _ in range(100):
        digest.update(bytes(1_000_000))
    assert (did.status.ok, did.stdout.size, did.stdout.truncated) == (True, 100_000_000, True)
    assert did.stdout.sha256 == digest.hexdigest()
    assert len(did.stdout.data) == 1 << 20


def test_large_and_sparse_files_are_recorded_without_their_content(place: Place) -> None:
    did = place.sh("head -c 1000000 /dev/zero > big; truncate -s 1T holes")
    big, holes = did.changes
    assert (big.size, big.content, big.sha256) == (1_000_000, None, hashlib.sha256(bytes(1_000_000)).hexdigest())
    assert (holes.size, holes.content, holes.sha256) == (1 << 40, None, None)


def test_all_sandboxes_record_the_same(open_place: Opener) -> None:
    scripts = (
        "cat *; ls -A . folder ~ / /tmp /var/tmp /dev /sys; id; umask; hostname; pwd; env | sort | grep -v ^PATH",
        "stat -c '%A %U:%G %Y %n' /workspace /home/user *; stat -c %Y / /home /tmp /etc/passwd; stat -c %s a.txt; readlink link",
        "for f in /etc/x /x /root/x /opt/tool/x /dev/x /proc/x; do echo x > $f; done; ls /root; mkdir /opt/y; true",
        "echo $$ $PPID; ls -d /proc/[0-9]*; cat /etc/passwd /etc/hosts /etc/hostname; test -t 0; echo $?; wc -c",
        "mv folder f2; mv f2/deep . && ln a.txt hard; cp -a link l2; rm -r f2; chmod 600 a.txt; mkdir -m 700 new; stat -c %h hard l2",
        "touch /tmp/x /var/tmp/y /dev/shm/z; mv /tmp/x /workspace/moved; sleep 100 & kill $!; echo done",
    )
    for script in scripts:
        expected = open_place(PLACES[0]).sh(script, TREE)
        for name in PLACES[1:]:
            recording = open_place(name).sh(script, TREE)
            assert recording.stdout.data.decode() == expected.stdout.data.decode(), (name, script)
            assert recording.stderr.data.decode() == expected.stderr.data.decode(), (name, script)
            assert replace(recording, resources=expected.resources) == expected, (name, script)


def test_a_system_folder_refuses_with_the_same_error_wherever_an_overlay_or_a_container_is(open_place: Opener) -> None:
    for name in ("docker/overlay", "docker/copy", "local/overlay"):
        assert open_place(name).sh("echo > /usr/x").stderr.data == b"sh: 1: cannot create /usr/x: Permission denied\n", name
    assert b"Read-only file system" in open_place("local/copy").sh("echo > /usr/x").stderr.data


def test_a_trial_does_not_see_what_the_one_before_it_did(place: Place) -> None:
    place.sh("rm -rf * ~/.config; touch left /tmp/left /var/tmp/left /dev/shm/left", TREE)
    after = place.sh("cat a.txt ~/.config; ls -A . /tmp /var/tmp /dev/shm", TREE)
    assert after.stdout.data == (b"alpha\nx.:\na.txt\nempty\nfolder\nlink\ntool.sh\n\n/dev/shm:\n\n/tmp:\n\n/var/tmp:\n")


def test_frames_carry_any_bytes_and_any_text() -> None:
    message = {"n": 1, "data": b"\x00\xff", "more": [b"", b"x"], "path": "\udcff", "env": {"$b": "text"}}
    assert unpack(pack(message)) == message


def test_files_written_by_the_fixture_helper_are_plain(place: Place) -> None:
    assert place.run("cat", "x", fixture=files(x=b"\xff")).stdout.data == b"\xff"
