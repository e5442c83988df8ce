"""What a built source distribution and wheel must have and must not have: ``python -m tests.distribution dist``."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

from tests.command import ROOT

MOST_BYTES = 10_000_000


def check(folder: Path) -> None:
    """Check the files in a folder.

    Raises:
        AssertionError: Something is missing, superfluous or too large.
    """
    [wheel], [source] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    check_wheel(wheel)
    with zipfile.ZipFile(wheel) as built:
        assert len({member.date_time for member in built.infolist()}) == 1, (
            "times differ, and so do the next build's bytes"
        )
    with tarfile.open(source) as archive:
        members = archive.getmembers()
    names = {member.name.partition("/")[2] for member in members}
    assert len({member.mtime for member in members}) == 1, "times differ, and so do the next build's bytes"
    assert {(member.uid, member.uname, member.mode & 0o022) for member in members} == {(0, "", 0)}
    assert [member.name for member in members] == sorted(
        (member.name for member in members), key=lambda name: name.split("/")
    )
    assert source.stat().st_size <= MOST_BYTES, source.stat().st_size
    for name in ("README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "CONTRIBUTING.md", "docs/README.md", "setup.cfg"):
        assert name in names, name
    assert not {name for name in names if name.startswith(("tests/", "benchmarks/"))}


def check_wheel(wheel: Path) -> None:
    """Check a wheel; raises as ``check``."""
    assert wheel.stat().st_size <= MOST_BYTES, wheel.stat().st_size
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [archive.read(name).decode() for name in names if name.endswith("/METADATA")]
    parts = {name.partition("/")[0] for name in names}
    assert all(part == "chorewright" or part.endswith(".dist-info") for part in parts), parts
    expected = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "chorewright").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert expected <= set(names), sorted(expected - set(names))
    fields = message_from_string(metadata)
    assert fields["Author"] == fields["Maintainer"] == "chorewright developers"
    assert fields["License-Expression"] == "MIT"
    assert len(fields.get_all("Classifier", [])) >= 10
    assert fields["Keywords"]
    assert fields["Description-Content-Type"] == "text/markdown"
    assert "](docs/" not in str(fields.get_payload()), "a relative link leads nowhere on a package index"


if __name__ == "__main__":
    check(Path(sys.argv[1]))
    print("the distributions are whole")
