"""Datasets as Hugging Face's ``datasets`` loads them: Parquet files named by split, and a card that says so.

``exporter`` plans and writes, ``rows`` has the two kinds of rows: an episode each, or a frame each with typed columns.
"""
