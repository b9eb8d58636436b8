"""The estimators. They follow the conventions of scikit-learn: clusters are numbered from 0, and unclustered rows are -1."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _axes, _core, _input, _options
from ._axes import Axis
from ._fitted import Labelling, Labels, OwnLabels, Shown
from ._options import (
    DEFAULT_TECHNIQUE,
    Automatic,
    Bounds,
    Decimals,
    NotPrivateWarning,
    PrivacyBudgetWarning,
    WithPercentile,
)
from ._release import Core, Release, Share, dense_labels


class WaveCluster(Shown, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Plain WaveCluster. Not private: for the data owner only.

    WaveCluster counts points on a grid, smooths the counts with a wavelet transform and keeps the densest cells. Dense cells
    that touch form a cluster.

    Parameters
    ----------
    bounds : pair, list of pairs or dict, default=None
        (lower, upper) for all columns, one pair per column, or a dict of column names to pairs, such as
        {"lon": (-180, 180), "lat": (-90, 90)}. None uses the minimum and maximum of the data.
    columns : list of str, default=None
        Coordinate columns, in the order of the axes. Frames are read by these names; other columns are ignored. For arrays
        they name the columns in order. None uses the names in bounds, or else all columns.
    axes : list of shoal.Axis or str, default=None
        One axis per column, instead of bounds and columns, for whole numbers, dates, circles, categories and other kinds.
    grid : int, list of int or "auto", default=64
        Cells per axis. "auto" chooses the grid and the threshold from the data; give no threshold.
    percentile : float, default=None
        Drop this percentage of the non-empty cells, the least dense first. 50 if no threshold is given.
    coverage : float, default=None
        Instead of percentile: keep the densest cells that together hold this percentage of the points.
    top : int, default=None
        Instead of percentile: keep this many of the densest cells.
    density : float, default=None
        Instead of percentile: keep the cells of at least this density after the transform.
    wavelet : str, default="haar"
        Wavelet of the transform, such as "haar", "db2" or "bior2.2".
    level : int, default=1
        Number of transform levels. Each level halves the grid.
    stationary : bool, default=False
        Use the stationary transform, which keeps the shape of the grid.
    adjacency : {"full", "face"}, default="full"
        Which cells touch: those that share a corner, or only those that share a side.
    min_cells : int, default=1
        Minimum cells per cluster.
    outside : {"drop", "clamp"}, default="drop"
        Drop points outside the bounds, or move them to the nearest bound.
    threads : int, default=0
        Number of threads; 0 uses all cores. The result does not depend on it.

    Attributes
    ----------
    labels_ : ndarray of int64
        Cluster of each row, starting at 0 for the largest. -1 means unclustered.
    n_clusters_ : int
        Number of clusters.
    k_ : int
        Number of significant cells that the threshold selects.
    threshold_ : float
        Lowest density of a significant cell.
    cell_labels_ : ndarray of int64
        Cluster of each cell of the transformed grid. -1 means unclustered.

    Examples
    --------
    >>> import shoal
    >>> spirals = shoal.datasets.load("ds2")
    >>> truth = shoal.WaveCluster(bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    >>> truth.n_clusters_, truth.k_, truth.cell_labels_.shape
    (3, 114, (20, 20))
    >>> truth.predict([[0.5, 0.7], [0.99, 0.99]]).tolist()
    [0, -1]
    """

    labels_ = OwnLabels()

    def __init__(
        self,
        *,
        bounds: Bounds | None = None,
        columns: Sequence[str] | None = None,
        axes: Sequence[Axis | str] | None = None,
        grid: int | Sequence[int] | str = 64,
        percentile: float | None = None,
        top: int | None = None,
        density: float | None = None,
        coverage: float | None = None,
        wavelet: str = "haar",
        level: int = 1,
        stationary: bool = False,
        adjacency: str = "full",
        min_cells: int = 1,
        outside: str = "drop",
        threads: int = 0,
    ) -> None:
        self.bounds = bounds
        self.columns = columns
        self.axes = axes
        self.grid = grid
        self.percentile = percentile
        self.top = top
        self.density = density
        self.coverage = coverage
        self.wavelet = wavelet
        self.level = level
        self.stationary = stationary
        self.adjacency = adjacency
        self.min_cells = min_cells
        self.outside = outside
        self.threads = threads

    def fit(self, X: Any, y: Any = None) -> WaveCluster:
        """Cluster the points of X: an array, a pandas or polars frame, or an object with an Arrow stream."""
        _options.refuse_empty(self.__dict__)
        source = _input.read(self, X, reset=True, axes=_input.named(self))
        self._fit(source)
        if not source.streams:
            self._labels = _core.label(self._labelling.map, source.batches, self.outside == "clamp", self.threads)
        return self

    def fit_batches(self, batches: Iterable[Any]) -> WaveCluster:
        """Cluster an iterable of batches (arrays, frames, record batches). Each is read once, so the data may exceed memory.

        >>> import numpy as np, shoal
        >>> halves = np.array_split(shoal.datasets.load("ds2").X, 2)
        >>> shoal.WaveCluster(bounds=(0, 1), grid=40, percentile=10).fit_batches(halves).n_clusters_
        3
        """
        _options.refuse_empty(self.__dict__)
        self._fit(_input.read_batches(self, batches, axes=_input.named(self)))
        return self

    def predict(self, X: Any) -> Labels:
        """Return the cluster of each row, starting at 0. -1 means unclustered or outside the bounds."""
        labelling = self._fitted()
        source = _input.read(self, X, reset=False, axes=_input.named(self))
        return _core.label(labelling.map, source.batches, self.outside == "clamp", self.threads)

    @property
    def cell_labels_(self) -> Labels:
        clusters = self._fitted().map.clusters
        return dense_labels(tuple(clusters.shape), clusters.cells, clusters.labels)

    def plot(self, ax: Any = None) -> Any:
        """Draw the clusters with matplotlib and return its axes. Not private: for the data owner only."""
        from . import _plot

        axes = [_plot.axis_of(axis) for axis in self._fitted().map.grid.axes]
        return _plot.clusters(ax, axes, self.cell_labels_, None, None, "WaveCluster, not private")

    def _found_html(self) -> str:
        if not hasattr(self, "n_clusters_"):
            return ""
        noun = "cluster" if self.n_clusters_ == 1 else "clusters"
        return f"<p><b>{self.n_clusters_} {noun}</b>, {self.k_} significant cells. Not private: for the data owner only.</p>"

    def _fit(self, source: _input.Input) -> None:
        self.__dict__.pop("_labels", None)
        automatic = _options.is_automatic(self.grid)
        options = _options.cluster_options(Automatic(self) if automatic else self if self._has_threshold() else WithPercentile(self, 50))
        cells = 2 if automatic else self.grid
        grid = _axes.grid_of(self.axes, self.grid) if self.axes is not None else _core.grid_over(self._bounds(source), cells, source.names, source.found)
        counts = _core.count(source.batches, _core.finest_grid(grid) if automatic else grid, self.outside, self.threads)
        if automatic:
            counts = _core.automatic_counts(counts)
        found = _core.wavecluster(counts, options)
        self._labelling = Labelling(counts.grid, options, found.clusters, "halo" if automatic else "none")
        self.n_clusters_ = len(found.clusters)
        self.k_ = found.k
        self.threshold_ = found.threshold

    def _fitted(self) -> Labelling:
        if "_labelling" not in self.__dict__:  # scikit-learn's check takes much longer
            check_is_fitted(self, "n_clusters_")
        return self._labelling

    def _has_threshold(self) -> bool:
        return not (self.percentile is None and self.coverage is None and self.top is None and self.density is None)

    def _bounds(self, source: _input.Input) -> Any:
        if self.bounds is not None:
            return _input.in_order(self.bounds, source.names)
        if source.streams:
            raise ValueError("streamed points are read only once; give bounds")
        ends = _core.extent(source.batches, source.dimensions)
        if not all(lo <= hi for lo, hi in ends):
            raise ValueError("the input has no finite points to take bounds from; give bounds")
        return [(lo, hi if lo < hi else lo + max(1.0, abs(lo))) for lo, hi in ends]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # NaN lies in no cell
        return tags


class PrivateWaveCluster(Shown, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """WaveCluster with differential privacy.

    fit spends epsilon once. The result, release_, can be shared, reshaped and used for prediction without further budget.
    Epsilon, bounds and the threshold (percentile, coverage, top or density) have no default. Choose them without looking at
    the data.

    Parameters
    ----------
    epsilon : int, float, str or Decimal
        Privacy budget to spend. A string is read as an exact decimal.
    bounds : pair, list of pairs or dict
        Public (lower, upper) for all columns, one pair per column, or a dict of column names to pairs.
    columns : list of str, default=None
        Coordinate columns, as in WaveCluster. The release holds only names given in columns or bounds, never those of a frame.
    grid : int, list of int or "auto", default=64
        Cells per axis. "auto" chooses the grid and the threshold from noisy values, within the same epsilon; give no threshold.
    technique : str, default="privwave"
        One of shoal.technique_names().
    alpha : float, default=None
        Share of epsilon for the counts. None uses the default of the technique.
    max_density : float, default=None
        Public maximum density, for privthr-em. None uses a rule that does not depend on the data.
    base_measure : {"logarithmic", "uniform"}, default="logarithmic"
        Base measure of the exponential mechanism, for privthr-em.
    publisher : str, default="adaptive-grid"
        Publishing method, for baseline.
    neighbors : {"add-remove", "replace"}, default="add-remove"
        Neighbouring datasets differ by one unit that is added or removed, or replaced by another.
    unit : str, default="record"
        Privacy unit: "record", or the column that identifies it. For arrays, pass the values of that column to fit as units.
    max_contributions : int, default=None
        Maximum rows kept per unit, sampled at random. If unit is a column, give this or contribution.
    contribution : {"share"}, default=None
        With "share", each unit counts once. All its rows are kept and share one count, so the noise does not grow with them.
    ledger, dataset : path and str, default=None
        Ledger file and account. The account is charged before noise is drawn.
    random_state : int or RandomState, default=None
        For studies only. Anyone can then compute the noise: the run is NOT private, warns, and its release cannot be saved or
        charged.
    axes, percentile, coverage, top, density, wavelet, level, stationary, adjacency, min_cells, outside, threads
        As in WaveCluster.

    Attributes
    ----------
    release_ : Release
        The private result, which may be shared.
    labels_ : ndarray of int64
        Cluster of each row of the data. -1 means unclustered. For the data owner only: no release, copy or pickle holds it.
    n_clusters_, k_, threshold_, cell_labels_
        As in the release.

    Examples
    --------
    >>> import shoal
    >>> spirals = shoal.datasets.load("ds2")
    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    >>> model.release_.private, model.release_.epsilon
    (True, Decimal('1'))
    >>> model.release_.reshape(percentile=40).n_clusters > 0
    True
    """

    labels_ = OwnLabels()

    def __init__(
        self,
        *,
        epsilon: Decimals | None = None,
        bounds: Bounds | None = None,
        columns: Sequence[str] | None = None,
        axes: Sequence[Axis | str] | None = None,
        grid: int | Sequence[int] | str = 64,
        percentile: float | None = None,
        top: int | None = None,
        density: float | None = None,
        coverage: float | None = None,
        technique: str = DEFAULT_TECHNIQUE,
        wavelet: str = "haar",
        level: int = 1,
        stationary: bool = False,
        adjacency: str = "full",
        min_cells: int = 1,
        outside: str = "drop",
        alpha: float | None = None,
        max_density: float | None = None,
        base_measure: str = "logarithmic",
        publisher: str = "adaptive-grid",
        neighbors: str = "add-remove",
        unit: str = "record",
        max_contributions: int | None = None,
        contribution: str | None = None,
        ledger: str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        random_state: Any = None,
        threads: int = 0,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.columns = columns
        self.axes = axes
        self.grid = grid
        self.percentile = percentile
        self.top = top
        self.density = density
        self.coverage = coverage
        self.technique = technique
        self.wavelet = wavelet
        self.level = level
        self.stationary = stationary
        self.adjacency = adjacency
        self.min_cells = min_cells
        self.outside = outside
        self.alpha = alpha
        self.max_density = max_density
        self.base_measure = base_measure
        self.publisher = publisher
        self.neighbors = neighbors
        self.unit = unit
        self.max_contributions = max_contributions
        self.contribution = contribution
        self.ledger = ledger
        self.dataset = dataset
        self.random_state = random_state
        self.threads = threads

    def fit(self, X: Any, y: Any = None, *, units: Any = None) -> PrivateWaveCluster:
        """Spend epsilon on one release.

        units holds the unit of each row. It is required if unit is not "record" and X has no such column.
        """
        source = self._read(X, units)
        self._fit(source)
        if not source.streams:
            self._labels = _core.label(self.release_._map(), source.batches, self.outside == "clamp", self.threads)
        return self

    def fit_batches(self, batches: Iterable[Any]) -> PrivateWaveCluster:
        """Spend epsilon on one release of an iterable of batches. Each is read once, so the data may exceed memory.

        If unit is not "record", each batch is a frame with that column or a pair (points, units).
        """
        self._check()
        self._fit(_input.read_batches(self, batches, axes=_input.named(self), unit=self.unit))
        return self

    def predict(self, X: Any) -> Labels:
        """Return the cluster of each row in the release, starting at 0. -1 means unclustered or outside the bounds."""
        release = self._fitted()
        source = _input.read(self, X, reset=False, axes=_input.named(self))
        return _core.label(release._map(), source.batches, self.outside == "clamp", self.threads)

    def strength(self, X: Any) -> npt.NDArray[np.float64]:
        """Return how strongly each row belongs to its predicted cluster, from 0 (no cluster) to 1. See Release.strength."""
        release = self._fitted()
        source = _input.read(self, X, reset=False, axes=_input.named(self))
        return _core.strength(release._core, release._map(), source.batches, self.outside == "clamp", self.threads)

    def plan(self, n_features: int | None = None) -> list[Share]:
        """Return the planned spending of fit. It depends only on the parameters: no data is read and no budget is spent.

        >>> PrivateWaveCluster(epsilon=1, bounds=(0, 1), percentile=50, technique="privthr").plan(2)
        [Share(mechanism='counts', sensitivity=1, epsilon=Decimal('0.9')), Share(mechanism='nonpositive', sensitivity=1, epsilon=Decimal('0.1'))]
        """
        self._check()
        names = _input.named(self).names
        if n_features is None and names is None:
            shape = np.asarray(self.bounds).shape
            if len(shape) != 2:
                raise ValueError("bounds is one pair for all columns; give the number of columns (n_features)")
            n_features = int(shape[0])
        grid, options, automatic = self._public(names or [""] * (n_features or 0))
        shares = _core.planned_spending(self.technique, grid, _options.decimal_text(self.epsilon, "epsilon"), options, automatic)  # type: ignore[arg-type]
        return [Share(mechanism, sensitivity, Decimal(epsilon)) for mechanism, sensitivity, epsilon in shares]

    @property
    def n_clusters_(self) -> int:
        return self._fitted().n_clusters

    @property
    def k_(self) -> int:
        return self._fitted().k

    @property
    def threshold_(self) -> float:
        return self._fitted().threshold

    @property
    def cell_labels_(self) -> Labels:
        return self._fitted().cell_labels

    def _found_html(self) -> str:
        return self.release_._repr_html_() if hasattr(self, "release_") else ""

    def _fitted(self) -> Release:
        if "release_" not in self.__dict__:  # scikit-learn's check takes much longer
            check_is_fitted(self, "release_")
        return self.release_

    def _read(self, X: Any, units: Any) -> _input.Input:
        self._check()
        if units is not None and self.unit == _input.RECORD:
            raise ValueError("units are given, but unit is 'record'; name the unit and give max_contributions or contribution")
        return _input.read(self, X, reset=True, axes=_input.named(self), unit=self.unit, units=units)

    def _public(self, names: list[str], found: Sequence[str] = ()) -> tuple[_core.Grid, _core.PrivateOptions, bool]:
        """Return the grid, the options, and whether the grid is chosen. If it is chosen, only the bounds of the grid are used."""
        automatic = _options.is_automatic(self.grid)
        options = _options.private_options(Automatic(self) if automatic else self)
        if self.axes is not None:
            return _axes.grid_of(self.axes, self.grid), options, automatic
        bounds = _input.in_order(self.bounds, names)
        return _core.grid_over(bounds, 2 if automatic else self.grid, names, found), options, automatic

    def _check(self) -> None:
        """Refuse invalid parameters before data is read and budget is spent."""
        _options.refuse_empty(self.__dict__)
        _input.named(self)
        if self.epsilon is None:
            raise ValueError("a release needs epsilon, the privacy budget to spend; smaller is more private")
        if self.bounds is None and self.axes is None:
            raise ValueError("a release needs bounds, the range that values can have; choose them without looking at the data")
        if _options.is_automatic(self.grid):
            Automatic(self)
        elif self.percentile is None and self.coverage is None and self.top is None and self.density is None:
            raise ValueError("a release needs a threshold: give percentile, coverage, top or density, chosen without looking at the data, or use grid='auto'")
        if (self.ledger is None) != (self.dataset is None):
            raise ValueError("give both ledger, a file, and dataset, an account in it, or neither")
        if self.ledger is not None:
            _options.refuse_empty({"ledger": os.fspath(self.ledger)})
        if self.random_state is not None and self.ledger is not None:
            raise ValueError("a run with random_state is not private and cannot be charged to a ledger; remove random_state")

    def _seed(self) -> int | None:
        if self.random_state is None:
            return None
        _options.warn("random_state determines the noise: this run is NOT private, and its release cannot be saved or charged", NotPrivateWarning)
        if isinstance(self.random_state, Integral):
            return int(self.random_state)  # the module refuses invalid values
        return int(check_random_state(self.random_state).randint(2**31))

    def _fit(self, source: _input.Input) -> None:
        self.__dict__.pop("_labels", None)
        grid, options, automatic = self._public(source.names, source.found)
        self.release_ = Release(self._draw(_core.release, source.batches, grid, options, outside=self.outside, automatic=automatic))

    def _draw(self, draw: Callable[..., Core], batches: Any, grid: _core.Grid, options: _core.PrivateOptions, *, cost: str | None = None, **more: Any) -> Core:
        """Run a release function of the core and give its warnings. cost is the total budget if it is not epsilon."""
        epsilon = _options.decimal_text(self.epsilon, "epsilon")  # type: ignore[arg-type]
        ledger = None if self.ledger is None else os.fspath(self.ledger)
        found = draw(batches, grid, self.technique, epsilon, options, seed=self._seed(), ledger=ledger, dataset=self.dataset or "", **more)
        for notice in found.notices():
            _options.warn(notice, UserWarning)
        self._warn_of_spending(cost or epsilon)
        return found

    def _warn_of_spending(self, cost: str) -> None:
        if self.ledger is None and self.random_state is None:
            spent = _options.without_ledger.add(Decimal(cost))
            if spent is not None:
                _options.warn(spent, PrivacyBudgetWarning)

    def __getstate__(self) -> dict[str, Any]:
        """State for pickles and copies: the parameters and the release. It holds no data: no labels, and no column names of a frame."""
        state = dict(super().__getstate__())
        state.pop("_labels", None)
        if self.columns is None and self.axes is None and not isinstance(self.bounds, Mapping):
            state.pop("feature_names_in_", None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # NaN lies in no cell
        tags.non_deterministic = self.random_state is None
        return tags
