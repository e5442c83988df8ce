"""Every verb once, in a folder whose name is not UTF-8 and where the locale knows ASCII only: words that succeed, and
words that fail.

One process carries all of them out, so that the package is imported once.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.command import ROOT, environment

BARE = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""The environment of a cron job, and worse: names, output and files are ASCII as far as Python can tell."""

STRANGE = os.fsdecode(b"d\xff\xe9 '<b>")
"""A folder's name that is no text in any encoding that output is in."""


@dataclass(frozen=True, slots=True)
class Use:
    """A verb as it is used.

    Attributes:
        works: Words that succeed; ``{d}`` is the rig's folder, ``{o}`` a new one below it.
        fails: Words that are refused.
        verdict: The exit code of ``works``.
        as_json: Whether the verb has ``--json``.
    """

    works: str
    fails: str
    verdict: int = 0
    as_json: bool = True


TASK = "--slot object=Pen --slot lamp=DeskLamp --scene FloorPlan301"

USES = {
    "tasks": Use("tasks alfred", "tasks nosuch"),
    "compile": Use("compile alfred/look_at_obj_in_light " + TASK + " --out {o}/new", "compile {d}/no.task"),
    "plan": Use("plan {d}/domain.pddl {d}/problem.pddl -o {o}/new.plan", "plan {d}/domain.pddl {d}/no.pddl"),
    "validate": Use("validate {d}/domain.pddl {d}/problem.pddl {d}/good.plan", "validate {d}/a {d}/b {d}/c"),
    "check": Use("check {d}/domain.pddl {d}/problem.pddl {d}/own.task {d}/lamps", "check {d}/broken"),
    "fmt": Use("fmt {d}/domain.pddl", "fmt {d}/broken/wrong.pddl", as_json=False),
    "compare": Use("compare {d}/problem.pddl {d}/problem.pddl --domain {d}/domain.pddl", "compare {d}/a {d}/b"),
    "new-task": Use("new-task x --out {o}", "new-task ../x --out {d}"),
    "check-task": Use("check-task {d}/own.task --rooms 1 --attempts 1", "check-task {d}/broken/wrong.task"),
    "new-domain": Use("new-domain y --out {o}", "new-domain ../y"),
    "check-domain": Use("check-domain {d}/lamps -n 2", "check-domain {d}/nosuch"),
    "check-scene": Use("check-scene {d}/scene.json", "check-scene {d}/empty.json"),
    "check-scene without tasks": Use("check-scene {d}/bare.json", "check-scene {d}/empty.json", verdict=1),
    "check-state": Use(
        "check-state teach/Coffee --state {d}/state.json", "check-state teach/Coffee --state {d}/no", verdict=1
    ),
    "generate alfred": Use(
        "generate alfred -n 1 --seed 3 --workers 0 --tasks {d}/own.task --out {o}/again",
        "generate alfred --out {d} -n 1",
    ),
    "generate pddl": Use(
        "generate pddl --domain {d}/lamps/domain.pddl -n 2 --workers 0 --out {o}/problems", "generate pddl --out {d}/x"
    ),
    "verify": Use("verify {d}/alfred", "verify {d}/nosuch"),
    "verify a damaged dataset": Use("verify {d}/damaged", "verify {d}/empty.json", verdict=1),
    "show": Use("show {d}/alfred", "show {d}/alfred 99"),
    "show an episode": Use("show {d}/alfred 0", "show {d}/damaged 0"),
    "replay": Use("replay {d}/alfred --render rgb --size 32 --workers 0", "replay {d}/nosuch"),
    "view": Use("view {d}/alfred 0 -o {o}/episode.html --size 32", "view {d}/alfred 99"),
    "view a gallery": Use("view {d}/alfred -o {o}/all.html --pages 1 --size 32 --workers 0", "view {d}/nosuch"),
    "export": Use("export {d}/alfred --format alfred --out {o}/json", "export {d}/nosuch --format alfred --out {d}/j"),
    "export chat": Use("export {d}/alfred --format chat --out {o}/talk", "export {d}/alfred --format no --out {d}/j"),
    **{
        f"export {form}": Use(
            "export {d}/alfred --format " + form + " --out {o}/" + form,
            "export {d}/damaged --format " + form + " --out {o}/x",
        )
        for form in ("alfworld", "embodiedbench", "huggingface", "lerobot", "minari")
    },
    "data filter": Use("data filter {d}/alfred --where length>0 --out {o}/some", "data filter {d}/alfred --out {o}/x"),
    "data import": Use(
        "data import {d}/tree --format alfred --out {o}/imported", "data import {d}/nosuch --format alfred --out {o}/x"
    ),
    "data merge": Use("data merge {d}/alfred --out {o}/all", "data merge {d}/alfred {d}/nosuch --out {o}/x"),
    "data relabel": Use(
        "data relabel {d}/alfred --to held --out {o}/held", "data relabel {d}/alfred --to a=2 --out {o}/x"
    ),
    "data sample": Use("data sample {d}/alfred -n 1 --out {o}/one", "data sample {d}/alfred --out {o}/x"),
    "data split": Use("data split {d}/alfred --by split --out {o}/parts", "data split {d}/alfred --out {o}/x"),
    "lsp": Use("lsp", "lsp --nosuch", as_json=False),
    "say": Use("say {d}/alfred 0", "say {d}/nosuch"),
    "questions": Use(
        "questions {d}/domain.pddl {d}/problem.pddl -o {d}/asked --each 1 --kind plan-validity",
        "questions {d}/domain.pddl {d}/no.pddl -o {d}/asked",
    ),
    "rewards": Use("rewards plan -o {o}/tasks -n 1 --domain gripper --band easy", "rewards plam -o {o}/x"),
    "houses": Use("houses -o {o}/houses -n 1 --rooms 1 --workers 0", "houses -o {d}/domain.pddl"),
    "chains": Use("chains -n 1", "chains --from nonsense"),
    "evaluate alfred": Use(
        "evaluate alfred {d}/alfred --agent planner --workers 0 --log {o}/alfred.log",
        "evaluate alfred {d}/nosuch --agent planner",
    ),
    "evaluate calvin": Use(
        "evaluate calvin --policy expert -n 0 --rollouts 0", "evaluate calvin --policy nosuch", verdict=2
    ),
    "evaluate descriptions": Use("evaluate descriptions {d}/described {d}/none.jsonl", "evaluate descriptions {d} {d}"),
    # It would serve until it is ended: what there is not is refused, with OpenEnv or without.
    "serve openenv": Use("serve openenv --env plan:nosuch", "serve openenv --env nosuch", verdict=2, as_json=False),
    "evaluate eai": Use("evaluate eai {d}/eai --questions {o}/eai-asked", "evaluate eai {d}/nosuch"),
    "evaluate handmethat": Use(
        "evaluate handmethat {d}/nosuch --agent random", "evaluate handmethat {d} --agent no", verdict=2
    ),
    "evaluate objectnav": Use(
        "evaluate objectnav {d}/alfred --agent random", "evaluate objectnav {d}/nosuch --agent random", verdict=31
    ),
    "evaluate questions": Use("evaluate questions {d}/asked {d}/none.jsonl", "evaluate questions {d} {d}/no"),
    "evaluate teach": Use("evaluate teach {d}/nosuch", "evaluate teach", verdict=2),
    "play alfred": Use("play alfred --seed 1", "play alfred --episode {d}/alfred 99", verdict=1, as_json=False),
    "play behavior": Use("play behavior --seed 1", "play behavior {d}/no.bddl", verdict=1, as_json=False),
    "play handmethat": Use("play handmethat --seed 1", "play handmethat --reference {d}/no", 1, as_json=False),
    "play pddl": Use("play pddl {d}/domain.pddl {d}/problem.pddl", "play pddl {d}/a {d}/b", verdict=1, as_json=False),
    "doctor": Use("doctor", "doctor --frob"),
    "init": Use("init {o}/project", "init {d}/domain.pddl"),
    "completion": Use("completion bash", "completion csh", as_json=False),
}
"""``demo`` is not here: it generates, verifies and views, at the price of the three."""

DOMAIN = """(define (domain lamps)
  (:requirements :typing)
  (:types lamp)
  (:predicates (on ?l - lamp))
  (:action switch
    :parameters (?l - lamp)
    :effect (on ?l)))
"""

PROBLEM = """(define (problem both)
  (:domain lamps)
  (:objects a b - lamp)
  (:init)
  (:goal (and (on a) (on b))))
"""

FILES = {
    "domain.pddl": DOMAIN,
    "problem.pddl": PROBLEM,
    "good.plan": "(switch a)\n(switch b)\n",
    "empty.json": "{}",
    "bare.json": json.dumps(
        {
            "objects": [],
            "agent": {"position": {"x": 0, "y": 0.9, "z": 0}, "rotation": {"x": 0, "y": 0, "z": 0}, "cameraHorizon": 0},
            "sceneName": "Bare",
        }
    ),
    "none.jsonl": "",
    "state.json": "[]",
    "broken/wrong.pddl": DOMAIN[:-3],
    "broken/wrong.task": "x",
}


class Done(NamedTuple):
    """What a command did: exit code, standard output, standard error."""

    code: int
    output: str
    errors: str


class Rig:
    """A folder of a strange name with something for each verb, and the process that carries verbs out."""

    def __init__(self, folder: Path, process: subprocess.Popen[str]) -> None:
        self.folder, self._process, self._runs = folder, process, 0
        for name, text in FILES.items():
            (folder / name).parent.mkdir(exist_ok=True, parents=True)
            (folder / name).write_text(text)
        shutil.copy(ROOT / "tests" / "corpus" / "houses" / "three_rooms.json", folder / "scene.json")
        for words in (
            "new-task own --out {d}",
            "new-domain lamps --out {d}",
            "generate alfred -n 1 --workers 0 --out {d}/alfred",
            "generate pddl --domain {d}/lamps/domain.pddl -n 1 --workers 0 --out {d}/some",
            "export {d}/some --format descriptions --out {d}/described",
            "export {d}/alfred --format eai --out {d}/eai",
            "export {d}/alfred --format alfred --out {d}/tree",
            "questions {d}/domain.pddl {d}/problem.pddl -o {d}/asked --each 1 --kind plan-validity",
        ):
            done = self.run(words)
            assert done.code == 0, (words, done)
        shutil.copytree(folder / "alfred", folder / "damaged")
        shard = next((folder / "damaged" / "data").iterdir())
        shard.write_bytes(shard.read_bytes()[:-1] + b"?")

    def run(self, words: str, *more: str) -> Done:
        """Carry a command out; ``{d}`` is the folder, ``{o}`` a new one below it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._runs += 1
        new = self.folder / "out" / str(self._runs)
        new.mkdir(parents=True)
        filled = [word.format(d=self.folder, o=new) for word in words.split()]
        print(json.dumps([*filled, *more]), file=self._process.stdin, flush=True)
        return Done(*json.loads(self._process.stdout.readline()))


@contextmanager
def rig(folder: Path) -> Iterator[Rig]:
    """Yield a rig in a new folder below another one."""
    inside = folder / STRANGE
    inside.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.verbs"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="ascii",
        cwd=folder,
        env=environment(BARE),
    )
    with process:
        try:
            yield Rig(inside, process)
        finally:
            process.kill()


def carry_out(words: Sequence[str]) -> Done:
    """Run a command in this process, and return what it writes, also by file descriptor; it reads nothing."""
    from chorewright.cli import main

    kept = [os.dup(number) for number in (0, 1, 2)]
    with open(os.devnull, "rb") as nothing, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        for number, stream in enumerate((nothing, output, errors)):
            os.dup2(stream.fileno(), number)
        code: object = 0
        sys.argv = ["chorewright", *words]
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, before in enumerate(kept):
                os.dup2(before, number)
                os.close(before)
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode("ascii"))
    assert isinstance(code, int | None)
    return Done(code or 0, *texts)


def serve() -> None:
    """Carry out the commands that standard input names, one JSON list a line, and answer each by one line."""
    asked, answers = os.fdopen(os.dup(0), encoding="ascii"), os.fdopen(os.dup(1), "w", encoding="ascii")
    for line in asked:
        print(json.dumps(carry_out(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    serve()
