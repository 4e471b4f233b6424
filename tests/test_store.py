"""A store that a killed or starved process left half-written gives wrong scores on resume, silently; here it is killed and starved."""

from __future__ import annotations

import ctypes
import gzip
import itertools
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import clibench.lock
import clibench.store
from clibench.digest import digest_bytes
from clibench.errors import OutputsError, StoreError
from clibench.store import Store, write_file

fork = multiprocessing.get_context("fork")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_a_blob_comes_back_as_it_was_and_is_compressed_at_rest(store: Store) -> None:
    data = bytes(range(256)) * 1000
    digest = store.put(data)
    assert store.get(digest) == data
    assert digest == digest_bytes(data)
    (file,) = (path for path in store.root.rglob("*") if path.is_file())
    assert file.stat().st_size < len(data) / 10
    assert gzip.decompress(file.read_bytes()) == data


def test_an_empty_blob_is_a_blob(store: Store) -> None:
    assert store.get(store.put(b"")) == b""


def test_equal_blobs_have_the_same_bytes_on_disk_in_any_store(tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        store = Store(tmp_path / name)
        store.put(b"the same")
        files += [path.read_bytes() for path in store.root.rglob("*.gz")]
    assert files[0] == files[1]


def test_a_missing_blob_says_what_to_do(store: Store) -> None:
    assert not store.has("0" * 64)
    with pytest.raises(StoreError, match="missing from the store.*Run the same command again"):
        store.get("0" * 64)


@pytest.mark.parametrize("damage", ["cut", "flip", "other", "empty", "text"])
def test_a_damaged_blob_is_never_returned_and_put_mends_it(store: Store, damage: str) -> None:
    data = random.Random(7).randbytes(5000)
    digest = store.put(data)
    (file,) = store.root.rglob("*.gz")
    packed = file.read_bytes()
    file.write_bytes(
        {
            "cut": packed[:-100],
            "flip": packed[:2000] + bytes([packed[2000] ^ 1]) + packed[2001:],
            "other": gzip.compress(b"something else", mtime=0),
            "empty": b"",
            "text": b"hello",
        }[damage]
    )
    with pytest.raises(StoreError, match="damaged.*Delete this file") as caught:
        store.get(digest)
    assert str(file) in caught.value.message
    store.put(data)
    assert store.get(digest) == data


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a\nb", "ü"])
def test_a_name_that_could_leave_the_store_is_refused(store: Store, name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        store.lookup("kind", name)
    with pytest.raises(ValueError, match="not a name"):
        store.finish(name, "key", {})
    with pytest.raises(ValueError, match="not a digest"):
        store.get(name)


def test_a_unit_is_done_once_it_is_finished_and_the_last_record_wins(store: Store) -> None:
    assert store.lookup("case", "k") is None
    store.finish("case", "k", {"outcome": "pass", "n": 1})
    store.finish("case", "k", {"n": 1, "outcome": "pass"})
    assert store.lookup("case", "k") == {"outcome": "pass", "n": 1}
    assert store.lookup("build", "k") is None
    store.finish("case", "k", {"outcome": "fail"})
    assert store.lookup("case", "k") == {"outcome": "fail"}


def test_a_unit_whose_blobs_are_gone_is_not_done(store: Store) -> None:
    refs = {"log": store.put(b"log"), "recordings": store.put(b"recordings")}
    store.finish("build", "k", {"refs": refs})
    assert store.lookup("build", "k") == {"refs": refs}
    next(store.root.rglob(f"{refs['log']}*")).unlink()
    assert store.lookup("build", "k") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"{}", b'{"_digest": "0", "n": 1}'])
def test_a_damaged_unit_record_names_its_file(store: Store, content: bytes) -> None:
    store.finish("build", "k", {})
    (file,) = store.root.rglob("k.json")
    file.write_bytes(content)
    with pytest.raises(StoreError, match="unit record is damaged.*Delete this file") as caught:
        store.lookup("build", "k")
    assert str(file) in caught.value.message


def test_a_unit_record_that_was_changed_is_found_though_it_is_well_formed(store: Store) -> None:
    store.finish("build", "k", {"ok": True, "score": 1})
    (file,) = store.root.rglob("k.json")
    file.write_bytes(file.read_bytes().replace(b'"score":1', b'"score":2'))
    with pytest.raises(StoreError, match="its content has another digest"):
        store.lookup("build", "k")


def test_a_unit_record_of_an_earlier_version_counts_as_done(store: Store) -> None:
    store.finish("build", "k", {})
    (file,) = store.root.rglob("k.json")
    file.write_bytes(b'{"ok":true}')
    assert store.lookup("build", "k") == {"ok": True}


def test_a_published_folder_is_whole_and_the_first_one_stays(store: Store, tmp_path: Path) -> None:
    assert store.folder("prefix", "k") is None
    with store.scratch("build") as scratch:
        first = scratch / "prefix"
        (first / "bin").mkdir(parents=True)
        (first / "bin" / "tool").write_text("one")
        (first / "bin" / "tool").chmod(0o755)
        (first / "bin" / "link").symlink_to("tool")
        placed = store.publish("prefix", "k", first)
    assert store.folder("prefix", "k") == placed
    assert (placed / "bin" / "link").readlink() == Path("tool")
    assert os.access(placed / "bin" / "tool", os.X_OK)

    second = tmp_path / "second"
    second.mkdir()
    (second / "other").write_text("two")
    assert store.publish("prefix", "k", second) == placed
    assert not second.exists()
    assert sorted(path.name for path in placed.iterdir()) == ["bin"]


def test_a_folder_of_another_file_system_is_published_too(store: Store) -> None:
    def publish(other: Path) -> None:
        source = other / "prefix"
        source.mkdir()
        (source / "file").write_text("content")
        store.publish("prefix", "k", source)
        assert not source.exists()

    on_a_small_disk(publish)
    placed = store.folder("prefix", "k")
    assert placed is not None
    assert (placed / "file").read_text() == "content"
    assert list((store.root / "scratch").iterdir()) == []


def test_scratch_is_gone_after_use_even_with_read_only_folders_in_it(store: Store) -> None:
    with pytest.raises(RuntimeError), store.scratch("build") as scratch:
        assert list(scratch.iterdir()) == []
        (scratch / "cache" / "deep").mkdir(parents=True)
        (scratch / "cache" / "deep" / "file").write_text("x")
        (scratch / "cache" / "deep").chmod(0o555)
        raise RuntimeError
    assert list((store.root / "scratch").iterdir()) == []


def test_the_sweep_takes_the_scratch_of_the_dead_and_leaves_that_of_the_living(store: Store) -> None:
    with child(_hold_scratch, store) as dead:
        folder = Path(dead.line())
        (store.root / "scratch" / "blob-x.part").write_bytes(b"half a blob")
        (folder / "content").write_text("x")
        with store.scratch("mine") as mine:
            assert store.sweep() == 1, "the half-written file of nobody"
            assert folder.is_dir(), "its owner lives"
            dead.kill()
            assert store.sweep() == 1
            assert not folder.exists()
            assert mine.is_dir()
    assert list((store.root / "scratch").iterdir()) == []
    assert store.sweep() == 0


def test_a_claim_is_held_by_one_process_and_passes_on_when_its_holder_is_killed(store: Store) -> None:
    with child(_hold_claim, store) as holder:
        assert holder.line() == "claimed"
        waiter = fork.Process(target=_claim_and_finish, args=(store,))
        waiter.start()
        assert store.lookup("unit", "k") is None, "the waiter must not be in yet"
        with store.claim("unit", "another"):
            pass
        holder.kill()
        waiter.join(60)
        assert waiter.exitcode == 0
    assert store.lookup("unit", "k") == {"by": waiter.pid}
    assert list((store.root / "locks" / "unit").iterdir()) == []


def test_many_processes_that_claim_one_unit_do_it_once(store: Store, tmp_path: Path) -> None:
    log = tmp_path / "log"
    workers = [fork.Process(target=_work_once, args=(store, log)) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 8
    assert sorted(log.read_text().split()) == sorted(f"unit-{n}" for n in range(20))


def test_many_processes_that_put_the_same_blobs_all_succeed(store: Store) -> None:
    workers = [fork.Process(target=_put_all, args=(store, seed)) for seed in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 6
    assert all(store.get(digest_bytes(data)) == data for data in _blobs(0))
    assert list((store.root / "scratch").iterdir()) == []


def test_a_process_killed_before_any_line_of_the_store_leaves_the_unit_done_or_not_done_and_can_be_repeated(tmp_path: Path) -> None:
    """A child does one unit and kills itself before the n-th line that it runs of the store, for every n that there is."""
    for n in itertools.count(1):
        store = Store(tmp_path / str(n))
        process = fork.Process(target=_do_one_unit_and_die_at_line, args=(store, n))
        process.start()
        process.join(60)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        _assert_nothing_is_half_there(store)
        store.sweep()
        assert list(tmp_path.glob(f"{n}/scratch/*")) == []
        _do_one_unit(store)
        _assert_nothing_is_half_there(store)
        assert store.lookup("unit", "k") is not None
    assert n > 100, "the store's lines were not counted"


def test_a_process_killed_at_random_moments_loses_no_finished_unit(store: Store) -> None:
    """The writer names each unit that it has finished; the kill comes in the middle of what it does next."""
    rng = random.Random(20261130)
    said: set[str] = set()
    for round_ in range(10):
        with child(_write_for_ever, store, round_) as writer:
            for _ in range(rng.randrange(1, 12)):
                said.add(writer.line())
            writer.kill()
            said |= set(writer.rest())
        store.sweep()
        assert list((store.root / "scratch").iterdir()) == []
        _assert_nothing_is_half_there(store)
        assert all(store.lookup("unit", unit) is not None for unit in said)


def _assert_nothing_is_half_there(store: Store) -> None:
    for file in store.root.glob("blobs/*/*"):
        store.get(file.name.removesuffix(".gz"))
    for folder in store.root.glob("folders/prefix/*"):
        assert len(list(folder.iterdir())) == 5, "a folder is there completely or not at all"
    for file in store.root.glob("units/unit/*"):
        record = store.lookup("unit", file.stem)
        assert record is not None, "a record implies what it refers to"
        assert len(store.get(record["refs"]["recordings"])) == record["size"]
        assert store.folder("prefix", file.stem) is not None


def test_a_full_disk_is_a_clear_error_and_loses_nothing() -> None:
    def fill(disk: Path) -> None:
        store = Store(disk / "store")
        kept = store.put(b"small")
        noise = random.Random(1)
        with pytest.raises(OutputsError, match="no space left.*Free some space") as caught:
            for _ in range(64):
                store.put(noise.randbytes(100_000))
        assert caught.value.exit_code == 2
        assert store.get(kept) == b"small"
        for file in (store.root / "blobs").rglob("*.gz"):
            store.get(file.name.removesuffix(".gz"))
        assert list((store.root / "scratch").iterdir()) == []

    on_a_small_disk(fill)


def test_a_file_size_limit_is_a_clear_error_and_loses_nothing(store: Store) -> None:
    before = store.put(b"before")
    limited = fork.Process(target=_put_under_file_size_limit, args=(store,))
    limited.start()
    limited.join(60)
    assert limited.exitcode == 0
    assert store.get(before) == b"before"
    assert len(list(store.root.rglob("*.gz"))) == 1


def test_outputs_that_cannot_be_written_are_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = Store(tmp_path / "file" / "store")
    actions: tuple[Callable[[], object], ...] = (
        lambda: store.put(b"x"),
        lambda: store.finish("unit", "k", {}),
        lambda: store.claim("unit", "k").__enter__(),
        lambda: store.scratch("build").__enter__(),
        lambda: store.publish("prefix", "k", tmp_path),
    )
    for action in actions:
        with pytest.raises(OutputsError, match="cannot be used.*outputs=DIR") as caught:
            action()
        assert caught.value.exit_code == 2


def test_a_read_only_folder_is_a_clear_error_and_can_still_be_read() -> None:
    def freeze(disk: Path) -> None:
        store = Store(disk / "store")
        digest = store.put(b"x")
        store.finish("unit", "k", {"refs": {"log": digest}})
        subprocess.run(["mount", "-o", "remount,bind,ro", str(disk)], check=True)
        with pytest.raises(OutputsError, match="read-only file system.*writable"):
            store.put(b"y")
        assert store.get(digest) == b"x"
        assert store.put(b"x") == digest
        assert store.lookup("unit", "k") == {"refs": {"log": digest}}
        store.finish("unit", "k", {"refs": {"log": digest}})

    on_a_small_disk(freeze)


def test_a_written_file_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    target = tmp_path / "results" / "job.json"
    write_file(target, b"a" * 100_000)
    workers = [fork.Process(target=_rewrite, args=(target, letter)) for letter in (b"b", b"c", b"d")]
    for worker in workers:
        worker.start()
    seen = set()
    while any(worker.is_alive() for worker in workers):
        data = target.read_bytes()
        assert len(data) == 100_000
        assert len(set(data)) == 1
        seen.add(data[:1])
    assert [worker.exitcode for worker in workers] == [0] * 3
    assert [path.name for path in target.parent.iterdir()] == ["job.json"]


# What the children do.


def _hold_scratch(store: Store) -> None:
    with store.scratch("build") as scratch:
        print(scratch, flush=True)
        signal.pause()


def _hold_claim(store: Store) -> None:
    with store.claim("unit", "k"):
        print("claimed", flush=True)
        signal.pause()


def _claim_and_finish(store: Store) -> None:
    with store.claim("unit", "k"):
        store.finish("unit", "k", {"by": os.getpid()})


def _work_once(store: Store, log: Path) -> None:
    for n in range(20):
        with store.claim("unit", f"unit-{n}"):
            if store.lookup("unit", f"unit-{n}") is None:
                with log.open("a") as stream:
                    stream.write(f"unit-{n}\n")
                store.finish("unit", f"unit-{n}", {"done": True})


def _blobs(seed: int) -> list[bytes]:
    blobs = [f"blob {n}".encode() * 500 for n in range(30)]
    random.Random(seed).shuffle(blobs)
    return blobs


def _put_all(store: Store, seed: int) -> None:
    for data in _blobs(seed):
        store.put(data)


def _do_one_unit(store: Store, unit: str = "k", data: bytes = b"recordings" * 1000) -> None:
    with store.claim("unit", unit), store.scratch("build") as scratch:
        refs = {"recordings": store.put(data)}
        prefix = scratch / "prefix"
        prefix.mkdir()
        for file in range(5):
            (prefix / f"file-{file}").write_bytes(data[:100])
        store.publish("prefix", unit, prefix)
        store.finish("unit", unit, {"refs": refs, "size": len(data)})


def _do_one_unit_and_die_at_line(store: Store, n: int) -> None:
    files = {clibench.store.__file__, clibench.lock.__file__, shutil.__file__}
    left = n

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    _do_one_unit(store)


def _write_for_ever(store: Store, seed: int) -> None:
    rng = random.Random(seed)
    for n in range(1_000_000):
        unit = f"unit-{seed}-{n}"
        _do_one_unit(store, unit, rng.randbytes(rng.randrange(1, 200_000)))
        print(unit, flush=True)


def _put_under_file_size_limit(store: Store) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    with pytest.raises(OutputsError, match="file too large.*nothing finished is lost"):
        store.put(random.Random(3).randbytes(50_000))


def _rewrite(target: Path, letter: bytes) -> None:
    for _ in range(100):
        write_file(target, letter * 100_000)


class Child:
    """A forked process that runs one function, whose stdout is read line by line, and that can be killed outright."""

    def __init__(self, pid: int, stdout: int) -> None:
        self._pid = pid
        self._stdout = os.fdopen(stdout)
        self._alive = True

    def line(self) -> str:
        line = self._stdout.readline()
        assert line.endswith("\n"), "the child ended early"
        return line.strip()

    def rest(self) -> list[str]:
        return [line.strip() for line in self._stdout if line.endswith("\n")]

    def kill(self) -> None:
        if self._alive:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._alive = False

    def close(self) -> None:
        self.kill()
        self._stdout.close()


@contextmanager
def child(function: Callable[..., None], *arguments: object) -> Iterator[Child]:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(write, 1)
            sys.stdout = os.fdopen(1, "w")
            function(*arguments)
        finally:
            os._exit(1)
    os.close(write)
    process = Child(pid, read)
    try:
        yield process
    finally:
        process.close()


def on_a_small_disk(function: Callable[[Path], None]) -> None:
    """Run `function` in a child on a file system of 1 MB that only the child sees, as root or, for other users, in a user namespace."""

    def inside() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        user, group = os.geteuid(), os.getegid()
        assert libc.unshare(_CLONE_NEWNS | (_CLONE_NEWUSER if user else 0)) == 0, os.strerror(ctypes.get_errno())
        if user:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"0 {user} 1")
            Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
            try:
                function(Path(folder))
            finally:
                subprocess.run(["umount", folder], check=True)

    process = fork.Process(target=inside)
    process.start()
    process.join(60)
    assert process.exitcode == 0, "see the child's traceback above"


_CLONE_NEWNS = 0x00020000
_CLONE_NEWUSER = 0x10000000


def test_scratch_nested_deeper_than_python_recurses_is_removed(deep_path: Path) -> None:
    with Store(deep_path).scratch("agent") as folder:
        here = os.open(folder, os.O_RDONLY)
        for _ in range(1900):
            os.mkdir("d", dir_fd=here)
            below = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(here)
    assert not folder.exists()
