"""The job: datasets are made and exported, and each real library reads what is meant for it.

    python -m tests.exchange.job FOLDER --lerobot PYTHON [PYTHON ...] --minari PYTHON [--sizes calvin=2 ...]

FOLDER keeps datasets and exports, so that an interrupted job goes on. A PYTHON is the interpreter of an environment of
its own, made from a file of requirements beside this one, with this package installed: ``--lerobot`` those with LeRobot
(the first one also has ``datasets``), ``--minari`` one with Minari and torch. Prints a line for each check; exit code 1
if one fails.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.command import ROOT, environment

SIZES = {"calvin": 20, "alfred": 50, "teach": 20, "handmethat": 100}
"""Episodes of each dataset."""

EXPORTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "calvin": (("lerobot",), ("huggingface",), ("huggingface", "--rows", "frames")),
    "alfred": (("lerobot", "--pictures", "png", "--size", "100"), ("lerobot", "--pictures", "none"), ("huggingface",)),
    "teach": (("lerobot", "--size", "100"), ("huggingface",)),
    "handmethat": (("minari",), ("huggingface",)),
}
"""What is exported of each: the format, and its options."""


def main() -> None:
    """Make what is missing, then run all checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lerobot", nargs="*", default=[], metavar="PYTHON")
    parser.add_argument("--minari", metavar="PYTHON")
    parser.add_argument("--sizes", nargs="*", default=[], metavar="NAME=N")
    parser.add_argument("--workers", default="2", metavar="N")
    arguments = parser.parse_args()
    sizes = SIZES | {name: int(size) for name, _, size in (each.partition("=") for each in arguments.sizes)}
    folder = arguments.folder.resolve()
    for name, size in sizes.items():
        act("generate", name, "-n", str(size), "--workers", arguments.workers, "--out", str(folder / name))
        for form in EXPORTS[name]:
            act("export", str(folder / name), "--format", *form, "--out", str(exported(folder, name, form)))
    failed = [words for words in checks(folder, arguments.lerobot, arguments.minari) if not passes(words)]
    sys.exit(1 if failed else 0)


def act(*words: str) -> None:
    """Run a verb in this environment."""
    subprocess.run([sys.executable, "-m", "chorewright", *words], check=True, cwd=ROOT, env=environment())


def exported(folder: Path, name: str, form: Sequence[str]) -> Path:
    """Return the folder of an export."""
    return folder / "-".join((name, *(word.strip("-") for word in form)))


def checks(folder: Path, lerobot: Sequence[str], minari: str | None) -> Iterator[list[str]]:
    """Yield the command of each check."""
    check = ["-m", "tests.exchange.check"]
    for name, forms in EXPORTS.items():
        for form in forms:
            export, dataset = str(exported(folder, name, form)), str(folder / name)
            if form[0] == "minari" and minari:
                yield [minari, *check, "minari", export]
            if form[0] == "huggingface" and lerobot:
                yield [lerobot[0], *check, "datasets", export, dataset]
            for python in lerobot if form[0] == "lerobot" else ():
                yield [python, *check, "lerobot", export, dataset]
    video, numbers = exported(folder, "calvin", ("lerobot",)), EXPORTS["alfred"][1]
    for python in lerobot:
        yield [python, *check, "loader", str(exported(folder, "alfred", numbers))]
        yield [python, *check, "policy", str(video)]
        yield [python, *check, "speed", str(video), str(folder / "calvin")]
    if minari:
        yield [minari, *check, "torch", str(folder / "calvin")]


def passes(words: list[str]) -> bool:
    """Run a check and print what it says; return whether it passed."""
    done = subprocess.run(words, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    said = (done.stdout if done.returncode == 0 else done.stdout + done.stderr).strip().splitlines()
    print("ok  " if done.returncode == 0 else "FAIL", *words[3:5], "|", said[-1] if said else "", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
