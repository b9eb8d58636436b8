"""A city: place and hour of the week, which goes around, by month. The data are made up; three gatherings are hidden in them. One
of them lasts from Sunday night into Monday, and takes place in June alone.

    python examples/city.py FOLDER        (needs the program shoal on the PATH)
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

import numpy as np
import pandas as pd

import shoal

# longitude, latitude, hour of the week from Monday 0:00 on, share of the records, months.
TRUTH = [
    (13.39, 52.51, 80, 0.25, ("2026-05", "2026-06")),
    (13.46, 52.51, 144, 0.25, ("2026-05", "2026-06")),
    (13.33, 52.54, 0, 0.25, ("2026-06",)),
]
MONTHS = ("2026-05", "2026-06")


def trips(records: int = 40_000, seed: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frames = []
    for lon, lat, hour, share, months in TRUTH:
        count = int(share * records)
        place = {"lon": rng.normal(lon, 0.008, count), "lat": rng.normal(lat, 0.005, count)}
        frames.append(pd.DataFrame({**place, "hour": rng.normal(hour, 5, count) % 168, "month": rng.choice(months, count)}))
    rest = records - sum(map(len, frames))
    place = {"lon": rng.uniform(13.3, 13.5, rest), "lat": rng.uniform(52.48, 52.56, rest)}
    frames.append(pd.DataFrame({**place, "hour": rng.uniform(0, 168, rest), "month": rng.choice(MONTHS, rest)}))
    return pd.concat(frames, ignore_index=True)


def released(random_state: int | None = None) -> shoal.Release:
    """One release of both months together."""
    axes = [
        shoal.Axis("lon", 13.3, 13.5),
        shoal.Axis("lat", 52.48, 52.56, kind="latitude"),
        shoal.Axis("hour", 0, 168, circle=True, unit="of the week"),
    ]
    return shoal.PrivateWaveCluster(epsilon=1, axes=axes, grid="auto", random_state=random_state).fit(trips()).release_


def main(folder: str) -> shoal.Release:
    release = released()
    for name in ("city.json", "city.html"):
        release.save(pathlib.Path(folder) / name)
    return release


# By the program: a release of each month. A record lies in one month, so both cost epsilon once.
BOUNDS = "lon=13.3:13.5,lat=52.48:52.56,hour=0:168:circle"
BY_MONTH = ["release", "trips.csv", "--by", "month=2026-05..2026-06", "--bounds", BOUNDS, "--geo", "--auto", "--epsilon", "1"]


def by_month(folder: str, program: str = "shoal") -> None:
    """Both months, and what changed."""
    trips().to_csv(pathlib.Path(folder) / "trips.csv", index=False)
    for words in ([*BY_MONTH, "-o", "months.json", "-o", "months.html"], ["compare", "months.json", "-o", "changes.html"]):
        subprocess.run([program, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else "."
    print(main(where))
    by_month(where)
