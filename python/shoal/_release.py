"""Private releases, which hold only noised and public values."""

from __future__ import annotations

import base64
import errno
import html as escaping
import json
import os
from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core, _input

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._levels import Levels

Core = TypeVar("Core", bound="_core.Release | _core.ReleaseSet")
Labels = npt.NDArray[np.int64]
_MOST_CELLS = 1 << 27


class Share(NamedTuple):
    """The part of the budget that one mechanism spent."""

    mechanism: str
    sensitivity: int
    epsilon: Decimal


class Confidence(NamedTuple):
    """Probabilities about a cluster in the population from which the records are drawn.

    Attributes
    ----------
    real : float
        Probability that at least half of the cells of the cluster are as dense in the population as the threshold.
    connected : float
        Given real, probability that at least nine tenths of those cells lie in one cluster of the population.
    separate : float
        Given connected, probability that this population cluster is not also the main one of another released cluster.
    joined_with : int or None
        Label of the released cluster to which the cluster may belong.
    plain : float
        Probability that the cluster is hardly denser in the population than the cells around it.
    """

    real: float
    connected: float
    separate: float
    joined_with: int | None
    plain: float = 0.0


class Cluster(NamedTuple):
    """A released cluster.

    label is its number in labels_ and predictions, starting at 0. id is its number in files and in the program, starting at 1.
    noisy_size is the sum of the noisy values and may be negative. size estimates the number of records of the data in the cluster: it
    leaves out the mean noise that helped to choose the cells. size_95 is its 95 % interval. Both are None if the noise is unknown. doubtful is True if the cluster may be noise, sampling error or part of a uniform area.
    """

    label: int
    cells: int
    centroid: tuple[float, ...]
    noisy_size: int
    polygons: list[Any] | None  # coordinates of a GeoJSON MultiPolygon; only for two axes
    confidence: Confidence | None = None  # None if unavailable
    size_95: tuple[int, int] | None = None
    doubtful: bool = False
    size: int | None = None

    @property
    def id(self) -> int:
        return self.label + 1


def refuse_existing(path: str | os.PathLike[str], overwrite: bool) -> None:
    if not overwrite and os.path.isfile(path):
        raise FileExistsError(errno.EEXIST, "the file already exists; choose another name, or pass overwrite=True", os.fspath(path))


def _confidence(facts: dict[str, Any] | None) -> Confidence | None:
    if facts is None:
        return None
    joined_with = facts.get("joined_with")
    return Confidence(facts["real"], facts["connected"], facts["separate"], None if joined_with is None else joined_with - 1, facts.get("plain", 0.0))


def dense_labels(shape: tuple[int, ...], cells: npt.NDArray[Any], labels: npt.NDArray[Any]) -> Labels:
    """Return the label of each cell of the box, starting at 0. -1 means unclustered."""
    if np.prod([float(extent) for extent in shape]) > _MOST_CELLS:
        raise ValueError("the grid has too many cells for an array; use predict")
    dense = np.full(int(np.prod(shape)), -1, np.int64)
    dense[cells] = labels.astype(np.int64) - 1
    return dense.reshape(shape)


class Exploration:
    """A page in a frame. A notebook shows it if it is the last value of a cell. The frame has no access to the notebook."""

    def __init__(self, page: str, height: int) -> None:
        self._page = page
        self._height = height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escaping.escape(self._page)}" sandbox="allow-scripts allow-downloads" title="Clusters" '
            f'style="width:100%;height:{int(self._height)}px;border:0"></iframe>'
        )


class Shareable(Generic[Core]):
    """The content of one file, which may be shared: a release, or several releases."""

    _core_type: ClassVar[Any]

    def __init__(self, core: Core) -> None:
        self._core = core

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a .json file. Raises ValueError if the file is damaged; the message says where."""
        return cls(cls._core_type.load(os.fspath(path)))

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(cls._core_type.parse(text))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False, doubtful: bool = False) -> None:
        """Write one file. The suffix selects the format: .json, .geojson, .gpkg, .tif, .csv, .html, .svg or .png.

        If doubtful is True, GeoJSON keeps the doubtful clusters.
        Raises FileExistsError if the file exists and overwrite is False, and ValueError for a seeded run, which is not private.
        """
        if not self.private:
            raise ValueError("a run with random_state is not private and cannot be released; remove random_state, or use to_json for a study")
        refuse_existing(path, overwrite)
        self._core.save(os.fspath(path), overwrite, doubtful)

    def to_json(self) -> str:
        return self._core.json()

    @property
    def private(self) -> bool:
        """Whether the release is private. False for a run with random_state, which must not be shared."""
        return self._core.is_private

    @property
    def _mark(self) -> str:
        return "" if self.private else ", NOT PRIVATE"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)


class Release(Shareable["_core.Release"]):
    """A private release. Loading, reading, reshaping and predicting spend no further privacy budget.

    >>> import shoal
    >>> spirals = shoal.datasets.load("ds2")
    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=40, percentile=10, technique="privqt")
    >>> release = model.fit(spirals.X).release_
    >>> release.technique, [share.mechanism for share in release.spent]
    ('privqt', ['counts'])
    >>> shoal.Release.from_json(release.to_json()) == release
    True
    """

    _core_type = _core.Release

    def __init__(self, core: _core.Release) -> None:
        super().__init__(core)
        self._cached_map: _core.ClusterMap | None = None
        self._cached_facts: dict[str, Any] | None = None

    # ---- files -----------------------------------------------------------------------------------------------------

    def to_geojson(self, *, doubtful: bool = False) -> dict[str, Any]:
        """Return a FeatureCollection with one feature per cluster. Doubtful clusters are included only if doubtful is True. Two axes only."""
        collection: dict[str, Any] = json.loads(self._core.geojson(doubtful))
        return collection

    def to_geopandas(self, *, doubtful: bool = False) -> Any:
        """Return a GeoDataFrame with one row per cluster, numbered from 1 as in files.

        Doubtful clusters are included only if doubtful is True. With longitude and latitude axes, the CRS is EPSG:4326.
        """
        try:
            import geopandas
        except ImportError:
            raise ImportError("to_geopandas needs geopandas: pip install geopandas") from None
        collection = self.to_geojson(doubtful=doubtful)
        names = {str(axis["name"]).lower() for axis in self._facts["axes"]}
        geographic = names & {"lon", "lng", "long", "longitude"} and names & {"lat", "latitude"}
        columns = ["cluster", "cells", "noisy_size", "size", "geometry"]
        return geopandas.GeoDataFrame.from_features(collection["features"], crs="EPSG:4326" if geographic else None, columns=columns)

    def to_csv(self) -> str:
        """Return one row per clustered cell as CSV. Clusters are numbered from 1, as in all files."""
        return self._core.csv()

    def html(self) -> str:
        """Return the report as one self-contained HTML page."""
        return self._core.html()

    def explore(self, height: int = 900) -> Exploration:
        """The page of :meth:`html` inside a notebook: sliders, map and tree. It costs no budget.

        height: of the frame, in pixels.
        """
        return Exploration(self.html(), height)

    def svg(self) -> str:
        """Return the picture of the report as SVG. Clusters are numbered from 1, as in all files."""
        return self._core.svg()

    def png(self, scale: float = 2) -> bytes:
        return self._core.png(scale)

    # ---- what it holds ---------------------------------------------------------------------------------------------

    @property
    def notices(self) -> list[str]:
        """Warnings for the reader: a weak guarantee, almost no records inside the bounds, or a threshold that runs through a uniform area.
        They are computed only from noised and public values, and are usually empty."""
        uniform = self._core.notice_of_uniform_area()
        return self._core.notices() + ([] if uniform is None else [uniform])

    @property
    def rounding(self) -> list[str]:
        """The rounding of the values that `grid="auto"` found, such as "Values of age are whole numbers." Empty if it found none."""
        return self._core.rounding()

    @property
    def technique(self) -> str:
        return self._core.technique

    @property
    def ledger_head(self) -> str | None:
        """Hash of the ledger entry that was charged. `Ledger.verify` finds it. None if there was no ledger."""
        return self._core.ledger_head or None

    @property
    def epsilon(self) -> Decimal:
        return Decimal(self._facts["epsilon_exact"])

    @property
    def spent(self) -> list[Share]:
        """Budget of each mechanism. The sum is exactly epsilon."""
        return [Share(share["name"], share["sensitivity"], Decimal(share["epsilon_exact"])) for share in self._facts["spent"]]

    @property
    def axes(self) -> list[dict[str, Any]]:
        """One dict per axis with its name, lo, hi and cells."""
        return [dict(axis) for axis in self._facts["axes"]]

    @property
    def parameters(self) -> dict[str, Any]:
        """Threshold, transform and cluster options, neighbours and privacy unit."""
        names = ["percentile", "coverage", "top", "density", "wavelet", "level", "transform", "adjacency", "min_cells", "neighbors", "unit"]
        return {name: self._facts[name] for name in names if name in self._facts}

    @property
    def automatic(self) -> dict[str, Any] | None:
        """The values from which grid="auto" chose the grid: records is the noisy number of records. None for other releases."""
        return dict(self._facts["automatic"]) if "automatic" in self._facts else None

    @property
    def k(self) -> int:
        return self._core.k

    @property
    def threshold(self) -> float:
        return self._core.threshold

    @property
    def n_clusters(self) -> int:
        return self._core.n_clusters

    @property
    def clusters(self) -> list[Cluster]:
        """All clusters, including doubtful ones, largest first. predict labels clusters[i] as i."""
        doubtful = set(self._core.doubtful())
        return [
            Cluster(
                c["id"] - 1,
                c["cells"],
                tuple(c["centroid"]),
                c["noisy_size"],
                c.get("outline"),
                _confidence(c.get("confidence")),
                tuple(c["size_95"]) if "size_95" in c else None,
                c["id"] in doubtful,
                c.get("size"),
            )
            for c in self._facts["clusters"]
        ]

    @property
    def cell_labels(self) -> Labels:
        """Cluster of each cell of the transformed grid. -1 means unclustered."""
        cells = _core.cells_of(self._core)
        return dense_labels(tuple(cells.shape), cells.cells, cells.labels)

    @property
    def noisy_values(self) -> npt.NDArray[np.int64] | None:
        """Noisy counts on the grid, or noisy sums if the technique releases sums. None if the release was saved without them, or if
        the grid is so large that only values that reach a floor are released."""
        return _core.noisy_values(self._core)

    @property
    def floor(self) -> int | None:
        """Lowest noisy sum that is released, if the grid is too large for noise on every value. None if all values are released."""
        floor: int | None = self._facts.get("noisy_sums", {}).get("floor")
        return floor

    # ---- what can be made of it ------------------------------------------------------------------------------------

    def reshape(
        self,
        *,
        percentile: float | None = None,
        top: int | None = None,
        density: float | None = None,
        coverage: float | None = None,
        wavelet: str | None = None,
        level: int | None = None,
        stationary: bool | None = None,
        adjacency: str | None = None,
        min_cells: int | None = None,
        threads: int | None = None,
    ) -> Release:
        """Cluster the same noisy values with other options. Spends no budget."""
        transform = None if stationary is None else "stationary" if stationary else "decimated"
        return Release(
            _core.reshaped(
                self._core,
                percentile=percentile,
                top=top,
                density=density,
                coverage=coverage,
                wavelet=wavelet,
                level=level,
                transform=transform,
                adjacency=adjacency,
                min_cells=min_cells,
                threads=threads,
            )
        )

    def levels(self, levels: Iterable[int], **options: Any) -> Levels:
        """The clusters at several levels at once, and which cluster of a level holds which of the finer one. Spends no budget.

        levels: ascending, such as range(1, 6). options: as in reshape, but for the level.
        Raises ValueError for a level that the grid or the noisy values cannot give.
        """
        from ._levels import Levels

        if "level" in options:
            raise TypeError("levels takes no level; give all of them as levels")
        base = self.reshape(**options) if options else self
        return Levels(base._core.levels([int(level) for level in levels]))

    def tree(self) -> dict[str, Any]:
        """Return how clusters appear and merge as the threshold falls. Spends no budget. docs/formats.md lists the keys.

        branches lists the branches, the stable ones first. Each reaches from its birth down to its death, and has its parent, an
        estimate of its records (size) and its 95 % interval (size_95). Noise does not explain a stable branch; if accounts_for_sample is true, sampling error does
        not explain it either. level is the density at which the number of stable clusters is largest; reshape(density=...) shows them.
        """
        tree: dict[str, Any] = json.loads(self._core.tree_json())
        return tree

    def tree_svg(self) -> str:
        """Return a picture of the tree and a map of its stable clusters, as SVG."""
        return self._core.tree_svg()

    def without_noisy_values(self) -> Release:
        """Return a smaller release that can predict but cannot be reshaped."""
        return Release(self._core.without_noisy_values())

    def predict(self, X: Any, *, assign: str | None = None, doubtful: bool = False) -> Labels:
        """Return the cluster of each row, which is its index in clusters. -1 means unclustered or outside the bounds.

        Parameters
        ----------
        X : array, frame or Arrow stream
            The points. If the release has axis names, a frame is read by these names; other columns are ignored.
        assign : {"none", "halo", "nearest"}, default=None
            Which unclustered rows get the label of a nearby cluster: none, rows one cell away ("halo"), or all rows inside the bounds
            ("nearest"). None means "halo" for a release by grid="auto", otherwise "none".
        doubtful : bool, default=False
            If True, rows of doubtful clusters are labelled too.
        """
        plain = assign is None and not doubtful
        return _core.label(self._map() if plain else _core.map_of(self._core, assign, doubtful), self._read(X).batches)

    def strength(self, X: Any, *, assign: str | None = None) -> npt.NDArray[np.float64]:
        """Return how strongly each row belongs to its predicted cluster, from 0 (no cluster) to 1.

        The strength is the noisy density of the cell of the row, divided by the largest noisy density in the cluster. It is computed
        only from public values and requires the noisy values of the release.

        >>> import shoal
        >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto").fit(shoal.datasets.load("ds2").X)
        >>> strength = model.release_.strength(shoal.datasets.load("ds2").X)
        >>> bool(strength.min() >= 0), bool(strength.max() == 1)
        (True, True)
        """
        return _core.strength(self._core, self._map() if assign is None else _core.map_of(self._core, assign), self._read(X).batches)

    def _read(self, X: Any) -> _input.Input:
        axes = self._facts["axes"]
        names = [str(axis["name"]) for axis in axes]
        unnamed = all(name == f"axis {i}" for i, name in enumerate(names, 1))
        kinds = list(self._map().grid.axes)
        source = _input.read(None, X, reset=False, axes=_input.Axes(None if unnamed else names, not unnamed, kinds))
        if source.dimensions != len(axes):
            raise ValueError(f"X has {source.dimensions} features, but Release is expecting {len(axes)} features as input")
        return source

    def plot(self, ax: Any = None, *, axes: tuple[int, int] | None = None) -> Any:
        """Draw density and clusters with matplotlib and return its axes.

        Clusters are numbered from 0, as in labels_. If the release has more than two axes, the two in axes are drawn, or else one panel
        per pair of axes. If ax is given without axes, only the first two axes are drawn.
        """
        from . import _plot

        edges = [_plot.axis_of(axis) for axis in self._map().grid.axes]
        title = f"{self._core.headline()}, {self.technique}, ε {self.epsilon}{self._mark}"
        return _plot.clusters(ax, edges, self.cell_labels, self.noisy_values, _core.colors(self._core), title, axes)

    def _map(self) -> _core.ClusterMap:
        if self._cached_map is None:
            self._cached_map = _core.map_of(self._core)
        return self._cached_map

    @property
    def _facts(self) -> dict[str, Any]:
        if self._cached_facts is None:
            self._cached_facts = json.loads(self._core.json())
        return self._cached_facts

    def __eq__(self, other: object) -> bool:
        return self.to_json() == other.to_json() if isinstance(other, Release) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        return f"<shoal.Release: {self._core.headline()} by {self.technique}, epsilon {self.epsilon}{self._mark}>"

    def _repr_html_(self) -> str:
        picture = base64.b64encode(self._core.svg(first_number=0).encode()).decode()
        rows = "".join(
            f"<tr><td>{escaping.escape(share.mechanism)}</td><td>{share.sensitivity}</td><td>{share.epsilon}</td></tr>" for share in self.spent
        )
        return (
            f"<div><b>{escaping.escape(repr(self)[1:-1])}</b>"
            "<table><thead><tr><th>mechanism</th><th>sensitivity</th><th>epsilon</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
            f"{''.join(f'<p>{escaping.escape(notice)}</p>' for notice in self.notices)}"
            f'<img alt="density and clusters" style="max-width:640px" src="data:image/svg+xml;base64,{picture}">'
            "<p>Cluster numbers start at 0, as in labels_ and predict. In files and in the program they start at 1.</p></div>"
        )
