"""A hospital: age in whole years, day of admission, ward. The data are made up; three groups are hidden in them.

    python examples/hospital.py FOLDER
"""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pandas as pd

import shoal

WARDS = ["children", "internal", "surgery"]
# ward, age, day of the year, share of the records: what the release should show.
TRUTH = [("children", 4, "2026-02-01", 0.25), ("internal", 78, "2026-07-20", 0.25), ("surgery", 30, "2026-02-20", 0.2)]


def admissions(records: int = 12_000, seed: int = 1) -> pd.DataFrame:
    """Three groups, and the rest evenly over ages, days and wards."""
    rng = np.random.default_rng(seed)
    frames = []
    for ward, age, day, share in TRUTH:
        count = int(share * records)
        days = pd.Timestamp(day) + pd.to_timedelta(rng.normal(0, 12, count).round(), unit="D")
        frames.append(pd.DataFrame({"age": rng.normal(age, 3, count).round().clip(0, 110).astype(int), "day": days, "ward": ward}))
    rest = records - sum(map(len, frames))
    days = pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 365, rest), unit="D")
    frames.append(pd.DataFrame({"age": rng.integers(0, 100, rest), "day": days, "ward": rng.choice(WARDS, rest)}))
    return pd.concat(frames, ignore_index=True)


def released(random_state: int | None = None) -> shoal.Release:
    axes = [shoal.Axis("age", 0, 110, kind="int", unit="years"), shoal.Axis("day", "2026-01-01", "2026-12-31"), shoal.Axis("ward", names=WARDS)]
    return shoal.PrivateWaveCluster(epsilon=1, axes=axes, grid="auto", random_state=random_state).fit(admissions()).release_


def main(folder: str) -> shoal.Release:
    release = released()
    for name in ("hospital.json", "hospital.html"):
        release.save(pathlib.Path(folder) / name)
    return release


if __name__ == "__main__":
    print(main(sys.argv[1] if len(sys.argv) > 1 else "."))
