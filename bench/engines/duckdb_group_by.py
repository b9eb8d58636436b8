"""DuckDB counts by itself: the sparse counts in memory, nothing more."""

import duckdb

NAME = "DuckDB, GROUP BY, two threads"


def handles(data):
    return data["case"] == "Parquet"


def run(data):
    query = f"""select sum(n) from (
        select least(floor(x * 1024)::int, 1023) as i, least(floor(y * 1024)::int, 1023) as j, count(*) as n from '{data["path"]}' group by i, j)"""
    with duckdb.connect(config={"threads": 2}) as connection:
        return int(connection.execute(query).fetchone()[0])
