"""Ours by privqt."""

import task

NAME = "shoal, privqt"


def run(data):
    return task.release(data, "privqt")
