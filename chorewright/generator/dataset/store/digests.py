"""SHA-256 of texts and of shipped domains: what an episode says of the words that it was made from."""

from __future__ import annotations

import hashlib
from functools import cache

from chorewright.domains.library import shipped_domain
from chorewright.domains.pddl.writer import write_domain


def text_sha256(text: str) -> str:
    """Return the digest of a text as UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def domain_sha256(name: str) -> str:
    """Return the digest of a shipped domain as it is written."""
    return text_sha256(write_domain(shipped_domain(name)))
