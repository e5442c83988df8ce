"""Text games: one engine for all families, and the games of any planning problem.

``engine`` turns commands into observations; a family gives it a ``Play``. ``environment`` is Gymnasium's view of every
family, ``foreign`` lets agents that others wrote into the games.

A planning problem is a value with its commands (``game``). ``running`` numbers what can be done and keeps what holds
and what can be done now, and ``play`` puts these together. Programs come in by ``environment`` or
``literal_environment`` (PDDLGym's calls). ``replay.simulator`` runs a domain's actions for worlds that have no
simulator of their own, and has the call that an action of a plan becomes where a world does not say otherwise.
"""
