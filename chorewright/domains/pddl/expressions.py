"""From forms to typed lists and formulas: the meaning of each list, and its errors.

A broken part is recorded and left out, so that the rest can still be checked. An unreadable type becomes no type
at all, an unreadable term becomes ``BROKEN``, and a condition keeps its readable parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from sys import intern

from chorewright.domains.pddl import grammar, syntax
from chorewright.domains.pddl.source import Findings, Form, Item, Word
from chorewright.files.english import article

# From forms to numeric expressions, comparisons, and effects that change numbers.


COMPARISONS = ("<", "<=", "=", ">=", ">")
CHANGES = ("assign", "increase", "decrease", "scale-up", "scale-down")
_OPERANDS = {"+": "2 or more", "*": "2 or more", "-": "1 or 2", "/": "2"}
_BROKEN = syntax.FunctionTerm(grammar.BROKEN, ())


def compares_numbers(item: Form) -> bool:
    """Whether ``(= left right)`` is about numbers: one side is a list, or a number beside ``?duration`` or a name."""
    sides = item.items[1:]
    if any(isinstance(side, Form) or grammar.show(side) == syntax.DURATION for side in sides):
        return True
    return len(sides) == 2 and any(
        grammar.NUMBER.match(grammar.show(one))
        and grammar.is_name(other)
        and not grammar.NUMBER.match(grammar.show(other))
        for one, other in (sides, sides[::-1])
    )


def comparison(item: Form, findings: Findings) -> syntax.Formula:
    """``(operator left right)``; a broken side is ``BROKEN``."""
    sides = item.items[1:]
    if len(sides) != 2:
        findings.error(item.offset, f"'{item.head}' takes 2 numbers, not {len(sides)}", f"({item.head} (fuel ?x) 3)")
    left, right, *_ = (*(expression(side, findings) for side in sides[:2]), _BROKEN, _BROKEN)
    return syntax.Comparison(item.head, left, right, findings.position(item.offset))


def expression(item: Item, findings: Findings) -> syntax.Expression:
    """A number, ``(function term ...)``, ``?duration``, or arithmetic on them; ``BROKEN`` if it is none of these."""
    if isinstance(item, Word):
        if item.text == syntax.DURATION:
            return syntax.FunctionTerm(syntax.DURATION, (), findings.position(item.offset))
        if item.text == "#t":
            findings.unsupported(item.offset, "continuous effects are not supported: '#t'")
            return _BROKEN
        if grammar.is_name(item) and not grammar.NUMBER.match(item.text):
            return grammar.function_term(item, findings)
    if not isinstance(item, Form):
        value = grammar.read_number(item, findings, "a number or a function")
        return _BROKEN if value is None else value
    if item.head not in _OPERANDS:
        return grammar.function_term(item, findings)
    operands = tuple(expression(inner, findings) for inner in item.items[1:])
    if not operands or (item.head != "-" and len(operands) < 2) or (item.head in "-/" and len(operands) > 2):
        findings.error(item.offset, f"'{item.head}' takes {_OPERANDS[item.head]} numbers, not {len(operands)}")
    return syntax.Arithmetic(item.head, operands)


def change(item: Form, findings: Findings, conditional: bool) -> syntax.Effect:
    """``(increase (function term ...) amount)`` and its like; a plain increase is one of a cost.

    Args:
        item: The effect.
        findings: Where errors go.
        conditional: Whether it stands below ``when`` or ``forall``, where it is no plain cost.
    """
    rest = item.items[1:]
    if len(rest) != 2 or not (isinstance(rest[0], Form) or grammar.is_name(rest[0])):
        hint = f"({item.head} ({syntax.TOTAL_COST}) 1)"
        findings.error(item.offset, f"'{item.head}' takes a function and an amount", hint)
        return syntax.AndEffect(())
    target = grammar.function_term(rest[0], findings)
    amount = expression(rest[1], findings)
    if grammar.BROKEN in (target.function, getattr(amount, "function", None)):
        return syntax.AndEffect(())
    if item.head == "increase" and not conditional:
        position = findings.position(item.offset)
        if isinstance(amount, float) and amount >= 0:
            return syntax.IncreaseCost(amount, position, target.function, target.terms)
        if isinstance(amount, float) and target.function == syntax.TOTAL_COST:
            findings.unsupported(rest[1].offset, f"a cost cannot be negative: {grammar.show(rest[1])}")
            return syntax.AndEffect(())
        if isinstance(amount, syntax.FunctionTerm) and amount.function != syntax.DURATION:
            return syntax.IncreaseCost(amount, position, target.function, target.terms)
    return syntax.ChangeNumber(item.head, target, amount)


UNCERTAIN = frozenset(["oneof", "probabilistic", "unknown"])


def read_typed_list(items: Sequence[Item], findings: Findings, what: str) -> tuple[syntax.Typed, ...]:
    """``a b - t c - (either t u) d``: names with their types: ``object`` if none is given, no type if it is unreadable.

    Args:
        items: the words and lists.
        findings: where errors go.
        what: "variable", "object", "constant" or "type"; variables start with a question mark.
    """
    result: list[syntax.Typed] = []
    pending: list[Word | None] = []
    items = split_dashes(items)
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        if not (isinstance(item, Word) and item.text == "-"):
            pending.append(_read_name(item, findings, what))
            continue
        if not pending:
            findings.error(item.offset, f"'-' needs {article(what)} {what} before it and a type after it")
        types: tuple[str, ...] = ()
        if at == len(items):
            findings.error(item.offset, "a type is missing after '-'")
        else:
            types = type_names(items[at], findings)
        at += 1
        result.extend(_read_types(pending, types, findings))
        pending = []
    result.extend(_read_types(pending, ("object",), findings))
    return tuple(result)


def split_dashes(items: Sequence[Item]) -> Sequence[Item]:
    """Put a blank into ``-type`` and ``?x- type``, which old files leave out: names begin with a letter."""
    if not any(_is_dashed(item) or _ends_in_dash(item) for item in items):
        return items
    found: list[Item] = []
    for item, behind in zip_longest(items, items[1:]):
        if isinstance(item, Word) and _is_dashed(item):
            found += [Word("-", item.offset), Word(intern(item.text[1:]), item.offset + 1)]
        elif isinstance(item, Word) and _ends_in_dash(item) and isinstance(behind, Word) and grammar.is_name(behind):
            found += [Word(intern(item.text[:-1]), item.offset), Word("-", item.offset + len(item.text) - 1)]
        else:
            found.append(item)
    return found


def _is_dashed(item: Item) -> bool:
    return isinstance(item, Word) and item.text[0] == "-" and item.text[1:2].isalpha()


def _ends_in_dash(item: Item) -> bool:
    return isinstance(item, Word) and item.text[0] == "?" and item.text[-1] == "-" and len(item.text) > 2


def _read_types(listed: Sequence[Word | None], types: tuple[str, ...], findings: Findings) -> Iterator[syntax.Typed]:
    for word in listed:
        if word is not None:
            yield syntax.Typed(intern(word.text), types, findings.position(word.offset))


def _read_name(item: Item, findings: Findings, what: str) -> Word | None:
    if what != "variable":
        if isinstance(item, Word) and grammar.is_name(item):
            return item
        grammar.name(item, f"{article(what)} {what}", findings)
        findings.doubt_item(item)
        return None
    if isinstance(item, Word) and grammar.VARIABLE.match(item.text):
        return item
    hint = None
    meant = item.text.strip(",") if isinstance(item, Word) else ""
    if grammar.is_name(item):
        hint, meant = f"variables start with '?': write '?{grammar.show(item)}'", f"?{meant}"
    elif isinstance(item, Word) and "," in item.text:
        hint = "PDDL lists have no commas"
    findings.error(item.offset, f"a variable is expected here, not '{grammar.show(item)}'", hint)
    # Go on with what was meant, so that its uses are not errors as well.
    return Word(meant, item.offset) if grammar.VARIABLE.match(meant) else None


def type_names(item: Item, findings: Findings) -> tuple[str, ...]:
    """A type name or ``(either t u ...)``; nothing if it is unreadable."""
    if isinstance(item, Word):
        # A slot of a goal template may stand for a type.
        if item.text[0] == "?":
            return (intern(item.text),)
        found = grammar.name(item, "a type", findings)
        return (found,) if found else ()
    if isinstance(item, Form) and item.head == "either" and len(item.items) > 1:
        names: list[str | None] = []
        for inner in item.items[1:]:
            if isinstance(inner, Word) and inner.text[0] == "?":
                names.append(intern(inner.text))
            else:
                names.append(grammar.name(inner, "a type", findings))
        return tuple(dict.fromkeys(each for each in names if each)) if all(names) else ()
    hint = "write a name or (either a b)"
    if isinstance(item, Form) and item.head in ("and", "or", "not") and "?" in grammar.show(item):
        hint = "a slot is a type by itself or in (either ...); to leave an object out, say (not (= ?x ?y))"
    findings.error(item.offset, f"a type is expected here, not '{grammar.show(item)}'", hint)
    return ()


def variables(
    item: Item | None, after: int, findings: Findings, what: str, users: Sequence[Item] = ()
) -> tuple[syntax.Typed, ...]:
    """The parenthesised variables of an action or quantifier.

    Where they are missing, all that ``users`` mention, of types unknown.
    """
    if isinstance(item, Form):
        return read_typed_list(item.items, findings, "variable")
    at = item.offset if item else after
    findings.error(at, f"{what} needs its variables in parentheses", "for example (?x - object)")
    return variables_of(users, findings)


def variables_of(items: Sequence[Item], findings: Findings) -> tuple[syntax.Typed, ...]:
    """All variables in some lists, without types."""
    found: dict[str, int] = {}
    waiting = list(reversed(items))
    while waiting:
        item = waiting.pop()
        if isinstance(item, Form):
            waiting.extend(reversed(item.items))
        elif isinstance(item, Word) and grammar.VARIABLE.match(item.text):
            found.setdefault(intern(item.text), item.offset)
    return tuple(syntax.Typed(each, (), findings.position(offset)) for each, offset in found.items())


def formula(item: Item, findings: Findings) -> syntax.Formula:
    """A condition, or its readable parts."""
    if not isinstance(item, Form):
        hint = f"write ({grammar.show(item)})" if grammar.is_name(item) else None
        findings.error(item.offset, f"a condition in parentheses is expected here, not '{grammar.show(item)}'", hint)
        return syntax.TRUE
    items = item.items
    if not items:
        return syntax.TRUE
    head, rest = item.head, items[1:]
    if head in ("and", "or"):
        operands = tuple(formula(inner, findings) for inner in rest)
        return syntax.And(operands) if head == "and" else syntax.Or(operands)
    if head in ("not", "imply"):
        count = 1 if head == "not" else 2
        if len(rest) != count:
            findings.error(item.offset, f"'{head}' takes {count} condition{'s' * (count > 1)}, not {len(rest)}")
            return inner_formulas(rest, findings)
        operands = tuple(formula(inner, findings) for inner in rest)
        return syntax.Not(operands[0]) if head == "not" else syntax.Imply(*operands)
    if head in ("forall", "exists"):
        return _read_quantifier(item, findings)
    if head == "at-least" and (len(rest) == 3 or any(isinstance(inner, Form) for inner in rest)):
        return _at_least(item, findings)
    if head in COMPARISONS and (head != "=" or compares_numbers(item)):
        return comparison(item, findings)
    if head == "=":
        return _equals(item, findings)
    if (feature := _find_unsupported(head, rest)) is not None:
        findings.unsupported(item.offset, f"{feature} are not supported: '({head} ...'")
        return inner_formulas(rest, findings)
    if not isinstance(items[0], Word):
        grammar.refuse_atom(item, findings)
        return inner_formulas(items, findings)
    return grammar.atom(item, findings)


def inner_formulas(items: Sequence[Item], findings: Findings) -> syntax.Formula:
    """The lists among some items as conditions, so that the rest of a broken one is checked."""
    return syntax.And(tuple(formula(inner, findings) for inner in items if isinstance(inner, Form)))


def _find_unsupported(head: str, rest: Sequence[Item]) -> str | None:
    """The name of the unsupported feature that a condition with this head uses."""
    if head == "preference":
        return "preferences"
    if head in syntax.TRAJECTORIES and any(isinstance(item, Form) for item in rest):
        return "trajectory constraints"
    if head in UNCERTAIN and any(isinstance(item, Form) for item in rest):
        return "non-deterministic features"
    return None


def _read_quantifier(item: Form, findings: Findings) -> syntax.Formula:
    head, rest = item.head, item.items[1:]
    bound = variables(rest[0] if rest else None, item.offset, findings, f"'{head}'", rest)
    if not rest or not isinstance(rest[0], Form):
        body = inner_formulas(rest, findings)
    elif len(rest) != 2:
        at = rest[2].offset if len(rest) > 2 else item.offset
        hint = "join several with (and ...)" if len(rest) > 2 else None
        findings.error(at, f"'{head}' takes one condition after its variables, not {len(rest) - 1}", hint)
        body = inner_formulas(rest[1:], findings)
    else:
        body = formula(rest[1], findings)
    return syntax.Forall(bound, body) if head == "forall" else syntax.Exists(bound, body)


def _at_least(item: Form, findings: Findings) -> syntax.Formula:
    rest = item.items[1:]
    count = rest[0] if rest else None
    if not (isinstance(count, Word) and count.text.isascii() and count.text.isdigit()) or len(rest) != 3:
        findings.error(
            item.offset, "'at-least' takes a whole number, variables and a condition", "(at-least 2 (?x - type) (...))"
        )
        return syntax.Exists(variables_of(rest, findings), inner_formulas(rest[2:], findings))
    times = int(count.text) if len(count.text) <= 9 else 1
    if len(count.text) > 9:
        findings.error(count.offset, f"'at-least' with {count.text[:12]}... bindings is out of range")
    bound = variables(rest[1], item.offset, findings, "'at-least'", rest)
    body = formula(rest[2], findings)
    if isinstance(rest[1], Form) and not rest[1].items:
        findings.error(rest[1].offset, "'at-least' needs at least one variable")
    return syntax.AtLeast(times, bound, body, findings.position(item.offset))


def _equals(item: Form, findings: Findings) -> syntax.Formula:
    rest = item.items[1:]
    if len(rest) != 2:
        findings.error(item.offset, f"'=' takes 2 terms, not {len(rest)}")
    left, right, *_ = (*(grammar.term(side, findings) for side in rest[:2]), grammar.BROKEN, grammar.BROKEN)
    return syntax.Equals(left, right, findings.position(item.offset))
