"""How far two annotators agree: Cohen's kappa, by statsmodels, and the candidates on which they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clibench.curation.decisions import Vote


@dataclass(frozen=True)
class Agreement:
    """Of the candidates that both judged."""

    n: int
    agreement: float
    """Share on which they agree."""
    kappa: float
    low: float
    high: float
    """95 % interval (normal approximation, Fleiss, Cohen and Everitt 1969)."""
    differing: tuple[str, ...]


def agreement(first: Mapping[str, Vote], second: Mapping[str, Vote]) -> Agreement:
    """Raises ValueError where no candidate has both votes. Kappa is 1 where both always give one and the same answer."""
    import numpy as np
    from statsmodels.stats.inter_rater import cohens_kappa

    both = sorted(first.keys() & second.keys())
    if not both:
        raise ValueError("no candidate has the votes of both annotators")
    differing = tuple(name for name in both if first[name].accept != second[name].accept)
    share = 1 - len(differing) / len(both)
    counts = [[sum((first[n].accept, second[n].accept) == (a, b) for n in both) for b in (True, False)] for a in (True, False)]
    if not differing and (counts[0][0] == 0 or counts[1][1] == 0):
        return Agreement(len(both), share, 1.0, 1.0, 1.0, differing)
    with np.errstate(invalid="ignore", divide="ignore"):  # its test statistic, which is not used, has no value where all chance agrees
        found = cohens_kappa(counts)
    return Agreement(len(both), share, float(found.kappa), float(found.kappa_low), float(found.kappa_upp), differing)
