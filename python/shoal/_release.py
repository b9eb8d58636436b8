"""The artefact: what an analyst gets. Noised and public values only."""

from __future__ import annotations

import base64
import errno
import html as escaping
import json
import os
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, _input

Labels = npt.NDArray[np.int64]
_MOST_CELLS = 1 << 27


class Share(NamedTuple):
    """One mechanism's part of the budget."""

    mechanism: str
    sensitivity: int
    epsilon: Decimal


class Confidence(NamedTuple):
    """How far a cluster can be trusted, beside what plain WaveCluster would show on the data: chances from 0 to 1.

    real: at least half of its cells are dense in truth. If so, connected: nine tenths of those are one cluster; separate: that one is
    not also the main part of another released cluster. joined_with: the label of the one it may belong to; None: of none.
    """

    real: float
    connected: float
    separate: float
    joined_with: int | None


class Cluster(NamedTuple):
    """A released cluster; label is its number in labels_ and predictions, id the one in files and in the program: one more.
    noisy_size may be negative: it is noised."""

    label: int
    cells: int
    centroid: tuple[float, ...]
    noisy_size: int
    polygons: list[Any] | None  # as the coordinates of a GeoJSON MultiPolygon, two axes only
    confidence: Confidence | None = None  # None when the release cannot tell

    @property
    def id(self) -> int:
        return self.label + 1


def refuse_existing(path: str | os.PathLike[str], overwrite: bool) -> None:
    if not overwrite and os.path.isfile(path):
        raise FileExistsError(errno.EEXIST, "it is there already; choose another name, or pass overwrite=True", os.fspath(path))


def _confidence(facts: dict[str, Any] | None) -> Confidence | None:
    if facts is None:
        return None
    joined_with = facts.get("joined_with")
    return Confidence(facts["real"], facts["connected"], facts["separate"], None if joined_with is None else joined_with - 1)


def dense_labels(shape: tuple[int, ...], cells: npt.NDArray[Any], labels: npt.NDArray[Any]) -> Labels:
    """Labels from 0 on for every cell of the box, -1 for those in no cluster."""
    if np.prod([float(extent) for extent in shape]) > _MOST_CELLS:
        raise ValueError("the grid has too many cells for an array of them all; use predict")
    dense = np.full(int(np.prod(shape)), -1, np.int64)
    dense[cells] = labels.astype(np.int64) - 1
    return dense.reshape(shape)


class Release:
    """A private release: load it, look at it, reshape it, label points with it, all at no further cost in privacy.

    >>> import shoal
    >>> spirals = shoal.datasets.load("ds2")
    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=40, percentile=10, technique="privqt")
    >>> release = model.fit(spirals.X).release_
    >>> release.technique, [share.mechanism for share in release.spent]
    ('privqt', ['counts'])
    >>> shoal.Release.from_json(release.to_json()) == release
    True
    """

    def __init__(self, core: _core.Release) -> None:
        self._core = core
        self._cached_map: _core.ClusterMap | None = None
        self._cached_facts: dict[str, Any] | None = None

    # ---- files -----------------------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Release:
        """Reads a release from a .json file; refuses one that is damaged, with the place."""
        return cls(_core.Release.load(os.fspath(path)))

    @classmethod
    def from_json(cls, text: str) -> Release:
        return cls(_core.Release.parse(text))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the release by suffix: .json .geojson .csv .html .svg .png. A seeded run is refused: it is not private.

        A file that is there already is replaced only with overwrite=True; else FileExistsError.
        """
        if not self.private:
            raise ValueError("a run with random_state is not private: it cannot be released. Leave random_state out; for studies use to_json")
        refuse_existing(path, overwrite)
        self._core.save(os.fspath(path), overwrite)

    def to_json(self) -> str:
        return self._core.json()

    def to_geojson(self) -> dict[str, Any]:
        """A FeatureCollection, a feature a cluster. Two axes only."""
        collection: dict[str, Any] = json.loads(self._core.geojson())
        return collection

    def to_geopandas(self) -> Any:
        """A GeoDataFrame with one row per cluster, numbered from 1 as in files; longitude and latitude axes give it the CRS
        EPSG:4326."""
        try:
            import geopandas
        except ImportError:
            raise ImportError("to_geopandas needs geopandas: pip install geopandas") from None
        collection = self.to_geojson()
        names = {str(axis["name"]).lower() for axis in self._facts["axes"]}
        geographic = names & {"lon", "lng", "long", "longitude"} and names & {"lat", "latitude"}
        columns = ["cluster", "cells", "noisy_size", "geometry"]
        return geopandas.GeoDataFrame.from_features(collection["features"], crs="EPSG:4326" if geographic else None, columns=columns)

    def to_csv(self) -> str:
        """One row per clustered cell. Clusters are numbered from 1, as in all files."""
        return self._core.csv()

    def html(self) -> str:
        """The whole report, one self-contained page."""
        return self._core.html()

    def svg(self) -> str:
        """The picture of the report. Clusters are numbered from 1, as in all files."""
        return self._core.svg()

    def png(self, scale: float = 2) -> bytes:
        return self._core.png(scale)

    # ---- what it holds ---------------------------------------------------------------------------------------------

    @property
    def private(self) -> bool:
        """False for a seeded study, which is not to be shared."""
        return self._core.is_private

    @property
    def notices(self) -> list[str]:
        """What a reader should know first, in plain words: a weak promise, or next to no records inside the bounds. From noised and
        public values alone; mostly empty."""
        return self._core.notices()

    @property
    def technique(self) -> str:
        return self._core.technique

    @property
    def epsilon(self) -> Decimal:
        return Decimal(self._facts["epsilon_exact"])

    @property
    def spent(self) -> list[Share]:
        """What the budget went to; adds up to epsilon exactly."""
        return [Share(share["name"], share["sensitivity"], Decimal(share["epsilon_exact"])) for share in self._facts["spent"]]

    @property
    def axes(self) -> list[dict[str, Any]]:
        """name, lo, hi and cells of every axis."""
        return [dict(axis) for axis in self._facts["axes"]]

    @property
    def parameters(self) -> dict[str, Any]:
        """How the clusters were made of the noisy values, whose privacy it is, and from whom."""
        names = ["percentile", "coverage", "top", "density", "wavelet", "level", "transform", "adjacency", "min_cells", "neighbors", "unit"]
        return {name: self._facts[name] for name in names if name in self._facts}

    @property
    def automatic(self) -> dict[str, Any] | None:
        """What grid="auto" chose by: the noisy number of records, and the range of coverage with the same number of clusters
        (not after a reshape: it was about the clusters before)."""
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
        """The largest first: clusters[i] is the one that predict labels i."""
        return [
            Cluster(c["id"] - 1, c["cells"], tuple(c["centroid"]), c["noisy_size"], c.get("outline"), _confidence(c.get("confidence")))
            for c in self._facts["clusters"]
        ]

    @property
    def cell_labels(self) -> Labels:
        """Cluster of every cell of the transformed grid; -1: none."""
        cells = _core.cells_of(self._core)
        return dense_labels(tuple(cells.shape), cells.cells, cells.labels)

    @property
    def noisy_values(self) -> npt.NDArray[np.int64] | None:
        """Noisy counts on the grid, or noisy sums where the technique makes those; None when they were left out, or when the
        grid is so large that only those that reach the floor are there."""
        return _core.noisy_values(self._core)

    @property
    def floor(self) -> int | None:
        """Of a grid too large to noise every value: the least noisy sum that is known. Else None: all are."""
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
        """The same noisy values with other options: free, for ever."""
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

    def tree(self) -> dict[str, Any]:
        """How clusters appear and join as the threshold falls, from the noisy values alone: free. The keys: docs/formats.md.

        branches: each from birth down to death, with its parent; stable ones are more than noise explains, and come first.
        level: the density at which most of these are seen at once; reshape(density=...) shows them.
        """
        tree: dict[str, Any] = json.loads(self._core.tree_json())
        return tree

    def tree_svg(self) -> str:
        """The tree beside the map of its stable clusters."""
        return self._core.tree_svg()

    def without_noisy_values(self) -> Release:
        """A small release that predicts, but cannot be reshaped."""
        return Release(self._core.without_noisy_values())

    def predict(self, X: Any, *, assign: str | None = None) -> Labels:
        """Cluster of every row, from 0 on (its place in clusters); -1: noise, or outside the bounds.

        assign: which rows beside a cluster are labelled as its own: "none", "halo" (those one cell away), "nearest" (all inside
        the bounds); None: "halo" after grid="auto", else "none".
        A frame is read by the axes' names where the release has names, whatever else it holds and in whatever order.
        """
        axes = self._facts["axes"]
        names = [str(axis["name"]) for axis in axes]
        unnamed = all(name == f"axis {i}" for i, name in enumerate(names, 1))
        source = _input.read(None, X, reset=False, axes=_input.UNNAMED if unnamed else _input.Axes(names, of_arrays=True))
        if source.dimensions != len(axes):
            raise ValueError(f"X has {source.dimensions} features, but Release is expecting {len(axes)} features as input")
        return _core.label(self._map() if assign is None else _core.map_of(self._core, assign), source.batches)

    def plot(self, ax: Any = None, *, axes: tuple[int, int] | None = None) -> Any:
        """Draws density and clusters with matplotlib and gives its axes. Clusters are numbered from 0, as in labels_. Of more than
        two axes: the two given, or a panel for every pair (the first two where ax is given)."""
        from . import _plot

        edges = [_plot.Axis(axis["lo"], axis["hi"], axis["name"]) for axis in self._facts["axes"]]
        title = f"{self.n_clusters} clusters, {self.technique}, ε {self.epsilon}" + ("" if self.private else ", NOT PRIVATE")
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

    def __reduce__(self) -> tuple[Any, ...]:
        return Release.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        private = "" if self.private else ", NOT PRIVATE"
        return f"<shoal.Release: {self.n_clusters} clusters by {self.technique}, epsilon {self.epsilon}{private}>"

    def _repr_html_(self) -> str:
        picture = base64.b64encode(self._core.svg(first_number=0).encode()).decode()
        rows = "".join(
            f"<tr><td>{escaping.escape(share.mechanism)}</td><td>{share.sensitivity}</td><td>{share.epsilon}</td></tr>" for share in self.spent
        )
        return (
            f"<div><b>{escaping.escape(repr(self)[1:-1])}</b>"
            "<table><thead><tr><th>spent on</th><th>sensitivity</th><th>epsilon</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
            f"{''.join(f'<p>{escaping.escape(notice)}</p>' for notice in self.notices)}"
            f'<img alt="density and clusters" style="max-width:640px" src="data:image/svg+xml;base64,{picture}">'
            "<p>Clusters are numbered as in labels_ and by predict, from 0. Files and the program number them from 1.</p></div>"
        )

