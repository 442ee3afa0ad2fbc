"""Graphs: their nodes and edges, and what has no meaning on them."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.language.spelling import counted
from hamletc.suggest import closest

INSTEAD = {
    "`start`": "Leave it out; `starts home` is said in the graph.",
    "`moves`": "Leave it out: there is a move to each node.",
    "a place with coordinates": "Write a node, as in `at home`.",
    "a displacement": "Write `teleport` to a node, or draw an edge.",
    "a speed": "Ask for `action`, as in `action == WAIT`.",
    "a straight distance": "Write `distance to`: fewest edges.",
    "a velocity": "Write `position x != previous(position x)`.",
}
"""What a graph has for what has no meaning on it."""


@finding("H192")
class EdgeToItself(Finding):
    node: str

    def told(self) -> Told:
        return Told(f"an edge leads from `{self.node}` to itself", "Leave it out; who waits stays.")


@finding("H192")
class TooFewNodes(Finding):
    nodes: int

    def told(self) -> Told:
        message = f"this graph has {counted(self.nodes, 'node')}"
        return Told(message, "Write some, as in `space graph { home - road - shop }`.")


@finding("H033")
class TooManyNodes(Finding):
    nodes: int
    most: int

    def told(self) -> Told:
        return Told(f"a graph has at most {self.most} nodes, this one {self.nodes}", "Draw less.")


@finding("H024")
class NodeTwice(Finding):
    node: str

    def told(self) -> Told:
        return Told(f"`{self.node}` is in this region already", "Write each node once.")


@finding("H193")
class NodesApart(Finding):
    first: str
    node: str

    def told(self) -> Told:
        hint = "Write an edge between the parts, or leave one of them out."
        return Told(f"nothing leads from `{self.first}` to `{self.node}`, nor back", hint)


@finding("H194")
class NotOnGraph(Finding):
    thing: str
    graph: Span

    def told(self) -> Told:
        hint = INSTEAD.get(self.thing, "Observe `position node`, or `grid`: which nodes are taken.")
        return Told(f"{self.thing} has no meaning on a graph", hint, "", (Label(self.graph, "the graph"),))


@finding("H194")
class NodeWithoutGraph(Finding):
    node: str
    space: Span
    is_letter: bool = False

    def told(self) -> Told:
        if self.is_letter:
            quoted = f'"{self.node}"'
            hint = f"Write `{quoted}`: letters of the map stand in quotes."
            return Told("a node needs a graph", hint, "", (Label(self.space, "the space"),), (Edit(self.span, quoted),))
        meant = closest(self.node, ("random",))
        hint = f"Did you mean `{meant}`?" if meant else "Write `at random`, or a place, as in `at (2, 3)`."
        return Told("a node needs a graph", hint, "", (Label(self.space, "the space"),))
