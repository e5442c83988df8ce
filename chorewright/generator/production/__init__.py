"""Production: shards made by worker processes, or by Ray, that survive the death of any of them.

``line`` is the entry (``run``), ``shard`` is what each worker does, ``supervisor`` starts workers and replaces them,
``pool`` maps other work.
"""
