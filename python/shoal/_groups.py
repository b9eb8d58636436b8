"""Releases by group, such as one per ward, week or month, from one pass over the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _axes, _core, _input
from ._compare import Comparison, compare
from ._options import decimal_text
from ._release import Labels, ReleaseSet

if TYPE_CHECKING:
    from ._estimators import PrivateWaveCluster


class GroupedRelease(ReleaseSet["_core.GroupedRelease"]):
    """The releases of all groups, by name and in the order of the list. Reading and reshaping them spends no further privacy budget."""

    _core_type = _core.GroupedRelease

    def __repr__(self) -> str:
        return f"GroupedRelease(by={self.by!r}, groups={list(self)}, epsilon={self.epsilon}{self._mark})"

    @property
    def by(self) -> str:
        """The column that holds the group. Empty if the labels had no name."""
        return self._core.by

    @property
    def max_groups(self) -> int:
        """The maximum number of groups per unit."""
        return self._core.max_groups

    @property
    def epsilon_each(self) -> Decimal:
        """The budget of each group."""
        return Decimal(self._core.epsilon_each)

    def reshape(self, **changes: Any) -> GroupedRelease:
        """Reshape every group as Release.reshape does. Spends no budget."""
        return GroupedRelease(_core.grouped(self._core.grouping, self._reshaped(changes)))

    def predict(self, X: Any, *, by: Any = None, assign: str | None = None, doubtful: bool = False) -> Labels:
        """Return the cluster of each row in the release of its own group, as Release.predict does.

        -1 means unclustered, outside the bounds, or in none of the groups. Labels of different groups are different clusters.

        Parameters
        ----------
        X : array, pandas or polars frame, Arrow table
            The points.
        by : str or array of shape (n,), default=None
            The group of each row: a column of X, or one label per row. None uses the column of the release.
        assign, doubtful
            As in Release.predict.

        Examples
        --------
        >>> import numpy as np, shoal
        >>> X = shoal.datasets.load("ds2").X
        >>> ward = np.where(X[:, 0] < 0.5, "A", "B")
        >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto")
        >>> wards = shoal.release_groups(model, X, by=ward, groups=["A", "B"])
        >>> labels = wards.predict(X, by=ward)
        >>> bool((labels[ward == "A"] == wards["A"].predict(X[ward == "A"])).all())
        True
        """
        if by is None and not self.by:
            raise ValueError("the release names no column of its groups; give by: a column of X, or one label per row")
        codes = _axes.coordinates(_labels(X, self.by if by is None else by), self._core.grouping.axis)
        source = next(iter(self.values()))._read(X)
        return self._core.labelled(_with_group(source, codes), assign, doubtful)

    def compare(self) -> Comparison:
        """Compare each group with the next."""
        return compare(list(self.values()), names=list(self))


def _name(group: Any) -> str:
    if isinstance(group, (str, int, np.integer)) and not isinstance(group, bool):
        return str(group)
    raise TypeError(f"a group is named by a string or a whole number, not by {type(group).__name__}; ranges of weeks, months and days are written as in '2026-W01..2026-W12'")


def _grouping(by: Any, groups: Sequence[Any] | str, max_groups: int) -> _core.Grouping:
    column = by if isinstance(by, str) else str(getattr(by, "name", None) or "")
    if isinstance(groups, str):
        if ".." not in groups:
            raise ValueError("groups must be a list of names, or a range such as '2026-W01..2026-W12'")
        return _core.Grouping.declared(f"{column or 'by'}={groups}", max_groups)
    return _core.Grouping.listed(column, [_name(group) for group in groups], max_groups)


def _labels(X: Any, by: Any) -> Any:
    if not isinstance(by, str):
        return by
    if by not in (_input.names_of(X) or []):
        raise ValueError(f"there is no column '{by}' that states the group; give its name, or one label per row")
    return X[by]


def _with_group(source: _input.Input, codes: Any) -> Iterator[_input.Batch]:
    first = 0
    for columns, units in source.batches:
        rows = columns.rows if isinstance(columns, _core.Columns) else len(columns[0])
        part = np.ascontiguousarray(codes[first : first + rows])
        if len(part) != rows:
            break
        first += rows
        yield (columns.behind(part) if isinstance(columns, _core.Columns) else [part, *columns]), units
    else:
        if first == len(codes):
            return
    raise ValueError(f"{len(codes)} labels were given, but X has a different number of rows; give one label per row")


def release_groups(
    model: PrivateWaveCluster, X: Any, *, by: Any, groups: Sequence[Any] | str, max_groups: int = 1, units: Any = None
) -> GroupedRelease:
    """Release every group of a public list, from one pass over the data.

    model.epsilon is the budget of each group. A record lies in one group, so all groups together cost epsilon once. If model.unit is a
    column, at most max_groups groups of each unit are kept, chosen at random, and all groups together cost max_groups times epsilon
    (with neighbors="replace" twice that). The model is not fitted.

    Parameters
    ----------
    model : PrivateWaveCluster
        The parameters of each release.
    X : array, pandas or polars frame, Arrow table
        The points.
    by : str or array of shape (n,)
        The group of each row: a column of X, or one label per row (names, dates, or weeks such as "2026-W03").
    groups : list of names, or str
        The public list: names, or a range of weeks "2026-W01..2026-W12", months "2026-01..2026-12" or days
        "2026-01-01..2026-01-31". Rows of other groups are dropped. Choose it without looking at the data.
    max_groups : int, default=1
        The maximum number of groups kept per unit.
    units : array of shape (n,), default=None
        The unit of each row, if model.unit is not "record" and X has no such column.

    Returns
    -------
    GroupedRelease
        A mapping from the name of a group to its Release.

    Examples
    --------
    >>> import numpy as np, shoal
    >>> spirals = shoal.datasets.load("ds2")
    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto")
    >>> wards = shoal.release_groups(model, spirals.X, by=np.where(spirals.X[:, 0] < 0.5, "A", "B"), groups=["A", "B"])
    >>> list(wards), wards.epsilon
    (['A', 'B'], Decimal('1'))
    """
    grouping = _grouping(by, groups, max_groups)
    given = _input.named(model).names
    if isinstance(by, str) and given is None and _input.names_of(X) is not None:
        raise ValueError("name the coordinate columns (columns, axes or bounds by name): the column of groups is not one of them")
    if isinstance(by, str) and by in (given or []):
        raise ValueError(f"the column '{by}' is an axis and the group; use it for one of them")
    codes = _axes.coordinates(_labels(X, by), grouping.axis)
    source = model._read(X, units)
    grid, options, automatic = model._public(source.names, source.found)
    cost = grouping.cost(decimal_text(model.epsilon, "epsilon"), options)  # type: ignore[arg-type]
    return GroupedRelease(
        model._draw(
            _core.release_groups, _with_group(source, codes), grid, options, cost=cost, grouping=grouping, outside=model.outside, automatic=automatic
        )
    )
