"""The episode: everything that one demonstration is, and the only thing that the store writes."""

from __future__ import annotations

from dataclasses import dataclass, field

from chorewright.domains.pddl.syntax import GroundAtom
from chorewright.errors import UsageError
from chorewright.planner.plan import GroundAction
from chorewright.problems.thor.scene import Scene


@dataclass(frozen=True, slots=True)
class Instruction:
    """A text, its level (goal, step, utterance, question, answer), the annotation it belongs to and its
    segment."""

    text: str
    level: str
    annotation: int = 0
    segment: int | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A subgoal of the plan in the benchmark's vocabulary, e.g. HeatObject(apple).

    ``details`` are the benchmark's own fields as JSON text (ALFRED's planner_action).
    """

    action: str
    arguments: tuple[str, ...]
    details: str = "{}"


@dataclass(frozen=True, slots=True)
class Step:
    """One low-level simulator action: the benchmark's name for it, its segment, and what it changed.

    ``arguments`` is JSON text of the simulator call; ``added`` and ``removed`` are the atoms that changed.
    """

    action: str
    segment: int
    arguments: str = "{}"
    success: bool = True
    added: tuple[GroundAtom, ...] = ()
    removed: tuple[GroundAtom, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the demonstration was accepted; if not, the stage and reason. Conditions are (name, holds)."""

    accepted: bool
    reason: str = ""
    conditions: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Episode:
    """One demonstration with its provenance.

    ``parameters`` are the filled slots; ``attempts`` how many candidates (tuple, random seed) were tried
    for this index, with the reason of each rejected one in ``rejections``. ``scene`` is the room at the
    start; worlds that are no rooms have none, and describe their start in ``extras``, texts by name. The stored
    column of ``benchmark`` is ``recipe``.
    """

    benchmark: str = field(metadata={"column": "recipe"})
    index: int
    seed: int
    task: str
    parameters: tuple[tuple[str, str], ...]
    split: str
    scene: Scene | None
    domain_sha256: str
    problem_sha256: str
    goal: str
    plan: tuple[GroundAction, ...]
    plan_cost: float
    planner: str
    planner_configuration: str
    segments: tuple[Segment, ...]
    steps: tuple[Step, ...]
    instructions: tuple[Instruction, ...]
    outcome: Outcome
    attempts: int = 1
    rejections: tuple[str, ...] = ()
    extras: tuple[tuple[str, str], ...] = field(default=())

    @property
    def room(self) -> Scene:
        """The scene.

        Raises:
            UsageError: the episode's world is no room.
        """
        if self.scene is None:
            raise UsageError(f"episode {self.index} of the benchmark {self.benchmark} has no room")
        return self.scene
