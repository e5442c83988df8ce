"""LoTa-Bench's evaluation of ALFRED, written from its description, with a scripted model in the language model's place.

A planner gives the model a prompt (examples, then the instruction as ``Human: ...``, then the robot's numbered
steps so far) with every skill that there is, and takes the skill of the best score, until that is ``done``. The
evaluator leaves out tasks with two objects, restores each start, has the whole plan from the planner, does its skills
one after the other whether they succeed or not, takes a picture after each, and asks at the end whether the goal is
met.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.originals.connectors import Connector
from benchmarks.originals.thor_env import Json, ThorEnv
from chorewright.generator.alfred.export.embodiedbench_skills import SkillDialect, dialect

OPENED = (
    "Box", "Cabinet", "Drawer", "Fridge", "Laptop", "Microwave", "Safe",
)  # fmt: skip
SLICED = (
    "Apple", "Bread", "Lettuce", "Potato", "Tomato",
)  # fmt: skip
SWITCHED = (
    "DeskLamp", "Faucet", "FloorLamp", "Microwave",
)  # fmt: skip
TAKEN = (
    "AlarmClock", "Apple", "BaseballBat", "BasketBall", "Book", "Bowl", "Box", "Bread", "ButterKnife", "CD",
    "Candle", "CellPhone", "Cloth", "CreditCard", "Cup", "DishSponge", "Egg", "Fork", "Glassbottle",
    "HandTowel", "Kettle", "KeyChain", "Knife", "Ladle", "Laptop", "Lettuce", "Mug", "Newspaper", "Pan", "Pen",
    "Pencil", "PepperShaker", "Pillow", "Plate", "Plunger", "Pot", "Potato", "RemoteControl", "SaltShaker",
    "SoapBar", "SoapBottle", "Spatula", "Spoon", "SprayBottle", "Statue", "TennisRacket", "TissueBox",
    "ToiletPaper", "Tomato", "Vase", "Watch", "WateringCan", "WineBottle",
)  # fmt: skip
FOUND = (
    *TAKEN, "ArmChair", "Bathtub", "Bed", "Cabinet", "Cart", "CoffeeMachine", "CoffeeTable", "CounterTop",
    "Desk", "DeskLamp", "DiningTable", "Drawer", "Dresser", "Faucet", "FloorLamp", "Fridge", "GarbageCan",
    "Microwave", "Ottoman", "Safe", "Shelf", "SideTable", "Sink", "Sofa", "StoveBurner", "Toilet",
    "ToiletPaperHanger",
)  # fmt: skip
"""Kinds that the evaluation's skills speak of."""

DONE = "done"
MOST_STEPS = 20


def skill_set(said: SkillDialect) -> tuple[str, ...]:
    """Return every skill that a model may choose."""
    skills = [DONE, *(said.say("find", kind) for kind in FOUND)]
    skills += [said.say(verb, kind, kind) for kind in TAKEN for verb in ("pick", "put")]
    skills += [said.say(verb, kind) for kind in OPENED for verb in ("open", "close")]
    skills += [said.say("slice", kind) for kind in SLICED]
    return (*skills, *(said.say(verb, kind) for kind in SWITCHED for verb in ("turn-on", "turn-off")))


@dataclass
class ScriptedModel:
    """A language model that knows what is to be done by heart, and nothing but its prompt of what was done."""

    scripts: Mapping[str, Sequence[str]]
    asked: int = 0

    def score(self, prompt: str, skills: Sequence[str]) -> dict[str, float]:
        """Return a score of each skill as the prompt's next words: what the script says next has the best."""
        self.asked += 1
        instruction, done = re.findall(r"Human: (.*)\nRobot: 1\.(.*)", prompt)[-1]
        steps = [step.strip() for step in re.split(r", \d+\.", done)][:-1]
        script = (*self.scripts[instruction], DONE)
        assert tuple(steps) == script[: len(steps)], "the prompt tells the steps so far"
        return {skill: 0.0 if skill == script[len(steps)] else -float(len(skill)) for skill in skills}


@dataclass(frozen=True)
class Planner:
    """Asks a model for one skill after the other."""

    model: ScriptedModel
    examples: str
    skills: tuple[str, ...] = field(default_factory=lambda: skill_set(dialect("lota-bench")))

    def plan_whole(self, instruction: str) -> tuple[str, ...]:
        """Return the skills of an instruction; the last one is ``done`` if there are not too many."""
        prompt = f"{self.examples}Human: {instruction}\nRobot: 1."
        steps: list[str] = []
        while len(steps) < MOST_STEPS:
            scores = self.model.score(prompt, self.skills)
            steps.append(max(scores, key=scores.__getitem__))
            if steps[-1] == DONE:
                break
            prompt += f" {steps[-1]}, {len(steps) + 1}."
        return tuple(steps)


@dataclass(frozen=True)
class Task:
    """A row of the splits: a trajectory, and which annotator's instruction is given."""

    traj: Json
    repeat: int = 0

    @property
    def instruction(self) -> str:
        """What the robot is told."""
        return str(self.traj["turk_annotations"]["anns"][self.repeat]["task_desc"]).strip()


def chosen(tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks that are evaluated."""
    return [task for task in tasks if task.traj["task_type"] != "pick_two_obj_and_place"]


def evaluate(tasks: Sequence[Task], planner: Planner, folder: Path, *, blind: bool = False) -> list[Json]:
    """Evaluate tasks, write what came of each into a folder, and return it."""
    results = []
    for task in chosen(tasks):
        result = _evaluated(task, planner, blind)
        path = folder / f"{result['trial']}_{result['repeat_idx']}.json"
        path.write_text(json.dumps(result), encoding="utf-8")
        results.append(result)
    return results


def _evaluated(task: Task, planner: Planner, blind: bool) -> Json:
    env = ThorEnv(task.traj, blind=blind)
    connector = Connector(env, apart=False)
    steps = planner.plan_whole(task.instruction)
    failures, pictures = [], [] if blind else [_picture(env)]
    for step in steps:
        if step == DONE:
            break
        failures.append(connector.do(step))
        pictures += [] if blind else [_picture(env)]
    met, of = env.conditions()
    targets = ("object_target", "parent_target", "toggle_target", "mrecep_target")
    return {
        "trial": task.traj["task_id"],
        "scene": task.traj["scene"]["floor_plan"],
        "type": task.traj["task_type"],
        "repeat_idx": task.repeat,
        "goal_instr": task.instruction,
        "targets": {name: task.traj["pddl_params"].get(name, "") for name in targets},
        "inferred_steps": list(steps),
        "failures": failures,
        "reward": env.reward,
        "pictures": len(pictures),
        "success": met == of,
    }


def _picture(env: ThorEnv) -> np.ndarray:
    (picture,) = env.reply.pictures["image"]
    picture = np.asarray(picture).reshape(300, 300, -1)
    assert picture.dtype == np.uint8
    assert picture[..., :3].std() > 5, "something is seen"
    return picture
