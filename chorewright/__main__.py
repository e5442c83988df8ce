"""``python -m chorewright`` is the command line; so is the console script ``chorewright``."""

from __future__ import annotations

from chorewright.files.signals import end_at_once


def main() -> None:
    """Run the command line; Ctrl-C and SIGTERM end it in any moment without a traceback."""
    end_at_once()
    try:
        from chorewright.cli import main as run  # takes a while

        run()
    finally:
        end_at_once(silently=True)
        # CPython notes a Ctrl-C that reached an exec() (of a dataclass, say) and would end by SIGINT instead of with
        # our exit code; the next exec() forgets it.
        exec("pass")


if __name__ == "__main__":
    main()
