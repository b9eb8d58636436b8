"""Changes of clusters between releases, with their probabilities."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _core
from ._release import Release


@dataclass(frozen=True)
class Comparison:
    """Changes between each release and the next. docs/formats.md lists the keys of facts."""

    facts: dict[str, Any]
    _releases: list[Release]
    _names: list[str]

    @property
    def changed(self) -> list[dict[str, Any]]:
        """The clusters that changed, over all pairs of releases."""
        return [cluster for step in self.facts["changes"] for cluster in step["clusters"] if cluster["changed"]]

    def _contents(self, path: str) -> bytes:
        return _core.compare_contents([release._core for release in self._releases], self._names, path)

    def to_svg(self) -> str:
        """Maps side by side with the changes marked, as SVG."""
        return self._contents("changes.svg").decode()

    def to_html(self) -> str:
        """The report, as one self-contained HTML page."""
        return self._contents("changes.html").decode()

    def _repr_html_(self) -> str:
        return self.to_svg()


def compare(releases: Sequence[Release], names: Sequence[str] | None = None) -> Comparison:
    """Compare each release with the next, using only their noisy values. Spends no budget.

    Parameters
    ----------
    releases : list of Release
        At least two releases with the same axes and grid.
    names : list of str, default=None
        One name per release. None uses "1", "2" and so on.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import shoal
    >>> spirals = shoal.datasets.load("ds2")
    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=40, percentile=10)
    >>> release = model.fit(spirals.X).release_
    >>> shoal.compare([release, release]).changed
    []
    """
    named = [str(i + 1) for i in range(len(releases))] if names is None else [str(name) for name in names]
    if len(named) != len(releases):
        raise ValueError(f"{len(releases)} releases have {len(named)} names; give one name per release")
    cores = [release._core for release in releases]
    facts = json.loads(_core.compare_contents(cores, named, "changes.json"))
    return Comparison(facts, list(releases), named)
