"""Verbs in the group ``data``, which make datasets of other datasets.

``tools`` has them all: merge, filter, sample, split and relabel, with the flags by which they choose episodes.
"""
