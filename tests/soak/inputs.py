"""Texts and packs that nobody would write, by number: bytes, tokens and grammar.

Input `number` is a function of its number alone, so a fault can be found again.

| kind | what it is |
|---|---|
| bytes | a shipped text with bytes flipped, cut out, doubled or put in |
| tokens | a shipped text with tokens left out, doubled, swapped, or taken from another text |
| grammar | a walk through the parser's tables: most are right up to their end, where names mean something |
| pack | a shipped pack with one of its files treated like bytes, or with lines swapped, left out or indented |
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from hamletc.language.tables import END, Automaton, terminals
from hamletc.language.tokens import Token, scan

ROOT = Path(__file__).parents[2]
Kind: TypeAlias = Literal["bytes", "tokens", "grammar", "pack"]
KINDS: tuple[Kind, ...] = ("bytes", "tokens", "grammar", "pack")
WORDS = ("energy", "food", "Bed", "x", "y", "0", "1", "0.5", "24", "3e38", "1e-45", "-1", "INTERACT", "sin", "pow")
YAML = (*WORDS, "null", "[]", "{}", "true", "&a", "*a", ".nan")
PACKS = 7
"""A pack takes as long as many texts: of so many numbers one can be a pack."""
MOST_EDITS = 6
LONGEST_WALK = 120
PIECE = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Input:
    """A text, or the files of a pack by name."""

    kind: Kind
    files: Mapping[str, bytes]


def made(number: int) -> Input:
    """The input of this number."""
    dice = random.Random(number)
    kind = KINDS[number % len(KINDS)] if number % PACKS == 0 else KINDS[number % (len(KINDS) - 1)]
    match kind:
        case "bytes":
            return Input(kind, {"a.hamlet": _bytes(dice, dice.choice(_texts()).encode())})
        case "tokens":
            return Input(kind, {"a.hamlet": _tokens(dice).encode()})
        case "grammar":
            return Input(kind, {"a.hamlet": _grammar(dice).encode()})
        case "pack":
            files = dict(dice.choice(_packs()))
            name = dice.choice(sorted(files))
            files[name] = dice.choice((_bytes, _lines))(dice, files[name])
            return Input(kind, files)


@cache
def _texts() -> tuple[str, ...]:
    """Shipped universes and the cases of diagnostics: few lines each, so that most of the time is not spent on one."""
    folders = (ROOT / "universes", ROOT / "tests/golden/diagnostics")
    return tuple(path.read_text() for folder in folders for path in sorted(folder.rglob("*.hamlet")))


@cache
def _pieces(text: str) -> tuple[str, ...]:
    return tuple(PIECE.findall(text))


@cache
def _packs() -> tuple[tuple[tuple[str, bytes], ...], ...]:
    folders = sorted(path for path in (ROOT / "universes/packs").iterdir() if path.is_dir())
    return tuple(tuple((file.name, file.read_bytes()) for file in sorted(folder.glob("*.yaml"))) for folder in folders)


def _bytes(dice: random.Random, text: bytes) -> bytes:
    """Some bytes of a text changed."""
    result = bytearray(text)
    for _ in range(dice.randint(1, MOST_EDITS)):
        at = dice.randrange(len(result) + 1)
        span = dice.choice((1, 1, 1, 4, 40))
        match dice.randrange(5):
            case 0 if at < len(result):
                result[at] ^= 1 << dice.randrange(8)
            case 1:
                del result[at : at + span]
            case 2:
                result[at:at] = result[at : at + span] * dice.choice((1, 2, 200))
            case 3:
                result[at:at] = bytes(dice.randrange(256) for _ in range(span))
            case _:
                result[at:at] = dice.choice(WORDS).encode()
    return bytes(result)


def _lines(dice: random.Random, text: bytes) -> bytes:
    """Lines of a file swapped, left out, doubled or indented."""
    lines = text.split(b"\n")
    for _ in range(dice.randint(1, MOST_EDITS)):
        at, other = dice.randrange(len(lines)), dice.randrange(len(lines))
        match dice.randrange(5):
            case 0:
                lines[at], lines[other] = lines[other], lines[at]
            case 1 if len(lines) > 1:
                del lines[at]
            case 2:
                lines.insert(other, lines[at])
            case 3:
                lines[at] = b"  " + lines[at]
            case _:
                key, colon, _ = lines[at].partition(b":")
                lines[at] = key + colon + b" " + dice.choice(YAML).encode()
    return b"\n".join(lines)


def _tokens(dice: random.Random) -> str:
    """Some tokens of a text changed."""
    texts = _texts()
    pieces = list(_pieces(dice.choice(texts)))
    for _ in range(dice.randint(1, MOST_EDITS)):
        if not pieces:
            break
        at, other = dice.randrange(len(pieces)), dice.randrange(len(pieces))
        match dice.randrange(5):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(at, pieces[other])
            case 2:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 3:
                pieces[at] = dice.choice(_pieces(dice.choice(texts)))
            case _:
                pieces[at] = dice.choice((*WORDS, *terminals()))
    return "".join(pieces)


def _grammar(dice: random.Random) -> str:
    """A walk: at every place one of the tokens that may stand there."""
    spelled: dict[str, Callable[[], str]] = {
        "NAME": lambda: dice.choice(("a", "b", "energy", "food", "Bed", "`a b`", "x", "sin", "min", "uniform")),
        "NUMBER": lambda: dice.choice(("0", "1", "2", "8", "0.5", "24", "1e-9", "3e38", "100")),
    }
    spelled["LABEL"] = spelled["NAME"]
    spelled["STRING"] = lambda: dice.choice(('"a.hamlet"', '"b/c.hamlet"', '"../d.hamlet"'))
    by_terminal = {terminal: text for text, terminal in terminals().items()}
    automaton, words = Automaton(), []
    length = dice.randint(4, LONGEST_WALK)
    for step in range(length):
        choices = sorted(automaton.expected())
        if END in choices and step > length // 2 and dice.random() < 0.2:
            break
        choices = [terminal for terminal in choices if terminal != END]
        if not choices:
            break
        terminal = dice.choice(choices)
        word = spelled[terminal]() if terminal in spelled else by_terminal[terminal]
        words.append(word)
        automaton.feed(terminal, Token("string", word, 1, 1) if terminal == "STRING" else _token(word))
    return "universe u\n" + " ".join(words) if words[:1] != ["universe"] else " ".join(words)


@cache
def _token(word: str) -> Token:
    """A token of this text, wherever it stands."""
    return scan(word).tokens[0]
