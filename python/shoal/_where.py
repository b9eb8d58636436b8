"""Conditions on one record, in the language of the program's --where."""

from __future__ import annotations

from typing import Any

from . import _core, _input


def where(X: Any, condition: str) -> Any:
    """Select the rows of a table for which a condition holds.

    The condition is in the language of the program's --where (docs/where.md): columns, values, comparisons, and, or, not, in, between,
    like, is null. It depends on one record at a time, so a selection does not change the privacy of a release. Your own code for a
    selection preserves privacy only if it also depends on one record at a time.

    Parameters
    ----------
    X : pandas or polars DataFrame, pyarrow Table, RecordBatch or RecordBatchReader, Spark DataFrame
    condition : str

    Returns
    -------
    The selected rows, in their order, as a table of the same kind.

    >>> import pyarrow, shoal
    >>> trips = pyarrow.table({"km": [1.5, 12.0, None], "city": ["Bonn", "Bonn", "Köln"]})
    >>> shoal.where(trips, "km > 2 or city = 'Köln'").num_rows
    2
    """
    module, name = type(X).__module__.partition(".")[0], type(X).__name__
    if module == "pyspark":
        from . import spark

        return spark.selected(X, condition)
    columns = _core.condition_columns(condition)
    if module == "pyarrow" and name == "RecordBatchReader":
        import pyarrow

        batches = (part for batch in X for part in where(pyarrow.Table.from_batches([batch]), condition).to_batches())
        _mask(X.schema.empty_table(), columns, condition)  # raises if the condition does not fit, before a batch is read
        return pyarrow.RecordBatchReader.from_batches(X.schema, batches)
    if _input.is_pandas(X):
        return X[_mask(_pandas_table(X, columns), columns, condition)]
    if module == "polars" and name == "DataFrame":
        return X.filter(_mask(X, columns, condition))
    if module == "pyarrow" and name in ("Table", "RecordBatch"):
        import pyarrow

        return X.filter(pyarrow.array(_mask(X, columns, condition)))
    raise TypeError(f"a condition selects rows of a DataFrame or an Arrow table, not of {module}.{name}; collect it into one first")


def _mask(X: Any, columns: list[str], condition: str) -> Any:
    """Return for each row whether the condition holds."""
    for name in columns:
        _input._place(_input.names_of(X) or [], name, "")
    table = X.select(columns)
    if not hasattr(table, "__arrow_c_stream__"):  # record batches
        import pyarrow

        table = pyarrow.Table.from_batches([table])
    return _core.condition_mask(condition, table.__arrow_c_stream__())


def _pandas_table(X: Any, columns: list[str]) -> Any:
    """Return these columns as an Arrow table. The type of a column follows from its dtype, never from a value: objects must be strings."""
    import pyarrow

    names = _input.names_of(X) or []
    arrays = []
    for name in columns:
        column = X.iloc[:, _input._place(names, name, "")]
        categories = getattr(column.dtype, "categories", None)
        if categories is not None and categories.dtype == object:
            column = column.astype(object)
        kind = pyarrow.large_string() if column.dtype == object else None
        try:
            arrays.append(pyarrow.array(column, type=kind, from_pandas=True))
        except pyarrow.ArrowException:
            raise TypeError(f"column '{name}' holds objects that are not strings; convert it to strings, numbers or dates") from None
    return pyarrow.table(arrays, names=columns)
