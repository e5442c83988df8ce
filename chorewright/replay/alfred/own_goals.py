"""Goals of a user's own in text games: formulas over the predicates of ALFWorld's domain, checked in a game's states.

A goal of the household is said in these predicates. What they have no word for (dirty, filled, cooked, ...) is refused
by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts, Universe, supertypes
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.parser import parse_domain, parse_formula, parse_problem
from chorewright.domains.pddl.subformulas import conjuncts, expanded, subformulas
from chorewright.errors import UnsupportedError
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.problems.household.kinds import Kinds
from chorewright.replay.alfred import problem
from chorewright.replay.alfred.game import Game, OwnGoal, kind_in_games
from chorewright.replay.alfred.state import GameAction, State

THING, HOME = "object", "receptacle"
"""Types of ALFWorld's domain: what is carried (and lamps), and what holds it."""

_STATES = {"hot": "ishot", "cool": "iscool", "cleaned": "isclean", "is-on": "istoggled"}
"""The household's words for a thing's state to ALFWorld's."""


def say_in_games(goal: syntax.Formula, kinds: Kinds, things: Iterable[str], homes: Iterable[str]) -> syntax.Formula:
    """Return a goal of the household in the predicates of ALFWorld's domain.

    Args:
        goal: The goal, without free variables.
        kinds: The kinds and the domain that the goal is about.
        things: The kinds of things of the game, as games call them.
        homes: The kinds of its receptacles.

    Raises:
        UnsupportedError: ALFWorld's domain has no word for something that the goal asks for.
    """
    return _Translator(kinds, frozenset(things), frozenset(homes)).formula(expanded(goal), {})


class _Translator:
    """Says formulas of the household in ALFWorld's predicates, for the kinds of one game."""

    def __init__(self, kinds: Kinds, things: frozenset[str], homes: frozenset[str]) -> None:
        self.things, self.homes = things, homes
        self.by_type: dict[str, list[str]] = {}
        for name, kind in kinds.vocabulary.kinds.items():
            for type_name in supertypes(kinds.domain, (kind.pddl_type,)):
                self.by_type.setdefault(type_name, []).append(kind_in_games(name))

    def formula(self, formula: syntax.Formula, sorts: Mapping[str, str]) -> syntax.Formula:
        """Return a formula in ALFWorld's predicates; ``sorts`` says which variables are things and which homes."""
        match formula:
            case syntax.And(operands):
                return syntax.And(tuple(self.formula(each, sorts) for each in operands))
            case syntax.Or(operands):
                return syntax.Or(tuple(self.formula(each, sorts) for each in operands))
            case syntax.Not(operand):
                return syntax.Not(self.formula(operand, sorts))
            case syntax.Imply(antecedent, consequent):
                return syntax.Imply(self.formula(antecedent, sorts), self.formula(consequent, sorts))
            case syntax.Equals(left, right):
                same = sorts.get(left) == sorts.get(right)
                return syntax.Equals(left, right) if same else syntax.FALSE
            case syntax.Exists(variables, body):
                return self._quantify(variables, body, sorts, some=True)
            case syntax.Forall(variables, body):
                return self._quantify(variables, body, sorts, some=False)
            case syntax.Atom():
                return self._atom(formula, sorts)
            case _:
                raise UnsupportedError("text games have no numbers", hint="say the goal without functions")

    def _quantify(
        self, variables: Sequence[syntax.Typed], body: syntax.Formula, sorts: Mapping[str, str], some: bool
    ) -> syntax.Formula:
        """Return a quantified formula, each variable once as a thing and once as a home where it may be either."""
        if not variables:
            return self.formula(body, sorts)
        first, *others = variables
        kinds = dict.fromkeys(name for type_name in first.types for name in self.by_type.get(type_name, ()))
        found: list[syntax.Formula] = []
        for sort, known, predicate in ((THING, self.things, "objecttype"), (HOME, self.homes, "receptacletype")):
            options = tuple(
                syntax.Atom(predicate, (first.name, f"{kind.lower()}type")) for kind in kinds if kind in known
            )
            if not options:
                continue
            is_one = options[0] if len(options) == 1 else syntax.Or(options)
            inner = self._quantify(others, body, {**sorts, first.name: sort}, some)
            variable = (syntax.Typed(first.name, (sort,)),)
            found.append(
                syntax.Exists(variable, syntax.And((is_one, inner)))
                if some
                else syntax.Forall(variable, syntax.Imply(is_one, inner))
            )
        if len(found) == 1:
            return found[0]
        return syntax.Or(tuple(found)) if some else syntax.And(tuple(found))

    def _atom(self, atom: syntax.Atom, sorts: Mapping[str, str]) -> syntax.Formula:
        named = next((term for term in atom.terms if term not in sorts), None)
        if named is not None:
            raise UnsupportedError(f"text games know no {named!r} by name", hint="ask for something of a kind")
        of = [sorts[term] for term in atom.terms]
        if atom.predicate in _STATES:
            return syntax.Atom(_STATES[atom.predicate], atom.terms) if of == [THING] else syntax.FALSE
        if atom.predicate == "in":
            return syntax.Atom("inreceptacle" if of[1] == HOME else "inreceptacleobject", atom.terms)
        if atom.predicate == "is-open":
            return syntax.Atom("opened", atom.terms) if of == [HOME] else syntax.FALSE
        if atom.predicate == "receptacle":
            return syntax.TRUE if of == [HOME] else syntax.Atom("isreceptacleobject", atom.terms)
        if atom.predicate == "holding":
            return syntax.Exists((syntax.Typed("?who", ("agent",)),), syntax.Atom("holds", ("?who", *atom.terms)))
        known = ", ".join((*_STATES, "in", "is-open", "holding"))
        raise UnsupportedError(f"text games have no word for {atom.predicate!r}", hint=f"they know {known}")


def own_goal(formula: syntax.Formula) -> OwnGoal:
    """Return the goal that a formula over ALFWorld's predicates says."""
    named = [each for each in subformulas(formula) if isinstance(each, syntax.Atom)]
    kinds = (each.terms[1] for each in named if each.predicate in ("objecttype", "receptacletype"))
    return OwnGoal(formula, frozenset(kind.removesuffix("type") for kind in kinds))


def read_own_goal(text: str, types: Mapping[str, str]) -> OwnGoal:
    """Return the goal of a game file.

    Args:
        text: The goal as PDDL.
        types: The type of each of the problem's objects, all names in lower case.

    Raises:
        InputErrors: It is no formula over the predicates of ALFWorld's domain.
    """
    domain = _domain(problem.domain_with_constants(extended=True)[0])
    known = {each.name for each in domain.constants}
    objects = [syntax.Typed(name, (type_name,)) for name, type_name in types.items() if name not in known]
    return own_goal(parse_formula(text, domain, objects))


EVALUATIONS = 20_000
"""States that the planner evaluates at most to find a way to a goal."""


class OwnGoalCheck:
    """A goal of a user's own in the states of one game."""

    def __init__(self, game: Game, goal: OwnGoal) -> None:
        self._game, self._formula = game, goal.formula
        self._parts = conjuncts(goal.formula)
        things = [thing.ident.lower() for thing in game.things]
        homes = [home.ident.lower() for home in game.receptacles]
        members = {"object": (*things, *homes, problem.AGENT), HOME: tuple(homes), "agent": (problem.AGENT,)}
        self._universe = Universe(members)
        self._fixed = frozenset(
            _lower(atom) for atom in problem.atoms(game) if atom[0] in ("receptacleType", "objectType")
        )

    def holds(self, state: State) -> bool:
        """Return whether the goal is reached."""
        return holds(self._formula, self._facts(state), self._universe)

    def conditions(self, state: State) -> tuple[bool, ...]:
        """Return which conjuncts of the goal hold."""
        facts = self._facts(state)
        return tuple(holds(part, facts, self._universe) for part in self._parts)

    def _facts(self, state: State) -> Facts:
        return Facts(self._fixed | {_lower(atom) for atom in problem.changing_atoms(state)})

    def plan(self, state: State) -> tuple[GameAction, ...] | None:
        """Return actions that lead from a state to the goal; None if the planner finds no way."""
        if self.holds(state):
            return ()
        texts = problem.with_constants(replace(self._game, start=problem.start_of(state), walkthrough=None))
        domain = _domain(texts[0])
        found = solve(domain, parse_problem(texts[1], domain), Limits(evaluations=EVALUATIONS))
        return tuple(_follow(state.copy(), found.actions)) if isinstance(found, Plan) else None


_domain = lru_cache(maxsize=2)(parse_domain)


def _lower(atom: syntax.GroundAtom) -> syntax.GroundAtom:
    return tuple(word.lower() for word in atom)


def _follow(state: State, plan: Sequence[GroundAction]) -> Iterator[GameAction]:
    """Yield the game's actions that actions of its PDDL stand for; one goes to what is handled next there."""
    homes = {home.ident.lower(): number for number, home in enumerate(state.game.receptacles)}
    for number, action in enumerate(plan):
        if action.name == "gotolocation":
            place = [each.lower() for each in state.game.locations].index(action.arguments[2])
            named = (homes[word] for after in plan[number + 1 :] for word in after.arguments if word in homes)
            home = next(named, homes[action.arguments[3]])
            reached = place in state.game.receptacles[home].places
            found = GameAction("go", home if reached else homes[action.arguments[3]], place)
        else:
            found = next(each for each in state.actions() if problem.pddl_action(state, each) == action)
        state.apply(found)
        yield found
