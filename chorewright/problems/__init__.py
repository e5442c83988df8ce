"""Where it is done: rooms, scenes, initial states, navigation, and the planning problems made from them.

``rooms.load_room`` gives one of the 120 iTHOR rooms as a ``scene.Scene``; ``metadata.scene_from_metadata``
makes one of a simulator's metadata; ``spawn.spawn`` scatters the items anew; ``household.household_problem``
turns a scene and a goal into a planning problem.
"""
