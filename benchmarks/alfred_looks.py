"""What the rooms' things look like, as most annotators say: makes ``chorewright/rsa/data/looks.json``.

    python -m benchmarks.alfred_looks [--check]

A look is a colour or material that stands before a noun of the thing that a step is about. A colour is kept if at
least 4 sentences name it and 3 in 4 of those that name a colour; a material if at least 4 name it and 15 in 100
sentences that speak of the thing's looks. ``--check`` takes the facts from every second demonstration and prints how
many of the colours in the others agree.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.alfred_language import rows
from benchmarks.corpora.reference import reference
from chorewright.rsa.household.nouns import load_nouns

OUT = Path(__file__).resolve().parents[1] / "chorewright" / "rsa" / "data" / "looks.json"
COLOURS = (
    "white", "black", "brown", "green", "blue", "red", "yellow", "gray", "silver", "gold", "purple", "pink", "orange",
    "tan", "beige", "copper", "bronze",
)  # fmt: skip
MATERIALS = (
    "wooden", "metal", "glass", "plastic", "cardboard", "marble", "striped", "plaid", "square", "round", "oval",
    "rectangular", "leather",
)  # fmt: skip
SAME = {"grey": "gray", "golden": "gold", "wood": "wooden"}
BETWEEN = ("and", "colored", "light", "dark", "kitchen", "coffee")
"""Words that may stand between a look and its noun."""

LEAST, COLOUR_SHARE, MATERIAL_SHARE = 4, 0.75, 0.15

Counts = Mapping[str, Mapping[str, Counter[str]]]


def counted(demonstrations: Iterable[Mapping[str, object]]) -> Counts:
    """Return how often annotators say each look of each kind of a room's things."""
    found: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row in demonstrations:
        segments = row["high"]
        assert isinstance(segments, list)
        people = row["anns"]
        assert isinstance(people, list)
        for _, steps in people:
            for place, (segment, text) in enumerate(zip(segments, steps, strict=False)):
                about = segments[place + 1] if segment["a"] == "GotoLocation" and place + 1 < len(segments) else segment
                for kind in sorted({about[key][0] for key in ("oc", "rc") if about.get(key)}):
                    _count(text.lower(), kind, found[f"FloorPlan{row['scene_num']}"][kind])
    return found


def _count(text: str, kind: str, counts: Counter[str]) -> None:
    named = load_nouns().kinds.get(kind)
    for noun in named.nouns if named else ():
        for found in re.finditer(rf"((?:[a-z]+[ ,]+){{1,3}}){re.escape(noun.lower())}\b", text):
            looks = set()
            for word in reversed(re.findall("[a-z]+", found[1])[-3:]):
                look = SAME.get(word, word)
                if look in COLOURS or look in MATERIALS:
                    looks.add(look)
                elif word not in BETWEEN:
                    break
            if len(looks & set(COLOURS)) <= 1:  # striped things have none
                counts.update(looks)


def facts(found: Counts) -> dict[str, dict[str, list[str]]]:
    """Return the looks on which annotators agree, by room and kind, a colour first."""
    kept: dict[str, dict[str, list[str]]] = {}
    for room in sorted(found, key=lambda name: int(name.removeprefix("FloorPlan"))):
        for kind in sorted(found[room]):
            counts = found[room][kind]
            colours = {look: counts[look] for look in COLOURS if counts[look]}
            best = max(colours, key=lambda look: colours[look], default="")
            agreed = colours.get(best, 0) >= max(LEAST, COLOUR_SHARE * sum(colours.values()))
            looks = [best] if best and agreed else []
            least = max(LEAST, MATERIAL_SHARE * sum(counts.values()))
            looks += [look for look in MATERIALS if counts[look] >= least]
            if looks:
                kept.setdefault(room, {})[kind] = looks
    return kept


def agreement(kept: Mapping[str, Mapping[str, list[str]]], others: Counts) -> tuple[int, int]:
    """Return how many sentences of others name the colour of a fact, and how many name any."""
    right = total = 0
    for room, kinds in kept.items():
        for kind, looks in kinds.items():
            counts = others.get(room, {}).get(kind, Counter())
            if looks[0] in COLOURS:
                right += counts[looks[0]]
                total += sum(counts[look] for look in COLOURS)
    return right, total


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say how far people agree")
    arguments = parser.parse_args()
    demonstrations = list(rows(reference("alfred/demos-train.jsonl.gz"), 1))
    if arguments.check:
        right, total = agreement(facts(counted(demonstrations[1::2])), counted(demonstrations[::2]))
        print(f"{right} of {total} colours agree: {100 * right / total:.1f} %")
        return
    document = json.loads(OUT.read_text("utf-8"))
    lines = [f"    {json.dumps(room)}: {json.dumps(kinds)}" for room, kinds in facts(counted(demonstrations)).items()]
    head = json.dumps({"about": document["about"], "order": document["order"]}, indent=2)[:-2]
    OUT.write_text(f'{head},\n  "rooms": {{\n' + ",\n".join(lines) + "\n  }\n}\n", "utf-8")


if __name__ == "__main__":
    main()
