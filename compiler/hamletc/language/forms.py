"""The form of a node: one line on its class, from which its grammar rule, its builder and its text follow.

    class ParamDecl(Node, form="param $name & = $default in $bounds"):

| in a form | in a text |
|---|---|
| `param`, `=`, `->` | this word or symbol |
| `$name` | a field, as its annotation says: `SYMBOLS`, or a node, or a union of nodes |
| `$kind`, a `Literal` | one of these words |
| `$unclamped`, a `bool` or `Span | None` | the word `unclamped` |
| `$by<agent|world>`, a `Name` | one of these words |
| `$ticks<Duration>` | a field, as this annotation would say |
| `$verbs+`, `$shares,`, `$nodes*` | one or more; one or more with commas between them; none or more |
| `[with $number]` | may be left out |
| `hour|hours` | either; in formatted text the one that suits the number before it |
| `{ $items* }`, `{{ $items* }}` | a block; one that never stands in one line |
| `&` | nothing: what stands before it is aligned with its neighbours in formatted text |

Where a node has several forms, the first one that says all of it is its text. Each word or field of a form becomes
exactly one value of its grammar rule, so that values and fields are matched by position.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from hamlet.frozen import dataclass
from hamletc.language import syntax
from hamletc.language.braces import DECLARATIONS
from hamletc.language.pieces import Pieces, name_of
from hamletc.language.spelling import (
    spell_each,
    spell_expression,
    spell_given,
    spell_name,
    spell_quantity,
    spell_toward,
)

_ELEMENT = re.compile(
    r"""(?P<space>\s*)(?:
      (?P<brace>\{\{?)?\s*\$(?P<field>\w+)(?:<(?P<choice>[^>]+)>)?(?P<many>[*+,]?)(?(brace)\s*\}\}?)
    | (?P<group>[\[\]])
    | (?P<word>\w+(?:\|\w+)?|->|[&+*/(){}<>=:,-])
    )""",
    re.VERBOSE,
)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"['\"](.*?)['\"]")


class Symbol(NamedTuple):
    """How a field that is no node is written, by its annotation.

    Attributes:
        rule: the symbol of the grammar.
        take: from the value of that symbol to that of the field.
        spell: the text of the field.
        kinds: the types that its values have.
    """

    rule: str
    take: Callable[[Any], Any]
    spell: Callable[[Any], str]
    kinds: type[Any] | tuple[type[Any], ...]


def _itself(value: Any) -> Any:
    return value


def _items(value: Any) -> Any:
    return value.items if isinstance(value, Pieces) else value


def _first(value: Pieces) -> Any:
    return value.items[0]


def _cell(cell: syntax.Cell) -> str:
    return f"({', '.join(coordinate.text for coordinate in cell)})"


def _bounds(bounds: syntax.Bounds) -> str:
    return f"{spell_expression(bounds[0])} .. {spell_expression(bounds[1])}"


def _drawn(value: syntax.Expr) -> str:
    """A value behind `once`, in parentheses where the word would be read as a name: before a minus, or a keyword."""
    text = spell_expression(value)
    return f"({text})" if text.startswith("-") or text.split()[0] in DECLARATIONS else text


def _interval(interval: tuple[syntax.Signed, syntax.Signed]) -> str:
    return f"({interval[0].text} .. {interval[1].text})"


def _coordinates(place: tuple[syntax.Expr, ...]) -> str:
    return f"({', '.join(map(spell_expression, place))})"


def _quoted(text: syntax.Quoted) -> str:
    return f'"{text.text}"'


def _landmark(landmark: syntax.Landmark) -> str:
    return spell_name(landmark, _RANDOM) if isinstance(landmark, syntax.Name) else _quoted(landmark)


def _spot(spot: syntax.Spot) -> str:
    spot = spot.place if isinstance(spot, syntax.StartsAt) else spot
    return _cell(spot) if isinstance(spot, tuple) else _landmark(spot)


def _lasting(ticks: syntax.Lasting) -> str:
    return ticks.text if isinstance(ticks, syntax.Name) else spell_quantity(ticks.text, ticks.unit or "tick")


_RANDOM = frozenset(("random",))
SYMBOLS: Mapping[str, Symbol] = MappingProxyType(
    {
        "Name": Symbol("NAME", name_of, spell_name, syntax.Name),
        "Label": Symbol("LABEL", name_of, spell_name, syntax.Name),
        "str": Symbol("STRING", lambda leaf: leaf.text[1:-1], '"{}"'.format, str),
        "Expr": Symbol("expression", _itself, spell_expression, object),
        "Signed": Symbol("signed", _itself, lambda number: number.text, syntax.Signed),
        "Quoted": Symbol("quoted", _itself, _quoted, syntax.Quoted),
        "Bounds": Symbol("bounds", _items, _bounds, tuple),
        "Cell": Symbol("cell", _items, _cell, tuple),
        "Coordinates": Symbol("coordinates", _items, _coordinates, tuple),
        "Drawn": Symbol("expression", _itself, _drawn, object),
        "Interval": Symbol("interval", _items, _interval, tuple),
        "Each": Symbol("each", _itself, spell_each, syntax.Each),
        "Given": Symbol("given", _itself, spell_given, object),
        "Landmark": Symbol("landmark", _itself, _landmark, (syntax.Quoted, syntax.Name)),
        "Spot": Symbol("spot", _items, _spot, (tuple, syntax.Quoted, syntax.Name)),
        "Duration": Symbol("duration", _first, _lasting, syntax.Signed),
        "Toward": Symbol("toward", _itself, spell_toward, syntax.Toward),
        "Lasting": Symbol("lasting", _first, _lasting, (syntax.Signed, syntax.Name)),
    }
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word or symbol, two for a number that is one and any other, or none for `&`. `spaced` where a space stands
    before it, as in other elements."""

    texts: tuple[str, ...]
    spaced: bool


@dataclass(frozen=True, slots=True)
class Slot:
    """A field. `many` is how several of it are written, `*`, `+` or `,`; `words` are the words that it may be; `kind`
    is its annotation, of one of them where there are several. A `block` has them in braces, which are double where it
    never stands in one line."""

    field: str
    kind: str
    many: str
    words: tuple[str, ...]
    block: str
    spaced: bool

    @property
    def take(self) -> Callable[[Any], Any]:
        """From the value of its symbol to that of the field."""
        if self.many:
            return _items
        if not self.words:
            return SYMBOLS[self.kind].take if self.kind in SYMBOLS else _itself
        if self.kind.startswith("Literal"):
            return lambda leaf: leaf.text
        return {"bool": lambda _: True, "Span": lambda leaf: leaf.span}.get(self.kind, name_of)


@dataclass(frozen=True, slots=True)
class Group:
    """What may be left out: it stands where one of its `fields` has something."""

    elements: tuple[Element, ...]
    fields: tuple[str, ...]


Element: TypeAlias = Word | Slot | Group


@dataclass(frozen=True, slots=True)
class Parsed:
    """A form of a node. `flat` is what the values of its grammar rule are of, in order; `unsaid` are the fields that
    other forms of the node say and this one does not, `absent` the values of fields that are not written."""

    node: type[Any]
    elements: tuple[Element, ...]
    flat: tuple[Word | Slot, ...]
    unsaid: frozenset[str]
    absent: Mapping[str, Any]


def snake(name: str) -> str:
    """The grammar rule of a node or a union, by its name: `ParamDecl` has `param_decl`."""
    return _CAPITAL.sub("_", name).lower()


@cache
def nodes_with_forms() -> Mapping[str, Any]:
    """The kinds of nodes that have a form, by the names of their grammar rules."""
    kinds = (kind for kind in vars(syntax).values() if isinstance(kind, syntax.NodeType) and kind.form)
    return {snake(kind.__name__): kind for kind in kinds}


def written_forms() -> str:
    """All forms as they are written, with the annotations of their nodes: a change of one changes the grammar."""
    return "\n".join(f"{name} {kind.form} {kind.__annotations__}" for name, kind in nodes_with_forms().items())


@cache
def forms_of(node: Any) -> tuple[Parsed, ...]:
    """The forms of a kind of node; none where its rules are written by hand.

    Raises:
        ValueError: a form has something that is none, or a field that the node has not.
    """
    written: syntax.Form = node.form
    kinds = {field.name: str(field.type) for field in fields(node)}
    forms = [_parsed(form, kinds) for form in ((written,) if isinstance(written, str) else written)]
    flat = [tuple(_flat(elements)) for elements in forms]
    said = [frozenset(each.field for each in values if isinstance(each, Slot)) for values in flat]
    absent = {field: _absent(kinds[field]) for field in frozenset[str]().union(*said)}
    return tuple(
        Parsed(node, elements, values, frozenset(absent.keys() - own), absent)
        for elements, values, own in zip(forms, flat, said, strict=True)
    )


def _absent(annotation: str) -> Any:
    """The value of a field that is not written."""
    return () if annotation.startswith("tuple") else False if annotation == "bool" else None


def _flat(elements: Iterable[Element]) -> Iterator[Word | Slot]:
    for element in elements:
        if isinstance(element, Group):
            yield from _flat(element.elements)
        elif isinstance(element, Slot) or element.texts:
            yield element


def _parsed(form: str, kinds: Mapping[str, str]) -> tuple[Element, ...]:
    """The elements of a form of a node whose fields have these annotations."""
    groups: list[tuple[list[Element], bool]] = [([], False)]  # those that are open, with a space before them or none
    end = 0
    while end < len(form):
        match = _ELEMENT.match(form, end)
        if match is None or (match["field"] or "span") not in {*kinds, "span"}:
            raise ValueError(f"`{form[end:].strip()}` is no part of a form of these fields: {', '.join(kinds)}")
        elements, before = groups[-1]
        end, spaced = match.end(), bool(match["space"]) if elements else before
        if match["field"]:
            elements.append(_slot(match, kinds[match["field"]].removesuffix(" | None"), spaced))
        elif match["group"] == "[":
            groups.append(([], spaced))
        elif match["group"]:
            groups.pop()
            names = tuple(element.field for element in _flat(elements) if isinstance(element, Slot))
            groups[-1][0].append(Group(tuple(elements), names))
        else:
            elements.append(Word(() if match["word"] == "&" else tuple(match["word"].split("|")), spaced))
    ((elements, _),) = groups
    return tuple(elements)


def _slot(match: re.Match[str], kind: str, spaced: bool) -> Slot:
    choice, many, field = match["choice"] or "", match["many"], match["field"]
    if many:
        kind = kind.removeprefix("tuple[").removesuffix(", ...]")
    if choice[:1].isupper():
        kind, choice = choice, ""
    words = tuple(choice.split("|")) if choice else (field,) if kind in ("bool", "Span") else ()
    words = tuple(_WORD.findall(kind)) if kind.startswith("Literal") and not choice else words
    block = (match["brace"] or "") if kind not in SYMBOLS else ""
    return Slot(field, kind, many, words, block, spaced)
