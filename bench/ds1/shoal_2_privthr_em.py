"""Ours by privthr-em."""

import task

NAME = "shoal, privthr-em"


def run(data):
    return task.release(data, "privthr-em")
