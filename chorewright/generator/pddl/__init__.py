"""Datasets of any world that is PDDL: a ready-made world, two benchmarks, and their pictures.

A user's world is a ``world.PddlWorld`` with a folder of files and its scenes; ``benchmark.WorldBenchmark`` with a name
makes episodes of its tasks. ``problem_benchmark`` makes problems of any domain. Read ``world``, then ``benchmark``
(from the scene to the words), and ``moments`` (episodes run again, drawn). docs/extending.md walks through a package
that uses them.
"""
