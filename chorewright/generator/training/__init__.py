"""Datasets as programs that train read them: trajectories, windows, conversations, and formats.

``trajectory`` runs episodes again frame by frame, ``transitions`` and ``windows`` cut them, ``conversation`` turns
episodes into chats. ``exporter`` is the protocol of all formats with the folder that is written atomically, and
``exporters`` finds a format by its name; ``lerobot``, ``huggingface``, ``minari`` and ``chat`` are those of no family.
"""
