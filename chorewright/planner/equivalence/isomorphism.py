"""Renamings of objects that turn one set of coloured atoms into another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Coloured: TypeAlias = Mapping[tuple[str, ...], Hashable]
"""What is said of objects: a name, then objects; and a colour that must be the same on both sides."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Objects with their own colours (types), and coloured atoms over them."""

    objects: Mapping[str, Hashable]
    atoms: Coloured


class TooMany(Exception):
    """More objects were tried out than allowed."""


def renamings(one: Structure, other: Structure, tries: int = 200_000) -> Iterator[dict[str, str]]:
    """Yield every renaming of objects that turns one structure into the other.

    Objects are told apart by refinement of their colours first; what is left is tried out, atom by atom.

    Args:
        one: The structure that is renamed.
        other: What it is to become.
        tries: How many objects may be tried out.

    Raises:
        TooMany: There is more to try.
    """
    if len(one.objects) != len(other.objects) or len(one.atoms) != len(other.atoms):
        return
    first, second = _refine(one, other)
    if Counter(first.values()) != Counter(second.values()):
        return
    classes: dict[int, list[str]] = {}
    for name, colour in second.items():
        classes.setdefault(colour, []).append(name)
    around: dict[str, list[tuple[str, ...]]] = {name: [] for name in one.objects}
    for atom in one.atoms:
        for name in dict.fromkeys(atom[1:]):
            if name in around:
                around[name].append(atom)
    order = _order(first, classes, around)
    search = _Search(one, other, first, classes, around, order, tries)
    yield from search.extend({}, set())


def _order(
    colours: Mapping[str, int], classes: Mapping[int, list[str]], around: Mapping[str, list[tuple[str, ...]]]
) -> list[str]:
    """Objects in the order of trying: few candidates first, then what is tied to those before."""
    left = sorted(colours, key=lambda name: (len(classes[colours[name]]), -len(around[name]), name))
    found: list[str] = []
    known: set[str] = set()
    while left:
        tied = [name for name in left if any(known & set(atom[1:]) for atom in around[name])]
        pool = tied or left
        name = min(pool, key=lambda each: (len(classes[colours[each]]), left.index(each)))
        left.remove(name)
        found.append(name)
        known.add(name)
    return found


@dataclass(slots=True)
class _Search:
    """Trying out objects one after the other."""

    one: Structure
    other: Structure
    colours: Mapping[str, int]
    classes: Mapping[int, list[str]]
    around: Mapping[str, list[tuple[str, ...]]]
    order: list[str]
    tries: int

    def extend(self, mapping: dict[str, str], used: set[str]) -> Iterator[dict[str, str]]:
        """Yield the renamings that agree with one of some objects; the same name is tried first."""
        if len(mapping) == len(self.order):
            yield dict(mapping)
            return
        name = self.order[len(mapping)]
        for candidate in sorted(self.classes[self.colours[name]], key=lambda each: (each != name, each)):
            if candidate in used:
                continue
            self.tries -= 1
            if self.tries < 0:
                raise TooMany
            mapping[name] = candidate
            used.add(candidate)
            if all(_fits(atom, self.one, self.other, mapping) for atom in self.around[name]):
                yield from self.extend(mapping, used)
            used.discard(candidate)
            del mapping[name]


def _fits(atom: tuple[str, ...], one: Structure, other: Structure, mapping: Mapping[str, str]) -> bool:
    """Whether an atom whose objects are all renamed is there on the other side, in the same colour."""
    if any(name in one.objects and name not in mapping for name in atom[1:]):
        return True
    image = (atom[0], *[mapping.get(name, name) for name in atom[1:]])
    return image in other.atoms and other.atoms[image] == one.atoms[atom]


def _refine(one: Structure, other: Structure) -> tuple[dict[str, int], dict[str, int]]:
    """Colours of the objects of both structures, refined by the atoms they are in until nothing changes."""
    names: dict[Hashable, int] = {}

    def number(key: Hashable) -> int:
        return names.setdefault(key, len(names))

    first = {name: number(("type", colour)) for name, colour in one.objects.items()}
    second = {name: number(("type", colour)) for name, colour in other.objects.items()}
    classes = 0
    while classes < (now := len(set(first.values()) | set(second.values()))):
        classes = now
        first, second = _round(one, first, number), _round(other, second, number)
    return first, second


def _round(structure: Structure, colours: Mapping[str, int], number: Callable[[Hashable], int]) -> dict[str, int]:
    seen: dict[str, Counter[Hashable]] = {name: Counter() for name in structure.objects}
    for atom, colour in structure.atoms.items():
        around = (atom[0], colour, tuple(colours.get(name, name) for name in atom[1:]))
        for place, name in enumerate(atom[1:]):
            if name in seen:
                seen[name][(place, around)] += 1
    return {name: number((colours[name], frozenset(seen[name].items()))) for name in structure.objects}
