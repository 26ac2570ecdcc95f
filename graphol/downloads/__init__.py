"""Where named graphs are published, and the way from there into the user's cache."""
