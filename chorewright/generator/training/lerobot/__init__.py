"""LeRobotDataset v3.0: the format of Hugging Face's robot learning library, written without it.

``exporter`` plans the files and writes what describes them, ``group`` writes one run of episodes (a Parquet file of
frames, and a video for each camera), ``video`` encodes, ``statistics`` sums up.
"""
