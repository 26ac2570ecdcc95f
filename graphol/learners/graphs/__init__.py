"""Learners on several graphs over the same nodes, one per file."""
