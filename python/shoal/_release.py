"""Private releases, which hold only noised and public values."""

from __future__ import annotations

import base64
import errno
import html as escaping
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core, _input

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._levels import Levels

Core = TypeVar("Core", bound="_core.Release | _core.ReleaseSet")
CoreSet = TypeVar("CoreSet", bound="_core.ReleaseSet")
Labels = npt.NDArray[np.int64]
_MOST_CELLS = 1 << 27


class Share(NamedTuple):
    """Part of the budget that one mechanism spent."""

    mechanism: str
    sensitivity: int
    epsilon: Decimal


class Confidence(NamedTuple):
    """Probabilities about the population that the records come from.

    real: at least half of its cells are as dense there as the threshold. Given that, connected: nine tenths of those cells are one
    cluster; separate: that cluster is not also the main part of another released cluster. joined_with: label of the released cluster
    that it may belong to, or None. plain: it is no denser there than the cells around it.
    """

    real: float
    connected: float
    separate: float
    joined_with: int | None
    plain: float = 0.0


class Cluster(NamedTuple):
    """A released cluster. label is its number in labels_ and predictions, from 0. id is its number in files and in the program,
    from 1. noisy_size holds noise and may be negative. size_95: a 95 % interval for the records of the data in it, or None.
    doubtful: it may be noise, chance in the sample or a part of a uniform area."""

    label: int
    cells: int
    centroid: tuple[float, ...]
    noisy_size: int
    polygons: list[Any] | None  # as the coordinates of a GeoJSON MultiPolygon, two axes only
    confidence: Confidence | None = None  # None: unavailable
    size_95: tuple[int, int] | None = None
    doubtful: bool = False

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
    """Labels from 0 for each cell of the box; -1: unclustered."""
    if np.prod([float(extent) for extent in shape]) > _MOST_CELLS:
        raise ValueError("the grid has too many cells for an array; use predict")
    dense = np.full(int(np.prod(shape)), -1, np.int64)
    dense[cells] = labels.astype(np.int64) - 1
    return dense.reshape(shape)


class Exploration:
    """A page in a frame, shown by a notebook when it is the last value of a cell. The frame has no access to the notebook."""

    def __init__(self, page: str, height: int) -> None:
        self._page = page
        self._height = height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escaping.escape(self._page)}" sandbox="allow-scripts allow-downloads" title="Clusters" '
            f'style="width:100%;height:{int(self._height)}px;border:0"></iframe>'
        )


class Shareable(Generic[Core]):
    """What one file holds, and what may be shared: a release, or several."""

    _core_type: ClassVar[Any]

    def __init__(self, core: Core) -> None:
        self._core = core

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a .json file. Raises ValueError if the file is damaged, and says where."""
        return cls(cls._core_type.load(os.fspath(path)))

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(cls._core_type.parse(text))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False, doubtful: bool = False) -> None:
        """Write one file. The suffix sets the format: .json .geojson .csv .html .svg .png.

        doubtful: keep doubtful clusters in GeoJSON.
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
        """False for a seeded study, which must not be shared."""
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
        """A FeatureCollection with one feature per cluster; doubtful ones only if asked for. Two axes only."""
        collection: dict[str, Any] = json.loads(self._core.geojson(doubtful))
        return collection

    def to_geopandas(self, *, doubtful: bool = False) -> Any:
        """A GeoDataFrame with one row per cluster, numbered from 1 as in files; doubtful ones only if asked for. With longitude and
        latitude axes its CRS is EPSG:4326."""
        try:
            import geopandas
        except ImportError:
            raise ImportError("to_geopandas needs geopandas: pip install geopandas") from None
        collection = self.to_geojson(doubtful=doubtful)
        names = {str(axis["name"]).lower() for axis in self._facts["axes"]}
        geographic = names & {"lon", "lng", "long", "longitude"} and names & {"lat", "latitude"}
        columns = ["cluster", "cells", "noisy_size", "geometry"]
        return geopandas.GeoDataFrame.from_features(collection["features"], crs="EPSG:4326" if geographic else None, columns=columns)

    def to_csv(self) -> str:
        """One row per clustered cell. Clusters are numbered from 1, as in all files."""
        return self._core.csv()

    def html(self) -> str:
        """The report, as one self-contained page."""
        return self._core.html()

    def explore(self, height: int = 900) -> Exploration:
        """The page of :meth:`html` inside a notebook: sliders, map and tree. It costs no budget.

        height: of the frame, in pixels.
        """
        return Exploration(self.html(), height)

    def svg(self) -> str:
        """The picture of the report. Clusters are numbered from 1, as in all files."""
        return self._core.svg()

    def png(self, scale: float = 2) -> bytes:
        return self._core.png(scale)

    # ---- what it holds ---------------------------------------------------------------------------------------------

    @property
    def notices(self) -> list[str]:
        """Warnings for the reader: a weak guarantee, almost no records inside the bounds, or a threshold that runs through a uniform area.
        Computed from noised and public values alone. Usually empty."""
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
        """Hash of the ledger's entry that was charged. `Ledger.verify` finds it. None if there was no ledger."""
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
        """name, lo, hi and cells of each axis."""
        return [dict(axis) for axis in self._facts["axes"]]

    @property
    def parameters(self) -> dict[str, Any]:
        """Threshold, transform and cluster options, neighbours and privacy unit."""
        names = ["percentile", "coverage", "top", "density", "wavelet", "level", "transform", "adjacency", "min_cells", "neighbors", "unit"]
        return {name: self._facts[name] for name in names if name in self._facts}

    @property
    def automatic(self) -> dict[str, Any] | None:
        """What grid="auto" chose the grid from: records, the noisy number of records. None for other releases."""
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
        """Clusters, the largest first, doubtful ones included. predict labels clusters[i] as i."""
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
            )
            for c in self._facts["clusters"]
        ]

    @property
    def cell_labels(self) -> Labels:
        """Cluster of each cell of the transformed grid; -1: unclustered."""
        cells = _core.cells_of(self._core)
        return dense_labels(tuple(cells.shape), cells.cells, cells.labels)

    @property
    def noisy_values(self) -> npt.NDArray[np.int64] | None:
        """Noisy counts on the grid, or noisy sums if the technique releases sums. None if the release was saved without them, or if
        the grid is so large that only values from the floor on are released."""
        return _core.noisy_values(self._core)

    @property
    def floor(self) -> int | None:
        """Lowest noisy sum that is released, for a grid too large for noise on every value. None: all values are released."""
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
        """How clusters appear and merge as the threshold falls. Spends no budget. docs/formats.md lists the keys.

        branches: each from birth down to death, with its parent and a 95 % interval of its records (size_95). Noise does not
        explain the stable ones, which come first; nor does chance in the sample, if accounts_for_sample.
        level: the density at which the number of stable clusters is largest; reshape(density=...) shows them.
        """
        tree: dict[str, Any] = json.loads(self._core.tree_json())
        return tree

    def tree_svg(self) -> str:
        """The tree and a map of its stable clusters."""
        return self._core.tree_svg()

    def without_noisy_values(self) -> Release:
        """A smaller release that can predict but cannot be reshaped."""
        return Release(self._core.without_noisy_values())

    def predict(self, X: Any, *, assign: str | None = None, doubtful: bool = False) -> Labels:
        """Cluster of each row, from 0 (its index in clusters); -1: unclustered or outside the bounds.

        assign: which unclustered rows get the label of a cluster nearby: "none", "halo" (rows one cell away) or "nearest" (all
        rows inside the bounds). None means "halo" for a release by grid="auto", otherwise "none".
        doubtful: label the rows of doubtful clusters too.
        If the release has axis names, a frame is read by these names; other columns are ignored.
        """
        plain = assign is None and not doubtful
        return _core.label(self._map() if plain else _core.map_of(self._core, assign, doubtful), self._read(X).batches)

    def strength(self, X: Any, *, assign: str | None = None) -> npt.NDArray[np.float64]:
        """How strongly every row belongs to the cluster that predict gives it: the noisy density of its cell over the largest of the
        cluster's cells, from 0 (no cluster) to 1. From public values alone. A release without its noisy values has none.

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
        """Draw density and clusters with matplotlib and return its axes. Clusters are numbered from 0, as in labels_. With more than
        two axes, draws the two given, or one panel per pair (only the first two if ax is given)."""
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


class ReleaseSet(Shareable[CoreSet], Mapping[str, Release]):
    """Several releases in one file, by name."""

    def __init__(self, core: CoreSet) -> None:
        super().__init__(core)
        self._releases = {name: Release(core.at(name)) for name in core.names}

    def html(self) -> str:
        """All parts, as one self-contained page."""
        return self._core.contents(".html").decode()

    def svg(self) -> str:
        """All parts on one picture."""
        return self._core.contents(".svg").decode()

    def _repr_html_(self) -> str:
        return self.svg()

    def __getitem__(self, name: str) -> Release:
        return self._releases[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._releases)

    def __len__(self) -> int:
        return len(self._releases)

    @property
    def epsilon(self) -> Decimal:
        """What all parts cost together."""
        return Decimal(self._core.epsilon)

    @property
    def notices(self) -> list[str]:
        """Warnings for the reader: a weak guarantee of all parts together, parts that show nothing, or rounded values on a grid that does
        not fit them. Usually empty."""
        return self._core.notices()

    @property
    def rounding(self) -> list[str]:
        """As Release.rounding, with the names of the parts unless a sentence holds for all of them."""
        return self._core.rounding()

    def _reshaped(self, changes: dict[str, Any]) -> list[_core.Release]:
        return [release.reshape(**changes)._core for release in self.values()]
