"""How an extra of this package is installed from where the package itself came from."""

from __future__ import annotations

import json
import shlex
from urllib.parse import unquote, urlsplit

PACKAGE = "chorewright"


def pip_install(extra: str) -> str:
    """Return the command that adds an extra to this installation.

    It names the folder or wheel that the package was installed from, if pip noted one, and else the package index.
    """
    from importlib import metadata  # it takes longer to import than most verbs

    wanted = f"{PACKAGE}[{extra}]"
    try:
        noted = metadata.distribution(PACKAGE).read_text("direct_url.json")
        source = json.loads(noted) if noted else {}
    except (metadata.PackageNotFoundError, OSError, ValueError):
        source = {}
    url = source.get("url", "") if isinstance(source, dict) else ""
    if not url:
        return f"pip install '{wanted}'"
    if source.get("dir_info", {}).get("editable"):
        return f"pip install -e {shlex.quote(f'{unquote(urlsplit(url).path)}[{extra}]')}"
    return f"pip install {shlex.quote(f'{wanted} @ {url}')}"


__all__ = ["pip_install"]
