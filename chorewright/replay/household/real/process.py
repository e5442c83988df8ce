"""The process of AI2-THOR's client, which can be ended together with its build if it hangs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Event, Thread
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from chorewright.replay.household.client import controller

LOOK = 0.5
"""Seconds between two looks at whether the build still lives."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a build answers: AI2-THOR's metadata, and the picture if it sent one."""

    metadata: Mapping[str, object]
    frame: NDArray[np.uint8] | None


@dataclass(frozen=True, slots=True)
class Broken:
    """What went wrong between client and build."""

    reason: str


def drive(connection: Connection, parameters: Mapping[str, object]) -> None:
    """Start a client, then run the actions that come through a connection until it closes.

    The first answer is the start's. An action is a mapping; ``{"reset": room}`` loads a room.

    Args:
        connection: Actions come in, ``Seen`` or ``Broken`` go out.
        parameters: Those of the client's ``Controller``.
    """
    os.setsid()  # so that the build can be ended with this process
    client, over = None, Event()
    Thread(target=_watch, args=(connection, over), daemon=True).start()
    try:
        client = controller(**cast("dict[str, Any]", parameters))  # the client checks them
        connection.send(_seen(client.last_event))
        while True:
            action = connection.recv()
            try:
                event = client.reset(action["reset"]) if "reset" in action else client.step(action)
            except ValueError:  # an action that the build does not know
                event = client.last_event
            connection.send(_seen(event))
    except EOFError:
        pass
    except Exception as error:  # whatever a client raises is the build's fault, and told as such
        connection.send(Broken(f"{type(error).__name__}: {error}"))
    finally:
        over.set()
        if client is not None:
            client.stop()


def _watch(connection: Connection, over: Event) -> None:
    """Tell of a build that has ended: a client waits for its pipes until its patience is at an end."""
    last = 0
    while hasattr(os, "waitid") and not over.wait(LOOK):
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        except ChildProcessError:
            continue
        if ended is None:
            continue
        if ended.si_pid == last and not over.is_set():  # others of the client's children are waited for at once
            connection.send(Broken(f"the build died with status {ended.si_status}"))
            os._exit(1)
        last = ended.si_pid


def _seen(event: object) -> Seen:
    metadata, frame = getattr(event, "metadata", {}), getattr(event, "frame", None)
    return Seen({**metadata}, None if frame is None else np.ascontiguousarray(frame))
