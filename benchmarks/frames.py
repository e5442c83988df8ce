"""Pictures drawn from states when a training loop asks for them, beside the same frames decoded from videos."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from benchmarks.command import ROOT
from benchmarks.decoding import rates
from benchmarks.results import Figure, Peer, Report, Table, Target
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.training.windows import FrameWindows

COUNT, LENGTH, ROUNDS = 300, 16, 2
DECODED = 64

ASKED = {
    "first": "single frames at random places, episodes read for the first time",
    "again": "single frames at random places, episodes known",
    "order": "single frames in order",
    "windows": f"windows of {LENGTH} frames at random places",
}


def drawn_beside_decoded(path: Path, video: Path, python: str, group: str) -> Report:
    """Return frames a CPU second of both, each the best of rounds that take turns.

    Args:
        path: A dataset of CALVIN's.
        video: Its export for LeRobot.
        python: The interpreter that decodes.
        group: Where the figures belong.
    """
    drawn, decoded, reader = dict.fromkeys(ASKED, 0.0), dict.fromkeys(ASKED, 0.0), ""
    _drawn(path)  # compiles kernels
    for _ in range(ROUNDS):
        ours, (reader, theirs) = _drawn(path), _decoded(video, python)
        for name in ASKED:
            drawn[name], decoded[name] = max(drawn[name], ours[name]), max(decoded[name], theirs[name])
    rows = [
        (ASKED[name], f"{drawn[name]:,.0f}", f"{decoded[name]:,.0f}", f"{drawn[name] / decoded[name]:.1f}")
        for name in ASKED
    ]
    for row in rows:
        print(" | ".join(row))
    figures = tuple(
        Figure(f"frames_{name}", f"frames a CPU second drawn from states: {asked}", drawn[name], digits=0,
               peers=(Peer(reader, f"{decoded[name]:,.0f}", "videos of the same frames, the same run"),))
        for name, asked in ASKED.items()
    ) + tuple(
        Figure(f"times_{name}", f"times as many as decoded: {asked}", drawn[name] / decoded[name], digits=1,
               target=Target("at least", 20) if name in ("first", "again") else None)
        for name, asked in ASKED.items()
    )  # fmt: skip
    explanation = (
        f"A frame is both cameras of a step of CALVIN's table (200 and 84 pixels). {reader} decodes h264 videos; we "
        "draw from the stored states, with the same bytes as the renderer's. One process each, best of two turns."
    )
    table = Table(("asked for", "drawn", reader, "times"), tuple(rows))
    return Report("exchange-frames", group, "Frames on the fly", explanation, figures, (table,))


def _drawn(path: Path) -> dict[str, float]:
    one = FrameWindows(Dataset(path), length=1, pictures=True)
    window = FrameWindows(Dataset(path), length=LENGTH, pictures=True)
    return rates(len(one), one.__getitem__, window.__getitem__, COUNT, LENGTH)


def _decoded(video: Path, python: str) -> tuple[str, dict[str, float]]:
    command = [python, "-m", "benchmarks.decoding", str(video), "--count", str(DECODED), "--length", str(LENGTH)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    said = json.loads(done.stdout.splitlines()[-1])
    return said.pop("reader"), said
