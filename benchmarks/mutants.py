"""How many small faults the tests notice: mutants of the package, each judged by the tests that cover its module.

    python -m benchmarks.mutants --log mutants.jsonl [--count 150] [--seed 1] [--only PATH] [--workers N]
        [--limit SECONDS] [--stop-after SECONDS] [--save] [--json FILE]

A mutant is applied in a scratch copy of the tree, never in the checkout. The tests that mirror its module run first,
then those that are nearest by their imports, until one fails or ``--limit`` seconds are used up. A file of tests that
is slow, or of which it is not known, runs for half of what is left. A mutant counts as killed as well if tests take
three times as long as without it, and ten seconds more.

The log holds a line for each mutant and for each file of tests that ran without one; the same command goes on where
it was stopped. Survivors are judged anew when their tests have changed. The first run compiles the kernels of the
copy, for a minute or two. ``benchmarks/equivalent_mutants.json`` lists mutants that change nothing that could be seen,
with the reason; they are not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from benchmarks.command import ROOT, benchmark_parser, keep
from benchmarks.covering import Covering
from benchmarks.mutations import PACKAGE, Mutant, draw, room_of
from benchmarks.results import Figure, Report, Target, table

EQUIVALENT = Path(__file__).parent / "equivalent_mutants.json"
KILLED, SURVIVED, TIMED_OUT, BROKEN = "killed", "survived", "timed out", "broken"
MOST_FILES = 8
"""So many files of tests judge a mutant at most."""

LEAST = 2.0
"""Seconds; for less no further file of tests is begun."""
COMPILING = 90.0
"""Further seconds for a mutant whose kernels are compiled anew, which other tests of it then find."""

MEMORY = 8 * 2**20
"""KiB of address space that tests may take: a mutant may allocate without end."""

FAILED = re.compile(r"^FAILED (tests/[^\[\s]+)", re.MULTILINE)
"""The function whose test failed; with its parameters it would not always be found again."""

KERNELS, WARM = Path(PACKAGE, "__pycache__", "kernels"), "warm"
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Limits:
    """How long tests may take.

    Attributes:
        tests: Seconds of tests that judge one mutant.
        end: When no further mutant is begun, on the monotonic clock.
    """

    tests: float
    end: float


class Log:
    """Lines of JSON: the verdicts by mutant, and the seconds that files of tests take."""

    def __init__(self, path: Path | None) -> None:
        """Read what there is; a line that was cut off is passed over."""
        self._path = path
        self._records: dict[tuple[str, str], Record] = {}
        if path is not None and path.exists():
            for line in path.read_text("utf-8").splitlines():
                if line.endswith("}"):
                    record = json.loads(line)
                    self._records[record["key"], record["digest"] if record["fate"] != KILLED else ""] = record

    def get(self, key: str, digest: str) -> Record | None:
        """Return what is known of a mutant or a file of tests; a kill holds whatever the tests are now."""
        return self._records.get((key, "")) or self._records.get((key, digest))

    def add(self, record: Record) -> Record:
        """Keep a record."""
        self._records[record["key"], record["digest"] if record["fate"] != KILLED else ""] = record
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        return record


@dataclass(frozen=True, slots=True)
class Outcome:
    """How tests ended.

    Attributes:
        fate: They pass ("survived"), fail ("killed"), take too long, or there is none that runs ("broken").
        seconds: The time that they took.
        test: The test that failed, as pytest names it; otherwise what was run.
    """

    fate: str
    seconds: float
    test: str


class Scratch:
    """A copy of the tree in which one mutant at a time lives."""

    def __init__(self, folder: Path) -> None:
        """Bring a copy up to date with the checkout."""
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        names = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
        for old in folder.rglob("*.py"):
            if old.relative_to(folder).as_posix() not in names:
                old.unlink()
        for name in names:
            source, target = ROOT / name, folder / name
            if not (target.exists() and target.stat().st_mtime_ns == source.stat().st_mtime_ns):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
                if name.startswith(PACKAGE):
                    (folder / KERNELS / WARM).unlink(missing_ok=True)

    def warm(self) -> None:
        """Compile the kernels that are not compiled yet, if the package has changed since that was done."""
        if (self.folder / KERNELS / WARM).exists():
            return
        words = [sys.executable, "-m", PACKAGE, "doctor", "--warm"]
        subprocess.run(words, cwd=self.folder, env=self._environment(), stdout=subprocess.DEVNULL, check=True)
        (self.folder / KERNELS / WARM).touch()

    def runs(self, tests: str, seconds: float, compiled: Path | None = None) -> Outcome:
        """Run a file of tests, or one test.

        Args:
            tests: Its path in the tree, or its name as pytest has it.
            seconds: How long it may take.
            compiled: Where kernels are kept; the copy's own folder without.
        """
        words = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow"]
        bounded = ["sh", "-c", f'ulimit -v {MEMORY}; exec "$@"', "sh", *words, "--tb=no", tests]
        started = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.folder.parent, ignore_cleanup_errors=True) as own:
            environment = self._environment() | {"TMPDIR": own}
            if compiled is not None:
                environment["NUMBA_CACHE_DIR"] = str(compiled)
            told = Path(own, "told")
            with told.open("w") as output:
                self._process = subprocess.Popen(
                    bounded,
                    cwd=self.folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                try:
                    fate = {0: SURVIVED, 5: BROKEN}.get(self._process.wait(seconds), KILLED)
                except subprocess.TimeoutExpired:
                    fate = TIMED_OUT
                finally:
                    self.stop()
            failed = FAILED.search(told.read_text("utf-8", "replace"))
        return Outcome(fate, time.monotonic() - started, failed[1] if failed else tests)

    def stop(self) -> None:
        """Kill the tests that run, and all that they started."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    @contextmanager
    def kernels(self) -> Iterator[Path]:
        """Lend a folder with the copy's kernels, where a mutant's own can be kept besides."""
        with tempfile.TemporaryDirectory(dir=self.folder.parent, ignore_cleanup_errors=True) as own:
            shutil.copytree(self.folder / KERNELS, Path(own, PACKAGE), copy_function=os.link)
            yield Path(own)

    def mutated(self, mutant: Mutant, tests: str, seconds: float, compiled: Path) -> Outcome:
        """Run tests while a mutant stands in its module."""
        target = self.folder / mutant.path
        source, status = target.read_bytes(), target.stat()
        more = COMPILING if is_compiled(source) else 0
        try:
            target.write_bytes(mutant.applied(source))
            return self.runs(tests, seconds + more, compiled)
        finally:
            target.write_bytes(source)
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))

    def digest(self, *files: str) -> str:
        """Return a digest of files of tests."""
        contents = ((self.folder / name.partition("::")[0]).read_bytes() for name in files)
        return sha256(b"\0".join(contents)).hexdigest()[:12]

    def _environment(self) -> dict[str, str]:
        """Return the variables with which the copy, and not the checkout, is imported, and leaves no bytecode."""
        own = {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", "CHOREWRIGHT_REFERENCE": "/nowhere"}
        return os.environ | own


def judge(mutant: Mutant, tests: Sequence[str], scratch: Scratch, log: Log, limits: Limits) -> Record:
    """Run the tests that cover a mutant until one fails.

    Args:
        mutant: The mutant.
        tests: Files of tests, in the order in which they run.
        scratch: Where it is applied.
        log: What is known of the tests without a mutant.
        limits: How long they may take.

    Returns:
        The record of its fate.
    """
    left, fate, by, ran = limits.tests, SURVIVED, "", []
    source = (scratch.folder / mutant.path).read_bytes()
    with scratch.kernels() as compiled:
        for name in tests:
            known = log.get(name, scratch.digest(name))
            if known is None and is_compiled(source):
                known = log.add(_timing(name, scratch.runs(name, limits.tests), scratch))
            if left < LEAST or (known is not None and known["fate"] == BROKEN):
                continue
            quick = known is not None and known["fate"] == SURVIVED and known["seconds"] <= left
            seen = scratch.mutated(mutant, name, allowed(known["seconds"]) if known and quick else left / 2, compiled)
            left -= known["seconds"] if known and quick else seen.seconds
            if known is None and seen.fate == SURVIVED:
                log.add(_timing(name, seen, scratch))
            elif seen.fate == TIMED_OUT and (quick or name == tests[0]):
                # Time is by the clock: it is taken again without the mutant, for the machine may have been busy.
                known = log.add(_timing(name, scratch.runs(name, seen.seconds), scratch))
                quick = known["fate"] == SURVIVED and allowed(known["seconds"]) <= seen.seconds + 1
            ran.append(name)
            if (seen.fate == KILLED and _sound(seen.test, scratch, log)) or (seen.fate == TIMED_OUT and quick):
                fate, by = seen.fate, seen.test
                break
    record = {"key": mutant.key, "digest": scratch.digest(*tests), "fate": fate, "by": by, "ran": ran}
    return record | {"path": mutant.path, "line": mutant.line, "kind": mutant.kind, "diff": mutant.diff(source)}


def is_compiled(source: bytes) -> bool:
    """Whether a module's change makes kernels be compiled anew."""
    return b"njit" in source


def allowed(seconds: float) -> float:
    """Return how long tests may take with a mutant that take so long without one."""
    return 3 * seconds + 10


def _timing(tests: str, outcome: Outcome, scratch: Scratch) -> Record:
    """Return the record of a file of tests that runs without a mutant, or notices none."""
    fate = BROKEN if outcome.fate == KILLED else outcome.fate
    return {"key": tests, "digest": scratch.digest(tests), "fate": fate, "seconds": round(outcome.seconds, 2)}


def _sound(test: str, scratch: Scratch, log: Log) -> bool:
    """Whether a test that fails with a mutant passes without one."""
    known = log.get(f"alone {test}", scratch.digest(test))
    if known is None:
        known = log.add(_timing(test, scratch.runs(test, 60), scratch) | {"key": f"alone {test}"})
    return bool(known["fate"] == SURVIVED)


def run(drawn: Sequence[Mutant], folder: Path, workers: int, log: Log, limits: Limits) -> list[Record]:
    """Judge all mutants that the log does not know.

    Args:
        drawn: The mutants.
        folder: Where the scratch copies are.
        workers: How many mutants are judged at once, each in a copy of its own.
        log: What is known.
        limits: How long it may take.

    Returns:
        The records of those that were judged in time or before, in the order of the draw.
    """
    covering = Covering(ROOT)
    tests = {mutant.path: covering.tests(mutant.path)[:MOST_FILES] for mutant in drawn}
    copies = [Scratch(folder / str(number)) for number in range(workers)]
    free: SimpleQueue[Scratch] = SimpleQueue()
    for each in copies:
        free.put(each)

    def end(*_: object) -> None:
        for each in copies:
            each.stop()
        os._exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, end)

    def one(mutant: Mutant) -> Record | None:
        known = log.get(mutant.key, copies[0].digest(*tests[mutant.path]))
        if known is not None or time.monotonic() > limits.end:
            return known
        scratch = free.get()
        try:
            scratch.warm()
            record = log.add(judge(mutant, tests[mutant.path], scratch, log, limits))
        finally:
            free.put(scratch)
        print(f"{record['fate']:9}  {mutant.path}:{mutant.line}  {record['by']}", file=sys.stderr, flush=True)
        return record

    with ThreadPoolExecutor(workers) as pool:
        return [record for record in pool.map(one, drawn) if record is not None]


def equivalents() -> dict[str, str]:
    """Return the mutants that change nothing that could be seen: their keys, with the reason."""
    return {each["key"]: each["reason"] for each in json.loads(EQUIVALENT.read_text("utf-8"))}


def report(records: Sequence[Record], equivalent: int) -> Report:
    """Return the figures and the tables of rooms and of survivors."""
    fates = Counter(record["fate"] for record in records)
    killed = fates[KILLED] + fates[TIMED_OUT]
    rooms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        rooms[room_of(record["path"])][record["fate"]] += 1
    rows = [(room, *_row(fates)) for room, fates in sorted(rooms.items())]
    survivors = [
        (f"{each['path']}:{each['line']}", each["kind"], each["diff"].replace("\n", " ⏎ "))
        for each in records
        if each["fate"] not in (KILLED, TIMED_OUT)
    ]
    figures = (
        Figure("killed", "mutants that the tests notice", killed, of=len(records), target=Target("at least", 88)),
        Figure("timed_out", "of these by taking too long", fates[TIMED_OUT]),
        Figure("equivalent", "further mutants that change nothing that could be seen", equivalent),
    )
    tables = [table(("room", "mutants", "killed", "%"), rows, "By room")]
    tables += [table(("survivor", "kind", "change"), survivors, "Survivors")] if survivors else []
    return Report(
        "mutants",
        "Command line and store",
        "Mutants",
        "Small faults put into the package one at a time, in proportion to the lines of its rooms, and judged by the "
        "tests that cover the module.",
        figures,
        tuple(tables),
    )


def _row(fates: Mapping[str, int]) -> tuple[str, str, str]:
    total, killed = sum(fates.values()), fates.get(KILLED, 0) + fates.get(TIMED_OUT, 0)
    return str(total), str(killed), f"{100 * killed / total:.0f}"


def main() -> None:
    """Draw mutants, judge them and print the survivors and the shares."""
    parser: argparse.ArgumentParser = benchmark_parser(__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the number of the draw (default: 1)")
    parser.add_argument("--count", type=int, default=150, help="how many mutants are drawn (default: 150)")
    parser.add_argument("--only", default="", metavar="PATH", help="draw only from modules whose path begins so")
    parser.add_argument("--workers", type=int, default=1, help="how many are judged at once (default: 1)")
    parser.add_argument("--limit", type=float, default=24, metavar="SECONDS", help="of tests for one (default: 24)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="the verdicts, from which a run goes on")
    parser.add_argument("--stop-after", type=float, default=float("inf"), metavar="SECONDS", help="begin no more then")
    parser.add_argument("--scratch", type=Path, metavar="FOLDER", help="where the copies are kept between runs")
    arguments = parser.parse_args()
    folder = arguments.scratch or Path(tempfile.gettempdir(), f"{PACKAGE}-mutants-{os.getuid()}")
    reasons = equivalents()
    drawn = draw(ROOT, arguments.seed, arguments.count, arguments.only)
    judged = [each for each in drawn if each.key not in reasons]
    judged.sort(key=lambda each: is_compiled((ROOT / each.path).read_bytes()))  # what takes longest comes last
    limits = Limits(arguments.limit, time.monotonic() + arguments.stop_after)
    records = run(judged, folder, arguments.workers, Log(arguments.log), limits)
    if not records:
        sys.exit("no mutant was judged")
    made = report(records, len(drawn) - len(judged))
    for record in records:
        if record["fate"] not in (KILLED, TIMED_OUT):
            print(f"\n{record['path']}:{record['line']}  {record['kind']}  {record['key']}\n{record['diff']}")
    for row in made.tables[0].rows:
        print(f"{row[0]:<14} {row[1]:>5} {row[2]:>5} {row[3]:>4} %")
    print(f"{made.figures[0].text} killed, {made.figures[1].value} of them by time; {len(judged) - len(records)} to go")
    if len(records) == len(judged):
        keep(arguments, made)


if __name__ == "__main__":
    main()
