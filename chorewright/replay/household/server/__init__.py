"""The THOR world as a process of its own that AI2-THOR's clients drive, as if it were a Unity build."""
