"""An answer to every action, as bytes: AI2-THOR 2's client waits for ever if a build ends without one."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping

from chorewright.replay.thor.server.service import Reply, Service


def answered(service: Service, action: Mapping[str, object], form: Callable[[Reply], bytes]) -> bytes:
    """Do an action and return the reply in a protocol's form.

    What goes wrong on the way, also in drawing and in putting the reply into bytes, fails the action with a
    message; the traceback goes to standard error.
    """
    try:
        return form(service.answer(action))
    except Exception as error:
        traceback.print_exc()
        return form(service.broken(action, error))
