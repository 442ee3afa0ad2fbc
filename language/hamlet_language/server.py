"""The language server: what editors ask by the protocol, answered by the functions of this package."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidRequest
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

import hamlet_language as service
from hamletc import __version__

PAUSE = 0.1
"""Seconds without another change, after which a text is checked."""
QUICK, ALL = types.CodeActionKind.QuickFix.value, types.CodeActionKind.SourceFixAll.value
LEGEND = types.SemanticTokensLegend([*service.COLOURS], [*service.MODIFIERS])
_SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}
_SYMBOLS = {
    "rule": types.SymbolKind.Event,
    "cascade": types.SymbolKind.Event,
    "affordance": types.SymbolKind.Class,
    "role": types.SymbolKind.Class,
    "item": types.SymbolKind.Class,
    "template": types.SymbolKind.Interface,
    "action": types.SymbolKind.Method,
    "move": types.SymbolKind.Method,
    "function": types.SymbolKind.Function,
    "param": types.SymbolKind.Constant,
    "table": types.SymbolKind.Array,
    "world": types.SymbolKind.Namespace,
    "cells": types.SymbolKind.Namespace,
    "pairs": types.SymbolKind.Namespace,
}
_OFFERS = {
    "name": types.CompletionItemKind.Variable,
    "word": types.CompletionItemKind.Keyword,
    "function": types.CompletionItemKind.Function,
    "quantity": types.CompletionItemKind.Constant,
}


class HamletServer(LanguageServer):
    """A server with the texts that an editor has open."""

    def __init__(self) -> None:
        super().__init__("hamletc", __version__)
        self._documents: dict[str, service.Document] = {}
        self._versions: dict[str, int | None] = {}
        self._told: dict[str, frozenset[str]] = {}  # the files about which something was said, by the text they are of
        self._waiting: dict[str, asyncio.Task[None]] = {}

    def document(self, uri: str) -> service.Document:
        """The text of a file as the editor has it."""
        if uri not in self._documents:
            path = _path(uri)
            others = {_path(other): text.source for other, text in self.workspace.text_documents.items()}
            others.pop(path, None)
            self._documents[uri] = service.Document(path, self.workspace.get_text_document(uri).source, others)
        return self._documents[uri]

    def changed(self, uri: str) -> None:
        """Forget what was read, as other texts may include this one, and check it when no other change follows."""
        self._documents.clear()
        for other in {uri, *self.workspace.text_documents}:
            earlier = self._waiting.pop(other, None)
            if earlier is not None:
                earlier.cancel()
            self._waiting[other] = asyncio.ensure_future(self._check_later(other))

    def closed(self, uri: str) -> None:
        """Say nothing more about a text."""
        self._documents.clear()
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        for file in self._told.pop(uri, frozenset()):
            self._publish(file, ())

    async def _check_later(self, uri: str) -> None:
        await asyncio.sleep(PAUSE)
        self.check(uri)

    def check(self, uri: str) -> None:
        """Say what is wrong with a text, and with those that belong to it."""
        notices: dict[str, list[types.Diagnostic]] = {uri: []}
        own = _path(uri)
        for notice in service.diagnostics(self.document(uri)):
            file = uri if notice.path.resolve() == own else _uri(notice.path)
            notices.setdefault(file, []).append(_diagnostic(notice, file))
        for file in self._told.get(uri, frozenset()) - set(notices):
            self._publish(file, ())
        for file, said in notices.items():
            self._publish(file, said)
        self._told[uri] = frozenset(notices)

    def _publish(self, uri: str, diagnostics: Iterable[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, list(diagnostics)))


def serve() -> None:
    """Answer one editor over stdin and stdout, until it goes."""
    # The server closes what it talks over when it ends; of Python's own streams that would be an error at exit.
    # What is imported never becomes garbage: no answer waits until the collector has looked through it.
    gc.collect()
    gc.freeze()
    made().start_io(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))


def made() -> HamletServer:
    """A server that knows what to answer."""
    server = HamletServer()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return [_symbol(each) for each in service.symbols(server.document(params.text_document.uri))]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        said = service.hover(server.document(params.text_document.uri), _from(params.position))
        if said is None:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said.text), _range(said.range))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[" ", "(", "{"]))
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        offers = service.completion(server.document(params.text_document.uri), _from(params.position))
        return [_item(offer) for offer in offers]

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        return _locations(service.definition(server.document(params.text_document.uri), _from(params.position)))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        return _locations(service.references(server.document(params.text_document.uri), _from(params.position)))

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        uri = params.text_document.uri
        answer = service.rename(server.document(uri), _from(params.position), params.new_name)
        if isinstance(answer, service.Refusal):
            raise JsonRpcInvalidRequest(answer.reason)
        changes = {uri: [types.TextEdit(_range(each), answer.text) for each in answer.ranges]}
        for place in answer.elsewhere:
            changes.setdefault(_uri(place.path), []).append(types.TextEdit(_range(place.range), answer.text))
        return types.WorkspaceEdit(changes)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[QUICK, ALL]))
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, only = params.text_document.uri, params.context.only or (QUICK, ALL)
        document, actions = server.document(uri), []
        if any(QUICK.startswith(kind) for kind in only):
            actions += [_action(uri, fix) for fix in service.fixes(document, _range_from(params.range))]
        if any(ALL.startswith(kind) for kind in only) and (text := service.fixed(document)) != document.text:
            changes = [types.TextEdit(_range(document.lines.whole), text)]
            actions.append(
                types.CodeAction("Do all that hints say for certain", ALL, edit=types.WorkspaceEdit({uri: changes}))
            )
        return actions

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
    def semantic_tokens(params: types.SemanticTokensParams) -> types.SemanticTokens:
        return types.SemanticTokens(_coded(service.semantic_tokens(server.document(params.text_document.uri))))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        hints = service.inlay_hints(server.document(params.text_document.uri), _range_from(params.range))
        return [_hint(hint) for hint in hints]

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        document = server.document(params.text_document.uri)
        text = service.formatting(document)
        if text is None or text == document.text:
            return []
        return [types.TextEdit(_range(document.lines.whole), text)]

    return server


def _action(uri: str, fix: service.Fix) -> types.CodeAction:
    changes = [types.TextEdit(_range(change.range), change.text) for change in fix.changes]
    said, edit = [_diagnostic(fix.notice, uri)], types.WorkspaceEdit({uri: changes})
    return types.CodeAction(fix.title, QUICK, said, is_preferred=fix.sure, edit=edit)


def _hint(hint: service.Hint) -> types.InlayHint:
    place = types.Position(hint.position.line, hint.position.character)
    return types.InlayHint(place, hint.text, types.InlayHintKind.Type, tooltip=hint.about)


def _coded(pieces: Iterable[service.Coloured]) -> list[int]:
    """Pieces as the protocol counts them: each from the one before, with the bits of its modifiers."""
    numbers, line, character = [], 0, 0
    for piece in pieces:
        start, end = piece.range.start, piece.range.end
        ahead = start.character - (character if start.line == line else 0)
        bits = sum(1 << service.MODIFIERS.index(each) for each in piece.modifiers)
        colour = service.COLOURS.index(piece.colour)
        numbers += [start.line - line, ahead, end.character - start.character, colour, bits]
        line, character = start.line, start.character
    return numbers


def _path(uri: str) -> Path:
    """The file of a text; one that is on no disk has a name in the folder of the server."""
    path = to_fs_path(uri)
    return Path(path or "untitled.hamlet").resolve()


def _uri(path: Path) -> str:
    return from_fs_path(str(path.resolve())) or path.resolve().as_uri()


def _from(position: types.Position) -> service.Position:
    return service.Position(position.line, position.character)


def _range_from(range_: types.Range) -> service.Range:
    return service.Range(_from(range_.start), _from(range_.end))


def _range(range_: service.Range) -> types.Range:
    start, end = range_.start, range_.end
    return types.Range(types.Position(start.line, start.character), types.Position(end.line, end.character))


def _locations(places: Iterable[service.Place]) -> list[types.Location]:
    return [types.Location(_uri(place.path), _range(place.range)) for place in places]


def _diagnostic(notice: service.Notice, uri: str) -> types.Diagnostic:
    label = f" ({notice.label})" if notice.label else ""
    related = [
        types.DiagnosticRelatedInformation(types.Location(uri, _range(each.range)), each.text or notice.message)
        for each in notice.related
    ]
    return types.Diagnostic(
        range=_range(notice.range),
        message=f"{notice.message}{label}\n{notice.hint}".rstrip(),
        severity=_SEVERITIES[notice.severity],
        code=notice.code or None,
        source="hamletc",
        related_information=related,
    )


def _symbol(each: service.Outline) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=each.name or each.kind,
        kind=_SYMBOLS.get(each.kind, types.SymbolKind.Variable),
        range=_range(each.range),
        selection_range=_range(each.name_range),
        detail=each.kind,
        children=[_symbol(child) for child in each.children],
    )


def _item(offer: service.Offer) -> types.CompletionItem:
    return types.CompletionItem(
        label=offer.text,
        kind=_OFFERS[offer.kind],
        detail=offer.detail or None,
        text_edit=types.TextEdit(_range(offer.range), offer.text),
    )
