"""Spaces that are graphs: nodes, edges between them, and what has no meaning there."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from hamlet.universe import Graph, Grid, Map, Move, Node, Region, Space, Span
from hamlet.universe.space import graph_of
from hamlet.universe.terrain import distinct
from hamletc import messages
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, Properties, all_of
from hamletc.language import syntax

MOST_NODES = 256
FIRST_LETTER = 0x100
"""The letter of the first node, where nodes have letters. Authors never see it."""


def resolve_graph(
    declaration: syntax.SpaceDecl, given: Properties[syntax.SpaceProperty], names: Names, report: Findings
) -> Grid | None:
    """`space graph { home - road - office  road -> shop  starts home }`."""
    first: dict[str, syntax.Name] = {}
    edges: dict[tuple[str, str], Span] = {}
    for path in declaration.paths:
        for node in path.nodes:
            first.setdefault(node.text, node)
        for one, link, other in zip(path.nodes, path.links, path.nodes[1:], strict=False):
            if one.text == other.text:
                report.add(messages.graph.EdgeToItself(other.span, one.text))
            for edge in ((one.text, other.text), (other.text, one.text))[: 1 if link == "->" else 2]:
                if edge in edges and one.text != other.text:
                    both = f"the edge from `{edge[0]}` to `{edge[1]}`"
                    report.add(messages.everywhere.GivenTwice(other.span, both, edges[edge]))
                    break
                edges[edge] = other.span
    if len(first) < 2:
        report.add(messages.graph.TooFewNodes(declaration.span, len(first)))
        return None
    if len(first) > MOST_NODES:
        over = list(first.values())[MOST_NODES]
        report.add(messages.graph.TooManyNodes(over.span, len(first), MOST_NODES))
        return None
    nodes = tuple(
        Node(name, tuple(other for other in first if (name, other) in edges), node.span) for name, node in first.items()
    )
    start = given.of(syntax.StartsProperty)
    begins = None if start is None else names.find(start.value, "node")
    if start is not None and begins is None:
        return None
    graph = Graph(nodes, begins, declaration.span)
    _check_whole(graph, report)
    starts: Literal["apart", "anywhere"] = "apart" if begins is None else "anywhere"
    ground = _regions(declaration, graph, start, names, report)
    return Grid((len(nodes),), "clamp", "manhattan", "computed", starts, declaration.span, ground, graph)


def _regions(
    declaration: syntax.SpaceDecl, graph: Graph, start: syntax.StartsProperty | None, names: Names, report: Findings
) -> Map | None:
    """What a graph has of a map, with a letter of its own for each node: `region town { home road }`, `starts in
    town`."""
    letters = {node.name: chr(FIRST_LETTER + number) for number, node in enumerate(graph.nodes)}
    regions: list[Region] = []
    for item in all_of(declaration.items, syntax.NodesDecl):
        found = [names.find(node, "node") for node in item.nodes]
        twice = next((node for number, node in enumerate(item.nodes) if found.index(found[number]) < number), None)
        if twice is not None and None not in found:
            report.add(messages.graph.NodeTwice(twice.span, twice.text))
        if names.owns(item.name):
            regions.append(Region(item.name.text, distinct(letters[node] for node in found if node), item.span))
    beginning = all_of(declaration.items, syntax.MapLetters)
    before = () if start is None else (start.span,)
    for second, first in pairwise((*before, *(each.span for each in beginning))):
        report.add(messages.everywhere.GivenTwice(first, "`starts`", second))
    begins: str | None = None
    for said in beginning:
        written = said.letters
        region = names.find(written, "region") if isinstance(written, syntax.Name) else None
        if region is not None:
            names.asked.add(region)
            begins = next((each.letters for each in regions if each.name == region), None)
    if not regions:
        return None
    return Map(("".join(letters.values()),), "", tuple(regions), (), declaration.span, begins)


def _check_whole(graph: Graph, report: Findings) -> None:
    """Warn of nodes between which and the first one nothing leads, in either direction."""
    around: dict[str, set[str]] = {node.name: set(node.leads) for node in graph.nodes}
    for node in graph.nodes:
        for other in node.leads:
            around[other].add(node.name)
    reached, pending = {graph.nodes[0].name}, [graph.nodes[0].name]
    while pending:
        new = around[pending.pop()] - reached
        reached |= new
        pending += sorted(new)
    cut = next((node for node in graph.nodes if node.name not in reached), None)
    if cut is not None:
        report.add(messages.graph.NodesApart(cut.span, graph.nodes[0].name, cut.name))


def graph_moves(graph: Graph) -> tuple[Move, ...]:
    """A move to each node."""
    return tuple(Move(f"GO_{node.name}", (1.0,)) for node in graph.nodes)


def is_graph(what: str, space: Space | None, span: Span, report: Findings) -> bool:
    """Whether the space is a graph, where `what` has no meaning; that is reported."""
    graph = graph_of(space)
    if graph is not None:
        report.add(messages.graph.NotOnGraph(span, what, graph.span))
    return graph is not None


def node_place(node: syntax.Name, space: Space | None, names: Names, report: Findings) -> tuple[float, ...] | None:
    """Where `at home` and `teleport home` are."""
    if space is None:
        return None
    graph = graph_of(space)
    if graph is None:
        is_drawn = isinstance(space, Grid) and space.map is not None and any(node.text in row for row in space.map.rows)
        report.add(messages.graph.NodeWithoutGraph(node.span, node.text, space.span, is_letter=is_drawn))
        return None
    name = names.find(node, "node")
    return None if name is None else (float(graph.number(name)),)
