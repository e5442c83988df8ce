"""A checkout of calvin_env in small: its modules, classes and ``info``, with our own world inside.

It has the interface of the real one (mees/calvin_env: PlayTableSimEnv.reset, step, get_info and close, and
Tasks.get_task_info_for_set) and a Hydra that composes nothing, so that the adapter can be tested without
either.
"""

from __future__ import annotations

from pathlib import Path

FILES = {
    "conf/config_data_collection.yaml": "seed: 0\n",
    "calvin_env/__init__.py": "",
    "calvin_env/envs/__init__.py": "",
    "calvin_env/envs/tasks.py": """
from chorewright.replay.calvin.snapshot import tasks_done
from chorewright.replay.calvin.snapshot import from_calvin_env


class Tasks:
    asked = 0

    def get_task_info_for_set(self, start_info, end_info, task_filter):
        assert isinstance(task_filter, set)
        Tasks.asked += 1
        return set(tasks_done(from_calvin_env(start_info), from_calvin_env(end_info), task_filter))
""",
    "calvin_env/envs/play_table_env.py": """
import ctypes
import os
from pathlib import Path

from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.engine import engine
from chorewright.replay.calvin.world import TabletopWorld

C = ctypes.CDLL(None)
if "GIT_PYTHON_REFRESH" not in os.environ:
    raise ImportError("Bad git executable.")  # as GitPython does where there is no git


def get_git_commit_hash(path):
    for folder in path.parents:
        if (folder / ".git").exists():
            return (folder / ".git" / "HEAD").read_text()
    raise RuntimeError(f"{path} is in no repository")


class PlayTableSimEnv:
    def __init__(self, name):
        print("Connected to server")
        C.puts(b"argc=2 from C")
        self.world = TabletopWorld(scene(name))
        self.ownsPhysicsClient = True
        get_git_commit_hash(Path(__file__))

    def __del__(self):
        self.close()

    def reset(self, robot_obs=None, scene_obs=None):
        C.puts(b"reset from C")
        return self._obs(self.world.reset(robot_obs, scene_obs))

    def step(self, action):
        if len(action) == 7 and not isinstance(action, dict):
            seen = self.world.step(action.copy())
            action[:3] *= 0.02  # as calvin_env does
        else:
            assert isinstance(action[2], int)
            seen = self.world.step(action)
        return self._obs(seen), 0, False, self.get_info()

    def _obs(self, seen):
        return {"robot_obs": seen.robot_obs, "scene_obs": seen.scene_obs, "rgb_obs": {}, "depth_obs": {}}

    def get_info(self):
        world, bodies, now = self.world, self.world._bodies, self.world.snapshot()
        def contacts(body):
            return engine().getContactPoints(bodyA=body, physicsClientId=bodies.client)
        links = {name: number for number, name in bodies.links[bodies.table].items()}
        table = {"uid": bodies.table, "contacts": contacts(bodies.table), "links": links}
        scene_info = {
            "fixed_objects": {"table": table},
            "movable_objects": {
                name: {
                    "current_pos": now.blocks[name].position,
                    "current_orn": now.blocks[name].orientation,
                    "current_lin_vel": now.blocks[name].linear_velocity,
                    "current_ang_vel": now.blocks[name].angular_velocity,
                    "contacts": contacts(body),
                    "uid": body,
                }
                for name, body in bodies.blocks.items()
            },
            "doors": {name: {"current_state": value} for name, value in now.doors.items()},
            "buttons": {},
            "switches": {},
            "lights": {name: {"logical_state": value} for name, value in now.lights.items()},
        }
        return {"robot_info": {"uid": bodies.arm, "contacts": contacts(bodies.arm)}, "scene_info": scene_info}

    def close(self):
        print("disconnecting" if self.ownsPhysicsClient else "does not own physics client id")
        if self.ownsPhysicsClient:
            assert self.world._client >= 0, "closed twice"
            self.world.close()
""",
    "hydra/__init__.py": """
import contextlib
from types import SimpleNamespace


@contextlib.contextmanager
def initialize_config_dir(config_dir, version_base):
    yield


def compose(name, overrides):
    assert name == "config_data_collection" and "cameras=no_cameras" in overrides, overrides
    [wanted] = [each for each in overrides if each.startswith("scene=")]
    if wanted == "scene=calvin_scene_C":
        raise RuntimeError("no mesh")
    return SimpleNamespace(env=wanted.removeprefix("scene="), tasks=None)
""",
    "hydra/core/__init__.py": "",
    "hydra/core/global_hydra.py": """
class GlobalHydra:
    @staticmethod
    def instance():
        return GlobalHydra()

    def clear(self):
        pass
""",
    "hydra/utils.py": """
def instantiate(configuration, **settings):
    from calvin_env.envs.play_table_env import PlayTableSimEnv
    from calvin_env.envs.tasks import Tasks

    if configuration is None:
        return Tasks()
    assert settings == {"show_gui": False, "use_vr": False, "use_scene_info": True}
    return PlayTableSimEnv(configuration)
""",
}


def write_checkout(root: Path, without: str = "") -> Path:
    """Write the checkout into a folder, all of it but one file, and return the folder."""
    for name, text in FILES.items():
        if name != without:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
    return root
