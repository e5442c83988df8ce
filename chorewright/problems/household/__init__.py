"""Rooms of the THOR world: scenes, spawns, where one can stand and walk, and the problems made of them.

Read ``scene`` first: a room as a value. ``rooms`` has the 120 shipped ones and what a dataset keeps of a scene,
``houses`` has buildings of several rooms, ``metadata`` reads AI2-THOR's scenes.
``spawn`` scatters things on ``places``, ``navigation`` finds routes, ``sight`` says from where a thing is seen and
reached. ``problem`` makes the planning problem, ``state`` the state in which goals are checked.
"""
