"""Which constructs of the language a universe has: what random universes have exercised."""

from __future__ import annotations

from typing import get_args

from hamlet import schema
from hamlet.universe import (
    Acting,
    Action,
    Affordance,
    Among,
    Assign,
    Binary,
    Blocking,
    Capacity,
    Cascade,
    CellCount,
    CellMeter,
    Cells,
    CellValue,
    Continuous,
    DayTime,
    DrawChoice,
    DrawLook,
    Expression,
    Graph,
    Grid,
    Guarded,
    Here,
    LastUse,
    Let,
    Lifespan,
    Map,
    Mask,
    Meter,
    MeterValue,
    ObserveCells,
    ObservedGroup,
    ObserveHere,
    ObserveRegion,
    ObserveValue,
    ObserveView,
    ObserveWindow,
    PairMeter,
    Pairs,
    Pool,
    Push,
    Pushing,
    Reward,
    Role,
    Rule,
    Spread,
    Start,
    StateType,
    TableValue,
    Tracking,
    Unary,
    Universe,
    Used,
    World,
    WorldMeter,
    WorldValue,
    draws,
    nodes,
)
from hamlet.universe.functions import FunctionOfOne
from hamlet.universe.members import is_condition

OBSERVATIONS = ("lifetime", "progress", "speed")
"""What is observed by a word of the language."""
THINGS = ("PICK", "DROP", "GIVE", "USE", "CRAFT")
KINDS = (
    *("1 dimension", "2 dimensions", "3 dimensions", "more dimensions", "edges clamp", "edges wrap", "edges bounce"),
    *("edges sticky", "distance manhattan", "distance euclidean", "distance chebyshev", "distance hexagonal"),
    *("Grid", "Continuous", "NoSpace", "places stored", "places in two words", "starts anywhere", "more than 16 moves"),
    *("a move that stays", "continuous 1 dimension", "continuous 2 dimensions", "continuous 3 dimensions"),
    *("continuous more dimensions", "directions"),
    *(f"continuous {edges}" for edges in ("clamp", "wrap", "bounce", "sticky")),
    *(f"continuous {metric}" for metric in ("manhattan", "euclidean", "chebyshev")),
    *(
        "Start",
        "Start speed",
        "Clock",
        "Lifespan",
        "Lifespan reward",
        "by hand",
        "Tracking by agent",
        "Tracking by world",
    ),
    *("Tracking of lasting affordances", "odd names", "Input", "Control"),
    *("Param", "Meter decay", "Meter move", "Meter interact", "Meter with bounds", "Meter start"),
    *(f"{kind} start that reads" for kind in ("Meter", "WorldMeter", "CellMeter")),
    *("Rule", "Rule with guard", "Cascade"),
    *("StateType int", "StateType real", "StateType bool", "StateType options", "StateType past"),
    *(
        "World",
        "World rules",
        "WorldMeter",
        "WorldMeter kept",
        "WorldValue",
        "Capacity by number",
        "Capacity by priority",
    ),
    *(f"Among {op}" for op in ("count", "total", "lowest", "highest", "average")),
    *("Rank", "Nearest", "Own", "Apart", "Role", "Role observations", "Role of others", "Cascade of a role"),
    *("Pool that begins with some", "Pool that spawns", "Pool that hands on", "Pool that respawns"),
    *("Mask of a role", "Acting", "Acting of a role", "Goal", "Potential", "Blocking", "Blocking by priority"),
    *("Pushing", "Pushing of a row", "Pushing by priority"),
    *("Affordance at random", "Affordance fixed", "Affordance open", "Affordance open past midnight"),
    *("Affordance needs", "Affordance instantly", "Affordance each tick", "Affordance on completion"),
    *(
        "Affordance forever",
        "Affordance together",
        "Affordance opening",
        "Affordance copy_of",
        "Affordance moving",
        "Affordance appears",
        "Affordance solid",
        "Guarded",
        "Guarded with else",
        "an effect that stacks",
    ),
    *("Action needs", "Action move", "Action teleport", "Action body", "Action keeps_progress", "Cause"),
    *("several causes", "Mask of actions", "Mask of all", "Reward with name", "Report"),
    *(
        "Assign +=",
        "Assign -=",
        "Assign =",
        "Assign unclamped",
        "Together",
        "Let",
        "Let of a condition",
        "Let that draws",
        "Number",
        "Truth",
        "MeterValue",
    ),
    *("momentum", *(f"momentum {edges}" for edges in ("clamp", "wrap", "bounce", "sticky"))),
    *("Push +=", "Push -=", "Push =", "ControlValue", "Displace", "Teleport", "Action after"),
    *("ParamValue", "InputValue", "Deficit", "Shortfall", "Hour", "DayTime sin", "DayTime cos", "Age", "Coordinate"),
    *("Velocity", "Speed", "Progress", "Here", "Here nothing", "LastUse", "LastUse nothing", "Streak", "Visited"),
    *("ActionTaken", "Used", "Used nothing", "Every", "After", "AgentNumber", "AgentCount"),
    *(
        "Previous",
        "Distance",
        "StraightDistance",
        "WalkingDistance",
        "DrawUniform",
        "DrawInteger",
        "DrawChoice",
        "DrawChoice weighted",
        "DrawNormal",
        "DrawPoisson",
        "DrawChance",
    ),
    *("Clamp", "If", "TableValue", "TableValue of two indices", "Unary -", "Unary not"),
    *(f"Unary {name}" for name in get_args(FunctionOfOne)),
    *(
        f"Binary {op}"
        for op in (
            "+",
            "-",
            "*",
            "/",
            "mod",
            "min",
            "max",
            "pow",
            "atan2",
            "<",
            "<=",
            ">",
            ">=",
            "==",
            "!=",
            "and",
            "or",
        )
    ),
    *("ObserveGrid", "ObserveWindow"),
    *(
        "ObserveHere all",
        "ObserveHere some",
        "ObserveValue",
        "ObserveValue named",
        "ObserveOneHot",
        "ObserveHot",
        "ShareOfUse",
    ),
    *("ObserveBlank", "ObserveConstant"),
    *("group of values", "group image", "group discrete", "group text", "ObserveCells by value"),
    *("Map", "Map walls", "Map starts", "ThinWall", "Region", "Terrain", "RegionNumber", "On", "TerrainValue"),
    *("ObserveRegion grid", "ObserveRegion window", "ObserveRegion of walls", "moves diagonal"),
    *("ObserveWindow in sight", "ObserveRegion in sight"),
    *("ObserveView that turns", "ObserveView in sight", "ObserveView in view"),
    *(
        "ObserveView of a grid",
        "ObserveView of hexagons",
        "ObserveView of what stands",
        "CellCount lowest",
        "CellCount highest",
    ),
    *("Spread region", "Spread apart", "Spread near"),
    *("Cells", "CellMeter start", "Rules of cells", "CellValue", "Neighbours", "ObserveCells grid"),
    *("ObserveCells window",),
    *("At", "Wall", "Cells wall", "Cells solid", "starts when", "levels", "Affordance elsewhere"),
    *("PairMeter start", "Rules of pairs", "PairValue"),
    *(
        "CellCount",
        "CellSum",
        "things",
        "things of a role",
        "things that lie",
        "stages",
        "StateType of cells",
        "regions of a graph",
    ),
    *("Graph", "Graph with start", "Graph one way"),
    *("drawings", "drawings of cells with letters", "drawings of regions with letters"),
)
"""All that random universes have."""


def constructs(universe: Universe) -> frozenset[str]:
    """The constructs of a universe, some of `KINDS`."""
    found = {"several causes"} if len(universe.causes) > 1 else set()
    found |= {"starts when"} if universe.starting is not None else set()
    cells = () if universe.cells is None else universe.cells.meters
    found |= {"levels"} if any(meter.name.startswith("walls of levels") for meter in cells) else set()
    found |= {"drawings"} if universe.drawings else set()
    looks = (each for each in universe.drawings if isinstance(each, DrawLook) and each.letter)
    found |= {f"drawings of {each.of}s with letters" for each in looks if each.of in ("cell", "region")}
    found |= {"Affordance elsewhere"} if any(each.elsewhere for each in universe.affordances) else set()
    found |= {"by hand"} if universe.by_hand else set()
    found |= {"more than 16 moves"} if len(universe.moves) > 16 else set()
    found |= {"directions"} if any(move.name.startswith("MOVE_") for move in universe.moves) else set()
    found |= {"moves diagonal"} if any(move.name == "DOWN_RIGHT" for move in universe.moves) else set()
    found |= {"a move that stays"} if any(not any(move.by) for move in universe.moves) else set()
    for node in nodes(universe):
        found |= {type(node).__name__, *_details(universe, node)}
        match node:
            case Meter(name=name) | Affordance(name=name) if not name.isidentifier():
                found.add("odd names")
    return frozenset(found).intersection(KINDS)


def _of_start(start: float | Expression) -> list[str]:
    """Whether a start value is an expression, and reads what has one."""
    read = MeterValue | WorldValue | CellValue
    if isinstance(start, float):
        return []
    return ["start", *(["start that reads"] if any(isinstance(node, read) for node in nodes(start)) else [])]


def _dimensions(count: int) -> str:
    return "1 dimension" if count == 1 else f"{count} dimensions" if count <= 3 else "more dimensions"


def _details(universe: Universe, node: object) -> list[str]:
    match node:
        case TableValue(indices=indices):
            return ["TableValue of two indices"] if len(indices) > 1 else []
        case DrawChoice(thresholds=thresholds):
            return ["DrawChoice weighted"] if thresholds is not None else []
        case Grid(graph=Graph(), map=Map()):
            return ["regions of a graph"]
        case Grid(sizes=sizes, edges=edges, metric=metric):
            found = [_dimensions(len(sizes)), f"edges {edges}", f"distance {metric}", f"places {node.places}"]
            return [*found, f"starts {node.starts}", "places in two words" if len(schema.cell_words(node)) > 1 else ""]
        case Continuous(axes=axes, edges=edges, metric=metric):
            found = [f"continuous {_dimensions(len(axes))}", f"continuous {edges}", f"continuous {metric}"]
            return [*found, *(["momentum", f"momentum {edges}"] if node.momentum is not None else [])]
        case Graph(nodes=of_graph, start=begins):
            edges = {(each.name, other) for each in of_graph for other in each.leads}
            one_way = any((other, one) not in edges for one, other in edges)
            return [*(["Graph with start"] if begins else []), *(["Graph one way"] if one_way else [])]
        case Spread():
            return [f"Spread {key}" for key in ("region", "apart", "near") if getattr(node, key) is not None]
        case Map():
            return [f"Map {key}" for key in ("walls", "starts") if getattr(node, key)]
        case ObserveRegion(radius=radius, region=region):
            shown = ["ObserveRegion grid" if radius is None else "ObserveRegion window"]
            shown += ["ObserveRegion in sight"] if node.within is not None else []
            return [*shown, *(["ObserveRegion of walls"] if region is None else [])]
        case ObserveWindow(within=within):
            return ["ObserveWindow in sight"] if within is not None else []
        case ObserveView(heading=heading, within=within, value=value):
            shown = ["ObserveView of affordances"] if value is None else []
            shown += ["ObserveView that turns"] if heading is not None else []
            shown += ["ObserveView of hexagons"] if node.hexagonal else []
            shown += ["ObserveView of a grid"] if node.whole else []
            shown += ["ObserveView of what stands"] if any(isinstance(part, Here) for part in nodes(value)) else []
            return [*shown, *([f"ObserveView in {within}"] if within is not None else [])]
        case CellCount(extreme=extreme):
            return [f"CellCount {extreme}"] if extreme is not None else []
        case Start(speed=speed):
            return ["Start speed"] if speed is not None else []
        case Lifespan(reward=reward):
            return ["Lifespan reward"] if reward else []
        case Tracking(by=by):
            lasting = any(affordance.duration is not None for affordance in universe.affordances)
            return [f"Tracking by {by}", "Tracking of lasting affordances" if lasting else ""]
        case Meter():
            bounds = ["Meter with bounds"] if (node.low, node.high) != (0.0, 1.0) else []
            bounds += ["an effect that stacks"] if node.name.startswith("stacks of ") else []
            bounds += [f"Meter {each}" for each in _of_start(node.start)]
            return bounds + [f"Meter {key}" for key in ("decay", "move", "interact") if getattr(node, key) is not None]
        case StateType(holds=holds, past=past):
            return [f"StateType {holds}" if past is None else "StateType past"]
        case Rule(guard=guard):
            return ["Rule with guard"] if guard is not None else []
        case Affordance(place=place, hours=hours, duration=duration):
            given = {
                "at random": place is None,
                "fixed": place is not None,
                "open": hours,
                "open past midnight": hours is not None and hours.closes < hours.opens,
                "needs": node.needs,
                "instantly": node.instantly,
                "each tick": node.each_tick,
                "on completion": node.on_completion,
                "forever": duration == 0,
                "together": node.together,
                "opening": node.opening,
                "copy_of": node.copy_of,
                "moving": node.moving,
                "appears": node.appears,
                "solid": node.solid,
            }
            return [f"Affordance {key}" for key, value in given.items() if value]
        case Action(name=name) if any(f"{verb}_" in name for verb in THINGS):
            return ["things", "things of a role" if "." in name else ""]
        case Action():
            keys = ("needs", "move", "teleport", "body", "keeps_progress", "after")
            return [f"Action {key}" for key in keys if getattr(node, key)]
        case WorldMeter(name="stage"):
            return ["stages"]
        case WorldMeter(kept=kept):
            reads = [f"WorldMeter {each}" for each in _of_start(node.start)]
            return [*reads, "WorldMeter kept"] if kept else reads
        case World(rules=rules):
            return ["World rules"] if rules else []
        case Cells(rules=rules, wall=wall, solid=solid):
            said = {"Rules of cells": bool(rules), "Cells wall": wall is not None, "Cells solid": solid is not None}
            return [kind for kind, holds in said.items() if holds]
        case CellMeter(name=name) if name.startswith("lying of "):
            return ["things that lie"]
        case CellMeter(type=StateType()):
            return ["StateType of cells"]
        case CellMeter(start=start):
            return [f"CellMeter {each}" for each in _of_start(start)]
        case PairMeter(start=start):
            return [f"PairMeter {each}" for each in _of_start(start)]
        case Pairs(rules=rules):
            return ["Rules of pairs"] if rules else []
        case ObserveCells(radius=radius, only=only):
            shown = ["ObserveCells by value"] if only is not None else []
            return [*shown, "ObserveCells grid" if radius is None else "ObserveCells window"]
        case ObservedGroup(form=form):
            return [f"group {'of values' if form == 'values' else form}"]
        case Capacity(priority=priority):
            return ["Capacity by number" if priority is None else "Capacity by priority"]
        case Among(op=op):
            return [f"Among {op}"]
        case Blocking(priority=priority):
            return [] if priority is None else ["Blocking by priority"]
        case Pushing(most=most, priority=priority):
            shown = ["Pushing of a row"] if most > 1 else []
            return shown if priority is None else [*shown, "Pushing by priority"]
        case Acting(who=who):
            return ["Acting", "Acting of a role" if who is not None else ""]
        case Mask(actions=actions, who=who):
            return ["Mask of actions" if actions else "Mask of all", "Mask of a role" if who is not None else ""]
        case Cascade(who=who):
            return [] if who is None else ["Cascade of a role"]
        case Pool(begin=begin, asks=asks, handed=handed, after=after):
            found = [*(["begins with some"] if begin is not None else []), *(["spawns"] if asks is not None else [])]
            found += [*(["hands on"] if handed else []), *(["respawns"] if after is not None else [])]
            return [f"Pool that {each}" for each in found]
        case Role(agents=agents, observations=observations):
            return ["Role observations" if observations else "", "Role of others" if agents is None else ""]
        case Reward(name=name):
            return [] if name is None else ["Reward with name"]
        case Assign(op=op, clamped=clamped):
            return [f"Assign {op}", *([] if clamped else ["Assign unclamped"])]
        case Guarded(otherwise=otherwise):
            return ["Guarded with else"] if otherwise else []
        case Let(value=value):
            holds = ["Let of a condition"] if is_condition(value) else []
            return [*holds, "Let that draws"] if draws(value) else holds
        case Push(op=op):
            return [f"Push {op}"]
        case Unary(op=op) | Binary(op=op):
            return [f"{type(node).__name__} {op}"]
        case DayTime(function=function):
            return [f"DayTime {function}"]
        case Here(affordance=None) | LastUse(affordance=None) | Used(affordance=None):
            return [f"{type(node).__name__} nothing"]
        case ObserveValue(name=name):
            return ["ObserveValue named"] if "." not in name and name not in OBSERVATIONS else []
        case ObserveHere(affordances=affordances):
            every = (*(affordance.name for affordance in universe.affordances), None)
            return ["ObserveHere all" if affordances == every else "ObserveHere some"]
        case _:
            return []
