"""Problems of classical domains: for each a generator from a size and a seed, and three sizes.

Problems are solvable by construction, except those of ``solitaire``, ``snake`` and ``nurikabe``, which nearly always
are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from benchmarks.classical.files import problem_text
from benchmarks.classical.grids import floortile, folding, nurikabe, snake, termes
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem

Generator = Callable[[Random, int], str]


def names(letter: str, count: int, kind: str) -> tuple[list[str], str]:
    """So many names, and their declaration."""
    made = [f"{letter}{number}" for number in range(count)]
    return made, f"{' '.join(made)} - {kind}"


def openstacks(draw: Random, size: int) -> str:
    """``size`` orders and as many products; each order asks for some."""
    orders, first = names("o", size, "order")
    products, second = names("p", size, "product")
    counts, third = names("n", size + 1, "count")
    asked = {(draw.choice(orders), product) for product in products} | {(o, draw.choice(products)) for o in orders}
    asked |= {(draw.choice(orders), draw.choice(products)) for _ in range(size)}
    init = [f"(next {n} {m})" for n, m in itertools.pairwise(counts)] + ["(free-stacks n0)"]
    init += [f"(asks {order} {product})" for order, product in sorted(asked)] + [f"(idle {order})" for order in orders]
    return problem_text(
        "openstacks", f"{first} {second} {third}", init, [f"(sent {order})" for order in orders], metric=True
    )


def childsnack(draw: Random, size: int) -> str:
    """``size`` children, half of them allergic; a third more sandwiches than are needed."""
    children, first = names("child", size, "child")
    breads, second = names("bread", size, "bread")
    fillings, third = names("filling", size, "filling")
    sandwiches, fourth = names("sandwich", size + size // 3, "sandwich")
    trays, fifth = names("tray", 2 + size // 10, "tray")
    tables, sixth = names("table", 3, "place")
    allergic = draw.sample(children, size // 2)
    init = [f"(at {tray} kitchen)" for tray in trays] + [f"(unmade {each})" for each in sandwiches]
    init += [f"(in-kitchen-bread {each})" for each in breads] + [f"(in-kitchen-filling {each})" for each in fillings]
    init += [f"(gluten-free-bread {each})" for each in draw.sample(breads, len(allergic))]
    init += [f"(gluten-free-filling {each})" for each in draw.sample(fillings, len(allergic))]
    for child in children:
        init += [
            f"({'allergic' if child in allergic else 'tolerant'} {child})",
            f"(waits {child} {draw.choice(tables)})",
        ]
    objects = " ".join((first, second, third, fourth, fifth, sixth))
    return problem_text("childsnack", objects, init, [f"(served {child})" for child in children])


def philosophers(_: Random, size: int) -> str:
    """``size`` philosophers, each of whom takes the fork at the left, then the one at the right."""
    people, first = names("phil", size, "process")
    forks, second = names("fork", size, "channel")
    init = ["(edge l1 take-left l2)", "(edge l2 take-right l3)", "(edge l3 give-left l4)", "(edge l4 give-right l1)"]
    init += ["(takes take-left)", "(takes take-right)", "(gives give-left)", "(gives give-right)"]
    init += ["(up none one)", "(empty none)", "(full one)"]
    for number, person in enumerate(people):
        left, right = forks[number], forks[(number + 1) % size]
        init += [f"(at {person} l1)", f"(resting {person})", f"(calm {left})", f"(holds-amount {left} one)"]
        init += [f"(of {person} {verb}-left {left})" for verb in ("take", "give")]
        init += [f"(of {person} {verb}-right {right})" for verb in ("take", "give")]
    objects = (
        f"{first} {second} none one - amount l1 l2 l3 l4 - location take-left take-right give-left give-right - label"
    )
    return problem_text("philosophers", objects, init, [f"(stuck {person})" for person in people])


def rovers(draw: Random, size: int) -> str:
    """``size`` rovers and targets on four times as many places."""
    crew, first = names("rover", size, "rover")
    places, second = names("place", 4 * size, "place")
    targets, third = names("target", size, "target")
    cameras, fourth = names("camera", size + 1, "camera")
    stores, fifth = names("store", size, "store")
    modes, sixth = names("mode", 3, "mode")
    init = [f"(lander-at base {places[0]})"]
    links = [(place, draw.choice(places[:number])) for number, place in enumerate(places) if number]
    links += [(one, other) for one, other in (draw.sample(places, 2) for _ in range(2 * size))]
    for rover, store in zip(crew, stores, strict=True):
        equipped = draw.sample(("soil", "rock", "camera"), draw.randint(1, 3))
        equipped += [one for one in ("soil", "rock", "camera") if rover == crew[0] and one not in equipped]
        init += [f"(at {rover} {draw.choice(places)})", f"(empty {store})", f"(store-of {store} {rover})"]
        init += [f"(equipped-{one} {rover})" for one in equipped]
        kept = [link for link in links if rover == crew[0] or draw.random() < 0.8]
        init += [f"(road {rover} {p} {q})" for a, b in kept for p, q in ((a, b), (b, a))]
    sights = [(p, q) for p in places for q in draw.sample(places, 3)] + [(a, b) for a, b in links]
    init += [f"(sees {p} {q})" for p, q in dict.fromkeys((*sights, *((q, p) for p, q in sights)))]
    for number, camera in enumerate(cameras):
        on = crew[number % size]
        init += [f"(on-board {camera} {on})", f"(aims-at {camera} {draw.choice(targets)})"]
        init += [f"(supports {camera} {mode})" for mode in (modes if number == 0 else draw.sample(modes, 2))]
    for target in targets:
        init += [f"(visible-from {target} {place})" for place in draw.sample(places, 1 + size)]
    soil, rock = draw.sample(places, 2 * size), draw.sample(places, 2 * size)
    init += [f"(soil {place})" for place in soil] + [f"(rock {place})" for place in rock]
    goal = [f"(told-soil {place})" for place in soil[:size]] + [f"(told-rock {place})" for place in rock[:size]]
    goal += [f"(told-picture {target} {draw.choice(modes)})" for target in targets]
    return problem_text("rovers", " ".join((first, second, third, fourth, fifth, sixth, "base - lander")), init, goal)


def solitaire(draw: Random, size: int) -> str:
    """Four suits up to ``size``, dealt onto six columns; four free cells."""
    suits = ("c", "d", "h", "s")
    cards = [f"{suit}{rank}" for suit in suits for rank in range(1, size + 1)]
    counts, first = names("n", 7, "count")
    init = [f"(next {n} {m})" for n, m in itertools.pairwise(counts)] + ["(cells n4)", "(columns n0)"]
    init += [f"(home {suit}0)" for suit in suits]
    for suit in suits:
        other = ("d", "h") if suit in ("c", "s") else ("c", "s")
        for rank in range(1, size + 1):
            init.append(f"(follows {suit}{rank} {suit}{rank - 1})")
            init += [f"(fits {suit}{rank} {one}{rank + 1})" for one in other if rank < size]
    deal = draw.sample(cards, len(cards))
    for column in range(6):
        pile = deal[column::6]
        init += [f"(bottom {pile[0]})", f"(clear {pile[-1]})"]
        init += [f"(on {upper} {lower})" for lower, upper in itertools.pairwise(pile)]
    bases = " ".join(f"{suit}0" for suit in suits)
    objects = f"{' '.join(cards)} {bases} - card {first} c d h s - suit"
    return problem_text("solitaire", objects, init, [f"(home {suit}{size})" for suit in suits])


def barman(draw: Random, size: int) -> str:
    """``size`` shots and cocktails of three ingredients."""
    shots, first = names("shot", size + 1, "shot")
    cocktails, second = names("cocktail", size - 1, "cocktail")
    ingredients, third = names("ingredient", 3, "ingredient")
    dispensers, fourth = names("dispenser", 3, "dispenser")
    init = ["(on-table shaker)", "(empty shaker)", "(clean shaker)", "(level shaker l0)", "(bottom shaker l0)"]
    init += ["(next l0 l1)", "(next l1 l2)", "(free left)", "(free right)"]
    init += [f"({word} {shot})" for shot in shots for word in ("on-table", "empty", "clean")]
    init += [f"(from {d} {i})" for d, i in zip(dispensers, ingredients, strict=True)]
    for cocktail in cocktails:
        one, other = draw.sample(ingredients, 2)
        init += [f"(part1 {cocktail} {one})", f"(part2 {cocktail} {other})"]
    goal = [f"(contains {shot} {cocktail})" for shot, cocktail in zip(shots, cocktails, strict=False)]
    goal.append(f"(contains {shots[size - 1]} {draw.choice(ingredients)})")
    objects = f"{first} {second} {third} {fourth} shaker - shaker l0 l1 l2 - level left right - hand"
    return problem_text("barman", objects, init, goal, metric=True)


def hiking(_: Random, size: int) -> str:
    """Three couples with two cars and three tents, and ``size`` stages."""
    places, first = names("place", size + 1, "place")
    couples, second = names("couple", 3, "couple")
    people = [f"{side}{number}" for number in range(3) for side in ("guide", "guest")]
    init = [f"(next {p} {q})" for p, q in itertools.pairwise(places)]
    init += [f"(person-at {person} place0)" for person in people] + ["(car-at car0 place0)", "(car-at car1 place0)"]
    init += [f"({fact})" for t in ("tent0", "tent1", "tent2") for fact in (f"tent-at {t} place0", f"down {t}")]
    init += [f"(pair couple{n} guide{n} guest{n})" for n in range(3)] + [f"(walked {c} place0)" for c in couples]
    objects = f"{first} {second} {' '.join(people)} - person car0 car1 - car tent0 tent1 tent2 - tent"
    return problem_text("hiking", objects, init, [f"(walked {couple} {places[-1]})" for couple in couples])


GENERATORS: dict[str, tuple[Generator, tuple[int, ...]]] = {
    "openstacks": (openstacks, (20, 50, 100)),
    "childsnack": (childsnack, (6, 10, 12)),
    "philosophers": (philosophers, (6, 14, 26)),
    "nurikabe": (nurikabe, (5, 6, 8)),
    "folding": (folding, (8, 12, 20)),
    "rovers": (rovers, (4, 7, 10)),
    "solitaire": (solitaire, (4, 6, 8)),
    "floortile": (floortile, (2, 3, 4)),
    "termes": (termes, (3, 4, 5)),
    "barman": (barman, (3, 5, 8)),
    "hiking": (hiking, (2, 4, 6)),
    "snake": (snake, (6, 10, 14)),
}
"""Generators by the name of their domain, and the sizes of the benchmark's problems."""


def problem_of(name: str, size: int, seed: int) -> tuple[Domain, Problem]:
    """A domain and one of its problems.

    Args:
        name: A key of ``GENERATORS``.
        size: The problem's size, as its generator counts it.
        seed: Another seed gives another problem.
    """
    domain = parse_domain((Path(__file__).parent / f"{name}.pddl").read_text("utf-8"))
    generate, _ = GENERATORS[name]
    return domain, parse_problem(generate(Random(f"{name} {size} {seed}"), size), domain)


def classical_problems(seed: int) -> Iterator[tuple[str, Domain, Problem]]:
    """All problems of the benchmark: name, domain, problem.

    Args:
        seed: Of all problems.
    """
    for name, (_, sizes) in GENERATORS.items():
        for size in sizes:
            yield f"{name}/{size}", *problem_of(name, size, seed)
