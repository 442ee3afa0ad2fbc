"""Elementary functions: interpreter and IR give the same bits, and both are as near to the truth as promised."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
import torch

from hamlet.interpreter import functions
from hamlet.universe.functions import FunctionOfOne, FunctionOfTwo
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import F32
from hamletc.lowering.functions import call, call_with_two, whole_power

Array = np.ndarray[Any, Any]

EDGES = np.array(
    [
        0.0, 1e-45, 1.1754942e-38, 1.1754944e-38, 1e-8, 0.55, 0.5500001, 0.70710677, 0.7071068, 0.99999994, 1.0,
        1.0000001, 1.4142135, 1.4142137, 1.5707964, 3.1415927, 10.0, 87.3, 88.72283, 88.72284, 103.97, 104.0, 127.5,
        128.0, 149.0, 1e5, 1048575.9, 1048576.0, 1e30, 3.4028235e38,
    ],
    np.float32,
)  # fmt: skip
ULPS: dict[str, tuple[float, Callable[[Array], Array], bool, float]] = {
    "sqrt": (0.5, np.sqrt, True, 3.5e38),
    "exp": (1.0, np.exp, False, 3.5e38),
    "exp2": (0.88, np.exp2, False, 3.5e38),
    "log": (0.84, np.log, True, 3.5e38),
    "log2": (1.05, np.log2, True, 3.5e38),
    "sin": (0.85, np.sin, False, 2.0**20),
    "cos": (0.85, np.cos, False, 2.0**20),
    "tanh": (1.45, np.tanh, False, 3.5e38),
    "sigmoid": (2.41, lambda x: np.exp(-np.logaddexp(0.0, -x)), False, 3.5e38),
}
"""The bound of docs/functions.md in ulp, the truth in binary64, whether numbers must be positive, the range."""


def samples(positive: bool, most: float) -> Array:
    """Edge values of both signs, numbers of all sizes, and the usual ones."""
    generator = np.random.default_rng(5)
    everything = generator.integers(0, 2**32, 60_000, dtype=np.uint32).view(np.float32)
    usual = generator.uniform(-110, 110, 60_000).astype(np.float32)
    x = np.concatenate([EDGES, -EDGES, everything, usual])
    with np.errstate(invalid="ignore"):
        x = x[np.isfinite(x) & (np.abs(x).astype(np.float64) <= most)]
    return np.abs(x[x != 0]) if positive else x


def by_ir(name: str, *arguments: Array) -> Array:
    builder = Builder()
    operands = [builder.input(F32, f"in.{number}") for number in range(len(arguments))]
    called: Any = call_with_two if name in get_args(FunctionOfTwo) else call
    value = called(builder, name, *operands)
    function = builder.finish(name, (Output("result", value),))
    return evaluate(function, {f"in.{number}": values for number, values in enumerate(arguments)}, ())["result"]


def ulps(got: Array, exact: Array) -> Array:
    """The errors in ulp, where the exact result is finite in binary32."""
    with np.errstate(over="ignore"):
        finite = np.isfinite(exact.astype(np.float32))
    _, exponent = np.frexp(exact)
    ulp = np.maximum(np.exp2(exponent - 24.0), 2.0**-149)
    error: Array = np.abs(got[finite].astype(np.float64) - exact[finite]) / ulp[finite]
    return error


@pytest.mark.parametrize("name", ULPS)
def test_a_function_is_near_the_truth_and_the_same_everywhere(name: str) -> None:
    bound, truth, positive, most = ULPS[name]
    x = samples(positive, most)
    got = by_ir(name, x)
    with np.errstate(all="ignore"):
        exact = truth(x.astype(np.float64))
        overflows = np.isinf(exact.astype(np.float32))
    assert ulps(got, exact).max() <= bound
    assert np.isinf(got[overflows]).all()
    interpreted = functions.call(name, torch.from_numpy(x)).numpy()  # type: ignore[arg-type]
    np.testing.assert_array_equal(interpreted.view(np.int32), got.view(np.int32))


def test_a_power_is_near_the_truth_and_the_same_everywhere() -> None:
    generator = np.random.default_rng(6)
    x = samples(True, 3.5e38)
    with np.errstate(all="ignore"):
        wanted = generator.uniform(-150, 128, len(x)) / np.log2(x.astype(np.float64))
    y = np.clip(np.nan_to_num(wanted, nan=1.0, posinf=1.0, neginf=1.0), -3e38, 3e38).astype(np.float32)
    y[::5] = generator.choice(np.array([0.0, -0.0, 0.5, 0.7, 1.0, 2.0, 3.0, -1.0], np.float32), len(y[::5]))
    got = by_ir("pow", x, y)
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.longdouble), y.astype(np.longdouble)).astype(np.float64)
    assert ulps(got, exact).max() <= 1.13
    interpreted = functions.power(torch.from_numpy(x), torch.from_numpy(y)).numpy()
    np.testing.assert_array_equal(interpreted.view(np.int32), got.view(np.int32))


def pairs() -> tuple[Array, Array]:
    """Heights and widths of all sizes, of the usual ones, close to the axes and to the diagonals, and edges."""
    generator = np.random.default_rng(8)
    y, x = (generator.permutation(samples(False, 3.5e38))[:60_000] for _ in range(2))
    y[::3], x[::3] = generator.uniform(-10, 10, (2, 20_000))
    with np.errstate(over="ignore"):
        x[1::3] = y[1::3] * generator.choice(np.float32([1, -1, 0.99999994, 1.0000001, 0.5, -2]), 20_000)
    edges = np.float32([0.0, -0.0, 1e-45, -1e-45, 1.1754944e-38, 1.0, -1.0, 3.4028235e38, -3.4028235e38])
    x[~np.isfinite(x)] = 1.0
    return np.append(y, np.repeat(edges, len(edges))), np.append(x, np.tile(edges, len(edges)))


def test_an_angle_is_near_the_truth_and_the_same_everywhere() -> None:
    y, x = pairs()
    got = by_ir("atan2", y, x)
    exact = np.arctan2(y.astype(np.float64) + 0.0, x.astype(np.float64) + 0.0)
    assert ulps(got, exact).max() <= 1.52
    assert np.abs(got).max() <= np.float32(np.pi)
    interpreted = functions.atan2(torch.from_numpy(y), torch.from_numpy(x)).numpy()
    np.testing.assert_array_equal(interpreted.view(np.int32), got.view(np.int32))
    # A zero counts as +0, also the one from which the angle of nothing is taken.
    zero, one = np.float32([0.0, -0.0, 0.0, -0.0]), np.float32([0.0, 0.0, -0.0, -0.0])
    assert by_ir("atan2", zero, one).view(np.int32).tolist() == [0, 0, 0, 0]
    assert by_ir("atan2", zero, one - 1).tolist() == [float(np.float32(np.pi))] * 4


@pytest.mark.parametrize("exponent", [2.0, 3.0, 1.0, -1.0, -2.0, 0.0, -7.0, 16777218.0, 16777217.0, -1e12])
def test_a_whole_power_of_any_number_has_its_sign_and_is_the_same_everywhere(exponent: float) -> None:
    x = np.concatenate([samples(False, 3.5e38), np.float32([0.0, -0.0, 1.0, -1.0, -3.0])])
    builder = Builder()
    value = whole_power(builder, builder.input(F32, "x"), exponent)
    got = evaluate(builder.finish("power", (Output("result", value),)), {"x": x}, ())["result"]
    interpreted = functions.whole_power(torch.from_numpy(x), exponent).numpy()
    np.testing.assert_array_equal(interpreted.view(np.int32), got.view(np.int32))
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.longdouble), np.float32(exponent)).astype(np.float64)
    assert ulps(got[x != 0], exact[x != 0]).max() <= 1.13
    positive = x > 0
    usual = by_ir("pow", x[positive], np.full(positive.sum(), exponent, np.float32))
    np.testing.assert_array_equal(got[positive].view(np.int32), usual.view(np.int32))
    if exponent > 0:
        assert (got[x == 0].view(np.int32) == 0).all()


ROUNDINGS: dict[FunctionOfOne, Callable[[Array], Array]] = {"floor": np.floor, "ceil": np.ceil, "round": np.rint}


@pytest.mark.parametrize("name", ROUNDINGS)
def test_a_rounding_is_exact_and_the_same_everywhere(name: FunctionOfOne) -> None:
    """Also of subnormals, zeros of both signs, halves, and around 2^23, from where on every number is whole."""
    limits = np.array([0.5, 1.5, 2.5, 4194303.5, 8388607.5, 8388608.0, 8388609.0, 16777217.0], np.float32)
    around = np.concatenate([np.nextafter(limits, np.float32(0)), limits, np.nextafter(limits, np.float32(1e9))])
    x = np.concatenate([samples(False, 3.5e38), around, -around, np.array([-0.0], np.float32)])
    exact = ROUNDINGS[name](x) + np.float32(0)
    assert not np.signbit(exact[exact == 0]).any()
    np.testing.assert_array_equal(by_ir(name, x).view(np.int32), exact.view(np.int32))
    np.testing.assert_array_equal(
        functions.call(name, torch.from_numpy(x)).numpy().view(np.int32), exact.view(np.int32)
    )


def dividends() -> tuple[Array, Array]:
    """Numbers and divisors with quotients up to 2^46: of all sizes, whole, halves, and next to those."""
    generator = np.random.default_rng(7)
    count = 40_000
    y = np.abs(generator.integers(0, 2**32, count, dtype=np.uint32).view(np.float32))
    usual = np.array([1.0, 24.0, 0.1, 7.0, 6.2831855, 1 / 3, 1e-45, 1e-40, 1.1754944e-38, 3e38], np.float32)
    y[::2] = generator.choice(usual, len(y[::2]))
    quotient = np.exp2(generator.uniform(-30, 46, count)) * generator.choice([-1.0, 1.0], count)
    quotient[::3] = np.rint(quotient[::3])
    quotient[::7] = np.rint(quotient[::7]) + 0.5
    with np.errstate(all="ignore"):
        x = (y.astype(np.float64) * quotient).astype(np.float32)
        x[::5] = np.nextafter(x[::5], np.float32(0))
        fits = np.isfinite(x) & np.isfinite(y) & (y > 0)
        fits &= np.abs(x.astype(np.float64)) <= 2.0**46 * y.astype(np.float64)
    return np.append(x[fits], np.float32([-0.0, 0.0, -24.0, 24.0, -1e-30])), np.append(y[fits], np.float32([24] * 5))


def test_a_remainder_is_rounded_once_and_the_same_everywhere() -> None:
    x, y = dividends()
    got = by_ir("mod", x, y)
    assert not np.signbit(got).any()
    assert (got < y).all()
    interpreted = functions.modulo(torch.from_numpy(x), torch.from_numpy(y)).numpy()
    np.testing.assert_array_equal(interpreted.view(np.int32), got.view(np.int32))
    for number, divisor, rest in zip(x[::20].tolist(), y[::20].tolist(), got[::20], strict=True):
        exact = Fraction(number) % Fraction(divisor)
        rounded = np.float32(float(exact))  # of a sum of two binary32 numbers, which binary64 rounds innocuously
        assert rest == (rounded if rounded < np.float32(divisor) else 0)


def test_zero_to_a_positive_power_is_zero() -> None:
    zero, exponent = np.array([0.0, -0.0], np.float32), np.array([0.7, 2.5], np.float32)
    np.testing.assert_array_equal(by_ir("pow", zero, exponent), [0.0, 0.0])
    assert functions.power(torch.from_numpy(zero), torch.from_numpy(exponent)).tolist() == [0.0, 0.0]
