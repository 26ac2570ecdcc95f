"""Learners that weigh graphs and features against each other, one per file."""
