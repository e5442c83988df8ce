"""A file can never name code: datasets, exports, scenes and settings with ``module:attribute`` in each text field."""

from __future__ import annotations

import ast
import json
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import typer

from chorewright.cli import build, verb_names
from chorewright.commands.starting.defaults import changes, code_allowed, default_map, settings_files
from chorewright.errors import ChorewrightError, ExitCode, InputErrors, MissingPlugin
from chorewright.files.plugins import ALLOWED, Origin, allow_code, load
from chorewright.generator.calvin.options import CalvinOptions
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.options import refuse_code
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.line import run
from chorewright.generator.training.exporter import EXPORTERS
from tests.command import ROOT, chorewright, invoke
from tests.trust.hostile import NAMED, NAMES, Place, Stored, Watch, altered, places

GATE = 10
"""So many places of a dataset, and of files, are tried in the gate; all of them in the slow tests."""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    folder = tmp_path_factory.mktemp("stored") / "data"
    run(GenerateConfig("alfred", 1), folder, workers=0)
    return Stored(folder)


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watch:
    (tmp_path / "code").mkdir()
    return Watch(monkeypatch, tmp_path / "code")


def ends(words: Sequence[object]) -> int:
    """Run a command and return its exit code; whatever it raises is an error of ours."""
    result = invoke([str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit | ChorewrightError), words
    return result.exit_code


def commands(data: Path, out: Path, forms: Sequence[str]) -> list[list[object]]:
    """Return the commands that read a dataset."""
    return [
        ["verify", data],
        ["verify", data, "--remake", 1],
        ["show", data],
        ["show", data, 0],
        ["view", data, "-o", out / "all.html", "--workers", 0, "--size", 16],
        ["view", data, 0, "-o", out / "one.html", "--size", 16],
        ["replay", data],
        *(["export", data, "--format", form, "--out", out / form] for form in forms),
    ]


def read(data: Path) -> None:
    """Read a dataset in Python as notebooks do."""
    try:
        for episode in Dataset(data):
            assert repr(episode)
            assert episode._repr_html_()
    except ChorewrightError:
        pass


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", [NAMED, NAMED[:1], NAMED[1:]])
def test_a_dataset_names_no_benchmark(
    stored: Stored, watch: Watch, name: str, where: Sequence[Place], tmp_path: Path
) -> None:
    data = stored.write(tmp_path / "data", where, name)
    for words in commands(data, tmp_path, EXPORTERS.names() if where == NAMED else ["chat", "huggingface"]):
        ends(words)
        watch.check(words)
    read(data)
    watch.check("Dataset")


def test_plain_columns_need_no_code(stored: Stored, watch: Watch, tmp_path: Path) -> None:
    data = stored.write(tmp_path / "data", NAMED, "elsewhere")
    needed = {" ".join(map(str, words[:1] + words[2:])): ends(words) for words in commands(data, tmp_path, ())}
    assert needed.pop("verify --remake 1") == needed.pop("replay") == ExitCode.MISSING_EXTRA
    assert set(needed.values()) == {0}
    assert ends(["export", data, "--format", "huggingface", "--out", tmp_path / "hf"]) == 0
    result = invoke(["verify", str(data), "--remake", "1"])
    assert "benchmark 'elsewhere' is not installed" in result.stderr
    assert "chorewright.benchmarks" in result.stderr


def test_a_configuration_out_of_a_file_makes_nothing(stored: Stored, watch: Watch, tmp_path: Path) -> None:
    config = Dataset(stored.write(tmp_path / "data", NAMED, "evil:Class")).manifest.config
    with pytest.raises(MissingPlugin):
        run(config, tmp_path / "again", workers=0)
    watch.check("run")


def test_options_that_run_code_are_not_taken_from_a_manifest(
    stored: Stored, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stored.manifest["configuration"] |= {"benchmark": "calvin", "options": {"calvin_env": str(tmp_path)}}
    try:
        data = stored.write(tmp_path / "data", NAMED[1:], "calvin")
    finally:
        stored.manifest["configuration"] |= {"benchmark": "alfred", "options": {}}
    config = Dataset(data).manifest.config
    with pytest.raises(MissingPlugin, match="--calvin-env"):
        refuse_code(CalvinOptions, config)
    monkeypatch.setenv(ALLOWED, str(tmp_path))
    refuse_code(CalvinOptions, config)


def tried(stored: Stored, watch: Watch, folder: Path, some: Sequence[Place], rng: random.Random, most: int) -> None:
    for number, place in enumerate(some):
        name = rng.choice(NAMES)
        data = stored.write(folder / "data", [place], name)
        every = commands(data, folder / "out", EXPORTERS.names())
        (folder / "out").mkdir()
        for words in rng.sample(every, min(most, len(every))):
            result = invoke([str(word) for word in words])
            watch.check((number, place, name, words))
            assert "Traceback" not in result.output
        read(data)
        watch.check((place, name))
        shutil.rmtree(folder / "data")
        shutil.rmtree(folder / "out")


def test_some_fields_of_a_dataset(stored: Stored, watch: Watch, tmp_path: Path) -> None:
    rng = random.Random(7)
    tried(stored, watch, tmp_path, rng.sample(stored.places(), GATE), rng, 4)


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", ["alfred", "behavior", "objectnav", "teach", "calvin", "handmethat"])
def test_all_fields_of_datasets(benchmark: str, watch: Watch, tmp_path: Path) -> None:
    run(GenerateConfig(benchmark, 1), tmp_path / "made", workers=0)
    stored = Stored(tmp_path / "made")
    tried(stored, watch, tmp_path, stored.places(), random.Random(1), 6)


READERS: dict[str, list[list[str]]] = {
    "alfworld": [
        ["evaluate", "alfred", "{folder}", "--agent", "random", "--max-steps", "2", "--workers", "0"],
        ["play", "alfred", "--game", "{file}"],
    ],
    "eai": [["evaluate", "eai", "{folder}", "--answers", "{file}"]],
    "alfred": [["check-scene", "{file}"], ["check-state", "Coffee", "--state", "{file}"]],
    "chat": [["chains", "--check", "{file}"], ["evaluate", "calvin", "--policy", "expert", "--chains", "{file}"]],
}
"""Commands that read what a format holds, or are given one of its files for one of theirs."""


@pytest.mark.parametrize("form", READERS)
def test_files_of_other_formats(form: str, stored: Stored, watch: Watch, tmp_path: Path) -> None:
    data = stored.write(tmp_path / "data", (), "")
    assert ends(["export", data, "--format", form, "--out", tmp_path / "whole"]) == 0
    files = sorted(each for each in (tmp_path / "whole").rglob("*") if each.suffix in (".json", ".jsonl", ".tw-pddl"))
    assert files
    rng = random.Random(3)
    for file in files:
        text = file.read_text("utf-8")
        value = json.loads(text.splitlines()[0] if file.suffix == ".jsonl" else text)
        every = list(places(value))
        for place in rng.sample(every, min(GATE // 3, len(every))):
            file.write_text(json.dumps(altered(value, place, rng.choice(NAMES))), "utf-8")
            for words in READERS[form]:
                result = invoke([word.format(folder=tmp_path / "whole", file=file) for word in words], input="quit\n")
                watch.check((file, place, words))
                assert "Traceback" not in result.output
        file.write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("plan", "engine = 'evil:Class'"),
        ("export --format calvin", "embeddings = 'evil:Class'"),
        ("export", "format = 'evil:Class'"),
        ("evaluate alfred", "agent = 'evil:Class'"),
        ("evaluate teach", "agents = 'evil:Class'"),
        ("evaluate calvin", "policy = 'evil:Class'"),
        ("evaluate calvin", "calvin-env = 'folder'"),
        ("generate calvin", "calvin-env = 'folder'"),
        ("check-task", "benchmark = 'evil:Class'"),
        ("replay", "simulator = 'evil:Class'"),
        ("replay", "executable = './evil.sh'"),
        ("show", "allow-code = ['evil:Class']"),
    ],
)
def test_a_folders_settings_name_no_code(
    words: str, line: str, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, verb = tmp_path / "home", words.partition(" --")[0]
    text = f"[{verb.replace(' ', '.')}]\n{line}\n"
    (home / "chorewright").mkdir(parents=True)
    (home / "chorewright" / "chorewright.toml").write_text(text if "allow" not in line else "", "utf-8")
    monkeypatch.chdir(tmp_path)
    root = typer.main.get_command(build(words.split()))
    own = settings_files({"XDG_CONFIG_HOME": str(home)})
    assert default_map(root, own, words.split(), verb_names)
    assert changes(root, own, words.split()) == []
    (tmp_path / "chorewright.toml").write_text(text, "utf-8")
    both = settings_files({"XDG_CONFIG_HOME": str(home)})
    with pytest.raises(InputErrors, match=r"names code|no option 'allow-code'") as caught:
        default_map(root, both, words.split(), verb_names)
    assert str(caught.value.location) == "chorewright.toml:2:1"
    watch.check(line)
    if "allow" not in line:
        monkeypatch.setenv(ALLOWED, line.split("'")[1])
        assert default_map(root, both, words.split(), verb_names)


def test_what_a_folder_sets_is_told(tmp_path: Path) -> None:
    (tmp_path / "chorewright.toml").write_text("quiet = true\n[check]\njson = true\n", "utf-8")
    (tmp_path / "domain.pddl").write_text("(define (domain small) (:predicates (on)))\n", "utf-8")
    told = chorewright("check", "domain.pddl", cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "note: chorewright.toml sets quiet, check.json\n")
    for words in (["--quiet"], ["--config", "none"]):
        assert "note" not in chorewright("check", "domain.pddl", *words, cwd=tmp_path).stderr


def test_a_person_allows_code(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["show", "--allow-code", "a:B", "--allow-code=c:D", "--", "--allow-code", "e:F"]
    assert sorted(code_allowed(words)) == ["a:B", "c:D"]
    monkeypatch.setenv(ALLOWED, "x:Y")
    name = "tests.generator.toy:ToyBenchmark"
    with pytest.raises(MissingPlugin, match=r"chorewright\.benchmarks"):
        BENCHMARKS.find(name)
    allow_code([name])
    assert BENCHMARKS.find(name).name == BENCHMARKS.find(name, Origin.PERSON).name == name
    with pytest.raises(MissingPlugin, match="is code"):
        load("os:abort", "agent", Origin.FILE)


RESOLVES = ("chorewright/files/plugins.py", "chorewright/files/lazily.py")
"""What may turn a text into code: names that may come from elsewhere are the first one's business, which finds the
source of an installed entry point, too. The second one takes them from a package's own table."""


def resolving(text: str) -> Iterator[int]:
    """Yield the lines that could turn a text into code."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef) and any("Unpickler" in ast.unparse(base) for base in node.bases):
            limits = any(isinstance(each, ast.FunctionDef) and each.name == "find_class" for each in node.body)
            yield from () if limits else (node.lineno,)
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        owner = getattr(function.value, "id", "") if isinstance(function, ast.Attribute) else ""
        plain = bool(node.args) and isinstance(node.args[0], ast.Constant)
        computed = name in ("import_module", "__import__", "find_spec", "spec_from_file_location") and not plain
        computed |= name in ("eval", "exec") and not owner and not plain
        computed |= owner in ("pickle", "marshal", "shelve", "dill", "joblib", "runpy") and name != "dumps"
        computed |= any(each.arg == "allow_pickle" and not _false(each.value) for each in node.keywords)
        computed |= owner == "yaml" and name in ("load", "unsafe_load", "full_load", "load_all")
        if computed:
            yield node.lineno


def _false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def test_one_module_resolves_names() -> None:
    found = {
        f"{file.relative_to(ROOT).as_posix()}:{line}"
        for file in sorted((ROOT / "chorewright").rglob("*.py"))
        for line in resolving(file.read_text("utf-8"))
    }
    assert {each for each in found if each.partition(":")[0] not in RESOLVES} == set()
    assert {each.partition(":")[0] for each in found} == set(RESOLVES)
