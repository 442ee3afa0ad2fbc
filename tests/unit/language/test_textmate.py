"""The TextMate grammar: it is what the parser's words make it, and editors/vscode has it as it is."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hamlet_language.textmate import grammar

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "editors" / "vscode"
Golden = Callable[[Path, str], None]


def scopes(line: str) -> list[tuple[str, str]]:
    """The pieces of a line that have a scope, as an editor finds them: at each place the first rule that matches."""
    rules = [(re.compile(rule["match"]), rule) for rule in json.loads(grammar())["patterns"]]
    found, place = [], 0
    while place < len(line):
        tried = ((number, rule.search(line, place)) for number, (rule, _) in enumerate(rules))
        matches = [(match.start(), number, match) for number, match in tried if match is not None]
        if not matches:
            break
        _, number, match = min(matches, key=lambda each: each[:2])
        rule = rules[number][1]
        captured = {int(group): each["name"] for group, each in rule.get("captures", {0: rule}).items()}
        found += [(match[group], name.removesuffix(".hamlet")) for group, name in captured.items() if match[group]]
        place = max(match.end(), place + 1)
    return found


def test_the_extension_has_the_grammar(golden: Golden) -> None:
    golden(EXTENSION / "syntaxes" / "hamlet.tmLanguage.json", grammar())


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (
            "meter energy = 1.0  # full",
            [
                ("meter", "storage.type"),
                ("energy", "entity.name"),
                ("=", "keyword.operator"),
                ("1.0", "constant.numeric"),
                ("# full", "comment.line.number-sign"),
            ],
        ),
        (
            "rule r: hour > 3 -> x -= max(a, 2)",
            [
                ("rule", "storage.type"),
                ("r", "entity.name"),
                ("hour", "support.constant"),
                (">", "keyword.operator"),
                ("3", "constant.numeric"),
                ("->", "keyword.operator"),
                ("x", "keyword.other"),
                ("-=", "keyword.operator"),
                ("max", "support.function"),
                ("a", "variable.other"),
                ("2", "constant.numeric"),
            ],
        ),
        (
            'map "town.txt" { "##" }',
            [("map", "storage.type"), ('"town.txt"', "string.quoted.double"), ('"##"', "string.quoted.double")],
        ),
        (
            "dies when not `my meter` == 1e-3",
            [
                ("dies", "storage.type"),
                ("when", "keyword.control"),
                ("not", "keyword.control"),
                ("`my meter`", "variable.other.quoted"),
                ("==", "keyword.operator"),
                ("1e-3", "constant.numeric"),
            ],
        ),
        (
            "affordance `A B` at random",
            [
                ("affordance", "storage.type"),
                ("`A B`", "entity.name"),
                ("at", "keyword.other"),
                ("random", "keyword.other"),
            ],
        ),
        ("meters = metering", [("meters", "keyword.other"), ("=", "keyword.operator"), ("metering", "variable.other")]),
    ],
)
def test_what_pieces_are(line: str, found: list[tuple[str, str]]) -> None:
    assert scopes(line) == found


def test_the_files_that_the_extension_names_are_there() -> None:
    about = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    (language,), (highlighted,) = about["contributes"]["languages"], about["contributes"]["grammars"]
    for name in (about["main"], language["configuration"], highlighted["path"]):
        assert (EXTENSION / name).is_file()
    assert highlighted["scopeName"] == json.loads(grammar())["scopeName"]
    assert about["contributes"]["configuration"]["properties"]["hamletc.command"]["default"] == ["hamletc", "lsp"]
    json.loads((EXTENSION / "language-configuration.json").read_text(encoding="utf-8"))


def test_an_extension_is_packed_as_editors_want_it(tmp_path: Path) -> None:
    """The client itself is made by esbuild, which is not needed here; all else is."""
    spec = spec_from_file_location("pack", EXTENSION / "pack.py")
    assert spec is not None
    assert spec.loader is not None
    pack = module_from_spec(spec)
    spec.loader.exec_module(pack)
    for name in ("a.vsix", "b.vsix"):
        pack.pack(tmp_path / name, b"exports.activate = () => {};")
    assert (tmp_path / "a.vsix").read_bytes() == (tmp_path / "b.vsix").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.vsix") as packed:
        names = packed.namelist()
        manifest = ElementTree.fromstring(packed.read("extension.vsixmanifest"))
        about = json.loads(packed.read("extension/package.json"))
    assert names[:2] == ["[Content_Types].xml", "extension.vsixmanifest"]
    assert {f"extension/{about['main'].removeprefix('./')}", "extension/README.md"} <= set(names)
    assert {f"extension/{each['path'].removeprefix('./')}" for each in about["contributes"]["grammars"]} <= set(names)
    identity = manifest.find(".//{*}Identity")
    assert identity is not None
    assert [identity.get(name) for name in ("Id", "Version", "Publisher")] == ["hamletc", about["version"], "hamletc"]
    assert "dependencies" not in about
    assert "pack" not in sys.modules
