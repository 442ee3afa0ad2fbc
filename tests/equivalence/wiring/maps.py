"""Wires of maps."""

from __future__ import annotations

from wiring.wire import Base, Wire

MAPPED = Base(
    """
universe mapped
space grid map { edges clamp }
map {
    "......"
    "..#.f."
    "..~..."
    ".....g"
    wall "#"
    region forest "fg"
    region water "~"
    terrain slope = 0.125 { forest 0.25  water 0.5 }
    terrain depth = 0.5 { water 2 }
}
report deep: 1 * depth
observe { meters  position absolute  window 1 of forest  grid of water  grid of wall }
meter a = 0.5 { decay 0.01 }
action FIRST { teleport (1, 1) }
action SECOND { teleport (4, 1) }
action THIRD { teleport (2, 2) }
reward a
report slope_: 1 * slope
report both: slope * depth
report wet: 1 when on water
report wooded: 1 when on forest
report walled: 1 when wall at (position x + 1, position y)
""",
    "FIRST RIGHT SECOND THIRD",
    (
        Wire("Map.rows", '"..#.f."', '"..#.ff"', 0, "observation.window.forest"),
        Wire("Map.walls", 'wall "#"', 'wall "#g"', 0, "mask.DOWN mask.RIGHT mask.UP position.x position.y"),
        Wire(
            "Map.starts",
            'wall "#"\n',
            'wall "#"\n    starts "~."\n',
            0,
            "mask.DOWN mask.LEFT mask.RIGHT mask.UP position.x position.y",
        ),
        Wire(
            "Map.regions",
            "    terrain depth = 0.5 { water 2 }\n}\nreport deep: 1 * depth\nobserve {",
            "    terrain depth = 0.5 { water 2 }\n"
            '    region more "f"\n}\nreport deep: 1 * depth\nobserve { grid of more',
            0,
            "+observation.grid.more",
            "Universe.observations",
        ),
        Wire(
            "Map.terrains",
            "    terrain depth = 0.5 { water 2 }\n}\nreport deep: 1 * depth\n",
            "    terrain depth = 0.5 { water 2 }\n    terrain more = 3\n}\nreport deep: more * depth\n",
            1,
            "reports.deep",
            "Report.value",
        ),
        Wire(
            "Map.thin",
            'wall "#"\n',
            'wall "#"\n    wall between (1, 1) (1, 2), (5, 0) (5, 1)\n',
            0,
            "mask.DOWN mask.UP",
        ),
        Wire("Region.letters", 'forest "fg"', 'forest "fg."', 0, "observation.window.forest"),
        Wire("Terrain.default", "slope = 0.125", "slope = 0.375", 1, "reports.both reports.slope_"),
        Wire("Terrain.numbers", "forest 0.25  water 0.5", "water 0.5", 3, "reports.both reports.slope_"),
        Wire("RegionNumber.region", "0.5 { water 2 }", "0.5 { forest 2 }", 3, "reports.both reports.deep"),
        Wire("RegionNumber.value", "forest 0.25", "forest 0.375", 3, "reports.both reports.slope_"),
        Wire("On.region", "wooded: 1 when on forest", "wooded: 1 when on water", 3, "reports.wooded"),
        Wire("TerrainValue.terrain", "1 * slope", "1 * depth", 1, "reports.slope_"),
        Wire("Wall", "wall at (", "on water at (", 1, "reports.walled", "At.operand"),
        Wire(
            "ObserveRegion.region",
            "grid of water",
            "grid of forest",
            0,
            "+observation.grid.forest -observation.grid.water",
        ),
        Wire("ObserveRegion.radius", "window 1 of", "window 2 of", 0, "+observation.window.forest"),
    ),
)

SIGHTED = Base(
    """
universe sighted
space grid map
map {
    "b#..."
    "....."
    wall "#"
    starts "b"
}
meter a = 0.5 { decay 0.01 }
affordance Bed at (2, 0) { instantly { a += 0.125 } }
reward a
observe { meters  window 2  window 3 of wall }
""",
    "DOWN",
    (
        Wire("ObserveWindow.within", "window 2", "window 2 in sight", 0, "observation.window"),
        Wire("ObserveRegion.within", "of wall", "of wall in sight", 0, "observation.window.wall"),
    ),
)

MAPLESS = Base(
    """
universe mapless
space grid 3 x 2
meter a = 0.5 { decay 0.01 }
action FIRST { teleport (1, 0) }
reward a
observe { meters  position absolute }
""",
    "FIRST RIGHT",
    (
        Wire(
            "Grid.map",
            "3 x 2\n",
            '3 x 2\nmap { "..#" "..."  wall "#" }\n',
            0,
            "mask.DOWN mask.LEFT mask.RIGHT mask.UP position.x position.y",
        ),
    ),
)

LINES = Base(
    """
universe lines
space graph { home - road - shop  starts home }
meter a = 0.5 { decay 0.01 }
affordance Bed at home { instantly { a += 0.125 } }
reward a - 0.001 * distance to Bed
observe { meters  position node }
""",
    "GO_road GO_home",
    (
        Wire("Node.leads", "home - road - shop", "home -> road - shop", 1, "mask.GO_home reward"),
        Wire(
            "Graph.nodes",
            "home - road - shop",
            "home - road",
            0,
            "-mask.GO_shop",
            "Universe.moves Grid.sizes ObserveOneHot.options",
        ),
        Wire(
            "Graph.start",
            "starts home",
            "starts road",
            0,
            "mask.GO_home mask.GO_road mask.GO_shop mask.INTERACT position.x",
        ),
    ),
)

EVERYWHERE = "places.Bath.0 places.Bed.0 places.Mill.0 places.Nest.0 places.Tree.0"
ARRANGED = Base(
    """
universe arranged
space grid map
map {
    "ffffff##"
    "ffffff.."
    "gg.www.."
    wall "#"
    starts in glade
    region wet "w"
    region forest "f"
    region glade "g"
}
inert allowed
meter a = 0.5 { decay 0.01 }
affordance Bed at random in forest { instantly { a += 0.125 } }
affordance Bath at random { instantly { a += 0.125 } }
affordance Nest at random apart 1 { instantly { a += 0.125 } }
affordance Tree at random apart 1 { instantly { a += 0.125 } }
affordance Mill at random near Bed within 3 { instantly { a += 0.125 } }
reward a
observe { meters  grid }
""",
    "WAIT",
    (
        Wire(
            "Affordance.spread",
            "Bath at random",
            "Bath at random in forest",
            0,
            "places.Bath.0 places.Mill.0 places.Tree.0",
        ),
        Wire("Spread.region", "in forest {", "in wet {", 0, "places.Bath.0 places.Bed.0 places.Mill.0 places.Tree.0"),
        Wire("Spread.apart", "Nest at random apart 1", "Nest at random apart 6", 0, EVERYWHERE),
        Wire("Spread.near", "near Bed within", "near Nest within", 0, "places.Mill.0"),
        Wire("Spread.within", "within 3", "within 1", 0, EVERYWHERE),
    ),
)

GRAPHLESS = Base(
    """
universe graphless
space grid 3
observe { meters  grid  position absolute }
meter a = 0.5 { decay 0.01 }
reward a
""",
    "WAIT",
    (
        Wire(
            "Grid.graph",
            "grid 3\nobserve { meters  grid  position absolute }",
            "graph { a - b - c }\nobserve { meters  grid  position node }",
            0,
            "+mask.GO_a +mask.GO_b +mask.GO_c -mask.LEFT -mask.RIGHT",
            "Universe.moves Universe.observations",
        ),
    ),
)

FENCED = Base(
    """
universe fenced
space grid map
map {
    "..."
    "..."
    wall between (0, 0) (1, 0), (1, 0) (2, 0), (0, 1) (1, 1), (1, 1) (2, 1)
}
inert allowed
meter a = 0.5 { decay 0.01 }
reward a
observe { meters  position absolute }
""",
    "RIGHT",
    (
        Wire(
            "ThinWall.cells",
            "(0, 0) (1, 0), (1, 0) (2, 0), (0, 1) (1, 1), (1, 1) (2, 1)",
            "(0, 0) (0, 1), (1, 0) (1, 1), (2, 0) (2, 1), (1, 1) (2, 1)",
            0,
            "mask.DOWN mask.LEFT mask.RIGHT mask.UP",
        ),
    ),
)

MAPS = (FENCED, MAPPED, SIGHTED, MAPLESS, LINES, ARRANGED, GRAPHLESS)
