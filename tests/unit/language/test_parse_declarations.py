from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from language_cases import bare, declared, errors, parsed, sketch

from hamlet.universe import Span
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression
from hamletc.language.tables import terminals
from hamletc.language.words import MEANINGS, RESERVED


def texts(items: Any) -> list[str]:
    return [item.text for item in items]


def test_space() -> None:
    assert texts(declared("space grid 8").sizes) == ["8"]
    space = declared("space grid 8 x 9 x 3 { edges clamp  distance manhattan }")
    assert space.kind.text == "grid"
    assert texts(space.sizes) == ["8", "9", "3"]
    assert [(p.keyword(), p.value.text) for p in space.properties] == [("edges", "clamp"), ("distance", "manhattan")]


def test_spaces_without_cells() -> None:
    space = declared(
        "space continuous (0 .. 10) x (-1.5..1e3) { step 1 / 4  reach 1  directions 8  speeds 2  edges wrap  distance "
        "euclidean }"
    )
    assert (space.kind.text, space.sizes) == ("continuous", ())
    assert [texts(axis) for axis in space.bounds] == [["0", "10"], ["-1.5", "1e3"]]
    assert [(p.keyword(), sketch(p.value)) for p in space.properties] == [
        ("step", "[1 / 4]"), ("reach", "1"), ("directions", "8"), ("speeds", "2"), ("edges", "wrap"),
        ("distance", "euclidean"),
    ]  # fmt: skip
    assert bare(declared("space none")) == ("SpaceDecl", ("none", False), (), (), (), (), ())
    assert declared("space none").span == Span(2, 1, 2, 11)


def test_grids_of_many_axes() -> None:
    space = declared(f"space grid {' x '.join(['3'] * 100)} {{ places stored  starts anywhere }}")
    assert texts(space.sizes) == ["3"] * 100
    assert [(p.keyword(), p.value.text) for p in space.properties] == [("places", "stored"), ("starts", "anywhere")]


def test_moves() -> None:
    moves = declared("moves { STAY (0, 0)  `go on` (1, -0.5)  move (-1, 0) }").moves
    assert [(move.name.text, texts(move.delta)) for move in moves] == [
        ("STAY", ["0", "0"]), ("go on", ["1", "-0.5"]), ("move", ["-1", "0"]),
    ]  # fmt: skip
    assert moves[1].span == Span(2, 22, 2, 39)


def test_episodes_tracking_and_inert() -> None:
    assert isinstance(declared("episodes by hand"), syntax.EpisodesDecl)
    assert isinstance(declared("inert allowed"), syntax.InertDecl)
    assert (declared("track uses").by, declared("track uses").span) == (None, Span(2, 1, 2, 11))
    assert [declared(f"track uses by {who}").by.text for who in ("agent", "world")] == ["agent", "world"]


def test_input() -> None:
    given = declared("input curiosity = 0 in -10 .. 10")
    assert (given.name.text, sketch(given.default), [sketch(b) for b in given.bounds]) == (
        "curiosity", "0", ["[- 10]", "10"],
    )  # fmt: skip


def test_clock_and_lifespan() -> None:
    assert declared("clock 24 hours").hours.text == "24"
    assert declared("lifespan 500 ticks").properties == ()
    lifespan = declared("lifespan -1 tick { reward 1.0 - 2 }")
    assert lifespan.ticks.text == "-1"
    assert [(p.keyword(), sketch(p.value)) for p in lifespan.properties] == [("reward", "[1.0 - 2]")]


def test_param_and_meter() -> None:
    param = declared("param difficulty = 1.0 in -1 .. 4")
    assert (param.name.text, sketch(param.default), [sketch(b) for b in param.bounds]) == (
        "difficulty", "1.0", ["[- 1]", "4"],
    )  # fmt: skip
    meter = declared("meter energy = 0.5 { decay 0.005 * difficulty  move 0.005  interact 1 - 2 }")
    assert (meter.name.text, sketch(meter.start), meter.bounds) == ("energy", "0.5", None)
    assert [(p.keyword(), sketch(p.value)) for p in meter.properties] == [
        ("decay", "[0.005 * difficulty]"), ("move", "0.005"), ("interact", "[1 - 2]"),
    ]  # fmt: skip
    assert [sketch(b) for b in declared("meter m = 0 in 0..100").bounds] == ["0", "100"]


@pytest.mark.parametrize(
    ("text", "guard", "meters"),
    [
        ("rule r: a += 1", None, ["a"]),
        ("rule r { a += 1  b -= 2 }", None, ["a", "b"]),
        ("rule r: a < 1 -> b = 1", "[a < 1]", ["b"]),
        ("rule r: hour == 3 and a > b -> { a = 1  b = a }", "[[hour == 3] and [a > b]]", ["a", "b"]),
    ],
)
def test_rules(text: str, guard: str | None, meters: list[str]) -> None:
    rule = declared(text)
    assert (None if rule.guard is None else sketch(rule.guard)) == guard
    assert [statement.meter.text for statement in rule.body] == meters


def test_cascades() -> None:
    cascade = declared("cascade c: satiation < 0.3 -> health -= 0.004 * deficit")
    assert (sketch(cascade.guard), sketch(cascade.body[0].value)) == ("[satiation < 0.3]", "[0.004 * deficit]")
    assert len(declared("cascade c: a < 0.3 -> { b -= shortfall  a += 1 }").body) == 2


def test_statements() -> None:
    rule = declared("rule r { a += 1 unclamped  together { b -= 1  a = b - 1 }  b -= 2 }")
    first, together, last = rule.body
    assert (first.op, last.op, last.unclamped) == ("+=", "-=", None)
    assert first.unclamped == Span(2, 17, 2, 26)
    assert isinstance(together, syntax.TogetherStmt)
    inner = [statement for statement in together.body if isinstance(statement, syntax.AssignStmt)]
    assert [(s.meter.text, s.op, sketch(s.value)) for s in inner] == [("b", "-=", "1"), ("a", "=", "[b - 1]")]


def test_affordances() -> None:
    bed = declared("affordance Bed at random { needs money >= 0.05 instantly { energy += 0.5 money -= 0.05 } }")
    assert (bed.name.text, bed.place, bed.hours, bed.duration) == ("Bed", None, None, None)
    needs, instantly = bed.items
    assert (sketch(needs.condition), instantly.kind, len(instantly.body)) == ("[money >= 0.05]", "instantly", 2)
    job = declared(
        "affordance Job at (1, -2) open 18 .. 4 lasts 4 ticks { each tick { a += 1 } on completion { b += 1 } }"
    )
    assert (texts(job.place), texts(job.hours), job.duration.text) == (["1", "-2"], ["18", "4"], "4")
    assert [item.kind for item in job.items] == ["each tick", "on completion"]


def test_affordances_without_a_place_or_an_end() -> None:
    sign = declared("affordance Sign { }")
    assert (sign.place, sign.place_span, sign.duration, sign.together, sign.items) == (None, None, None, None, ())
    sea = declared("affordance Sea at random lasts forever together { each tick { } }")
    assert (sea.place, sea.place_span) == (None, Span(2, 19, 2, 25))
    assert (bare(sea.duration), sea.together) == (("forever", False), Span(2, 40, 2, 48))
    assert sea.items[0].body == ()
    gym = declared("affordance Gym open 1 .. 2 lasts 1 tick together { }")
    assert (gym.duration.text, gym.together) == ("1", Span(2, 41, 2, 49))
    assert declared("affordance Gym lasts 1 tick { }").together is None


def test_actions() -> None:
    action = declared("action JUMP { needs a > 0  a -= 0.1  move (1, -1)  teleport (0, 0) }")
    assert [type(item).__name__ for item in action.items] == ["NeedsItem", "AssignStmt", "MoveStmt", "TeleportStmt"]
    assert [sketch(each) for each in action.items[2].by] == ["1", "[- 1]"]
    assert (texts(action.items[3].place), action.items[3].spot) == (["0", "0"], None)


def test_agents_are_moved_wherever_meters_are_written() -> None:
    rule = declared('rule r: a > 0 -> { move (choice(-1, 1), 0)  teleport "B"  teleport home  teleport (a, 0) }')
    assert [type(item).__name__ for item in rule.body] == ["MoveStmt", "TeleportStmt", "TeleportStmt", "TeleportStmt"]
    assert [item.spot and item.spot.text for item in rule.body[1:]] == ["B", "home", None]
    assert declared("rule r: move (a, 0)").body[0].by[0].text == "a"
    assert declared("rule r: teleport (a, 0)").guard is None


@pytest.mark.parametrize("text", ["move > 0.5 -> a += 1", "move += 1", "teleport and move > 0 -> a += 1"])
def test_meters_may_be_called_like_what_moves_agents(text: str) -> None:
    rule = declared(f"rule r: {text}")
    assert not any(isinstance(item, syntax.MoveStmt | syntax.TeleportStmt) for item in rule.body)


def test_keeps_and_allow() -> None:
    (keeps,) = declared("action A { keeps progress }").items
    assert bare(keeps) == ("KeepsItem",)
    allow = declared("allow UP `all` all when position y > 0")
    assert [bare(name) for name in allow.actions] == [("UP", False), ("all", False), ("all", False)]
    assert sketch(allow.condition) == "[[position y] > 0]"
    assert declared("allow all when true").actions == ()


def test_the_type_of_a_state_is_one_beside_a_state_of_its_name() -> None:
    text = "universe u state bool = true state awake: bool = true rule r: bool = false"
    named, typed, rule = parsed(text).declarations
    assert isinstance(named, syntax.MeterDecl)
    assert isinstance(typed, syntax.MeterDecl)
    assert [each.state and each.state.kind for each in (named, typed)] == ["", "bool"]
    assert isinstance(rule, syntax.RuleDecl)


def test_worlds_and_capacities() -> None:
    world, shop, bar, pub = parsed(
        "universe w world { meter stock = 20 in 0 .. 9 rule sale: stock -= count(used == Shop) rule r { a = 1 } }\n"
        "affordance Shop at random { capacity stock - 1 to highest distance to Shop instantly { } needs a > 0 }\n"
        "affordance Bar at random { capacity number to lowest number instantly { } }\n"
        "affordance Pub at random { instantly { } capacity 2 }"
    ).declarations
    assert isinstance(world, syntax.WorldDecl)
    assert [(type(item).__name__, item.name.text) for item in world.items] == [
        ("MeterDecl", "stock"),
        ("RuleDecl", "sale"),
        ("RuleDecl", "r"),
    ]
    found = []
    for affordance in (shop, bar, pub):
        assert isinstance(affordance, syntax.AffordanceDecl)
        found += [item for item in affordance.items if isinstance(item, syntax.CapacityItem)]
    assert [spell_expression(item.places) for item in found] == ["stock - 1", "number", "2"]
    assert [None if item.lowest is None else item.lowest.text for item in found] == [None, "number", None]
    assert [None if item.highest is None else spell_expression(item.highest) for item in found] == [
        "distance to Shop",
        None,
        None,
    ]


def test_named_rewards_and_reports() -> None:
    reward = declared("reward homesick: -0.1 * distance to Bed")
    assert (reward.name.text, sketch(reward.value)) == ("homesick", "[[- 0.1] * [distance to Bed]]")
    report = declared("report `per cent`: energy * 100")
    assert (report.name.text, sketch(report.value)) == ("per cent", "[energy * 100]")
    words = [word for word in terminals() if word.isalpha() and word not in RESERVED]
    assert [declared(f"reward {word}: 1").name.text for word in words] == words


def test_dies_and_reward() -> None:
    assert sketch(declared("dies when a <= 0 or b <= 0").condition) == "[[a <= 0] or [b <= 0]]"
    assert (declared("reward a").name, sketch(declared("reward a").value)) == (None, "a")


def observed(item: Any) -> tuple[type[syntax.Node], dict[str, Any]]:
    """The kind of an item of `observe`, and what stands in its fields."""
    values = {field.name: getattr(item, field.name) for field in fields(item) if field.name != "span"}
    texts_of = {
        name: texts(value) if isinstance(value, tuple) else value and value.text for name, value in values.items()
    }
    return type(item), texts_of


def test_observe() -> None:
    observe = declared(
        "observe { grid window 2 position relative meters meters energy mood here time progress progress per 10 "
        "lifetime params params difficulty }"
    )
    assert [observed(item) for item in observe.items] == [
        (syntax.ObserveGrid, dict.fromkeys(("layer", "name", "value", "own", "opened"))),
        (
            syntax.ObserveWindow,
            dict.fromkeys(("layer", "within", "depth", "turned", "reach", "name", "value", "beyond", "own", "opened"))
            | {"radius": "2"},
        ),
        (syntax.ObservePosition, {"encoding": "relative"}),
        (syntax.ObserveMeters, {"names": []}),
        (syntax.ObserveMeters, {"names": ["energy", "mood"]}),
        (syntax.ObserveHere, {"names": []}),
        (syntax.ObserveTime, {"names": []}),
        (syntax.ObserveProgress, {"divisor": None}),
        (syntax.ObserveProgress, {"divisor": "10"}),
        (syntax.ObserveLifetime, {}),
        (syntax.ObserveParams, {"names": []}),
        (syntax.ObserveParams, {"names": ["difficulty"]}),
    ]


def test_observe_words_and_numbers() -> None:
    observe = declared(
        "observe { here here Bed nothing velocity velocity x y speed blank 13 constant 0 1 -0.5 velocity z "
        "meters `time` }"
    )
    assert [observed(item) for item in observe.items] == [
        (syntax.ObserveHere, {"names": []}),
        (syntax.ObserveHere, {"names": ["Bed", "nothing"]}),
        (syntax.ObserveVelocity, {"names": []}),
        (syntax.ObserveVelocity, {"names": ["x", "y"]}),
        (syntax.ObserveSpeed, {}),
        (syntax.ObserveBlank, {"rows": "13"}),
        (syntax.ObserveConstant, {"numbers": ["0", "1", "-0.5"]}),
        (syntax.ObserveVelocity, {"names": ["z"]}),
        (syntax.ObserveMeters, {"names": ["time"]}),
    ]


def test_line_ends_and_comments_mean_nothing() -> None:
    lines = "universe u # why\nspace grid 8 x 8 { edges wrap } # all round\n\nmeter a = 1\t{ decay\n0.1 }\r\nreward a\n"
    line = "universe u space grid 8 x 8 { edges wrap } meter a = 1 { decay 0.1 } reward a"
    assert bare(parsed(lines)) == bare(parsed(line))


KEYWORDS = sorted({word for word in terminals() if word.isalpha()} - RESERVED | {"lambda", "class", "None", "min", "_"})


@pytest.mark.parametrize("word", KEYWORDS)
def test_keywords_are_names_where_only_a_name_can_stand(word: str) -> None:
    file = parsed(
        f"universe {word} meter {word} = {word} {{ decay {word}  move {word} }} rule {word}: b += {word} "
        f"action {word} {{ {word} += 1  b -= {word}  {word} = 2 }} affordance {word} at random {{ "
        f"instantly {{ {word} -= {word} unclamped {word} += 1 }} }} reward {word} * {word} reward {word} "
        f"dies when {word} <= 0 reward 1 when here == {word} + distance to {word} "
    )
    assert len(file.declarations) == 8
    assert [type(item).__name__ for item in file.declarations[2].items] == ["AssignStmt"] * 3  # type: ignore[union-attr]


@pytest.mark.parametrize("word", sorted({*KEYWORDS, *RESERVED, *MEANINGS, "Fast Food", "-", "é", "#", "x" * 64}))
def test_a_name_in_backticks_is_a_name_anywhere(word: str) -> None:
    text = (
        "universe N moves { N (0) } param N = 1 in 0 .. 1 input N = 1 in 0 .. 1 meter N = N rule N: N < 1 -> N += 1 "
        "cascade N: N < 1 -> N += 1 affordance N { } action N { N = 1 } allow N N when N > 0 reward N: N report N: N "
        "reward N reward distance to N + streak of N * straight distance to N "
        "observe { meters N params N here N N position N }"
    )
    found = list(_quoted(parsed(text.replace("N", f"`{word}`"))))
    assert len(found) == text.count("N")
    assert {name.text for name in found} == {word}


def _quoted(node: Any) -> Iterator[syntax.Name]:
    match node:
        case syntax.Name(quoted=True):
            yield node
        case tuple():
            for item in node:
                yield from _quoted(item)
        case _ if is_dataclass(node):
            for field in fields(node):
                yield from _quoted(getattr(node, field.name))


def test_the_span_of_a_name_has_its_backticks() -> None:
    meter = declared("meter `a b` = 1")
    assert meter.name == syntax.Name("a b", Span(2, 7, 2, 12), quoted=True)


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_reserved_words_are_no_names(word: str) -> None:
    assert errors(f"universe u\nmeter {word} = 1") == [("H012", 2, 7)]


def test_spans() -> None:
    text = "universe u\n\nmeter  energy = (1 + 2) * 3 in 0 .. 4 {\n  decay 0.5\n}\n"
    text += "affordance A at random\n{ instantly { a = 1 } }"
    file = parsed(text)
    meter, affordance = file.declarations
    assert isinstance(meter, syntax.MeterDecl)
    assert isinstance(affordance, syntax.AffordanceDecl)
    assert file.span == Span(1, 1, 7, 24)
    assert file.name.span == Span(1, 10, 1, 11)
    assert meter.span == Span(3, 1, 5, 2)
    assert meter.name.span == Span(3, 8, 3, 14)
    assert isinstance(meter.start, syntax.BinaryExpr)
    assert meter.start.span == Span(3, 17, 3, 28)
    assert meter.start.op_span == Span(3, 25, 3, 26)
    assert meter.start.left.span == Span(3, 17, 3, 24)
    assert meter.properties[0].span == Span(4, 3, 4, 12)
    assert affordance.place_span == Span(6, 17, 6, 23)
    assert affordance.items[0].span == Span(7, 3, 7, 22)


def test_a_declaration_without_braces_ends_with_its_last_word() -> None:
    assert declared("lifespan 5 ticks").span == Span(2, 1, 2, 17)
    assert declared("meter a = 1 in 0 .. 2").span == Span(2, 1, 2, 22)
    assert declared("space grid 8 x 8").span == Span(2, 1, 2, 17)
    assert declared("rule r: a = 1 unclamped").span == Span(2, 1, 2, 24)
