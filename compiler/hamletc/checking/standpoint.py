"""Where an expression stands: when it is evaluated, of what it is, who asks for it, and what has no value there."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe import Expression, LocalValue, Span
from hamletc import messages
from hamletc.checking.names import Names
from hamletc.checking.operations import Operand
from hamletc.checking.report import Findings
from hamletc.language import syntax

Scope: TypeAlias = Literal[
    "tick", "ending", "acting", "needs", "mask", "acts", "observe", "previous", "claim", "opening", "among",
    "early among", "history",
]  # fmt: skip
"""When an expression is evaluated: in a tick when agents have acted; when all that they do is done; while they act and
use affordances, as a condition of what can be done; between two ticks, in a mask, as a condition of acting, or in an
observation; on what a tick began with; where claims are ranked; where doors open; for each agent of a world, when all
is done or when a tick begins; when rules have run, for later ticks."""
Whose: TypeAlias = Literal["agent", "world", "places", "opening", "cell", "neighbour", "beside", "pair"]
"""Of what an expression is: of an agent, of a world, the places of an affordance or whether it is open, which are of a
world too, of a cell, of other cells, or of those around it in a rule of cells, which know who stands on them."""
OF_OTHERS: tuple[Whose, ...] = ("neighbour", "beside")
Asker: TypeAlias = Literal["nobody", "agent", "world", "itself", "each"]
"""Who asks each agent of a world for an expression: nobody does; an agent, or the world; in `own( )` it asks itself; in
what is of pairs each agent asks each other one."""
KNOW_USES: tuple[Scope, ...] = ("tick", "ending", "among", "history")
"""Where it is known what was used."""
BETWEEN: tuple[Scope, ...] = ("mask", "acts", "observe")
"""Between two ticks, where nothing happens."""
NEEDS = "`needs` says what can be done, which an agent is told before it acts"


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold of the cascade whose body is read; `value` is `None` where it had an error."""

    value: float | None
    span: Span


class Resolver(Protocol):
    """What resolves the expressions of one declaration."""

    def number(self, expr: syntax.Expr) -> Expression | None: ...

    def condition(self, expr: syntax.Expr) -> Expression | None: ...

    def chosen(self, expr: syntax.CallExpr, options: list[Operand]) -> Expression | None: ...

    def held(self, expr: syntax.Expr) -> Expression | None: ...

    def value(self, expr: syntax.Expr) -> Operand | None: ...

    def constant(self, expr: syntax.Expr, what: str) -> float | None: ...

    def inside(self, scope: Scope, whose: Whose = "agent", asker: Asker = "nobody") -> Resolver: ...


@dataclass(frozen=True, slots=True)
class Standpoint:
    """Where the expressions of one declaration stand: says what has a value there, and reports what has none."""

    names: Names
    report: Findings
    threshold: Threshold | None = None
    """In the body of a cascade only."""
    scope: Scope = "tick"
    whose: Whose = "agent"
    asker: Asker = "nobody"
    rule: syntax.RuleDecl | None = None
    locals: dict[str, bool] = field(default_factory=dict)
    """The locals that statements have worked out so far, by their keys, and whether each is a condition."""

    def of_agent(self, what: str, span: Span) -> bool:
        """Whether what each agent has of its own has a value here; where it has none, that is reported."""
        match self.whose:
            case "agent" | "pair":
                return True
            case "world":
                self.report.add(messages.standpoint.OfAgentInWorld(span, what))
            case "cell" | "neighbour" | "beside":
                self.report.add(messages.standpoint.OfAgentInCell(span, what))
            case "places":
                self.report.add(messages.standpoint.OfAgentInCapacity(span, what))
            case "opening":
                self.report.add(messages.standpoint.OfAgentInOpening(span, what))
        return False

    def local(self, name: syntax.LocalName) -> Expression | None:
        """What a local is; it has no value inside of what is asked of others, or of another moment."""
        if name.key in self.locals:
            return LocalValue(name.key, self.locals[name.key], name.span)
        if name.key not in self.names.failed:
            self.report.add(messages.locals.LocalOfOtherMoment(name.span, name.text))
        return None

    @property
    def of_others(self) -> bool:
        """Whether the expression is of other cells."""
        return self.whose in OF_OTHERS

    def of_place(self, what: str, span: Span) -> bool:
        """The same for what is of the place of an agent, and of a cell too."""
        return self.whose == "cell" or self.of_others or self.of_agent(what, span)

    def asked(self, what: str, span: Span) -> bool:
        """Whether an agent asks others here; where none does, that is reported."""
        match self.asker:
            case "agent" | "each":
                return True
            case "nobody":
                self.report.add(messages.standpoint.NobodyAsked(span, what))
            case "world":
                self.report.add(messages.standpoint.WorldAsks(span, what))
            case "itself":
                self.report.add(messages.standpoint.OwnInOwn(span, what))
        return False

    def unseen(self, what: str, span: Span) -> None:
        """Report what has no meaning in a mask, or at the beginning of a tick."""
        match self.scope:
            case "mask" | "acts" | "observe" as scope:
                self.report.add(messages.standpoint.UnknownBetween(span, what, scope))
            case "history":
                self.report.add(messages.standpoint.NoPast(span, what))
            case "among" | "early among":
                self.report.add(messages.standpoint.UnknownOfAll(span, what))
            case "opening":
                self.report.add(messages.standpoint.NothingInOpening(span, what))
            case "claim":
                self.report.add(messages.standpoint.NothingInClaim(span, what))
            case _:
                self.report.add(messages.standpoint.NoPrevious(span, what))

    def is_known(self, word: syntax.Name) -> bool:
        """Whether what happens in this tick is known where `action` or `used` stands."""
        match self.scope:
            case "mask" | "acts" | "observe" | "previous":
                self.unseen(f"`{word.text}`", word.span)
            case "needs":
                self.report.add(messages.standpoint.UnknownInNeeds(word.span, word.text))
            case "early among" if word.text == "used":
                self.report.add(messages.standpoint.UsedTooEarly(word.span, "counted"))
            case "acting" | "claim" if word.text == "used":
                self.report.add(messages.standpoint.UsedTooEarly(word.span, "acting"))
            case _:
                return True
        return False

    def not_beside(self, what: str, span: Span) -> None:
        """Report what a cell cannot ask of those beside it."""
        self.report.add(messages.standpoint.NotOfNeighbours(span, what))
