"""Releases with insets: an overview, and finer releases of the places where records crowd."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from . import _core, _options
from ._estimators import PrivateWaveCluster
from ._options import decimal_text
from ._release import Labels, Release, refuse_existing


class InsetRelease(Mapping[str, Release]):
    """An overview and its insets, by name: "overview", "1", "2", ... Reading and reshaping them spends no further privacy budget."""

    def __init__(self, core: _core.InsetRelease) -> None:
        self._core = core
        self._releases = {name: Release(core.at(name)) for name in core.names}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> InsetRelease:
        """Read a .json file. Raises ValueError if the file is damaged, and says where."""
        return cls(_core.InsetRelease.load(os.fspath(path)))

    @classmethod
    def from_json(cls, text: str) -> InsetRelease:
        return cls(_core.InsetRelease.parse(text))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False, doubtful: bool = False) -> None:
        """Write all parts to one file. The suffix sets the format: .json .geojson .csv .html .svg .png.

        doubtful: keep doubtful clusters in GeoJSON.
        Raises FileExistsError if the file exists and overwrite is False, and ValueError for a seeded run, which is not private.
        """
        if not self.private:
            raise ValueError("a run with random_state is not private and cannot be released; remove random_state, or use to_json for a study")
        refuse_existing(path, overwrite)
        self._core.save(os.fspath(path), overwrite, doubtful)

    def to_json(self) -> str:
        return self._core.json()

    def html(self) -> str:
        """The overview and all insets, as one self-contained page."""
        return self._core.contents("insets.html").decode()

    def svg(self) -> str:
        """The overview with the frames of the insets, and a map of each inset."""
        return self._core.contents("insets.svg").decode()

    def _repr_html_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"InsetRelease(insets={len(self.insets)}, epsilon={self.epsilon})"

    def __getitem__(self, name: str) -> Release:
        return self._releases[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._releases)

    def __len__(self) -> int:
        return len(self._releases)

    @property
    def overview(self) -> Release:
        """The release of the whole plane."""
        return self._releases["overview"]

    @property
    def insets(self) -> list[Release]:
        """The finer releases. Their bounds do not overlap."""
        return list(self._releases.values())[1:]

    @property
    def private(self) -> bool:
        """False for a seeded study, which must not be shared."""
        return self._core.is_private

    @property
    def epsilon(self) -> Decimal:
        """What all parts cost together."""
        return Decimal(self._core.epsilon)

    def predict(self, X: Any, *, assign: str | None = None, doubtful: bool = False) -> Labels:
        """Cluster of each row: of the inset that it lies in, otherwise of the overview. -1: unclustered or outside the bounds.

        Labels are counted through the parts: those of the overview come first, from 0, then those of inset 1, and so on. A cluster
        of an inset that is the only one there within a cluster of the overview has the label of the latter.
        assign, doubtful: as in Release.predict.
        """
        return self._labelled(X, assign, doubtful)[1]

    def parts_of(self, X: Any) -> Labels:
        """The number of the inset that each row lies in, or 0."""
        return self._labelled(X, None, False)[0]

    def _labelled(self, X: Any, assign: str | None, doubtful: bool) -> tuple[Labels, Labels]:
        parts, labels = self._core.labelled(self.overview._read(X).batches, assign, doubtful)
        return parts, labels

    def reshape(self, **changes: Any) -> InsetRelease:
        """Every part with other options, as Release.reshape. Spends no budget."""
        overview, *insets = [release.reshape(**changes)._core for release in self.values()]
        return InsetRelease(_core.with_insets(overview, insets))


def release_insets(model: PrivateWaveCluster, X: Any, *, insets: int = 8, units: Any = None) -> InsetRelease:
    """Release an overview, and finer insets where records crowd, within one budget.

    The overview gets 0.4 of model.epsilon. Its noisy values select the insets, which get 0.6 each: they do not overlap, so all of them
    together cost that once. Without crowded places, the only inset is the whole plane. The model is not fitted.

    Parameters
    ----------
    model : PrivateWaveCluster
        The parameters of the release. grid is "auto", and there are at most three axes.
    X : array, pandas or polars frame, Arrow table
        The points.
    insets : int, default=8
        The maximum number of insets, from 1 to 64.
    units : array of shape (n,), default=None
        The unit of each row, if model.unit is not "record" and X has no such column.

    Returns
    -------
    InsetRelease
        A mapping from the name of a part to its Release.

    Examples
    --------
    >>> import numpy as np, shoal
    >>> rng = np.random.default_rng(1)
    >>> X = np.concatenate([rng.random((3000, 2)), rng.normal((0.2, 0.3), 0.002, (6000, 2))])
    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto")
    >>> world = shoal.release_insets(model, X, insets=4)
    >>> world.epsilon, bool(world.parts_of([[0.2, 0.3]])[0] > 0)
    (Decimal('1'), True)
    """
    if not _options.is_automatic(model.grid):
        raise ValueError("insets choose their own grids; give the model grid='auto'")
    source = model._read(X, units)
    grid, options, _ = model._public(source.names, source.found)
    found = _core.release_insets(
        source.batches,
        grid,
        insets,
        model.technique,
        decimal_text(model.epsilon, "epsilon"),  # type: ignore[arg-type]
        options,
        outside=model.outside,
        seed=model._seed(),
        ledger=None if model.ledger is None else os.fspath(model.ledger),
        dataset=model.dataset or "",
    )
    if model.ledger is None and model.random_state is None:
        spent = _options.without_ledger.add(Decimal(decimal_text(model.epsilon, "epsilon")))  # type: ignore[arg-type]
        if spent is not None:
            warnings.warn(spent, _options.PrivacyBudgetWarning, stacklevel=2)
    return InsetRelease(found)
