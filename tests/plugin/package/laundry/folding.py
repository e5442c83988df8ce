"""A benchmark from its options to its words: all clothes of a kind are to be folded, in whatever laundry."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.generator import Assignment, Benchmark, Episode, GenerateConfig
from chorewright.generator.dataset.episode import Instruction
from chorewright.generator.dataset.options import option, read_options
from chorewright.generator.pddl.moments import WorldMoments
from chorewright.generator.production.attempts import Attempt
from chorewright.generator.production.solving import STAGES, Solution, solve_and_carry_out
from chorewright.planner.plan import Limits
from laundry.world import LaundryWorld

WORLD, LIMITS = LaundryWorld(), Limits(evaluations=20_000)


@dataclass(frozen=True)
class FoldingOptions:
    """The flags of ``generate folding``."""

    kinds: tuple[str, ...] = option(("sock", "shirt"), "Clothes of this kind; may be repeated.", flags=("--kind",))
    tries: int = option(4, "How many laundries are tried for an episode.", low=1)


class FoldingBenchmark(Benchmark[Problem, Solution]):
    """All clothes of one kind end up clean and folded."""

    name, world, options, stages = "folding", "laundry", FoldingOptions, STAGES

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Let the kinds take turns; all episodes are of one split."""
        kinds = read_options(FoldingOptions, config).kinds
        return [Assignment(i, "fold", (("kind", kinds[i % len(kinds)]),), "", "train") for i in range(count)]

    def candidates(self, config, assignment, rng, tried) -> Iterator[Problem]:
        """Yield the goal in one laundry after the other."""
        ((_, kind),) = assignment.parameters
        goal = parse_formula(f"(forall (?c - {kind}) (and (clean ?c) (folded ?c)))", WORLD.domain())
        for _ in range(read_options(FoldingOptions, config).tries):
            yield WORLD.scene(None, int(rng.integers(2**31))).problem(WORLD.domain(), goal)

    def attempt(self, config: GenerateConfig, candidate: Problem) -> Attempt[Problem, Solution]:
        """Plan, and carry the plan out in the world's simulator."""
        found = solve_and_carry_out(WORLD.domain(), candidate, LIMITS, simulator=WORLD.simulator, lower=WORLD.lower)
        return Attempt(candidate, found, found.rejection)

    def speak(self, config, blank, attempt, rng) -> Episode:
        """Say what to do, and each action."""
        done, extras = attempt.made.record(blank), (("problem", write_problem(attempt.candidate)),)
        said = [Instruction(f"Wash and fold every {dict(blank.parameters)['kind']}.", "goal")]
        said += [Instruction(WORLD.say(each), "step", 0, place) for place, each in enumerate(done.plan)]
        return replace(done, instructions=tuple(said), extras=extras)

    def moments(self) -> WorldMoments:
        """Return what ``replay`` and ``view`` run episodes with."""
        return WorldMoments(lambda episode: WORLD)
