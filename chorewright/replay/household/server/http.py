"""The protocol of AI2-THOR 2: each reply is posted to the client's server, which answers with an action."""

from __future__ import annotations

import http.client
import json
from functools import partial

from chorewright.replay.household.server.answers import answered
from chorewright.replay.household.server.encoding import picture_bytes
from chorewright.replay.household.server.reply import Reply
from chorewright.replay.household.server.requests import Request, read_request
from chorewright.replay.household.server.service import Service

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
    body = answered(service, Request({"action": "Pass"}), form)
    while True:
        try:
            connection.request(
                "POST",
                "/train",
                body,
                {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"},
            )
            response = connection.getresponse()
            request = read_request(response.read())
        except (OSError, http.client.HTTPException):
            return
        if response.status != http.client.OK or not request.action:
            return
        body = answered(service, request, form)


def _form(reply: Reply, sequence: int, token: str) -> bytes:
    parts = [_field("metadata", json.dumps(reply.message(sequence)).encode()), _field("token", token.encode())]
    for name, pictures in reply.pictures.items():
        for picture in pictures:
            data = picture_bytes(name, picture, FARTHEST)
            parts.append(_field(name, data, file=True))
    return b"".join([b"\r\n", *parts, f"--{BOUNDARY}--\r\n".encode()])


def _field(name: str, body: bytes, file: bool = False) -> bytes:
    shown = f'; filename="{name}"' if file else ""
    kind = "application/octet-stream" if file else "text/plain; charset=utf-8"
    disposition = f'Content-disposition: form-data; name="{name}"{shown}'
    return f"--{BOUNDARY}\r\n{disposition}\r\nContent-Type: {kind}\r\n\r\n".encode() + body + b"\r\n"
