"""Game files: found as ALFWorld does, and read, as its own scripts and our export write ``game.tw-pddl``.

Of the file's domain and grammar only what differs between versions is looked at: which actions there are, the
forms of older versions, what ``help`` answers, and the goal's sentence.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from chorewright.domains.pddl.grammar import NestedList, read_nested, write_nested
from chorewright.errors import ChorewrightError, InputError, InputErrors, Location, UnsupportedError, UsageError
from chorewright.files.json_source import load_json
from chorewright.files.lazily import LazySequence
from chorewright.replay.alfred.game import Game, GameGoal, GameReceptacle, GameStart, GameThing, OwnGoal, load_forms
from chorewright.replay.alfred.own_goals import read_own_goal
from chorewright.replay.alfred.problem import MARKS, read_goal

MOST_BYTES = 8_000_000

GAME_FILE, TRAJECTORY_FILE = "game.tw-pddl", "traj_data.json"
TASK_TYPES = {
    1: "pick_and_place_simple",
    2: "look_at_obj_in_light",
    3: "pick_clean_then_place_in_recep",
    4: "pick_heat_then_place_in_recep",
    5: "pick_cool_then_place_in_recep",
    6: "pick_two_obj_and_place",
    7: "pick_and_place_with_movable_recep",
}
"""ALFRED's task types by the numbers that ALFWorld gives them; 7 is ours."""

OWN_TASK = "own"
"""The task type of a game whose goal is none of ALFWorld's."""

_SLICED, _MOVABLE = "Sliced", "movable"

_ABILITIES = ("pickupable", "cleanable", "heatable", "coolable", "toggleable", "sliceable")
_MARKS = {predicate.lower(): mark for mark, predicate in MARKS.items()}
_ACTION = re.compile(r"\(\s*:action\s+([^\s()]+)", re.IGNORECASE)
_KNOWN = frozenset(
    (
        *("look", "inventory", "help", "examinereceptacle", "examineobject"),
        *("gotolocation", "openobject", "closeobject", "pickupobject", "putobject"),
        *("cleanobject", "heatobject", "coolobject", "toggleobject", "sliceobject"),
        *("putobjectinreceptacleobject", "pickupobjectfromreceptacleobject"),
    )
)
_LYING = re.compile(r"\(:action\s+examineobject\b(?:(?!\(:action).)*?\(exists\s*\([^(),]*\)", re.IGNORECASE | re.DOTALL)
"""The rule by which a thing is examined where it lies; with a comma among its variables ALFWorld's engine drops it."""
_TASK = re.compile(r'"Your task is to: (.*?)\.?"')
_HELP = re.compile(r'"help\.feedback"\s*:\s*\[\s*\{\s*"rhs"\s*:\s*("(?:[^"\\]|\\.)*")')


def read_game(path: str | Path) -> Game:
    """Read a game file.

    Raises:
        InputError: It cannot be read or is malformed.
        UnsupportedError: Its actions or its goal are not ALFWorld's.
    """
    source = load_json(path, MOST_BYTES)
    data = source.value
    if not isinstance(data, dict):
        raise source.error((), "a game file is a JSON object")
    texts: dict[str, str] = {}
    for key in ("pddl_domain", "grammar", "pddl_problem"):
        text = data.get(key)
        if not isinstance(text, str):
            raise source.error((key,) if key in data else (), f"expected a text in {key!r}")
        texts[key] = text
    steps = data.get("walkthrough")
    walkthrough = tuple(map(str, steps)) if isinstance(steps, list) else None
    try:
        return parse_game(str(path), texts["pddl_domain"], texts["grammar"], texts["pddl_problem"], walkthrough)
    except ChorewrightError as error:
        error.location = Location(str(path), json_path="$.pddl_problem")
        raise


def parse_game(name: str, domain: str, grammar: str, problem: str, walkthrough: tuple[str, ...] | None = None) -> Game:
    """Return the game that a game file's texts describe; raises as ``read_game``."""
    domain = re.sub(r";[^\n]*", "", domain)
    actions = {found.lower() for found in _ACTION.findall(domain)}
    if not {"gotolocation", "pickupobject", "putobject"} <= actions <= _KNOWN:
        odd = sorted(actions - _KNOWN) or sorted({"gotolocation", "pickupobject", "putobject"} - actions)
        raise UnsupportedError(f"the domain is not ALFWorld's: {odd[0]}")
    said, answer = _TASK.search(grammar), _HELP.search(grammar)
    return _Problem(problem).game(
        name,
        said[1] if said else "",
        "putobjectinreceptacleobject" in actions,
        _LYING.search(domain) is not None,
        walkthrough,
        "in/on {r}" in grammar,
        json.loads(answer[1]).lstrip() if answer else None,
    )


class _Problem:
    """A problem's objects and atoms."""

    def __init__(self, text: str) -> None:
        document = read_nested(text)
        if len(document) != 1 or not isinstance(document[0], list):
            raise InputError("expected one (define (problem ...))")
        sections: dict[str, list[NestedList]] = {}
        for part in document[0][1:]:
            if isinstance(part, list) and part and isinstance(part[0], str):
                sections[part[0].lower()] = part[1:]
        if not {":objects", ":init", ":goal"} <= sections.keys():
            raise InputError("the problem lacks :objects, :init or :goal")
        self.types = dict(_types_of(sections[":objects"]))
        self.goal_form = sections[":goal"][0] if sections[":goal"] else []
        self.atoms: dict[str, list[tuple[str, ...]]] = {}
        for atom in sections[":init"]:
            if isinstance(atom, list) and atom and atom[0] != "=":
                words = tuple(str(term).lower() for term in atom)
                self.atoms.setdefault(words[0], []).append(words[1:])

    def _of(self, predicate: str, count: int) -> Iterator[tuple[str, ...]]:
        """Yield the atoms of a predicate, each once."""
        for atom in dict.fromkeys(self.atoms.get(predicate, ())):
            if len(atom) != count:
                raise InputError(f"({predicate} {' '.join(atom)}) should have {count} terms")
            yield atom

    def _numbers(self, type_name: str, among: Iterable[str]) -> list[str]:
        return sorted(name for name in among if self.types.get(name) == type_name)

    def game(
        self,
        name: str,
        sentence: str,
        extended: bool,
        examines_lying: bool,
        walkthrough: tuple[str, ...] | None,
        older: bool,
        help_text: str | None,
    ) -> Game:
        kinds = {who: kind.removesuffix("type") for who, kind in self._of("objecttype", 2)}
        furniture = {who: kind.removesuffix("type") for who, kind in self._of("receptacletype", 2)}
        things = self._numbers("object", kinds)
        receptacles = self._numbers("receptacle", furniture)
        locations = self._numbers("location", self.types)
        self._thing = {who: number for number, who in enumerate(things)}
        self._place = {who: number for number, who in enumerate(locations)}
        self._receptacle = {who: number for number, who in enumerate(receptacles)}
        goal, own = self._goal()
        return Game(
            name=name,
            task=OWN_TASK if own else task_of(goal),
            sentence=sentence,
            goal=goal,
            own=own,
            receptacles=self._furniture(receptacles, furniture),
            things=self._things(things, kinds),
            locations=tuple(locations),
            fits=frozenset(
                (outer.removesuffix("type"), inner.removesuffix("type"))
                for predicate in ("cancontain", "vesselcancontain")
                for outer, inner in self._of(predicate, 2)
            ),
            start=self._start(),
            extended=extended,
            examines_lying=examines_lying,
            walkthrough=walkthrough,
            forms=load_forms(older),
            help=help_text,
        )

    def _goal(self) -> tuple[GameGoal, OwnGoal | None]:
        """Return the goal if it is one of ALFWorld's, else what is asked for in its predicates."""
        try:
            return read_goal(self.goal_form), None
        except UnsupportedError as error:
            try:
                return GameGoal(""), read_own_goal(write_nested(self.goal_form), self.types)
            except (InputError, InputErrors):
                raise error from None

    def _furniture(self, names: Sequence[str], kinds: dict[str, str]) -> tuple[GameReceptacle, ...]:
        places: dict[str, list[int]] = {}
        for who, where in self._of("receptacleatlocation", 2):
            if who in self._receptacle and where in self._place:
                places.setdefault(who, []).append(self._place[where])
        doors = {who for (who,) in self._of("openable", 1)}
        return tuple(GameReceptacle(who, kinds[who], tuple(sorted(places.get(who, ()))), who in doors) for who in names)

    def _things(self, names: Sequence[str], kinds: dict[str, str]) -> tuple[GameThing, ...]:
        abilities: dict[str, set[str]] = {who: set() for who in names}
        for ability in _ABILITIES:
            for (who,) in self._of(ability, 1):
                abilities.setdefault(who, set()).add(ability)
        for (who,) in self._of("isreceptacleobject", 1):
            abilities.setdefault(who, set()).add("vessel")
        wholes = {atom[0]: atom[1] for atom in self._of("pieceof", 2)}
        return tuple(
            GameThing(who, kinds[who], frozenset(abilities[who]), self._thing.get(wholes.get(who, ""))) for who in names
        )

    def _start(self) -> GameStart:
        at = [self._place[where] for _, where in self._of("atlocation", 2) if where in self._place]
        held = [self._thing[who] for _, who in self._of("holds", 2) if who in self._thing]
        if len(at) != 1 or len(held) > 1:
            raise InputError("the agent should be at one location, and hold at most one thing")
        marks = {mark: self._numbers_with(self._thing, predicate) for predicate, mark in _MARKS.items()}
        marks["opened"] = self._numbers_with(self._receptacle, "opened")
        return GameStart(
            at[0],
            held[0] if held else None,
            self._pairs("inreceptacle", self._thing, self._receptacle),
            self._pairs("inreceptacleobject", self._thing, self._thing),
            self._pairs("objectatlocation", self._thing, self._place),
            marks,
        )

    def _numbers_with(self, numbers: dict[str, int], predicate: str) -> tuple[int, ...]:
        return tuple(sorted(numbers[who] for (who,) in self._of(predicate, 1) if who in numbers))

    def _pairs(self, predicate: str, first: dict[str, int], second: dict[str, int]) -> tuple[tuple[int, int], ...]:
        found = [(first[a], second[b]) for a, b in self._of(predicate, 2) if a in first and b in second]
        return tuple(sorted(found))


def _types_of(names: Sequence[NestedList]) -> Iterator[tuple[str, str]]:
    waiting: list[str] = []
    listed = iter(names)
    for name in listed:
        if not isinstance(name, str):
            raise InputError("an object's name is no list")
        if name == "-":
            kind = next(listed, None)
            if not isinstance(kind, str):
                raise InputError("a type is missing after '-'")
            yield from ((each, kind.lower()) for each in waiting)
            waiting = []
        else:
            waiting.append(name.lower())


def task_of(goal: GameGoal) -> str:
    """Return the name of the task that has such goals: ALFRED's type, with a suffix for pieces."""
    if goal.lamp:
        name = "look_at_obj_in_light"
    elif goal.vessel:
        name = "pick_and_place_with_movable_recep"
    elif goal.state:
        name = f"pick_{goal.state}_then_place_in_recep"
    else:
        name = "pick_two_obj_and_place" if goal.count == 2 else "pick_and_place_simple"
    pieces = goal.sliced or goal.thing.endswith("sliced") or goal.thing == "eggcracked"
    return f"{name}_sliced" if pieces else name


# Games in folders.


class GameFiles(LazySequence[str, Game]):
    """Games by their files; each is read when it is first asked for, and kept."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = list(paths)
        self._read: dict[str, Game] = {}
        super().__init__(self.paths, self.read)

    def read(self, path: str) -> Game:
        """Return the game of a file; raises as ``read_game``."""
        game = self._read.get(path)
        if game is None:
            game = self._read[path] = read_game(path)
        return game


def game_files(
    folder: str | Path,
    task_types: Collection[str] = tuple(TASK_TYPES.values()),
    *,
    sliced: bool = True,
    checked: bool = True,
) -> list[str]:
    """Return the paths of the game files below a folder, sorted.

    Args:
        folder: A folder of trials, however deep; or one game file.
        task_types: Only of these types, by the ``traj_data.json`` beside the game.
        sliced: Also those whose folder says that something is sliced.
        checked: Only games that are known to be solvable.

    Raises:
        UsageError: There is no such folder.
        InputError: A file cannot be read.
    """
    root = Path(folder)
    if root.is_file():
        return [str(root)]
    if not root.is_dir():
        raise UsageError(f"there is no folder {folder}", hint="`chorewright export --format alfworld` makes one")
    found = []
    for where, _, names in os.walk(root):
        if GAME_FILE not in names or TRAJECTORY_FILE not in names or (_SLICED in where and not sliced):
            continue
        if _task(Path(where) / TRAJECTORY_FILE) not in task_types:
            continue
        path = Path(where) / GAME_FILE
        if not checked or _solvable(path):
            found.append(str(path))
    return sorted(found)


def _task(path: Path) -> str:
    document = load_json(path, MOST_BYTES, strict=False).value
    if not isinstance(document, dict) or not isinstance(document.get("task_type"), str):
        raise InputError("expected a text in 'task_type'", location=Location(str(path), json_path="$"))
    return str(document["task_type"])


def _solvable(path: Path) -> bool:
    document = load_json(path, MOST_BYTES, strict=False).value
    return isinstance(document, dict) and document.get("solvable") is True


def cycle(paths: Sequence[str], seed: int | None) -> Iterator[str]:
    """Yield paths in a random order, again and again, each round in another; the order is TextWorld's."""
    rng = np.random.RandomState(seed)
    order = list(paths)
    while order:
        rng.shuffle(order)
        yield from order
