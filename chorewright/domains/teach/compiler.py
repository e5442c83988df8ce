"""A task of TEACh's language as a first-order goal over the household domain.

The progress check succeeds wherever the goal holds. The converse has one exception: an object that does not
satisfy an atomic component counts for no relation here, but the check counts it if it comes before those that do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chorewright.domains.pddl.syntax import TRUE, AtLeast, Atom, Equals, Exists, Forall, Formula, Imply, Not, Or, Typed
from chorewright.domains.rewriting import conjunction, substitute
from chorewright.domains.teach import definition
from chorewright.domains.teach.definition import AtomicComponent, TeachTask, Value
from chorewright.domains.teach.world import ALIASES, CLASS, LAST_PARENT, PARENTS, TYPE, ObjectWorld
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


def unknown_words(task: TeachTask, vocabulary: Vocabulary, world: ObjectWorld) -> Iterator[InputError]:
    """Yield an error for each type, class or property of a task that neither we know nor the state has."""
    kinds = vocabulary.kinds.values()
    known = {*properties(), TYPE, CLASS, PARENTS, LAST_PARENT, *(prop for thing in world.things for prop in thing)}
    for each in task.walk():
        for part in each.components:
            if not isinstance(part, AtomicComponent):
                continue
            for prop, wanted in part.conditions:
                if prop not in known:
                    hint = did_you_mean(prop, sorted(known))
                    yield InputError(f"no object has a property {prop!r}", location=_place(part, prop), hint=hint)
                elif (
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


def compile_goal(task: definition.TeachTask, vocabulary: Vocabulary, instances: int = 1) -> Formula:
    """Return a task's goal over the household's types.

    Args:
        task: The task, its parameters filled in.
        vocabulary: Which kinds are of a class.
        instances: How many of the task are wanted.

    Raises:
        InputError: There is no kind of a type or class that the task names.
        UnsupportedError: The household domain has no word for a property.
    """
    return conjunction(formula for _, formula in goal_conditions(task, vocabulary, instances))


def goal_conditions(
    task: definition.TeachTask, vocabulary: Vocabulary, instances: int = 1
) -> tuple[tuple[str, Formula], ...]:
    """Return the goal of each component and relation of a task, by the component's key."""
    return (
        *((part.key, _component(part, vocabulary, instances)) for part in task.parts_needed),
        *((f"{each.tail} relation", _relation(task, each, vocabulary, instances)) for each in task.relations),
    )


def _component(
    part: definition.AtomicComponent | definition.TaskComponent, vocabulary: Vocabulary, instances: int
) -> Formula:
    number = part.number(instances)
    if isinstance(part, definition.TaskComponent):
        return compile_goal(part.task, vocabulary, number)
    if part.determiner == "all":
        concerned = describe(part, vocabulary, primary_only=True)
        return for_all(concerned, _formula_of(part, concerned, vocabulary))
    return at_least(number, describe(part, vocabulary))


def _formula_of(part: definition.AtomicComponent, concerned: Described, vocabulary: Vocabulary) -> Formula:
    """Return what must hold of each object that an ``all`` component concerns."""
    wanted = describe(part, vocabulary)
    if set(wanted.types) == set(concerned.types):
        return wanted.formula
    if not wanted.types:
        return Or(())
    return Exists((Typed("?same", wanted.types),), conjunction((Equals("?x", "?same"), wanted.formula)))


def at_least(number: int, things: Described, also: Formula = TRUE) -> Formula:
    """Return the formula that at least so many objects match a description and satisfy a further condition."""
    if not things.types:
        return Or(())
    body = conjunction((things.formula, also))
    if number == 1:
        return Exists((things.variable("?x"),), body)
    return AtLeast(number, (things.variable("?x"),), body)


def for_all(things: Described, wanted: Formula) -> Formula:
    """Return the formula that all objects matching a description satisfy a condition."""
    if not things.types or wanted == TRUE:
        return TRUE
    plain = things.formula == TRUE
    return Forall((things.variable("?x"),), wanted if plain else Imply(things.formula, wanted))


def _relation(
    task: definition.TeachTask, relation: definition.TaskRelation, vocabulary: Vocabulary, instances: int
) -> Formula:
    """Return the formula that enough heads lie in tails."""
    tails = anchor(task, relation.tail, vocabulary)
    if not tails.types:
        return Or(())
    place = (tails.variable("?r"),)
    lies = inside("?x", "?r", stands=bool(_restrict_carried(tails, vocabulary, False).types))
    tail = substitute(tails.formula, {"?x": "?r"})
    if relation.tail_determiner == "a":
        held = [
            _head(task, head, vocabulary, instances, lies, lambda within: Exists(place, conjunction((tail, within))))
            for head in relation.heads_needed
        ]
        return conjunction((Exists(place, tail), *held))
    held = [_head(task, head, vocabulary, 1, lies, lambda within: within) for head in relation.heads_needed]
    body = conjunction((tail, *held))
    return Exists(place, body) if instances == 1 else AtLeast(instances, place, body)


def _head(
    task: definition.TeachTask,
    head: tuple[str, str],
    vocabulary: Vocabulary,
    instances: int,
    lies: Formula,
    in_place: Callable[[Formula], Formula],
) -> Formula:
    """Return the formula that enough objects of a head lie in ``?r``, with ``in_place`` around "lies in it"."""
    key, determiner = head
    if determiner != "all":
        things = _restrict_carried(anchor(task, key, vocabulary), vocabulary, True)
        return at_least(instances * definition.count(determiner), things, in_place(lies))
    part = task.component(key)
    if isinstance(part, definition.AtomicComponent):
        # Whatever might come to satisfy the component is visible to the relation.
        things = describe(part, vocabulary, primary_only=True, wholes=part.determiner != "all")
    else:
        things = anchor(task, key, vocabulary)
    return conjunction(
        (
            for_all(_restrict_carried(things, vocabulary, True), in_place(lies)),
            for_all(_restrict_carried(things, vocabulary, False), in_place(Atom("upon", ("?x", "?r")))),
        )
    )


def _restrict_carried(things: Described, vocabulary: Vocabulary, carried: bool) -> Described:
    """Return those of the described objects that can, or cannot, be carried."""
    kinds = {kind.pddl_type: kind for kind in vocabulary.kinds.values()}
    types = tuple(name for name in things.types if ("pickupable" in kinds[name].affordances) == carried)
    return Described(types, things.formula)


def anchor(task: definition.TeachTask, key: str, vocabulary: Vocabulary) -> Described:
    """Return the objects that satisfy a component of a task, as relations see them.

    Raises:
        UnsupportedError: The component has none.
    """
    atomic = task.anchors(key)
    if atomic is None:
        raise UnsupportedError(f"the component {key!r} has no objects", location=task.location)
    return describe(atomic, vocabulary)
