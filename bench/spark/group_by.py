"""Spark as people write it, with a cell that costs little; units by a window and a random number, which is not private."""

NAME = "Spark, groupBy(cell).count()"


def run(data):
    cell = "least(floor(x * 1024), 1023) * 1024 + least(floor(y * 1024), 1023) as cell"
    frame = data["frame"].selectExpr(cell, "unit")
    if data["case"] != "records":
        frame = frame.selectExpr("cell", "row_number() over (partition by unit order by rand()) as place").where("place <= 5")
    return sum(frame.groupBy("cell").count().toArrow().column("count").to_pylist())
