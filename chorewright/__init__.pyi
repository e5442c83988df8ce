"""The types of the public names; see __init__.py, which imports them when they are used first."""

from chorewright.domains.pddl.formatting import format_pddl as format_pddl
from chorewright.errors import ChorewrightError as ChorewrightError
from chorewright.errors import NoPlan as NoPlan
from chorewright.generator.dataset.episode import Episode as Episode
from chorewright.generator.dataset.store.dataset import Dataset as Dataset
from chorewright.interface.datasets import collect as collect
from chorewright.interface.datasets import export as export
from chorewright.interface.datasets import generate as generate
from chorewright.interface.datasets import verify as verify
from chorewright.interface.drawing import film as film
from chorewright.interface.drawing import frames as frames
from chorewright.interface.drawing import render as render
from chorewright.interface.drawing import view as view
from chorewright.interface.problems import PlanningProblem as PlanningProblem
from chorewright.interface.problems import compile_task as compile_task
from chorewright.interface.problems import load_problem as load_problem
from chorewright.interface.problems import plan as plan
from chorewright.interface.problems import tasks as tasks
from chorewright.interface.problems import validate as validate
from chorewright.interface.worlds import expert as expert
from chorewright.interface.worlds import make_env as make_env
from chorewright.interface.worlds import make_world as make_world
from chorewright.planner.plan import GroundAction as GroundAction
from chorewright.planner.plan import Plan as Plan
from chorewright.planner.validation import Verdict as Verdict
from chorewright.replay.experts import OnlineExpert as OnlineExpert

__version__: str
STARTED: float
