"""Functions of expressions; the elementary ones as sequences of exact operations (docs/functions.md)."""

from __future__ import annotations

from hamlet.frozen import dataclass
from hamlet.numbers import elementary as e
from hamlet.numbers.binary32 import round32
from hamlet.universe.functions import FunctionOfOne, FunctionOfTwo
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value


def call(builder: Builder, function: FunctionOfOne, operand: Value) -> Value:
    """The value (F32) of a function of one number (F32)."""
    match function:
        case "abs":
            return builder.abs(operand)
        case "floor":
            return _floor(builder, operand)
        case "ceil":
            return _ceil(builder, operand)
        case "round":
            return _round(builder, operand)
        case "sqrt":
            return builder.sqrt(operand)
        case "exp":
            return _exp(builder, operand)
        case "exp2":
            return _exp2(builder, operand)
        case "log":
            return _log(builder, operand)
        case "log2":
            return _log2(builder, operand)
        case "sin":
            return _wave(builder, operand, 0)
        case "cos":
            return _wave(builder, operand, 1)
        case "tanh":
            return _tanh(builder, operand)
        case "sigmoid":
            return _sigmoid(builder, operand)


def call_with_two(builder: Builder, function: FunctionOfTwo, left: Value, right: Value) -> Value:
    """The value (F32) of a function of two numbers (F32)."""
    match function:
        case "atan2":
            return _atan2(builder, left, right)
        case "min":
            return builder.minimum(left, right)
        case "max":
            return builder.maximum(left, right)
        case "mod":
            return modulo(builder, left, right)
        case "pow":
            return power(builder, left, right)


# --- parts that several functions share ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pair:
    """The number high + low, where low is below the last bit of high."""

    high: Value
    low: Value


def _sum(builder: Builder, larger: Value, smaller: Value) -> _Pair:
    """The sum and what rounding it loses (Dekker's fast two-sum)."""
    total = builder.add(larger, smaller)
    return _Pair(total, builder.add(builder.sub(larger, total), smaller))


def _product(builder: Builder, left: Value, right: Value) -> _Pair:
    """The product and what rounding it loses."""
    product = builder.mul(left, right)
    return _Pair(product, builder.fma(left, right, builder.neg(product)))


def _polynomial(builder: Builder, coefficients: tuple[float, ...], x: Value) -> Value:
    """Horner's rule with fma, from the highest coefficient on."""
    result = builder.f32(coefficients[0])
    for coefficient in coefficients[1:]:
        result = builder.fma(result, x, builder.f32(coefficient))
    return result


def _limit(builder: Builder, x: Value, least: float, most: float) -> Value:
    return builder.clamp(x, builder.f32(least), builder.f32(most))


def nearest(builder: Builder, shifted: Value) -> tuple[Value, Value]:
    """Of x + ROUND: the integer nearest to x, as F32 and as U32 (two's complement)."""
    number = builder.sub(shifted, builder.f32(e.ROUND))
    return number, builder.sub(builder.to_bits(shifted), builder.u32(e.ROUND_BITS))


def whole(builder: Builder, x: Value) -> Value:
    """The number x (F32), which is whole and from -2^22 to 2^22, as an I32."""
    return builder.to_i32(nearest(builder, builder.add(x, builder.f32(e.ROUND)))[1])


def rounded_down(builder: Builder, x: Value) -> Value:
    """The whole number (I32) at most x, which is from 0 to 2^22."""
    near, whole = nearest(builder, builder.add(x, builder.f32(e.ROUND)))
    above = builder.select(builder.less(x, near), builder.i32(1), builder.i32(0))
    return builder.sub(builder.to_i32(whole), above)


def _scale(builder: Builder, x: Value, exponent: Value) -> Value:
    """x * 2^exponent, rounded once; the exponent (U32, two's complement) is -512 .. 254."""
    shifted = builder.shift_right(builder.add(exponent, builder.u32(512)), 1)
    half = builder.sub(shifted, builder.u32(256))
    for part in (half, builder.sub(exponent, half)):
        biased = builder.add(part, builder.u32(127))
        x = builder.mul(x, builder.from_bits(builder.shift_left(biased, builder.u32(23))))
    return x


def _split(builder: Builder, x: Value) -> tuple[Value, Value]:
    """Of x > 0 the exponent n (F32) and v, x = 2^n * (1 + v) with sqrt(1/2) <= 1 + v < sqrt(2)."""
    subnormal = builder.less(x, builder.f32(e.SMALLEST_NORMAL))
    normal = builder.select(subnormal, builder.mul(x, builder.f32(e.SUBNORMAL_SCALE)), x)
    bits = builder.to_bits(normal)
    biased = builder.shift_right(builder.add(bits, builder.u32(e.SQRT2_BIAS)), 23)
    exponent = builder.shift_left(builder.sub(biased, builder.u32(127)), builder.u32(23))
    significand = builder.from_bits(builder.sub(bits, exponent))
    bias = builder.select(subnormal, builder.f32(150.0), builder.f32(127.0))
    number = builder.sub(builder.to_f32(builder.to_i32(biased)), bias)
    return number, builder.sub(significand, builder.f32(1.0))


# --- whole numbers: from 2^23 on every number is one, and below x + 2^23 is rounded to one ----------------------------

WHOLE = 2.0**23


def _round(builder: Builder, x: Value) -> Value:
    """The whole number nearest to x. No step is an operation of its own, since that of GPUs drops subnormals."""
    size, zero, whole = builder.abs(x), builder.f32(0.0), builder.f32(WHOLE)
    shift = builder.select(builder.less(size, whole), whole, zero)
    rounded = builder.sub(builder.add(size, shift), shift)
    return builder.select(builder.less(x, zero), builder.sub(zero, rounded), rounded)


def _floor(builder: Builder, x: Value) -> Value:
    near = _round(builder, x)
    return builder.select(builder.less(x, near), builder.sub(near, builder.f32(1.0)), near)


def _ceil(builder: Builder, x: Value) -> Value:
    near = _round(builder, x)
    return builder.select(builder.less(near, x), builder.add(near, builder.f32(1.0)), near)


def modulo(builder: Builder, x: Value, y: Value) -> Value:
    """x - y floor(x / y) of y > 0 and abs(x / y) <= 2^46.

    With the whole number n nearest to the rounded quotient, x - n y is a binary32 number, so `fma` is exact. It is at
    most 3/4 y from 0 where the quotient is below 2^23, and at most 2^-24 of the quotient times y from there on: so the
    second round ends within 3/4 y, where only what is below 0 needs another y.
    """
    zero = builder.f32(0.0)
    for _ in range(2):
        number = _round(builder, builder.div(x, y))
        x = builder.fma(builder.sub(zero, number), y, x)
    rest = builder.select(builder.less(x, zero), builder.add(x, y), x)
    return builder.select(builder.less(rest, y), rest, zero)


# --- exponentials ----------------------------------------------------------------------------------------------------


def _exp2(builder: Builder, x: Value) -> Value:
    """2^x = 2^n * 2^r with r = x - n, abs(r) <= 1/2."""
    x = _limit(builder, x, e.EXP2_LEAST, e.EXP2_MOST)
    number, exponent = nearest(builder, builder.add(x, builder.f32(e.ROUND)))
    rest = builder.sub(x, number)
    return _scale(builder, builder.fma(_polynomial(builder, e.EXP2, rest), rest, builder.f32(1.0)), exponent)


def _exp(builder: Builder, x: Value) -> Value:
    """e^x = 2^n * e^r with r = x - n log(2)."""
    x = _limit(builder, x, e.EXP_LEAST, e.EXP_MOST)
    number, exponent = nearest(builder, builder.fma(x, builder.f32(e.LOG2_E_HIGH), builder.f32(e.ROUND)))
    away = builder.neg(number)
    rest = builder.fma(away, builder.f32(e.LN2_HIGH), x)
    rest = builder.fma(away, builder.f32(e.LN2_LOW), rest)
    less_one = builder.fma(builder.mul(_polynomial(builder, e.EXP, rest), rest), rest, rest)
    return _scale(builder, builder.add(less_one, builder.f32(1.0)), exponent)


def _tanh(builder: Builder, x: Value) -> Value:
    """A polynomial for small x, otherwise 1 - 2 / (e^(2 abs(x)) + 1) with the sign of x."""
    size, one = builder.abs(x), builder.f32(1.0)
    square = builder.mul(size, size)
    small = builder.fma(builder.mul(_polynomial(builder, e.TANH, square), square), size, size)
    most = builder.f32(e.TANH_MOST)
    limited = builder.select(builder.less(most, size), most, size)
    grown = _exp(builder, builder.add(limited, limited))
    large = builder.sub(one, builder.div(builder.f32(2.0), builder.add(grown, one)))
    result = builder.select(builder.less(size, builder.f32(e.TANH_SMALL)), small, large)
    return builder.select(builder.less(x, builder.f32(0.0)), builder.neg(result), result)


def _sigmoid(builder: Builder, x: Value) -> Value:
    """1 / (1 + e^-x) for x >= 0, e^x / (1 + e^x) for x < 0: nothing overflows."""
    one = builder.f32(1.0)
    shrunk = _exp(builder, builder.neg(builder.abs(x)))
    above = builder.select(builder.less(x, builder.f32(0.0)), shrunk, one)
    return builder.div(above, builder.add(one, shrunk))


# --- logarithms of x = 2^n (1 + v) > 0 -------------------------------------------------------------------------------


def _log(builder: Builder, x: Value) -> Value:
    """n log(2) + log(1 + v); what rounding the largest part, n log(2) + v, loses is added to the others."""
    number, v = _split(builder, x)
    high, low = builder.f32(e.LN2_HIGH), builder.f32(e.LN2_LOW)
    rest = builder.fma(number, low, _tail(builder, v))
    largest = builder.fma(number, high, v)
    lost = builder.add(builder.fma(number, high, builder.neg(largest)), v)
    return builder.add(largest, builder.add(rest, lost))


def _log2(builder: Builder, x: Value) -> Value:
    """n + log(1 + v) log2(e); what rounding the largest part, n + v log2(e), loses is added to the others."""
    number, v = _split(builder, x)
    high, low = builder.f32(e.LOG2_E_HIGH), builder.f32(e.LOG2_E_LOW)
    product = _product(builder, v, high)
    rest = builder.fma(_tail(builder, v), high, builder.fma(v, low, product.low))
    largest = _sum(builder, number, product.high)
    return builder.add(largest.high, builder.add(largest.low, rest))


def _tail(builder: Builder, v: Value) -> Value:
    """log(1 + v) - v."""
    square = builder.mul(v, v)
    half = builder.mul(builder.f32(-0.5), square)
    return builder.fma(builder.mul(square, v), _polynomial(builder, e.LOG, v), half)


# --- powers: log2(x) and its product with y have twice the bits of binary32 ------------------------------------------


def power(builder: Builder, x: Value, y: Value) -> Value:
    """x^y = 2^(y log2(x)); 0 where x is not above 0."""
    logarithm = _long_log2(builder, x)
    most = builder.f32(e.POW_MOST)
    product = builder.mul(y, logarithm.high)
    high = _limit(builder, product, -e.POW_MOST, e.POW_MOST)
    low = builder.fma(y, logarithm.low, builder.fma(y, logarithm.high, builder.neg(high)))
    low = builder.select(builder.less(builder.abs(product), most), low, builder.f32(0.0))
    number, exponent = nearest(builder, builder.add(high, builder.f32(e.ROUND)))
    rest = _sum(builder, builder.sub(high, number), low)
    series = _polynomial(builder, e.EXP2, rest.high)
    less_one = builder.fma(series, rest.high, builder.mul(rest.low, builder.f32(e.LN2_HIGH)))
    result = _scale(builder, builder.add(builder.f32(1.0), less_one), exponent)
    return builder.select(builder.less(builder.f32(0.0), x), result, builder.f32(0.0))


def whole_power(builder: Builder, x: Value, exponent: float) -> Value:
    """x^n with a whole n, which is rounded to binary32: abs(x)^n, which is turned where x is below 0 and n is odd."""
    n = round32(exponent)
    result = power(builder, builder.abs(x), builder.f32(n))
    if n % 2 == 0:
        return result
    return builder.select(builder.less(x, builder.f32(0.0)), builder.neg(result), result)


def _long_log2(builder: Builder, x: Value) -> _Pair:
    """n + 2 log2(e) atanh(s) with x = 2^n (1 + v), s = v / (2 + v)."""
    number, v = _split(builder, x)
    angle = _atanh(builder, _quotient(builder, v))
    factor_high, factor_low = builder.f32(e.TWICE_LOG2_E_HIGH), builder.f32(e.TWICE_LOG2_E_LOW)
    product = _product(builder, angle.high, factor_high)
    lost = builder.fma(angle.high, factor_low, builder.fma(angle.low, factor_high, product.low))
    total = _sum(builder, number, product.high)
    return _sum(builder, total.high, builder.add(total.low, lost))


def _quotient(builder: Builder, v: Value) -> _Pair:
    """v / (2 + v)."""
    two = builder.f32(2.0)
    divisor = builder.add(two, v)
    divisor_low = builder.sub(v, builder.sub(divisor, two))
    quotient = builder.div(v, divisor)
    left = builder.fma(builder.neg(quotient), divisor, v)
    return _Pair(quotient, builder.div(builder.sub(left, builder.mul(quotient, divisor_low)), divisor))


def _atanh(builder: Builder, s: _Pair) -> _Pair:
    """s + s^3 (1/3 + s^2 P(s^2))."""
    square = _product(builder, s.high, s.high)
    square_low = builder.fma(builder.add(s.high, s.high), s.low, square.low)
    cube = _product(builder, square.high, s.high)
    cube_low = builder.fma(square.high, s.low, builder.fma(square_low, s.high, cube.low))
    series = builder.mul(square.high, _polynomial(builder, e.ATANH, square.high))
    factor = _sum(builder, builder.f32(e.THIRD_HIGH), series)
    factor_low = builder.add(factor.low, builder.f32(e.THIRD_LOW))
    term = _product(builder, cube.high, factor.high)
    term_low = builder.fma(cube.high, factor_low, builder.fma(cube_low, factor.high, term.low))
    total = _sum(builder, s.high, term.high)
    return _Pair(total.high, builder.add(total.low, builder.add(s.low, term_low)))


# --- waves of abs(x) <= 2^20: x = n pi / 2 + r, and the quadrant n mod 4 says which of sin r and cos r ----------------


def _wave(builder: Builder, x: Value, quadrants: int) -> Value:
    """sin x, whose quadrant is n; cos x = sin(x + pi / 2) with 1 quadrant, whose is n + 1."""
    x = _limit(builder, x, -e.TURNS_MOST, e.TURNS_MOST)
    number, turns = nearest(builder, builder.fma(x, builder.f32(e.TWO_OVER_PI), builder.f32(e.ROUND)))
    rest = _rest_of_turns(builder, x, number)
    quadrant = builder.add(turns, builder.u32(quadrants))
    odd = builder.not_(builder.equal(builder.and_(quadrant, builder.u32(1)), builder.u32(0)))
    negative = builder.not_(builder.equal(builder.and_(quadrant, builder.u32(2)), builder.u32(0)))
    value = builder.select(odd, _cos_of_rest(builder, rest), _sin_of_rest(builder, rest))
    return builder.select(negative, builder.neg(value), value)


def _atan2(builder: Builder, y: Value, x: Value) -> Value:
    """The angle a of q = smaller / larger of the sizes, from 0 to 1: a, pi / 2 - a, pi / 2 + a or pi - a, with the sign
    of y. Zeros of either sign count as +0."""
    zero, (first, middle, _) = builder.f32(0.0), e.HALF_PI
    height, width = builder.abs(y), builder.abs(x)
    steep, left = builder.less(width, height), builder.less(x, zero)
    larger, smaller = builder.select(steep, height, width), builder.select(steep, width, height)
    divisor = builder.select(builder.less(zero, larger), larger, builder.f32(1.0))
    quotient = builder.div(smaller, divisor)
    square = builder.mul(quotient, quotient)
    angle = builder.fma(builder.mul(_polynomial(builder, e.ATAN, square), square), quotient, quotient)

    def by_turns(right: Value, half: Value, whole: Value) -> Value:
        return builder.select(steep, half, builder.select(left, whole, right))

    taken = builder.select(steep, builder.not_(left), left)
    signed = builder.select(taken, builder.neg(angle), angle)
    rest = builder.add(signed, by_turns(zero, builder.f32(middle), builder.f32(2.0 * middle)))
    result = builder.add(by_turns(zero, builder.f32(first), builder.f32(2.0 * first)), rest)
    return builder.select(builder.less(y, zero), builder.neg(result), result)


def _rest_of_turns(builder: Builder, x: Value, number: Value) -> _Pair:
    """x - n pi / 2."""
    first, middle, last = (builder.f32(part) for part in e.HALF_PI)
    away = builder.neg(number)
    rest = builder.fma(away, first, x)
    product = _product(builder, number, middle)
    high = builder.sub(rest, product.high)
    taken = builder.sub(high, rest)
    lost = builder.sub(builder.sub(rest, builder.sub(high, taken)), builder.add(product.high, taken))
    return _sum(builder, high, builder.fma(away, last, builder.sub(lost, product.low)))


def _sin_of_rest(builder: Builder, rest: _Pair) -> Value:
    square = builder.mul(rest.high, rest.high)
    cubic = builder.mul(_polynomial(builder, e.SIN, square), square)
    return builder.add(rest.high, builder.fma(cubic, rest.high, rest.low))


def _cos_of_rest(builder: Builder, rest: _Pair) -> Value:
    one = builder.f32(1.0)
    square = builder.mul(rest.high, rest.high)
    quartic = builder.mul(square, square)
    turned = builder.mul(builder.neg(rest.high), rest.low)
    small = builder.fma(quartic, _polynomial(builder, e.COS, square), turned)
    half = builder.mul(builder.f32(0.5), square)
    largest = builder.sub(one, half)
    lost = builder.sub(builder.sub(one, largest), half)
    return builder.add(largest, builder.add(lost, small))
