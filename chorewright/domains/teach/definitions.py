"""Task definitions of TEACh's language: folders of JSON files, loaded, checked and filled with parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path

from chorewright.domains.teach.definition import Definition, kebab, of_parameter, usage, wrong_number
from chorewright.domains.teach.definition_checks import cross_errors, cycle_errors, shape_errors
from chorewright.domains.teach.filling import Filling
from chorewright.domains.teach.tasks import TeachTask
from chorewright.errors import ChorewrightError, InputError, InputErrors, Location, UsageError
from chorewright.files.english import did_you_mean
from chorewright.files.json_source import JsonSource, load_json, parse_json

SUFFIX = ".json"

SHIPPED = Path(str(files("chorewright.domains") / "teach"))


@dataclass(frozen=True, slots=True)
class Definitions:
    """Task definitions by name."""

    by_name: Mapping[str, Definition]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    def find(self, name: str) -> Definition:
        """Return a definition by its task_name, also in kebab case.

        Raises:
            UsageError: There is none.
        """
        found = self.by_name.get(name)
        if found is None:
            folded = {kebab(each): definition for each, definition in self.by_name.items()}
            found = folded.get(kebab(name))
        if found is None:
            hint = did_you_mean(kebab(name), [kebab(each) for each in self.by_name])
            raise UsageError(f"there is no TEACh task {name!r}", hint=hint or "'chorewright tasks' lists them")
        return found

    def task(self, name: str, params: Sequence[str] = ()) -> TeachTask:
        """Return a task with the parameters of it and its sub-tasks filled in.

        Raises:
            UsageError: There is no such task, or it has another number of parameters, or one of them makes no
                sense.
            InputError: With these parameters the definition makes no sense.
            LimitError: It is larger than the limits.
        """
        definition = self.find(name)
        for number, param in enumerate(params):
            if not isinstance(param, str):
                raise UsageError(f"parameter {number} of {definition.name} is not a string: {param!r}")
        if len(params) != definition.nparams:
            raise UsageError(wrong_number(definition, len(params)), hint=usage(definition))
        try:
            return Filling(self.by_name).task(definition, tuple(params), ())
        except InputError as error:
            found = of_parameter(error, definition.name, params)
            if found is not error and found.hint is None:
                found.hint = usage(definition)
            raise found from None


@lru_cache(maxsize=1)
def shipped_definitions() -> Definitions:
    """Return the shipped definitions; they are read once."""
    return load_definitions(SHIPPED)


def load_definitions(*folders: str | Path, base: Definitions | None = None) -> Definitions:
    """Load every ``.json`` file of the folders (or single files), in the order of their ids.

    Args:
        folders: Folders, or single files.
        base: Definitions that are there too, but for those whose names the folders have.

    Raises:
        UsageError: A folder is missing or has no definition.
        InputError, InputErrors: What is wrong with the definitions, all of it; each error with file, line,
            column and JSON path.
    """
    return _collect([partial(load_json, path) for path in definition_paths(*folders)], base)


def parse_definitions(files: Iterable[tuple[str, str]], base: Definitions | None = None) -> Definitions:
    """Return the definitions in texts, which are given with their file names.

    Raises:
        InputError, InputErrors: What is wrong with the definitions, as ``load_definitions`` tells it.
    """
    return _collect([partial(parse_json, text, name) for name, text in files], base)


def _collect(readers: Iterable[Callable[[], JsonSource]], base: Definitions | None) -> Definitions:
    """Read, check and put together definitions."""
    errors: list[ChorewrightError] = []
    found: list[Definition] = []
    for read in readers:
        try:
            source = read()
        except ChorewrightError as error:
            errors.extend(error.errors if isinstance(error, InputErrors) else (error,))
            continue
        wrong = shape_errors(source)
        errors.extend(wrong)
        if not wrong:
            found.append(_definition(source))
    own = {each.kebab for each in found}
    others = [each for each in (base.by_name.values() if base else ()) if each.kebab not in own]
    errors.extend(_repetitions(found, others))
    by_name = {each.name: each for each in sorted((*others, *found), key=lambda each: (each.task_id, each.name))}
    documents = {name: (each.source, each.nparams) for name, each in by_name.items()}
    whole = not errors
    for each in by_name.values():
        errors.extend(cross_errors(each.source, documents, whole))
    errors.extend(cycle_errors(documents))
    if errors:
        raise errors[0] if len(errors) == 1 else InputErrors(errors)
    return Definitions(by_name)


def definition_paths(*folders: str | Path) -> list[Path]:
    """Return the definition files in folders; single files stand for themselves.

    Raises:
        UsageError: A folder cannot be read or has none.
    """
    paths: list[Path] = []
    for folder in map(Path, folders):
        try:
            listed = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else [folder]
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"cannot read the folder: {reason}", location=Location(str(folder))) from None
        if not listed:
            raise UsageError("the folder has no task definition (.json)", location=Location(str(folder)))
        paths += [path for path in listed if path not in paths]
    return paths


def _definition(source: JsonSource) -> Definition:
    document = source.value
    assert isinstance(document, dict)
    return Definition(
        int(str(document["task_id"])),
        str(document["task_name"]),
        int(str(document["task_nparams"])),
        str(document["desc"]),
        document,
        source,
    )


def _repetitions(found: Sequence[Definition], others: Sequence[Definition]) -> Iterable[InputError]:
    """Yield an error for each id and name that another file, or another task, has already."""
    kinds: tuple[tuple[str, Callable[[Definition], object]], ...] = (
        ("task_id", lambda each: each.task_id),
        ("task_name", lambda each: each.kebab),
    )
    for key, value in kinds:
        first = {value(each): each for each in others}
        for each in found:
            other = first.setdefault(value(each), each)
            if other is not each:
                message = f"the {key} {each.document[key]!r} is that of {other.source.path} too"
                yield each.source.error((key,), message)
