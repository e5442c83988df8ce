"""The pictures that EDH and TfD instances name: what the Driver sees before each of its actions, and at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.replaying import moments
from chorewright.generator.showing.images import jpeg_bytes
from chorewright.generator.teach.embodiment import start_scene
from chorewright.generator.teach.export.instances import END, image_name
from chorewright.generator.teach.export.session import Session
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.teach.clicks import SIZE
from chorewright.replay.teach.world import TeachWorld


def draw_images(episode: Episode, one: Session) -> Iterator[tuple[str, bytes]]:
    """Yield names and JPEG files of a session's pictures: one before each interaction, one at the end.

    Raises:
        DatasetCorrupt: A step does not replay.
    """
    renderer = Renderer()
    waiting = iter(one.interactions)
    for moment in moments(replace(episode, scene=start_scene(episode)), SIZE, _world):
        picture = jpeg_bytes(renderer.frame(moment.scene, moment.camera).rgb)
        for interaction in waiting:
            yield image_name(interaction.time), picture
            if interaction.drives:
                break
        else:
            yield image_name(END), picture


def _world() -> tuple[ThorWorld, TeachWorld]:
    world = TeachWorld()
    return world.world, world
