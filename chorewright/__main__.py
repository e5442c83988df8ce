"""``python -m chorewright`` is the command line."""

from chorewright.cli import main

if __name__ == "__main__":
    main()
