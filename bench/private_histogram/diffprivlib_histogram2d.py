"""diffprivlib's histogram2d."""

import warnings

import diffprivlib_peer

NAME = "diffprivlib histogram2d"
NEEDS = ["diffprivlib"]


def run(data):
    tools = diffprivlib_peer.load().tools
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tools.histogram2d(*data["columns"], epsilon=1.0, bins=data["side"], range=[(0, 1), (0, 1)])[0]
