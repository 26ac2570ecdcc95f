"""One page to look at: HTML with its own style, script and figures, which needs no network."""

from graphol.report.page.build import Material, figure_files, page

__all__ = ["Material", "figure_files", "page"]
