"""Where an expression stands: when it is evaluated, of what it is, who asks for it, and what has no value there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from hamlet.universe import Expression, Span
from hamletc.checking.names import Names
from hamletc.checking.operations import Operand
from hamletc.checking.report import Findings
from hamletc.language import syntax

Scope: TypeAlias = Literal[
    "tick", "ending", "acting", "needs", "mask", "previous", "claim", "opening", "among", "early among", "history"
]
"""When an expression is evaluated: in a tick when agents have acted; when all that they do is done; while they act and
use affordances, as a condition of what can be done; between two ticks; on what a tick began with; where claims are
ranked; where doors open; for each agent of a world, when all is done or when a tick begins; when rules have run, for
later ticks."""
Whose: TypeAlias = Literal["agent", "world", "places", "opening", "cell", "neighbour"]
"""Of what an expression is: of an agent, of a world, the places of an affordance or whether it is open, which are of a
world too, of a cell, or of those beside it."""
Asker: TypeAlias = Literal["nobody", "agent", "world", "itself"]
"""Who asks each agent of a world for an expression: nobody does; an agent, or the world; in `own( )` it asks itself."""
KNOW_USES: tuple[Scope, ...] = ("tick", "ending", "among", "history")
"""Where it is known what was used."""
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

    def of_agent(self, what: str, span: Span) -> bool:
        """Whether what each agent has of its own has a value here; where it has none, that is reported."""
        match self.whose:
            case "agent":
                return True
            case "world":
                hint = "Count agents, or join what they have: `count(energy < 0.2)`, `total(x)`, `highest(x)`."
                if what == "`age`":
                    hint = "`every 24 ticks` and `after 100 ticks` count the ticks of the world; its meters can, too."
                self.report.add("H092", f"{what} is another for each agent", span, "a world has none", hint=hint)
            case "cell" | "neighbour":
                hint = "Join what the agents on the cell have: `count(action == EAT)`, `total(x)`, `highest(x)`."
                self.report.add("H183", f"{what} is what an agent has", span, "a cell has none", hint=hint)
            case "places":
                hint = "Write a number, params, meters of the world or `hour`; who comes first is said behind `to`."
                message = f"{what} is another for each agent, and all share the places"
                self.report.add("H095", message, span, hint=hint)
            case "opening":
                hint = "Read params, meters of the world and `hour`; what an agent must have is said by `needs`."
                message = f"{what} is another for each agent, and an affordance is open for all or none"
                self.report.add("H175", message, span, hint=hint)
        return False

    def of_place(self, what: str, span: Span) -> bool:
        """The same for what is of the place of an agent, and of a cell too."""
        return self.whose in ("cell", "neighbour") or self.of_agent(what, span)

    def asked(self, what: str, span: Span) -> bool:
        """Whether an agent asks others here; where none does, that is reported."""
        match self.asker:
            case "agent":
                return True
            case "nobody":
                hint = "Ask all agents: `count(apart <= 2)`, `total(gift when wants == own(agent))`."
                self.report.add("H200", f"{what} says nothing here", span, "no other agent is asked", hint=hint)
            case "world":
                hint = "Let a rule of the agents find it, and keep it in a meter that the world can count."
                self.report.add("H201", f"{what} is about an agent that asks", span, "here a world asks", hint=hint)
            case "itself":
                hint = "Inside `own( )` all is the asking agent's: leave it out there."
                self.report.add("H202", f"{what} says nothing inside `own( )`", span, hint=hint)
        return False

    def unseen(self, what: str, span: Span) -> None:
        """Report what has no meaning in a mask, or at the beginning of a tick."""
        if self.scope == "mask":
            hint = "Use the values that agents have now."
            self.report.add(
                "H059", f"{what} has no meaning in `allow`", span, "masks are made between ticks", hint=hint
            )
        elif self.scope == "history":
            hint = "Write out what it stands for, or let a rule keep it in a state."
            self.report.add("H165", f"{what} has no past", span, "inside what looks back", hint=hint)
        elif self.scope in ("among", "early among"):
            hint = "Write out what it stands for, or let a rule of the agents keep it in a meter."
            self.report.add(
                "H097", f"{what} is not known of all agents", span, "in what agents have together", hint=hint
            )
        elif self.scope == "opening":
            label = "doors open between ticks"
            self.report.add("H097", f"{what} says nothing here", span, label, hint=f"Leave {what} out.")
        elif self.scope == "claim":
            label = "claims are made at the beginning of the tick"
            self.report.add("H097", f"{what} says nothing here", span, label, hint="Leave `previous` out.")
        else:
            self.report.add(
                "H058", f"{what} has no previous value", span, "inside `previous`", hint="Take it out of `previous( )`."
            )

    def is_known(self, word: syntax.Name) -> bool:
        """Whether what happens in this tick is known where `action` or `used` stands."""
        match self.scope:
            case "mask" | "previous":
                self.unseen(f"`{word.text}`", word.span)
            case "needs":
                hint = "Leave it out: an affordance is used by `INTERACT` alone, and an own action by itself."
                self.report.add("H082", f"`{word.text}` is not known in `needs`", word.span, NEEDS, hint=hint)
            case "early among" if word.text == "used":
                hint = (
                    "Let a rule of the world keep it in a meter, which agents see in the next tick; in `dies when`, "
                    "`reward` and `report` it is known."
                )
                label = "agents are counted when the tick begins"
                self.report.add("H082", "`used` is not known of all agents yet", word.span, label, hint=hint)
            case "acting" | "claim" if word.text == "used":
                hint = (
                    "Read it in `decay`, a rule, a cascade, `dies when`, `reward` or `report`; here, `here` may help."
                )
                label = "this runs before all has been used"
                self.report.add("H082", "`used` is not known here yet", word.span, label, hint=hint)
            case _:
                return True
        return False

    def not_beside(self, what: str, span: Span) -> None:
        """Report what a cell cannot ask of those beside it."""
        hint = "Let a rule of cells keep it in a meter, and sum that."
        label = "they are read as they are"
        self.report.add("H184", f"{what} cannot be asked of other cells", span, label, hint=hint)
