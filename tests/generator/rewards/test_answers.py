"""What counts as the answer in what a model wrote."""

from __future__ import annotations

import pytest

from chorewright.generator.rewards.answers import LONGEST, UnclearAnswer, answer_in, lower, plan_in, turns_of

PLAN = ("(pick a b)", "(put a c)")

READ = {
    "marked": "<answer>\n(pick a b)\n(put a c)\n</answer>",
    "after thoughts": "<think>(pick z z)\n<answer>(no)</answer></think><answer>(pick a b)\n(put a c)</answer>",
    "fenced": "Here it is.\n```pddl\n(pick a b)\n(put a c)\n```\nThat is all.",
    "fenced within the mark": "<answer>\n```\n(pick a b)\n(put a c)\n```\n</answer>",
    "the mark before the fence": "```\n(draft a)\n```\n<answer>(pick a b)\n(put a c)</answer>",
    "prose around": "First I pick it up.\n(pick a b)\nThen I put it down.\n(put a c)\nDone.",
    "numbers": "<answer>\n1. (pick a b)\n2) (put a c)\n</answer>",
    "steps": "<answer>\nStep 1: (pick a b)\nstep 2: (put a c)\n</answer>",
    "stamps": "<answer>\n0: (pick a b)\n1: (put a c)\n</answer>",
    "times and durations": "<answer>\n0.000: (pick a b) [1.0]\n1.001: (put a c) [0.5]\n</answer>",
    "dashes": "<answer>\n- (pick a b)\n- (put a c)\n</answer>",
    "no parentheses": "<answer>\npick a b\nput a c\n</answer>",
    "one line": "<answer>(pick a b) (put a c)</answer>",
    "capitals": "<ANSWER>(PICK A B)\n(Put A C)</ANSWER>",
    "comments": "<answer>(pick a b) ; cost 1\n; (drop a)\n(put a c)\n; cost = 2</answer>",
    "the same twice": "<answer>(pick a b)\n(put a c)</answer> I repeat: <answer>(pick a b)\n(put a c)</answer>",
    "no end": "<answer>\n(pick a b)\n(put a c)",
    "mentions before": "I write between `<answer>` and `</answer>`: <answer>(pick a b)\n(put a c)</answer>",
    "a mention after": "<answer>(pick a b)\n(put a c)</answer> (see <answer>).",
    "said to be the answer": "That is easy.\n\n**Answer:** (pick a b)\n(put a c)",
    "said in a sentence": "Nothing else helps. So the final answer is: (pick a b)\n(put a c)\nThis reaches the goal.",
    "under a heading": "# Plan\nLet me see.\n## Final answer\n\n(pick a b)\n(put a c)",
    "said and fenced": "The answer is:\n```pddl\n(pick a b)\n(put a c)\n```\nThat is all.",
    "boxed": "$\\boxed{(pick a b)\n(put a c)}$",
    "boxed within the mark": "<answer>\\boxed{\\text{(pick a b)\n(put a c)}}</answer>",
    "code": "1. `(pick a b)`\n2. `(put a c)`",
    "bold": "* **(pick a b)**\n* **(put a c)**",
    "a mark in a mark": "<answer><answer>(pick a b)\n(put a c)</answer></answer>",
}

UNCLEAR = {
    "empty": "",
    "blank": " \n\t",
    "only thoughts": "<think>(pick a b)\n(put a c)</think>",
    "a thought without an end": "<think>(pick a b)\n(put a c)",
    "an empty mark": "(pick a b)\n<answer></answer>",
    "only mentions": "(pick a b) stands between <answer> and </answer>",
    "a second plan without an end": "<answer>(pick a b)</answer> <answer>(put a c)",
    "a plan around another": "<answer>(pick a b)<answer>(put a c)</answer></answer>",
    "two plans": "<answer>(pick a b)</answer><answer>(put a c)</answer>",
    "two fences": "```\n(pick a b)\n```\n```\n(put a c)\n```",
    "two boxes": "\\boxed{(pick a b)} \\boxed{(put a c)}",
    "two said": "Answer: (pick a b)\nAnswer: (put a c)",
    "an empty box": "\\boxed{} (pick a b)\n(put a c)",
    "prose": "I would pick a from b and put it on c.",
    "prose marked": "<answer>(pick a b) and then I do the rest</answer>",
    "only comments": "<answer>; (pick a b)\n;(put a c)</answer>",
    "a comment that goes on": "<answer>; so\u2028(pick a b)\u2028(put a c)</answer>",
    "a problem": "<answer>(define (problem p) (:init (on a b)))</answer>",
    "nested": "<answer>((pick a b))</answer>",
    "unclosed": "<answer>(pick a b\n(put a c)</answer>",
    "too long": "<answer>" + "(pick a b)\n" * 2_001 + "</answer>",
    "huge": "(" * (LONGEST + 1),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_a_plan_is_found(text: str) -> None:
    assert tuple(map(str, plan_in(text))) == PLAN


@pytest.mark.parametrize("text", UNCLEAR.values(), ids=UNCLEAR)
def test_what_is_unclear_is_no_plan(text: str) -> None:
    with pytest.raises(UnclearAnswer):
        plan_in(text)


def test_the_assistant_s_messages_count() -> None:
    chat = [
        {"role": "user", "content": "<answer>(drop a)</answer>"},
        {"role": "assistant", "content": "one moment"},
        {"role": "assistant", "content": [{"type": "text", "text": "<answer>pick a b</answer>"}]},
        {"role": "tool", "content": "<answer>(drop a)</answer>"},
    ]
    assert turns_of(chat) == ["one moment", "<answer>pick a b</answer>"]
    assert answer_in(chat) == ("pick a b", True)
    assert answer_in({"role": "assistant", "content": "yes"}) == ("yes", False)


@pytest.mark.parametrize(
    "value", [None, 7, b"(pick a b)", {"role": "assistant"}, [{"role": "assistant", "content": 3}], object()]
)
def test_values_that_are_no_text(value: object) -> None:
    with pytest.raises(UnclearAnswer):
        answer_in(value)


def test_only_ascii_has_capitals() -> None:
    assert lower("ABC\u212aİ") == "abc\u212aİ"  # the Kelvin sign's lower case is k
