"""Tests of what was recorded: on the sample of the reference data, and on the whole where it is at hand."""

from __future__ import annotations

import pytest

from benchmarks.corpora.reference import reference, sample

CORPORA = [pytest.param(sample, id="sample"), pytest.param(reference, id="whole", marks=pytest.mark.reference)]

each_corpus = pytest.mark.parametrize("corpus", CORPORA)
"""A test of what was recorded: on the sample always, and on all of it where it is at hand."""
