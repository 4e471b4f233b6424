"""A submission that is wrong in one way is caught at the gate that is there for it, in every sandbox, and harms nobody.

The fear behind these tests: a wrong tool that passes (the benchmark flatters), and a tool that breaks the harness (read as somebody's
failure). Each tool below is the right one with one thing wrong; all are run on the same cases and compared with the right one's recordings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from clibench.evaluation.judge import judge_task
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic_rules import RulesJudge
from clibench.evaluation.verdict import Verdict
from clibench.recording import End, Recording
from clibench.sandbox.choose import make_sandbox
from clibench.sandbox.interface import Limits, Session, TrialFault
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.case import Case, Entry, Fixture
from clibench.tasks.task import Task
from tests.evaluation.samples import make_task

PLACES = ("docker/overlay", "docker/copy", "local/overlay")
FIXTURE = Fixture(
    (
        Entry("words.txt", content="".join(f"word {n:02} of the list\n" for n in range(20)).encode()),
        Entry("old.txt", content=b"old\n"),
        Entry("way-out", "symlink", target="/etc"),
    )
)

# The right tool: prints the lines in reverse, notes their number in a file with the executable bit, refuses what is not there.
HEAD = """#!/usr/bin/python3
import os, signal, socket, subprocess, sys, time
def lines():
    try:
        return open(sys.argv[1]).read().splitlines()[::-1]
    except OSError as error:
        sys.exit(f"cannot read: {error}")
def note(text, path="count.sh", mode=0o755):
    with open(path, "w") as stream:
        stream.write(text)
    os.chmod(path, mode)
found = lines()
"""
RIGHT = HEAD + "note(f'echo {len(found)}\\n')\nprint('\\n'.join(found))\n"
SHOW = "print('\\n'.join(found))\n"
NOTE = "note(f'echo {len(found)}\\n')\n"


@dataclass(frozen=True)
class Wrong:
    """One wrong tool, and the first gate that it must fail; None passes all."""

    script: str
    gate: str | None
    reject: bool = True
    """Whether it still refuses the case that the right tool refuses."""


WRONG: Mapping[str, Wrong] = {
    "crashes": Wrong(HEAD + "raise RuntimeError('oops')\n", "exec"),
    "dies-by-signal": Wrong(HEAD + "os.kill(os.getpid(), signal.SIGSEGV)\n", "exec"),
    "hangs": Wrong(HEAD + NOTE + SHOW + "sys.stdout.flush()\ntime.sleep(3600)\n", "exec"),
    "eats-memory": Wrong(HEAD + "x = bytearray(1 << 33)\nprint(len(x))\n", "exec"),
    "file-missing": Wrong(HEAD + SHOW, "sp"),
    "file-extra": Wrong(HEAD + NOTE + "note('x', 'more.txt', 0o644)\n" + SHOW, "sp"),
    "file-wrong": Wrong(HEAD + "note(f'echo {len(found) + 1}\\n')\n" + SHOW, "sp"),
    "file-mode": Wrong(HEAD + "note(f'echo {len(found)}\\n', mode=0o644)\n" + SHOW, "sp"),
    "file-deleted": Wrong(HEAD + NOTE + "os.remove('old.txt')\n" + SHOW, "sp"),
    "folder-instead": Wrong(HEAD + "os.mkdir('count.sh')\n" + SHOW, "sp"),
    "outside-workspace": Wrong(HEAD + NOTE + "note('x', '/tmp/elsewhere', 0o644)\n" + SHOW, "sp"),
    "in-home": Wrong(HEAD + NOTE + "note('x', os.path.expanduser('~/notes'), 0o644)\n" + SHOW, "sp"),
    "other-order": Wrong(HEAD + NOTE + "print('\\n'.join(reversed(found)))\n", "em"),
    "ten-percent": Wrong(HEAD + NOTE + "print('\\n'.join(line.replace('of', 'in') for line in found))\n", "em"),
    "not-utf-8": Wrong(HEAD + NOTE + "sys.stdout.buffer.write(b'\\xff\\xfe' + '\\n'.join(found).encode('utf-16'))\n", "em"),
    "silent": Wrong(HEAD + NOTE, "em"),
    "floods": Wrong(HEAD + NOTE + "for _ in range(100): sys.stdout.write('y' * (1 << 20))\n", "em"),
    "never-refuses": Wrong(RIGHT.replace("sys.exit(f", "print(f").replace('error}")', 'error}"); return []'), None, reject=False),
    "only-blanks-differ": Wrong(HEAD + NOTE + "print('\\n'.join(line.replace(' ', '   ') + ' ' for line in found))\n", None),
    "fork-bomb": Wrong(HEAD + "while True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n", "exec"),
    "fills-the-disk": Wrong(HEAD + "with open('big', 'wb') as s:\n    while True: s.write(b'x' * (1 << 20))\n", "exec"),
    "leaves-a-daemon": Wrong(
        HEAD + NOTE + "subprocess.Popen(['sh', '-c', 'sleep 0.3; echo late > late.txt; sleep 3600'])\n" + SHOW,
        None,
    ),
    "follows-a-link-out": Wrong(HEAD + NOTE + "open('way-out/passwd', 'a').write('x')\n" + SHOW, "exec"),
    "deletes-itself": Wrong(HEAD + NOTE + "subprocess.run(['rm', '-rf', '/opt/tool'], stderr=subprocess.DEVNULL)\n" + SHOW, None),
    "tries-the-network": Wrong(HEAD + NOTE + "socket.create_connection(('192.0.2.1', 80), 3)\n" + SHOW, "exec"),
}
# A tool that shoots at its parent may fail or pass; it must not become a fault of the harness.
PARENT_KILLER = HEAD + NOTE + "try:\n    os.kill(os.getppid(), signal.SIGKILL)\nexcept OSError:\n    pass\n" + SHOW

CASES = tuple(
    Case(f"p/{number:02}", "p", ("tool", *argv), FIXTURE.digest(), timeout_s=timeout_s)
    for number, (argv, timeout_s) in enumerate(((("words.txt",), 20.0), (("nowhere.txt",), 20.0)), start=1)
)


def recordings(session: Session, tool: str, timeout_s: float | None = None) -> dict[str, Recording | TrialFault]:
    """What `tool` does on the cases."""
    cases = [replace(case, argv=(tool, *case.argv[1:]), timeout_s=timeout_s or case.timeout_s) for case in CASES]
    return {case.id: outcome for case, outcome in session.run(cases, {FIXTURE.digest(): FIXTURE})}


@dataclass
class Bench:
    """An open session and the task that the right tool makes."""

    session: Session
    task: Task

    def judge(self, tool: str, timeout_s: float | None = None) -> tuple[Verdict, Verdict]:
        """Verdicts on the case that the right tool accepts, and on the one that it refuses."""
        accepted, refused = judge_task(self.task, recordings(self.session, tool, timeout_s), CompareParams(), RulesJudge())
        return accepted, refused


@pytest.fixture(scope="module", params=PLACES)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """All tools in one installation, in one of the sandboxes."""
    backend, isolation = request.param.split("/")
    prefix: Path = tmp_path_factory.mktemp("prefix")
    (prefix / "bin").mkdir()
    scripts = {"right": RIGHT, "kills-its-parent": PARENT_KILLER} | {name: wrong.script for name, wrong in WRONG.items()}
    for name, script in scripts.items():
        (prefix / "bin" / name).write_text(script)
        (prefix / "bin" / name).chmod(0o755)
    prefix.chmod(0o755)
    sandbox = make_sandbox(SandboxConfig(backend=backend, isolation=isolation))
    limits = Limits(memory_mb=256, processes=48, disk_mb=32)
    with sandbox.open(language="any", prefix=prefix, limits=limits, workers=2) as session:
        oracle = {name: outcome for name, outcome in recordings(session, "right").items() if isinstance(outcome, Recording)}
        assert len(oracle) == len(CASES)
        assert [oracle[case.id].status.ok for case in CASES] == [True, False]
        task = replace(make_task(oracle, fixture=FIXTURE), cases=CASES)
        yield Bench(session, task)
    sandbox.close()


def first_failure(verdict: Verdict) -> str | None:
    """The first of the paper's gates that did not pass."""
    return next((metric for metric in ("exec", "sp", "em") if verdict.passed(metric) is not True), None)


def test_the_right_tool_passes_every_gate(bench: Bench) -> None:
    accepted, refused = bench.judge("right")

    assert [accepted.passed(metric) for metric in ("exec", "sp", "em", "fm", "sm")] == [True] * 5
    assert refused.passed("reject") is True


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_tool_is_caught_at_its_gate_and_the_next_trial_is_clean(bench: Bench, name: str) -> None:
    accepted, refused = bench.judge(name, timeout_s=4.0 if name in ("hangs", "fork-bomb") else None)

    assert not accepted.infra, accepted.infra
    assert not refused.infra, refused.infra
    assert first_failure(accepted) == WRONG[name].gate, accepted.checks
    assert refused.passed("reject") is WRONG[name].reject, refused.checks
    test_the_right_tool_passes_every_gate(bench)


def test_a_tool_that_kills_its_parent_is_no_fault_of_the_harness(bench: Bench) -> None:
    accepted, _ = bench.judge("kills-its-parent")

    assert not accepted.infra
    test_the_right_tool_passes_every_gate(bench)


def test_ten_percent_of_difference_is_close_enough_for_fm_and_wrong_for_sm(bench: Bench) -> None:
    accepted, _ = bench.judge("ten-percent")

    assert accepted.passed("fm") is True
    assert accepted.passed("sm") is False


def test_a_hundred_megabytes_are_counted_and_cut(bench: Bench) -> None:
    outcome = recordings(bench.session, "floods")["p/01"]

    assert isinstance(outcome, Recording)
    assert outcome.status.ok
    assert outcome.stdout.truncated
    assert outcome.stdout.size == 100 << 20


def test_the_ends_of_a_process_are_told_apart(bench: Bench) -> None:
    ends = {}
    for name in ("crashes", "dies-by-signal", "hangs"):
        outcome = recordings(bench.session, name, timeout_s=4.0)["p/01"]
        assert isinstance(outcome, Recording)
        ends[name] = outcome.status.end

    assert ends == {"crashes": End.EXIT, "dies-by-signal": End.SIGNAL, "hangs": End.TIMEOUT}
