"""Plans and outlines, against networkx and sums of areas."""

from __future__ import annotations

from math import isclose

import networkx as nx
import pytest

from chorewright.problems.household.houses.assets import assets
from chorewright.problems.household.houses.design.plan import HousePlan, NoHousePlan, PlannedRoom, Squares, draw_plan
from chorewright.problems.household.houses.design.rules import STYLES, generator_of, rules_of, suitable_assets
from chorewright.problems.household.houses.design.shell import OUTSIDE, corners, room_outline
from chorewright.problems.household.houses.house import area_with_sign

SPECS = [spec for rooms in range(1, 11) for spec in rules_of("rich").specs[rooms - 1]]


def plans() -> list[HousePlan]:
    found = []
    for number, spec in enumerate(SPECS * 3):
        rooms = [PlannedRoom(kind, rules_of("rich").squares[kind][number % 2]) for kind in spec]
        found.append(draw_plan(rooms, 1.75, generator_of("plans", number)))
    return found


def graph(squares: Squares) -> nx.Graph[tuple[int, int]]:
    found: nx.Graph[tuple[int, int]] = nx.Graph()
    found.add_nodes_from(squares)
    found.add_edges_from(((c, r), near) for c, r in squares for near in ((c + 1, r), (c, r + 1)) if near in squares)
    return found


def test_rooms_are_in_one_piece_and_do_not_overlap() -> None:
    for plan in plans():
        assert all(nx.is_connected(graph(region)) for region in plan.regions)
        whole = frozenset().union(*plan.regions)
        assert len(whole) == sum(map(len, plan.regions))
        assert nx.is_connected(graph(whole))


@pytest.mark.parametrize("style", STYLES)
def test_assets_of_a_rule_are_all_that_its_words_allow(style: str) -> None:
    waiting = [rule for rules in rules_of(style).rooms.values() for rule in rules]
    while waiting:
        rule = waiting.pop()
        waiting += rule.group
        allowed = {
            each.asset_id
            for each in assets().values()
            if each.kind == rule.kind
            and (rule.assets == () or any(each.asset_id.startswith(name) for name in rule.assets))
            and not any(side > most for side, most in zip(each.size, rule.size, strict=True))
            and not each.size[1] < rule.least
        }
        found = suitable_assets(rule)
        assert len(found) == len(allowed) > 0, rule
        assert {each.asset_id for each in found} == allowed
        areas = [each.size[0] * each.size[2] for each in found]
        assert areas == sorted(areas)


def test_nobody_walks_through_a_bathroom() -> None:
    for plan in plans():
        found: nx.Graph[int] = nx.Graph()
        found.add_nodes_from(range(len(plan.kinds)))
        kinds = plan.kinds
        found.add_edges_from(pair for pair in plan.neighbours() if {kinds[n] for n in pair} != {"bathroom"})
        baths = [number for number, kind in enumerate(kinds) if kind == "bathroom"]
        if len(baths) < len(kinds):
            assert nx.is_connected(found.subgraph(set(found) - set(baths)))
        assert nx.is_connected(found)


def test_outlines_enclose_their_squares() -> None:
    for plan in plans():
        for number, region in enumerate(plan.regions):
            outline = room_outline(plan, number)
            assert isclose(-area_with_sign(corners(outline)), len(region) * plan.unit**2, rel_tol=1e-4)
            for before, stretch in zip((outline[-1], *outline[:-1]), outline, strict=True):
                assert before.end == stretch.start


def test_each_stretch_has_its_counterpart() -> None:
    for plan in plans():
        sides = {
            (number, stretch.start, stretch.end): stretch.neighbour
            for number in range(len(plan.kinds))
            for stretch in room_outline(plan, number)
        }
        for (number, start, end), neighbour in sides.items():
            if neighbour != OUTSIDE:
                assert sides[neighbour, end, start] == number


def test_two_bathrooms_alone_have_no_plan() -> None:
    with pytest.raises(NoHousePlan):
        draw_plan([PlannedRoom("bathroom", 2)] * 2, 1.75, generator_of("plans", 0))
