"""What is built into counters: sinks with basin and tap, stoves with burners and knobs, drawers, cabinets, appliances.

AI2-THOR has assets of counters, sinks, taps and appliances. Of burners, knobs, drawers and cabinets it has none: they
are parts of the counter.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chorewright.problems.household.houses.design.draws import between, one_of, whole
from chorewright.problems.household.houses.design.pieces import Piece, Spot
from chorewright.problems.household.houses.design.rules import Rules, suitable_assets

MODULE = 0.61
"""Metres of a counter's length for each front."""

FRONT = 0.57
"""The width of a front."""

INNER = 0.5
"""The depth of what is behind it."""

RIM = 0.02
"""Metres by which a sink's rim is above the counter."""

BURNERS = ((-0.14, -0.13), (0.14, -0.13), (-0.14, 0.13), (0.14, 0.13))
"""The middles of burners, to the right and forward."""


def fit(piece: Piece, rules: Rules, windows: list[tuple[float, float]], rng: np.random.Generator) -> None:
    """Build into a counter what its rule says, and drawers and cabinets into the rest.

    Args:
        piece: The counter.
        rules: The style's rules.
        windows: Spans of its length over which no cabinets may hang, in metres right of its middle.
        rng: Decides about the fronts.
    """
    length, fittings = piece.asset.size[0], piece.rule.fittings
    modules = max(1, round(length / MODULE))
    busy = whole(rng, 0, modules - 1) if fittings in ("sink", "stove") else -1
    hanging = piece.rule.fittings != "vanity" and rng.random() < rules.chance("wall_cabinets")
    for module in range(modules):
        right = (module + 0.5 - modules / 2) * (length / modules)
        if module == busy and fittings == "stove":
            _stove(piece, right)
            continue
        if module == busy:
            _cabinet(piece, right, 0.1, 0.7)
        else:
            _front(piece, right, rng)
        over_window = any(low < right + FRONT / 2 and right - FRONT / 2 < high for low, high in windows)
        if hanging and not over_window and module != busy:
            forward = 0.165 - piece.asset.size[2] / 2
            piece.add_part("Cabinet", right, 1.75, forward, (FRONT, 0.62, 0.32))
    if fittings == "sink":
        _sink(piece, (busy + 0.5 - modules / 2) * (length / modules), rng)
    _appliances(piece, rng)


def _front(piece: Piece, right: float, rng: np.random.Generator) -> None:
    """Build three drawers, or a drawer over a cabinet."""
    forward = (piece.asset.size[2] - INNER) / 2
    if rng.random() < 0.4:
        for height in (0.21, 0.47, 0.73):
            piece.add_part("Drawer", right, height, forward, (FRONT, 0.22, INNER))
    else:
        _cabinet(piece, right, 0.08, 0.54)
        piece.add_part("Drawer", right, 0.74, forward, (FRONT, 0.18, INNER))


def _cabinet(piece: Piece, right: float, bottom: float, height: float) -> None:
    forward = (piece.asset.size[2] - INNER) / 2
    piece.add_part("Cabinet", right, bottom + height / 2, forward, (FRONT, height, INNER))


def _stove(piece: Piece, right: float) -> None:
    """Build four burners with a knob each."""
    depth = piece.asset.size[2]
    for number, (across, forward) in enumerate(BURNERS):
        burner = piece.add_part("StoveBurner", right + across, piece.top + 0.01, forward, (0.2, 0.02, 0.2))
        place = (right - 0.21 + 0.14 * number, piece.top - 0.06, depth / 2 + 0.02)
        knob = piece.add_part("StoveKnob", *place, (0.05, 0.05, 0.04))
        piece.parts[-1] = replace(knob, controls=(burner.part_id,))
    x, z = piece.spot.offset(right, 0.0)
    piece.taken.append(Spot(x, z, piece.spot.yaw).box(0.6, 0.5))


def _sink(piece: Piece, right: float, rng: np.random.Generator) -> None:
    """Let a sink into the counter, whose basin comes with it, with a tap at its back."""
    rule = replace(
        piece.rule, kind="Sink", assets=(), size=(min(0.8, piece.asset.size[0] - 0.02), 0.2, 0.47), least=0.0
    )
    asset = one_of(rng, suitable_assets(rule))
    taps = suitable_assets(
        replace(rule, kind="Faucet", assets=("Kitchen_Faucet", "Bathroom_Faucet"), size=(0.5, 0.5, 0.3))
    )
    limit = (piece.asset.size[0] - asset.size[0]) / 2
    right = max(-limit, min(limit, right))
    x, z = piece.spot.offset(right, 0.02)
    piece.add_child(asset, x, piece.top + RIM - asset.size[1], z, float(piece.spot.yaw))
    piece.taken.append(Spot(x, z, piece.spot.yaw).box(asset.size[0], asset.size[2]))
    tap = one_of(rng, taps)
    x, z = piece.spot.offset(right, (tap.size[2] - piece.asset.size[2]) / 2 + 0.01)
    piece.add_child(tap, x, piece.top + RIM, z, float(piece.spot.yaw))
    piece.taken.append(Spot(x, z, piece.spot.yaw).box(tap.size[0], tap.size[2]))


def _appliances(piece: Piece, rng: np.random.Generator) -> None:
    """Stand the group's appliances side by side at the back of the counter."""
    wanted = [one_of(rng, suitable_assets(rule)) for rule in piece.rule.group if rng.random() < rule.chance]
    left = piece.asset.size[0] - sum(asset.size[0] for asset in wanted) - 0.05 * (len(wanted) + 1)
    edge = -piece.asset.size[0] / 2
    for number, asset in enumerate(wanted):
        slack = between(rng, 0.0, max(0.0, left) / (len(wanted) - number))
        left -= slack
        right = edge + 0.05 + slack + asset.size[0] / 2
        edge = right + asset.size[0] / 2
        x, z = piece.spot.offset(right, (asset.size[2] - piece.asset.size[2]) / 2 + 0.01)
        piece.add_child(asset, x, piece.top, z, float(piece.spot.yaw))
        piece.taken.append(Spot(x, z, piece.spot.yaw).box(asset.size[0], asset.size[2]))
