"""Episodes of any domain run again, with a picture of each state: its atoms in words, changes in colour."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.domains.facts import VALUE
from chorewright.domains.pddl.syntax import Domain, GroundAtom, State
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.pddl.episode_pictures import SIZE, DrawingSimulator, EpisodePictures
from chorewright.generator.pddl.stored_problem import stored_problem
from chorewright.generator.pddl.world import PddlWorld
from chorewright.rsa.words.verbaliser import Verbaliser

INK, PALE, PAPER, NEW, OLD = (30, 32, 36), (120, 124, 132), (255, 255, 255), (20, 110, 50), (170, 40, 30)
NEW_PAPER, OLD_PAPER = (226, 244, 230), (250, 230, 226)
LINE, MARGIN, LETTERS = 16, 12, 66
LEAST = 240
"""Pixels on a side of the smallest picture that is drawn as it is."""


def state_pictures() -> EpisodePictures:
    """Return what runs stored episodes by their own domain, and draws their states in words."""
    return EpisodePictures(_EpisodeWorld)


class _EpisodeWorld(PddlWorld):
    """The world of one episode: the domain that it holds, and a simulator that draws."""

    def __init__(self, episode: Episode) -> None:
        stored = stored_problem(episode)
        self._own, self.name = stored.domain, stored.domain.name
        self._says = Verbaliser.of(stored.domain, stored.problem.objects, stored.wordings)
        changed = {name for action in stored.domain.actions for name in _changed(action.effect)}
        self._fluent = changed | {axiom.head.name for axiom in stored.domain.axioms} | {VALUE}

    def domain(self) -> Domain:
        """Return the domain."""
        return self._own

    def simulator(self) -> DrawingSimulator:
        """Return a new simulator."""
        return DrawingSimulator(self._own, self._says.step, self._draw)

    def _draw(self, state: State, before: State, title: str, size: int) -> NDArray[np.uint8]:
        """Draw the atoms that actions can change."""
        now, then = (frozenset(atom for atom in atoms if atom[0] in self._fluent) for atoms in (state, before))
        return draw_state(self._says, now, then, title, size)


def _changed(effect: object) -> Iterator[str]:
    """Yield the predicates that an effect changes."""
    atom = getattr(effect, "atom", None)
    if atom is not None:
        yield atom.predicate
    for part in (*getattr(effect, "effects", ()), getattr(effect, "effect", None)):
        if part is not None:
            yield from _changed(part)


def draw_state(says: Verbaliser, state: State, before: State, title: str, size: int) -> NDArray[np.uint8]:
    """Draw a state as a page: what has just come about first and green, what has ended red, then the rest.

    Args:
        says: Words the atoms.
        state: The atoms.
        before: The atoms a step earlier.
        title: What has just been done.
        size: Pixels on a side.

    Returns:
        (size, size, 3) uint8.
    """
    if size < LEAST:  # letters of less than 6 pixels are not drawn, but a small picture of them can be
        large = Image.fromarray(draw_state(says, state, before, title, LEAST))
        return np.asarray(large.resize((size, size), Image.Resampling.LANCZOS), np.uint8)
    scale = size / SIZE
    picture = Image.new("RGB", (size, size), PAPER)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(max(6, round(12 * scale)))
    big = ImageFont.load_default(max(8, round(15 * scale)))
    lines = [(part, INK, PAPER, "") for part in textwrap.wrap(title, LETTERS - 12)]
    heads = len(lines)
    lines += _lines(says, state - before, NEW, NEW_PAPER, "+ ")
    lines += _lines(says, before - state, OLD, OLD_PAPER, "- ")
    rest = says.state(state & before)
    for text in rest.split(". "):
        lines += [(part, INK, PAPER, "") for part in textwrap.wrap(text.rstrip(".") + ".", LETTERS)] if text else []
    high, top = LINE * scale, MARGIN * scale
    room = int((size - 2 * top) // high)
    for number, (text, ink, paper, sign) in enumerate(lines[:room]):
        y = top + number * high + (6 * scale if number >= heads else 0)
        if paper != PAPER:
            pen.rectangle((top / 2, y - 1, size - top / 2, y + high - 2), fill=paper)
        pen.text((top, y), sign + text, fill=ink, font=big if number < heads else font)
    if len(lines) > room:
        pen.text((top, size - high), f"and {len(lines) - room} more lines", fill=PALE, font=font)
    return np.asarray(picture, np.uint8)


def _lines(
    says: Verbaliser, atoms: frozenset[GroundAtom], ink: tuple[int, int, int], paper: tuple[int, int, int], sign: str
) -> list[tuple[str, tuple[int, int, int], tuple[int, int, int], str]]:
    return [(part, ink, paper, sign) for atom in sorted(atoms) for part in textwrap.wrap(says.atom(atom), LETTERS)]
