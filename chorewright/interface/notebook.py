"""How values look in a notebook: an episode with its film strip, a scene as its map."""

from __future__ import annotations

import html
import io

from PIL import Image

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.maps import scene_map
from chorewright.generator.production.benchmark import pictures_if_any
from chorewright.generator.showing.images import jpeg
from chorewright.generator.showing.pages import spoken, step_name
from chorewright.generator.showing.view import place_of
from chorewright.problems.household.scene import Scene

_SIZE = 240


def episode_html(episode: Episode) -> str:
    """Return an episode as HTML: its task, its last view if there are pictures, what is said, and its steps."""
    pictures = pictures_if_any(episode.benchmark)
    picture = "" if pictures is None else f'<img src="{jpeg(pictures.last_view(episode, _SIZE))}" alt="the last view">'
    words = [text for _, text in spoken(episode)]
    said = "".join(f"<li>{html.escape(text)}</li>" for text in words[:12])
    if len(words) > 12:
        said += f"<li>and {len(words) - 12} more</li>"
    steps = ", ".join(html.escape(step_name(step)) for step in episode.steps[:60])
    more = f" and {len(episode.steps) - 60} more" if len(episode.steps) > 60 else ""
    head = f"{episode.task}, episode {episode.index} in {place_of(episode)}" if place_of(episode) else episode.task
    return (
        f'<div style="display:flex;gap:1em"><div>{picture}</div><div><b>{html.escape(head)}</b>'
        f"<ul>{said}</ul></div></div><details><summary>{len(episode.steps)} steps</summary>{steps}{more}</details>"
    )


def scene_png(scene: Scene) -> bytes:
    """Return the map of a scene as a PNG."""
    stream = io.BytesIO()
    Image.fromarray(scene_map(scene, size=400)).save(stream, "PNG")
    return stream.getvalue()
