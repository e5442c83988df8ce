"""All that is frozen: items by name, ``GROUP/NAME``; the items of a group share a folder and its datasets."""

from tests.freeze.datasets import DATASETS, LOOSE, OF_DATASETS
from tests.freeze.item import Item
from tests.freeze.playing import OF_PLAYING
from tests.freeze.verbs import OF_VERBS

ITEMS: tuple[Item, ...] = (*OF_DATASETS, *OF_PLAYING, *OF_VERBS)

__all__ = ["DATASETS", "ITEMS", "LOOSE", "Item"]
