import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import quietly, seeded
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from optional import optional

import shoal
from shoal import _core, _input

pl = optional("polars")

POINTS = hnp.arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 3)), elements=st.floats(-2, 2, width=32) | st.just(np.nan))


def plain(**parameters):
    return shoal.WaveCluster(**{"bounds": (-1, 1), "grid": 8, "percentile": 20, **parameters})


def forms(X):
    """The same points in every form that is taken."""
    names = [f"c{i}" for i in range(X.shape[1])]
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), 7.0)
    wide[::2, ::3] = X
    yield "Fortran order", np.asfortranarray(X)
    yield "strided", wide[::2, ::3]
    yield "backwards", X[::-1].copy()[::-1]
    yield "unaligned, read-only", np.frombuffer(b"." + X.tobytes(), np.float64, offset=1).reshape(X.shape)
    yield "list", X.tolist()
    yield "other byte order", X.astype(">f8")
    yield "pandas", pd.DataFrame(X, columns=names)
    yield "pandas, nullable", pd.DataFrame(X, columns=names).astype("Float64")
    if pl:
        yield "polars", pl.DataFrame(X, schema=names, orient="row")
        yield "polars, nulls", pl.DataFrame(X, schema=names, orient="row").with_columns(pl.all().fill_nan(None))
    yield "pyarrow", pa.table({name: X[:, i] for i, name in enumerate(names)})
    yield "pyarrow, slice of chunks", pa.concat_tables([pa.table({n: [9.0, *X[:, i]] for i, n in enumerate(names)})] * 1).slice(1)


@settings(max_examples=60, deadline=None)
@given(POINTS)
def test_every_form_of_the_same_points_gives_the_same(X):
    model = plain().fit(X)
    for name, form in forms(X):
        other = plain().fit(form)
        assert np.array_equal(other.labels_, model.labels_), name
        assert np.array_equal(other.cell_labels_, model.cell_labels_), name
        assert np.array_equal(other.predict(form), model.labels_), name


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@settings(max_examples=40, deadline=None)
@given(POINTS, st.integers(1, 5))
def test_streams_give_what_the_whole_gives(X, parts):
    model = plain().fit(X)
    pieces = np.array_split(X, parts)
    names = [f"c{i}" for i in range(X.shape[1])]
    table = pa.table({name: X[:, i] for i, name in enumerate(names)})
    streams = [
        pieces,
        iter(pieces),
        (pd.DataFrame(piece, columns=names) for piece in pieces),
        table.to_batches(max_chunksize=2),
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3)),
    ]
    for stream in streams:
        streamed = plain().fit_batches(stream)
        assert np.array_equal(streamed.cell_labels_, model.cell_labels_)
        assert np.array_equal(streamed.predict(X), model.labels_)


@pytest.mark.filterwarnings("ignore::shoal.NotPrivateWarning")
@pytest.mark.parametrize("unit", [{}, {"unit": "user", "max_contributions": 2}], ids=["records", "units"])
def test_partitions_that_workers_read_give_what_the_whole_gives(unit, spirals, tmp_path):
    """As the documents have it for Dask and Ray: partitions arrive as workers finish them, in any order, and units span them."""
    names = ["x", "y", *(["user"] if unit else [])]
    table = pa.table({"x": spirals.X[:, 0], "y": spirals.X[:, 1], "user": np.arange(len(spirals.X)) % 900}).select(names)
    paths = [tmp_path / f"{first}.parquet" for first in range(0, len(table), 4000)]
    for path in paths:
        pq.write_table(table.slice(int(path.stem), 4000), path)
    with ThreadPoolExecutor(3) as workers:
        parts = [workers.submit(pq.read_table, path) for path in reversed(paths)]
        model = seeded(**unit).fit_batches(part.result() for part in as_completed(parts))
    assert model.release_ == seeded(**unit).fit(table).release_


def test_a_reader_of_record_batches_streams_through_fit_and_keeps_no_labels(spirals):
    table = pa.table({"x": spirals.X[:, 0], "y": spirals.X[:, 1]})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1000))
    model = quietly(seeded(), reader)
    assert model.release_ == quietly(seeded(), table).release_
    assert list(model.feature_names_in_) == ["x", "y"]
    with pytest.raises(AttributeError, match="predict"):
        model.labels_
    with pytest.raises(ValueError, match="was read before"):
        quietly(seeded(), reader)


def test_float32_and_whole_numbers_are_read_as_they_are():
    rng = np.random.default_rng(1)
    for dtype in [np.float32, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32]:
        X = (rng.random((500, 2)) * 100).astype(dtype)
        grid = _core.Grid([(0, 100)] * 2, [10, 10])
        counts = _core.count(iter([([X[:, 0], X[:, 1]], None)]), grid)
        theirs = _core.quantize([X[:, i].astype(np.float64) for i in range(2)], grid)
        assert np.array_equal(counts.values, theirs.values), dtype


def test_a_stream_is_let_go_of_once_it_is_read():
    X = np.zeros((5, 2))
    stream = iter([([X[:, 0], X[:, 1]], None)])
    held = sys.getrefcount(stream)
    _core.count(stream, _core.Grid([(0, 1)] * 2, [2, 2]))
    assert sys.getrefcount(stream) == held


def test_float64_is_read_in_place():
    column = np.arange(5.0)
    assert np.shares_memory(_input.readable(column), column)
    table = pa.table({"x": column})
    ((columns, _),) = _input.read(None, table, reset=False).batches
    assert columns[0].ctypes.data == table.column(0).chunk(0).buffers()[1].address
    frame = pl.DataFrame({"x": column})
    ((columns, _),) = _input.read(None, frame, reset=False).batches
    assert columns[0].ctypes.data == frame["x"].to_numpy(allow_copy=False).ctypes.data
    pandas = pd.DataFrame({"x": column, "y": column})
    ((columns, _),) = _input.read(None, pandas, reset=False).batches
    assert np.shares_memory(columns[1], pandas["y"].to_numpy())


def test_batches_outlive_the_table_that_they_came_from():
    def columns():
        return next(iter(_input.read(None, pa.table({"x": np.arange(1000.0)}), reset=False).batches))[0]

    kept = [columns()[0] for _ in range(20)]
    assert all(column.sum() == 499500 for column in kept)


def test_bad_input_is_refused_in_words(spirals):
    model = plain()
    with pytest.raises(TypeError, match="Arrow type"):
        model.fit(pa.table({"x": pa.array([1], pa.timestamp("s"))}))
    with pytest.raises(ValueError, match="empty"):
        model.fit_batches([])
    with pytest.raises(ValueError, match="2 columns, but the first had 1"):
        model.fit_batches([np.zeros((2, 1)), np.zeros((2, 2))])
    with pytest.raises(ValueError, match="give bounds"):
        plain(bounds=None).fit_batches([np.zeros((2, 1))])
    with pytest.raises(ValueError, match="bounds has 3 pairs"):
        plain(bounds=[(0, 1)] * 3).fit(spirals.X)
    with pytest.raises(ValueError, match="there is no technique 'magic'"):
        quietly(seeded(technique="magic"), spirals.X)
    with pytest.raises(TypeError, match="grid must be"):
        plain(grid="fine").fit(spirals.X)
    with pytest.raises(TypeError, match="level must be a whole number"):
        plain(level=1.5).fit(spirals.X)
    with pytest.raises(ValueError, match="adjacency must be"):
        plain(adjacency="corner").fit(spirals.X)
    with pytest.raises(ValueError, match="give only one of"):
        plain(top=5).fit(spirals.X)
    for wrong, kind, says in [
        ({"level": -1}, ValueError, "level is -1; it cannot be negative"),
        ({"level": 2**32}, ValueError, "level is 4294967296; it is too large"),
        ({"min_cells": 2**64}, ValueError, "it is too large"),
        ({"min_cells": True}, TypeError, "min_cells must be a whole number, not bool"),
        ({"percentile": "10"}, TypeError, "percentile must be a number, not str"),
        ({"percentile": True}, TypeError, "percentile must be a number, not bool"),
        ({"wavelet": None}, TypeError, "wavelet must be a string, not NoneType"),
        ({"outside": 3}, TypeError, "outside must be a string, not int"),
        ({"grid": [8, 8, 8]}, ValueError, "grid has 3 numbers for 2 columns"),
        ({"grid": [8, 8.5]}, TypeError, "grid must be a whole number, not float"),
        ({"grid": True}, TypeError, "grid must be a whole number"),
        ({"grid": None}, TypeError, "grid must be a whole number"),
        ({"level": None}, TypeError, "level must be a whole number, not NoneType"),
        ({"bounds": 3}, TypeError, "bounds must be a pair"),
        ({"bounds": ("0", "1")}, ValueError, "bounds must be a pair"),
        ({"bounds": (None, 1)}, TypeError, "bounds must be a pair"),
        ({"bounds": [(0, 1), (0, 1, 2)]}, ValueError, "bounds must be a pair"),
    ]:
        with pytest.raises(kind, match=says):
            plain(**wrong).fit(spirals.X)

    def broken():
        yield np.zeros((2, 1))
        raise KeyError("the source broke")

    with pytest.raises(KeyError, match="the source broke"):
        model.fit_batches(broken())


def test_parameters_are_taken_in_every_form_of_a_number(spirals):
    expected = plain(bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    for bounds in [(0, 1), [0.0, 1], np.array([0, 1]), [(0, 1)] * 2, np.array([[0, 1], [0, 1]]), ((0, 1) for _ in range(2))]:
        found = plain(bounds=bounds, grid=np.int64(40), percentile=Fraction(10), level=np.uint8(1), min_cells=np.int32(1)).fit(spirals.X)
        assert np.array_equal(found.labels_, expected.labels_)
    for grid in [(40, 40), np.array([40, 40]), [np.int16(40), 40]]:
        assert np.array_equal(plain(bounds=(0, 1), grid=grid, percentile=np.float32(10)).fit(spirals.X).labels_, expected.labels_)


def test_labels_are_of_the_points_that_were_fitted(spirals):
    X = spirals.X.copy()
    model, expected = plain(bounds=(0, 1)).fit(X), plain(bounds=(0, 1)).fit(spirals.X).labels_
    X[:] = 7
    assert np.array_equal(model.labels_, expected)


def test_threads_change_nothing(spirals):
    X = np.tile(spirals.X, (8, 1))
    one, two = (quietly(seeded(threads=threads), X) for threads in (1, 2))
    assert one.release_ == two.release_
    assert np.array_equal(one.labels_, two.labels_)
