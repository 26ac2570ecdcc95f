"""Learners on the nodes of a graph, one per file, its rules in it."""
