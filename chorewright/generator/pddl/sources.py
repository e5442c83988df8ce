"""Where problems of a domain come from: a template or a folder of problems, with the domain's wordings.

The user's files are read once, when the command is given; their texts are part of the configuration.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.domains.pddl.parser import load_domain, parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_domain
from chorewright.domains.phrases import Wordings
from chorewright.errors import ChorewrightError, InputError, InputErrors, UsageError
from chorewright.files.english import did_you_mean
from chorewright.files.text import read_text
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import Loaded
from chorewright.problems.pddl import template_files
from chorewright.problems.pddl.rules import ProblemTemplate
from chorewright.problems.pddl.template_files import SUFFIX as TEMPLATE
from chorewright.rsa.words.files import SUFFIX as SAY
from chorewright.rsa.words.files import load_wordings, parse_wordings
from chorewright.rsa.words.verbaliser import Verbaliser

DOMAIN_FILE, WORDS_FILE, TEMPLATE_FILE, BESIDE_FILE = (
    "domain.pddl",
    "domain.say",
    "problems.template",
    "domain.template",
)
"""What the user's files are called in the configuration; ``domain.template`` lies beside the domain."""

PROBLEMS = "problems/"
PDDL = ".pddl"
MOST_PROBLEMS = 100_000


@dataclass(frozen=True, slots=True)
class ProblemSource:
    """What a dataset is made of.

    Attributes:
        domain: The domain.
        text: The domain as an episode holds it.
        says: Words the domain, as its author says; it is for no problem yet.
        words: What the author says, as text; empty if there is none.
        template: The template; None where problems are given.
        drawer: Draws its problems.
        problems: The given problems, by their files' names.
    """

    domain: Domain
    text: str
    says: Verbaliser
    words: str
    template: ProblemTemplate | None
    drawer: template_files.Drawer | None
    problems: Mapping[str, Problem]


def domain_path(word: str) -> Path | None:
    """Return the file that a word names: a ``.pddl`` file, or a folder with ``domain.pddl``; None for a name."""
    path = Path(word)
    if word.endswith(PDDL):
        return path
    return path / DOMAIN_FILE if path.is_dir() else None


def read_domain(words: Sequence[str]) -> Loaded:
    """Read a domain's file with its wordings and template beside it, or the name of a shipped domain.

    Raises:
        UsageError: There is no such file or domain.
        InputErrors: Files have errors; those of wordings and template are told together.
    """
    [word] = words if len(words) == 1 else [""]
    path = domain_path(word)
    if path is None:
        try:
            template_files.classic_domain(word)
        except UsageError as error:
            folders = sorted(each.parent.name for each in Path().glob(f"*/{DOMAIN_FILE}"))
            raise UsageError(error.message, hint=did_you_mean(word, folders) or error.hint) from None
        return Loaded((word,))
    domain = load_domain(path)
    files = [(DOMAIN_FILE, read_text(path))]
    errors: list[ChorewrightError] = []
    readers = ((SAY, WORDS_FILE, load_wordings), (TEMPLATE, BESIDE_FILE, template_files.load_template))
    for suffix, name, read in readers:
        if (beside := path.with_suffix(suffix)).is_file():
            try:
                read(beside, domain)
                files.append((name, read_text(beside)))
            except InputError as error:
                errors += _each(error)
    if errors:
        raise InputErrors(errors)
    return Loaded((path.name,), tuple(files))


def read_template(words: Sequence[str]) -> Loaded:
    """Read a template's file, or the name of a shipped one.

    Raises:
        UsageError: There is no such file or template.
    """
    [word] = words if len(words) == 1 else [""]
    if not word.endswith(TEMPLATE):
        template_files.classic_template(word)
        return Loaded((word,))
    return Loaded((Path(word).name,), ((TEMPLATE_FILE, read_text(word)),))


def read_problems(words: Sequence[str]) -> Loaded:
    """Read a problem's file, or all of a folder.

    Raises:
        UsageError: There is no such file, or no problem in the folder.
    """
    paths: list[Path] = []
    for word in words:
        path = Path(word)
        paths += sorted(path.glob(f"*{PDDL}"), key=natural) if path.is_dir() else [path]
    texts = {f"{PROBLEMS}{path.name}": read_text(path) for path in paths}
    found = {name: text for name, text in texts.items() if not _DOMAIN.search(text)}
    if not found:
        raise UsageError(f"there are no problems in {', '.join(words)}", hint=f"problems are files named *{PDDL}")
    if len(found) > MOST_PROBLEMS:
        raise UsageError(f"there are {len(found):,} problems in {', '.join(words)}; at most {MOST_PROBLEMS:,} serve")
    return Loaded(tuple(Path(word).name for word in words), tuple(found.items()))


def natural(path: Path) -> tuple[tuple[int, str], ...]:
    """A key by which ``p2`` comes before ``p10``."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path.name))


_DOMAIN = re.compile(r"\(\s*define\s*\(\s*domain\b", re.IGNORECASE)


def source_of(config: GenerateConfig, domain: str, template: str) -> ProblemSource:
    """Return what a configuration's dataset is made of.

    Args:
        config: Its files.
        domain: The option's value: a shipped domain's name, or that of the user's file.
        template: Likewise.

    Raises:
        UsageError: There is no domain, or nothing to take problems from.
        InputErrors: A file has errors.
    """
    files = dict(config.task_files)
    shipped = files.get(TEMPLATE_FILE)
    named = domain or (template_files.template_domain(shipped) if shipped is not None else None) or template
    if not named:
        raise UsageError("there is no domain", hint="give --domain FILE or NAME; chorewright new-domain starts one")
    known = (
        parse_domain(files[DOMAIN_FILE], DOMAIN_FILE) if DOMAIN_FILE in files else template_files.classic_domain(named)
    )
    words, path = files.get(WORDS_FILE, ""), None if DOMAIN_FILE in files else template_files.wordings_path(named)
    if not words and path is not None:
        words = read_text(path)
    says = Verbaliser.of(known, (), parse_wordings(words, known, WORDS_FILE) if words else None)
    problems = {name: text for name, text in files.items() if name.startswith(PROBLEMS)}
    if problems:
        return ProblemSource(known, write_domain(known), says, words, None, None, _parse(problems, known))
    found = _template(files, known, domain or named, template)
    return ProblemSource(known, write_domain(known), says, words, found, template_files.Drawer(found, known), {})


def _template(files: Mapping[str, str], known: Domain, domain: str, template: str) -> ProblemTemplate:
    """Return the template that is asked for: the user's, a shipped one, or the one beside the domain.

    Raises:
        UsageError: There is none, or it is for another domain.
        InputErrors: It has errors.
    """
    text = files.get(TEMPLATE_FILE)
    if text is not None:
        return template_files.parse_template(text, known, template)
    if template:
        found = template_files.classic_template(template)
        if found.domain != known.name or known != template_files.classic_domain(template):
            raise UsageError(f"the template {template} is for the domain {found.domain}, not {known.name}")
        return found
    if BESIDE_FILE in files:
        return template_files.parse_template(files[BESIDE_FILE], known, BESIDE_FILE)
    if DOMAIN_FILE in files:
        raise UsageError(
            "there are no problems", hint=f"give --template or --problems, or write {Path(domain).stem}{TEMPLATE}"
        )
    return template_files.classic_template(domain)


def _parse(problems: Mapping[str, str], domain: Domain) -> dict[str, Problem]:
    """Parse problems; the errors of all are told together.

    Raises:
        InputErrors: Some have errors.
    """
    found: dict[str, Problem] = {}
    errors: list[ChorewrightError] = []
    for name, text in problems.items():
        try:
            found[name.removeprefix(PROBLEMS)] = parse_problem(text, domain, name.removeprefix(PROBLEMS))
        except InputError as error:
            errors += _each(error)
    if errors:
        raise InputErrors(errors)
    return found


def _each(error: InputError) -> Sequence[ChorewrightError]:
    return error.errors if isinstance(error, InputErrors) else (error,)


# What an episode of any domain holds: its domain, its problem, and how they are worded.


SCENE, DOMAIN, WORDINGS, PROBLEM = "scene", "domain", "wordings", "problem"
"""The extras of an episode that say its problem: the name, and domain, wordings and problem as text."""


@dataclass(frozen=True, slots=True)
class StoredProblem:
    """The problem of an episode.

    Attributes:
        domain: Its domain.
        problem: The problem.
        wordings: What the domain's author says of how to say it; None if nothing.
    """

    domain: Domain
    problem: Problem
    wordings: Wordings | None


def read_problem(episode: Episode) -> StoredProblem:
    """Return the problem of an episode, with the domain and the wordings that were stored with it.

    Raises:
        DatasetCorrupt: It has none.
        InputErrors: What is stored has errors.
    """
    whose, words = f"of episode {episode.index}", dict(episode.extras).get(WORDINGS)
    domain = parse_domain(episode.extra(DOMAIN), f"the domain {whose}")
    problem = parse_problem(episode.extra(PROBLEM), domain, f"the problem {whose}")
    return StoredProblem(domain, problem, parse_wordings(words, domain, f"the wordings {whose}") if words else None)
