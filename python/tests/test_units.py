"""Whose row it is: one key for every source, and a record that decides about itself alone."""

import collections
import json
import re
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import program, quietly, seeded
from hypothesis import given, settings
from hypothesis import strategies as st
from optional import optional

import shoal

pl = optional("polars")

PEOPLE = ["17", "18", "-3", "ann", "17.0", "9007199254740993"]  # of each, all rows lie in a cell of their own
CELLS = [*PEOPLE, "odd"]
MOST = 2


def counts_of(batches, **parameters):
    """The rows kept of every person: with so large an epsilon no noise is added."""
    options = {"epsilon": 1000, "bounds": (0, len(CELLS)), "grid": len(CELLS), "percentile": 0, "technique": "privqt", "unit": "who", "max_contributions": MOST}
    model = seeded(**{**options, **parameters})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit_batches(batches).release_.noisy_values


def place(person):
    return CELLS.index(person) + 0.5


def spelled(person):
    """The same person as sources write them."""
    forms = [person, f" {person}", f"{person}\t ", person.encode(), np.str_(person)]
    if person.lstrip("-").isdigit():
        forms += [int(person), np.int64(person), np.int64(person)]
        forms += [np.int8(person)] if -128 <= int(person) < 128 else []
    return forms


def arrow(values, kind=None):
    return pa.table({"x": [row[0] for row in values], "who": pa.array([row[1] for row in values], kind)})


# What libraries make of a list of ids, each by its own rules for types.
CONTAINERS = {
    "list": lambda rows: (np.array([[x] for x, _ in rows]), [who for _, who in rows]),
    "objects": lambda rows: (np.array([[x] for x, _ in rows]), np.array([who for _, who in rows] + [None], dtype=object)[:-1]),
    "numpy": lambda rows: (np.array([[x] for x, _ in rows]), np.array([who for _, who in rows])),
    "pandas": lambda rows: pd.DataFrame({"x": [x for x, _ in rows], "who": pd.Series([who for _, who in rows])}),
    "pandas, nullable": lambda rows: pd.DataFrame({"x": [x for x, _ in rows], "who": pd.Series([who for _, who in rows]).convert_dtypes()}),
    "categories": lambda rows: pd.DataFrame({"who": pd.Categorical([who for _, who in rows]), "x": [x for x, _ in rows]}),
    "polars": lambda rows: pl.DataFrame({"x": [x for x, _ in rows], "who": pl.Series([who for _, who in rows], strict=True)}),
    "polars, categories": lambda rows: pl.DataFrame({"x": [x for x, _ in rows], "who": pl.Series([who for _, who in rows], dtype=pl.Categorical)}),
    "arrow": arrow,
    "arrow, binary": lambda rows: arrow(rows, pa.large_binary()),
    "arrow, views": lambda rows: arrow(rows, pa.string_view()),
    "arrow, dictionary": lambda rows: pa.table({"x": [x for x, _ in rows], "who": pa.array([who for _, who in rows]).dictionary_encode()}),
}

PERSON = st.sampled_from(PEOPLE)
ROW = PERSON.flatmap(lambda person: st.tuples(st.just(person), st.sampled_from(spelled(person))))
PLAIN_ROW = st.sampled_from(["17", "18", "-3"]).map(lambda person: (person, int(person)))
TEXT_ROW = PERSON.map(lambda person: (person, person))
ODD = st.sampled_from([None, float("nan"), 2.5, True, "", " ", b"", pd.NA, "eve", "1_7", " +17"]).map(lambda who: ("odd", who))
BATCH = st.tuples(st.sampled_from(sorted(CONTAINERS)), st.one_of([st.lists(rows, max_size=8) for rows in [ROW, PLAIN_ROW, TEXT_ROW]]))
REFUSED = (TypeError, ValueError, OverflowError, pa.ArrowInvalid)


def result(batches):
    """Rows kept of every person; None: refused, by us or by the library that should hold the ids."""
    try:
        return counts_of(CONTAINERS[container]([(place(person), who) for person, who in rows]) for container, rows in batches if rows)
    except REFUSED:
        return None


def expected(batches):
    rows = collections.Counter(person for _, batch in batches for person, _ in batch)
    return [min(MOST, rows[person]) for person in CELLS]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(BATCH, min_size=1, max_size=3).filter(lambda batches: any(rows for _, rows in batches)), st.data())
def test_a_record_changes_the_counts_by_what_one_unit_may_keep(batches, data):
    """One record is added, taken out or replaced: the run is refused, or every person keeps what their own rows give."""
    before = result(batches)
    if before is not None:
        assert before.tolist() == expected(batches)
    chosen = data.draw(st.integers(0, len(batches) - 1))
    container, rows = batches[chosen]
    at = data.draw(st.integers(0, len(rows)))
    taken_out = data.draw(st.integers(0, 1))
    added = data.draw(st.lists(st.one_of(ROW, ODD), max_size=1))
    changed = [*batches[:chosen], (container, [*rows[:at], *added, *rows[at + taken_out :]]), *batches[chosen + 1 :]]
    after = result(changed) if any(rows for _, rows in changed) else None
    if after is not None:
        assert after.tolist() == expected(changed)
    if before is not None and after is not None:
        assert np.abs(after - before).sum() <= MOST * (len(added) + taken_out)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(ROW, min_size=1, max_size=30), st.integers(1, 8), st.sampled_from(["list", "objects", "pandas"]))
def test_chunks_do_not_matter(rows, size, container):
    chunks = [(container, rows[i : i + size]) for i in range(0, len(rows), size)]
    whole, parts = result([(container, rows)]), result(chunks)
    assert whole is None or whole.tolist() == expected(chunks)
    assert parts is None or parts.tolist() == expected(chunks)
    assert whole is not None or container == "pandas"  # which makes integers of some chunks, and objects of others


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(TEXT_ROW, min_size=1, max_size=30), st.integers(1, 8), st.sampled_from([pa.string(), pa.binary(), pa.dictionary(pa.int8(), pa.string())]))
def test_record_batches_do_not_matter(rows, size, kind):
    table = arrow([(place(person), who) for person, who in rows]).set_column(1, "who", pa.array([who for _, who in rows]).cast(kind))
    assert counts_of(table.to_reader(max_chunksize=size)).tolist() == counts_of([table]).tolist() == expected([("arrow", rows)])


def test_an_odd_id_makes_nobody_else_in_its_chunk_another_person():
    def chunk(*ids):
        return pd.DataFrame({"x": [place("17")] * (len(ids) - 1) + [place("ann")], "who": ids})

    numbers = pd.DataFrame({"x": [place("17")] * 2, "who": [17, 17]})
    with pytest.raises(TypeError, match="strings or objects, but the first had whole numbers"):
        counts_of([numbers, chunk(17, "ann")])
    with pytest.raises(TypeError, match="whole numbers, but the first had strings"):
        counts_of([chunk("17", "ann"), numbers])
    for ids in [("17", "17", "ann"), (17, "17", "ann"), (b"17", " 17\t", "ann")]:
        mixed = [chunk(*ids), chunk(*ids)]
        assert counts_of(mixed)[:4].tolist() == [MOST, 0, 0, MOST]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, ">i8", ">u2"])
def test_whole_numbers_of_every_width_are_their_decimal_texts(dtype):
    ids = np.array([17, 17, 18, 17], dtype=dtype)
    x = np.array([[place(str(i))] for i in ids])
    wide = np.repeat(ids, 3)[::3]
    packed = np.frombuffer(b"." + ids.tobytes(), ids.dtype, offset=1)
    frame = pd.DataFrame({"x": x[:, 0], "who": ids.astype(ids.dtype.newbyteorder("="))})
    forms = [(x, ids), (x, wide), (x, packed), (x, ids[::-1][::-1]), frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)]
    for form in forms:
        assert counts_of([form, (x, ids)]).tolist() == [2, 2, 0, 0, 0, 0, 0]


def test_extreme_whole_numbers_are_told_apart():
    ends = [-(2**63), -(2**63) + 1, 2**63 - 1, 2**63 - 2]
    unsigned = [2**64 - 1, 2**64 - 2]
    x = np.zeros((4, 1))
    for ids in [np.array(ends), ends, [str(i) for i in ends]]:
        assert counts_of([(x, ids)], max_contributions=1)[0] == 4
    assert counts_of([(x[:2], np.array(unsigned, np.uint64)), (x[:2], np.array(unsigned, np.uint64))], max_contributions=1)[0] == 2
    assert counts_of([(x[:2], [10**30, 10**30 + 1]), (x[:1], [f"{10**30}"])], max_contributions=1)[0] == 2


def test_categories_are_told_by_value_and_not_by_code():
    first, second = pd.Categorical(["ann", "17"], categories=["ann", "17"]), pd.Categorical(["ann", "17"], categories=["17", "ann"])
    x = [place("ann"), place("17")]
    frames = [pd.DataFrame({"x": x, "who": ids}) for ids in (first, second, first)]
    for batches in (frames, [pl.from_pandas(frame) for frame in frames], [pa.Table.from_pandas(frame) for frame in frames]):
        assert counts_of(batches).tolist() == [2, 0, 0, 2, 0, 0, 0]
    numbers = [pd.DataFrame({"x": [place("17")], "who": pd.Categorical([17], categories=values)}) for values in ([17, 18], [1, 17])]
    assert counts_of(numbers, max_contributions=1)[0] == 1


@pytest.mark.parametrize("ids", [[None, "a"], [np.nan, "a"], ["a", pd.NA], ["a", pd.NaT], ["a", ""], ["a", " \t "], [b"", "a"]])
def test_a_missing_unit_is_refused_in_every_form(ids):
    x = np.zeros((2, 1))
    with pytest.raises(ValueError, match=f"row {1 + (ids[0] == 'a')} of a batch has no unit"):
        quietly(seeded(unit="who", max_contributions=1), x, units=ids)
    frame = pd.DataFrame({"x": x[:, 0], "who": pd.Series(ids, dtype=object)})
    for form in [frame, frame.astype({"who": "category"})]:
        with pytest.raises(ValueError, match=r"missing|has no unit"):
            quietly(seeded(unit="who", max_contributions=1), form)


def test_a_place_outside_its_dictionary_is_refused():
    places = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int8()), pa.array(["a", "b"]), safe=False)
    with pytest.raises(ValueError, match="column 'who' of the Arrow stream is damaged: a value is not in its dictionary"):
        quietly(seeded(unit="who", max_contributions=1), pa.table({"x": [0.5, 0.5], "who": places}))


def test_missing_units_of_numbers_are_refused():
    x = np.zeros((2, 1))
    for kind in ["Int64", "float64", "int64[pyarrow]"]:
        with pytest.raises(ValueError, match="missing"):
            quietly(seeded(unit="who", max_contributions=1), pd.DataFrame({"x": x[:, 0], "who": pd.Series([1, None]).astype(kind)}))
    for form in [pa.table({"x": x[:, 0], "who": pa.array([1, None])}), pl.DataFrame({"x": x[:, 0], "who": pl.Series([None, "a"], dtype=pl.Categorical)})]:
        with pytest.raises(ValueError, match="has no unit"):
            quietly(seeded(unit="who", max_contributions=1), form)
    with pytest.raises(ValueError, match="missing"):
        quietly(seeded(unit="who", max_contributions=1), x, units=np.ma.array([1, 2], mask=[False, True]))


@pytest.mark.parametrize("ids", [np.array([1.0, 2.0]), [1.5, "a"], [1.0, 2.0], np.array([True, False]), [True, 1], [np.True_, 1], np.array(["2020-01-01"] * 2, "M8[D]"), [object()] * 2, pa.array([1.0, 2.0])])
def test_what_is_neither_text_nor_a_whole_number_is_no_unit(ids):
    with pytest.raises(TypeError, match="whole number"):
        quietly(seeded(unit="who", max_contributions=1), np.zeros((2, 1)), units=ids)


def test_arrow_columns_that_are_no_units_are_refused():
    for values in [pa.array([1.0, 2.0]), pa.array([True, False]), pa.array([None, None]), pa.array([1, 2], pa.timestamp("s"))]:
        with pytest.raises(TypeError, match="strings or whole numbers for units"):
            quietly(seeded(unit="who", max_contributions=1), pa.table({"x": [0.0, 1.0], "who": values}))


def test_every_source_has_the_same_units(spirals, tmp_path):
    """The program reads a CSV, Python everything else: the same people, so the same release of a seed."""
    X, users = spirals.X[:3000], np.arange(3000) % 400
    rows = "".join(f"{x!r},{y!r},{' ' * (i % 3)}{user}{' ' * (i % 2)}\n" for i, ((x, y), user) in enumerate(zip(X.tolist(), users)))
    (tmp_path / "users.csv").write_text("x,y,user\n" + rows)
    words = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10", "--epsilon", "1"]
    theirs = program("release", tmp_path / "users.csv", *words, "--seed", 3, "--unit", "user", "--max-contributions", "2")
    texts = [f" {user}" for user in users]
    parameters = {"unit": "user", "max_contributions": 2}
    for units in [users, users.astype(np.int16), users.tolist(), texts, np.array(texts), pl.Series(users), pa.array(texts)]:
        assert quietly(seeded(3, columns=["x", "y"], **parameters), X, units=units).release_ == shoal.Release.from_json(json.dumps(theirs))


def test_units_are_bounded_alike_in_every_form(spirals):
    X, users = spirals.X[:5000], np.arange(5000) % 700
    users += 10**12
    texts = [str(user) for user in users]  # what is kept follows from the key of the unit
    parameters = {"unit": "user", "max_contributions": 3}
    model = quietly(seeded(**parameters), X, units=users)
    assert model.release_.parameters["unit"] == {"column": "user", "max_contributions": 3}
    alike = [
        quietly(seeded(**parameters), X, units=texts),
        quietly(seeded(**parameters), pd.DataFrame({"axis 1": X[:, 0], "user": texts, "axis 2": X[:, 1]})),
        quietly(seeded(**parameters), pl.DataFrame({"user": texts, "axis 1": X[:, 0], "axis 2": X[:, 1]})),
        quietly(seeded(**parameters), pl.DataFrame({"user": pl.Series(texts, dtype=pl.Categorical), "axis 1": X[:, 0], "axis 2": X[:, 1]})),
        quietly(seeded(**parameters), pa.table({"axis 1": X[:, 0], "axis 2": X[:, 1], "user": users})),
        quietly(seeded(**parameters), pa.table({"axis 1": X[:, 0], "axis 2": X[:, 1], "user": pa.array(texts, pa.large_string())})),
        quietly(seeded(**parameters), pl.DataFrame({"axis 1": X[:, 0], "axis 2": X[:, 1]}), units=texts),
    ]
    for other in alike:
        assert other.release_ == model.release_
        assert np.array_equal(other.labels_, model.labels_)
    with pytest.warns(shoal.NotPrivateWarning):
        streamed = seeded(**parameters).fit_batches((X[i : i + 900], texts[i : i + 900]) for i in range(0, 5000, 900))
    assert streamed.release_ == model.release_


def test_units_are_refused_where_they_cannot_be_used(spirals):
    X = spirals.X[:10]
    by_user = seeded(unit="user", max_contributions=1)
    for given_units, says in [(None, "give units"), ([1] * 9, "9 units were given for 10 rows"), (np.ones((10, 1), int), "one-dimensional")]:
        with pytest.raises(ValueError, match=says):
            quietly(by_user, X, units=given_units)
    for wrong in ([1] * 9, [1] * 11):
        with pytest.raises(ValueError, match="a different number of rows"):
            quietly(by_user, pl.DataFrame(X), units=wrong)
    with pytest.raises(ValueError, match="no column 'user'"):
        quietly(by_user, pd.DataFrame(X))
    with pytest.raises(ValueError, match="max_contributions"):
        quietly(seeded(unit="user"), X, units=[1] * 10)
    with pytest.raises(ValueError, match="unit is 'record'"):
        quietly(seeded(), X, units=[1] * 10)


def test_shares_count_every_unit_once(spirals):
    X, users = spirals.X[:5000], np.arange(5000) % 700
    model = quietly(seeded(unit="user", contribution="share", grid=10, percentile=0), X, units=users)
    assert model.release_.parameters["unit"] == {"column": "user", "contribution": "share"}
    assert {spent.sensitivity for spent in model.release_.spent} == {1}
    assert abs(model.release_.noisy_values.sum() - 700) < 150
    one_each = quietly(seeded(unit="user", max_contributions=1, grid=10, percentile=0), X, units=users)
    assert [spent.sensitivity for spent in one_each.release_.spent] == [spent.sensitivity for spent in model.release_.spent]
    text = [str(user) for user in users]
    order = np.random.default_rng(1).permutation(5000)
    assert quietly(seeded(unit="user", contribution="share", grid=10, percentile=0), X[order], units=np.array(text)[order]).release_ == model.release_


@pytest.mark.parametrize(
    "parameters", [{"wavelet": "db2", "grid": 10}, {"wavelet": "db2", "grid": 10, "technique": "privthr"}, {"grid": 16384}]
)
def test_shares_with_other_wavelets_and_past_the_dense_limit(spirals, parameters):
    X, users = spirals.X[:5000], np.arange(5000) % 700
    model = quietly(seeded(unit="user", contribution="share", percentile=20, epsilon=4, **parameters), X, units=users)
    assert model.release_.parameters["unit"] == {"column": "user", "contribution": "share"}
    counts = next(spent for spent in model.release_.spent if spent.mechanism in ("counts", "sums"))
    assert counts.sensitivity == 1
    assert sum(spent.epsilon for spent in model.release_.spent) == 4


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"contribution": "share"}, "contribution needs unit"),
        ({"unit": "user"}, "or contribution='share'"),
        ({"unit": "user", "contribution": "share", "max_contributions": 2}, "remove max_contributions"),
        ({"unit": "user", "contribution": "half"}, "must be 'share' or None"),
        ({"unit": "user", "contribution": "share", "technique": "privthr-em"}, "privthr-em counts whole records"),
        ({"unit": "user", "contribution": "share", "wavelet": "db8", "level": 4}, "cannot bound the effect of a unit"),
    ],
)
def test_shares_are_refused_where_they_cannot_be_kept(spirals, parameters, says):
    units = {"units": [1] * 10} if "unit" in parameters else {}
    with pytest.raises(ValueError, match=re.escape(says)):
        quietly(seeded(**parameters), spirals.X[:10], **units)
