/* A rollout of a network: chunk by chunk, and in each tick by tick, the network and then a kernel that runs the tick.

What the kernel observes of a chunk goes into arrays of the thread, which the network reads while they are in the cache.
The kernel is called by a table of its arguments (`hamlet.launch.cpu.entry`), of which calls change some. */

#include "remembering.h"

/* The fields of these are those of the tuples of `hamlet.launch.cpu.playing`, which say what they are. */

typedef struct {
    i64 (*kernel)(i64 *);
    array_i64 memory;
    ix observation, final, mask, actions, worlds, tick, ticks, known;
    array_i64 given, shares;
} frame;

typedef struct {
    array_f32 observation, final, cut;
    array_bool8 mask;
    array_f32 heads, cut_heads;
    array_i32 action;
    array_f32 log_prob, room;
    array_u32 flags, words;
} own_arrays;

typedef struct {
    ix worlds, agents, first_world, shows_ends;
    i64 low, high, tick;
    array_f32 observation, final;
    array_bool8 mask, alive;
    array_f32 reward;
    array_bool8 terminated, truncated;
} world_arrays;

typedef struct {
    array_f32 observations;
    array_bool8 masks, alive;
    array_i32 actions;
    array_f32 log_probs, values, rewards;
    array_bool8 terminated, truncated;
    array_f32 final_values;
} stored_arrays;

/* The lanes of a chunk: the first of them, and how many there are. */
typedef struct {
    ix start, count;
} lanes_of;

#define COPIES(T, M)                                                                                       \
    /* Copy rows of a chunk to those of an array of all lanes from row `first` on. */                      \
    HAMLET_HELPER void copy_rows_##T(array_##M source, array_##M target, ix first, lanes_of lanes) {       \
        for (ix row = 0; row < source.rows; row++)                                                         \
            store_lanes_##T(part_##M(source, row, 0), part_##M(target, first + row, lanes.start), lanes.count); \
    }                                                                                                      \
    /* The same of numbers that lie side by side, to a row, where there are rows. */                       \
    HAMLET_HELPER void keep_##T(const M *source, array_##M target, ix row, lanes_of lanes) {               \
        if (target.rows > 0) store_lanes_##T(source, part_##M(target, row, lanes.start), lanes.count);     \
    }
COPIES(f32, f32)
COPIES(i32, i32)
COPIES(bool, bool8)

/* Let the kernel write what it observes of the lanes from `start` on into the thread's own arrays. */
static void aim(const frame *call, const own_arrays *own, ix start) {
    call->memory.data[call->observation] = (i64)(uintptr_t)own->observation.data - 4 * start;
    call->memory.data[call->final] = (i64)(uintptr_t)own->final.data - 4 * own->final.columns * start;
    call->memory.data[call->mask] = (i64)(uintptr_t)own->mask.data - start;
    call->memory.data[call->actions] = (i64)(uintptr_t)own->action.data - 4 * start;
}

/* Run the kernel for these worlds: a tick, number `index` of the rollout, or none, which observes. */
static void run(const frame *call, ix world, ix end, i64 now, ix index, ix ticks) {
    call->shares.data[HAMLET_NEXT] = world;
    call->shares.data[HAMLET_LAST] = end;
    call->memory.data[call->worlds] = end;
    call->memory.data[call->tick] = now;
    call->memory.data[call->ticks] = ticks;
    for (ix number = 0; number < call->given.rows; number++) {
        const i64 *given = part_i64(call->given, number, 0);
        call->memory.data[given[0]] = given[1] + index * given[2];
    }
    /* The table names no actions to look at, so none is out of range. */
    call->kernel(call->memory.data);
}

/* The heads of the lanes of a chunk, member after member. */
static void evaluate(const network *net, seen_lanes of, f32 *room, lanes_of lanes) {
    const i64 *members = net->of_agents.data;
    ix agents = net->of_agents.rows, worlds = agents > 0 ? lanes.count / agents : 0, lane = 0;
    if (worlds >= TOGETHER) {
        /* A chunk has whole worlds: an agent of all of them at once. */
        flag_inputs(of.x, NULL, net->sizes.data[0], of.pitch, lanes.count, of.flags);
        for (ix agent = 0; agent < agents; agent++)
            evaluate_lanes(
                net, net->weights.data + members[agent] * net->size, from_lane(of, agent), agents, worlds, room);
        return;
    }
    while (lane < lanes.count) {
        ix member, end = lane + 1;
        if (agents > 0) {
            member = members[lane % agents];
            while (end % agents != 0 && members[end % agents] == member) end++;
        } else {
            member = (lanes.start + lane) / net->lanes;
            end = min_ix((member + 1) * net->lanes - lanes.start, lanes.count);
        }
        evaluate_lanes(net, net->weights.data + member * net->size, from_lane(of, lane), 1, end - lane, room);
        lane = end;
    }
}

/* The heads of what a chunk observes, `x`; `age` is NULL where no episode begins. */
static void evaluate_chunk(
    const network *net, const own_arrays *own, const recalling *recalls, array_f32 x, const i32 *age, array_f32 heads,
    f32 *now, lanes_of lanes) {
    seen_lanes of = {x.data, own->flags.data, heads.data, x.columns};
    if (recalls == NULL)
        evaluate(net, of, own->room.data, lanes);
    else
        evaluate_remembering(net, recalls, of, age, lanes.count, now, own->room.data);
}

/* The heads of what it observes now, and what it remembers then. */
static void evaluate_now(
    const network *net, const own_arrays *own, const recalling *recalls, lanes_of lanes) {
    const i32 *age = recalls == NULL ? NULL : part_i32(recalls->age, 0, lanes.start);
    f32 *now = recalls == NULL ? NULL : recalls->now.data;
    evaluate_chunk(net, own, recalls, own->observation, age, own->heads, now, lanes);
}

/* What a chunk remembers after its decision. */
static void remember(const recalling *recalls, const own_arrays *own, lanes_of lanes) {
    memcpy(
        recalls->own_hidden.data, recalls->now.data, sizeof(f32) * (size_t)(lanes.count * recalls->now.columns));
    copy_rows_f32(own->observation, recalls->own_before, 0, (lanes_of){0, lanes.count});
    keep_i32(own->action.data, recalls->own_acted, 0, (lanes_of){0, lanes.count});
}

/* Take what a chunk remembers from the arrays of all lanes, or write it back. */
static void take_memory(const recalling *recalls, lanes_of lanes) {
    for (ix lane = 0; lane < lanes.count; lane++)
        for (ix row = 0; row < recalls->hidden.rows; row++)
            *part_f32(recalls->own_hidden, lane, row) = *part_f32(recalls->hidden, row, lanes.start + lane);
    for (ix row = 0; row < recalls->before.rows; row++)
        store_lanes_f32(
            part_f32(recalls->before, row, lanes.start), part_f32(recalls->own_before, row, 0), lanes.count);
    store_lanes_i32(part_i32(recalls->acted, 0, lanes.start), recalls->own_acted.data, lanes.count);
}
static void leave_memory(const recalling *recalls, lanes_of lanes) {
    for (ix lane = 0; lane < lanes.count; lane++)
        for (ix row = 0; row < recalls->hidden.rows; row++)
            *part_f32(recalls->hidden, row, lanes.start + lane) = *part_f32(recalls->own_hidden, lane, row);
    copy_rows_f32(recalls->own_before, recalls->before, 0, lanes);
    keep_i32(recalls->own_acted.data, recalls->acted, 0, lanes);
}

/* The random words of the lanes of a chunk, for four ticks. */
static void draw_words(const own_arrays *own, const world_arrays *worlds, lanes_of lanes, i64 now) {
    ix lane = worlds->first_world * worlds->agents + lanes.start;
    for (ix first = 0; first < lanes.count; first += WIDE) {
        vu32 numbers = ramp_vu32((u32)(lane + first));
        drawn_words drawn = policy_words(numbers, (u32)now, (u32)worlds->low, (u32)worlds->high);
        for (ix row = 0; row < 4; row++) store_vu32(part_u32(own->words, row, first), 0, drawn.word[row]);
    }
}

/* The actions of the lanes of a chunk, and their chances where somebody asks for those. */
static void decide(const network *net, const own_arrays *own, bool chances, lanes_of lanes, i64 now) {
    for (ix first = 0; first < lanes.count; first += WIDE)
        choose(
            own->heads.data + first, own->mask.data + first, own->mask.columns, own->mask.rows, net->sample != 0,
            fetch_vu32(part_u32(own->words, now & 3, first), 0), own->action.data + first,
            chances ? own->log_prob.data + first : NULL, own->room.data);
}

/* What the network saw and chose. */
static void store_seen(
    const stored_arrays *store, const own_arrays *own, const world_arrays *worlds, ix value, ix index,
    lanes_of lanes) {
    if (store->observations.rows > 0)
        copy_rows_f32(own->observation, store->observations, index * own->observation.rows, lanes);
    if (store->masks.rows > 0) copy_rows_bool(own->mask, store->masks, index * own->mask.rows, lanes);
    keep_bool(part_bool8(worlds->alive, 0, lanes.start), store->alive, index, lanes);
    keep_i32(own->action.data, store->actions, index, lanes);
    keep_f32(own->log_prob.data, store->log_probs, index, lanes);
    keep_f32(part_f32(own->heads, value, 0), store->values, index, lanes);
}

/* What came of it. */
static void store_outcome(const stored_arrays *store, const world_arrays *worlds, ix index, lanes_of lanes) {
    keep_f32(part_f32(worlds->reward, 0, lanes.start), store->rewards, index, lanes);
    keep_bool(part_bool8(worlds->terminated, 0, lanes.start), store->terminated, index, lanes);
    keep_bool(part_bool8(worlds->truncated, 0, lanes.start), store->truncated, index, lanes);
}

/* The value of the last observation of episodes that were cut off: of worlds that began anew the final one, whose agents
are alive again. */
static void store_final(
    const network *net, const stored_arrays *store, const own_arrays *own, const world_arrays *worlds,
    const recalling *recalls, ix value, ix index, lanes_of lanes) {
    const bool8 *truncated = part_bool8(worlds->truncated, 0, lanes.start), *alive = part_bool8(worlds->alive, 0, lanes.start);
    const f32 *values = part_f32(own->heads, value, 0);
    f32 *kept = part_f32(store->final_values, index, lanes.start);
    bool some = false;
    for (ix lane = 0; lane < lanes.count; lane++) {
        kept[lane] = truncated[lane] ? values[lane] : 0.0f;
        if (truncated[lane] && alive[lane] && !worlds->shows_ends) {
            some = true;
            for (ix row = 0; row < own->cut.rows; row++)
                *part_f32(own->cut, row, lane) = *part_f32(own->final, lane, row);
        }
    }
    if (!some) return;
    evaluate_chunk(net, own, recalls, own->cut, NULL, own->cut_heads, NULL, lanes);
    values = part_f32(own->cut_heads, value, 0);
    for (ix lane = 0; lane < lanes.count; lane++)
        if (truncated[lane] && alive[lane]) kept[lane] = values[lane];
}

/* The ticks of the worlds of a chunk. */
static void play_chunk(
    const frame *call, const network *net, const own_arrays *own, const world_arrays *worlds,
    const stored_arrays *store, const recalling *recalls, ix world, ix end, ix ticks) {
    lanes_of lanes = {world * worlds->agents, (end - world) * worlds->agents};
    ix value = net->sizes.data[net->sizes.rows - 1] - 1;
    size_t last = worlds->final.rows > 0 ? sizeof(f32) * (size_t)(lanes.count * own->final.columns) : 0;
    if (last > 0) memcpy(own->final.data, part_f32(worlds->final, lanes.start, 0), last);
    aim(call, own, lanes.start);
    run(call, world, end, worlds->tick, 0, 0);
    if (call->known >= 0) call->memory.data[call->known] = 1;
    if (recalls != NULL) take_memory(recalls, lanes);
    evaluate_now(net, own, recalls, lanes);
    for (ix index = 0; index < ticks; index++) {
        if (net->sample && (index == 0 || (worlds->tick + index) % 4 == 0))
            draw_words(own, worlds, lanes, worlds->tick + index);
        decide(net, own, store->log_probs.rows > 0, lanes, worlds->tick + index);
        store_seen(store, own, worlds, value, index, lanes);
        if (recalls != NULL) remember(recalls, own, lanes);
        run(call, world, end, worlds->tick + index, index, 1);
        store_outcome(store, worlds, index, lanes);
        /* What comes after the last tick is for its value alone. */
        if (index + 1 < ticks || store->values.rows > 0 || store->final_values.rows > 0)
            evaluate_now(net, own, recalls, lanes);
        if (store->final_values.rows > 0) store_final(net, store, own, worlds, recalls, value, index, lanes);
    }
    if (recalls != NULL) leave_memory(recalls, lanes);
    keep_f32(part_f32(own->heads, value, 0), store->values, ticks, lanes);
    copy_rows_f32(own->observation, worlds->observation, 0, lanes);
    if (last > 0) memcpy(part_f32(worlds->final, lanes.start, 0), own->final.data, last);
    copy_rows_bool(own->mask, worlds->mask, 0, lanes);
}

/* So many ticks of the worlds that a thread takes, `per_chunk` at a time. `shares` is that of `next_worlds`. */
HAMLET_EXPORT void hamlet_play(
    const frame *call, const network *net, const own_arrays *own, const world_arrays *worlds,
    const stored_arrays *store, const recalling *recalls, const array_i64 *shares, ix thread, ix per_chunk, ix ticks) {
    i64 known = call->known >= 0 ? call->memory.data[call->known] : 0;
    for (;;) {
        ix world = next_worlds(*shares, thread, per_chunk);
        if (world < 0) return;
        if (call->known >= 0) call->memory.data[call->known] = known;
        play_chunk(call, net, own, worlds, store, recalls, world, min_ix(world + per_chunk, worlds->worlds), ticks);
    }
}

/* The heads of `count` lanes that share a network, rows of `heads`, of rows of `x`; in both there is room for whole
vectors of lanes. */
HAMLET_EXPORT void hamlet_heads(
    const network *net, const array_f32 *x, const array_f32 *heads, const array_u32 *flags, const array_f32 *room,
    ix count) {
    seen_lanes of = {x->data, flags->data, heads->data, x->columns};
    evaluate(net, of, room->data, (lanes_of){0, count});
}

/* The same of a network with a memory, and what lanes, of which these are all, remember then: `recalls->now`. */
HAMLET_EXPORT void hamlet_heads_remembering(
    const network *net, const recalling *recalls, const array_f32 *x, const array_f32 *heads, const array_u32 *flags,
    const array_f32 *room, ix count) {
    seen_lanes of = {x->data, flags->data, heads->data, x->columns};
    evaluate_remembering(net, recalls, of, recalls->age.data, count, recalls->now.data, room->data);
}

/* See `hamlet.launch.cpu.player.Player`. */
HAMLET_EXPORT void hamlet_play_sizes(i64 *sizes) {
    sizes[0] = WIDE;
    sizes[1] = BATCH * (2 * PITCH + WIDE);
}
