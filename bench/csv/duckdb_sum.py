"""DuckDB's CSV reader with its own sum."""

NAME = "DuckDB, sum, two threads"
NEEDS = ["duckdb"]


def run(data):
    import duckdb

    with duckdb.connect(config={"threads": 2}) as connection:
        rows, x, y = connection.execute(f"SELECT count(*), sum(x), sum(y) FROM read_csv('{data['path']}')").fetchone()
    return rows, [x, y]
