"""Learners of a sparse linear model over signals, one per file, its rule in it."""
