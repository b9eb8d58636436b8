"""A shop: the amount of a purchase on a logarithmic axis, and the number of things in the basket. The data are made up; three
kinds of purchases are hidden in them.

    python examples/shop.py FOLDER
"""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pandas as pd

import shoal

# amount, things in the basket, share of the records.
TRUTH = [(6, 2, 0.35), (110, 26, 0.35), (900, 2, 0.2)]


def purchases(records: int = 20_000, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frames = []
    for amount, things, share in TRUTH:
        count = int(share * records)
        baskets = rng.poisson(things - 1, count) + 1
        frames.append(pd.DataFrame({"amount": (amount * np.exp(rng.normal(0, 0.3, count))).round(2), "things": baskets}))
    rest = records - sum(map(len, frames))
    frames.append(pd.DataFrame({"amount": np.exp(rng.uniform(0, np.log(5000), rest)).round(2), "things": rng.integers(1, 61, rest)}))
    return pd.concat(frames, ignore_index=True)


def released(random_state: int | None = None) -> shoal.Release:
    axes = [shoal.Axis("amount", 1, 5000, kind="log", unit="EUR"), shoal.Axis("things", 1, 60, kind="int")]
    return shoal.PrivateWaveCluster(epsilon=1, axes=axes, grid="auto", random_state=random_state).fit(purchases()).release_


def main(folder: str) -> shoal.Release:
    release = released()
    for name in ("shop.json", "shop.html"):
        release.save(pathlib.Path(folder) / name)
    return release


if __name__ == "__main__":
    print(main(sys.argv[1] if len(sys.argv) > 1 else "."))
