"""The one-call baseline: files come out of whatever form the answer has, and nothing leaves the workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from clibench.errors import InfraError
from clibench.generation.single_shot import files_of, write_files
from clibench.llm.scripted import Fault, ScriptedServer, Scripts, Turn
from clibench.llm.settings import BudgetSettings, LlmSettings
from clibench.outcome import Outcome
from tests.generation.support import FILES, QUICK, TASK, WRITE, agent_on, workspace_in


def test_one_call_becomes_a_repository_with_its_bill_and_trajectory(tmp_path: Path, outputs: Path) -> None:
    workspace = workspace_in(tmp_path)
    with ScriptedServer(Scripts.of(WRITE)) as server:
        generation = agent_on(server, outputs, "single_shot").generate(TASK, workspace)
        served = server.totals()
    assert generation.outcome is Outcome.PASS
    assert {path.name: path.read_text() for path in workspace.iterdir()} == FILES
    assert (generation.usage.steps, generation.usage.prompt_tokens, generation.usage.completion_tokens) == (
        1,
        served["prompt_tokens"],
        served["completion_tokens"],
    )
    assert generation.usage.cost_usd == pytest.approx((served["prompt_tokens"] + 2 * served["completion_tokens"]) / 1e6)
    assert generation.trajectory is not None
    assert [step["source"] for step in generation.trajectory["steps"]] == ["user", "agent"]
    assert TASK.prompt in generation.trajectory["steps"][0]["message"]


@pytest.mark.parametrize(
    ("turn", "note"),
    [
        (Turn(text="I can't help with that.", refusal=True), "the answer holds no file (content_filter); zero files"),
        (Turn(text='<file path="a.py">\nprint(1)\n</file>\n<file path="b.py">\nprin', cut_at=60), "cut off at its length limit"),
        (Turn(text='<file path="../evil">x</file><file path="ok">y</file>'), "not written, outside the workspace: ../evil"),
        (Turn(text=""), "zero files"),
    ],
)
def test_an_answer_that_is_less_than_a_repository_is_graded_and_told(turn: Turn, note: str, tmp_path: Path, outputs: Path) -> None:
    with ScriptedServer(Scripts.of(turn)) as server:
        generation = agent_on(server, outputs, "single_shot").generate(TASK, workspace_in(tmp_path))
    assert generation.outcome is Outcome.PASS
    assert note in generation.reason
    assert not (tmp_path / "evil").exists()


def test_a_provider_that_fails_is_an_infrastructure_fault_and_no_zero(tmp_path: Path, outputs: Path) -> None:
    never = Turn(text="x", fault=Fault(kind="rate_limit", times=-1))
    with ScriptedServer(Scripts.of(never)) as server, pytest.raises(InfraError, match="rate_limit"):
        agent_on(server, outputs, "single_shot").generate(TASK, workspace_in(tmp_path))


@pytest.mark.parametrize("level", ["call", "task"])
def test_a_spent_budget_of_the_call_or_task_is_the_agent_s_limit(level: str, tmp_path: Path, outputs: Path) -> None:
    llm = LlmSettings(retry=QUICK, budget=BudgetSettings(**{f"{level}_tokens": 0}))
    with ScriptedServer(Scripts.of(WRITE)) as server:
        agent = agent_on(server, outputs, "single_shot", llm=llm)
        generation = agent.generate(TASK, workspace_in(tmp_path))
        assert agent.identity(TASK) != agent_on(server, outputs, "single_shot").identity(TASK), "a raised budget is another generation"
    assert generation.outcome is Outcome.AGENT_LIMIT
    assert f"the budget of this {level}" in generation.reason


@pytest.mark.parametrize("level", ["task", "job", "sweep"])
def test_a_budget_that_earlier_work_has_spent_is_missing_and_not_tried_again_at_once(level: str, tmp_path: Path, outputs: Path) -> None:
    llm = LlmSettings(retry=QUICK, budget=BudgetSettings(**{f"{level}_tokens": 1}))
    with ScriptedServer(Scripts.of(WRITE)) as server:
        agent_on(server, tmp_path, "single_shot", job="spent").generate(TASK, workspace_in(tmp_path))
        with pytest.raises(InfraError, match=f"the budget of this {level}") as caught:
            agent_on(server, tmp_path, "single_shot", llm=llm, job="spent").generate(TASK, workspace_in(tmp_path / "again"))
        assert len(server.calls) == 1
    assert not caught.value.passing


@pytest.mark.parametrize(
    "text",
    [
        '<file path="src/a.py">\nprint("```")\n</file>\n\n<file path="README.md">\n```\nuse\n```\n</file>',
        'Here:\n\nsrc/a.py\n~~~python\nprint("```")\n~~~\n\n**README.md**\n~~~\n```\nuse\n```\n~~~\n',
        '### `src/a.py`\n````python\nprint("```")\n````\nFile: README.md\n````\n```\nuse\n```\n````\n',
    ],
)
def test_files_are_found_in_the_forms_that_models_use(text: str) -> None:
    assert files_of(text) == {"src/a.py": 'print("```")\n', "README.md": "```\nuse\n```\n"}


def test_a_path_that_is_a_file_and_a_folder_at_once_is_refused_not_fatal(tmp_path: Path) -> None:
    written, refused = write_files({"a": "1", "a/b": "2", "/abs": "3", "": "4", "c\0d": "5"}, tmp_path)
    assert (written, refused) == (["a"], ["a/b", "/abs", "", "c\0d"])
