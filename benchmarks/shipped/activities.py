"""Builds the shipped file of BEHAVIOR's activities, kinds and rules from the ``bddl`` packages.

Run as ``python -m benchmarks.shipped.activities BDDL_1_0_1 BDDL_3_6_0 [TARGET]`` with the source archives
``bddl-1.0.1.tar.gz`` (BEHAVIOR-100) and ``bddl-3.6.0.tar.gz`` (BEHAVIOR-1K), both MIT, as
``pip download --no-deps --no-binary :all:`` fetches them. The same archives give the same bytes. See docs/behavior.md.
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from chorewright.domains.behavior.reader import parse_activity, write_activity
from chorewright.problems.behavior.kinds import CORPUS

Json: TypeAlias = dict[str, Any]

EVERYTHING = frozenset(
    (
        *("disinfectable", "dustyable", "grassyable", "moldyable", "rustable", "scratchable", "stainable"),
        *("stickyable", "tarnishable", "wetable", "wrinkleable", "perishable", "burnable"),
        *("nonSubstance", "rigidBody", "deformable", "softBody"),
    )
)
"""Properties that all things, or all things of a form, have, so that they say nothing."""

FORMS = ("visual", "non_fluid", "fluid")
"""The forms of substances that a remover has a default for."""

RULES = "bddl/generated_data/transition_map/tm_jsons/"
SINGLE = ("slicing", "dicing", "melting", "substance_cooking")
RECIPES = ("heat_cook", "mixing_stick", "single_toggleable_machine", "substance_watercooking")
_DEFINITION = re.compile(r"bddl/activity_definitions/([^/]+)/problem0\.bddl\Z")


def read_archive(path: Path) -> dict[str, str]:
    """Return the texts of a source archive by their path below its top folder."""
    with tarfile.open(path) as archive:
        found = {}
        for member in archive:
            if member.isfile() and member.name.endswith((".bddl", ".json")):
                stream = archive.extractfile(member)
                assert stream is not None, "a file has contents"
                found[member.name.split("/", 1)[1]] = stream.read().decode("utf-8")
    return found


def activities(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the activities of an archive by name, in our writing."""
    found = {}
    for path, text in sorted(texts.items()):
        match = _DEFINITION.match(path)
        if match:
            found[match.group(1)] = write_activity(parse_activity(text, path))
    return found


def _nodes(node: Json, above: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...], Json]]:
    """The nodes of a taxonomy: name, the names above, abilities."""
    yield node["name"], above, node.get("abilities", {})
    for child in node.get("children", []):
        yield from _nodes(child, (node["name"], *above))


def kinds_100(texts: Mapping[str, str]) -> Json:
    """Return the synsets of BEHAVIOR-100's taxonomy: their properties and what is above them.

    Only leaves are annotated there. A kind above has the property of any kind below it, since an instance of it is
    one of these.
    """
    found: Json = {}
    for name, above, abilities in _nodes(json.loads(texts["bddl/hierarchy_all.json"])):
        found[name] = {"is": sorted(set(abilities) - EVERYTHING), "above": above[:3], **_sources(abilities)}
        for each in above[:2]:
            found[each]["is"] = sorted({*found[each]["is"], *found[name]["is"]})
    return found


def kinds_1k(texts: Mapping[str, str]) -> Json:
    """Return the synsets of BEHAVIOR-1K: properties, what is above them, and their properties' parameters.

    ``removes`` is the number of a table of ``removers``; ``gives`` are the substances that come out of a thing.
    """
    above: dict[str, tuple[str, ...]] = {}
    below: dict[str, list[str]] = {}
    for name, names, _ in _nodes(json.loads(texts["bddl/generated_data/output_hierarchy_properties.json"])):
        above.setdefault(name, names[:3])
        for each in names:
            below.setdefault(each, []).append(name)
    found: Json = {}
    tables: list[Json] = []
    for name, given in sorted(json.loads(texts["bddl/generated_data/propagated_annots_params.json"]).items()):
        kind: Json = {"is": sorted(set(given) - EVERYTHING), "above": above.get(name, ()), **_sources(given)}
        gives = {**_conditions(given, "particleApplier"), **_conditions(given, "particleSource")}
        if gives:
            kind["gives"] = sorted(gives)
        if given.get("particleRemover"):
            table = _removal(given["particleRemover"])
            if table not in tables:
                tables.append(table)
            kind["removes"] = tables.index(table)
        found[name] = kind
    for name, kind in found.items():
        numbers = {found[each]["removes"] for each in below.get(name, ()) if "removes" in found.get(each, {})}
        if "particleRemover" in kind["is"] and "removes" not in kind and numbers:
            # An instance of a kind that is not described itself is one of those below it: the best of them.
            kind["removes"] = min(numbers, key=lambda number: sum(each is None for each in tables[number].values()))
    return {"kinds": found, "removers": tables}


def _removal(given: Json) -> Json:
    """What a thing removes with which means, by substance; ``*`` and a form for what is not named."""
    defaults = {f"*{form}": _means(given.get(f"default_{form}_conditions")) for form in FORMS}
    return {**defaults, **{name: _means(each) for name, each in given.get("conditions", {}).items()}}


def _sources(given: Json) -> Json:
    """What a source of heat or cold asks for: "closed", "inside", "on"."""
    found: Json = {}
    for key in ("heatSource", "coldSource"):
        asked = given.get(key)
        if asked is not None:
            terms = {"requires_closed": "closed", "requires_inside": "inside", "requires_toggled_on": "on"}
            found[key] = [short for term, short in terms.items() if asked.get(term)]
            found["temperature"] = asked.get("temperature", 0)
    return found


def _conditions(given: Json, key: str) -> Json:
    return given.get(key, {}).get("conditions") or {}


def _means(conditions: list[list[object]] | None) -> list[str] | None:
    """With which substances in it a thing removes a substance: any of these; with none needed, an empty list."""
    if conditions is None:
        return None
    return [str(value) for state, value in conditions if state == "saturated"]


def rules(texts: Mapping[str, str]) -> Json:
    """Return what becomes of what: single changes as pairs, recipes with inputs, containers and machines."""
    single = {}
    for name in SINGLE:
        each = json.loads(texts[f"{RULES}{name}.json"])
        single[name] = [[_one(rule["input_synsets"]), rule["output_synsets"]] for rule in each]
    recipes = []
    for name in RECIPES:
        for rule in json.loads(texts[f"{RULES}{name}.json"]):
            recipe = {"rule": name, "name": rule["rule_name"], "inputs": rule["input_synsets"]}
            recipe["outputs"] = rule["output_synsets"]
            for key in ("container", "heat_source", "machine", "input_states"):
                if rule.get(key):
                    recipe[key] = rule[key] if key == "input_states" else sorted(rule[key])
            recipes.append(recipe)
    return {**single, "recipes": recipes, "washer": json.loads(texts[f"{RULES}washer.json"])}


def _one(inputs: Json) -> str:
    (name,) = inputs
    return str(name)


def build(archive_100: Path, archive_1k: Path) -> dict[str, Json]:
    """Return the members of the file."""
    older, newer = read_archive(archive_100), read_archive(archive_1k)
    return {
        "activities_100.json": activities(older),
        "activities_1k.json": activities(newer),
        "kinds_100.json": kinds_100(older),
        "kinds_1k.json": kinds_1k(newer),
        "rules.json": rules(newer),
    }


def write(members: Mapping[str, Json], target: Path) -> None:
    """Write the file; the same members give the same bytes."""
    with zipfile.ZipFile(target, "w") as archive:
        for name in sorted(members):
            text = json.dumps(members[name], separators=(",", ":"), ensure_ascii=False)
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text, compresslevel=9)


def main(arguments: list[str]) -> None:
    """Build the file from the archives that are named."""
    if len(arguments) not in (2, 3):
        raise SystemExit(__doc__)
    target = Path(arguments[2]) if len(arguments) == 3 else CORPUS
    write(build(Path(arguments[0]), Path(arguments[1])), target)
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
