"""Learners for labelings that switch, and for many tasks at once, one per file."""
