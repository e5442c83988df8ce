"""What is no action: answered with a message, or the program ends cleanly; never a traceback, never a long wait."""

from __future__ import annotations

import json
import random
import struct
from io import BytesIO
from pathlib import Path

import pytest

from chorewright.replay.household.server import program
from chorewright.replay.household.server.program import answer_client
from chorewright.replay.household.server.requests import read_request
from chorewright.replay.household.server.service import Service
from chorewright.replay.household.world import INTERACTIONS, MOTIONS
from tests.replay.household.test_server import PipeClient, read_reply

DEEP = b'{"action": "Pass", "objectPoses": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
MALFORMED = {
    "nothing": b"",
    "no JSON": b"{",
    "no object": b"[1, 2]",
    "no text": b"\xff\xfe\x00",
    "deep": DEEP,
    "deep within limits of the parser": b'{"action": "Pass", "x": ' + b"[" * 60 + b"]" * 60 + b"}",
    "huge number": b'{"action": "Pass", "sequenceId": ' + b"9" * 400 + b"}",
    "huger number": b'{"action": "Pass", "sequenceId": ' + b"9" * 5000 + b"}",
    "number as text": b'{"action": "Pass", "sequenceId": "1"}',
    "number that is none": b'{"action": "Pass", "sequenceId": NaN}',
    "lone surrogate in the action": b'{"action": "\\ud800", "sequenceId": 4}',
    "lone surrogate in an argument": b'{"action": "PickupObject", "objectId": "\\udfff|", "sequenceId": 4}',
    "lone surrogate as a key": b'{"action": "PickupObject", "\\udfff": 1, "sequenceId": 4}',
    "action of another type": b'{"action": {"a": 1}, "sequenceId": 4}',
    "long action": b'{"action": "' + b"x" * 2_000_000 + b'", "sequenceId": 4}',
}


@pytest.fixture(scope="module")
def service() -> Service:
    made = Service(30, 30, "FloorPlan401")
    made.answer({"action": "Pass"})  # machine code that has to be compiled first is told of on standard error
    return made


def reply_to(service: Service, body: bytes) -> dict[str, object]:
    metadata, files = read_reply(BytesIO(answer_client(service, read_request(body), program.pack)))
    assert len(files[4][0]) == 30 * 30 * 3, "its pictures are there, too"
    return metadata


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_messages_are_answered(name: str, service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    metadata = reply_to(service, MALFORMED[name])
    agent = metadata["agents"][0]
    assert not agent["lastActionSuccess"]
    assert 0 < len(agent["errorMessage"]) < 3000
    assert agent["errorCode"] in ("InvalidAction", "InvalidArgument", "ObjectNotFound", "MissingArguments")
    assert metadata["sequenceId"] == (4 if b'"sequenceId": 4' in MALFORMED[name] else 0)
    assert capsys.readouterr().err == ""
    assert reply_to(service, b'{"action": "Pass", "sequenceId": 7}')["sequenceId"] == 7


def test_the_program_goes_on_after_malformed_messages_and_closes_on_what_is_no_message(tmp_path: Path) -> None:
    client = PipeClient(tmp_path)
    for body in (DEEP, MALFORMED["lone surrogate in the action"], MALFORMED["huge number"]):
        client.client.write(struct.pack("!BI", 2, len(body)) + body + struct.pack("!BI", 255, 0))
        client.client.flush()
        assert not client.receive()[0]["agents"][0]["lastActionSuccess"]
    assert client.step("RotateRight")[0]["lastActionSuccess"]
    client.client.write(struct.pack("!BI", 77, 2**31))
    client.client.flush()
    assert client.process.wait(timeout=20) == 0
    client.server.close()
    with client.process.stderr as told:
        assert told.read() == b"chorewright-thor: field 77 of 2147483648 bytes is no action\n"


NAMES = [
    "objectId", "receptacleObjectId", "objectType", "x", "y", "z", "position", "rotation", "horizon", "standing",
    "degrees", "moveMagnitude", "forceAction", "objectPoses", "objectToggles", "StateChange", "SetObjectStates",
    "randomSeed", "numDuplicatesOfType", "numRepeats", "minFreePerReceptacleType", "excludedReceptacles",
    "sceneName", "gridSize", "fieldOfView", "visibilityDistance", "cameraY", "width", "height", "agentCount",
    "thirdPartyCameraId", "orthographic", "orthographicSize", "positions", "horizons", "fillLiquid", "pushAngle",
    "near", "ahead", "right", "up", "target", "sequenceId", "renderImage", "renderDepthImage", "checkVisible",
    "allowedError", "anywhere",
]  # fmt: skip
OWN = [
    "Reset", "Initialize", "ChangeResolution", "AddThirdPartyCamera", "UpdateThirdPartyCamera", "ToggleMapView",
    "GetObjectInFrame", "GetCoordinateFromRaycast", "GetSceneBounds", "GetMapViewCameraProperties",
]  # fmt: skip
KNOWN = [*MOTIONS, *INTERACTIONS, *OWN, "Fly", ""]


def value(dice: random.Random, ids: list[str], depth: int = 0) -> object:
    """Return any JSON value, often one that an action takes."""
    plain = [
        lambda: dice.choice(ids),
        lambda: dice.choice(["FloorPlan402", "Mug", "CanBeDirty", "openable", "\ud800", "", "x" * 500]),
        lambda: dice.choice([0, 1, -1, 0.25, 90, 1e308, -1e13, 10**400, 4096, 8000, float("nan"), float("inf")]),
        lambda: dice.choice([True, False, None]),
        lambda: dice.uniform(-3, 3),
        lambda: {axis: dice.uniform(-3, 3) for axis in "xyz"},
        lambda: [{"objectType": "SoapBar", "count": dice.choice([1, 2, 100_000])}],
    ]
    if depth < 3 and dice.random() < 0.3:
        size = dice.randrange(4)
        if dice.random() < 0.5:
            return [value(dice, ids, depth + 1) for _ in range(size)]
        return {dice.choice(NAMES): value(dice, ids, depth + 1) for _ in range(size)}
    return dice.choice(plain)()


def fuzz(seed: int, count: int) -> None:
    dice, service = random.Random(seed), Service(24, 18, "FloorPlan401", version=dice_version(seed))
    ids = [each["objectId"] for each in service.answer({"action": "Pass"}).metadata["objects"]]
    for _ in range(count):
        told = {"action": dice.choice(KNOWN), "sequenceId": 3}
        told |= {dice.choice(NAMES): value(dice, ids) for _ in range(dice.randrange(5))}
        if isinstance(told.get("width"), int) or isinstance(told.get("x"), int):
            told = {key: part for key, part in told.items() if key not in ("width", "height", "x", "y")}
        body = json.dumps(told).encode()
        if dice.random() < 0.2:
            place = dice.randrange(len(body))
            body = body[:place] + bytes([dice.randrange(256)]) + body[place + dice.randrange(3) :]
        metadata, _ = read_reply(BytesIO(answer_client(service, read_request(body), program.pack)))
        agent = metadata["agents"][0]
        assert agent["errorCode"] != "InternalError", (seed, body[:300], agent["errorMessage"])
        assert agent["lastActionSuccess"] == (agent["errorMessage"] == ""), body[:300]


def dice_version(seed: int) -> int:
    """Return which version's client sends the messages."""
    return (2, 5)[seed % 2]


@pytest.mark.parametrize("seed", [0, 1])
def test_random_messages(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    fuzz(seed, 120)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_random_messages(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    fuzz(seed, 1000)
    assert "Traceback" not in capsys.readouterr().err


def test_a_spawn_of_a_hundred_thousand_is_refused(service: Service) -> None:
    for count in (400, 100_000, 10**12):
        told = {"action": "InitialRandomSpawn", "numDuplicatesOfType": [{"objectType": "SoapBar", "count": count}]}
        agent = service.answer(told).metadata
        assert (agent["lastActionSuccess"], agent["errorCode"]) == (False, "InvalidArgument")
        assert "at most" in agent["errorMessage"]
    few = [{"objectType": "SoapBar", "count": 2}]
    assert service.answer({"action": "InitialRandomSpawn", "numRepeats": few}).metadata["lastActionSuccess"]


@pytest.mark.parametrize("sides", [(8000, 8000), (0, 300), (300, -1)])
def test_sizes_that_cannot_be_drawn_are_refused_with_a_message(sides: tuple[int, int]) -> None:
    service = Service(*sides, "FloorPlan401")
    first = service.answer({"action": "Pass"}).metadata
    assert (first["screenWidth"], first["screenHeight"]) == (300, 300), "other than asked, so clients ask again"
    for told in ({"action": "ChangeResolution", "x": sides[0], "y": sides[1]}, {"action": "Initialize"}):
        agent = service.answer(told).metadata
        assert (agent["lastActionSuccess"], agent["errorCode"]) == (False, "InvalidArgument")
        assert f"{sides[0]} x {sides[1]} pixels cannot be drawn" in agent["errorMessage"]
    for told in ({"action": "ChangeResolution", "x": 40, "y": 30}, {"action": "Initialize"}):
        agent = service.answer(told).metadata
        assert agent["lastActionSuccess"], agent["errorMessage"]
    assert (agent["screenWidth"], agent["screenHeight"]) == (40, 30)
