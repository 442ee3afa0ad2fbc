/* Elementary functions as the sequences of operations of docs/functions.md, on vectors of `hamlet.h`. */

#ifndef HAMLET_ELEMENTARY_H
#define HAMLET_ELEMENTARY_H

#include "hamlet.h"

#define LN2_HIGH alike_vf32(0x1.62e43p-1f)
#define LN2_LOW alike_vf32(-0x1.05c61p-29f)
/* 1.5 * 2**23: the last bits of x + NEAREST are the integer nearest to x. */
#define NEAREST alike_vf32(0x1.8p+23f)
#define NEAREST_BITS alike_vu32(0x4B400000u)

/* The next coefficient of a polynomial, by Horner's rule. */
#define THEN(coefficient) sum = fma_vf32(sum, at, alike_vf32(coefficient))

HAMLET_INLINE vf32 exp_polynomial(vf32 at) {
    vf32 sum = alike_vf32(0x1.a257e6p-13f);
    THEN(0x1.6d4cbep-10f), THEN(0x1.110ffap-7f), THEN(0x1.5554e8p-5f);
    THEN(0x1.555556p-3f), THEN(0x1p-1f);
    return sum;
}
HAMLET_INLINE vf32 log_polynomial(vf32 at) {
    vf32 sum = alike_vf32(0x1.1b4374p-4f);
    THEN(-0x1.e2e482p-4f), THEN(0x1.e64d7p-4f), THEN(-0x1.fb43dep-4f);
    THEN(0x1.233306p-3f), THEN(-0x1.5562ep-3f), THEN(0x1.99a542p-3f);
    THEN(-0x1.ffffeep-3f), THEN(0x1.555546p-2f);
    return sum;
}
HAMLET_INLINE vf32 sin_polynomial(vf32 at) {
    vf32 sum = alike_vf32(0x1.7ccf1p-19f);
    THEN(-0x1.a05ba8p-13f), THEN(0x1.111176p-7f), THEN(-0x1.555556p-3f);
    return sum;
}
HAMLET_INLINE vf32 cos_polynomial(vf32 at) {
    vf32 sum = alike_vf32(-0x1.371b92p-22f);
    THEN(0x1.a075d6p-16f), THEN(-0x1.6c1762p-10f), THEN(0x1.555556p-5f);
    return sum;
}

/* 2**exponent of a small integer. */
HAMLET_INLINE vf32 power_of_2(vu32 exponent) {
    return from_bits_vu32(shift_left_vu32(add_vu32(exponent, alike_vu32(127)), alike_vu32(23)));
}

/* e**x = 2**n * e**r. */
HAMLET_INLINE vf32 exp_vf32(vf32 x) {
    const vf32 least = alike_vf32(-105.0f), most = alike_vf32(89.5f);
    vf32 shifted, opposite, r, value;
    vu32 exponent, half;
    x = where_vf32(less_vf32(x, least), least, x);
    x = where_vf32(less_vf32(most, x), most, x);
    shifted = fma_vf32(x, alike_vf32(0x1.715476p+0f), NEAREST);
    opposite = negate_vf32(subtract_vf32(shifted, NEAREST));
    exponent = subtract_vu32(to_bits_vf32(shifted), NEAREST_BITS);
    r = fma_vf32(opposite, LN2_LOW, fma_vf32(opposite, LN2_HIGH, x));
    value = add_vf32(fma_vf32(multiply_vf32(exp_polynomial(r), r), r, r), alike_vf32(1.0f));
    /* Halves of the exponent, biased so that a logical shift rounds down. */
    half = subtract_vu32(shift_right_vu32(add_vu32(exponent, alike_vu32(512)), alike_vu32(1)), alike_vu32(256));
    value = multiply_vf32(value, power_of_2(half));
    return multiply_vf32(value, power_of_2(subtract_vu32(exponent, half)));
}

/* n * log(2) + log(1 + v) of normal numbers, whose exponent is `bias` too high. */
HAMLET_INLINE vf32 log_of_normal(vf32 x, vf32 bias) {
    vu32 word = to_bits_vf32(x), biased = add_vu32(word, alike_vu32(0x004AFB0Du));
    vf32 v, n, square, tail, rest, largest, lost;
    biased = bit_and_vu32(shift_right_vu32(biased, alike_vu32(23)), alike_vu32(0x1FF));
    v = from_bits_vu32(
        subtract_vu32(word, shift_left_vu32(subtract_vu32(biased, alike_vu32(127)), alike_vu32(23))));
    v = subtract_vf32(v, alike_vf32(1.0f));
    n = subtract_vf32(to_f32_vi32(to_i32_vu32(biased)), bias);
    square = multiply_vf32(v, v);
    tail = fma_vf32(multiply_vf32(square, v), log_polynomial(v), multiply_vf32(alike_vf32(-0.5f), square));
    rest = fma_vf32(n, LN2_LOW, tail);
    largest = fma_vf32(n, LN2_HIGH, v);
    lost = add_vf32(fma_vf32(n, LN2_HIGH, negate_vf32(largest)), v);
    return add_vf32(largest, add_vf32(rest, lost));
}

/* Of x > 0; and of numbers from 1 on, of which none is subnormal. */
HAMLET_INLINE vf32 log_vf32(vf32 x) {
    vbool subnormal = less_vf32(x, alike_vf32(0x1p-126f));
    vf32 normal = where_vf32(subnormal, multiply_vf32(x, alike_vf32(0x1p+23f)), x);
    return log_of_normal(normal, where_vf32(subnormal, alike_vf32(150.0f), alike_vf32(127.0f)));
}
HAMLET_INLINE vf32 log_from_1_vf32(vf32 x) { return log_of_normal(x, alike_vf32(127.0f)); }

/* A polynomial near 0, else 1 - 2 / (e**(2 * abs(x)) + 1), with the sign of x. Both polynomials have as many coefficients,
and to choose between those takes less than a second polynomial. The large one is twice that of the exponential, at half
its rest: then 2 * abs(x) and e**r are their halves, to the last bit. 2**n is twice what is needed, to meet that, and a
product by it is exact. Where x is small n is 0, so that the rest is x, with its sign.

Each operation waits for the one before: `each` says for which vectors x0, x1, ... it is done before the next one. */
/* 128 more keep the last bit of a sum, and are the bias of an exponent, but for 1. */
#define NEAREST_AND_BIAS alike_vf32(0x1.80010p+23f)
#define HALF_LN2_HIGH alike_vf32(0x1.62e43p-2f)
#define HALF_LN2_LOW alike_vf32(-0x1.05c61p-30f)
#define ONE_OF(i, near, far) where_vf32(large##i, alike_vf32(far), alike_vf32(near))
#define THEN_ONE_OF(i, near, far) sum##i = fma_vf32(sum##i, at##i, ONE_OF(i, near, far));
#define TANH_SIZE(i) vf32 size##i = absolute_vf32(x##i);
#define TANH_LARGE(i) vbool large##i = not_vbool(less_vf32(size##i, alike_vf32(0x1.19999ap-1f)));
#define TANH_LEAST(i) vf32 least##i = where_vf32(large##i, lesser_vf32(alike_vf32(10.0f), size##i), x##i);
#define TANH_SHIFTED(i) vf32 shifted##i = fma_vf32(least##i, alike_vf32(0x1.715476p+1f), NEAREST_AND_BIAS);
#define TANH_WHOLE(i) vf32 whole##i = subtract_vf32(shifted##i, NEAREST_AND_BIAS);
#define TANH_N(i) vf32 n##i = where_vf32(large##i, whole##i, alike_vf32(0.0f));
#define TANH_HIGH(i) vf32 high##i = fma_vf32(n##i, negate_vf32(HALF_LN2_HIGH), least##i);
#define TANH_REST(i) vf32 r##i = fma_vf32(n##i, negate_vf32(HALF_LN2_LOW), high##i);
#define TANH_AT(i) vf32 at##i = where_vf32(large##i, r##i, multiply_vf32(r##i, r##i));
#define TANH_0(i) vf32 sum##i = ONE_OF(i, 0x1.19d0f4p-9f, 0x1.a257e6p-7f);
#define TANH_1(i) THEN_ONE_OF(i, -0x1.0c9a22p-7f, 0x1.6d4cbep-5f)
#define TANH_2(i) THEN_ONE_OF(i, 0x1.63ba5cp-6f, 0x1.110ffap-3f)
#define TANH_3(i) THEN_ONE_OF(i, -0x1.b9f3a2p-5f, 0x1.5554e8p-2f)
#define TANH_4(i) THEN_ONE_OF(i, 0x1.111082p-3f, 0x1.555556p-1f)
#define TANH_5(i) THEN_ONE_OF(i, -0x1.555554p-2f, 0x1p+0f)
#define TANH_NEAR(i) vf32 near##i = fma_vf32(multiply_vf32(sum##i, at##i), r##i, r##i);
#define TANH_HALF(i) vf32 half##i = add_vf32(near##i, alike_vf32(0.5f));
#define TANH_TWICE(i) vf32 twice##i = from_bits_vu32(shift_left_vu32(to_bits_vf32(shifted##i), alike_vu32(23)));
#define TANH_UNDER(i) vf32 under##i = fma_vf32(half##i, twice##i, alike_vf32(1.0f));
#define TANH_FAR(i) vf32 far##i = subtract_vf32(alike_vf32(1.0f), divide_vf32(alike_vf32(2.0f), under##i));
#define TANH_SIGN(i) vu32 sign##i = bit_and_vu32(to_bits_vf32(x##i), alike_vu32(0x80000000u));
#define TANH_ANY(i) vf32 any##i = from_bits_vu32(bit_or_vu32(to_bits_vf32(far##i), sign##i));
#define TANH_DONE(i) x##i = where_vf32(large##i, any##i, near##i);
#define TANH_OF(each)                                                                                          \
    each(TANH_SIZE) each(TANH_LARGE) each(TANH_LEAST) each(TANH_SHIFTED) each(TANH_WHOLE) each(TANH_N)         \
    each(TANH_HIGH) each(TANH_REST) each(TANH_AT) each(TANH_0) each(TANH_1) each(TANH_2) each(TANH_3)          \
    each(TANH_4) each(TANH_5) each(TANH_NEAR) each(TANH_HALF) each(TANH_TWICE) each(TANH_UNDER)                \
    each(TANH_FAR) each(TANH_SIGN) each(TANH_ANY) each(TANH_DONE)
#define OF_ONE(f) f(0)
HAMLET_INLINE vf32 tanh_vf32(vf32 x0) {
    TANH_OF(OF_ONE)
    return x0;
}

/* The polynomial of sine or cosine at the rest of x by pi / 2, which is a sum of two numbers. */
HAMLET_INLINE vf32 cos_vf32(vf32 x) {
    const vf32 most = alike_vf32(0x1p+20f), least = alike_vf32(-0x1p+20f), one = alike_vf32(1.0f);
    const vf32 middle = alike_vf32(-0x1.777a5cp-25f);
    vf32 shifted, n, opposite, start, product, product_lost, high, taken, lost, low, r, r_low, square;
    vf32 sine, cosine, small, half, largest, value;
    vu32 quadrant;
    x = where_vf32(less_vf32(x, least), least, x);
    x = where_vf32(less_vf32(most, x), most, x);
    shifted = fma_vf32(x, alike_vf32(0x1.45f306p-1f), NEAREST);
    n = subtract_vf32(shifted, NEAREST);
    opposite = negate_vf32(n);
    start = fma_vf32(opposite, alike_vf32(0x1.921fb6p+0f), x);
    product = multiply_vf32(n, middle);
    product_lost = fma_vf32(n, middle, negate_vf32(product));
    high = subtract_vf32(start, product);
    taken = subtract_vf32(high, start);
    lost = subtract_vf32(subtract_vf32(start, subtract_vf32(high, taken)), add_vf32(product, taken));
    low = fma_vf32(opposite, alike_vf32(-0x1.ee59dap-50f), subtract_vf32(lost, product_lost));
    r = add_vf32(high, low);
    r_low = add_vf32(subtract_vf32(high, r), low);
    square = multiply_vf32(r, r);
    sine = fma_vf32(multiply_vf32(sin_polynomial(square), square), r, r_low);
    sine = add_vf32(r, sine);
    small = multiply_vf32(negate_vf32(r), r_low);
    small = fma_vf32(multiply_vf32(square, square), cos_polynomial(square), small);
    half = multiply_vf32(square, alike_vf32(0.5f));
    largest = subtract_vf32(one, half);
    cosine = add_vf32(largest, add_vf32(subtract_vf32(subtract_vf32(one, largest), half), small));
    quadrant = add_vu32(subtract_vu32(to_bits_vf32(shifted), NEAREST_BITS), alike_vu32(1));
    value = where_vf32(equal_vu32(bit_and_vu32(quadrant, alike_vu32(1)), alike_vu32(1)), cosine, sine);
    return where_vf32(
        equal_vu32(bit_and_vu32(quadrant, alike_vu32(2)), alike_vu32(2)), negate_vf32(value), value);
}

/* (word >> 8) + `above` in units of 2**-24. */
HAMLET_INLINE vf32 share_vu32(vu32 word, u32 above) {
    vu32 upper = add_vu32(shift_right_vu32(word, alike_vu32(8)), alike_vu32(above));
    return multiply_vf32(to_f32_vi32(to_i32_vu32(upper)), alike_vf32(0x1p-24f));
}

/* --- random words: Philox4x32-10 ------------------------------------------------------------------------------------*/

/* The four words of counters. */
typedef struct {
    vu32 word[4];
} drawn_words;

HAMLET_INLINE drawn_words philox(vu32 c0, vu32 c1, vu32 c2, vu32 c3, u32 low, u32 high) {
    const vu32 first = alike_vu32(0xD2511F53u), second = alike_vu32(0xCD9E8D57u);
    drawn_words drawn;
    for (int turn = 0; turn < 10; turn++) {
        vu32 high0 = mulhigh_vu32(c0, first), low0 = multiply_vu32(c0, first);
        vu32 high1 = mulhigh_vu32(c2, second), low1 = multiply_vu32(c2, second);
        c0 = bit_xor_vu32(bit_xor_vu32(high1, c1), alike_vu32(low));
        c1 = low1;
        c2 = bit_xor_vu32(bit_xor_vu32(high0, c3), alike_vu32(high));
        c3 = low0;
        low += 0x9E3779B9u;
        high += 0xBB67AE85u;
    }
    drawn.word[0] = c0, drawn.word[1] = c1, drawn.word[2] = c2, drawn.word[3] = c3;
    return drawn;
}

#endif
