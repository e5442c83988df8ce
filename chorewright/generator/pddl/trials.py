"""Problems of a domain tried for its author: which are accepted, what they cost, and why others are rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chorewright.domains.pddl.syntax import Problem
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.pddl.problem_benchmark import BAND, ProblemBenchmark
from chorewright.planner.plan import Plan


@dataclass(frozen=True, slots=True)
class ProblemTrial:
    """What came of the attempts for one episode.

    Attributes:
        band: Its band; empty if there are none.
        problem: The accepted problem; None if there is none.
        plan: Its plan.
        rejections: Why the others were not accepted.
        episode: The episode that ``generate`` would write.
    """

    band: str
    problem: Problem | None
    plan: Plan | None
    rejections: tuple[str, ...]
    episode: Episode

    @property
    def accepted(self) -> bool:
        """Whether a problem was accepted."""
        return self.plan is not None


@dataclass(frozen=True, slots=True)
class DomainReport:
    """The trials of a domain."""

    trials: tuple[ProblemTrial, ...]

    @property
    def accepted(self) -> tuple[ProblemTrial, ...]:
        """Those that were accepted."""
        return tuple(each for each in self.trials if each.accepted)

    @property
    def reasons(self) -> Mapping[str, int]:
        """Why problems were rejected, most frequent first."""
        counts = Counter(reason for each in self.trials for reason in each.rejections)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def bands(self) -> Mapping[str, tuple[ProblemTrial, ...]]:
        """Return the trials of each band, in order."""
        names = dict.fromkeys(each.band for each in self.trials)
        return {name: tuple(each for each in self.trials if each.band == name) for name in names}


def try_problems(
    benchmark: ProblemBenchmark, config: GenerateConfig, tell: Callable[[int], object] = lambda done: None
) -> DomainReport:
    """Make the attempts that ``generate`` makes for each episode.

    Args:
        benchmark: The benchmark.
        config: Its configuration.
        tell: Hears how many episodes are done.
    """
    trials = []
    for assignment in benchmark.assign(config, config.episodes):
        tried, episode = benchmark.make_attempts(config, assignment)
        made = tried[-1].made if tried[-1].accepted else None
        trials.append(
            ProblemTrial(
                dict(assignment.parameters)[BAND],
                made.problem if made is not None else None,
                made.plan if made is not None else None,
                tuple(each.reason for each in tried if not each.accepted),
                episode,
            )
        )
        tell(len(trials))
    return DomainReport(tuple(trials))
