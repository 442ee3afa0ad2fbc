"""What a source looks like before it is laid out in lines: items, each a piece of text and at most one block, behind
which another item may follow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.language import syntax
from hamletc.language.braces import DECLARATIONS
from hamletc.language.forms import SYMBOLS, Element, Group, Parsed, Slot, Word, forms_of
from hamletc.language.spelling import spell_expression, spell_name
from hamletc.language.tables import after, terminals


@dataclass(frozen=True, slots=True)
class Item:
    """A declaration, property or statement. `key` is the part that is aligned with those of its neighbours. What is
    `broken` never stands in one line. The `tail` is the `else` of an `if`, which follows the block."""

    key: str
    text: str
    block: tuple[Item, ...] | None
    span: Span
    broken: bool = False
    tail: Item | None = None

    @property
    def head(self) -> str:
        """Everything before the block."""
        return f"{self.key} {self.text}".strip()

    @property
    def flat(self) -> str:
        """The item in one line."""
        if self.block is None:
            return self.head
        flat = (
            f"{self.head} {{ {'  '.join(item.flat for item in self.block)} }}" if self.block else f"{self.head} {{ }}"
        )
        return flat if self.tail is None else f"{flat} {self.tail.flat}"

    @property
    def nests(self) -> bool:
        """Whether there are blocks in its block, or in that of its tail."""
        inside = any(item.block is not None for item in self.block or ())
        return inside or (self.tail is not None and self.tail.nests)


WIDEST_ROW = 100
"""The most characters in a line of numbers."""
_ALL = frozenset(("all",))
_OPEN = frozenset(("open",))
_NOTHING: frozenset[str] = frozenset()
_TYPES = frozenset(("int", "real", "bool"))
"""What a first option would be read as."""
_LAST_DISTANCE = re.compile(r"(?<!distance to )\bdistance$")
"""A meter of that name at the end of an expression."""
_STARTS = frozenset(("starts", "region"))


def item_of(node: Any) -> Item:
    """The item of a declaration, of what stands in its braces, or of a statement: by its form, or as it says here."""
    span = node.span
    match node:
        case syntax.SpaceDecl(kind=syntax.Name(text="graph"), properties=properties, paths=paths, items=items):
            return Item("", "space graph", _items((*paths, *items, *properties)), span)
        case syntax.SpaceDecl(properties=properties):
            return Item("", _space_head(node), _items(properties) or None, span)
        case syntax.GraphPath(nodes=nodes, links=links):
            words = [spell_name(nodes[0], _STARTS)]
            for link, node in zip(links, nodes[1:], strict=True):
                words += [link, spell_name(node)]
            return Item("", " ".join(words), None, span)
        case syntax.MapDecl(file=None, rows=rows, items=items):
            return Item("", "map", _items((*rows, *items)), span, broken=True)
        case syntax.MapDecl(file=syntax.Quoted(text=file), items=items):
            return Item("", f'map "{file}"', _items(items) or None, span, broken=bool(items))
        case syntax.LevelDecl(name=name, rows=rows):
            return Item("", f"level {spell_name(name)}", _items(rows), span, broken=True)
        case syntax.Quoted(text=text):
            return Item("", f'"{text}"', None, span)
        case syntax.TableDecl(name=name, sizes=sizes, file=file, rows=rows):
            words = ["table", spell_name(name), " x ".join(size.text for size in sizes)]
            if file is not None:
                return Item("", " ".join(filter(None, (*words, f'"{file.text}"'))), None, span)
            lines = tuple(line for row in rows for line in _lines(row))
            return Item("", " ".join(filter(None, words)), lines, span, broken=len(lines) > 1)
        case syntax.LinksDecl(name=name, file=file, paths=paths):
            head = f"links {spell_name(name)}"
            return (
                Item("", head, _items(paths), span) if file is None else Item("", f'{head} "{file.text}"', None, span)
            )
        case syntax.LinkPath(agents=agents, ways=ways):
            words = [agents[0].text]
            for way, agent in zip(ways, agents[1:], strict=True):
                words += [way, agent.text]
            return Item("", " ".join(words), None, span)
        case syntax.WithoutDecl(kind=syntax.Name(text="reward"), name=syntax.Name() as name):
            # Another declaration may follow instead of the name.
            return Item("", f"without reward {spell_name(name, DECLARATIONS)}", None, span)
        case syntax.OverrideDecl(declaration=inner):
            item = item_of(inner)
            if item.key:
                return replace(item, key=f"override {item.key}", span=span)
            return replace(item, text=f"override {item.text}", span=span)
        case syntax.MeterDecl(kept=True):
            item = item_of(replace(node, kept=False))
            return replace(item, key=f"kept {item.key}")
        case syntax.MeterDecl(per_agent=True):
            item = item_of(replace(node, per_agent=False))
            return replace(item, key=f"per agent {item.key}")
        case syntax.MeterDecl(name=name, start=start, bounds=bounds, state=syntax.StateSpec() as state):
            begins = f"= {spell_expression(start)}"
            if not state.kind:
                return Item(f"state {spell_name(name)}", begins, None, span)
            spec = state.kind if bounds is None else f"{state.kind} in {SYMBOLS['Bounds'].spell(bounds)}"
            if state.options:
                first, *rest = state.options
                spec = " ".join((spell_name(first, _TYPES), *map(spell_name, rest)))
            return Item(f"state {spell_name(name)}:", f"{spec} {begins}", None, span)
        case syntax.RuleDecl(name=name, guard=guard, body=body, braced=braced):
            if guard is None and (braced or len(body) != 1):
                return Item("", f"rule {spell_name(name)}", _items(body), span)
            before = "" if guard is None else f"{spell_expression(guard)} -> "
            return _body_item(f"rule {spell_name(name)}:", before, body, span, braced=braced)
        case syntax.CascadeDecl(name=name, guard=guard, body=body, braced=braced):
            before = f"{spell_expression(guard)} -> "
            return _body_item(f"cascade {spell_name(name)}:", before, body, span, braced=braced)
        case syntax.AffordanceDecl(items=items):
            return Item("", _affordance_head(node), _items(items), span)
        case syntax.IfStmt():
            return _if_item(node)
        case syntax.AssignStmt(meter=meter, op=op, owner=owner):
            # A keyword before `=` is a meter only where the text declares one: what was in backticks stays so. Before
            # `of` it is none.
            keywords = frozenset(terminals()) if owner is not None or (meter.quoted and op == "=") else _NOTHING
            return _formed(node, {"meter": keywords})
        case syntax.PostStmt(state=state):
            # Of an action `needs at right 2` is what it needs: what was in backticks stays so.
            return _formed(node, {"state": frozenset(terminals()) if state.quoted else _NOTHING})
        case syntax.AllowDecl():
            return _formed(node, {"actions": _ALL})
        case syntax.ActionsDecl():
            # A name in the list would begin the next declaration.
            return _formed(node, {"actions": DECLARATIONS})
        case syntax.ObserveGrid() | syntax.ObserveWindow():
            return _formed(node, {"layer": _OPEN})
        case syntax.CapacityItem(places=places) if node.lowest is not None or node.highest is not None:
            return Item("", _formed(node).text.replace(*_before_to(places), 1), None, span)
        case syntax.ObserveListed() | syntax.ObserveHot():
            # A name in a list of meters, params or affordances would begin the next item.
            return _formed(node, {"names": after("observe", "{")})
        case _:
            return _formed(node)


def _items(nodes: Iterable[Any]) -> tuple[Item, ...]:
    return tuple(map(item_of, nodes))


def _space_head(space: syntax.SpaceDecl) -> str:
    shape = [size.text for size in space.sizes] or [f"({low.text} .. {high.text})" for low, high in space.bounds]
    if space.kind.text in syntax.GRIDS and not shape:
        shape = ["map"]
    return f"space {space.kind.text} {' x '.join(shape)}".rstrip()


def _affordance_head(affordance: syntax.AffordanceDecl) -> str:
    words = [f"affordance {spell_name(affordance.name)}"]
    if affordance.copies is not None:
        words = [f"{words[0]}: {affordance.copies.text} {'copy' if affordance.copies.text == '1' else 'copies'}"]
    if affordance.place_span is not None:
        spots = ["random" if affordance.place is None else SYMBOLS["Spot"].spell(affordance.place)]
        spots += map(SYMBOLS["Spot"].spell, affordance.others)
        words.append(f"at {', '.join(spots)}")
    words += (item_of(each).text for each in affordance.spread)
    words += () if affordance.solid is None else ("solid",)
    if affordance.hours is not None:
        words.append(f"open {affordance.hours[0].text} .. {affordance.hours[1].text}")
    if affordance.duration is not None:
        words.append(f"lasts {SYMBOLS['Lasting'].spell(affordance.duration)}")
    if affordance.together is not None:
        words.append("together")
    return " ".join(words)


def _lines(row: syntax.TableRow) -> Iterator[Item]:
    """The lines of numbers that a line of a table becomes."""
    line = ""
    for number in row.numbers.split():
        if line and len(line) + len(number) >= WIDEST_ROW:
            yield Item("", line, None, row.span)
            line = ""
        line = f"{line} {number}" if line else number
    yield Item("", line, None, row.span)


def _before_to(places: syntax.Expr) -> tuple[str, str]:
    """The text of the places of a capacity, and the one that `to` can follow: `distance to` would begin a distance."""
    text = spell_expression(places)
    return text, _LAST_DISTANCE.sub("`distance`", text)


def _body_item(key: str, before: str, body: tuple[syntax.Stmt, ...], span: Span, *, braced: bool) -> Item:
    """A rule or cascade: a lone statement that is not `braced` stands by itself, others stand in a block."""
    if len(body) == 1 and not braced:
        statement = item_of(body[0])
        return Item(key, before + statement.text, statement.block, span, tail=statement.tail)
    return Item(key, before.rstrip(), _items(body), span)


def _if_item(branch: syntax.IfStmt) -> Item:
    """An `if` with its `else`."""
    tail = None
    if branch.other is not None:
        behind = replace(branch.span, line=branch.other.line, column=branch.other.column)
        following = Item("", "", _items(branch.otherwise), behind) if branch.next is None else _if_item(branch.next)
        tail = replace(following, text=f"else {following.text}".rstrip(), span=behind)
    return Item("", f"if {spell_expression(branch.condition)}", _items(branch.body), branch.span, tail=tail)


# --- by form ---

_MARK = "\0"


def _formed(node: Any, keywords: Mapping[str, frozenset[str]] = MappingProxyType({})) -> Item:
    """The item of a node by its form. `keywords` are what names in fields would be read as.

    Raises:
        TypeError: none of its forms says all of it.
    """
    parts: list[str] = []
    block = _write(_form(node).elements, node, keywords, parts)
    key, mark, text = "".join(parts).partition(_MARK)
    inner = None if block is None else _items(getattr(node, block.field))
    broken = block is not None and block.block == "{{"
    return (
        Item(key.rstrip(), text.lstrip(), inner, node.span, broken) if mark else Item("", key, inner, node.span, broken)
    )


def _form(node: Any) -> Parsed:
    """The form that says all of a node."""
    kind: Any = type(node)
    forms = forms_of(kind)
    for form in forms:
        if len(forms) == 1 or _says(form, node):
            return form
    raise TypeError(f"no form says all of {node}")


def _says(form: Parsed, node: Any) -> bool:
    """Whether a form says all that is there in a node."""
    if any(getattr(node, field) for field in form.unsaid):
        return False
    slots = (element for element in form.elements if isinstance(element, Slot))
    return all(_suits(slot, getattr(node, slot.field)) for slot in slots)


def _suits(slot: Slot, value: Any) -> bool:
    """Whether what stands in a field can be written there. Nothing, `False` and an empty list cannot."""
    if slot.words and slot.kind not in ("bool", "Span") and not slot.many:
        return (value if isinstance(value, str) else getattr(value, "text", None)) in slot.words
    return bool(value) and (slot.many != "" or slot.kind not in SYMBOLS or isinstance(value, SYMBOLS[slot.kind].kinds))


def _write(
    elements: Iterable[Element], node: Any, keywords: Mapping[str, frozenset[str]], parts: list[str]
) -> Slot | None:
    """Add what stands before the block to `parts`, with a mark where the key ends. Returns the block."""
    block = None
    for element in elements:
        match element:
            case Word(texts=()):
                text = _MARK
            case Word(texts=(text,)):
                pass
            case Word(texts=texts):
                text = texts[parts[-1].strip() != "1"]
            case Group(fields=fields):
                for field in fields:
                    if getattr(node, field):
                        block = _write(element.elements, node, keywords, parts)
                        break
                continue
            case Slot(block=""):
                text = _field(element, getattr(node, element.field), keywords)
            case Slot():
                block = element
                continue
        parts.append(f" {text}" if element.spaced and parts else text)
    return block


def _field(slot: Slot, value: Any, keywords: Mapping[str, frozenset[str]]) -> str:
    """The text of a field."""
    if slot.many:
        one = replace(slot, many="")
        between = ", " if slot.many == "," else " "
        listed = between.join(_field(one, each, keywords) for each in value)
        return f"{{ {listed} }}" if slot.many == "*" else listed
    if slot.words:
        return slot.words[0] if slot.kind in ("bool", "Span") else value if isinstance(value, str) else value.text
    if slot.field in keywords:
        return spell_name(value, keywords[slot.field])
    return SYMBOLS[slot.kind].spell(value) if slot.kind in SYMBOLS else item_of(value).flat
