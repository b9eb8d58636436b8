"""PostgreSQL counts by itself."""

NAME = "PostgreSQL, GROUP BY"


def handles(data):
    return data["case"] == "PostgreSQL"


def run(data):
    cell = "least(floor({} * 1024)::int, 1023)"
    inner = f"select {cell.format('x')} as i, {cell.format('y')} as j, count(*) as n from points group by i, j"
    return int(data["server"].ask(f"select sum(n) from ({inner}) t"))
