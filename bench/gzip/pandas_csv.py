"""pandas, with zlib under it."""

NAME = "pandas, one thread"


def run(data):
    import pandas

    frame = pandas.read_csv(data["path"], engine="c")
    return len(frame), [float(frame["x"].sum()), float(frame["y"].sum())]
