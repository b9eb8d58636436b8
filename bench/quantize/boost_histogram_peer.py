"""boost-histogram, regular axes without flow bins, 64-bit integer cells, one thread."""

NAME = "boost-histogram"
NEEDS = ["boost_histogram"]


def run(data):
    import boost_histogram as bh

    axes = [bh.axis.Regular(extent, 0, 1, overflow=False, underflow=False) for extent in data["shape"]]
    histogram = bh.Histogram(*axes, storage=bh.storage.Int64())
    histogram.fill(*data["columns"])
    return histogram.view()
