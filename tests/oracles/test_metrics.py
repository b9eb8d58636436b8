"""Assignment against scipy, measures against scikit-learn and brute force."""
import itertools

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from shoal._core import internal
from sklearn import metrics


def check_assignment(cost):
    cost = np.ascontiguousarray(cost, dtype=np.int64)
    rows, columns = linear_sum_assignment(cost)
    partner, total = internal.assign(cost)
    assert total == cost[rows, columns].sum()
    matched = [(i, j) for i, j in enumerate(partner) if j >= 0]
    assert len(matched) == min(cost.shape)
    assert len({j for _, j in matched}) == len(matched)
    assert total == sum(cost[i, j] for i, j in matched)


@pytest.mark.parametrize("shape", [(1, 1), (7, 7), (40, 90), (90, 40), (300, 300), (1, 500)])
def test_assignment_random(shape):
    rng = np.random.default_rng(1)
    for high in (2, 10, 10**6, 10**12):
        check_assignment(rng.integers(-high, high, shape))


@pytest.mark.parametrize("n", [5, 200])
def test_assignment_adversarial(n):
    i, j = np.indices((n, n))
    check_assignment(i * j)  # Machol and Wien: every row prefers the same columns
    check_assignment((i + 1) * (j + 1))
    check_assignment(-i * j)
    check_assignment(abs(i - j))
    check_assignment(np.zeros((n, n)))
    check_assignment(np.minimum(i, j))
    check_assignment(np.where(j <= i, 1, 10**9))  # one perfect matching is cheap
    check_assignment(2 ** (i % 40) + 3 * j)


def grouping(rng, kind, items, groups):
    """Labels of items, 0 for none."""
    if kind == "scattered":
        labels = rng.integers(0, groups + 1, items)
    elif kind == "runs":  # neighbours belong together, as cells of clusters do
        cuts = np.sort(rng.choice(items, min(groups, items), replace=False))
        labels = np.searchsorted(cuts, np.arange(items), side="right")
    else:  # a few large groups and many small ones
        weights = 1 / np.arange(1, groups + 1) ** 1.2
        labels = rng.choice(groups, items, p=weights / weights.sum()) + 1
        labels[rng.random(items) < 0.6] = 0
    return np.unique(np.append(labels, 0), return_inverse=True)[1][:-1].astype(np.uint32)


def table_of(truth, found):
    rows = np.bincount(truth)[1:].astype(np.uint64)
    columns = np.bincount(found)[1:].astype(np.uint64)
    both = (truth > 0) & (found > 0)
    pairs, items = np.unique(np.stack([truth[both], found[both]], axis=1) - 1, axis=0, return_counts=True)
    shared = np.concatenate([pairs.reshape(-1, 2), items[:, None]], axis=1).astype(np.uint64)
    return rows, columns, np.ascontiguousarray(shared)


def least_cost(rows, columns, shared):
    """M_cost through scipy on the full matrix."""
    rows, columns, shared = (a.astype(np.int64) for a in (rows, columns, shared))
    cost = np.maximum.outer(rows, columns)
    cost[shared[:, 0], shared[:, 1]] -= shared[:, 2]
    # A group of the larger side that finds a partner saves its own size.
    saved = columns[None, :] if len(rows) <= len(columns) else rows[:, None]
    i, j = linear_sum_assignment(cost - saved)
    return (cost - saved)[i, j].sum() + saved.sum()


def most_common(rows, columns, shared):
    weight = np.zeros((len(rows), len(columns)), dtype=np.int64)
    weight[shared[:, 0].astype(int), shared[:, 1].astype(int)] = shared[:, 2]
    i, j = linear_sum_assignment(-weight)
    return weight[i, j].sum()


KINDS = ["scattered", "runs", "uneven"]


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, KINDS)))
def test_matchings_small(kinds):
    rng = np.random.default_rng(2)
    for _ in range(150):
        items = int(rng.integers(1, 80))
        truth, found = (grouping(rng, kind, items, int(rng.integers(1, 25))) for kind in kinds)
        if truth.max() == 0 or found.max() == 0:
            continue
        table = table_of(truth, found)
        for method in ("dense", "sparse", "automatic"):
            assert internal.match_clusters(*table, method)[1] == least_cost(*table)
            assert internal.match_classes(*table, method)[1] == most_common(*table)


@pytest.mark.parametrize(
    "kind,items,groups",
    [("runs", 60_000, (1500, 2000)), ("runs", 10_000, (2000, 1900)), ("uneven", 100_000, (1200, 1500)),
     ("scattered", 20_000, (800, 900)), ("runs", 200_000, (15, 3000))],
)  # fmt: skip
def test_matchings_of_thousands_of_clusters(kind, items, groups):
    rng = np.random.default_rng(3)
    table = table_of(grouping(rng, kind, items, groups[0]), grouping(rng, kind, items, groups[1]))
    assert internal.match_clusters(*table, "sparse")[1] == least_cost(*table)
    assert internal.match_clusters(*table, "automatic")[1] == least_cost(*table)
    assert internal.match_classes(*table, "sparse")[1] == most_common(*table)


def brute_dsg_c(truth, found):
    a = [set(np.flatnonzero(truth == c)) for c in np.unique(truth[truth > 0])]
    b = [set(np.flatnonzero(found == c)) for c in np.unique(found[found > 0])]
    significant = sum(map(len, a))
    if len(a) > len(b):
        a, b = b, a
    best = min(
        sum(max(len(x - b[j]), len(b[j] - x)) for x, j in zip(a, chosen))
        + sum(len(y) for j, y in enumerate(b) if j not in chosen)
        for chosen in itertools.permutations(range(len(b)), len(a))
    )
    return best / significant


def brute_f_measure(truth, found):
    inside = truth > 0
    total = 0.0
    for c in np.unique(truth[inside]):
        best = 0.0
        for d in np.unique(found[inside & (found > 0)]):
            shared = np.sum((truth == c) & (found == d))
            if shared:
                precision = shared / np.sum(inside & (found == d))
                recall = shared / np.sum(truth == c)
                best = max(best, 2 * precision * recall / (precision + recall))
        total += np.sum(truth == c) * best
    return total / inside.sum()


def test_dsg_c_and_f_measure_by_brute_force():
    rng = np.random.default_rng(4)
    for _ in range(300):
        items = int(rng.integers(1, 40))
        truth = rng.integers(0, 6, items).astype(np.uint32)
        found = rng.integers(0, int(rng.integers(1, 7)), items).astype(np.uint32)
        if truth.max() == 0:
            continue
        assert internal.dsg_c(truth, found) == pytest.approx(brute_dsg_c(truth, found), abs=1e-12)
        assert internal.f_measure(truth, found) == pytest.approx(brute_f_measure(truth, found), abs=1e-12)


def test_the_papers_example_is_two():
    truth = np.array([1, 1, 1, 0, 0], dtype=np.uint32)  # g1 g3 g5
    found = np.array([1, 0, 1, 1, 1], dtype=np.uint32)  # g1 g5 g7 g9
    assert internal.dsg_c(truth, found) * 3 == pytest.approx(2)


def test_measures_of_predictions_against_scikit_learn():
    rng = np.random.default_rng(5)
    for _ in range(200):
        items = int(rng.integers(1, 400))
        truth = rng.integers(0, int(rng.integers(1, 20)), items).astype(np.uint32)
        found = rng.integers(0, int(rng.integers(1, 20)), items).astype(np.uint32)
        if rng.random() < 0.5:  # related groupings
            same = rng.random(items) < 0.8
            found[same] = truth[same]
        assert internal.adjusted_rand(truth, found) == pytest.approx(
            metrics.adjusted_rand_score(truth, found), abs=1e-12
        )
        assert internal.adjusted_mutual_information(truth, found) == pytest.approx(
            metrics.adjusted_mutual_info_score(truth, found), abs=1e-9
        )
        if items > 1:  # 2CE is one minus the plain Rand index
            assert internal.two_ce(truth, found) == pytest.approx(1 - metrics.rand_score(truth, found), abs=1e-12)
        table = metrics.cluster.contingency_matrix(truth, found)
        i, j = linear_sum_assignment(-table)
        assert internal.ocm(truth, found) == pytest.approx(1 - table[i, j].sum() / items, abs=1e-12)


def test_adjusted_mutual_information_of_many_groups():
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 300, 5000).astype(np.uint32)
    found = np.where(rng.random(5000) < 0.7, truth, rng.integers(0, 300, 5000)).astype(np.uint32)
    expected = metrics.adjusted_mutual_info_score(truth, found)
    assert internal.adjusted_mutual_information(truth, found) == pytest.approx(expected, abs=1e-9)
