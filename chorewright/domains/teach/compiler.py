"""A task of TEACh's language as a first-order goal over the household domain.

The progress check succeeds wherever the goal holds. The converse has one exception: an object that does not
satisfy an atomic component counts for no relation here, but the check counts it if it comes before those that do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chorewright.domains.pddl.syntax import TRUE, AtLeast, Atom, Equals, Exists, Forall, Formula, Imply, Or, Typed
from chorewright.domains.rewriting import conjunction, substitute
from chorewright.domains.teach import definition
from chorewright.domains.teach.properties import Described, describe, inside
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import UnsupportedError


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
    return conjunction(_conditions(task, vocabulary, instances))


def goal_conditions(
    task: definition.TeachTask, vocabulary: Vocabulary, instances: int = 1
) -> tuple[tuple[str, Formula], ...]:
    """Return the goal of each component and relation of a task, by the component's key."""
    named = []
    for part in task.components:
        if definition.is_needed(part.determiner):
            named.append((part.key, _component(part, vocabulary, instances)))
    for relation in task.relations:
        named.append((f"{relation.tail} relation", _relation(task, relation, vocabulary, instances)))
    return tuple(named)


def _conditions(task: definition.TeachTask, vocabulary: Vocabulary, instances: int) -> Iterator[Formula]:
    for _, formula in goal_conditions(task, vocabulary, instances):
        yield formula


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
    heads = [(key, determiner) for key, determiner in relation.heads if definition.is_needed(determiner)]
    if relation.tail_determiner == "a":
        held = [
            _head(task, head, vocabulary, instances, lies, lambda within: Exists(place, conjunction((tail, within))))
            for head in heads
        ]
        return conjunction((Exists(place, tail), *held))
    held = [_head(task, head, vocabulary, 1, lies, lambda within: within) for head in heads]
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
    part = task.component(key)
    atomic = part.task.anchors() if isinstance(part, definition.TaskComponent) else part
    if atomic is None:
        raise UnsupportedError(f"the component {key!r} has no objects", location=task.location)
    return describe(atomic, vocabulary)
