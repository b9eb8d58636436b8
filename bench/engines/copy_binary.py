"""Copies the rows from the server in its binary format without reading them: every client waits at least this long."""

import subprocess

NAME = "COPY BINARY to /dev/null"


def handles(data):
    return data["case"] == "PostgreSQL"


def run(data):
    server = data["server"]
    command = ["psql", "-h", "127.0.0.1", "-p", str(server.port), "-U", "owner", "-qX", "-c", "copy points to stdout (format binary)", "postgres"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return data["rows"]
