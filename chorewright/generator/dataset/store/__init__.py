"""The store: episodes as Parquet shards with a manifest that proves them whole.

``records`` is the schema, ``shards`` writes, ``dataset`` reads, ``manifest`` lists: files with their checksums, and
rejected attempts by reason. ``dataset_folder`` decides whether a folder may become a dataset's, ``lock`` who may write
to it.
"""
