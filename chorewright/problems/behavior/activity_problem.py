"""An activity as a planning problem: its objects and initial state, and what its kinds of things are for.

BDDL says nothing about what can be done, so the facts that the domain's actions ask for come from BEHAVIOR's own
annotations of kinds (``kinds``) and from how its activities use them: what something is once put into is a container.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from chorewright.domains.behavior.syntax import Activity, atoms_of, constant, lower_condition, pddl_name
from chorewright.domains.pddl.parser import load_domain
from chorewright.domains.pddl.syntax import And, Atom, Domain, Formula, GroundAtom, Not, Or, Problem, Typed
from chorewright.problems.behavior import kinds
from chorewright.problems.behavior.transitions import transitions

DOMAIN = Path(str(files("chorewright.domains"))) / "behavior" / "domain.pddl"
HANDS = ("hand", "other-hand")
UNSAID = frozenset(["future", "grasped", "burnt", "perished", "timeset", "screwed"])
"""Predicates of BDDL that no action here is about; ``future`` is the absence of ``real``."""


def base_domain() -> Domain:
    """Return the domain without the synsets."""
    return load_domain(DOMAIN)


@lru_cache
def behavior_domain() -> Domain:
    """Return the domain with the synsets of all shipped activities as types."""
    synsets: dict[str, str] = {}
    for version in kinds.VERSIONS:
        for name in kinds.activity_names(version):
            synsets |= _parents(kinds.shipped_activity(name, version))
    return _with_types(base_domain(), synsets)


def domain_of(activity: Activity) -> Domain:
    """Return the domain with the synsets of one activity as types."""
    return _with_types(base_domain(), _parents(activity))


def _with_types(domain: Domain, parents: Mapping[str, str]) -> Domain:
    types = tuple(Typed(name, (parents[name],)) for name in sorted(parents))
    return replace(domain, types=(*domain.types, *types))


def _parents(activity: Activity) -> dict[str, str]:
    known = kinds.kinds(kinds.version_of(activity))
    found = {}
    for synset in activity.synsets():
        found[pddl_name(synset)] = "substance" if known.is_substance(synset) else "item"
    return found


def activity_problem(activity: Activity, domain: Domain, hands: int = 1) -> Problem:
    """Return the problem of an activity.

    Args:
        activity: The activity.
        domain: ``behavior_domain()`` or ``domain_of(activity)``.
        hands: How many things the robot can hold, 1 or 2.
    """
    known = kinds.kinds(kinds.version_of(activity))
    synsets = {each.name: each.types[0] for each in activity.objects}
    rooms = dict.fromkeys(each.atom.terms[1] for each in activity.init if each.atom.predicate == "inroom")
    changes = transitions(synsets, _future(activity), known)
    objects = [Typed(pddl_name(name), (pddl_name(synset),)) for name, synset in synsets.items()]
    objects += [Typed(each, ("room",)) for each in rooms]
    objects += [Typed(each, ("hand",)) for each in HANDS[:hands]]
    objects += [Typed(each, ("recipe",)) for each in changes.recipes]
    init = dict.fromkeys(
        (*_initial(activity, known), *_affordances(activity, known), *_placements(activity), *changes.atoms)
    )
    init |= dict.fromkeys(("free", each) for each in HANDS[:hands])
    goal = lower_condition(activity.goal, activity, in_domain)
    called = pddl_name(activity.name).replace(".", "-")
    named = tuple(tuple(map(pddl_name, atom)) for atom in init)
    return Problem(called, domain.name, tuple(objects), named, (), goal)


def in_domain(atom: Atom) -> Formula:
    """Return what an atom of BDDL's goal is in the domain.

    What is on a plate in a refrigerator is in the refrigerator, as it is where positions decide. Touching is being
    beside, on or in.
    """
    terms = atom.terms
    match atom.predicate:
        case "onfloor":
            return Atom("ontop", terms)
        case "inside":
            return Atom("within", terms)
        case "future":
            return Not(Atom("real", terms))
        case "touching":
            x, y = terms
            beside = [Atom("nextto", (x, y))]
            for predicate in ("ontop", "inside", "attached", "draped", "overlaid"):
                beside += [Atom(predicate, (x, y)), Atom(predicate, (y, x))]
            return Or(tuple(beside))
        case "unfolded":
            return And((Atom("unfolded", terms), Not(Atom("folded", terms))))
    return atom


def _future(activity: Activity) -> frozenset[str]:
    return frozenset(each.atom.terms[0] for each in activity.init if each.atom.predicate == "future")


def _initial(activity: Activity, known: kinds.ActivityKinds) -> Iterator[GroundAtom]:
    """The atoms that hold at the start."""
    future = _future(activity)
    for each in dict.fromkeys(thing.name for thing in activity.objects):
        if each not in future:
            yield ("real", each)
    for literal in activity.init:
        predicate, terms = literal.atom.predicate, tuple(map(constant, literal.atom.terms))
        if not literal.positive or predicate in UNSAID or activity.synset_of(terms[0]) == "agent.n.01":
            continue
        if predicate == "onfloor":
            predicate = "ontop"
        yield (predicate, *terms)
        if predicate == "filled":
            yield ("contains", *terms)
        if predicate in ("draped", "overlaid"):
            yield ("ontop", *terms)
        if predicate == "nextto":
            yield ("nextto", terms[1], terms[0])


def _affordances(activity: Activity, known: kinds.ActivityKinds) -> Iterator[GroundAtom]:
    """What each thing is for, as atoms that never change."""
    rooms = {each.atom.terms[0]: each.atom.terms[1] for each in activity.init if each.atom.predicate == "inroom"}
    standing = [each.atom.terms for each in activity.init if each.atom.predicate in ("ontop", "onfloor")]
    grounds = {terms[1] for terms in standing if activity.synset_of(terms[0]) == "agent.n.01"}
    synsets = {each.name: each.types[0] for each in activity.objects}
    grounds |= {name for name, synset in synsets.items() if synset in known.grounds and name in rooms}
    attached = {(a, b) for a, b in _attach(activity)}
    lain_on = set(_lain_on(activity))
    moved = {each for each in _move(activity) if each in rooms and not known.has(synsets[each], *BUILT_IN)}
    for name, synset in synsets.items():
        if known.is_substance(synset):
            yield from _of_substance(name, synset, known)
            continue
        if synset == "agent.n.01":
            continue
        if name in grounds:
            yield ("ground", name)
            yield ("surface", name)
        elif name in moved:
            yield ("movable", name)
            below = [each for each in sorted(grounds) if rooms.get(each) == rooms[name]]
            yield from (("ontop", name, each) for each in below)
            if not below:
                yield ("stands", name)
        elif name in rooms:
            yield from (("ground-of", name, each) for each in grounds if rooms.get(each, rooms[name]) == rooms[name])
        if name not in rooms:
            yield ("movable", name)
        yield from _of_item(name, synset, known)
        if name in lain_on or (synset in known.surfaces and (name in rooms or known.is_a(synset, CARRIERS))):
            yield ("surface", name)
        for other, kind in synsets.items():
            if other == name or known.is_substance(kind):
                continue
            if (synset, kind) in known.partners or (name, other) in attached:
                yield ("attachable", name, other)
    yield from _cleaning(synsets, known)


def _move(activity: Activity) -> Iterator[str]:
    """Furniture that the goal wants elsewhere: the first thing of a relation that a robot brings about."""
    for atom in atoms_of(activity.goal):
        if (
            atom.predicate in ("inside", "ontop", "onfloor", "nextto", "under", "touching")
            and atom.terms[0] != atom.terms[1]
        ):
            name = constant(atom.terms[0])
            yield from activity.instances(name) or (name,)


def _lain_on(activity: Activity) -> Iterator[str]:
    """What something lies on at the start, or may have to lie on for the goal."""
    for atom in (*(each.atom for each in activity.init), *atoms_of(activity.goal)):
        if atom.predicate in kinds.SURFACES:
            name = constant(atom.terms[1])
            yield from activity.instances(name) or (name,)


def _placements(activity: Activity) -> Iterator[GroundAtom]:
    """Which things the goal may want beside, under or across which: without it every pair would be thought of."""
    for atom in atoms_of(activity.goal):
        if len(atom.terms) < 2:
            continue
        first, second = (activity.instances(constant(each)) or (constant(each),) for each in atom.terms)
        pairs = [(x, y) for x in first for y in second if x != y]
        if atom.predicate in ("nextto", "touching"):
            yield from ((("may-stand-by", *each)) for x, y in pairs for each in ((x, y), (y, x)))
        elif atom.predicate == "under":
            yield from ((("may-lie-under", x, y)) for x, y in pairs)
        elif atom.predicate in ("ontop", "onfloor"):
            yield from (("may-lie-on", x, y) for x, y in pairs)
        if atom.predicate in ("ontop", "onfloor") and len(first) == 1 < len(second):
            # One thing on each of several: they are put side by side.
            yield from ((("may-lie-across", x, y)) for x, y in pairs)
            yield from ((("may-stand-by", x, y)) for x in second for y in second if x != y)


def _attach(activity: Activity) -> Iterator[tuple[str, str]]:
    for atom in (*(each.atom for each in activity.init), *atoms_of(activity.goal)):
        if atom.predicate == "attached":
            yield constant(atom.terms[0]), constant(atom.terms[1])


def _of_substance(name: str, synset: str, known: kinds.ActivityKinds) -> Iterator[GroundAtom]:
    if known.has(synset, "physicalSubstance", "liquid"):
        yield ("flows", name)


PROPERTIES: Mapping[str, tuple[str, ...]] = {
    "openable": ("openable",),
    "toggleable": ("toggleable",),
    "cookable": ("cookable",),
    "freezable": ("freezable", "heatable"),
    "cuts": ("slicer",),
    "cleans": ("cleaningTool",),
    "wettable": ("soakable",),
    "fillable": ("fillable",),
    "soakable": ("particleRemover",),
    "drains": ("particleSink",),
    "stirs": ("mixingTool",),
    "foldable": ("cloth", "drapeable", "rope"),
    "drapeable": ("cloth", "drapeable", "rope"),
}
"""The domain's predicates about what a thing is for, with the annotations that give them."""

BUILT_IN = ("heatSource", "coldSource", "particleSink", "waterSource")
"""Furniture that nobody moves, whatever a goal says."""

CARRIERS = (
    *("plate.n.04", "tray.n.01", "chopping_board.n.01", "cookie_sheet.n.01", "platter.n.01", "saucer.n.02"),
    *("frying_pan.n.01", "bowl.n.01", "baking_sheet.n.01", "dish.n.01"),
)
"""Things to carry others on; of other small things only those serve that the activity has something on."""

NARROW = ("bottle.n.01", "carboy.n.01", "glass.n.02", "jug.n.01")
"""Vessels that take substances only; things go into them only if an activity has something in one."""

MENDERS = ("hammer.n.02", "screwdriver.n.01", "adhesive_material.n.01", "wrench.n.03", "toolbox.n.01")
WASHERS = ("washer.n.03", "dishwasher.n.01")
LIGHTERS = ("cigar_lighter.n.01", "iron.n.04", "hand_blower.n.01", "lighter.n.02", "match.n.01", "blowtorch.n.01")


def _of_item(name: str, synset: str, known: kinds.ActivityKinds) -> Iterator[GroundAtom]:
    for predicate, properties in PROPERTIES.items():
        if known.has(synset, *properties):
            yield (predicate, name)
    heat, cold = known.source_of(synset, "heatSource"), known.source_of(synset, "coldSource")
    from_inside = "inside" in (heat or ()) or "inside" in (cold or ())
    roomy = known.has(synset, "openable") or (known.has(synset, "fillable") and not known.is_a(synset, NARROW))
    if synset in known.containers or roomy or from_inside:
        yield ("container", name)
    if known.has(synset, "waterSource") and known.version == "100":
        yield ("soaks", name)
    if known.is_a(synset, MENDERS):
        yield ("mends", name)
    if known.is_a(synset, WASHERS):
        yield ("washes", name)
    if heat is not None and known.is_a(synset, LIGHTERS):
        yield ("heats-by-hand", name)
    elif heat is not None:
        yield ("heats-inside" if "inside" in heat else "heats-over", name)
        if "closed" in heat:
            yield ("heats-closed", name)
        if "on" not in heat:
            yield ("works-off", name)
    if cold is not None:
        yield ("cools-inside", name)
        if "on" not in cold:
            yield ("works-off", name)


def _cleaning(synsets: Mapping[str, str], known: kinds.ActivityKinds) -> Iterator[GroundAtom]:
    """What removes which substance, and what comes out of what."""
    substances = {name: synset for name, synset in synsets.items() if known.is_substance(synset)}
    for name, synset in synsets.items():
        if name in substances:
            continue
        for given in known.gives(synset):
            yield from (("insource", name, each) for each, kind in substances.items() if kind == given)
        for substance, kind in substances.items():
            means = known.removers(synset, kind)
            if means == ():
                yield ("removes", name, substance)
            for each, other in substances.items():
                if means and other in means:
                    yield ("removes-with", name, substance, each)
    if known.version == "1k":
        for substance, kind in substances.items():
            means = kinds.RULES.washing.get(kind, ())
            if means == ():
                yield ("washed-out", substance)
            yield from (
                ("washed-out-with", substance, each) for each, other in substances.items() if other in (means or ())
            )
