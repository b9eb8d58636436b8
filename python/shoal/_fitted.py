"""Shared parts of fitted estimators: labels, pickling without data, and display in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core

Labels = npt.NDArray[np.int64]


class Labelling:
    """Map from points to clusters. It is pickled as plain values and arrays."""

    def __init__(self, grid: _core.Grid, options: _core.ClusterOptions, clusters: _core.Clusters, assign: str = "none") -> None:
        self.options, self.assign = options, assign
        self.map = _core.ClusterMap(grid, options, clusters).assigned(assign)

    def __getstate__(self) -> dict[str, Any]:
        axes, clusters = self.map.grid.axes, self.map.clusters
        return {
            "grid": ([(axis.lo, axis.hi) for axis in axes], [axis.cells for axis in axes], [axis.name for axis in axes]),
            "options": {"percentile": 0, "level": self.options.level, "transform": self.options.transform},
            "clusters": (tuple(clusters.shape), np.array(clusters.cells), np.array(clusters.labels)),
            "assign": self.assign,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        grid, options = _core.Grid(*state["grid"]), _core.ClusterOptions(**state["options"])
        Labelling.__init__(self, grid, options, _core.clusters_of(*state["clusters"]), state["assign"])


class OwnLabels:
    """The attribute labels_: labels of the rows that were passed to fit. If there are none, the error says why."""

    def __get__(self, model: Any, owner: type | None = None) -> Labels:
        if model is None or "_labels" not in model.__dict__:
            raise AttributeError(
                "labels_ exists only after fit: streamed points are not kept, and copies and pickles of a private model leave out "
                "the labels of its data; label points with predict"
            )
        labels: Labels = model._labels
        return labels


class Shown:
    """Display in a notebook: scikit-learn's box of parameters, followed by the result."""

    def _found_html(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        parameters: str = super()._repr_html_()  # type: ignore[misc]
        return parameters + self._found_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in shown:
            shown["text/html"] += self._found_html()
        return shown

    def _get_fitted_attr_html(self, doc_link: str = "") -> dict[str, Any]:
        """Suppress scikit-learn's table of fitted attributes, which would show the number of rows and their labels."""
        return {}
