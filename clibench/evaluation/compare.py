"""Compare what two executions printed: exactly (EM) and by edit distance (FM).

Both are asked of one pair of comparable forms, so that an EM pass is an FM pass. The form of a text is what is left after the named
normalisers, without terminal escape sequences and blank lines, each line trimmed and its runs of blanks collapsed (paper II-C3:
whitespace normalisation). An output that is not UTF-8 or holds a NUL is binary: then both sides are compared byte by byte, since a tool
that writes binary data is right only when every byte is. Distances are counted in characters for texts, in bytes for binary data.

Outputs beyond the recorder's cap are cut. Two cut outputs are equal only when size and hash of the whole say so. Their similarity is that
of the parts that were kept, scaled by the ratio of the whole sizes, and the reason says so. Where the distance of huge texts is not decided
by proof (see `distance`), the reason says that too; the answer is then "fail".
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from clibench.evaluation.alignment import Text
from clibench.evaluation.distance import bounded_distance
from clibench.evaluation.excerpt import first_difference
from clibench.evaluation.normalise import Chain, collapse_whitespace, strip_ansi
from clibench.evaluation.params import VERSIONS
from clibench.evaluation.verdict import Check, Difference
from clibench.recording import Output


@dataclass(frozen=True)
class Pair:
    """Two outputs, ready to be compared."""

    expected: Output
    actual: Output
    chain: Chain

    @property
    def identical(self) -> bool:
        """The same bytes, whole, by size and hash."""
        return self.expected.size == self.actual.size and self.expected.sha256 == self.actual.sha256

    @property
    def cut(self) -> bool:
        """Not all bytes of both sides are here."""
        return self.expected.truncated or self.actual.truncated

    @cached_property
    def named(self) -> tuple[bytes, bytes]:
        """Both sides after the named normalisers."""
        return self.chain(_whole_characters(self.expected)), self.chain(_whole_characters(self.actual))

    @cached_property
    def binary(self) -> bool:
        """At least one side is no text."""
        return not all(_is_text(side) for side in self.named)

    @cached_property
    def forms(self) -> tuple[bytes, bytes]:
        """Both sides in comparable form."""
        expected, actual = self.named
        return (expected, actual) if self.binary else (text_form(expected), text_form(actual))

    @cached_property
    def difference(self) -> Difference | None:
        """Where they first part; None where they do not."""
        return first_difference("stdout", *self.named, binary=self.binary)

    def comparer(self, name: str, **parameters: object) -> str:
        """Name, version and parameters of a comparer, as verdicts show them."""
        return comparer_name(name, self.chain.names, **parameters)


@lru_cache(maxsize=1024)
def comparer_name(name: str, normalisers: tuple[str, ...], **parameters: object) -> str:
    """For example `fuzzy/1 threshold=0.8 normalisers=date/1`."""
    named = {**parameters, **({"normalisers": "+".join(normalisers)} if normalisers else {})}
    return " ".join([f"{name}/{VERSIONS[name]}", *(f"{key}={value}" for key, value in named.items())])


def text_form(data: bytes) -> bytes:
    """The comparable form of a text."""
    return collapse_whitespace(strip_ansi(data))


def exact_match(pair: Pair) -> Check:
    """EM: equal after whitespace is normalised."""
    comparer = pair.comparer("exact")
    if pair.identical:
        return Check(True, comparer=comparer)
    if pair.cut:
        return Check(False, f"stdout differs by size or hash ({_sizes(pair)})", difference=pair.difference, comparer=comparer)
    expected, actual = pair.forms
    if expected == actual:
        return Check(True, comparer=comparer)
    return Check(False, "stdout differs" + (" (compared as bytes)" if pair.binary else ""), difference=pair.difference, comparer=comparer)


def fuzzy_match(pair: Pair, threshold: float = 0.8) -> Check:
    """FM: a normalised Levenshtein similarity, 1 - distance / longer length, of at least `threshold` (paper: tau = 0.8)."""
    comparer = pair.comparer("fuzzy", threshold=threshold)
    if pair.identical:
        return Check(True, similarity=1.0, comparer=comparer)
    expected, actual = pair.forms
    whole = Fraction(1)
    notes = []
    if pair.cut:
        whole = Fraction(min(pair.expected.size, pair.actual.size), max(pair.expected.size, pair.actual.size))
        notes.append(f"judged on the part that was kept, scaled by size ({_sizes(pair)})")
    low, high, passed = _similarity(expected, actual, Fraction(str(threshold)), whole, binary=pair.binary)
    if passed is None:
        passed = False
        notes.append(f"not proved: the similarity is between {low:.3f} and {high:.3f}, exact distance takes too long at this size")
    if low == high:
        relation = f"similarity {low:.3f}"
    else:
        relation = f"similarity of at least {low:.3f}" if passed else f"similarity of at most {high:.3f}"
    reason = "; ".join([*([] if passed and low == high else [relation]), *notes])
    return Check(passed, reason, low if low == high or passed else high, None if passed else pair.difference, comparer)


def _similarity(expected: bytes, actual: bytes, threshold: Fraction, whole: Fraction, *, binary: bool) -> tuple[float, float, bool | None]:
    """Least and greatest similarity that the bounds leave open, and whether it reaches the threshold (None: they do not tell)."""
    if binary or (expected.isascii() and actual.isascii()):
        return _graded(expected, actual, threshold, whole)
    return _graded(expected.decode("utf-8"), actual.decode("utf-8"), threshold, whole)


def _graded(left: Text, right: Text, threshold: Fraction, whole: Fraction) -> tuple[float, float, bool | None]:
    longest = max(len(left), len(right))
    if longest == 0:
        return float(whole), float(whole), whole >= threshold
    # (1 - distance / longest) * whole >= threshold, in exact arithmetic.
    allowed = int((1 - threshold / whole) * longest) if whole >= threshold else -1
    bounds = bounded_distance(left, right, allowed)
    low, high = ((1 - distance / longest) * float(whole) for distance in (bounds.high, bounds.low))
    return low, high, bounds.decide(allowed)


def _is_text(data: bytes) -> bool:
    if b"\0" in data:
        return False
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _whole_characters(output: Output) -> bytes:
    """The kept bytes; of a cut output, without a UTF-8 character that the cut split."""
    data = output.data
    if output.truncated:
        for length in (1, 2, 3):
            if length <= len(data) and data[-length] >= 0xC0:
                wanted = 2 if data[-length] < 0xE0 else 3 if data[-length] < 0xF0 else 4
                return data[:-length] if length < wanted else data
    return data


def _sizes(pair: Pair) -> str:
    return ", ".join(
        f"{side}: {output.size} bytes" + (f", {len(output.data)} kept" if output.truncated else "")
        for side, output in (("expected", pair.expected), ("actual", pair.actual))
    )
