"""Several graphs over the same nodes: one edge list, and how much each of them should count."""
