"""Vectors of sentences for CALVIN's annotations: from a sentence encoder, or from a function of the user's.

They are made or left out; there are no stand-ins.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import InputError, MissingExtra
from chorewright.files.extras import pip_install
from chorewright.files.plugins import Origin, load_function

Embed: TypeAlias = Callable[[Sequence[str]], NDArray[np.float32]]
"""Sentences to vectors (n, d)."""

ENCODER = "sentence-transformers"
MODEL = "paraphrase-MiniLM-L3-v2"
"""The encoder of CALVIN's own embeddings, 384 numbers a sentence."""


def find_embedder(name: str, origin: Origin = Origin.FILE) -> Embed:
    """Return what makes vectors of sentences.

    Args:
        name: ``sentence-transformers``, or ``module:function`` of the user's: from a list of sentences to an
            array with a row for each.
        origin: Where the name came from.

    Raises:
        MissingPlugin: A file names a function.
        MissingExtra: The encoder is not installed.
        UsageError: There is no such module or function.
    """
    if name == ENCODER:
        return checked(_encoder(), name)
    hint = f"give {ENCODER}, or module:function"
    return checked(load_function(name, "sentence encoder", origin, hint), name)


def checked(function: Callable[[Sequence[str]], object], name: str) -> Embed:
    """Return a function whose vectors are known to be some: finite, not zero, one for each sentence."""

    def embed(sentences: Sequence[str]) -> NDArray[np.float32]:
        try:
            vectors = np.asarray(function(list(sentences)), np.float32)
        except Exception as error:  # the function is the user's: whatever it raises
            said = f"{type(error).__name__}: {error}".splitlines()[0]
            raise InputError(f"{name} failed: {said}") from error
        if vectors.ndim != 2 or len(vectors) != len(sentences):
            shape = f"{vectors.shape} for {len(sentences)} sentences"
            raise InputError(f"{name} gave an array of the shape {shape}", hint="a row for each sentence")
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise InputError(f"{name} gave vectors that are zero or not finite")
        return vectors

    return embed


def _encoder() -> Callable[[Sequence[str]], object]:
    try:
        encoders = importlib.import_module("sentence_transformers")
    except ImportError as error:
        raise MissingExtra(
            "embeddings need the package sentence-transformers",
            hint=f"{pip_install('calvin-language')}, or give module:function",
        ) from error
    model = encoders.SentenceTransformer(MODEL)

    def encode(sentences: Sequence[str]) -> object:
        return model.encode(list(sentences), show_progress_bar=False)

    return encode
