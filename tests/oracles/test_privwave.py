"""privwave after the noise, held against a plain numpy version of the steps in docs/studies/privwave-steps.md.

Both start from the noisy profile and the noisy sums of the same seeded release, so that they must agree cell by cell.
"""

import base64
import itertools
import json
import zlib

import numpy as np
import pytest
from scipy import ndimage

from shoal import _core

LEVELS = 24


def unpack(packed):
    numbers, value, shift = [], 0, 0
    for byte in zlib.decompress(base64.b64decode(packed["data"])):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return np.array([(n >> 1) ^ -(n & 1) for n in numbers], dtype=np.int64).reshape(packed["shape"])


def variance(rate):
    q = np.exp(-rate)
    return 2 * q / (1 - q) ** 2


def kalman(profile, noise, censored, fine):
    """-> mean a level. The first `censored` levels have the variance `fine`."""
    transition = np.array([[1, 0.7], [0, 0.7]])
    state, spread, means = np.zeros(2), np.zeros((2, 2)), np.zeros(LEVELS)

    for j in reversed(range(LEVELS)):
        change = (0.6 * state[1]) ** 2 + 0.25
        state, spread = transition @ state, transition @ spread @ transition.T + change
        seen = (fine if j < censored else noise) / 4.0**j
        off = profile[j] / 2.0**j - state[0]
        surprise = off**2 - (spread[0, 0] + seen)
        if off > 3.5 * np.sqrt(spread[0, 0] + seen):  # more than 3.5 deviations above the prediction
            spread = spread + surprise
        gain = spread[:, 0] / (spread[0, 0] + seen)
        state = np.maximum(state + gain * off, 0)
        spread = spread - np.outer(gain, spread[0])
        means[j] = state[0]
    return means


def cells_by_value(at_least, cells, censored):
    """Values and how many cells hold them: finely spread inside each octave, the small ones raised."""
    values, counts = [np.array([2.0**censored - 1])], [np.array([max(0, cells - at_least[censored])])]
    for j in range(censored, LEVELS):
        inside = at_least[j] - at_least[j + 1]
        if inside > 0:
            values.append(2.0**j * (1 + (np.arange(4096) + 0.5) / 4096))
            counts.append(np.full(4096, inside / 4096))
    return np.concatenate(values), np.concatenate(counts)


def wrong_side(at_least, cells, d, rate, censored):
    """By a fine sum instead of the integral."""
    values, counts = cells_by_value(at_least, cells, censored)
    return cells if d <= 2**censored - 1 else (counts * np.exp(-rate * np.abs(d - values))).sum() / (1 + np.exp(-rate))


def survival(means, cells):
    at_least = np.concatenate([[means[0]], (means[:-1] + means[1:]) / 2, [0]])
    return np.minimum(np.minimum.accumulate(at_least), cells)


def cells_to_keep(profile, profile_noise, cells, percentile, rate, censored, fine):
    """-> k, cells to keep."""
    means = kalman(profile, profile_noise, censored, fine)
    if means[0] < 0.5:
        return 0, 0
    positive = np.round(np.clip(means[0], 1, cells))
    k = int(np.ceil(round((100 - percentile) * positive / 100, 9)))
    at_least = survival(means, cells)
    d = 1.0
    if k < at_least[0]:
        j = next(j for j in range(LEVELS) if at_least[j + 1] <= k <= at_least[j])
        d = 2.0**j * (1 + (at_least[j] - k) / max(at_least[j] - at_least[j + 1], 1e-9))
    j = int(np.log2(d))
    density = (at_least[j] - at_least[j + 1]) / 2**j
    keep = np.round(k + density / 2 - min(wrong_side(at_least, cells, d, rate, censored), k) / 8)
    return k, int(np.clip(keep, 1, cells))


def neighbour_means(values):
    n = values.ndim
    others = np.ones((3,) * n)
    others[(1,) * n] = 0
    count = ndimage.convolve(np.ones(values.shape), others, mode="constant")
    return ndimage.convolve(values, others, mode="constant") / np.maximum(count, 1)


def offsets(n, adjacency):
    return [o for o in itertools.product((-1, 0, 1), repeat=n) if any(o) and (adjacency == "full" or sum(map(abs, o)) == 1)]


def select(values, rate, keep, adjacency, point):
    spread = variance(rate)
    level = max(point + 1, np.sort(values, axis=None)[-keep])
    means = neighbour_means(np.clip(values, point, 2 * level).astype(float))
    shrink = spread / (spread + (level / 2) ** 2)
    score = ((1 - shrink) * values + shrink * means).ravel()
    order = np.lexsort((np.arange(score.size), -means.ravel(), -score))
    ranked = score[order]
    deviation = (1 - shrink) * np.sqrt(spread)
    near = (np.abs(score - ranked[keep - 1]) <= deviation).sum()
    within = score >= ranked[keep - 1] - 6 * deviation
    if ranked[keep - 1] > point + 6 * deviation and near > 5 and not within.all() and score[within].min() - score[~within].max() >= 6 * deviation:
        keep = within.sum()
    threshold = (ranked[keep - 1] + ranked[min(keep, score.size - 1)]) / 2
    margin = np.log(1 / (0.2 * (1 + np.exp(-rate)))) / rate - 1
    joining = threshold + (1 - shrink) * max(margin, 0)
    taken, part = np.zeros(values.shape, bool), np.zeros(values.shape, int)
    for rank, cell in enumerate(order[:keep], start=1):
        at = np.unravel_index(cell, values.shape)
        near = {part[tuple(np.add(at, o))] for o in offsets(values.ndim, adjacency)
                if all(0 <= a + b < m for a, b, m in zip(at, o, values.shape))} - {0}
        if joining > threshold and sum((part == p).sum() >= 5 for p in near) > 1 and score[cell] < joining:
            continue
        taken[at], part[at] = True, rank
        part[np.isin(part, list(near))] = rank
    return taken, threshold


def scene(seed, shape, scale):
    rng = np.random.default_rng(seed)
    counts = np.zeros(shape)
    for _ in range(5):
        centre = rng.uniform(0, 1, len(shape)) * shape
        square = sum(((np.arange(m) - c) / (m / 8)).reshape([-1 if i == a else 1 for i in range(len(shape))]) ** 2
                     for a, (m, c) in enumerate(zip(shape, centre)))
        counts += scale * np.exp(-square)
    return rng.poisson(counts + scale / 200)


def steps_of(release, percentile, adjacency="full"):
    """What the plain version makes of a release's noisy values."""
    spent = {s["name"]: s["epsilon"] / s["sensitivity"] for s in release["spent"]}
    values = unpack(release["noisy_sums"])
    point = release["noisy_sums"].get("lowest", 0)
    k, keep = cells_to_keep(np.array(release["noisy_profile"]["sums"]), variance(spent["profile"]), values.size, percentile,
                            spent["sums"], point.bit_length(), variance(spent["profile"] + spent["sums"]))
    if k == 0:
        return 0, np.zeros(values.shape, bool), 0
    taken, threshold = select(values, spent["sums"], keep, adjacency, point)
    return k, taken, threshold


def cells_of(release, shape):
    cells = np.zeros(int(np.prod(shape)), bool)
    for cluster in release["clusters"]:
        for first, length in zip(cluster["runs"][::2], cluster["runs"][1::2]):
            cells[first:first + length] = True
    return cells.reshape(shape)


def compared(released, percentile, adjacency="full"):
    document = json.loads(released.json())
    k, taken, threshold = steps_of(document, percentile, adjacency)
    assert document["k"] == k
    assert document["k_from"] == "profile"
    assert (cells_of(document, taken.shape) == taken).all()
    unit = 2 ** (-len(taken.shape) * document["level"] / 2)
    assert document["threshold"] == pytest.approx(threshold * unit, rel=1e-12)
    return document


@pytest.mark.parametrize("shape", [(64, 64), (40, 24), (128,), (12, 16, 20)])
@pytest.mark.parametrize("epsilon", ["0.02", "0.1", "0.5", "1", "2"])
def test_steps_after_the_noise_agree(shape, epsilon):
    raised = []
    for seed in range(6):
        counts = scene(seed, shape, [3, 20, 150][seed % 3])
        percentile = [10, 40, 58, 75, 0, 90][seed]
        adjacency = ["full", "face"][seed // 3]
        released = _core.internal.seeded_technique("privwave", counts, epsilon, seed + 1, percentile, 1, adjacency)
        raised.append(json.loads(released.json())["noisy_sums"].get("lowest", 0))
        compared(released, percentile, adjacency)
        other = max(33.0, percentile)
        compared(released.reshape(percentile=other), other, adjacency)
    if epsilon in ("1", "2") and len(shape) == 2:
        assert max(raised) >= 1 and min(raised) == 0  # both kinds are looked at


def test_steps_after_the_noise_agree_where_values_were_raised_high():
    points = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        counts = rng.poisson(0.05, (64, 64))
        counts[4:34, 4:34] += rng.poisson([5, 20, 80][seed % 3], (30, 30))
        counts[40:60, 40:60] += rng.poisson([5, 20, 80][seed % 3], (20, 20))
        released = _core.internal.seeded_technique("privwave", counts, ["0.5", "1", "2"][seed // 4], seed + 1, 60.0)
        points.add(compared(released, 60.0)["noisy_sums"].get("lowest", 0))
        compared(released.reshape(percentile=80.0), 80.0)
    assert {1, 3} <= points


def test_a_plateau_of_equal_values_is_taken_whole():
    """Repeated points: many cells with the very same value, where a rank would cut through."""
    counts = np.zeros((64, 64), np.int64)
    counts[8:40:2, 8:40:2] = 40
    counts[44:60:2, 44:60:2] = 200
    for seed in range(10):
        released = _core.internal.seeded_technique("privwave", counts, "1", seed + 1, 30.0)
        document = compared(released, 30.0)
        assert cells_of(document, (32, 32)).sum() >= 300


def test_a_crowd_of_nearly_equal_values_is_taken_to_its_edge():
    """Repeated points on a faint background, with little noise: the crowd is wider than the noise."""
    rng = np.random.default_rng(6)
    for seed in range(5):
        counts = rng.poisson(0.2, (64, 64))
        counts[8:40:2, 8:40:2] += 40
        counts[44:60:2, 44:60:2] += 80
        blocks = counts.reshape(32, 2, 32, 2).sum(axis=(1, 3))
        percentile = round(100 - 100 * 300 / (blocks > 0).sum(), 1)
        released = _core.internal.seeded_technique("privwave", counts, "2", seed + 1, percentile)
        assert (cells_of(compared(released, percentile), (32, 32)) == (blocks >= 40)).all()


def test_a_full_grid_is_known_to_be_full():
    for seed in range(5):
        counts = np.random.default_rng(seed).poisson(20, (40, 40)) + 5
        document = compared(_core.internal.seeded_technique("privwave", counts, "0.5", seed + 1, 40.0), 40.0)
        assert document["k"] == 240


def test_a_faint_background_is_counted():
    """Dense clusters among many cells of a record or two: the profile jumps where a smooth one would not."""
    rng = np.random.default_rng(5)
    for seed in range(5):
        counts = rng.poisson(0.25, (80, 80)) * (rng.uniform(size=(80, 80)) < 0.7)
        counts[20:40, 20:40] += 30
        positive = (counts.reshape(40, 2, 40, 2).sum(axis=(1, 3)) > 0).sum()
        document = compared(_core.internal.seeded_technique("privwave", counts, "0.5", seed + 1, 80.0), 80.0)
        assert abs(document["k"] - 0.2 * positive) < 0.1 * 0.2 * positive


def test_coarser_levels_are_sums_and_take_the_negatives():
    released = _core.internal.seeded_technique("privwave", scene(1, (64, 64), 20), "1", 5, 0.0)
    document = json.loads(released.reshape(level=2, percentile=50.0).json())
    values = unpack(document["noisy_sums"]).reshape(16, 2, 16, 2).sum(axis=(1, 3))
    positive, negative = (values > 0).sum(), (values < 0).sum()
    assert document["k_from"] == "negatives"
    assert document["k"] == int(np.ceil(0.5 * (positive - min(positive, negative))))


def test_share_follows_the_coarse_view_and_adds_up():
    shares = set()
    for seed in range(40):
        counts = scene(seed, (64, 64), [2, 40, 300, 3000][seed % 4])
        for epsilon in ("0.1", "1", "2"):
            if seed % 4 == 3:  # sharp edges: no cell is near the threshold, and only k is in doubt
                counts = np.kron(counts > 100, 300 * np.ones((1, 1), np.int64))
            document = json.loads(_core.internal.seeded_technique("privwave", counts, epsilon, seed + 1, 20.0).json())
            spent = {s["name"]: s["epsilon"] for s in document["spent"]}
            assert spent["profile"] + spent["sums"] == pytest.approx(float(epsilon), abs=1e-15)
            shares.add(round(10 * spent["profile"] / float(epsilon)))
    assert shares <= {1, 2, 3, 4, 5, 6} and len(shares) >= 3
