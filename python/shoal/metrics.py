"""Measures that compare two clusterings: those of the paper, and two of scikit-learn in C++.

Labels are those of labels_ or cell_labels_: clusters from 0; negative labels are unclustered.
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


def _from_one(labels: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Convert labels so that unclustered is 0 and clusters start at 1."""
    if labels.size and int(labels.max()) >= 2**32 - 1:
        raise ValueError("labels must be below 2^32 - 1")
    return np.where(labels < 0, 0, labels.astype(np.int64) + 1).astype(np.uint32)


def _as_groups(labels: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Convert labels so that each label is a group, including unclustered."""
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.uint32)


def _measured(measure: Callable[[Any, Any], float], numbered: Callable[[npt.NDArray[Any]], npt.NDArray[np.uint32]], truth: Any, found: Any) -> float:
    """Convert the labels and compute a measure of the module."""
    first, second = _pair(truth, found)
    return float(measure(numbered(first), numbered(second)))


def _cells(result: Any) -> Any:
    for name in ("cell_labels_", "cell_labels"):
        if hasattr(result, name):
            return getattr(result, name)
    return result


def dsg_c(truth: Any, found: Any) -> float:
    """Return DSG_C of section 6.1 of the paper, on cells. 0 means the same clusters; 1 means that nothing was found.

    Both arguments are cell labels, models or releases on the same grid.

    >>> dsg_c([[0, 0, 1, -1]], [[1, 1, 0, -1]])
    0.0
    >>> dsg_c([[0, 0, 1, -1]], [[0, -1, 1, -1]])
    0.3333333333333333
    """
    return _measured(_core.dsg_c, _from_one, _cells(truth), _cells(found))


def f_measure(truth: Any, found: Any) -> float:
    """Return the F-measure over the points of the true clusters. 1 is perfect.

    >>> f_measure([0, 0, 1, 1, -1], [3, 3, 2, 2, 2])
    1.0
    """
    return _measured(_core.f_measure, _from_one, truth, found)


def ocm(truth: Any, found: Any) -> float:
    """Return OCM of section 6.2: the share of the samples whose classes differ, after the best matching of the classes.

    >>> ocm([0, 0, 1, 1], [1, 1, 0, 1])
    0.25
    """
    return _measured(_core.ocm, _as_groups, truth, found)


def two_ce(truth: Any, found: Any) -> float:
    """Return 2CE of section 6.2: the share of the pairs of samples that one result puts together and the other separates.

    >>> two_ce([0, 0, 1, 1], [1, 1, 0, 0])
    0.0
    """
    return _measured(_core.two_ce, _as_groups, truth, found)


def adjusted_rand(truth: Any, found: Any) -> float:
    """Return the adjusted Rand index, like adjusted_rand_score of scikit-learn. Unclustered samples form one group.

    >>> adjusted_rand([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return _measured(_core.adjusted_rand, _as_groups, truth, found)


def adjusted_mutual_information(truth: Any, found: Any) -> float:
    """Return the adjusted mutual information, like adjusted_mutual_info_score of scikit-learn. Unclustered samples form one group.

    >>> adjusted_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return _measured(_core.adjusted_mutual_information, _as_groups, truth, found)
