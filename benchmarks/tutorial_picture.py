"""The picture of an episode: six views of that of docs/tutorial.md, the sentence of each subgoal, and the plan.

python -m benchmarks.tutorial_picture [--out docs/pictures/tutorial.jpg]  # README.md shows it, too
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

from PIL import Image, ImageDraw

import chorewright as cw

PAGE = Path(__file__).parents[1] / "docs" / "tutorial.md"
SIZE, COLUMNS, CAPTION, GAP = 300, 3, 44, 8
PLAN = 330
"""The width of the plan beside the views."""


def sheet(episode: cw.Episode) -> Image.Image:
    """Return views of an episode at the last step of six subgoals, and its plan beside them."""
    goal = next(each.text for each in episode.instructions if each.level == "goal")
    said = {each.segment: each.text for each in reversed(episode.instructions) if each.segment is not None}
    ends = {step.segment: number + 1 for number, step in enumerate(episode.steps)}
    chosen = [list(said)[::-1][round(k * (len(said) - 1) / 5)] for k in range(6)]
    width, height = COLUMNS * SIZE + (COLUMNS + 1) * GAP + PLAN, 2 * (SIZE + CAPTION + GAP) + 34
    picture = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(picture)
    draw.text((GAP, 8), goal, fill="black", font_size=20)
    for place, segment in enumerate(chosen):
        left = GAP + place % COLUMNS * (SIZE + GAP)
        top = 38 + place // COLUMNS * (SIZE + CAPTION + GAP)
        picture.paste(cw.render(episode, step=min(ends[segment], len(episode.steps)), size=SIZE), (left, top))
        for line, text in enumerate(wrap(said[segment], 42)[:2]):
            draw.text((left, top + SIZE + 3 + 18 * line), text, fill="black", font_size=14)
    left, step = width - PLAN + GAP, min(56, (height - 60) // len(episode.plan))
    draw.text((left, 12), "the plan", fill="black", font_size=17)
    for number, action in enumerate(episode.plan):
        name, *objects = str(action).strip("()").split()
        draw.text((left, 44 + step * number), f"{number + 1:>2}  {name}", fill="black", font_size=16)
        draw.text((left + 26, 64 + step * number), "  ".join(objects), fill="#555", font_size=12)
    return picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/pictures/tutorial.jpg"))
    out = parser.parse_args().out
    found = re.search(r"^```lisp (\S+\.task)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    with TemporaryDirectory() as folder:
        task = Path(folder, found[1])
        task.write_text(found[2], "utf-8")
        dataset = cw.generate("alfred", Path(folder, "snacks"), episodes=1, seed=1, tasks=[str(task)])
        sheet(dataset[0]).save(out, quality=80)


if __name__ == "__main__":
    main()
