"""The number of usable cores: affinity, and quotas of control groups of both versions, in and out of containers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chorewright.files.processes import usable_cores
from tests.command import environment

V2 = "30 23 0:26 {root} {mounted} rw - cgroup2 cgroup2 rw"
V1 = "32 31 0:29 {root} {mounted} rw,relatime - cgroup cgroup rw,cpu,cpuacct"
OTHER = "33 31 0:30 / {mounted} rw,relatime - cgroup cgroup rw,cpuset"

# The process's groups, what is mounted, the mounted group, the files, and the cores of 64.
CASES = [
    ("0::/a/b", V2, "/", {"a/b/cpu.max": "150000 100000\n"}, 2),
    ("0::/a/b", V2, "/", {"a/b/cpu.max": "max 100000\n"}, 64),
    ("0::/a/b", V2, "/", {"a/b/cpu.max": "800000 100000\n", "a/cpu.max": "300000 100000\n"}, 3),
    ("0::/", V2, "/docker/1", {"cpu.max": "400000 100000"}, 4),
    ("0::/docker/1/job", V2, "/docker/1", {"job/cpu.max": "500000 100000", "cpu.max": "max 100000"}, 5),
    ("0::/../other", V2, "/", {"cpu.max": "600000 100000"}, 6),
    ("0::/a", V2, "/", {"a/cpu.max": "20000 100000"}, 1),
    ("0::/a", V2, "/", {"a/cpu.max": "0 0"}, 64),
    ("0::/a", V2, "/", {"a/cpu.max": "nonsense\x00"}, 64),
    ("0::/a", V2, "/", {}, 64),
    ("3:cpu,cpuacct:/a", V1, "/", {"a/cpu.cfs_quota_us": "250000\n", "a/cpu.cfs_period_us": "100000\n"}, 3),
    ("3:cpu,cpuacct:/a", V1, "/", {"a/cpu.cfs_quota_us": "-1\n", "a/cpu.cfs_period_us": "100000\n"}, 64),
    ("3:cpu:/docker/9", V1, "/elsewhere", {"cpu.cfs_quota_us": "700000", "cpu.cfs_period_us": "100000"}, 7),
    ("4:cpuset:/a", OTHER, "/", {"a/cpu.cfs_quota_us": "100000", "a/cpu.cfs_period_us": "100000"}, 64),
    ("nonsense", "nonsense", "/", {}, 64),
]


@pytest.mark.parametrize(("group", "mount", "root", "files", "cores"), CASES)
def test_quotas_of_control_groups(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    group: str,
    mount: str,
    root: str,
    files: dict[str, str],
    cores: int,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    mounted = tmp_path / "control groups"
    for name, text in files.items():
        (mounted / name).parent.mkdir(parents=True, exist_ok=True)
        (mounted / name).write_text(text)
    (tmp_path / "cgroup").write_text(f"12:memory:/a\n{group}\n")
    at = str(mounted).replace(" ", "\\040")
    (tmp_path / "mountinfo").write_text(f"1 2 3:4 / /proc rw - proc proc rw\n{mount.format(root=root, mounted=at)}\n")
    assert usable_cores(tmp_path) == cores


def test_without_control_groups_the_affinity_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 5}, raising=False)
    assert usable_cores(tmp_path) == 3
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores(tmp_path) == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs affinities")
def test_a_process_bound_to_one_core_uses_one() -> None:
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    code += "from chorewright.files.processes import usable_cores; print(usable_cores())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout == "1\n"
