"""How far one result is from another: the paper's measures, and two of scikit-learn's at C++ speed.

Labels are those of labels_ or cell_labels_: clusters from 0 on, anything below is unclustered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core

__all__ = ["adjusted_mutual_information", "adjusted_rand", "dsg_c", "f_measure", "ocm", "two_ce"]


def _whole(values: Any) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "iub":
        raise TypeError("labels must be whole numbers")
    return array


def _pair(truth: Any, found: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    first, second = _whole(truth), _whole(found)
    if first.shape != second.shape:
        raise ValueError(f"the labels differ in shape: {first.shape} and {second.shape}")
    return first.reshape(-1), second.reshape(-1)


def _unclustered_apart(labels: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Noise as 0, clusters from 1 on."""
    if labels.size and int(labels.max()) >= 2**32 - 1:
        raise ValueError("labels must be below 2^32 - 1")
    return np.where(labels < 0, 0, labels.astype(np.int64) + 1).astype(np.uint32)


def _as_groups(labels: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Every label a group of its own, -1 too."""
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.uint32)


def _measured(measure: Callable[[Any, Any], float], numbered: Callable[[npt.NDArray[Any]], npt.NDArray[np.uint32]], truth: Any, found: Any) -> float:
    """A measure of the module, of labels as it takes them."""
    first, second = _pair(truth, found)
    return float(measure(numbered(first), numbered(second)))


def _cells(result: Any) -> Any:
    for name in ("cell_labels_", "cell_labels"):
        if hasattr(result, name):
            return getattr(result, name)
    return result


def dsg_c(truth: Any, found: Any) -> float:
    """DSG_C of the paper's section 6.1, on cells: 0 for the same clusters, 1 when nothing was found. Takes labels of
    cells, models or releases on the same grid.

    >>> dsg_c([[0, 0, 1, -1]], [[1, 1, 0, -1]])
    0.0
    >>> dsg_c([[0, 0, 1, -1]], [[0, -1, 1, -1]])
    0.3333333333333333
    """
    return _measured(_core.dsg_c, _unclustered_apart, _cells(truth), _cells(found))


def f_measure(truth: Any, found: Any) -> float:
    """F-measure over the points of the true clusters; 1 is perfect.

    >>> f_measure([0, 0, 1, 1, -1], [3, 3, 2, 2, 2])
    1.0
    """
    return _measured(_core.f_measure, _unclustered_apart, truth, found)


def ocm(truth: Any, found: Any) -> float:
    """OCM of section 6.2: share of the samples whose class does not fit, after the best match of the classes.

    >>> ocm([0, 0, 1, 1], [1, 1, 0, 1])
    0.25
    """
    return _measured(_core.ocm, _as_groups, truth, found)


def two_ce(truth: Any, found: Any) -> float:
    """2CE of section 6.2: share of the pairs of samples that one puts together and the other apart.

    >>> two_ce([0, 0, 1, 1], [1, 1, 0, 0])
    0.0
    """
    return _measured(_core.two_ce, _as_groups, truth, found)


def adjusted_rand(truth: Any, found: Any) -> float:
    """As scikit-learn's adjusted_rand_score; the unclustered are a group.

    >>> adjusted_rand([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return _measured(_core.adjusted_rand, _as_groups, truth, found)


def adjusted_mutual_information(truth: Any, found: Any) -> float:
    """As scikit-learn's adjusted_mutual_info_score; the unclustered are a group.

    >>> adjusted_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return _measured(_core.adjusted_mutual_information, _as_groups, truth, found)
