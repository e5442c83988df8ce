"""The card of a dataset: what Hugging Face's ``datasets`` and a reader of the folder are told of its files."""

from __future__ import annotations

from chorewright.generator.dataset.config import GenerateConfig

CARD = "README.md"

SPLIT = "all_splits"
"""What ``datasets`` calls the one split of a dataset's files: each file has episodes of several."""


def write_card(config: GenerateConfig) -> str:
    """Return the card; without it ``datasets`` would call everything ``train``, tests included."""
    return f"""---
configs:
- config_name: default
  data_files:
  - split: {SPLIT}
    path: data/*.parquet
---

Episodes of the benchmark `{config.benchmark}` with seed {config.seed}, made by chorewright. Each row of
`data/*.parquet` is an episode; `manifest.json` has the configuration, and a checksum of each file.

The column `split` says which split an episode belongs to. Files are not named by split, so `datasets` loads them
as one split, `{SPLIT}`. `chorewright export --format huggingface` writes a file for each split.
"""
