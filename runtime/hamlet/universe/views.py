"""Windows and grids of an expression; windows turn with the heading of agents."""

from __future__ import annotations

from typing import Literal

from hamlet.frozen import dataclass
from hamlet.universe.expressions import Expression
from hamlet.universe.span import Span

WIDEST_VIEW = 31
"""The most cells in a line of a rectangle in view."""


@dataclass(frozen=True, slots=True)
class ObserveView:
    """Numbers of the cells around the agent, line by line from the one farthest ahead of it, each from left to right:
    of a rectangle, or of the hexagons at most `ahead` away; or of the whole grid by index.

    Attributes:
        name: that of the rows.
        value: a number of a cell, as in rules of cells; here it is the cell of the row. `None`: 1.0 where an affordance
            is, else 0.0.
        low, high: where it lies, with what is shown beyond the edges and in the place of hidden cells.
        beyond: the number beyond the edges.
        left, right, ahead, behind: how many cells are shown on each side of the agent. Of hexagons all four are the
            same, or `behind` is 0: then those are shown to which steps ahead and half ahead lead, to one side.
        heading: the state of agents that says which way they face; `None`: all face against the y axis.
        steps: by the number of its option the step ahead; of `None` a single one.
        own: a number of the agent, in the place of the value of its own cell; `None`: that is shown.
        within: 0.0 where walls hide the cell: on the straight line to it (`sight`), or from all that spreads from the
            agent line by line, of hexagons from each to those beside it that are farther away (`view`).
        hexagonal: whether cells are hexagons. For an agent that faces (0, -1) a cell is `right` on the first axis, and
            `ahead` against the second one.
        whole: of all cells of the grid, of any dimensions, wherever the agent is: from the first one `right` counts
            cells on the first axis, and `behind` on all others.
    """

    name: str
    value: Expression | None
    low: float
    high: float
    beyond: float
    left: int
    right: int
    ahead: int
    behind: int
    steps: tuple[tuple[int, int], ...]
    span: Span
    heading: str | None = None
    within: Literal["sight", "view"] | None = None
    own: Expression | None = None
    hexagonal: bool = False
    whole: bool = False

    @property
    def width(self) -> int:
        """How many cells a line has."""
        return self.left + 1 + self.right

    @property
    def height(self) -> int:
        """How many lines there are."""
        return self.ahead + 1 + self.behind

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Of each row how far its cell is to the right of the agent, and how far ahead."""
        lines, line = range(self.ahead, -self.behind - 1, -1), range(-self.left, self.right + 1)
        every = ((right, ahead) for ahead in lines for right in line)
        return tuple(
            (right, ahead)
            for right, ahead in every
            if self.whole or not self.hexagonal or -self.behind <= ahead - right <= self.ahead
        )

    @property
    def across(self) -> tuple[tuple[int, int], ...]:
        """By the number of the option of the heading the step to the right."""
        return tuple((-x - y if self.hexagonal else -y, x) for x, y in self.steps)

    def offsets(self, option: int) -> tuple[tuple[int, int], ...]:
        """Of each row how far its cell is from the agent's on the axes, where the agent faces as an option says."""
        (x, y), (across, along) = self.steps[option], self.across[option]
        return tuple((ahead * x + right * across, ahead * y + right * along) for right, ahead in self.places)
