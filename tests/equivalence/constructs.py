"""Which constructs of the language a universe has: what random universes have exercised."""

from __future__ import annotations

from hamlet.universe import (
    Action,
    Affordance,
    Assign,
    Binary,
    Grid,
    Lifespan,
    Meter,
    ObserveMeters,
    ObservePosition,
    ObserveProgress,
    Rule,
    Unary,
    Universe,
)
from hamlet.verify.inject import nodes

KINDS = (
    *("1 dimension", "2 dimensions", "3 dimensions", "edges clamp", "edges wrap", "edges bounce", "edges sticky"),
    *("distance manhattan", "distance euclidean", "distance chebyshev", "Clock", "Lifespan", "Lifespan reward"),
    *("Param", "Meter decay", "Meter move", "Meter interact", "Meter with bounds"),
    *("Rule", "Rule with guard", "Cascade"),
    *("Affordance at random", "Affordance fixed", "Affordance open", "Affordance open past midnight"),
    *("Affordance needs", "Affordance instantly", "Affordance each tick", "Affordance on completion"),
    *("Action needs", "Action move", "Action teleport", "Action body", "Cause", "several causes"),
    *("Assign +=", "Assign -=", "Assign =", "Assign unclamped", "Together", "Number", "MeterValue", "ParamValue"),
    *("Deficit", "Shortfall", "Hour", "Age", "Here", "Distance", "Clamp", "If", "Unary -", "Unary abs", "Unary not"),
    *(f"Binary {op}" for op in ("+", "-", "*", "/", "min", "max", "<", "<=", ">", ">=", "==", "!=", "and", "or")),
    *("ObserveGrid", "ObserveWindow", "ObservePosition relative", "ObservePosition absolute", "ObservePosition scaled"),
    *("ObserveMeters all", "ObserveMeters some", "ObserveHere", "ObserveTime"),
    *("ObserveProgress", "ObserveProgress per", "ObserveLifetime", "ObserveParams"),
)
"""All that `constructs` tells apart."""


def constructs(universe: Universe) -> frozenset[str]:
    """The constructs of a universe, some of `KINDS`."""
    found = {"several causes"} if len(universe.causes) > 1 else set()
    for node in nodes(universe):
        found |= {type(node).__name__, *_details(universe, node)}
    return frozenset(found).intersection(KINDS)


def _details(universe: Universe, node: object) -> list[str]:
    match node:
        case Grid(sizes=sizes, edges=edges, metric=metric):
            plural = "" if len(sizes) == 1 else "s"
            return [f"{len(sizes)} dimension{plural}", f"edges {edges}", f"distance {metric}"]
        case Lifespan(reward=reward):
            return ["Lifespan reward"] if reward else []
        case Meter():
            bounds = ["Meter with bounds"] if (node.low, node.high) != (0.0, 1.0) else []
            return bounds + [f"Meter {key}" for key in ("decay", "move", "interact") if getattr(node, key) is not None]
        case Rule(guard=guard):
            return ["Rule with guard"] if guard is not None else []
        case Affordance(cell=cell, hours=hours):
            given = {
                "open": hours,
                "open past midnight": hours is not None and hours.closes < hours.opens,
                "needs": node.needs,
                "instantly": node.instantly,
                "each tick": node.each_tick,
                "on completion": node.on_completion,
            }
            place = "Affordance at random" if cell is None else "Affordance fixed"
            return [place, *(f"Affordance {key}" for key, value in given.items() if value)]
        case Action():
            return [f"Action {key}" for key in ("needs", "move", "teleport", "body") if getattr(node, key)]
        case Assign(op=op, clamped=clamped):
            return [f"Assign {op}", *([] if clamped else ["Assign unclamped"])]
        case Unary(op=op) | Binary(op=op):
            return [f"{type(node).__name__} {op}"]
        case ObservePosition(encoding=encoding):
            return [f"ObservePosition {encoding}"]
        case ObserveMeters(meters=meters):
            return ["ObserveMeters all" if len(meters) == len(universe.meters) else "ObserveMeters some"]
        case ObserveProgress(per=per):
            return ["ObserveProgress per"] if per is not None else []
        case _:
            return []
