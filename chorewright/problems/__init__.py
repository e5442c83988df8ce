"""Where it is done: rooms, scenes, initial states, navigation, and the planning problems made from them.

``thor`` has the 120 iTHOR rooms: ``thor.rooms.load_room`` returns one as a ``thor.scene.Scene``,
``thor.metadata`` makes a scene from a simulator's metadata, ``thor.spawn`` scatters the items anew, and
``thor.household`` turns a scene and a goal into a planning problem. ``teach`` adds TEACh's properties of objects.
``handmethat`` and ``tabletop`` have the scenes and problems of HandMeThat and of CALVIN's table, ``pddl`` scenes of any
domain.
"""
