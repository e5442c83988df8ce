"""A world that is a folder of files: ``domain.pddl``, its kinds of things, its goal templates; scenes by a function."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from chorewright.domains.facts import Universe
from chorewright.domains.pddl.parser import load_domain
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates import goal_templates
from chorewright.domains.templates.parser import load_template
from chorewright.domains.vocabulary import Vocabulary
from chorewright.domains.vocabulary_files import load_vocabulary, vocabulary_of_domain
from chorewright.errors import UsageError
from chorewright.files.text import read_text
from chorewright.generator.production.worlds import Compiled, World
from chorewright.problems.pddl.scenes import PddlScene

SCAFFOLD = "new_task.task.in"


class PddlWorld(World):
    """A world of files. Give it a name, a folder, and its scenes.

    The folder holds ``domain.pddl``; ``object_types.json`` (nouns and sets of the kinds; without it the domain's types
    are the kinds); ``tasks/COLLECTION/*.task``; and ``new_task.task.in`` (what ``new-task`` starts from). All but the
    first may be missing.

    Attributes:
        name: The name of the domain.
        folder: Where its files are.
    """

    name: str
    folder: Path

    def domain(self) -> Domain:
        """Return the domain.

        Raises:
            InputErrors: ``domain.pddl`` has errors, or is of another name than the world.
        """
        return self._domain

    def vocabulary(self) -> Vocabulary:
        """Return the kinds of things.

        Raises:
            InputErrors: ``object_types.json`` has errors.
        """
        return self._vocabulary

    def templates(self) -> tuple[goal_templates.GoalTemplate, ...]:
        """Return the goal templates, by collection and name.

        Raises:
            InputErrors: One of them has errors.
        """
        return self._templates

    def compile(
        self, template: goal_templates.GoalTemplate, slots: Sequence[str], scene: str | None, seed: int
    ) -> Compiled:
        """Fill a template and make the problem of a scene; see ``World.compile``."""
        binding = goal_templates.parse_binding(template, slots, self.vocabulary())
        found = self.scene(scene, seed)
        reasons = misfits(self.domain(), self.vocabulary(), template, binding, found)
        if reasons:
            raise UsageError(f"{found.name} does not suit {template.full_name}: {'; '.join(reasons)}")
        goal, problem = fill(self.domain(), self.vocabulary(), template, binding, found)
        # Slots over objects are of this scene: they must name some of its objects.
        goal_templates.parse_binding(template, slots, self.vocabulary(), Universe.of(self.domain(), problem))
        return Compiled(self.domain(), template, goal, found.name, problem)

    def scaffold(self, name: str) -> str:
        """Return the text of a template file for a new task; see ``World.scaffold``."""
        if not (self.folder / SCAFFOLD).is_file():
            raise UsageError(f"no task can be started in {self.name!r}", hint=f"its folder has no {SCAFFOLD}")
        return read_text(self.folder / SCAFFOLD).replace("@NAME@", name.lower())

    @cached_property
    def _domain(self) -> Domain:
        domain = load_domain(self.folder / "domain.pddl")
        if domain.name != self.name:
            raise UsageError(f"the world {self.name} has a domain of another name: {domain.name} in {domain.path}")
        return domain

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        kinds = self.folder / "object_types.json"
        return (
            load_vocabulary(kinds).with_types(self._domain) if kinds.is_file() else vocabulary_of_domain(self._domain)
        )

    @cached_property
    def _templates(self) -> tuple[goal_templates.GoalTemplate, ...]:
        paths = sorted(self.folder.glob("tasks/*/*.task"))
        return tuple(load_template(path, self._domain, self._vocabulary, path.parent.name) for path in paths)


def misfits(
    domain: Domain,
    vocabulary: Vocabulary,
    template: goal_templates.GoalTemplate,
    binding: goal_templates.Binding,
    scene: PddlScene,
) -> tuple[str, ...]:
    """Return the reasons why a scene does not suit a filled template; none if it does."""
    return goal_templates.reasons_against(template, binding, vocabulary, scene.kind, scene.kinds(domain, vocabulary))


def fill(
    domain: Domain,
    vocabulary: Vocabulary,
    template: goal_templates.GoalTemplate,
    binding: goal_templates.Binding,
    scene: PddlScene,
) -> tuple[goal_templates.Goal, Problem]:
    """Return the goal of a filled template, and the problem of reaching it in a scene."""
    goal = goal_templates.instantiate(template, binding, vocabulary)
    return goal, scene.problem(domain, goal.goal, f"{template.name}-{scene.name}")
