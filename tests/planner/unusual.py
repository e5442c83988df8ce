"""Small random problems of domains that use much of the language (``tests/corpus/planning``)."""

from __future__ import annotations

from tests.planner.classic import (
    Generator,
    Random,
    across,
    conjunction,
    down,
    grid,
    links,
    names,
    pick,
    problem,
    shuffled,
)


def telescopes(rng: Random) -> str:
    crafts, directions = names("s", int(rng.integers(1, 3))), names("d", int(rng.integers(3, 6)))
    modes, instruments = names("m", 2), names("i", 3)
    init = [f"(points {s} {pick(rng, directions)}) (spare {s})" for s in crafts]
    for number, one in enumerate(instruments):
        init.append(f"(carries {crafts[number % len(crafts)]} {one})")
        init.append(f"(supports {one} {modes[number % 2]})")
        init.append(f"(target {one} {pick(rng, directions)})")
    objects = f"{' '.join(crafts)} - craft {' '.join(directions)} - direction"
    objects += f" {' '.join(modes)} - mode {' '.join(instruments)} - instrument"
    goal = [f"(picture {pick(rng, directions)} {pick(rng, modes)})" for _ in range(int(rng.integers(1, 4)))]
    return problem("telescopes", objects, init, conjunction(goal))


def storage(rng: Random) -> str:
    areas, trays = names("a", int(rng.integers(2, 5))), names("t", 2)
    crates = names("c", int(rng.integers(1, 3)))
    init = ["(at h lobby)", "(idle h)", "(joins lobby a0)", "(joins a0 lobby)"]
    init += [f"(part {a} shed) (clear {a})" for a in areas]
    init += [f"(joins {a} {b})" for a, b in links(rng, areas, 1)]
    init += [f"(part {t} box) (joins {t} lobby) (joins lobby {t})" for t in trays]
    init += [f"(on {c} {t}) (in {c} box)" for c, t in zip(crates, trays, strict=False)]
    init += [f"(clear {t})" for t in trays[len(crates) :]]
    objects = f"h - hoist {' '.join(areas)} - store-area {' '.join(trays)} - tray lobby - transit"
    objects += f" shed - depot box - container {' '.join(crates)} - crate"
    return problem("storage", objects, init, conjunction([f"(in {c} shed)" for c in crates]))


def floor(rng: Random) -> str:
    cells = grid(2, 3)
    every = [c for row in cells for c in row]
    init = [f"(up {a} {b})" for a, b in down(cells)] + [f"(right {b} {a})" for a, b in across(cells)]
    start = pick(rng, cells[-1])
    init += [f"(at r {start})", "(has r white)", *(f"(clear {c})" for c in every if c != start)]
    goal = [
        f"(painted {c} {('white', 'black')[(x + y) % 2]})"
        for y, row in enumerate(cells[:-1])
        for x, c in enumerate(row)
        if rng.random() < 0.7
    ]
    objects = f"r - robot {' '.join(every)} - spot white black - colour"
    return problem("floor", objects, init, conjunction(goal), costs=True)


def drinks(rng: Random) -> str:
    shots, ingredients = names("shot", int(rng.integers(1, 3))), names("i", 2)
    first, second = shuffled(rng, ingredients)
    init = ["(lies k)", "(empty k)", "(clean k)", "(unshaken k)", "(amount-in k n0)", "(none k n0)"]
    init += ["(idle left)", "(idle right)", "(more n0 n1)", "(more n1 n2)"]
    init += [f"(lies {s}) (clean {s}) (empty {s})" for s in shots]
    init += [f"(pours d{i} {i})" for i in ingredients] + [f"(first mix {first}) (second mix {second})"]
    objects = f"left right - hand n0 n1 n2 - amount {' '.join(ingredients)} - ingredient mix - mixed"
    objects += f" {' '.join(shots)} - shot k - shaker {' '.join(f'd{i}' for i in ingredients)} - dispenser"
    wanted = [f"(contains {s} {pick(rng, (*ingredients, 'mix') if n else ingredients)})" for n, s in enumerate(shots)]
    return problem("drinks", objects, init, conjunction(wanted), costs=True)


def patience(rng: Random) -> str:
    suits, most = ("red", "black"), int(rng.integers(2, 4))
    cards = [f"{s}{v}" for s in suits for v in range(1, most + 1)]
    init = [f"(next n{i} n{i + 1})" for i in range(5)] + ["(cells n1)"]
    for suit in suits:
        init += [f"(home {suit}0)", f"(value {suit}0 n0)", f"(suit-of {suit}0 {suit})"]
        init += [f"(value {suit}{v} n{v}) (suit-of {suit}{v} {suit})" for v in range(1, most + 1)]
    init += [f"(fits red{v} black{v + 1}) (fits black{v} red{v + 1})" for v in range(1, most)]
    columns = 2
    for number, card in enumerate(order := shuffled(rng, cards)):
        init.append(f"(over {card} {order[number - columns]})" if number >= columns else f"(bottom {card})")
    init += [f"(bare {card})" for card in order[-columns:]] + [f"(columns n{rng.integers(0, 2)})"]
    objects = f"{' '.join((*cards, 'red0', 'black0'))} - card red black - suit"
    objects += f" {' '.join(f'n{i}' for i in range(6))} - rank"
    return problem("patience", objects, init, conjunction([f"(home {s}{most})" for s in suits]))


def deal(rng: Random) -> str:
    cards, piles = names("c", 6), names("p", 3)
    order = shuffled(rng, cards)
    init = [f"(follows {cards[i + 1]} {cards[i]})" for i in range(len(cards) - 1)]
    init += ["(now t0)", "(then t0 t1)"]
    for number, card in enumerate(order[:3]):
        init += [f"(base {card} {piles[number]}) (last {card} {piles[number]})"]
    init += [f"(comes {card} {p} t0)" for card, p in zip(order[3:], piles, strict=True)]
    goal = [f"(gone {c})" for c in cards[: int(rng.integers(2, 6))]]
    objects = f"{' '.join(cards)} - card {' '.join(piles)} - pile t0 t1 - turn"
    return problem("deal", objects, init, conjunction(goal), costs=True)


def islands(rng: Random) -> str:
    cells = grid(4, 3)
    every = [c for row in cells for c in row]
    groups = names("g", 2)
    init = [f"(adjacent {a} {b}) (adjacent {b} {a})" for a, b in (*across(cells), *down(cells))]
    init += ["(walking)", f"(here {pick(rng, every)})", "(none n0)", "(less n0 n1)", "(less n1 n2)", "(less n2 n3)"]
    sources = (pick(rng, [row[0] for row in cells]), pick(rng, [row[-1] for row in cells]))
    for group, source in zip(groups, sources, strict=True):
        init += [f"(source {source} {group})", f"(left {group} n{rng.integers(1, 4)})"]
    init += [f"(free {c})" for c in every]
    objects = f"{' '.join(every)} - cell {' '.join(groups)} - group n0 n1 n2 n3 - size"
    goal = conjunction([*(f"(done {g})" for g in groups), f"(not (blocked {pick(rng, every)}))"])
    return problem("islands", objects, init, goal)


def settlers(rng: Random) -> str:
    sites, amounts = names("s", 3), names("n", 4)
    init = [f"(plus n{i} n{i + 1})" for i in range(3)] + ["(full n3)", "(= (labour) 2)"]
    init += [f"(= (effort {g}) {rng.integers(1, 6)})" for g in ("coal", "board")]
    init += [f"(stock {g} {s} n{rng.integers(0, 2)})" for g in ("wood", "coal", "board") for s in sites]
    init += [f"(forest {pick(rng, sites)})", "(stands car s0)", "(stands boat s1)", "(bare car)", "(bare boat)"]
    init += [f"(land {a} {b}) (= (toll car {a} {b}) {rng.integers(1, 9)})" for a, b in links(rng, sites, 1)]
    init += ["(sea s1 s2)", "(sea s2 s1)", "(= (toll boat s1 s2) 2)", "(= (toll boat s2 s1) 0)"]
    init += [f"(port {s})" for s in ("s1", "s2")]
    goal = [f"(houses {pick(rng, sites)})", pick(rng, ("(kiln s0)", "(stock coal s2 n1)", "(saw s1)"))]
    objects = f"{' '.join(sites)} - site {' '.join(amounts)} - amount car - cart boat - ship"
    return problem("settlers", objects, init, conjunction(goal), costs=True)


def tidying(rng: Random) -> str:
    cells = grid(3, 3)
    every = shuffled(rng, [c for row in cells for c in row])
    init = [f"(left-of {a} {b})" for a, b in across(cells)] + [f"(above {a} {b})" for a, b in down(cells)]
    items = names("i", int(rng.integers(1, 3)))
    init += [f"(at {x} {c})" for x, c in zip(("u", "w", "k", "r", *items), every, strict=False)]
    init += [f"(for u {i})" for i in items]
    objects = f"{' '.join(every)} - cell r - robot u - cupboard w - wall k - cart {' '.join(items)} - item"
    return problem("tidying", objects, init, "(forall (?i - item) (stored ?i u))")


def power(rng: Random) -> str:
    nodes = names("n", 5)
    edges = [(a, b) for a, b in links(rng, nodes, 2) if a < b]
    init, lines = ["(plant n0)"], names("l", len(edges))
    for line, (a, b) in zip(lines, edges, strict=True):
        init += [f"(ends {line} {a} {b})", f"(= (work {line}) {rng.integers(1, 5)})"]
        init += [f"(closed {line})"] if rng.random() < 0.5 else []
    init += [f"(broken {pick(rng, lines)})", *(f"(lamp {n})" for n in nodes[2:])]
    goals = (
        "(and (forall (?a - node) (fed ?a)) (not (unsafe)))",
        "(and (blackout) (checked n3))",
        "(and (dark n4) (fed n3) (not (unsafe)))",
        "(and (checked n2) (fed n2))",
        "(exists (?a ?b - node) (and (dark ?a) (lamp ?b) (fed ?b) (not (exists (?l - line) (broken ?l)))))",
    )
    objects = f"{' '.join(nodes)} - node {' '.join(lines)} - line"
    return problem("power", objects, init, pick(rng, goals), costs=True)


def cases(rng: Random) -> str:
    own, papers, rooms = names("c", 2), names("p", 3), names("r", 3)
    things = [*own, *papers]
    init = [f"(at {x} {pick(rng, rooms)})" for x in things]
    init += [f"(shut {c})" for c in own if rng.random() < 0.5]
    goal = [f"(at {x} {pick(rng, rooms)})" for x in things if rng.random() < 0.8] + [f"(shut {own[0]})"]
    goal += ["(forall (?p - paper ?c - case) (not (in ?p ?c)))"] if rng.random() < 0.5 else []
    objects = f"{' '.join(own)} - case {' '.join(papers)} - paper {' '.join(rooms)} - room"
    return problem("cases", objects, init, conjunction(goal))


def oddities(rng: Random) -> str:
    balls, boxes, places = names("b", 2), names("x", 2), ["home", *names("p", 2)]
    init = [f"(at {x} {pick(rng, places)})" for x in (*balls, *boxes, "ann", "spare-1")]
    init += ["(in b0 x0)"] if rng.random() < 0.5 else []
    init += [f"(likes ann {pick(rng, (*balls, *boxes, 'spare-1'))})", "(box x0)"]
    goals = [
        "(happy ann)",
        "(in spare-1 x1)",
        "(and (place) (ball b0))",
        "(exists (?b - red-ball) (in ?b x0))",
        "(forall (?x - (either box person)) (at ?x p1))",
        "(and)",
        "(not (at ann home))",
        "(and (ball b0) (ball b1) (forall (?x - box) (not (at ?x p1))))",
    ]
    objects = f"{' '.join(balls)} - ball {' '.join(boxes)} - box {' '.join(places[1:])} - place ann - person"
    return problem("oddities", objects, init, pick(rng, goals))


def wards(rng: Random) -> str:
    floors = names("f", int(rng.integers(3, 5)))
    kinds = ("guard", "prisoner", "visitor", "child", "passenger")
    people = [(f"x{n}", pick(rng, kinds)) for n in range(int(rng.integers(2, 5)))]
    init = [f"(lift {pick(rng, floors)})"]
    for person, _ in people:
        start, end = shuffled(rng, floors)[:2]
        init += [f"(from {person} {start})", f"(to {person} {end})"]
        init += [f"(barred {person} {pick(rng, floors)})"] if rng.random() < 0.3 else []
    objects = " ".join(f"{person} - {kind}" for person, kind in people)
    return problem("wards", f"{objects} {' '.join(floors)} - floor", init, "(forall (?p - passenger) (served ?p))")


def network(rng: Random) -> str:
    machines, files = names("m", 4), names("f", 2)
    init = [f"(cable {a} {b})" for a, b in links(rng, machines, 0) if a < b]
    init += [f"(up {m})" for m in machines if rng.random() < 0.4]
    init += [f"(stored {f} {pick(rng, machines)})" for f in files] + [f"(guest {pick(rng, machines)})"]
    init += [f"(secret {files[0]})"] if rng.random() < 0.7 else []
    goals = (
        "(and (stored f0 m3) (stored f1 m0))",
        "(and (forall (?m - machine) (stored f1 ?m)) (not (exposed f0)))",
        "(and (not (stored f0 m0)) (not (stored f1 m1)) (stored f0 m2) (not (exposed f0)))",
        "(forall (?a ?b - machine) (or (reaches ?a ?b) (= ?a ?b)))",
        "(and (forall (?a - machine) (apart ?a m0)) (stored f1 m0))",
    )
    return problem("network", f"{' '.join(machines)} - machine {' '.join(files)} - file", init, pick(rng, goals))


STRIPS: dict[str, Generator] = {
    "telescopes": telescopes,
    "storage": storage,
    "floor": floor,
    "drinks": drinks,
    "patience": patience,
}
"""Domains of STRIPS with types and costs."""

ADL: dict[str, Generator] = {
    "deal": deal,
    "islands": islands,
    "settlers": settlers,
    "tidying": tidying,
    "power": power,
    "cases": cases,
    "oddities": oddities,
    "wards": wards,
    "network": network,
}
"""Domains with quantifiers, conditional effects, derived predicates and rare syntax."""
