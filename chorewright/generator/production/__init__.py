"""Production: shards made by worker processes, or by Ray, that survive the death of any of them.

``line`` is the entry (``run``), ``supervisor`` starts workers and replaces them, ``pool`` maps other work.
"""
