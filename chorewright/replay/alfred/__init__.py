"""Text games over rooms: what ALFWorld's agents read and write, without a grammar engine.

``game`` has the game as a value and ``state`` what changes while it is played; ``observations`` says it,
``reasons`` says why something was refused, and ``play`` puts these together. A game is made from a scene
(``scenes``) or read from a game file (``reading``), and written to one (``writing``). ``expert`` knows the
shortest way to the goal, ``agents`` has the baselines, ``twin`` plays the same game in the THOR world. Agents
come in by ``environment`` (Gymnasium) or ``batches`` (ALFWorld's own interface).
"""
