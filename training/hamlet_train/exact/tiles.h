/* Products of matrices in one stated order of operations.

Each number of a product is one chain: it begins with a start value, and takes `fma(a, b, chain)` for one term after the
other, in ascending order. Which chains run side by side in registers, and how many, changes no result. */

#ifndef HAMLET_TRAIN_TILES_H
#define HAMLET_TRAIN_TILES_H

#include "elementary.h"

/* f32 in a line. Rows of matrices have whole lines. */
#define LINE 16

#if HAMLET_AVX512 && defined(__FMA__)
typedef __m512 reg;
#define REG 16
#define FETCH(p) _mm512_loadu_ps(p)
#define STORE(p, x) _mm512_storeu_ps(p, x)
#define SAME(x) _mm512_set1_ps(x)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#elif HAMLET_AVX2 && defined(__FMA__)
typedef __m256 reg;
#define REG 8
#define FETCH(p) _mm256_loadu_ps(p)
#define STORE(p, x) _mm256_storeu_ps(p, x)
#define SAME(x) _mm256_set1_ps(x)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#else
typedef struct {
    vf32 parts[LINE / WIDE];
} reg;
#define REG LINE
HAMLET_INLINE reg FETCH(const f32 *p) {
    reg x;
    for (int part = 0; part < LINE / WIDE; part++) x.parts[part] = fetch_vf32(p, part * WIDE);
    return x;
}
HAMLET_INLINE void STORE(f32 *p, reg x) {
    for (int part = 0; part < LINE / WIDE; part++) store_vf32(p, part * WIDE, x.parts[part]);
}
HAMLET_INLINE reg SAME(f32 number) {
    reg x;
    for (int part = 0; part < LINE / WIDE; part++) x.parts[part] = alike_vf32(number);
    return x;
}
HAMLET_INLINE reg FMA(reg a, reg b, reg c) {
    for (int part = 0; part < LINE / WIDE; part++)
        c.parts[part] = fma_vf32(a.parts[part], b.parts[part], c.parts[part]);
    return c;
}
#endif

/* GCC would load terms again for each row, and loads are what a tile has too many of. */
#if REG < LINE || HAMLET_AVX512
#define HOLD(x) __asm__("" : "+x"(x))
#else
#define HOLD(x) ((void)0)
#endif

/* Two registers with names, side by side: compilers keep those in registers, and arrays in memory. */
typedef struct {
    reg a, b;
} two_regs;
HAMLET_INLINE two_regs fetch_two_regs(const f32 *p) { return (two_regs){FETCH(p), FETCH(p + REG)}; }
HAMLET_INLINE void store_two_regs(f32 *p, two_regs x) { STORE(p, x.a), STORE(p + REG, x.b); }
HAMLET_INLINE two_regs held_two_regs(const f32 *p) {
    two_regs x = fetch_two_regs(p);
    HOLD(x.a);
    HOLD(x.b);
    return x;
}
HAMLET_INLINE two_regs fma_two_regs(f32 factor, two_regs x, two_regs y) {
    reg left = SAME(factor);
    return (two_regs){FMA(left, x.a, y.a), FMA(left, x.b, y.b)};
}
typedef reg one_reg;
HAMLET_INLINE one_reg fetch_one_reg(const f32 *p) { return FETCH(p); }
HAMLET_INLINE void store_one_reg(f32 *p, one_reg x) { STORE(p, x); }
HAMLET_INLINE one_reg held_one_reg(const f32 *p) {
    one_reg x = FETCH(p);
    HOLD(x);
    return x;
}
HAMLET_INLINE one_reg fma_one_reg(f32 factor, one_reg x, one_reg y) { return FMA(SAME(factor), x, y); }

/* Where numbers lie: [r, c] of `product` at r * row + c, of `start` at r * start_row + c, [r, i] of `left` at
r * left_row + i * left_step, [i, c] of `right` at i * right_step + c. */
typedef struct {
    f32 *product;
    ix row;
    const f32 *start;
    ix start_row;
    const f32 *left;
    ix left_row, left_step;
    const f32 *right;
    ix right_step;
} factors;

#define COLUMNS(T)                                                                                           \
    /* The columns of a T, for so many rows and terms. */                                                    \
    HAMLET_HELPER void columns_##T(factors at, ix steps, ix rows) {                                          \
        for (; rows >= 4; rows -= 4) {                                                                       \
            T first = fetch_##T(at.start), second = fetch_##T(at.start + at.start_row);                      \
            T third = fetch_##T(at.start + 2 * at.start_row), fourth = fetch_##T(at.start + 3 * at.start_row); \
            const f32 *left = at.left, *right = at.right;                                                    \
            for (ix step = 0; step < steps; step++) {                                                        \
                T terms = held_##T(right);                                                                   \
                first = fma_##T(left[0], terms, first);                                                      \
                second = fma_##T(left[at.left_row], terms, second);                                          \
                third = fma_##T(left[2 * at.left_row], terms, third);                                        \
                fourth = fma_##T(left[3 * at.left_row], terms, fourth);                                      \
                left += at.left_step, right += at.right_step;                                                \
            }                                                                                                \
            store_##T(at.product, first), store_##T(at.product + at.row, second);                            \
            store_##T(at.product + 2 * at.row, third), store_##T(at.product + 3 * at.row, fourth);           \
            at.product += 4 * at.row, at.start += 4 * at.start_row, at.left += 4 * at.left_row;              \
        }                                                                                                    \
        for (; rows > 0; rows--) {                                                                           \
            T chain = fetch_##T(at.start);                                                                   \
            const f32 *left = at.left, *right = at.right;                                                    \
            for (ix step = 0; step < steps; step++) {                                                        \
                chain = fma_##T(left[0], fetch_##T(right), chain);                                           \
                left += at.left_step, right += at.right_step;                                                \
            }                                                                                                \
            store_##T(at.product, chain);                                                                    \
            at.product += at.row, at.start += at.start_row, at.left += at.left_row;                          \
        }                                                                                                    \
    }
COLUMNS(two_regs)
COLUMNS(one_reg)

/* product[r, c] = start[r, c], then fma(left[r, i], right[i, c], ...) for i = 0 .. steps - 1. `columns` is a multiple of
LINE. */
HAMLET_INLINE void multiply(factors at, ix steps, ix rows, ix columns) {
    while (columns > 0) {
        ix done = columns >= 2 * REG ? 2 * REG : REG;
        if (done == 2 * REG)
            columns_two_regs(at, steps, rows);
        else
            columns_one_reg(at, steps, rows);
        at.product += done, at.start += done, at.right += done;
        columns -= done;
    }
}

#endif
