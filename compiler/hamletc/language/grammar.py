"""The whole grammar: the rules of grammar.lark, and those that follow from the forms of nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from hamletc.language import syntax
from hamletc.language.forms import SYMBOLS, Element, Group, Slot, Word, forms_of, nodes_with_forms, snake

_NAME = re.compile(r"\w+")
_BY_HAND = re.compile(r"^\??(\w+):", re.MULTILINE)


def whole(by_hand: str) -> str:
    """The rules that are written by hand, and those of nodes with a form and of unions of nodes that they use. A union
    that has a rule by hand keeps that one."""
    made = dict(_unions())
    for name, node in nodes_with_forms().items():
        forms = [" ".join(_symbols(form.elements, made)) for form in forms_of(node)]
        if len(forms) > 1:
            forms = [f"{text} -> {name}_{number}" for number, text in enumerate(forms)]
        made[name] = f"{name}: {_alternatives(forms)}"
    for name in _BY_HAND.findall(by_hand):
        made.pop(name, None)
    return "\n".join((*_used(by_hand, made), by_hand))


def _unions() -> Iterator[tuple[str, str]]:
    """Unions of nodes by their rules; for a member of which there are kinds these stand."""
    for name, union in vars(syntax).items():
        members = get_args(union)
        if members and all(isinstance(member, type) for member in members):
            rule = snake(name)
            names = (snake(kind.__name__) for member in members for kind in member.__subclasses__() or (member,))
            yield rule, f"?{rule}: {_alternatives(names)}"


def _used(grammar: str, made: Mapping[str, str]) -> Iterator[str]:
    """The rules that a grammar names, and those that these name, and so on."""
    pending, met = [grammar], set[str]()
    while pending:
        for name in _NAME.findall(pending.pop(0)):
            if name in made and name not in met:
                met.add(name)
                pending.append(made[name])
                yield made[name]


def _symbols(elements: Iterable[Element], made: dict[str, str]) -> Iterator[str]:
    """The symbols of a rule. Rules that it needs beside it are added to those that are `made`."""
    for element in elements:
        match element:
            case Word(texts=()):
                pass
            case Word(texts=texts):
                yield _choice(texts)
            case Group():
                yield f"[{' '.join(_symbols(element.elements, made))}]"
            case Slot(many=""):
                yield _one(element, made)
            case Slot():
                yield _several(element, made)


def _several(slot: Slot, made: dict[str, str]) -> str:
    """The name of the rule of a list."""
    one = _one(slot, made)
    names = "_".join(_NAME.findall(one)).lower()
    name = f"{ {'*': 'block', '+': 'row', ',': 'list'}[slot.many] }_of_{names}"
    pattern = {"*": f'"{{" {one}* "}}"', "+": f"{one}+", ",": f'{one} ("," {one})*'}[slot.many]
    made[name] = f"{name}: {pattern} -> listed"
    return name


def _one(slot: Slot, made: dict[str, str]) -> str:
    """The symbol of one item of a field."""
    if any(" " in word for word in slot.words):
        name = "_".join(word.replace(" ", "_") for word in slot.words)
        phrases = (" ".join(f'"{part}"' for part in word.split()) + " -> phrase" for word in slot.words)
        made[name] = f"{name}: {_alternatives(phrases)}"
        return name
    if slot.words:
        return _choice(slot.words)
    rules = [SYMBOLS[kind].rule if kind in SYMBOLS else snake(kind) for kind in slot.kind.split(" | ")]
    return rules[0] if len(rules) == 1 else f"({' | '.join(rules)})"


def _choice(words: Iterable[str]) -> str:
    """One of these words or symbols."""
    quoted = [f'"{word}"' for word in words]
    return quoted[0] if len(quoted) == 1 else f"({' | '.join(quoted)})"


def _alternatives(texts: Iterable[str]) -> str:
    return "\n    | ".join(texts)
