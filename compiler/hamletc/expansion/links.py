"""`links wired { 0 - 1 - 2 }`: links between agents, written in a text or a file, as a table of all agents by all of
them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Finding
from hamletc.expansion.trees import binary, named, number, word
from hamletc.language import syntax


@dataclass(frozen=True, slots=True)
class Links:
    """Writes out links.

    Attributes:
        agents: how many agents a world has.
        say: notes what is wrong.
    """

    agents: int
    say: Callable[[Finding], None]

    def table(self, item: syntax.LinksDecl) -> syntax.Decl:
        """The table of which links there are: a number for each agent and each agent."""
        links: dict[tuple[int, int], Span] = {}
        for first, second, both, span in self._written(item):
            for one, other in ((first, second), (second, first)) if both else ((first, second),):
                if (before := links.setdefault((one, other), span)) is not span:
                    self.say(messages.pairs.LinkedTwice(span, first, second, before))
                    break
        agents = range(self.agents)
        lines = (" ".join("1" if (one, other) in links else "0" for other in agents) for one in agents)
        rows = tuple(syntax.TableRow(line, item.span) for line in lines)
        size = syntax.Signed(str(self.agents), item.name.span)
        return syntax.TableDecl(item.name, (size, size), None, rows, item.span)

    def _written(self, item: syntax.LinksDecl) -> Iterator[tuple[int, int, bool, Span]]:
        """The links as they are written, those of a file among them: two agents, and whether both have it."""
        for path in item.paths:
            numbers = [self._numbered(agent) for agent in path.agents]
            if len(numbers) == 1:
                self.say(messages.pairs.LinkOfOne(path.span, path.agents[0].text))
            for (one, other), way, agent in zip(pairwise(numbers), path.ways, path.agents[1:], strict=True):
                yield from self._link(one, other, way == "-", agent.span)
        matrix = len(item.rows) == self.agents != 2 and all(
            len(row.numbers.split()) == self.agents for row in item.rows
        )
        for first, row in enumerate(item.rows):
            cells = row.numbers.split()
            if matrix and all(cell in ("0", "1") for cell in cells):
                for other, cell in enumerate(cells):
                    if cell == "1":
                        yield from self._link(first, other, False, row.span)
            elif not matrix and len(cells) == 2:
                one, other = (self._numbered(syntax.Signed(cell, row.span)) for cell in cells)
                yield from self._link(one, other, True, row.span)
            else:
                named = row.span if item.file is None else item.file.span
                self.say(messages.pairs.NoLinks(named, row.span.line, self.agents))
                return

    def _numbered(self, agent: syntax.Signed) -> int | None:
        """The number of an agent, if there is one of this number."""
        if agent.text.isdecimal() and int(agent.text) < self.agents:
            return int(agent.text)
        self.say(messages.pairs.NobodyLinked(agent.span, agent.text, self.agents))
        return None

    def _link(
        self, one: int | None, other: int | None, both: bool, span: Span
    ) -> Iterator[tuple[int, int, bool, Span]]:
        """A link between two agents that are there, and not the same."""
        if one is None or other is None:
            return
        if one == other:
            self.say(messages.pairs.LinkedToItself(span, one))
        else:
            yield one, other, both, span


def linked(name: str, one: syntax.Expr, other: syntax.Expr, *, span: Span) -> syntax.Expr:
    """Whether an agent has a link to another one."""
    return binary("==", syntax.IndexExpr(named(name, span), (one, other), span), number(1, span), span)


def observed_links(name: syntax.Name, agents: int) -> Iterator[syntax.ObserveItem]:
    """Items that show to which agents an agent has links: 1 for each to which it has one, else 0."""
    span, agent = name.span, word("agent", name.span)
    for other in range(agents):
        row = named(f"state.{name.text}[{other}]", span)
        link = syntax.IndexExpr(named(name.text, span), (agent, number(other, span)), span)
        yield syntax.ObserveValue(row, link, span)
