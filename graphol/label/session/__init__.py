"""Somebody labels a graph, answer by answer, while a model learns; what the page is made of."""

from graphol.label.session.session import Session

__all__ = ["Session"]
