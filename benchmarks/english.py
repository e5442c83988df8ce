"""Articles and plurals of our own nouns, beside the library inflect: where they agree, and where not.

    python -m benchmarks.english [--save] [--json FILE]

The nouns are those of the household, of HandMeThat, of BEHAVIOR's synsets and of the shipped domains' types. inflect is
no dependency: ``pip install inflect``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report
from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import household_vocabulary
from chorewright.domains.phrases import words_of
from chorewright.files.english import article, is_mass, is_plural, plural
from chorewright.problems.behavior.kinds import VERSIONS, kinds_data
from chorewright.problems.pddl.template_files import classic_domain, classic_names
from chorewright.rsa.behavior.names import noun_of
from chorewright.rsa.words.guesses import household_lexicon


def nouns() -> Iterator[str]:
    """Yield the nouns of our vocabularies."""
    for kind in household_vocabulary().kinds.values():
        yield from kind.nouns
    for words in household_lexicon().kinds.values():
        yield from (noun.word for noun in words.nouns if not noun.only_plural)
    yield from (category.noun for category in object_space().categories.values())
    for version in VERSIONS:
        yield from map(noun_of, kinds_data(version)["kinds"])
    for name in classic_names():
        yield from (words_of(each.name) for each in classic_domain(name).types)


def main() -> None:
    """Print what both say."""
    arguments = benchmark_parser(__doc__).parse_args()
    begins = time.perf_counter()
    peer = import_module("inflect").engine()
    seconds = time.perf_counter() - begins
    table = sorted(set(nouns()))
    counted = [noun for noun in table if not is_mass(noun) and not is_plural(noun)]
    plurals = [(noun, plural(noun), peer.plural_noun(noun)) for noun in counted]
    articles = [(noun, article(noun), peer.a(noun).split()[0]) for noun in table]
    others = [each for each in (*plurals, *articles) if each[1] != each[2]]
    for noun, ours, theirs in others:
        print(f"{noun:40} {ours:40} {theirs}")
    alike = 100 * (1 - len(others) / len(plurals + articles))
    print(f"{len(table)} nouns; alike {alike:.1f} %; inflect imports in {seconds:.2f} s")
    figures = (
        Figure("nouns", "nouns", len(table)),
        Figure("alike", "articles and plurals alike", alike, "%", digits=1),
        Figure("import", "seconds to import inflect", seconds, "s", digits=2),
    )
    explanation = "Articles and plurals of the nouns of all vocabularies, beside the library inflect."
    keep(arguments, Report("english", "Command line and store", "English words", explanation, figures))


if __name__ == "__main__":
    main()
