"""The CSV reader beside Python's csv module and float(), and the example sets beside numpy and scipy."""

import csv
import gzip
import io
import itertools
import math
import random
import struct

import numpy as np
import pytest
from scipy import ndimage

from shoal import _core

read_csv = _core.internal.read_csv


def bits(x):
    return struct.pack("<d", x)


def random_number(rng):
    kind = rng.randrange(8)
    if kind == 0:
        return str(rng.randrange(-(10**6), 10**6))
    if kind == 1:
        return f"{rng.uniform(-180, 180):.{rng.randrange(1, 20)}f}"
    if kind == 2:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-320, 309))
    if kind == 3:
        return f"{rng.uniform(-10, 10):.{rng.randrange(0, 25)}e}"
    if kind == 4:
        return rng.choice(["nan", "inf", "-inf", "+1", "1.", ".5", "-0", "0", "1e999", "-1e-999", "Infinity"])
    if kind == 5:
        return repr(struct.unpack("<d", rng.randbytes(8))[0])
    if kind == 6:
        return str(rng.randrange(10**25))
    return repr(rng.random())


def random_text(rng):
    letters = 'ab \'"",;\n\r\n\t\xe9\u20ac\U0001f41f0123.-'
    # An unquoted \r at the end of a line is part of the line end, and Python does not quote it.
    text = "".join(rng.choice(letters) for _ in range(rng.randrange(1, 12))).rstrip("\r")
    return text if text.strip(" \t") else "x"


def random_table(rng):
    fields = rng.randrange(2, 7)
    wanted = rng.sample(range(fields), rng.randrange(1, fields))
    unit = rng.choice([f for f in range(fields) if f not in wanted])
    rows = []
    for _ in range(rng.randrange(0, 40)):
        row = [random_text(rng) for _ in range(fields)]
        for field in wanted:
            row[field] = rng.choice(["", " ", "  "]) + random_number(rng) + rng.choice(["", " "])
        rows.append(row)
    return fields, wanted, unit, rows


@pytest.mark.parametrize("seed", range(300))
def test_random_tables_read_as_pythons_csv_and_float_do(seed, tmp_path):
    rng = random.Random(seed)
    fields, wanted, unit, rows = random_table(rng)
    delimiter = rng.choice(",;\t|")
    out = io.StringIO(newline="")
    writer = csv.writer(
        out,
        delimiter=delimiter,
        lineterminator=rng.choice(["\n", "\r\n"]),
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    )
    writer.writerow([f"column {i}" for i in range(fields)])
    writer.writerows(rows)
    data = out.getvalue().encode()
    if rng.random() < 0.3:
        data = b"\xef\xbb\xbf" + data
    if rng.random() < 0.3:
        data = gzip.compress(data)
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    for threads in (1, 2):
        got = read_csv(
            str(path),
            columns=[f"column {i}" for i in wanted],
            unit_column=f"column {unit}",
            delimiter=delimiter,
            multiline=True,
            block_bytes=rng.choice([1, 7, 64, 4096]),
            threads=threads,
        )
        want = [([bits(float(row[f])) for f in wanted], row[unit].strip(" \t").encode()) for row in rows]
        columns = [[bits(x) for x in column] for column in got["columns"]]
        have = [([column[i] for column in columns], got["units"][i]) for i in range(len(got["units"]))]

        def normal(table):  # any NaN will do
            nan = {bits(math.nan), bits(-math.nan)}
            table = [([bits(math.nan) if x in nan else x for x in numbers], text) for numbers, text in table]
            return table if threads == 1 else sorted(table)

        assert normal(have) == normal(want)
        assert got["skipped"] == 0


@pytest.mark.parametrize("seed", range(200))
def test_damaged_tables_are_read_or_refused_alike_in_blocks_of_any_size(seed, tmp_path):
    rng = random.Random(1000 + seed)
    lines = ["x,y,t"] + [f"{rng.random()},{rng.random()},{rng.choice(['a', chr(34) + 'b' + chr(34), ''])}" for _ in range(30)]
    data = bytearray("\n".join(lines).encode())
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(6, len(data))] = rng.choice(b'",\n\r\0a5.-\xff ')
    path = tmp_path / "table.csv"
    path.write_bytes(bytes(data))

    def outcome(**options):
        try:
            got = read_csv(str(path), columns=["x", "y"], **options)
            return [[bits(x) for x in column] for column in got["columns"]], got["skipped"]
        except ValueError as error:
            return str(error)

    for how in itertools.product((False, True), repeat=2):
        options = dict(zip(("skip_bad_rows", "multiline"), how))
        whole = outcome(**options)
        for block_bytes in (1, 2, 13, 64, 200):
            assert outcome(**options, block_bytes=block_bytes) == whole
            if isinstance(whole, str):
                assert outcome(**options, block_bytes=block_bytes, threads=2) == whole


def wavecluster(columns, bounds, grid, percentile):
    """Haar, level 1, all neighbours; as in the paper, in a few lines of numpy and scipy."""
    counts, _ = np.histogramdd(np.array(columns).T, bins=grid, range=bounds)
    for axis in range(counts.ndim):
        counts = np.add.reduceat(counts, range(0, counts.shape[axis], 2), axis)
    positive = np.sort(counts[counts > 0])[::-1]
    k = max(1, math.ceil((100 - percentile) * len(positive) / 100 - 1e-9))
    return ndimage.label(counts >= positive[k - 1], np.ones((3,) * counts.ndim))[1]


@pytest.mark.parametrize("name, clusters", [("ds1", 15), ("ds2", 3), ("ds3", 5), ("mixture3", 5)])
def test_example_sets_have_their_clusters(name, clusters):
    for seed in range(1, 21):
        made = _core.make_dataset(name, seed)
        assert wavecluster(made["columns"], made["bounds"], made["grid"], made["percentile"]) == clusters
        assert len(made["labels"]) == len(made["columns"][0])
