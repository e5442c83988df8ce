"""What was done to chorewright to make it lose or break something, and what was lost: a row for each kind of harm.

    python -m benchmarks.reliability [--rows 1-7,20] [--slow] [--save] [--json FILE]

Without ``--rows`` it runs the tests of all rows, without ``--slow`` only the quick ones.

Each row names its tests as pytest does, ``FILE::FUNCTION``, and shares of results that other benchmarks have saved,
``RESULT/FIGURE``. A case is a test with one set of parameters, or a case of such a share. A case that fails is lost.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.command import ROOT, benchmark_parser, keep
from benchmarks.figures import figure_of
from benchmarks.results import Figure, Report, ResultError, Target, read_all, table

GENERATOR, PDDL, TDL = "tests/generator", "tests/domains/pddl", "tests/domains/teach"
PRODUCTION, STORE = f"{GENERATOR}/production/test_production.py", f"{GENERATOR}/dataset/store/test_store.py"

LATER = "not yet"
"""What the table has for a row without tests."""


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of harm.

    Attributes:
        number: The row's number.
        what: What is done, in a few words.
        tests: The tests that do it; a file stands for all of its tests.
        shares: Figures of saved results that count the same.
    """

    number: int
    what: str
    tests: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """How many cases were tried, how many of them were lost, and how many could not be tried here."""

    tried: int = 0
    lost: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.tried + other.tried, self.lost + other.lost, self.skipped + other.skipped)


def _in(file: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{file}::{name}" for name in names)


ROWS = (
    Row(
        1,
        "kill -9 of the whole run, then the same command",
        _in(
            PRODUCTION,
            "test_a_killed_run_continues_to_the_same_bytes",
            "test_twenty_killed_runs_continue_to_the_same_bytes",
            "test_a_run_killed_again_and_again_arrives",
            "test_leftovers_of_killed_writers_are_removed",
        )
        + _in("tests/files/test_atomic.py", "test_a_kill_in_the_middle_leaves_a_whole_file"),
        ("crashes/identical",),
    ),
    Row(
        2,
        "kill -9 of a worker",
        _in(
            PRODUCTION,
            "test_a_killed_worker_costs_its_part_only",
            "test_a_killed_worker_is_reported_and_the_exit_code_is_0",
        ),
    ),
    Row(
        3,
        "other numbers of workers, hash seeds, locales, time zones, folders",
        _in(
            PRODUCTION,
            "test_any_number_of_workers_makes_the_same_bytes",
            "test_any_environment_makes_the_same_bytes",
            "test_alfred_is_the_same_for_workers_and_hash_seeds",
        )
        + _in("tests/planner/test_determinism.py", "test_plans_do_not_depend_on_the_hash_seed"),
        ("plan_determinism/one_plan",),
    ),
    Row(4, "shards damaged, cut off, deleted, swapped", _in(STORE, "test_damage_is_named_refused_and_mended")),
    Row(
        5,
        "manifests missing, edited, of a newer schema",
        _in(STORE, "test_a_wrong_manifest_is_refused", "test_a_lost_or_torn_manifest_is_made_again"),
    ),
    Row(
        6,
        "full disks",
        _in(
            PRODUCTION,
            "test_a_full_disk_is_an_error_and_the_run_continues_later",
            "test_a_full_disk_in_a_worker_is_one_line",
        )
        + _in("tests/files/test_atomic.py", "test_a_full_disk_leaves_what_was_there"),
    ),
    Row(
        7,
        "read-only targets, targets of others, two runs at once, stale locks",
        (
            *_in(
                STORE,
                "test_a_read_only_folder_is_an_error",
                "test_another_configuration_is_refused",
                "test_a_second_run_is_told_who_holds_the_lock",
                "test_a_stale_lock_is_taken_over",
                "test_without_system_locks_the_text_decides",
            ),
            f"{GENERATOR}/dataset/store/test_holder.py",
        ),
    ),
    Row(
        8,
        "malformed PDDL, task files and TDL",
        (
            f"{PDDL}/test_fuzzing.py",
            *_in(f"{PDDL}/test_limits.py", "test_encodings"),
            *_in("tests/domains/templates/test_goal_templates.py", "test_broken_files_give_our_errors_inside_the_file"),
            *_in(
                f"{TDL}/test_definitions.py",
                "test_whatever_is_written_there_the_errors_are_ours",
                "test_ten_thousand_random_definitions",
            ),
        ),
    ),
    Row(
        9,
        "deep nesting, 100,000 objects, 50 parameters",
        _in(
            f"{PDDL}/test_limits.py",
            "test_deep_nesting_is_a_limit_error_with_the_figures",
            "test_a_hundred_thousand_objects_and_atoms",
            "test_an_action_with_fifty_parameters",
        ),
    ),
    Row(
        10,
        "PDDL that is no PDDL: types, names, requirements, arity",
        _in(f"{PDDL}/test_malformed.py", "test_each_error_is_found_where_it_is", "test_the_reference_cases"),
    ),
    Row(
        11,
        "TDL that makes the reference hang or crash",
        _in(f"{TDL}/test_reference.py", "test_what_crashes_the_reference_is_our_error")
        + _in(
            f"{TDL}/test_definitions.py",
            "test_every_mistake_is_named_with_its_place",
            "test_a_null_anchor_in_a_relation",
            "test_cycles_are_found_over_several_files",
        ),
    ),
    Row(
        12,
        "plans changed at random, against an independent validator",
        ("tests/planner/test_validation_mutations.py",),
        ("planner_mutations/equal",),
    ),
    Row(
        13,
        "solvable and unsolvable tasks, against Fast Downward and pyperplan",
        _in("tests/planner/test_competition.py", "test_optimal_lengths_are_those_of_pyperplan")
        + _in("tests/planner/cost_to_go/test_optimality.py", "test_costs_are_those_of_fast_downward"),
        ("planner_optimality/equal",),
    ),
    Row(
        14,
        "properties: reading what was written, brute force, Bayes' rule",
        _in("tests/planner/test_language.py", "test_what_is_written_is_what_was_read")
        + _in("tests/planner/test_planning.py", "test_optimal_costs_are_those_of_brute_force")
        + _in("tests/replay/games/test_running.py", "test_small_domains_run_as_the_validator_has_it")
        + _in("tests/rsa/handmethat/test_goal_inference.py", "test_listener_is_bayes_rule_over_goals_and_meanings")
        + _in("tests/rsa/handmethat/test_speech_acts.py", "test_groundings_are_those_of_brute_force"),
    ),
    Row(
        15,
        "limits of time and memory",
        _in("tests/test_cli.py", "test_each_limit_has_its_exit_code")
        + _in(
            "tests/planner/engines/test_engines.py",
            "test_a_process_and_its_children_are_stopped_at_the_time_limit",
            "test_a_process_is_held_to_the_memory_limit",
        )
        + _in("tests/files/test_memory.py", "test_memory_that_runs_out_while_libraries_load_has_its_exit_code"),
        ("planner_limits/kept",),
    ),
    Row(16, "simulators that die, hang, answer nonsense", (f"{GENERATOR}/household/test_moments.py",)),
    Row(17, "pickles that would execute something", (f"{GENERATOR}/calvin/test_pickles.py",)),
    Row(
        18,
        "names that lead out of the target, links in it",
        _in(STORE, "test_bad_names_are_refused", "test_links_in_the_target_are_refused")
        + _in(f"{GENERATOR}/alfred/export/test_exporter.py", "test_links_cannot_leave_the_target")
        + _in("tests/files/test_atomic.py", "test_links_and_permissions"),
    ),
    Row(
        19,
        "markup, terminal escapes and line breaks in names",
        _in(f"{GENERATOR}/showing/test_view.py", "test_nothing_in_an_episode_steers_the_terminal")
        + _in(f"{GENERATOR}/showing/test_pages.py", "test_texts_cannot_end_the_data"),
    ),
    Row(
        20,
        "Ctrl-C and SIGTERM while processes work",
        (
            *_in(PRODUCTION, "test_signals_end_all_processes_soon", "test_workers_end_with_their_killed_parent"),
            "tests/files/test_pool.py",
        ),
    ),
    Row(
        21,
        "exports read by the libraries that their users have",
        _in(f"{GENERATOR}/training/test_lerobot.py", "test_frames_are_the_episodes")
        + _in(f"{GENERATOR}/training/test_huggingface.py", "test_rows_of_frames")
        + _in(f"{GENERATOR}/training/test_transitions.py", "test_trajectories_become_a_dataset_for_each_split"),
    ),
    Row(
        22,
        "accepted episodes run again",
        _in("tests/test_cli.py", "test_a_household_dataset_goes_all_the_way"),
        ("behavior_dataset/verified",),
    ),
    Row(23, "caches that are crafted, damaged, outdated, or others' to write", ("tests/jit/test_cache.py",)),
    Row(
        24,
        "an installation that may only be read",
        _in(
            "tests/jit/test_cache.py",
            "test_a_package_that_may_only_be_read_gives_its_code",
            "test_without_a_folder_code_is_compiled_in_memory",
        ),
        ("installation/succeeded",),
    ),
    Row(
        25,
        "signals and limits in each phase",
        (
            "tests/files/test_stopping.py",
            *_in(
                "tests/planner/test_limits.py",
                "test_promptly_a_signal_is_raised_at_once",
                "test_promptly_a_limit_is_raised_at_once",
            ),
        ),
    ),
    Row(26, "a clone with nothing beside it", _in("tests/test_documents.py", "test_a_page_s_blocks_run")),
    Row(
        27,
        "object stores: a put that fails, two writers, a killed run",
        (f"{GENERATOR}/dataset/store/test_places.py",),
        ("remote/equal", "remote/verified"),
    ),
    Row(28, "plug-ins that raise, print, hang, lie", ("tests/plugin/test_misbehaviour.py",)),
    Row(
        29,
        "text of agents: any characters, any words",
        _in("tests/replay/alfred/test_houses.py", "test_any_text_is_answered")
        + _in("tests/replay/alfred/test_play.py", "test_every_command_about_every_pair_is_done_or_has_a_reason"),
    ),
    Row(
        30,
        "damaged house and BDDL files",
        _in("tests/problems/household/houses/test_reading.py", "test_damaged_files_are_refused_with_place_and_reason")
        + _in("tests/domains/behavior/test_bddl.py", "test_damaged_files_give_errors_with_places_and_never_crash")
        + ("tests/hostile/test_readers.py",),
    ),
    Row(31, "datasets and settings that name code", ("tests/trust/test_names.py",)),
    Row(
        32,
        "episodes that hang, exhaust memory or kill their worker each time",
        ("tests/generator/production/test_losses.py",),
    ),
    Row(
        33,
        "small files that claim to be huge",
        ("tests/hostile/test_bombs.py", f"{GENERATOR}/dataset/store/test_page_sizes.py"),
    ),
    Row(34, "names that are not UTF-8, terminals of ASCII", ("tests/test_every_verb.py",)),
    Row(35, "answers of language models that cheat"),
    Row(36, "kill -9 while a plan is improved"),
)


def chosen(text: str | None) -> tuple[Row, ...]:
    """Return the rows of a text like ``1-7,20``; all without one.

    Raises:
        ResultError: It names no rows.
    """
    if text is None:
        return ROWS
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal():
            raise ResultError(f"{text!r} names no rows", hint="for example 1-7,20")
        numbers.update(range(int(first), int(last or first) + 1))
    return tuple(row for row in ROWS if row.number in numbers)


def run_tests(tests: Iterable[str], slow: bool) -> dict[str, Count]:
    """Run tests, and count the cases of each file and function that is named."""
    named = sorted(set(tests))
    counts = dict.fromkeys(named, Count())
    if not named:
        return counts
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "cases.xml"
        words = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", f"--junitxml={told}"]
        words += ["-o", "junit_family=xunit1", "-m", "slow or not slow" if slow else "not slow"]
        subprocess.run([*words, *named], cwd=ROOT, check=False, stdout=sys.stderr)
        for case in ElementTree.parse(told).iter("testcase"):
            function = f"{case.get('file')}::{str(case.get('name')).partition('[')[0]}"
            kinds = {each.tag for each in case}
            skipped = "skipped" in kinds
            one = Count(0 if skipped else 1, int(bool(kinds & {"failure", "error"})), int(skipped))
            for name in (function, str(case.get("file"))):
                if name in counts:
                    counts[name] += one
    return counts


def share(reference: str) -> Count:
    """Return the cases of a saved share, ``RESULT/FIGURE``, and those that are not counted in it.

    Raises:
        ResultError: There is no such figure, or it is no share.
    """
    figure = figure_of(read_all(), reference)
    if figure.of is None or not isinstance(figure.value, int):
        raise ResultError(f"{reference} is no share")
    return Count(figure.of, figure.of - figure.value)


def report(rows: Sequence[Row], counts: Mapping[str, Count]) -> Report:
    """Return the table of rows with what was tried and lost."""
    lines, total, done = [], Count(), 0
    for row in rows:
        count = sum((counts[name] for name in row.tests), Count()) + sum(map(share, row.shares), Count())
        total += count
        done += bool(count.tried)
        tried = f"{count.tried:,}" if count.tried else LATER
        lines.append((f"{row.number}. {row.what}", tried, str(count.lost) if count.tried else ""))
    figures = (
        Figure("rows", "kinds of harm with tests", done, of=len(rows)),
        Figure("lost", "cases that lost or broke something", total.lost, target=Target("at most", 0)),
        Figure("cases", "cases tried", total.tried, note=_note(total)),
    )
    return Report(
        "reliability",
        "Command line and store",
        "Reliability",
        "What was done to make chorewright lose or break something. A case is a test with one set of parameters, or a "
        "case of a benchmark on this page.",
        figures,
        (table(("what was tried", "n", "lost"), lines),),
    )


def _note(total: Count) -> str:
    return f"{total.skipped} more need what the machine did not have" if total.skipped else ""


def main() -> None:
    """Run the tests, print the table and keep it."""
    parser: argparse.ArgumentParser = benchmark_parser(__doc__)
    parser.add_argument("--rows", help="only these, for example 1-7,20")
    parser.add_argument("--slow", action="store_true", help="also the tests that are marked slow")
    arguments = parser.parse_args()
    rows = chosen(arguments.rows)
    made = report(rows, run_tests((name for row in rows for name in row.tests), arguments.slow))
    for line in made.tables[0].rows:
        print(f"{line[0]:<76} {line[1]:>8} {line[2]:>5}")
    keep(arguments, made)
    sys.exit(bool(made.figures[1].value))


if __name__ == "__main__":
    main()
