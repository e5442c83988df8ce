"""Where numba looks for a function's code: the one folder that was chosen, which need not be writable.

numba asks the classes that its setting ``NUMBA_CACHE_LOCATOR_CLASSES`` names. Its own ones take only folders that they
can write to, so code that was compiled at install could not be used by another user, nor on a read-only file system.
"""

from __future__ import annotations

import os
from types import FunctionType

import numba


class ChosenFolder:
    """A locator of the folder in ``numba.config.CACHE_DIR``, whose name says all that the code depends on."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> ChosenFolder | None:
        """Return the locator for a function; None if no folder was chosen."""
        return cls(numba.config.CACHE_DIR) if numba.config.CACHE_DIR else None

    def get_cache_path(self) -> str:
        """Return the folder."""
        return self._folder

    def ensure_cache_path(self) -> None:
        """Make the folder, before something is written.

        Raises:
            OSError: It cannot be made.
        """
        os.makedirs(self._folder, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return what tells apart versions of the source: nothing, they have different folders."""
        return ""

    def get_disambiguator(self) -> str:
        """Return what tells apart functions of the same name: nothing, they have different folders."""
        return "kernel"


__all__ = ["ChosenFolder"]
