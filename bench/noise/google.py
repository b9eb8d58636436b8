"""Google's published algorithm, a textbook implementation in C++ (google.cpp), compiled here."""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

NAME = "Google's algorithm, textbook"
SHARE = 0.05


def available():
    return shutil.which("c++") is not None


def prepare(data):
    folder = tempfile.TemporaryDirectory()
    library = pathlib.Path(folder.name) / "google.so"
    source = pathlib.Path(__file__).with_name("google.cpp")
    subprocess.run(["c++", "-std=c++17", "-O3", "-shared", "-fPIC", source, "-o", library], check=True)
    data["google_folder"] = folder  # lives as long as the library is in use
    data["google"] = ctypes.CDLL(str(library)).google_laplace
    data["google"].argtypes = [ctypes.c_double, ctypes.c_void_p, ctypes.c_size_t]


def run(data):
    values = np.zeros(int(data["count"] * SHARE), dtype=np.int64)
    data["google"](1.0, values.ctypes.data, len(values))
    return values
