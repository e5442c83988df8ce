"""The rooms' part of verbs.

``scenes`` is ``check-scene``, and ``houses`` what that says of a house. ``generating`` is the verb ``houses``.
``real_replaying`` is what ``replay --simulator ai2thor`` does: stored episodes on a real build of AI2-THOR.
"""
