"""docs/handmethat.md says of the world what the data says."""

from __future__ import annotations

import re

from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import handmethat_domain, load_shipped_library, user_library
from chorewright.domains.templates.parser import parse_template
from tests.command import ROOT
from tests.documents import blocks

DOCUMENT = ROOT / "docs" / "handmethat.md"


def test_the_template_on_the_page_is_one() -> None:
    (block,) = [each for each in blocks(DOCUMENT.name, DOCUMENT.read_text("utf-8")) if each.file.endswith(".task")]
    template = parse_template(
        block.text, handmethat_domain(), load_shipped_library().vocabulary("handmethat"), path=block.file
    )
    assert template.name == "clear-the-desk"
    assert template.slot_names == ("pen", "paper1", "paper2")


def test_the_page_counts_what_there_is() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert f"The {len(user_library().collection('handmethat'))} templates" in text
    assert f"{len(object_space().categories)} categories" in text
    assert f"| {len(object_space().locations)}, as Table 7" in text
    assert f"has the {len(handmethat_domain().actions)} actions" in text
    for path in re.findall(r"`((?:rsa|problems|domains)/[\w/.-]+)`", text):
        assert (DOCUMENT.parents[1] / "chorewright" / path).exists(), path
