"""An episode, or a dataset's gallery, as one HTML page that needs nothing else: no server, no network."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from chorewright.domains.facts import atom_text
from chorewright.domains.pddl.syntax import GroundAtom, Problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.errors import storing
from chorewright.files.english import say_count
from chorewright.files.pool import carry_out
from chorewright.files.text import write_atomically
from chorewright.generator.dataset.episode import PERTURBED, Episode, Step, stored_json
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.places import Place
from chorewright.generator.production.benchmark import benchmark_if_known
from chorewright.generator.showing.moments import Moments, Picture, jpeg, moments_if_any
from chorewright.generator.showing.view import place_of
from chorewright.planner.validation import simulate

COMMAND = "command"
"""The argument of a step that says it in words."""

_SURROGATE = re.compile("[\ud800-\udfff]")
"""What a name that is not UTF-8 holds in place of its bytes, and what no UTF-8 text can hold."""


def episode_page(episode: Episode, size: int = 300, beside: Sequence[Episode] = ()) -> str:
    """Return the page of an episode: player, map, sentences, segments, steps, state changes, goal and plan.

    Args:
        episode: Its steps are run again for the pictures, if its world has any.
        size: Pixels on a side of the agent's view.
        beside: Episodes that are shown beside it, each with a player of its own.
    """
    others = [_episode_data(each, size) for each in beside]
    return fill_page("view.html", {**_episode_data(episode, size), "others": others})


def _episode_data(episode: Episode, size: int) -> dict[str, object]:
    """Return what a page shows of an episode."""
    family = moments_if_any(episode.benchmark)
    data: dict[str, object] = {
        "title": f"{' → '.join(_subjects(episode))}, episode {episode.index}",
        "subtitle": _facts(episode),
        "goal": episode.goal,
        **_plan(episode, family),
        "sentence": _sentence(episode),
        "talk": [{"who": who, "text": text} for who, text in _talk(episode)],
        "segments": [
            {"text": " ".join((each.action, *each.arguments)), "said": _step_sentence(episode, number)}
            for number, each in enumerate(episode.segments)
        ],
        "steps": [
            {"name": step_name(step), "segment": step.segment, **_changes(step.added, step.removed)}
            for step in episode.steps
        ],
        "frames": [],
        "places": [],
        "map": "",
    }
    if family is not None:
        data |= _player(episode, family, size)
    return data


def _player(episode: Episode, family: Moments[Any], size: int) -> dict[str, object]:
    """Return the frames of the moments that are shown, and, where there are such, places, map, cameras and steps."""
    size = max(size, family.page_size)
    views: list[list[Picture]] = []
    numbers, places, plan = [], [], None
    for moment in family.excerpt(episode):
        views.append([each.rgb for each in moment.frames([size] * len(family.cameras))])
        numbers.append(moment.number)
        if not moment.number:
            plan = family.map(moment.world)
        if plan is not None:
            places.append(family.place(moment.world))
    if family.page_size:
        used = [np.flatnonzero((each != each[-1, -1]).any(axis=(1, 2))) for (each,) in views]
        height = max((int(rows[-1]) + 1 for rows in used if len(rows)), default=0) + family.page_size // 24
        views = [[each[:height]] for (each,) in views]
    if len(family.cameras) == 1:
        shown = "" if plan is None else jpeg(plan)
        return {"frames": [jpeg(each) for (each,) in views], "places": places, "map": shown}
    steps, done = [], family.completions(episode)
    for before, at in pairwise(numbers):
        added = [text for number, text in done.items() if before < number <= at]
        name, segment = f"{at / family.fps:.1f} s", episode.steps[at - 1].segment
        steps.append({"name": name, "segment": segment, "added": added, "removed": []})
    frames = [list(map(jpeg, each)) for each in views]
    return {"frames": frames, "cameras": [each.name for each in family.cameras], "steps": steps}


def _plan(episode: Episode, family: Moments[Any] | None) -> dict[str, object]:
    """The plan with what each action changes, and the problem that it solves, where that is known."""
    known = None if family is None else family.problem(episode)
    if known is None:
        return {"plan": [{"text": str(action)} for action in episode.plan], "problem": ""}
    domain, problem = known
    done = simulate(domain, problem, episode.plan)
    plan = [{"text": str(each.action), **_changes(each.added, each.removed)} for each in done]
    return {"plan": plan, "problem": shorten(problem)}


def _changes(added: Iterable[GroundAtom], removed: Iterable[GroundAtom]) -> dict[str, object]:
    return {"added": list(map(atom_text, added)), "removed": list(map(atom_text, removed))}


def fill_page(template: str, data: Mapping[str, object]) -> str:
    """Return a page of ours with its data; names that are not UTF-8 show their bytes as escapes."""
    page = (resources.files("chorewright.generator.showing") / "data" / template).read_text(encoding="utf-8")
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    text = _SURROGATE.sub(lambda half: f"\\\\u{ord(half[0]):x}", text)
    return page.replace("/*DATA*/", text)


def step_name(step: Step) -> str:
    """Return a step in words if it has them, else its action with the names of what it acts on."""
    arguments = stored_json(step.arguments, f"arguments of the step {step.action!r}")
    if isinstance(arguments, dict) and isinstance(arguments.get(COMMAND), str):
        return str(arguments[COMMAND])
    values = arguments.values() if isinstance(arguments, dict) else arguments if isinstance(arguments, list) else ()
    known = ("", step.action, step.action.rpartition("_")[0])  # as RotateLeft of RotateLeft_90
    named = (each.partition("|")[0] for each in values if isinstance(each, str))
    astray = ["(astray)"] if isinstance(arguments, dict) and arguments.get(PERTURBED) else []
    return " ".join([step.action, *(name for name in named if name not in known), *astray])


def speak(episode: Episode) -> Sequence[tuple[str, str]]:
    """Return what is said in an episode, in order, each with who says it or what it tells of."""
    benchmark = benchmark_if_known(episode.benchmark)
    said = () if benchmark is None else benchmark.spoken(episode)
    return said or [(each.level, each.text) for each in episode.instructions]


def _subjects(episode: Episode) -> Sequence[str]:
    """Return the tasks that an episode is about."""
    benchmark = benchmark_if_known(episode.benchmark)
    return [episode.task] if benchmark is None else list(benchmark.subjects(episode))


def _own_parameters(episode: Episode) -> Sequence[tuple[str, str]]:
    """Return the parameters that say more than the tasks do; numbers are no names."""
    subjects, benchmark = _subjects(episode), benchmark_if_known(episode.benchmark)
    named = episode.parameters if benchmark is None else benchmark.parameters(episode)
    return [("" if name.isdigit() else name, value) for name, value in named if value not in subjects]


def _facts(episode: Episode) -> str:
    facts = [place_of(episode)]
    facts += [f"{name} {value}".lstrip() for name, value in _own_parameters(episode)]
    facts += [say_count(len(episode.plan), "planned action") if episode.plan else ""]
    facts += [say_count(len(episode.steps), "step")]
    facts.append(episode.planner)
    return " · ".join(fact for fact in facts if fact)


def _sentence(episode: Episode) -> str:
    """Return what an episode is about: its goal, else one that is said on the way, else what is said first."""
    goals = [each for each in episode.instructions if each.level == "goal"]
    whole = [each for each in goals if each.segment is None]
    return [*(each.text for each in whole or goals or episode.instructions), episode.task][0]


def _step_sentence(episode: Episode, segment: int) -> str:
    wanted = (segment, 0, "step")
    own = (each.text for each in episode.instructions if (each.segment, each.annotation, each.level) == wanted)
    return next(own, "")


def _talk(episode: Episode) -> Sequence[tuple[str, str]]:
    """What was said: the dialogue where there is one, else each way in which the goal is put."""
    if any(each.level in ("utterance", "question", "answer") for each in episode.instructions):
        return speak(episode)
    goals = [each.text for each in episode.instructions if each.level == "goal"]
    return [(str(number), text) for number, text in enumerate(goals, 1)]


def shorten(problem: Problem) -> str:
    """Return a problem's text; of its numbers (distances between poses) only how many there are."""
    text = write_problem(replace(problem, values=()))
    note = f"; {len(problem.values)} numbers (distances between poses) are left out here\n"
    return note + text if problem.values else text


# A dataset as one HTML page that needs nothing else: a gallery to filter, sort and search, and statistics.
#
# Beside it may stand a page of each episode, which the gallery links to.


THUMBNAIL = 84
"""Pixels on a side of a gallery's pictures."""

LEVEL = "level"
"""The slot that says how hard an episode is, where a benchmark has such."""


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What a worker draws of an episode: a small picture, a page of its own, or both.

    Attributes:
        folder: The dataset's.
        place: Which of the stored episodes.
        picture: Whether to draw the picture.
        page: The page's file; None for none.
        size: Pixels on a side of the page's pictures.
    """

    folder: Place
    place: int
    picture: bool
    page: Path | None
    size: int


def dataset_page(
    datasets: Sequence[Dataset],
    name: str,
    *,
    pictures: int = 200,
    pages: Path | None = None,
    paged: int = 0,
    size: int = 300,
    workers: int = 0,
    tell: Callable[[int, int], object] = lambda done, total: None,
) -> str:
    """Return the page of a dataset, or of several, and write pages of the first episodes of each.

    Args:
        datasets: The datasets.
        name: What they are called.
        pictures: How many of the first episodes of a dataset get a picture of their last moment; none do if it is text.
        pages: The folder of the episodes' pages, beside the file of the gallery; of several datasets each has a folder
            in it.
        paged: How many of the first episodes of a dataset get a page.
        size: Pixels on a side of the pictures on these.
        workers: The number of processes that draw; 0 for none but this one.
        tell: Told how many episodes of how many are drawn.

    Raises:
        StorageError: A page cannot be written.
    """
    several = len(datasets) > 1
    jobs: list[_Drawing] = []
    links: dict[tuple[Place, int], str] = {}
    for dataset in datasets:
        benchmark = dataset.manifest.config.benchmark
        family = moments_if_any(benchmark)
        inside = pages if pages is None or not several else pages / benchmark
        linked = min(paged, len(dataset)) if inside is not None else 0
        # Where pictures are of text, nobody can read small ones.
        drawn = 0 if family is None or family.page_size else min(pictures, len(dataset))
        for place in range(max(drawn, linked)):
            page = None
            if inside is not None and pages is not None and place < linked:
                page = inside / f"{dataset[place].index:06}.html"
                links[dataset.folder, place] = quote(os.fsencode(page.relative_to(pages.parent)))
            jobs.append(_Drawing(dataset.folder, place, place < drawn, page, size))
        if inside is not None and linked:
            inside.mkdir(parents=True, exist_ok=True)
    thumbnails: dict[tuple[Place, int], str] = {}
    drawings = carry_out(_draw, jobs, min(workers, len(jobs)), "drawing")
    for done, (job, picture) in enumerate(zip(jobs, drawings, strict=True), 1):
        thumbnails[job.folder, job.place] = picture
        tell(done, len(jobs))
    rows = [
        _row(each)
        | {"picture": thumbnails.get((dataset.folder, place), ""), "page": links.get((dataset.folder, place), "")}
        | ({"benchmark": each.benchmark, "dataset": number} if several else {})
        for number, dataset in enumerate(datasets)
        for place, each in enumerate(dataset)
    ]
    data: dict[str, object] = {
        "title": name,
        "subtitle": "; ".join(map(_subtitle, datasets)),
        "folders": [str(each.folder) for each in datasets],
        "episodes": rows,
        "rejections": _rejections(datasets),
        "paper": [] if several else _paper(datasets[0]),
    }
    return fill_page("gallery.html", data)


def _draw(job: _Drawing) -> str:
    """Write an episode's page, if it gets one, and return its small picture."""
    episode = Dataset(job.folder)[job.place]
    if job.page is not None:
        with storing(job.page):
            write_atomically(job.page, episode_page(episode, job.size).encode(), flush=False)
    family = moments_if_any(episode.benchmark) if job.picture else None
    return "" if family is None else jpeg(family.last_view(episode, THUMBNAIL))


def _row(episode: Episode) -> dict[str, object]:
    place = place_of(episode)
    return {
        "index": episode.index,
        "tasks": _subjects(episode),
        "parameters": [[name, value] for name, value in _own_parameters(episode) if name != LEVEL],
        "level": dict(episode.parameters).get(LEVEL, ""),
        "room": "" if place == episode.task else place,
        "split": episode.split,
        "steps": len(episode.steps),
        "about": _sentence(episode) if episode.instructions else "",
        "sentences": [[who, text] for who, text in speak(episode)],
    }


def _subtitle(dataset: Dataset) -> str:
    config = dataset.manifest.config
    manifest = dataset.manifest
    left_out = f", {manifest.left_out}" if manifest.rejected else ""
    return f"{say_count(len(dataset), 'episode')} of {config.benchmark}, seed {config.seed}{left_out}"


def _rejections(datasets: Sequence[Dataset]) -> Sequence[tuple[str, int]]:
    """Return why attempts were rejected, by stage and reason, most frequent first."""
    told = [each for dataset in datasets for each in dataset.manifest.tally.rejections]
    said = [(f"{stage}: {reason}" if stage else reason, count) for stage, reason, count in told]
    return sorted(said, key=lambda each: (-each[1], each[0]))


def _paper(dataset: Dataset) -> Sequence[tuple[str, str, str]]:
    found = benchmark_if_known(dataset.manifest.config.benchmark)
    if found is None or not len(dataset):
        return []
    return [(each.label, each.ours, each.paper) for each in found.paper_figures(dataset)]
