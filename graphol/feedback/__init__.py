"""One feedback protocol per file: what is revealed after a prediction."""
