"""HandMeThat in English: things, places, requests, what the human was seen to do (Tables 17 to 19), and questions back.

Words and sentences are data (``data/handmethat_sentences.json``); the nouns of categories are in the object
space. The random generator that is passed in chooses between wordings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from chorewright.domains.handmethat.object_space import category_of, object_space
from chorewright.domains.library import handmethat_domain
from chorewright.errors import InputError
from chorewright.files.english import article, capital
from chorewright.files.records import reader_of
from chorewright.planner.plan import GroundAction
from chorewright.rsa.handmethat.descriptions import Description
from chorewright.rsa.handmethat.meanings import Context, Meaning, Quest
from chorewright.rsa.words.guesses import pick

_CATEGORY, _PLACE, _LOOKS = ("class", "subclass", "type"), ("inside", "ontop"), ("size", "color")


@dataclass(frozen=True, slots=True)
class Sentences:
    """The data of sentences; the data file explains each entry."""

    nouns: Mapping[str, tuple[str, ...]]
    one: str
    states: Mapping[str, tuple[str, ...]]
    places: Mapping[str, str]
    openers: tuple[str, ...]
    requests: Mapping[str, Mapping[str, tuple[str, ...]]]
    verbs: Mapping[str, tuple[str, ...]]
    agents: Mapping[str, str]
    actions: Mapping[str, str]
    questions: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, tuple[str, ...]]


sentences = reader_of(Sentences, "chorewright.rsa", "data/handmethat_sentences.json")
"""Returns the shipped sentences."""


def noun_of(kind: str) -> str:
    """Return the noun for a thing of a class, subclass or category."""
    if kind in object_space().categories:
        return object_space().categories[kind].noun
    return sentences().nouns.get(kind, (kind.replace("-", " "),))[0]


def a_noun_of(kind: str) -> str:
    """Return the noun of a class, subclass or category with its indefinite article."""
    noun = noun_of(kind)
    known = sentences().nouns.get(kind, ())
    if kind not in object_space().categories and len(known) > 1:
        return known[1]
    category = object_space().categories.get(kind)
    if category is not None and category.plural == category.noun:
        return f"some {noun}"
    return f"{article(noun)} {noun}"


def name_of(name: str) -> str:
    """Return the English name of a thing, with its number unless it is a location: ``headset 1``."""
    category = object_space().categories[category_of(name)]
    return f"{category.noun} {name.rpartition('_')[2]}" if category.movable else category.noun


def place_phrase(name: str, context: Context) -> str:
    """Return a place: ``the sofa``; of several, by number: ``bucket 2``, ``the small red package 2``."""
    item = context.items[context.number[name]]
    siblings = [each for each in context.items if each.features["type"] == item.features["type"]]
    looks = [str(item.features[look]) for look in _LOOKS if look in item.features]
    if len(siblings) == 1:
        return " ".join(("the", *looks, noun_of(str(item.features["type"]))))
    return " ".join(("the", *looks, name_of(name))) if looks else name_of(name)


def adjective(state: str, value: bool) -> str:
    """Return the adjective for a thing in a state, or not in it: ``sliced``, ``unsliced``."""
    true, false = sentences().states[state]
    return true if value else false


def thing_phrase(description: Description, context: Context) -> str:
    """Return a described thing: ``the large red box on the table``, ``the sliced one``."""
    features = dict(description)
    words = [str(features[look]) for look in _LOOKS if look in features]
    words += [adjective(name, bool(value)) for name, value in features.items() if isinstance(value, bool)]
    kinds = [str(features[name]) for name in _CATEGORY if name in features]
    words.append(noun_of(kinds[0]) if kinds else sentences().one)
    for relation in _PLACE:
        if relation in features:
            words.append(place_words(str(features[relation]), context))
    return f"the {' '.join(words)}"


def request_phrase(meaning: Meaning, context: Context, rng: np.random.Generator) -> str:
    """Return a request without opener: ``put the cube on the table``."""
    known = sentences()
    said = "thing" if meaning.description else "nothing"
    if any(relation in dict(meaning.description) for relation in _PLACE):
        said = "placed thing"
    words = {"thing": thing_phrase(meaning.description, context)} if meaning.description else {}
    if meaning.quest is Quest.MOVE_TO and meaning.argument is not None:
        said += ", place"
        words["place"] = place_words(meaning.argument, context)
        words["position"] = place_phrase(meaning.argument, context)
    patterns = known.requests[meaning.quest.value]
    pattern = pick(patterns.get(said, patterns[said.removeprefix("placed ")]), rng)
    if meaning.quest is Quest.CHANGE_STATE:
        it, thing = known.verbs[str(meaning.argument)]
        pattern = pattern.replace("{do it}", it).replace("{do thing}", thing)
    return fill(pattern, words)


def request_sentence(meaning: Meaning, context: Context, rng: np.random.Generator) -> str:
    """Return an utterance in English: ``Can you hand me the one on the table?``"""
    opener = pick(sentences().openers, rng)
    phrase = request_phrase(meaning, context, rng)
    mark = "?" if opener.endswith("?") else "."
    return capital(f"{opener.rstrip('?')} {phrase}".strip()) + mark


def action_sentence(action: GroundAction) -> str:
    """Return what an agent did: ``Human picks up the headset 1 at the table.``

    Raises:
        InputError: The domain has no such action.
    """
    pattern = sentences().actions.get(action.name)
    if pattern is None:
        raise InputError(f"HandMeThat has no action {action.name!r}")
    words = {}
    parameters = handmethat_domain().action(action.name).parameters
    for parameter, argument in zip(parameters, action.arguments, strict=True):
        kind = category_of(argument)
        words[parameter.name.lstrip("?")] = name_of(argument) if kind in object_space().categories else kind
    return fill(pattern, {**words, "a": sentences().agents[words["a"]]})


def place_words(place: str, context: Context) -> str:
    """Return a place with the preposition of being there: ``on the table``, ``in bucket 2``."""
    return f"{preposition(context.items[context.number[place]].relation)} {place_phrase(place, context)}"


def preposition(relation: str) -> str:
    """Return the word for a relation to a place: ``in`` or ``on``."""
    return sentences().places[relation]


def fill(pattern: str, words: Mapping[str, str]) -> str:
    """Return a pattern with its ``{words}`` filled in."""
    return re.sub(r"\{([^{}]*)\}", lambda found: words[found[1]], pattern)


# Clarifying questions: what the robot may ask about a request, and what the human answers (Table 23).
#
# A question asks for one specifier of the meaning, or for all of it. The human answers from the meaning. If the
# meaning leaves the specifier open, the answer is that either is fine.


_ALL = "all"


@dataclass(frozen=True, slots=True)
class Question:
    """A question.

    Attributes:
        about: ``type``, ``color``, ``size``, ``where`` (the thing is), ``target`` (it is to be), ``state``,
            or ``all``.
        state: Which state is asked about.
    """

    about: str
    state: str = ""


def questions() -> Iterator[Question]:
    """Yield all questions that can be asked, in the order of the table."""
    for about in sentences().questions:
        if about == "state":
            yield from (Question(about, state) for state in sentences().states)
        else:
            yield Question(about)


def question_sentence(question: Question) -> str:
    """Return a question in English: ``Do you want a dusty one?``"""
    word = adjective(question.state, True) if question.state else ""
    return fill(sentences().questions[question.about][0], {"a state": f"{article(word)} {word}"})


def parse_question(text: str) -> Question:
    """Return the question that a text asks, whatever its case, punctuation and article.

    Raises:
        InputError: It is none of ``questions``.
    """
    wanted = _bare(text)
    for question in questions():
        if _bare(question_sentence(question)) == wanted or (
            question.state and wanted == _bare(question_sentence(question), question.state)
        ):
            return question
    raise InputError(f"{text!r} is not a question that the human understands", hint=question_sentence(Question(_ALL)))


def _bare(text: str, state: str = "") -> str:
    """A text in lower case without punctuation and articles; its adjective replaced by a state's name."""
    if state:
        text = text.replace(adjective(state, True), state)
    words = re.findall(r"[a-z-]+", text.lower())
    return " ".join(word for word in words if word not in ("a", "an"))


def answer(question: Question, meaning: Meaning, context: Context, rng: np.random.Generator) -> str:
    """Return the answer to a question by a human with a given meaning."""
    return pick(answers(question, meaning, context), rng)


def answers(question: Question, meaning: Meaning, context: Context) -> tuple[str, ...]:
    """Return all wordings of the answer to a question by a human with a given meaning."""
    features = dict(meaning.description)
    match question.about:
        case "type":
            for name in ("type", "subclass", "class"):
                if name in features:
                    kind = str(features[name])
                    words = {"noun": noun_of(kind), "a noun": a_noun_of(kind)}
                    return _word("type" if name == "type" else "kind", words)
        case "color" | "size" if question.about in features:
            return _word(question.about, {"word": str(features[question.about])})
        case "where":
            for relation in ("inside", "ontop"):
                if relation in features:
                    place = place_words(str(features[relation]), context)
                    return _word("where", {"Place": capital(place)})
        case "target" if meaning.quest is Quest.MOVE_TO and meaning.argument is not None:
            return _word("target", {"place": place_words(meaning.argument, context)})
        case "state" if question.state in features:
            value = bool(features[question.state])
            return _word("yes" if value else "no", {"word": adjective(question.state, value)})
        case "all" if meaning.description:
            return _everything(meaning, context)
    about = f"any {question.about}"
    return _word(about if about in sentences().answers else "any", {})


def _everything(meaning: Meaning, context: Context) -> tuple[str, ...]:
    words = {"thing": thing_phrase(meaning.description, context)}
    if meaning.quest is not Quest.MOVE_TO or meaning.argument is None:
        return _word("all", words)
    return _word("all, place", {**words, "place": place_words(meaning.argument, context)})


def _word(pattern: str, words: dict[str, str]) -> tuple[str, ...]:
    return tuple(fill(each, words) for each in sentences().answers[pattern])
