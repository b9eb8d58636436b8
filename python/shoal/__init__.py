"""Clusters of any shape, released with differential privacy."""
