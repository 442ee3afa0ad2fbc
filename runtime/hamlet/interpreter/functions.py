"""Operators and functions of expressions on f32 tensors; the elementary ones step by step as docs/functions.md says."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from hamlet import universe
from hamlet.interpreter.fma import fma
from hamlet.numbers import elementary as e
from hamlet.numbers.binary32 import bits32, from_bits32
from hamlet.universe.functions import FunctionOfOne, FunctionOfTwo


def call(function: FunctionOfOne, x: Tensor) -> Tensor:
    """The value of a function of one number."""
    match function:
        case "abs":
            return x.abs()
        case "floor":
            return x.floor() + 0.0
        case "ceil":
            return x.ceil() + 0.0
        case "round":
            return x.round() + 0.0
        case "sqrt":
            return x.double().sqrt().float()
        case "exp":
            return exp(x)
        case "exp2":
            return exp2(x)
        case "log":
            return log(x)
        case "log2":
            return log2(x)
        case "sin":
            return wave(x, 0)
        case "cos":
            return wave(x, 1)
        case "tanh":
            return tanh(x)
        case "sigmoid":
            return sigmoid(x)


def call_with_two(function: FunctionOfTwo, left: Tensor, right: Tensor) -> Tensor:
    """The value of a function of two numbers."""
    match function:
        case "atan2":
            return atan2(left, right)
        case "min":
            return torch.where(left < right, left, right)
        case "max":
            return torch.where(right < left, left, right)
        case "mod":
            return modulo(left, right)
        case "pow":
            return power(left, right)


# --- pieces ----------------------------------------------------------------------------------------------------------


def number(value: float, like: Tensor) -> Tensor:
    """A constant on the device of a tensor."""
    return _constant(bits32(value), like.device)


@cache
def _constant(word: int, device: torch.device) -> Tensor:
    """The number with these 32 bits: a function has a dozen of them, and each would be made anew at every call."""
    # A tensor of the inference mode could be part of nothing that is differentiated later.
    with torch.inference_mode(False):
        return torch.tensor(from_bits32(word), dtype=torch.float32, device=device)


def bits(x: Tensor) -> Tensor:
    """The bits of f32 numbers as i32."""
    return x.view(torch.int32)


def limit(x: Tensor, least: float, most: float) -> Tensor:
    """x within bounds."""
    x = torch.where(x < least, number(least, x), x)
    return torch.where(x > most, number(most, x), x)


def polynomial(coefficients: tuple[float, ...], x: Tensor) -> Tensor:
    """Horner's rule with fma, from the highest coefficient on."""
    result = number(coefficients[0], x)
    for coefficient in coefficients[1:]:
        result = fma(result, x, number(coefficient, x))
    return result


def nearest(shifted: Tensor) -> tuple[Tensor, Tensor]:
    """Of x + ROUND: the integer nearest to x, as f32 and as i32."""
    return shifted - number(e.ROUND, shifted), bits(shifted) - e.ROUND_BITS


def scale(x: Tensor, exponent: Tensor) -> Tensor:
    """x * 2^exponent (i32) in two steps, of which only the second rounds."""
    half = exponent >> 1
    for part in (half, exponent - half):
        x = x * ((part + 127) << 23).view(torch.float32)
    return x


def split(x: Tensor) -> tuple[Tensor, Tensor]:
    """Of x > 0 the exponent n and v, both f32: x = 2^n * (1 + v), 1 + v from sqrt(1/2) to sqrt(2)."""
    subnormal = x < e.SMALLEST_NORMAL
    word = bits(torch.where(subnormal, x * number(e.SUBNORMAL_SCALE, x), x))
    biased = ((word + e.SQRT2_BIAS) >> 23) & 0x1FF
    significand = (word - ((biased - 127) << 23)).view(torch.float32)
    exponent = biased.float() - torch.where(subnormal, number(150.0, x), number(127.0, x))
    return exponent, significand - 1.0


def tail(v: Tensor) -> Tensor:
    """log(1 + v) - v."""
    square = v * v
    return fma(square * v, polynomial(e.LOG, v), number(-0.5, v) * square)


def fast_sum(larger: Tensor, smaller: Tensor) -> tuple[Tensor, Tensor]:
    """The sum and what rounding it loses."""
    total = larger + smaller
    return total, (larger - total) + smaller


# --- functions -------------------------------------------------------------------------------------------------------


def exp2(x: Tensor) -> Tensor:
    """2^x = 2^n * 2^r."""
    x = limit(x, e.EXP2_LEAST, e.EXP2_MOST)
    n, exponent = nearest(x + number(e.ROUND, x))
    r = x - n
    return scale(fma(polynomial(e.EXP2, r), r, number(1.0, x)), exponent)


def exp(x: Tensor) -> Tensor:
    """e^x = 2^n * e^r."""
    x = limit(x, e.EXP_LEAST, e.EXP_MOST)
    n, exponent = nearest(fma(x, number(e.LOG2_E_HIGH, x), number(e.ROUND, x)))
    r = fma(-n, number(e.LN2_HIGH, x), x)
    r = fma(-n, number(e.LN2_LOW, x), r)
    return scale(fma(polynomial(e.EXP, r) * r, r, r) + 1.0, exponent)


def log(x: Tensor) -> Tensor:
    """n log(2) + log(1 + v)."""
    n, v = split(x)
    high, low = number(e.LN2_HIGH, x), number(e.LN2_LOW, x)
    rest = fma(n, low, tail(v))
    largest = fma(n, high, v)
    lost = fma(n, high, -largest) + v
    return largest + (rest + lost)


def log2(x: Tensor) -> Tensor:
    """n + log(1 + v) log2(e)."""
    n, v = split(x)
    high, low = number(e.LOG2_E_HIGH, x), number(e.LOG2_E_LOW, x)
    product = v * high
    rest = fma(tail(v), high, fma(v, low, fma(v, high, -product)))
    largest, lost = fast_sum(n, product)
    return largest + (lost + rest)


def wave(x: Tensor, quadrants: int) -> Tensor:
    """sin(x + quadrants * pi / 2), for abs(x) up to 2^20."""
    x = limit(x, -e.TURNS_MOST, e.TURNS_MOST)
    n, turns = nearest(fma(x, number(e.TWO_OVER_PI, x), number(e.ROUND, x)))
    first, middle, last = (number(part, x) for part in e.HALF_PI)
    start = fma(-n, first, x)
    product = n * middle
    product_lost = fma(n, middle, -product)
    high = start - product
    taken = high - start
    lost = (start - (high - taken)) - (product + taken)
    low = fma(-n, last, lost - product_lost)
    r = high + low
    r_low = (high - r) + low
    quadrant = turns + quadrants
    value = torch.where(quadrant & 1 != 0, cos_near_zero(r, r_low), sin_near_zero(r, r_low))
    return torch.where(quadrant & 2 != 0, -value, value)


def sin_near_zero(r: Tensor, low: Tensor) -> Tensor:
    """sin(r + low)."""
    square = r * r
    return r + fma(polynomial(e.SIN, square) * square, r, low)


def cos_near_zero(r: Tensor, low: Tensor) -> Tensor:
    """cos(r + low)."""
    square = r * r
    small = fma(square * square, polynomial(e.COS, square), -r * low)
    half = square * 0.5
    largest = 1.0 - half
    return largest + (((1.0 - largest) - half) + small)


def atan2(y: Tensor, x: Tensor) -> Tensor:
    """The angle of (x, y): atan of the smaller size by the larger one, added to turns of pi / 2 or taken from them."""
    height, width = y.abs(), x.abs()
    steep, left = width < height, x < 0.0
    larger = torch.maximum(height, width)
    q = torch.minimum(height, width) / torch.where(larger > 0.0, larger, number(1.0, x))
    square = q * q
    angle = fma(polynomial(e.ATAN, square) * square, q, q)
    angle = torch.where(steep != left, -angle, angle)
    turns = torch.where(steep, number(1.0, x), torch.where(left, number(2.0, x), number(0.0, x)))
    result = turns * number(e.HALF_PI[0], x) + (angle + turns * number(e.HALF_PI[1], x))
    return torch.where(y < 0.0, -result, result)


def tanh(x: Tensor) -> Tensor:
    """A polynomial near 0, else 1 - 2 / (e^(2 abs(x)) + 1), with the sign of x."""
    size = x.abs()
    square = size * size
    small = fma(polynomial(e.TANH, square) * square, size, size)
    limited = torch.where(size > e.TANH_MOST, number(e.TANH_MOST, x), size)
    large = 1.0 - number(2.0, x) / (exp(limited + limited) + 1.0)
    result = torch.where(size < number(e.TANH_SMALL, x), small, large)
    return torch.where(x < 0.0, -result, result)


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + e^-x), without overflow."""
    shrunk = exp(-x.abs())
    return torch.where(x < 0.0, shrunk, number(1.0, x)) / (1.0 + shrunk)


def modulo(x: Tensor, y: Tensor) -> Tensor:
    """x - y floor(x / y) of y > 0, rounded once; +0 where that is y or a zero."""
    # torch.fmod of f32 is wrong on CPUs for large quotients; that of f64 is exact, and so is the result as f32
    rest = torch.fmod(x.double(), y.double()).float()
    rest = torch.where(rest < 0.0, rest + y, rest)
    return torch.where(rest < y, rest, number(0.0, x)) + 0.0


def power(x: Tensor, y: Tensor) -> Tensor:
    """x^y = 2^(y log2(x)) with a logarithm of two numbers; 0 where x is not above 0."""
    one = number(1.0, x)
    n, v = split(x)
    # s = v / (2 + v)
    divisor = 2.0 + v
    divisor_low = v - (divisor - 2.0)
    s = v / divisor
    s_low = (fma(-s, divisor, v) - s * divisor_low) / divisor
    # atanh(s) = s + s^3 (1/3 + s^2 P(s^2))
    square = s * s
    square_low = fma(s + s, s_low, fma(s, s, -square))
    cube = square * s
    cube_low = fma(square, s_low, fma(square_low, s, fma(square, s, -cube)))
    factor, factor_lost = fast_sum(number(e.THIRD_HIGH, x), square * polynomial(e.ATANH, square))
    factor_low = factor_lost + number(e.THIRD_LOW, x)
    term = cube * factor
    term_low = fma(cube, factor_low, fma(cube_low, factor, fma(cube, factor, -term)))
    angle, angle_lost = fast_sum(s, term)
    angle_low = angle_lost + (s_low + term_low)
    # log2(x) = n + 2 log2(e) atanh(s)
    high, low = number(e.TWICE_LOG2_E_HIGH, x), number(e.TWICE_LOG2_E_LOW, x)
    product = angle * high
    product_low = fma(angle, low, fma(angle_low, high, fma(angle, high, -product)))
    total, total_lost = fast_sum(n, product)
    logarithm, logarithm_low = fast_sum(total, total_lost + product_low)
    # 2^(y log2(x))
    unlimited = y * logarithm
    exponent = limit(unlimited, -e.POW_MOST, e.POW_MOST)
    exponent_low = fma(y, logarithm_low, fma(y, logarithm, -exponent))
    exponent_low = torch.where(unlimited.abs() < e.POW_MOST, exponent_low, number(0.0, x))
    whole, whole_bits = nearest(exponent + number(e.ROUND, x))
    part = exponent - whole
    r, lost = fast_sum(part, exponent_low)
    less_one = fma(polynomial(e.EXP2, r), r, lost * number(e.LN2_HIGH, x))
    return torch.where(x > 0.0, scale(one + less_one, whole_bits), number(0.0, x))


def whole_power(x: Tensor, exponent: float) -> Tensor:
    """x^n with a whole n, which is rounded to binary32: abs(x)^n, with the sign of x where n is odd."""
    n = number(exponent, x)
    size = power(x.abs(), n)
    return torch.where(x < 0.0, -size, size) if n.item() % 2 else size


def unary(op: universe.UnaryOp, value: Tensor) -> Tensor:
    """The value of a unary operation."""
    match op:
        case "-":
            return -value
        case "not":
            return ~value
        case _:
            return call(op, value)


def binary(op: universe.BinaryOp, left: Tensor, right: Tensor) -> Tensor:
    """The value of a binary operation; arithmetic is rounded once."""
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "==":
            return left == right
        case "!=":
            return ~(left == right)
        case "and":
            return left & right
        case "or":
            return left | right
        case _:
            return call_with_two(op, left, right)
