"""Generators of problems on grids."""

from __future__ import annotations

import itertools
from random import Random

from benchmarks.classical.files import problem_text

Cell = tuple[int, int]
STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
TURN = {"left": -1, "right": 1}


def grid(width: int, height: int) -> list[Cell]:
    """The cells of a grid."""
    return [(x, y) for y in range(height) for x in range(width)]


def near(cell: Cell, cells: set[Cell]) -> list[Cell]:
    """The neighbours of a cell."""
    return [one for dx, dy in STEPS.values() if (one := (cell[0] + dx, cell[1] + dy)) in cells]


def name(cell: Cell) -> str:
    """A cell's name."""
    return f"c{cell[0]}-{cell[1]}"


def neighbours(cells: list[Cell]) -> list[str]:
    """Atoms of neighbouring cells."""
    inside = set(cells)
    return [f"(near {name(cell)} {name(other)})" for cell in cells for other in near(cell, inside)]


def nurikabe(draw: Random, size: int) -> str:
    """Groups on a square; the goal asks for all groups and for some cells of one way to paint them."""
    cells = grid(size, size)
    inside = set(cells)
    groups: list[list[Cell]] = []
    barred: set[Cell] = set()
    for cell in draw.sample(cells, len(cells)):
        if cell in barred or len(groups) == size - 1:
            continue
        group = [cell]
        for _ in range(draw.randint(1, size - 2)):
            edge = [n for c in group for n in near(c, inside) if n not in group and n not in barred]
            group += [draw.choice(edge)] if edge else []
        groups.append(group)
        barred |= {n for c in group for n in (c, *near(c, inside))}
    sources = {group[0] for group in groups}
    init = [*neighbours(cells), f"(robot {name((0, 0))})", "(walking)", "(zero n0)"]
    init += [f"(next n{n} n{n + 1})" for n in range(size)]
    init += [f"(open {name(cell)})" for cell in cells if cell not in sources]
    goal = []
    for number, group in enumerate(groups):
        source = name(group[0])
        init += [f"(source {source} g{number})", f"(left g{number} n{len(group)})"]
        init += [f"(bars {name(one)} g{number})" for one in near(group[0], inside)]
        goal += [f"(done g{number})", f"(white {name(group[-1])})"]
    counts = " ".join(f"n{n}" for n in range(size + 1))
    numbers = " ".join(f"g{n}" for n in range(len(groups)))
    return problem_text(
        "nurikabe", f"{' '.join(map(name, cells))} - cell {counts} - count {numbers} - group", init, goal
    )


def folding(draw: Random, size: int) -> str:
    """A straight chain of ``size`` nodes; the goal is where random turns have put it."""
    order = tuple(STEPS)
    headings = ["north"] * (size - 1)
    start = [(size, size + number) for number in range(size)]
    now = list(start)
    folds = 0
    while folds < size // 2:
        first, turn = draw.randrange(size - 1), draw.choice(tuple(TURN))
        turned = [*headings[:first], *(order[(order.index(h) + TURN[turn]) % 4] for h in headings[first:])]
        after = list(now)
        for place in range(first + 1, size):
            dx, dy = STEPS[turned[place - 1]]
            after[place] = (after[place - 1][0] + dx, after[place - 1][1] + dy)
            if after[place] in (*after[:place], *now[place + 1 :]):
                break
        else:
            now, headings, folds = after, turned, folds + 1
    cells = grid(2 * size + 1, 2 * size + 1)
    inside = set(cells)
    init = ["(free)", f"(last v{size - 1})"]
    init += [f"(at v{n} {name(cell)})" for n, cell in enumerate(start)] + [f"(taken {name(cell)})" for cell in start]
    init += [f"(link v{n} v{n + 1})" for n in range(size - 1)] + [f"(heading v{n} north)" for n in range(size - 1)]
    for turn, by in TURN.items():
        init += [f"(turned {d} {turn} {order[(place + by) % 4]})" for place, d in enumerate(order)]
    for cell in cells:
        for d, (dx, dy) in STEPS.items():
            if (other := (cell[0] + dx, cell[1] + dy)) in inside:
                init.append(f"(step {name(cell)} {d} {name(other)})")
    nodes = " ".join(f"v{n}" for n in range(size))
    objects = f"{nodes} - node {' '.join(map(name, cells))} - cell {' '.join(order)} - direction left right - turn"
    return problem_text(
        "folding", objects, init, [*(f"(at v{n} {name(cell)})" for n, cell in enumerate(now)), "(free)"]
    )


def floortile(_: Random, size: int) -> str:
    """Two robots on a floor of ``size`` columns; all rows but the first are to be painted."""
    width, height = size, size
    cells = grid(width, height)
    init = [f"(up {name((x, y + 1))} {name((x, y))})" for x, y in cells if y + 1 < height]
    init += [f"(right {name((x + 1, y))} {name((x, y))})" for x, y in cells if x + 1 < width]
    robots = {"r0": (0, 0), "r1": (width - 1, 0)}
    init += [f"(at {robot} {name(cell)})" for robot, cell in robots.items()]
    init += [f"(clear {name(cell)})" for cell in cells if cell not in robots.values()]
    init += ["(has r0 white)", "(has r1 black)"]
    goal = [f"(painted {name((x, y))} {('white', 'black')[(x + y) % 2]})" for x, y in cells if y]
    objects = f"{' '.join(map(name, cells))} - tile r0 r1 - robot white black - colour"
    return problem_text("floortile", objects, init, goal, metric=True)


def termes(draw: Random, size: int) -> str:
    """A floor of ``size`` times four cells and three towers, the highest of ``size - 1`` blocks."""
    cells = grid(size, 4)
    towers = draw.sample([cell for cell in cells if cell != (0, 0) and cell[0] and cell[1]], 3)
    heights = dict(zip(towers, (size - 1, size - 2, 1), strict=True))
    init = [*neighbours(cells), f"(at {name((0, 0))})", f"(depot {name((0, 0))})"]
    init += [f"(next n{n} n{n + 1})" for n in range(size)] + [f"(height {name(cell)} n0)" for cell in cells]
    goal = [f"(height {name(cell)} n{heights.get(cell, 0)})" for cell in cells] + ["(not (laden))"]
    counts = " ".join(f"n{n}" for n in range(size + 1))
    return problem_text("termes", f"{' '.join(map(name, cells))} - cell {counts} - count", init, goal)


def snake(draw: Random, size: int) -> str:
    """A snake of three cells on a square; as many points as the square is wide, one after the other."""
    cells = grid(size, size)
    body = [(2, 0), (1, 0), (0, 0)]
    places = draw.sample([cell for cell in cells if cell not in body], size)
    init = [*neighbours(cells), f"(head {name(body[0])})", f"(tail {name(body[-1])})"]
    init += [f"(taken {name(cell)})" for cell in body]
    init += [f"(link {name(a)} {name(b)})" for a, b in itertools.pairwise(body)]
    points = [name(cell) for cell in places]
    init += [f"(point {points[0]})", f"(spawn {points[1]})"]
    init += [f"(follow {a} {b})" for a, b in zip(points[1:], [*points[2:], "none"], strict=True)]
    goal = [f"(not (point {point}))" for point in points] + ["(spawn none)"]
    return problem_text("snake", f"{' '.join(map(name, cells))} - cell", init, goal)
