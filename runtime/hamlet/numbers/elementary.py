"""The numbers in the sequences of operations that compute the elementary functions (docs/functions.md).

Only numbers here: the interpreter (torch) and the lowering (IR) each compute the functions in their own way. All are
exact in binary32. Polynomials are given from the highest coefficient to the lowest, for Horner's rule with fma. Pairs
HIGH, LOW add up to a number with twice the bits.
"""

from __future__ import annotations

ROUND = 12582912.0
"""1.5 * 2**23: x + ROUND has the integer nearest to x in its last bits, where abs(x) <= 2**22."""
ROUND_BITS = 0x4B400000
"""The bits of ROUND."""

LOG2_E_HIGH, LOG2_E_LOW = 1.4426950216293335, 1.925963033500011e-08
LN2_HIGH, LN2_LOW = 0.6931471824645996, -1.9046542121259336e-09
HALF_PI = (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15)
"""Three numbers that add up to pi / 2."""
TWO_OVER_PI = 0.6366197466850281
TWICE_PI = 6.2831854820251465
THIRD_HIGH, THIRD_LOW = 0.3333333432674408, -9.934107758624577e-09
TWICE_LOG2_E_HIGH, TWICE_LOG2_E_LOW = 2.885390043258667, 3.851926067000022e-08

EXP2_LEAST, EXP2_MOST = -151.0, 129.0
EXP_LEAST, EXP_MOST = -105.0, 89.5
POW_MOST = 200.0
TURNS_MOST = 1048576.0
TANH_MOST = 10.0
"""Arguments are clamped to these. Beyond, the results of exp2, exp, tanh and of the exponent of pow do not change; sin
and cos are not defined there."""
TANH_SMALL = 0.550000011920929
"""Below, tanh is a polynomial."""

SMALLEST_NORMAL = 1.1754943508222875e-38
SUBNORMAL_SCALE = 8388608.0
"""2**23 makes every subnormal number normal."""
SQRT2_BIAS = 0x004AFB0D
"""Added to the bits of x > 0 it carries into the exponent where the significand is at least sqrt(2)."""

ATAN = (
    -0.0017828206764534116,
    0.010868685320019722,
    -0.031096985563635826,
    0.05788138881325722,
    -0.08399306237697601,
    0.10950880497694016,
    -0.14264015853405,
    0.1999852955341339,
    -0.33333298563957214,
)
"""(atan q - q) / q^3 of q^2, for 0 <= q <= 1."""
EXP2 = (
    0.0001546288258396089,
    0.0013390984386205673,
    0.009618062525987625,
    0.05550359562039375,
    0.24022650718688965,
    0.6931471824645996,
)
"""(2^r - 1) / r for abs(r) <= 1/2."""
EXP = (
    0.0001994816557271406,
    0.001393508049659431,
    0.008333203382790089,
    0.041666463017463684,
    0.1666666716337204,
    0.5,
)
"""(e^r - 1 - r) / r^2 for abs(r) <= log(2) / 2."""
LOG = (
    0.06915612518787384,
    -0.11789370328187943,
    0.11872619390487671,
    -0.12384402006864548,
    0.14218716323375702,
    -0.16669249534606934,
    0.20002223551273346,
    -0.24999986588954926,
    0.3333331048488617,
)
"""(log(1 + v) - v + v^2 / 2) / v^3 for sqrt(1/2) - 1 <= v <= sqrt(2) - 1."""
SIN = (
    2.837246938725002e-06,
    -0.0001985349808819592,
    0.008333380334079266,
    -0.1666666716337204,
)
"""(sin r - r) / r^3 of r^2, for abs(r) <= pi / 4."""
COS = (
    -2.897416209179937e-07,
    2.4822968043736182e-05,
    -0.001388898235745728,
    0.0416666679084301,
)
"""(cos r - 1 + r^2 / 2) / r^4 of r^2, for abs(r) <= pi / 4."""
TANH = (
    0.0021500871516764164,
    -0.008197085000574589,
    0.021711912006139755,
    -0.053949180990457535,
    0.1333322674036026,
    -0.3333333134651184,
)
"""(tanh r - r) / r^3 of r^2, for abs(r) <= 0.55."""
ATANH = (
    0.11709944158792496,
    0.14273542165756226,
    0.20000076293945312,
)
"""(atanh(s) / s - 1 - s^2 / 3) / s^4 of s^2, for abs(s) <= (sqrt(2) - 1) / (sqrt(2) + 1)."""
