"""EmbodiedBench's form: the folders and rows that its code reads, and skills that win on the retyped connectors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.originals.connectors import play
from chorewright.errors import UsageError
from chorewright.generator.alfred.export.embodiedbench import EmbodiedBenchExporter, EmbodiedBenchExportOptions
from chorewright.generator.alfred.export.embodiedbench_skills import (
    choices,
    dialect,
    matching,
    number_objects,
    whole_of,
)
from chorewright.generator.alfred.export.exporter import trajectory
from tests.generator.alfred.episodes import stored
from tests.generator.alfred.test_thor_env import GATE, episode

SETS = ["base", "common_sense", "complex_instruction", "spatial", "visual_appearance", "long_horizon"]


def test_the_tree_is_what_its_code_reads(tmp_path: Path) -> None:
    dataset, exporter = stored(), EmbodiedBenchExporter()
    exported = exporter.write(dataset, tmp_path)
    assert exported.episodes + exported.left_out == len(dataset)
    assert exporter.write(dataset, tmp_path) == replace(exported, files_changed=0)
    sets = json.loads((tmp_path / "splits" / "splits.json").read_text("utf-8"))
    assert sorted(sets) == sorted(SETS)
    rows = [(name, row) for name in SETS for row in sets[name]]
    assert len({row["task"] for _, row in rows}) == exported.episodes >= 5
    won = 0
    for name, row in rows:
        folder = tmp_path / "json_2.1.0" / row["task"]
        traj = json.loads((folder / "pp" / f"ann_{row['repeat_idx']}.json").read_text("utf-8"))
        assert traj["turk_annotations"]["anns"][row["repeat_idx"]]["task_desc"] == row["instruction"]
        whole = json.loads((folder / "traj_data.json").read_text("utf-8"))
        assert traj == {**whole, "root": row["task"], "split": traj["split"], "repeat_idx": row["repeat_idx"]}
        assert name == ("long_horizon" if len(row["skills"]) > 15 else "base")
        if row["repeat_idx"] == 0:
            won += play(traj, row["skills"], apart=True).won
    assert won >= 0.8 * exported.episodes


def test_lota_benchs_sentences_are_in_words(tmp_path: Path) -> None:
    chosen = EmbodiedBenchExportOptions(dialect="lota-bench")
    EmbodiedBenchExporter(chosen).write(stored(), tmp_path)
    sets = json.loads((tmp_path / "splits" / "splits.json").read_text("utf-8"))
    said = {skill for rows in sets.values() for row in rows for skill in row["skills"]}
    assert not any("_" in skill or "object in hand" in skill for skill in said)
    assert all(skill.replace("CD", "cd").islower() for skill in said)


def test_what_no_model_may_choose_is_left_out_and_named(tmp_path: Path) -> None:
    lacking, known = episode(120), episode(GATE[0])
    exporter = EmbodiedBenchExporter(EmbodiedBenchExportOptions(dialect="lota-bench"))
    exported = exporter.write((lacking, known), tmp_path)
    assert (exported.episodes, exported.left_out) == (1, 1)
    assert exporter.note() == (
        "1 of the episodes is left out, because the evaluator does not offer 'find a hand towel holder'"
    )
    assert exporter.write((known,), tmp_path / "again").left_out == 0
    assert exporter.note() == ""


def test_of_a_kind_that_is_offered_by_number_another_does(tmp_path: Path) -> None:
    """EB-ALFRED offers the second holder of hand towels, and not the first."""
    made = episode(122)
    assert EmbodiedBenchExporter().write((made,), tmp_path).episodes == 1
    [row] = json.loads((tmp_path / "splits" / "splits.json").read_text("utf-8"))["base"][:1]
    assert "find a HandTowelHolder_2" in row["skills"]
    assert play(trajectory(made), row["skills"], apart=True).won


def test_numbers_add_skills_of_eb_alfred() -> None:
    """Receptacles are found by number, and opened if their kind is; items are found if their kind is picked up."""
    kinds = {"Cabinet": "receptacle", "Shelf": "receptacle", "TVStand": "receptacle", "Laptop": "pickupable",
             "Mug": "pickupable", "TeddyBear": "pickupable"}  # fmt: skip
    objects = [
        {"objectId": f"{kind}|{place}", "objectType": kind, "receptacle": False, "pickupable": False, able: True}
        for kind, able in kinds.items()
        for place in range(2)
    ]
    spoken = dialect("eb-alfred")
    assert choices(spoken, objects) - choices(spoken) == {
        "find a Cabinet_2", "open the Cabinet_2", "close the Cabinet_2", "find a Shelf_2", "find a TVStand_2",
        "find a Laptop_2", "find a Mug_2",
    }  # fmt: skip
    assert len(choices(spoken)) == 80 + 53 + 2 + 14 + 8 + 5


@pytest.mark.parametrize(
    ("name", "verb", "kind", "said"),
    [
        ("eb-alfred", "find", "ArmChair_2", "find a ArmChair_2"),
        ("lota-bench", "find", "ArmChair", "find an arm chair"),
        ("lota-bench", "find", "CD", "find a CD"),
        ("eb-alfred", "put", "Desk", "put down the object in hand"),
        ("lota-bench", "put", "Desk", "put down the remote control"),
        ("lota-bench", "turn-on", "FloorLamp", "turn on the floor lamp"),
    ],
)
def test_sentences(name: str, verb: str, kind: str, said: str) -> None:
    assert dialect(name).say(verb, kind, "RemoteControl") == said


def test_names_and_ids() -> None:
    def thing(ident: str, receptacle: bool = False) -> dict[str, object]:
        kind = ident.split("|")[-1 if ident.endswith("Basin") else 0]
        return {"objectId": ident, "objectType": kind, "receptacle": receptacle, "pickupable": not receptacle}

    objects = [thing("Mug|+00.10|+01.00|+02.00"), thing("Shelf|+01.00|+00.00|+00.00", True),
               thing("Mug|+01.10|+01.00|+02.00"), thing("Sink|+00.00|+00.00|+00.00|SinkBasin", True)]  # fmt: skip
    assert number_objects(objects) == {"Mug|+00.10|+01.00|+02.00": "Mug", "Mug|+01.10|+01.00|+02.00": "Mug_2"}
    assert matching("Mug|+01.20|+01.01|+02.00", objects) == "Mug|+01.10|+01.00|+02.00"
    assert matching("Pan|+01.20|+01.01|+02.00", objects) == "Pan|+01.20|+01.01|+02.00"
    assert whole_of("Apple|+00.10|+01.00|+02.00|AppleSliced_1") == "Apple|+00.10|+01.00|+02.00"
    assert whole_of("Sink|+00.00|+00.00|+00.00|SinkBasin") == "Sink|+00.00|+00.00|+00.00|SinkBasin"
    with pytest.raises(UsageError, match="dialect"):
        EmbodiedBenchExporter(EmbodiedBenchExportOptions(dialect="latin")).check()
