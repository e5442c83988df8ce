"""The numbers of the fields in which AI2-THOR's clients read their pictures."""

from __future__ import annotations

import pytest

from chorewright.replay.household.server.program import ACTION, END, FIELDS, METADATA

NAMES = {
    "image": "RGB_IMAGE",
    "image_depth": "DEPTH_IMAGE",
    "image_normals": "NORMALS_IMAGE",
    "image_flow": "FLOWS_IMAGE",
    "image_classes": "CLASSES_IMAGE",
    "image_ids": "IDS_IMAGE",
    "image-thirdParty-camera": "THIRD_PARTY_IMAGE",
    "image_thirdParty_depth": "THIRD_PARTY_DEPTH",
    "image_thirdParty_normals": "THIRD_PARTY_NORMALS",
    "image_thirdParty_image_ids": "THIRD_PARTY_IMAGE_IDS",
    "image_thirdParty_classes": "THIRD_PARTY_CLASSES",
    "image_thirdParty_flow": "THIRD_PARTY_FLOW",
}


def test_fields_have_the_numbers_of_the_clients() -> None:
    client = pytest.importorskip("ai2thor.fifo_server", reason="needs the extra thor")
    assert {name: client.FieldType[NAMES[name]].value for name in FIELDS} == FIELDS
    assert [client.FieldType[name].value for name in ("METADATA", "ACTION", "END_OF_MESSAGE")] == [
        METADATA,
        ACTION,
        END,
    ]
