"""`hamletc lsp`, asked as an editor asks: over stdin and stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hamletc.page.service import answered

pytest.importorskip("pygls")

TEXT = """\
universe garden
space none
meter joy = 1 { decay 0.1 }
action REST { joy += 0.2 }
dies when joy <= 0
reward jjoy
observe { meters }
"""
Json = dict[str, Any]


class Editor:
    """An editor that waits for each answer, and keeps what it is told."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "hamletc", "lsp", "--stdio"]
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0
        self.told: list[Json] = []

    def ask(self, method: str, **params: object) -> Any:
        message = self._answer(method, params)
        assert "error" not in message, message
        return message["result"]

    def refused(self, method: str, **params: object) -> str:
        """The line with which a request is refused."""
        line: str = self._answer(method, params)["error"]["message"]
        return line

    def _answer(self, method: str, params: Json) -> Json:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while (message := self._receive()).get("id") != self._number or "method" in message:
            self.told.append(message)
        return message

    def tell(self, method: str, **params: object) -> None:
        self._send({"method": method, "params": params})

    def diagnostics(self) -> Json:
        """The next diagnostics that it is told."""
        while True:
            for message in self.told:
                if message.get("method") == "textDocument/publishDiagnostics":
                    self.told.remove(message)
                    params: Json = message["params"]
                    return params
            self.told.append(self._receive())

    def end(self) -> int:
        self._number += 1
        self._send({"id": self._number, "method": "shutdown"})
        while self._receive().get("id") != self._number:
            pass
        self._send({"method": "exit"})
        return self._process.wait(60)

    def _send(self, message: Json) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> Json:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server has gone"
        message: Json = json.loads(self._process.stdout.read(length))
        return message

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    made = Editor(tmp_path)
    yield made
    made.kill()


def test_an_editor_is_answered(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "garden.hamlet").as_uri()
    able = editor.ask("initialize", processId=None, rootUri=None, capabilities={})["capabilities"]
    for provider in ("hover", "completion", "definition", "references", "documentSymbol", "documentFormatting"):
        assert able[f"{provider}Provider"], provider
    editor.tell("initialized")
    document = {"uri": uri, "languageId": "hamlet", "version": 1, "text": TEXT}
    editor.tell("textDocument/didOpen", textDocument=document)
    said = editor.diagnostics()
    (diagnostic,) = said["diagnostics"]
    assert said["uri"] == uri
    assert diagnostic["code"] == "H020"
    assert diagnostic["range"] == {"start": {"line": 5, "character": 7}, "end": {"line": 5, "character": 11}}

    change = {"range": {"start": {"line": 5, "character": 7}, "end": {"line": 5, "character": 8}}, "text": ""}
    editor.tell("textDocument/didChange", textDocument={"uri": uri, "version": 2}, contentChanges=[change])
    assert editor.diagnostics() == {"uri": uri, "diagnostics": []}

    where: Json = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 8}}
    assert "raises: action REST" in editor.ask("textDocument/hover", **where)["contents"]["value"]
    (place,) = editor.ask("textDocument/definition", **where)
    assert (place["uri"], place["range"]["start"]) == (uri, {"line": 2, "character": 6})
    assert len(editor.ask("textDocument/references", context={"includeDeclaration": True}, **where)) == 4
    items = editor.ask("textDocument/completion", **where)
    assert {"joy", "max"} <= {item["label"] for item in items}
    assert "meter" not in {item["label"] for item in items}
    edits = editor.ask("textDocument/rename", newName="glee", **where)["changes"][uri]
    assert [(edit["range"]["start"]["line"], edit["newText"]) for edit in edits] == [
        (line, "glee") for line in (2, 3, 4, 5)
    ]
    assert editor.refused("textDocument/rename", newName="REST", **where) == "`REST` is a name in this universe already"
    names = [symbol["name"] for symbol in editor.ask("textDocument/documentSymbol", textDocument={"uri": uri})]
    assert names == ["joy", "REST"]
    options = {"tabSize": 4, "insertSpaces": True}
    (edit,) = editor.ask("textDocument/formatting", textDocument={"uri": uri}, options=options)
    assert edit["newText"].startswith("universe garden\n\nspace none\n")
    editor.tell("textDocument/didClose", textDocument={"uri": uri})
    assert editor.end() == 0


def test_an_editor_gets_fixes_colours_and_ranges(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "garden.hamlet").as_uri()
    able = editor.ask("initialize", processId=None, rootUri=None, capabilities={})["capabilities"]
    assert able["codeActionProvider"]["codeActionKinds"] == ["quickfix", "source.fixAll"]
    legend = able["semanticTokensProvider"]["legend"]
    editor.tell("initialized")
    document = {"uri": uri, "languageId": "hamlet", "version": 1, "text": TEXT.replace("decay 0.1", "decay = .1")}
    editor.tell("textDocument/didOpen", textDocument=document)
    text: Json = {"textDocument": {"uri": uri}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    said = editor.diagnostics()["diagnostics"]
    actions = editor.ask("textDocument/codeAction", range=whole, context={"diagnostics": said}, **text)
    assert [action["title"] for action in actions] == [
        *("Leave it out", "Write `0.1`", "Do all that hints say for certain")
    ]
    assert [action["kind"] for action in actions] == ["quickfix", "quickfix", "source.fixAll"]
    assert actions[0]["isPreferred"] is True
    assert actions[0]["diagnostics"] == said[:1]
    (everything,) = actions[2]["edit"]["changes"][uri]
    fixed = everything["newText"]
    assert fixed == TEXT.replace("jjoy", "joy")
    only = {"diagnostics": [], "only": ["source.fixAll"]}
    assert len(editor.ask("textDocument/codeAction", range=whole, context=only, **text)) == 1
    assert editor.ask("textDocument/inlayHint", range=whole, **text) == []

    editor.tell("textDocument/didChange", textDocument={"uri": uri, "version": 2}, contentChanges=[{"text": fixed}])
    (meter,) = editor.ask("textDocument/inlayHint", range=whole, **text)
    assert (meter["label"], meter["position"]) == (": 0 .. 1", {"line": 2, "character": 9})
    data = editor.ask("textDocument/semanticTokens/full", **text)["data"]
    colour, bits = data[8:10]
    assert data[5:8] == [0, 9, len("garden")]
    assert (legend["tokenTypes"][data[3]], legend["tokenTypes"][colour], bits) == ("keyword", "variable", 1)
    assert editor.end() == 0


def test_an_editor_and_a_page_are_answered_alike(editor: Editor, tmp_path: Path) -> None:
    """What is wrong with a text, what can stand at places of it, and what is said about words."""
    path = Path(__file__).parents[3] / "universes/town.hamlet"
    text = path.read_text(encoding="utf-8").replace("reward ", "reward enrgy * ", 1)
    uri = (tmp_path / "town.hamlet").as_uri()
    editor.ask("initialize", processId=None, rootUri=None, capabilities={})
    editor.tell("initialized")
    document = {"uri": uri, "languageId": "hamlet", "version": 1, "text": text}
    editor.tell("textDocument/didOpen", textDocument=document)

    def page(ask: str, **more: object) -> Json:
        answer: Json = json.loads(answered(json.dumps({"ask": ask, "text": text, **more})).said)
        return answer

    told = [
        (each["code"], [place + 1 for place in each["range"]["start"].values()])
        for each in editor.diagnostics()["diagnostics"]
    ]
    assert told == [(each["code"], each["begin"]) for each in page("check")["diagnostics"]] != []
    hovers = 0
    for line in range(0, 104, 8):
        where: Json = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 6}}
        hover = editor.ask("textDocument/hover", **where)
        assert page("hover", at=[line, 6])["about"] == (None if hover is None else hover["contents"]["value"])
        hovers += hover is not None
        labels = {item["label"] for item in editor.ask("textDocument/completion", **where)}
        offered = {offer["text"] for offer in page("complete", at=[line, 6])["offers"]}
        assert offered <= labels
    assert hovers > 3
    assert editor.end() == 0


def test_a_name_is_renamed_in_the_files_that_are_open(editor: Editor, tmp_path: Path) -> None:
    """An editor may have a text that is not saved yet."""
    text = TEXT.replace("jjoy", "joy").replace("action REST { joy += 0.2 }", 'include "rest.hamlet"')
    (tmp_path / "rest.hamlet").write_text("action REST { joy += 0.1 }\n")
    texts = {"garden": text, "rest": "# resting\naction REST { joy += 0.2 }\n"}
    editor.ask("initialize", processId=None, rootUri=None, capabilities={})
    editor.tell("initialized")
    uris = {name: (tmp_path / f"{name}.hamlet").as_uri() for name in texts}
    for name, each in texts.items():
        document = {"uri": uris[name], "languageId": "hamlet", "version": 1, "text": each}
        editor.tell("textDocument/didOpen", textDocument=document)
    where: Json = {"textDocument": {"uri": uris["garden"]}, "position": {"line": 2, "character": 7}}
    changes = editor.ask("textDocument/rename", newName="glee", **where)["changes"]
    places = {uri: [edit["range"]["start"]["line"] for edit in edits] for uri, edits in changes.items()}
    assert places == {uris["garden"]: [2, 4, 5], uris["rest"]: [1]}
    assert editor.end() == 0


def test_without_pygls_a_line_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules.update(pygls=None, lsprotocol=None)\n"
        "sys.argv = ['hamletc', 'lsp']; from hamletc.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: this needs lsprotocol: pip install 'hamletc[lsp]'\n"
