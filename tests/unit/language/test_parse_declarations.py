from __future__ import annotations

from typing import Any

import pytest
from language_cases import bare, declared, errors, parsed, sketch

from hamlet.universe import Span
from hamletc.language import syntax
from hamletc.language.complaints import RESERVED
from hamletc.language.tables import terminals


def texts(items: Any) -> list[str]:
    return [item.text for item in items]


def test_space() -> None:
    assert texts(declared("space grid 8").sizes) == ["8"]
    space = declared("space grid 8 x 9 x 3 { edges clamp  distance manhattan }")
    assert space.kind.text == "grid"
    assert texts(space.sizes) == ["8", "9", "3"]
    assert [(p.key.text, p.value.text) for p in space.properties] == [("edges", "clamp"), ("distance", "manhattan")]


def test_clock_and_lifespan() -> None:
    assert declared("clock 24 hours").hours.text == "24"
    assert declared("lifespan 500 ticks").properties == ()
    lifespan = declared("lifespan -1 tick { reward 1.0 - 2 }")
    assert lifespan.ticks.text == "-1"
    assert [(p.key.text, sketch(p.value)) for p in lifespan.properties] == [("reward", "[1.0 - 2]")]


def test_param_and_meter() -> None:
    param = declared("param difficulty = 1.0 in -1 .. 4")
    assert (param.name.text, sketch(param.default), [sketch(b) for b in param.bounds]) == (
        "difficulty", "1.0", ["[- 1]", "4"],
    )  # fmt: skip
    meter = declared("meter energy = 0.5 { decay 0.005 * difficulty  move 0.005  interact 1 - 2 }")
    assert (meter.name.text, sketch(meter.start), meter.bounds) == ("energy", "0.5", None)
    assert [(p.key.text, sketch(p.value)) for p in meter.properties] == [
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


def test_actions() -> None:
    action = declared("action JUMP { needs a > 0  a -= 0.1  move (1, -1)  teleport (0, 0) }")
    assert [type(item).__name__ for item in action.items] == ["NeedsItem", "AssignStmt", "MoveItem", "TeleportItem"]
    assert texts(action.items[2].delta) == ["1", "-1"]
    assert texts(action.items[3].cell) == ["0", "0"]


def test_dies_and_reward() -> None:
    assert sketch(declared("dies when a <= 0 or b <= 0").condition) == "[[a <= 0] or [b <= 0]]"
    assert sketch(declared("reward a").value) == "a"


def test_observe() -> None:
    observe = declared(
        "observe { grid window 2 position relative meters meters energy mood here time progress progress per 10 "
        "lifetime params params difficulty }"
    )
    assert [(i.kind.text, texts(i.words), i.number and i.number.text) for i in observe.items] == [
        ("grid", [], None),
        ("window", [], "2"),
        ("position", ["relative"], None),
        ("meters", [], None),
        ("meters", ["energy", "mood"], None),
        ("here", [], None),
        ("time", [], None),
        ("progress", [], None),
        ("progress", [], "10"),
        ("lifetime", [], None),
        ("params", [], None),
        ("params", ["difficulty"], None),
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
    assert meter.properties[0].key.span == Span(4, 3, 4, 8)
    assert affordance.place_span == Span(6, 17, 6, 23)
    assert affordance.items[0].span == Span(7, 3, 7, 22)


def test_a_declaration_without_braces_ends_with_its_last_word() -> None:
    assert declared("lifespan 5 ticks").span == Span(2, 1, 2, 17)
    assert declared("meter a = 1 in 0 .. 2").span == Span(2, 1, 2, 22)
    assert declared("space grid 8 x 8").span == Span(2, 1, 2, 17)
    assert declared("rule r: a = 1 unclamped").span == Span(2, 1, 2, 24)
