"""Small random problems of classic domains (``tests/corpus/planning``): stacks, hands, parcels, and so on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Random = np.random.Generator
Generator = Callable[[Random], str]


def problem(domain: str, objects: str, init: Sequence[str], goal: str, *, costs: bool = False) -> str:
    """The text of a problem; ``objects`` is left out if empty."""
    named = f"(:objects {objects}) " if objects else ""
    metric = " (:metric minimize (total-cost))" if costs else ""
    facts = " ".join([*init, "(= (total-cost) 0)"] if costs else init)
    return f"(define (problem {domain}-x) (:domain {domain}) {named}(:init {facts}) (:goal {goal}){metric})"


def names(letter: str, count: int) -> list[str]:
    return [f"{letter}{number}" for number in range(count)]


def pick(rng: Random, things: Sequence[str]) -> str:
    return things[int(rng.integers(len(things)))]


def shuffled(rng: Random, things: Sequence[str]) -> list[str]:
    return [things[int(i)] for i in rng.permutation(len(things))]


def conjunction(parts: Sequence[str]) -> str:
    return f"(and {' '.join(parts)})"


def links(rng: Random, nodes: Sequence[str], more: int) -> list[tuple[str, str]]:
    """Edges, in both directions, of a connected random graph: a tree and ``more`` besides."""
    edges = [(nodes[int(rng.integers(i))], nodes[i]) for i in range(1, len(nodes))]
    for _ in range(more):
        a, b = shuffled(rng, nodes)[:2]
        edges.append((a, b))
    return list(dict.fromkeys([edge for a, b in edges for edge in ((a, b), (b, a))]))


def grid(width: int, height: int) -> list[list[str]]:
    return [[f"c{x}-{y}" for x in range(width)] for y in range(height)]


def across(cells: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """(left, right) pairs of a grid."""
    return [(row[x], row[x + 1]) for row in cells for x in range(len(row) - 1)]


def down(cells: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """(upper, lower) pairs of a grid."""
    return [pair for y in range(len(cells) - 1) for pair in zip(cells[y], cells[y + 1], strict=True)]


def towers(rng: Random, blocks: Sequence[str]) -> list[tuple[str, str | None]]:
    """(block, what it stands on) of a random pile."""
    found: list[tuple[str, str | None]] = []
    for number, block in enumerate(order := shuffled(rng, blocks)):
        found.append((block, order[number - 1] if number and rng.random() < 0.6 else None))
    return found


def stacks(rng: Random) -> str:
    blocks = names("b", int(rng.integers(3, 6)))
    now, then = towers(rng, blocks), towers(rng, blocks)
    covered = {below for _, below in now}
    init = ["(free)", *(f"(above {x} {y})" if y else f"(low {x})" for x, y in now)]
    init += [f"(top {x})" for x in blocks if x not in covered]
    goal = [f"(above {x} {y})" for x, y in then if y] or [f"(held {blocks[0]})"]
    return problem("stacks", " ".join(blocks), init, conjunction(goal))


def hands(rng: Random) -> str:
    rooms, balls = names("r", int(rng.integers(2, 4))), names("b", int(rng.integers(2, 5)))
    own = names("h", int(rng.integers(1, 3)))
    init = [f"(robot-in {pick(rng, rooms)})", *(f"(empty {h})" for h in own)]
    init += [f"(lies {b} {pick(rng, rooms)})" for b in balls]
    objects = f"{' '.join(rooms)} - room {' '.join(balls)} - ball {' '.join(own)} - hand"
    return problem("hands", objects, init, conjunction([f"(lies {b} {pick(rng, rooms)})" for b in balls]))


def parcels(rng: Random) -> str:
    towns, things = names("t", 2), names("p", int(rng.integers(1, 4)))
    spots = [f"{t}-s{i}" for t in towns for i in range(2)]
    fields = [f"{t}-f" for t in towns]
    init = [f"(of {s} {s.split('-')[0]})" for s in (*spots, *fields)]
    init += [f"(at {t}-l {pick(rng, [s for s in spots if s.startswith(t)])})" for t in towns]
    init += [f"(at jet {pick(rng, fields)})", *(f"(at {x} {pick(rng, spots)})" for x in things)]
    objects = f"{' '.join(towns)} - town {' '.join(spots)} - spot {' '.join(fields)} - airfield"
    objects += f" {' '.join(things)} - parcel jet - plane {' '.join(f'{t}-l' for t in towns)} - lorry"
    goal = conjunction([f"(at {x} {pick(rng, spots)})" for x in things])
    return problem("parcels", objects, init, goal, costs=True)


def ferry(rng: Random) -> str:
    banks, cars = names("b", int(rng.integers(2, 5))), names("c", int(rng.integers(1, 5)))
    init = [*(f"(bank {b})" for b in banks), *(f"(car {c})" for c in cars), "(empty)"]
    init += [f"(moored {pick(rng, banks)})", *(f"(ashore {c} {pick(rng, banks)})" for c in cars)]
    goal = conjunction([f"(ashore {c} {pick(rng, banks)})" for c in cars])
    return problem("ferry", " ".join((*banks, *cars)), init, goal)


def hanoi(rng: Random) -> str:
    discs, pegs = names("d", int(rng.integers(2, 5))), names("peg", 3)
    init = [f"(smaller {d} {p})" for d in discs for p in pegs]
    init += [f"(smaller {discs[i]} {discs[j]})" for i in range(len(discs)) for j in range(i + 1, len(discs))]
    now, bare = _on_pegs(rng, discs, pegs)
    then, _ = _on_pegs(rng, discs, pegs)
    return problem("hanoi", " ".join((*discs, *pegs)), [*init, *now, *bare], conjunction(then))


def _on_pegs(rng: Random, discs: Sequence[str], pegs: Sequence[str]) -> tuple[list[str], list[str]]:
    tops = list(pegs)
    facts = []
    for disc in reversed(discs):
        peg = int(rng.integers(len(pegs)))
        facts.append(f"(upon {disc} {tops[peg]})")
        tops[peg] = disc
    return facts, [f"(bare {top})" for top in tops]


def tiles(rng: Random) -> str:
    cells = grid(3, 2)
    places = [c for row in cells for c in row]
    own = names("t", 5)
    beside = [edge for a, b in (*across(cells), *down(cells)) for edge in ((a, b), (b, a))]
    state = [*own, ""]
    start = list(state)
    for _ in range(int(rng.integers(4, 16))):  # a walk from the goal: half of all orders cannot be reached
        empty = places[state.index("")]
        other = pick(rng, [b for a, b in beside if a == empty])
        i, j = places.index(empty), places.index(other)
        state[i], state[j] = state[j], state[i]
    init = [f"(beside {a} {b})" for a, b in beside]
    init += [f"(stands {t} {p})" if t else f"(hole {p})" for t, p in zip(state, places, strict=True)]
    goal = conjunction([f"(stands {t} {p})" for t, p in zip(start, places, strict=True) if t])
    return problem("tiles", f"{' '.join(own)} - tile {' '.join(places)} - place", init, goal)


def rounds(rng: Random) -> str:
    places = names("p", int(rng.integers(4, 9)))
    roads = links(rng, places, int(rng.integers(0, 4)))
    init = [f"(here {places[0]})", *(f"(road {a} {b})" for a, b in roads)]
    init += [f"(= (length {a} {b}) {rng.integers(0, 8)})" for a, b in roads]
    wanted = shuffled(rng, places)[: int(rng.integers(2, 5))]
    objects = f"{' '.join(places)} - place"
    return problem("rounds", objects, init, conjunction([f"(seen {p})" for p in wanted]), costs=True)


def haulage(rng: Random) -> str:
    places, vans = names("p", int(rng.integers(3, 5))), names("v", int(rng.integers(1, 3)))
    things = names("x", int(rng.integers(1, 4)))
    init = ["(after n0 n1)", "(after n1 n2)", *(f"(at {x} {pick(rng, places)})" for x in things)]
    for van in vans:
        init += [f"(at {van} {pick(rng, places)})", f"(room {van} n{rng.integers(1, 3)})"]
    for a, b in links(rng, places, 1):
        init += [f"(road {a} {b})", f"(= (length {a} {b}) {rng.integers(1, 30)})"]
    objects = f"{' '.join(places)} - place {' '.join(vans)} - van {' '.join(things)} - parcel n0 n1 n2 - amount"
    goal = conjunction([f"(at {x} {pick(rng, places)})" for x in things])
    return problem("haulage", objects, init, goal, costs=True)


def drivers(rng: Random) -> str:
    spots, people, trucks = names("s", 4), names("d", int(rng.integers(1, 3))), names("t", 1)
    items = names("i", int(rng.integers(1, 3)))
    init = [f"(at {x} {pick(rng, spots)})" for x in (*people, *trucks, *items)]
    init += [f"(vacant {t})" for t in trucks]
    init += [f"(road {a} {b})" for a, b in links(rng, spots, 1)]
    init += [f"(path {a} {b})" for a, b in links(rng, spots, 0)]
    objects = f"{' '.join(spots)} - spot {' '.join(people)} - driver {' '.join(trucks)} - truck"
    goal = conjunction([f"(at {x} {pick(rng, spots)})" for x in (*items, people[0])])
    return problem("drivers", f"{objects} {' '.join(items)} - item", init, goal)


def lift(rng: Random) -> str:
    floors, people = names("f", int(rng.integers(2, 6))), names("p", int(rng.integers(1, 4)))
    init = [f"(stands {pick(rng, floors)})"]
    for person in people:
        start, end = (pick(rng, floors) for _ in range(2))
        init += [f"(waits {person} {start})", f"(wants {person} {end})"]
    for i, a in enumerate(floors):
        init += [f"(= (travel {a} {b}) {2 + 3 * abs(i - j)})" for j, b in enumerate(floors) if i != j]
    objects = f"{' '.join(floors)} - floor {' '.join(people)} - passenger"
    return problem("lift", objects, init, conjunction([f"(served {p})" for p in people]), costs=True)


def pushing(rng: Random) -> str:
    cells = grid(4, 4)
    every = [c for row in cells for c in row]
    inner = [c for row in cells[1:-1] for c in row[1:-1]]
    boxes = names("x", int(rng.integers(1, 3)))
    at = shuffled(rng, inner)[: len(boxes)]
    me = pick(rng, [c for c in every if c not in at])
    init = [f"(me {me})", *(f"(box-at {x} {c})" for x, c in zip(boxes, at, strict=True))]
    init += [f"(clear {c})" for c in every if c not in (me, *at)]
    for pairs, forth, back in ((across(cells), "east", "west"), (down(cells), "south", "north")):
        init += [f"(next {a} {b} {forth}) (next {b} {a} {back})" for a, b in pairs]
    init += [f"(home {c})" for c in shuffled(rng, every)[:3]]
    objects = f"{' '.join(every)} - cell {' '.join(boxes)} - box east west south north - way"
    return problem("pushing", objects, init, conjunction([f"(done {x})" for x in boxes]), costs=True)


CLASSIC: dict[str, Generator] = {
    "stacks": stacks,
    "hands": hands,
    "parcels": parcels,
    "ferry": ferry,
    "hanoi": hanoi,
    "tiles": tiles,
    "rounds": rounds,
    "haulage": haulage,
    "drivers": drivers,
    "lift": lift,
    "pushing": pushing,
}
