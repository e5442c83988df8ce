"""ALFRED's episodes as conversations: the text game of each, played by the expert, with wrong turns on request."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chorewright.errors import InputError, Location
from chorewright.generator.alfred.games import game_of
from chorewright.generator.conversation import ASSISTANT, SYSTEM, USER, ChatStyle, Message
from chorewright.generator.episode import Episode
from chorewright.replay.text.following import Expert
from chorewright.replay.text.game import Game
from chorewright.replay.text.play import TextGame
from chorewright.replay.text.thoughts import thought

MOST_STEPS = 100
"""Steps after which nothing goes astray any more."""


class AlfredConversations:
    """Tells episodes as text games; see ``Conversations``."""

    def conversation(self, episode: Episode, style: ChatStyle) -> tuple[Message, ...]:
        """Return an episode's messages; see ``Conversations.conversation``."""
        game = game_of(episode)
        if style.annotated:
            game = replace(game, sentence=_annotated(episode))
        messages = play_messages(game, style, style.random_for(episode))
        if not messages:
            raise InputError("its text game cannot be won", location=Location(f"episode {episode.index}"))
        return messages


def _annotated(episode: Episode) -> str:
    """Return what an annotator says of the goal, without its full stop."""
    told = [line.text for line in episode.instructions if line.level == "goal"]
    return told[episode.index % len(told)].rstrip(".")


def play_messages(game: Game, style: ChatStyle, rng: np.random.Generator) -> tuple[Message, ...]:
    """Return what is said while the expert wins a game; nothing if it cannot be won."""
    play = TextGame(game)
    expert = Expert(play)
    forms = game.forms.chat
    commands = play.game.help or game.forms.sentences["help"] + game.forms.help_extended * game.extended
    messages = [Message(SYSTEM, forms["system"].format(commands=commands.strip()))]
    observation, steps = play.reset().split("\n\n", 1)[1], 0
    while not play.won:
        plan = expert.commands()
        if not plan:
            return ()
        listed = "\n".join(play.admissible())
        shown = forms["admissible"].format(commands=listed) if style.admissible else ""
        messages.append(Message(USER, observation + shown))
        astray = steps < MOST_STEPS and rng.random() < style.noise
        command = _wrong_turn(play, plan[0], rng) if astray else plan[0]
        said = f"{thought(play, expert)}\n" if style.thoughts and not astray else ""
        messages.append(Message(ASSISTANT, said + command, astray))
        turn = play.step(command)
        expert.follow(turn.action)
        observation = turn.observation
        steps += 1
    return tuple(messages)


def _wrong_turn(play: TextGame, right: str, rng: np.random.Generator) -> str:
    """Return a random admissible command that is neither the expert's nor asks for help."""
    others = [command for command in play.admissible() if command not in (right, "help")]
    return others[int(rng.integers(len(others)))]
