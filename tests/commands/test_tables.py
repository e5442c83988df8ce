"""What a run says of its losses."""

from __future__ import annotations

from pathlib import Path

import pytest

from chorewright.commands.tables import run_json, run_lines
from chorewright.generator.dataset.store.dataset_folder import Measures
from chorewright.generator.production.line import RunReport, run
from tests.generator.toy import toy_config


@pytest.mark.parametrize(
    ("measures", "lines"),
    [
        (Measures(), []),
        (Measures(1, 2.0, stages={"say": 1.25, "plan": 2.5}), ["seconds by stage: plan 2.5, say 1.2"]),
        (Measures(1, 2.0, 3, 4), ["workers lost: 3; episodes tried again for that: 4"]),
    ],
)
def test_only_what_a_run_took_is_told(measures: Measures, lines: list[str]) -> None:
    report = RunReport((), (), None, (), measures)
    assert list(run_lines(report)) == lines
    assert run_json(report)["run"] == measures.to_json()


def test_attempts_are_told_with_the_stages_that_rejected_some(tmp_path: Path) -> None:
    report = run(toy_config(20, 8, reject=5, crash=3), tmp_path / "d", workers=0)
    assert next(iter(run_lines(report))) == "attempts: 20; rejected by stage: (none) 4, defect 1"
    report = run(toy_config(4, 8), tmp_path / "whole", workers=0)
    assert next(iter(run_lines(report))) == "attempts: 4, none rejected"
