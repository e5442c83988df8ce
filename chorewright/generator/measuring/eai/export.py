"""Episodes as the Embodied Agent Interface has them: PDDL files, plans, and questions with right answers.

A folder holds ``DOMAIN.pddl``, ``problem_pddl/NAME.pddl``, ``gold_pddl_plan.json``, ``sentences.json``, and for each
kind of questions ``KIND_prompts.json`` (``identifier``, ``llm_prompt``) and ``KIND_gold.json`` (``identifier``,
``llm_output``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from chorewright.domains.pddl.syntax import Domain, Typed
from chorewright.domains.pddl.writer import write_domain, write_problem
from chorewright.errors import InputError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.measuring.eai.questions import KINDS, check_kinds, question
from chorewright.generator.measuring.eai.tasks import PLANS, PROBLEMS, SENTENCES, plan_lines, task_of
from chorewright.generator.training.exporter import Exported, Exporter, export_folder


@dataclass(frozen=True, slots=True)
class EaiOptions:
    """The options of ``export --format eai``."""

    kinds: tuple[str, ...] = option(
        (), f"Only these questions: {', '.join(KINDS)}; may be repeated.", flags=("--kind",), metavar="KIND"
    )


class EaiExporter(Exporter[EaiOptions]):
    """Writes accepted episodes of any benchmark whose episodes are plans of planning problems."""

    name = "eai"
    options = EaiOptions

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        check_kinds(self.asked.kinds)

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes; see ``Exporter.write``.

        Raises:
            InputError: The episodes hold no planning problems, or problems of different domains.
        """
        folder = export_folder(episodes, target, self.name)
        domain: Domain | None = None
        plans: dict[str, list[str]] = {}
        sentences: dict[str, str] = {}
        rows: dict[str, list[tuple[str, str, str]]] = {kind: [] for kind in self.asked.kinds or KINDS}
        changed = left_out = 0
        for episode in episodes:
            task = task_of(episode) if episode.outcome.accepted else None
            if task is None:
                left_out += 1
                continue
            domain = task.domain if domain is None else merge(domain, task.domain)
            plans[task.name], sentences[task.name] = plan_lines(task.plan), task.sentence
            changed += folder.write((PROBLEMS, f"{task.name}.pddl"), write_problem(task.problem).encode())
            for kind, found in rows.items():
                asked = question(task, kind)
                found.append((asked.identifier, asked.prompt, asked.answer))
        if domain is not None:
            changed += folder.write((f"{domain.name}.pddl",), write_domain(domain).encode())
        changed += folder.write_json((PLANS,), plans) + folder.write_json((SENTENCES,), sentences)
        for kind, found in rows.items():
            prompts = [{"identifier": name, "llm_prompt": prompt} for name, prompt, _ in found]
            gold = [{"identifier": name, "llm_output": answer} for name, _, answer in found]
            changed += folder.write_json((f"{kind}_prompts.json",), prompts)
            changed += folder.write_json((f"{kind}_gold.json",), gold)
        return Exported(len(plans), left_out, changed)


def merge(domain: Domain, other: Domain) -> Domain:
    """Return a domain with the types of another one, which may be of other scenes.

    Raises:
        InputError: They differ in more than types.
    """
    if replace(domain, types=()) != replace(other, types=()):
        raise InputError(f"episodes of different domains: {domain.name} and {other.name}")
    types: dict[str, Typed] = {each.name: each for each in (*domain.types, *other.types)}
    return replace(domain, types=tuple(types.values()))
