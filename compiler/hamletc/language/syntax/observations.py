"""What is observed: one kind of node for each kind of item in `observe`."""

from __future__ import annotations

from typing import TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Bounds, Expr, Name, Quoted, Signed
from hamletc.language.syntax.node import Node

__all__ = [
    "GroupItem",
    "ObserveBlank",
    "ObserveCell",
    "ObserveConstant",
    "ObserveDiscrete",
    "ObserveEffects",
    "ObserveGrid",
    "ObserveGroup",
    "ObserveHere",
    "ObserveHot",
    "ObserveHotGrid",
    "ObserveHotWindow",
    "ObserveImage",
    "ObserveItem",
    "ObserveItems",
    "ObserveLifetime",
    "ObserveListed",
    "ObserveMeters",
    "ObserveParams",
    "ObservePosition",
    "ObserveProgress",
    "ObserveSpeed",
    "ObserveState",
    "ObserveText",
    "ObserveTime",
    "ObserveValue",
    "ObserveVelocity",
    "ObserveWindow",
    "ObserveWord",
    "ObserveWorld",
    "ObservedText",
]


class ObserveValue(Node, form="$name<Label>: $value [in $bounds]"):
    """`lack: 1 - min(energy, food)`, `sum: first + second in 0 .. 31`."""

    name: Name
    value: Expr
    span: Span
    bounds: Bounds | None = None


class ObserveHot(Node, form=("hot $name<Label>: $value", "hot $names<Name>+")):
    """`hot column: floor(x / 2)`, `hot row column`: of each a row per value."""

    name: Name | None
    value: Expr | None
    names: tuple[Expr, ...]
    span: Span


class ObserveHotGrid(Node, form="hot grid of $layer"):
    """`hot grid of ground`: of each cell a row per value of a state."""

    layer: Name
    span: Span


_CELLS, _HIDDEN = "$radius [x $depth] [$turned<ahead|turned>] [up to $reach]", "[in $within<sight|view>]"
"""Which cells a window shows, and which of them walls hide."""


class ObserveHotWindow(Node, form=f"hot window {_CELLS} of $layer {_HIDDEN}"):
    """`hot window 2 of ground`, `hot window 7 x 7 ahead of ground in view`."""

    radius: Signed
    layer: Name
    span: Span
    depth: Signed | None = None
    turned: Name | None = None
    reach: Signed | None = None
    within: Name | None = None


class ObserveGrid(
    Node, form=("grid of $name<Label>: $value [own $own]", "grid [of [$opened<open>] $layer] [own $own]")
):
    """`grid`, `grid of forest`, `grid of open Bar`, `grid of food: 2 * moss own 9`, of which `food` is the name."""

    layer: Name | None
    span: Span
    name: Name | None = None
    value: Expr | None = None
    own: Expr | None = None
    opened: Name | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it shows a layer that is declared, and of the agent's own cell nothing else."""
        return self.value is None and self.own is None and self.opened is None


class ObserveWindow(
    Node,
    form=(
        f"window {_CELLS} of $name<Label>: $value [beyond $beyond] [own $own] {_HIDDEN}",
        f"window {_CELLS} [of [$opened<open>] $layer] [beyond $beyond] [own $own] {_HIDDEN}",
    ),
):
    """`window 2`, `window 2 of wall in sight`, `window 2 of open Bar`, `window 7 x 7 ahead of wall in view`,
    `window 2 of food: 2 * moss`, of which `food` is the name; the radius of one with a depth is its width. Of
    `window 11 x 11 ahead up to 9` 9 lines are ahead of the agent, its own is the next, and one is behind."""

    radius: Signed
    layer: Name | None
    within: Name | None
    span: Span
    depth: Signed | None = None
    turned: Name | None = None
    reach: Signed | None = None
    name: Name | None = None
    value: Expr | None = None
    beyond: Signed | None = None
    own: Expr | None = None
    opened: Name | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it shows the cells around the agent as they lie, of a layer that is declared."""
        sight = self.within is None or self.within.text == "sight"
        plain = self.depth is None and self.turned is None and self.reach is None and self.value is None
        return sight and plain and self.beyond is None and self.own is None and self.opened is None


class ObservePosition(Node, form="position $encoding"):
    """`position relative`."""

    encoding: Name
    span: Span


class ObserveProgress(Node, form="progress [per $divisor]"):
    """`progress`, `progress per 10`."""

    divisor: Signed | None
    span: Span


class ObserveBlank(Node, form="blank $rows"):
    """`blank 13`."""

    rows: Signed
    span: Span


class ObserveConstant(Node, form="constant $numbers+"):
    """`constant 0 1`."""

    numbers: tuple[Signed, ...]
    span: Span


class ObserveWord(Node):
    """An item that is its word alone."""

    span: Span


class ObserveSpeed(ObserveWord, form="speed"):
    """`speed`."""


class ObserveLifetime(ObserveWord, form="lifetime"):
    """`lifetime`."""


class ObserveListed(Node):
    """A word, and which of those that it stands for are observed; all of them where no names follow."""

    names: tuple[Name, ...]
    span: Span


class ObserveMeters(ObserveListed, form="meters [$names+]"):
    """`meters`, `meters energy mood`."""


class ObserveState(ObserveListed, form="state [$names+]"):
    """`state`, `state asleep`."""


class ObserveParams(ObserveListed, form="params [$names+]"):
    """`params`, `params wage`."""


class ObserveWorld(ObserveListed, form="world [$names+]"):
    """`world`, `world stock`."""


class ObserveCell(ObserveListed, form="cell [$names+]"):
    """`cell`, `cell moss`."""


class ObserveHere(ObserveListed, form="here [$names+]"):
    """`here`, `here Bed nothing`."""


class ObserveEffects(ObserveListed, form="effects [$names+]"):
    """`effects`, `effects poisoned`."""


class ObserveItems(ObserveListed, form="items [$names+]"):
    """`items`, `items wood axe`."""


class ObserveVelocity(ObserveListed, form="velocity [$names+]"):
    """`velocity`, `velocity x`."""


class ObserveTime(ObserveListed, form="time [$names+]"):
    """`time`, `time sin`."""


GroupItem: TypeAlias = (
    ObserveValue
    | ObserveHot
    | ObserveHotGrid
    | ObserveHotWindow
    | ObserveGrid
    | ObserveWindow
    | ObservePosition
    | ObserveProgress
    | ObserveBlank
    | ObserveConstant
    | ObserveWord
    | ObserveMeters
    | ObserveState
    | ObserveParams
    | ObserveWorld
    | ObserveCell
    | ObserveHere
    | ObserveEffects
    | ObserveItems
    | ObserveVelocity
    | ObserveTime
)
"""What is observed, whether by itself or in a group."""


class ObserveGroup(Node, form="group $name [$numbers<int|discrete|tuple>] { $items* }"):
    """`group body { meters  lifetime }`, `group hand discrete { state sum }`, `group hand tuple { state sum }`."""

    name: Name
    items: tuple[GroupItem, ...]
    span: Span
    numbers: Name | None = None


class ObserveImage(Node, form="image $name [$numbers<int>] [as $axes+] { $items* }"):
    """`image view { window 3 of wall  window 3 of moss }`, `image view int as width height channels { window 3 }`."""

    name: Name
    items: tuple[GroupItem, ...]
    span: Span
    numbers: Name | None = None
    axes: tuple[Name, ...] = ()


class ObserveDiscrete(Node, form=("discrete $name<Label>: $value [in $bounds]", "discrete $value<Name> [in $bounds]")):
    """`discrete place: 5 * row + column`, `discrete row`, `discrete row in 0 .. 10`."""

    name: Name | None
    value: Expr
    span: Span
    bounds: Bounds | None = None


class ObservedText(Node, form="$text"):
    """A text in the braces of `text`."""

    text: Quoted
    span: Span


class ObserveText(Node, form=("text $name<Label>: $value { $texts* }", "text $name $always")):
    """`text mission "get to the goal"`, `text mission: task { "get the ball"  "get the key" }`."""

    name: Name
    value: Expr | None
    texts: tuple[ObservedText, ...]
    span: Span
    always: Quoted | None = None


ObserveItem: TypeAlias = GroupItem | ObserveGroup | ObserveImage | ObserveDiscrete | ObserveText
