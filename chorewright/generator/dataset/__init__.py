"""A dataset as a value: its configuration, its episodes, and the store that keeps them.

``config`` says what is made and which texts of a user's are in it, ``options`` how a benchmark's own options are
declared, ``conditions`` which episodes are meant. ``episode`` is one demonstration, and ``store`` writes and reads
episodes as Parquet.
"""
