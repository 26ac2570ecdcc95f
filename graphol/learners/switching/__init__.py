"""Learners for games in which several labelings take turns, or tasks have one each."""
