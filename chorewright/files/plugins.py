"""Plug-ins: objects found by a name in an entry-point group, or as ``module:attribute``.

A group is a door of the package: ``chorewright.worlds``, ``chorewright.benchmarks``, ``chorewright.exporters``,
``chorewright.engines``, ``chorewright.verbs`` and others. What the package ships is listed in its own metadata in the
same way as what a user's installed package lists in its metadata.

No other module turns a name into code. Whoever asks says where the name came from: ``module:attribute`` works where a
person typed it; a name out of a file is looked up among the installed plug-ins, and nothing is imported for it.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, TypeVar, cast
from urllib.parse import unquote, urlsplit

from chorewright import errors
from chorewright.files.english import closest
from chorewright.files.processes import is_exhausted
from chorewright.files.stopping import Stopped
from chorewright.files.text import note

# What the source of a class says of it; the class is not imported.


@dataclass(frozen=True, slots=True)
class ClassOutline:
    """A class as its source has it.

    Attributes:
        summary: The first line of its docstring.
        imported: ``module:attribute`` of each attribute of the class that is a name from another module.
    """

    summary: str
    imported: Mapping[str, str]


def outline(target: str) -> ClassOutline | None:
    """Return the outline of a class; neither its module is imported nor a package below the first that it is in.

    Args:
        target: ``module:attribute`` of the class.

    Returns:
        None if there is no such module, or its source has no such class with a docstring.
    """
    module, _, name = target.partition(":")
    top, *below = module.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent.joinpath(*below).with_suffix(".py")
    if not file.exists():
        return None
    body = ast.parse(file.read_bytes()).body
    found = next((each for each in body if isinstance(each, ast.ClassDef) and each.name == name), None)
    docstring = None if found is None else ast.get_docstring(found)
    if found is None or not docstring:
        return None
    homes = {
        alias.asname or alias.name: f"{each.module}:{alias.name}"
        for each in body
        if isinstance(each, ast.ImportFrom) and not each.level
        for alias in each.names
    }
    return ClassOutline(docstring.splitlines()[0], dict(_find_imports(found, homes)))


def _find_imports(found: ast.ClassDef, homes: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the attributes of a class that are names from other modules, each with its home."""
    pairs = []
    for each in found.body:
        targets = (
            each.targets if isinstance(each, ast.Assign) else [each.target] if isinstance(each, ast.AnnAssign) else []
        )
        value = each.value if isinstance(each, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Name) and value.id in homes:
            pairs += [(target.id, homes[value.id]) for target in targets if isinstance(target, ast.Name)]
    return pairs


T = TypeVar("T")

ALLOWED = "CHOREWRIGHT_ALLOW_CODE"
"""The environment variable that lists, with commas between them, what files may name; worker processes inherit it."""


class Origin(Enum):
    """Where a name came from.

    ``PERSON``: somebody typed it, as a word of the command line or in Python code. ``FILE``: it was read from a
    manifest, a row, a scene, a file of settings or any other file.
    """

    PERSON = "person"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Registry(Generic[T]):
    """The plug-ins of one group.

    Attributes:
        group: The entry-point group, e.g. ``chorewright.benchmarks``.
        what: What a plug-in of the group is called in messages, e.g. ``benchmark``.
        methods: What it must have to be one.
    """

    group: str
    what: str
    methods: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Return the names of all plug-ins of the group, sorted; nothing is imported."""
        return tuple(sorted(_entries(self.group)))

    def find(self, name: str, origin: Origin = Origin.FILE) -> T:
        """Return the plug-in of a name, or the one that ``module:attribute`` makes.

        An entry point and ``module:attribute`` name a class, or a function without arguments, that makes the
        plug-in.

        Raises:
            MissingPlugin: A file names one that is not installed.
            UsageError: There is none of this name, it cannot be imported or made, or it lacks a method.
        """
        found = _entries(self.group).get(name, ())
        if len(found) > 1:
            raise errors.UsageError(
                f"several packages offer a {self.what} {name!r}: {', '.join(map(_package, found))}",
                hint="uninstall one of them, or name the one that you mean as module:attribute",
            )
        if found:
            called = f"{name!r} of {_package(found[0])}"
            return cast("T", make(found[0].value, self.what, Origin.PERSON, self.methods, called=called))
        if origin is Origin.FILE and not is_allowed(name):
            raise errors.MissingPlugin(
                f"the {self.what} {name!r} is not installed: no package here lists it in {self.group}",
                hint=how_to_allow(name) if names_code(name) else f"install the package of this {self.what}",
            )
        return cast("T", make(name, self.what, origin, self.methods, hint=self._hint(name)))

    def targets(self) -> Mapping[str, str]:
        """Return ``module:attribute`` of the plug-ins that this package alone offers, by name; nothing is read."""
        alone = {name: found[0].value for name, found in _entries(self.group).items() if len(found) == 1}
        return {name: target for name, target in alone.items() if target.startswith("chorewright.")}

    def outline(self, name: str) -> ClassOutline | None:
        """Return what the source of a shipped plug-in says of it; None for others: only loading tells if they work."""
        target = self.targets().get(name)
        return None if target is None else outline(target)

    def usable(self, but: Collection[str] = ()) -> Mapping[str, T]:
        """Return the plug-ins of the group that can be loaded, by name; of each that cannot a note is printed.

        Args:
            but: Names of plug-ins that are not loaded.
        """
        found = {}
        for name in (each for each in self.names() if each not in but):
            try:
                found[name] = self.find(name, Origin.FILE)
            except errors.ChorewrightError as error:
                note(f"{error.message}; it is left out")
        return found

    def _hint(self, name: str) -> str:
        close = closest(name, self.names())
        if close is not None:
            return f"did you mean '{close}'?"
        if not self.names():
            return f"no {self.what} is registered: install chorewright again, so that its entry points are known"
        again = "install a package again after its entry points have changed"
        return f"{self.what}s: {', '.join(self.names())}; or module:attribute for one of your own ({again})"


def make(
    name: str, what: str, origin: Origin, methods: Sequence[str] = (), hint: str | None = None, called: str = ""
) -> object:
    """Make what ``module:attribute`` makes.

    Args:
        name: ``module:attribute``: a class, or a function without arguments.
        what: What it is to make, for messages, e.g. ``agent``.
        origin: Where the name came from.
        methods: What that must have.
        hint: Which names there are besides, for the message if ``name`` is of another form.
        called: How messages call it; by default ``name``.

    Raises:
        MissingPlugin: A file names it.
        UsageError: There is no such attribute, it raises, or what it makes lacks a method.
    """
    called = called or repr(name)
    maker = cast("Callable[[], object]", load(name, what, origin, hint, called))
    try:
        with redirect_stdout(sys.stderr):
            made = maker()
    except (errors.ChorewrightError, Stopped):
        raise
    except (Exception, SystemExit) as error:  # the code is the user's: whatever it raises
        place = raised_at(error)
        raise errors.UsageError(
            f"the {what} {called} cannot be made: {_say_error(error)}",
            location=place,
            hint=None if place else f"name a class, or a function without arguments, that makes the {what}",
        ) from error
    for method in methods:
        if not hasattr(made, method):
            raise errors.UsageError(f"what {called} makes is no {what}: it has no {method!r}")
    return made


def load(name: str, what: str, origin: Origin, hint: str | None = None, called: str = "") -> object:
    """Return the attribute that ``module:attribute`` names: the one place that imports code by a name.

    Raises:
        MissingPlugin: A file names it.
        UsageError: The name is of another form, or the module or attribute cannot be loaded.
        MemoryError: There is too little memory to load it.
    """
    if not names_code(name):
        raise errors.UsageError(f"there is no {what} {name!r}", hint=hint or "write module:attribute")
    if origin is Origin.FILE and not is_allowed(name):
        raise errors.MissingPlugin(f"a file names the {what} {name!r}, which is code", hint=how_to_allow(name))
    module, _, attribute = name.partition(":")
    try:
        with redirect_stdout(sys.stderr):
            found: object = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except errors.ChorewrightError:
        raise
    except (Exception, SystemExit) as error:  # the module is the user's: whatever it raises
        if is_exhausted(error):
            raise MemoryError from error
        missing = isinstance(error, ModuleNotFoundError)
        hint = "a module in this folder is found with PYTHONPATH=." if missing else None
        if module.endswith(".py"):
            hint = f"write {module.removesuffix('.py')}:{attribute}, the module and not its file"
        raise errors.UsageError(
            f"the {what} {called or repr(name)} cannot be loaded: {_say_error(error)}", hint=hint
        ) from error
    return found


def load_function(name: str, what: str, origin: Origin, hint: str | None = None) -> Callable[..., object]:
    """Return the function that ``module:attribute`` names; see ``load``.

    Raises:
        UsageError: It is no function, or see ``load``.
    """
    found = load(name, what, origin, hint)
    if not callable(found):
        raise errors.UsageError(f"{name!r} is no function")
    return found


def names_code(name: str) -> bool:
    """Return whether a name has the form ``module:attribute``; both may have dots."""
    module, colon, attribute = name.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), *attribute.split(".")))


def allow_code(names: Iterable[str]) -> None:
    """Let files name some code from now on: each ``module:attribute`` is what a person typed."""
    before = os.environ.get(ALLOWED, "")
    os.environ[ALLOWED] = ",".join(filter(None, (before, *names)))


def is_allowed(name: str) -> bool:
    """Return whether a person said that files may name this."""
    return name in os.environ.get(ALLOWED, "").split(",")


def how_to_allow(name: str) -> str:
    """Return the hint for code that a file names."""
    return f"a file cannot name code; if you trust this code, type --allow-code {name}"


def show_value(value: object, viewer: str) -> object:
    """Return what a function ``module:attribute`` of a higher room makes of a value: how a notebook shows it."""
    return load_function(viewer, "viewer", Origin.PERSON)(value)


def entries(group: str) -> Mapping[str, str]:
    """Return ``module:attribute`` of each plug-in of a group by name.

    Raises:
        UsageError: Several packages offer one of the same name.
    """
    found = {}
    for name, every in _entries(group).items():
        if len(every) > 1:
            raise errors.UsageError(f"several packages offer {name!r} in {group}: {', '.join(map(_package, every))}")
        found[name] = every[0].value
    return found


@contextmanager
def plugin_code(whose: str) -> Iterator[None]:
    """Run code of a plug-in in a ``with`` block: what it prints goes to standard error, what it raises names it.

    Args:
        whose: What the code belongs to, for the message: ``the engine 'mine'``.

    Raises:
        PluginError: The code raised an exception that is none of ours and not the machine's. With
            ``CHOREWRIGHT_DEBUG`` set, that exception itself is raised.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (errors.ChorewrightError, OSError, MemoryError, ImportError, Stopped):
        raise
    except KeyboardInterrupt:
        note(f"stopped while {whose} was at work")
        raise
    except (Exception, SystemExit) as error:
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            raise
        raise errors.PluginError(
            f"{whose} failed: {errors.first_line(error)}", hint="set CHOREWRIGHT_DEBUG=1 to see where"
        ) from error


@cache  # the metadata of the installation, which does not change while a process runs
def _entries(group: str) -> Mapping[str, tuple[metadata.EntryPoint, ...]]:
    found: dict[str, list[metadata.EntryPoint]] = {}
    for each in metadata.entry_points(group=group):
        same = found.setdefault(each.name, [])
        if all(each.value != other.value for other in same):  # a package may be on the path twice
            same.append(each)
    return {name: tuple(each) for name, each in found.items()}


def _package(entry: metadata.EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


def raised_at(error: BaseException) -> errors.Location | None:
    """Return the line of a user's own file that led to an error; nothing if none of these did."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [each for each in frames if not Path(each.filename).is_relative_to(Path(__file__).parents[1])]
    own = [each for each in theirs if each.filename == theirs[0].filename]
    return errors.Location(own[-1].filename, own[-1].lineno) if own else None


def _say_error(error: BaseException) -> str:
    """Return an error on one line, its class named unless it says itself what is missing."""
    return str(error) if isinstance(error, ImportError | AttributeError) else errors.first_line(error)


# How an extra of this package is installed from where the package itself came from.


PACKAGE = "chorewright"


@contextmanager
def require_extra(message: str, extra: str, instead: str = "") -> Iterator[None]:
    """Import what an extra brings; a ``MissingExtra`` with this message says how to install it, or what else helps."""
    try:
        yield
    except ImportError as error:
        raise errors.MissingExtra(message, hint=f"{pip_install(extra)}{instead}") from error


def pip_install(extra: str) -> str:
    """Return the command that adds an extra to this installation.

    It names the folder or wheel that the package was installed from, if pip noted one, and else the package index.
    """
    wanted = f"{PACKAGE}[{extra}]"
    try:
        noted = metadata.distribution(PACKAGE).read_text("direct_url.json")
        source = json.loads(noted) if noted else {}
    except (metadata.PackageNotFoundError, OSError, ValueError):
        source = {}
    url = source.get("url", "") if isinstance(source, dict) else ""
    if not url:
        return f"pip install '{wanted}'"
    if source.get("dir_info", {}).get("editable"):
        return f"pip install -e {shlex.quote(f'{unquote(urlsplit(url).path)}[{extra}]')}"
    return f"pip install {shlex.quote(f'{wanted} @ {url}')}"
