"""What ``replay --simulator ai2thor`` does: stored episodes on a real build of AI2-THOR."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from chorewright.commands.replaying import RealOptions
from chorewright.commands.shell import print_json, printable
from chorewright.errors import ExitCode, UsageError
from chorewright.files.terminal import tell


class RealThorReplay:
    """AI2-THOR's real builds, for ``replay --simulator``."""

    def replay(self, folder: Path, chosen: Sequence[int], options: RealOptions, as_json: bool) -> None:
        """Run episodes on a real build, report each, and end with exit code 1 unless all replay."""
        replay_for_real(folder, chosen, options, as_json)

    def diagnosis(self) -> tuple[str, str, str]:
        """Return whether a real build of AI2-THOR could run here (the embedded world needs none)."""
        from chorewright.replay.household.real.process import display_problem, kept_builds

        try:
            builds, problem = kept_builds(), display_problem()
        except OSError as error:  # looking for libraries needs a folder for temporary files
            return "AI2-THOR build", "-", f"optional: it cannot be looked for: {error.strerror or error}"
        if builds and not problem:
            return "AI2-THOR build", builds[-1], ""
        return "AI2-THOR build", "-", f"optional: {problem or 'none is kept in ~/.ai2thor/releases'}"


def replay_for_real(folder: Path, chosen: Sequence[int], options: RealOptions, as_json: bool) -> None:
    """Run episodes on a real build, report each, and end with exit code 1 unless all replay.

    Raises:
        UsageError: An option makes no sense.
        MissingExtra: There is no build that can run here.
    """
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.household.moments import replay_on_real, write_report
    from chorewright.replay.household.real.process import check_build
    from chorewright.replay.household.real.simulator import Build, RealThor

    if options.attempts < 1 or options.start <= 0 or options.step <= 0:
        raise UsageError("--attempts, --start-timeout and --step-timeout must be positive")
    dataset = Dataset(folder)
    check_build(options.executable)
    display = os.environ.get("DISPLAY") or ":0"
    build = Build(options.executable, options.size, options.start, options.step, display)
    episodes = [dataset.episode(index) for index in chosen] if chosen else dataset
    runs = []
    for run in replay_on_real(
        episodes,
        lambda settings: RealThor(build, settings),
        options.attempts,
        folder if options.render else None,
    ):
        runs.append(run)
        told = f"episode {run.episode}: {run.outcome}" + (f": {run.reason}" if run.reason else "")
        tell(printable(told))
    report = write_report(folder, runs)
    counts = {name: sum(run.outcome == name for run in runs) for name in ("replayed", "failed", "quarantined")}
    if as_json:
        print_json({"folder": str(folder), **counts, "episodes": [asdict(run) for run in runs]})
    else:
        shown = ", ".join(f"{name} {count}" for name, count in counts.items())
        print(printable(f"{folder}: {shown}; {report}"))
    if counts["replayed"] < len(runs):
        sys.exit(int(ExitCode.NEGATIVE))
