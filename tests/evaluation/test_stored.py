"""What a job leaves in the store must come back exactly, or a report would show, and a re-score judge, something that never happened."""

from __future__ import annotations

import pytest

from clibench.errors import StoreError
from clibench.evaluation.stored import (
    decode_cases,
    decode_recordings,
    decode_verdicts,
    encode_cases,
    encode_recordings,
    encode_verdicts,
)
from clibench.evaluation.verdict import Check, Difference, Verdict
from clibench.recording import Change, End, Output, Recording, Resources, Status
from clibench.sandbox.interface import TrialFault
from clibench.tasks.case import Case, Entry, Fixture

NOT_UTF8 = b"\xff\xfe\x00 caf\xe9 \r\n\x1b[31m\x85\xe2\x80\xa8"


def test_recordings_come_back_as_they_were_faults_and_undecodable_bytes_included() -> None:
    recordings: dict[str, Recording | TrialFault] = {
        "p/02": TrialFault("runner died"),
        "p/01": Recording(
            Status(End.SIGNAL, 11),
            Output(NOT_UTF8, 10**9, "ab" * 32, truncated=True),
            Output.of("line separator \u2028 and next line \x85\n".encode()),
            (
                Change("/workspace/caf\udce9", "created", "file", 0o755, 3, "cd" * 32, None, NOT_UTF8),
                Change("/workspace/x", "deleted", "dir"),
            ),
            Resources(1.5, 0.25, 1024),
        ),
    }
    assert decode_recordings(encode_recordings(recordings)) == recordings


def test_the_blob_of_recordings_does_not_depend_on_the_order_in_which_trials_ended() -> None:
    one, two = Recording(Status(End.EXIT), Output.of(b"1"), Output.of(b"")), TrialFault("x")
    assert encode_recordings({"a": one, "b": two}) == encode_recordings({"b": two, "a": one})


def test_verdicts_come_back_in_their_order() -> None:
    checks = {
        "exec": Check(True),
        "em": Check(False, "differs", 0.5, Difference("stdout:3", "a\u2028", "\udcff"), "exact/1"),
        "sm": Check(None),
    }
    verdicts = [Verdict("p/02", "p", True, checks), Verdict("p/01", "p", False, infra="disk full")]
    assert decode_verdicts(encode_verdicts(verdicts)) == verdicts


def test_cases_come_back_with_the_fixtures_that_they_use_and_no_others() -> None:
    used, unused = Fixture((Entry("a", content=NOT_UTF8), Entry("l", "symlink", target="a"))), Fixture(prepare=("git", "init"))
    cases = (
        Case("p/01", "p", ("tool", "\udcff", "--x"), used.digest(), NOT_UTF8, {"A": "b"}, "/workspace/d", 3.0),
        Case("p/00", "p", ("tool",), used.digest()),
    )
    stored = decode_cases(encode_cases(cases, {used.digest(): used, unused.digest(): unused}))
    assert stored.cases == cases
    assert stored.fixtures == {used.digest(): used}


@pytest.mark.parametrize("blob", [b"{", b"[]", b"{}", b'{"case":"p/01","recording":{"status":["gone",0]}}', b"\xff", b"null"])
def test_bytes_of_another_form_are_a_clear_error_that_names_the_line(blob: bytes) -> None:
    good = encode_recordings({"p/00": TrialFault("x")})
    with pytest.raises(StoreError, match="stored recordings, line 2: not readable"):
        decode_recordings(good + blob)
