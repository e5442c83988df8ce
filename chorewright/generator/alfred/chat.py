"""ALFRED's episodes as conversations: the text game of each, played by the expert or by an agent that explores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chorewright.generator.alfred.games import game_of
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.training.chat import ASSISTANT, SYSTEM, USER, ChatStyle, Message
from chorewright.replay.alfred.agents import ExploringAgent, tell_aim, thought
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame

MOST_STEPS = 100
"""Steps after which nothing goes astray any more."""


class AlfredConversations:
    """Tells episodes as text games; see ``Conversations``."""

    def conversation(self, episode: Episode, style: ChatStyle) -> tuple[Message, ...]:
        """Return an episode's messages; see ``Conversations.conversation``."""
        game = game_of(episode)
        if style.annotated:
            game = replace(game, sentence=_annotated(episode))
        if style.exploring:
            return exploring_messages(game, style, style.random_for(episode))
        return play_messages(game, style, style.random_for(episode))


def _annotated(episode: Episode) -> str:
    """Return what an annotator says of the goal, without its full stop."""
    told = [line.text for line in episode.instructions if line.level == "goal"]
    return told[episode.index % len(told)].rstrip(".")


def play_messages(game: Game, style: ChatStyle, rng: np.random.Generator) -> tuple[Message, ...]:
    """Return what is said while the expert wins a game; nothing if it cannot be won."""
    play = TextGame(game)
    expert = play.expert()
    messages, observation, steps = _begun(play), play.reset(), 0
    while not play.won:
        plan = expert.commands()
        if not plan:
            return ()
        messages.append(_heard(play, observation, style))
        astray = steps < MOST_STEPS and rng.random() < style.noise
        command = _wrong_turn(play, plan[0], rng) if astray else plan[0]
        said = f"{thought(play, expert)}\n" if style.thoughts and not astray else ""
        messages.append(Message(ASSISTANT, said + command, astray))
        turn = play.step(command)
        expert.follow(turn.action)
        observation = turn.observation
        steps += 1
    return tuple(messages)


def exploring_messages(game: Game, style: ChatStyle, rng: np.random.Generator) -> tuple[Message, ...]:
    """Return what is said while an agent wins a game that finds out where things are; nothing if it does not win."""
    play, agent = TextGame(game), ExploringAgent()
    messages, observation = _begun(play), play.reset()
    agent.begin(play, rng)
    while not play.won:
        command = agent.act(observation, play.admissible())
        if agent.lost:
            return ()
        messages.append(_heard(play, observation, style))
        said = f"{tell_aim(play, agent.aim, command)}\n" if style.thoughts else ""
        messages.append(Message(ASSISTANT, said + command))
        observation = play.step(command).observation
    return tuple(messages)


def _begun(play: TextGame) -> list[Message]:
    forms = play.game.forms
    commands = play.game.help or forms.sentences["help"] + forms.help_extended * play.game.extended
    return [Message(SYSTEM, forms.chat["system"].format(commands=commands.strip()))]


def _heard(play: TextGame, observation: str, style: ChatStyle) -> Message:
    """Return what the world tells: at the start without the engine's welcome."""
    listed = "\n".join(play.admissible())
    shown = play.game.forms.chat["admissible"].format(commands=listed) if style.admissible else ""
    welcome = play.game.forms.sentences["welcome"]
    return Message(USER, observation.removeprefix(f"{welcome}\n\n") + shown)


def _wrong_turn(play: TextGame, right: str, rng: np.random.Generator) -> str:
    """Return a random admissible command that is neither the expert's nor asks for help."""
    others = [command for command in play.admissible() if command not in (right, "help")]
    return others[int(rng.integers(len(others)))]
