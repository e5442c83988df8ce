"""How it looks: simulators that run plans, their pictures, and text worlds.

``simulator`` is the protocol of all simulators. ``household`` is the world of the iTHOR rooms, with a renderer, a
server for AI2-THOR's clients, and real builds; ``teach`` puts TEACh's actions over it. ``calvin`` is CALVIN's table
in physics. ``games`` runs the actions of any domain. ``handmethat`` is HandMeThat's text world with its agents and
evaluation. ``drawing`` draws for all of them.
"""
