"""Pages that the documentation site adds: all verbs with their options, and the Python names, from the code itself."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from typing import Any

import chorewright
from chorewright.cli import build


def verbs_page() -> str:
    """Return the help of every verb."""
    parts = ["# Verbs", "", "The help of each verb, as `chorewright VERB --help` prints it.", ""]
    names = sorted({*_commands([]), "generate"})
    for name in names:
        parts += [f"## {name}", "", "```text", _help([name]), "```", ""]
        for below in _commands([name]) if name in ("generate", "evaluate", "play") else ():
            parts += [f"### {name} {below}", "", "```text", _help([name, below]), "```", ""]
    return "\n".join(parts)


def _commands(words: list[str]) -> list[str]:
    import typer

    command: Any = typer.main.get_command(build(words))
    for word in words:
        command = command.get_command(None, word)
    return list(command.list_commands(None))


def _help(words: list[str]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        build(words)([*words, "--help"], standalone_mode=False, prog_name="chorewright")
    return printed.getvalue().rstrip()


def names_page() -> str:
    """Return the signatures and docstrings of the public Python names."""
    parts = ["# Python names", "", "What `import chorewright as cw` offers; [Python](python.md) shows it at work.", ""]
    for name in chorewright.__all__:
        found = getattr(chorewright, name)
        if isinstance(found, str):
            continue
        try:
            signature = str(inspect.signature(found))
        except ValueError:
            signature = ""
        text = inspect.getdoc(found) or ""
        parts += [f"## {name}", "", "```text", f"{name}{signature}", "", text, "```", ""]
    return "\n".join(parts)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    for name, text in (("verbs.md", verbs_page()), ("python_names.md", names_page())):
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links to the repository's README at the first page; leave the text of links to its other files."""
    markdown = markdown.replace("](../README.md", "](README.md")
    return re.sub(r"\[([^\]]*)\]\(\.\./[^)]*\)", r"\1", markdown)
