"""Our meaning of BEHAVIOR-100's goals beside the reference package's, on random states.

    python -m benchmarks.behavior_reference [--states N] [--save] [--json FILE]

``bddl`` 1.0.1 must be importable (``pip install --no-deps --target FOLDER bddl==1.0.1 future``, then FOLDER on
``PYTHONPATH``). Each of the 100 goals is evaluated on states in which each ground atom of it is true by chance: by the
package, and by ``lower_condition`` with our evaluation of formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.domains.behavior.reader import write_activity
from chorewright.domains.behavior.syntax import PREDICATES, Activity, lower_condition, pddl_name
from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Universe
from chorewright.problems.behavior.activity_problem import activity_problem, domain_of
from chorewright.problems.behavior.kinds import activity_names, shipped_activity


class Thing:
    """What stands for an object in the package's scope, which tells objects from names by their type."""

    def __init__(self, name: str) -> None:
        self.name = name


class RandomState:
    """The package's backend: atoms that are true by chance; it remembers which were asked for."""

    def __init__(self) -> None:
        self.true: frozenset[tuple[str, ...]] = frozenset()
        self.asked: dict[tuple[str, ...], None] = {}

    def get_predicate_class(self, predicate: str) -> type:
        """Return the package's class of atoms of a predicate."""
        formulas = import_module("bddl.logic_base")
        base = formulas.UnaryAtomicFormula if PREDICATES[predicate] == 1 else formulas.BinaryAtomicFormula

        def evaluate(_: object, *things: Thing) -> bool:
            atom = (predicate, *(each.name for each in things))
            self.asked[atom] = None
            return atom in self.true

        def sample(_: object, *things: object) -> None:
            raise NotImplementedError

        return type(predicate, (base,), {"STATE_NAME": predicate, "_evaluate": evaluate, "_sample": sample})


def reference(activity: Activity, backend: RandomState) -> Any:
    """Return the package's compiled conditions of an activity's goal."""
    parsing = import_module("bddl.parsing")
    _, objects, _, goal = parsing.parse_problem("", 0, activity.domain, predefined_problem=write_activity(activity))
    scope = {name: Thing(name) for names in objects.values() for name in names}
    return import_module("bddl.condition_evaluation").compile_state(goal, backend, scope=scope, object_map=objects)


def compare(activity: Activity, states: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return on how many random states both agree, and on how many the goal holds."""
    evaluate_state = import_module("bddl.condition_evaluation").evaluate_state
    backend = RandomState()
    compiled = reference(activity, backend)
    evaluate_state(compiled)
    atoms = list(backend.asked)
    formula = lower_condition(activity.goal, activity)
    domain = domain_of(activity)
    universe = Universe.of(domain, activity_problem(activity, domain))
    agreed = met = 0
    for number in range(states):
        # Goals are conjunctions: with half of the atoms true they would hardly ever hold.
        chance = (0.5, 0.8, 0.95, 0.2, 0.05)[number % 5]
        drawn = rng.random(len(atoms)) < chance
        backend.true = frozenset(atom for atom, true in zip(atoms, drawn, strict=True) if true)
        theirs, _ = evaluate_state(compiled)
        state = frozenset(tuple(map(pddl_name, atom)) for atom in backend.true)
        ours = holds(formula, state, universe)
        agreed += bool(theirs) == ours
        met += ours
    return agreed, met


def main() -> None:
    """Compare, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--states", type=int, default=1000, help="random states of each activity")
    asked = parser.parse_args()
    rng = np.random.Generator(np.random.PCG64(0))
    found: Mapping[str, tuple[int, int]] = {
        name: compare(shipped_activity(name, "100"), asked.states, rng) for name in activity_names("100")
    }
    total = asked.states * len(found)
    agreed, met = (sum(each[place] for each in found.values()) for place in (0, 1))
    for name, (same, _) in found.items():
        if same < asked.states:
            print(f"{name}: {asked.states - same} states differ")
    print(f"{agreed:,} of {total:,} states agree; the goal holds in {met:,}; activities: {len(found)}")
    figures = (
        Figure("agreed", "states with the same verdict", agreed, of=total, target=Target("at least", 100.0)),
        Figure("met", "states in which the goal holds", met, of=total),
    )
    title = "BEHAVIOR-100's goals evaluated here and by the reference package"
    explanation = "Random states of each of the 100 activities; the reference is bddl 1.0.1."
    keep(asked, Report("behavior_reference", "BEHAVIOR", title, explanation, figures))


if __name__ == "__main__":
    main()
