"""Datasets as programs that train read them: trajectories, windows, conversations, and formats.

``trajectory`` reads episodes frame by frame, ``transitions`` and ``windows`` cut them. ``exporter`` is the protocol of
all formats, with how one is named and the folder that is written atomically; ``lerobot``, ``huggingface``, ``minari``
and ``chat`` (conversations) are those of no family.
"""
