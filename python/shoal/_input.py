"""Conversion of points in any container to batches of columns, which the module reads in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _axes, _core

Columns = list[npt.NDArray[Any]]  # each array is one column, or rows by columns
Batch = tuple[Union[Columns, _core.Columns], Optional[_core.Units]]

_CHECKS: dict[str, Any] = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}
_READ_IN_PLACE = frozenset(np.dtype(kind) for kind in "f8 f4 i8 i4 i2 i1 u8 u4 u2 u1".split())
_NO_NUMBERS = (str, bytes, np.datetime64, np.timedelta64)


def _as_floats(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Convert an array of objects to doubles, each independently. The error replaces NumPy's message, which would quote a value."""
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError("coordinates must be numbers that a double can hold; convert them first") from None


def as_array(values: Any) -> npt.NDArray[Any]:
    """Convert coordinates to an array. Raises TypeError for texts and dates.

    A single text or date would make NumPy and pandas convert all other values. Numbers keep their values in any common type.
    """
    array = np.asarray(values)
    if array.dtype.kind in "USMm" or (array.dtype == object and any(isinstance(value, _NO_NUMBERS) for value in array.flat)):
        raise TypeError("coordinates must be numbers, not strings or dates; convert them first")
    return array


def readable(columns: Any) -> npt.NDArray[Any]:
    """Convert a column, or rows by columns, to an array that the module reads without a copy, or else to float64."""
    array = as_array(columns)
    if array.dtype in _READ_IN_PLACE and all(stride % array.itemsize == 0 for stride in array.strides):
        return array if array.flags.aligned else array.copy()
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: coordinates are real numbers")
    return _as_floats(array)


def _unit_column(values: Any) -> _core.Units:
    """Return the unit of each row. A key depends only on its own row: the text without surrounding spaces, or a whole number in decimal."""
    stream = _axes.arrow_stream(values)
    if stream is not None:
        return _core.arrow_units(stream)
    if _axes.is_pandas_column(values):
        if values.isna().any():
            raise ValueError("a unit is missing; give every row its unit")
        whole = getattr(values.dtype, "kind", "O") in "iu"
        values = values.to_numpy(dtype=f"{values.dtype.kind}8") if whole else np.asarray(values)
    elif not hasattr(values, "__array__"):
        return _core.Units.of_objects(values)  # not through an array, which would give all rows one type
    elif np.ma.is_masked(values):
        raise ValueError("a unit is missing; give every row its unit")
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError("units must be one-dimensional, with one unit per row")
    if array.dtype.kind in "iu":
        native = array.astype(array.dtype.newbyteorder("="), copy=False)
        aligned = native.flags.aligned and native.strides[0] % native.itemsize == 0
        return _core.Units.of_numbers(native if aligned else native.copy())
    if array.dtype.kind in "OSU" or not len(array):
        return _core.Units.of_objects(array.tolist())
    if array.dtype.kind == "f":
        raise TypeError("units are floats, which pandas makes of whole numbers if some are missing; give strings or whole numbers, one per row")
    raise TypeError(f"units must be strings or whole numbers, not {array.dtype}; convert them to strings")


class Types:
    """The types of the columns and of the units over all batches."""

    def __init__(self) -> None:
        self.columns = _axes.ColumnTypes()
        self.units = UnitColumns()


class UnitColumns:
    """Reader of the units of all batches. It refuses a batch whose unit column has another type than in the first batch."""

    def __init__(self) -> None:
        self._whole: bool | None = None

    def __call__(self, values: Any) -> _core.Units:
        return self.checked(_unit_column(values))

    def checked(self, units: _core.Units) -> _core.Units:
        if units.rows:
            if self._whole is None:
                self._whole = units.whole_numbers
            if self._whole != units.whole_numbers:
                first, this = ("whole numbers", "strings or objects") if self._whole else ("strings or objects", "whole numbers")
                raise TypeError(f"a batch has units of type {this}, but the first had {first}; give all batches the same type, preferably strings")
        return units


def is_pandas(X: object) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns")


def is_arrow(X: object) -> bool:
    return isinstance(X, _Lazy) or (hasattr(X, "__arrow_c_stream__") and not is_pandas(X))


class _Lazy:
    """Columns that a query or a scan computes on every read, as parts that support Arrow's stream interface."""

    def __init__(self, names: Sequence[str], parts: Callable[[list[str]], Iterable[Any]]) -> None:
        self.column_names = list(names)
        self.parts = parts


def _quoted(names: Iterable[str]) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)


def _polars_parts(X: Any, names: list[str]) -> Iterable[Any]:
    chosen = X.select(names)
    return chosen.collect_batches(maintain_order=True) if hasattr(chosen, "collect_batches") else [chosen.collect()]


def _check_one_schema(files: Iterable[tuple[str, dict[str, str]]]) -> None:
    """Raise TypeError if the files, given with the types of their columns, differ in these types."""
    first: tuple[str, dict[str, str]] | None = None
    for path, types in files:
        first = first or (path, types)
        if types == first[1]:
            continue
        name = next(name for name in [*first[1], *types] if first[1].get(name) != types.get(name))
        raise TypeError(
            f"the files '{first[0]}' and '{path}' differ: column '{name}' is {first[1].get(name, 'not there')} in the first and "
            f"{types.get(name, 'not there')} in the second; write all files with the same columns and types"
        )


def _relation_parts(X: Any, names: list[str]) -> Iterable[Any]:
    """Columns of a DuckDB relation. Raises TypeError if the types could depend on values or on other files.

    DuckDB infers the types of CSV and JSON files from values, and reads all files of a pattern by the types of the first file. The plan
    of the relation shows what it reads, and its query shows the names of the files.
    """
    plan = X.explain()
    if re.search(r"\b(READ_CSV\w*|READ_(ND)?JSON(_AUTO)?)\b", plan):
        raise TypeError("DuckDB guesses the types of CSV and JSON files from values; create a table with declared types and give that")
    if re.search(r"\b(READ_PARQUET|PARQUET_SCAN)\b", plan):
        texts = [text for pair in re.findall(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"", X.sql_query()) for text in pair]
        files = sorted({text.replace("''", "'") for text in texts if re.search(r"\.(parquet|pq)$", text, re.I)})
        if not files:
            raise TypeError("a view of Parquet files does not tell which files it reads; name the files in the query")
        literals = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        found: dict[str, dict[str, str]] = {}
        columns = f"select file_name, name, coalesce(duckdb_type, 'nested') from parquet_schema([{literals}]) where column_id > 0 order by file_name, column_id"
        for path, name, kind in X.query("shoal_input", columns).fetchall():
            found.setdefault(path, {})[name] = kind
        _check_one_schema(found.items())
    return [X.project(_quoted(names))]


def _dataset_parts(X: Any, names: list[str]) -> Iterable[Any]:
    """Columns of a pyarrow dataset whose files declare the same columns.

    pyarrow would read all files by the types of the first file. It infers the types of CSV and JSON files from values, and the types of
    columns in the names of folders from all of these names.
    """
    from pyarrow.dataset import UnionDataset

    files = []
    for fragment in UnionDataset(X.schema, [X]).get_fragments():  # a filtered dataset does not list its own fragments
        if type(getattr(fragment, "format", None)).__name__ in ("CsvFileFormat", "JsonFileFormat"):
            raise TypeError("pyarrow guesses the types of CSV and JSON files from values; give them to the program shoal, or give Parquet files")
        path, types = str(getattr(fragment, "path", "a part")), {field.name: str(field.type) for field in fragment.physical_schema}
        missing = [name for name in names if name not in types]
        if missing:
            raise ValueError(f"the file '{path}' has no column '{missing[0]}'; a column in the names of folders has no declared type and is not read")
        files.append((path, types))
    _check_one_schema(files)
    return [X.scanner(columns=names).to_reader()]


def opened(X: Any, axes: Axes, unit: str | None) -> Any:
    """Prepare an input for reading.

    DuckDB relations, pyarrow datasets and polars LazyFrames become columns that are computed when they are read. GeoDataFrames get the
    coordinates of their points as columns. All other inputs are returned unchanged.
    """
    module, name = type(X).__module__.partition(".")[0], type(X).__name__
    if module in ("duckdb", "_duckdb") and name == "DuckDBPyRelation":
        return _Lazy(X.columns, lambda names: _relation_parts(X, names))
    if module == "polars" and name == "LazyFrame":
        return _Lazy(X.collect_schema().names(), lambda names: _polars_parts(X, names))
    if module == "pyarrow" and hasattr(X, "scanner"):
        return _Lazy(X.schema.names, lambda names: _dataset_parts(X, names))
    if module == "pyarrow" and hasattr(X, "projected_schema"):
        raise TypeError("a scanner does not tell whether its files have one schema; give the dataset itself, filtered by dataset.filter(...)")
    if module == "geopandas" and name == "GeoDataFrame":
        return _points_of(X, axes, unit)
    return X


def _points_of(X: Any, axes: Axes, unit: str | None) -> Any:
    """Frame with the columns x and y of the points of a GeoDataFrame, in addition to its other columns.

    If the coordinates are degrees, they are also available as lon and lat. If the axes have no names, the frame holds only x, y and the
    unit. A row without a point has no coordinates.
    """
    points = X.geometry
    if not points.dropna().geom_type.eq("Point").all():
        raise TypeError("a GeoDataFrame must hold points; take its centroids first, or representative_point()")
    table = X.drop(columns=[points.name]) if axes.names is not None else X[[unit] if unit in X.columns else []]
    degrees = X.crs is not None and X.crs.is_geographic
    found = {"x": points.x, "y": points.y, **({"lon": points.x, "lat": points.y} if degrees and axes.names is not None else {})}
    return table.assign(**{name: values.to_numpy() for name, values in found.items() if name not in table.columns})


def names_of(X: Any) -> list[str] | None:
    """Names of the columns, or None if the input has no names."""
    if is_pandas(X):
        return [str(name) for name in X.columns]
    if is_arrow(X):
        names = getattr(X, "column_names", None)  # pyarrow tables
        if names is None:
            names = X.schema.names() if callable(getattr(X.schema, "names", None)) else X.schema.names
        return [str(name) for name in names]
    return None


class Axes(NamedTuple):
    """The names of the axes that the arguments state, in order, and whether the columns of an array have the same order."""

    names: list[str] | None = None
    of_arrays: bool = False
    kinds: list[_core.Axis] | None = None

    def reads_text(self) -> bool:
        """Whether any column holds dates or names."""
        return self.kinds is not None and any(kind.reads_text for kind in self.kinds)


UNNAMED = Axes()


def named(estimator: Any) -> Axes:
    """Names of the axes, from columns or bounds. Names are released, so they come from arguments and never from data."""
    columns, bounds = estimator.columns, estimator.bounds
    if estimator.axes is not None:
        if columns is not None or bounds is not None:
            raise ValueError("axes have names and bounds of their own: leave out columns and bounds")
        declared = _axes.declared(estimator.axes)
        for axis in declared:
            _check_name(axis.name)
        return Axes([axis.name for axis in declared], True, [axis.fitted(2) for axis in declared])
    by_name = isinstance(bounds, Mapping)
    if columns is None and not by_name:
        return UNNAMED
    if isinstance(columns, (str, bytes)):
        raise TypeError("columns must be a list of names, not one string")
    names = list(bounds if columns is None else columns)
    if not names:
        raise ValueError(f"{'bounds' if columns is None else 'columns'} is empty; name the coordinate columns or remove it")
    for name in names:
        _check_name(name)
    if len(set(names)) != len(names):
        raise ValueError("a column is named twice; name each column once")
    if by_name and set(bounds) != set(names):
        raise ValueError(f"bounds has the names {', '.join(map(str, bounds))}, but columns has {', '.join(names)}; use the same names in both")
    return Axes(names, columns is not None)


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"a column name must be a string, not {type(name).__name__}; rename the columns, or give an array")
    if not name.strip():
        raise ValueError("a column name is empty; name the column")
    try:
        float(name)
    except ValueError:
        return
    raise ValueError(f"the column name '{name}' is a number, and names are released: it may be a row of data read as names; rename the column")


def in_order(bounds: Any, names: list[str]) -> Any:
    """Bounds that are given by name, in the order of the axes. Other bounds are returned unchanged."""
    return [bounds[name] for name in names] if isinstance(bounds, Mapping) else bounds


class _Again:
    """Batches that are computed again on every iteration."""

    def __init__(self, make: Callable[[], Iterator[Batch]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Batch]:
        return self._make()


class Input:
    """Points in batches. The batches can be iterated repeatedly, or only once if they are a stream."""

    def __init__(self, dimensions: int, batches: Iterable[Batch], axes: Axes, found: Sequence[str] = (), *, streams: bool = False) -> None:
        self.dimensions = dimensions
        self.batches = batches
        self.names = axes.names or [""] * dimensions  # names of the axes
        self.found = list(found)  # names of the columns that are read, if they have any, for messages and checks
        self.streams = streams


def _place(names: Sequence[str], name: str, why: str) -> int:
    """Index of the column with this name."""
    if list(names).count(name) != 1:
        raise ValueError(f"there is {'no' if name not in names else 'more than one'} column '{name}'{why}; the columns are {', '.join(names)}")
    return list(names).index(name)


RECORD = "record"  # the unit that means that every row is a unit


class _Places(NamedTuple):
    """Find the columns of a frame that hold the coordinates, and the column that holds the unit."""

    columns: list[int]
    unit: int | None


def _places(X: Any, axes: Axes, unit: str | None, units: Any) -> _Places:
    found = names_of(X) or []
    if unit == RECORD and RECORD in found:
        raise ValueError("unit is 'record', which means that each row is a unit, but there is also a column 'record'; rename the column")
    if units is not None and unit in found:
        raise ValueError(f"units are given, but there is also a column '{unit}'; remove one of them")
    place = None if unit is None or unit == RECORD or units is not None else _place(found, unit, " that identifies the unit (or give units)")
    if axes.names is not None:
        return _Places([_place(found, name, "") for name in axes.names], place)
    return _Places([i for i in range(len(found)) if i != place], place)


def _array_axes(axes: Axes, count: int) -> Axes:
    """Names of the columns of an array, in order."""
    if axes.names is not None and not axes.of_arrays:
        raise ValueError("bounds has names, but an array has none; give columns, the names of its columns in order")
    if axes.names is not None and len(axes.names) != count:
        raise ValueError(f"X has {count} features, but {len(axes.names)} columns are named")
    return axes


def _parts(X: _Lazy, names: list[str]) -> Iterator[Any]:
    """Streams of a query. Messages of its engine may quote values and are not shown."""
    try:
        for part in X.parts(names):
            yield part.__arrow_c_stream__()
    except (TypeError, ValueError) as error:
        if type(error).__module__ != "builtins" or isinstance(error, UnicodeError):
            raise ValueError(_UNREADABLE) from None
        raise
    except Exception:
        raise ValueError(_UNREADABLE) from None


_UNREADABLE = "the query or files that give the columns cannot be read; run the query by itself to see why"


def _arrow_batches(X: Any, places: _Places, types: Types, axes: Axes) -> Iterator[tuple[Columns, _core.Units | None]]:
    kinds = axes.kinds or []
    lazy = isinstance(X, _Lazy)
    all_places = [*places.columns, *([] if places.unit is None else [places.unit])]
    names = [X.column_names[i] for i in all_places] if lazy else []  # only these columns are computed
    empty = not hasattr(X, "shape")  # a table may have no rows; a stream without a batch was already read
    for capsule in _parts(X, list(dict.fromkeys(names))) if lazy else [X.__arrow_c_stream__()]:
        stream = _core.ArrowStream(capsule)
        if lazy:
            found = [stream.names.index(name) for name in names]
            places = _Places(found[: len(places.columns)], None if places.unit is None else found[-1])
        meanings = stream.meanings(places.columns)
        while (batch := stream.next(places.columns, places.unit, kinds)) is not None:
            empty, (values, units) = False, batch
            for place, (kind, meaning) in enumerate(zip(kinds, meanings)):
                if kind.reads_text and len(values[place]):
                    types.columns.check(place, meaning, kind)
            yield [readable(column) for column in values], None if units is None else types.units.checked(units)
    if empty:
        raise ValueError("there is no batch to read: the stream is empty or was read before")


def _pandas_columns(X: Any, places: Sequence[int], axes: Axes, types: _axes.ColumnTypes) -> Columns:
    arrays = []
    for place, i in enumerate(places):
        column = X.iloc[:, i]
        kind = None if axes.kinds is None else axes.kinds[place]
        if kind is not None and kind.reads_text:
            arrays.append(types.read(place, column, kind))
            continue
        array = column.to_numpy()
        if array.dtype == object:
            as_array(array)
            array = _core.object_coordinates(array, None)
        arrays.append(readable(array))
    return arrays


def _frame(X: Any, axes: Axes, unit: str | None, units: Any, types: Types) -> Input:
    names = names_of(X) or []
    places = _places(X, axes, unit, units)
    found = [names[i] for i in places.columns]
    if is_pandas(X):
        given = units if places.unit is None else X.iloc[:, places.unit]
        row_units = None if given is None else types.units(given)
        return Input(len(found), ((_pandas_columns(X, places.columns, axes, types.columns), row_units),), axes, found)
    streams = not hasattr(X, "shape") and not isinstance(X, _Lazy)
    if units is None:
        return Input(len(found), _Again(lambda: _arrow_batches(X, places, types, axes)), axes, found, streams=streams)
    all_units = types.units(units)

    def batches() -> Iterator[Batch]:
        first = 0
        for columns, _ in _arrow_batches(X, places, types, axes):
            rows = len(columns[0])
            if first + rows > all_units.rows:
                break
            yield columns, all_units.part(first, rows)
            first += rows
        else:
            if first == all_units.rows:
                return
        raise ValueError(f"{all_units.rows} units were given, but X has a different number of rows; give one per row")

    return Input(len(found), _Again(batches), axes, found, streams=streams)


def _texts(X: Any, axes: Axes, types: _axes.ColumnTypes) -> _core.Columns:
    """Read rows by columns, some of which hold dates or names."""
    columns: list[Any]
    if hasattr(X, "__array__"):
        table = X if isinstance(X, np.ndarray) else np.asarray(X)
        if table.ndim != 2:
            raise ValueError(f"points must be two-dimensional, rows by columns; these have {table.ndim} dimensions")
        columns = list(table.T)
    else:  # not through an array, which would give all rows one type
        rows = [list(row) for row in X]
        columns = list(zip(*rows))
        if len({len(row) for row in rows}) != 1:
            raise ValueError("points must be rows by columns; these rows differ in length, or there are none")
    _array_axes(axes, len(columns))
    return _core.Columns([_text_column(place, column, kind, types) for place, (column, kind) in enumerate(zip(columns, axes.kinds or []))])


def _text_column(place: int, column: Any, kind: _core.Axis, types: _axes.ColumnTypes) -> npt.NDArray[Any]:
    if kind.reads_text:
        return types.read(place, column, kind)
    if isinstance(column, np.ndarray) and column.dtype != object:
        return readable(column)
    return _core.object_coordinates(column, None)


def read(estimator: Any, X: Any, *, reset: bool, axes: Axes = UNNAMED, unit: str | None = None, units: Any = None) -> Input:
    """Read any input as batches. Sets or checks n_features_in_ and feature_names_in_ of the estimator as scikit-learn does."""
    X = opened(X, axes, unit)
    columns = _core.Columns.plain(X) if type(X) is np.ndarray and not axes.reads_text() else None
    if columns is not None:
        if estimator is not None:
            plain_features(estimator, X, columns.count, reset, axes)
    elif is_pandas(X) or is_arrow(X):
        return _read_frame(estimator, X, reset, axes, unit, units)
    elif axes.reads_text():
        columns = _texts(X, axes, _axes.ColumnTypes())
        if estimator is not None:
            check_features(estimator, Input(columns.count, (), axes), reset)
    else:
        from sklearn.utils.validation import check_array, validate_data

        X = as_array(X) if isinstance(X, (list, tuple, np.ndarray)) else X
        checked = check_array(X, **_CHECKS) if estimator is None else validate_data(estimator, X, reset=reset, **_CHECKS)
        columns = _core.Columns([readable(checked)])
    if units is None and unit not in (None, RECORD):
        raise ValueError(f"unit is '{unit}', but an array has no such column; give units, one per row")
    row_units = None if units is None else UnitColumns()(units)
    if row_units is not None and row_units.rows != columns.rows:
        raise ValueError(f"{row_units.rows} units were given for {columns.rows} rows; give one per row")
    return Input(columns.count, ((columns, row_units),), _array_axes(axes, columns.count))


def _read_frame(estimator: Any, X: Any, reset: bool, axes: Axes, unit: str | None, units: Any) -> Input:
    result = _frame(X, axes, unit, units, Types())
    if hasattr(X, "shape") and X.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={tuple(X.shape)}) while a minimum of 1 is required.")
    if estimator is None:
        return result
    by_sklearn = (hasattr(X, "__dataframe__") or is_pandas(X)) and unit in (None, RECORD) and axes.names is None and not result.streams
    if by_sklearn:
        from sklearn.utils.validation import validate_data

        validate_data(estimator, X, reset=reset, skip_check_array=True)
    else:
        check_features(estimator, result, reset)
    return result


def plain_features(estimator: Any, X: npt.NDArray[Any], features: int, reset: bool, axes: Axes) -> None:
    """Run the checks of validate_data for a plain array, faster if nothing is wrong. Named columns need no further names."""
    if reset:
        estimator.n_features_in_ = features
        if "feature_names_in_" in estimator.__dict__:
            del estimator.feature_names_in_
    elif estimator.n_features_in_ != features or ("feature_names_in_" in estimator.__dict__ and not axes.of_arrays):
        from sklearn.utils.validation import validate_data

        validate_data(estimator, X, reset=False, skip_check_array=True)


def check_features(estimator: Any, source: Input, reset: bool) -> None:
    """Set the names and the number of columns from a stream, which has no rows to inspect yet."""
    names = np.asarray(source.found, dtype=object) if source.found else None
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


def read_batches(estimator: Any, batches: Iterable[Any], *, axes: Axes = UNNAMED, unit: str | None = None) -> Input:
    """Read a stream of arrays, frames or record batches. With units, its items are (points, units) pairs or frames with that column."""
    if is_arrow(batches := opened(batches, axes, unit)):
        return read(estimator, batches, reset=True, axes=axes, unit=unit)
    types, by_unit = Types(), unit not in (None, RECORD)
    iterator = iter(batches)
    first = next(iterator, None)
    if first is None:
        raise ValueError("there is no batch to read: the iterator is empty")

    def as_input(item: Any) -> Input:
        points, units = item if by_unit and isinstance(item, tuple) else (item, None)
        points = opened(points, axes, unit)
        if is_pandas(points) or is_arrow(points):
            return _frame(points, axes, unit, units, types)
        if by_unit and units is None:
            raise ValueError(f"unit is '{unit}'; give batches of (points, units), or frames with that column")
        if axes.reads_text():
            texts = _texts(points, axes, types.columns)
            return Input(texts.count, ((texts, None if units is None else types.units(units)),), axes)
        matrix = as_array(points)
        if matrix.ndim != 2:
            raise ValueError(f"a batch must be two-dimensional, rows by columns; this one has {matrix.ndim} dimensions")
        columns, row_units = [readable(matrix)], None if units is None else types.units(units)
        return Input(matrix.shape[1], ((columns, row_units),), _array_axes(axes, matrix.shape[1]))

    head = as_input(first)

    def all_batches() -> Iterator[Batch]:
        yield from head.batches
        for item in iterator:
            batch = as_input(item)
            if head.found and batch.found and head.found != batch.found:
                raise ValueError(
                    f"a batch has the columns {', '.join(batch.found)}, but the first had {', '.join(head.found)}; give columns, the names of the coordinates"
                )
            yield from batch.batches

    source = Input(head.dimensions, all_batches(), axes, head.found, streams=True)
    check_features(estimator, source, reset=True)
    return source
