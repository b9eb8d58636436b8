"""Ours: the program, which reads, counts and finds the clusters."""

import json
import pathlib
import subprocess

NAME = "shoal cluster"
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build" / "bin" / "shoal"


def run(data):
    words = [data["path"]] if data["case"] == "Parquet" else [data["server"].address, "--table", "points"]
    options = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "1024", "--json", "-"]
    return json.loads(subprocess.run([PROGRAM, "cluster", *words, *options], check=True, stdout=subprocess.PIPE).stdout)["points"]
