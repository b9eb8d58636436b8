"""DuckDB's own grouped count on 1024 x 1024 cells: what it would take to get the grid by SQL."""

NAME = "DuckDB, grouped count, two threads"
NEEDS = ["duckdb"]


def run(data):
    import duckdb

    query = f"""
        SELECT sum(n), sum(sx), sum(sy) FROM (
          SELECT floor(x * 1024)::INT AS i, floor(y * 1024)::INT AS j, count(*) AS n, sum(x) AS sx, sum(y) AS sy
          FROM read_csv('{data["path"]}') GROUP BY i, j)"""
    with duckdb.connect(config={"threads": 2}) as connection:
        rows, x, y = connection.execute(query).fetchone()
    return int(rows), [x, y]
