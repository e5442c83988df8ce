"""The library: finds domains, vocabularies and goal templates, shipped ones and the user's.

A user's own lie in folders on a search path: those of the environment variable ``CHOREWRIGHT_PATH``, then
``~/.config/chorewright``. Each may hold ``domains/NAME/domain.pddl`` (beside it ``object_types.json``,
``tasks/COLLECTION/*.task`` and ``new_task.task.in``, all optional) and ``kinds/*.json``, more kinds of the household.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar, cast

from chorewright.domains import vocabulary_files
from chorewright.domains.pddl.parser import load_domain, parse_domain
from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.templates.goal_templates import GoalTemplate
from chorewright.domains.templates.parser import load_template, refuse_domain, template_domain
from chorewright.domains.vocabulary import Vocabulary, extend_domain
from chorewright.errors import InputError, Location, UsageError
from chorewright.files.english import closest, did_you_mean
from chorewright.files.plugins import Origin, Registry
from chorewright.files.text import read_text

HOUSEHOLD = "household"

_DOMAINS = Path(str(files("chorewright.domains")))

VOCABULARIES: Registry[Vocabulary] = Registry("chorewright.vocabularies", "vocabulary", ("kinds", "relations"))
"""The vocabularies of shipped domains whose kinds are in a file of a shape of their own, by the domains' names."""

T = TypeVar("T")
File = tuple[str, str]
"""A file's name, for messages, and its text."""


@dataclass(frozen=True)
class Library:
    """Domains, vocabularies and templates of the package and of a user; each file is read once, when it is asked for.

    Attributes:
        folders: The user's folders, as the module says.
        kinds: Files of more kinds of the household.
        domains: PDDL domains, each in place of the one of its name, or besides. One of the household must declare
            all that the shipped one declares.
    """

    folders: tuple[Path, ...] = ()
    kinds: tuple[File, ...] = ()
    domains: tuple[File, ...] = ()
    _read: dict[object, object] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[object, ...]:
        return Library, (self.folders, self.kinds, self.domains)

    def domain_names(self) -> tuple[str, ...]:
        """Return the names of all domains, sorted.

        Raises:
            InputError: Two folders have a domain of the same name, or a domain file has errors.
        """
        return tuple(sorted({*self._domain_files(), *self._domains_by_text()}))

    def domain(self, name: str) -> Domain:
        """Return a domain by name; the household's has a type for each kind of the vocabulary.

        Raises:
            UsageError: There is none of this name.
            InputError: Its file has errors.
        """
        if name == HOUSEHOLD and self.kinds:
            return self.remember(("domain", name), lambda: extend_domain(self._plain(name), self._kinds()))
        return self._plain(name)

    def vocabulary(self, name: str = HOUSEHOLD) -> Vocabulary:
        """Return the vocabulary of a domain (the rooms' by default), the domain's types among the sets.

        It is that of the domain's ``object_types.json``, or the one in ``VOCABULARIES`` of a shipped domain with an
        ``object_space.json``, else that of the types themselves.

        Raises:
            UsageError: There is no domain of this name.
            InputError: A file has errors.
        """
        return self.remember(("vocabulary", name), lambda: self._vocabulary(name))

    def template_names(self) -> tuple[str, ...]:
        """Return the full names of all templates, for example ``alfred/pick_and_place_simple``."""
        return tuple(self._template_files())

    def templates(self) -> tuple[GoalTemplate, ...]:
        """Return all templates, by collection and name."""
        return tuple(self._template(name) for name in self.template_names())

    def collection(self, name: str) -> tuple[GoalTemplate, ...]:
        """Return the templates of a collection by their numbers, those without one behind by their names."""
        found = [self._template(each) for each in self.template_names() if each.startswith(f"{name}/")]
        return tuple(sorted(found, key=lambda each: (each.number is None, each.number or 0, each.name)))

    def find_template(
        self,
        name: str,
        search: Iterable[str | Path] = (),
        domain: Domain | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> GoalTemplate:
        """Find a template by the path of its file or by its name.

        Args:
            name: a path that ends in ``.task``; or ``collection/name`` or ``name`` alone, in any case and with
                hyphens or underscores.
            search: folders with ``.task`` files of the user's, looked through before the library.
            domain: the domain of a user's file; by default the one that the file names, else the household.
            vocabulary: its vocabulary; by default that of the domain.

        Raises:
            UsageError: There is no such template, or several have this name.
            InputError: Its file cannot be read or has errors.
        """
        if name.endswith(vocabulary_files.SUFFIX):
            return self._load(name, domain, vocabulary)
        own = {
            path.stem: path
            for folder in search
            for path in sorted(Path(folder).glob(f"*{vocabulary_files.SUFFIX}"), reverse=True)
        }
        wanted = _fold(name)
        for stem, path in sorted(own.items()):
            if _fold(stem) == wanted:
                return self._load(path, domain, vocabulary)
        known = self.template_names()
        found = [each for each in known if wanted in (_fold(each), _fold(each.split("/")[1]))]
        if len(found) == 1:
            return self._template(found[0])
        if found:
            raise UsageError(f"several tasks are called {name!r}", hint=f"write one of {', '.join(found)}")
        if Path(name).is_file():
            raise UsageError(
                f"{name!r} is not a task file", hint=f"the name of a task file ends in {vocabulary_files.SUFFIX}"
            )
        hint = did_you_mean(name.lower(), [*own, *known, *[each.split("/")[1] for each in known]])
        raise UsageError(f"there is no task {name!r}", hint=hint or "'chorewright tasks' lists them")

    def scaffold(self, name: str, domain: str = HOUSEHOLD) -> str:
        """Return the text of a commented template file for a new task in a domain.

        Raises:
            UsageError: The name cannot name a task, or there is no such domain to start one in.
        """
        if (
            not name
            or not name[0].isalpha()
            or not all(each.isascii() and (each.isalnum() or each in "-_") for each in name)
        ):
            raise UsageError(f"{name!r} cannot name a task", hint="use letters, digits, '-' and '_', a letter first")
        beside = {each: path.with_name("new_task.task.in") for each, path in self._domain_files().items()}
        known = {each: path for each, path in beside.items() if path.is_file()}
        if domain not in known:
            raise UsageError(f"no task can be started in {domain!r}", hint=f"domains: {', '.join(sorted(known))}")
        return read_text(known[domain]).replace("@NAME@", name.lower())

    def kind_files(self) -> tuple[File, ...]:
        """Return the files of more kinds that lie in the folders, by folder and name."""
        paths = [path for folder in self.folders for path in sorted(folder.glob("kinds/*.json"))]
        return tuple((str(path), read_text(path)) for path in paths)

    def domain_file(self, name: str) -> File | None:
        """Return the file of a user's domain; None for a shipped one."""
        path = self._domain_files().get(name)
        given = self._domains_by_text().get(name)
        if given is not None:
            return given[0]
        return None if path is None or path.is_relative_to(_DOMAINS) else (str(path), read_text(path))

    def remember(self, key: object, read: Callable[[], T]) -> T:
        """Return what is read of the library's files, or made of them, once."""
        if key not in self._read:
            self._read[key] = read()
        return cast("T", self._read[key])

    def _domain_files(self) -> Mapping[str, Path]:
        return self.remember(
            "domain files", lambda: self._unique("domains/*/domain.pddl", lambda path: path.parent.name)
        )

    def _template_files(self) -> Mapping[str, Path]:
        pattern = f"domains/*/tasks/*/*{vocabulary_files.SUFFIX}"

        def read() -> Mapping[str, Path]:
            self._unique("domains/*/tasks/*", lambda path: path.name)  # a collection is in one place
            return self._unique(pattern, lambda path: f"{path.parent.name}/{path.stem}")

        return self.remember("template files", read)

    def _unique(self, pattern: str, name_of: Callable[[Path], str]) -> Mapping[str, Path]:
        """Return the files or folders that a pattern finds, by name.

        Raises:
            InputError: Two have the same name.
        """
        found: dict[str, Path] = {}
        for folder in (_DOMAINS.parent, *self.folders):
            for path in sorted(folder.glob(pattern)):
                other = found.setdefault(name_of(path), path)
                if other != path:
                    message = f"{name_of(path)!r} is the name of {other} too"
                    raise InputError(message, location=Location(str(path)), hint="give yours another name")
        return {name: found[name] for name in sorted(found)}

    def _domains_by_text(self) -> Mapping[str, tuple[File, Domain]]:
        """Return the domains that are given as texts, by name."""

        def read() -> Mapping[str, tuple[File, Domain]]:
            parsed = [(file, parse_domain(file[1], file[0])) for file in self.domains]
            found = {domain.name: (file, domain) for file, domain in parsed}
            if HOUSEHOLD in found:
                vocabulary_files.check_household(
                    found[HOUSEHOLD][1], found[HOUSEHOLD][0][0], load_shipped_library().domain(HOUSEHOLD)
                )
            return found

        return self.remember("given", read)

    def _plain(self, name: str) -> Domain:
        given = self._domains_by_text().get(name)
        if given is not None:
            return given[1]
        known = self._domain_files()
        if name not in known:
            hint = did_you_mean(name, known) or f"the domains are {', '.join(self.domain_names())}"
            raise UsageError(f"there is no domain {name!r}", hint=hint)
        return self.remember(("plain", name), lambda: load_domain(known[name]))

    def _kinds(self) -> Vocabulary:
        """Return the household's vocabulary with the files of more kinds, before the domain's types are sets."""
        found = vocabulary_files.load_vocabulary(_DOMAINS / HOUSEHOLD / "object_types.json")
        for path, text in self.kinds:
            found = vocabulary_files.parse_vocabulary(text, path, found)
        return found

    def _vocabulary(self, name: str) -> Vocabulary:
        domain = self.domain(name)
        if name == HOUSEHOLD:
            return self._kinds().with_types(domain)
        beside = self._domain_files().get(name)
        if beside is not None and (kinds := beside.with_name("object_types.json")).exists():
            return vocabulary_files.load_vocabulary(kinds).with_types(domain)
        if beside is not None and beside.is_relative_to(_DOMAINS) and beside.with_name("object_space.json").exists():
            return VOCABULARIES.find(name, Origin.FILE).with_types(domain)
        return vocabulary_files.vocabulary_of_domain(domain)

    def _template(self, name: str) -> GoalTemplate:
        path = self._template_files()[name]
        domain = path.parents[2].name
        return self.remember(
            ("template", name),
            lambda: load_template(path, self.domain(domain), self.vocabulary(domain), path.parent.name),
        )

    def _load(self, path: str | Path, domain: Domain | None, vocabulary: Vocabulary | None) -> GoalTemplate:
        known = self.domain_names()
        if domain is None:
            named = template_domain(path)
            if named is not None and named not in known:
                meant = closest(named, known)
                refuse_domain(path, f"did you mean {meant!r}?" if meant is not None else _WHERE)
            domain = self.domain(named or HOUSEHOLD)
        if vocabulary is None:
            vocabulary = self.vocabulary(domain.name if domain.name in known else HOUSEHOLD)
        return load_template(path, domain, vocabulary)


_WHERE = (
    "a domain of your own is found as domains/NAME/domain.pddl in ~/.config/chorewright "
    f"or in a folder of {vocabulary_files.SEARCH_PATH}, or given with --domain FILE"
)


def load_shipped_library() -> Library:
    """Return the library of what the package ships."""
    return _open_library(())


def user_library(kinds: Sequence[str | Path] = (), domain: str | Path | None = None) -> Library:
    """Return the library of what the package ships and what the user has on the search path.

    Args:
        kinds: Files of more kinds of the household, besides those on the search path.
        domain: A PDDL domain file, in place of the domain of its name or besides.

    Raises:
        UsageError: A folder of the search path is not there.
        InputError: A file cannot be read.
    """
    found = _open_library(vocabulary_files.search_folders())
    if not kinds and domain is None:
        return found
    domains = () if domain is None else ((str(domain), read_text(Path(domain))),)
    return Library(found.folders, (*found.kinds, *((str(path), read_text(Path(path))) for path in kinds)), domains)


@lru_cache(maxsize=16)
def _open_library(folders: tuple[Path, ...]) -> Library:
    """Return the library of a search path, whose files are read once in a process; of none, what the package ships."""
    return Library(folders, Library(folders).kind_files()) if folders else Library()


def _fold(name: str) -> str:
    return name.lower().replace("-", "_")


def household_domain() -> Domain:
    """Return the shipped household domain."""
    return load_shipped_library().domain(HOUSEHOLD)


def household_vocabulary() -> Vocabulary:
    """Return the shipped vocabulary of the household."""
    return load_shipped_library().vocabulary(HOUSEHOLD)


def handmethat_domain() -> Domain:
    """Return the shipped domain of HandMeThat."""
    return load_shipped_library().domain("handmethat")


def find_template(
    name: str, search: Iterable[str | Path] = (), domain: Domain | None = None, vocabulary: Vocabulary | None = None
) -> GoalTemplate:
    """Find a template by the path of its file or by its name; see ``Library.find_template``."""
    return user_library().find_template(name, search, domain, vocabulary)
