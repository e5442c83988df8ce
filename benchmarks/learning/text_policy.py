"""A policy for text games: what it keeps of the words that it reads, a network's weights, the command it ranks first.

It reads the goal, observations and admissible commands, and knows nothing else: neither kinds of things nor where they
are. It needs numpy only. ``CHOREWRIGHT_LEARNED`` names the file of weights.
"""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning.kept import MODEL

Ids: TypeAlias = NDArray[np.uint16]

SIZE = 1 << 16
"""Numbers of hashed features."""

NEW_GAME = "Your task is to: "

_NAME = re.compile(r"[a-z]+ \d+")
_SEEN = re.compile(r"you see (.*)")
_NOTHING = "Nothing happens."
_PUT = frozenset(("move", "put"))
_MOST_KINDS = 24


def hashed(words: Sequence[str]) -> Ids:
    """Return the numbers of features."""
    return np.fromiter((zlib.crc32(word.encode()) % SIZE for word in words), np.uint16, len(words))


class Reader:
    """What was read in a game: the goal, what was seen where, what is in the hand, what was done to things."""

    def __init__(self, observation: str) -> None:
        """Begin with a game's first observation."""
        self._goal = observation.partition(NEW_GAME)[2].strip().rstrip(".").split()
        self._seen: dict[str, list[str]] = {}
        self._done: dict[str, tuple[str, ...]] = {}
        self._shut: set[str] = set()
        self._times: Counter[str] = Counter()
        self._at = self._held = self._last = ""
        self._steps = 0

    def hear(self, command: str, observation: str) -> None:
        """Take in a command and what was answered."""
        self._last = command
        self._times[command] += 1
        self._steps += 1
        if observation.startswith(_NOTHING):
            return
        verb, names = command.split()[0], _NAME.findall(command)
        if verb == "go":
            self._at = names[0]
        if verb == "take":
            self._held = names[0]
            for there in self._seen.values():
                there[:] = [each for each in there if each != names[0]]
        elif verb in _PUT and len(names) == 2:
            self._held = ""
            self._seen.setdefault(names[1], []).append(names[0])
        if names:
            self._done[names[0]] = (*self._done.get(names[0], ()), verb)
        if names and " is closed" in observation:
            self._shut.add(names[-1])
        told = _SEEN.search(observation)
        if told and names:
            self._seen[names[-1]] = _NAME.findall(told[1])
            self._shut.discard(names[-1])

    def features(self, commands: Sequence[str]) -> tuple[Ids, list[Ids]]:
        """Return the numbers of what is known, and of each command in its light."""
        phase = f"{self._told(self._held)}|{' '.join(self._placed())}|{'cut' if self._cut() else ''}"
        lie = {(self._match(name), self._match(place)) for place, there in self._seen.items() for name in there}
        known = [f"g {word}" for word in self._goal]
        known += [f"gg {one} {two}" for one, two in pairwise(self._goal)]
        known += [f"p {phase}", f"l {self._last.partition(' ')[0]}", f"n {min(self._steps // 5, 9)}"]
        known += [f"lie {thing}" for thing in sorted({thing for thing, _ in lie} - {""})]
        known += [f"home {thing}>{place}" for thing, place in sorted(lie)]
        return hashed(known), [hashed(self._of(command, phase)) for command in commands]

    def _of(self, command: str, phase: str) -> list[str]:
        """Return the features of a command, as words."""
        verb, names = command.split()[0], _NAME.findall(command)
        kinds = [name.split()[0] for name in names]
        matches = " ".join(self._match(name) or "-" for name in names)
        times = min(self._times[command], 3)
        found = [f"v {verb}", f"k {verb} {kinds}", f"m {verb} {matches}", f"pm {phase} {verb} {matches}"]
        found += [f"t {verb} {times}", f"tp {verb} {phase} {times}"]
        found += [f"e {command == self._last}", f"w {self._held in names}"]
        found += [f"gk {word} {verb} {kind}" for word in self._goal for kind in kinds]
        found += [f"gm {word} {verb} {matches}" for word in self._goal]
        if names:
            told, state = self._told(names[0]), self._state(names[-1])
            lie = sorted({each.split()[0] for each in self._seen.get(names[-1], ())})[:_MOST_KINDS]
            found += [
                f"d {verb} {told}",
                f"pd {phase} {verb} {told}",
                f"s {verb} {state}",
                f"ps {phase} {verb} {state}",
            ]
            found += [f"ms {verb} {self._match(names[-1])} {state}", *(f"h {verb} {kind} {phase}" for kind in lie)]
        return found

    def _state(self, name: str) -> str:
        """Return what is known of a place: whether it was looked at, is shut or here, and what the goal names in it."""
        there = self._seen.get(name)
        wanted = sorted({told for each in there or () if (told := self._match(each))})
        marks = ("new" if there is None else "known", "shut" * (name in self._shut), "here" * (name == self._at))
        return " ".join((*marks, *wanted))

    def _match(self, name: str) -> str:
        """Return the words of the goal around the one that a name's kind is; nothing if the goal does not say it."""
        kind = name.split()[0] if name else ""
        goal = ("", *self._goal, "")
        for place, word in enumerate(self._goal, 1):
            if kind == word:
                return f"{goal[place - 1]}_{goal[place + 1]}"
            if kind in (f"{word}sliced", f"{word}cracked"):
                return "piece"
        return ""

    def _told(self, name: str) -> str:
        """Return what is known of a thing: whether the goal names it, and what was done to it."""
        done = sorted(set(self._done.get(name, ())) - {"examine", "go", "open", "close"})
        return f"{self._match(name) or ('other' if name else '')} {' '.join(done)}"

    def _placed(self) -> list[str]:
        """Return what was put where, as far as the goal names it."""
        return sorted(
            f"{self._match(name)}>{self._match(place)}"
            for place, there in self._seen.items()
            for name in there
            if self._match(name) and not _PUT.isdisjoint(self._done.get(name, ()))
        )

    def _cut(self) -> bool:
        return any("slice" in done for done in self._done.values())


class TextPolicy:
    """The learner as ``cw.collect`` asks it: an observation and ``info`` give a command."""

    def __init__(self, weights: Path) -> None:
        """Read weights."""
        stored: Mapping[str, Any] = np.load(weights, allow_pickle=False)
        self._known, self._given = stored["known"], stored["given"]
        self._layers = [(stored[f"weight{n}"], stored[f"bias{n}"]) for n in range(int(stored["layers"]))]
        self._reader = Reader("")
        self._said = ""

    def __call__(self, observation: str, info: Mapping[str, Any]) -> str:
        """Return the command that is ranked first."""
        if NEW_GAME in observation:
            self._reader = Reader(observation)
        elif self._said:
            self._reader.hear(self._said, observation)
        commands = list(info["admissible_commands"])
        self._said = commands[int(np.argmax(self._scores(commands)))]
        return self._said

    def _scores(self, commands: Sequence[str]) -> NDArray[np.float32]:
        known, each = self._reader.features(commands)
        values = np.stack([self._given[ids].sum(axis=0) for ids in each]) + self._known[known].sum(axis=0)
        for weight, bias in self._layers:
            values = np.maximum(values, 0) @ weight.T + bias
        return np.asarray(values[:, 0], np.float32)


class TextAgent:
    """The same learner as ``chorewright evaluate alfred --agent`` asks it."""

    def __init__(self) -> None:
        self._policy = TextPolicy(Path(os.environ[MODEL]))

    def begin(self, play: object, rng: np.random.Generator) -> None:
        """Begin a game; the learner reads of it in the first observation."""

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        """Return the next command."""
        return self._policy(observation, {"admissible_commands": admissible})
