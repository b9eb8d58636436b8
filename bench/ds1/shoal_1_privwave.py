"""Ours by privwave."""

import task

NAME = "shoal, privwave"


def run(data):
    return task.release(data, "privwave")
