"""Datasets of any world that is PDDL: a ready-made world, a ready-made benchmark, and their pictures.

A user's world is a ``world.PddlWorld`` with a folder of files and its scenes; its benchmark is a
``benchmark.WorldBenchmark`` with a name. Read ``world``, then ``stages`` (one attempt, from the scene to the goal
conditions), ``benchmark`` (which attempts, and how they are written down), and ``moments`` (episodes run again, drawn).
docs/extending.md walks through a package that uses them.
"""
