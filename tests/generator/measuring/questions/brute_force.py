"""Answers to questions by brute force: of what an export says as plain data, and the plain simulator alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chorewright.domains.pddl import parse_domain, parse_formula, parse_problem
from chorewright.domains.pddl.syntax import Formula
from tests.planner.plain_simulator import PlainSimulator

State = frozenset[tuple[str, ...]]
FAR = 10**9


class BruteForce:
    """A problem with all its states and steps."""

    def __init__(self, domain: str, problem: str) -> None:
        self.domain = parse_domain(domain)
        self.problem = parse_problem(problem, self.domain)
        self.plain = PlainSimulator(self.domain, self.problem)
        self.actions = [
            (f"({' '.join((action.name, *(binding[p.name] for p in action.parameters)))})", action, binding)
            for action in self.domain.actions
            for binding in self.plain.bindings(action.parameters, {})
        ]
        self.by_name = {name: (action, binding) for name, action, binding in self.actions}
        self.start: State = frozenset(self.plain.close(set(self.problem.init)))
        self.edges: dict[State, list[State]] = {}
        waiting = [self.start]
        while waiting:
            state = waiting.pop()
            if state in self.edges:
                continue
            after = [found for name, _, _ in self.actions if (found := self.step(state, name)) is not None]
            self.edges[state] = after
            waiting += after

    def step(self, state: State, name: str) -> State | None:
        if name not in self.by_name:
            return None
        action, binding = self.by_name[name]
        facts = set(state)
        if not self.plain.true(action.precondition, facts, binding):
            return None
        fired = list(self.plain.fire(action.effect, facts, binding))
        after = state - {atom for adds, atom in fired if not adds} | {atom for adds, atom in fired if adds}
        return frozenset(self.plain.close(set(after)))

    def run(self, plan: Sequence[str]) -> list[State]:
        states = [self.start]
        for name in plan:
            after = self.step(states[-1], name)
            if after is None:
                break
            states.append(after)
        return states

    def works(self, plan: Sequence[str]) -> bool:
        states = self.run(plan)
        return len(states) == len(plan) + 1 and self.meets(states[-1], self.problem.goal)

    def meets(self, state: State, goal: Formula) -> bool:
        return self.plain.true(goal, set(state), {})

    def fewest(self, start: State, goal: Formula, avoiding: tuple[str, ...] | None = None) -> int:
        seen, level, steps = {start}, [start], 0
        while level:
            if any(self.meets(state, goal) for state in level):
                return steps
            steps += 1
            found = {after for state in level for after in self.edges[state] if avoiding not in after}
            level = sorted(found - seen, key=sorted)
            seen |= found
        return FAR

    def answer(self, row: Mapping[str, Any]) -> str:
        """Return the right answer to a question, found anew."""
        formal = row["formal"]
        match row["kind"]:
            case "applicability":
                return said(self.step(state_of(formal["state"]), formal["action"]) is not None)
            case "next state":
                after = self.step(state_of(formal["state"]), formal["action"])
                assert after is not None
                return said(tuple(formal["atom"]) in after)
            case "plan validity":
                return said(self.works(formal["plan"]))
            case "first wrong step":
                return str(len(self.run(formal["plan"])))
            case "reachability":
                wanted = {tuple(atom) for atom in formal["atoms"]}
                return said(any(wanted <= state for state in self.edges))
            case "landmark":
                return said(self.fewest(self.start, self.problem.goal, tuple(formal["atom"])) == FAR)
            case "justification":
                return said(self.works([s for n, s in enumerate(formal["plan"], 1) if n not in formal["steps"]]))
            case "optimal cost":
                return str(self.fewest(self.start, self.problem.goal))
            case "goal recognition":
                return self.recognized(row)
            case kind:
                raise AssertionError(kind)

    def recognized(self, row: Mapping[str, Any]) -> str:
        plan = row["formal"]["plan"]
        state = self.run(plan)[-1]
        goals = [parse_formula(goal, self.domain, self.problem.objects) for goal in row["formal"]["goals"]]
        fits = [len(plan) + self.fewest(state, goal) == self.fewest(self.start, goal) for goal in goals]
        assert sum(fits) == 1
        return str(row["options"][fits.index(True)])


def state_of(atoms: Sequence[Sequence[str]]) -> State:
    return frozenset(tuple(atom) for atom in atoms)


def said(yes: bool) -> str:
    return "yes" if yes else "no"
