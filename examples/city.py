"""A city: place and hour of the week, which goes around. The data are made up; three gatherings are hidden in them, one of
which lasts from Sunday night into Monday.

    python examples/city.py FOLDER
"""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pandas as pd

import shoal

# longitude, latitude, hour of the week from Monday 0:00 on, share of the records.
TRUTH = [(13.39, 52.51, 80, 0.25), (13.46, 52.51, 144, 0.25), (13.33, 52.54, 0, 0.25)]


def trips(records: int = 40_000, seed: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frames = []
    for lon, lat, hour, share in TRUTH:
        count = int(share * records)
        place = {"lon": rng.normal(lon, 0.008, count), "lat": rng.normal(lat, 0.005, count)}
        frames.append(pd.DataFrame({**place, "hour": rng.normal(hour, 5, count) % 168}))
    rest = records - sum(map(len, frames))
    frames.append(pd.DataFrame({"lon": rng.uniform(13.3, 13.5, rest), "lat": rng.uniform(52.48, 52.56, rest), "hour": rng.uniform(0, 168, rest)}))
    return pd.concat(frames, ignore_index=True)


def main(folder: str) -> shoal.Release:
    axes = [
        shoal.Axis("lon", 13.3, 13.5),
        shoal.Axis("lat", 52.48, 52.56, kind="latitude"),
        shoal.Axis("hour", 0, 168, circle=True, unit="of the week"),
    ]
    model = shoal.PrivateWaveCluster(epsilon=1, axes=axes, grid="auto").fit(trips())
    for name in ("city.json", "city.html"):
        model.release_.save(pathlib.Path(folder) / name)
    return model.release_


if __name__ == "__main__":
    print(main(sys.argv[1] if len(sys.argv) > 1 else "."))
