"""Releases with insets: an overview, and finer releases of dense places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, _options
from ._release import Labels, Release, ReleaseSet

if TYPE_CHECKING:
    from ._estimators import PrivateWaveCluster


class InsetRelease(ReleaseSet["_core.InsetRelease"]):
    """An overview and its insets, named "overview", "1", "2" and so on. Reading and reshaping them spends no further privacy budget."""

    _core_type = _core.InsetRelease

    def __repr__(self) -> str:
        return f"InsetRelease(insets={len(self.insets)}, epsilon={self.epsilon}{self._mark})"

    @property
    def overview(self) -> Release:
        """The release of the whole plane."""
        return self._releases["overview"]

    @property
    def insets(self) -> list[Release]:
        """The finer releases. Their bounds do not overlap."""
        return list(self._releases.values())[1:]

    def predict(self, X: Any, *, assign: str | None = None, doubtful: bool = False) -> Labels:
        """Return the cluster of each row, from the inset in which it lies or else from the overview.

        -1 means unclustered or outside the bounds. Labels are numbered over all parts: those of the overview come first, starting at 0,
        then those of inset 1, and so on. If a cluster of an inset is the only one there within a cluster of the overview, it has the
        label of the cluster of the overview. assign and doubtful are as in Release.predict.
        """
        return self._labelled(X, assign, doubtful)[1]

    def parts_of(self, X: Any) -> Labels:
        """Return the number of the inset in which each row lies, or 0."""
        return self._labelled(X, None, False)[0]

    def _labelled(self, X: Any, assign: str | None, doubtful: bool) -> tuple[Labels, Labels]:
        parts, labels = self._core.labelled(self.overview._read(X).batches, assign, doubtful)
        return parts, labels

    def reshape(self, **changes: Any) -> InsetRelease:
        """Reshape every part as Release.reshape does. Spends no budget."""
        overview, *insets = self._reshaped(changes)
        return InsetRelease(_core.with_insets(overview, insets))


def release_insets(model: PrivateWaveCluster, X: Any, *, insets: int = 8, units: Any = None) -> InsetRelease:
    """Release an overview and finer insets of dense places within one budget.

    The overview gets 0.4 of model.epsilon. Its noisy values select the insets, which get 0.6 each. The insets do not overlap, so all of
    them together cost 0.6 once. If there are no dense places, the only inset is the whole plane. The model is not fitted.

    Parameters
    ----------
    model : PrivateWaveCluster
        The parameters of the release. grid must be "auto", and there are at most three axes.
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
    grid, options, automatic = model._public(source.names, source.found)
    return InsetRelease(model._draw(_core.release_insets, source.batches, grid, options, insets=insets, outside=model.outside, automatic=automatic))
