"""Real oracles of the three registries are pinned, installed from their lock alone, and run."""

from pathlib import Path

import pytest

from clibench.errors import TaskError
from clibench.evaluation.build import build_oracle
from clibench.recording import End, Recording
from clibench.sandbox.docker import DockerSandbox
from clibench.sandbox.interface import Limits
from clibench.sandbox.local import LocalSandbox
from clibench.synthesis.spec import OracleSpec
from clibench.tasks.case import Case, Fixture
from clibench.tasks.oracle_lock import lock_digest
from clibench.tasks.pin import pin_oracle
from clibench.tasks.task import Difficulty, Language, Oracle

TOMLJSON = "github.com/pelletier/go-toml/v2/cmd/tomljson"


def spec(registry: str, name: str, version: str) -> OracleSpec:
    return OracleSpec.model_validate(
        {"registry": registry, "name": name, "version": version, "entry": name.rpartition("/")[2], "licence": "MIT"}
    )


def pinned(sandbox: DockerSandbox, wanted: OracleSpec, language: Language) -> tuple[Oracle, int]:
    pin = pin_oracle(sandbox, wanted, language)
    digest = lock_digest(wanted.registry, pin.lock)
    return Oracle(wanted.registry, wanted.name, wanted.version, wanted.entry, wanted.licence, pin.lock, digest), pin.loc


@pytest.mark.parametrize(
    ("registry", "name", "version", "language", "difficulty", "others"),
    [
        ("pypi", "files-to-prompt", "0.6", Language.PYTHON, Difficulty.EASY, "click=="),
        ("npm", "dot-json", "1.3.0", Language.JAVASCRIPT, Difficulty.EASY, "node_modules/docopt"),
        ("go", TOMLJSON, "v2.4.3", Language.GO, Difficulty.HARD, "h1:"),
    ],
)
def test_an_oracle_is_installed_from_its_lock_and_answers_to_the_alias(
    docker_sandbox: DockerSandbox,
    tmp_path: Path,
    registry: str,
    name: str,
    version: str,
    language: Language,
    difficulty: Difficulty,
    others: str,
) -> None:
    oracle, loc = pinned(docker_sandbox, spec(registry, name, version), language)
    assert Difficulty.of(loc) is difficulty
    assert others in oracle.lock
    assert "://" not in oracle.lock

    built = build_oracle(docker_sandbox, language.value, oracle, "greet", tmp_path)
    assert built.ok, built.log
    fixture = Fixture()
    case = Case("a/00", "a", ("greet", "--help"), fixture.digest(), timeout_s=60.0)
    with docker_sandbox.open(language=language.value, prefix=tmp_path, limits=Limits(), workers=1) as session:
        ((_, result),) = session.run([case], {case.fixture: fixture})
    assert isinstance(result, Recording), result
    assert result.status.end is End.EXIT
    assert b"sage" in result.stdout.data or b"can be used" in result.stdout.data + result.stderr.data


def test_a_lock_serves_every_python_whichever_made_it(docker_sandbox: DockerSandbox, local_sandbox: LocalSandbox) -> None:
    """An oracle with compiled dependencies is pinned here, with this machine's pip, and installed there."""
    wanted = spec("pypi", "compute-wer", "0.2.5")
    locks = [pin_oracle(sandbox, wanted, Language.PYTHON).lock for sandbox in (local_sandbox, docker_sandbox)]
    assert locks[0] == locks[1]
    rapidfuzz = next(line for line in locks[0].splitlines() if line.startswith("rapidfuzz=="))
    assert rapidfuzz.count("--hash=") > 3


def test_an_artefact_that_is_not_the_one_in_the_lock_is_refused(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    lock = "files-to-prompt==0.6 --hash=sha256:" + "0" * 64 + "\n"
    oracle = Oracle("pypi", "files-to-prompt", "0.6", "files-to-prompt", "Apache-2.0", lock, lock_digest("pypi", lock))
    built = build_oracle(docker_sandbox, "python", oracle, "greet", tmp_path)
    assert not built.ok
    assert b"DO NOT MATCH THE HASHES" in built.log


def test_an_entry_that_the_oracle_does_not_install_is_named_with_what_there_is(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    oracle, _ = pinned(docker_sandbox, spec("npm", "dot-json", "1.3.0"), Language.JAVASCRIPT)
    wrong = Oracle(oracle.registry, oracle.name, oracle.version, "dotjson", oracle.licence, oracle.lock, oracle.digest)
    built = build_oracle(docker_sandbox, "javascript", wrong, "greet", tmp_path)
    assert built.reason == "the oracle's entry dotjson is not there after its installation, which created dot-json"


def test_a_go_library_is_told_from_a_command(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    oracle, _ = pinned(docker_sandbox, spec("go", "github.com/ghodss/yaml", "v1.0.0"), Language.GO)
    built = build_oracle(docker_sandbox, "go", oracle, "greet", tmp_path)
    assert not built.ok
    assert "is no program" in built.reason


def test_a_release_that_does_not_exist_is_told(docker_sandbox: DockerSandbox) -> None:
    with pytest.raises(TaskError, match="npm gives no dot-json 999.0.0"):
        pin_oracle(docker_sandbox, spec("npm", "dot-json", "999.0.0"), Language.JAVASCRIPT)
