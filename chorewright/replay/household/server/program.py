"""The console program ``chorewright-thor``, which AI2-THOR's clients start as a Unity build; and its protocols."""

from __future__ import annotations

import argparse
import errno
import http.client
import json
import os
import re
import select
import shlex
import struct
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgpack

from chorewright.errors import ChorewrightError, StorageError, render
from chorewright.files.records import reader_of
from chorewright.replay.household.server.requests import LONGEST, ClientRequest, Reply, picture_bytes, read_request
from chorewright.replay.household.server.service import FAR_PLANE, NEAR_PLANE, Service

# The protocol of AI2-THOR 3 to 5: two named pipes with typed, length-prefixed fields.


# An answer to every message, as bytes: AI2-THOR 2's client waits for ever if a build ends without one.


def answer_client(service: Service, request: ClientRequest, form: Callable[[Reply, int], bytes]) -> bytes:
    """Do what a message asks for and return the reply, with the message's number, in a protocol's form.

    A message that is no action fails with its fault. What goes wrong on the way, also in drawing and in putting
    the reply into bytes, fails the action with a message; the traceback goes to standard error.
    """
    try:
        reply = service.refuse(request.action, request.fault) if request.fault else service.answer(request.action)
        return form(reply, request.sequence)
    except Exception as error:
        traceback.print_exc()
        return form(service.broken(request.action, error), request.sequence)


HEADER = struct.Struct("!BI")
"""Type and length of a field."""

METADATA, ACTION, END = 1, 2, 255
FIELDS = {
    "image": 4,
    "image_depth": 5,
    "image_normals": 6,
    "image_flow": 7,
    "image_classes": 8,
    "image_ids": 9,
    "image-thirdParty-camera": 10,
    "image_thirdParty_depth": 12,
    "image_thirdParty_normals": 13,
    "image_thirdParty_image_ids": 14,
    "image_thirdParty_classes": 15,
    "image_thirdParty_flow": 16,
}
PATIENCE = 0.2
"""Seconds between two looks at whether the client still lives."""


START = 20.0
"""Seconds that a client has to open its end of the first pipe, which it does as soon as it has started us."""


class Gone(Exception):
    """The client has gone away."""


def serve_pipes(service: Service, out_path: str, in_path: str, parent: int) -> None:
    """Answer a client's actions until it goes away.

    Args:
        service: What answers.
        out_path: The pipe that the client reads.
        in_path: The pipe that the client writes.
        parent: The client's process, whose end ends this.
    """
    try:
        out = _open_for_writing(out_path, parent)
        _write(out, answer_client(service, ClientRequest({"action": "Pass"}), pack))
        reader = _Reader(in_path, parent)
        while True:
            _write(out, answer_client(service, reader.request(), pack))
    except Gone:
        return


def pack(reply: Reply, sequence: int) -> bytes:
    """Return a reply as the client reads it from its pipe."""
    body = msgpack.packb(reply.message(sequence), unicode_errors="replace")
    parts = [HEADER.pack(METADATA, len(body)), body]
    for field, pictures in reply.pictures.items():
        for picture in pictures:
            data = picture_bytes(field, picture, FAR_PLANE - NEAR_PLANE)
            parts += [HEADER.pack(FIELDS[field], len(data)), data]
    return b"".join([*parts, HEADER.pack(END, 0)])


def _write(out: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(out, view) :]
    except BrokenPipeError:
        raise Gone from None


def _open_for_writing(path: str, parent: int) -> int:
    """Open a pipe once its reader has; a plain ``open`` would wait for ever for a client that has died."""
    until = time.monotonic() + START
    while True:
        try:
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise Gone from error
            if os.getppid() != parent or time.monotonic() > until:
                raise Gone from None
            time.sleep(PATIENCE / 20)
        else:
            os.set_blocking(pipe, True)
            return pipe


class _Reader:
    """The pipe that actions come from."""

    def __init__(self, path: str, parent: int) -> None:
        self._pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._parent = parent
        self._begun = sys.platform == "linux"  # there an end is reported only after somebody has been there

    def request(self) -> ClientRequest:
        """Wait for the next message.

        Raises:
            Gone: The client closed the pipe, ended, or wrote what is no message at all: then what follows cannot be
                read either.
        """
        body = b""
        while True:
            kind, length = HEADER.unpack(self._read(HEADER.size))
            if kind == END:
                return read_request(body)
            if kind != ACTION or length > LONGEST:
                print(f"chorewright-thor: field {kind} of {length} bytes is no action", file=sys.stderr)
                raise Gone
            body = self._read(length)

    def _read(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            ready, _, _ = select.select([self._pipe], [], [], PATIENCE)
            if os.getppid() != self._parent:
                raise Gone
            if not ready:
                self._begun = True
                continue
            part = os.read(self._pipe, count - len(parts))
            if not part:
                if self._begun:
                    raise Gone
                time.sleep(PATIENCE / 20)  # nobody has opened the other end yet
            parts += part
        return bytes(parts)


# The protocol of AI2-THOR 2: each reply is posted to the client's server, which answers with an action.


FARTHEST = 10.0
"""The depth in metres that AI2-THOR 2's clients scale by."""

BOUNDARY = "----chorewright-7f1d2c9b"


def serve(service: Service, host: str, port: int, token: str) -> None:
    """Post replies and do the actions that come back until the client goes away.

    Args:
        service: What answers.
        host, port: Where the client's server listens.
        token: What the client knows us by.
    """
    connection = http.client.HTTPConnection(host, port)
    form = partial(_form, token=token)
    body = answer_client(service, ClientRequest({"action": "Pass"}), form)
    while True:
        try:
            connection.request("POST", "/train", body, {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"})
            response = connection.getresponse()
            request = read_request(response.read())
        except (OSError, http.client.HTTPException):
            return
        if response.status != http.client.OK or not request.action:
            return
        body = answer_client(service, request, form)


def _form(reply: Reply, sequence: int, token: str) -> bytes:
    parts = [_field("metadata", json.dumps(reply.message(sequence)).encode()), _field("token", token.encode())]
    for name, pictures in reply.pictures.items():
        for picture in pictures:
            parts.append(_field(name, picture_bytes(name, picture, FARTHEST), file=True))
    return b"".join([b"\r\n", *parts, f"--{BOUNDARY}--\r\n".encode()])


def _field(name: str, body: bytes, file: bool = False) -> bytes:
    shown = f'; filename="{name}"' if file else ""
    kind = "application/octet-stream" if file else "text/plain; charset=utf-8"
    disposition = f'Content-disposition: form-data; name="{name}"{shown}'
    return f"--{BOUNDARY}\r\n{disposition}\r\nContent-Type: {kind}\r\n\r\n".encode() + body + b"\r\n"


# Putting the program where existing code looks for its build, and answering for an X server.
#
# ALFRED, ALFWorld (client 2.1.0) and TEACh (3.1.0) start the build with a fixed name in a folder of AI2-THOR's, and so
# does client 5.0.0 where no build is named, for a screen (Linux64) or without (CloudRendering). With a script there
# that starts our program, they run unmodified.


def stand_in(folder: Path, python: str = sys.executable) -> list[Path]:
    """Write a starting script under the name of each build that existing code pins; return their paths.

    The last is ``bin/xdpyinfo``, which says that there is an X server: the clients before 5.0.0 ask it, where
    it is installed, and our program needs none.

    Args:
        folder: AI2-THOR's own, ``~/.ai2thor``, or the one that TEACH_AI2THOR_BASE_DIR names.
        python: The interpreter that has chorewright.

    Raises:
        StorageError: Something else is there, or nothing can be written.
    """
    builds = reader_of(list[str], "chorewright.replay", "data/thor_dialects.json", "builds")()
    start = f'#!/bin/sh\nexec {shlex.quote(python)} -m chorewright.replay.household.server.program "$@"\n'
    texts = {folder / "releases" / name / name: start for name in builds}
    told = json.dumps({"about": "chorewright", "server_types": ["FIFO", "WSGI"]})
    texts |= {folder / "releases" / name / "metadata.json": told for name in builds if VERSIONED.match(name)}
    texts[folder / "bin" / "xdpyinfo"] = f"#!/bin/sh\n# {MARK}\nexit 0\n"
    for path in texts:
        if path.exists() and not (path.is_file() and b"chorewright" in path.read_bytes()[:4096]):  # not ours
            raise StorageError(f"{path} exists already and does not belong to chorewright")
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o644 if path.suffix else 0o755)
    except OSError as error:
        raise StorageError(f"cannot write {error.filename}: {error.strerror}") from None
    return list(texts)


VERSIONED = re.compile(r"thor-\w+-[0-9a-f]{40}$")
"""Names of builds beside which a client reads what protocols they speak."""

MARK = "chorewright: there is an X server as far as AI2-THOR's clients need to know"


USAGE = """\
chorewright-thor is started by a client of AI2-THOR, in the place of its Unity build:

    Controller(local_executable_path=<path of chorewright-thor>, x_display=":0")   # ai2thor 3.1.0 to 5.0.0
    Controller().start(...) after setting local_executable_path                    # ai2thor 2.1.0

or, in one call, chorewright.replay.household.controller(). Code that names no build of its own (ALFRED's,
ALFWorld's, TEACh's) finds it after

    chorewright-thor --stand-in ~/.ai2thor"""


def main() -> int:
    """Serve the client that started this process, by the protocol that it asks for in the environment."""
    parser = argparse.ArgumentParser(usage=USAGE, add_help=True)
    parser.add_argument("-screen-width", type=int, default=300)
    parser.add_argument("-screen-height", type=int, default=300)
    parser.add_argument("--stand-in", metavar="FOLDER", type=Path)
    arguments, _ = parser.parse_known_args()
    if arguments.stand_in is not None:
        return _stand_in(arguments.stand_in)
    environment, parent = os.environ, os.getppid()
    pipes = [environment.get(f"AI2THOR_FIFO_{end}_PIPE_PATH") for end in ("SERVER", "CLIENT")]
    host, port = environment.get("AI2THOR_HOST"), environment.get("AI2THOR_PORT", "")
    if all(pipes):
        service = Service(arguments.screen_width, arguments.screen_height)
        serve_pipes(service, str(pipes[0]), str(pipes[1]), parent)
    elif host and port.isdecimal():
        service = Service(arguments.screen_width, arguments.screen_height, version=2)
        serve(service, host, int(port), environment.get("AI2THOR_CLIENT_TOKEN", ""))
    else:
        print(USAGE, file=sys.stderr)
        return 2
    return 0


def _stand_in(folder: Path) -> int:
    try:
        paths = stand_in(folder.expanduser().absolute())
    except ChorewrightError as error:
        print(render(error), file=sys.stderr)
        return int(error.exit_code)
    print(*paths, sep="\n")
    print(f"where xdpyinfo is installed and no X server runs: export PATH={paths[-1].parent}:$PATH DISPLAY=:0")
    return 0


if __name__ == "__main__":
    sys.exit(main())
