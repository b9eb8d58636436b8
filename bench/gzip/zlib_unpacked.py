"""zlib, by Python's gzip: unpacks and reads nothing."""

import gzip

NAME = "zlib, unpacking alone, one thread"


def run(data):
    buffer = bytearray(1 << 18)
    bytes_read = 0
    with gzip.open(data["path"], "rb") as file:
        while count := file.readinto(buffer):
            bytes_read += count
    return bytes_read
