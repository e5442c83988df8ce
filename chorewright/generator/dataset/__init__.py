"""A dataset as a value: its configuration, its episodes, and the store that keeps them.

``config`` says what is made, ``options`` how a benchmark's own options are declared, ``kinds`` what texts of a user's
are in it. ``episode`` is one demonstration, and ``store`` writes and reads episodes as Parquet.
"""
