"""One projection per file: the nearest structured point."""
