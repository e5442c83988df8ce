"""TEACh's benchmark: sessions of a Commander and a Follower over a planned household task.

``benchmark`` is the entry. ``variants``, ``definitions`` and ``assignment`` say what is asked for, ``scenes``
and ``compiling`` set it up, ``demonstration``, ``dialogue`` and ``records`` carry it out and write it down.
``games``, ``metrics`` and ``evaluation`` measure inferences; ``tatc`` with ``commander`` and ``follower`` is
the benchmark's two-agent task.
"""
