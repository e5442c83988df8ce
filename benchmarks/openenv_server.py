"""OpenEnv's server of tasks under load: steps a second, memory over many episodes, and its end by SIGTERM.

    python -m benchmarks.openenv_server [--clients N] [--seconds N] [--episodes N] [--save] [--json FILE]

The server is a process of its own on the loopback; OpenEnv's own client plays games in the household over sockets,
all clients from one other process. It needs the extra ``openenv``.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.rewards import tasks

EARLY = 1_000
"""Episodes after which memory is first looked at: by then all caches have filled."""

KNOWN = 32
"""Games that are played to the end."""


@contextmanager
def server(clients: int) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Serve games, and yield where, and the process; it is killed if it has not ended by then."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    words = ["serve", "openenv", "--env", "household", "--port", port, "--sessions", str(clients)]
    process = subprocess.Popen([sys.executable, "-m", "chorewright", *words])
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(1_200):
            try:
                urllib.request.urlopen(f"{url}/health", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield url, process
    finally:
        process.kill()
        process.wait()


def megabytes(process: subprocess.Popen[bytes]) -> float:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{process.pid}/status").read_text("ascii").splitlines()
    [size] = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(size) / 1024


async def connect(url: str, clients: int) -> list[Any]:
    """Return clients that are connected."""
    made = [import_module("openenv.core.generic_client").GenericEnvClient(base_url=url) for _ in range(clients)]
    for each in made:
        await each.connect()
    return made


async def play(url: str, clients: int, seconds: float, gold: Sequence[Sequence[str]]) -> float:
    """Return how many steps a second all clients take that win one game after the other."""
    numbers, steps, end = count(), 0, time.perf_counter() + seconds

    async def one(client: Any) -> None:
        nonlocal steps
        while time.perf_counter() < end:
            index = next(numbers) % len(gold)
            await client.reset(split="train", index=index)
            for command in gold[index]:
                found = await client.step({"command": command})
                steps += 1
            assert (found.done, found.reward) == (True, 1.0)

    made = await connect(url, clients)
    begun = time.perf_counter()
    await asyncio.gather(*map(one, made))
    spent = time.perf_counter() - begun
    for each in made:
        await each.close()
    return steps / spent


async def begin_many(url: str, clients: int, episodes: range) -> None:
    """Begin episodes, each another task, and take a step in each."""
    numbers = iter(episodes)

    async def one(client: Any) -> None:
        for index in numbers:
            await client.reset(split="train", index=index)
            await client.step({"command": "look"})

    made = await connect(url, clients)
    await asyncio.gather(*map(one, made))
    for each in made:
        await each.close()


def measure(arguments: argparse.Namespace) -> Report:
    """Return what the server does."""
    gold = [task.gold.splitlines()[1:-1] for task in tasks("household", KNOWN)]
    with server(arguments.clients) as (url, process):
        asyncio.run(begin_many(url, arguments.clients, range(KNOWN)))  # rooms are read
        speed = asyncio.run(play(url, arguments.clients, arguments.seconds, gold))
        print(f"{speed:.0f} steps/s", flush=True)
        early = min(EARLY, arguments.episodes)
        asyncio.run(begin_many(url, arguments.clients, range(early)))
        before = megabytes(process)
        asyncio.run(begin_many(url, arguments.clients, range(early, arguments.episodes)))
        after = megabytes(process)
        begun = time.perf_counter()
        process.send_signal(signal.SIGTERM)
        code = process.wait(60)
        ended = time.perf_counter() - begun
    print(f"{before:.0f} MB, then {after:.0f} MB; ended by SIGTERM with {code} after {ended:.1f} s")
    figures = (
        Figure("steps", f"steps a second of {arguments.clients} clients", speed, digits=0,
               target=Target("at least", 500)),
        Figure("memory", f"memory after {early:,} episodes", before, "MB", digits=0),
        Figure("growth", f"more after {arguments.episodes:,}", after - before, "MB", digits=0,
               target=Target("at most", 50)),
        Figure("code", "exit code after SIGTERM", code),
        Figure("end", "time to end then", ended, "s", digits=1, target=Target("at most", 5)),
    )  # fmt: skip
    explanation = "OpenEnv's server on the loopback, with OpenEnv's own client, in games of the household."
    return Report("openenv_server", "Any PDDL domain", "OpenEnv's server", explanation, figures)


def main() -> None:
    """Print what the server does under load."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--episodes", type=int, default=10_000)
    arguments = parser.parse_args()
    keep(arguments, measure(arguments))


if __name__ == "__main__":
    main()
