"""Small learners from the labels around a node: each a voice in a choir, rarely one alone."""
