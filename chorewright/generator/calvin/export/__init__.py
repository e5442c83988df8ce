"""CALVIN's layout: frames, annotations and configuration files as CALVIN's loaders read them.

``exporter`` writes the folders, ``files`` makes the files of episodes and splits.
"""
