"""HandMeThat's episodes as conversations: the text world, played by one who knows what is meant, with wrong turns."""

from __future__ import annotations

import numpy as np

from chorewright.errors import InputError, Location
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.handmethat.stored_task import task_of
from chorewright.generator.training.chat import ASSISTANT, SYSTEM, USER, ChatStyle, Message
from chorewright.replay.handmethat.agents import commands_for
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import words
from chorewright.replay.handmethat.world import TextWorld

MOST_ASTRAY = 10
"""Wrong turns of an episode, so that its moves last."""


class HandMeThatConversations:
    """Tells episodes as plays of the text world; see ``Conversations``."""

    def conversation(self, episode: Episode, style: ChatStyle) -> tuple[Message, ...]:
        """Return an episode's messages; see ``Conversations.conversation``."""
        if style.thoughts or style.annotated or style.exploring:
            reason = "requests for help are told without thoughts, annotators' sentences and exploring"
            raise InputError(reason, location=Location(f"episode {episode.index}"))
        return play_messages(task_of(episode), style, style.random_for(episode))


def play_messages(task: HandMeThatTask, style: ChatStyle, rng: np.random.Generator) -> tuple[Message, ...]:
    """Return what is said while what is meant is done; nothing if it cannot be."""
    world = TextWorld(task)
    known = words()
    messages = [Message(SYSTEM, "\n".join([known.say("chat"), *known.help]))]
    observation, astray = world.reset(), 0
    plan = list(commands_for(task, task.groundings))
    while not world.won:
        if not plan:
            return ()
        listed = f"\n{known.say('chat_admissible')}\n" + "\n".join(world.admissible()) if style.admissible else ""
        messages.append(Message(USER, observation + listed))
        wrong = astray < MOST_ASTRAY and rng.random() < style.noise
        command = _wrong_turn(world, plan[0], rng) if wrong else plan[0]
        observation = world.step(command).observation
        wrong = command != plan[0]
        messages.append(Message(ASSISTANT, command, wrong))
        astray += wrong
        plan = list(commands_for(task, task.groundings, world.scene)) if wrong else plan[1:]
    return tuple(messages)


def _wrong_turn(world: TextWorld, right: str, rng: np.random.Generator) -> str:
    """Return a random admissible walk or other command that is not the expert's; that one if there is no other."""
    others = [command for command in world.admissible() if command != right]
    return others[int(rng.integers(len(others)))] if others else right
