/* What runs once per tick or per minibatch, each over a range of lanes or groups, so that threads can share them.

No result depends on these ranges: a lane is computed by itself, and a group by itself, sample after sample. What the
arguments are says `hamlet_train.exact.kernels`. */

#include "controls.h"
#include "descent.h"
#include "memory.h"

/* What a block needs beside its network: numbers of its samples, each [BLOCK] or rows of that. */
typedef struct {
    f32 *logits, *kept, *shares;
    f32 *taken, *best, *total, *before, *gain, *aim, *live, *value, *likely, *noted, *ones;
    f32 *controls, *zeros;
} desk;

/* Memory is taken from `room` in this order: `Network.scratch` counts it. */
static desk desk_at(f32 *room, ix actions, ix controls) {
    desk at;
    f32 *rest = room + 3 * actions * BLOCK;
    at.logits = room, at.kept = room + actions * BLOCK, at.shares = room + 2 * actions * BLOCK;
    at.taken = rest, at.best = rest + BLOCK, at.total = rest + 2 * BLOCK, at.before = rest + 3 * BLOCK;
    at.gain = rest + 4 * BLOCK, at.aim = rest + 5 * BLOCK, at.live = rest + 6 * BLOCK, at.value = rest + 7 * BLOCK;
    at.likely = rest + 8 * BLOCK, at.noted = rest + 9 * BLOCK, at.ones = at.noted + LOSSES * BLOCK;
    at.controls = at.ones + BLOCK;
    at.zeros = at.controls + 4 * controls * BLOCK;
    return at;
}

/* Numbers that all layers give for a block. */
static ix held_by(perceptron net) { return last_of(net)->held + BLOCK * last_of(net)->pitch; }

/* The logarithms of the deviations of controls, behind the parameters of all layers. */
static ix behind_layers(perceptron net) { return last_of(net)->bias + last_of(net)->columns; }

/* [values, lanes] that lie anywhere, and which of these lanes a network has: their numbers, or NULL where it has all. */
typedef struct {
    const f32 *data;
    ix values, of_value, of_lane;
    const ix *places;
} seen;

/* The number in the environment of a lane of a network. */
HAMLET_INLINE ix place_of(const ix *places, ix lane) { return places == NULL ? lane : places[lane]; }

static void take_inputs(f32 *x, ix row, seen observed, ix begin, ix number) {
    for (ix value = 0; value < observed.values; value++) {
        const f32 *from = observed.data + value * observed.of_value;
        for (ix lane = 0; lane < number; lane++)
            x[lane * row + value] = from[place_of(observed.places, begin + lane) * observed.of_lane];
    }
}

static f32 share_of(u32 word, u32 above) { return (f32)(i32)((word >> 8) + above) * 0x1p-24f; }

/* What `act` draws and gives of controls. */
typedef struct {
    ix count, lanes, ticks;
    const u32 *words;
    const f32 *ranges;
    f32 *raw, *given;
    const ix *places;
} steering;

/* Draw the raw controls of `number` lanes from `begin` on, or take their means where there are no words, and add the
logarithms of their densities to `likely`. The mean of the first control of the first lane is at `outputs`, the next
lane's `pitch` further. */
static void choose_controls(
    steering of, ix begin, ix number, ix tick, const f32 *outputs, ix pitch, const f32 *log_deviations, f32 *rows,
    f32 *likely) {
    ix size = of.count * BLOCK;
    f32 *means = rows, *here = rows + size, *first = rows + 2 * size, *second = rows + 3 * size;
    for (ix control = 0; control < of.count; control++)
        for (ix lane = 0; lane < number; lane++) {
            ix place = control * BLOCK + lane, there = place_of(of.places, begin + lane);
            here[place] = means[place] = outputs[lane * pitch + control];
            if (of.words == NULL) continue;
            first[place] = share_of(of.words[2 * control * of.lanes + there], 1);
            second[place] = share_of(of.words[(2 * control + 1) * of.lanes + there], 0);
        }
    if (of.words != NULL) draw_controls(means, log_deviations, first, second, here, of.count);
    for (ix control = 0; control < of.count; control++) {
        const f32 *range = of.ranges + 4 * control;
        for (ix lane = 0; lane < number; lane++) {
            f32 drawn = here[control * BLOCK + lane], value = range[0] + drawn * range[1];
            of.raw[((begin + lane) * of.ticks + tick) * of.count + control] = drawn;
            value = value < range[2] ? range[2] : value;
            of.given[control * of.lanes + place_of(of.places, begin + lane)] = range[3] < value ? range[3] : value;
        }
    }
    weigh_controls(means, log_deviations, here, likely, of.count);
}

HAMLET_EXPORT void hamlet_train_act(
    const layer *layers, ix layer_count, const f32 *parameters, const f32 *observed, ix values_seen, ix of_value,
    ix of_lane, const bool8 *mask, ix count, ix lanes, const bool8 *alive, const f32 *ranges, ix controls, ix ticks,
    ix row, f32 *inputs, u8 *masks, u8 *valid, i32 *actions, f32 *raw, f32 *chances, f32 *values, i32 *chosen,
    f32 *given, const ix *places, const ix *kinds, ix first, ix end, ix tick, const u32 *words,
    const u32 *control_words, f32 *scratch, const memory *remembers) {
    perceptron net = {layers, layer_count};
    seen seen_now = {observed, values_seen, of_value, of_lane, places};
    steering steer = {controls, lanes, ticks, control_words, ranges, raw, given, places};
    f32 *x = scratch, *held = scratch + BLOCK * row;
    desk at = desk_at(held + 2 * held_by(net), count, controls);
    f32 *where = at.before;
    const f32 *log_deviations = parameters + behind_layers(net), *output = held + last_of(net)->held;
    ix pitch = last_of(net)->pitch;
    const f32 *recalled[BLOCK];
    /* What `act` has no samples for stays as it is; nobody reads it. */
    f32 *likely = at.gain;
    for (ix begin = first; begin < end; begin += BLOCK) {
        ix number = min_ix(end - begin, BLOCK);
        take_inputs(x, row, seen_now, begin, number);
        if (remembers == NULL) {
            forward(net, parameters, x, row, held);
        } else {
            for (ix lane = 0; lane < BLOCK; lane++) {
                bool fresh = lane >= number || is_fresh(remembers, begin + lane, place_of(places, begin + lane));
                recalled[lane] = fresh ? remembers->nothing : remembers->hidden + (begin + lane) * remembers->size;
                if (lane < number) sense(remembers, x + lane * row, begin + lane, count, fresh);
                if (lane < number && tick < ticks) note_start(remembers, begin + lane, tick, ticks, recalled[lane], fresh);
            }
            forward_remembering(net, parameters, x, row, held, recalled, remembers->size);
        }
        for (ix lane = 0; lane < number; lane++)
            values[(begin + lane) * (ticks + 1) + tick] = output[lane * pitch + last_of(net)->outputs - 1];
        if (tick == ticks) continue;
        for (ix lane = 0; lane < number; lane++) {
            ix place = (begin + lane) * ticks + tick, there = place_of(places, begin + lane);
            bool any_allowed = false;
            for (ix action = 0; action < count; action++)
                any_allowed |= mask[place_of(kinds, action) * lanes + there] != 0;
            for (ix action = 0; action < count; action++) {
                bool allowed = mask[place_of(kinds, action) * lanes + there] != 0 || !any_allowed;
                masks[place * count + action] = allowed;
                at.kept[action * BLOCK + lane] = allowed ? 1.0f : 0.0f;
                at.logits[action * BLOCK + lane] = output[lane * pitch + action];
            }
            memcpy(inputs + place * row, x + lane * row, sizeof(f32) * (size_t)layers->inputs);
            where[lane] = words != NULL ? share_of(words[there], 0) : 0.0f;
            likely[lane] = 0.0f;
            valid[place] = alive[there];
        }
        softmax(at.logits, at.kept, at.shares, at.best, at.total, count);
        draw_actions(at.logits, at.shares, at.best, at.total, where, at.taken, count);
        choose_controls(
            steer, begin, number, tick, output + count, pitch, log_deviations, at.controls, likely);
        for (ix lane = 0; lane < number; lane++) {
            ix place = (begin + lane) * ticks + tick;
            if (words == NULL) where[lane] = (f32)likeliest(at.logits, at.kept, lane, count);
            actions[place] = (i32)where[lane];
            chosen[place_of(places, begin + lane)] = (i32)place_of(kinds, actions[place]);
            chances[place] = at.taken[lane] + likely[lane];
            if (remembers != NULL)
                remember(remembers, begin + lane, x + lane * row, actions[place], remembered_at(net, held, lane));
        }
    }
}

HAMLET_EXPORT void hamlet_train_look(
    const layer *layers, ix layer_count, const f32 *parameters, ix values_seen, ix ticks, ix row, f32 *rewards, u8 *ends,
    f32 *beyond, const ix *places, ix first, ix end, ix tick, const f32 *observed, ix of_value, ix of_lane,
    const f32 *reward, const bool8 *terminated, const bool8 *truncated, f32 *scratch, const memory *remembers,
    ix count) {
    perceptron net = {layers, layer_count};
    seen seen_last = {observed, values_seen, of_value, of_lane, places};
    f32 *x = scratch, *held = scratch + BLOCK * row;
    const f32 *output = held + last_of(net)->held, *recalled[BLOCK];
    for (ix begin = first; begin < end; begin += BLOCK) {
        ix number = min_ix(end - begin, BLOCK);
        bool cut = false;
        for (ix lane = begin; lane < begin + number; lane++) {
            ix place = lane * ticks + tick, there = place_of(places, lane);
            rewards[place] = reward[there];
            ends[place] = terminated[there] || truncated[there];
            beyond[place] = 0.0f;
            cut |= truncated[there] != 0;
        }
        if (!cut) continue;
        take_inputs(x, row, seen_last, begin, number);
        if (remembers == NULL) {
            forward(net, parameters, x, row, held);
        } else {
            for (ix lane = 0; lane < BLOCK; lane++) {
                /* Where there is no lane the last one stands again. */
                ix known = begin + min_ix(lane, number - 1);
                recalled[lane] = remembers->hidden + known * remembers->size;
                if (lane < number) sense(remembers, x + lane * row, known, count, false);
            }
            forward_remembering(net, parameters, x, row, held, recalled, remembers->size);
        }
        for (ix lane = 0; lane < number; lane++)
            if (truncated[place_of(places, begin + lane)])
                beyond[(begin + lane) * ticks + tick] =
                    output[lane * last_of(net)->pitch + last_of(net)->outputs - 1];
    }
}

enum { EPISODES, TICKS, SQUARES, RETURNS, SAMPLES, DISCOUNTED, DISCOUNTED_SQUARES, SURVEYED };

HAMLET_EXPORT void hamlet_train_survey(
    ix first, ix end, const ix *bounds, ix ticks, const f32 *rewards, const u8 *ends, const u8 *valid, i64 *lengths,
    double *returns, double *discounted, double discount, double *sums) {
    for (ix group = first; group < end; group++) {
        double *sum = sums + group * SURVEYED;
        for (ix each = 0; each < SURVEYED; each++) sum[each] = 0.0;
        for (ix lane = bounds[group]; lane < bounds[group + 1]; lane++)
            for (ix place = lane * ticks; place < (lane + 1) * ticks; place++) {
                double reward = rewards[place], length;
                if (valid[place] == 0) continue;
                lengths[lane] += 1;
                returns[lane] += reward;
                discounted[lane] = discounted[lane] * discount + reward;
                sum[SAMPLES] += 1.0;
                sum[DISCOUNTED] += discounted[lane];
                sum[DISCOUNTED_SQUARES] += discounted[lane] * discounted[lane];
                if (ends[place] == 0) continue;
                length = (double)lengths[lane];
                sum[EPISODES] += 1.0;
                sum[TICKS] += length;
                sum[SQUARES] += length * length;
                sum[RETURNS] += returns[lane];
                lengths[lane] = 0;
                returns[lane] = 0.0;
                discounted[lane] = 0.0;
            }
    }
}

HAMLET_EXPORT void hamlet_train_estimate(
    ix first, ix end, const ix *bounds, ix ticks, const f32 *rewards, const u8 *ends, const u8 *valid,
    const f32 *beyond, const f32 *values, f32 scale, f32 discount, f32 trace, f32 *advantages, double *sums) {
    for (ix group = first; group < end; group++) {
        double total = 0.0, squares = 0.0, count = 0.0;
        for (ix lane = bounds[group]; lane < bounds[group + 1]; lane++) {
            f32 behind = 0.0f;
            for (ix tick = ticks - 1; tick >= 0; tick--) {
                ix place = lane * ticks + tick, value = lane * (ticks + 1) + tick;
                bool ended = ends[place] != 0;
                f32 following = ended ? beyond[place] : values[value + 1], carried = ended ? 0.0f : trace * behind;
                if (valid[place] == 0) {
                    advantages[place] = behind = 0.0f;
                    continue;
                }
                behind = ((rewards[place] * scale + discount * following) - values[value]) + carried;
                advantages[place] = behind;
                total += (double)behind;
                squares += (double)behind * (double)behind;
                count += 1.0;
            }
        }
        sums[group * 3] = total, sums[group * 3 + 1] = squares, sums[group * 3 + 2] = count;
    }
}

/* Samples are read in an order of their own: a CPU that is told so many before has them when they are copied. */
#define AHEAD_SAMPLES 8
#define LINE_NUMBERS 16
#ifdef __GNUC__
#define ASK(address) __builtin_prefetch(address)
#else
#define ASK(address) (void)(address)
#endif
static void ask(const f32 *inputs, ix row, const u8 *masks, ix count, const i32 *actions, const f32 *chances,
                const f32 *values, const f32 *advantages, ix place, ix lane) {
    for (ix number = 0; number < row; number += LINE_NUMBERS) ASK(inputs + place * row + number);
    ASK(masks + place * count), ASK(actions + place), ASK(chances + place);
    ASK(values + place + lane), ASK(advantages + place);
}

HAMLET_EXPORT void hamlet_train_learn(
    ix first, ix end, const layer *layers, ix layer_count, const f32 *parameters, const f32 *transposed,
    const ix *bounds, const i32 *order, ix most, const ix *counts, ix share, ix shares, ix ticks, ix row, ix count,
    ix controls, const f32 *inputs, const u8 *masks, const i32 *actions, const f32 *raw, const f32 *chances,
    const f32 *values, const f32 *advantages, f32 mean, f32 spread, f32 clip, f32 entropy, f32 worth, f32 *gradients,
    ix size, double *sums, ix sums_row, f32 *scratch, const memory *remembers, const u8 *valid) {
    perceptron net = {layers, layer_count};
    weighting by = {clip, entropy, worth};
    f32 *x = scratch, *held = scratch + BLOCK * row, *slopes = held + held_by(net);
    f32 *slope = slopes + last_of(net)->held;
    desk at = desk_at(slopes + held_by(net), count, controls);
    f32 *means = at.controls, *scores = means + controls * BLOCK;
    const f32 *log_deviations = parameters + behind_layers(net), *output = held + last_of(net)->held;
    ix pitch = last_of(net)->pitch;
    /* A network that remembers takes whole lanes, as many as fit: samples of a block are their ticks. */
    ix each_lane = remembers == NULL ? 1 : ticks, together = BLOCK / each_lane;
    const f32 *recalled[BLOCK];
    for (ix index = 0; index < BLOCK; index++) at.ones[index] = 1.0f;
    for (ix group = first; group < end; group++) {
        f32 *gradient = gradients + group * size;
        double *sum = sums + group * sums_row;
        ix start = counts[group] * share / shares, stop = counts[group] * (share + 1) / shares;
        memset(gradient, 0, sizeof(f32) * (size_t)size);
        for (ix each = 0; each < LOSSES; each++) sum[each] = 0.0;
        for (ix begin = start; begin < stop; begin += together) {
            ix number = min_ix(stop - begin, together) * each_lane;
            samples of = {at.logits, at.shares, at.best, at.total, at.taken, at.before,
                          at.gain, at.aim, at.live, at.value, at.likely, at.noted};
            for (ix index = 0; index < BLOCK; index++) {
                if (remembers == NULL && begin + index + AHEAD_SAMPLES < stop) {
                    ix soon = order[group * most + begin + index + AHEAD_SAMPLES], in = bounds[group] + soon / ticks;
                    ask(inputs, row, masks, count, actions, chances, values, advantages, in * ticks + soon % ticks, in);
                }
                /* Where no sample is left the first one stands again, without a loss. */
                ix taken = index < number ? index : 0;
                ix sample = order[group * most + begin + taken / each_lane] * each_lane + taken % each_lane;
                ix lane = bounds[group] + sample / ticks, place = lane * ticks + sample % ticks;
                memcpy(x + index * row, inputs + place * row, sizeof(f32) * (size_t)row);
                for (ix action = 0; action < count; action++)
                    at.kept[action * BLOCK + index] = (f32)masks[place * count + action];
                at.taken[index] = (f32)actions[place];
                at.before[index] = chances[place];
                at.gain[index] = (advantages[place] - mean) * spread;
                at.aim[index] = advantages[place] + values[place + lane];
                at.live[index] = index < number && valid[place] != 0 ? 1.0f : 0.0f;
                if (remembers != NULL) recalled[index] = before_sample(net, held, remembers, place, ticks, index);
                at.likely[index] = 0.0f;
                for (ix control = 0; control < controls; control++)
                    scores[control * BLOCK + index] = raw[place * controls + control];
            }
            if (remembers == NULL)
                forward(net, parameters, x, row, held);
            else
                forward_remembering(net, parameters, x, row, held, recalled, remembers->size);
            for (ix index = 0; index < BLOCK; index++) {
                const f32 *of_sample = output + index * pitch;
                for (ix action = 0; action < count; action++) at.logits[action * BLOCK + index] = of_sample[action];
                for (ix control = 0; control < controls; control++)
                    means[control * BLOCK + index] = of_sample[count + control];
                at.value[index] = of_sample[count + controls];
            }
            softmax(at.logits, at.kept, at.shares, at.best, at.total, count);
            weigh_controls(means, log_deviations, scores, at.likely, controls);
            clipped_loss(of, by, count);
            slope_controls(
                means, log_deviations, scores, at.likely, at.live, entropy, gradient + behind_layers(net), at.noted,
                controls);
            for (ix index = 0; index < BLOCK; index++) {
                f32 *of_sample = slope + index * pitch;
                for (ix action = 0; action < count; action++) of_sample[action] = at.logits[action * BLOCK + index];
                for (ix control = 0; control < controls; control++)
                    of_sample[count + control] = means[control * BLOCK + index];
                of_sample[count + controls] = at.value[index];
            }
            if (remembers == NULL)
                backward(net, transposed, x, row, held, slopes, gradient, at.ones, at.zeros);
            else
                backward_remembering(
                    net, transposed, x, row, held, slopes, gradient, at.ones, at.zeros, recalled, remembers->size);
            for (ix each = 0; each < LOSSES; each++)
                for (ix index = 0; index < number; index++)
                    if (at.live[index] != 0.0f) sum[each] += (double)at.noted[each * BLOCK + index];
        }
    }
}

/* The four words of each counter (lane, time, block, stream), [times, 4, lanes]. */
HAMLET_EXPORT void hamlet_train_words(
    const u32 *lanes, ix count, const u32 *times, ix time_count, u32 block, u32 stream, u32 low, u32 high, u32 *drawn) {
    for (ix time = 0; time < time_count; time++)
        for (ix begin = 0; begin < count; begin += WIDE) {
            u32 some[WIDE] = {0}, words[WIDE];
            ix number = min_ix(count - begin, WIDE);
            drawn_words four;
            memcpy(some, lanes + begin, sizeof(u32) * (size_t)number);
            four = philox(
                fetch_vu32(some, 0), alike_vu32(times[time]), alike_vu32(block), alike_vu32(stream), low, high);
            for (ix word = 0; word < 4; word++) {
                store_vu32(words, 0, four.word[word]);
                memcpy(drawn + (time * 4 + word) * count + begin, words, sizeof(u32) * (size_t)number);
            }
        }
}
