"""What an agent that follows the expert is about: the next step of its plan that is more than going there."""

from __future__ import annotations

from chorewright.replay.text.following import Expert
from chorewright.replay.text.play import TextGame

_ON_THE_WAY = frozenset(("go", "open", "close"))


def thought(play: TextGame, expert: Expert) -> str:
    """Return a sentence about what the expert does next; empty if nothing is left to do."""
    plan = expert.actions()
    if not plan:
        return ""
    action = next((each for each in plan if each.verb not in _ON_THE_WAY), plan[0])
    names = play.names
    templates = play.game.forms.thoughts
    template = templates["after" if plan[0] != action else "now"]
    verb = templates[action.verb if action.verb in templates else "take"]
    if action.verb in _ON_THE_WAY:
        return template.format(what=templates["go"].format(r=names.receptacles[action.first]))
    second = action.second
    homes = action.verb in ("take", "move", "clean", "heat", "cool")
    other = "" if second < 0 else (names.receptacles if homes else names.things)[second]
    return template.format(what=verb.format(o=names.things[action.first], r=other, m=other, k=other))
