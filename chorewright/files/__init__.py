"""What every room needs: files, plug-ins, processes, and the English of messages.

``text`` reads and writes files and prints, ``json_source``, ``json_node`` and ``records`` read JSON with its places,
``plugins`` finds a user's own code by its name, ``lazily`` makes things when they are first asked for. ``stopping`` has
limits and signals, ``pool`` shares work, ``processes`` measures it; ``english`` has articles and plurals.
"""
