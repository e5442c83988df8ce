"""CALVIN's files: frames as ``.npz``, with pictures if asked for, a split's YAML, annotations and their vectors."""

from __future__ import annotations

import importlib
import io
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import InputError, UsageError
from chorewright.files.plugins import Origin, load_function, require_extra
from chorewright.generator.calvin import records
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import DETECTION, RETREAT
from chorewright.generator.training.exporter import ExportFolder
from chorewright.problems.calvin.scenes import TabletopScene
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderer, TabletopRenderers
from chorewright.replay.calvin.shapes import geometry
from chorewright.replay.calvin.snapshot import Snapshot, detected_tasks, tasks_done
from chorewright.replay.games.foreign import hear

COMMANDS = ("commanded_actions", "commanded_rel_actions")
"""Keys of ours beside CALVIN's: what was commanded, as a pose and as a motion of the target."""


EXECUTIONS, PERTURBED = ("executed_actions", "executed_rel_actions"), "perturbed"
"""Keys of data with noise: what was executed instead, and whether it differs."""

NORMALISE = "calvin_agent.utils.transforms.NormalizeVector"
"""The class of CALVIN's code that the statistics are given to."""

DIGITS = 6


@dataclass(frozen=True, slots=True, eq=False)
class FrameJob:
    """An episode's frames to be written.

    Attributes:
        split: The folder.
        first: The number of the first frame.
        scene: The scene's name.
        arrays: By key, a row for each frame.
        images: Whether pictures are drawn.
    """

    split: str
    first: int
    scene: str
    arrays: dict[str, NDArray[np.float64]]
    images: bool


class FrameWriter:
    """Writes frames of episodes to a folder; it keeps what draws each scene."""

    def __init__(self, target: ExportFolder) -> None:
        self._target = target
        self._renderers = TabletopRenderers()

    def write(self, job: FrameJob) -> int:
        """Write the frames of an episode; return how many files have changed."""
        changed = 0
        for row in range(len(job.arrays["robot_obs"])):
            frame: dict[str, Any] = {name: values[row] for name, values in job.arrays.items()}
            if job.images:
                frame |= draw(self._renderers[job.scene], frame["robot_obs"], frame["scene_obs"])
            sink = io.BytesIO()
            np.savez_compressed(sink, **frame)
            changed += self._target.write((job.split, frame_file(job.first + row)), sink.getvalue())
        return changed


def frame_file(number: int) -> str:
    """Return the name of a frame's file."""
    return f"episode_{number:07d}.npz"


def draw(
    renderer: TabletopRenderer, robot_obs: NDArray[np.float64], scene_obs: NDArray[np.float64]
) -> dict[str, NDArray[Any]]:
    """Return CALVIN's pictures of a state by their keys."""
    frames = renderer.frames(robot_obs, scene_obs)
    shown = dict(zip(CAMERAS, frames, strict=True))
    colours: dict[str, NDArray[Any]] = {f"rgb_{name}": frame.rgb for name, frame in shown.items()}
    return colours | {f"depth_{name}": frame.depth for name, frame in shown.items()}


def environment_config(scene: TabletopScene) -> dict[str, Any]:
    """Return what ``.hydra/merged_config.yaml`` says: how the real environment of a scene is made.

    References to other parts stay as they are (``${scene}``); the environment resolves them.
    """
    path = resources.files("chorewright.generator.calvin.export") / "data" / "environment.json"
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    del record["_about"]
    lights = record.pop("lights")
    table = {
        "file": f"calvin_table_{scene.name}/urdf/calvin_table_{scene.name}.urdf",
        "initial_pos": [0, 0, 0],
        "initial_orn": [0, 0, 0],
        "joints": {name: {"initial_state": 0} for name in ("base__slide", "base__drawer")},
        "buttons": {"base__button": {"initial_state": 0, "effect": "led"}},
        "switches": {"base__switch": {"initial_state": 0, "effect": "lightbulb"}},
        "lights": lights,
    }
    blocks = {
        block.name: {"file": f"blocks/{block.name}_{block.size}.urdf", "initial_pos": "any", "initial_orn": "any"}
        for block in scene.blocks
    }
    record["scene"] |= {
        "name": scene.full_name,
        "robot_base_position": list(geometry()["arm"]["base"]),
        "robot_initial_joint_positions": list(scene.robot_obs[7:14]),
        "surfaces": {name: [list(low), list(high)] for name, (low, high) in scene.surfaces.items()},
        "objects": {"fixed_objects": {"table": table}, "movable_objects": blocks},
    }
    return record


class SplitStatistics:
    """Means, deviations and bounds of a split, gathered episode by episode."""

    def __init__(self) -> None:
        self._count = 0
        self._sums: dict[str, list[NDArray[np.float64]]] = {}
        self._low = np.full(7, np.inf)
        self._high = np.full(7, -np.inf)

    def add(self, robot_obs: NDArray[np.float64], scene_obs: NDArray[np.float64], actions: NDArray[np.float64]) -> None:
        """Add an episode's frames."""
        self._count += len(actions)
        for name, values in (("robot_obs", robot_obs), ("scene_obs", scene_obs)):
            new = [values.sum(axis=0), (values * values).sum(axis=0)]
            old = self._sums.get(name)
            self._sums[name] = new if old is None else [a + b for a, b in zip(old, new, strict=True)]
        self._low = np.minimum(self._low, actions.min(axis=0))
        self._high = np.maximum(self._high, actions.max(axis=0))

    def record(self) -> dict[str, Any]:
        """Return what ``statistics.yaml`` says."""
        found: dict[str, Any] = {}
        for name, (total, squares) in self._sums.items():
            mean = total / self._count
            deviation = np.sqrt(np.maximum(squares / self._count - mean * mean, 0.0))
            normalise = {"_target_": NORMALISE, "mean": _round(mean), "std": _round(deviation)}
            found[name] = [normalise]
        outward = 10.0**-DIGITS
        found["act_min_bound"] = _round(np.floor(self._low / outward) * outward)
        found["act_max_bound"] = _round(np.ceil(self._high / outward) * outward)
        return found


def yaml_bytes(value: object) -> bytes:
    """Return a value as YAML; keys keep their order."""
    import yaml

    return str(yaml.safe_dump(value, sort_keys=False, default_flow_style=None, width=110)).encode()


def _round(values: NDArray[np.float64]) -> list[float]:
    return [round(float(value), DIGITS) + 0.0 for value in values]


# Language for play: windows of frames in which one task is done late are labelled with it.
#
# This is the procedure of CALVIN's automatic annotator, on recorded snapshots instead of a simulator that is
# reset to recorded states: a window of 64 frames is labelled if, from a random frame of its second quarter to
# its last one, exactly one task is done, and not yet a quarter before the end. How often each task may be
# labelled is capped, so that tasks are balanced.


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


def annotate_segments(
    number: int, episode: Episode, frames: Sequence[records.TableFrame], cut: str
) -> Iterator[LanguageAnnotation]:
    """Label the whole of each task, from its first frame to that in which it is seen done, or to the hand's retreat.

    Cut at detection, a task begins in the frame in which the one before it was seen done, unless the detector does not
    see it done from there: the hand may still have touched the block then. It then begins where it is stored.

    Args:
        number: The episode's, as the annotations have it.
        episode: The episode.
        frames: All its frames, the state after the last command among them.
        cut: Where a task ends; see ``options.SEGMENTS``.
    """
    stored, cuts = ([*records.segment_numbers(episode, each)] for each in (RETREAT, cut))
    said = {each.segment: each.text for each in episode.instructions}
    for place, (segment, done) in enumerate(zip(episode.segments, records.detections(episode), strict=True)):
        task, first = segment.action, cuts.index(place)
        if not tasks_done(frames[first].snapshot, frames[done].snapshot, (task,)):
            first = stored.index(place)
        end = done + 1 if cut == DETECTION else len(stored) - stored[::-1].index(place)
        yield LanguageAnnotation(number, first, min(end, len(stored)), task, said[place])


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
        vectors = hear(lambda: np.asarray(function(list(sentences)), np.float32), f"{name} failed", InputError)
        if vectors.ndim != 2 or len(vectors) != len(sentences):
            shape = f"{vectors.shape} for {len(sentences)} sentences"
            raise InputError(f"{name} gave an array of the shape {shape}", hint="a row for each sentence")
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise InputError(f"{name} gave vectors that are zero or not finite")
        return vectors

    return embed


def _encoder() -> Callable[[Sequence[str]], object]:
    message = "embeddings need the package sentence-transformers"
    with require_extra(message, "calvin-language", ", or give module:function"):
        encoders = importlib.import_module("sentence_transformers")
    model = encoders.SentenceTransformer(MODEL)

    def encode(sentences: Sequence[str]) -> object:
        return model.encode(list(sentences), show_progress_bar=False)

    return encode
