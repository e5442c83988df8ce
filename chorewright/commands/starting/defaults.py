"""Defaults of verbs from files of settings: a table for each verb, a key for each of its options.

``chorewright.toml`` in the user's folder of settings is read first, then the one in the working folder, which wins; an
option on the command line wins over both. ``--config FILE``, or ``CHOREWRIGHT_CONFIG``, names one file in place of
both; ``none`` reads none.

A folder may come from anybody: only the user's own file may name code, or what ``--allow-code`` names; and what another
file changes is told.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chorewright.commands.common import ALLOW, code_path
from chorewright.errors import InputError, InputErrors, Location, UsageError
from chorewright.files.english import did_you_mean
from chorewright.files.plugins import how_to_allow, is_allowed, names_code
from chorewright.files.text import read_text, user_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAME = "chorewright.toml"
FLAG, VARIABLE, NONE = "--config", "CHOREWRIGHT_CONFIG", "none"
MOST_BYTES = 1_000_000

EVERYWHERE = ("quiet", "verbose")
"""Keys that may stand above the tables; they hold for every verb."""

_NOT_KEPT = ("help", "config", "version", "allow-code")
"""Options that a file cannot set."""

_HEADER = re.compile(r"\s*\[+\s*([^\[\]]+?)\s*\]+")
_KEY = re.compile(r"\s*([\w\"'.\- ]+?)\s*=")
_AT = re.compile(r"\(at line (\d+), column (\d+)\)")

_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "bool": ((bool,), "true or false"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "amount": ((int, str), 'a whole number, or a text in quotes such as "3x"'),
}
"""The values that an option's type takes, by how its name begins, and what they are called; others take texts."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file of settings.

    Attributes:
        path: The file.
        text: What it holds.
        tables: Its tables and keys.
        own: Whether it lies in the user's folder of settings, so that it may name code.
    """

    path: str
    text: str
    tables: Mapping[str, Any]
    own: bool = False

    def error(self, keys: Sequence[str], message: str, hint: str | None = None) -> InputError:
        """Return an error about a table or a key."""
        return InputError(message, location=self._location(keys), hint=hint)

    def _location(self, keys: Sequence[str]) -> Location:
        header: list[str] = []
        found = Location(self.path)
        for number, line in enumerate(self.text.splitlines(), start=1):
            here: list[str] = []
            if match := _HEADER.match(line):
                here = header = _parts(match[1])
            elif match := _KEY.match(line):
                here = [*header, *_parts(match[1])]
            if here and here[: len(keys)] == list(keys)[: len(here)] and (found.line is None or len(here) >= len(keys)):
                found = Location(self.path, number, match.start(1) + 1 if match else 1, line)
                if len(here) >= len(keys):
                    break
        return found


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


def without_flag(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the file that ``--config`` names, or nothing, and the other words.

    Raises:
        UsageError: No file follows it.
    """
    named, others = None, []
    rest = iter(words)
    for word in rest:
        if word == "--":
            others += [word, *rest]
        elif word == FLAG:
            named = next(rest, None)
            if named is None:
                raise UsageError(f"{FLAG} needs a file", hint=f"{FLAG} {NONE} reads no file of settings")
        elif word.startswith(f"{FLAG}="):
            named = word.partition("=")[2]
        else:
            others.append(word)
    return named, others


def code_allowed(words: Sequence[str]) -> list[str]:
    """Return what each ``--allow-code`` among the words names."""
    before = list(words[: words.index("--")] if "--" in words else words)
    joined = [word.partition("=")[2] for word in before if word.startswith(f"{ALLOW}=")]
    return [*joined, *(name for word, name in itertools.pairwise(before) if word == ALLOW)]


def settings_files(environment: Mapping[str, str] = os.environ) -> tuple[SettingsFile, ...]:
    """Return the files of settings, the one that wins last.

    Raises:
        UsageError: The file that is named cannot be read.
        InputError: A file is no TOML.
    """
    chosen = environment.get(VARIABLE)
    if chosen:
        return () if chosen == NONE else (_read(chosen),)
    settings = user_folder("config", environment)
    own = () if settings is None else (settings / NAME,)
    return tuple(_read(str(path), path in own) for path in (*own, Path(NAME)) if path.is_file())


def _read(path: str, own: bool = False) -> SettingsFile:
    text = read_text(path, MOST_BYTES)
    try:
        return SettingsFile(path, text, tomllib.loads(text), own)
    except tomllib.TOMLDecodeError as error:
        at = _AT.search(str(error))
        line, column = (int(at[1]), int(at[2])) if at else (len(text.splitlines()), None)
        source = (*text.splitlines(), "")[line - 1] if 0 < line <= len(text.splitlines()) + 1 else None
        message = f"no TOML: {_AT.sub('', str(error)).strip()}"
        raise InputError(message, location=Location(path, line, column, source)) from None
    except RecursionError:
        raise InputError("nested too deeply", location=Location(path)) from None


def default_map(
    root: Any, files: Iterable[SettingsFile], words: Sequence[str], verbs: Callable[[], Sequence[str]]
) -> dict[str, Any]:
    """Return what files say of the verb that words name, in click's form: one dictionary inside another.

    Args:
        root: The command line, as a command of click's.
        files: The files, the one that wins last.
        words: The command line's words.
        verbs: Returns the names of all verbs; ``root`` may lack those that the words do not need.

    Raises:
        InputErrors: A table or a key is unknown, or a value does not suit its option.
    """
    path, command = _find_verb(root, words)
    found: dict[str, Any] = {}
    errors: list[InputError] = []
    for file in files:
        errors += _unknown(file, verbs())
        for place, table, below in _tables(file, root, path, command):
            found.update(_values(file, place, table, command, errors, below))
    if errors:
        raise InputErrors(errors)
    for name in reversed(path):
        found = {name: found}
    return found


def changes(root: Any, files: Sequence[SettingsFile], words: Sequence[str]) -> list[str]:
    """Return a line for each file that is not the user's own: what it sets for the verb that words name.

    There are none where the user's own file has ``quiet``.
    """
    if any(file.own and file.tables.get("quiet") is True for file in files):
        return []
    path, command = _find_verb(root, words)
    lines = []
    for file in files:
        keys = [".".join((*place, key)) for place, table, _ in _tables(file, root, path, command) for key in table]
        if keys and not file.own:
            lines.append(f"{file.path} sets {', '.join(keys)}")
    return lines


def _tables(
    file: SettingsFile, root: Any, path: Sequence[str], command: Any
) -> Iterator[tuple[Sequence[str], Mapping[str, Any], Sequence[str]]]:
    """Yield what a file says of a verb, from the general to the special: where, keys and values, verbs below."""
    if not path or hasattr(command, "list_commands"):  # no verb, or a group without one
        return
    yield (), {key: file.tables[key] for key in EVERYWHERE if key in file.tables}, ()
    table: Any = file.tables
    for depth, name in enumerate(path, start=1):
        table = table.get(name, {})
        if not isinstance(table, dict):
            return
        below = _subcommands(_command(root, path[:depth])) if depth < len(path) else ()
        own = {key: value for key, value in table.items() if not (isinstance(value, dict) and key in below)}
        yield path[:depth], own, below


def _unknown(file: SettingsFile, verbs: Sequence[str]) -> Iterator[InputError]:
    for key, value in file.tables.items():
        if key in EVERYWHERE:
            continue
        if key not in verbs:
            table = isinstance(value, dict)
            hint = did_you_mean(key, verbs if table else EVERYWHERE) or "a table is named like its verb: [generate]"
            yield file.error((key,), f"there is no {'verb' if table else 'setting of all verbs'} {key!r}", hint)
        elif not isinstance(value, dict):
            yield file.error((key,), f"{key!r} must be a table", f"write [{key}] on a line of its own")


def _values(
    file: SettingsFile,
    path: Sequence[str],
    table: Mapping[str, Any],
    command: Any,
    errors: list[InputError],
    below: Sequence[str] = (),
) -> dict[str, Any]:
    options = _options(command)
    found = {}
    for key, value in table.items():
        option = options.get(key.replace("_", "-"))
        if option is None:
            if not path:
                continue  # a verb of a package of the user's may lack what the others have
            called = " ".join(path)
            hint = did_you_mean(key, [*options, *below]) or f"'chorewright {called} --help' lists the options"
            errors.append(file.error((*path, key), f"{called} has no option {key!r}", hint))
            continue
        problem = _problem(option, value)
        code = None if file.own else _code(option, value)
        if problem:
            errors.append(file.error((*path, key), f"{key}: {problem}"))
        elif code is not None:
            message = f"{key}: {code!r} names code, which only your own settings or the command line may do"
            errors.append(file.error((*path, key), message, how_to_allow(code)))
        else:
            found[option.name] = value
    return found


def _problem(option: Any, value: object) -> str:
    """Return what is wrong with a value of an option, or nothing."""
    if option.multiple:
        if not isinstance(value, list):
            return "expected a list, as [...]"
        return next(filter(None, (_single(option, each) for each in value)), "")
    return _single(option, value)


def _single(option: Any, value: object) -> str:
    names = (name for name in _KINDS if option.type.name.startswith(name))
    kinds, called = _KINDS.get(next(names, ""), ((str,), "a text in quotes"))
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        return f"expected {called}"
    try:
        option.type.convert(value, option, None)
    except Exception as error:  # click's own, which typer may have a copy of
        return str(getattr(error, "message", error)).rstrip(".")
    return ""


def _code(option: Any, value: object) -> str | None:
    """Return the first code that a value names and nobody allowed; None if it names none."""
    marked = option.type.name == code_path.__name__
    texts = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str) and each]
    return next((each for each in texts if (marked or names_code(each)) and not is_allowed(each)), None)


def _options(command: Any) -> dict[str, Any]:
    """Return a command's options by their longest flag, without its dashes."""
    found = {}
    for each in command.params:
        flags = [flag.lstrip("-") for flag in each.opts if flag.startswith("--")]
        if getattr(each, "param_type_name", "") == "option" and flags:
            found.update({flag: each for flag in flags if flag not in _NOT_KEPT})
    return found


def _find_verb(root: Any, words: Sequence[str]) -> tuple[tuple[str, ...], Any]:
    """Return the verb that words name, with the one below it in a group, and its command; nothing without one."""
    path: tuple[str, ...] = ()
    command = root
    for word in words:
        if word.startswith("-"):
            continue
        found = command.get_command(None, word) if hasattr(command, "list_commands") else None
        if found is None:
            break
        path, command = (*path, word), found
    return path, command


def _command(root: Any, path: Sequence[str]) -> Any:
    for name in path:
        root = root.get_command(None, name)
    return root


def _subcommands(command: Any) -> list[str]:
    if hasattr(command, "list_names"):
        return list(command.list_names())
    return list(command.list_commands(None))
