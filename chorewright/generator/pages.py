"""An episode or a dataset as one HTML page that needs nothing else: no server, no network."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import resources

from chorewright.domains.pddl.syntax import GroundAtom, Problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.generator.benchmark import pictures_if_any
from chorewright.generator.episode import Episode
from chorewright.generator.images import jpeg
from chorewright.generator.pictures import Pictures
from chorewright.generator.view import place_of
from chorewright.planner.validation import simulate

THUMBNAIL = 84
"""Pixels on a side of a dataset's pictures."""


def episode_page(episode: Episode, size: int = 300) -> str:
    """Return the page of an episode: player, map, sentences, segments, steps, state changes, goal and plan.

    Args:
        episode: Its steps are run again for the pictures, if its world has any.
        size: Pixels on a side of the agent's view.
    """
    pictures = pictures_if_any(episode.benchmark)
    data: dict[str, object] = {
        "title": f"{episode.task}, episode {episode.index}",
        "subtitle": _facts(episode),
        "goal": episode.goal,
        **_planned(episode, pictures),
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
    if pictures is not None:
        data |= pictures.page(episode, size)
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
        drawn = pictures_if_any(episode.benchmark) if len(rows) < pictures else None
        rows.append(
            {
                "index": episode.index,
                "task": episode.task,
                "parameters": ", ".join(f"{slot} {value}" for slot, value in episode.parameters),
                "room": place_of(episode),
                "split": episode.split,
                "sentence": _sentence(episode),
                "steps": len(episode.steps),
                "picture": jpeg(drawn.last_view(episode, THUMBNAIL)) if drawn else "",
            }
        )
    return _page({"title": name, "subtitle": f"{len(rows)} episodes", "episodes": rows})


def _planned(episode: Episode, pictures: Pictures | None) -> dict[str, object]:
    """The plan with what each action changes, and the problem that it solves, where that is known."""
    known = None if pictures is None else pictures.problem(episode)
    if known is None:
        return {"plan": [{"text": str(action)} for action in episode.plan], "problem": ""}
    domain, problem = known
    done = simulate(domain, problem, episode.plan)
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


def _facts(episode: Episode) -> str:
    facts = [place_of(episode)]
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


def shortened(problem: Problem) -> str:
    """Return a problem's text; of its numbers (distances between poses) only how many there are."""
    text = write_problem(replace(problem, values=()))
    note = f"; {len(problem.values)} numbers (distances between poses) are left out here\n"
    return note + text if problem.values else text
