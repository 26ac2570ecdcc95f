"""One embedding per file: how a node becomes a vector or a kernel entry."""
