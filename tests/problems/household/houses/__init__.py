"""Tests of whole houses in ProcTHOR's format."""
