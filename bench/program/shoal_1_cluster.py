"""Plain clusters, for the owner."""

import json

from task import shoal

NAME = "shoal cluster"


def run(data):
    path = data["path"] / "plain.json"
    shoal("cluster", *data["settings"], "--json", path, "--force")
    return json.loads(path.read_text())["points"]
