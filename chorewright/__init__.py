"""chorewright turns household tasks into datasets of expert demonstrations.

Read the rooms in the order in which data flow: ``domains`` (what can be done), ``problems`` (where), ``planner`` (how
to get there), ``rsa`` (how to say it), ``replay`` (how it looks), ``generator`` (how a dataset is made), ``commands``.

    import chorewright as cw

    problem = cw.compile_task("alfred/pick_and_place_simple", object="Mug", receptacle="Shelf")
    plan = cw.plan(problem)
    dataset = cw.generate("alfred", "demo", episodes=4)
    cw.render(dataset[0]).save("last.png")

A name is imported when it is used first, so that ``import chorewright`` stays light; ``__init__.pyi`` has the types.
"""

import time

from chorewright.files.lazily import importer

__version__ = "1.0.0"

_HOMES = {
    "interface.problems": ("PlanningProblem", "compile_task", "load_problem", "plan", "tasks", "validate"),
    "interface.datasets": ("collect", "export", "generate", "verify"),
    "interface.drawing": ("film", "frames", "render", "view"),
    "interface.worlds": ("expert", "make_env", "make_world"),
    "domains.pddl.formatting": ("format_pddl",),
    "errors": ("ChorewrightError", "NoPlan"),
    "generator.dataset.episode": ("Episode",),
    "generator.dataset.store.dataset": ("Dataset",),
    "planner.plan": ("GroundAction", "Plan"),
    "planner.validation": ("Verdict",),
    "replay.experts": ("OnlineExpert",),
}
"""The public names by the modules that have them."""

_MODULES = {name: f"chorewright.{module}" for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_MODULES)]

__getattr__ = importer(__name__, _MODULES)


def __dir__() -> list[str]:
    return [*__all__]


STARTED = time.monotonic() - min(time.process_time(), 1.0)
"""When the process was started, as far as its import tells. The work before counts, but at most a second; the
time that the same process was another program (a shell that waits, then becomes this one) does not."""
