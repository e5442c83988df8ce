"""The language server for PDDL: mistakes, hover, definitions, uses, renaming, completion and layout in any editor.

It speaks the Language Server Protocol over standard input and output, by pygls (the extra ``lsp``). What it answers is
in ``domains.pddl.editing``; here offsets become an editor's lines and columns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from chorewright import __version__
from chorewright.domains.pddl.editing.mentions import Mention, Sort
from chorewright.domains.pddl.editing.workspace import Place, Workspace
from chorewright.domains.pddl.formatting import format_pddl
from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.plugins import require_extra

with require_extra("the language server needs the package pygls", "lsp"):
    from lsprotocol import types
    from pygls.exceptions import JsonRpcInvalidParams
    from pygls.lsp.server import LanguageServer
    from pygls.uris import from_fs_path, to_fs_path

NAME = "chorewright"

KINDS = {
    Sort.DOMAIN: types.SymbolKind.Module,
    Sort.TYPE: types.SymbolKind.Class,
    Sort.PREDICATE: types.SymbolKind.Boolean,
    Sort.FUNCTION: types.SymbolKind.Number,
    Sort.OBJECT: types.SymbolKind.Constant,
    Sort.ACTION: types.SymbolKind.Function,
}
"""What an editor's outline shows a declaration as."""

COMPLETIONS = {
    Sort.TYPE: types.CompletionItemKind.Class,
    Sort.PREDICATE: types.CompletionItemKind.Function,
    Sort.FUNCTION: types.CompletionItemKind.Value,
    Sort.OBJECT: types.CompletionItemKind.Constant,
    Sort.VARIABLE: types.CompletionItemKind.Variable,
}


def serve() -> None:
    """Answer an editor until it ends the session; its streams are copies, as pygls closes them."""
    build().start_io(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))


def build() -> LanguageServer:
    """Return a server that knows no file yet."""
    server = LanguageServer(NAME, __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
    Answers(server).announce()
    return server


class Answers:
    """Answers an editor's questions about the files that it has open."""

    def __init__(self, server: LanguageServer) -> None:
        self.server = server
        self.files = Workspace()

    def announce(self) -> None:
        """Tell the server who answers what."""
        completion = types.CompletionOptions(trigger_characters=["(", "?", ":", "-"])
        self._announce(types.TEXT_DOCUMENT_DID_OPEN, self.on_open)
        self._announce(types.TEXT_DOCUMENT_DID_CHANGE, self.on_change)
        self._announce(types.TEXT_DOCUMENT_DID_SAVE, self.on_save)
        self._announce(types.TEXT_DOCUMENT_DID_CLOSE, self.on_close)
        self._announce(types.TEXT_DOCUMENT_HOVER, self.hover)
        self._announce(types.TEXT_DOCUMENT_DEFINITION, self.definition)
        self._announce(types.TEXT_DOCUMENT_REFERENCES, self.references)
        self._announce(types.TEXT_DOCUMENT_RENAME, self.rename)
        self._announce(types.TEXT_DOCUMENT_FORMATTING, self.layout)
        self._announce(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, self.symbols)
        self._announce(types.TEXT_DOCUMENT_COMPLETION, self.complete, completion)

    def _announce(self, name: str, answer: Callable[[Any], object], options: object = None) -> None:
        """Register who answers; pygls writes on the function that it is given, which a method does not allow."""
        self.server.feature(name, options)(lambda asked: answer(asked))

    def on_open(self, told: types.DidOpenTextDocumentParams) -> None:
        """Take a file's text, and tell its mistakes."""
        self._take(told.text_document.uri)

    def on_change(self, told: types.DidChangeTextDocumentParams) -> None:
        """Take a file's new text, and tell the mistakes of all that depends on it."""
        self._take(told.text_document.uri)

    def on_save(self, told: types.DidSaveTextDocumentParams) -> None:
        """Tell the mistakes again: files beside may have changed."""
        self._take(told.text_document.uri)

    def on_close(self, told: types.DidCloseTextDocumentParams) -> None:
        """Forget a file's text, and its mistakes."""
        uri = told.text_document.uri
        self.files.close(_path(uri))
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _take(self, uri: str) -> None:
        path = _path(uri)
        self.files.set(path, self.server.workspace.get_text_document(uri).source)
        for other in dict.fromkeys((path, *self.files.family(path))):
            if other == path or other in self.files.open_files:
                self._tell_mistakes(other)

    def _tell_mistakes(self, path: str) -> None:
        lines = self.files.text(path).split("\n")
        found = []
        for mistake in self.files.mistakes(path):
            line = min(mistake.line, len(lines)) - 1
            column = min(mistake.column - 1, len(lines[line]))
            end = column + len(_word_at(lines[line], column))
            hint = f"\nhint: {mistake.hint}" if mistake.hint else ""
            severity = types.DiagnosticSeverity.Warning if mistake.rule else types.DiagnosticSeverity.Error
            found.append(
                types.Diagnostic(
                    types.Range(self._position(lines, line, column), self._position(lines, line, end)),
                    f"{mistake.message}{hint}",
                    severity,
                    code=mistake.rule or None,
                    source=NAME,
                )
            )
        uri = from_fs_path(path) or path
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))

    def hover(self, asked: types.HoverParams) -> types.Hover | None:
        """Say what a name is."""
        told = self.files.describe(*self._where(asked.text_document, asked.position))
        if not told:
            return None
        signature, _, comment = told.partition("\n")
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, f"```pddl\n{signature}\n```\n{comment}"))

    def definition(self, asked: types.DefinitionParams) -> types.Location | None:
        """Say where a name is declared."""
        found = self.files.definition(*self._where(asked.text_document, asked.position))
        return None if found is None else self._location(found)

    def references(self, asked: types.ReferenceParams) -> list[types.Location]:
        """Say where a name is used."""
        wanted = asked.context.include_declaration
        found = self.files.references(*self._where(asked.text_document, asked.position))
        return [self._location(place) for place in found if wanted or not place.mention.declares]

    def rename(self, asked: types.RenameParams) -> types.WorkspaceEdit:
        """Rename what a name stands for, in a domain and its problems."""
        try:
            found = self.files.rename(*self._where(asked.text_document, asked.position), asked.new_name)
        except UsageError as error:
            raise JsonRpcInvalidParams(error.message + (f"; {error.hint}" if error.hint else "")) from None
        return types.WorkspaceEdit(
            {
                from_fs_path(path) or path: [
                    types.TextEdit(self._range(path, each), asked.new_name) for each in mentions
                ]
                for path, mentions in found.items()
            }
        )

    def layout(self, asked: types.DocumentFormattingParams) -> list[types.TextEdit]:
        """Lay a file out as ``fmt`` does; one with mistakes stays as it is."""
        text = self.files.text(_path(asked.text_document.uri))
        try:
            laid_out = format_pddl(text)
        except ChorewrightError:
            return []
        whole = types.Range(types.Position(0, 0), types.Position(text.count("\n") + 1, 0))
        return [] if laid_out == text else [types.TextEdit(whole, laid_out)]

    def symbols(self, asked: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """Return an outline: what the file declares, but for variables."""
        path = _path(asked.text_document.uri)
        found = []
        for each in self.files.outline(path).declarations():
            if each.sort in KINDS:
                place = self._range(path, each)
                detail = each.told.partition("\n")[0]
                found.append(types.DocumentSymbol(each.name, KINDS[each.sort], place, place, detail))
        return found

    def complete(self, asked: types.CompletionParams) -> list[types.CompletionItem]:
        """Say what may stand at a place."""
        return [
            types.CompletionItem(
                each.text,
                kind=types.CompletionItemKind.Keyword if each.sort is None else COMPLETIONS[each.sort],
                detail=each.told.partition("\n")[0] or None,
                documentation=each.told.partition("\n")[2] or None,
            )
            for each in self.files.complete(*self._where(asked.text_document, asked.position))
        ]

    # Offsets, lines and columns. A column of the protocol counts units of the encoding that was agreed on.

    def _where(self, document: types.TextDocumentIdentifier, position: types.Position) -> tuple[str, int]:
        """Return the file and the offset that a question is about."""
        path = _path(document.uri)
        lines = self.files.text(path).split("\n")
        line = min(position.line, len(lines) - 1)
        column, units = 0, 0
        for character in lines[line]:
            if units >= position.character:
                break
            units += self._units(character)
            column += 1
        return path, sum(len(each) + 1 for each in lines[:line]) + column

    def _location(self, place: Place) -> types.Location:
        return types.Location(from_fs_path(place.path) or place.path, self._range(place.path, place.mention))

    def _range(self, path: str, mention: Mention) -> types.Range:
        text = self.files.text(path)
        lines = text.split("\n")
        line = text.count("\n", 0, mention.offset)
        column = mention.offset - (text.rfind("\n", 0, mention.offset) + 1)
        end = column + len(mention.name)
        return types.Range(self._position(lines, line, column), self._position(lines, line, end))

    def _position(self, lines: Sequence[str], line: int, column: int) -> types.Position:
        return types.Position(line, sum(map(self._units, lines[line][:column])))

    def _units(self, character: str) -> int:
        encoding = self.server.workspace.position_encoding
        if encoding == types.PositionEncodingKind.Utf32:
            return 1
        if encoding == types.PositionEncodingKind.Utf8:
            return len(character.encode("utf-8", "replace"))
        return 2 if ord(character) > 0xFFFF else 1


def _path(uri: str) -> str:
    """Return a document's path; of one that is no file, its URI."""
    path = to_fs_path(uri)
    return str(Path(path)) if path else uri


def _word_at(line: str, column: int) -> str:
    """Return the word that begins in a line at a column; at least one character."""
    end = column + 1
    while end < len(line) and not line[end].isspace() and line[end] not in "();":
        end += 1
    return line[column:end] or " "
