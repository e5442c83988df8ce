"""Clarifying questions: what the robot may ask about a request, and what the human answers (Table 23).

A question asks for one specifier of the meaning, or for all of it. The human answers from the meaning. If the
meaning leaves the specifier open, the answer is that either is fine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from chorewright.errors import InputError
from chorewright.files.english import article, capital
from chorewright.rsa.handmethat import requests
from chorewright.rsa.handmethat.meanings import Context, Meaning, Quest
from chorewright.rsa.words.guesses import pick

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
    for about in requests.sentences().questions:
        if about == "state":
            yield from (Question(about, state) for state in requests.sentences().states)
        else:
            yield Question(about)


def question_sentence(question: Question) -> str:
    """Return a question in English: ``Do you want a dusty one?``"""
    word = requests.adjective(question.state, True) if question.state else ""
    return requests.fill(requests.sentences().questions[question.about][0], {"a state": f"{article(word)} {word}"})


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
        text = text.replace(requests.adjective(state, True), state)
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
                    words = {"noun": requests.noun_of(kind), "a noun": requests.a_noun_of(kind)}
                    return _word("type" if name == "type" else "kind", words)
        case "color" | "size" if question.about in features:
            return _word(question.about, {"word": str(features[question.about])})
        case "where":
            for relation in ("inside", "ontop"):
                if relation in features:
                    place = requests.place_words(str(features[relation]), context)
                    return _word("where", {"Place": capital(place)})
        case "target" if meaning.quest is Quest.MOVE_TO and meaning.argument is not None:
            return _word("target", {"place": requests.place_words(meaning.argument, context)})
        case "state" if question.state in features:
            value = bool(features[question.state])
            return _word("yes" if value else "no", {"word": requests.adjective(question.state, value)})
        case "all" if meaning.description:
            return _everything(meaning, context)
    about = f"any {question.about}"
    return _word(about if about in requests.sentences().answers else "any", {})


def _everything(meaning: Meaning, context: Context) -> tuple[str, ...]:
    words = {"thing": requests.thing_phrase(meaning.description, context)}
    if meaning.quest is not Quest.MOVE_TO or meaning.argument is None:
        return _word("all", words)
    return _word("all, place", {**words, "place": requests.place_words(meaning.argument, context)})


def _word(pattern: str, words: dict[str, str]) -> tuple[str, ...]:
    return tuple(requests.fill(each, words) for each in requests.sentences().answers[pattern])
