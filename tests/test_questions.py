"""Twenty questions of readers: the site's search finds the page that answers each, and no page is over two clicks away.

The search is reckoned here as the site's does it: sections of pages, whose titles count much more than their text
(BM25 over stems; the site's own is lunr).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

import pytest

from tests.command import ROOT
from tests.test_site import site_pages

FIRST = 5
"""Among how many pages the answer must be; the site shows that many without scrolling."""

TITLE = 6.0
HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
WORD = re.compile(r"[a-z0-9]+")
STOP = re.compile(r"a|an|and|are|as|at|be|by|do|for|from|how|i|in|is|it|my|of|on|or|the|to|what|which|with")

QUESTIONS = (
    ("install doctor", "README.md"),
    ("first task tutorial", "tutorial.md"),
    ("write a task of my own", "authoring.md"),
    ("state the start of a task", "task_files.md"),
    ("more kinds of things", "own_kinds.md"),
    ("plan a PDDL problem of my own domain", "domains.md"),
    ("which PDDL requirements are supported", "pddl.md"),
    ("validate plans in continuous integration", "continuous_integration.md"),
    ("format PDDL files", "continuous_integration.md"),
    ("exit codes", "command_line.md"),
    ("defaults configuration file", "command_line.md"),
    ("shell completion", "command_line.md"),
    ("resume an interrupted run on a cluster", "many_machines.md"),
    ("columns of the parquet files", "formats.md"),
    ("train with LeRobot", "training.md"),
    ("Hugging Face datasets", "training.md"),
    ("gymnasium environment text game", "agents.md"),
    ("evaluate a policy on CALVIN", "calvin.md"),
    ("ALFRED traj_data json export", "alfred_export.md"),
    ("TEACh dialogue sessions", "teach_sessions.md"),
    ("HandMeThat request", "handmethat.md"),
    ("use Fast Downward as the engine", "other_planners.md"),
    ("AI2-THOR client without Unity", "thor_server.md"),
    ("add a benchmark plug-in", "extending.md"),
    ("render episode python", "python.md"),
    ("houses of several rooms", "houses.md"),
    ("options of generate alfred", "verbs/generate.md"),
)


@dataclass(frozen=True)
class Section:
    """A section of a page."""

    page: str
    title: Counter[str]
    text: Counter[str]


def stems(text: str) -> list[str]:
    """Words without the endings in which they mostly differ."""
    words = (word for word in WORD.findall(text.lower()) if not STOP.fullmatch(word))
    return [re.sub(r"(?:ing|ed|es|s|e)$", "", word) if len(word) > 4 else word.rstrip("s") for word in words]


def navigation() -> str:
    return (ROOT / "mkdocs.yml").read_text("utf-8")


@cache
def sections() -> tuple[Section, ...]:
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md") if path.name != "pypi.md"}
    pages["README.md"] = (ROOT / "README.md").read_text("utf-8") + pages["README.md"]
    pages.update(site_pages().pages())
    titles = dict(reversed(each) for each in re.findall(r"- ([^:\n]+): (\S+\.md)\n", navigation()))
    found = [Section(page, Counter(stems(title)), Counter()) for page, title in titles.items()]
    for page, text in sorted(pages.items()):
        parts = HEADING.split(text)
        for title, body in zip(parts[1::2], parts[2::2], strict=True):
            found.append(Section(page, Counter(stems(title)), Counter(stems(body))))
    return tuple(found)


def hits(query: str) -> list[str]:
    """Pages by their best section, the best first."""
    every = sections()
    mean = sum(each.text.total() for each in every) / len(every)
    scores: dict[str, float] = {}
    for section in every:
        score = 0.0
        for word in stems(query):
            having = sum(word in each.text or word in each.title for each in every)
            rarity = math.log(1 + (len(every) - having + 0.5) / (having + 0.5))
            count = section.text[word]
            score += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * section.text.total() / mean))
            score += TITLE * rarity * (word in section.title) / (1 + 0.2 * section.title.total())
        scores[section.page] = max(score, scores.get(section.page, 0.0))
    return sorted(scores, key=lambda page: (-scores[page], page))


@pytest.mark.parametrize(("query", "page"), QUESTIONS)
def test_the_search_finds_the_page_that_answers(query: str, page: str) -> None:
    assert page in hits(query)[:FIRST]


def test_an_answer_is_two_clicks_away_at_most() -> None:
    verbs = site_pages().verbs_page()
    for _, page in QUESTIONS:
        assert f" {page}\n" in navigation() or f"({page})" in verbs
