"""What a source looks like before it is laid out in lines: items, each a piece of text and at most one block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from hamlet.universe import Span
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression


@dataclass(frozen=True, slots=True)
class Item:
    """A declaration, property or statement. `key` is the part that is aligned with those of its neighbours."""

    key: str
    text: str
    block: tuple[Item, ...] | None
    span: Span

    @property
    def head(self) -> str:
        """Everything before the block."""
        return f"{self.key} {self.text}".strip()

    @property
    def flat(self) -> str:
        """The item in one line."""
        if self.block is None:
            return self.head
        return f"{self.head} {{ {'  '.join(item.flat for item in self.block)} }}"

    @property
    def nests(self) -> bool:
        """Whether there are blocks in its block."""
        return any(item.block is not None for item in self.block or ())


def declaration_item(declaration: syntax.Decl) -> Item:
    """The item of a declaration."""
    span = declaration.span
    match declaration:
        case syntax.SpaceDecl(kind=kind, sizes=sizes, properties=properties):
            text = f"space {kind.text} {' x '.join(size.text for size in sizes)}"
            return Item("", text, _properties(properties), span)
        case syntax.ClockDecl(hours=hours):
            return Item("", f"clock {_count(hours, 'hour')}", None, span)
        case syntax.LifespanDecl(ticks=ticks, properties=properties):
            return Item("", f"lifespan {_count(ticks, 'tick')}", _properties(properties), span)
        case syntax.ParamDecl(name=name, default=default, bounds=bounds):
            return Item(f"param {name.text}", f"= {spell_expression(default)}{_bounds(bounds)}", None, span)
        case syntax.MeterDecl(name=name, start=start, bounds=bounds, properties=properties):
            text = f"= {spell_expression(start)}{_bounds(bounds)}"
            return Item(f"meter {name.text}", text, _properties(properties), span)
        case syntax.RuleDecl(name=name, guard=guard, body=body):
            if guard is None and len(body) != 1:
                return Item("", f"rule {name.text}", _statements(body), span)
            before = "" if guard is None else f"{spell_expression(guard)} -> "
            return _body_item(f"rule {name.text}:", before, body, span)
        case syntax.CascadeDecl(name=name, guard=guard, body=body):
            return _body_item(f"cascade {name.text}:", f"{spell_expression(guard)} -> ", body, span)
        case syntax.AffordanceDecl(items=items):
            return Item("", _affordance_head(declaration), tuple(_inner_item(item) for item in items), span)
        case syntax.ActionDecl(name=name, items=items):
            return Item("", f"action {name.text}", tuple(_inner_item(item) for item in items), span)
        case syntax.DiesDecl(condition=condition):
            return Item("", f"dies when {spell_expression(condition)}", None, span)
        case syntax.RewardDecl(value=value):
            return Item("", f"reward {spell_expression(value)}", None, span)
        case syntax.ObserveDecl(items=items):
            return Item("", "observe", tuple(_observation(item) for item in items), span)
    assert_never(declaration)


def _affordance_head(affordance: syntax.AffordanceDecl) -> str:
    place = "random" if affordance.place is None else _cell(affordance.place)
    words = [f"affordance {affordance.name.text} at {place}"]
    if affordance.hours is not None:
        words.append(f"open {affordance.hours[0].text} .. {affordance.hours[1].text}")
    if affordance.duration is not None:
        words.append(f"lasts {_count(affordance.duration, 'tick')}")
    return " ".join(words)


def _inner_item(
    item: syntax.NeedsItem | syntax.BlockItem | syntax.MoveItem | syntax.TeleportItem | syntax.Stmt,
) -> Item:
    match item:
        case syntax.NeedsItem(condition=condition):
            return Item("", f"needs {spell_expression(condition)}", None, item.span)
        case syntax.BlockItem(kind=kind, body=body):
            return Item("", kind, _statements(body), item.span)
        case syntax.MoveItem(delta=delta):
            return Item("", f"move {_cell(delta)}", None, item.span)
        case syntax.TeleportItem(cell=cell):
            return Item("", f"teleport {_cell(cell)}", None, item.span)
        case syntax.AssignStmt(meter=meter, op=op, value=value, unclamped=unclamped):
            suffix = "" if unclamped is None else " unclamped"
            return Item("", f"{meter.text} {op} {spell_expression(value)}{suffix}", None, item.span)
        case syntax.TogetherStmt(body=body):
            return Item("", "together", _statements(body), item.span)
    assert_never(item)


def _body_item(key: str, before: str, body: tuple[syntax.Stmt, ...], span: Span) -> Item:
    """A rule or cascade: a lone statement stands by itself, several stand in a block."""
    if len(body) == 1:
        statement = _inner_item(body[0])
        return Item(key, before + statement.text, statement.block, span)
    return Item(key, before.rstrip(), _statements(body), span)


def _statements(body: tuple[syntax.Stmt, ...]) -> tuple[Item, ...]:
    return tuple(_inner_item(statement) for statement in body)


def _properties(properties: tuple[syntax.Property, ...]) -> tuple[Item, ...] | None:
    items = tuple(Item("", f"{p.key.text} {spell_expression(p.value)}", None, p.span) for p in properties)
    return items or None


def _observation(item: syntax.ObserveItem) -> Item:
    words = [item.kind.text, *(word.text for word in item.words)]
    if item.number is not None:
        words.extend(["per", item.number.text] if item.kind.text == "progress" else [item.number.text])
    return Item("", " ".join(words), None, item.span)


def _bounds(bounds: tuple[syntax.Expr, syntax.Expr] | None) -> str:
    return "" if bounds is None else f" in {spell_expression(bounds[0])} .. {spell_expression(bounds[1])}"


def _cell(cell: tuple[syntax.Signed, ...]) -> str:
    return f"({', '.join(coordinate.text for coordinate in cell)})"


def _count(number: syntax.Signed, unit: str) -> str:
    return f"{number.text} {unit}" if number.text == "1" else f"{number.text} {unit}s"
