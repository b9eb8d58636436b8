"""Imports diffprivlib where it is there. Its decision trees reach into scikit-learn's inside and fail to import beside newer
versions; no benchmark needs them, so an empty module stands in for them."""

import sys
import types


def load():
    if "diffprivlib" not in sys.modules:
        trees = types.ModuleType("diffprivlib.models.forest")
        trees.RandomForestClassifier = trees.DecisionTreeClassifier = None
        sys.modules[trees.__name__] = trees
    import diffprivlib

    return diffprivlib
