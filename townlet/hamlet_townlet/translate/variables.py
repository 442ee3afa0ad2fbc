"""HAMLET's registry of variables, as rewards read it.

The engine writes the velocity of a step before its rewards. What else it writes stays as the last observation left it:
rewards see the state at the beginning of the tick, unless an exploration module asks for an observation first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hamlet.universe import Span
from hamlet_townlet.pack import Aspatial, Pack
from hamlet_townlet.reader.read_variables import velocity_axis
from hamlet_townlet.spanned import Spanned
from hamlet_townlet.translate.space import axis
from hamlet_townlet.translate.terms import binary, call, number, quoted, word
from hamletc.language.syntax import AxisExpr, Expr, IfExpr, Name


@dataclass(slots=True)
class Variables:
    """The scalars that rewards can read. `fresh` is the name of the param that says whether an exploration module is
    attached; `used`: something asked for it."""

    pack: Pack
    fresh: str
    used: bool = field(default=False)

    def read(self, name: Spanned[str]) -> Expr:
        """The value of a variable when rewards are computed."""
        span, pack = name.span, self.pack
        index = velocity_axis(name.value, pack.substrate)
        if index is not None:
            return AxisExpr("velocity", Name(axis(pack.substrate, index), span), span)
        match name.value:
            case "velocity_magnitude":
                return number(0.0, span) if isinstance(pack.substrate, Aspatial) else word("speed", span)
            case meter if any(bar.name.value == meter for bar in pack.bars):
                return self._observed(quoted(name), span)
            case "time_sin":
                return word("day_sin", span) if pack.training.temporal.value else number(0.0, span)
            case "time_cos":
                return word("day_cos", span) if pack.training.temporal.value else number(1.0, span)
            case "interaction_progress":
                if not pack.training.temporal.value or not pack.deployed:
                    return number(0.0, span)
                return self._observed(binary(word("progress", span), "/", number(10.0, span), span), span)
            case "lifetime_progress":
                whole = number(float(pack.training.lifespan.value), pack.training.lifespan.span)
                share = binary(word("age", span), "/", whole, span)
                return self._observed(call("min", [share, number(1.0, span)], span), span)
            case _:
                declared = next((v for v in pack.variables if v.id.value == name.value), None)
                return number(0.0 if declared is None else declared.default[0], span)

    def can_be_negative(self, name: str) -> bool:
        """Whether this variable, which is no constant, can be below 0."""
        return velocity_axis(name, self.pack.substrate) is not None or name in ("time_sin", "time_cos")

    def _observed(self, value: Expr, span: Span) -> Expr:
        """A value as the last observation has it."""
        self.used = True
        attached = binary(Name(self.fresh, span, quoted=True), ">", number(0.5, span), span)
        return IfExpr(attached, value, call("previous", [value], span), span)
