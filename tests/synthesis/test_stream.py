"""The numbers of a stream are fixed for ever: another number would be another test case in a frozen task."""

from __future__ import annotations

from collections import Counter

import pytest

from clibench.synthesis.stream import Stream


def test_the_sequence_of_a_stream_is_the_one_that_it_was_when_tasks_were_frozen() -> None:
    stream = Stream("golden", 1)
    assert [stream.below(1000) for _ in range(8)] == [572, 984, 663, 140, 727, 836, 89, 709]
    assert stream.shuffled([1, 2, 3, 4, 5]) == [1, 3, 4, 2, 5]
    assert stream.child("x").below(10**12) == 699229793481


def test_labels_are_kept_apart() -> None:
    assert Stream("a", "bc").below(1 << 60) != Stream("ab", "c").below(1 << 60)


def test_a_child_does_not_move_its_parent() -> None:
    one, two = Stream("p"), Stream("p")
    one.child("c").below(1000)
    assert one.below(1 << 60) == two.below(1 << 60)


def test_numbers_fall_evenly_within_their_bounds() -> None:
    stream = Stream("even")
    counts = Counter(stream.between(3, 7) for _ in range(5000))
    assert set(counts) == {3, 4, 5, 6, 7}
    assert min(counts.values()) > 850
    assert 0.27 < sum(stream.chance(0.3) for _ in range(5000)) / 5000 < 0.33
    assert not any(stream.chance(0) for _ in range(100))
    assert all(stream.chance(1) for _ in range(100))
    assert stream.below(1) == 0


def test_nothing_can_be_drawn_from_nothing() -> None:
    with pytest.raises(ValueError, match="no number below 0"):
        Stream("x").pick([])
