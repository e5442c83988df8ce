"""An episode or a dataset as one HTML page that needs nothing else: no server, no network."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from math import radians

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from chorewright.domains.library import household_domain
from chorewright.domains.pddl.syntax import GroundAtom
from chorewright.generator.calvin import pictures as calvin_pictures
from chorewright.generator.calvin.records import RECIPE as TABLETOP
from chorewright.generator.episode import Episode
from chorewright.generator.frames import can_draw
from chorewright.generator.household.replaying import Moment, can_replay, moments
from chorewright.generator.household.written_problem import shortened, stored_problem
from chorewright.planner.validation import simulate
from chorewright.problems.thor.scene import GRID
from chorewright.replay.thor.pixels.map_view import map_camera
from chorewright.replay.thor.pixels.renderer import Renderer

MAP, THUMBNAIL = 300, 84
"""Pixels on a side of the map, and of a dataset's pictures."""

QUALITY = 82
"""JPEG's quality."""


def episode_page(episode: Episode, size: int = 300) -> str:
    """Return the page of an episode: player, map, sentences, segments, steps, state changes, goal and plan.

    Args:
        episode: Its steps are run again for the pictures, if its world has any.
        size: Pixels on a side of the agent's view.
    """
    data: dict[str, object] = {
        "title": f"{episode.task}, episode {episode.index}",
        "subtitle": _facts(episode),
        "goal": episode.goal,
        **_planned(episode),
        "sentence": _sentence(episode),
        "talk": _talk(episode),
        "segments": [
            {"text": " ".join((each.action, *each.arguments)), "said": _said(episode, number)}
            for number, each in enumerate(episode.segments)
        ],
        "steps": [
            {
                "name": step.action,
                "segment": step.segment,
                "added": [_atom(atom) for atom in step.added],
                "removed": [_atom(atom) for atom in step.removed],
            }
            for step in episode.steps
        ],
        "frames": [],
        "places": [],
        "map": "",
    }
    if episode.recipe == TABLETOP:
        data |= calvin_pictures.page(episode, size)
    elif can_replay(episode.recipe):
        data |= _pictures(episode, size)
    return _page(data)


def dataset_page(name: str, episodes: Iterable[Episode], pictures: int = 200) -> str:
    """Return the page of a dataset: a table of its episodes with filters.

    Args:
        name: What it is called.
        episodes: All of them.
        pictures: How many of them get a picture of their last moment.
    """
    rows: list[dict[str, object]] = []
    for episode in episodes:
        drawn = can_draw(episode.recipe) and len(rows) < pictures
        rows.append(
            {
                "index": episode.index,
                "task": episode.task,
                "parameters": ", ".join(f"{slot} {value}" for slot, value in episode.parameters),
                "room": episode.scene.name if episode.scene else "",
                "split": episode.split,
                "sentence": _sentence(episode),
                "steps": len(episode.steps),
                "picture": _last_moment(episode) if drawn else "",
            }
        )
    return _page({"title": name, "subtitle": f"{len(rows)} episodes", "episodes": rows})


def _planned(episode: Episode) -> dict[str, object]:
    """The plan with what each action changes, and the problem that it solves, where that is known."""
    problem = stored_problem(episode)
    if problem is None:
        return {"plan": [{"text": str(action)} for action in episode.plan], "problem": ""}
    done = simulate(household_domain(), problem, episode.plan)
    plan = [
        {
            "text": str(each.action),
            "added": [_atom(atom) for atom in each.added],
            "removed": [_atom(atom) for atom in each.removed],
        }
        for each in done
    ]
    return {"plan": plan, "problem": shortened(problem)}


def _page(data: Mapping[str, object]) -> str:
    template = (resources.files("chorewright.generator") / "data" / "view.html").read_text(encoding="utf-8")
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return template.replace("/*DATA*/", text)


def _pictures(episode: Episode, size: int) -> dict[str, object]:
    renderer, frames, places = Renderer(), [], []
    seen: list[Moment] = []
    for moment in moments(episode, size):
        seen.append(moment)
        frames.append(jpeg(renderer.frame(moment.scene, moment.camera).rgb))
        places.append(_place(moment))
    start = seen[0].scene
    return {
        "frames": frames,
        "places": places,
        "map": jpeg(renderer.frame(start, map_camera(start, MAP)).rgb),
    }


def _place(moment: Moment) -> Sequence[float]:
    """Where the agent is on the map, as fractions of its sides, and which way it looks."""
    pose = moment.scene.agent
    at = map_camera(moment.scene, MAP).project((pose.x * GRID, moment.scene.agent_y - 0.9, pose.z * GRID))
    assert at is not None
    return round(at[0] / MAP, 4), round(at[1] / MAP, 4), round(radians(90 * pose.rotation), 4)


def _last_moment(episode: Episode) -> str:
    if episode.recipe == TABLETOP:
        return jpeg(calvin_pictures.last_view(episode, THUMBNAIL))
    *_, last = moments(episode, 2 * THUMBNAIL)
    picture = Image.fromarray(Renderer().frame(last.scene, last.camera).rgb)
    return jpeg(np.asarray(picture.resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX)))


def jpeg(picture: NDArray[np.uint8]) -> str:
    """Return a picture as the address of an image in a page."""
    sink = io.BytesIO()
    Image.fromarray(picture).save(sink, "JPEG", quality=QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(sink.getvalue()).decode("ascii")


def _facts(episode: Episode) -> str:
    facts = [episode.scene.name] if episode.scene else []
    facts += [f"{slot} {value}" for slot, value in episode.parameters]
    facts += [f"{len(episode.plan)} planned actions", f"{len(episode.steps)} steps", episode.planner]
    return " · ".join(fact for fact in facts if fact)


def _sentence(episode: Episode) -> str:
    whole = [each.text for each in episode.instructions if each.segment is None and each.level == "goal"]
    return (whole or [each.text for each in episode.instructions] or [episode.task])[0]


def _said(episode: Episode, segment: int) -> str:
    own = [
        each.text
        for each in episode.instructions
        if each.segment == segment and each.annotation == 0 and each.level == "step"
    ]
    return own[0] if own else ""


def _talk(episode: Episode) -> list[dict[str, str]]:
    """What was said: the dialogue where there is one, else each way in which the goal is put."""
    spoken = [each for each in episode.instructions if each.level in ("utterance", "question", "answer")]
    if spoken:
        return [{"who": each.level, "text": each.text} for each in spoken]
    goals = [each.text for each in episode.instructions if each.level == "goal"]
    return [{"who": str(number), "text": text} for number, text in enumerate(goals, 1)]


def _atom(atom: GroundAtom) -> str:
    return f"({' '.join(atom)})"
