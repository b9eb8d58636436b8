"""Checks of data, for the data owner, before any budget is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._release_set import with_group

if TYPE_CHECKING:
    from ._estimators import PrivateWaveCluster


def check(model: PrivateWaveCluster, X: Any, *, by: Any = None, units: Any = None) -> dict[str, Any]:
    """Check data as the model would read them: missing values, values outside the bounds, units, groups and steps of values.

    For the data owner only: the result is computed from the raw data and is not private. It spends no budget. Do not share it, and
    do not choose settings of a release by it. The model is not fitted.

    Parameters
    ----------
    model : PrivateWaveCluster
        The model whose bounds, axes, columns, unit and groups are used.
    X, by, units
        As in PrivateWaveCluster.fit.

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
    grouping, codes = model._grouped(X, by)
    source = model._read(X, units)
    grid, _options, _automatic = model._public(source.names, source.found)
    return _core.check_data(source.batches if grouping is None else with_group(source, codes), grid, grouping)
