/* What kernels in C are made of.

A kernel works on chunks of LANES lanes and computes vectors of WIDE lanes, as many as a register holds; where a
compiler has no vectors, or with HAMLET_SCALAR, WIDE is 1 and a vector is a number. The bits are the same everywhere.

Names. A function is called as the operation is, then by each type in which it comes: `add_i32`, `load_lanes_f32`, of
chunk and array where they differ: `store_lanes_i8_i32`.

    f32 i32 u32 bool       a number or truth value
    vf32 vi32 vu32 vbool   those of WIDE lanes; `vbool` has all bits of a lane set, or none
    f32 i32 u32 i8 u8 u16 i64 bool8
                           what memory has: `bool8` is 0 or 1. A byte becomes i32 or u32 where it is read (`load_i8`),
                           and so do those of WIDE lanes (`fetch_vi8` gives vi32); `u16` becomes u32
    ix                     an index or a count
    array_f32 ...          an array that a kernel is given, [rows, columns], or [rows] with one column

    load_T(p, i), store_T(p, i, x)     the number at an index
    fetch_vT(p, i), store_vT(p, i, x)  those of WIDE lanes from an index on
    alike_vT(x)                        a number for every lane

    to_f32_i32 to_i32_u32 to_bits_f32 from_bits_u32 and to_f32_vi32 ...
                           conversions have two types in their names, the last one what they take

Chunks and parts of arrays are pointers; indices count from 0 and are not checked. Operands of an operation have one
type: who has a number beside a vector writes `alike_vT`. Integers wrap. A name that begins with `hamlet_` or `HAMLET_`
is for this file alone, but for `hamlet_selftest`. */

#ifndef HAMLET_H
#define HAMLET_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

/* With HAMLET_FREESTANDING nothing of C's library is called, and rooms are in memory that the caller has. */
#ifdef HAMLET_FREESTANDING
#include <stddef.h>
#define _MM_MALLOC_H_INCLUDED
#define __MM_MALLOC_H
#ifdef __GNUC__
#define memcpy __builtin_memcpy
#define memset __builtin_memset
#else
#include <string.h>
#endif
#else
#include <stdlib.h>
#include <string.h>
#endif

/* --- exactness ------------------------------------------------------------------------------------------------------
Every operation on f32 is rounded once, to nearest even, to f32. What no text can forbid `hamlet_selftest` finds. */

#if defined(__cplusplus) && !defined(__GNUC__)
#error "hamlet.h is C99, or C++ for GCC and Clang: build it as C"
#endif
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ + 0 != 0)
#error "hamlet.h is exact: build it without -ffast-math, -Ofast and what they stand for"
#endif
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "hamlet.h is exact: f32 must be computed as f32 (on 32-bit x86 with -msse2 -mfpmath=sse)"
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
/* Vectors of two registers are parameters of functions that are always inlined: no call passes them. */
#pragma clang diagnostic ignored "-Wpsabi"
/* What is printed of a tree has parentheses around each comparison. */
#pragma clang diagnostic ignored "-Wparentheses-equality"
#elif defined(__GNUC__)
/* GCC knows no standard pragma. Chains of operations, as those of random words, take turns: left one behind the other,
each waits for itself, since a CPU looks ahead too little. Loops over short vectors ask nothing that is the same in all
turns. Options of its own for each function take GCC an eighth longer: with HAMLET_DRAFT, and -ffp-contract=off, it has
none. */
#ifndef HAMLET_DRAFT
#pragma GCC optimize("fp-contract=off", "schedule-insns", "sched-pressure", "unswitch-loops")
#endif
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if defined(__GNUC__) && !defined(HAMLET_SCALAR)
#define HAMLET_VECTORS 1
#else
#define HAMLET_VECTORS 0
#endif

#if HAMLET_VECTORS && defined(__SSE2__)
#ifdef HAMLET_NARROW
/* The parts of <immintrin.h> that are used: to read all of it takes a quarter of a second. */
#define _IMMINTRIN_H_INCLUDED
#define __IMMINTRIN_H
#include <xmmintrin.h>
#include <emmintrin.h>
#include <pmmintrin.h>
#include <tmmintrin.h>
#include <smmintrin.h>
#ifdef __AVX2__
#include <avxintrin.h>
#include <avx2intrin.h>
#include <fmaintrin.h>
#endif
#ifdef __AVX512F__
#include <avx512fintrin.h>
#include <avx512vlintrin.h>
#include <avx512bwintrin.h>
#endif
#ifdef __AVX512VBMI2__
#include <avx512vbmi2intrin.h>
#endif
#else
#include <immintrin.h>
#endif
#define HAMLET_SSE2 1
#else
#define HAMLET_SSE2 0
#endif
#if HAMLET_SSE2 && defined(__AVX2__)
#define HAMLET_AVX2 1
#else
#define HAMLET_AVX2 0
#endif
#if HAMLET_SSE2 && defined(__AVX512F__) && defined(__AVX512BW__)
#define HAMLET_AVX512 1
#else
#define HAMLET_AVX512 0
#endif

#ifdef __GNUC__
#define HAMLET_INLINE static inline __attribute__((always_inline, unused))
#define HAMLET_HELPER static __attribute__((noinline, unused))
#define HAMLET_ALIGNED __attribute__((aligned(64)))
#define HAMLET_LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define HAMLET_INLINE static inline
#define HAMLET_HELPER static inline
#define HAMLET_ALIGNED
#define HAMLET_LIKELY(x) (x)
#endif

/* --- types ---------------------------------------------------------------------------------------------------------*/

typedef float f32;
typedef int8_t i8;
typedef uint8_t u8;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
typedef uint8_t bool8;
typedef int64_t ix;

#define HAMLET_ARRAY(T)  \
    typedef struct {     \
        T *data;         \
        ix rows, columns; \
    } array_##T;
HAMLET_ARRAY(f32)
HAMLET_ARRAY(i8)
HAMLET_ARRAY(u8)
HAMLET_ARRAY(u16)
HAMLET_ARRAY(i32)
HAMLET_ARRAY(u32)
HAMLET_ARRAY(i64)
HAMLET_ARRAY(bool8)

/* One register of GCC's, two of Clang's: they keep those busy, and have room for what chains of operations hold. With
HAMLET_ONE_REGISTER it is one in any case. */
#if !HAMLET_VECTORS
#define HAMLET_REGISTER 1
#elif HAMLET_AVX512
#define HAMLET_REGISTER 16
#elif HAMLET_AVX2
#define HAMLET_REGISTER 8
#else
#define HAMLET_REGISTER 4
#endif
#if HAMLET_VECTORS && defined(__clang__) && !defined(HAMLET_ONE_REGISTER)
#define WIDE (2 * HAMLET_REGISTER)
#else
#define WIDE HAMLET_REGISTER
#endif

#if HAMLET_VECTORS
typedef f32 vf32 __attribute__((vector_size(4 * WIDE)));
typedef i32 vi32 __attribute__((vector_size(4 * WIDE)));
typedef u32 vu32 __attribute__((vector_size(4 * WIDE)));
typedef i32 vbool __attribute__((vector_size(4 * WIDE)));
typedef i8 hamlet_vi8 __attribute__((vector_size(WIDE)));
typedef u8 hamlet_vu8 __attribute__((vector_size(WIDE)));
typedef u16 hamlet_vu16 __attribute__((vector_size(2 * WIDE)));
#else
typedef f32 vf32;
typedef i32 vi32;
typedef u32 vu32;
typedef bool vbool;
#endif

/* Lanes in a chunk. Their state fits into the level-1 cache. */
#define LANES 256
/* From a row of numbers of a chunk to the next. A kernel with many rows reads one vector of each: rows that begin a
multiple of a kilobyte apart would have the same few places of the caches, so such a kernel says `#define SCATTERED`. */
#ifdef SCATTERED
#define ROW (LANES + (WIDE > 16 ? WIDE : 16))
#else
#define ROW LANES
#endif
/* Random words that a chunk draws at once, for four ticks. */
#define AHEAD (4 * ROW)
/* The ticks of a rollout in which a cell cache pays for itself, also where it is not stored. */
#define CACHE_TICKS 4
/* Lanes that are looked at together: a bit each. */
#define WORD 64
/* Room for the numbers of chosen lanes. */
#define CHOSEN (LANES + WORD)
/* The most agents of a world. */
#define MOST_AGENTS 1024
#define INFINITY_f32 from_bits_u32(0x7F800000u)

HAMLET_INLINE ix min_ix(ix a, ix b) { return a < b ? a : b; }
HAMLET_INLINE ix max_ix(ix a, ix b) { return a > b ? a : b; }

/* --- operations on numbers -----------------------------------------------------------------------------------------*/

HAMLET_INLINE u32 to_bits_f32(f32 x) {
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
HAMLET_INLINE f32 from_bits_u32(u32 bits) {
    f32 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
/* The same bits: an i32 of a u32 that it cannot be is what the compiler says, so they are copied. */
HAMLET_INLINE i32 to_i32_u32(u32 x) {
    i32 y;
    memcpy(&y, &x, sizeof y);
    return y;
}
HAMLET_INLINE u32 to_u32_i32(i32 x) { return (u32)x; }
HAMLET_INLINE f32 to_f32_i32(i32 x) { return (f32)x; }

HAMLET_INLINE f32 add_f32(f32 a, f32 b) { return a + b; }
HAMLET_INLINE f32 subtract_f32(f32 a, f32 b) { return a - b; }
HAMLET_INLINE f32 multiply_f32(f32 a, f32 b) { return a * b; }
HAMLET_INLINE f32 divide_f32(f32 a, f32 b) { return a / b; }
HAMLET_INLINE i32 add_i32(i32 a, i32 b) { return to_i32_u32((u32)a + (u32)b); }
HAMLET_INLINE i32 subtract_i32(i32 a, i32 b) { return to_i32_u32((u32)a - (u32)b); }
HAMLET_INLINE i32 multiply_i32(i32 a, i32 b) { return to_i32_u32((u32)a * (u32)b); }
HAMLET_INLINE u32 add_u32(u32 a, u32 b) { return a + b; }
HAMLET_INLINE u32 subtract_u32(u32 a, u32 b) { return a - b; }
HAMLET_INLINE u32 multiply_u32(u32 a, u32 b) { return a * b; }
HAMLET_INLINE u32 mulhigh_u32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
HAMLET_INLINE u32 divide_u32(u32 a, u32 b) { return a / b; }
HAMLET_INLINE u32 remainder_u32(u32 a, u32 b) { return a % b; }

HAMLET_INLINE f32 negate_f32(f32 x) { return from_bits_u32(to_bits_f32(x) ^ 0x80000000u); }
HAMLET_INLINE i32 negate_i32(i32 x) { return subtract_i32(0, x); }
HAMLET_INLINE f32 absolute_f32(f32 x) { return from_bits_u32(to_bits_f32(x) & 0x7FFFFFFFu); }
HAMLET_INLINE i32 absolute_i32(i32 x) { return x < 0 ? subtract_i32(0, x) : x; }

HAMLET_INLINE bool less_f32(f32 a, f32 b) { return a < b; }
HAMLET_INLINE bool less_i32(i32 a, i32 b) { return a < b; }
HAMLET_INLINE bool less_u32(u32 a, u32 b) { return a < b; }
HAMLET_INLINE bool less_equal_f32(f32 a, f32 b) { return a <= b; }
HAMLET_INLINE bool less_equal_i32(i32 a, i32 b) { return a <= b; }
HAMLET_INLINE bool less_equal_u32(u32 a, u32 b) { return a <= b; }
HAMLET_INLINE bool equal_f32(f32 a, f32 b) { return a == b; }
HAMLET_INLINE bool equal_i32(i32 a, i32 b) { return a == b; }
HAMLET_INLINE bool equal_u32(u32 a, u32 b) { return a == b; }
HAMLET_INLINE bool equal_bool(bool a, bool b) { return a == b; }

HAMLET_INLINE u32 bit_and_u32(u32 a, u32 b) { return a & b; }
HAMLET_INLINE u32 bit_or_u32(u32 a, u32 b) { return a | b; }
HAMLET_INLINE u32 bit_xor_u32(u32 a, u32 b) { return a ^ b; }
HAMLET_INLINE bool bit_and_bool(bool a, bool b) { return a & b; }
HAMLET_INLINE bool bit_or_bool(bool a, bool b) { return a | b; }
HAMLET_INLINE bool not_bool(bool a) { return !a; }
/* By less than 32; zeros are shifted in. */
HAMLET_INLINE u32 shift_left_u32(u32 a, u32 by) { return a << by; }
HAMLET_INLINE u32 shift_right_u32(u32 a, u32 by) { return a >> by; }

HAMLET_INLINE f32 where_f32(bool condition, f32 then, f32 otherwise) { return condition ? then : otherwise; }
HAMLET_INLINE i32 where_i32(bool condition, i32 then, i32 otherwise) { return condition ? then : otherwise; }
HAMLET_INLINE u32 where_u32(bool condition, u32 then, u32 otherwise) { return condition ? then : otherwise; }
HAMLET_INLINE bool where_bool(bool condition, bool then, bool otherwise) { return condition ? then : otherwise; }

/* The correctly rounded square root of a number that is not negative. Compilers call the library for that of others,
which sets `errno`: instructions do not. */
#if HAMLET_SSE2
HAMLET_INLINE f32 square_root_f32(f32 x) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x))); }
#elif defined(__GNUC__) && defined(__SSE2__)
#define HAMLET_SQUARE_ROOT "sqrtss %1, %0"
#define HAMLET_OF_FLOATS "x"
#elif defined(__GNUC__) && defined(__aarch64__)
#define HAMLET_SQUARE_ROOT "fsqrt %s0, %s1"
#define HAMLET_OF_FLOATS "w"
#elif defined(__GNUC__) && defined(__riscv_flen)
#define HAMLET_SQUARE_ROOT "fsqrt.s %0, %1"
#define HAMLET_OF_FLOATS "f"
#endif
#ifdef HAMLET_SQUARE_ROOT
HAMLET_INLINE f32 square_root_f32(f32 x) {
    f32 root;
    __asm__(HAMLET_SQUARE_ROOT : "=" HAMLET_OF_FLOATS(root) : HAMLET_OF_FLOATS(x));
    return root;
}
#elif !HAMLET_SSE2
HAMLET_HELPER f32 square_root_f32(f32 x) {
    u32 bits = to_bits_f32(x), root = 0;
    int exponent = (int)(bits >> 23), bit;
    u64 mantissa = bits & 0x7FFFFFu, square;
    if ((bits & 0x7FFFFFFFu) == 0 || exponent == 255) return x;
    if (exponent == 0)
        for (exponent = 1; mantissa < 0x800000u; exponent--) mantissa <<= 1;
    else
        mantissa |= 0x800000u;
    /* The root of a number of 50 bits has 25: one more than f32 has. It is never half between two numbers. */
    exponent -= 127;
    square = mantissa << (25 + (exponent & 1));
    for (bit = 24; bit >= 0; bit--) {
        u32 more = root | 1u << bit;
        if ((u64)more * more <= square) root = more;
    }
    root = (root >> 1) + (root & 1);
    exponent = (exponent - (exponent & 1)) / 2;
    return from_bits_u32(((u32)(exponent + 126) << 23) + root);
}
#endif

/* left * right + addend, rounded once. */
#if defined(__GNUC__) && (defined(__FMA__) || defined(__FP_FAST_FMAF))
HAMLET_INLINE f32 fma_f32(f32 left, f32 right, f32 addend) { return __builtin_fmaf(left, right, addend); }
#else
/* The product is exact in f64. Its sum is rounded to odd there: that keeps what rounding to f32 asks for. */
HAMLET_INLINE f32 fma_f32(f32 left, f32 right, f32 addend) {
    double product = (double)left * (double)right, other = (double)addend;
    double sum = product + other, part = sum - product;
    double lost = (product - (sum - part)) + (other - part);
    u64 bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost != 0 && !(bits & 1) && (bits & 0x7FF0000000000000u) != 0x7FF0000000000000u) {
        bits += (lost > 0) == (sum > 0) ? 1 : (u64)-1;
        memcpy(&sum, &bits, sizeof sum);
    }
    return (f32)sum;
}
#endif

/* --- operations on vectors -----------------------------------------------------------------------------------------*/

#if HAMLET_VECTORS
#define HAMLET_FOUR(f, i) f((i)), f((i) + 1), f((i) + 2), f((i) + 3)
#define HAMLET_EIGHT(f, i) HAMLET_FOUR(f, i), HAMLET_FOUR(f, (i) + 4)
#define HAMLET_SIXTEEN(f, i) HAMLET_EIGHT(f, i), HAMLET_EIGHT(f, (i) + 8)
#if WIDE == 4
#define HAMLET_LIST(f) HAMLET_FOUR(f, 0)
#elif WIDE == 8
#define HAMLET_LIST(f) HAMLET_EIGHT(f, 0)
#elif WIDE == 16
#define HAMLET_LIST(f) HAMLET_SIXTEEN(f, 0)
#else
#define HAMLET_LIST(f) HAMLET_SIXTEEN(f, 0), HAMLET_SIXTEEN(f, 16)
#endif
#define HAMLET_SAME(i) x
#define HAMLET_NUMBER(i) (i)

HAMLET_INLINE vf32 alike_vf32(f32 x) { return (vf32){HAMLET_LIST(HAMLET_SAME)}; }
HAMLET_INLINE vi32 alike_vi32(i32 x) { return (vi32){HAMLET_LIST(HAMLET_SAME)}; }
HAMLET_INLINE vu32 alike_vu32(u32 x) { return (vu32){HAMLET_LIST(HAMLET_SAME)}; }
HAMLET_INLINE vbool alike_vbool(bool x) { return alike_vi32(-(i32)x); }

/* start, start + 1, ... */
HAMLET_INLINE vu32 ramp_vu32(u32 start) { return (vu32){HAMLET_LIST(HAMLET_NUMBER)} + alike_vu32(start); }

HAMLET_INLINE vf32 add_vf32(vf32 a, vf32 b) { return a + b; }
HAMLET_INLINE vf32 subtract_vf32(vf32 a, vf32 b) { return a - b; }
HAMLET_INLINE vf32 multiply_vf32(vf32 a, vf32 b) { return a * b; }
HAMLET_INLINE vf32 divide_vf32(vf32 a, vf32 b) { return a / b; }
HAMLET_INLINE vi32 add_vi32(vi32 a, vi32 b) { return (vi32)((vu32)a + (vu32)b); }
HAMLET_INLINE vi32 subtract_vi32(vi32 a, vi32 b) { return (vi32)((vu32)a - (vu32)b); }
HAMLET_INLINE vi32 multiply_vi32(vi32 a, vi32 b) { return (vi32)((vu32)a * (vu32)b); }
HAMLET_INLINE vu32 add_vu32(vu32 a, vu32 b) { return a + b; }
HAMLET_INLINE vu32 subtract_vu32(vu32 a, vu32 b) { return a - b; }
HAMLET_INLINE vu32 multiply_vu32(vu32 a, vu32 b) { return a * b; }
HAMLET_INLINE vu32 divide_vu32(vu32 a, vu32 b) { return a / b; }
HAMLET_INLINE vu32 remainder_vu32(vu32 a, vu32 b) { return a % b; }

HAMLET_INLINE vf32 negate_vf32(vf32 x) { return (vf32)((vu32)x ^ 0x80000000u); }
HAMLET_INLINE vi32 negate_vi32(vi32 x) { return (vi32)-(vu32)x; }
HAMLET_INLINE vf32 absolute_vf32(vf32 x) { return (vf32)((vu32)x & 0x7FFFFFFFu); }

HAMLET_INLINE vbool less_vf32(vf32 a, vf32 b) { return a < b; }
HAMLET_INLINE vbool less_vi32(vi32 a, vi32 b) { return a < b; }
HAMLET_INLINE vbool less_vu32(vu32 a, vu32 b) { return a < b; }
HAMLET_INLINE vbool less_equal_vf32(vf32 a, vf32 b) { return a <= b; }
HAMLET_INLINE vbool less_equal_vi32(vi32 a, vi32 b) { return a <= b; }
HAMLET_INLINE vbool less_equal_vu32(vu32 a, vu32 b) { return a <= b; }
HAMLET_INLINE vbool equal_vf32(vf32 a, vf32 b) { return a == b; }
HAMLET_INLINE vbool equal_vi32(vi32 a, vi32 b) { return a == b; }
HAMLET_INLINE vbool equal_vu32(vu32 a, vu32 b) { return a == b; }
HAMLET_INLINE vbool equal_vbool(vbool a, vbool b) { return a == b; }

HAMLET_INLINE vu32 bit_and_vu32(vu32 a, vu32 b) { return a & b; }
HAMLET_INLINE vu32 bit_or_vu32(vu32 a, vu32 b) { return a | b; }
HAMLET_INLINE vu32 bit_xor_vu32(vu32 a, vu32 b) { return a ^ b; }
HAMLET_INLINE vbool bit_and_vbool(vbool a, vbool b) { return a & b; }
HAMLET_INLINE vbool bit_or_vbool(vbool a, vbool b) { return a | b; }
HAMLET_INLINE vbool not_vbool(vbool a) { return ~a; }
HAMLET_INLINE vu32 shift_left_vu32(vu32 a, vu32 by) { return a << by; }
HAMLET_INLINE vu32 shift_right_vu32(vu32 a, vu32 by) { return a >> by; }

/* GCC makes of `?:` in C nothing of vectors, and three instructions of masks; Clang makes of masks the one that selects.
*/
#if HAMLET_AVX2 && WIDE == 8
HAMLET_INLINE vi32 where_vi32(vbool condition, vi32 then, vi32 otherwise) {
    return (vi32)_mm256_blendv_ps((__m256)otherwise, (__m256)then, (__m256)condition);
}
#else
HAMLET_INLINE vi32 where_vi32(vbool condition, vi32 then, vi32 otherwise) {
    return (then & condition) | (otherwise & ~condition);
}
#endif
HAMLET_INLINE vf32 where_vf32(vbool condition, vf32 then, vf32 otherwise) {
    return (vf32)where_vi32(condition, (vi32)then, (vi32)otherwise);
}
/* `a < b ? a : b` and `b < a ? a : b`. */
#if HAMLET_AVX512 && WIDE == 16
HAMLET_INLINE vf32 lesser_vf32(vf32 a, vf32 b) { return (vf32)_mm512_min_ps((__m512)a, (__m512)b); }
HAMLET_INLINE vf32 greater_vf32(vf32 a, vf32 b) { return (vf32)_mm512_max_ps((__m512)a, (__m512)b); }
#elif HAMLET_AVX2 && WIDE == 8
HAMLET_INLINE vf32 lesser_vf32(vf32 a, vf32 b) { return (vf32)_mm256_min_ps((__m256)a, (__m256)b); }
HAMLET_INLINE vf32 greater_vf32(vf32 a, vf32 b) { return (vf32)_mm256_max_ps((__m256)a, (__m256)b); }
#elif HAMLET_SSE2 && WIDE == 4
HAMLET_INLINE vf32 lesser_vf32(vf32 a, vf32 b) { return (vf32)_mm_min_ps((__m128)a, (__m128)b); }
HAMLET_INLINE vf32 greater_vf32(vf32 a, vf32 b) { return (vf32)_mm_max_ps((__m128)a, (__m128)b); }
#else
HAMLET_INLINE vf32 lesser_vf32(vf32 a, vf32 b) { return where_vf32(a < b, a, b); }
HAMLET_INLINE vf32 greater_vf32(vf32 a, vf32 b) { return where_vf32(b < a, a, b); }
#endif
HAMLET_INLINE vu32 where_vu32(vbool condition, vu32 then, vu32 otherwise) {
    return (vu32)where_vi32(condition, (vi32)then, (vi32)otherwise);
}
HAMLET_INLINE vbool where_vbool(vbool condition, vbool then, vbool otherwise) {
    return where_vi32(condition, then, otherwise);
}
HAMLET_INLINE vi32 absolute_vi32(vi32 x) { return where_vi32(x < 0, negate_vi32(x), x); }

HAMLET_INLINE vu32 to_bits_vf32(vf32 x) { return (vu32)x; }
HAMLET_INLINE vf32 from_bits_vu32(vu32 bits) { return (vf32)bits; }
HAMLET_INLINE vi32 to_i32_vu32(vu32 x) { return (vi32)x; }
HAMLET_INLINE vu32 to_u32_vi32(vi32 x) { return (vu32)x; }
HAMLET_INLINE vf32 to_f32_vi32(vi32 x) { return __builtin_convertvector(x, vf32); }

/* GCC takes products of 64 bits apart into numbers, and so it does what changes the width of elements. */
#if HAMLET_AVX512 && WIDE == 16
HAMLET_INLINE vu32 mulhigh_vu32(vu32 a, vu32 b) {
    __m512i even = _mm512_mul_epu32((__m512i)a, (__m512i)b);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)a, 32), _mm512_srli_epi64((__m512i)b, 32));
    return (vu32)_mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xAAAA, odd);
}
#elif HAMLET_AVX2 && WIDE == 8
/* The upper half of each number of 64 bits in the lower one; of a constant that is known when it is compiled. */
typedef u64 hamlet_vu64 __attribute__((vector_size(32)));
HAMLET_INLINE __m256i hamlet_upper(vu32 x) { return (__m256i)((hamlet_vu64)x >> 32); }
HAMLET_INLINE vu32 mulhigh_vu32(vu32 a, vu32 b) {
    __m256i even = _mm256_mul_epu32((__m256i)a, (__m256i)b);
    __m256i odd = _mm256_mul_epu32(hamlet_upper(a), hamlet_upper(b));
    return (vu32)_mm256_blend_epi32(hamlet_upper((vu32)even), odd, 0xAA);
}
#elif HAMLET_SSE2 && WIDE == 4
HAMLET_INLINE vu32 mulhigh_vu32(vu32 a, vu32 b) {
    const __m128i upper = _mm_set_epi32(-1, 0, -1, 0);
    __m128i even = _mm_mul_epu32((__m128i)a, (__m128i)b);
    __m128i odd = _mm_mul_epu32(_mm_srli_epi64((__m128i)a, 32), _mm_srli_epi64((__m128i)b, 32));
    return (vu32)_mm_or_si128(_mm_srli_epi64(even, 32), _mm_and_si128(odd, upper));
}
#else
typedef u64 hamlet_vu64 __attribute__((vector_size(8 * WIDE)));
HAMLET_INLINE vu32 mulhigh_vu32(vu32 a, vu32 b) {
    hamlet_vu64 product = __builtin_convertvector(a, hamlet_vu64) * __builtin_convertvector(b, hamlet_vu64);
    return __builtin_convertvector(product >> 32, vu32);
}
#endif

/* Register by register: of loops over lanes Clang makes calls for each. */
#if HAMLET_AVX512
typedef __m512 hamlet_floats;
#define HAMLET_ROOTS _mm512_sqrt_ps
#define HAMLET_FUSED _mm512_fmadd_ps
#elif HAMLET_AVX2
typedef __m256 hamlet_floats;
#define HAMLET_ROOTS _mm256_sqrt_ps
#ifdef __FMA__
#define HAMLET_FUSED _mm256_fmadd_ps
#endif
#elif HAMLET_SSE2
typedef __m128 hamlet_floats;
#define HAMLET_ROOTS _mm_sqrt_ps
#endif
#ifdef HAMLET_ROOTS
HAMLET_INLINE vf32 square_root_vf32(vf32 x) {
    hamlet_floats parts[WIDE / HAMLET_REGISTER];
    memcpy(parts, &x, sizeof x);
    for (int part = 0; part < WIDE / HAMLET_REGISTER; part++) parts[part] = HAMLET_ROOTS(parts[part]);
    memcpy(&x, parts, sizeof x);
    return x;
}
#else
HAMLET_INLINE vf32 square_root_vf32(vf32 x) {
    for (int lane = 0; lane < WIDE; lane++) x[lane] = square_root_f32(x[lane]);
    return x;
}
#endif
#ifdef HAMLET_FUSED
HAMLET_INLINE vf32 fma_vf32(vf32 left, vf32 right, vf32 addend) {
    hamlet_floats a[WIDE / HAMLET_REGISTER], b[WIDE / HAMLET_REGISTER], c[WIDE / HAMLET_REGISTER];
    memcpy(a, &left, sizeof left);
    memcpy(b, &right, sizeof right);
    memcpy(c, &addend, sizeof addend);
    for (int part = 0; part < WIDE / HAMLET_REGISTER; part++) c[part] = HAMLET_FUSED(a[part], b[part], c[part]);
    memcpy(&addend, c, sizeof addend);
    return addend;
}
#else
HAMLET_INLINE vf32 fma_vf32(vf32 left, vf32 right, vf32 addend) {
    for (int lane = 0; lane < WIDE; lane++) addend[lane] = fma_f32(left[lane], right[lane], addend[lane]);
    return addend;
}
#endif
#else
#define alike_vf32(x) ((f32)(x))
#define alike_vi32(x) ((i32)(x))
#define alike_vu32(x) ((u32)(x))
#define alike_vbool(x) ((bool)(x))
#define ramp_vu32(start) ((u32)(start))
#define add_vf32 add_f32
#define subtract_vf32 subtract_f32
#define multiply_vf32 multiply_f32
#define divide_vf32 divide_f32
#define add_vi32 add_i32
#define subtract_vi32 subtract_i32
#define multiply_vi32 multiply_i32
#define add_vu32 add_u32
#define subtract_vu32 subtract_u32
#define multiply_vu32 multiply_u32
#define mulhigh_vu32 mulhigh_u32
#define divide_vu32 divide_u32
#define remainder_vu32 remainder_u32
#define negate_vf32 negate_f32
#define negate_vi32 negate_i32
#define absolute_vf32 absolute_f32
#define absolute_vi32 absolute_i32
#define square_root_vf32 square_root_f32
#define fma_vf32 fma_f32
#define less_vf32 less_f32
#define less_vi32 less_i32
#define less_vu32 less_u32
#define less_equal_vf32 less_equal_f32
#define less_equal_vi32 less_equal_i32
#define less_equal_vu32 less_equal_u32
#define equal_vf32 equal_f32
#define equal_vi32 equal_i32
#define equal_vu32 equal_u32
#define equal_vbool equal_bool
#define bit_and_vu32 bit_and_u32
#define bit_or_vu32 bit_or_u32
#define bit_xor_vu32 bit_xor_u32
#define bit_and_vbool bit_and_bool
#define bit_or_vbool bit_or_bool
#define not_vbool not_bool
#define shift_left_vu32 shift_left_u32
#define shift_right_vu32 shift_right_u32
HAMLET_INLINE f32 lesser_vf32(f32 a, f32 b) { return a < b ? a : b; }
HAMLET_INLINE f32 greater_vf32(f32 a, f32 b) { return b < a ? a : b; }
#define where_vf32 where_f32
#define where_vi32 where_i32
#define where_vu32 where_u32
#define where_vbool where_bool
#define to_bits_vf32 to_bits_f32
#define from_bits_vu32 from_bits_u32
#define to_i32_vu32 to_i32_u32
#define to_u32_vi32 to_u32_i32
#define to_f32_vi32 to_f32_i32
#endif

/* --- memory --------------------------------------------------------------------------------------------------------*/

/* Numbers of a chunk on the stack: `local` are zeros, `unset` have any contents, `rows` are zeros of LANES lanes each, ROW apart.
Each is a declaration and, of zeros, a statement. */
#define unset(T, name, count) HAMLET_ALIGNED T name[count]
#define local(T, name, count) unset(T, name, count); memset(name, 0, sizeof name)
#define rows(T, name, count) local(T, name, (count) * ROW)

/* The elements of a row of an array from `start` on; of an array of one column those from `start` on, in row 0. */
#define HAMLET_PART(T) \
    HAMLET_INLINE T *part_##T(array_##T array, ix row, ix start) { return array.data + row * array.columns + start; }
HAMLET_PART(f32)
HAMLET_PART(i8)
HAMLET_PART(u8)
HAMLET_PART(u16)
HAMLET_PART(i32)
HAMLET_PART(u32)
HAMLET_PART(i64)
HAMLET_PART(bool8)

#define HAMLET_ELEMENT(T, M, V)                                 \
    HAMLET_INLINE V load_##T(const M *p, ix i) { return p[i]; } \
    HAMLET_INLINE void store_##T(M *p, ix i, V x) { p[i] = x; }
HAMLET_ELEMENT(f32, f32, f32)
HAMLET_ELEMENT(i32, i32, i32)
HAMLET_ELEMENT(u32, u32, u32)
HAMLET_ELEMENT(i64, i64, i64)
HAMLET_INLINE u32 load_u8(const u8 *p, ix i) { return p[i]; }
HAMLET_INLINE void store_u8(u8 *p, ix i, u32 x) { p[i] = (u8)x; }
HAMLET_INLINE u32 load_u16(const u16 *p, ix i) { return p[i]; }
HAMLET_INLINE void store_u16(u16 *p, ix i, u32 x) { p[i] = (u16)x; }
HAMLET_INLINE i32 load_i8(const i8 *p, ix i) { return p[i]; }
HAMLET_INLINE void store_i8(i8 *p, ix i, i32 x) {
    u8 low = (u8)x;
    memcpy(p + i, &low, 1);
}
HAMLET_INLINE bool load_bool(const bool8 *p, ix i) { return p[i] != 0; }
HAMLET_INLINE void store_bool(bool8 *p, ix i, bool x) { p[i] = x; }

#if HAMLET_VECTORS
#define HAMLET_FETCH(T)                                                                    \
    HAMLET_INLINE v##T fetch_v##T(const T *p, ix i) {                                      \
        v##T x;                                                                            \
        memcpy(&x, p + i, sizeof x);                                                       \
        return x;                                                                          \
    }                                                                                      \
    HAMLET_INLINE void store_v##T(T *p, ix i, v##T x) { memcpy(p + i, &x, sizeof x); }
HAMLET_FETCH(f32)
HAMLET_FETCH(i32)
HAMLET_FETCH(u32)

/* The low bytes of numbers of 32 bits, and numbers of bytes. */
#if HAMLET_AVX512 && WIDE == 16
HAMLET_INLINE vi32 fetch_vi8(const i8 *p, ix i) {
    return (vi32)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(p + i)));
}
HAMLET_INLINE vu32 fetch_vu8(const u8 *p, ix i) {
    return (vu32)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(p + i)));
}
HAMLET_INLINE void hamlet_store_bytes(void *p, vu32 x) {
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((__m512i)x));
}
#elif HAMLET_AVX2 && WIDE == 8
HAMLET_INLINE vi32 fetch_vi8(const i8 *p, ix i) {
    return (vi32)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(p + i)));
}
HAMLET_INLINE vu32 fetch_vu8(const u8 *p, ix i) {
    return (vu32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(p + i)));
}
HAMLET_INLINE void hamlet_store_bytes(void *p, vu32 x) {
    const __m256i low = _mm256_setr_epi8(
        0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
        -1, -1, -1, -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1);
    __m256i bytes = _mm256_shuffle_epi8((__m256i)x, low);
    _mm_storel_epi64((__m128i *)p, _mm_or_si128(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)));
}
#elif HAMLET_SSE2 && WIDE == 4
HAMLET_INLINE __m128i hamlet_four_bytes(const void *p) {
    i32 bytes;
    memcpy(&bytes, p, 4);
    return _mm_cvtsi32_si128(bytes);
}
HAMLET_INLINE vi32 fetch_vi8(const i8 *p, ix i) {
    __m128i bytes = hamlet_four_bytes(p + i);
    bytes = _mm_unpacklo_epi8(bytes, bytes);
    return (vi32)_mm_srai_epi32(_mm_unpacklo_epi16(bytes, bytes), 24);
}
HAMLET_INLINE vu32 fetch_vu8(const u8 *p, ix i) {
    __m128i bytes = _mm_unpacklo_epi8(hamlet_four_bytes(p + i), _mm_setzero_si128());
    return (vu32)_mm_unpacklo_epi16(bytes, _mm_setzero_si128());
}
HAMLET_INLINE void hamlet_store_bytes(void *p, vu32 x) {
    __m128i words = _mm_and_si128((__m128i)x, _mm_set1_epi32(255));
    i32 bytes;
    words = _mm_packs_epi32(words, words);
    bytes = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    memcpy(p, &bytes, 4);
}
#else
HAMLET_INLINE vi32 fetch_vi8(const i8 *p, ix i) {
    hamlet_vi8 bytes;
    memcpy(&bytes, p + i, sizeof bytes);
    return __builtin_convertvector(bytes, vi32);
}
HAMLET_INLINE vu32 fetch_vu8(const u8 *p, ix i) {
    hamlet_vu8 bytes;
    memcpy(&bytes, p + i, sizeof bytes);
    return __builtin_convertvector(bytes, vu32);
}
HAMLET_INLINE void hamlet_store_bytes(void *p, vu32 x) {
    hamlet_vu8 bytes = __builtin_convertvector(x & 255u, hamlet_vu8);
    memcpy(p, &bytes, sizeof bytes);
}
#endif
HAMLET_INLINE void store_vi8(i8 *p, ix i, vi32 x) { hamlet_store_bytes(p + i, (vu32)x); }
HAMLET_INLINE void store_vu8(u8 *p, ix i, vu32 x) { hamlet_store_bytes(p + i, x); }
HAMLET_INLINE vbool fetch_vbool(const bool8 *p, ix i) { return fetch_vu8(p, i) != 0; }
HAMLET_INLINE void store_vbool(bool8 *p, ix i, vbool x) { hamlet_store_bytes(p + i, (vu32)x & 1u); }
#else
#define fetch_vf32 load_f32
#define fetch_vi32 load_i32
#define fetch_vu32 load_u32
#define fetch_vi8 load_i8
#define fetch_vu8 load_u8
#define fetch_vbool load_bool
#define store_vf32 store_f32
#define store_vi32 store_i32
#define store_vu32 store_u32
#define store_vi8 store_i8
#define store_vu8 store_u8
#define store_vbool store_bool
#endif

#define HAMLET_CHUNKS(T, M, REST)                                                                                  \
    /* Fill a chunk with the first `count` elements of an array, and lanes that are no agents with `REST`. */      \
    HAMLET_INLINE void load_lanes_##T(M *chunk, const M *array, ix count) {                                        \
        memcpy(chunk, array, (size_t)count * sizeof *chunk);                                                       \
        for (ix lane = count; lane < LANES; lane++) chunk[lane] = REST;                                            \
    }                                                                                                              \
    /* Write the first `count` lanes of a chunk to the beginning of an array. */                                   \
    HAMLET_INLINE void store_lanes_##T(const M *chunk, M *array, ix count) {                                       \
        memcpy(array, chunk, (size_t)count * sizeof *chunk);                                                       \
    }                                                                                                              \
    /* Fill a chunk, whose first lane is agent `agent` of the first world of an array, with what its worlds hold. */ \
    HAMLET_HELPER void load_worlds_##T(M *chunk, const M *array, ix agents, ix agent, ix count) {                  \
        ix world = 0;                                                                                              \
        if (agents == 1) {                                                                                         \
            load_lanes_##T(chunk, array, count);                                                                   \
            return;                                                                                                \
        }                                                                                                          \
        if (agents == 2) {                                                                                         \
            for (; world < count / 2; world++) chunk[2 * world] = chunk[2 * world + 1] = array[world];             \
        } else                                                                                                     \
            for (ix lane = 0; lane < count; lane++) {                                                              \
                chunk[lane] = array[world];                                                                        \
                if (++agent == agents) agent = 0, world++;                                                         \
            }                                                                                                      \
        for (ix lane = count; lane < LANES; lane++) chunk[lane] = REST;                                            \
    }                                                                                                              \
    /* Write what the lanes of a chunk agree on to the beginning of an array of worlds. */                         \
    HAMLET_HELPER void store_worlds_##T(const M *chunk, M *array, ix agents, ix count) {                           \
        if (agents == 1) {                                                                                         \
            store_lanes_##T(chunk, array, count);                                                                  \
            return;                                                                                                \
        }                                                                                                          \
        for (ix world = 0; world < (count + agents - 1) / agents; world++) array[world] = chunk[world * agents];   \
    }                                                                                                              \
    /* A chunk with more numbers than the stack holds: with any contents, or of zeros. NULL: there is no memory. */ \
    HAMLET_INLINE M *room_like_##T(ix count) { return (M *)hamlet_room((size_t)count * sizeof(M), false); }        \
    HAMLET_INLINE M *room_##T(ix count) { return (M *)hamlet_room((size_t)count * sizeof(M), true); }

#ifdef HAMLET_FREESTANDING
#if defined(_MSC_VER)
#define HAMLET_THREAD __declspec(thread)
#elif defined(__GNUC__) && !defined(HAMLET_ONE_THREAD)
#define HAMLET_THREAD __thread
#else
#define HAMLET_THREAD
#endif
/* Where the next room begins. What is given back is so with all that was made after it. */
static HAMLET_THREAD u8 *hamlet_rooms;
HAMLET_HELPER void *hamlet_room(size_t size, bool zeros) {
    u8 *room = hamlet_rooms;
    hamlet_rooms += (size + 63) / 64 * 64;
    if (zeros) memset(room, 0, size);
    return room;
}
HAMLET_HELPER void give_back(void *room) { hamlet_rooms = (u8 *)room; }
#else
HAMLET_HELPER void *hamlet_room(size_t size, bool zeros) {
    u8 *all = (u8 *)malloc(size + 64 + sizeof(void *)), *room;
    if (all == NULL) return NULL;
    /* Before a room is where it was found. */
    room = all + sizeof(void *);
    room += (64 - (uintptr_t)room % 64) % 64;
    memcpy(room - sizeof(void *), &all, sizeof all);
    if (zeros) memset(room, 0, size);
    return room;
}
/* The end of a room, or of none. */
HAMLET_HELPER void give_back(void *room) {
    void *all;
    if (room == NULL) return;
    memcpy(&all, (u8 *)room - sizeof(void *), sizeof all);
    free(all);
}
#endif

/* A number of lanes that are no agents is that of the first lane, within its bounds: it may say where a table is read. */
HAMLET_CHUNKS(f32, f32, chunk[0])
HAMLET_CHUNKS(i8, i8, 0)
HAMLET_CHUNKS(u8, u8, 0)
HAMLET_CHUNKS(u16, u16, 0)
HAMLET_CHUNKS(i32, i32, 0)
HAMLET_CHUNKS(u32, u32, 0)
HAMLET_CHUNKS(i64, i64, 0)
HAMLET_CHUNKS(bool, bool8, 0)

/* The same where numbers of an array are wider. */
HAMLET_INLINE void store_lanes_i8_i32(const i8 *chunk, i32 *array, ix count) {
    for (ix lane = 0; lane < count; lane++) array[lane] = chunk[lane];
}

/* --- tables --------------------------------------------------------------------------------------------------------*/

/* A table of at most 64 numbers that registers hold, where a machine can look one up by another:
`short_table(f32, name, 10) = {...};`. Behind its numbers are zeros. */
#define SHORT(entries) ((entries) <= 16 ? 16 : (entries) <= 32 ? 32 : 64)
#define short_table(T, name, entries) static const HAMLET_ALIGNED T name[SHORT(entries)]

/* The number of a table at an index, which is in range. */
HAMLET_INLINE f32 take_f32(const f32 *data, i32 index) { return data[index]; }
HAMLET_INLINE i32 take_i32(const i32 *data, i32 index) { return data[index]; }
HAMLET_INLINE u32 take_u32(const u32 *data, i32 index) { return data[index]; }

#if HAMLET_AVX512
typedef __m512i hamlet_words;
HAMLET_INLINE hamlet_words hamlet_gather(const void *data, hamlet_words index) {
    return _mm512_i32gather_epi32(index, data, 4);
}
HAMLET_INLINE hamlet_words hamlet_pick(const void *data, ix entries, hamlet_words index) {
    const i32 *words = (const i32 *)data;
    __m512i low, high;
    if (entries <= 16) return _mm512_permutexvar_epi32(index, _mm512_loadu_si512(words));
    low = _mm512_permutex2var_epi32(_mm512_loadu_si512(words), index, _mm512_loadu_si512(words + 16));
    if (entries <= 32) return low;
    high = _mm512_permutex2var_epi32(_mm512_loadu_si512(words + 32), index, _mm512_loadu_si512(words + 48));
    return _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(index, _mm512_set1_epi32(32)), high);
}
#elif HAMLET_AVX2
typedef __m256i hamlet_words;
HAMLET_INLINE hamlet_words hamlet_gather(const void *data, hamlet_words index) {
    return _mm256_i32gather_epi32((const int *)data, index, 4);
}
/* Of eight numbers: the lowest bits of the index count. */
HAMLET_INLINE hamlet_words hamlet_eight(const i32 *words, hamlet_words index) {
    return _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)words), index);
}
/* One or the other by a bit of the index. */
HAMLET_INLINE hamlet_words hamlet_by_bit(hamlet_words low, hamlet_words high, hamlet_words index, int bit) {
    __m256 sign = _mm256_castsi256_ps(_mm256_slli_epi32(index, 31 - bit));
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), sign));
}
HAMLET_INLINE hamlet_words hamlet_sixteen(const i32 *words, hamlet_words index) {
    return hamlet_by_bit(hamlet_eight(words, index), hamlet_eight(words + 8, index), index, 3);
}
HAMLET_INLINE hamlet_words hamlet_pick(const void *data, ix entries, hamlet_words index) {
    const i32 *words = (const i32 *)data;
    if (entries <= 8) return hamlet_eight(words, index);
    if (entries <= 16) return hamlet_sixteen(words, index);
    if (entries <= 32) return hamlet_by_bit(hamlet_sixteen(words, index), hamlet_sixteen(words + 16, index), index, 4);
    return hamlet_gather(data, index);
}
#endif

#if HAMLET_AVX2 || HAMLET_AVX512
/* Register by register. `entries`: a table that registers hold; 0 of any. */
HAMLET_INLINE vi32 hamlet_take(const void *data, ix entries, vi32 index) {
    for (int lane = 0; lane < WIDE; lane += HAMLET_REGISTER) {
        hamlet_words words;
        memcpy(&words, (const u8 *)&index + 4 * lane, sizeof words);
        words = entries > 0 ? hamlet_pick(data, entries, words) : hamlet_gather(data, words);
        memcpy((u8 *)&index + 4 * lane, &words, sizeof words);
    }
    return index;
}
#elif HAMLET_VECTORS
HAMLET_INLINE vi32 hamlet_take(const void *data, ix entries, vi32 index) {
    (void)entries;
    for (int lane = 0; lane < WIDE; lane++) {
        i32 word;
        memcpy(&word, (const u8 *)data + 4 * (ix)index[lane], sizeof word);
        index[lane] = word;
    }
    return index;
}
#endif
#if HAMLET_VECTORS
#define HAMLET_TAKE(T)                                                                                \
    HAMLET_INLINE v##T take_v##T(const T *data, vi32 index) { return (v##T)hamlet_take(data, 0, index); } \
    HAMLET_INLINE v##T take_short_v##T(const T *data, ix entries, vi32 index) {                       \
        return (v##T)hamlet_take(data, entries, index);                                               \
    }                                                                                                 \
    /* Indices that are one more from lane to lane. */                                                \
    HAMLET_INLINE v##T take_along_v##T(const T *data, vi32 index) { return fetch_v##T(data, index[0]); }
HAMLET_TAKE(f32)
HAMLET_TAKE(i32)
HAMLET_TAKE(u32)
#else
#define take_vf32 take_f32
#define take_vi32 take_i32
#define take_vu32 take_u32
#define take_along_vf32 take_f32
#define take_along_vi32 take_i32
#define take_along_vu32 take_u32
#define take_short_vf32(data, entries, index) take_f32(data, index)
#define take_short_vi32(data, entries, index) take_i32(data, index)
#define take_short_vu32(data, entries, index) take_u32(data, index)
#endif

/* --- flags and what is packed by them ------------------------------------------------------------------------------*/

#ifdef __GNUC__
HAMLET_INLINE ix lowest(u64 bits) { return __builtin_ctzll(bits); }
#else
HAMLET_INLINE ix lowest(u64 bits) {
    ix number = 0;
    for (; !(bits & 1); bits >>= 1) number++;
    return number;
}
#endif
#if defined(__GNUC__) && (defined(__POPCNT__) || !defined(__x86_64__))
HAMLET_INLINE ix count_bits(u64 bits) { return __builtin_popcountll(bits); }
#else
/* Where a CPU has no instruction for it compilers call a function of a library that nobody links. */
HAMLET_INLINE ix count_bits(u64 bits) {
    ix number = 0;
    for (; bits; bits &= bits - 1) number++;
    return number;
}
#endif
HAMLET_INLINE u64 without_lowest(u64 bits) { return bits & (bits - 1); }

#if HAMLET_AVX512
HAMLET_INLINE u64 hamlet_signs(const void *bytes) { return _mm512_movepi8_mask(_mm512_loadu_si512(bytes)); }
HAMLET_INLINE u64 hamlet_equal_bytes(const void *bytes, u8 number) {
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8((char)number));
}
#elif HAMLET_AVX2
HAMLET_INLINE u64 hamlet_signs(const void *bytes) {
    const __m256i *p = (const __m256i *)bytes;
    u32 low = (u32)_mm256_movemask_epi8(_mm256_loadu_si256(p));
    u32 high = (u32)_mm256_movemask_epi8(_mm256_loadu_si256(p + 1));
    return (u64)high << 32 | low;
}
HAMLET_INLINE u64 hamlet_equal_bytes(const void *bytes, u8 number) {
    const __m256i *p = (const __m256i *)bytes, own = _mm256_set1_epi8((char)number);
    u32 low = (u32)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(p), own));
    u32 high = (u32)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(p + 1), own));
    return (u64)high << 32 | low;
}
#elif HAMLET_SSE2
HAMLET_INLINE u64 hamlet_signs(const void *bytes) {
    u64 bits = 0;
    for (int part = 0; part < 4; part++)
        bits |= (u64)(u32)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)bytes + part)) << 16 * part;
    return bits;
}
HAMLET_INLINE u64 hamlet_equal_bytes(const void *bytes, u8 number) {
    const __m128i own = _mm_set1_epi8((char)number);
    u64 bits = 0;
    for (int part = 0; part < 4; part++) {
        __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)bytes + part), own);
        bits |= (u64)(u32)_mm_movemask_epi8(equal) << 16 * part;
    }
    return bits;
}
#else
HAMLET_INLINE u64 hamlet_signs(const void *bytes) {
    u64 bits = 0;
    for (int lane = 0; lane < WORD; lane++) bits |= (u64)(((const u8 *)bytes)[lane] >> 7) << lane;
    return bits;
}
HAMLET_INLINE u64 hamlet_equal_bytes(const void *bytes, u8 number) {
    u64 bits = 0;
    for (int lane = 0; lane < WORD; lane++) bits |= (u64)(((const u8 *)bytes)[lane] == number) << lane;
    return bits;
}
#endif

/* The flags of the WORD lanes from `start` on. */
HAMLET_INLINE u64 flags_of(const bool8 *flags, ix start) { return ~hamlet_equal_bytes(flags + start, 0); }
/* Which of the WORD numbers from `start` on are not negative. */
HAMLET_INLINE u64 natural_i8(const i8 *numbers, ix start) { return ~hamlet_signs(numbers + start); }
HAMLET_INLINE u64 natural_i32(const i32 *numbers, ix start) {
    u64 bits = 0;
    for (int lane = 0; lane < WORD; lane++) bits |= (u64)(numbers[start + lane] >= 0) << lane;
    return bits;
}

/* Write those of the WORD numbers from `start` on whose bit is set into `target`, from `length` on; the length then.
`target` has room for WORD more. */
#define HAMLET_PACK(T, S)                                                                       \
    HAMLET_INLINE ix pack_##T##_##S(T *target, ix length, const S *source, ix start, u64 bits) { \
        for (; bits; bits = without_lowest(bits)) target[length++] = (T)source[start + lowest(bits)]; \
        return length;                                                                          \
    }
#if HAMLET_AVX512 && defined(__AVX512VBMI2__)
#define HAMLET_PACK_BYTES(T, S)                                                                 \
    HAMLET_INLINE ix pack_##T##_##S(T *target, ix length, const S *source, ix start, u64 bits) { \
        __m512i bytes = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(source + start));   \
        _mm512_storeu_si512(target + length, bytes);                                            \
        return length + count_bits(bits);                                                       \
    }
#else
#define HAMLET_PACK_BYTES HAMLET_PACK
#endif
HAMLET_PACK_BYTES(u8, u8)
HAMLET_PACK_BYTES(u8, i8)
HAMLET_PACK(u8, i32)
HAMLET_PACK(u16, i32)
HAMLET_PACK(u32, i32)

/* Whether the flags of all lanes of a chunk are set. */
HAMLET_INLINE bool all_set(const bool8 *flags) {
    u64 bits = flags_of(flags, 0);
    for (ix start = WORD; start < LANES; start += WORD) bits &= flags_of(flags, start);
    return bits == (u64)-1;
}

/* Whether a flag of a vector is set. */
HAMLET_INLINE bool any_set(vbool flags) {
#if HAMLET_VECTORS
    u64 words[WIDE / 2], bits = 0;
    memcpy(words, &flags, sizeof words);
    for (int word = 0; word < WIDE / 2; word++) bits |= words[word];
    return bits != 0;
#else
    return flags;
#endif
}

#define HAMLET_64(f, i) HAMLET_16(f, i), HAMLET_16(f, (i) + 16), HAMLET_16(f, (i) + 32), HAMLET_16(f, (i) + 48)
#define HAMLET_16(f, i) HAMLET_4(f, i), HAMLET_4(f, (i) + 4), HAMLET_4(f, (i) + 8), HAMLET_4(f, (i) + 12)
#define HAMLET_4(f, i) f(i), f((i) + 1), f((i) + 2), f((i) + 3)
#define HAMLET_ITSELF(i) (i)
static const HAMLET_ALIGNED u8 hamlet_numbers[LANES] = {
    HAMLET_64(HAMLET_ITSELF, 0), HAMLET_64(HAMLET_ITSELF, 64), HAMLET_64(HAMLET_ITSELF, 128),
    HAMLET_64(HAMLET_ITSELF, 192)};

/* Write the numbers of the lanes whose flag is set into `lanes`, in order; how many there are. */
HAMLET_INLINE ix choose_lanes(const bool8 *flags, u8 *lanes) {
    ix chosen = 0;
    for (ix start = 0; start < LANES; start += WORD)
        chosen = pack_u8_u8(lanes, chosen, hamlet_numbers, start, flags_of(flags, start));
    return chosen;
}

/* The flags of at most WORD lanes from `start` on, of which there are `count`. */
HAMLET_INLINE u64 some_flags(const bool8 *flags, ix start, ix count) {
    u64 bits = flags_of(flags, start);
    return count < WORD ? bits & (((u64)1 << count) - 1) : bits;
}

/* How many flags of a world are set, which begins here. */
HAMLET_INLINE ix count_flags(const bool8 *flags, ix begin, ix agents) {
    ix number = 0;
    for (ix start = 0; start < agents; start += WORD)
        number += count_bits(some_flags(flags, begin + start, agents - start));
    return number;
}

/* --- counts ---------------------------------------------------------------------------------------------------------
What lanes use is frequent: it is noted, and counted when many notes have come together. An end is rare. */

/* Notes that are counted together, and room for notes. */
#define MANY (2 * LANES)
#define NOTES (MANY + LANES + WORD)
/* So many kinds of notes are counted kind by kind, which reads the notes so often, but many of them at once. */
#define FEW 64

/* Count what is noted, numbers below `kinds`. */
HAMLET_HELPER void add_notes_u8(u8 *notes, ix noted, i64 *uses, ix kinds) {
    if (kinds > FEW) {
        for (ix note = 0; note < noted; note++) uses[notes[note]]++;
        return;
    }
    memset(notes + noted, (int)kinds, WORD);
    for (ix kind = 0; kind < kinds; kind++)
        for (ix start = 0; start < noted; start += WORD)
            uses[kind] += count_bits(hamlet_equal_bytes(notes + start, (u8)kind));
}
HAMLET_HELPER void add_notes_u16(u16 *notes, ix noted, i64 *uses, ix kinds) {
    (void)kinds;
    for (ix note = 0; note < noted; note++) uses[notes[note]]++;
}
HAMLET_HELPER void add_notes_u32(u32 *notes, ix noted, i64 *uses, ix kinds) {
    (void)kinds;
    for (ix note = 0; note < noted; note++) uses[notes[note]]++;
}

/* Note which of `kinds` affordances the lanes of a chunk have used, -1 for none; how many are noted now. */
#define HAMLET_USES(S, T)                                                                                     \
    HAMLET_INLINE ix count_uses_##S##_##T(const S *used, T *notes, ix noted, i64 *uses, ix kinds) {           \
        for (ix start = 0; start < LANES; start += WORD)                                                      \
            noted = pack_##T##_##S(notes, noted, used, start, natural_##S(used, start));                      \
        if (noted <= MANY) return noted;                                                                      \
        add_notes_##T(notes, noted, uses, kinds);                                                             \
        return 0;                                                                                             \
    }
HAMLET_USES(i8, u8)
HAMLET_USES(i32, u8)
HAMLET_USES(i32, u16)
HAMLET_USES(i32, u32)

/* Count the episode of a lane, which ended in this tick, by its cause. `longest` is the last bin of `lengths`;
`finished_return` begins with the first lane of the chunk. Then those with a cause of the first `chosen` of `lanes`. */
#define HAMLET_EPISODES(C)                                                                                        \
    HAMLET_INLINE void count_episode_##C(                                                                         \
        ix lane, const C *cause, const i32 *age, const f32 *episode_return, i64 *causes, i64 *lengths, ix longest, \
        f32 *finished_return) {                                                                                   \
        causes[cause[lane]]++;                                                                                    \
        lengths[min_ix(age[lane], longest)]++;                                                                    \
        finished_return[lane] += episode_return[lane];                                                            \
    }                                                                                                             \
    HAMLET_INLINE void count_episodes_##C(                                                                        \
        const u8 *lanes, ix chosen, const C *cause, const i32 *age, const f32 *episode_return, i64 *causes,       \
        i64 *lengths, ix longest, f32 *finished_return) {                                                         \
        for (ix index = 0; index < chosen; index++)                                                               \
            if (cause[lanes[index]] >= 0)                                                                         \
                count_episode_##C(                                                                                \
                    lanes[index], cause, age, episode_return, causes, lengths, longest, finished_return);         \
    }
HAMLET_EPISODES(i8)
HAMLET_EPISODES(i32)

/* Add a meter at the end of an episode to its sum, in units of 1 / scale. */
HAMLET_INLINE void add_meter(i64 *sums, ix row, f32 value, f32 scale) { sums[row] += (i64)(value * scale); }

/* Count what each lane of a chunk has used, and the episodes that ended, of which the first `kept` of a lane are
written down. The arrays, `lanes` to a row, begin with the first lane of the chunk. By types of `used` and `cause`. */
#define HAMLET_BY_LANE(S, C)                                                                                      \
    HAMLET_HELPER void count_by_lane_##S##_##C(                                                                   \
        const S *used, const C *cause, const i32 *age, const f32 *episode_return, i32 *uses, i32 *episodes,       \
        i32 *lengths, f32 *returns, i32 *causes, ix kept, ix lanes) {                                             \
        for (ix start = 0; start < LANES; start += WORD) {                                                        \
            u64 bits;                                                                                             \
            for (bits = natural_##S(used, start); bits; bits = without_lowest(bits)) {                            \
                ix lane = start + lowest(bits);                                                                   \
                uses[used[lane] * lanes + lane]++;                                                                \
            }                                                                                                     \
            for (bits = natural_##C(cause, start); bits; bits = without_lowest(bits)) {                           \
                ix lane = start + lowest(bits), number = episodes[lane]++;                                        \
                if (number >= kept) continue;                                                                     \
                lengths[number * lanes + lane] = age[lane];                                                       \
                returns[number * lanes + lane] = episode_return[lane];                                            \
                causes[number * lanes + lane] = cause[lane];                                                      \
            }                                                                                                     \
        }                                                                                                         \
    }
HAMLET_BY_LANE(i8, i8)
HAMLET_BY_LANE(i8, i32)
HAMLET_BY_LANE(i32, i8)
HAMLET_BY_LANE(i32, i32)

/* --- cells of affordances, a byte each -----------------------------------------------------------------------------*/

/* Write into `found` which of the `count` rows of `cells` has the number that `standing` has, or -1, for all lanes of a
chunk. A lane has the same number in no two rows. */
#if HAMLET_VECTORS
#if HAMLET_AVX512
#define HAMLET_BYTES 64
#elif HAMLET_AVX2
#define HAMLET_BYTES 32
#else
#define HAMLET_BYTES 16
#endif
typedef i8 hamlet_bytes __attribute__((vector_size(HAMLET_BYTES)));
HAMLET_INLINE void find(i8 *found, const u8 *standing, const u8 *cells, ix count) {
    for (ix first = 0; first < LANES; first += HAMLET_BYTES) {
        hamlet_bytes zero = {0}, own, result = zero - (i8)1;
        memcpy(&own, standing + first, sizeof own);
        for (ix row = 0; row < count; row++) {
            hamlet_bytes cell, same;
            memcpy(&cell, cells + row * ROW + first, sizeof cell);
            same = own == cell;
            result = ((zero + (i8)row) & same) | (result & ~same);
        }
        memcpy(found + first, &result, sizeof result);
    }
}
#else
HAMLET_INLINE void find(i8 *found, const u8 *standing, const u8 *cells, ix count) {
    for (ix lane = 0; lane < LANES; lane++) {
        found[lane] = -1;
        for (ix row = 0; row < count; row++)
            if (cells[row * ROW + lane] == standing[lane]) found[lane] = (i8)row;
    }
}
#endif

/* Write a vector of numbers as bytes, each into the next of `rows` from row `first` on, for one lane; those below
`count`. */
HAMLET_INLINE void scatter_vu32(vu32 values, u8 *rows_of_bytes, ix lane, ix first, ix count) {
#if HAMLET_VECTORS
    for (int row = 0; row < WIDE; row++)
        if (first + row < count) rows_of_bytes[(first + row) * ROW + lane] = (u8)values[row];
#else
    if (first < count) rows_of_bytes[first * ROW + lane] = (u8)values;
#endif
}

/* --- policies ------------------------------------------------------------------------------------------------------*/

/* The action of each lane's situation; 0 beyond the lanes that there are. */
HAMLET_HELPER void look_up(i32 *action, const i32 *choices, const i32 *situation, ix count) {
    for (ix lane = 0; lane < count; lane++) action[lane] = choices[situation[lane]];
    for (ix lane = count; lane < LANES; lane++) action[lane] = 0;
}

/* Replace 30 random bits of each lane by an action: the number of its situation's thresholds that they reach. */
HAMLET_HELPER void draw(i32 *action, const i32 *thresholds, ix columns, const i32 *situation, ix count) {
    for (ix lane = 0; lane < count; lane++) {
        const i32 *row = thresholds + situation[lane] * columns;
        i32 reached = 0;
        for (ix column = 0; column < columns; column++) reached += row[column] <= action[lane];
        action[lane] = reached;
    }
    for (ix lane = count; lane < LANES; lane++) action[lane] = 0;
}

/* --- shares of worlds -----------------------------------------------------------------------------------------------
A row for each thread: what is free of its share, the first world in the lower half of the word and the end in the upper
one, which threads change together; then the first world that it has taken and not begun, and the end of those. Nothing
but these words is handed from thread to thread. */

enum { HAMLET_FREE, HAMLET_NEXT, HAMLET_LAST };

#ifdef __GNUC__
HAMLET_INLINE i64 hamlet_read(const i64 *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
HAMLET_INLINE bool hamlet_exchange(i64 *word, i64 old, i64 new_) {
    return __atomic_compare_exchange_n(word, &old, new_, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#else
/* A compiler without atomic operations makes kernels for one thread. */
HAMLET_INLINE i64 hamlet_read(const i64 *word) { return *word; }
HAMLET_INLINE bool hamlet_exchange(i64 *word, i64 old, i64 new_) {
    if (*word != old) return false;
    *word = new_;
    return true;
}
#endif

/* The first world of the chunk that a thread takes next, -1 where none is left. Each share has worlds of whole chunks,
but for the last one. A thread takes half of what is left of its own share at a time; from others it takes chunks at the
end, one by one. */
HAMLET_HELPER i64 next_worlds(array_i64 shares, ix thread, ix per_chunk) {
    i64 *own = part_i64(shares, thread, 0), world = own[HAMLET_NEXT];
    if (world < own[HAMLET_LAST]) {
        own[HAMLET_NEXT] = world + per_chunk;
        return world;
    }
    for (ix turn = 0; turn < shares.rows; turn++) {
        i64 *word = part_i64(shares, (thread + turn) % shares.rows, HAMLET_FREE);
        for (;;) {
            i64 free_worlds = hamlet_read(word), first = free_worlds & 0xFFFFFFFF, end = free_worlds >> 32;
            i64 chunks = (end - first + per_chunk - 1) / per_chunk, begin, last, left;
            if (first >= end) break;
            if (turn == 0) {
                begin = first;
                last = min_ix(first + (chunks + 1) / 2 * per_chunk, end);
                left = end << 32 | last;
            } else {
                begin = first + (chunks - 1) * per_chunk;
                last = end;
                left = begin << 32 | first;
            }
            if (hamlet_exchange(word, free_worlds, left)) {
                own[HAMLET_NEXT] = begin + per_chunk;
                own[HAMLET_LAST] = last;
                return begin;
            }
        }
    }
    return -1;
}

/* --- observations ---------------------------------------------------------------------------------------------------
`low` and `scale` make bytes of numbers; u16 are the bits of bf16, rounded to nearest even. */

#define HAMLET_ROUND 12582912.0f
HAMLET_INLINE f32 encode_f32(f32 x, f32 low, f32 scale) {
    (void)low, (void)scale;
    return x;
}
HAMLET_INLINE u32 encode_u8(f32 x, f32 low, f32 scale) {
    x = (x - low) * scale;
    x = x < 0.0f ? 0.0f : x;
    x = 255.0f < x ? 255.0f : x;
    return to_bits_f32(x + HAMLET_ROUND) & 255u;
}
HAMLET_INLINE u32 encode_u16(f32 x, f32 low, f32 scale) {
    u32 bits = to_bits_f32(x);
    (void)low, (void)scale;
    return x == x ? (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16 : 0x7FC0u;
}

#if HAMLET_VECTORS
HAMLET_INLINE vu32 hamlet_encode_u8(vf32 x, f32 low, f32 scale) {
    const vf32 least = alike_vf32(0.0f), most = alike_vf32(255.0f);
    x = (x - low) * scale;
    return (vu32)(lesser_vf32(most, greater_vf32(least, x)) + HAMLET_ROUND);
}
HAMLET_INLINE vu32 hamlet_encode_u16(vf32 x) {
    vu32 bits = (vu32)x;
    return where_vu32(x == x, (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16, alike_vu32(0x7FC0u));
}
/* Numbers below 2**16 as u16. */
HAMLET_INLINE void hamlet_store_halves(void *p, vu32 x) {
#if HAMLET_AVX512 && WIDE == 16
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((__m512i)x));
#elif HAMLET_AVX2 && WIDE == 8
    __m256i halves = _mm256_packus_epi32((__m256i)x, (__m256i)x);
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(halves, 0x88)));
#else
    hamlet_vu16 halves = __builtin_convertvector(x, hamlet_vu16);
    memcpy(p, &halves, sizeof halves);
#endif
}
/* Copy a vector past the caches, to a multiple of its size in bytes. */
HAMLET_INLINE void hamlet_stream(void *to, const void *from, int bytes) {
    u8 *target = (u8 *)to;
    const u8 *source = (const u8 *)from;
#if HAMLET_AVX512
    for (; bytes >= 64; bytes -= 64, target += 64, source += 64)
        _mm512_stream_si512((__m512i *)target, _mm512_loadu_si512(source));
#endif
#if HAMLET_AVX2
    for (; bytes >= 32; bytes -= 32, target += 32, source += 32)
        _mm256_stream_si256((__m256i *)target, _mm256_loadu_si256((const __m256i *)source));
#endif
#if HAMLET_SSE2
    for (; bytes >= 16; bytes -= 16, target += 16, source += 16)
        _mm_stream_si128((__m128i *)target, _mm_loadu_si128((const __m128i *)source));
    for (; bytes >= 4; bytes -= 4, target += 4, source += 4) {
        i32 word;
        memcpy(&word, source, 4);
        _mm_stream_si32((i32 *)target, word);
    }
#endif
    memcpy(target, source, (size_t)bytes);
}
HAMLET_INLINE void hamlet_keep_f32(f32 *to, vf32 x, f32 low, f32 scale) {
    (void)low, (void)scale;
    store_vf32(to, 0, x);
}
HAMLET_INLINE void hamlet_keep_u8(u8 *to, vf32 x, f32 low, f32 scale) {
    hamlet_store_bytes(to, hamlet_encode_u8(x, low, scale));
}
HAMLET_INLINE void hamlet_keep_u16(u16 *to, vf32 x, f32 low, f32 scale) {
    (void)low, (void)scale;
    hamlet_store_halves(to, hamlet_encode_u16(x));
}
#else
#define hamlet_keep_f32(to, x, low, scale) (*(to) = encode_f32(x, low, scale))
#define hamlet_keep_u8(to, x, low, scale) (*(to) = (u8)encode_u8(x, low, scale))
#define hamlet_keep_u16(to, x, low, scale) (*(to) = (u16)encode_u16(x, low, scale))
#define hamlet_stream(to, from, bytes) memcpy(to, from, bytes)
#endif

/* Write a value as elements of a row: those of the lanes that are `written`, which are all where `whole`; where they
are `streamed`, too, past the caches, into a row that begins a cache line. */
#define HAMLET_PUT(T)                                                                                               \
    HAMLET_INLINE void put_##T(                                                                                     \
        T *row, ix lane, vf32 value, vbool written, bool whole, bool streamed, f32 low, f32 scale) {                \
        T kept[WIDE];                                                                                               \
        bool8 flags[WIDE];                                                                                          \
        if (HAMLET_LIKELY(whole)) {                                                                                 \
            if (!streamed) {                                                                                        \
                hamlet_keep_##T(row + lane, value, low, scale);                                                     \
                return;                                                                                             \
            }                                                                                                       \
            hamlet_keep_##T(kept, value, low, scale);                                                               \
            hamlet_stream(row + lane, kept, sizeof kept);                                                           \
            return;                                                                                                 \
        }                                                                                                           \
        hamlet_keep_##T(kept, value, low, scale);                                                                   \
        store_vbool(flags, 0, written);                                                                             \
        for (int each = 0; each < WIDE; each++)                                                                     \
            if (flags[each]) row[lane + each] = kept[each];                                                         \
    }                                                                                                               \
    /* Write what the flagged lanes of a vector, from `first` on, observe last, `count` rows of WIDE, to lines */    \
    /* in an array [lanes, rows], in which the chunk begins at line `start`. */                                     \
    HAMLET_HELPER void store_last_##T(                                                                              \
        const T *last, const bool8 *flags, ix first, array_##T array, ix start, ix count) {                         \
        for (ix lane = first; lane < first + WIDE; lane++) {                                                        \
            T *line = part_##T(array, start + lane, 0);                                                             \
            if (!flags[lane]) continue;                                                                             \
            for (ix row = 0; row < count; row++) line[row] = last[row * WIDE + lane - first];                       \
        }                                                                                                           \
    }
HAMLET_PUT(f32)
HAMLET_PUT(u8)
HAMLET_PUT(u16)

/* Wait until other threads see what was streamed. */
HAMLET_INLINE void drain(void) {
#if HAMLET_SSE2
    _mm_mfence();
#elif defined(__GNUC__)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* --- taps: what lines of a function compute, as bits, i32 [rows, lanes] --------------------------------------------*/

HAMLET_INLINE void tap_i32(array_i32 taps, ix row, ix lane, i32 value) { *part_i32(taps, row, lane) = value; }
HAMLET_INLINE void tap_u32(array_i32 taps, ix row, ix lane, u32 value) { tap_i32(taps, row, lane, to_i32_u32(value)); }
HAMLET_INLINE void tap_f32(array_i32 taps, ix row, ix lane, f32 value) { tap_u32(taps, row, lane, to_bits_f32(value)); }
HAMLET_INLINE void tap_bool(array_i32 taps, ix row, ix lane, bool value) { tap_i32(taps, row, lane, value); }
/* A value of such bits. */
HAMLET_INLINE i32 recall_i32(array_i32 taps, ix row, ix lane) { return *part_i32(taps, row, lane); }
HAMLET_INLINE u32 recall_u32(array_i32 taps, ix row, ix lane) { return (u32)recall_i32(taps, row, lane); }
HAMLET_INLINE f32 recall_f32(array_i32 taps, ix row, ix lane) { return from_bits_u32(recall_u32(taps, row, lane)); }
HAMLET_INLINE bool recall_bool(array_i32 taps, ix row, ix lane) { return recall_i32(taps, row, lane) != 0; }
/* Of a vector the first lane, and a vector with one value in all lanes. Compilers compute with numbers in place of
vectors that are known to be such: these are not. */
#define HAMLET_TAP(T, M)                                                               \
    HAMLET_INLINE void tap_v##T(array_i32 taps, ix row, ix lane, v##T values) {        \
        M lanes[WIDE];                                                                 \
        store_v##T(lanes, 0, values);                                                  \
        tap_##T(taps, row, lane, lanes[0]);                                            \
    }                                                                                  \
    HAMLET_HELPER void hamlet_fill_##T(M *lanes, T value) {                            \
        for (ix lane = 0; lane < WIDE; lane++) lanes[lane] = value;                    \
    }                                                                                  \
    HAMLET_INLINE v##T recall_v##T(array_i32 taps, ix row, ix lane) {                  \
        M lanes[WIDE];                                                                 \
        hamlet_fill_##T(lanes, recall_##T(taps, row, lane));                           \
        return fetch_v##T(lanes, 0);                                                   \
    }
HAMLET_TAP(f32, f32)
HAMLET_TAP(i32, i32)
HAMLET_TAP(u32, u32)
HAMLET_TAP(bool, bool8)

/* --- together: counts, totals and extremes of the agents of a world -------------------------------------------------
Arrays begin with the first lane of a chunk, world behind world; one of a world that takes several tiles has all its
agents. Of lanes that do not run they hold what changes nothing: zeros, false, infinities. */

/* Room for a number of each agent of a chunk, or of a large world, and for what is read behind them. */
#define TERMS (MOST_AGENTS + 2 * WORD)
/* Lanes of a world that takes several tiles, at most. */
#define TILED MOST_AGENTS
/* Room for a number of each lane of a chunk that was written world by world. */
#define SHARED (LANES + WIDE)
/* Room for the sums of a tree that are not added yet, of WIDE lanes: one on each level. */
#define TREE (12 * WIDE)

#if !HAMLET_VECTORS
#define HAMLET_PAIR even = values[2 * first], odd = values[2 * first + 1]
#else
#define HAMLET_EVEN(i) 2 * (i)
#define HAMLET_ODD(i) 2 * (i) + 1
#ifdef __clang__
#define HAMLET_SHUFFLE(f) __builtin_shufflevector(left, right, HAMLET_LIST(f))
#else
#define HAMLET_SHUFFLE(f) __builtin_shuffle(left, right, (vi32){HAMLET_LIST(f)})
#endif
#define HAMLET_PAIR                                                                             \
    left = fetch_vf32(values, 2 * first), right = fetch_vf32(values, 2 * first + WIDE),         \
    even = HAMLET_SHUFFLE(HAMLET_EVEN), odd = HAMLET_SHUFFLE(HAMLET_ODD)
#endif

/* Move the numbers of each world to a multiple of a power of two, with numbers that change nothing between them; that
power. */
HAMLET_INLINE ix hamlet_spread(f32 *values, ix agents, ix worlds, f32 absent) {
    ix padded = 1;
    while (padded < agents) padded *= 2;
    if (worlds == 1) {
        /* Lanes of a chunk that are nobody hold such numbers already. */
        for (ix first = (agents + LANES - 1) / LANES * LANES; first < padded; first++) values[first] = absent;
    } else if (padded != agents) {
        for (ix world = worlds - 1; world >= 0; world--) {
            for (ix agent = padded - 1; agent >= agents; agent--) values[world * padded + agent] = absent;
            for (ix agent = agents - 1; agent >= 0; agent--)
                values[world * padded + agent] = values[world * agents + agent];
        }
    }
    return padded;
}

/* Combine numbers 2 j and 2 j + 1 into number j until one of each world is left: number `world` of `values`. */
#define HAMLET_REDUCE(name, absent, combined)                                                   \
    HAMLET_INLINE void name(f32 *values, ix agents, ix worlds) {                                \
        for (ix padded = hamlet_spread(values, agents, worlds, absent) / 2; padded > 0; padded /= 2) \
            for (ix first = 0; first < padded * worlds; first += WIDE) {                        \
                vf32 HAMLET_PAIR;                                                               \
                store_vf32(values, first, combined);                                            \
            }                                                                                   \
    }
HAMLET_REDUCE(hamlet_total, 0.0f, add_vf32(even, odd))
HAMLET_REDUCE(hamlet_lowest, INFINITY_f32, lesser_vf32(even, odd))
HAMLET_REDUCE(hamlet_highest, -INFINITY_f32, greater_vf32(even, odd))

HAMLET_INLINE void hamlet_zero_of_nobody(f32 *values, ix agents, ix worlds, const bool8 *runs) {
    for (ix world = 0; world < worlds; world++)
        if (count_flags(runs, world * agents, agents) == 0) values[world] = 0.0f;
}

/* The total of each world, in the order of the tree: number `world` of `values` when this is done. */
HAMLET_HELPER void total_worlds(f32 *values, ix agents, ix worlds) { hamlet_total(values, agents, worlds); }
/* The least and the greatest number of each world, likewise; 0 where nobody runs. */
HAMLET_HELPER void lowest_worlds(f32 *values, ix agents, ix worlds, const bool8 *runs) {
    hamlet_lowest(values, agents, worlds);
    hamlet_zero_of_nobody(values, agents, worlds, runs);
}
HAMLET_HELPER void highest_worlds(f32 *values, ix agents, ix worlds, const bool8 *runs) {
    hamlet_highest(values, agents, worlds);
    hamlet_zero_of_nobody(values, agents, worlds, runs);
}

/* How many flags of each world are set. */
HAMLET_HELPER void count_worlds(const bool8 *flags, f32 *counts, ix agents, ix worlds) {
    for (ix world = 0; world < worlds; world++) counts[world] = (f32)count_flags(flags, world * agents, agents);
}

/* Write the number of each world to all its lanes; those of one world are at most a chunk's. */
HAMLET_HELPER void share_worlds(f32 *shared, const f32 *values, ix agents, ix worlds) {
    for (ix world = 0; world < worlds; world++) {
        vf32 value = alike_vf32(values[world]);
        ix begin = world * agents, end = begin + min_ix(agents, LANES);
        /* A vector reaches into the next world, which comes later. */
        for (ix first = begin; first < end; first += WIDE) store_vf32(shared, first, value);
    }
}

/* Add the next number of each lane, the `number`th from 0 on, to its sums: two that are complete on one level are
added, which gives one of the next. */
HAMLET_INLINE void add_to_tree(f32 *sums, ix number, vf32 value) {
    ix level = 0;
    for (; number >> level & 1; level++) value = add_vf32(fetch_vf32(sums, level * WIDE), value);
    store_vf32(sums, level * WIDE, value);
}

/* --- contention: who of a world comes before whom ------------------------------------------------------------------*/

/* Room for two counts of each priority, of which there are as many as agents at most. */
#define TALLIES (2 * (MOST_AGENTS + 1) + WIDE)

#if HAMLET_VECTORS
HAMLET_INLINE vi32 hamlet_one_more(vi32 count, vbool condition) { return subtract_vi32(count, condition); }
#else
HAMLET_INLINE i32 hamlet_one_more(i32 count, bool condition) { return count + condition; }
#endif

/* Compare each lane with each that counts. `keys` are the priorities of those, and `ranked` which these are. */
HAMLET_HELPER void hamlet_compare_world(
    const bool8 *counts, const u32 *priority, f32 *ranks, u32 *keys, i32 *ranked, ix begin, ix agents) {
    ix end = begin + agents, number = 0, before = 0;
    for (ix start = 0; start < agents; start += WORD)
        for (u64 bits = some_flags(counts, begin + start, agents - start); bits; bits = without_lowest(bits)) {
            ix lane = begin + start + lowest(bits);
            keys[number] = priority[lane];
            ranked[number++] = (i32)lane;
        }
    for (ix first = begin; first < end; first += WIDE) {
        /* A vector reaches into the next world, which comes later. */
        vu32 own = fetch_vu32(priority, first);
        vi32 numbers = to_i32_vu32(ramp_vu32((u32)first)), found = alike_vi32(0);
        for (ix index = 0; index < before; index++)
            found = hamlet_one_more(found, less_vu32(own, alike_vu32(keys[index] + 1u)));
        for (; before < number && ranked[before] < first + WIDE; before++) {
            vu32 key = alike_vu32(keys[before]);
            vu32 earlier = where_vu32(less_vi32(alike_vi32(ranked[before]), numbers), alike_vu32(1), alike_vu32(0));
            found = hamlet_one_more(found, less_vu32(own, add_vu32(earlier, key)));
        }
        for (ix index = before; index < number; index++)
            found = hamlet_one_more(found, less_vu32(own, alike_vu32(keys[index])));
        store_vf32(ranks, first, to_f32_vi32(found));
    }
}

/* Count the lanes of each priority: those of higher ones come first, then those that were counted before. */
HAMLET_HELPER void hamlet_tally_world(
    const bool8 *counts, const u32 *priority, f32 *ranks, u32 *keys, i32 *tally, ix few, ix begin, ix agents) {
    ix end = begin + agents;
    i32 before = 0;
    memset(tally, 0, (size_t)(2 * few + 2) * sizeof *tally);
    /* Twice the priority, and one more of a lane that counts: one number is looked at instead of two. */
    for (ix first = begin; first < end; first += WIDE) {
        vu32 own = fetch_vu32(priority, first);
        vu32 counted = where_vu32(fetch_vbool(counts, first), alike_vu32(1), alike_vu32(0));
        store_vu32(keys, first, add_vu32(add_vu32(own, own), counted));
    }
    for (ix lane = begin; lane < end; lane++) tally[keys[lane]]++;
    for (ix value = 2 * few; value > 0; value -= 2) {
        i32 here = tally[value + 1];
        tally[value] = before;
        before += here;
    }
    for (ix lane = begin; lane < end; lane++) {
        u32 key = keys[lane];
        i32 place = tally[key & ~1u];
        keys[lane] = (u32)place;
        tally[key & ~1u] = place + (i32)(key & 1u);
    }
    for (ix first = begin; first < end; first += WIDE)
        store_vf32(ranks, first, to_f32_vi32(to_i32_vu32(fetch_vu32(keys, first))));
}

/* How many lanes of its world that count come before each lane: those of a higher `priority`, neither 0 nor the
greatest one, of equals those of a lower number. `keys` and `ranked` are room for numbers of lanes. */
HAMLET_HELPER void rank_worlds(
    const bool8 *counts, const u32 *priority, f32 *ranks, u32 *keys, i32 *ranked, ix agents, ix worlds) {
    for (ix begin = 0; begin < worlds * agents; begin += agents)
        hamlet_compare_world(counts, priority, ranks, keys, ranked, begin, agents);
}

/* The same, where priorities are 1 .. `few`, at most MOST_AGENTS; `tally` is room for TALLIES numbers. */
HAMLET_HELPER void rank_few_worlds(
    const bool8 *counts, const u32 *priority, f32 *ranks, u32 *keys, i32 *ranked, i32 *tally, ix few, ix agents,
    ix worlds) {
    for (ix begin = 0; begin < worlds * agents; begin += agents) {
        ix number = count_flags(counts, begin, agents), vectors = (agents + WIDE - 1) / WIDE;
        /* Some vectors are compared with each that counts; counting looks at each lane and each priority once. */
        if (2 * number * (vectors + 1) < agents + few)
            hamlet_compare_world(counts, priority, ranks, keys, ranked, begin, agents);
        else
            hamlet_tally_world(counts, priority, ranks, keys, tally, few, begin, agents);
    }
}

/* Agents up to which each lane is compared with each: counting keys in memory is slower. */
#define FEW_AGENTS 32

HAMLET_INLINE void hamlet_alike_few(
    const bool8 *counts, const i32 *keys, const i32 *asked, f32 *found, bool8 others, ix begin, ix end) {
    for (ix first = begin; first < end; first += WIDE) {
        /* A vector reaches into the next world, which comes later. */
        vi32 own = fetch_vi32(asked, first), number = alike_vi32(0);
        for (ix lane = begin; lane < end; lane++)
            number = hamlet_one_more(number, equal_vi32(own, alike_vi32(counts[lane] ? keys[lane] : -2)));
        vi32 itself = where_vi32(equal_vi32(own, fetch_vi32(keys, first)), alike_vi32(others), alike_vi32(0));
        itself = where_vi32(fetch_vbool(counts, first), itself, alike_vi32(0));
        store_vf32(found, first, to_f32_vi32(subtract_vi32(number, itself)));
    }
}

HAMLET_INLINE void hamlet_alike_many(
    const bool8 *counts, const i32 *keys, const i32 *asked, f32 *found, i32 *tally, bool8 others, ix begin, ix end) {
    for (ix lane = begin; lane < end; lane++) {
        tally[keys[lane]] = 0;
        if (asked[lane] >= 0) tally[asked[lane]] = 0;
    }
    for (ix lane = begin; lane < end; lane++) tally[keys[lane]] += counts[lane];
    for (ix lane = begin; lane < end; lane++) {
        i32 own = others && counts[lane] && keys[lane] == asked[lane];
        found[lane] = asked[lane] < 0 ? 0.0f : (f32)(tally[asked[lane]] - own);
    }
}

/* How many lanes of its world that count, or how many others, have the key that each lane asks for; -1 is none. `tally` is
room for a number of each key. */
HAMLET_HELPER void alike_worlds(
    const bool8 *counts, const i32 *keys, const i32 *asked, f32 *found, i32 *tally, bool8 others, ix agents,
    ix worlds) {
    for (ix begin = 0; begin < worlds * agents; begin += agents)
        if (agents <= FEW_AGENTS)
            hamlet_alike_few(counts, keys, asked, found, others, begin, begin + agents);
        else
            hamlet_alike_many(counts, keys, asked, found, tally, others, begin, begin + agents);
}

/* How many of `number` numbers are above a threshold. */
HAMLET_INLINE ix hamlet_higher(const u32 *keys, ix number, u32 threshold, bool8 *above) {
    for (ix index = 0; index < number; index += WIDE)
        store_vbool(above, index, less_vu32(alike_vu32(threshold), fetch_vu32(keys, index)));
    return count_flags(above, 0, number);
}

/* The greatest number that at least as many have, or a greater one, as there are places left; beyond all numbers where
there are none. */
HAMLET_INLINE u32 hamlet_threshold(const u32 *keys, ix number, ix left, bool8 *above) {
    u32 highest = 0;
    i64 threshold = 0;
    for (ix index = 0; index < number; index++) highest = keys[index] > highest ? keys[index] : highest;
    if (left < 2) return left == 1 ? highest : 0xFFFFFFFFu;
    for (int bit = 31; bit >= 0; bit--) {
        i64 higher = threshold + ((i64)1 << bit);
        if (higher <= (i64)highest && hamlet_higher(keys, number, (u32)(higher - 1), above) >= left) threshold = higher;
    }
    return (u32)threshold;
}

/* Take away the claims of a world that find no place; there are more than places. */
HAMLET_HELPER void hamlet_contend(
    bool8 *claims, const bool8 *first, const u32 *priority, ix places, bool ordered, i32 *claiming, u32 *keys,
    bool8 *above, ix begin, ix agents) {
    ix number = 0, favoured = 0, left;
    bool among_first;
    u32 threshold;
    for (ix start = 0; start < agents; start += WORD)
        for (u64 bits = some_flags(claims, begin + start, agents - start); bits; bits = without_lowest(bits)) {
            ix lane = begin + start + lowest(bits);
            claiming[number++] = (i32)lane;
            favoured += first[lane] != 0;
        }
    /* Either some of the first find no place, or some of the others. */
    among_first = favoured > places;
    left = among_first ? places : places - favoured;
    for (ix index = 0; index < number; index++) {
        ix lane = claiming[index];
        /* 0 of those that do not contend; where priorities are equal, 1 of those that do. */
        keys[index] = (first[lane] != 0) != among_first ? 0 : ordered ? priority[lane] : 1;
    }
    store_vu32(keys, number, alike_vu32(0));
    threshold = hamlet_threshold(keys, number, left, above);
    left -= hamlet_higher(keys, number, threshold, above);
    for (ix index = 0; index < number; index++) {
        ix lane = claiming[index];
        u32 key = keys[index];
        if (key == 0) {
            if (among_first) claims[lane] = 0;
        } else if (key == threshold && left > 0) {
            left--;
        } else if (key <= threshold) {
            claims[lane] = 0;
        }
    }
}

/* Leave of the claims of each world as many as there are places, the same for its lanes: first those that are `first`,
then those of the highest `priority`, which is not 0, then those of the lowest number. Not `ordered`: all priorities are
equal. `claiming`, `keys` and `above` are room for numbers of lanes. */
HAMLET_HELPER void grant_worlds(
    bool8 *claims, const bool8 *first, const u32 *priority, const i32 *places, bool ordered, i32 *claiming, u32 *keys,
    bool8 *above, ix agents, ix worlds) {
    for (ix begin = 0; begin < worlds * agents; begin += agents)
        if (count_flags(claims, begin, agents) > places[begin])
            hamlet_contend(claims, first, priority, places[begin], ordered, claiming, keys, above, begin, agents);
}

/* --- spreading: the cells of a grid ---------------------------------------------------------------------------------
What the agents on each have together. Rows of cells are zeros when agents begin to be joined, and are zeros again when
they are cleared. */

/* How many of the `agents` lanes from `begin` on have a flag, on the cell at which each is: -1 where at none. */
HAMLET_HELPER void count_on_cells(
    f32 *joined, const bool8 *flags, const bool8 *runs, const i32 *standing, ix begin, ix agents) {
    for (ix lane = begin; lane < begin + agents; lane++)
        if (runs[lane] && flags[lane] && standing[lane] >= 0) joined[standing[lane]] += 1.0f;
}

/* The sum of the numbers of those that run, in their order, from 0 on. */
HAMLET_HELPER void total_on_cells(
    f32 *joined, const f32 *values, const bool8 *runs, const i32 *standing, ix begin, ix agents) {
    for (ix lane = begin; lane < begin + agents; lane++)
        if (runs[lane] && standing[lane] >= 0) joined[standing[lane]] += values[lane];
}

#if HAMLET_AVX2
#define HAMLET_TURN 8
/* Four numbers from each of eight places on become four rows of eight. */
HAMLET_INLINE void hamlet_turn(f32 *to, const f32 *cells, const i32 *starts) {
    __m256 low[4], pairs[4];
    for (int each = 0; each < 4; each++) {
        __m256 left = _mm256_castps128_ps256(_mm_loadu_ps(cells + starts[each]));
        low[each] = _mm256_insertf128_ps(left, _mm_loadu_ps(cells + starts[each + 4]), 1);
    }
    pairs[0] = _mm256_unpacklo_ps(low[0], low[1]), pairs[1] = _mm256_unpackhi_ps(low[0], low[1]);
    pairs[2] = _mm256_unpacklo_ps(low[2], low[3]), pairs[3] = _mm256_unpackhi_ps(low[2], low[3]);
    _mm256_storeu_ps(to, _mm256_shuffle_ps(pairs[0], pairs[2], 0x44));
    _mm256_storeu_ps(to + ROW, _mm256_shuffle_ps(pairs[0], pairs[2], 0xEE));
    _mm256_storeu_ps(to + 2 * ROW, _mm256_shuffle_ps(pairs[1], pairs[3], 0x44));
    _mm256_storeu_ps(to + 3 * ROW, _mm256_shuffle_ps(pairs[1], pairs[3], 0xEE));
}
#elif HAMLET_SSE2
#define HAMLET_TURN 4
HAMLET_INLINE void hamlet_turn(f32 *to, const f32 *cells, const i32 *starts) {
    __m128 rows[4];
    for (int each = 0; each < 4; each++) rows[each] = _mm_loadu_ps(cells + starts[each]);
    _MM_TRANSPOSE4_PS(rows[0], rows[1], rows[2], rows[3]);
    for (int each = 0; each < 4; each++) _mm_storeu_ps(to + each * ROW, rows[each]);
}
#endif

/* `count` numbers of cells, from `cell` on, of the world of each lane from `begin` to `end`: a row, ROW apart, for each
cell. */
HAMLET_HELPER void turn_cells(
    f32 *to, const f32 *cells, const i32 *starts, ix begin, ix end, ix cell, ix count) {
    ix lane = begin;
#if HAMLET_SSE2
    /* The last four may begin with some that were to before. */
    for (; count >= 4 && lane + HAMLET_TURN <= end; lane += HAMLET_TURN)
        for (ix each = 0; each < count; each += 4) {
            ix four = min_ix(each, count - 4);
            hamlet_turn(to + four * ROW + lane, cells + cell + four, starts + lane);
        }
#endif
    for (; lane < end; lane++)
        for (ix each = 0; each < count; each++) to[each * ROW + lane] = cells[starts[lane] + cell + each];
}

/* The least of these numbers and of what is there, and the greatest. */
HAMLET_HELPER void least_on_cells(
    f32 *joined, const f32 *values, const bool8 *runs, const i32 *standing, ix begin, ix agents) {
    for (ix lane = begin; lane < begin + agents; lane++)
        if (runs[lane] && standing[lane] >= 0 && !(joined[standing[lane]] < values[lane]))
            joined[standing[lane]] = values[lane];
}
HAMLET_HELPER void greatest_on_cells(
    f32 *joined, const f32 *values, const bool8 *runs, const i32 *standing, ix begin, ix agents) {
    for (ix lane = begin; lane < begin + agents; lane++)
        if (runs[lane] && standing[lane] >= 0 && !(values[lane] < joined[standing[lane]]))
            joined[standing[lane]] = values[lane];
}

/* That of the last of them. */
HAMLET_HELPER void last_on_cells(
    f32 *joined, const f32 *values, const bool8 *runs, const i32 *standing, ix begin, ix agents) {
    for (ix lane = begin; lane < begin + agents; lane++)
        if (runs[lane] && standing[lane] >= 0) joined[standing[lane]] = values[lane];
}

/* The least and the greatest of them. */
HAMLET_HELPER void lowest_on_cells(
    f32 *joined, const f32 *values, const bool8 *runs, const i32 *standing, ix begin, ix agents) {
    for (ix lane = begin; lane < begin + agents; lane++)
        if (runs[lane] && standing[lane] >= 0) joined[standing[lane]] = INFINITY_f32;
    least_on_cells(joined, values, runs, standing, begin, agents);
}
HAMLET_HELPER void highest_on_cells(
    f32 *joined, const f32 *values, const bool8 *runs, const i32 *standing, ix begin, ix agents) {
    for (ix lane = begin; lane < begin + agents; lane++)
        if (runs[lane] && standing[lane] >= 0) joined[standing[lane]] = -INFINITY_f32;
    greatest_on_cells(joined, values, runs, standing, begin, agents);
}

/* Whether one of those that run has a number that is not 0. */
HAMLET_HELPER bool8 any_on_cells(const f32 *values, const bool8 *runs, ix begin, ix agents) {
    bool8 found = 0;
    for (ix lane = begin; lane < begin + agents; lane++) found |= runs[lane] && values[lane] != 0.0f;
    return found;
}

/* Zeros where these agents are. */
HAMLET_HELPER void clear_cells(f32 *joined, const i32 *standing, ix begin, ix agents) {
    for (ix lane = begin; lane < begin + agents; lane++)
        if (standing[lane] >= 0) joined[standing[lane]] = 0.0f;
}

/* Flag the cells that have none before them on an axis of `size` cells, each a stride from the next; from `room` on,
those that have none behind them. */
HAMLET_HELPER void mark_edges(bool8 *flags, ix stride, ix size, ix cells, ix room) {
    for (ix cell = 0; cell < cells; cell++) {
        ix place = cell / stride % size;
        flags[cell] = place == 0;
        flags[room + cell] = place == size - 1;
    }
}

/* The sum, the least and the greatest of `count` numbers, which are overwritten: halves of what is left are combined
until one is left. `half` is half the least power of two that is not below their number. */
#define HAMLET_OVER(op, combined)                                                 \
    HAMLET_HELPER f32 op##_over_cells(f32 *values, ix count, ix half) {           \
        for (; half > 0; count = half, half /= 2) {                               \
            ix pairs = min_ix(half, count - half);                                \
            for (ix place = 0; place < pairs; place++) {                          \
                f32 left = values[place], right = values[half + place];           \
                values[place] = combined;                                         \
            }                                                                     \
        }                                                                         \
        return values[0];                                                         \
    }
HAMLET_OVER(total, left + right)
HAMLET_OVER(lowest, left < right ? left : right)
HAMLET_OVER(highest, right < left ? left : right)

/* --- self-test -----------------------------------------------------------------------------------------------------*/

/* What the compiler was told, or what the thread that asks has set, that would change bits. */
enum {
    HAMLET_EXACT,
    HAMLET_CONTRACTS,
    HAMLET_EXTENDS,
    HAMLET_DROPS_SUBNORMALS,
    HAMLET_FLUSHES_SUBNORMALS,
    HAMLET_ROUNDS_ELSEWHERE,
    HAMLET_REARRANGES,
    HAMLET_DROPS_ZEROS,
    HAMLET_DROPS_NANS,
    HAMLET_BIG_ENDIAN,
    HAMLET_OTHER_INTEGERS
};

/* A number that the compiler does not know. */
HAMLET_INLINE f32 hamlet_unknown(u32 bits) {
    volatile u32 hidden = bits;
    return from_bits_u32(hidden);
}
HAMLET_INLINE bool hamlet_is(f32 x, u32 bits) { return to_bits_f32(x) == bits; }
HAMLET_INLINE f32 hamlet_first_lane(vf32 x) {
    f32 lanes[WIDE];
    store_vf32(lanes, 0, x);
    return lanes[0];
}

/* 0 where kernels are exact, else the number of what is wrong. Of the thread that runs them: it has a rounding mode. */
HAMLET_HELPER i32 hamlet_selftest(void) {
    const u32 one = 0x3F800000u, least = 0x00800000u, half = 0x3F000000u;
    /* (1 + 2**-12)**2 = 1 + 2**-11 + 2**-24 */
    f32 a = hamlet_unknown(0x3F800800u), b = hamlet_unknown(0xBF801000u), tiny = hamlet_unknown(0x33800000u);
    f32 unit = hamlet_unknown(one), three = hamlet_unknown(0x40400000u), nan = hamlet_unknown(0x7FC00000u);
    f32 most = hamlet_unknown(0x7F7FFFFFu);
    vf32 va = alike_vf32(a), vb = alike_vf32(b);
    u32 order = 0x01020304u;
    u8 first;
    memcpy(&first, &order, 1);
    if (first != 4) return HAMLET_BIG_ENDIAN;
    if ((i32)0x80000000u != INT32_MIN || to_i32_u32(0xFFFFFFFFu) != -1) return HAMLET_OTHER_INTEGERS;
    /* Half a step from 1 on, and from the next number on, above and below zero: both go to the even one. */
    if (!hamlet_is(unit + tiny, one)) return HAMLET_ROUNDS_ELSEWHERE;
    if (!hamlet_is(hamlet_unknown(one + 1) + tiny, one + 2)) return HAMLET_ROUNDS_ELSEWHERE;
    if (!hamlet_is(-unit - tiny, one | 0x80000000u)) return HAMLET_ROUNDS_ELSEWHERE;
    if (!hamlet_is((unit + tiny) - unit, 0)) return HAMLET_REARRANGES;
    if (!hamlet_is(a * a + b, 0) || !hamlet_is(add_f32(multiply_f32(a, a), b), 0)) return HAMLET_CONTRACTS;
    if (!hamlet_is(hamlet_first_lane(va * va + vb), 0)) return HAMLET_CONTRACTS;
    if (!hamlet_is(hamlet_first_lane(add_vf32(multiply_vf32(va, va), vb)), 0)) return HAMLET_CONTRACTS;
    /* No product with a third is this quotient. */
    if (!hamlet_is(hamlet_unknown(0x40A00000u) / 3.0f, 0x3FD55555u)) return HAMLET_REARRANGES;
    if (!hamlet_is(hamlet_unknown(0x40A00000u) / three, 0x3FD55555u)) return HAMLET_REARRANGES;
    if (!hamlet_is(fma_f32(a, a, b), 0x33800000u)) return HAMLET_EXTENDS;
    if (!hamlet_is(most * hamlet_unknown(0x40000000u) * hamlet_unknown(half), 0x7F800000u)) return HAMLET_EXTENDS;
    if (!hamlet_is(hamlet_unknown(least >> 1) * 2.0f, least)) return HAMLET_DROPS_SUBNORMALS;
    if (!hamlet_is(hamlet_unknown(least) * hamlet_unknown(half), least >> 1)) return HAMLET_FLUSHES_SUBNORMALS;
    if (!hamlet_is(hamlet_unknown(0x80000000u) + 0.0f, 0)) return HAMLET_DROPS_ZEROS;
    if (nan == nan || less_equal_f32(nan, unit) || less_f32(unit, nan)) return HAMLET_DROPS_NANS;
    return HAMLET_EXACT;
}

/* --- launchers ------------------------------------------------------------------------------------------------------*/

#if defined(_WIN32)
#define HAMLET_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define HAMLET_EXPORT __attribute__((visibility("default")))
#else
#define HAMLET_EXPORT
#endif

/* Whether the actions that a table of words names are in range, those of none are. The words are whether to launch, the
address of actions and their number, how many actions there are, whether they are i64, and where i32 are written of
these. */
HAMLET_HELPER bool hamlet_actions(const i64 *words) {
    ix number = words[2];
    bool wrong = false;
    if (words[4] != 0) {
        const i64 *actions = (const i64 *)(uintptr_t)words[1];
        i32 *narrowed = (i32 *)(uintptr_t)words[5];
        for (ix lane = 0; lane < number; lane++) {
            wrong |= (u64)actions[lane] >= (u64)words[3];
            narrowed[lane] = to_i32_u32((u32)actions[lane]);
        }
    } else {
        const i32 *actions = (const i32 *)(uintptr_t)words[1];
        for (ix lane = 0; lane < number; lane++) wrong |= (u32)actions[lane] >= (u32)words[3];
    }
    return !wrong;
}

#ifdef HAMLET_LIBRARY
/* For whoever loads a shared library, see `hamlet.native.library`. */
HAMLET_EXPORT i32 hamlet_library_selftest(void);
HAMLET_EXPORT i32 hamlet_library_selftest(void) { return hamlet_selftest(); }
#endif

#endif
