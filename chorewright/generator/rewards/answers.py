"""The answer in what a language model wrote: its last message, without thoughts, what is marked as the answer.

Nothing that is read here is executed, and all of it takes time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from chorewright.files.english import capital
from chorewright.generator.rewards.task import Facts, Score, refusal
from chorewright.planner.plan import GroundAction

LONGEST = 1 << 20
"""Letters of a completion; a longer one is no answer."""

MOST_STEPS = 2_000
"""Steps of a plan; a longer one is no answer."""

_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE | re.ASCII)
_MENTION = re.compile(r"\W*(?:and\W*)?", re.IGNORECASE)
"""What stands after a tag that is only mentioned: no word, or that before the other tag."""

_THOUGHTS = r"(?:\w{1,20}:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)"
_THOUGHT = re.compile(
    rf"<(?P<tag>/?){_THOUGHTS}(?: [^<>\n]{{0,99}})?>|\[(?P<bracket>/?)think\]|\u25c1(?P<arrow>/?)think\u25b7"
    r"|<\|channel\|>(?P<channel>final<\|message\|>)?",
    re.IGNORECASE | re.ASCII,
)
_REMARK = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*```[^\n]*$", re.MULTILINE)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_SAID_TO_BE = re.compile(
    r"(?:^|(?<=[.!?] ))[ \t#>*_-]{0,9}(?:(?:so|thus|hence|therefore|then|finally),? )?(?:the |my )?"
    r"(?:final |correct |right )?answer(?:[*_]{0,3} is\b(?! not\b)|[*_]{0,3} ?:|[*_]{0,3}$)[*_: ]{0,5}",
    re.IGNORECASE | re.ASCII | re.MULTILINE,
)
_STYLED = re.compile(r"\\(?:text|math)[a-z]{0,2}\s*\{([^{}]*)\}")
MARK = re.compile(
    r"^(?:[-*+]\s+)?(?:(?:step\s+)?(?P<number>\d{1,6}(?:\.\d{1,9})?)\s*(?P<sign>[.:)])\s*)?", re.IGNORECASE | re.ASCII
)
"""What a line of a list begins with."""

_ACTION = re.compile(r"\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)")
_DURATION = re.compile(r"\[\s*\d{1,9}(?:\.\d{1,9})?\s*\]\s*$")
_LINE_END = re.compile(r"\r\n|\r|\n")
_MARKUP = frozenset("(<[{|\\\u25c1")
"""What a line of prose does not begin with; such a line may say that those after it do not count."""

_SAID = (None, "text", "output_text")
"""The types of parts of a message that say something to others."""

_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_EMPHASIS = dict.fromkeys(map(ord, "*`"))


class UnclearAnswer(Exception):
    """There is no answer, or more than one; the message says so to whoever wrote it."""


def reads_answer(judge: Callable[[Any, Facts, object], Score]) -> Callable[[Any, Facts, object], Score]:
    """Return a judge who refuses what is unclear."""

    @wraps(judge)
    def score(self: Any, facts: Facts, completion: object) -> Score:
        try:
            return judge(self, facts, completion)
        except UnclearAnswer as error:
            return refusal(f"{capital(str(error))}.")

    return score


def turns_of(completion: object) -> list[str]:
    """Return what the model said in each of its turns.

    Args:
        completion: A text, a message (a mapping with ``content``), or a sequence of messages; of these the
            assistant's count. The content of a message may be a list of parts with ``text``.

    Raises:
        UnclearAnswer: It is none of these, or too long.
    """
    messages: Sequence[object] = [completion]
    if isinstance(completion, Sequence) and not isinstance(completion, str | bytes):
        messages = completion
    said = [_content(each) for each in messages if _is_assistant(each)]
    if sum(map(len, said)) > LONGEST:
        raise UnclearAnswer(f"the answer is longer than {LONGEST:,} letters")
    return said


def _is_assistant(message: object) -> bool:
    return not isinstance(message, Mapping) or message.get("role", "assistant") == "assistant"


def _content(message: object) -> str:
    content = message.get("content") if isinstance(message, Mapping) else message
    if isinstance(content, Sequence) and not isinstance(content, str | bytes):
        texts = [
            part if not isinstance(part, Mapping) else part.get("text") if part.get("type") in _SAID else None
            for part in content
        ]
        content = "".join(text for text in texts if isinstance(text, str))
    if content is None and isinstance(message, Mapping):  # as of a message that only calls a tool
        return ""
    if not isinstance(content, str):
        raise UnclearAnswer("there is no answer: a text or messages are expected")
    return content


def without_thoughts(text: str) -> str:
    """Return what comes after the last thought, without HTML's comments; nothing after a thought that never ends."""
    tags = list(_THOUGHT.finditer(text))
    if tags:
        text = text[tags[-1].end() :] if any(tags[-1].groups()) else ""
    return _REMARK.sub("", text)


def answer_in(completion: object) -> tuple[str, bool]:
    """Return the answer, and whether it is marked as such.

    That is what stands in ``<answer>``; within it, or else in all of the last message, what is boxed; and likewise what
    is said to be the answer, and what is fenced. What is marked with no word in it, or only "and", is but mentioned.

    Raises:
        UnclearAnswer: There is none, or several that differ.
    """
    turns = turns_of(completion)
    text, strict = without_thoughts(turns[-1]) if turns else "", False
    for find in (_find_marked, _find_boxed, _find_said, _find_fenced):
        if marked := find(text):
            found = {plain(each): each for each in marked if not _MENTION.fullmatch(each)}
            if len(found) > 1:
                raise UnclearAnswer("there are several answers that differ: put one into <answer> and </answer>")
            text = next(iter(found.values()), "")
            strict |= find != _find_said
    if not text.strip():
        raise UnclearAnswer("there is no answer")
    return text.strip(), strict


def _find_marked(text: str) -> list[str]:
    """Return what stands between an opening tag and the next tag, or the end."""
    tags = zip(_TAG.finditer(text), _split_after(_TAG, text), strict=True)
    return [part for tag, part in tags if tag[1] == ""]


def _find_boxed(text: str) -> list[str]:
    return [_STYLED.sub(r"\1", each) for each in _BOXED.findall(text)]


def _find_said(text: str) -> list[str]:
    """Return what is said to be the answer: of each but the last the line, of that all that follows."""
    found = _split_after(_SAID_TO_BE, text)
    return [*(each.partition("\n")[0] for each in found[:-1]), *found[-1:]]


def _find_fenced(text: str) -> list[str]:
    return _split_after(_FENCE, text)[::2]


def _split_after(mark: re.Pattern[str], text: str) -> list[str]:
    """Return what comes after each mark, up to the next one."""
    marks = list(mark.finditer(text))
    ends = [*(each.start() for each in marks[1:]), len(text)]
    return [text[each.end() : end] for each, end in zip(marks, ends, strict=False)]


def lower(text: str) -> str:
    """Return a text with ASCII's capitals in lower case: no other letter becomes one of ASCII."""
    return text.translate(_LOWER)


def bare(text: str) -> str:
    """Return a text in lower case without signs of emphasis and code."""
    return lower(text).translate(_EMPHASIS)


def plain(text: str) -> str:
    """Return a short answer as it is compared: bare, with single blanks, without quotes, signs of maths, full stop."""
    return " ".join(bare(text).split()).strip(" .!_$\"'\u201c\u201d")


def plan_in(completion: object) -> tuple[GroundAction, ...]:
    """Return the plan of an answer: an action a line, ``(name object ...)``, perhaps numbered.

    In an answer that is marked each line must be an action, and parentheses may be left out. Of one that is not,
    lines that are no actions are taken for prose, unless they begin like markup. What follows ``;`` is a comment, and
    signs of emphasis and code do not count.
    Lines may have times, ``3.5: (name object ...)``, which have to rise.

    Raises:
        UnclearAnswer: There is no plan, or it cannot be read.
    """
    text, marked = answer_in(completion)
    steps: list[GroundAction] = []
    time = -1.0
    for number, line in enumerate(_LINE_END.split(bare(text)), 1):
        code = _DURATION.sub("", line.split(";", 1)[0]).strip()
        if not code:
            continue
        stamp = MARK.match(code)
        assert stamp is not None
        step = code[stamp.end() :].strip()
        actions = _ACTION.findall(step)
        if actions and not _ACTION.sub("", step).strip():
            steps += [GroundAction(name, tuple(rest)) for name, *rest in map(str.split, actions)]
        elif marked and step and not set("()<>") & set(step):
            name, *rest = step.split()
            steps.append(GroundAction(name, tuple(rest)))
        elif marked or step[:1] in _MARKUP:
            raise UnclearAnswer(f"line {number} of the answer is no action: write (name object ...)")
        if stamp["sign"] == ":":
            if float(stamp["number"]) <= time:
                raise UnclearAnswer(f"the time in line {number} is not later than the one before")
            time = float(stamp["number"])
        if len(steps) > MOST_STEPS:
            raise UnclearAnswer(f"the plan has more than {MOST_STEPS:,} steps")
    if not steps:
        raise UnclearAnswer("there is no plan in the answer: write an action a line, (name object ...)")
    return tuple(steps)
