"""Linear algebra that embeddings share."""
