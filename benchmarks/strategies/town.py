"""The universe as a plain config, in the manner of HAMLET's YAML packs: dicts, lists, names and numbers.

The strategies cover what the town is made of, and nothing more: one agent per world on a grid whose edges clamp,
instantaneous affordances at random places, constant effects, cascades by deficit. `town_config` refuses anything else.
"""

from __future__ import annotations

from typing import TypedDict

from hamlet import schema
from hamlet.universe import (
    Assign,
    Binary,
    Cascade,
    Deficit,
    Expression,
    Grid,
    MeterValue,
    Number,
    Rule,
    Span,
    Statement,
    Universe,
)


class MeterConfig(TypedDict):
    """Amounts are 0 where the universe has none."""

    name: str
    start: float
    low: float
    high: float
    decay: float
    move: float
    interact: float


class Effect(TypedDict):
    """meter = clamp(meter + amount)."""

    meter: str
    amount: float


class ActionConfig(TypedDict):
    """One of the universe's own actions."""

    name: str
    effects: list[Effect]


class AffordanceConfig(TypedDict):
    """Works where the meter `needs` is at least `price`; `needs` is `None` where nothing is needed."""

    name: str
    needs: str | None
    price: float
    effects: list[Effect]


class ModulationConfig(TypedDict):
    """target = clamp(target - scale * (base + span * (top - source)))."""

    target: str
    source: str
    scale: float
    base: float
    span: float
    top: float


class CascadeConfig(TypedDict):
    """Where source < threshold: target = clamp(target - strength * ((threshold - source) / threshold))."""

    source: str
    threshold: float
    target: str
    strength: float


class CauseConfig(TypedDict):
    """Dies where the meter is at most this."""

    meter: str
    at_most: float


class Config(TypedDict):
    """A whole universe. Lists are in file order; `reward` names the two meters whose product it is."""

    width: int
    height: int
    moves: list[tuple[int, int]]
    interact: int
    lifespan: int
    lifespan_reward: float
    meters: list[MeterConfig]
    actions: list[ActionConfig]
    affordances: list[AffordanceConfig]
    modulations: list[ModulationConfig]
    cascades: list[CascadeConfig]
    causes: list[CauseConfig]
    reward: tuple[str, str]


def town_config(universe: Universe) -> Config:
    """The config of a universe like the town.

    Raises:
        ValueError: it uses something that the strategies do not cover.
    """
    cascades = [item for item in universe.dynamics if isinstance(item, Cascade)]
    rules = [item for item in universe.dynamics if isinstance(item, Rule)]
    space = universe.space
    simple = (
        isinstance(space, Grid)
        and len(space.sizes) == 2
        and space.edges == "clamp"
        and space.places == "computed"
        and universe.clock is None
        and not universe.by_hand
        and universe.tracking is None
        and len(universe.rewards) == 1
        and universe.lifespan is not None
        and not universe.params
        and universe.dynamics == (*rules, *cascades)
        and all(item.place is None and item.hours is None for item in universe.affordances)
        and not schema.has_progress(universe)
        and not any(item.needs or item.move or item.teleport for item in universe.actions)
    )
    if not simple or universe.lifespan is None or not isinstance(space, Grid):
        raise ValueError(f"{universe.name} is not like the town, which is all that the strategies cover")
    return {
        "width": space.sizes[0],
        "height": space.sizes[1],
        "moves": [(int(x), int(y)) for x, y in (move.by for move in universe.moves)],
        "interact": schema.interact_action(universe),
        "lifespan": universe.lifespan.ticks,
        "lifespan_reward": universe.lifespan.reward,
        "meters": [
            {
                "name": meter.name,
                "start": meter.start,
                "low": meter.low,
                "high": meter.high,
                "decay": amount(meter.decay),
                "move": amount(meter.move),
                "interact": amount(meter.interact),
            }
            for meter in universe.meters
        ],
        "actions": [{"name": item.name, "effects": [effect(part) for part in item.body]} for item in universe.actions],
        "affordances": [
            {
                "name": item.name,
                "needs": None if item.needs is None else compared(item.needs, ">=")[0],
                "price": 0.0 if item.needs is None else compared(item.needs, ">=")[1],
                "effects": [effect(part) for part in item.instantly],
            }
            for item in universe.affordances
        ],
        "modulations": [modulation(item) for item in rules],
        "cascades": [cascade(item) for item in cascades],
        "causes": [
            {"meter": meter, "at_most": bound}
            for meter, bound in (compared(item.condition, "<=") for item in universe.causes)
        ],
        "reward": product(universe.rewards[0].value),
    }


def amount(expression: Expression | None) -> float:
    """A constant; 0 where there is none."""
    match expression:
        case None:
            return 0.0
        case Number(value=value):
            return value
        case _:
            raise refusal(expression.span)


def effect(statement: Statement) -> Effect:
    """`meter += constant` or `meter -= constant`."""
    match statement:
        case Assign(meter=meter, op="+=", value=Number(value=value), clamped=True):
            return {"meter": meter, "amount": value}
        case Assign(meter=meter, op="-=", value=Number(value=value), clamped=True):
            return {"meter": meter, "amount": -value}
        case _:
            raise refusal(statement.span)


def compared(condition: Expression, op: str) -> tuple[str, float]:
    """`meter op constant`."""
    match condition:
        case Binary(op=found, left=MeterValue(meter=meter), right=Number(value=value)) if found == op:
            return meter, value
        case _:
            raise refusal(condition.span)


def product(expression: Expression) -> tuple[str, str]:
    """`meter * meter`."""
    match expression:
        case Binary(op="*", left=MeterValue(meter=left), right=MeterValue(meter=right)):
            return left, right
        case _:
            raise refusal(expression.span)


def modulation(rule: Rule) -> ModulationConfig:
    """`target -= scale * (base + span * (top - source))`."""
    match rule:
        case Rule(
            guard=None,
            body=(
                Assign(
                    meter=target,
                    op="-=",
                    clamped=True,
                    value=Binary(
                        op="*",
                        left=Number(value=scale),
                        right=Binary(
                            op="+",
                            left=Number(value=base),
                            right=Binary(
                                op="*",
                                left=Number(value=span),
                                right=Binary(op="-", left=Number(value=top), right=MeterValue(meter=source)),
                            ),
                        ),
                    ),
                ),
            ),
        ):
            return {"target": target, "source": source, "scale": scale, "base": base, "span": span, "top": top}
        case _:
            raise refusal(rule.span)


def cascade(item: Cascade) -> CascadeConfig:
    """`source < threshold -> target -= strength * deficit`."""
    match item.body:
        case (Assign(meter=target, op="-=", clamped=True, value=Binary("*", Number(value=strength), Deficit())),):
            return {"source": item.source, "threshold": item.threshold, "target": target, "strength": strength}
        case _:
            raise refusal(item.span)


def refusal(span: Span) -> ValueError:
    """The complaint about a construct that the strategies do not cover."""
    return ValueError(f"line {span.line}: not like the town, which is all that the strategies cover")
