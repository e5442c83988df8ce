"""The protocol of AI2-THOR 3 to 5: two named pipes with typed, length-prefixed fields."""

from __future__ import annotations

import errno
import os
import select
import struct
import sys
import time
import traceback
from collections.abc import Callable

import msgpack

from chorewright.replay.household.server.requests import LONGEST, ClientRequest, Reply, picture_bytes, read_request
from chorewright.replay.household.server.service import FAR_PLANE, NEAR_PLANE, Service

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
