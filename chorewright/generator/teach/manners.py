"""What a Follower minds besides the task: where it lays things aside, and how it leaves the room.

Food may be laid on a plate or into a pan, other things only on furniture, nothing into the trash, unless the task
asks for it. At the end the doors it opened are closed and the appliances it used are off, unless the task wants
such an appliance to run.
"""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.domains.pddl.syntax import Atom, Formula, Not
from chorewright.domains.rewriting import conjunction
from chorewright.domains.teach.compiler import anchor
from chorewright.domains.teach.properties import described
from chorewright.domains.teach.tasks import AtomicComponent, Task, needed
from chorewright.domains.vocabulary import Kind, Vocabulary
from chorewright.generator.teach.variants import settings
from chorewright.problems.household.kinds import Kinds

Pairs = frozenset[tuple[str, str]]

CAREFUL = "careful"
"""The predicate of a domain in which a demonstrator minds these things; a user's domain may lack it."""

TOGGLED = "isToggled"
"""The property of a component that an appliance runs."""


def required_fits(task: Task, vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """Yield the kinds of items and receptacles that a task puts together; TEACh puts anything anywhere."""

    def kinds(owner: Task, key: str) -> list[Kind]:
        found = (vocabulary.kind_of_type(name) for name in anchor(owner, key, vocabulary).types)
        return [kind for kind in found if kind is not None]

    for each in task.walk():
        for relation in each.relations:
            for head, determiner in relation.heads:
                for item in kinds(each, head) if needed(determiner) else ():
                    for receptacle in kinds(each, relation.tail):
                        if "pickupable" in item.affordances and receptacle.receptacle:
                            yield item.name, receptacle.name


def unfit(kinds: Kinds) -> Pairs:
    """Return the kinds of items and receptacles that nobody puts together to lay something aside."""
    vocabulary, figures = kinds.vocabulary, settings()
    return frozenset(
        (name, place)
        for name, item in kinds.items()
        for place in item.fits
        if place in figures.no_place
        or (
            place in kinds
            and kinds[place].item
            and not any(vocabulary.is_a(name, each) for each in figures.laid_in_items)
        )
    )


def leaving(task: Task, kinds: Kinds) -> Formula:
    """Return how the Follower leaves the room: nothing that it opened is open, nothing that it used runs."""
    vocabulary = kinds.vocabulary
    names = {kind.pddl_type: name for name, kind in vocabulary.kinds.items()}
    kept_on = any(
        "attended" in kinds[names[name]].roles
        for each in task.walk()
        for part in each.components
        if isinstance(part, AtomicComponent) and needed(part.determiner) and dict(part.conditions).get(TOGGLED)
        for name in described(part, vocabulary).types
    )
    shut = Not(Atom("ajar", ()))
    return shut if kept_on else conjunction((shut, Not(Atom("running", ()))))
