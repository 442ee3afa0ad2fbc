/* What is in `hamlet.h` as functions of a shared object, over arrays: `lane_` for each number, `wide_` for each vector.
An array of numbers has a multiple of 64 of them. */
#include "hamlet.h"

ix wide(void) { return WIDE; }
i32 selftest(void) { return hamlet_selftest(); }
i32 selftest_with(u32 control) {
#if HAMLET_SSE2
    u32 before = _mm_getcsr();
    i32 wrong;
    _mm_setcsr(before | control);
    wrong = hamlet_selftest();
    _mm_setcsr(before);
    return wrong;
#else
    (void)control;
    return -1;
#endif
}

#define BINARY(name, T, R, M)                                                                            \
    void lane_##name##_##T(const M *a, const M *b, HELD_##R *r, ix n) {                                  \
        for (ix i = 0; i < n; i++) store_##R(r, i, name##_##T(load_##T(a, i), load_##T(b, i)));          \
    }                                                                                                    \
    void wide_##name##_##T(const M *a, const M *b, HELD_##R *r, ix n) {                                  \
        for (ix i = 0; i < n; i += WIDE) store_v##R(r, i, name##_v##T(fetch_v##T(a, i), fetch_v##T(b, i))); \
    }
#define UNARY(name, T, R, M)                                                                             \
    void lane_##name##_##T(const M *a, HELD_##R *r, ix n) {                                              \
        for (ix i = 0; i < n; i++) store_##R(r, i, name##_##T(load_##T(a, i)));                          \
    }                                                                                                    \
    void wide_##name##_##T(const M *a, HELD_##R *r, ix n) {                                              \
        for (ix i = 0; i < n; i += WIDE) store_v##R(r, i, name##_v##T(fetch_v##T(a, i)));                \
    }
#define WHERE(T, M)                                                                                      \
    void lane_where_##T(const bool8 *c, const M *a, const M *b, M *r, ix n) {                            \
        for (ix i = 0; i < n; i++) store_##T(r, i, where_##T(load_bool(c, i), load_##T(a, i), load_##T(b, i))); \
    }                                                                                                    \
    void wide_where_##T(const bool8 *c, const M *a, const M *b, M *r, ix n) {                            \
        for (ix i = 0; i < n; i += WIDE)                                                                 \
            store_v##T(r, i, where_v##T(fetch_vbool(c, i), fetch_v##T(a, i), fetch_v##T(b, i)));         \
    }
#define HELD_f32 f32
#define HELD_i32 i32
#define HELD_u32 u32
#define HELD_bool bool8

#define NUMBERS(T) BINARY(add, T, T, T) BINARY(subtract, T, T, T) BINARY(multiply, T, T, T) UNARY_OF_##T
#define ORDER(T) BINARY(less, T, bool, T) BINARY(less_equal, T, bool, T) BINARY(equal, T, bool, T) WHERE(T, T)
#define UNARY_OF_f32 UNARY(negate, f32, f32, f32) UNARY(absolute, f32, f32, f32)
#define UNARY_OF_i32 UNARY(negate, i32, i32, i32) UNARY(absolute, i32, i32, i32)
#define UNARY_OF_u32
NUMBERS(f32) NUMBERS(i32) NUMBERS(u32) ORDER(f32) ORDER(i32) ORDER(u32)
BINARY(divide, f32, f32, f32)
BINARY(divide, u32, u32, u32)
BINARY(remainder, u32, u32, u32)
BINARY(mulhigh, u32, u32, u32)
BINARY(bit_and, u32, u32, u32)
BINARY(bit_or, u32, u32, u32)
BINARY(bit_xor, u32, u32, u32)
BINARY(shift_left, u32, u32, u32)
BINARY(shift_right, u32, u32, u32)
BINARY(equal, bool, bool, bool8)
BINARY(bit_and, bool, bool, bool8)
BINARY(bit_or, bool, bool, bool8)
UNARY(not, bool, bool, bool8)
WHERE(bool, bool8)
/* Of vectors alone. */
#define CHOSEN_OF(name)                                                                                  \
    void wide_##name##_f32(const f32 *a, const f32 *b, f32 *r, ix n) {                                   \
        for (ix i = 0; i < n; i += WIDE)                                                                 \
            store_vf32(r, i, name##_vf32(fetch_vf32(a, i), fetch_vf32(b, i)));                           \
    }
CHOSEN_OF(lesser) CHOSEN_OF(greater)
UNARY(square_root, f32, f32, f32)
UNARY(to_f32, i32, f32, i32)
UNARY(to_i32, u32, i32, u32)
UNARY(to_u32, i32, u32, i32)
UNARY(to_bits, f32, u32, f32)
UNARY(from_bits, u32, f32, u32)
void lane_fma_f32(const f32 *a, const f32 *b, const f32 *c, f32 *r, ix n) {
    for (ix i = 0; i < n; i++) r[i] = fma_f32(a[i], b[i], c[i]);
}
void wide_fma_f32(const f32 *a, const f32 *b, const f32 *c, f32 *r, ix n) {
    for (ix i = 0; i < n; i += WIDE) store_vf32(r, i, fma_vf32(fetch_vf32(a, i), fetch_vf32(b, i), fetch_vf32(c, i)));
}

/* memory */
#define WIDEN(T, R)                                                                                \
    void lane_widen_##T(const T *a, R *r, ix n) { for (ix i = 0; i < n; i++) r[i] = load_##T(a, i); } \
    void lane_narrow_##T(const R *a, T *r, ix n) { for (ix i = 0; i < n; i++) store_##T(r, i, a[i]); }
#define WIDEN_VECTORS(T, R)                                                                        \
    void wide_widen_##T(const T *a, R *r, ix n) {                                                  \
        for (ix i = 0; i < n; i += WIDE) store_v##R(r, i, fetch_v##T(a, i));                       \
    }                                                                                              \
    void wide_narrow_##T(const R *a, T *r, ix n) {                                                 \
        for (ix i = 0; i < n; i += WIDE) store_v##T(r, i, fetch_v##R(a, i));                       \
    }
WIDEN(i8, i32) WIDEN(u8, u32) WIDEN(u16, u32) WIDEN(i64, i64) WIDEN_VECTORS(i8, i32) WIDEN_VECTORS(u8, u32)
void copy_bool(const bool8 *a, bool8 *lanes, bool8 *vectors, ix n) {
    for (ix i = 0; i < n; i++) store_bool(lanes, i, load_bool(a, i));
    for (ix i = 0; i < n; i += WIDE) store_vbool(vectors, i, fetch_vbool(a, i));
}
void fill(f32 x, i32 y, u32 z, bool w, f32 *xs, i32 *ys, u32 *zs, bool8 *ws, u32 *ramps, ix n) {
    for (ix i = 0; i < n; i += WIDE) {
        store_vf32(xs, i, alike_vf32(x));
        store_vi32(ys, i, alike_vi32(y));
        store_vu32(zs, i, alike_vu32(z));
        store_vbool(ws, i, alike_vbool(w));
        store_vu32(ramps, i, ramp_vu32(z + (u32)i));
    }
}
#define CHUNK(T, M)                                                                                           \
    void load_##T##_lanes(M *chunk, array_##M array, ix row, ix start, ix count) {                            \
        load_lanes_##T(chunk, part_##M(array, row, start), count);                                            \
    }                                                                                                         \
    void store_##T##_lanes(const M *chunk, array_##M array, ix row, ix start, ix count) {                     \
        store_lanes_##T(chunk, part_##M(array, row, start), count);                                           \
    }                                                                                                         \
    void load_##T##_worlds(M *chunk, const M *array, ix agents, ix agent, ix count) {                         \
        load_worlds_##T(chunk, array, agents, agent, count);                                                  \
    }                                                                                                         \
    void store_##T##_worlds(const M *chunk, M *array, ix agents, ix count) {                                  \
        store_worlds_##T(chunk, array, agents, count);                                                        \
    }                                                                                                         \
    bool room_of_##T(ix count) {                                                                              \
        M *zeros = room_##T(count), *any = room_like_##T(count);                                              \
        bool good = zeros != NULL && any != NULL && (uintptr_t)zeros % 64 == 0 && (uintptr_t)any % 64 == 0;    \
        for (ix i = 0; i < count; i++) good = good && zeros[i] == 0, any[i] = zeros[i];                       \
        give_back(zeros);                                                                                     \
        give_back(any);                                                                                       \
        return good;                                                                                          \
    }                                                                                                         \
    bool local_of_##T(void) {                                                                                 \
        local(M, some, 100);                                                                                  \
        rows(M, several, 2);                                                                                  \
        unset(M, any, 100);                                                                                   \
        bool good = sizeof several == 2 * LANES * sizeof(M);                                                  \
        for (ix i = 0; i < 100; i++) any[i] = some[i], good = good && some[i] == 0 && several[5 * i] == 0;    \
        return good && any[99] == 0;                                                                          \
    }
CHUNK(f32, f32) CHUNK(i8, i8) CHUNK(u8, u8) CHUNK(u16, u16) CHUNK(i32, i32) CHUNK(u32, u32) CHUNK(i64, i64)
CHUNK(bool, bool8)
void widen_lanes(const i8 *chunk, i32 *array, ix count) { store_lanes_i8_i32(chunk, array, count); }

/* tables */
#define TAKE(T)                                                                                  \
    void lane_take_##T(const T *data, const i32 *index, T *r, ix n) {                            \
        for (ix i = 0; i < n; i++) r[i] = take_##T(data, index[i]);                              \
    }                                                                                            \
    void wide_take_##T(const T *data, const i32 *index, T *r, ix n) {                            \
        for (ix i = 0; i < n; i += WIDE) store_v##T(r, i, take_v##T(data, fetch_vi32(index, i))); \
    }                                                                                            \
    TAKE_SHORT(T, 1) TAKE_SHORT(T, 8) TAKE_SHORT(T, 9) TAKE_SHORT(T, 16) TAKE_SHORT(T, 17)       \
    TAKE_SHORT(T, 32) TAKE_SHORT(T, 33) TAKE_SHORT(T, 64)
#define TAKE_SHORT(T, E)                                                                         \
    void wide_take_short_##T##_##E(const T *data, const i32 *index, T *r, ix n) {                \
        for (ix i = 0; i < n; i += WIDE) store_v##T(r, i, take_short_v##T(data, E, fetch_vi32(index, i))); \
    }
TAKE(f32) TAKE(i32) TAKE(u32)
short_table(f32, named, 10) = {1.0f, 2.0f, 3.0f};
ix take_named(f32 *r) {
    for (i32 i = 0; i < 16; i++) r[i] = take_f32(named, i);
    return (ix)(sizeof named + (uintptr_t)named % 64 + SHORT(17) + SHORT(33));
}

/* flags */
u64 word_of(const bool8 *flags, ix start) { return flags_of(flags, start); }
bool are_all_set(const bool8 *flags) { return all_set(flags); }
bool is_any_set(const bool8 *flags) { return any_set(fetch_vbool(flags, 0)); }
ix chosen_lanes(const bool8 *flags, u8 *lanes) { return choose_lanes(flags, lanes); }
ix flags_counted(const bool8 *flags, ix begin, ix agents) { return count_flags(flags, begin, agents); }

/* counts */
#define USES(S, T)                                                                                \
    ix uses_##S##_##T(const S *used, T *notes, ix noted, i64 *uses, ix kinds) {                   \
        return count_uses_##S##_##T(used, notes, noted, uses, kinds);                             \
    }                                                                                             \
    void notes_##S##_##T(T *notes, ix noted, i64 *uses, ix kinds) { add_notes_##T(notes, noted, uses, kinds); }
USES(i8, u8) USES(i32, u8) USES(i32, u16) USES(i32, u32)
#define EPISODES(C)                                                                               \
    void episodes_##C(                                                                            \
        const u8 *lanes, ix chosen, const C *cause, const i32 *age, const f32 *episode_return, i64 *causes, \
        i64 *lengths, ix longest, f32 *finished_return) {                                         \
        count_episodes_##C(lanes, chosen, cause, age, episode_return, causes, lengths, longest, finished_return); \
    }
EPISODES(i8) EPISODES(i32)
void meter_added(i64 *sums, ix row, f32 value, f32 scale) { add_meter(sums, row, value, scale); }
#define BY_LANE(S, C)                                                                             \
    void by_lane_##S##_##C(                                                                       \
        const S *used, const C *cause, const i32 *age, const f32 *episode_return, i32 *uses, i32 *episodes, \
        i32 *lengths, f32 *returns, i32 *causes, ix kept, ix lanes) {                             \
        count_by_lane_##S##_##C(                                                                  \
            used, cause, age, episode_return, uses, episodes, lengths, returns, causes, kept, lanes); \
    }
BY_LANE(i8, i8) BY_LANE(i8, i32) BY_LANE(i32, i8) BY_LANE(i32, i32)

/* cells, policies, shares */
void found_cells(i8 *found, const u8 *standing, const u8 *cells, ix count) { find(found, standing, cells, count); }
void scattered(const u32 *values, u8 *cells, ix lane, ix count) {
    for (ix first = 0; first < count; first += WIDE) scatter_vu32(fetch_vu32(values, first), cells, lane, first, count);
}
void looked_up(i32 *action, const i32 *choices, const i32 *situation, ix count) { look_up(action, choices, situation, count); }
void drawn(i32 *action, const i32 *thresholds, ix columns, const i32 *situation, ix count) {
    draw(action, thresholds, columns, situation, count);
}
i64 worlds_taken(array_i64 shares, ix thread, ix per_chunk) { return next_worlds(shares, thread, per_chunk); }

/* observations and taps */
#define OBSERVE(T)                                                                                             \
    void encode_to_##T(const f32 *x, T *r, f32 low, f32 scale, ix n) {                                         \
        for (ix i = 0; i < n; i++) r[i] = (T)encode_##T(x[i], low, scale);                                     \
    }                                                                                                          \
    void put_row_##T(T *row, const f32 *x, const bool8 *written, bool whole, bool streamed, f32 low, f32 scale, ix n) { \
        for (ix i = 0; i < n; i += WIDE)                                                                       \
            put_##T(row, i, fetch_vf32(x, i), fetch_vbool(written, i), whole, streamed, low, scale);           \
        drain();                                                                                               \
    }                                                                                                          \
    void last_##T(const T *last, const bool8 *flags, ix first, array_##T array, ix start, ix count) {          \
        store_last_##T(last, flags, first, array, start, count);                                               \
    }
OBSERVE(f32) OBSERVE(u8) OBSERVE(u16)
void tapped(array_i32 taps, ix lane, i32 a, u32 b, f32 c, bool d) {
    tap_i32(taps, 0, lane, a);
    tap_u32(taps, 1, lane, b);
    tap_f32(taps, 2, lane, c);
    tap_bool(taps, 3, lane, d);
}
void recalled(array_i32 taps, ix lane, i32 *a, u32 *b, f32 *c, bool8 *d) {
    *a = recall_i32(taps, 0, lane), *b = recall_u32(taps, 1, lane), *c = recall_f32(taps, 2, lane);
    *d = recall_bool(taps, 3, lane);
}

/* together, contention, spreading */
void total(f32 *values, ix agents, ix worlds) { total_worlds(values, agents, worlds); }
void lowest_of(f32 *values, ix agents, ix worlds, const bool8 *runs) { lowest_worlds(values, agents, worlds, runs); }
void highest_of(f32 *values, ix agents, ix worlds, const bool8 *runs) { highest_worlds(values, agents, worlds, runs); }
void counted(const bool8 *flags, f32 *counts, ix agents, ix worlds) { count_worlds(flags, counts, agents, worlds); }
void shared(f32 *to, const f32 *values, ix agents, ix worlds) { share_worlds(to, values, agents, worlds); }
ix room_of(ix what) { return what == 0 ? TERMS : what == 1 ? SHARED : what == 2 ? TREE : what == 3 ? TALLIES : NOTES; }
void tree(f32 *sums, const f32 *values, ix numbers) {
    for (ix number = 0; number < numbers; number++) add_to_tree(sums, number, fetch_vf32(values, number * WIDE));
}
void ranks(const bool8 *counts, const u32 *priority, f32 *found, u32 *keys, i32 *ranked, ix agents, ix worlds) {
    rank_worlds(counts, priority, found, keys, ranked, agents, worlds);
}
void few_ranks(
    const bool8 *counts, const u32 *priority, f32 *found, u32 *keys, i32 *ranked, i32 *tally, ix few, ix agents, ix worlds) {
    rank_few_worlds(counts, priority, found, keys, ranked, tally, few, agents, worlds);
}
void alikes(
    const bool8 *counts, const i32 *keys, const i32 *asked, f32 *found, i32 *tally, bool others, ix agents, ix worlds) {
    alike_worlds(counts, keys, asked, found, tally, others, agents, worlds);
}
void grants(
    bool8 *claims, const bool8 *first, const u32 *priority, const i32 *places, bool ordered, i32 *claiming, u32 *keys,
    bool8 *above, ix agents, ix worlds) {
    grant_worlds(claims, first, priority, places, ordered, claiming, keys, above, agents, worlds);
}
void on_cells(ix op, f32 *joined, const f32 *values, const bool8 *flags, const bool8 *runs, const i32 *standing, ix begin,
              ix agents) {
    if (op == 0) count_on_cells(joined, flags, runs, standing, begin, agents);
    if (op == 1) total_on_cells(joined, values, runs, standing, begin, agents);
    if (op == 2) lowest_on_cells(joined, values, runs, standing, begin, agents);
    if (op == 3) highest_on_cells(joined, values, runs, standing, begin, agents);
    if (op == 4) clear_cells(joined, standing, begin, agents);
}
void turned(f32 *rows, const f32 *cells, const i32 *starts, ix begin, ix end, ix cell, ix count) {
    turn_cells(rows, cells, starts, begin, end, cell, count);
}
void edges(bool8 *flags, ix stride, ix size, ix cells, ix room) { mark_edges(flags, stride, size, cells, room); }
f32 over_cells(ix op, f32 *values, ix count, ix half) {
    if (op == 0) return total_over_cells(values, count, half);
    return op == 1 ? lowest_over_cells(values, count, half) : highest_over_cells(values, count, half);
}
