"""Where it is done: rooms, scenes, initial states, navigation, and the planning problems made from them.

``household`` has the 120 iTHOR rooms: ``household.rooms.load_room`` returns one as a ``household.scene.Scene``,
``household.metadata`` makes a scene from a simulator's metadata, ``household.spawn`` scatters the items anew, and
``household.problem`` turns a scene and a goal into a planning problem.
``handmethat``, ``calvin`` and ``behavior`` have the scenes and problems of HandMeThat, of CALVIN's table and of
BEHAVIOR's activities, ``pddl`` scenes of any domain.
"""
