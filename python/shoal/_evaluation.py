"""Comparison of private techniques and budgets with plain WaveCluster. Not private: for the data owner only."""

from __future__ import annotations

import html as escaping
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core, _input
from ._estimators import PrivateWaveCluster
from ._options import Bounds, Decimals, decimal_text, refuse_empty
from ._release import refuse_existing


class Evaluation:
    """All runs and their averages. Not private: for the data owner only."""

    def __init__(self, study: _core.Study) -> None:
        self._study = study
        self._facts: dict[str, Any] = json.loads(study.json())

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One dict per run: technique, epsilon, run, k, clusters, dsgc, f_measure, ocm, two_ce, seconds, adjusted_rand, adjusted_rand_truth."""
        return list(self._facts["rows"])

    @property
    def summary(self) -> list[dict[str, Any]]:
        """One dict per technique and budget: mean and 95 % interval of each measure."""
        return list(self._facts["summary"])

    @property
    def k_true(self) -> int | None:
        """None with grid="auto": each run has its own true value, in its row."""
        k: int | None = self._facts.get("k_true")
        return k

    @property
    def clusters_true(self) -> int | None:
        """None with grid="auto": each run has its own true value, in its row."""
        clusters: int | None = self._facts.get("clusters_true")
        return clusters

    @property
    def adjusted_rand_truth(self) -> float | None:
        """Adjusted Rand index of plain WaveCluster with the labels in `truth`. None without them, and with grid="auto"."""
        agreement: float | None = self._facts.get("adjusted_rand_truth")
        return agreement

    @property
    def unit(self) -> dict[str, Any]:
        """Privacy unit of the releases: unit, max_contributions or contribution, and neighbors, as in PrivateWaveCluster."""
        return {name: self._facts[name] for name in ("unit", "max_contributions", "contribution", "neighbors") if name in self._facts}

    @property
    def compared(self) -> str:
        """Privacy unit and reference of the comparison, in words."""
        return self._study.compared()

    @property
    def advice(self) -> str:
        """Recommendation of a technique for each budget, in words."""
        return self._study.advice()

    def to_csv(self) -> str:
        """The rows as `shoal evaluate --csv` writes them."""
        return self._study.csv()

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.rows)

    def html(self) -> str:
        """The report, as one self-contained HTML page. For the data owner only."""
        return self._study.html()

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a .csv, .json or .html file. Raises FileExistsError if the file exists and overwrite is False."""
        name = os.fspath(path)
        made = {".csv": self._study.csv, ".json": self._study.json, ".html": self._study.html}
        suffix = os.path.splitext(name)[1]
        if suffix not in made:
            raise ValueError(f"cannot write '{name}': the suffix '{suffix}' is unknown; use one of {' '.join(made)}")
        refuse_existing(path, overwrite)
        _core.write_file(name, made[suffix](), overwrite)

    def plot(self, measures: Sequence[str] = ("dsgc", "f_measure"), axes: Any = None) -> Any:
        """Draw one chart per measure, with one curve per technique over epsilon and its 95 % band. Returns the matplotlib axes."""
        from . import _plot

        return _plot.evaluation(self.summary, list(measures), axes, {"k": self.k_true, "clusters": self.clusters_true})

    def __reduce__(self) -> Any:
        raise TypeError("an Evaluation holds the raw data and cannot be pickled or copied; keep its tables with save, to_csv or to_pandas")

    def __repr__(self) -> str:
        return f"<shoal.Evaluation: {len(self.rows)} run{'' if len(self.rows) == 1 else 's'}, unit {self._facts['unit']}, not private>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ["technique", "epsilon", "clusters", "DSG_C", "F-measure"])
        cells = "".join(
            f"<tr><td>{escaping.escape(s['technique'])}</td><td>{s['epsilon']:g}</td><td>{s['clusters']['mean']:.3g}</td>"
            f"<td>{s['dsgc']['mean']:.3g}</td><td>{s['f_measure']['mean']:.3g}</td></tr>"
            for s in self.summary
        )
        truth = "" if self.clusters_true is None else f"; {self.clusters_true} true cluster{'' if self.clusters_true == 1 else 's'}"
        return (
            f"<div><b>{escaping.escape(repr(self)[1:-1])}{truth}</b><p>{escaping.escape(self.compared)}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table><p>{escaping.escape(self.advice)}</p></div>"
        )


def _labelled(model: PrivateWaveCluster, X: Any, truth: Any) -> Any:
    """The rows with their labels, as the module reads rows with their units. None without labels."""
    if truth is None:
        return None
    labels = np.asarray(truth)
    if labels.ndim != 1:
        raise ValueError("truth must be one-dimensional, with one label per row")
    if not hasattr(X, "__len__"):
        raise TypeError("truth needs points that can be read twice, not a stream")
    if len(labels) != len(X):
        raise ValueError(f"truth has {len(labels)} labels for {len(X)} rows; give one per row")
    return _input.read(model, X, reset=True, axes=_input.named(model), units=labels.astype(str)).batches


def evaluate(
    X: Any,
    *,
    bounds: Bounds | None = None,
    columns: Sequence[str] | None = None,
    grid: int | Sequence[int] | str = 64,
    percentile: float | None = None,
    techniques: Sequence[str] | None = None,
    epsilons: Sequence[Decimals] = (0.1, 0.5, 1),
    runs: int = 10,
    units: Any = None,
    truth: Any = None,
    classify: bool = False,
    train_share: float = 0.9,
    unclustered_class: bool = False,
    seed: int = 1,
    name: str = "data",
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Evaluation:
    """Compare techniques and budgets with plain WaveCluster on the same data. Not private: for the data owner only.

    Parameters
    ----------
    X : array, frame or Arrow stream
        The points.
    techniques : list of str, default=None
        Techniques to compare. None compares all techniques that support the threshold.
    epsilons : list, default=(0.1, 0.5, 1)
        Privacy budgets to compare.
    runs : int, default=10
        Runs per technique and budget.
    units : array, default=None
        Unit of each row, as in PrivateWaveCluster.fit.
    truth : array, default=None
        Label of each row, any values. The rows then also have adjusted_rand_truth, the agreement with these labels.
    classify : bool, default=False
        Also measure OCM and 2CE, which is slower: it makes a second run and trains decision trees.
    train_share : float, default=0.9
        Share of the points that trains the trees.
    unclustered_class : bool, default=False
        Keep unclustered points as a class in OCM and 2CE.
    seed : int, default=1
        The same seed gives the same rows.
    name : str, default="data"
        Dataset name in the rows.
    progress : callable, default=None
        Function that is called with the number of finished runs and the number of all runs.
    bounds, columns, grid, percentile, **options
        As in PrivateWaveCluster. grid="auto" evaluates releases that choose grid and threshold.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import shoal
    >>> spirals = shoal.datasets.load("ds2", points=5000)
    >>> study = shoal.evaluate(spirals.X, bounds=(0, 1), grid=40, percentile=10, techniques=["privthr"], epsilons=[1], runs=2)
    >>> [(row["technique"], row["run"]) for row in study.rows], study.clusters_true
    ([('privthr', 1), ('privthr', 2)], 3)
    """
    refused = sorted(set(options) & {"random_state", "ledger", "dataset", "epsilon", "technique"})
    if refused:
        raise TypeError(f"evaluate does not take {', '.join(refused)}")
    if (techniques is not None and not len(techniques)) or not len(epsilons):
        raise ValueError(f"{'techniques' if len(epsilons) else 'epsilons'} is empty; give at least one")
    refuse_empty({"name": name, **{f"technique {i}": technique for i, technique in enumerate(techniques or [], 1)}})
    model = PrivateWaveCluster(epsilon=1, bounds=bounds, columns=columns, grid=grid, percentile=percentile, **options)
    labelled = _labelled(model, X, truth)
    source = model._read(X, units)
    counted_on, private_options, automatic = model._public(source.names, source.found)
    return Evaluation(
        _core.study(
            source.batches,
            counted_on,
            private_options,
            dataset=name,
            techniques=list(techniques or []),
            epsilons=[decimal_text(epsilon, "epsilon") for epsilon in epsilons],
            runs=runs,
            automatic=automatic,
            classify=classify,
            train_share=train_share,
            keep_unclustered_class=unclustered_class,
            seed=seed,
            outside=model.outside,
            truth=labelled,
            progress=progress,
        )
    )
