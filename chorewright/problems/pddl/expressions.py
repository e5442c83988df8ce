"""Numbers in problem templates: constants, the template's own numbers, counts, and arithmetic."""

from __future__ import annotations

from collections.abc import Collection

from chorewright.domains.pddl.forms import Form, Item, Word
from chorewright.domains.pddl.scopes import Symbols
from chorewright.domains.pddl.source import Findings
from chorewright.domains.pddl.terms import number, show
from chorewright.files.spelling import did_you_mean
from chorewright.problems.pddl.rules import Expression, NumberRange

OPERATIONS = {"+": 2, "-": 1, "*": 2, "/": 2, "min": 1, "max": 1, "random": 2, "count": 1}
"""The operations with the least number of operands."""

ZERO = Expression("constant")


def constant(value: float) -> Expression:
    """Return a number that is always the same."""
    return Expression("constant", value)


def read_expression(item: Item, numbers: Collection[str], symbols: Symbols, findings: Findings) -> Expression:
    """Read a number: ``3``, ``?n``, ``(* ?w ?h)``, ``(random 1 6)``, ``(count block)``."""
    if isinstance(item, Word):
        value = number(item.text)
        if value is not None:
            return constant(value)
        if item.text in numbers:
            return Expression("number", name=item.text)
        hint = did_you_mean(item.text, numbers) or "declare numbers in (:numbers (?n 2 5))"
        findings.error(item.offset, f"a number is expected here, not '{item.text}'", hint)
        return ZERO
    if not isinstance(item, Form) or item.head not in OPERATIONS:
        hint = f"operations are {', '.join(OPERATIONS)}"
        findings.error(item.offset, f"a number is expected here, not '{show(item)}'", hint)
        return ZERO
    rest = item.items[1:]
    if item.head == "count":
        if len(rest) != 1 or not isinstance(rest[0], Word) or rest[0].text not in symbols.types:
            findings.error(item.offset, "'count' takes the name of a type", "for example (count block)")
            return ZERO
        return Expression("count", name=rest[0].text)
    least, most = OPERATIONS[item.head], 2 if item.head in ("/", "random") else len(rest)
    if not least <= len(rest) <= most:
        findings.error(item.offset, f"'{item.head}' takes {least} numbers{'' if most == 2 else ' or more'}")
        return ZERO
    parts = tuple(read_expression(each, numbers, symbols, findings) for each in rest)
    return Expression(item.head, operands=parts)


def read_numbers(
    items: tuple[Item, ...], symbols: Symbols, findings: Findings, known: Collection[str] | None = None
) -> tuple[NumberRange, ...]:
    """Read ``(?n 3 6) (?m ?n) ...``.

    Args:
        items: The lists.
        symbols: The domain's.
        findings: Where errors go.
        known: For a band, the numbers that it may replace; else each is a new one.
    """
    found: list[NumberRange] = []
    for item in items:
        words = item.items if isinstance(item, Form) else ()
        if not 2 <= len(words) <= 3 or not isinstance(words[0], Word) or not words[0].text.startswith("?"):
            message = f"a number with its lowest and highest value is expected here, not '{show(item)}'"
            findings.error(item.offset, message, "write (?n 3 6)")
            continue
        name = words[0].text
        if known is not None and name not in known:
            hint = did_you_mean(name, known)
            findings.error(words[0].offset, f"the template has no number '{name}'", hint)
        if name in {each.name for each in found}:
            findings.error(words[0].offset, f"the number '{name}' is given twice")
        usable = [each.name for each in found] if known is None else known
        low = read_expression(words[1], usable, symbols, findings)
        high = read_expression(words[2], usable, symbols, findings) if len(words) > 2 else low
        if low.op == high.op == "constant" and (high.value < low.value or low.value < 0):
            findings.error(words[1].offset, f"no number is from {low.value:g} to {high.value:g}")
        found.append(NumberRange(name, low, high))
    return tuple(found)
