"""A gzip file of two columns with 17 decimals: count the rows and add up both columns. A peer that only unpacks gives the number of bytes."""

import atexit
import gzip
import math
import pathlib
import random
import struct
import tempfile
import zlib

NAME = "gzip of CSV, two columns of 17 digits"
UNIT = "unpacked bytes"
CASES = ["one stream", "blocks"]
ROWS = {"tiny": 10_000, "small": 500_000, "full": 5_000_000}
BLOCK = 65_280  # bytes before packing, as bgzip cuts them


def block(text):
    """A member of blocked gzip: its extra field holds its size."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = packer.compress(text) + packer.flush()
    header = b"\x1f\x8b\x08\x04" + bytes(6) + b"\x06\x00BC\x02\x00" + struct.pack("<H", len(packed) + 25)
    return header + packed + struct.pack("<II", zlib.crc32(text), len(text))


def setup(size, case):
    rng = random.Random(18)
    rows = [(f"{rng.random():.17f}", f"{rng.random():.17f}") for _ in range(ROWS[size])]
    text = ("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows)).encode()
    path = pathlib.Path(tempfile.mkstemp(suffix=".csv.gz")[1])
    atexit.register(path.unlink, missing_ok=True)
    path.write_bytes(gzip.compress(text, 6) if case == "one stream" else b"".join(block(text[i : i + BLOCK]) for i in range(0, len(text), BLOCK)))
    return {"path": str(path), "bytes": len(text), "rows": len(rows), "sums": [math.fsum(float(row[i]) for row in rows) for i in range(2)]}


def check(data, answer):
    if isinstance(answer, int):
        assert answer == data["bytes"], (answer, data["bytes"])
        return
    rows, sums = answer
    assert rows == data["rows"], (rows, data["rows"])
    for got, want in zip(sums, data["sums"], strict=True):
        assert math.isclose(got, want, rel_tol=1e-9), (got, want)


def work(data):
    return data["bytes"]
