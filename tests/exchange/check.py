"""Read exports with the libraries that people train with.

python -m tests.exchange.check minari EXPORT              an export with --format minari
python -m tests.exchange.check torch DATASET              a dataset that has frames
python -m tests.exchange.check datasets EXPORT DATASET    an export with --format huggingface, and what it is of
python -m tests.exchange.check lerobot EXPORT DATASET     the same of --format lerobot
python -m tests.exchange.check loader EXPORT              an epoch with delta timestamps
python -m tests.exchange.check policy EXPORT              ten steps of ACT
python -m tests.exchange.check speed EXPORT DATASET       pictures drawn on the fly beside LeRobot's video decoding
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from chorewright.generator.dataset.store.dataset import Dataset


def check_minari(folder: Path) -> int:
    """Load each dataset; play its episodes again where the environment can be recovered. Return how many there are."""
    os.environ["MINARI_DATASETS_PATH"] = str(folder)
    import minari

    count = 0
    for name in minari.list_local_datasets():
        dataset = minari.load_dataset(name)
        env = dataset.recover_environment() if dataset.spec.env_spec is not None else None
        metadata = dataset.storage.get_episode_metadata(range(dataset.total_episodes))
        for episode, known in zip(dataset.iterate_episodes(), metadata, strict=True):
            size = len(episode.rewards)
            texts = not isinstance(episode.observations, dict)
            observed = [episode.observations] if texts else episode.observations.values()
            done = [episode.actions] if texts else episode.actions.values()
            assert all(len(values) == size + 1 for values in observed)
            assert all(len(values) == size for values in done)
            if env is not None:
                said, _ = env.reset(options=known["options"])
                assert said == episode.observations[0]
                for at, action in enumerate(episode.actions):
                    said, reward, terminated, truncated, _ = env.step(action)
                    assert said == episode.observations[at + 1]
                    assert (reward, terminated, truncated) == (
                        episode.rewards[at],
                        episode.terminations[at],
                        episode.truncations[at],
                    )
            count += 1
    return count


def check_torch(folder: Path) -> int:
    """Run an epoch of windows through a loader with two workers. Return how many windows came."""
    import torch
    from torch.utils.data import DataLoader

    from chorewright.generator.training.windows import FrameWindows, InstructionPairs, padded

    dataset = Dataset(folder)
    windows = FrameWindows(dataset, length=4, stride=4, pictures=True, size=64)
    count = 0
    for batch in DataLoader(windows, batch_size=16, num_workers=2):
        pictures = [value for key, value in batch.items() if key.startswith("observation.images.")]
        assert pictures
        assert all(each.dtype == torch.uint8 and each.shape[:3] == (len(batch["task"]), 4, 3) for each in pictures)
        assert batch["padding"].dtype == torch.bool
        count += len(batch["task"])
    assert count == len(windows)
    pairs = InstructionPairs(dataset)
    batches = list(DataLoader(pairs, batch_size=4, collate_fn=padded))
    assert sum(len(batch["instruction"]) for batch in batches) == len(pairs)
    return count


def check_datasets(folder: Path, dataset: Dataset) -> str:
    """Load an export of episodes or frames; return how many rows each split has."""
    import datasets

    from chorewright.generator.training.huggingface import episode_rows, frame_rows
    from chorewright.generator.training.trajectory import places_by_split, trajectories_of

    loaded = datasets.load_dataset(str(folder))
    splits, _ = places_by_split(dataset)
    assert set(loaded) == set(splits)
    for split, places in splits.items():
        episodes = [dataset[place] for place in places]
        frames = "frame_index" in loaded[split].column_names
        expected = (
            frame_rows(episodes, None, trajectories_of(episodes[0].benchmark)) if frames else episode_rows(episodes)
        )
        found = loaded[split].with_format("arrow")[:].select(expected.column_names)
        assert found.num_rows == expected.num_rows
        for name in expected.column_names:
            assert found[name].to_pylist() == expected[name].to_pylist(), name
    return ", ".join(f"{split} {rows.num_rows}" for split, rows in sorted(loaded.items()))


def main(name: str, folder: Path, *rest: str) -> str:
    """Run one check; return what was read."""
    from tests.exchange import lerobot_exports as lerobot

    if name == "loader":
        return lerobot.check_loader(folder)
    if name == "policy":
        return lerobot.check_policy(folder)
    if name == "minari":
        return f"{check_minari(folder)} datasets"
    if name == "torch":
        return f"{check_torch(folder)} windows"
    dataset = Dataset(rest[0])
    if name == "datasets":
        return check_datasets(folder, dataset)
    if name == "lerobot":
        return lerobot.check_content(folder, dataset)
    if name == "speed":
        drawn, decoded = lerobot.speeds(folder, dataset)
        return f"{drawn:.0f} frames/s drawn, {decoded:.1f} decoded: {drawn / decoded:.1f} times"
    raise SystemExit(f"there is no check {name!r}")


if __name__ == "__main__":
    print(sys.argv[1], main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
