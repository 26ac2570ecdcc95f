"""Data sets: generated ones, graphs with names, and the user's own files as games.

Readers and writers of files are in :mod:`graphol.formats`, downloads in :mod:`graphol.downloads`.
"""
