"""What a user may say of a dataset's mixture: scenes and splits, their shares and those of tasks, fillings.

What reads scenes is imported when a scene is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chorewright.domains.library import HOUSEHOLD, user_library
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean, require_known
from chorewright.generator.dataset.config import DOMAINS, KINDS
from chorewright.generator.dataset.options import Loaded, option

if TYPE_CHECKING:
    from chorewright.generator.production.sampling import Choice


Pairs = Mapping[str, frozenset[str]]
"""Kinds (or numbers) by the slot that they fill."""


def scenes_option() -> Any:  # see ``option``
    """Declare the option ``--scenes`` of a benchmark that takes scenes of the user's own."""
    help = "Only these: rooms (FloorPlan10), houses (house:7, houses:0-99), or files of yours (.json, or a folder)."
    return option((), help, flags=("--scene",), metavar="ROOM|FILE", load=_load_scenes)


def splits_option() -> Any:  # see ``option``
    """Declare the option ``--splits``."""
    return option((), "Only these splits; may be repeated.", flags=("--split",), metavar="SPLIT")


def noise_option() -> Any:  # see ``option``
    """Declare the option ``--noise``."""
    help = "This share of the steps of walks goes astray; the expert goes on from the state that is there."
    return option(0.0, help, metavar="SHARE", low=0, high=0.5, sparse=True)


def _load_scenes(words: Sequence[str]) -> Loaded:
    from chorewright.generator.household.own_scenes import load_scenes

    return load_scenes(words)


def read_shares(words: Sequence[str], known: Iterable[str], flag: str) -> dict[str, float]:
    """Return numbers by name from words ``NAME=N``.

    Raises:
        UsageError: A word is of another form, names nothing known, or its number is not positive.
    """
    names, found = tuple(known), dict[str, float]()
    for word in words:
        name, sign, number = word.partition("=")
        try:
            share = float(number)
        except ValueError:
            share = 0.0
        if not sign or not 0 < share < 1e9:
            raise UsageError(f"{flag} takes NAME=N with a positive number, not {word!r}")
        require_known(name, names, f"{flag}: there is no {name!r}", ", ".join(names))
        if name in found:
            raise UsageError(f"{flag}: {name!r} is given twice")
        found[name] = share
    return found


def read_pairs(words: Sequence[str], slots: Iterable[str], vocabulary: Vocabulary, flag: str) -> Pairs:
    """Return kinds by slot from words ``SLOT=KIND``; a set means all its kinds.

    Raises:
        UsageError: A word is of another form, or there is no such slot, kind or set.
    """
    known, found = tuple(dict.fromkeys(slots)), dict[str, set[str]]()
    for word in words:
        slot, sign, value = word.partition("=")
        if not sign or not value:
            raise UsageError(f"{flag} takes SLOT=KIND, not {word!r}", hint=f"for example {flag} object=Mug")
        require_known(slot, known, f"{flag}: no task has a slot {slot!r}", ", ".join(known))
        kinds = (value,) if value.isdigit() else _members(value, vocabulary, flag)
        found.setdefault(slot, set()).update(kinds)
    return {slot: frozenset(kinds) for slot, kinds in found.items()}


def _members(name: str, vocabulary: Vocabulary, flag: str) -> tuple[str, ...]:
    if vocabulary.find(name) is None and not vocabulary.has_set(name):
        hint = did_you_mean(name, (*vocabulary.kinds, *vocabulary.sets))
        raise UsageError(f"{flag}: there is no kind or set {name!r}", hint=hint)
    return vocabulary.set_members(name)


def choose(choices: Sequence[Choice], wanted: Pairs, left_out: Pairs) -> tuple[Choice, ...]:
    """Return the choices whose slots are filled as wanted, and not as is left out."""
    return tuple(
        choice
        for choice in choices
        if all(value in wanted.get(slot, (value,)) for slot, value in choice.parameters)
        and not any(value in left_out.get(slot, ()) for slot, value in choice.parameters)
    )


# A user's kinds of things and household domain as options of a benchmark: their texts are in the configuration.


def kinds_option() -> Any:  # see ``option``
    """Declare the option ``--kinds``."""
    help = "Your own kinds of things (JSON), besides those on the search path; may be repeated."
    return option((), help, metavar="FILE", load=load_kinds, always=True)


def domain_option() -> Any:  # see ``option``
    """Declare the option ``--domain``."""
    return option((), "Your own household domain (PDDL) in place of ours.", metavar="FILE", load=load_domain)


def load_kinds(words: Sequence[str]) -> Loaded:
    """Read files of kinds, those on the search path first.

    Raises:
        InputError: A file cannot be read, or has errors.
        UsageError: Two files have the same name.
    """
    library = user_library(kinds=words)
    library.vocabulary(HOUSEHOLD)  # errors name the files as the user does
    return _load(KINDS, library.kinds)


def load_domain(words: Sequence[str]) -> Loaded:
    """Read a PDDL domain.

    Raises:
        InputError: The file cannot be read, or has errors.
        UsageError: There are several.
    """
    if len(words) > 1:
        raise UsageError("--domain is given more than once")
    library = user_library(domain=words[0] if words else None)
    library.domain(HOUSEHOLD)  # errors name the file as the user does
    return _load(DOMAINS, library.domains)


def _load(prefix: str, files: Sequence[tuple[str, str]]) -> Loaded:
    named = [(f"{prefix}{Path(path).name}", text) for path, text in files]
    twice = {name for number, (name, _) in enumerate(named) if name in [each for each, _ in named[:number]]}
    if twice:
        raise UsageError(f"two files are called {min(twice).removeprefix(prefix)!r}", hint="rename one of them")
    return Loaded((), tuple(named))
