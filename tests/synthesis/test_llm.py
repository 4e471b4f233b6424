"""Schema and fuzz specs by a model, on a server that plays a script: what the help doesn't say is refused, what fails goes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clibench.errors import InfraError, UserError
from clibench.llm.ledger import Ledger
from clibench.llm.models import ModelConfig
from clibench.llm.scripted import Fault, Script, ScriptedServer, Scripts, Turn
from clibench.llm.scripted.script import When
from clibench.llm.settings import LlmSettings, ModelSettings, RetrySettings
from clibench.synthesis.factory import RejectedError, Wish, synthesize
from clibench.synthesis.help.rules import RulesExtractor
from clibench.synthesis.llm.ask import make_client, open_client
from clibench.synthesis.llm.extract import LlmExtractor, MergedExtractor
from clibench.tasks.load import load_task
from tests.synthesis.fake_tool import COUNT, SORT, FactorySandbox

WISH = Wish("pypi", "some-tool", "1.0", cases=8, runs=2, least_patterns=1)

ROOT_ANSWER = {"commands": [{"name": "sort"}, {"name": "teleport"}]}
SORT_ANSWER = {
    "summary": "Sort the lines of a file.",
    "options": [
        {"names": ["-r", "--reverse"], "help": "reverse the order"},
        {"names": ["--limit"], "metavar": "N"},
        {"names": ["--colour"], "metavar": "WHEN"},
    ],
    "positionals": [{"name": "file", "min": 0}],
}
PLAIN = {
    "description": "Sort lines from standard input.",
    "argv": ["sort"],
    "stdin": "{text}\n{text#2}\n",
    "params": {"text": ["b", "a", "c", "d"]},
}
BROKEN = {"description": "Sort a file, backwards.", "argv": ["sort", "-r", "gone.txt"], "params": {}}
MENDED = {
    "description": "Sort a file, backwards.",
    "argv": ["sort", "-r", "in.txt"],
    "files": {"in.txt": "{text}\n{text#2}\nz\n"},
    "params": {"text": ["b", "a", "c", "d"]},
}


def said(*answers: object) -> tuple[Turn, ...]:
    return tuple(Turn(text=json.dumps(answer)) for answer in answers)


def scripted(*patterns: Turn, root: tuple[Turn, ...] = said(ROOT_ANSWER)) -> Scripts:
    """A model that knows the tool's help, and answers a question for patterns with these turns."""
    return Scripts(
        scripts=(
            Script(name="patterns", when=When(text="You write fuzz specs"), turns=patterns or said({"patterns": [PLAIN]})),
            Script(name="sort", when=When(text="Command: [a-z]+ sort"), turns=said(SORT_ANSWER)),
            Script(name="root", turns=root),
        )
    )


def model_of(server: ScriptedServer) -> ModelConfig:
    return ModelConfig(name="scripted", id="custom_openai/scripted", base_url=server.url)


def extractor_on(server: ScriptedServer, folder: Path, attempts: int = 1, timeout_s: float = 60.0) -> LlmExtractor:
    settings = LlmSettings(retry=RetrySettings(attempts=attempts, first_wait_s=0.0, max_wait_s=0.0), timeout_s=timeout_s)
    return LlmExtractor(make_client(model_of(server), Ledger(folder / "ledger.jsonl"), settings, task="t", cache_dir=folder / "cache"))


def made(server: ScriptedServer, folder: Path, mode: str = "llm") -> dict[str, object]:
    client = extractor_on(server, folder).client
    synthesize(WISH, folder / "lines", FactorySandbox(), mode=mode, client=client)
    trace: dict[str, object] = json.loads((folder / "lines" / "synthesis.json").read_text())
    return trace


def test_an_option_that_the_help_does_not_have_is_refused_and_reported(tmp_path: Path) -> None:
    with ScriptedServer(scripted()) as server:
        asked = extractor_on(server, tmp_path)
        command = asked.extract("slt sort", SORT)
    assert [option.names for option in command.options] == [("-r", "--reverse"), ("--limit",)]
    assert asked.report.refused == ["slt sort: the help has no option --colour"]
    assert command.positionals[0].min == 0


def test_a_task_is_made_by_a_model_alone(tmp_path: Path) -> None:
    with ScriptedServer(scripted(*said({"patterns": [PLAIN, BROKEN]}, {"patterns": [MENDED]}))) as server:
        trace = made(server, tmp_path)
        told = [request["messages"][-2]["content"] for request in server.requests if len(request["messages"]) > 3]
    task = load_task(tmp_path / "lines")
    assert {case.argv[1:3] for case in task.cases if "-r" in case.argv} == {("sort", "-r")}
    assert len(task.patterns) == 2
    assert trace["refused"] == ["fernwhistle: the help has no command teleport", "fernwhistle sort: the help has no option --colour"]
    assert any("No such file or directory: 'gone.txt'" in text for text in told), "the oracle's message goes back to the model"


def test_a_second_run_asks_nothing_and_gives_the_same_bytes(tmp_path: Path) -> None:
    with ScriptedServer(scripted()) as server:
        made(server, tmp_path)
        first = {path.name: path.read_bytes() for path in (tmp_path / "lines").iterdir()}
        asked = len(server.requests)
        made(server, tmp_path)
        assert len(server.requests) == asked
    assert {path.name: path.read_bytes() for path in (tmp_path / "lines").iterdir()} == first
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert {line["scope"]["purpose"] for line in lines} == {"synthesize"}
    assert {line["outcome"] for line in lines} == {"ok", "replayed"}


@pytest.mark.parametrize("turn", [Turn(text="I can't read that."), Turn(text='{"options": "none"}'), Turn(refusal=True, text="no")])
def test_without_a_usable_answer_the_rules_have_the_word(turn: Turn, tmp_path: Path) -> None:
    with ScriptedServer(Scripts.of(turn)) as server:
        asked = extractor_on(server, tmp_path)
        merged = MergedExtractor(RulesExtractor(), asked).extract("slt count", COUNT)
    assert merged == RulesExtractor().extract("slt count", COUNT)
    assert len(asked.report.abstained) == 1


@pytest.mark.parametrize("turn", [Turn(text="no JSON here"), Turn(refusal=True, text="no")])
def test_a_model_that_writes_no_patterns_makes_no_task(turn: Turn, tmp_path: Path) -> None:
    with ScriptedServer(scripted(turn)) as server, pytest.raises(RejectedError, match="no command succeeded"):
        made(server, tmp_path)


def test_patterns_that_are_no_spec_go_back_with_their_fault(tmp_path: Path) -> None:
    wrong = {"description": "Wrong.", "argv": ["sort", "{nothing}"]}
    with ScriptedServer(scripted(*said({"patterns": [wrong]}, {"patterns": [PLAIN]}))) as server:
        made(server, tmp_path)
        told = json.dumps([request["messages"] for request in server.requests])
    assert "unknown parameter 'nothing'" in told
    assert len(load_task(tmp_path / "lines").patterns) == 1


def test_rate_limits_and_time_outs_are_tried_again(tmp_path: Path) -> None:
    limited = Turn(text=json.dumps(SORT_ANSWER), fault=Fault(kind="rate_limit", times=2))
    with ScriptedServer(Scripts.of(limited)) as server:
        assert extractor_on(server, tmp_path, attempts=4).extract("slt sort", SORT).options


@pytest.mark.parametrize("kind", ["rate_limit", "server_error", "cut"])
def test_a_model_that_can_not_be_reached_is_an_error_and_nothing_is_guessed(kind: str, tmp_path: Path) -> None:
    turn = Turn(text="{}", fault=Fault(kind=kind, times=-1))  # type: ignore[arg-type]
    with ScriptedServer(Scripts.of(turn)) as server, pytest.raises(InfraError):
        made(server, tmp_path, "rules+llm")
    assert not (tmp_path / "lines").exists()


def test_a_model_that_falls_silent_is_an_error_after_the_time_out(tmp_path: Path) -> None:
    turn = Turn(text="{}", fault=Fault(kind="stall", times=-1))
    with ScriptedServer(Scripts.of(turn)) as server, pytest.raises(InfraError):
        extractor_on(server, tmp_path, timeout_s=1.0).extract("slt sort", SORT)


def test_rules_and_model_are_merged_and_their_differences_told(tmp_path: Path) -> None:
    answer = {"options": [{"names": ["--words"], "metavar": "N"}, {"names": ["--by"], "metavar": "WHAT", "choices": ["line"]}]}
    with ScriptedServer(Scripts(scripts=(Script(name="all", turns=said(answer)),))) as server:
        asked = extractor_on(server, tmp_path)
        merged = MergedExtractor(RulesExtractor(), asked).extract("slt count", COUNT)
    assert {option.name for option in merged.options} == {"--help", "--words", "--by", "--output"}
    differences = "\n".join(asked.report.differences)
    assert "of --words, a value: rules False, model True" in differences
    assert "of --by, the choices: rules ('line', 'char'), model ('line',)" in differences
    assert "only the rules have --output" in differences


def test_both_together_make_a_task_with_the_patterns_of_both(tmp_path: Path) -> None:
    with ScriptedServer(scripted(root=said({"commands": [{"name": "count"}, {"name": "sort"}, {"name": "pick"}]}))) as server:
        trace = made(server, tmp_path, "rules+llm")
    used = {word for case in load_task(tmp_path / "lines").cases for word in case.argv}
    assert {"--words", "--reverse", "pick"} <= used
    assert trace["extractor"] == "rules+llm"
    assert trace["differences"]


def test_a_model_has_to_be_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a model is needed"):
        open_client(ModelSettings(), LlmSettings(), tmp_path, "t")
