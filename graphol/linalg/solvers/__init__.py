"""One linear solver per file."""
