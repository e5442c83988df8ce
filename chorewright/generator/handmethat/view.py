"""HandMeThat's datasets and episodes as people read them: levels and requests, and what an episode turns on.

An overview counts requests by type and level, costs that are proven and tries that were rejected. An episode
is told in order: what the human does and where they stop, what is meant, said and understood, and the help.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from chorewright.domains.pddl.writer import write_formula_line
from chorewright.files.english import say_count
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.handmethat.stored_task import task_of
from chorewright.generator.showing.view import count_rejections, line, round_mean, safe, tries_lines
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import plain_name
from chorewright.rsa.handmethat.meanings import Grounding, Meaning, Quest
from chorewright.rsa.handmethat.requests import action_sentence

RULES = {1: "A(m) = A(u)", 2: "A(m) = A(u) ∩ A(G)", 3: "A(m) = A(r)", 4: "A(m) ⊂ A(r)"}
"""What makes a level (section 3.3)."""

NAMED = 12
"""So many grounded subgoals of an extent are named."""

_LEVELS = tuple(RULES)


@dataclass(frozen=True, slots=True)
class GoalFigures:
    """The figures of the episodes of one goal: means, and how many have costs that are proven."""

    task: str
    episodes: int
    watched: float
    planned: float
    helped: float
    proven: int


@dataclass(frozen=True, slots=True)
class Overview:
    """What a dataset of HandMeThat holds.

    Attributes:
        folder: Where it is.
        settings: The options that it was made with.
        attempted, accepted: Episodes.
        splits: How many episodes each split has.
        requests: How many episodes there are by type of request and level.
        costs: How many episodes there are by what their costs are: proven, not proven or satisficing.
        goals: The figures of each goal.
        tries: How many tries were rejected, by reason.
        rejections: Indices without an episode, and why.
        lost: How many of them hung or killed their workers.
    """

    folder: str
    settings: tuple[tuple[str, str], ...]
    attempted: int
    accepted: int
    splits: tuple[tuple[str, int], ...]
    requests: Mapping[tuple[str, int], int]
    costs: Mapping[str, int]
    goals: tuple[GoalFigures, ...]
    tries: Mapping[str, int]
    rejections: tuple[tuple[int, str, str], ...]
    lost: int


def overview(dataset: Dataset) -> Overview:
    """Return a dataset's figures; reads every episode once."""
    manifest = dataset.manifest
    rows: dict[str, list[tuple[int, int, int, str]]] = {}
    splits: Counter[str] = Counter()
    requests: Counter[tuple[str, int]] = Counter()
    for episode in dataset:
        known = dict(episode.parameters)
        watched = sum(step.segment == 0 for step in episode.steps)
        costs = dict(episode.extras).get("costs", "not proven")
        row = watched, len(episode.plan), len(episode.steps) - watched, costs
        rows.setdefault(episode.task, []).append(row)
        splits[episode.split] += 1
        requests[known["request"], int(known["level"])] += 1
    every = [row for each in rows.values() for row in each]
    return Overview(
        folder=str(dataset.folder),
        settings=tuple(
            (name, ", ".join(value) if isinstance(value, tuple) else str(value))
            for name, value in manifest.config.options
        ),
        attempted=manifest.config.episodes,
        accepted=manifest.accepted,
        splits=tuple(sorted(splits.items())),
        requests=dict(sorted(requests.items())),
        costs=dict(sorted(Counter(row[3] for row in every).items())),
        goals=tuple(_goal(task, of_task) for task, of_task in sorted(rows.items())),
        tries=count_rejections(dataset.folder, manifest.shards),
        rejections=tuple((r.index, r.task, r.reason) for r in manifest.rejected),
        lost=len(manifest.lost),
    )


def _goal(task: str, rows: Sequence[tuple[int, int, int, str]]) -> GoalFigures:
    means = (round_mean(row[0] for row in rows), round_mean(row[1] for row in rows), round_mean(row[2] for row in rows))
    return GoalFigures(task, len(rows), *means, sum(row[3] == "proven" for row in rows))


def overview_json(value: Overview) -> dict[str, object]:
    """Return an overview as JSON values."""
    names = dict.fromkeys(request for request, _ in value.requests)
    return {
        "folder": value.folder,
        "benchmark": "handmethat",
        "settings": dict(value.settings),
        "attempted": value.attempted,
        "accepted": value.accepted,
        "splits": dict(value.splits),
        "requests": {name: {str(level): value.requests.get((name, level), 0) for level in _LEVELS} for name in names},
        "costs": dict(value.costs),
        "tasks": list(map(asdict, value.goals)),
        "tries": dict(value.tries),
        "rejections": [{"index": i, "task": task, "reason": reason} for i, task, reason in value.rejections],
        "lost": value.lost,
    }


def overview_table(value: Overview) -> RenderableType:
    """Return an overview as tables: requests by level, goals, and why tries were rejected."""
    splits = ", ".join(f"{safe(name)} {count}" for name, count in value.splits)
    made = "".join(f", {safe(name)} {safe(chosen)}" for name, chosen in value.settings if name != "tasks")
    lost = f" ({value.lost} lost)" if value.lost else ""
    counts = f"{value.accepted} of {say_count(value.attempted, 'episode')}{lost} of handmethat{made}"
    lines: list[RenderableType] = [Text(f"{safe(value.folder)}: {counts}{'; ' if splits else ''}{splits}")]
    if value.accepted:
        shares = ", ".join(
            f"{name} {count} ({100 * count / value.accepted:.0f} %)" for name, count in value.costs.items()
        )
        lines += [_requests(value), Text(f"costs: {shares}"), _goals(value.goals)]
    lines += map(Text, tries_lines(value.tries, value.accepted))
    lines += [Text(f"rejected {index} {safe(task)}: {safe(reason)}") for index, task, reason in value.rejections[:20]]
    return Group(*lines)


def _requests(value: Overview) -> Table:
    """Return the table of types of requests by level, with the levels' shares."""
    table = Table()
    table.add_column("request")
    for name in (*(f"level {level}" for level in _LEVELS), "all"):
        table.add_column(name, justify="right")
    for request in dict.fromkeys(name for name, _ in value.requests):
        found = [value.requests.get((request, level), 0) for level in _LEVELS]
        table.add_row(safe(request), *_shares(found, value.accepted))
    names = dict.fromkeys(name for name, _ in value.requests)
    sums = [sum(value.requests.get((name, level), 0) for name in names) for level in _LEVELS]
    table.add_section()
    table.add_row("all", *_shares(sums, value.accepted))
    return table


def _shares(counts: Sequence[int], of: int) -> Iterable[str]:
    return (f"{count} ({100 * count / of:.1f} %)" for count in (*counts, sum(counts)))


def _goals(goals: Sequence[GoalFigures]) -> Table:
    """Return the table of goals: how many actions were watched, planned, and help, on average."""
    table = Table()
    table.add_column("goal", overflow="fold", min_width=24)
    for name in ("episodes", "watched", "of plan", "help", "costs proven"):
        table.add_column(name, justify="right")
    for each in goals:
        means = (f"{mean:.1f}" for mean in (each.watched, each.planned, each.helped))
        table.add_row(safe(each.task), str(each.episodes), *means, str(each.proven))
    return table


def episode_text(episode: Episode) -> RenderableType:
    """Return an episode to read: goal, what was watched and what was left, request, help, verdict.

    Raises:
        InputError: It is no accepted episode of HandMeThat.
    """
    task = task_of(episode)
    head = Table.grid(padding=(0, 2))
    known = ", ".join(f"{name} {value}" for name, value in episode.parameters)
    head.add_row("  task", Text(safe(f"{episode.task}: {known}")))
    head.add_row("  goal", Text("\n".join(map(safe, episode.goal.splitlines()))))
    plan = f"{say_count(len(task.plan), 'action')} for the whole goal, of which T = {task.observed} were watched"
    head.add_row("  plan", Text(f"{plan}; by {safe(episode.planner)}"))
    lines: list[RenderableType] = [
        Text(f"Episode {episode.index} ({safe(episode.split)})", style="bold"),
        head,
        Text("\nWatched", style="bold"),
        *_actions(task, 0, task.observed),
        Text(f"\nT = {task.observed}: the human stops and says", style="bold"),
        line(5, f'"{task.sentence}"', "italic"),
        _request(task, dict(episode.extras).get("costs", "not proven")),
        Text("\nWhat the human would have done next", style="bold"),
        *_actions(task, task.observed, len(task.plan)),
        Text("\nHelp", style="bold"),
        *(line(5, command) for command in task.demonstration),
        Text(""),
    ]
    for name, holds in episode.outcome.conditions:
        lines.append(line(2, f"{'met    ' if holds else 'NOT MET'} {name}", "green" if holds else "red"))
    attempts = f"{episode.attempts} attempt{'' if episode.attempts == 1 else 's'}"
    lines.append(line(2, f"accepted after {attempts}"))
    lines += (line(4, f"rejected: {reason}") for reason in episode.rejections)
    return Group(*lines)


def _actions(task: HandMeThatTask, first: int, stop: int) -> list[RenderableType]:
    return [
        line(2, f"{number + 1:>3}. {action_sentence(task.plan[number])}", "" if first == 0 else "dim")
        for number in range(first, stop)
    ]


def _request(task: HandMeThatTask, costs: str) -> RenderableType:
    """Return u, m and r with what fits them, A(G), the level and its rule, and what the costs are."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for name, meaning in (("u", task.utterance), ("m", task.meaning), ("r", task.understood)):
        if meaning is not None:
            table.add_row(f"     {name}", Text(safe(_formula(meaning))))
            fitting = task.context.groundings(meaning)
            table.add_row(f"     A({name})", Text(safe(_extent(meaning.quest, fitting))))
    table.add_row("     A(G)", Text(safe(_extent(task.meaning.quest, task.useful))))
    table.add_row("     level", Text(f"{task.level}: {RULES.get(task.level, 'none of the paper')}"))
    if task.subgoal is not None:
        table.add_row("     serves", Text(safe(write_formula_line(task.subgoal))))
    table.add_row("     costs", Text(safe(costs)))
    return table


def _formula(meaning: Meaning) -> str:
    """Return a meaning as a formula: ``move_to {type box, size large} table_0``."""
    described = ", ".join(f"{name} {str(value).lower()}" for name, value in meaning.description)
    argument = "" if meaning.argument is None else f" {meaning.argument}"
    return f"{meaning.quest.value} {{{described}}}{argument}"


def _extent(quest: Quest, groundings: Sequence[Grounding]) -> str:
    """Return grounded subgoals as a list that tells how many there are."""
    named = ", ".join(_grounding(quest, each) for each in groundings[:NAMED])
    more = f", and {len(groundings) - NAMED} more" if len(groundings) > NAMED else ""
    return f"{len(groundings)}: {named}{more}"


def _grounding(quest: Quest, grounding: Grounding) -> str:
    name, argument = plain_name(grounding[0]), grounding[1]
    match quest:
        case Quest.BRING_ME:
            return name
        case Quest.MOVE_TO:
            return f"{name} to {plain_name(str(argument))}"
        case Quest.CHANGE_STATE:
            return f"{argument} {name}"
