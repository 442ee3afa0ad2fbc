"""Things that agents observe, as the states and meters of cells that these have become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from hamlet.frozen import dataclass
from hamletc.expansion.things import Thing
from hamletc.expansion.trees import Field, outside_expressions, rebuilt
from hamletc.language import syntax

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SeenThings:
    """Writes out what is observed of things.

    Attributes:
        by_all: whether all agents observe what they carry.
        tree: makes of a node what stands for it.
    """

    things: Mapping[str, Thing]
    by_all: bool
    tree: Callable[[Any, Field], Any]

    def shown(self, item: T, role: str = "") -> T:
        """An item of `observe`, in a role or outside of all."""
        return cast(T, self._shown(item, role))

    def _shown(self, item: Any, role: str) -> Any:
        match item:
            case syntax.ObserveGroup(items=items) | syntax.ObserveImage(items=items):
                return replace(item, items=tuple(self._shown(each, role) for each in items))
            case syntax.ObserveValue() | syntax.ObserveHot() | syntax.ObserveDiscrete() | syntax.ObserveText():
                return rebuilt(item, self.tree)
            case syntax.ObserveHotGrid(layer=layer) | syntax.ObserveHotWindow(layer=layer):
                return replace(item, layer=self._there(layer))
            case syntax.ObserveItems(names=words):
                names = [word.text for word in words]
                every_role = ("",) if not role else (role,) if self.by_all else ("", role)
                shown = [
                    thing
                    for thing in self.things.values()
                    if thing.name in names or (not names and thing.role in every_role)
                ]
                become = tuple(name for thing in shown for name in thing.states(item.span))
                return syntax.ObserveState(become, item.span) if shown else item
            case syntax.ObserveGrid(layer=syntax.Name() as layer) | syntax.ObserveWindow(layer=syntax.Name() as layer):
                return replace(item, layer=self._there(layer))
            case syntax.ObserveCell(names=words):
                return replace(item, names=tuple(map(self._there, words)))
            case _:
                return item

    def _there(self, name: syntax.Name) -> syntax.Name:
        """What of things lies on cells, by the name of the things."""
        thing = self.things.get(name.text)
        return name if thing is None or not thing.lies else replace(name, text=thing.own("lying", name.span).text)


def observed_by_all(declarations: tuple[syntax.Decl, ...]) -> bool:
    """Whether things are observed outside of roles."""
    observed = (each for each in declarations if isinstance(each, syntax.ObserveDecl))
    return any(isinstance(item, syntax.ObserveItems) for item in outside_expressions((*observed,)))
