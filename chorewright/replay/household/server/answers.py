"""An answer to every message, as bytes: AI2-THOR 2's client waits for ever if a build ends without one."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from chorewright.replay.household.server.reply import Reply
from chorewright.replay.household.server.requests import Request
from chorewright.replay.household.server.service import Service


def answered(service: Service, request: Request, form: Callable[[Reply, int], bytes]) -> bytes:
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
