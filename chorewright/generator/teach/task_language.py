"""TEACh's definitions as tasks that verbs list, show and compile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.table import Column, Table

from chorewright.domains.teach.definitions import Definitions, load_definitions, shipped_definitions
from chorewright.errors import UsageError
from chorewright.generator.production.tasks import CompiledTask, TaskRequest
from chorewright.generator.teach.compiling import compile_teach
from chorewright.generator.teach.options import own_folder
from chorewright.problems.household.kinds import kinds_of

COLLECTION = "teach/"


def load(folder: Path | None) -> Definitions:
    """Return the shipped definitions, and instead or besides those of a folder.

    Raises:
        UsageError: There is no such folder.
        InputError, InputErrors: A definition has errors.
    """
    if folder is None:
        return shipped_definitions()
    return load_definitions(own_folder(folder), base=shipped_definitions())


def task_name(name: str) -> str:
    """Return a task's name without ``teach/``."""
    return name[len(COLLECTION) :] if name.lower().startswith(COLLECTION) else name


class TeachTasks:
    """The tasks of TEACh's definitions, shipped ones and the user's."""

    def rows(self, definitions: Path | None) -> tuple[Mapping[str, object], ...]:
        """Return all tasks as JSON values."""
        return tuple(
            {
                "name": f"{COLLECTION}{definition.name}",
                "domain": "household",
                "number": definition.task_id,
                "tags": [],
                "slots": {},
                "fillings": 0,
                "conditions": list(definition.component_keys),
                "params": dict(zip(definition.param_names, definition.param_notes, strict=True)),
                "sayings": [definition.desc],
            }
            for definition in load(definitions).by_name.values()
        )

    def table(self, definitions: Path | None) -> RenderableType:
        """Return all tasks as a table."""
        table = Table(Column("task", overflow="fold"), "parameters", "sentence", title="TEACh (domain household)")
        for definition in load(definitions).by_name.values():
            table.add_row(f"{COLLECTION}{definition.kebab}", str(definition.nparams), definition.desc)
        return table

    def row(self, name: str, definitions: Path | None) -> Mapping[str, object]:
        """Return one task as JSON values."""
        found = load(definitions).find(name).name
        return next(row for row in self.rows(definitions) if row["name"] == f"{COLLECTION}{found}")

    def lines(self, name: str, definitions: Path | None) -> Sequence[str]:
        """Return one task as a heading and lines to read."""
        definition = load(definitions).find(name)
        parameters = f"{definition.nparams} parameter{'s' * (definition.nparams != 1)}"
        return (
            f"{COLLECTION}{definition.name} (domain household, {parameters})",
            f'"{definition.desc}"',
            *(f"#{number}: {note}" for number, note in enumerate(definition.param_notes)),
            *definition.summary(),
        )

    def compile(self, request: TaskRequest) -> CompiledTask:
        """Compile a task in a room: its goal names the objects that it is done with, unless these are left open."""
        if request.any_objects and request.strict:
            raise UsageError("--any-objects leaves open which objects are taken, --strict does not")
        own = load(request.definitions)
        kinds = kinds_of(request.library) if request.library is not None else None
        compiled = compile_teach(
            request.name,
            request.params,
            request.scene,
            request.seed,
            definitions=own,
            kinds=kinds,
            strict=request.strict,
        )
        problem = compiled.problem if request.any_objects else next(compiled.problems())
        return CompiledTask(
            compiled.domain,
            problem,
            {
                "task": f"{COLLECTION}{compiled.task.name}",
                "params": list(compiled.task.params),
                "scene": compiled.scene.name,
                "seed": request.seed,
                "sentences": [compiled.task.desc],
            },
        )
