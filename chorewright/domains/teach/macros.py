"""Parameters of task definitions: ``#0``, ``#1`` ... replaced in texts, keys and values.

The rules are exactly TEACh's, including the order of keys. The last parameter comes first. A key that changes
moves to the end of its object. If two keys become equal, the later value stays. A value that then consists of
digits becomes a number, except in determiners and lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.json_source import JsonValue

REFERENCE = re.compile(r"#(\d{1,6})", re.ASCII)

_QUOTED = re.compile(r"'([^']*)'")


def references(text: str) -> list[int]:
    """Return the numbers of the parameters that a text mentions."""
    return [int(number) for number in REFERENCE.findall(text)]


def of_parameter(error: ChorewrightError, task: str, params: Sequence[str]) -> ChorewrightError:
    """Return an error as one about a parameter if it quotes one: then the file is not at fault."""
    quoted = _QUOTED.search(error.message)
    for number, param in enumerate(params):
        if quoted is not None and param and param in quoted[1]:
            message = f"parameter #{number} of {task}: {error.message}"
            return UsageError(message, hint=error.hint)
    return error


def filled_text(text: str, params: Sequence[str]) -> str:
    """Return a text with its parameters filled in; the values are searched for parameters with lower numbers."""
    for index in reversed(range(len(params))):
        text = text.replace(f"#{index}", params[index])
    return text


def filled_members(
    members: Mapping[str, JsonValue], params: Sequence[str]
) -> tuple[dict[str, JsonValue], dict[str, str]]:
    """Return an object with its parameters filled in, and the original of each key."""
    if not params:
        return dict(members), {key: key for key in members}
    result = dict(members)
    origins = {key: key for key in members}
    renamed = []
    for key, value in members.items():
        new_key = filled_text(key, params)
        if new_key != key:
            renamed.append(key)
            if not isinstance(value, str | list | dict):
                continue
        result[new_key] = _filled(value, params, new_key)
        origins[new_key] = key
    for key in renamed:
        result.pop(key, None)
        origins.pop(key, None)
    return result, origins


def _filled(value: JsonValue, params: Sequence[str], key: str) -> JsonValue:
    if isinstance(value, str):
        text = filled_text(value, params)
        return int(text) if key != "determiner" and _number(text) else text
    if isinstance(value, list):
        return [filled_text(each, params) if isinstance(each, str) else each for each in value]
    if isinstance(value, dict):
        return filled_members(value, params)[0]
    return value


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9
