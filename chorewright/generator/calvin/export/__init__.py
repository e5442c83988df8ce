"""CALVIN's layout: frames, annotations and configuration files as CALVIN's loaders read them.

``exporter`` writes the folders; ``frames`` makes the files of an episode, ``config`` those of a split.
"""
