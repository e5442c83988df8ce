"""Any planning problem as a world: a simulator of atoms, and text games.

``simulator`` runs a domain's actions for worlds that have no simulator of their own, and has the call that an action
of a plan becomes where a world does not say otherwise.

A text game is a value (``game``; of files: ``games``), said by a ``speaker``. ``operators`` numbers what can be done,
``running`` keeps what holds and what can be done now, ``commands`` has the words, and ``play`` puts these together.
``expert`` plans from wherever the game is. Programs come in by ``environment`` (Gymnasium) or
``literal_environment`` (PDDLGym's calls). ``choosing`` is what environments share that offer commands to choose
from, ``foreign`` lets agents that others wrote into our games.
"""
