"""Several releases in one file: one per group, or an overview with insets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from . import _axes, _core, _input
from ._compare import Comparison, compare
from ._release import Labels, Release, Shareable


class ReleaseSet(Shareable["_core.ReleaseSet"], Mapping[str, Release]):
    """Named releases that were made and charged together: one per group, or an overview with insets.

    A mapping from names to releases. Groups are in the order of their list; the parts with insets are named "overview", "1", "2" and so on.
    Reading and reshaping them spends no further privacy budget.
    """

    _core_type = _core.ReleaseSet

    def __init__(self, core: _core.ReleaseSet) -> None:
        super().__init__(core)
        self._releases = {name: Release(core.at(name)) for name in core.names}

    def __getitem__(self, name: str) -> Release:
        return self._releases[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._releases)

    def __len__(self) -> int:
        return len(self._releases)

    def __repr__(self) -> str:
        by = "" if self._core.grouping is None else f"by={self.by!r}, "
        return f"ReleaseSet({by}parts={list(self)}, epsilon={self.epsilon}{self._mark})"

    @property
    def by(self) -> str:
        """The column that holds the group. Empty if the labels had no name."""
        return self._groups.axis.name

    @property
    def max_groups(self) -> int:
        """The maximum number of groups per unit."""
        return self._groups.max_groups

    @property
    def overview(self) -> Release:
        """The release of the whole plane. Raises KeyError if there are no insets."""
        return self._releases["overview"]

    @property
    def insets(self) -> list[Release]:
        """The finer releases. Their bounds do not overlap. Empty if there are groups."""
        return [] if self._core.grouping else list(self._releases.values())[1:]

    @property
    def epsilon(self) -> Decimal:
        """The budget that all parts cost together. The epsilon of a part is that of its release."""
        return Decimal(self._core.epsilon)

    @property
    def n_clusters(self) -> int:
        """The number of clusters of all parts."""
        return sum(release.n_clusters for release in self.values())

    @property
    def notices(self) -> list[str]:
        """Warnings for the reader: a weak guarantee of all parts together, parts that show nothing, or rounded values on a grid that does
        not fit them. Usually empty."""
        return self._core.notices()

    @property
    def rounding(self) -> list[str]:
        """As Release.rounding, with the names of the parts unless a sentence holds for all of them."""
        return self._core.rounding()

    def html(self) -> str:
        """Return all parts as one self-contained HTML page."""
        return self._core.contents(".html").decode()

    def svg(self) -> str:
        """Return one picture of all parts, as SVG."""
        return self._core.contents(".svg").decode()

    def _repr_html_(self) -> str:
        return self.svg()

    def reshape(self, **changes: Any) -> ReleaseSet:
        """Reshape every part as Release.reshape does. Spends no budget."""
        return ReleaseSet(self._core.with_releases([release.reshape(**changes)._core for release in self.values()]))

    def compare(self) -> Comparison:
        """Compare each group with the next."""
        return compare(list(self.values()), names=list(self))

    def predict(self, X: Any, *, by: Any = None, assign: str | None = None, doubtful: bool = False) -> Labels:
        """Return the cluster of each row. -1 means unclustered, outside the bounds, or in none of the groups.

        With groups, a row gets a label of the release of its own group, and labels of different groups are different clusters. With insets,
        it gets a label of the inset in which it lies, or else of the overview. Labels are then numbered over all parts: those of the
        overview come first, starting at 0, then those of inset 1, and so on. If a cluster of an inset is the only one there within a
        cluster of the overview, it has the label of the cluster of the overview.

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
        >>> wards = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto", groups=["A", "B"]).fit(X, by=ward).release_
        >>> labels = wards.predict(X, by=ward)
        >>> bool((labels[ward == "A"] == wards["A"].predict(X[ward == "A"])).all())
        True
        """
        return self._labelled(X, by, assign, doubtful)[1]

    def parts_of(self, X: Any, *, by: Any = None) -> Labels:
        """Return the number of the inset in which each row lies, or 0; or the index of its group, starting at 0, or -1."""
        return self._labelled(X, by, None, False)[0]

    def _labelled(self, X: Any, by: Any, assign: str | None, doubtful: bool) -> tuple[Labels, Labels]:
        grouping = self._core.grouping
        if grouping is None and by is not None:
            raise ValueError("by is given, but the release has no groups; remove it")
        if grouping is not None and by is None and not self.by:
            raise ValueError("the release names no column of its groups; give by: a column of X, or one label per row")
        batches: Any = next(iter(self.values()))._read(X)
        if grouping is None:
            batches = batches.batches
        else:
            batches = with_group(batches, _axes.coordinates(labels_of(X, self.by if by is None else by), grouping.axis))
        parts, labels = self._core.labelled(batches, assign, doubtful)
        return parts, labels

    @property
    def _groups(self) -> _core.Grouping:
        if self._core.grouping is None:
            raise AttributeError("the release has insets, not groups")
        return self._core.grouping


def released(core: _core.ReleaseSet) -> Release | ReleaseSet:
    """Return a plain release as such, and several as a set."""
    return Release(core.at("")) if core.is_whole else ReleaseSet(core)


def _name(group: Any) -> str:
    if isinstance(group, (str, int, np.integer)) and not isinstance(group, bool):
        return str(group)
    raise TypeError(f"a group is named by a string or a whole number, not by {type(group).__name__}; ranges of weeks, months and days are written as in '2026-W01..2026-W12'")


def grouping_of(by: Any, groups: Sequence[Any] | str, max_groups: int) -> _core.Grouping:
    column = by if isinstance(by, str) else str(getattr(by, "name", None) or "")
    if isinstance(groups, str):
        if ".." not in groups:
            raise ValueError("groups must be a list of names, or a range such as '2026-W01..2026-W12'")
        return _core.Grouping.declared(f"{column or 'by'}={groups}", max_groups)
    return _core.Grouping.listed(column, [_name(group) for group in groups], max_groups)


def labels_of(X: Any, by: Any) -> Any:
    if not isinstance(by, str):
        return by
    if by not in (_input.names_of(X) or []):
        raise ValueError(f"there is no column '{by}' that states the group; give its name, or one label per row")
    return X[by]


def with_group(source: _input.Input, codes: Any) -> Iterator[_input.Batch]:
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
