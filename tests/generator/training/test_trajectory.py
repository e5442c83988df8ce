"""The options of pictures: how they are said on the command line, and what they make of cameras."""

from __future__ import annotations

import pytest

from chorewright.generator.dataset.options import declare
from chorewright.generator.training.trajectory import PictureOptions


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        ("size", "--size"),
        ("cameras", "--camera"),
        ("fov", "--fov"),
        ("camera_height", "--camera-height"),
        ("looks", "--looks"),
    ],
)
def test_options_have_flags_of_their_own(name: str, spelling: str) -> None:
    (one,) = (each for each in declare(PictureOptions) if each.name == name)
    assert spelling in (one.flag, *one.flags)


@pytest.mark.parametrize(("size", "pixels"), [("", None), ("0", None), ("64", 64), ("300", 300)])
def test_pictures_are_as_large_as_asked_for_or_as_usual(size: str, pixels: int | None) -> None:
    assert PictureOptions(size=size).view()[0] == pixels
