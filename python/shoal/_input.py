"""Points as people hold them, turned into batches of columns that the module reads in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array, validate_data

from . import _core

Columns = list[npt.NDArray[Any]]  # each one column, or rows by columns
Units = npt.NDArray[np.int64]
Batch = tuple[Union[Columns, _core.Columns], Optional[Units]]

_CHECKS: dict[str, Any] = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}
_READ_IN_PLACE = frozenset(np.dtype(kind) for kind in "f8 f4 i8 i4 i2 i1 u8 u4 u2 u1".split())


def readable(columns: Any) -> npt.NDArray[Any]:
    """A column, or rows by columns, as an array that the module reads without a copy, or as float64."""
    array = np.asarray(columns)
    if array.dtype in _READ_IN_PLACE and all(stride % array.itemsize == 0 for stride in array.strides):
        return array if array.flags.aligned else array.copy()
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: coordinates are real numbers")
    return array.astype(np.float64)


class UnitNumbers:
    """Gives every unit a number, the same in every batch."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def __call__(self, units: Any) -> Units:
        values = np.asarray(units)
        if values.ndim != 1:
            raise ValueError("units must be one-dimensional: one a row")
        if values.dtype == object:
            if any(unit is None or unit != unit for unit in values):
                raise ValueError("a unit is missing; give every row the name of whom it belongs to")
            values = np.array([str(unit) for unit in values], dtype=np.str_) if len(values) else values.astype(np.str_)
        elif values.dtype.kind == "f" and np.isnan(values).any():
            raise ValueError("a unit is missing; give every row the name of whom it belongs to")
        names, places = np.unique(values, return_inverse=True)
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for name in names.tolist()]
        return np.asarray(numbers, dtype=np.int64)[places.reshape(-1)]


def is_pandas(X: object) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns")


def is_arrow(X: object) -> bool:
    return hasattr(X, "__arrow_c_stream__") and not is_pandas(X)


def names_of(X: Any) -> list[str] | None:
    """Names of the columns where the input has names."""
    if is_pandas(X):
        return [str(name) for name in X.columns]
    if is_arrow(X):
        names = getattr(X, "column_names", None)  # pyarrow tables
        if names is None:
            names = X.schema.names() if callable(getattr(X.schema, "names", None)) else X.schema.names
        return [str(name) for name in names]
    return None


def picked(X: Any, names: list[str]) -> Any:
    """The named columns of a frame that has them all; anything else as it is."""
    found = names_of(X)
    if found is None or found == names or not set(names) <= set(found):
        return X
    if is_pandas(X):
        return X.iloc[:, [found.index(name) for name in names]]
    return X.select(names) if hasattr(X, "select") else X


class _Again:
    """Batches that are made anew whenever they are gone through."""

    def __init__(self, make: Callable[[], Iterator[Batch]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Batch]:
        return self._make()


class Input:
    """Points whose batches can be gone through: again and again, or once when they stream."""

    def __init__(self, dimensions: int, batches: Iterable[Batch], names: list[str] | None = None, *, streams: bool = False) -> None:
        self.dimensions = dimensions
        self.batches = batches
        self.names = names or [""] * dimensions
        self.streams = streams


def _place(names: Sequence[str], unit: str | None) -> int | None:
    if unit is None:
        return None
    if unit not in names:
        raise ValueError(f"there is no column '{unit}' to tell whose row it is; the columns are {', '.join(names)}, or give units")
    return list(names).index(unit)


def _arrow_batches(X: Any, place: int | None, numbers: UnitNumbers) -> Iterator[tuple[Columns, Optional[Units]]]:
    stream = _core.ArrowStream(X.__arrow_c_stream__())
    columns = [i for i in range(len(stream.names)) if i != place]
    wanted = columns if place is None else [*columns, place]
    while (values := stream.next(wanted)) is not None:
        units = None if place is None else numbers(values.pop())
        yield [readable(column) for column in values], units


def _pandas_columns(X: Any) -> Columns:
    arrays = []
    for i in range(X.shape[1]):
        column = X.iloc[:, i]
        array = column.to_numpy()
        if array.dtype == object:
            array = column.to_numpy(dtype=np.float64, na_value=np.nan)
        arrays.append(readable(array))
    return arrays


def _frame(X: Any, unit: str | None, units: Any, numbers: UnitNumbers) -> Input:
    names = names_of(X) or []
    place = _place(names, unit if units is None else None)
    features = [name for i, name in enumerate(names) if i != place]
    if is_pandas(X):
        coordinates = _pandas_columns(X if place is None else X.iloc[:, [i for i in range(len(names)) if i != place]])
        given = units if place is None else X.iloc[:, place].to_numpy()
        row_units = None if given is None else numbers(given)
        return Input(len(features), ((coordinates, row_units),), features)
    if units is None:
        return Input(len(features), _Again(lambda: _arrow_batches(X, place, numbers)), features, streams=not hasattr(X, "shape"))
    all_units = numbers(units)

    def batches() -> Iterator[Batch]:
        first = 0
        for columns, _ in _arrow_batches(X, None, numbers):
            rows = len(columns[0])
            yield columns, all_units[first : first + rows]
            first += rows
        if first != len(all_units):
            raise ValueError(f"{len(all_units)} units were given for {first} rows; give one a row")

    return Input(len(features), _Again(batches), features, streams=not hasattr(X, "shape"))


def read(estimator: Any, X: Any, *, reset: bool, unit: str | None = None, units: Any = None) -> Input:
    """Any input as batches; sets or checks n_features_in_ and feature_names_in_ of the estimator as scikit-learn does."""
    columns = _core.Columns.plain(X) if type(X) is np.ndarray else None
    if columns is not None:
        if estimator is not None:
            plain_features(estimator, X, columns.count, reset)
    elif is_pandas(X) or is_arrow(X):
        return _read_frame(estimator, X, reset, unit, units)
    elif estimator is None:
        columns = _core.Columns([readable(check_array(X, **_CHECKS))])
    else:
        columns = _core.Columns([readable(validate_data(estimator, X, reset=reset, **_CHECKS))])
    if units is None and unit is not None:
        raise ValueError(f"unit is '{unit}', but an array has no such column: give units, one a row")
    row_units = None if units is None else UnitNumbers()(units)
    if row_units is not None and len(row_units) != columns.rows:
        raise ValueError(f"{len(row_units)} units were given for {columns.rows} rows; give one a row")
    return Input(columns.count, ((columns, row_units),))


def _read_frame(estimator: Any, X: Any, reset: bool, unit: str | None, units: Any) -> Input:
    result = _frame(X, unit, units, UnitNumbers())
    if hasattr(X, "shape") and X.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={tuple(X.shape)}) while a minimum of 1 is required.")
    if estimator is None:
        return result
    named = hasattr(X, "__dataframe__") or is_pandas(X)
    if named and unit is None and not result.streams:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    else:
        check_features(estimator, result, reset)
    return result


def plain_features(estimator: Any, X: npt.NDArray[Any], features: int, reset: bool) -> None:
    """The checks of validate_data for a plain array, in a microsecond where nothing is wrong."""
    if reset:
        estimator.n_features_in_ = features
        if "feature_names_in_" in estimator.__dict__:
            del estimator.feature_names_in_
    elif estimator.n_features_in_ != features or "feature_names_in_" in estimator.__dict__:
        validate_data(estimator, X, reset=False, skip_check_array=True)


def check_features(estimator: Any, source: Input, reset: bool) -> None:
    """Names and number of columns of a stream, which has no rows to look at yet."""
    names = np.asarray(source.names, dtype=object) if any(source.names) else None
    if reset:
        estimator.n_features_in_ = source.dimensions
        if names is not None:
            estimator.feature_names_in_ = names
        elif "feature_names_in_" in estimator.__dict__:
            del estimator.feature_names_in_
        return
    if estimator.n_features_in_ != source.dimensions:
        raise ValueError(f"X has {source.dimensions} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input")
    fitted = getattr(estimator, "feature_names_in_", None)
    if names is not None and fitted is not None and list(fitted) != list(names):
        raise ValueError("The feature names should match those that were passed during fit.")


def read_batches(estimator: Any, batches: Iterable[Any], *, unit: str | None = None) -> Input:
    """A stream of arrays, frames or record batches; with units, of (points, units) pairs or of frames with that column."""
    if hasattr(batches, "__arrow_c_stream__"):
        return read(estimator, batches, reset=True, unit=unit)
    numbers = UnitNumbers()
    iterator = iter(batches)
    first = next(iterator, None)
    if first is None:
        raise ValueError("there is no batch to read: the iterator is empty")

    def opened(item: Any) -> Input:
        points, units = item if unit is not None and isinstance(item, tuple) else (item, None)
        if is_pandas(points) or is_arrow(points):
            return _frame(points, unit, units, numbers)
        if unit is not None and units is None:
            raise ValueError(f"unit is '{unit}': give batches of (points, units), or frames with that column")
        matrix = np.asarray(points)
        if matrix.ndim != 2:
            raise ValueError(f"a batch must be two-dimensional, rows by columns; this one has {matrix.ndim} dimensions")
        columns, row_units = [readable(matrix)], None if units is None else numbers(units)
        return Input(matrix.shape[1], ((columns, row_units),))

    head = opened(first)

    def all_batches() -> Iterator[Batch]:
        yield from head.batches
        for item in iterator:
            yield from opened(item).batches

    source = Input(head.dimensions, all_batches(), head.names, streams=True)
    check_features(estimator, source, reset=True)
    return source
