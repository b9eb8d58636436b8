"""The estimators. They follow the conventions of scikit-learn: clusters are numbered from 0, and unclustered rows are -1."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
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
from ._release import Release, Share, dense_labels
from ._release_set import ReleaseSet, grouping_of, labels_of, released, with_group


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
        count = _core.automatic_counts if automatic else _core.count
        counts = count(source.batches, grid, self.outside, self.threads)
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
    groups : list of names or str, default=None
        Release each group of this public list, from one pass over the data: names, or a range of weeks "2026-W01..2026-W12", months
        "2026-01..2026-12" or days "2026-01-01..2026-01-31". fit then needs by. Rows of other groups are dropped. epsilon is the budget of
        each group. A record lies in one group, so all groups together cost epsilon once.
    max_groups : int, default=1
        Maximum number of groups kept per unit, chosen at random. All groups together cost epsilon this many times (with
        neighbors="replace" twice that).
    insets : int, default=None
        Release an overview and at most this many finer insets of dense places, within one epsilon, from 1 to 64. grid must be "auto", and
        there are at most three axes. The overview gets 0.2 of epsilon. Its noisy values select the insets, which do not overlap, so all of
        them together cost 0.6 once. If there are no dense places, the only inset is the whole plane.
    ledger, dataset : path and str, default=None
        Ledger file and account. The account is charged before noise is drawn.
    random_state : int or RandomState, default=None
        For studies only. Anyone can then compute the noise: the run is NOT private, warns, and its release cannot be saved or
        charged.
    axes, percentile, coverage, top, density, wavelet, level, stationary, adjacency, min_cells, outside, threads
        As in WaveCluster.

    Attributes
    ----------
    release_ : Release or ReleaseSet
        The private result, which may be shared. A ReleaseSet if groups or insets are given.
    labels_ : ndarray of int64
        Cluster of each row of the data. -1 means unclustered. For the data owner only: no release, copy or pickle holds it.
    n_clusters_, k_, threshold_, cell_labels_
        As in the release. A ReleaseSet has only n_clusters_.

    Examples
    --------
    >>> import numpy as np, shoal
    >>> spirals = shoal.datasets.load("ds2")
    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    >>> model.release_.private, model.release_.epsilon
    (True, Decimal('1'))
    >>> model.release_.reshape(percentile=40).n_clusters > 0
    True

    One release per group:

    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto", groups=["A", "B"])
    >>> wards = model.fit(spirals.X, by=np.where(spirals.X[:, 0] < 0.5, "A", "B")).release_
    >>> list(wards), wards.epsilon
    (['A', 'B'], Decimal('1'))

    An overview with finer insets of dense places:

    >>> rng = np.random.default_rng(1)
    >>> X = np.concatenate([rng.random((3000, 2)), rng.normal((0.2, 0.3), 0.002, (6000, 2))])
    >>> world = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto", insets=4).fit(X).release_
    >>> world.epsilon, bool(world.parts_of([[0.2, 0.3]])[0] > 0)
    (Decimal('1'), True)
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
        groups: Sequence[Any] | str | None = None,
        max_groups: int = 1,
        insets: int | None = None,
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
        self.groups = groups
        self.max_groups = max_groups
        self.insets = insets
        self.ledger = ledger
        self.dataset = dataset
        self.random_state = random_state
        self.threads = threads

    def fit(self, X: Any, y: Any = None, *, by: Any = None, units: Any = None) -> PrivateWaveCluster:
        """Spend epsilon on one release.

        Parameters
        ----------
        X : array, pandas or polars frame, Arrow table
            The points.
        y : None
            Ignored.
        by : str or array of shape (n,), default=None
            The group of each row, if the model has groups: a column of X, or one label per row (names, dates, or weeks such as "2026-W03").
        units : array of shape (n,), default=None
            The unit of each row. Required if unit is not "record" and X has no such column.
        """
        grouping, codes = self._grouped(X, by)
        source = self._read(X, units)
        self._fit(source, self.insets if grouping is None else grouping, codes)
        if not source.streams:
            if isinstance(self.release_, Release):
                self._labels = _core.label(self.release_._map(), source.batches, self.outside == "clamp", self.threads)
            else:
                self._labels = self.release_._core.labelled(source.batches if codes is None else with_group(source, codes))[1]
        return self

    def fit_batches(self, batches: Iterable[Any]) -> PrivateWaveCluster:
        """Spend epsilon on one release of an iterable of batches. Each is read once, so the data may exceed memory.

        If unit is not "record", each batch is a frame with that column or a pair (points, units).
        """
        self._check()
        if self.groups is not None:
            raise ValueError("batches cannot be released by group; give fit all rows, or remove groups")
        self._fit(_input.read_batches(self, batches, axes=_input.named(self), unit=self.unit), self.insets)
        return self

    def predict(self, X: Any, *, by: Any = None) -> Labels:
        """Return the cluster of each row in the release, starting at 0. -1 means unclustered or outside the bounds.

        by is the group of each row, as in ReleaseSet.predict.
        """
        release = self._fitted()
        if isinstance(release, ReleaseSet):
            return release.predict(X, by=by)
        if by is not None:
            raise ValueError("by is given, but the model has no groups; remove it")
        source = _input.read(self, X, reset=False, axes=_input.named(self))
        return _core.label(release._map(), source.batches, self.outside == "clamp", self.threads)

    def strength(self, X: Any) -> npt.NDArray[np.float64]:
        """Return how strongly each row belongs to its predicted cluster, from 0 (no cluster) to 1. See Release.strength."""
        release = self._plain()
        source = _input.read(self, X, reset=False, axes=_input.named(self))
        return _core.strength(release._core, release._map(), source.batches, self.outside == "clamp", self.threads)

    def plan(self, n_features: int | None = None) -> list[Share]:
        """Return the planned spending of fit, or of each group. It depends only on the parameters: no data is read and no budget is spent.

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
        epsilon = _options.decimal_text(self.epsilon, "epsilon")  # type: ignore[arg-type]
        shares = _core.planned_spending(self.technique, grid, epsilon, options, automatic, self.insets)
        return [Share(mechanism, sensitivity, Decimal(share)) for mechanism, sensitivity, share in shares]

    @property
    def n_clusters_(self) -> int:
        return self._fitted().n_clusters

    @property
    def k_(self) -> int:
        return self._plain().k

    @property
    def threshold_(self) -> float:
        return self._plain().threshold

    @property
    def cell_labels_(self) -> Labels:
        return self._plain().cell_labels

    def _plain(self) -> Release:
        release = self._fitted()
        if isinstance(release, ReleaseSet):
            raise AttributeError("the release has several parts; see release_")
        return release

    def _found_html(self) -> str:
        return self.release_._repr_html_() if hasattr(self, "release_") else ""

    def _fitted(self) -> Release | ReleaseSet:
        if "release_" not in self.__dict__:  # scikit-learn's check takes much longer
            check_is_fitted(self, "release_")
        return self.release_

    def _read(self, X: Any, units: Any) -> _input.Input:
        self._check()
        if units is not None and self.unit == _input.RECORD:
            raise ValueError("units are given, but unit is 'record'; name the unit and give max_contributions or contribution")
        return _input.read(self, X, reset=True, axes=_input.named(self), unit=self.unit, units=units)

    def _grouped(self, X: Any, by: Any) -> tuple[_core.Grouping | None, Any]:
        """Return the groups and the group of each row as a coordinate, or None for both."""
        if self.groups is None:
            if by is not None:
                raise ValueError("by is given, but the model has no groups; give groups, the public list")
            return None, None
        if by is None:
            raise ValueError("the model has groups; give by: a column of X, or one label per row")
        grouping = grouping_of(by, self.groups, self.max_groups)
        given = _input.named(self).names
        if isinstance(by, str) and given is None and _input.names_of(X) is not None:
            raise ValueError("name the coordinate columns (columns, axes or bounds by name): the column of groups is not one of them")
        if isinstance(by, str) and by in (given or []):
            raise ValueError(f"the column '{by}' is an axis and the group; use it for one of them")
        return grouping, _axes.coordinates(labels_of(X, by), grouping.axis)

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
        if self.insets is not None and self.groups is not None:
            raise ValueError("groups and insets are both given; remove one of them")
        if self.insets is not None and not _options.is_automatic(self.grid):
            raise ValueError("insets choose their own grids; give the model grid='auto'")
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

    def _fit(self, source: _input.Input, layout: _core.Grouping | int | None, codes: Any = None) -> None:
        self.__dict__.pop("_labels", None)
        public = self._public(source.names, source.found)
        batches = source.batches if codes is None else with_group(source, codes)
        self.release_ = self._draw(batches, public, layout, outside=self.outside)

    def _draw(self, batches: Any, public: tuple[_core.Grid, _core.PrivateOptions, bool], layout: _core.Grouping | int | None, **more: Any) -> Release | ReleaseSet:
        """Charge and draw a release, and give its warnings."""
        grid, options, automatic = public
        epsilon = _options.decimal_text(self.epsilon, "epsilon")  # type: ignore[arg-type]
        ledger = None if self.ledger is None else os.fspath(self.ledger)
        more |= {"seed": self._seed(), "ledger": ledger, "dataset": self.dataset or "", "automatic": automatic, "layout": layout}
        found = _core.release(batches, grid, self.technique, epsilon, options, **more)
        for notice in found.notices():
            _options.warn(notice, UserWarning)
        self._warn_of_spending(found.epsilon)
        return released(found)

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
