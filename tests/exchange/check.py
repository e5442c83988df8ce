"""Read exports with the libraries that people train with.

python -m tests.exchange.check minari FOLDER       an export with --format minari
python -m tests.exchange.check torch DATASET       a dataset that has frames
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


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

    from chorewright.generator import Dataset
    from chorewright.generator.windows import FrameWindows, InstructionPairs, padded

    dataset = Dataset(folder)
    windows = FrameWindows(dataset, length=4, stride=4, pictures=True, size=64)
    count = 0
    for batch in DataLoader(windows, batch_size=16, num_workers=2):
        pictures = [value for key, value in batch.items() if key.startswith("image.")]
        assert pictures
        assert all(each.dtype == torch.uint8 and each.shape[:3] == (len(batch["task"]), 4, 3) for each in pictures)
        assert batch["padding"].dtype == torch.bool
        count += len(batch["task"])
    assert count == len(windows)
    pairs = InstructionPairs(dataset)
    batches = list(DataLoader(pairs, batch_size=4, collate_fn=padded))
    assert sum(len(batch["instruction"]) for batch in batches) == len(pairs)
    return count


CHECKS = {"minari": check_minari, "torch": check_torch}

if __name__ == "__main__":
    print(sys.argv[1], CHECKS[sys.argv[1]](Path(sys.argv[2])), "read")
