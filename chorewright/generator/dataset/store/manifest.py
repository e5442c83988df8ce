"""The manifest: what a dataset holds, file by file, with the checksums that prove it whole.

It is written last, so a folder with a manifest is a finished dataset. Its own checksum tells an edited one.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from itertools import pairwise
from operator import attrgetter
from typing import cast

import chorewright
from chorewright.errors import DatasetCorrupt, InputError, LimitError, Location, UnsupportedError
from chorewright.files import json_source
from chorewright.files.json_node import MOST_LINE, show_value
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import RejectedIndex
from chorewright.generator.dataset.store.records import SCHEMA_VERSION

# The tally of a shard: how many attempts its indices took, and why attempts were rejected, by stage and reason.


SHOWN = 40
"""So many reasons of a stage are kept; the rarer ones are counted together."""

OTHERS = "other reasons"


@dataclass(frozen=True, slots=True)
class Tally:
    """Attempts, and the rejected ones among them.

    Attributes:
        attempts: How many attempts were made; 0 where nothing is recorded.
        rejections: Stage, reason and how often, stages in the order of the alphabet, frequent reasons first.
    """

    attempts: int = 0
    rejections: tuple[tuple[str, str, int], ...] = ()

    @property
    def stages(self) -> Mapping[str, int]:
        """The number of rejected attempts of each stage."""
        found: Counter[str] = Counter()
        for stage, _, count in self.rejections:
            found[stage] += count
        return dict(found)

    def stage_of(self, text: str) -> str:
        """Return which of the tally's stages a rejection's text names; empty if none."""
        named = (stage for stage in self.stages if stage and f": {stage}: " in f": {text}")
        return max(named, key=len, default="")

    def to_json(self) -> dict[str, object]:
        """Return the tally as JSON values."""
        reasons: dict[str, dict[str, int]] = {}
        for stage, reason, count in self.rejections:
            reasons.setdefault(stage, {})[reason] = count
        return {"attempts": self.attempts, "rejections": reasons}

    @staticmethod
    def from_json(value: Mapping[str, object]) -> Tally:
        """Return the tally of such values; an empty one where they have none.

        Raises:
            TypeError, ValueError, AttributeError: They are something else.
        """
        stages = cast("Mapping[str, Mapping[str, object]]", value.get("rejections", {}))
        rejections = (
            (stage, reason, _integer(n)) for stage, reasons in stages.items() for reason, n in reasons.items()
        )
        return Tally(_integer(value.get("attempts", 0)), tuple(rejections))


def tally(attempts: int, rejections: Iterable[tuple[str, str]]) -> Tally:
    """Return the tally of attempts of which some were rejected, each with its stage and its text.

    The reason is what the text says after the stage: ``STAGE: REASON``, or ``CANDIDATE: STAGE: REASON``.
    """
    return _tally(attempts, Counter((stage, _after(stage, text)) for stage, text in rejections))


def _after(stage: str, text: str) -> str:
    return text.partition(f"{stage}: ")[2] if stage and f"{stage}: " in text else text


def sum_up(tallies: Iterable[Tally]) -> Tally:
    """Return the tally of several together."""
    attempts, counts = 0, Counter[tuple[str, str]]()
    for each in tallies:
        attempts += each.attempts
        counts.update({(stage, reason): count for stage, reason, count in each.rejections})
    return _tally(attempts, counts)


def _tally(attempts: int, counts: Mapping[tuple[str, str], int]) -> Tally:
    rejections: list[tuple[str, str, int]] = []
    for stage in sorted({stage for stage, _ in counts}):
        found = [(reason, count) for (of, reason), count in counts.items() if of == stage and reason != OTHERS]
        found.sort(key=lambda each: (-each[1], each[0]))
        rest = sum(count for _, count in found[SHOWN:]) + counts.get((stage, OTHERS), 0)
        rejections += ((stage, reason, count) for reason, count in found[:SHOWN])
        rejections += [(stage, OTHERS, rest)] if rest else []
    return Tally(attempts, tuple(rejections))


FORMAT = "chorewright-dataset"
MANIFEST = "manifest.json"
DATA = "data"

TORN = "run the same generate command again: it makes the episodes and the manifest anew"
EDITED = "delete it and run the same command again: it makes the episodes and the manifest anew"

_SHARD_NAME = re.compile(r"data/shard-([0-9]{5,9})\.parquet")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """One shard: its number, checksum, bytes, the range of indices it covers, accepted rows, rejections, and the tally
    of its attempts."""

    shard: int
    sha256: str
    size: int
    first: int
    stop: int
    accepted: int
    rejected: tuple[RejectedIndex, ...] = ()
    tally: Tally = field(default=Tally(), compare=False)

    @property
    def file(self) -> str:
        """The shard's path below the dataset's folder."""
        return shard_file(self.shard)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A finished dataset's configuration, the versions that made it, and its shards in order."""

    config: GenerateConfig
    tool: tuple[tuple[str, str], ...]
    shards: tuple[ShardEntry, ...]

    @property
    def accepted(self) -> int:
        """The number of stored episodes."""
        return sum(shard.accepted for shard in self.shards)

    @property
    def rejected(self) -> tuple[RejectedIndex, ...]:
        """The rejections of all shards, by index."""
        return tuple(rejection for shard in self.shards for rejection in shard.rejected)

    @property
    def lost(self) -> tuple[RejectedIndex, ...]:
        """Those of them that hung or killed their workers."""
        return tuple(rejection for rejection in self.rejected if rejection.lost)

    @property
    def tally(self) -> Tally:
        """The attempts of all shards."""
        return sum_up(shard.tally for shard in self.shards)

    @property
    def left_out(self) -> str:
        """The number of indices without a row, in words; lost ones are counted apart."""
        lost = len(self.lost)
        return f"{len(self.rejected) - lost} rejected" + (f", {lost} lost" if lost else "")


def shard_file(shard: int) -> str:
    """Return a shard's path below the dataset's folder."""
    return f"{DATA}/shard-{shard:05d}.parquet"


def tool_versions() -> tuple[tuple[str, str], ...]:
    """Return the versions that a dataset's bytes depend on."""
    libraries = tuple((name, metadata.version(name)) for name in ("numpy", "pyarrow"))
    return (("chorewright", chorewright.__version__), *libraries)


def write_manifest(manifest: Manifest) -> str:
    """Return a manifest's JSON text."""
    body: dict[str, object] = {
        **write_header(manifest.config, manifest.tool),
        "episodes": manifest.config.episodes,
        "accepted": manifest.accepted,
        "rejected": [rejection_json(rejection) for rejection in manifest.rejected],
        "shards": [{**_shard_json(shard), **shard.tally.to_json()} for shard in manifest.shards],
    }
    body["checksum"] = _checksum(body)
    return json.dumps(body, indent=1, ensure_ascii=False) + "\n"


def read_manifest(text: str, path: str) -> Manifest:
    """Return the manifest of a JSON text.

    Raises:
        DatasetCorrupt: it was cut off or edited, its shards do not cover the episodes, or the counts differ.
        UnsupportedError: it was written by a newer chorewright.
    """
    body = parse_json(text, path)
    config, tool = read_header(body, path)
    if body.get("checksum") != _checksum({k: v for k, v in body.items() if k != "checksum"}):
        raise _damage("the manifest was changed after it was written: its checksum differs", path, "checksum")
    try:
        rejections = _rejections(body["rejected"])
        shards = tuple(_shard(value, rejections) for value in cast("Sequence[Mapping[str, object]]", body["shards"]))
        manifest = Manifest(config, tool, shards)
        counts = (cast(int, body["episodes"]), cast(int, body["accepted"]), len(rejections))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damage(f"not a manifest: {error!r}", path) from error
    covered = [(shard.shard, range(shard.first, shard.stop)) for shard in shards]
    if len(shards) != config.shards or covered != [(n, config.shard_range(n)) for n in range(config.shards)]:
        raise _damage("the shards do not cover the episodes exactly once", path, "shards")
    if counts != (config.episodes, manifest.accepted, config.episodes - manifest.accepted):
        raise _damage(
            f"{manifest.accepted} accepted and {len(rejections)} rejected are not {config.episodes} episodes",
            path,
            "accepted",
        )
    return manifest


def is_torn(data: bytes) -> bool:
    """Whether a manifest's or a run's file is so damaged that it says nothing: not even a JSON object."""
    try:
        return not isinstance(json.loads(data.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return True


def write_header(config: GenerateConfig, tool: Sequence[tuple[str, str]]) -> dict[str, object]:
    """Return what manifest and unfinished run have in common: format, versions and configuration."""
    return {"format": FORMAT, "schema_version": SCHEMA_VERSION, "tool": dict(tool), "configuration": config.to_json()}


def read_header(body: Mapping[str, object], path: str) -> tuple[GenerateConfig, tuple[tuple[str, str], ...]]:
    """Return the configuration and versions of a manifest or an unfinished run.

    Raises:
        DatasetCorrupt: it is not a header of ours.
        UnsupportedError: it was written by a newer chorewright.
    """
    if body.get("format") != FORMAT:
        raise _damage(f"not a chorewright dataset: the format is {show_value(body.get('format'))}", path, "format")
    version = body.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise UnsupportedError(
            f"the dataset has schema version {version}; this chorewright reads up to {SCHEMA_VERSION}",
            location=Location(path, json_path="schema_version"),
            hint="upgrade chorewright",
        )
    if version != SCHEMA_VERSION:
        raise _damage(f"unknown schema version {show_value(version)}", path, "schema_version")
    try:
        config = GenerateConfig.from_json(cast("Mapping[str, object]", body["configuration"]))
        tool = tuple((n, _text(v)) for n, v in cast("Mapping[str, object]", body["tool"]).items())
    except (InputError, KeyError, AttributeError, ValueError) as error:
        raise _damage(f"the configuration cannot be read: {error}", path, "configuration") from error
    return config, tool


def write_sidecar(entry: ShardEntry) -> str:
    """Return the JSON text that stands beside a finished shard until the manifest is written."""
    value: dict[str, object] = {
        **_shard_json(entry),
        "tally": entry.tally.to_json(),
        "rejected": [rejection_json(rejection) for rejection in entry.rejected],
    }
    return json.dumps(value, ensure_ascii=False) + "\n"


def _shard_json(entry: ShardEntry) -> dict[str, object]:
    return {name: getattr(entry, name) for name in ("file", "sha256", "size", "first", "stop", "accepted")}


def read_sidecar(text: str, path: str) -> ShardEntry:
    """Return the shard entry of a sidecar.

    Raises:
        DatasetCorrupt: it is not a sidecar.
    """
    body = parse_json(text, path)
    try:
        told = cast("Mapping[str, object]", body.get("tally", {}))
        return replace(_shard(body, _rejections(body["rejected"])), tally=Tally.from_json(told))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DatasetCorrupt(f"not a shard's record: {error!r}", location=Location(path)) from error


def parse_json(text: str, path: str) -> Mapping[str, object]:
    """Return the JSON object of a text.

    Raises:
        DatasetCorrupt: it is not a JSON object.
    """
    try:
        return json_source.parse_json(text, path).members
    except (InputError, LimitError) as error:
        hint = TORN if is_torn(text.encode("utf-8", "replace")) else EDITED
        raise DatasetCorrupt(error.message, location=error.location, hint=hint) from error


def _damage(message: str, path: str, json_path: str | None = None) -> DatasetCorrupt:
    return DatasetCorrupt(message, location=Location(path, json_path=json_path), hint=EDITED)


def _checksum(body: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def rejection_json(rejection: RejectedIndex) -> dict[str, object]:
    """Return a rejected index as JSON values."""
    return {
        "index": rejection.index,
        "task": rejection.task,
        "scene": rejection.scene,
        "reason": rejection.reason,
        **({"tries": list(rejection.tries)} if rejection.tries else {}),
    }


def rejection_of(value: Mapping[str, object]) -> RejectedIndex:
    """Return the rejected index of such values.

    Raises:
        KeyError: One is missing.
        ValueError: The index is no count.
    """
    tries = tuple(map(_text, cast("Sequence[object]", value.get("tries", ()))))
    task, scene, reason = (_text(value[name]) for name in ("task", "scene", "reason"))
    return RejectedIndex(_integer(value["index"]), task, scene, reason, tries)


def _rejections(value: object) -> Sequence[RejectedIndex]:
    """Return rejected indices by index."""
    found = [rejection_of(each) for each in cast("Sequence[Mapping[str, object]]", value)]
    if any(one.index >= other.index for one, other in pairwise(found)):
        raise ValueError("the rejected indices are out of order")
    return found


def _shard(value: Mapping[str, object], rejections: Sequence[RejectedIndex]) -> ShardEntry:
    match = _SHARD_NAME.fullmatch(_text(value["file"]))
    sha256 = _text(value["sha256"])
    if match is None or shard_file(int(match[1])) != value["file"]:
        raise ValueError(f"file {show_value(value['file'])}")
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"sha256 {show_value(sha256)}")
    first, stop = _integer(value["first"]), _integer(value["stop"])
    return ShardEntry(
        shard=int(match[1]),
        sha256=sha256,
        size=_integer(value["size"]),
        first=first,
        stop=stop,
        accepted=_integer(value["accepted"]),
        rejected=tuple(
            rejections[bisect_left(rejections, first, key=_index) : bisect_left(rejections, stop, key=_index)]
        ),
        tally=Tally.from_json(value),
    )


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"not a count: {show_value(value)}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > MOST_LINE:
        raise ValueError(f"not a text: {show_value(value)}")
    return value


_index = attrgetter("index")
