"""A folder of two task definitions, right or with single things wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WASH: dict[str, Any] = {
    "task_id": 1,
    "task_name": "Wash X",
    "task_nparams": 1,
    "task_anchor_object": "#0",
    "desc": "Wash a #0.",
    "components": {
        "#0": {
            "determiner": "a",
            "primary_condition": "objectType",
            "instance_shareable": False,
            "conditions": {"objectType": "#0", "isDirty": 0},
            "condition_failure_descs": {"isDirty": "The #0 is dirty."},
        }
    },
    "relations": [],
}
SERVE: dict[str, Any] = {
    "task_id": 2,
    "task_name": "Serve",
    "task_nparams": 1,
    "task_anchor_object": None,
    "desc": "Put #0 washed mug(s) on one table.",
    "components": {
        "mug": {"determiner": "#0", "task_name": "Wash X", "task_params": ["Mug"]},
        "table": {
            "determiner": "a",
            "primary_condition": "simbotObjectClass",
            "instance_shareable": True,
            "conditions": {"simbotObjectClass": "Tables", "receptacle": 1},
            "condition_failure_descs": {},
        },
    },
    "relations": [
        {
            "property": "parentReceptacles",
            "head_entity_list": ["mug"],
            "head_determiner_list": ["#0"],
            "tail_entity_list": ["table"],
            "tail_determiner_list": ["the"],
            "failure_desc": "The mug belongs on the table.",
        }
    ],
}
DELETED = object()
"""As a value: the key is left out."""


def edited(document: Mapping[str, Any], place: str, value: object) -> dict[str, Any]:
    """Return a document with another value at ``components/mug/determiner`` and the like."""
    result = copy.deepcopy(dict(document))
    *above, last = place.split("/")
    part: Any = result
    for step in above:
        part = part[int(step)] if isinstance(part, list) else part[step]
    key: Any = int(last) if isinstance(part, list) else last
    if value is DELETED:
        del part[key]
    else:
        part[key] = value
    return result


def write_definitions(folder: Path, **files: object) -> Path:
    """Write definitions to a folder as ``NAME.json``: JSON values, or texts and bytes as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {"wash": WASH, "serve": SERVE, **files}.items():
        path = folder / f"{name}.json"
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content, indent=2)
            path.write_text(text, encoding="utf-8")
    return folder
