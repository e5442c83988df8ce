"""A dataset in a bucket: made by two workers on a local S3 server, one killed, then the run; resumed and compared.

    python -m benchmarks.remote [--episodes 2000] [--save] [--json FILE]

It needs the extra ``remote`` and ``moto[server]`` (tests/exchange/requirements.txt). The episodes cost nothing, so
what is measured is the line and the store. The same dataset is made in a folder of this machine beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.command import ROOT, benchmark_parser, keep
from benchmarks.exchange import LIGHT, rate
from benchmarks.results import Figure, Peer, Report, Target
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.places import Place, locate

BUCKET = "s3://chorewright"


@contextmanager
def server() -> Iterator[None]:
    """Run an S3 server on this machine, and let fsspec and its processes find it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    os.environ.update(AWS_ACCESS_KEY_ID="key", AWS_SECRET_ACCESS_KEY="secret", AWS_DEFAULT_REGION="us-east-1")
    os.environ["AWS_ENDPOINT_URL"] = url
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        import fsspec

        fsspec.filesystem("s3").mkdir("chorewright")
        yield
    finally:
        process.terminate()
        process.wait()


def generate(out: str | Path, episodes: int, workers: int = 2) -> list[str]:
    """Return the command that makes the dataset."""
    words = [sys.executable, "-m", "chorewright", "generate", LIGHT, "-n", str(episodes), "--workers", str(workers)]
    return [*words, "--out", str(out)]


def parts_done(place: Place, count: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until so many parts are in a bucket."""
    while len(list((place / ".progress").glob("part-*"))) < count:
        if process.poll() is not None:
            raise SystemExit("the run ended before it could be killed")
        time.sleep(0.05)


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the numbers of a run's worker processes."""
    found = []
    for tasks in Path(f"/proc/{process.pid}/task").glob("*/children"):
        found += [int(each) for each in tasks.read_text("ascii").split()]
    spawned = (Path(f"/proc/{each}/cmdline").read_bytes() for each in found)
    return [each for each, words in zip(found, spawned, strict=True) if b"spawn_main" in words]


def killed_twice(place: Place, episodes: int) -> str:
    """Make a dataset; kill a worker, then the run; resume it. Return what the runs said."""
    with subprocess.Popen(generate(str(place), episodes), cwd=ROOT, stderr=subprocess.PIPE) as process:
        parts_done(place, 8, process)
        os.kill(workers_of(process)[0], signal.SIGKILL)
        parts_done(place, 24, process)
        process.send_signal(signal.SIGKILL)
        assert process.stderr is not None
        first = process.stderr.read().decode()
    resumed = subprocess.run(generate(str(place), episodes), cwd=ROOT, capture_output=True, text=True, check=True)
    return first + resumed.stderr


def cpu(command: list[str]) -> float:
    """Run a command; return its processor seconds, those of its workers among them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def contents(folder: Place) -> dict[str, bytes]:
    """Return all files of a finished dataset."""
    files = [*folder.iterdir(), *(folder / "data").iterdir()]
    return {path.name: path.read_bytes() for path in files if path.is_file()}


def measure(arguments: argparse.Namespace, folder: Path) -> Report:
    """Make the dataset there and here, and compare."""
    episodes, here = arguments.episodes, folder / "here"
    with server():
        place = locate(f"{BUCKET}/killed")
        said = killed_twice(place, episodes)
        deaths = said.count("a worker was ended by signal"), said.count("took over the lock")
        checked = subprocess.run(
            [sys.executable, "-m", "chorewright", "verify", str(place), "--remake", "20", "--json"],
            cwd=ROOT, check=False, capture_output=True, text=True,
        )  # fmt: skip
        verdict = json.loads(checked.stdout)
        local = cpu(generate(here, episodes))
        remote = cpu(generate(f"{BUCKET}/whole", episodes))
        expected = contents(here)
        equal = sum(contents(place).get(name) == data for name, data in expected.items())
        again = sum(contents(locate(f"{BUCKET}/whole")).get(name) == data for name, data in expected.items())
        places = random.Random(1).choices(range(episodes), k=episodes)
        there = Dataset(place)
        reading = rate(episodes, lambda: sum(1 for _ in Dataset(place)))
        jumps = rate(len(places), lambda: [there[each] for each in places])
    print(f"{deaths[0]} worker and {deaths[1]} run killed; verified: {verdict}; {equal} and {again} of {len(expected)} "
          f"files equal; {local:.1f} s here, {remote:.1f} s there; {reading:.0f}/s, {jumps:.0f}/s read")  # fmt: skip
    figures = (
        Figure("equal", "files of the dataset that was killed twice and resumed, equal to those of a local folder",
               equal, of=len(expected), target=Target("at least", 100)),
        Figure("verified", "of them whole for verify, twenty episodes made again", len(expected) * verdict["ok"],
               of=len(expected), target=Target("at least", 100)),
        Figure("killed", "workers and runs killed", sum(deaths), target=Target("at least", 2)),
        Figure("cost", "CPU time of a whole run to the bucket, without the server", remote, "s", digits=1,
               peers=(Peer("a local folder", f"{local:.1f} s", "the same run"),)),
        Figure("iteration", "episodes read from the bucket in order, a CPU second", reading, digits=0),
        Figure("random", "the same at random places", jumps, digits=0),
    )  # fmt: skip
    explanation = (
        f"{episodes:,} episodes that cost nothing, put into a bucket of a local S3 server (moto) by two workers. "
        "One worker was killed, then the whole run; the same command completed it."
    )
    return Report("remote", "Command line and store", "A dataset in a bucket", explanation, figures)


def main() -> None:
    """Measure it."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=2000, metavar="N")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        keep(arguments, measure(arguments, Path(name)))


if __name__ == "__main__":
    main()
