"""Properties of AI2-THOR's and TEACh's metadata in terms of the household domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chorewright.domains.pddl.syntax import Atom, Exists, Formula, Not, Or, Typed
from chorewright.domains.rewriting import conjunction
from chorewright.domains.teach.definition import AtomicComponent, TeachTask, Value
from chorewright.domains.teach.world import ALIASES, CLASS, PARENTS, TYPE, ObjectWorld
from chorewright.domains.vocabulary import Kind, Vocabulary
from chorewright.errors import InputError, Location, UnsupportedError
from chorewright.files.english import did_you_mean
from chorewright.files.records import reader_of


@dataclass(frozen=True, slots=True)
class Property:
    """A property in terms of the household domain.

    Attributes:
        affordance: It is true of every object of a kind that affords this.
        predicates: It is true if one of these holds.
        items: Only of items.
        only: The one value that can be asked for.
        before: What must not have happened to an object before it can come to be so.
        lids: Whether it is told of what things lie on, too: the domain leaves the lid of a toilet alone.
    """

    affordance: str = ""
    predicates: tuple[str, ...] = ()
    items: bool = False
    only: int | None = None
    before: tuple[str, ...] = ()
    lids: bool = True


@dataclass(frozen=True, slots=True)
class Described:
    """The objects that satisfy conditions: their PDDL types, and what must hold of ``?x``."""

    types: tuple[str, ...]
    formula: Formula

    def variable(self, name: str) -> Typed:
        return Typed(name, self.types)


properties = reader_of(dict[str, Property], "chorewright.domains", "household/teach_properties.json")
"""Returns the properties that the household domain can express."""


def describe(
    part: AtomicComponent, vocabulary: Vocabulary, *, primary_only: bool = False, wholes: bool = False
) -> Described:
    """Return the objects that satisfy a component.

    Args:
        part: The component.
        vocabulary: Which kinds are of a class, and what they afford.
        primary_only: Only the primary condition counts.
        wholes: What is sliced or cracked to such objects counts too.

    Raises:
        InputError: There is no kind of the wanted type or class.
        UnsupportedError: The household domain has no word for a property.
    """
    kinds = list(vocabulary.kinds.values())
    pieces = {kind.name: kind.pieces.kind for kind in kinds if kind.pieces is not None}
    literals: list[Formula] = []
    for prop, wanted in part.conditions:
        if primary_only and prop != part.primary:
            continue
        if prop in (TYPE, CLASS):
            named = [kind for kind in kinds if is_a(kind, prop, wanted)]
            if not named:
                raise _unknown(part, prop, wanted, vocabulary)
            if wholes and prop == part.primary:
                names = {kind.name for kind in named}
                named = [kind for kind in kinds if kind.name in names or pieces.get(kind.name) in names]
        elif prop == PARENTS:
            named = list(vocabulary.kinds.values())
            literals.append(_within(part, wanted, vocabulary))
        else:
            named, literal = _literal(part, prop, wanted, kinds)
            literals += literal
        kept = {kind.name for kind in named}
        kinds = [kind for kind in kinds if kind.name in kept]
    cut = {*pieces, *pieces.values()}
    if any(kind.name in cut for kind in kinds) and all("pickupable" in kind.affordances for kind in kinds):
        literals.insert(0, Atom("present", ("?x",)))
    return Described(tuple(kind.pddl_type for kind in kinds), conjunction(literals))


def is_a(kind: Kind, prop: str, wanted: Value) -> bool:
    """Whether a kind is of a type or class."""
    if prop == TYPE:
        return kind.name == wanted or ALIASES.get(kind.name) == wanted
    return kind.name == wanted or wanted in kind.classes


def unknown_kinds(task: TeachTask, vocabulary: Vocabulary, world: ObjectWorld) -> Iterator[InputError]:
    """Yield an error for each type or class of a task that neither the vocabulary nor the state has."""
    kinds = vocabulary.kinds.values()
    for each in task.walk():
        for part in each.components:
            if isinstance(part, AtomicComponent):
                for prop, wanted in part.conditions:
                    if (
                        prop in (TYPE, CLASS)
                        and not any(is_a(kind, prop, wanted) for kind in kinds)
                        and not any(world.holds(thing, prop, wanted) for thing in world.things)
                    ):
                        yield _unknown(part, prop, wanted, vocabulary)


def _unknown(part: AtomicComponent, prop: str, wanted: Value, vocabulary: Vocabulary) -> InputError:
    names = list(vocabulary.kinds)
    if prop == CLASS:
        names += sorted({each for kind in vocabulary.kinds.values() for each in kind.classes} - {*names})
    word = "type" if prop == TYPE else "type or class"
    return InputError(
        f"there is no {word} {wanted!r}", location=_place(part, prop), hint=did_you_mean(str(wanted), names)
    )


def _place(part: AtomicComponent, prop: str) -> Location:
    place = part.location
    path = f"{place.json_path or '$'}.conditions.{prop}"
    return Location(place.path, place.line, place.column, place.source_line, path)


def _within(part: AtomicComponent, wanted: Value, vocabulary: Vocabulary) -> Formula:
    """Return the formula that an object lies in something of a type or class."""
    kinds = [kind for kind in vocabulary.kinds.values() if is_a(kind, TYPE, wanted) or is_a(kind, CLASS, wanted)]
    if not kinds:
        raise _unknown(part, CLASS, wanted, vocabulary)
    types = tuple(kind.pddl_type for kind in kinds)
    return Exists((Typed("?around", types),), inside("?x", "?around"))


def _literal(part: AtomicComponent, prop: str, wanted: Value, kinds: list[Kind]) -> tuple[list[Kind], list[Formula]]:
    """Return which of the kinds a condition leaves, and what must hold of ``?x``."""
    known = properties().get(prop)
    if known is None:
        message = f"the household domain has no word for the property {prop!r}"
        hint = did_you_mean(prop, list(properties()))
        raise UnsupportedError(message, location=_place(part, prop), hint=hint)
    truth = wanted in (0, 1) and not isinstance(wanted, str)
    if not truth or (known.only is not None and wanted != known.only):
        message = f"the property {prop!r} cannot be asked to be {wanted!r}"
        hint = f"it can be {known.only}" if known.only is not None else "it can be 0 or 1"
        raise UnsupportedError(message, location=_place(part, prop), hint=hint)
    if known.affordance:
        return [kind for kind in kinds if (known.affordance in kind.affordances) == bool(wanted)], []
    if not known.lids:
        if not wanted and any(kind.receptacle and kind.preposition == "on" for kind in kinds):
            message = f"the household domain does not tell {prop!r} of what things lie on"
            raise UnsupportedError(message, location=_place(part, prop))
        kinds = [kind for kind in kinds if not kind.receptacle or kind.preposition == "in"]
    if known.items and wanted:
        kinds = [kind for kind in kinds if "pickupable" in kind.affordances]
    atoms = [Atom(predicate, ("?x",)) for predicate in known.predicates]
    if known.items and not all("pickupable" in kind.affordances for kind in kinds):
        atoms = []  # no fixture is ever cooked
    if wanted:
        return kinds, [atoms[0] if len(atoms) == 1 else Or(tuple(atoms))]
    return kinds, [Not(atom) for atom in atoms]


def inside(thing: str, place: str, *, stands: bool = True) -> Formula:
    """Return the formula that an item lies in or on something, directly or inside what is there.

    ``stands``: fixtures may stand there, such as a toaster on a counter.
    """
    between, stand = (Typed("?between", ("item",)),), (Typed("?stand", ("fixture",)),)
    in_between = Atom("in", (thing, "?between"))
    near = (Atom("in", (thing, place)), Exists(between, conjunction((in_between, Atom("in", ("?between", place))))))
    if not stands:
        return Or(near)
    return Or(
        (
            *near,
            Exists(stand, conjunction((Atom("in", (thing, "?stand")), Atom("upon", ("?stand", place))))),
            Exists(
                between + stand,
                conjunction((in_between, Atom("in", ("?between", "?stand")), Atom("upon", ("?stand", place)))),
            ),
        )
    )
