"""Exact numbers, and how a state holds them.

A state holds the value 3 of ``(fuel van)`` as the atom ``("=", "fuel", "van", "3")``. Numbers are exact: integers
where they are whole, else fractions. A number of a file is the decimal that it is written as.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from chorewright.domains.pddl.syntax import GroundAtom

Number: TypeAlias = int | Fraction
Fluent: TypeAlias = tuple[str, ...]
"""A function's name, then the objects' names."""

VALUE = "="
"""In place of the predicate of an atom that says a value."""


def exact(value: float) -> Number:
    """Return the number that a float's shortest decimal is."""
    return int(value) if value.is_integer() else Fraction(repr(value))


def whole(value: Number) -> Number:
    """Return a number as an integer where it is one."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def number_text(value: Number) -> str:
    """Return a number as a state holds it: ``3``, ``0.25``, or ``1/3`` where no decimal is equal."""
    if isinstance(value, int):
        return str(value)
    rest, digits = value.denominator, 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest = rest // 10 if rest % 10 == 0 else rest // (2 if rest % 2 == 0 else 5)
        digits += 1
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    scaled = abs(value.numerator) * 10**digits // value.denominator
    text = str(scaled).rjust(digits + 1, "0")
    return f"{'-' if value < 0 else ''}{text[:-digits]}.{text[-digits:]}"


def number_of(text: str) -> Number:
    """Return the number that a state's text stands for."""
    return whole(Fraction(text)) if "." in text or "/" in text else int(text)


def value_atom(fluent: Fluent, value: Number) -> GroundAtom:
    """Return the atom that says the value of a fluent."""
    return (VALUE, *fluent, number_text(value))


def atom_text(atom: GroundAtom) -> str:
    """Return an atom of a state as PDDL; a value as ``(= (fuel van) 3)``."""
    if atom[0] == VALUE:
        return f"(= ({' '.join(atom[1:-1])}) {atom[-1]})"
    return f"({' '.join(atom)})"
