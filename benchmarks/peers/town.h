/* What both C programs of the town share: the arrays, the random numbers, the layouts. See docs/semantics.md. */
#ifndef TOWN_H
#define TOWN_H

#include <stdint.h>

enum { METERS = 8, AFFORDANCES = 14, CELLS = 64, SIDE = 8, ACTIONS = 8, LIFESPAN = 500, CAUSES = 3, OBSERVED = 90 };
enum { UP, DOWN, LEFT, RIGHT, INTERACT, WAIT, REST, MEDITATE };
enum { BED, LUXURY_BED, SHOWER, HOME_MEAL, FAST_FOOD, DOCTOR, HOSPITAL, THERAPIST, RECREATION, BAR, JOB, LABOR, GYM, PARK };
enum { ENERGY, HYGIENE, SATIATION, MONEY, MOOD, SOCIAL, HEALTH, FITNESS };

/* Field-major arrays of `lanes` lanes, each a world of its own. Pointers of what is not wanted are null. */
struct town {
    int64_t lanes;
    float *meters;            /* [METERS, lanes] */
    int32_t *position;        /* [2, lanes]: x, y */
    int32_t *age;
    float *episode_return;
    int32_t *episode;
    uint32_t *layout;
    float *reward;            /* of the last tick, like the four that follow */
    uint8_t *terminated;
    uint8_t *truncated;
    int32_t *used;
    int32_t *cause;
    float *observation;       /* [OBSERVED, lanes]: written every tick */
    float *final_observation; /* [lanes, OBSERVED] */
    uint8_t *mask;            /* [ACTIONS, lanes] */
    int64_t *uses;            /* [AFFORDANCES]: statistics, added to */
    int64_t *causes;          /* [CAUSES] */
    int64_t *lengths;         /* [LIFESPAN + 1] */
    float *finished_return;   /* [lanes] */
    uint32_t seed_low, seed_high, tick, ticks, threads;
};

static inline uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

static inline uint32_t layout_of(const struct town *town, uint32_t world, uint32_t episode)
{
    uint32_t seed = mix(town->seed_low ^ mix(town->seed_high ^ 0x68616D6Cu));
    return mix(mix(world ^ seed) + episode * 0x9E3779B9u);
}

/* A round's number below 8: the high half of F(v) * 8 is its top three bits. */
static inline uint32_t feistel(uint32_t v, uint32_t layout, uint32_t round)
{
    uint32_t t = (v ^ (layout + round * 0x9E3779B9u)) * 0x9E3779B1u;
    return ((t ^ (t >> 15)) * 0x85EBCA77u) >> 29;
}

/* The cell on which the index-th thing of a layout stands. */
static inline uint32_t cell_of(uint32_t index, uint32_t layout)
{
    uint32_t low = index & 7, high = index >> 3;
    for (uint32_t round = 0; round < 8; round += 2) {
        low = (low + feistel(high, layout, round)) & 7;
        high = (high + feistel(low, layout, round + 1)) & 7;
    }
    return high * 8 + low;
}

/* Philox4x32-10, whose counter comes in `words` and whose result leaves there. */
static inline void philox_of(uint32_t words[4], uint32_t low, uint32_t high)
{
    uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
    for (int round = 0; round < 10; round++) {
        uint64_t first = (uint64_t)a * 0xD2511F53u, second = (uint64_t)c * 0xCD9E8D57u;
        uint32_t next = (uint32_t)(second >> 32) ^ b ^ low;
        c = (uint32_t)(first >> 32) ^ d ^ high;
        a = next;
        b = (uint32_t)second;
        d = (uint32_t)first;
        low += 0x9E3779B9u;
        high += 0xBB67AE85u;
    }
    words[0] = a;
    words[1] = b;
    words[2] = c;
    words[3] = d;
}

/* The words of a lane's policy for four ticks. */
static inline void philox(uint32_t lane, uint32_t quarter, uint32_t low, uint32_t high, uint32_t words[4])
{
    words[0] = lane;
    words[1] = quarter;
    words[2] = 1;
    words[3] = 0;
    philox_of(words, low, high);
}

#endif
