"""One strategy per file: whose label would help most."""
