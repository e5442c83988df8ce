"""What unified-planning's writer does not take, written otherwise: each problem is followed by one with the same plans.

Objects as values and bounds of numbers are compiled away by unified-planning itself; names of actions, parameters and
objects stay. Fluents of constants become fluents without parameters, goals that earn something become preferences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from unified_planning.engines import CompilationKind
from unified_planning.engines.compilers import BoundedTypesRemover
from unified_planning.engines.compilers.usertype_fluents_remover import UsertypeFluentsRemover
from unified_planning.environment import Environment
from unified_planning.exceptions import UPException
from unified_planning.io.pddl_writer import ConverterToPDDLString, PDDLWriter
from unified_planning.model import Effect, Fluent, FNode, InstantaneousAction
from unified_planning.model import Problem as UnifiedProblem
from unified_planning.model.metrics import Oversubscription

CHANGES = ("SIMPLE_NUMERIC_PLANNING", "GENERAL_NUMERIC_PLANNING")
MOST_VALUES = 1_000
"""Constants that one fluent's parameters may be."""


def writable(problem: UnifiedProblem) -> UnifiedProblem:
    """Return a problem with the same plans, as far as PDDL has words for it.

    Raises:
        UPException: unified-planning's compilers refuse it.
    """
    problem = _without_constant_parameters(problem)
    if "OBJECT_FLUENTS" in problem.kind.features:
        problem = UsertypeFluentsRemover().compile(problem, CompilationKind.USERTYPE_FLUENTS_REMOVING).problem
    features = problem.kind.features
    if "BOUNDED_TYPES" in features and not features.isdisjoint(CHANGES) and "CONTINUOUS_TIME" not in features:
        problem = BoundedTypesRemover().compile(problem, CompilationKind.BOUNDED_TYPES_REMOVING).problem
    return problem


def split_gains(problem: UnifiedProblem) -> tuple[UnifiedProblem, list[tuple[FNode, float]]]:
    """Return a problem without the metric of goals that earn something, and those goals with what they earn."""
    metrics = [metric for metric in problem.quality_metrics if isinstance(metric, Oversubscription)]
    if not metrics or len(problem.quality_metrics) > 1:
        return problem, []
    plain = problem.clone()
    plain.clear_quality_metrics()
    manager = problem.environment.expression_manager
    return plain, [(manager.auto_promote(goal)[0], float(gain)) for goal, gain in metrics[0].goals.items()]


def in_words(goals: Sequence[FNode], writer: PDDLWriter, environment: Environment) -> list[str]:
    """Return goals as a writer writes them."""
    converter = ConverterToPDDLString(environment, writer._get_mangled_name)  # it names variables, too
    return [converter.convert(goal) for goal in goals]


def with_preferences(text: str, goals: Sequence[str], gains: Sequence[float]) -> str:
    """Return a problem's text with goals, as written, as preferences for what each earns."""
    if not gains:
        return text
    preferences = " ".join(f"(preference gain{i} {goal})" for i, goal in enumerate(goals))
    prices = " ".join(f"(* {gain:g} (is-violated gain{i}))" for i, gain in enumerate(gains))
    head, found, rest = text.partition("(:goal (and")
    body = f"{head}{found} {preferences} {rest}".rstrip()
    assert found
    assert body.endswith(")")
    return f"{body[:-1]} (:metric minimize (+ 0 {prices})))"


def _without_constant_parameters(problem: UnifiedProblem) -> UnifiedProblem:
    """The problem with a fluent of its own for each constant that a fluent's parameters may be."""
    written = {each: list(_instances(each)) for each in problem.fluents if _of_constants(each)}
    if not written or not all(isinstance(action, InstantaneousAction) for action in problem.actions):
        return problem
    manager, names = problem.environment.expression_manager, {each.name for each in problem.fluents}
    result = UnifiedProblem(problem.name, problem.environment)
    renamed: dict[FNode, FNode] = {}
    for fluent in problem.fluents:
        if fluent not in written:
            result.add_fluent(fluent, default_initial_value=problem.fluents_defaults.get(fluent))
            continue
        for values in written[fluent]:
            name = "_".join([fluent.name, *(str(value) for value in values)]).lower().replace("-", "m")
            while name in names:
                name += "_"
            names.add(name)
            one = Fluent(name, fluent.type, environment=problem.environment)
            expression = manager.FluentExp(fluent, values)
            renamed[expression] = manager.FluentExp(one)
            result.add_fluent(one)
            result.set_initial_value(one(), problem.initial_value(expression))
    result.add_objects(problem.all_objects)
    put = problem.environment.substituter.substitute
    for expression, value in problem.explicit_initial_values.items():
        if expression.fluent() not in written:
            result.set_initial_value(expression, value)
    for action in problem.actions:
        other = InstantaneousAction(
            action.name, {each.name: each.type for each in action.parameters}, _env=problem.environment
        )
        for condition in action.preconditions:
            other.add_precondition(put(condition, renamed))
        for effect in action.effects:
            parts = (put(each, renamed) for each in (effect.fluent, effect.value, effect.condition))
            other._add_effect_instance(Effect(*parts, effect.kind, effect.forall))
        result.add_action(other)
    for goal in problem.goals:
        result.add_goal(put(goal, renamed))
    for metric in problem.quality_metrics:
        result.add_quality_metric(metric)
    return result


def _of_constants(fluent: Fluent) -> bool:
    return bool(fluent.signature) and all(not each.type.is_user_type() for each in fluent.signature)


def _instances(fluent: Fluent) -> Iterator[tuple[bool | int, ...]]:
    """Yield the constants that a fluent's parameters may be."""
    ranges: list[list[bool | int]] = []
    for parameter in fluent.signature:
        kind = parameter.type
        if kind.is_bool_type():
            ranges.append([True, False])
        elif kind.is_int_type() and kind.lower_bound is not None and kind.upper_bound is not None:
            ranges.append(list(range(kind.lower_bound, min(kind.upper_bound, kind.lower_bound + MOST_VALUES) + 1)))
        else:
            raise UPException(f"the parameter '{parameter.name}' of '{fluent.name}' has no bounds")
    yield from product(*ranges)
