"""What is worked out once about a value and kept, as it is likely to be asked about again.

Domains and problems are large, and comparing them would take longer than most of what is asked about them:
they are known by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Remembered(Generic[Answer]):
    """Answers to questions about values, the ``most`` that were asked for last."""

    def __init__(self, most: int = 16) -> None:
        self._most = most
        self._known: dict[tuple[int, Hashable], tuple[object, Answer]] = {}

    def of(self, value: object, question: Hashable, work: Callable[[], Answer]) -> Answer:
        """Return the answer to a question about a value, worked out if it is not known.

        Args:
            value: What is asked about, known by identity.
            question: What is asked; equal questions have one answer.
            work: Works out the answer.
        """
        key = (id(value), question)
        found = self._known.pop(key, None)
        # The value is kept with the answer, so that its identity cannot become that of another.
        if found is None or found[0] is not value:
            found = (value, work())
            if len(self._known) >= self._most:
                del self._known[next(iter(self._known))]
        self._known[key] = found
        return found[1]


__all__ = ["Remembered"]
