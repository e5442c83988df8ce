"""CALVIN's layout: a folder for each split with one file a frame, and what CALVIN's code reads beside them.

Frames are numbered through scene by scene, training before validation, so that ``scene_info.npy`` can give
each scene one range; imported recordings keep their numbers, if all are. The last state of an episode is dropped,
as its action needs the next one. Beside CALVIN's keys a frame has ``commanded_actions`` and
``commanded_rel_actions``, which replay open loop where the recorded poses may drift.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import InputError
from chorewright.files.plugins import Origin
from chorewright.files.pool import carry_out
from chorewright.files.processes import usable_cores
from chorewright.generator.calvin import records
from chorewright.generator.calvin.export import files
from chorewright.generator.calvin.goals import instructions_of
from chorewright.generator.calvin.moments import TableRecording, find_recorded
from chorewright.generator.calvin.pickles import pickled
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option, segments_option
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.training.exporter import Exported, Exporter, export_folder
from chorewright.problems.calvin.scenes import SCENES, scene
from chorewright.replay.calvin.snapshot import detected_tasks
from chorewright.rsa.calvin.instructions import Instructions, own_instructions

SPLITS = ("training", "validation")

SEGMENTS = "lang_segments"
"""The folder of the annotations of whole tasks; what CALVIN's loader takes as ``lang_folder``."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an episode stands in the layout."""

    split: str
    scene: str
    first: int
    frames: int

    @property
    def last(self) -> int:
        return self.first + self.frames - 1


@dataclass(frozen=True, slots=True)
class CalvinExportOptions:
    """The options of ``export --format calvin``.

    Attributes:
        images: Draw the pictures of both cameras into the frames.
        embeddings: Make vectors of the sentences, by sentence-transformers or a module:function of yours.
        workers: Processes that draw; 0 for this one only.
    """

    images: bool = False
    embeddings: str = option("", metavar="ENCODER")
    segments: str = segments_option()
    workers: int = option(-1, metavar="N", low=-1, shown="all cores")


class CalvinExporter(Exporter[CalvinExportOptions]):
    """Writes accepted episodes as CALVIN's."""

    name = "calvin"
    accepts = ("calvin",)
    options = CalvinExportOptions
    embed: files.Embed | None = None
    """What makes the vectors of sentences; without it there are none."""

    def check(self) -> None:
        """Find what makes vectors; see ``Exporter.check``."""
        if self.asked.embeddings:
            self.embed = files.find_embedder(self.asked.embeddings, Origin.PERSON)

    def note(self) -> str:
        """Return what frames and annotations lack."""
        missing = [
            *([] if self.asked.images else ["pictures (--images draws them)"]),
            *([] if self.embed else ["embeddings of the sentences (--embeddings makes them)"]),
        ]
        return f"left out: {'; '.join(missing)}" if missing else ""

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        again = episodes if isinstance(episodes, Dataset) else list(episodes)
        places, left_out = _places(again)
        said = instructions_of(again.manifest.config) if isinstance(again, Dataset) else own_instructions()
        content = {split: _Split(said) for split in SPLITS}
        cores = usable_cores() if self.asked.images else 0
        workers = cores if self.asked.workers < 0 else self.asked.workers
        jobs = self._jobs(again, places, content)
        written = carry_out(files.FrameWriter(folder).write, jobs, workers, "export")
        changed = sum(self.follow(written, len(places)))
        ranges = {name: [place for place in places.values() if place.scene == name] for name in SCENES}
        scenes = {
            scene(name).full_name: [min(each.first for each in found), max(each.last for each in found)]
            for name, found in ranges.items()
            if found
        }
        for split, found in content.items():
            if found.ids:
                for parts, data in self._files(split, found, scenes):
                    changed += folder.write((split, *parts), data)
            there = [place for place in places.values() if place.split == split]
            names = {files.frame_file(place.first + row) for place in there for row in range(place.frames)}
            folder.remove_others((split,), "episode_*.npz", names)
        return Exported(len(places), left_out, changed)

    def _jobs(
        self, episodes: Iterable[Episode], places: Mapping[int, _Place], content: Mapping[str, _Split]
    ) -> Iterator[files.FrameJob]:
        """Yield the frames of each episode, and gather what the other files need."""
        for episode in episodes:
            if not episode.outcome.accepted:
                continue
            place, frames = places[episode.index], records.episode_frames(episode)
            recorded = find_recorded(episode)
            arrays = _arrays(frames, commanded=recorded is None or recorded.commanded)
            if records.NOISE in dict(episode.extras):
                arrays |= _list_executions(frames[:-1])
            content[place.split].add(place, frames, arrays)
            content[place.split].annotate(place, recorded, episode, frames, self.asked.segments)
            yield files.FrameJob(place.split, place.first, place.scene, arrays, self.asked.images)

    def _files(
        self, split: str, content: _Split, scenes: Mapping[str, list[int]]
    ) -> Iterator[tuple[tuple[str, ...], bytes]]:
        ids = np.array(sorted(content.ids), np.int64)
        yield ("ep_start_end_ids.npy",), _npy(ids)
        yield ("ep_lens.npy",), _npy(ids[:, 1] - ids[:, 0] + 1)
        yield ("scene_info.npy",), pickled(dict(scenes))
        yield ("statistics.yaml",), files.yaml_bytes(content.statistics.record())
        config = files.yaml_bytes(files.environment_config(scene(content.scenes[-1])))
        yield (".hydra", "merged_config.yaml"), config
        yield (".hydra", "config.yaml"), config
        yield ("lang_annotations", "auto_lang_ann.npy"), pickled(self._language(split, content))
        if content.segments:
            yield (SEGMENTS, "auto_lang_ann.npy"), pickled(self._annotations(*content.whole_segments()))
        if self.embed is not None and split == "validation":
            yield ("lang_annotations", "embeddings.npy"), pickled(self._sentences(self.embed, content.said))

    def _language(self, split: str, content: _Split) -> dict[Any, Any]:
        """Return the annotations: those that were recorded, else windows in which just one task is done."""
        said = content.said.validation if split == "validation" else content.said.training
        rng = np.random.Generator(np.random.PCG64(0))
        found = files.annotate([content.snapshots[first] for first in content.order], rng, said.__getitem__)
        spans = [content.span(each) for each in found]
        kept = [each for _, each in sorted(content.windows, key=lambda each: each[0])]
        whole = [(each.episode + each.start, each.episode + each.end) for each in kept]
        return self._annotations([*kept, *found], [*whole, *spans])

    def _annotations(
        self, found: Sequence[files.LanguageAnnotation], spans: Sequence[tuple[int, int]]
    ) -> dict[Any, Any]:
        one: dict[str, str] = {}  # a pickle refers to a text again where it is the same object
        texts = [one.setdefault(each.text, each.text) for each in found]
        language: dict[Any, Any] = {"ann": texts, "task": [one.setdefault(each.task, each.task) for each in found]}
        if self.embed is not None:
            language["emb"] = self._vectors(language["ann"])
        return {"language": language, "info": {"episodes": [], "indx": list(spans)}}

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 1, d) vectors; each sentence is asked for once."""
        assert self.embed is not None
        different = list(dict.fromkeys(texts))
        if not different:
            raise InputError("there is no annotation to embed", hint="generate more episodes")
        vectors = dict(zip(different, self.embed(different), strict=True))
        return np.array([vectors[text] for text in texts])[:, None]

    def _sentences(self, embed: files.Embed, said: Instructions) -> dict[Any, Any]:
        texts = [said.validation[task][0] for task in detected_tasks()]
        vectors = embed(texts)
        return {
            task: {"emb": vectors[number][None, None], "ann": [texts[number]]}
            for number, task in enumerate(detected_tasks())
        }


class _Split:
    """What is gathered of a split while its frames are written."""

    def __init__(self, said: Instructions) -> None:
        self.said = said
        self.ids: list[tuple[int, int]] = []
        self.scenes: list[str] = []
        self.snapshots: dict[int, records.Snapshots] = {}
        self.segments: list[files.LanguageAnnotation] = []
        self.windows: list[tuple[int, files.LanguageAnnotation]] = []
        self.statistics = files.SplitStatistics()

    @property
    def order(self) -> list[int]:
        """The first frames of the episodes whose windows are still to be labelled."""
        return sorted(self.snapshots)

    def add(
        self, place: _Place, frames: Sequence[records.TableFrame], arrays: Mapping[str, NDArray[np.float64]]
    ) -> None:
        """Add an episode."""
        self.ids.append((place.first, place.last))
        self.statistics.add(arrays["robot_obs"], arrays["scene_obs"], arrays["actions"])

    def annotate(
        self,
        place: _Place,
        recorded: TableRecording | None,
        episode: Episode,
        frames: Sequence[records.TableFrame],
        cut: str,
    ) -> None:
        """Keep the annotations that an episode was recorded with, or label it."""
        self.scenes.append(place.scene if recorded is None else recorded.environment)
        if recorded is None:
            self.snapshots[place.first] = records.Snapshots(frames[:-1])
            self.segments += files.annotate_segments(place.first, episode, frames, cut)
            return
        for number, start, end, task, text in recorded.lang_annotations:
            self.windows.append((number, files.LanguageAnnotation(place.first, start, end, task, text)))
        for _, start, end, task, text in recorded.lang_segments:
            self.segments.append(files.LanguageAnnotation(place.first, start, end, task, text))

    def whole_segments(self) -> tuple[list[files.LanguageAnnotation], list[tuple[int, int]]]:
        """Return the annotations of whole tasks in the order of their frames, and these; the end is exclusive."""
        found = sorted(self.segments, key=lambda each: (each.episode, each.start))
        return found, [(each.episode + each.start, each.episode + each.end) for each in found]

    def span(self, annotation: files.LanguageAnnotation) -> tuple[int, int]:
        """Return the frames of an annotation, as CALVIN numbers them; its end is exclusive."""
        first = self.order[annotation.episode]
        return first + annotation.start, first + annotation.end


def _places(episodes: Iterable[Episode]) -> tuple[dict[int, _Place], int]:
    """Give each accepted episode its frames' numbers; the second value is how many are not accepted.

    Raises:
        InputError: An episode is of another benchmark or split.
    """
    lengths: list[tuple[int, int, int, int]] = []
    firsts: dict[int, int] = {}
    left_out = 0
    for episode in episodes:
        if episode.benchmark != records.BENCHMARK or episode.split not in SPLITS:
            raise InputError(
                f"episode {episode.index} of the benchmark {episode.benchmark} and split {episode.split!r} "
                "has no place in CALVIN's layout"
            )
        if not episode.outcome.accepted:
            left_out += 1
            continue
        name = SCENES.index(records.episode_scene(episode).name)
        lengths.append((name, SPLITS.index(episode.split), episode.index, len(episode.steps)))
        if (recorded := find_recorded(episode)) is not None:
            firsts[episode.index] = recorded.first
    places, first = {}, 0
    for name, split, index, frames in sorted(lengths):
        places[index] = _Place(SPLITS[split], SCENES[name], first, frames)
        first += frames
    kept = {index: replace(place, first=firsts.get(index, -1)) for index, place in places.items()}
    rows = sorted((each.first, each.last) for each in kept.values())
    apart = all(one[1] < other[0] for one, other in pairwise([(-1, -1), *rows]))
    return (kept if apart else places), left_out


def _arrays(frames: Sequence[records.TableFrame], *, commanded: bool) -> dict[str, NDArray[np.float64]]:
    """Return a row for each frame but the last, by CALVIN's keys and, where commands are known, ours."""
    actions, relative = records.achieve(frames)
    whole = frames[:-1]
    commands = [[getattr(frame, name) for frame in whole] for name in ("command", "relative_command")]
    return {
        "actions": actions,
        "rel_actions": relative,
        "robot_obs": np.array([frame.robot_obs for frame in whole]),
        "scene_obs": np.array([frame.scene_obs for frame in whole]),
        **{name: np.array(values) for name, values in zip(files.COMMANDS, commands, strict=True) if commanded},
    }


def _list_executions(frames: Sequence[records.TableFrame]) -> dict[str, NDArray[np.float64]]:
    """Return what was executed in each frame, and whether noise has perturbed it."""
    told = [frame.action for frame in frames]
    return {
        **{name: np.array([each[at] for each in told if each is not None]) for at, name in enumerate(files.EXECUTIONS)},
        files.PERTURBED: np.array([float(frame.executed is not None) for frame in frames]),
    }


def _npy(array: NDArray[np.int64]) -> bytes:
    sink = io.BytesIO()
    np.save(sink, array)
    return sink.getvalue()
