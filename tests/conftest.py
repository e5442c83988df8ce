"""What all tests share: Ctrl-C, garbage, examples, the marker ``reference``, a word at the end on what was skipped."""

from __future__ import annotations

import signal
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import settings

from benchmarks.corpora.reference import DATA, MISSING
from chorewright.files.processes import collect_rarely

# Programs that tests start heed Ctrl-C also in the background, where shells ignore it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

collect_rarely()

# The gate draws the same examples each time; ``--hypothesis-profile default`` draws new ones.
settings.register_profile("gate", derandomize=True)
settings.load_profile("gate")

MOST_HELD_BACK = 40
"""So many tests may need the whole reference data; all others have what they need in the repository."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests of the whole reference data where these are not at hand."""
    held_back = [item for item in items if item.get_closest_marker("reference")]
    if len(held_back) > MOST_HELD_BACK:
        raise pytest.UsageError(
            f"{len(held_back)} tests are marked 'reference', {MOST_HELD_BACK} may be: let them loop over the data"
        )
    if not DATA.is_dir():
        for item in held_back:
            item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture
def hang_ups_are_heard() -> Iterator[None]:
    """Let processes hear SIGHUP although the tests were started by nohup, which has it ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say of each reason for skipping how many tests it held back, and which."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        found[reason.removeprefix("Skipped: ")][report.nodeid.partition("[")[0]] += 1
    if not found:
        return
    terminalreporter.section("held back")
    for reason, tests in sorted(found.items()):
        count = sum(tests.values())
        terminalreporter.write_line(f"{count} skipped: {reason}")
        for name, times in tests.items():
            terminalreporter.write_line(f"    {name}{f' ({times} times)' if times > 1 else ''}")
