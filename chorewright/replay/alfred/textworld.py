"""TextWorld's calls for one game at a time: a program that opens ALFWorld's game files by them changes its imports.

import chorewright.replay.alfred.textworld as textworld
from chorewright.replay.alfred.textworld import AlfredDemangler, Filter

env = textworld.start(path, textworld.EnvInfos(won=True, extras=["walkthrough"]), [Filter, AlfredDemangler()])
observation, infos = env.reset()
observation, score, done, infos = env.step("look")
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import validate
from chorewright.replay.alfred import problem
from chorewright.replay.alfred.game import Forms, Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.reading import read_game
from chorewright.replay.games.engine import GameSession

# A game in ALFWorld's PDDL: files for its engine, facts while it is played, and the proof of its walkthrough.


_EXTENSION = ("PutObjectInReceptacleObject", "PickupObjectFromReceptacleObject")


def grammar_text(game: Game) -> str:
    """Return the grammar (TWL2) that says what the game says."""
    text = _grammar(game.extended)
    forms = game.forms
    filled = _sentences(forms) | {"task": forms.say("task", goal=game.sentence)}
    helped = game.help if game.help is not None else forms.sentences["help"] + forms.help_extended * game.extended
    filled["help"] = helped
    return re.sub(r"@([a-z-]+)(?::([a-z ]+))?@", lambda found: _fill(filled, found[1], found[2]), text)


def _fill(filled: Mapping[str, str], name: str, states: str | None) -> str:
    text = filled[name] if states is None else filled[name].replace("@states@", states)
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _grammar(extended: bool) -> str:
    text = problem.data_text("text_grammar.twl2")
    if extended:
        return text
    for action in _EXTENSION:
        text = re.sub(rf"\naction {action} {{.*?\n}}\n", "", text, flags=re.DOTALL)
    return text


def _sentences(forms: Forms) -> dict[str, str]:
    """Return the sentences and commands with the grammar's parts in place of ours."""
    r, o = "{r.name}", "{o.name}"
    say, command = forms.say, forms.command
    alike = ("on-state", "plain", "open", "close", "take", "move", "clean", "heat", "cool", "use")
    commands = ("open", "close", "take", "move", "clean", "heat", "cool", "use", "insert")
    return {
        **{name: forms.sentences[name] for name in ("welcome", "nothing", "empty-handed")},
        **{name: say(name, o=o, r=r, see="#seen#") for name in alike},
        **{f"{name}-command": command(name, o="{o}", r="{r}", m="{m}") for name in commands},
        "in": say("in", r=r, list="#lying#"),
        "closed": say("closed", r=r),
        "on": say("on", r=r, list="#lying#"),
        "facing": say("facing", receptacles="#here#", list="#beside#"),
        "middle": say("middle", list="#everywhere#"),
        "carrying": say("carrying", o="[{o.indefinite + ' ' + o.name | holds(a:agent, o:object)}]").replace("a [", "["),
        "vessel": say("vessel", o=o, list="#inside#"),
        "special": say("special", states="@states@", o=o),
        "arrive": say("arrive", r=r, l="{lend.name}", see="#seen#"),
        "insert": say("insert", o=o, m="{m.name}"),
        "extract": say("take", o=o, r="{m.name}"),
        "slice": say("slice", o="{co.name}", k="{ko.name}"),
        "look": command("look"),
        "inventory": command("inventory"),
        "help-command": command("help"),
        "examine-receptacle": command("examine", o="{r}"),
        "examine-object": command("examine", o="{o}"),
        "go": command("go", r="[{r.name | receptacleatlocation(r:receptacle, lend:location)}]"),
        "slice-command": command("slice", o="{co}", k="{ko}"),
        "extract-command": command("take", o="{o}", r="{m}"),
    }


def game_file(game: Game, solvable: bool) -> dict[str, object]:
    """Return the content of ``game.tw-pddl``."""
    return {
        "pddl_domain": problem.domain_text(game.extended),
        "grammar": grammar_text(game),
        "pddl_problem": problem.problem_text(game),
        "solvable": solvable,
        "walkthrough": None if game.walkthrough is None else list(game.walkthrough),
    }


# Walkthroughs proven.


def is_proven(game: Game) -> bool:
    """Return whether a game's walkthrough leads to its goal, by the rules of the game's PDDL alone."""
    if game.walkthrough is None:
        return False
    text = problem.with_constants(game)
    domain = parse_domain(text[0])
    return validate(domain, parse_problem(text[1], domain), tuple(pddl_plan(game))).valid


def pddl_plan(game: Game) -> Iterator[GroundAction]:
    """Yield the actions of the game's PDDL that its walkthrough stands for.

    Raises:
        ValueError: A command of the walkthrough cannot be done.
    """
    play = TextGame(game)
    for command in game.walkthrough or ():
        action = play.commands.get(command)
        if action is None:
            raise ValueError(f"{command!r} cannot be done in {game.name}")
        yield problem.pddl_action(play.state, action)
        play.step(command)


# Facts of a game that is played.


@dataclass(frozen=True, slots=True, order=True)
class Term:
    """A term of a fact: its name in the game, and its type in PDDL."""

    name: str
    type: str

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    """A fact: the predicate in lower case and its terms, written ``opened(drawer 1: receptacle)``."""

    name: str
    arguments: tuple[Term, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


def facts(play: TextGame) -> list[Fact]:
    """Return all that is true now: what never changes, and what does, but for what has been looked at."""
    game, names = play.game, play.names
    terms = {problem.AGENT: Term(problem.AGENT, "agent")}
    terms |= {each.ident: Term(name, "object") for each, name in zip(game.things, names.things, strict=True)}
    terms |= {
        each.ident: Term(name, "receptacle") for each, name in zip(game.receptacles, names.receptacles, strict=True)
    }
    terms |= {place: Term(name, "location") for place, name in zip(game.locations, names.locations, strict=True)}
    homes = {f"{each.kind}Type" for each in game.receptacles}

    def term(word: str) -> Term:
        return terms.get(word) or Term(word.lower(), "rtype" if word in homes else "otype")

    now = replace(game, start=problem.start_of(play.state))
    return [Fact(atom[0].lower(), tuple(map(term, atom[1:]))) for atom in problem.atoms(now)]


SHOWN = ("feedback", "won", "lost", "score", "max_score", "moves", "admissible_commands", "facts", "last_command")
"""What is known of these games; TextWorld has more names, whose value in ALFWorld's games is None."""

_UNKNOWN = ("description", "inventory", "location", "objective", "intermediate_reward", "policy_commands", "verbs")


class EnvInfos:
    """What ``infos`` are to have: names of ``SHOWN``, and ``extras`` by theirs (``walkthrough``, ``expert_plan``).

    Raises:
        UsageError: There is no such name.
    """

    def __init__(self, *, extras: Iterable[str] = (), **asked: bool) -> None:
        known = (*SHOWN, *_UNKNOWN)
        for name in asked:
            if name not in known:
                raise UsageError(
                    f"there is no info {name!r}", hint=did_you_mean(name, known) or f"there are {', '.join(known)}"
                )
        self.basics = [name for name, wanted in asked.items() if wanted]
        self.extras = list(extras)


def Filter(env: SingleGame) -> SingleGame:  # TextWorld's name
    """Return the game: TextWorld's wrapper makes ``reset`` and ``step`` return ``infos``, as they do here anyway."""
    return env


class AlfredDemangler:
    """ALFWorld's wrapper that gives things their names; here they have them anyway."""

    def __init__(self, *, shuffle: bool = False) -> None:
        if shuffle:
            raise UsageError("names are shuffled by AlfredTWEnv with env.domain_randomization only")

    def __call__(self, env: SingleGame) -> SingleGame:
        return env


class SingleGame:
    """A game with TextWorld's calls, as its ``Filter`` shapes them. A game that is won goes on until ``reset``."""

    def __init__(self, game: Game, path: str, infos: EnvInfos) -> None:
        self._game, self._path, self._wanted = game, path, infos
        self._session: GameSession[TextGame] | None = None

    def reset(self) -> tuple[str, dict[str, Any]]:
        """Begin the game; return the first observation, and what is told beside it."""
        self._session, self._command = GameSession(TextGame(self._game)), ""
        return self._session.turn.observation, self._infos(self._session)

    def step(self, command: str) -> tuple[str, int, bool, dict[str, Any]]:
        """Do a command; return observation, score, whether the game is won, and what is told beside them.

        Raises:
            UsageError: ``reset`` was not called.
        """
        if self._session is None:
            raise UsageError("reset the game before you step")
        observation, won = self._session.step(command)[:2]
        self._command = command
        return observation, int(won), won, self._infos(self._session)

    def close(self) -> None:
        """Forget the game that is being played."""
        self._session = None

    def _infos(self, session: GameSession[TextGame]) -> dict[str, Any]:
        play = session.play
        makers: dict[str, Callable[[], Any]] = {
            "feedback": lambda: session.turn.observation,
            "won": lambda: play.won,
            "lost": lambda: False,
            "score": lambda: int(play.won),
            "max_score": lambda: 1,
            "moves": lambda: play.moves,
            "admissible_commands": lambda: list(play.admissible()),
            "facts": lambda: facts(play),
            "last_command": lambda: self._command or None,
            "extra.walkthrough": lambda: list(self._game.walkthrough or ()) or None,
            "extra.expert_plan": session.expert.commands,
            "extra.gamefile": lambda: self._path,
        }
        names = [*self._wanted.basics, *(f"extra.{name}" for name in self._wanted.extras)]
        return {name: makers[name]() if name in makers else None for name in names}


def start(
    path: str | Path, request_infos: EnvInfos | None = None, wrappers: Sequence[Callable[..., Any]] = ()
) -> SingleGame:
    """Open a game file.

    Args:
        path: A file ``game.tw-pddl``.
        request_infos: What ``infos`` are to have; nothing by default.
        wrappers: What is called with the game in turn, such as ``Filter`` and ``AlfredDemangler()``.

    Raises:
        UsageError: The file is not there.
        InputError: It is no game.
    """
    env = SingleGame(read_game(Path(path)), str(path), request_infos or EnvInfos())
    for wrapper in wrappers:
        env = wrapper(env)
    return env
