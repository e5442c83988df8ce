"""The notebooks run from top to bottom."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT, environment

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def code(path: Path) -> str:
    """The code cells as one program; the value of each last expression is shown as a notebook would."""
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    return RUN.format(cells=[("".join(cell["source"])) for cell in cells])


RUN = """
import ast
names = {{}}
for cell in {cells!r}:
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        for way in ("_repr_html_", "_repr_png_"):
            assert getattr(value, way, lambda: "text")()
"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_its_results(path: Path) -> None:
    found = json.loads(path.read_text("utf-8"))
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in found["cells"])


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    program = code(path)
    for needed in ("matplotlib", "trl"):
        if needed in program:
            pytest.importorskip(needed)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment({"MPLBACKEND": "agg"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
