"""Several resolutions of one release at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from . import _core
from ._release import Release, refuse_existing


class Holder(NamedTuple):
    """The cluster of the next coarser level that holds most of a cluster's cells, and its share of them.

    label: its number there, from 0. None: no cluster holds any of the cells.
    """

    label: int | None
    share: float


class Levels(Mapping[int, Release]):
    """The clusters of one release at several levels, by level. Spends no budget.

    >>> import shoal
    >>> model = shoal.PrivateWaveCluster(epsilon=5, bounds=(0, 1), grid=64, coverage=80, technique="privqt")
    >>> levels = model.fit(shoal.datasets.load("ds2").X).release_.levels(range(1, 4))
    >>> list(levels), [len(holders) == levels[level].n_clusters for level, holders in levels.held_by.items()]
    ([1, 2, 3], [True, True])
    """

    def __init__(self, core: _core.ReleaseLevels) -> None:
        self._core = core
        self._releases = {release.level: Release(release) for release in core.releases}

    @property
    def held_by(self) -> dict[int, list[Holder]]:
        """By level, but for the coarsest: the holder of each of its clusters, in the order of their labels."""
        return {
            level: [Holder(cluster - 1 if cluster else None, share) for cluster, share in holders]
            for level, holders in zip(list(self)[:-1], self._core.held_by, strict=False)
        }

    @property
    def private(self) -> bool:
        """False for a seeded study, which must not be shared."""
        return next(iter(self._releases.values())).private

    def to_json(self) -> str:
        """All levels as JSON. Clusters are numbered from 1, as in all files. docs/formats.md lists the keys."""
        return self._core.contents(".json").decode()

    def html(self) -> str:
        """A report with all levels, as one self-contained page."""
        return self._core.contents(".html").decode()

    def svg(self) -> str:
        """The maps of all levels side by side, and which cluster holds which. Clusters are numbered from 1."""
        return self._core.contents(".svg").decode()

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write one file. The suffix sets the format: .json .html .svg .png.

        Raises FileExistsError if the file exists and overwrite is False, and ValueError for a seeded run, which is not private.
        """
        if not self.private:
            raise ValueError("a run with random_state is not private and cannot be released; remove random_state, or use to_json for a study")
        refuse_existing(path, overwrite)
        self._core.save(os.fspath(path), overwrite)

    def __getitem__(self, level: int) -> Release:
        return self._releases[level]

    def __iter__(self) -> Iterator[int]:
        return iter(self._releases)

    def __len__(self) -> int:
        return len(self._releases)

    def __repr__(self) -> str:
        found = ", ".join(f"{level}: {release.n_clusters}" for level, release in self.items())
        return f"<shoal.Levels: clusters by level {found}{'' if self.private else ', NOT PRIVATE'}>"

    def _repr_html_(self) -> str:
        return self.svg()
