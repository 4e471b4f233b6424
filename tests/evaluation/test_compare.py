"""EM and FM, and the distance behind FM: decided exactly where that is possible, and never silently where it is not."""

from __future__ import annotations

import random
from itertools import product

import pytest
from rapidfuzz.distance import Levenshtein

from clibench.evaluation import alignment, distance
from clibench.evaluation.compare import Pair, exact_match, fuzzy_match
from clibench.evaluation.distance import Bounds, bounded_distance
from clibench.evaluation.normalise import resolve
from clibench.recording import Output

from .samples import cut


def pair(expected: bytes, actual: bytes, *names: str) -> Pair:
    return Pair(Output.of(expected), Output.of(actual), resolve(names))


def em(expected: bytes, actual: bytes) -> bool | None:
    return exact_match(pair(expected, actual)).passed


@pytest.mark.parametrize(
    ("expected", "actual", "equal"),
    [
        (b"a b\nc\n", b"a  b \r\n\r\n c", True),
        (b"a b", b"a\nb", False),
        (b"ab", b"a b", False),
        (b"\x1b[32mok\x1b[0m\n", b"ok\n", True),
        (b"", b"\n \n", True),
        (b"a", b"A", False),
        ("é".encode(), "e\u0301".encode(), False),
        (b"\x00 \x00", b"\x00  \x00", False),
        (b"caf\xe9  x", b"caf\xe9 x", False),
    ],
)
def test_exact_match_ignores_whitespace_and_colours_of_texts_and_nothing_of_bytes(expected: bytes, actual: bytes, equal: bool) -> None:
    assert em(expected, actual) is equal
    assert em(actual, expected) is equal


def test_named_normalisers_apply_before_comparing() -> None:
    assert exact_match(pair(b"took 1.5s", b"took 20 ms", "duration")).passed is True


@pytest.mark.parametrize(
    ("expected", "actual", "similarity", "passed"),
    [(b"abcde", b"abcdX", 0.8, True), (b"abcd", b"abcX", 0.75, False), (b"", b"", 1.0, True), (b"a", b"", 0.0, False),
     ("ééééé".encode(), "ééééx".encode(), 0.8, True), (b"\xff\xff\xff\xff\xff", b"\xff\xff\xff\xff\xfe", 0.8, True)],
)  # fmt: skip
def test_fuzzy_match_counts_characters_of_texts_and_bytes_of_the_rest(
    expected: bytes, actual: bytes, similarity: float, passed: bool
) -> None:
    for check in (fuzzy_match(pair(expected, actual)), fuzzy_match(pair(actual, expected))):
        assert check.passed is passed
        assert check.similarity == pytest.approx(similarity)


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.6, 0.7, 0.8, 0.9])
def test_a_similarity_of_just_the_threshold_passes_whatever_floating_point_says(threshold: float) -> None:
    same = round(threshold * 10)
    expected, actual = b"a" * 10, b"a" * same + b"b" * (10 - same)
    assert fuzzy_match(pair(expected, actual), threshold).passed is True
    assert fuzzy_match(pair(expected, actual), threshold + 0.01).passed is False


def test_cut_outputs_are_scaled_by_their_whole_sizes_and_say_so() -> None:
    whole = b"line\n" * 1000
    check = fuzzy_match(Pair(cut(whole, 100), cut(whole + b"x" * 1250, 100), resolve(())))
    assert check.passed is True
    assert check.similarity == pytest.approx(0.8)
    assert "judged on the part that was kept" in check.reason
    assert fuzzy_match(Pair(cut(whole, 100), cut(whole + b"x" * 1251, 100), resolve(()))).passed is False
    assert exact_match(Pair(cut(whole, 100), cut(whole + b"x", 100), resolve(()))).passed is False


def test_a_cut_in_the_middle_of_a_character_does_not_make_a_text_binary() -> None:
    text = "é".encode() * 100
    assert Pair(cut(text, 51), cut(text + b"x", 51), resolve(())).binary is False


@pytest.mark.parametrize(
    ("expected", "actual", "where", "sides"),
    [
        (b"a\n\n b\nc\n", b"a\nb\nX\n", "stdout:4", ("c", "X")),
        (b"a\nb\n", b"a\n", "stdout:2", ("b", "<end of output>")),
        (b"a\n", b"a\nb\n", "stdout:end", ("<end of output>", "b")),
        (b"", b"x", "stdout:end", ("<end of output>", "x")),
        (b"a\tb", b"a c\x07", "stdout:1", ("a b", "a c\\x07")),
        (b"a\r\nb", b"a\r\nc", "stdout:2", ("b", "c")),
        (b"\x00\x01", b"\x00\x02", "stdout:byte 1", ("\\x00\\x01", "\\x00\\x02")),
    ],
)
def test_the_first_difference_names_line_and_both_sides(expected: bytes, actual: bytes, where: str, sides: tuple[str, str]) -> None:
    difference = exact_match(pair(expected, actual)).difference
    assert difference is not None
    assert (difference.where, difference.expected, difference.actual) == (where, *sides)


def test_a_long_line_is_shown_around_its_first_difference() -> None:
    difference = exact_match(pair(b"x" * 5000 + b"A" + b"y" * 5000, b"x" * 5000 + b"B" + b"y" * 5000)).difference
    assert difference is not None
    assert difference.expected.startswith("…xxx")
    assert "A" in difference.expected
    assert "B" in difference.actual
    assert max(len(difference.expected), len(difference.actual)) <= 202


def edited(text: str, share: float, draw: random.Random) -> str:
    """`text` with a share of its characters replaced, removed or doubled."""
    out = []
    for char in text:
        kind = draw.random()
        out.append(char if kind > share else draw.choice(("", "#", char * 2)))
    return "".join(out)


def huge_pairs() -> list[tuple[str, str]]:
    draw = random.Random(7)
    lines = [f"{number} {draw.randint(0, 10**9)}" for number in range(200)]
    shuffled = draw.sample(lines, len(lines))
    noise = "".join(draw.choices("abcd", k=3000))
    texts = [
        "\n".join(lines),
        "\n".join(shuffled),
        "\n".join(lines[25:]),
        noise,
        noise[::-1],
        noise[1500:] + noise[:1500],
        "yes\n" * 1500,
        "no\n" * 2000,
    ]
    return [*product(texts, texts), *((text, edited(text, share, draw)) for text in texts for share in (0.02, 0.15, 0.25, 0.5))]


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_bounds_of_huge_texts_hold_and_never_decide_against_the_exact_distance(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    # Limits as small as if these few kilobytes were many megabytes: every way through the approximation is taken.
    for name, value in (("REPORT_CELLS", 100), ("EXACT_CELLS", 1000)):
        monkeypatch.setattr(distance, name, value)
    for name, value in (("SMALL", 1 << 12), ("WINDOW", 64), ("SAMPLE", 1 << 8)):
        monkeypatch.setattr(alignment, name, value)
    decided = 0
    for a, b in huge_pairs():
        exact = Levenshtein.distance(a, b)
        allowed = int(share * max(len(a), len(b)))
        for bounds in (bounded_distance(a, b, allowed), bounded_distance(a.encode(), b.encode(), allowed)):
            assert bounds.low <= exact <= bounds.high
            assert bounds.decide(allowed) in (exact <= allowed, None)
            decided += bounds.decide(allowed) is not None
    assert decided > 0.6 * 2 * len(huge_pairs())


def test_texts_of_moderate_size_are_always_decided_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distance, "REPORT_CELLS", 100)
    for a, b in huge_pairs():
        exact = Levenshtein.distance(a, b)
        for allowed in (exact - 1, exact, exact + 1):
            assert bounded_distance(a, b, allowed).decide(allowed) is (exact <= allowed)


def test_an_undecided_similarity_fails_and_says_that_it_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clibench.evaluation.compare.bounded_distance", lambda *_: Bounds(1, 9))
    check = fuzzy_match(pair(b"abcdefghij", b"abcdefghiX"))
    assert check.passed is False
    assert "not proved: the similarity is between 0.100 and 0.900" in check.reason


def test_an_alignment_follows_insertions_in_text_without_lines() -> None:
    draw = random.Random(3)
    text = "".join(draw.choices("abcdefgh", k=200_000))
    other = edited(text, 0.04, draw)
    cost = alignment.aligned_cost(text, other, len(text) // 5)
    assert cost <= 1.1 * Levenshtein.distance(text, other)
