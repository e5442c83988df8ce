"""The THOR world behind AI2-THOR's clients: by the protocols as written down, and by a real client."""

from __future__ import annotations

import json
import os
import signal
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path
from queue import Queue
from typing import BinaryIO

import msgpack
import numpy as np
import pytest

from chorewright.problems.household.rooms import load_room, room_names
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.server.cameras import colour_of
from chorewright.replay.household.server.program import (
    ACTION,
    END,
    FIELDS,
    METADATA,
    _open_for_writing,
    _write,
    answer_client,
    pack,
    stand_in,
)
from chorewright.replay.household.server.requests import ClientRequest, depth_bytes
from chorewright.replay.household.server.service import Service
from tests.command import environment

PROGRAM = [sys.executable, "-m", "chorewright.replay.household.server.program"]
FAULTY = [sys.executable, "-m", "tests.replay.household.faulty_build"]
RGB, DEPTH, IDS, TOP_VIEW = 4, 5, 9, 10


def read_reply(source: BinaryIO) -> tuple[dict[str, object], dict[int, list[bytes]]]:
    metadata, files = None, {}
    while True:
        kind, length = struct.unpack("!BI", source.read(5))
        if kind == 255:
            return metadata, files
        body = source.read(length)
        if kind == 1:
            metadata = msgpack.loads(body, raw=False)
        else:
            files.setdefault(kind, []).append(body)


class PipeClient:
    """A client of the named pipes, written from their description."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.paths = [folder / "server.pipe", folder / "client.pipe"]
        for path in self.paths:
            os.mkfifo(path)
        names = ("AI2THOR_FIFO_SERVER_PIPE_PATH", "AI2THOR_FIFO_CLIENT_PIPE_PATH")
        env = {**os.environ, **{name: str(path) for name, path in zip(names, self.paths, strict=True)}}
        self.process = subprocess.Popen([*PROGRAM, *arguments], env=env, stderr=subprocess.PIPE)
        self.server = self.paths[0].open("rb")
        self.first = self.receive()
        self.client = self.paths[1].open("wb")
        self.sequence = 0

    def step(self, action: str, **arguments: object) -> tuple[dict[str, object], dict[int, list[bytes]]]:
        self.sequence += 1
        body = json.dumps({"action": action, "sequenceId": self.sequence, **arguments}).encode()
        self.client.write(struct.pack("!BI", 2, len(body)) + body + struct.pack("!BI", 255, 0))
        self.client.flush()
        metadata, files = self.receive()
        assert metadata["sequenceId"] == self.sequence
        return metadata["agents"][0], files

    def receive(self) -> tuple[dict[str, object], dict[int, list[bytes]]]:
        return read_reply(self.server)

    def close(self) -> None:
        self.client.close()
        self.process.wait(timeout=20)
        self.server.close()
        self.process.stderr.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PipeClient]:
    made = PipeClient(tmp_path_factory.mktemp("pipes"), "-screen-width", "120", "-screen-height", "90")
    yield made
    made.close()
    assert made.process.returncode == 0


def picture(data: bytes, metadata: Mapping[str, object]) -> np.ndarray:
    return np.frombuffer(data, np.uint8).reshape(metadata["screenHeight"], metadata["screenWidth"], 3)[::-1]


def test_a_session_over_the_pipes(client: PipeClient) -> None:
    assert client.first[0]["agents"][0]["screenWidth"] == 120
    assert len(client.first[1][RGB][0]) == 120 * 90 * 3
    scenes = client.step("GetScenesInBuild")[0]["actionReturn"]
    assert scenes == [*(f"{name}_physics" for name in room_names()), "Procedural"]
    metadata, _ = client.step("Reset", sceneName="FloorPlan7_physics")
    assert metadata["sceneName"] == "FloorPlan7_physics"
    asked = {"renderDepthImage": True, "renderInstanceSegmentation": True, "gridSize": 0.25, "fieldOfView": 60}
    metadata, files = client.step("Initialize", **asked)
    assert metadata["lastActionSuccess"]
    assert metadata["actionReturn"] == {"cameraNearPlane": 0.1, "cameraFarPlane": 20.0}
    assert sorted(files) == [RGB, DEPTH, IDS]
    metadata, files = client.step("RotateRight")
    assert metadata["agent"]["rotation"]["y"] == 90
    seen = {tuple(colour) for colour in picture(files[IDS][0], metadata).reshape(-1, 3).tolist()}
    named = {tuple(each["color"]): each["name"] for each in metadata["colors"]}
    assert seen <= set(named) | {(0, 0, 0)}
    boxes = {named[tuple(each["color"])]: each["bounds"] for each in metadata["colorBounds"]}
    assert set(boxes) == {named[colour] for colour in seen if colour in named}


def test_pictures_are_the_renderers(client: PipeClient) -> None:
    client.step("Reset", sceneName="FloorPlan310")
    client.step("Initialize", renderDepthImage=True, renderInstanceSegmentation=True, fieldOfView=90)
    point = load_room("FloorPlan310").grid[20]
    where = {"x": point[0] * 0.25, "y": load_room("FloorPlan310").agent_y, "z": point[1] * 0.25}
    metadata, files = client.step("Teleport", position=where, rotation={"x": 0, "y": 90, "z": 0}, horizon=30)
    assert metadata["lastActionSuccess"], metadata["errorMessage"]
    service = Service(120, 90, "FloorPlan310")
    service.answer({"action": "Initialize", "fieldOfView": 90})
    service.answer({"action": "Teleport", "position": where, "rotation": {"y": 90}, "horizon": 30})
    frame = Renderer().frame(service._world.scene(), service._camera())
    assert (picture(files[RGB][0], metadata) == frame.rgb).all()
    whole, middle, fine = np.moveaxis(picture(files[DEPTH][0], metadata).astype(float), -1, 0)
    depth = (whole + middle / 256 + fine / 65536) / 256 * (20.0 - 0.1)
    assert depth == pytest.approx(frame.depth, abs=1e-5)
    shown = {tuple(colour) for colour in picture(files[IDS][0], metadata)[frame.instances == 0].tolist()}
    assert shown <= {colour_of(frame.names[0])}


def test_what_cannot_be_done_fails_and_the_program_goes_on(client: PipeClient) -> None:
    client.step("Reset", sceneName="FloorPlan1")
    before = client.step("Pass")[0]
    cases = [
        ("Fly", {}, "InvalidAction"),
        ("PickupObject", {}, "MissingArguments"),
        ("PickupObject", {"objectId": "Mug|none"}, "ObjectNotFound"),
        ("Reset", {"sceneName": "FloorPlan999"}, "SceneNotFound"),
        ("ChangeResolution", {"x": -3, "y": 3}, "InvalidArgument"),
        ("ChangeResolution", {"x": "wide", "y": 3}, "InvalidArgument"),
        ("UpdateThirdPartyCamera", {"thirdPartyCameraId": 4}, "InvalidArgument"),
        ("AddThirdPartyCamera", {"position": 3}, "InvalidArgument"),
        ("AddThirdPartyCamera", {"fieldOfView": 400}, "InvalidArgument"),
        ("GetObjectInFrame", {"x": 2, "y": 0.5}, "InvalidArgument"),
        ("Initialize", {"fieldOfView": 400}, "InvalidArgument"),
        ("Teleport", {"position": "there"}, "InvalidArgument"),
        ("", {}, "InvalidAction"),
    ]
    for action, arguments, code in cases:
        metadata, _ = client.step(action, **arguments)
        assert not metadata["lastActionSuccess"], action
        assert metadata["errorCode"] == code, (action, metadata["errorMessage"])
        assert metadata["errorMessage"]
    assert client.step("Pass")[0]["objects"] == before["objects"]


@pytest.mark.parametrize("part", ["_drawn", "_metadata", "packed"])
def test_what_goes_wrong_in_showing_fails_the_action(
    part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service, sizes = Service(40, 30, "FloorPlan1"), []
    broken: list[str] = []

    def faulty(whole: Callable[..., object]) -> Callable[..., object]:
        def either(*arguments: object) -> object:
            if broken and broken.pop():
                raise ZeroDivisionError("fault")
            return whole(*arguments)

        return either

    form = faulty(pack) if part == "packed" else pack
    if part != "packed":
        monkeypatch.setattr(service, part, faulty(getattr(service, part)))
    wanted = {"renderDepthImage": True, "renderInstanceSegmentation": True}
    for action in (
        {"action": "Initialize", **wanted},
        {"action": "AddThirdPartyCamera"},
        {"action": "Pass"},
        {"action": "RotateRight"},
        {"action": "Pass"},
    ):
        failing = action["action"] == "RotateRight"
        broken = [part] if failing else []
        metadata, files = read_reply(BytesIO(answer_client(service, ClientRequest(action, 7), form)))
        agent = metadata["agents"][0]
        assert (agent["lastAction"], agent["lastActionSuccess"]) == (action["action"], not failing)
        assert agent["errorMessage"] == ("RotateRight failed: ZeroDivisionError('fault')" if failing else "")
        sizes.append({field: [len(data) for data in pictures] for field, pictures in files.items()})
    assert agent["agent"]["rotation"]["y"] == 90, "the world goes on"
    assert sizes[1] == sizes[2] == sizes[3] == sizes[4]
    assert "ZeroDivisionError: fault" in capsys.readouterr().err


def test_objects_and_cameras(client: PipeClient) -> None:
    client.step("Reset", sceneName="FloorPlan1")
    client.step("Initialize")
    view = client.step("GetMapViewCameraProperties")[0]["actionReturn"]
    metadata, files = client.step("AddThirdPartyCamera", **view)
    assert len(files[TOP_VIEW]) == len(metadata["thirdPartyCameras"]) == 1
    top = picture(files[TOP_VIEW][0], metadata)
    assert len(np.unique(top.reshape(-1, 3), axis=0)) > 200
    service = Service(100, 100, "FloorPlan1")
    seen = set()
    for _ in range(4):
        service.answer({"action": "RotateRight"})
        for x in np.linspace(0.05, 0.95, 10):
            for y in np.linspace(0.05, 0.95, 10):
                found = service.answer({"action": "GetObjectInFrame", "x": float(x), "y": float(y)})
                seen.add(found.metadata["actionReturn"])
    names = {body.object_id for body in load_room("FloorPlan1").objects}
    assert len(seen - {None}) >= 5
    assert seen - {None} <= names


def test_fields_have_the_numbers_of_the_real_client() -> None:
    from ai2thor.fifo_server import FieldType, FifoServer  # half a second

    theirs = FifoServer(8, 8)
    try:
        assert {name: number for number, name in theirs.form_field_map.items()} == FIELDS
        assert (FieldType.METADATA, FieldType.ACTION, FieldType.END_OF_MESSAGE) == (METADATA, ACTION, END)
    finally:
        theirs.tmp_dir.cleanup()


def test_a_slow_client_gets_a_long_answer_whole(tmp_path: Path) -> None:
    """A pipe holds 64 KiB: the rest waits until the client has read."""
    path, data = tmp_path / "server.pipe", bytes(range(256)) * 2000
    os.mkfifo(path)
    read, client = [], path
    thread = threading.Thread(target=lambda: read.append(client.read_bytes()))
    thread.start()
    pipe = _open_for_writing(str(path), os.getppid())
    try:
        assert os.get_blocking(pipe)
        _write(pipe, data)
    finally:
        os.close(pipe)
    thread.join()
    assert read == [data]


def test_a_client_that_is_gone_leaves_no_process(tmp_path: Path) -> None:
    made = PipeClient(tmp_path)
    made.close()
    assert made.process.returncode == 0


def test_a_client_that_is_killed_before_it_opens_the_pipes_leaves_no_process(tmp_path: Path) -> None:
    program = (
        "import os, subprocess, sys, time\n"
        f"names = [os.path.join({str(tmp_path)!r}, n) for n in ('a', 'b')]\n"
        "for name in names: os.mkfifo(name)\n"
        "ends = dict(zip(('SERVER', 'CLIENT'), names))\n"
        "env = {**os.environ, **{f'AI2THOR_FIFO_{end}_PIPE_PATH': ends[end] for end in ends}}\n"
        f"print(subprocess.Popen({PROGRAM!r}, env=env).pid, flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        time.sleep(3)  # it has started by then; if not, it gives up after a while
        parent.send_signal(signal.SIGKILL)
    for _ in range(900):
        if not alive(child):
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the program outlived its client")


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat")
        return not state.exists() or state.read_text().split()[2] != "Z"
    except ProcessLookupError:
        return False


def test_a_person_who_starts_it_is_told_what_it_is() -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("AI2THOR")}
    run = subprocess.run(PROGRAM, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "Controller(local_executable_path" in run.stderr


def test_depths_in_three_bytes() -> None:
    depth = np.array([[0.0, 0.05, 1.0, 9.999], [10.0, 12.0, 3.25, 7.0]])
    red, green, blue = np.moveaxis(depth_bytes(depth, 10.0).astype(float), -1, 0)
    read = (red + green / 256 + blue / 65536) * 10 / 256
    assert read == pytest.approx(np.where(depth <= 0, 10, np.minimum(depth, 10)), abs=1e-5)


@pytest.mark.parametrize("broken", [None, 3])
def test_the_protocol_of_version_2(broken: int | None, tmp_path: Path) -> None:
    """A server as the 2.1.0 client's: replies come as forms, actions go back as JSON.

    It waits for ever for a build that ends, so an action that cannot be drawn is answered, too.
    """
    replies: Queue[dict[str, bytes]] = Queue()
    actions: Queue[dict[str, object]] = Queue()

    class Train(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            head = b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n"
            form = BytesParser().parsebytes(head + body)
            replies.put(
                {
                    each.get_param("name", header="content-disposition"): each.get_payload(decode=True)
                    for each in form.get_payload()
                }
            )
            answer = json.dumps(actions.get()).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *arguments: object) -> None:
            """Keep the test's output clean."""

    server = HTTPServer(("127.0.0.1", 0), Train)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AI2THOR")},
        "AI2THOR_HOST": "127.0.0.1",
        "AI2THOR_PORT": str(server.server_port),
        "AI2THOR_CLIENT_TOKEN": "secret",
        "FAULT": "raises" if broken else "",
        "FAULT_AT": str(broken),
        "FAULT_FILE": str(tmp_path / "starts"),
    }
    with subprocess.Popen(
        [*(FAULTY if broken else PROGRAM), "-screen-width", "300", "-screen-height", "300"], env=env
    ) as process:
        try:
            first = replies.get(timeout=60)
            assert first["token"] == b"secret"
            for number, action in enumerate(
                (
                    {"action": "Reset", "sceneName": "FloorPlan28_physics"},
                    {"action": "Initialize", "gridSize": 0.25, "cameraY": 0.75, "renderObjectImage": True},
                    {"action": "TeleportFull", "x": -1.0, "y": 0.9, "z": -1.0, "rotation": 90, "horizon": 30},
                    {"action": "SetStateOfAllObjects", "StateChange": "CanBeDirty", "forceAction": True},
                ),
                1,
            ):
                actions.put({**action, "sequenceId": number})
                reply = replies.get(timeout=60)
                metadata = json.loads(reply["metadata"])
                assert metadata["sequenceId"] == number
                agent = metadata["agents"][0]
                assert agent["lastActionSuccess"] == (number != broken), agent["errorMessage"]
                assert ("TeleportFull failed" in agent["errorMessage"]) == (number == broken)
                assert len(reply["image"]) == 300 * 300 * 3
                assert any(reply["image"]) == (number != broken), "black only where nothing could be drawn"
                assert number == 1 or len(reply["image_ids"]) == 300 * 300 * 3
            assert len(reply["image_ids"]) == 300 * 300 * 3
            assert agent["agent"]["position"]["x"] == -1.0
            assert all(each["isDirty"] for each in agent["objects"] if each["dirtyable"])
            actions.put({})
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()  # of no effect once it has ended
    server.shutdown()


ROOMS = (
    "FloorPlan1",
    "FloorPlan11",
    "FloorPlan23",
    "FloorPlan204",
    "FloorPlan210",
    "FloorPlan229",
    "FloorPlan303",
    "FloorPlan311",
    "FloorPlan324",
    "FloorPlan402",
    "FloorPlan411",
    "FloorPlan427",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console program, as installed or not."""
    path = tmp_path_factory.mktemp("program") / "chorewright-thor"
    path.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n', encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_unmodified_client_walks_and_handles_things_in_twelve_rooms(program: Path) -> None:
    """ai2thor 5.0.0: teleports to what can be reached, then picks, puts, opens, toggles, slices, walks."""
    pytest.importorskip("ai2thor", reason="needs the extra thor")
    from chorewright.replay.household import controller

    driven = controller(
        ROOMS[0],
        local_executable_path=str(program),
        width=300,
        height=300,
        renderDepthImage=True,
        renderInstanceSegmentation=True,
        fieldOfView=90,
    )
    done: dict[str, int] = {}
    try:
        with pytest.raises(ValueError, match="Fly"):
            driven.step("Fly")
        for room in ROOMS:
            event = driven.reset(room)
            assert event.frame.shape == (300, 300, 3)
            assert event.depth_frame.shape == (300, 300)
            assert event.depth_frame.max() < 15
            points = driven.step("GetReachablePositions").metadata["actionReturn"]
            assert len(points) > 15
            for action, chosen in (
                ("PickupObject", lambda each: each["pickupable"]),
                ("OpenObject", lambda each: each["openable"] and not each["isOpen"]),
                ("ToggleObjectOn", lambda each: each["toggleable"] and not each["isToggled"]),
            ):
                for body in [each for each in driven.last_event.metadata["objects"] if chosen(each)][:6]:
                    if step_to(driven, body, points) and driven.step(action, objectId=body["objectId"]):
                        done[action] = done.get(action, 0) + 1
                        seen = driven.last_event
                        assert seen.instance_segmentation_frame.shape == (300, 300, 3)
                        if action == "PickupObject":
                            assert seen.metadata["inventoryObjects"][0]["objectId"] == body["objectId"]
                            parents = body["parentReceptacles"] or ["nowhere"]
                            back = driven.step("PutObject", objectId=parents[0], forceAction=True)
                            done["PutObject"] = done.get("PutObject", 0) + bool(back)
                            if not back:
                                assert driven.step("DropHandObject", forceAction=True)
                        break
            done["SliceObject"] = done.get("SliceObject", 0) + slices(driven, points)
            done["MoveAhead"] = done.get("MoveAhead", 0) + any(
                bool(driven.step(action)) for action in ("MoveAhead", "RotateRight", "MoveAhead")
            )
    finally:
        driven.stop()
    assert done["PickupObject"] >= 10
    assert done["PutObject"] >= 8
    assert done["SliceObject"] == 3, "one for each kitchen"
    assert done["OpenObject"] >= 9
    assert done["ToggleObjectOn"] >= 9
    assert done["MoveAhead"] == 12


def test_the_client_finds_our_program_as_its_cloud_rendering_build(tmp_path: Path) -> None:
    """ai2thor 5.0.0, which is told of no executable; only its look for Vulkan's library is left out."""
    pytest.importorskip("ai2thor", reason="needs the extra thor")
    stand_in(tmp_path / ".ai2thor")
    asked = (
        "from ai2thor.controller import Controller\n"
        "from ai2thor.platform import CloudRendering\n"
        "CloudRendering.validate = classmethod(lambda cls, request: [])\n"
        "made = Controller(platform=CloudRendering, scene='FloorPlan401', width=90, height=60)\n"
        "print(made.step('RotateRight').metadata['lastActionSuccess'], made.last_event.frame.shape)\n"
        "made.stop()\n"
    )
    env = environment({"HOME": str(tmp_path)})
    run = subprocess.run(
        [sys.executable, "-c", asked], env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert run.stdout == "True (60, 90, 3)\n", run.stderr[-2000:]


def test_the_client_shows_why_a_size_cannot_be_had(program: Path) -> None:
    pytest.importorskip("ai2thor", reason="needs the extra thor")
    from chorewright.replay.household import controller

    with pytest.raises(ValueError, match="8000 x 8000 pixels cannot be drawn; each side has 1 to 4096"):
        controller("FloorPlan401", local_executable_path=str(program), width=8000, height=8000)


def slices(driven: object, points: list[Mapping[str, float]]) -> bool:
    """Take a knife, if the room has one, and slice something with it."""
    bodies = driven.last_event.metadata["objects"]
    knives = [each for each in bodies if each["objectType"] in ("Knife", "ButterKnife")]
    for knife in knives:
        for where in knife["parentReceptacles"] or ():
            driven.step("OpenObject", objectId=where, forceAction=True)
        if step_to(driven, knife, points) and driven.step("PickupObject", objectId=knife["objectId"]):
            for body in bodies:
                reached = body["sliceable"] and step_to(driven, body, points)
                if reached and driven.step("SliceObject", objectId=body["objectId"]):
                    ids = [each["objectId"] for each in driven.last_event.metadata["objects"]]
                    assert any(name.startswith(body["objectId"] + "|") for name in ids)
                    return True
    return False


def step_to(driven: object, body: Mapping[str, object], points: list[Mapping[str, float]]) -> bool:
    """Teleport the client's agent to where an object is visible."""
    where = body["position"]
    near = sorted(points, key=lambda p: (p["x"] - where["x"]) ** 2 + (p["z"] - where["z"]) ** 2)[:12]
    for point in near:
        for turn in (0, 90, 180, 270):
            for horizon in (30, 0):
                event = driven.step(
                    "Teleport", position=point, rotation={"x": 0, "y": turn, "z": 0}, horizon=horizon, standing=True
                )
                if event and event.get_object(body["objectId"])["visible"]:
                    return True
    return False
