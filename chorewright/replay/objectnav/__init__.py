"""ObjectNav: an agent is to find a thing of a kind, without knowing where it is.

``task`` says what an episode is and when it is a success, ``goals`` from where a target is seen, ``ways`` are shortest
paths. ``world`` plays an episode; ``agents`` and ``exploring`` do, ``evaluation`` counts.
"""
