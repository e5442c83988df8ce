"""Datasets as programs that train read them: trajectories, windows, conversations, and formats.

``trajectory`` reads episodes frame by frame, ``transitions`` (with Minari's format) and ``windows`` cut them.
``exporter`` is the base class of all formats, with how one is named and the folder that is written atomically;
``lerobot``, ``huggingface`` and ``chat`` (conversations) are those of no family.
"""
