"""DuckDB by a window over a hash of each row, from Arrow."""

NAME = "DuckDB, row_number, two threads"
NEEDS = ["duckdb", "pyarrow"]


def run(data):
    import duckdb
    import numpy as np
    import pyarrow

    rows = pyarrow.table({name: data[name] for name in ("x", "y", "units")})  # noqa: F841
    query = """
        SELECT cell, count(*) FROM (
          SELECT cell, row_number() OVER (PARTITION BY units ORDER BY hash(units, cell, x, y)) AS place
          FROM (SELECT units, floor(x * 1024)::BIGINT * 1024 + floor(y * 1024)::BIGINT AS cell, x, y FROM rows))
        WHERE place <= 5 GROUP BY cell"""
    with duckdb.connect(config={"threads": 2}) as connection:
        found = connection.execute(query).fetchnumpy()
    counts = np.zeros(1024 * 1024, np.int64)
    counts[found["cell"]] = found["count_star()"]
    return counts
