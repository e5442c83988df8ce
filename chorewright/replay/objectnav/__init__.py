"""ObjectNav: an agent is to find a thing of a kind, without knowing where it is.

``world`` says what an episode is and when it is a success, finds shortest ways to where a target is seen, and plays it.
``agents`` play, too.
"""
