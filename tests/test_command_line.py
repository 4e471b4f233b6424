"""A typo found after an hour of work costs that hour: every wrong word is one line that names the right ones, before anything starts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import clibench
from clibench.__main__ import run
from clibench.arguments import in_order, with_agent
from clibench.digest import digest_bytes
from clibench.errors import UserError
from tests.pipeline.fakes import make_task, write_task

HEAVY = ("docker", "mlflow", "litellm", "pandas", "matplotlib", "scipy", "numpy", "pydantic", "rich", "jinja2")


@pytest.fixture
def tasks(tmp_path: Path) -> str:
    """The override that names a folder with one task."""
    write_task(tmp_path / "tasks", make_task())
    return f"tasks_dir={tmp_path / 'tasks'}"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit status and the one line on stderr; nothing may be on stdout."""
    status = run(arguments)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\n") and err.count("\n") == 1, err
    return status, err


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("model=gpd", "model=gpd: no such choice. Did you mean 'gpt'? Valid: claude, deepseek,"),
        ("framework=rplay", "Did you mean 'replay'?"),
        ("languag=go", "languag: unknown key. Did you mean 'language'? Valid: dataset,"),
        ("judge.fuzzy_treshold=0.9", "Did you mean 'fuzzy_threshold'?"),
        ("+judge.fuzzy_treshold=0.9", "judge.fuzzy_treshold: unknown key. Did you mean 'fuzzy_threshold'?"),
        ("+sandbox.limits.wall=9", "sandbox.limits.wall: unknown key. Did you mean 'wall_s'?"),
        ("tasks_dir=", "tasks_dir: is empty. Give it a value, or leave it out."),
        ("judge.fuzzy_threshold=high", "judge.fuzzy_threshold: Value 'high' of type 'str' could not be converted to Float"),
        ("judge.fuzzy_threshold=7", "fuzzy_threshold is 7.0. Give a number above 0 and up to 1."),
        ("judge.normalisers=[dat]", "unknown normaliser 'dat'. Did you mean 'date'?"),
        ("tracking.uri=mlruns", "tracking.uri: 'mlruns' is no address of an MLflow server or database. Write http://..."),
        ("judge.name=oracle", "judge.name: Invalid value 'oracle', expected one of [rules, llm]"),
        ("dry_run=perhaps", "dry_run: Value 'perhaps' is not a valid bool"),
        ("sandbox.backend=dokcer", "sandbox.backend: unknown value 'dokcer'. Did you mean 'docker'?"),
        ("sandbox.limits.wall_s=soon", "sandbox.limits.wall_s: Value 'soon'"),
        ("framework.submissions=x", "framework.submissions: unknown key"),
        ("nogroup/x=1", "nogroup/x: unknown key"),
        ("experiment=demo", "Write +experiment=demo."),
        ("+experiment=dema", "Did you mean 'demo'?"),
        ("model=[", "can't be read as key=value"),
        ("raport", "unknown verb 'raport'. Did you mean 'report'?"),
        ("--dryrun", "unknown flag '--dryrun'."),
        ("--cfg", "--cfg: needs a value."),
        ("tasks_dir=/nowhere", "tasks_dir=/nowhere: no such folder."),
        ("sandbox.limits.wall_s=nan", "sandbox.limits.wall_s: is nan. Give a finite number."),
        ("llm.timeout_s=inf", "llm.timeout_s: is inf. Give a finite number."),
        ("sandbox.limits.output_bytes=-1", "sandbox.limits.output_bytes: must be 0 or more, is -1"),
        ("retries=-1", "retries: must be 0 or more, is -1"),
        ("judge.workers=0", "judge.workers: must be 1 or more, is 0"),
        ("llm.concurrency=0", "llm.concurrency: must be 1 or more, is 0"),
        ("llm.retry.attempts=0", "llm.retry.attempts: must be 1 or more, is 0"),
        ("llm.budget.sweep_usd=-5", "llm.budget.sweep_usd: must be 0 or more, is -5"),
        ("model.price.prompt=-1", "model.price.prompt: must be 0 or more, is -1"),
        ("dataset.tasks=envsubst", "dataset.tasks: takes a list. Write 'dataset.tasks=[A]'"),
    ],
)
def test_a_wrong_word_is_one_line_and_exit_status_2(capsys: pytest.CaptureFixture[str], argument: str, message: str) -> None:
    status, line = said(capsys, argument)
    assert message in line
    assert status == 2


@pytest.mark.parametrize(
    "argument", ["framework=gold,repley", "dataset=sample,samples", "sandbox.workers=1,many", "sandbox.limits.wall_s=1,inf"]
)
def test_a_wrong_word_anywhere_in_a_sweep_stops_it_before_its_first_job(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, argument: str
) -> None:
    status, _ = said(capsys, "-m", argument, f"outputs={tmp_path / 'outputs'}")
    assert status == 2
    assert not (tmp_path / "outputs" / "store").exists()


def test_each_different_fault_of_a_sweep_has_a_line_of_its_own(capsys: pytest.CaptureFixture[str], tmp_path: Path, tasks: str) -> None:
    status = run(["-m", tasks, "dataset=full", "framework=replay", "framework.submissions=/nowhere/a,/nowhere/b", f"outputs={tmp_path}"])
    lines = capsys.readouterr().err.splitlines()
    assert status == 2
    assert [line.partition(":")[2].split(":")[0].strip() for line in lines] == [
        "framework.submissions=/nowhere/a",
        "framework.submissions=/nowhere/b",
    ]


def test_what_has_to_be_given_is_asked_for_by_its_key(capsys: pytest.CaptureFixture[str], tasks: str) -> None:
    assert said(capsys, "grade", "task=csvtojson") == (
        2,
        "clibench: submission: has no value. Give it on the command line: grade submission=...\n",
    )
    status, line = said(capsys, "framework=replay", tasks, "dataset=full")
    assert (status, "framework.submissions: has no value" in line) == (2, True)
    status, line = said(capsys, "framework=replay", tasks, "dataset=full", "framework.submissions=")
    assert (status, "framework.submissions: is empty" in line) == (2, True)


def test_outputs_that_cannot_be_written_are_a_clear_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, tasks: str) -> None:
    (tmp_path / "file").write_text("")
    for arguments in (["framework=null"], ["-m", "framework=gold,null"]):
        status, line = said(capsys, *arguments, tasks, "dataset=full", f"outputs={tmp_path / 'file'}")
        assert (status, "outputs=DIR" in line) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["synthesize", "registry=pypi", "package=sqlparse", "version=0.5.3", "out=FILE"],
        ["curate", "candidates=pypi:sqlparse@0.5.3", "destination=FILE/below"],
        ["report", "destination=FILE"],
    ],
)
def test_a_destination_that_cannot_be_written_is_told_before_the_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "file").write_text("")
    if words[0] == "report":
        (tmp_path / "outputs" / "results").mkdir(parents=True)
    given = [word.replace("FILE", str(tmp_path / "file")) for word in words]
    status, line = said(capsys, *given, f"outputs={tmp_path / 'outputs'}")
    assert (status, str(tmp_path) in line) == (2, True)


def test_a_folder_that_is_no_task_is_never_replaced_by_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "sqlparse").mkdir()
    (tmp_path / "sqlparse" / "thesis.tex").write_text("years of work")
    words = ["synthesize", "registry=pypi", "package=sqlparse", "version=0.5.3", f"out={tmp_path}", f"outputs={tmp_path / 'outputs'}"]
    status, line = said(capsys, *words)
    assert (status, "is there, and is no task" in line) == (2, True)


SPEC_BY_HAND = """\
version: '1'
task: {alias: oakmill, language: python, category: x}
oracle: {registry: pypi, name: PACKAGE, version: 0.5.3, entry: sqlformat, licence: BSD-3-Clause}
patterns:
- {id: plain, description: Plain use., argv: [a.sql]}
"""


@pytest.mark.parametrize(
    ("package", "trace", "reason"),
    [
        ("sqlparse", None, "holds a spec that a hand wrote or edited"),
        ("sqlparse", "0" * 64, "holds a spec that a hand wrote or edited"),
        ("other-tool", "its own", "holds the task of another package, pypi other-tool"),
    ],
)
def test_a_task_that_the_factory_did_not_make_of_this_package_is_not_replaced_by_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, package: str, trace: str | None, reason: str
) -> None:
    folder = tmp_path / "sqlparse"
    folder.mkdir()
    spec = SPEC_BY_HAND.replace("PACKAGE", package)
    (folder / "spec.yaml").write_text(spec)
    if trace is not None:
        digest = digest_bytes(spec.encode()) if trace == "its own" else trace
        (folder / "synthesis.json").write_text(json.dumps({"spec": digest}))
    words = ["synthesize", "registry=pypi", "package=sqlparse", "version=0.5.3", f"out={tmp_path}", f"outputs={tmp_path / 'outputs'}"]
    status, line = said(capsys, *words)
    assert (status, reason in line, "replace=true" in line) == (2, True, True)
    assert (folder / "spec.yaml").read_text() == spec


@pytest.mark.parametrize("word", ["entry=a/b", "entry='a(b'", "entry=a b", "alias=A_B", "alias=a/b"])
def test_a_name_that_a_spec_can_not_hold_is_told_before_the_work(capsys: pytest.CaptureFixture[str], tmp_path: Path, word: str) -> None:
    status, line = said(capsys, "synthesize", "registry=pypi", "package=sqlparse", "version=0.5.3", word, f"out={tmp_path}")
    assert (status, "is no name" in line, word.partition("=")[0] in line) == (2, True, True)


def test_the_extractor_goes_by_the_name_that_is_documented(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["synthesize", "registry=pypi", "package=sqlparse", "version=latest", f"out={tmp_path}"]
    status, line = said(capsys, *words, "extractor=rules+llm")
    assert (status, "latest" in line) == (2, True), "what is wrong is the version"
    status, line = said(capsys, *words, "extractor=both")
    assert (status, "rules+llm" in line) == (2, True)


@pytest.mark.parametrize("name", ["package=--help", "package=../../etc", "package=-r/etc/passwd", "package=/etc", "version=--pre"])
@pytest.mark.parametrize("registry", ["pypi", "npm", "go"])
def test_what_no_registry_can_have_never_reaches_its_client(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, registry: str, name: str
) -> None:
    words = {"package": "sqlparse", "version": "0.5.3", **dict([name.split("=")])}
    status, line = said(
        capsys, "synthesize", f"registry={registry}", *(f"{key}={value}" for key, value in words.items()), f"out={tmp_path}"
    )
    assert (status, "no " in line) == (2, True)


def test_a_loop_of_links_in_place_of_the_tasks_is_no_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for words in (["audit", "task=x", "mutants=0"], ["tasks", "dataset=full"]):
        assert said(capsys, *words, f"tasks_dir={tmp_path / 'a'}")[0] == 2


def test_flags_may_stand_anywhere() -> None:
    assert in_order(["a=1", "-m", "b=2", "--config-dir", "mine"]) == ["-m", "--config-dir", "mine", "a=1", "b=2"]
    with pytest.raises(UserError, match="unknown flag"):
        in_order(["--sweep"])


def test_the_framework_called_null_is_not_hydras_null() -> None:
    assert in_order(["framework=gold,null", "framework.x=null"]) == ["framework=gold,'null'", "framework.x=null"]


def test_the_version_is_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"clibench {clibench.__version__}\n"


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(verb in text for verb in ("run", "grade", "rescore", "report", "doctor", "tasks", "freeze", "curate"))


def test_printing_the_configuration_imports_nothing_heavy() -> None:
    code = (
        "import sys; from clibench.__main__ import run; status = run(['--cfg', 'job']);"
        f"print(status, sorted(set(sys.modules) & set({HEAVY!r})), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "0 []\n"
    assert "fuzzy_threshold: 0.8" in done.stdout


def test_a_folder_of_ones_own_adds_models_and_frameworks(tmp_path: Path, tasks: str) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "mine.yaml").write_text("name: mine\nid: openai/mine\nkey_env: MY_KEY\n")
    (tmp_path / "framework").mkdir()
    (tmp_path / "framework" / "careful.yaml").write_text("_target_: my_agents.Careful\nturns: 3\n")
    (tmp_path / "my_agents.py").write_text(
        "from dataclasses import dataclass\n"
        "from clibench.errors import MissingKeyError\n"
        "@dataclass(frozen=True)\n"
        "class Careful:\n"
        "    turns: int = 1\n"
        "    name = 'careful'\n"
        "    label = ''\n"
        "    uses_model = True\n"
        "    def check(self, tasks, known):\n"
        "        raise MissingKeyError(f'model needs MY_KEY, {self.turns} turns or not')\n"
        "    def identity(self, task): ...\n"
        "    def generate(self, task, workspace): ...\n"
        "@dataclass(frozen=True)\n"
        "class Half:\n"
        "    name = 'half'\n"
        "    def check(self, tasks, known): ...\n"
    )
    (tmp_path / "framework" / "half.yaml").write_text("_target_: my_agents.Half\n")
    here = [
        sys.executable,
        "-m",
        "clibench",
        "--config-dir",
        str(tmp_path),
        tasks,
        "dataset=full",
        f"outputs={tmp_path / 'outputs'}",
        "framework=careful",
    ]
    done = subprocess.run([*here, "model=mine"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "clibench: model needs MY_KEY, 3 turns or not\n")
    assert not (tmp_path / "outputs").exists()
    half = subprocess.run([*here[:-1], "framework=half", "model=mine"], capture_output=True, text=True, check=False)
    assert (half.returncode, "has no label, uses_model, identity, generate" in half.stderr) == (2, True), half.stderr
    typo = subprocess.run([*here, "framework.turn=4"], capture_output=True, text=True, check=False)
    assert (typo.returncode, "Did you mean 'turns'?" in typo.stderr) == (2, True)


def test_a_key_that_is_missing_is_named_once_for_each_model_of_a_sweep(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tasks: str
) -> None:
    for name in ("OPENAI_API_KEY", "MOONSHOT_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "framework").mkdir()
    (tmp_path / "framework" / "needy.yaml").write_text("_target_: tests.needy.Needy\n")
    sweep = ["-m", "--config-dir", str(tmp_path), "model=gpt,kimi", "framework=needy", "language=go,all", f"outputs={tmp_path / 'o'}"]
    status = run([*sweep, tasks, "dataset=full"])
    lines = capsys.readouterr().err.splitlines()
    assert status == 2
    assert len(lines) == 2
    assert "OPENAI_API_KEY" in lines[0]
    assert "kimi" in lines[1]


def test_a_model_alone_means_an_agent_that_asks_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tasks: str) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    status, line = said(capsys, "model=gpt", tasks, "dataset=full")
    assert status == 2
    assert "model 'gpt' needs a key and OPENAI_API_KEY is not set" in line


@pytest.mark.parametrize("words", [["model=none"], ["model=gpt", "framework=gold"], ["model=gpt", "+experiment=demo"], ["retries=1"]])
def test_a_framework_that_is_named_or_needs_no_model_is_left_alone(words: list[str]) -> None:
    assert with_agent(words) == words


def test_a_current_folder_that_is_gone_is_a_clear_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert said(capsys, "tasks") == (2, "clibench: the current folder is gone. Change to one that is there.\n")


def test_an_answer_that_a_full_disk_does_not_take_is_a_clear_line(tasks: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "clibench", "tasks", tasks, "dataset=full"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [
        "clibench: the answer: the disk is full. Free some space, then run the same command again: nothing finished is lost."
    ]


@pytest.mark.parametrize(
    ("verb", "told"),
    [
        ("freeze", "the same command starts anew"),
        ("synthesize", "the same command starts anew"),
        ("audit", "the same command goes on from here"),
    ],
)
def test_a_command_that_is_stopped_says_whether_it_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, verb: str, told: str
) -> None:
    def stop(arguments: Sequence[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("clibench.app.launch", stop)
    assert run([verb, "task=x"]) == 130
    assert told in capsys.readouterr().err
