"""Plans: what a release would show, computed from public parameters only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._estimators import PrivateWaveCluster
from ._options import Bounds, Decimals, decimal_text


class Plan:
    """What releases with these parameters would show. docs/formats.md lists the keys of facts."""

    def __init__(self, facts: str, svg: str, page: str) -> None:
        self.facts: dict[str, Any] = json.loads(facts)
        self._svg, self._page = svg, page

    @property
    def epsilons(self) -> list[dict[str, Any]]:
        """One dict per epsilon: dsgc, rand, least_records, finest_cells, finest_units, size_error."""
        return list(self.facts["epsilons"])

    def to_svg(self) -> str:
        """Maps of simulated releases: one row per shape, one column per epsilon."""
        return self._svg

    def to_html(self) -> str:
        """The plan, as one self-contained HTML page."""
        return self._page

    def _repr_html_(self) -> str:
        return self._svg


def plan(
    *,
    records: int,
    bounds: Bounds,
    columns: Sequence[str] | None = None,
    grid: int | Sequence[int] | str = 64,
    percentile: float | None = None,
    epsilons: Sequence[Decimals] = (0.1, 0.5, 1),
    runs: int = 4,
    seed: int = 1,
    insets: int = 0,
    **options: Any,
) -> Plan:
    """Simulate releases of public shapes. Reads no data and spends no budget.

    Parameters
    ----------
    records : int
        Your estimate of the number of records inside the bounds.
    epsilons : list, default=(0.1, 0.5, 1)
        Privacy budgets to plan for.
    runs : int, default=4
        Simulated releases per shape and budget.
    seed : int, default=1
        The same seed gives the same plan.
    insets : int, default=0
        Maximum number of insets, as in PrivateWaveCluster. Requires grid="auto". The epsilons of the plan then describe the overview, and
        facts["insets"] describes one inset, which covers an eighth of each axis and holds a tenth of the records.
    bounds, columns, grid, percentile, **options
        As in PrivateWaveCluster. bounds has one pair per axis.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import shoal
    >>> plan = shoal.plan(records=2000, bounds=[(0, 1), (0, 1)], grid=16, percentile=50, epsilons=[1], runs=1)
    >>> plan.epsilons[0]["epsilon"], sorted(plan.facts["shapes"])[0]
    (1.0, 'a city map')
    """
    refused = sorted(set(options) & {"random_state", "ledger", "dataset", "epsilon"})
    if refused:
        raise TypeError(f"plan does not take {', '.join(refused)}")
    if not len(epsilons):
        raise ValueError("epsilons is empty; give at least one")
    model = PrivateWaveCluster(epsilon=epsilons[0], bounds=bounds, columns=columns, grid=grid, percentile=percentile, **options)
    model._check()
    names = list(columns) if columns is not None else list(bounds) if isinstance(bounds, Mapping) else [""] * len(bounds)
    public, private, automatic = model._public(names)
    texts = [decimal_text(epsilon, "epsilons") for epsilon in epsilons]
    return Plan(*_core.plan(public, private, technique=model.technique, automatic=automatic, insets=insets, records=records, epsilons=texts, runs=runs, seed=seed))
