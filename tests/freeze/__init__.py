"""Freeze what the product says and writes: digests of it, made before a restructuring and compared after it.

Read ``workspace`` (a folder in which commands run, and what is settled in their output), then ``item``, ``datasets``,
``verbs`` and ``playing`` (what is frozen; ``items`` has all), ``frozen`` (digests in one file, differences), ``making``
and ``__main__`` (the command). All goes through the command line, the public names and Gymnasium's registry, so that
modules may move.
"""
