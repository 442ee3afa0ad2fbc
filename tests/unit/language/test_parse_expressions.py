from __future__ import annotations

import pytest
from language_cases import declared, error, errors, expression, sketch

from hamletc.language import syntax
from hamletc.language.parser import parse

REWARD = "Write it as in `reward 0.1 when here == Bed`."
NUMBERS = "Numbers are written `1`, `0.25` or `1e-3`."


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("a + b * c", "[a + [b * c]]"),
        ("a * b + c", "[[a * b] + c]"),
        ("a - b - c", "[[a - b] - c]"),
        ("a / b * c", "[[a / b] * c]"),
        ("a - (b - c)", "[a - [b - c]]"),
        ("-a * b", "[[- a] * b]"),
        ("a - -b", "[a - [- b]]"),
        ("--1", "[- [- 1]]"),
        ("a + b < c - d", "[[a + b] < [c - d]]"),
        ("a < b and c >= d or e != f", "[[[a < b] and [c >= d]] or [e != f]]"),
        ("a or b and c", "[a or [b and c]]"),
        ("not a < b and c", "[[not [a < b]] and c]"),
        ("not not a", "[not [not a]]"),
        ("if a < b then c else d + e", "[if [a < b] then c else [d + e]]"),
        ("if a then b else if c then d else e", "[if a then b else [if c then d else e]]"),
        ("(if a then b else c) * 2", "[[if a then b else c] * 2]"),
        ("min(a, b + c, 1)", "min[a, [b + c], 1]"),
        (
            "choice(a: 3, b + c: 1 / 2, if d then e else f: g)",
            "choice[a: 3, [b + c]: [1 / 2], [if d then e else f]: g]",
        ),
        ("a when chance(b: 1)", "[a when chance[b: 1]]"),
        ("clamp(x, 0, 1) / abs(y)", "[clamp[x, 0, 1] / abs[y]]"),
        ("distance to Bed / 2", "[[distance to Bed] / 2]"),
        # `when` binds tighter than +, looser than *, and takes one comparison
        ("a * b when c < d", "[[a * b] when [c < d]]"),
        ("a when b * 2 < c / d", "[a when [[b * 2] < [c / d]]]"),
        (
            "energy * health + 0.1 when here == Bed + 0.2 when here == Gym",
            "[[[energy * health] + [0.1 when [here == Bed]]] + [0.2 when [here == Gym]]]",
        ),
        ("a when b < c - d when e < f", "[[a when [b < c]] - [d when [e < f]]]"),
        ("a when not b == c + 1", "[[a when [not [b == c]]] + 1]"),
        ("a when (b or c) + 1", "[[a when [b or c]] + 1]"),
        ("a when (b + 1) < c", "[a when [[b + 1] < c]]"),
        ("a when (b < c) and d", "[[a when [b < c]] and d]"),
        ("(a when b < c) < d", "[[a when [b < c]] < d]"),
        ("a < b when c < d", "[a < [b when [c < d]]]"),
        ("a when chance(b) + 1", "[[a when chance[b]] + 1]"),
        ("a when not chance(b)", "[a when [not chance[b]]]"),
        ("a when min(b, c) * 2 < d", "[a when [[min[b, c] * 2] < d]]"),
        ("(a + b when c == d) * 2", "[[a + [b when [c == d]]] * 2]"),
    ],
)
def test_precedence(text: str, understood: str) -> None:
    assert sketch(expression(text)) == understood


def test_minus_and_parenthesis_after_an_operand_go_on_with_it_even_in_a_new_line() -> None:
    assert sketch(expression("a\n  -1")) == "[a - 1]"
    assert sketch(expression("abs\n  (a)")) == "abs[a]"


def test_distance_is_a_name_where_nothing_is_measured() -> None:
    assert sketch(expression("distance * 2 + distance to distance")) == "[[distance * 2] + [distance to distance]]"


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("position x * velocity x99", "[[position x] * [velocity x99]]"),
        ("position * 2 + velocity", "[[position * 2] + velocity]"),
        ("-position z when velocity y > 0", "[[- [position z]] when [[velocity y] > 0]]"),
        ("streak of Bed / streak", "[[streak of Bed] / streak]"),
        ("straight distance to Bed - straight", "[[straight distance to Bed] - straight]"),
        ("straight * distance to straight", "[straight * [distance to straight]]"),
        ("walking distance to Bed - walking", "[[walking distance to Bed] - walking]"),
        ("walking * distance to walking", "[walking * [distance to walking]]"),
        ("previous(age) + `age` * age", "[previous[age] + [`age` * age]]"),
        ("`a b`-1", "[`a b` - 1]"),
        ("1 when (last == nothing)", "[1 when [last == nothing]]"),
    ],
)
def test_quantities_of_several_words_and_names_like_them(text: str, understood: str) -> None:
    assert sketch(expression(text)) == understood


def test_a_meter_may_be_called_like_an_axis_or_a_quantity_of_one() -> None:
    first, second = declared("rule r { a += position  x += velocity y = 1 }").body[:2]
    assert (sketch(first.value), second.meter.text, sketch(second.value)) == ("position", "x", "velocity")


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("`a", "H004", "this backtick has no second one"),
        ("`", "H004", "this backtick has no second one"),
        ("`a\nb`", "H004", "this backtick has no second one"),
        ("``", "H004", "there is no name between these backticks"),
        ("`a\tb`", "H004", "the character U+0009 (a control character) cannot be part of a name"),
        ("`a\u202eb`", "H004", "the character U+202E (right-to-left override) cannot be part of a name"),
        (f"`{'a' * 65}`", "H007", "a name of 65 characters; 64 are allowed"),
    ],
)
def test_what_cannot_be_a_name_in_backticks(text: str, code: str, message: str) -> None:
    found = parse(f"universe u\nreward {text}")[1][0]
    assert (found.code, found.message, found.primary.span.column) == (code, message, 8)


def test_together_is_a_name_where_no_block_follows() -> None:
    assert sketch(declared("rule r: together < 1 -> together = 2").guard) == "[together < 1]"


@pytest.mark.parametrize("number", ["0", "0.30", "1e3", "1E-5", "2.5e+10", "3.4028234e38", "007"])
def test_numbers_keep_their_spelling(number: str) -> None:
    value = expression(number)
    assert isinstance(value, syntax.Numeral)
    assert value.text == number


@pytest.mark.parametrize("text", ["a < b < c", "a == b != c", "x when a < b < c"])
def test_comparisons_do_not_chain(text: str) -> None:
    found = error(f"universe u reward {text}")
    assert found.code == "H013"
    assert found.hint == "Write `a < b and b < c` for `a < b < c`."


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("a +", "expected an expression, found the end of the file", REWARD),
        ("(a", "expected an operator or `)`, found the end of the file", REWARD),
        ("a = b", "expected an operator or a declaration, found `=`", "Compare with `==`."),
        ("1 + if a then b else c", "expected an expression, found `if`", "Put the `if` expression in parentheses."),
        ("1 when 3 * a + 2 < b", "expected a comparison, found `+`",
         "A condition after `when` that adds or subtracts goes in parentheses."),
        ("min()", "`min` is called without arguments",
         "Functions have arguments, as in `uniform(0, 1)`; meters and params stand without parentheses."),
        ("if a thn b else c", "expected an operator or `then`, found `thn`", "Did you mean `then`?"),
        ("a * when", "expected an expression, found `when`", REWARD),
    ],
)  # fmt: skip
def test_what_is_said_about_a_wrong_expression(text: str, message: str, hint: str) -> None:
    found = error(f"universe u reward {text}")
    assert (found.code, found.message, found.hint) == ("H009", message, hint)


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("a && b", "H004", "Write `and`."),
        ("a || b", "H004", "Write `or`."),
        ("!a", "H004", "Write `not`."),
        (
            "a ? b",
            "H004",
            "Write `if CONDITION then A else B`, or `A when CONDITION`, which is 0 where it does not hold.",
        ),
        ("a % b", "H004", "Write `mod(a, b)`, the remainder."),
        (
            "énergie",
            "H004",
            "Names consist of the letters a to z and A to Z, digits and `_`; write others in backticks.",
        ),
        (".5", "H005", "Write `0.5`."),
        ("5.", "H005", "Write `5.0`."),
        ("1_000", "H005", "Write `1000`."),
        ("0x10", "H005", NUMBERS),
        ("1.2.3", "H005", NUMBERS),
        ("2e", "H005", NUMBERS),
        ("1e39", "H006", "The largest binary32 number is 3.4028235e38."),
        ("1e999", "H006", "The largest binary32 number is 3.4028235e38."),
        ("3.4028236e38", "H006", "The largest binary32 number is 3.4028235e38."),
        ("a" * 65, "H007", "Choose a shorter name."),
    ],
)
def test_what_cannot_be_a_token(text: str, code: str, hint: str) -> None:
    found = error(f"universe u reward {text}")
    assert (found.code, found.hint) == (code, hint)


def test_a_name_may_have_64_characters() -> None:
    assert errors(f"universe u reward {'a' * 64}") == []


def test_open_parenthesis_is_pointed_at() -> None:
    (label,) = error("universe u reward 1 * (a + min(b, c) d)").secondary
    assert (label.text, label.span.column) == ("this parenthesis is open", 23)
