"""The language server, asked by a client over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from chorewright.domains.pddl.formatting import format_pddl
from tests.domains.pddl.editing.test_workspace import DOMAIN, PROBLEM


def talk(folder: Path, script: Callable[[LanguageClient, list[Any]], Awaitable[None]]) -> int:
    """Let a client talk to the command; return its exit code."""

    async def run() -> int:
        client = LanguageClient("script", "1")
        told: list[Any] = []
        client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda found: told.append(found))
        await client.start_io(sys.executable, "-m", "chorewright", "lsp")
        await client.initialize_async(types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri()))
        client.initialized(types.InitializedParams())
        await script(client, told)
        await client.shutdown_async(None)
        client.exit(None)
        process = client._server
        assert process is not None
        return await asyncio.wait_for(process.wait(), 60)

    return asyncio.run(run())


def opened(client: LanguageClient, path: Path) -> types.TextDocumentIdentifier:
    text = path.read_text("utf-8")
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(path.as_uri(), "pddl", 1, text))
    )
    return types.TextDocumentIdentifier(path.as_uri())


def position(text: str, before: str, word: str) -> types.Position:
    start = text.index(word, text.index(before))
    return types.Position(text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1)


async def until(told: list[Any], count: int) -> None:
    """Wait until so many lists of mistakes came."""
    for _ in range(600):
        if len(told) >= count:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{len(told)} of {count} lists of mistakes came")


def test_an_editor_s_session(tmp_path: Path) -> None:
    domain, problem = tmp_path / "d.pddl", tmp_path / "p.pddl"
    domain.write_text(DOMAIN.replace("(open ?b - box))", "(open ?b - box)) ; \U0001f4e6 \u00e9"), "utf-8")
    problem.write_text(PROBLEM)
    text = domain.read_text("utf-8")

    async def script(client: LanguageClient, told: list[Any]) -> None:
        one, other = opened(client, domain), opened(client, problem)
        await until(told, 3)
        assert not any(each.diagnostics for each in told)
        at = position(PROBLEM, "(:goal", "at red")
        hover = await client.text_document_hover_async(types.HoverParams(other, at))
        assert "(at ?b - box ?p - place)" in hover.contents.value
        assert "b is there" in hover.contents.value
        place = await client.text_document_definition_async(types.DefinitionParams(other, at))
        assert (place.uri, place.range.start) == (one.uri, position(text, ":predicates", "at ?b"))
        context = types.ReferenceContext(include_declaration=False)
        uses = await client.text_document_references_async(types.ReferenceParams(context, other, at))
        assert len(uses) == 6
        edit = await client.text_document_rename_async(types.RenameParams(other, at, "is-at"))
        assert {uri: len(edits) for uri, edits in edit.changes.items()} == {one.uri: 4, other.uri: 3}
        with pytest.raises(JsonRpcException, match="already"):
            await client.text_document_rename_async(types.RenameParams(other, at, "open"))
        names = await client.text_document_document_symbol_async(types.DocumentSymbolParams(one))
        assert [each.name for each in names] == ["boxes", "box", "place", "home", "at", "open", "carry"]
        items = await client.text_document_completion_async(
            types.CompletionParams(other, position(PROBLEM, "(:goal", "red yard"))
        )
        assert {each.label for each in items} == {"red", "blue", "yard", "home"}
        (laid_out,) = await client.text_document_formatting_async(
            types.DocumentFormattingParams(other, types.FormattingOptions(2, True))
        )
        assert laid_out.new_text == format_pddl(PROBLEM)
        count = len(told)
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(2, one.uri),
                [types.TextDocumentContentChangeWholeDocument(text.replace("(open ?b - box)", "(opened ?b - box)"))],
            )
        )
        await until(told, count + 2)
        (mistake,) = next(each.diagnostics for each in told[count:] if each.uri == one.uri)
        assert mistake.severity == types.DiagnosticSeverity.Error
        assert "open" in mistake.message
        assert mistake.range.start == position(text, ":precondition", "open")

    assert talk(tmp_path, script) == 0
