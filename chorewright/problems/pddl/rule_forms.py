"""The rules of a problem template, read from their lists and checked against the domain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from chorewright.domains.pddl import scopes
from chorewright.domains.pddl.expressions import COMPARISONS, compares_numbers, formula, read_typed_list
from chorewright.domains.pddl.grammar import atom as read_atom
from chorewright.domains.pddl.grammar import number, show
from chorewright.domains.pddl.source import Findings, Form, Item, Word
from chorewright.domains.pddl.syntax import Formula, Position, Signature, Typed
from chorewright.files.english import did_you_mean
from chorewright.problems.pddl import rules

SHAPES = {"line": 0, "ring": 0, "pairs": 0, "tree": 0, "graph": 1, "grid": 2}
"""The shapes with how many numbers each takes."""

HEADS = ("forall", "when", "choose", "one-of", "weighted", "chance", "repeat", "let", "match", *SHAPES)
CONDITIONS = ("or", "exists", "imply", "at-least", *COMPARISONS)
"""What a goal may demand besides literals."""

COMPUTED = ("random", "count", "min", "max")
"""Operations on numbers that PDDL has not: in a condition they are drawn before its rule."""

ONE = rules.constant(1)


@dataclass(frozen=True, slots=True)
class RuleReader:
    """Reads rules.

    Attributes:
        symbols: The domain's, with the template's own predicates and its named objects.
        scratch: The template's own predicates.
        numbers: The template's numbers.
        findings: Where errors go.
        in_goal: Whether the rules are the goal's.
    """

    symbols: scopes.Symbols
    scratch: Collection[str]
    numbers: Collection[str]
    findings: Findings
    in_goal: bool = False

    def read_rules(self, items: Sequence[Item], scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        """Read rules one after the other."""
        return tuple(rule for item in items for rule in self.rule(item, scope))

    def rule(self, item: Item, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        """Read a rule; ``and`` holds several."""
        if not isinstance(item, Form) or not item.items:
            self.findings.error(item.offset, f"a rule in parentheses is expected here, not '{show(item)}'")
            return ()
        head = item.head
        readers: dict[str, Callable[[Form, scopes.Scope], tuple[rules.Rule, ...]]] = {
            "forall": self._for_each,
            "when": self._when,
            "choose": self._choose,
            "one-of": self._one_of,
            "weighted": self._weigh,
            "chance": self._chance,
            "repeat": self._repeat,
            "let": self._let,
            "match": self._match,
        }
        if head == "and":
            return self.read_rules(item.items[1:], scope)
        if head in readers and head not in self.symbols.predicates:
            return readers[head](item, scope)
        if head in SHAPES and head not in self.symbols.predicates:
            return self._shape(item, scope)
        denied = item.items[1] if head == "not" and len(item.items) == 2 else None
        if self.in_goal and (head in CONDITIONS or (isinstance(denied, Form) and denied.head in CONDITIONS)):
            found, drawn = self.condition(item, scope)
            return _after(drawn, rules.Demand(found))
        if head == "=":
            return self._value(item, scope)
        return self._literal(item, scope)

    def condition(self, item: Item, scope: scopes.Scope) -> tuple[Formula, Mapping[str, rules.Expression]]:
        """Read a condition in which the template's numbers stand for functions (see ``number_function``).

        Returns:
            The condition, and the numbers of its own that must be drawn before it is looked at.
        """
        drawn: dict[str, rules.Expression] = {}
        found = formula(self._with_functions(item, drawn), self.findings)
        known = {
            rules.number_function(each): Signature(rules.number_function(each), ()) for each in (*self.numbers, *drawn)
        }
        symbols = replace(self.symbols, functions={**self.symbols.functions, **known})
        scopes.check_condition(found, symbols, scope, self.findings)
        return found, drawn

    def _with_functions(self, item: Item, drawn: dict[str, rules.Expression], amount: bool = False) -> Item:
        """A list with functions in place of the template's numbers where amounts stand."""
        if isinstance(item, Word):
            return Word(rules.number_function(item.text), item.offset) if amount and item.text in self.numbers else item
        if not isinstance(item, Form):
            return item
        if amount and item.head in COMPUTED and item.head not in self.symbols.functions:
            name = f"?#{item.offset}"
            drawn[name] = self._number(item)
            return Word(rules.number_function(name), item.offset)
        if amount and item.head not in _OPERATORS:
            return item
        amount = amount or (item.head in COMPARISONS and (item.head != "=" or compares_numbers(item)))
        return Form(item.offset, item.end, tuple(self._with_functions(each, drawn, amount) for each in item.items))

    def _literal(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        inner, adds = item, True
        if item.head == "not":
            if len(item.items) != 2 or not isinstance(item.items[1], Form):
                self.findings.error(item.offset, "'not' takes one atom", "write (not (clear ?x))")
                return ()
            inner, adds = item.items[1], False
        if inner.head and inner.head not in self.symbols.predicates:
            hint = did_you_mean(inner.head, (*HEADS, *self.symbols.predicates))
            known = hint or f"rules are atoms, {', '.join(HEADS)}"
            message = f"'{inner.head}' is neither a predicate nor a rule"
            self.findings.error(inner.items[0].offset, message, known, once=f"predicate {inner.head}")
            return ()
        before = len(self.findings)
        atom = read_atom(inner, self.findings)
        if len(self.findings) > before:
            return ()
        scopes.check_atom(atom, self.symbols, scope, self.findings)
        if not self.in_goal and atom.predicate in self.symbols.derived:
            message = f"'{atom.predicate}' is derived by an axiom: no start can have it"
            self.findings.error(inner.offset, message)
        return (rules.Put(atom, adds),)

    def _value(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        """``(= (distance ?a ?b) 3)``."""
        head = item.items[1] if len(item.items) == 3 else None
        names = head.names() if isinstance(head, Form) else None
        if head is None or not names:
            self.findings.error(item.offset, "'=' takes a function and a number", "write (= (distance ?a ?b) 3)")
            return ()
        at = self.findings.position(head.offset)
        signature = scopes.find_signature(names[0], self.symbols.functions, "function", at, self.findings)
        if signature is not None and len(signature.parameters) != len(names) - 1:
            scopes.wrong_arity(names[0], len(names) - 1, signature, at, self.findings)
        for word in names[1:]:
            if word not in scope and word not in self.symbols.objects:
                self.findings.error(head.offset, f"'{word}' is no variable or object here")
        return (rules.SetValue(names[0], names[1:], self._number(item.items[2])),)

    def _for_each(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        variables, rest = self._variables(item, 1, scope)
        inner = {**scope, **scopes.bound(variables)}
        where, body, drawn = self._where(rest, inner)
        return _after(drawn, rules.ForEach(variables, where, self._body(item, body, inner)))

    def _when(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        """``(when CONDITION rules)``: for each of no variables for which the condition holds."""
        if len(item.items) < 2:
            self.findings.error(item.offset, "'when' takes a condition and rules", "write (when (red ?x) (hot ?x))")
            return ()
        found, drawn = self.condition(item.items[1], scope)
        return _after(drawn, rules.ForEach((), found, self._body(item, item.items[2:], scope)))

    def _choose(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        at, low, high = 1, ONE, ONE
        first = item.items[1] if len(item.items) > 1 else None
        if isinstance(first, Word) or (isinstance(first, Form) and (first.head in _OPERATORS or _is_range(first))):
            low, high = self._range(first)
            at = 2
        variables, rest = self._variables(item, at, scope)
        inner = {**scope, **scopes.bound(variables)}
        where, body, drawn = self._where(rest, inner)
        return _after(drawn, rules.Choose(low, high, variables, where, self._body(item, body, inner), self._at(item)))

    def _range(self, item: Item) -> tuple[rules.Expression, rules.Expression]:
        """``2``, ``?n``, ``(+ ?n 1)``, or ``(1 3)``: from 1 to 3."""
        if isinstance(item, Form) and _is_range(item):
            return self._number(item.items[0]), self._number(item.items[1])
        found = self._number(item)
        return found, found

    def _one_of(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        bodies = tuple(self.rule(each, scope) for each in item.items[1:])
        self._body(item, item.items[1:], scope, read=False)
        return (rules.Weighted((1.0,) * len(bodies), bodies),) if bodies else ()

    def _weigh(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        weights, bodies = [], []
        for each in item.items[1:]:
            words = each.items if isinstance(each, Form) else ()
            weight = number(words[0].text) if words and isinstance(words[0], Word) else None
            if weight is None or weight <= 0:
                message = f"a weight above 0 with its rules is expected here, not '{show(each)}'"
                self.findings.error(each.offset, message, "write (weighted (3 (on ?x ?y)) (1 (clear ?x)))")
                continue
            weights.append(weight)
            bodies.append(self.read_rules(words[1:], scope))
        self._body(item, item.items[1:], scope, read=False)
        return (rules.Weighted(tuple(weights), tuple(bodies)),) if weights else ()

    def _chance(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        first = item.items[1] if len(item.items) > 1 else None
        value = number(first.text) if isinstance(first, Word) else None
        if value is None or not 0 <= value <= 1:
            at = item.offset if first is None else first.offset
            self.findings.error(at, "'chance' takes a probability from 0 to 1", "write (chance 0.3 (wet ?x))")
            return ()
        return (rules.Chance(value, self._body(item, item.items[2:], scope)),)

    def _repeat(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        if len(item.items) < 2:
            self.findings.error(item.offset, "'repeat' takes a number and rules")
            return ()
        return (rules.Repeat(self._number(item.items[1]), self._body(item, item.items[2:], scope)),)

    def _let(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        """``(let (?d (random 1 6)) rules)``."""
        given = item.items[1] if len(item.items) > 1 else None
        words = given.items if isinstance(given, Form) else ()
        if len(words) != 2 or not isinstance(words[0], Word) or not words[0].text.startswith("?"):
            at = item.offset if given is None else given.offset
            self.findings.error(at, "'let' takes a number with its value first", "write (let (?d (random 1 6)) ...)")
            return ()
        name = words[0].text
        if name in scope or name in self.numbers:
            self.findings.error(words[0].offset, f"'{name}' means something else around this rule")
        inner = replace(self, numbers=(*self.numbers, name))
        return (rules.Let(name, self._number(words[1]), inner._body(item, item.items[2:], scope)),)

    def _match(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        first, _ = self._variables(item, 1, scope, 1)
        second, rest = self._variables(item, 2, scope, 1)
        if len(first) != 1 or len(second) != 1:
            return ()
        inner = {**scope, **scopes.bound((*first, *second))}
        return (rules.Match(first[0], second[0], self._body(item, rest, inner), self._at(item)),)

    def _shape(self, item: Form, scope: scopes.Scope) -> tuple[rules.Rule, ...]:
        count = SHAPES[item.head]
        variables, rest = self._variables(item, 1, scope, 2)
        if len(variables) != 2:
            return ()
        if variables[0].types != variables[1].types:
            self.findings.error(item.items[1].offset, f"the two variables of '{item.head}' must have one type")
        if len(rest) < count:
            what = "its width and height" if count == 2 else "the probability of further edges"
            self.findings.error(item.offset, f"'{item.head}' takes {what} after its variables")
            return ()
        numbers = tuple(self._number(each) for each in rest[:count])
        if item.head == "graph" and not 0 <= getattr(numbers[0], "value", 0) <= 1:
            self.findings.error(rest[0].offset, "'graph' takes a probability from 0 to 1 for further edges")
        inner = {**scope, **scopes.bound(variables)}
        bodies: list[tuple[str, tuple[rules.Rule, ...]]] = []
        if item.head != "grid":
            bodies.append(("each", self._body(item, rest[count:], inner)))
        else:
            for each in rest[count:]:
                side = each.head if isinstance(each, Form) else ""
                if not isinstance(each, Form) or side not in rules.SIDES:
                    hint = did_you_mean(side, rules.SIDES) or f"sides are {', '.join(rules.SIDES)}"
                    self.findings.error(each.offset, f"a side of the grid is expected here, not '{show(each)}'", hint)
                    continue
                bodies.append((side, self._body(each, each.items[1:], inner)))
        first, second = variables
        return (rules.PlaceShape(item.head, (first, second), numbers, tuple(bodies), self._at(item)),)

    def _variables(
        self, item: Form, at: int, scope: scopes.Scope, count: int | None = None
    ) -> tuple[tuple[Typed, ...], Sequence[Item]]:
        """Read the variables at a place of a rule; return them and what follows."""
        given = item.items[at] if len(item.items) > at else None
        if not isinstance(given, Form) or not given.items:
            where = item.offset if given is None else given.offset
            self.findings.error(where, f"'{item.head}' needs variables in parentheses here", "for example (?x - block)")
            return (), item.items[at:]
        found = read_typed_list(given.items, self.findings, "variable")
        scopes.check_types(found, self.symbols, self.findings)
        for each, other in product(enumerate(found), repeat=2):
            if each[0] < other[0] and each[1].name == other[1].name:
                self.findings.error(other[1].position, f"the variable '{each[1].name}' is repeated")
        for each_ in found:
            if each_.name in scope or each_.name in self.numbers:
                self.findings.error(
                    each_.position, f"the variable '{each_.name}' means something else around this rule"
                )
        if count is not None and len(found) != count:
            word = "one variable" if count == 1 else "two variables"
            self.findings.error(given.offset, f"'{item.head}' takes {word} here, not {len(found)}")
        return found, item.items[at + 1 :]

    def _where(
        self, items: Sequence[Item], scope: scopes.Scope
    ) -> tuple[Formula | None, Sequence[Item], Mapping[str, rules.Expression]]:
        """Read ``(where CONDITION)`` if it comes first."""
        first = items[0] if items else None
        if not isinstance(first, Form) or first.head != "where":
            return None, items, {}
        if len(first.items) != 2:
            self.findings.error(first.offset, "'where' takes one condition", "join several with (and ...)")
            return None, items[1:], {}
        found, drawn = self.condition(first.items[1], scope)
        return found, items[1:], drawn

    def _body(
        self, item: Form, items: Sequence[Item], scope: scopes.Scope, read: bool = True
    ) -> tuple[rules.Rule, ...]:
        if not items:
            self.findings.error(item.offset, f"'{item.head}' has no rules in it")
        return self.read_rules(items, scope) if read else ()

    def _number(self, item: Item) -> rules.Expression:
        return rules.read_expression(item, self.numbers, self.symbols, self.findings)

    def _at(self, item: Form) -> Position | None:
        return self.findings.position(item.offset)


_OPERATORS = ("+", "-", "*", "/", *COMPUTED)


def _after(drawn: Mapping[str, rules.Expression], rule: rules.Rule) -> tuple[rules.Rule, ...]:
    """A rule after the numbers that its condition draws."""
    for name, amount in drawn.items():
        rule = rules.Let(name, amount, (rule,), whole=False)
    return (rule,)


def _is_range(item: Form) -> bool:
    """Whether a list is ``(1 3)`` or ``(1 ?n)``: two numbers and not variables with their types."""
    names = item.names()
    return names is not None and len(names) == 2 and number(names[0]) is not None
