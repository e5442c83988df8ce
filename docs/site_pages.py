"""Pages that the site adds: verbs with their options, Python names, figures by group, notebooks that have run."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import chorewright
from chorewright.cli import build, verb_names
from chorewright.commands.starting.first_screen import by_purpose

DOCS = Path(__file__).parent
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
PACKAGE = DOCS.parent / "tests" / "plugin" / "package"
GROUPS = ("generate", "evaluate", "play", "serve")
SECTIONS = ("Args", "Attributes", "Returns", "Yields", "Raises")

_NAMED = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```$|^()((?:    [^\n]*\n)+)", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^# (.*)$", re.MULTILINE)


def verbs_page() -> str:
    """Return the list of verbs by their purpose, with a line about each."""
    parts = ["# Verbs", "", "Each verb has a page with its options and an example.", ""]
    for heading, names in by_purpose(verb_names()):
        parts += [f"## {heading}", ""]
        parts += [f"- [{name}](verbs/{name}.md): {_summary(name)}" for name in names]
        parts.append("")
    return "\n".join(parts)


def _summary(name: str) -> str:
    lines = _help([name]).split("\n\n")
    return " ".join(lines[1].split()) if len(lines) > 1 else ""


def verb_page(name: str) -> str:
    """Return a verb's examples and help; in a group, of each verb below it, too."""
    parts = [f"# {name}", "", f"What `chorewright {name} --help` prints, and where the pages use it.", ""]
    below = _commands([name]) if name in GROUPS else []
    for words in ([name], *([name, each] for each in below)):
        called = " ".join(words)
        if len(words) > 1:
            parts += [f"## {called}", ""]
        parts += ["```text", _help(words), "```", ""]
        if len(words) > 1 or not below:
            parts += _example_lines(called)
    return "\n".join(parts)


def _example_lines(called: str) -> Iterator[str]:
    """Yield an example as Markdown: a block of a page, all of which the tests run."""
    found = example(called)
    if found is not None:
        page, title, text = found
        yield from (f"From [{title}](../{page}):", "", "```sh", text, "```", "")


def example(called: str) -> tuple[str, str, str] | None:
    """Return a page, its title, and a command there with what it prints; one that prints something is preferred."""
    wanted = re.compile(rf"(?:^|\| |\()(?:\$ )?(?:.*\| |.*\$\()?chorewright {re.escape(called)}(?![\w-])")
    best: tuple[str, str, str] | None = None
    for path in sorted({*DOCS.glob("*.md")} - {DOCS / "pypi.md"}):
        text = path.read_text("utf-8")
        title = next(iter(_TITLE.findall(text)), path.stem)
        for language, fenced, _, indented in _BLOCK.findall(text):
            block = fenced or re.sub(r"(?m)^    ", "", indented)
            if language == "console":
                commands = re.split(r"(?m)^(?=\$ )", block)
            else:
                commands = block.replace("\\\n", "\\\0").split("\n")
            for command in commands:
                if wanted.match(command):
                    shown = command.replace("\0", "\n").rstrip()
                    if "\n" in shown and language == "console":
                        return path.name, title, shown
                    best = best or (path.name, title, shown)
    return best


def _commands(words: list[str]) -> list[str]:
    import typer

    command: Any = typer.main.get_command(build(words))
    for word in words:
        command = command.get_command(None, word)
    return list(command.list_commands(None))


def _help(words: list[str]) -> str:
    printed = io.StringIO()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "100"
    try:
        with contextlib.redirect_stdout(printed):
            build(words)([*words, "--help"], standalone_mode=False, prog_name="chorewright")
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)
    return printed.getvalue().rstrip()


def names_page() -> str:
    """Return the signatures and docstrings of the public Python names, and of the methods of classes."""
    parts = ["# Python names", "", "What `import chorewright as cw` offers; [Python](python.md) shows it at work.", ""]
    for name in chorewright.__all__:
        found = getattr(chorewright, name)
        if isinstance(found, str):
            continue
        parts += [f"## {name}", "", *_described(name, found)]
        if inspect.isclass(found):
            for member, each in _members(found):
                parts += [f"### {name}.{member}", "", *_described(member, each)]
    return "\n".join(parts)


def package_page() -> str:
    """Return the files of the package of plug-ins that the tests install."""
    parts = ["# A package of plug-ins", "", "All files of the laundry that [Extending](extending.md) explains.", ""]
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            language = {".py": "python", ".toml": "toml", ".json": "json"}.get(path.suffix, "pddl")
            parts += [
                f"```{language} package/{path.relative_to(PACKAGE).as_posix()}",
                path.read_text("utf-8") + "```",
                "",
            ]
    return "\n".join(parts)


def figure_pages() -> dict[str, str]:
    """Return the figures as a page of what is missed and the headlines, and a page for each group."""
    first, *groups = re.split(r"(?m)^## ", (DOCS / "figures.md").read_text("utf-8"))
    files = [f"figures/{re.sub(r'[^a-z]+', '_', group.partition(chr(10))[0].lower())}.md" for group in groups]
    places = {
        re.sub(r"[^a-z0-9_ -]", "", title.lower()).replace(" ", "-"): file
        for file, group in zip(files, groups, strict=True)
        for title in re.findall(r"(?m)^### (.+)$", group)
    }

    def linked(match: re.Match[str]) -> str:
        return f"]({places.get(match[1], 'figures.md')}#{match[1]})"

    listed = "".join(f"- [{group.partition(chr(10))[0]}]({file})\n" for file, group in zip(files, groups, strict=True))
    start = re.sub(r"\]\(#([^)]+)\)", linked, first).rstrip() + f"\n\n## By group\n\n{listed}"
    rest = {file: f"# Figures: {group}" for file, group in zip(files, groups, strict=True)}
    return {"figures.md": start, **rest}


def _figure_links(markdown: str) -> str:
    """Point links to a result's figures at the page of its group."""
    for file, text in figure_pages().items():
        for title in re.findall(r"(?m)^### (.+)$", text):
            anchor = re.sub(r"[^a-z0-9_ -]", "", title.lower()).replace(" ", "-")
            markdown = markdown.replace(f"](figures.md#{anchor})", f"]({file}#{anchor})")
    return markdown


def notebook_pages() -> dict[str, str | bytes]:
    """Return the notebooks as pages, with what their cells print and draw where all that they import is installed."""
    if importlib.util.find_spec("nbconvert") is None:
        return {f"notebooks/{path.stem}.md": _told(path) for path in NOTEBOOKS}
    import nbformat
    from nbconvert import MarkdownExporter
    from nbconvert.preprocessors import ExecutePreprocessor

    made: dict[str, str | bytes] = {}
    for path in NOTEBOOKS:
        notebook = nbformat.read(path, 4)
        imported = set(re.findall(r"(?m)^(?:import|from) (\w+)", "\n".join(cell.source for cell in notebook.cells)))
        if all(importlib.util.find_spec(name) for name in imported):
            with TemporaryDirectory() as folder:
                ExecutePreprocessor(timeout=600).preprocess(notebook, {"metadata": {"path": folder}})
        names = {"unique_key": path.stem, "output_files_dir": path.stem}
        text, resources = MarkdownExporter().from_notebook_node(notebook, names)
        made[f"notebooks/{path.stem}.md"] = text
        made.update({f"notebooks/{name}": picture for name, picture in resources["outputs"].items()})
    return made


def _told(notebook: Path) -> str:
    """Return a notebook that has not run as Markdown."""
    cells = ((each["cell_type"], "".join(each["source"])) for each in json.loads(notebook.read_text("utf-8"))["cells"])
    return "\n\n".join(f"```python\n{text}\n```" if kind == "code" else text for kind, text in cells) + "\n"


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that a class defines and documents."""
    if issubclass(kind, BaseException):
        return
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        function = getattr(member, "__func__", member)
        if (inspect.isfunction(function) or isinstance(member, property)) and inspect.getdoc(function):
            yield name, member if isinstance(member, property) else function


def _described(name: str, found: Any) -> list[str]:
    lines: list[str] = []
    if not isinstance(found, property):
        with contextlib.suppress(ValueError, TypeError):
            lines += ["```python", _signature(name, inspect.signature(found)), "```", ""]
    return [*lines, *docstring(inspect.getdoc(found) or ""), ""]


def _signature(name: str, signature: inspect.Signature) -> str:
    """Return a signature on one line, or with a line for each parameter."""
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", f"{name}{signature}")
    text = re.sub(r"\b(?:chorewright|collections|pathlib|typing|numpy|PIL)(?:\.\w+)*\.(?=[A-Z_])", "", text)
    if len(text) <= 88:
        return text
    tail = text[text.rindex(")") :]
    parameters = [re.sub(r": '([^']*)'", r": \1", str(each)) for each in signature.parameters.values()]
    short = [re.sub(r"\b[a-z_]\w*(?:\.\w+)*\.(?=[A-Z])", "", each) for each in parameters]
    stars = [each.kind is inspect.Parameter.KEYWORD_ONLY for each in signature.parameters.values()]
    if True in stars and not any(each.startswith("*") for each in short):
        short.insert(stars.index(True), "*")
    return "\n".join([f"{name}(", *(f"    {each}," for each in short), tail])


def docstring(text: str) -> list[str]:
    """Return a docstring of Google's form as Markdown: its sections become lists."""
    lines: list[str] = []
    section = ""
    for line in text.splitlines():
        if line.rstrip(":") in SECTIONS and line.endswith(":"):
            section = line[:-1]
            lines += [f"**{section}**", ""]
        elif section and line.startswith("    ") and not line.startswith("     "):
            entry = re.match(r"    ([\w*., |\[\]]+?): (.*)", line)
            lines.append(f"- `{entry[1]}`: {entry[2]}" if entry else f"- {line.strip()}")
        elif section and line.startswith("     "):
            lines.append(f"  {line.strip()}")
        else:
            section = section if not line.strip() else ""
            lines.append(line)
    return [re.sub(r"``([^`]+)``", r"`\1`", line) for line in lines]


def pages() -> dict[str, str]:
    """Return all pages that are made, by their files."""
    made = {f"verbs/{name}.md": verb_page(name) for name in verb_names()}
    return {"verbs.md": verbs_page(), **made, "python_names.md": names_page(), "laundry_package.md": package_page()}


def on_config(config: Any) -> Any:
    """List the pages of verbs and of figures in the navigation."""
    for section in config["nav"]:
        for title, below in section.items():
            if isinstance(below, list):
                section[title] = [_with_pages(each) for each in below]
    return config


def _with_pages(entry: Any) -> Any:
    if entry == {"Verbs": "verbs.md"}:
        return {"Verbs": ["verbs.md", *({name: f"verbs/{name}.md"} for name in verb_names())]}
    return {"Figures": list(figure_pages())} if entry == {"Figures": "figures.md"} else entry


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    for name, text in {**pages(), **figure_pages(), **notebook_pages()}.items():
        if (there := files.get_file_from_path(name)) is not None:
            files.remove(there)
        files.append(File.generated(config, name, content=text))
    return files


def front_page() -> str:
    """Return what the repository's README says before its own links, for the site's first page."""
    told = (DOCS.parent / "README.md").read_text("utf-8").partition("\n## Read on\n")[0]
    return re.sub(r"<!--.*?-->\n", "", told).replace("](docs/", "](") + "\n## All pages\n"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links to the repository's README at the first page; leave the text of links to its other files.

    A block's file becomes its title. The first page begins with the README, not with a link to itself.
    """
    markdown = _NAMED.sub(r'```\1 title="\2"', markdown)
    if "](figures.md#" in markdown:
        markdown = _figure_links(markdown)
    markdown = re.sub(r"\]\((notebooks/\w+)\.ipynb\)", r"](\1.md)", markdown)
    if page.file.src_uri == "README.md":
        markdown = re.sub(r"(?m)^The \[README\].*\n\n", "", markdown)
        markdown = markdown.replace("# Documentation\n", front_page(), 1)
    markdown = markdown.replace("](../README.md", "](README.md").replace(
        "](../tests/plugin/package)", "](laundry_package.md)"
    )
    if page.file.src_uri.startswith("verbs/"):
        return markdown
    return re.sub(r"\[([^\]]*)\]\(\.\./[^)]*\)", r"\1", markdown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Let the search of pages opened from disk run by the site's own script, not by one from the network."""
    up = "../" * page.file.url.count("/")
    return output.replace("https://unpkg.com/iframe-worker/shim", f"{up}offline_search.js")
