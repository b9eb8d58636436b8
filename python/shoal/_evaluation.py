"""Techniques and budgets beside the truth. For the owner: it sees the raw data, and nothing of it is a release."""

from __future__ import annotations

import html as escaping
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

from . import _core, _input
from ._estimators import Bounds, Decimals, PrivateWaveCluster, decimal_text, private_options, refuse_empty
from ._release import refuse_existing


class Evaluation:
    """Every run, and what the runs say on average. Not private."""

    def __init__(self, study: _core.Study) -> None:
        self._study = study
        self._facts: dict[str, Any] = json.loads(study.json())

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A run each: technique, epsilon, run, k, clusters, dsgc, f_measure, ocm, two_ce, seconds."""
        return list(self._facts["rows"])

    @property
    def summary(self) -> list[dict[str, Any]]:
        """All runs of a technique at a budget: mean and 95 % interval of every measure."""
        return list(self._facts["summary"])

    @property
    def k_true(self) -> int:
        return int(self._facts["k_true"])

    @property
    def clusters_true(self) -> int:
        return int(self._facts["clusters_true"])

    @property
    def advice(self) -> str:
        """Which technique to use at which budget, in plain words."""
        return self._study.advice()

    def to_csv(self) -> str:
        """The rows as `shoal evaluate --csv` writes them."""
        return self._study.csv()

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.rows)

    def html(self) -> str:
        """The whole report, one self-contained page. For the owner only."""
        return self._study.html()

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes .csv, .json or .html. A file that is there already is replaced only with overwrite=True; else FileExistsError."""
        name = os.fspath(path)
        made = {".csv": self._study.csv, ".json": self._study.json, ".html": self._study.html}
        suffix = os.path.splitext(name)[1]
        if suffix not in made:
            raise ValueError(f"cannot write '{name}': '{suffix}' is no format; use one of {' '.join(made)}")
        refuse_existing(path, overwrite)
        _core.write_file(name, made[suffix](), overwrite)

    def plot(self, measures: Sequence[str] = ("dsgc", "f_measure"), axes: Any = None) -> Any:
        """A curve a technique over epsilon with its 95 % band, a chart a measure. Gives the matplotlib axes."""
        from . import _plot

        return _plot.evaluation(self.summary, list(measures), axes, {"k": self.k_true, "clusters": self.clusters_true})

    def __reduce__(self) -> Any:
        raise TypeError("an Evaluation holds the raw data: it is neither pickled nor copied. Keep its tables: save, to_csv, to_pandas")

    def __repr__(self) -> str:
        return f"<shoal.Evaluation: {len(self.rows)} runs, not private>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ["technique", "epsilon", "clusters", "DSG_C", "F-measure"])
        cells = "".join(
            f"<tr><td>{escaping.escape(s['technique'])}</td><td>{s['epsilon']:g}</td><td>{s['clusters']['mean']:.3g}</td>"
            f"<td>{s['dsgc']['mean']:.3g}</td><td>{s['f_measure']['mean']:.3g}</td></tr>"
            for s in self.summary
        )
        return (
            f"<div><b>{escaping.escape(repr(self)[1:-1])}; {self.clusters_true} true clusters</b>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table><p>{escaping.escape(self.advice)}</p></div>"
        )


def evaluate(
    X: Any,
    *,
    bounds: Bounds,
    percentile: Optional[float] = None,
    grid: Union[int, Sequence[int]] = 64,
    techniques: Sequence[str] = ("privqt", "privthr", "privthr-em"),
    epsilons: Sequence[Decimals] = (0.1, 0.5, 1),
    runs: int = 10,
    classify: bool = False,
    train_share: float = 0.9,
    noise_class: bool = False,
    seed: int = 1,
    name: str = "data",
    progress: Optional[Callable[[int, int], None]] = None,
    **options: Any,
) -> Evaluation:
    """Techniques x budgets x runs against plain WaveCluster on the same data. Owner only: not private.

    options: the other parameters of PrivateWaveCluster (wavelet, level, adjacency, alpha, threads, ...). classify also
    measures OCM and 2CE, which takes a second run and trees; noise_class gives them the noise as a class. progress is
    called with the runs that are done and all of them. Ctrl-C stops it.

    >>> import shoal
    >>> spirals = shoal.datasets.load("ds2", points=5000)
    >>> study = shoal.evaluate(spirals.X, bounds=(0, 1), grid=40, percentile=10, techniques=["privthr"], epsilons=[1], runs=2)
    >>> [(row["technique"], row["run"]) for row in study.rows], study.clusters_true
    ([('privthr', 1), ('privthr', 2)], 3)
    """
    refused = sorted(set(options) & {"random_state", "ledger", "dataset", "epsilon", "technique", "unit", "max_contributions"})
    if refused:
        raise TypeError(f"evaluate takes no {', '.join(refused)}")
    model = PrivateWaveCluster(epsilon=1, bounds=bounds, grid=grid, percentile=percentile, **options)
    refuse_empty({**vars(model), "name": name, **{f"technique {i}": technique for i, technique in enumerate(techniques, 1)}})
    if not len(techniques) or not len(epsilons):
        raise ValueError(f"{'epsilons' if len(techniques) else 'techniques'} is empty: give at least one")
    source = _input.read(model, X, reset=True, axes=_input.named(model))
    return Evaluation(
        _core.study(
            source.batches,
            _core.grid_over(_input.in_order(bounds, source.names), grid, source.names, source.found),
            private_options(model),
            dataset=name,
            techniques=list(techniques),
            epsilons=[decimal_text(epsilon, "epsilon") for epsilon in epsilons],
            runs=runs,
            classify=classify,
            train_share=train_share,
            keep_noise_class=noise_class,
            seed=seed,
            outside=model.outside,
            progress=progress,
        )
    )
