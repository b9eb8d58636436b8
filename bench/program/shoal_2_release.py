"""A release with its JSON alone."""

from task import shoal

NAME = "shoal release, JSON"


def run(data):
    files = [data["path"] / "one.json"]
    shoal("release", *data["settings"], "--epsilon", "1", "--force", "-o", files[0])
    return files
