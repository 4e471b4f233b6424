"""Through the whole application: an agent on the scripted server delivers a tool, it is graded, and every bill is the same one.

The command-line agents of the suite are one of eight; scripts/check_agents.py drives all.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow.parquet
import pytest

from clibench.generation.tryout import Tried, try_out
from clibench.llm.models import NO_KEY
from clibench.outcome import Outcome

TASKS = Path(__file__).parents[2] / "tasks"
pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all: a tool that was graded once is not graded again."""
    return tmp_path_factory.mktemp("app")


def check(tried: Tried, jobs: int, tasks: int) -> None:
    """Everything was delivered, built, graded and paid for once."""
    assert tried.status == 0, tried.said
    rows = [task for job in tried.jobs for task in job.tasks]
    assert (len(tried.jobs), len(rows)) == (jobs, jobs * tasks)
    for row in rows:
        assert row.outcome in (Outcome.PASS, Outcome.FAIL)
        assert row.scores["build"].value == 1.0
        assert (row.scores["sm"].value or 0.0) > 0.5, row.reason
    assert tried.attempts[0] == tried.attempts[1]
    for name, bill in tried.bills.items():
        assert bill.agrees(tried.bills["server"]), (name, tried.bills)


def opened(path: Path) -> bytes:
    """The bytes of a file, and what they hold where they are packed."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        return data + gzip.decompress(data)
    if data[:4] == b"PAR1":
        return data + repr(pyarrow.parquet.read_table(path).to_pylist()).encode()
    return data


def test_a_sweep_of_two_models_and_two_frameworks_needs_no_key_for_a_server_on_this_machine(
    outputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = "sk-planted-0123456789"
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("MOONSHOT_API_KEY", planted)
    tasks = ["envsubst", "files-to-prompt"]
    tried = try_out("mini_swe_agent,single_shot", tasks, TASKS, outputs, model="gpt,kimi", arguments=["-m"])
    check(tried, jobs=4, tasks=2)
    assert {(job.model, job.framework) for job in tried.jobs} == {
        (model, framework) for model in ("gpt", "kimi") for framework in ("mini_swe_agent", "single_shot")
    }
    assert tried.attempts[0] == 4 * 1 + 4 * 2 + 2 * 2, "an answer a single shot, two an agent, and a refusal a task for each key"
    assert tried.keys == {NO_KEY, planted}, "a key that there is is used, and where it is used it is nowhere else:"
    holding = [path for path in outputs.rglob("*") if path.is_file() and planted.encode() in opened(path)]
    assert holding == []
    assert any(b"envsubst" in opened(path) for path in outputs.rglob("*.db")), "MLflow's database can be searched like this"


@pytest.mark.parametrize("framework", ["codex"])
def test_a_command_line_agent_delivers_a_tool_that_is_graded_and_its_bills_agree(framework: str, outputs: Path) -> None:
    check(try_out(framework, ["envsubst"], TASKS, outputs), jobs=1, tasks=1)
