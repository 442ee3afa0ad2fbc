"""Wires of cells."""

from __future__ import annotations

from wiring.wire import Base, Wire

HEATH = Base(
    """
universe heath
space grid 3 { starts anywhere }
inert allowed
meter a = 0.5 { decay 0.0625 }
meter b = 0.25
cells {
    meter moss = 0.25 + 0.25 * position x in 0 .. 8
    meter dust = 1 in 0 .. 8
    state kind: dry wet = dry
    rule grow: moss += 0.125 * neighbours(moss)
    rule feet: dust -= 0.25 + 0.0625 * total(a)
}
report growth: moss
reward a
observe { cell moss kind  window 1 of moss  hot window 1 of kind }
""",
    "WAIT WAIT WAIT WAIT",
    (
        Wire("CellMeter.start", "dust = 1", "dust = 2", 0, "cell_meters.dust"),
        Wire("CellMeter.start", "0.25 + 0.25 * position x", "0.5 + 0.25 * position x", 0, "cell_meters.moss"),
        Wire("CellMeter.start", "dust = 1", "dust = uniform(1, 2)", 0, "cell_meters.dust"),
        Wire("CellMeter.low", "dust = 1 in 0 .. 8", "dust = 1 in 0.625 .. 8", 2, "cell_meters.dust"),
        Wire(
            "CellMeter.high", "position x in 0 .. 8", "position x in 0 .. 0.78125", 1, "cell_meters.moss reports.growth"
        ),
        Wire(
            "CellMeter.type",
            "kind: dry wet",
            "kind: dry wet icy",
            0,
            "+observation.cell.kind +observation.window.kind=icy",
            "CellMeter.high ObserveOneHot.options Universe.observations",
        ),
        Wire("Cells.meters", "    rule grow", "    meter mud = 1\n    rule grow", 0, "+cell_meters.mud"),
        Wire("Cells.rules", "    rule feet: dust -= 0.25 + 0.0625 * total(a)\n", "", 1, "cell_meters.dust"),
        Wire("CellValue.meter", "growth: moss", "growth: dust", 1, "reports.growth"),
        Wire("Neighbours.operand", "neighbours(moss)", "neighbours(dust)", 1, "cell_meters.moss reports.growth"),
        Wire("Upon.operand", "total(a)", "total(b)", 1, "cell_meters.dust"),
        *(Wire("Upon.op", "total(a)", f"{op}(a)", 1, "cell_meters.dust") for op in ("lowest", "highest", "average")),
        Wire("Upon.op", "total(a)", "count(a > 0)", 1, "cell_meters.dust", "Upon.operand"),
        Wire(
            "ObserveCells.meter",
            "window 1 of moss",
            "window 1 of dust",
            0,
            "+observation.window.dust -observation.window.moss",
        ),
        Wire(
            "ObserveCells.only",
            "hot window 1 of kind",
            "window 1 of kind  window 1 of dust",
            0,
            "+observation.window.dust +observation.window.kind -observation.window.kind=dry "
            "-observation.window.kind=wet",
            "ObserveCells.meter",
        ),
        Wire(
            "ObserveCells.radius",
            "window 1 of moss",
            "grid of moss",
            0,
            "+observation.grid.moss -observation.window.moss",
        ),
    ),
)
BARE = Base(
    """
universe bare
space grid 3
inert allowed
meter a = 0.5 { decay 0.0625 }
cells { meter moss = 1  rule dry: moss -= 0.5 }
reward a
observe { meters }
""",
    "WAIT",
    (Wire("Universe.cells", "cells { meter moss = 1  rule dry: moss -= 0.5 }", "", 0, "-cell_meters.moss"),),
)

AFAR = Base(
    """
universe afar
space grid 3 { starts anywhere }
inert allowed
meter a = 0.5 { decay 0.0625 }
cells {
    meter moss = 0.25 + 0.25 * position x
    meter dust = 0.125
}
report far: moss at (2)
reward a
observe { cell }
""",
    "WAIT WAIT",
    (
        Wire("At.operand", "far: moss at", "far: dust at", 1, "reports.far"),
        Wire("At.place", "moss at (2)", "moss at (1)", 1, "reports.far"),
    ),
)


def _closing(name: str, word: str) -> Base:
    """A universe in which a condition says by this word which cells nobody enters."""
    text = f"""
universe {name}
space grid 5 {{ starts anywhere }}
inert allowed
meter a = 0.5 {{ move 0.0625 }}
cells {{
    state shut = false
    {word} when shut
}}
reward a
observe {{ position absolute }}
"""
    wire = Wire(f"Cells.{word}", f"{word} when shut", f"{word} when not shut", 0, "mask.LEFT mask.RIGHT")
    return Base(text, "RIGHT LEFT WAIT RIGHT LEFT LEFT LEFT", (wire,))


GATE, YARD = _closing("gate", "wall"), _closing("yard", "solid")

PEN = Base(
    """
universe pen
space grid 5 { starts when sand }
inert allowed
meter a = 0.5 { move 0.0625 }
cells {
    state sand = position x == 1
    rule dries: sand = true
}
reward a
observe { position absolute }
""",
    "RIGHT LEFT",
    (Wire("Universe.starting", "starts when sand", "starts when not sand", 0, "mask.LEFT mask.RIGHT position.x"),),
)

STOREYS = Base(
    """
universe storeys
space grid map { places stored }
map {
    level low { "s.B" "..." }
    level high { "s.." "B.." }
    starts "s"
    region corner "B"
}
inert allowed
meter a = 0.5
world { state level: low high = low }
affordance Bed at "B" { instantly { a += 0.0625 } }
reward a
observe { here }
""",
    "WAIT WAIT",
    (
        Wire(
            "Affordance.elsewhere",
            'Bed at "B" {',
            "Bed at (2, 0) {",
            0,
            "-world_meters.level_of_the_episode -world_meters.position_x_of_Bed -world_meters.position_y_of_Bed",
            "Affordance.moving World.meters Universe.tables",
        ),
    ),
)

PLOT = Base(
    """
universe plot
space grid 3 { starts anywhere }
inert allowed
meter a = 0.5 { decay 0.0625 }
cells { meter moss = 0.25  meter fern = 0.25 }
rule sows: moss at (1) = a
reward a
observe { meters }
""",
    "WAIT WAIT",
    (
        Wire(
            "Upon.post",
            "moss at (1)",
            "fern at (1)",
            0,
            "+meters.cell_of_fern +meters.fern_of_a_cell -meters.cell_of_moss -meters.moss_of_a_cell",
            "Meter.name Rule.name Assign.meter World.rules Upon.operand",
        ),
        Wire(
            "Upon.op",
            "moss at (1) = a",
            "moss at (1) += a",
            1,
            "cell_meters.moss",
            "Meter.low Rule.guard Assign.op",
        ),
    ),
)

CELLS = (HEATH, BARE, AFAR, GATE, YARD, PEN, STOREYS, PLOT)
