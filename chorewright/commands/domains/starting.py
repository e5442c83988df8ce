"""The verb ``new-domain``: a folder with a small domain, its wordings and its problem template."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.shell import AsJson, print_json, printable, verb, write_text
from chorewright.errors import StorageError, UsageError

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
ENDINGS = (".pddl", ".say", ".template")
START = "delivery"
"""The domain that new ones start from."""


@verb
def new_domain(
    name: Annotated[str, typer.Argument(help="The domain's name: letters, digits, '-' and '_'.")],
    out: Annotated[Path, typer.Option("--out", help="Where to make the folder NAME.")] = Path(),
    like: Annotated[
        str | None, typer.Option("--like", metavar="DOMAIN", help="Start from a shipped domain; see check-domain.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a domain with its wordings and its problem template, to start from.

    The folder NAME gets domain.pddl, domain.say (English) and domain.template (problems). They work as they are.
    """
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a domain", hint="use letters, digits, '-' and '_', a letter first")
    texts = _texts(like)
    folder = out / name.lower()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot write {folder}: {getattr(error, 'strerror', None) or error}") from error
    written = []
    for ending, text in texts.items():
        path = folder / f"domain{ending}"
        write_text(path, _rename_definition(text, name.lower()), fresh=True)
        written.append(str(path))
    if as_json:
        print_json({"domain": name.lower(), "files": written})
        return
    print(printable(f"{', '.join(written)}: edit them, then run: chorewright check-domain {folder}"))


def _texts(like: str | None) -> dict[str, str]:
    """Return the texts to start from, by the endings of their files."""
    if like is None:
        data = files("chorewright.problems") / "data"
        return {ending: (data / f"{START}{ending}").read_text("utf-8") for ending in ENDINGS}
    from chorewright.domains.pddl.writer import write_domain
    from chorewright.files.text import read_text
    from chorewright.problems.pddl.template_files import FOLDER, classic_domain, classic_template

    classic_template(like)
    own = FOLDER / f"{like}.pddl"
    found = {".pddl": read_text(own) if own.is_file() else write_domain(classic_domain(like))}
    return found | {ending: read_text(FOLDER / f"{like}{ending}") for ending in ENDINGS[1:]}


def _rename_definition(text: str, name: str) -> str:
    """Return a definition under another name of its domain."""
    text = re.sub(r"\(define\s+\((domain|wordings|template)\s+[^\s()]+\)", rf"(define (\1 {name})", text, count=1)
    return re.sub(r"\(:domain\s+[^\s()]+\)", f"(:domain {name})", text, count=1)
