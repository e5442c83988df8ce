"""Writes the page of the documentation that lists every action of AI2-THOR with its arguments.

Run as ``python -m benchmarks.shipped.thor_arguments > docs/thor_arguments.md``.
"""

from __future__ import annotations

from collections.abc import Mapping

from chorewright.replay.household.server.arguments import ActionSignature, Parameter, load_arguments, parameters

HEAD = """\
# The arguments of AI2-THOR's actions

What the [program behind AI2-THOR's clients](thor_server.md) takes, made from the table that it checks them with:
`python -m benchmarks.shipped.thor_arguments`. Tests keep it true.

- **2.1.0** takes any field of any action, as that build does; `any` means that one that is not listed is ignored. The
  arguments that have an effect are the same in all versions.
- **3.1.0 and 5.0.0** refuse unknown names with `InvalidArgument` and the calls that are valid, wrong types with
  `InvalidArgument` and the type that was wanted, and absent arguments with `MissingArguments`. Their clients raise
  these messages. `any` marks actions that take every field in these versions as well.
- A range holds in all versions. `no effect` means that the argument is taken and nothing depends on it.
- Defaults are C#'s; an empty one is null.

Every action takes these besides:

| argument | meaning |
|---|---|
"""


def page() -> str:
    """Return the page of the documentation that lists every action with its arguments, versions and behaviour."""
    told = load_arguments()
    lines = [HEAD.rstrip("\n"), *(f"| {name} | {meaning} |" for name, meaning in told.everywhere.items()), ""]
    lines += ["| action | argument | type, default | range | 2.1.0 | 3.1.0 | 5.0.0 | behaviour |", "|---" * 8 + "|"]
    for names, signature in told.actions.items():
        lines += [f"| {names} | {row} |" for row in _rows(signature, told.meanings)]
    return "\n".join(lines) + "\n"


def _rows(signature: ActionSignature, meanings: Mapping[str, str]) -> list[str]:
    found = {each.name: each for text in signature.calls for each in parameters(text)}
    found |= {name: Parameter(kind, name, "") for name, kind in signature.reads.items()}
    versions = ["any" if version >= signature.since else "no such action" for version in (2, 3, 5)]
    if signature.calls:
        versions[1:] = [each if each != "any" else "checked" for each in versions[1:]]
    rows = []
    for name, each in found.items():
        default = (
            "" if each.default is None or not signature.calls else f", {each.default}" if each.default else ", null"
        )
        low, high = signature.ranges.get(name, (None, None))
        limits = "" if name not in signature.ranges else f"{low:g} to {high:g}" if high is not None else f"from {low:g}"
        does = "no effect" if name in signature.idle else signature.means.get(name) or meanings[name]
        rows.append(f"{name} | {each.kind}{default} | {limits} | {' | '.join(versions)} | {does}")
    return rows or [f"(none) | | | {' | '.join(versions)} |"]


if __name__ == "__main__":
    print(page(), end="")
