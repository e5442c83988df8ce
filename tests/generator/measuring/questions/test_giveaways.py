"""No simple rule guesses answers better than chance: of place, length, order of numbers, or how often words occur."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache

import pytest

from chorewright.generator.measuring.questions import KINDS, ProblemQuestion, QuestionStyle, questions_of
from chorewright.generator.measuring.questions.making import CHOICES, OPTIONS, PAIRS
from tests.generator.measuring.questions.test_questions import SMALL, situations

DEVIATIONS = 3.3
"""How far above chance a rule may be: about one of a thousand is further by chance."""


@cache
def questions() -> dict[str, list[ProblemQuestion]]:
    made: defaultdict[str, list[ProblemQuestion]] = defaultdict(list)
    places: Counter[str] = Counter()
    for name in SMALL:
        for number, situation in enumerate(situations(name, 24, smallest=True)):
            for question in questions_of(situation, f"{name}-{number}", QuestionStyle(each=2), places):
                made[question.kind].append(question)
    return made


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def option_features(question: ProblemQuestion) -> dict[str, list[float]]:
    """What of each option could give it away, as numbers."""
    options = question.options
    told, asked = Counter(words(question.told)), Counter(words(question.asked))
    common = Counter(word for each in options for word in set(words(each)))

    def share(of: Counter[str], text: str) -> float:
        return sum(of[word] for word in words(text)) / len(words(text))

    features: dict[str, list[float]] = {
        "place": list(range(OPTIONS)),
        "letters": [len(each) for each in options],
        "commas": [each.count(",") for each in options],
        "alphabet": [sorted(options).index(each) for each in options],
        "words of other options": [share(common, each) for each in options],
        "words of what is told": [share(told, each) for each in options],
        "words of the question": [share(asked, each) for each in options],
    }
    if all(each.isdigit() for each in options):
        mean = sum(map(int, options)) / OPTIONS
        features |= {
            "number": [int(each) for each in options],
            "distance from the mean": [abs(int(each) - mean) for each in options],
            "parity": [int(each) % 2 for each in options],
        }
    return features


def rules(values: list[float]) -> Iterator[tuple[str, list[int]]]:
    """The places that a rule chooses: the least, the most, or one in the order."""
    yield "least", [place for place, value in enumerate(values) if value == min(values)]
    yield "most", [place for place, value in enumerate(values) if value == max(values)]
    order = sorted(range(OPTIONS), key=lambda place: (values[place], place))
    for rank, place in enumerate(order):
        yield f"rank {rank}", [place]


@pytest.mark.parametrize("kind", CHOICES)
def test_no_rule_finds_the_right_option(kind: str) -> None:
    made = questions()[kind]
    assert len(made) >= 30
    hits: Counter[str] = Counter()
    for question in made:
        right = question.options.index(question.answer)
        for feature, values in option_features(question).items():
            for rule, places in rules(values):
                hits[f"{feature}: {rule}"] += (right in places) / len(places)
    chance = 1 / OPTIONS
    most = len(made) * chance + DEVIATIONS * math.sqrt(len(made) * chance * (1 - chance))
    assert {rule: found for rule, found in hits.items() if found > most} == {}


def text_features(question: ProblemQuestion) -> dict[str, float]:
    """What of a question could give yes or no away, as numbers."""
    asked = question.asked
    things = re.findall(r"[a-z-]+ \d+", asked.lower())
    features: dict[str, float] = {
        "letters": len(asked),
        "words": len(words(asked)),
        "negations": len(re.findall(r"\b(?:no|not)\b", asked)),
        "things named again": len(things) - len(set(things)),
        "told": asked.partition(" that ")[2].rstrip("?") in question.told,
    }
    plan, steps = question.formal.get("plan"), question.formal.get("steps")
    if isinstance(plan, list):
        features |= {"steps": len(plan), "steps again": len(plan) - len(set(plan))}
    if isinstance(plan, list) and isinstance(steps, list):
        step = plan[steps[0] - 1]
        names = [each.split()[0] for each in plan]
        features |= {
            "number": steps[0],
            "place": steps[0] / len(plan),
            "last": steps[-1] == len(plan),
            "often": plan.count(step),
            "action often": names.count(step.split()[0]),
        }
    return features


@pytest.mark.parametrize("kind", PAIRS)
def test_no_threshold_tells_yes_from_no(kind: str) -> None:
    """A threshold is chosen by every second pair, and tried on the others."""
    made = questions()[kind]
    assert len(made) >= 60
    known = [each for number, each in enumerate(made) if number // 2 % 2]
    others = [each for number, each in enumerate(made) if not number // 2 % 2]
    most = len(others) / 2 + DEVIATIONS * math.sqrt(len(others) / 4)
    found = {}
    for feature in text_features(made[0]):
        best, sign = max(
            ((least, sign) for least in {text_features(each)[feature] for each in known} for sign in (True, False)),
            key=lambda rule: right_answers(known, feature, *rule),
        )
        found[feature] = right_answers(others, feature, best, sign)
    assert {feature: hits for feature, hits in found.items() if hits > most} == {}


def right_answers(made: list[ProblemQuestion], feature: str, least: float, sign: bool) -> int:
    return sum(((text_features(each)[feature] >= least) == sign) == (each.answer == "yes") for each in made)


def test_all_kinds_are_looked_at() -> None:
    assert {*CHOICES, *PAIRS} == set(KINDS)
