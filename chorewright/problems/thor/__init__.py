"""Rooms of the THOR world: scenes, spawns, where one can stand and walk, and the problems made of them.

``scene`` is the value, ``rooms`` the 120 shipped ones, ``metadata`` reads AI2-THOR's. ``spawn`` scatters things
on ``places``, ``navigation`` walks, ``stand`` and ``nearness`` say from where a thing is reached.
``household`` makes the planning problem, ``household_state`` the state that goals are checked in.
"""
