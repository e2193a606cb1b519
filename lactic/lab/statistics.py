"""Numbers with their uncertainty: Wilson intervals for shares, bootstrap over episodes for everything else."""

from typing import NamedTuple

import numpy as np

DRAWS, SEED = 2000, 20230


class Estimate(NamedTuple):
    """A value, its 95 % interval and the number of episodes behind it."""

    value: float
    low: float
    high: float
    n: int


def share(successes: int, n: int, z: float = 1.959964) -> Estimate:
    """A share with Wilson's interval, which stays sensible at 0 and 1."""
    if n == 0:
        return Estimate(np.nan, np.nan, np.nan, 0)
    p = successes / n
    scale = 1 + z * z / n
    middle = (p + z * z / (2 * n)) / scale
    half = z / scale * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Estimate(p, max(0.0, float(middle - half)), min(1.0, float(middle + half)), n)


def mean(values: np.ndarray) -> Estimate:
    """Mean over the episodes that have a value (NaN: none)."""
    values = np.asarray(values, float)
    values = values[np.isfinite(values)]
    return ratio(values, np.ones_like(values))


def ratio(amounts: np.ndarray, per: np.ndarray) -> Estimate:
    """Sum of `amounts` over sum of `per`, (episode,) each: repetitions per minute, say, of uneven episodes."""
    amounts, per = np.asarray(amounts, float), np.asarray(per, float)
    n = len(amounts)
    if n == 0 or per.sum() == 0:
        return Estimate(np.nan, np.nan, np.nan, n)
    low, high = _interval(lambda k: amounts[k].sum(1) / per[k].sum(1), n)
    return Estimate(float(amounts.sum() / per.sum()), low, high, n)


def change(before: np.ndarray, after: np.ndarray) -> Estimate:
    """Relative change of the mean, after/before − 1, over the episodes that have both (−0.2: a fifth less)."""
    before, after = np.asarray(before, float), np.asarray(after, float)
    both = np.isfinite(before) & np.isfinite(after)
    before, after = before[both], after[both]
    n = len(before)
    if n == 0 or before.sum() == 0:
        return Estimate(np.nan, np.nan, np.nan, n)
    low, high = _interval(lambda k: after[k].sum(1) / before[k].sum(1) - 1, n)
    return Estimate(float(after.sum() / before.sum() - 1), low, high, n)


def contrast(
    before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray], relative: bool = True
) -> Estimate:
    """Difference of the ratios of two samples, each (amounts, per); `relative` to the first: after/before − 1."""
    (a, a_per), (b, b_per) = before, after
    n = min(len(a), len(b))
    if n == 0 or a_per.sum() == 0 or b_per.sum() == 0:
        return Estimate(np.nan, np.nan, np.nan, n)

    def of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return second / first - 1 if relative else second - first

    drawn = np.random.default_rng(SEED)
    i, j = drawn.integers(0, len(a), (DRAWS, len(a))), drawn.integers(0, len(b), (DRAWS, len(b)))
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(of(a.sum() / a_per.sum(), b.sum() / b_per.sum()))
        low, high = _middle(of(a[i].sum(1) / a_per[i].sum(1), b[j].sum(1) / b_per[j].sum(1)))
    return Estimate(value, low, high, n)


def correlation(x: np.ndarray, y: np.ndarray, episode: np.ndarray) -> Estimate:
    """Pearson's correlation of two quantities of events; whole episodes are drawn, their events belong together."""
    ids, group = np.unique(episode, return_inverse=True)
    if len(x) < 3 or np.std(x) == 0 or np.std(y) == 0:
        return Estimate(np.nan, np.nan, np.nan, len(ids))
    # sums per episode, so that drawing an episode is adding a row
    sums = np.stack([np.bincount(group, weights=w) for w in (np.ones_like(x), x, y, x * x, y * y, x * y)], 1)

    def pearson(total: np.ndarray) -> np.ndarray:
        n, sx, sy, sxx, syy, sxy = np.moveaxis(total, -1, 0)
        return (n * sxy - sx * sy) / np.sqrt(np.maximum((n * sxx - sx * sx) * (n * syy - sy * sy), 1e-30))

    low, high = _interval(lambda k: pearson(sums[k].sum(1)), len(ids))
    return Estimate(float(pearson(sums.sum(0))), low, high, len(ids))


def draws(n: int) -> np.ndarray:
    """Episodes drawn with replacement, (draw, n), the same at every call, so that results repeat."""
    return np.random.default_rng(SEED).integers(0, n, (DRAWS, n))


def _interval(of, n: int) -> tuple[float, float]:
    """95 % bootstrap interval of a function of drawn episodes (draw, n)."""
    drawn = draws(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _middle(of(drawn))


def _middle(values: np.ndarray) -> tuple[float, float]:
    """Where the middle 95 % of the finite values lie."""
    values = values[np.isfinite(values)]
    if not len(values):
        return np.nan, np.nan
    low, high = np.percentile(values, (2.5, 97.5))
    return float(low), float(high)
