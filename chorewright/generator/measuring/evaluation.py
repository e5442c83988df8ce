"""Evaluations: episodes played by index, in several processes, with a log on which a broken trial goes on.

A benchmark says which episodes a trial has, how one is played, and what the scores are worth. The rest is the same for
all: processes, whose number changes nothing, the log, progress, and tables.

The first line of a log says what is measured and by which version, each later one is the score of an episode, in their
order.
"""

from __future__ import annotations

import json
import os
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import UnionType
from typing import Any, Generic, TypeVar, cast

import numpy as np

from chorewright import __version__
from chorewright.errors import InputError, Location, StorageError, UsageError
from chorewright.files.english import require_asked
from chorewright.files.plugins import Origin, make
from chorewright.files.pool import carry_out
from chorewright.files.processes import usable_cores
from chorewright.files.records import record_of
from chorewright.files.text import read_text, tell
from chorewright.generator.dataset.store.lock import lock
from chorewright.generator.dataset.store.manifest import MANIFEST
from chorewright.generator.measuring.trial import Trial

T = TypeVar("T", bound=Trial)
S = TypeVar("S")
"""The score of an episode: a frozen dataclass of texts, numbers, booleans, tuples of these and such dataclasses."""

S_co = TypeVar("S_co", covariant=True)
A = TypeVar("A")
_Row = tuple[Location, dict[str, Any]]

VERSION = "chorewright"
"""The key of the version in a log's first line: another one may play otherwise, so it begins a log of its own."""

OVERALL = "overall"
"""The group of all scores."""


@dataclass(frozen=True, slots=True)
class Episodes(Generic[S_co]):
    """The episodes of a trial.

    Attributes:
        score: The class of their scores.
        count: How many there are.
        content: Returns what tells them from others, such as a checksum.
        play: Plays one, by its index.
        chunk: How many a process is given at once.
        here: Whether they are played in this process unless the user names a number of workers.
        notes: What the user is told about them.
        close: Frees what they hold.
    """

    score: type[S_co]
    count: int
    content: Callable[[], str]
    play: Callable[[int], S_co]
    chunk: int = 16
    here: bool = False
    notes: tuple[str, ...] = ()
    close: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table.

    Attributes:
        headings: Of the columns; the first one's entries stand to the left.
        rows: Each with an entry for each column; None is a line between rows.
        title: Above it.
        caption: Below it.
        framed: Whether it has a frame.
        padding: Blanks beside entries.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str] | None]
    title: str = ""
    caption: str = ""
    framed: bool = False
    padding: int = 1


@dataclass(frozen=True, slots=True)
class Summary:
    """What the scores of a trial are worth: as JSON values, and as tables and lines."""

    values: Mapping[str, object]
    parts: Sequence[Sheet | str]


class Evaluation(ABC, Generic[T, S]):
    """How a benchmark is measured; the first line of a class's docstring is the help of ``evaluate NAME``.

    Attributes:
        options: The dataclass of its trials.
    """

    options: type[T]

    @abstractmethod
    def open(self, trial: T) -> Episodes[S]:
        """Return the episodes of a trial; each process opens them for itself.

        Raises:
            UsageError: There is no such agent, or the options contradict one another.
            InputError: The episodes cannot be read.
        """

    @abstractmethod
    def summary(self, trial: T, scores: Sequence[S], columns: int) -> Summary:
        """Return what scores are worth, for a terminal with so many columns."""


def play(
    evaluation: Evaluation[T, S], trial: T, watch: Callable[[int, int], object] = lambda done, total: None
) -> tuple[S, ...]:
    """Play a trial and return the score of each episode, in their order.

    Args:
        evaluation: How the benchmark is measured.
        trial: What is played.
        watch: Told now and then how many of how many are done.

    Raises:
        UsageError: The agent fails, a number cannot be, or the log is of something else; or see ``Evaluation.open``.
        InputError: The log cannot be read; or see ``Evaluation.open``.
        StorageError: The log cannot be written, or another process writes it.
    """
    trial.check()
    episodes = evaluation.open(trial)
    with closing(episodes):
        for note in episodes.notes:
            tell(note)
        total = episodes.count if trial.episodes is None else min(episodes.count, trial.episodes)
        with _log(trial, episodes) as (before, write):
            scores = list(before[:total])
            watch(len(scores), total)
            for several in _several(type(evaluation), trial, episodes, range(len(scores), total)):
                scores.extend(several)
                write(several)
                watch(len(scores), total)
    return tuple(scores)


def _several(
    kind: Callable[[], Evaluation[T, S]], trial: T, episodes: Episodes[S], indices: range
) -> Iterator[Sequence[S]]:
    chunk = episodes.chunk
    usual = 0 if episodes.here else usable_cores()
    workers = min(usual if trial.workers is None else trial.workers, -(-len(indices) // chunk))
    if workers < 2:
        yield from ([episodes.play(index)] for index in indices)
        return
    chunks = [indices[first : first + chunk] for first in range(0, len(indices), chunk)]
    yield from carry_out(_Player(kind, trial).play, chunks, workers, "evaluation")


@dataclass(frozen=True)
class _Player(Generic[T, S]):
    """Plays episodes of a trial in a process, which opens them once."""

    kind: Callable[[], Evaluation[T, S]]
    trial: T

    @cached_property
    def episodes(self) -> Episodes[S]:
        return self.kind().open(self.trial)

    def play(self, indices: Sequence[int]) -> list[S]:
        return [self.episodes.play(index) for index in indices]


def random_numbers(seed: int, index: int) -> np.random.Generator:
    """Return the random numbers of an agent in an episode."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, index))))


def find_agent(
    name: str, shipped: Mapping[str, Callable[[], A]], foreign: Callable[[str, A], A], origin: Origin = Origin.FILE
) -> A:
    """Return an agent by its name, or by ``module:attribute`` if a person typed it.

    Args:
        name: The name.
        shipped: What makes the shipped agents, by their names.
        foreign: Makes of a name and a user's agent one whose errors say where it fails.
        origin: Where the name came from.

    Raises:
        UsageError: There is no such agent.
    """
    if name in shipped:
        return shipped[name]()
    hint = f"agents: {', '.join(shipped)}; or module:attribute for one of your own"
    return foreign(name, cast(A, make(name, "agent", origin, ("begin", "act"), hint)))


def checksum(value: object) -> str:
    """Return a checksum of a value that is plain data, by how Python writes it."""
    return sha256(repr(value).encode()).hexdigest()


def content_of(folder: Path, files: Callable[[], Iterable[str | Path]]) -> str:
    """Return what tells a dataset from others by its manifest, or files by their names and contents.

    Raises:
        InputError: A file cannot be read.
    """
    manifest = folder / MANIFEST
    whole = sha256()
    for each in [manifest] if manifest.exists() else map(Path, files()):
        try:
            content = sha256(each.read_bytes()).hexdigest()
        except OSError as error:
            said = error.strerror or str(error)
            raise InputError(f"cannot be read: {said}", location=Location(str(each))) from error
        whole.update(f"{each.relative_to(folder)} {content}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def mean(values: Iterable[float]) -> float:
    """Return the mean of values, 0 of none."""
    every = list(values)
    return sum(every) / len(every) if every else 0.0


def group_by(scores: Iterable[S], key: Callable[[S], str]) -> dict[str, list[S]]:
    """Return scores by group, the groups in the order of their names."""
    groups: dict[str, list[S]] = {}
    for each in sorted(scores, key=key):
        groups.setdefault(key(each), []).append(each)
    return groups


def read_asked(folder: Path, form: str, kinds: Mapping[str, type]) -> Iterator[_Row]:
    """Yield what an export asks, line by line, and where it stands.

    Args:
        folder: The folder, or one file of it.
        form: The format of the export.
        kinds: The keys that a line must have, with the types of their values.

    Raises:
        UsageError: There is nothing, or it cannot be read.
        InputError: A line is something else.
    """
    files = sorted((folder / "data").glob("*.jsonl")) if folder.is_dir() else [folder]
    if not files:
        raise UsageError(f"there are no {form} in {folder}", hint=f"give a folder of export --format {form}")
    for path in files:
        yield from _read_rows(path, kinds)


def read_answers(path: Path, key: str, kind: type | UnionType, noun: str, asked: Iterable[str]) -> dict[str, str]:
    """Return the answers of a file by ids.

    Args:
        path: The file; its lines are JSON objects.
        key: The key of a line's answer, beside ``id``.
        kind: The type of the answer.
        noun: What is answered.
        asked: The ids of what is asked.

    Raises:
        UsageError: The file cannot be read, or something is answered that is not asked.
        InputError: A line is no answer, or an id is answered twice.
    """
    answers: dict[str, str] = {}
    for where, row in _read_rows(path, {"id": str, key: kind}):
        if row["id"] in answers:
            raise InputError(f"the {noun} {row['id']!r} is answered twice", location=where)
        answers[row["id"]] = str(row[key])
    require_asked(answers, set(asked), noun)
    return answers


def _read_rows(path: Path, kinds: Mapping[str, type | UnionType]) -> Iterator[_Row]:
    for where, row in _objects(read_text(path).splitlines(), path):
        if not all(name in row and isinstance(row[name], kind) for name, kind in kinds.items()):
            raise InputError(f"an object with {', '.join(kinds)} is expected here", location=where)
        yield where, row


def _objects(lines: Iterable[str], path: Path) -> Iterator[_Row]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            where = Location(str(path), number, getattr(error, "colno", None))
            raise InputError(f"this is not JSON: {error}", location=where) from error
        where = Location(str(path), number)
        if not isinstance(row, dict):
            raise InputError("a JSON object is expected here", location=where)
        yield where, row


_Log = tuple[Sequence[S], Callable[[Sequence[S]], object]]
"""The scores that a log has, and what adds to it."""


def _log(trial: Trial, episodes: Episodes[S]) -> AbstractContextManager[_Log[S]]:
    if not trial.log:
        return nullcontext(((), lambda scores: None))
    header = {VERSION: __version__, "episodes": episodes.content(), **trial.identity()}
    return _open_log(Path(trial.log), header, episodes.score, trial.resume)


@contextmanager
def _open_log(path: Path, header: Mapping[str, object], score: type[S], resume: bool) -> Iterator[_Log[S]]:
    """Open a log; a last line that a broken trial did not finish is dropped. Nobody else can write it meanwhile."""
    with ExitStack() as stack:
        with _storing(path):
            if not path.parent.exists():
                raise StorageError(
                    f"the log cannot be written: there is no folder {path.parent}",
                    location=Location(str(path)),
                    hint=f"make it first: mkdir -p {shlex.quote(str(path.parent))}",
                )
            stack.enter_context(lock(path.with_name(f"{path.name}.lock")))
            file = stack.enter_context(path.open("ab+"))
            file.seek(0)
            data = file.read() if resume else b""
        whole = data[: data.rfind(b"\n") + 1]
        before = _read(whole, header, path, score)

        def add(values: Sequence[object]) -> None:
            with _storing(path):
                file.write("".join(f"{json.dumps(each)}\n" for each in values).encode())
                file.flush()
                os.fsync(file.fileno())

        with _storing(path):
            file.truncate(len(whole))
        if not whole:
            add([header])
        yield before, lambda scores: add([asdict(cast(Any, each)) for each in scores])


@contextmanager
def _storing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        said = error.strerror or str(error)
        raise StorageError(f"the log cannot be written: {said}", location=Location(str(path))) from error


def _read(data: bytes, header: Mapping[str, object], path: Path, score: type[S]) -> list[S]:
    scores: list[S] = []
    for number, (where, value) in enumerate(_objects(data.decode("utf-8", "replace").splitlines(), path)):
        if number == 0:
            _check(value, header, where)
            continue
        try:
            found = record_of(score, value)
        except InputError as error:
            raise InputError(f"not the score of an episode: {error.message}", location=where) from error
        if json.dumps(asdict(cast(Any, found))) != json.dumps(value):
            raise InputError("not the score of an episode: it says more", location=where)
        scores.append(found)
    return scores


def _check(value: Mapping[str, object], header: Mapping[str, object], location: Location) -> None:
    """Check that the first line of a log is that of this trial."""
    if {VERSION, *value} != header.keys():
        raise InputError("not the log of an evaluation", location=location)
    if value.get(VERSION) != header[VERSION]:
        other = f"version {value[VERSION]!s:.60}" if VERSION in value else "an unknown version"
        message = f"the log is of {other} of chorewright, not {header[VERSION]}"
    elif value != header:
        name = next(name for name in header if value[name] != header[name])
        message = f"the log is of another evaluation: {name} {value[name]!r:.60}, not {header[name]!r:.60}"
    else:
        return
    hint = "give another file, or begin this one anew with --no-resume"
    raise UsageError(message, location=location, hint=hint)
