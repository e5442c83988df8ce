"""chorewright turns household tasks into datasets of expert demonstrations.

Read the rooms in the order in which data flow: ``domains`` (what can be done), ``problems`` (where), ``planner`` (how
to get there), ``rsa`` (how to say it), ``replay`` (how it looks), ``generator`` (how a dataset is made), ``commands``.
"""

import time

__version__ = "0.1.0"

STARTED = time.monotonic() - min(time.process_time(), 1.0)
"""When the process was started, as far as its import tells. The work before counts, but at most a second; the
time that the same process was another program (a shell that waits, then becomes this one) does not."""
