"""A release with three files."""

from task import shoal

NAME = "shoal release, JSON, CSV and GeoJSON"


def run(data):
    files = [data["path"] / f"all.{suffix}" for suffix in ("json", "csv", "geojson")]
    shoal("release", *data["settings"], "--epsilon", "1", "--force", *(word for path in files for word in ("-o", path)))
    return files
