"""Programs that tests start heed Ctrl-C, also where the tests run in the background, in which shells ignore it."""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
