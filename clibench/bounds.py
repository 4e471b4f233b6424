"""Bounds of numbers in the configuration: what nobody means is refused before any work starts. None is a bound that is not set."""

from __future__ import annotations

from collections.abc import Mapping

from clibench.errors import UserError


def refuse_less_than(least: int, numbers: Mapping[str, float | None]) -> None:
    """Raise UserError for the first number, by its key, that is below `least`."""
    for name, number in numbers.items():
        if number is not None and not number >= least:
            raise UserError(f"must be {least} or more, is {number}", where=name)


def refuse_up_to_0(numbers: Mapping[str, float | None]) -> None:
    """Raise UserError for the first number, by its key, that is not above 0."""
    for name, number in numbers.items():
        if number is not None and not number > 0:
            raise UserError(f"must be more than 0, is {number}", where=name)
