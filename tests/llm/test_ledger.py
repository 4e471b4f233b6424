"""The ledger: money that was spent is never lost, torn or counted twice, whoever writes at once."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from clibench.errors import StoreError
from clibench.llm.ledger import Ledger, Line, Scope, now
from clibench.llm.tokens import Tokens

LINE = Line("c", 1, now(), Scope("s", "j", "t", "r"), "m", "p/m", "openai_chat", "ok", Tokens(10, 4, 0, 5, 2), 0.5, None, 0.1)


def _write_many(path: Path, job: str) -> None:
    ledger = Ledger(path)
    for number in range(200):
        ledger.append(replace(LINE, id=f"{job}-{number}", scope=Scope("s", job, "t", "r"), detail="x" * 300))


def test_lines_of_several_processes_at_once_are_all_there_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    workers = [multiprocessing.get_context("spawn").Process(target=_write_many, args=(path, f"j{number}")) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    ledger = Ledger(path)
    assert ledger.totals().calls == 600
    assert ledger.damaged == 0
    assert [ledger.totals("job", Scope("s", f"j{number}")).calls for number in range(3)] == [200, 200, 200]


def test_sums_keep_the_parts_of_prompt_and_completion_apart(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append(LINE)
    ledger.append(replace(LINE, outcome="rate_limit", tokens=Tokens(), cost_usd=0.0))
    ledger.append(replace(LINE, attempt=2))
    totals = ledger.totals("run", LINE.scope)
    assert (totals.calls, totals.attempts, totals.failed) == (2, 3, 1)
    assert (totals.prompt_tokens, totals.cached_tokens, totals.completion_tokens, totals.reasoning_tokens) == (20, 8, 10, 4)
    assert totals.cost_usd == 1.0


def test_an_unknown_price_makes_the_sum_unknown_and_not_smaller(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append(LINE)
    ledger.append(replace(LINE, cost_usd=None))
    assert ledger.totals().cost_usd is None
    assert ledger.totals().known_usd == 0.5


def test_a_line_cut_short_by_a_kill_costs_no_other_line_and_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "ledger.jsonl"
    Ledger(path).append(LINE)
    with path.open("ab") as stream:
        stream.write(b'{"id": "half')
    reader = Ledger(path)
    assert reader.totals().calls == 1
    Ledger(path).append(LINE)
    assert reader.totals().calls == 2
    assert reader.damaged == 1
    assert "ledger.jsonl: lines that can't be read, and are in no sum: 1" in caplog.text
    assert len(list(reader.lines())) == 2


def test_a_full_disk_is_a_store_error_that_says_what_is_missing() -> None:
    with pytest.raises(StoreError, match="last model call is not in it"):
        Ledger(Path("/dev/full")).append(LINE)
