"""Checks of data, for the data owner, before any budget is spent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _axes, _core
from ._groups import _grouping, _labels, _with_group

if TYPE_CHECKING:
    from ._estimators import PrivateWaveCluster


def check(model: PrivateWaveCluster, X: Any, *, by: Any = None, groups: Sequence[Any] | str | None = None, units: Any = None) -> dict[str, Any]:
    """Check data as the model would read them: missing values, values outside the bounds, units, groups and steps of values.

    For the data owner only: the result is computed from the raw data and is not private. It spends no budget. Do not share it, and
    do not choose settings of a release by it. The model is not fitted.

    Parameters
    ----------
    model : PrivateWaveCluster
        The model whose bounds, axes, columns and unit are used.
    X, by, groups, units
        As in release_groups; by and groups may be omitted.

    Returns
    -------
    dict
        rows, inside (rows that would be counted), columns (for each: name, missing, below, above, least, most, and the step of which
        most values are multiples, with their share), units (number of units, and records per unit), groups (rows of each), in_no_group,
        and advice, a list of sentences.

    Examples
    --------
    >>> import shoal
    >>> X = shoal.datasets.load("ds2").X
    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=40, percentile=10)
    >>> found = shoal.check(model, X)
    >>> found["rows"] == found["inside"] == len(X), found["advice"]
    (True, [])
    """
    if (by is None) != (groups is None):
        raise ValueError("by and groups go together; give both or neither")
    source = model._read(X, units)
    grid, _options, _automatic = model._public(source.names, source.found)
    if by is None or groups is None:
        return _core.check_data(source.batches, grid)
    grouping = _grouping(by, groups, 1)
    codes = _axes.coordinates(_labels(X, by), grouping.axis)
    return _core.check_data(_with_group(source, codes), grid, grouping)
