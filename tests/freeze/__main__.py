"""Compare what the product says and writes with its digests of before, or make the digests.

    python -m tests.freeze [--quick] [--only NAME ...] [--workers N] [--keep FOLDER]    compare
    python -m tests.freeze --make                                                       write the digests
    python -m tests.freeze --keep FOLDER --diff ITEM                                    how an item differs

NAME is an item (``alfred/show``) or a group (``alfred``). ``--keep`` keeps all files of what is made, for a later
``--diff``. Exit code 1 if an item differs. CALVIN's items hold no floating-point numbers, contacts and pictures.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.freeze.frozen import FILE, Digests, differences, kept, store, stored
from tests.freeze.items import ITEMS
from tests.freeze.making import Made, chosen, make, outputs_of


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="tests.freeze", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--make", action="store_true", help=f"write the digests to {FILE.name}")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these items or groups")
    parser.add_argument("--quick", action="store_true", help="a part that takes a minute")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes; 0 for this one")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the files of what is made")
    parser.add_argument("--diff", metavar="ITEM", help="make an item and compare its files with those kept")
    parser.add_argument("--list", action="store_true", help="list the items")
    asked = parser.parse_args()
    known = {name for each in ITEMS for name in (each.name, each.group)}
    for name in {*asked.only, *([asked.diff] if asked.diff else [])} - known:
        parser.error(f"there is no item or group {name!r}; --list lists them")
    if asked.list:
        print("\n".join(each.name for each in ITEMS))
        return 0
    if asked.diff:
        if asked.keep is None:
            parser.error("--diff needs --keep FOLDER")
        lines = list(differences(kept(asked.keep, asked.diff), outputs_of(asked.diff)))
        print("\n".join(lines) or "no difference")
        return int(bool(lines))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends the workers, as Ctrl-C does
    return _run(asked)


def _run(asked: argparse.Namespace) -> int:
    """Make the items, and store or compare their digests; return the exit code."""
    items = chosen(asked.only, asked.quick)
    folder = asked.keep.resolve() if asked.keep else None
    before = stored()
    made: list[Made] = []
    for number, each in enumerate(make(items, asked.workers, folder), 1):
        made.append(each)
        same = asked.make or each.missing or before.get(each.name) == each.digest
        verdict = each.trouble or ("" if same else "differs")
        print(f"{number}/{len(items)} {each.name} {each.seconds:.1f} s {verdict}".rstrip(), file=sys.stderr, flush=True)
    print(f"{sum(each.seconds for each in made):.0f} CPU seconds", file=sys.stderr)
    if asked.make:
        stays = before if asked.only or asked.quick else {}
        store({**stays, **{each.name: each.digest for each in made if each.digest}})
    return _report(before, made, asked.make)


def _report(before: Digests, made: Sequence[Made], new: bool) -> int:
    """Print what is left out, what fails and, unless digests are new, what differs; return the exit code."""
    for each in sorted(made, key=lambda each: each.name):
        if each.missing:
            print(f"left out: {each.name} needs {', '.join(each.missing)}")
        elif each.trouble:
            print(f"fails: {each.name}: {each.trouble}")
        elif not new and before.get(each.name) != each.digest:
            print(f"differs: {each.name}" if each.name in before else f"not frozen yet: {each.name}")
    good = [each for each in made if each.digest and (new or before.get(each.name) == each.digest)]
    left_out = [each for each in made if each.missing]
    print(f"{len(good)} of {len(made) - len(left_out)} items are {'frozen' if new else 'as before'}")
    return int(len(good) + len(left_out) < len(made))


if __name__ == "__main__":
    sys.exit(main())
