"""TEACh's benchmark: sessions of a Commander and a Follower over a planned household task.

``benchmark`` is the entry. ``options``, ``variants`` and ``assignment`` say what is asked for, ``scenes`` and
``compiling`` set it up, ``demonstration``, ``mishaps``, ``dialogue`` and ``records`` carry it out and write it down.
``metrics`` and ``evaluation`` measure inferences; ``tatc`` with ``commander`` and ``tatc_evaluation`` is the
benchmark's two-agent task.
"""
