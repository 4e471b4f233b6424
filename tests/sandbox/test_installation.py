"""What surrounds an installation on both back ends."""

import io
import os
from pathlib import Path

import pytest

from clibench.errors import SandboxError
from clibench.sandbox.installation import CappedLog, copy_source


@pytest.mark.parametrize("step", [1, 3, 7, 100])
def test_a_long_log_keeps_its_beginning_and_its_end_and_says_what_is_missing(step: int) -> None:
    log = CappedLog(head=5, tail=4)
    data = b"0123456789abcdefghij"
    for start in range(0, len(data), step):
        log.add(data[start : start + step])
    assert log.content() == b"01234\n[... 11 bytes left out ...]\nghij"


@pytest.mark.parametrize("data", [b"", b"012", b"012345678"])
def test_a_short_log_is_kept_as_it_is(data: bytes) -> None:
    log = CappedLog(head=5, tail=4)
    log.add(data)
    assert log.content() == data


def test_a_log_is_read_to_the_end_of_its_stream(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"x" * 1000)
    log = CappedLog()
    with io.FileIO(os.open(tmp_path / "log", os.O_RDONLY)) as stream:
        log.read_all(stream)
    assert log.content() == b"x" * 1000


def test_a_source_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="can't be copied"):
        copy_source(tmp_path / "none", tmp_path / "copy")
