"""``demo``: a whole dataset with a page, anywhere; the same again changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from tests.command import ROOT, chorewright, digests


def test_demo_makes_a_checked_dataset_and_a_page(tmp_path: Path) -> None:
    done = chorewright("demo", "--episodes", 2, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    folder = tmp_path / told["folder"]
    assert told["episodes"] >= 1
    assert (tmp_path / told["page"]).stat().st_size > 10_000
    assert [chorewright("verify", tmp_path / each).returncode for each in told["datasets"]] == [0]
    assert [path.parent.name for path in sorted((folder / "demo_pages").glob("*.html"))] == ["demo_pages"] * told[
        "episodes"
    ]
    before = digests(folder)
    again = chorewright("demo", "--episodes", 2, cwd=tmp_path)
    assert "every file checked" in again.stdout
    assert digests(folder) == before


def test_the_repository_s_files_are_whole() -> None:
    for path in [*ROOT.glob(".github/workflows/*.yml"), ROOT / ".pre-commit-config.yaml", ROOT / "CITATION.cff"]:
        assert isinstance(yaml.safe_load(path.read_text("utf-8")), dict), path
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert f'__version__ = "{cited["version"]}"' in (ROOT / "chorewright" / "__init__.py").read_text("utf-8")
    for line in (ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines():
        if line.startswith("| a"):
            *_, protocol, start, _ = line.split("|")
            for name in (protocol, start):
                path = name.split("`")[1] if "`" in name else ""
                assert not path.endswith(".py") or (ROOT / "chorewright" / path).is_file(), path
