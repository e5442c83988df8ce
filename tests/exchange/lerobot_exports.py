"""LeRobot reads our exports: numbers, words and pictures as the store has them; loaders, a policy, and speed."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.training.trajectory import Trajectories, common_split, trajectories_of
from chorewright.generator.training.windows import FrameWindows

IMAGES = "observation.images."

LEAST = 30.0
"""Decibels of a video's frames."""

SAMPLED = 60
"""Frames whose pictures are compared."""


def opened(folder: Path, **options: Any) -> Any:
    """Return the real library's dataset; nothing is asked of the hub."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    options.setdefault("video_backend", "pyav")  # torchcodec needs libraries of the system
    return LeRobotDataset("local/dataset", root=folder, **options)


def psnr(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """Return the ratio of signal to noise of two pictures of 0 to 255, in decibels."""
    error = np.mean((one.astype(np.float64) - other.astype(np.float64)) ** 2)
    return float("inf") if error == 0 else float(10 * np.log10(255**2 / error))


def check_content(folder: Path, dataset: Dataset) -> str:
    """Compare an export with the dataset that it is of; return what was compared."""
    read = opened(folder)
    reader = trajectories_of(dataset.manifest.config.benchmark)
    by_index = {episode.index: episode for episode in dataset}
    order = [by_index[int(row["source_index"])] for row in read.meta.episodes]
    assert read.num_episodes == len(dataset) == len(order)
    for number, (row, episode) in enumerate(zip(read.meta.episodes, order, strict=True)):
        assert (row["split"], row["original_split"]) == (common_split(episode.split), episode.split)
        begin, end = map(int, read.meta.info["splits"][row["split"]].split(":"))
        assert begin <= number < end
    frames = check_numbers(read, reader, order)
    assert read.num_frames == frames
    worst = check_pictures(read, reader, order)
    splits = dict(read.meta.info["splits"])
    return f"{len(order)} episodes, {frames} frames, splits {splits}, worst picture {worst:.1f} dB"


def check_numbers(read: Any, reader: Trajectories, order: list[Episode]) -> int:
    """Compare all features, tasks and subtasks of all frames; return how many frames there are."""
    table = read.hf_dataset.with_format("arrow")[:]
    tasks = {int(row["task_index"]): str(name) for name, row in read.meta.tasks.iterrows()}
    subtasks = {int(row["subtask_index"]): str(name) for name, row in subtasks_of(read).iterrows()}
    at = 0
    for number, episode in enumerate(order):
        columns, said = reader.columns(episode), reader.sentences(episode)
        some = table.slice(at, len(said.tasks))
        assert set(some["episode_index"].to_pylist()) == {number}
        for name, column in columns.items():
            values = some[name].to_pylist()
            if isinstance(column, list):
                assert values == column, name
            else:
                found = np.asarray(values, column.dtype).reshape(column.shape)
                assert (found == column).all(), name
        assert [tasks[each] for each in some["task_index"].to_pylist()] == list(said.tasks)
        assert [subtasks[each] for each in some["subtask_index"].to_pylist()] == list(said.subtasks)
        at += len(said.tasks)
    return at


def subtasks_of(read: Any) -> Any:
    """Return the table of subtasks, as those versions read it that know of it."""
    import pandas

    return pandas.read_parquet(Path(read.root) / "meta/subtasks.parquet")


def check_pictures(read: Any, reader: Trajectories, order: list[Episode]) -> float:
    """Compare pictures of sampled frames with those that the world draws; return the worst ratio."""
    cameras = [camera for camera in reader.cameras if f"{IMAGES}{camera.name}" in read.features]
    if not cameras:
        return float("inf")
    worst, chosen = float("inf"), random.Random(1)
    firsts = np.cumsum([0, *(int(row["length"]) for row in read.meta.episodes)])
    for number in chosen.choices(range(len(order)), k=SAMPLED // 3):
        begin = chosen.randrange(int(firsts[number + 1] - firsts[number]) - 3)
        there = range(begin, begin + 3)
        side = read.features[f"{IMAGES}{cameras[0].name}"]["shape"][0]
        drawn = list(reader.pictures(order[number], side, there))
        for at, seen in zip(there, drawn, strict=True):
            item = read[int(firsts[number]) + at]
            assert item["task"] == reader.sentences(order[number]).tasks[at]
            for camera, frame in zip(reader.cameras, seen, strict=True):
                found = item[f"{IMAGES}{camera.name}"].numpy()
                found = np.round(255 * found.transpose(1, 2, 0)) if found.dtype != np.uint8 else found
                ratio = psnr(found, frame.rgb)
                video = read.features[f"{IMAGES}{camera.name}"]["dtype"] == "video"
                assert ratio >= LEAST if video else ratio == float("inf"), (number, at, camera.name, ratio)
                worst = min(worst, ratio)
    return worst


def check_loader(folder: Path) -> str:
    """Run an epoch with actions ahead and states behind; return how many frames came."""
    from torch.utils.data import DataLoader

    fps = opened(folder).fps
    deltas = {"action": [n / fps for n in range(8)], "observation.state": [-1 / fps, 0.0]}
    read = opened(folder, delta_timestamps=deltas)
    count = 0
    for batch in DataLoader(read, batch_size=16, shuffle=True, num_workers=2):
        assert batch["action"].shape[1] == batch["action_is_pad"].shape[1] == 8
        assert batch["observation.state"].shape[1] == 2
        count += len(batch["task"])
    assert count == len(read) > 0
    return f"an epoch of {count} frames with delta timestamps"


def check_policy(folder: Path) -> str:
    """Train an ACT policy for ten steps; return its losses."""
    import torch
    from lerobot.configs.types import FeatureType, NormalizationMode, PolicyFeature
    from lerobot.policies.act.configuration_act import ACTConfig
    from lerobot.policies.act.modeling_act import ACTPolicy

    torch.manual_seed(1)
    fps, chunk = opened(folder).fps, 8
    read = opened(folder, delta_timestamps={"action": [n / fps for n in range(chunk)]}, episodes=[0])
    camera = next(name for name in read.features if name.startswith(IMAGES))
    height, width, _ = read.features[camera]["shape"]
    shapes = {name: tuple(read.features[name]["shape"]) for name in ("observation.state", "action")}
    config = ACTConfig(
        chunk_size=chunk, n_action_steps=chunk, dim_model=64, n_heads=2, dim_feedforward=128, n_encoder_layers=1,
        n_vae_encoder_layers=1, pretrained_backbone_weights=None, device="cpu",
        normalization_mapping=dict.fromkeys(("STATE", "ACTION", "VISUAL"), NormalizationMode.IDENTITY),
        input_features={
            camera: PolicyFeature(FeatureType.VISUAL, (3, height, width)),
            "observation.state": PolicyFeature(FeatureType.STATE, shapes["observation.state"]),
        },
        output_features={"action": PolicyFeature(FeatureType.ACTION, shapes["action"])},
    )  # fmt: skip
    policy = ACTPolicy(config)
    policy.train()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    batch = next(iter(torch.utils.data.DataLoader(read, batch_size=4, shuffle=True)))
    losses = []
    for _ in range(10):
        loss, _ = policy.forward(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert np.isfinite(losses).all()
    assert losses[-1] < losses[0], losses
    return f"ten steps of ACT on a batch: loss {losses[0]:.2f} to {losses[-1]:.2f}"


def rate(count: int, work: Callable[[], object]) -> float:
    """Return how many a CPU second."""
    begun = time.process_time()
    work()
    return count / (time.process_time() - begun)


def speeds(folder: Path, dataset: Dataset, frames: int = 100) -> tuple[float, float]:
    """Return frames a CPU second, drawn from stored states and decoded by LeRobot, both cameras, at random places."""
    import torch

    torch.set_num_threads(1)
    read, windows = opened(folder), FrameWindows(dataset, length=1, pictures=True)
    assert len(read) == len(windows)
    places = random.Random(2).choices(range(len(read)), k=frames)
    for loader in (read, windows):  # compile, open files
        loader[places[0]]
    decoded = rate(frames, lambda: [read[place] for place in places])
    drawn = rate(frames, lambda: [windows[place] for place in places])
    return drawn, decoded
