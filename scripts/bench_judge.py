"""How fast are stored recordings judged? `python scripts/bench_judge.py`: one run, no sandbox, no network.

Two questions: 100,000 cases (the size of the paper's study) of stored recordings, from equal to wholly different; and fuzzy matching of
10 MB against 10 MB in the shapes that are hard for an edit distance. Prints a line for each; the last line is JSON. Times are seconds of
processor time of this one thread, so that what else runs on the machine counts little.
"""

from __future__ import annotations

import json
import random
import string
import time
from collections.abc import Callable

from clibench.evaluation.compare import Pair, exact_match, fuzzy_match
from clibench.evaluation.judge import judge_task
from clibench.evaluation.normalise import resolve
from clibench.evaluation.params import CompareParams
from clibench.evaluation.score import score_task
from clibench.evaluation.semantic_rules import RulesJudge
from clibench.recording import Change, End, Output, Recording, Status
from clibench.tasks.case import Case, Fixture
from clibench.tasks.task import Difficulty, Language, Oracle, Pattern, Task

CASES = 100_000
MEGABYTES = 10


def main() -> None:
    """Run both benchmarks."""
    draw = random.Random(2604)  # noqa: S311 - a benchmark
    judged = bench_cases(draw)
    pairs = {name: bench_pair(name, *make()) for name, make in _shapes(draw).items()}
    print(json.dumps({"cases": CASES, "judge_s": round(judged, 2), "fuzzy_10mb_s": pairs, "fuzzy_10mb_worst_s": max(pairs.values())}))


def bench_cases(draw: random.Random) -> float:
    """Seconds to judge and score `CASES` cases: 60 % equal, 10 % failing, 10 % wrong files, 20 % other output."""
    fixture = Fixture()
    oracle: dict[str, Recording] = {}
    actual: dict[str, Recording] = {}
    cases = []
    for number in range(CASES):
        name = f"p{number // 50:04}/{number % 50:02}"
        cases.append(Case(name, name.partition("/")[0], ("tool", str(number)), fixture.digest()))
        text = "".join(f"{_word(draw)}: {draw.randint(1, 999)}\n" for _ in range(20)).encode()
        oracle[name] = _ran(text)
        kind = draw.random()
        actual[name] = (
            oracle[name]
            if kind < 0.6
            else _ran(b"", code=1)
            if kind < 0.7
            else Recording(
                Status(End.EXIT), Output.of(text), Output.of(b""), (Change("/workspace/x", "created", "file", 0o644, 0, "0" * 64),)
            )
            if kind < 0.8
            else _ran(text.replace(b"a", b"e").replace(b"1", b"7"))
        )
    patterns = tuple(Pattern(name, name) for name in dict.fromkeys(case.pattern for case in cases))
    pin = Oracle("pypi", "x", "1", "x", "MIT", "", "")
    task = Task(
        "bench", "tool", Language.PYTHON, "", Difficulty.EASY, 1, pin, "", patterns, tuple(cases), {fixture.digest(): fixture}, oracle
    )
    started = time.process_time()
    verdicts = judge_task(task, actual, CompareParams(), RulesJudge())
    scores, _ = score_task(task, verdicts, True)
    took = time.process_time() - started
    print(f"{CASES} cases: {took:.2f} s (em {scores['em'].value:.3f}, fm {scores['fm'].value:.3f}, sm {scores['sm'].value:.3f})")
    return took


def bench_pair(name: str, expected: bytes, actual: bytes) -> float:
    """Seconds for EM and FM of one pair, normalisation included."""
    outputs = Output.of(expected), Output.of(actual)
    started = time.process_time()
    pair = Pair(*outputs, resolve(()))
    exact_match(pair)
    check = fuzzy_match(pair)
    took = time.process_time() - started
    print(f"{name:32} {len(expected) / 1e6:.1f} MB, {len(actual) / 1e6:.1f} MB: {took:.2f} s  pass={check.passed} {check.reason}")
    return round(took, 2)


def _shapes(draw: random.Random) -> dict[str, Callable[[], tuple[bytes, bytes]]]:
    size = MEGABYTES * 1_000_000
    lines = [f"{number} {_word(draw)} {_word(draw)} {draw.randint(0, 10**6)}" for number in range(size // 26)]
    text = "\n".join(lines).encode()[:size]
    noise = draw.randbytes(size).translate(bytes(65 + (code & 15) for code in range(256)))

    def edited(data: bytes, share: float) -> bytes:
        out = bytearray(data)
        for place in draw.sample(range(len(out)), int(len(out) * share)):
            out[place] = 88
        return bytes(out)

    def shifted(data: bytes, share: float) -> bytes:
        """Insertions and deletions at a share of places."""
        out, last = [], 0
        for place in sorted(draw.sample(range(len(data)), int(len(data) * share))):
            out.append(data[last:place] + (b"zz" if place & 1 else b""))
            last = place + (0 if place & 1 else 1)
        return b"".join([*out, data[last:]])

    def reordered() -> bytes:
        other = lines.copy()
        draw.shuffle(other)
        return "\n".join(other).encode()

    def some_lines(share: float) -> bytes:
        return "\n".join(line if draw.random() > share else _word(draw) * 4 for line in lines).encode()

    return {
        "one byte differs": lambda: (text, text[: size // 2] + b"#" + text[size // 2 + 1 :]),
        "one line inserted at the start": lambda: (text, b"header\n" + text[:-1] + b"~"),
        "10 % of lines differ": lambda: (text, some_lines(0.10)),
        "30 % of lines differ": lambda: (text, some_lines(0.30)),
        "lines in another order": lambda: (text, reordered()),
        "1 % of characters differ": lambda: (text, edited(text, 0.01)),
        "15 % of characters differ": lambda: (text, edited(text, 0.15)),
        "19 % of characters differ": lambda: (text, edited(text, 0.19)),
        "one long line, 5 % shifted": lambda: (noise, shifted(noise, 0.05)),
        "one long line, 12 % shifted": lambda: (noise, shifted(noise, 0.12)),
        "one long line, unrelated": lambda: (noise, noise[::-1]),
        "one long line, a block moved": lambda: (noise, noise[size // 20 :] + noise[: size // 20]),
        "one long line, a block in front": lambda: (noise, noise[size // 2 : size // 2 + size // 20] + noise[: -size // 20]),
        "the same short line": lambda: (b"yes\n" * (size // 4), b"no!\n" * (size // 4)),
        "few different lines": lambda: (b"yes\nno\n" * (size // 7), b"no\nyes\nno\n" * (size // 10)),
        "binary": lambda: (draw.randbytes(size), draw.randbytes(size)),
    }


def _ran(stdout: bytes, code: int = 0) -> Recording:
    return Recording(Status(End.EXIT, code), Output.of(stdout), Output.of(b""))


def _word(draw: random.Random) -> str:
    return "".join(draw.choices(string.ascii_lowercase, k=draw.randint(3, 10)))


if __name__ == "__main__":
    main()
