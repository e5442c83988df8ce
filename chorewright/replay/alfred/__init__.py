"""Text games over rooms: what ALFWorld's agents read and write, without a grammar engine.

``play`` is the game of the engine in ``replay.games``: its commands, sentences and reasons; ``game`` has it as a value
with its words, ``state`` what changes while it is played. A game is made from a scene (``scenes``) or read from a
game file (``reading``), and written to one (``textworld``, which also tells facts and proves
walkthroughs). ``expert`` knows the shortest way to the goal, ``agents`` has the baselines, ``twin`` plays the same
game in the THOR world. Agents come in by ``batches`` (Gymnasium, and ALFWorld's own interface) or
``textworld`` (TextWorld's calls).
"""
