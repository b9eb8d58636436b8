"""What Spark shuffles for shoal.spark: bytes per row and per occupied cell, by the metrics of its stages.

  bench/spark_shuffle.py [ROWS ...]      10^6 and 10^7 unless told; 10^8 take 2.4 GB of disk and 1.6 GB more while they are counted
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

import harness
import shoal.spark

task = harness.load(harness.HERE / "spark/task.py")


def shuffled(spark, count) -> tuple[int, int, int]:
    """(bytes written, records written, occupied cells)"""
    store = spark.sparkContext._jsc.sc().statusStore()
    before = {(stage.stageId(), stage.attemptId()) for stage in listed(store)}
    cells = count().num_rows
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    new = [stage for stage in listed(store) if (stage.stageId(), stage.attemptId()) not in before]
    return sum(stage.shuffleWriteBytes() for stage in new), sum(stage.shuffleWriteRecords() for stage in new), cells


def listed(store) -> list:
    stages = store.stageList(None, False, False, getattr(store, "stageList$default$4")(), None)
    return [stages.apply(i) for i in range(stages.size())]


def main() -> None:
    sizes = [int(float(word)) for word in sys.argv[1:]] or [10**6, 10**7]
    with tempfile.TemporaryDirectory() as folder:
        spark = task.session(folder)
        print(f"{'rows':>12} {'cells':>10} {'of units':>9} {'occupied':>10} {'MB':>9} {'B/row':>7} {'B/cell':>7}")
        for rows in sizes:
            path = pathlib.Path(folder, f"{rows}.parquet")
            task.write(path, rows)
            frame = spark.read.parquet(str(path))
            for grid in (64, 1024):
                for units in (False, True):
                    model = shoal.PrivateWaveCluster(epsilon=1, columns=["x", "y"], bounds=(0, 1), grid=grid, percentile=0)
                    if units:
                        model.set_params(unit="unit", max_contributions=5)
                    size, _, cells = shuffled(spark, lambda frame=frame, model=model: shoal.spark.counts(model, frame))
                    print(f"{rows:>12} {grid:>5}^2   {'yes' if units else 'no':>9} {cells:>10} {size / 1e6:>9.2f} {size / rows:>7.2f} {size / cells:>7.1f}", flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
