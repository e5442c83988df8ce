"""A benchmark's options: declared once, with type, default and help, as the fields of a frozen dataclass.

They become the flags of ``generate``, typed values in the configuration and the manifest, and errors with a
hint. What the docstring says of a field is the help of its flag. A field is a ``str``, ``int``, ``float``, ``bool`` or
``tuple[str, ...]`` (a flag that may be repeated). The trials of ``evaluate`` are declared so, too; there a field may be
``int | None``.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ParamSpec, Protocol, TypeVar, cast

from chorewright.errors import MissingPlugin, UsageError
from chorewright.files.english import did_you_mean
from chorewright.files.plugins import Origin, how_to_allow, is_allowed
from chorewright.files.text import read_docstring
from chorewright.generator.dataset.config import USUAL_EFFORT, GenerateConfig, PlannerEffort, Value

Chosen = TypeVar("Chosen")
Given = ParamSpec("Given")
_OPTION = "chorewright.option"


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of a benchmark that has none."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What words on the command line stand for.

    Attributes:
        values: The option's values.
        files: Name and text of each of the user's files; they become part of the configuration, so that a
            resumed run cannot mix two versions of one.
    """

    values: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()


Load = Callable[[Sequence[str]], Loaded]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a benchmark.

    Attributes:
        default: Its value where the user gives none; None where a number may be left open.
        help: One sentence; without it, what the docstring of the dataclass says of the field.
        flags: Further spellings of the flag.
        metavar: What stands for the value in the help.
        choices: The values that it may have; empty if any.
        low, high: The range of a number, both ends included.
        load: Turns the words of the command line into values and files; None if the words are the values.
        always: Whether ``load`` is asked where no word is given, too.
        shown: What the help says is the default, where the value itself would tell nobody; empty for the value.
        code: Whether the value says which code runs, as a folder of modules does; a file cannot give it.
        argument: Whether it is a word by itself, without a flag.
        required: Whether the command line must give it.
        sparse: Whether a configuration has it only where it is not the default, as if there were no such option.
        name: The field's name, which ``declare`` fills in; the flag is ``--name`` with hyphens.
        kind: ``str``, ``int``, ``float``, ``bool``, or ``tuple`` for words; likewise.
    """

    default: Value | None
    help: str = ""
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    load: Load | None = None
    always: bool = False
    shown: str = ""
    code: bool = False
    argument: bool = False
    required: bool = False
    sparse: bool = False
    name: str = ""
    kind: type = str

    @property
    def flag(self) -> str:
        """The flag's usual spelling."""
        return f"--{self.name.replace('_', '-')}"


def _as_field(kind: Callable[Given, Option]) -> Callable[Given, typing.Any]:
    """Return what declares an option by the arguments of its class."""

    def declare_field(*args: Given.args, **kwargs: Given.kwargs) -> typing.Any:
        one = kind(*args, **kwargs)
        return dataclasses.field(default=one.default, metadata={_OPTION: one})

    return declare_field


option = _as_field(Option)
"""Declares an option: the default of a dataclass's field, for whose type it passes, as ``dataclasses.field`` does."""


def declare(kind: type) -> tuple[Option, ...]:
    """Return the options that a dataclass declares, in its order.

    Raises:
        TypeError: It is no dataclass, or a field has no default or another type.
    """
    hints = typing.get_type_hints(kind)
    told = {name: said for each in reversed(kind.__mro__) for name, said in read_docstring(each.__doc__)[1].items()}
    options = []
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        base = tuple if hint == tuple[str, ...] else int if hint == int | None else hint
        if field.default is dataclasses.MISSING or base not in (str, int, float, bool, tuple):
            raise TypeError(f"{kind.__name__}.{field.name} is no option: declare it by options.option")
        one = field.metadata.get(_OPTION) or Option(field.default)
        options.append(dataclasses.replace(one, name=field.name, kind=base, help=one.help or told.get(field.name, "")))
    return tuple(options)


def choose(kind: type[Chosen], given: Mapping[str, object], owner: str) -> Chosen:
    """Return options with the given values, checked; the others have their defaults.

    Args:
        kind: The dataclass that declares them.
        given: Value by name.
        owner: Whose options they are, for messages: ``the benchmark alfred``.

    Raises:
        UsageError: There is no such option, or a value is not of its type, range or choices.
    """
    known = {each.name: each for each in declare(kind)}
    found: dict[str, Value] = {}
    for name, value in given.items():
        if name not in known:
            flags = [each.flag for each in known.values()]
            asked = f"--{name.replace('_', '-')}"
            hint = did_you_mean(asked, flags) or (f"its options are {', '.join(flags)}" if flags else "it has none")
            raise UsageError(f"{owner} has no option {asked}", hint=hint)
        found[name] = check_option(known[name], value)
    return kind(**found)


def read_options(kind: type[Chosen], config: GenerateConfig) -> Chosen:
    """Return the options of a configuration, checked; see ``choose``."""
    return choose(kind, dict(config.options), f"the benchmark {config.benchmark}")


def refuse_code(kind: type, config: GenerateConfig) -> None:
    """Refuse a configuration out of a file whose options say which code runs, unless a person allowed it.

    Raises:
        MissingPlugin: It has such an option.
    """
    if config.origin is Origin.PERSON:
        return
    values = dict(config.options)
    for each in declare(kind):
        value = values.get(each.name)
        if each.code and value and not is_allowed(str(value)):
            raise MissingPlugin(
                f"the dataset's option {each.flag} runs the code at {value!r}", hint=how_to_allow(str(value))
            )


def check_option(one: Option, value: object) -> Value:
    """Return an option's value in its type. One word stands for a number or text, as stored configurations have it.

    Raises:
        UsageError: It is not of its type, range or choices.
    """
    if one.kind is tuple:
        words = (value,) if isinstance(value, str) else value
        if not isinstance(words, list | tuple) or not all(isinstance(each, str) for each in words):
            raise UsageError(f"{one.flag} takes words, not {value!r}")
        for word in words:
            _check_choice(one, word)
        return tuple(words)
    if isinstance(value, list | tuple):
        if len(value) > 1:
            raise UsageError(f"{one.flag} is given more than once")
        value = value[0] if value else one.default
    found = _of_type(one, value)
    if isinstance(found, str) and found:
        _check_choice(one, found)
    if isinstance(found, int | float) and not (
        (one.low is None or found >= one.low) and (one.high is None or found <= one.high)
    ):
        raise UsageError(f"{one.flag} must be {_range(one)}, not {found}")
    return found


def _of_type(one: Option, value: object) -> Value:
    if one.kind is str and isinstance(value, str | int | float):
        return str(value)
    if one.kind is bool and isinstance(value, bool):
        return value
    try:
        if one.kind is int and not isinstance(value, bool) and float(cast(str, value)).is_integer():
            return int(cast(str, value))
        if one.kind is float and not isinstance(value, bool):
            return float(cast(str, value))
        if one.kind is bool and value in ("true", "false"):
            return value == "true"
    except (TypeError, ValueError, OverflowError):
        pass
    wanted = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}[one.kind]
    raise UsageError(f"{one.flag} must be {wanted}, not {value!r}")


def _check_choice(one: Option, word: str) -> None:
    if one.choices and word not in one.choices:
        raise UsageError(
            f"{one.flag} must be {' or '.join(one.choices)}, not {word!r}", hint=did_you_mean(word, one.choices)
        )


def _range(one: Option) -> str:
    if one.low is None or one.high is None:
        return f"at least {one.low:g}" if one.low is not None else f"at most {one.high:g}"
    return f"{one.low:g} to {one.high:g}"


class HasOptionsType(Protocol):
    """A benchmark, as far as its options go."""

    @property
    def options(self) -> type:
        """The dataclass that declares them."""

    @property
    def efforts(self) -> tuple[str, ...]:
        """The flags of ``EFFORTS`` that it heeds."""

    def count(self, config: GenerateConfig) -> int:
        """Return the number of episodes; see ``Benchmark.count``."""


def settle(benchmark: HasOptionsType, config: GenerateConfig) -> GenerateConfig:
    """Return a configuration with the values of all options, those that were not given too.

    Raises:
        MissingPlugin: See ``refuse_code``.
        UsageError: See ``read_options``.
    """
    refuse_code(benchmark.options, config)
    values: object = read_options(benchmark.options, config)
    return dataclasses.replace(config, options=_values_of(benchmark.options, values))


def _values_of(kind: type, values: object) -> tuple[tuple[str, Value], ...]:
    told = ((each, cast("Value", getattr(values, each.name))) for each in declare(kind))
    return tuple((each.name, value) for each, value in told if not each.sparse or value != each.default)


def configure(
    benchmark: HasOptionsType,
    name: str,
    episodes: int,
    given: Mapping[str, object],
    *,
    seed: int = 0,
    shard_size: int = 0,
    effort: PlannerEffort = USUAL_EFFORT,
) -> GenerateConfig:
    """Return the configuration that words on the command line mean.

    Args:
        benchmark: Whose options are given.
        name: How the user named it.
        episodes: How many demonstrations to attempt.
        given: Value by the option's name; those that are None or empty are left at their defaults.
        seed: Of the dataset.
        shard_size: Episodes in a file, 0 for the usual number.
        effort: What the planner may do for an attempt.

    Raises:
        UsageError: The benchmark has no such option, or a value cannot be one.
        InputError: One of the user's files has errors.
    """
    options: dict[str, object] = {}
    files: list[tuple[str, str]] = []
    known = {each.name: each for each in declare(benchmark.options)}
    for key, value in {**given, **{name: given.get(name) for name, each in known.items() if each.always}}.items():
        loader = known[key].load if key in known else None
        if value is None or value == () or value == []:
            if loader is None or not known[key].always:
                continue
            value = ()
        if loader is None:
            options[key] = value
        else:
            loaded = loader((value,) if isinstance(value, str) else tuple(cast("Sequence[str]", value)))
            files += loaded.files
            options[key] = loaded.values
    values: object = choose(benchmark.options, options, f"the benchmark {name}")
    refused = [flag for flag in effort.flags() if flag not in benchmark.efforts]
    if refused:
        hint = f"it takes {', '.join(benchmark.efforts)}" if benchmark.efforts else None
        raise UsageError(f"the benchmark {name} takes no {refused[0]}", hint=hint)
    settled = _values_of(benchmark.options, values)
    config = GenerateConfig(name, episodes, seed, shard_size, settled, tuple(files), effort=effort)
    return dataclasses.replace(config, episodes=benchmark.count(config))


def document(benchmark: HasOptionsType) -> Mapping[str, str]:
    """Return what each option of a benchmark is, by its name: what a manifest says beside the values."""
    return {each.name: each.help for each in declare(benchmark.options)}


# An option that several formats for training have.


DETECTION, RETREAT = SEGMENTS = ("detection", "retreat")
"""Where a task of a table's chain ends: at the instant of its detection, or when the hand has drawn back."""


def segments_option() -> typing.Any:  # see ``option``
    """Declare the option ``--segments`` of a format for training."""
    return option(
        DETECTION,
        "Where a task of a table's chain ends: at the instant of its detection (what follows belongs to the next one), "
        "or when the hand has drawn back.",
        choices=SEGMENTS,
    )
