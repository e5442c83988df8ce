"""Language for play: windows of frames in which one task is done late are labelled with it.

This is the procedure of CALVIN's automatic annotator, on recorded snapshots instead of a simulator that is
reset to recorded states: a window of 64 frames is labelled if, from a random frame of its second quarter to
its last one, exactly one task is done, and not yet a quarter before the end. How often each task may be
labelled is capped, so that tasks are balanced.
"""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import InputError, MissingExtra, UsageError
from chorewright.files.plugins import Origin, load_function, pip_install
from chorewright.replay.calvin.detector import detected_tasks, tasks_done
from chorewright.replay.calvin.snapshot import Snapshot

WINDOW = 64
"""Frames in a window."""
EARLIEST, LATEST = 16, 32
"""Where the random frame lies from which a task is looked for; the second is not included."""
HALF = 32
"""Nothing may be done up to here if the whole window is to have the label."""
LATE = 48
"""Not yet done here: tasks end in the last quarter."""
SHARE = 0.01
"""The share of all windows that is labelled at most."""


@dataclass(frozen=True, slots=True)
class LanguageAnnotation:
    """A labelled stretch of frames.

    Attributes:
        episode: The number of the episode.
        start: The first frame, counted from the episode's first.
        end: The frame behind the last, as CALVIN writes it: ``start`` plus 64, or less if the label begins
            within the window.
        task: What is done in it.
        text: How it is said.
    """

    episode: int
    start: int
    end: int
    task: str
    text: str


def annotate(
    episodes: Sequence[Sequence[Snapshot]],
    rng: np.random.Generator,
    sentences: Callable[[str], Sequence[str]],
    cap: int | None = None,
) -> tuple[LanguageAnnotation, ...]:
    """Label windows of episodes, looked at in random order.

    Args:
        episodes: The snapshots of each frame of each episode; windows do not cross episodes.
        rng: Random numbers for the order, the frames looked from, and the sentences.
        sentences: What may be said of a task; one is drawn for each label.
        cap: How often a task may be labelled; by default CALVIN's share of a hundredth of all windows,
            divided among the tasks, and at least once.

    Returns:
        The labels, by episode and start.

    Raises:
        UsageError: The cap is less than 1.
    """
    if cap is not None and cap < 1:
        raise UsageError(f"a task cannot be labelled {cap} times")
    windows = [(number, start) for number, episode in enumerate(episodes) for start in range(len(episode) - WINDOW + 1)]
    most = cap or max(1, math.ceil(SHARE * len(windows) / len(detected_tasks())))
    times: Counter[str] = Counter()
    found = []
    for place in rng.permutation(len(windows)):
        number, start = windows[int(place)]
        window = episodes[number][start : start + WINDOW]
        labelled = label(window, int(rng.integers(EARLIEST, LATEST)))
        if labelled is None or times[labelled[0]] >= most:
            continue
        task, offset = labelled
        times[task] += 1
        said = sentences(task)
        text = said[int(rng.integers(len(said)))]
        found.append(LanguageAnnotation(number, start + offset, start + WINDOW, task, text))
    return tuple(sorted(found, key=lambda each: (each.episode, each.start, each.end, each.task)))


def label(window: Sequence[Snapshot], prior: int) -> tuple[str, int] | None:
    """Return the task that a window shows and the frame from which it does; None if it shows none.

    Args:
        window: The snapshots of 64 frames.
        prior: The frame, 16 to 31, from which exactly one task must be done at the end.

    Returns:
        The frame is 0 if the task is done from there too and nothing is done in the first half, else
        ``prior``.
    """
    done = tasks_done(window[prior], window[-1])
    if len(done) != 1 or tasks_done(window[prior], window[LATE], done):
        return None
    [task] = done
    whole = bool(tasks_done(window[0], window[-1], done)) and not tasks_done(window[0], window[HALF])
    return task, 0 if whole else prior


# Vectors of sentences for CALVIN's annotations: from a sentence encoder, or from a function of the user's.
#
# They are made or left out; there are no stand-ins.


Embed: TypeAlias = Callable[[Sequence[str]], NDArray[np.float32]]
"""Sentences to vectors (n, d)."""

ENCODER = "sentence-transformers"
MODEL = "paraphrase-MiniLM-L3-v2"
"""The encoder of CALVIN's own embeddings, 384 numbers a sentence."""


def find_embedder(name: str, origin: Origin = Origin.FILE) -> Embed:
    """Return what makes vectors of sentences.

    Args:
        name: ``sentence-transformers``, or ``module:function`` of the user's: from a list of sentences to an
            array with a row for each.
        origin: Where the name came from.

    Raises:
        MissingPlugin: A file names a function.
        MissingExtra: The encoder is not installed.
        UsageError: There is no such module or function.
    """
    if name == ENCODER:
        return check(_encoder(), name)
    hint = f"give {ENCODER}, or module:function"
    return check(load_function(name, "sentence encoder", origin, hint), name)


def check(function: Callable[[Sequence[str]], object], name: str) -> Embed:
    """Return a function whose vectors are known to be some: finite, not zero, one for each sentence."""

    def embed(sentences: Sequence[str]) -> NDArray[np.float32]:
        try:
            vectors = np.asarray(function(list(sentences)), np.float32)
        except Exception as error:  # the function is the user's: whatever it raises
            said = f"{type(error).__name__}: {error}".splitlines()[0]
            raise InputError(f"{name} failed: {said}") from error
        if vectors.ndim != 2 or len(vectors) != len(sentences):
            shape = f"{vectors.shape} for {len(sentences)} sentences"
            raise InputError(f"{name} gave an array of the shape {shape}", hint="a row for each sentence")
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise InputError(f"{name} gave vectors that are zero or not finite")
        return vectors

    return embed


def _encoder() -> Callable[[Sequence[str]], object]:
    try:
        encoders = importlib.import_module("sentence_transformers")
    except ImportError as error:
        raise MissingExtra(
            "embeddings need the package sentence-transformers",
            hint=f"{pip_install('calvin-language')}, or give module:function",
        ) from error
    model = encoders.SentenceTransformer(MODEL)

    def encode(sentences: Sequence[str]) -> object:
        return model.encode(list(sentences), show_progress_bar=False)

    return encode
