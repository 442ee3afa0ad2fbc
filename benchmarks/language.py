"""How fast the language service answers, and whether any prefix or edit makes it fall or offer what does not parse:

    python benchmarks/language.py [--seconds 480] [--seed 1] [--more] [--no-latency]

Latency: a universe of 500 lines (meters, lets, rules, cascades, affordances) is edited at random places, a token at a
time, and each edit is answered as an editor asks: diagnostics, completion at the place, hover of the word there. After
most edits the text has an error; `whole` is the text as it is, which is checked in full. CPU time in one process; 95 of
100 answers take no longer than p95.

Prefixes and edits: shipped universes are cut at random places, or a token of them is left out, doubled, or replaced by
another one. Nothing may be raised, and with an offer written (and the braces closed that are open) the parser must have
no complaint about it. Ctrl-C ends it, with a result of what was tried. Prints and writes JSON to
benchmarks/results/language.json; exit code 1 where something is wrong.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import hamlet_language as service
from hamletc.language.parser import is_fragment, parse_fragment_scan, parse_scan
from hamletc.language.tokens import Token, scan

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "language.json"
SHIPPED = sorted((ROOT / "universes").rglob("*.hamlet"))
LINES = 500
EDITS = 100
WHOLE = 20
CHECKED = 3
"""The offers of a prefix that are written."""
BLOCK = """\
meter m{n} = 1.0 {{ decay 0.00{digit} }}
let l{n} = 1 - m{n}
rule r{n}: m{n} < 0.{digit} -> energy -= 0.0001 * l{n}
cascade c{n}: m{n} < 0.3 -> energy -= 0.0001 * deficit
affordance A{n} at random {{
    needs energy > 0.{digit}
    instantly {{ m{n} += 0.{digit}  energy -= 0.01 }}
}}
"""
HEAD = "universe long\nspace grid 40 x 40\nlifespan 500 ticks\nmeter energy = 1.0 { decay 0.001 }\n"
TAIL = "dies when energy <= 0\nreward energy\nobserve { grid  meters }\n"


def written() -> str:
    """A universe of so many lines: meters, lets, rules, cascades, affordances."""
    count = (LINES - HEAD.count("\n") - TAIL.count("\n")) // BLOCK.count("\n")
    return HEAD + "".join(BLOCK.format(n=n, digit=n % 9 + 1) for n in range(count)) + TAIL


# --- latency ---------------------------------------------------------------------------------------------------------


def latency(words: random.Random) -> dict[str, object]:
    """How long answers take after edits of a text of so many lines."""
    path, text = Path("long.hamlet"), written()
    tokens = [token for token in scan(text).tokens if token.kind != "end"]
    took: dict[str, list[float]] = {}
    service.diagnostics(service.Document(path, text))
    gc.collect()
    gc.freeze()  # as the server does
    for _ in range(EDITS):
        new, place = changed(text, tokens, words)
        document = service.Document(path, new)
        position = document.lines.position(place.line, place.column)
        asked: dict[str, Callable[[], object]] = {
            "diagnostics": lambda document=document: service.diagnostics(document),
            "completion": lambda document=document, position=position: service.completion(document, position),
            "hover": lambda document=document, position=position: service.hover(document, position),
            "semantic tokens": lambda document=document: service.semantic_tokens(document),
            "fixes": lambda document=document: service.fixes(document, document.lines.whole),
        }
        for name, ask in asked.items():
            begin = time.process_time()
            ask()
            took.setdefault(name, []).append(1000 * (time.process_time() - begin))
    for _ in range(WHOLE):
        for name, answer in (("whole: diagnostics", service.diagnostics), ("whole: inlay hints", service.inlay_hints)):
            begin = time.process_time()
            answer(service.Document(path, text))
            took.setdefault(name, []).append(1000 * (time.process_time() - begin))
    return {"lines": text.count("\n"), "edits": EDITS, "ms": {name: summary(times) for name, times in took.items()}}


def summary(times: list[float]) -> dict[str, float]:
    """The median and the 95th of 100."""
    ordered = sorted(times)
    return {"p50": round(ordered[len(ordered) // 2], 1), "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1)}


# --- prefixes and edits ----------------------------------------------------------------------------------------------


@dataclass
class Tried:
    """What was tried, and what went wrong."""

    prefixes: int = 0
    edits: int = 0
    offers: int = 0
    written: int = 0
    seconds: int = 0
    wrong: list[dict[str, object]] | None = None

    def fails(self, what: str, path: Path, text: str) -> None:
        self.wrong = [*(self.wrong or []), {"what": what, "universe": path.name, "text": text[-200:]}]


def changed(text: str, tokens: list[Token], words: random.Random) -> tuple[str, Token]:
    """A text with one token less, or more, or another one; and that token."""
    number = words.randrange(len(tokens))
    token, other = tokens[number], words.choice(tokens)
    lines = text.split("\n")
    line, begin = lines[token.line - 1], token.column - 1
    end = begin + len(token.text)
    new = words.choice(("", f"{token.text} {token.text}", other.text, f"{other.text} {token.text}"))
    lines[token.line - 1] = line[:begin] + new + line[end:]
    return "\n".join(lines), token


def answered(document: service.Document, position: service.Position) -> tuple[service.Offer, ...]:
    """All answers about a text; the offers at a place."""
    service.diagnostics(document)
    service.symbols(document)
    service.hover(document, position)
    service.definition(document, position)
    service.references(document, position)
    service.semantic_tokens(document)
    service.fixes(document, document.lines.whole)
    return service.completion(document, position)


def refused(before: str, offer: str) -> list[str]:
    """The complaints about an offer behind the beginning of a text."""
    new = before + offer
    scanned = scan(new)
    depth = 0
    for token in scanned.tokens:
        depth = max(0, depth + (token.text == "{") - (token.text == "}"))
    closed = scan(new + " }" * depth)
    _, problems = (parse_fragment_scan if is_fragment(scanned) else parse_scan)(closed)
    place = (new.count("\n") + 1, len(before) - before.rfind("\n"))
    return [each.message for each in problems if (each.primary.span.line, each.primary.span.column) == place]


def cases(words: random.Random, tried: Tried) -> Iterator[tuple[Path, service.Document, int, bool]]:
    """Prefixes and edits in turn, without end: the text, a place in it, and whether all is asked."""
    texts = [(path, path.read_text(encoding="utf-8")) for path in SHIPPED]
    scanned = {path: [token for token in scan(text).tokens if token.kind != "end"] for path, text in texts}
    while True:
        path, text = words.choice(texts)
        if words.random() < 0.9:
            end = words.randint(0, len(text))
            tried.prefixes += 1
            yield path, service.Document(path, text[:end]), end, False
        else:
            new, place = changed(text, scanned[path], words)
            tried.edits += 1
            end = sum(len(line) + 1 for line in new.split("\n")[: place.line - 1]) + place.column - 1
            yield path, service.Document(path, new), end, True


def soak(seconds: float, words: random.Random) -> Tried:
    """Prefixes and edits until so much CPU time is gone, or somebody interrupts."""
    tried = Tried(wrong=[])
    begin = time.process_time()
    with suppress(KeyboardInterrupt):
        _soaked(tried, words, begin + seconds)
    tried.seconds = round(time.process_time() - begin)
    return tried


def _soaked(tried: Tried, words: random.Random, end_of_time: float) -> None:
    for path, document, end, whole in cases(words, tried):
        if time.process_time() > end_of_time:
            break
        text = document.text
        position = service.Position(text.count("\n", 0, end), end - text.rfind("\n", 0, end) - 1)
        try:
            offers = answered(document, position) if whole else service.completion(document, position)
        except Exception as error:  # whatever is raised is a fault
            tried.fails(f"{type(error).__name__}: {error}", path, text[:end])
            continue
        tried.offers += len(offers)
        for offer in words.sample(offers, min(CHECKED, len(offers))):
            tried.written += 1
            before = text[: document.lines.offset(offer.range.start)]
            if complaints := refused(before, offer.text):
                tried.fails(f"{offer.text}: {complaints[0]}", path, before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=480, help="CPU time for prefixes and edits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--more", action="store_true", help="keep the runs of other seeds that are in the results")
    parser.add_argument("--no-latency", action="store_true")
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    result: dict[str, object] = json.loads(arguments.output.read_text()) if arguments.output.exists() else {}
    about = {"python": platform.python_version(), "machine": platform.machine(), "load": round(os.getloadavg()[0], 1)}
    if not arguments.no_latency:
        result["latency"] = {**latency(random.Random(arguments.seed)), **about}
        print(json.dumps(result["latency"]))
    wrong: object = None
    if arguments.seconds:
        tried = soak(arguments.seconds, random.Random(arguments.seed))
        names = ("seconds", "prefixes", "edits", "offers", "written", "wrong")
        run = {"seed": arguments.seed, **{name: getattr(tried, name) for name in names}, **about}
        before = result.get("prefixes") if arguments.more else None
        result["prefixes"] = [*(before if isinstance(before, list) else ()), run]
        print(json.dumps(run))
        wrong = tried.wrong
    arguments.output.write_text(json.dumps(result, indent=2) + "\n")
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
