"""Ours by privthr."""

import task

NAME = "shoal, privthr"


def run(data):
    return task.release(data, "privthr")
