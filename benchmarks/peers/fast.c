/* The town in C, for speed: structure of arrays, chunks of lanes that stay in the level-1 cache for all ticks, selects
 * instead of branches so that the compiler vectorises, threads that take chunks from a common counter.
 *
 * A lane's fourteen affordances are kept as bytes: sixty-four lanes are compared with one vector instruction. With
 * -DINVERSE an agent finds its affordance by the inverse permutation of its cell instead, with no memory of the cells.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "town.h"

#define CHUNK 256
#define NONE 15

#define EACH for (int i = 0; i < CHUNK; i++)

struct chunk {
    _Alignas(64) float energy[CHUNK], hygiene[CHUNK], satiation[CHUNK], money[CHUNK];
    float mood[CHUNK], social[CHUNK], health[CHUNK], fitness[CHUNK];
    float episode_return[CHUNK], reward[CHUNK];
    int32_t age[CHUNK], used[CHUNK], cause[CHUNK];
    uint32_t layout[CHUNK], episode[CHUNK];
    uint32_t words[4][CHUNK];
    uint32_t grid_low[CHUNK], grid_high[CHUNK]; /* bit c: an affordance stands on cell c */
    int32_t action[CHUNK], here[CHUNK];
    _Alignas(64) uint8_t action_bytes[4][CHUNK];
    uint8_t x[CHUNK], y[CHUNK], cell[CHUNK], here_bytes[CHUNK];
    uint8_t cells[16][CHUNK];                   /* of the affordances, then of the agent's start */
    uint8_t flags[CHUNK];
};

struct counts {
    int64_t uses[AFFORDANCES], causes[CAUSES], lengths[LIFESPAN + 1];
};

static void draw(struct chunk *restrict s, const struct town *town, uint32_t first, uint32_t tick)
{
    uint32_t low = town->seed_low, high = town->seed_high, quarter = tick >> 2;
    EACH {
        uint32_t words[4];
        philox(first + (uint32_t)i, quarter, low, high, words);
        s->words[0][i] = words[0];
        s->words[1][i] = words[1];
        s->words[2][i] = words[2];
        s->words[3][i] = words[3];
    }
    for (int word = 0; word < 4; word++)
        EACH s->action_bytes[word][i] = (uint8_t)(s->words[word][i] >> 29);
}

/* Moves, and what stands on the cell of who interacts. Bytes: 64 lanes to a vector of 512 bits. */
static void act(struct chunk *restrict s, const uint8_t *restrict action)
{
    EACH {
        uint8_t a = action[i], x = s->x[i], y = s->y[i];
        y = (uint8_t)(y - (uint8_t)(a == UP && y > 0));
        y = (uint8_t)(y + (uint8_t)(a == DOWN && y < SIDE - 1));
        x = (uint8_t)(x - (uint8_t)(a == LEFT && x > 0));
        x = (uint8_t)(x + (uint8_t)(a == RIGHT && x < SIDE - 1));
        s->x[i] = x;
        s->y[i] = y;
        s->cell[i] = (uint8_t)((y << 3) | x);
    }
}

static void find(struct chunk *restrict s)
{
#ifdef INVERSE
    EACH s->here[i] = s->cell[i];
    EACH {
        uint32_t cell = (uint32_t)s->here[i], low = cell & 7, high = cell >> 3;
#define UNDO(round) \
        high = (high - feistel(low, s->layout[i], (round) + 1)) & 7; \
        low = (low - feistel(high, s->layout[i], round)) & 7;
        UNDO(6) UNDO(4) UNDO(2) UNDO(0)
        uint32_t index = high * 8 + low;
        s->here[i] = (int32_t)(index < AFFORDANCES ? index : NONE);
    }
#else
    EACH {
        uint8_t here = NONE, cell = s->cell[i];
#define TRY(k) here = s->cells[k][i] == cell ? k : here;
        TRY(0) TRY(1) TRY(2) TRY(3) TRY(4) TRY(5) TRY(6) TRY(7) TRY(8) TRY(9) TRY(10) TRY(11) TRY(12) TRY(13)
        s->here_bytes[i] = here;
    }
    EACH s->here[i] = s->here_bytes[i];
#endif
}

/* A number where a condition holds, else 0: as bits, so that several are joined by |. Chains of ?: on one variable become
 * branches in gcc, and the loop is then not vectorised. */
static inline int32_t bits(float number)
{
    int32_t result;
    memcpy(&result, &number, sizeof result);
    return result;
}

static inline float number(int32_t bits)
{
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* 0 for a negative number; and with 1 for the larger ones. By bits too, or gcc follows the paths of clamped numbers. */
static inline float lower(float x)
{
    return number(bits(x) & ~(bits(x) >> 31));
}

static inline float upper(float x)
{
    return 1.0f < x ? 1.0f : x;
}

#define WHERE(condition, value) (-(int32_t)(condition) & bits((float)(value)))
#define AT(k, value) WHERE(used == (k), value)

/* All that happens to the meters. A clamp is left out where a later one gives the same. */
static void live(struct chunk *restrict s)
{
    EACH {
        int32_t a = s->action[i], interacts = -(int32_t)(a == INTERACT);
        int32_t here = (interacts & s->here[i]) | (~interacts & NONE);
        float cash = s->money[i];
        float price = number(WHERE(here == BED, 0.05) | WHERE(here == LUXURY_BED, 0.11) | WHERE(here == SHOWER, 0.03)
            | WHERE(here == HOME_MEAL, 0.03) | WHERE(here == FAST_FOOD, 0.1) | WHERE(here == DOCTOR, 0.08)
            | WHERE(here == HOSPITAL, 0.15) | WHERE(here == THERAPIST, 0.15) | WHERE(here == RECREATION, 0.06)
            | WHERE(here == BAR, 0.15) | WHERE(here == GYM, 0.08));
        int32_t pays = -(int32_t)(cash >= price), used = (pays & here) | (~pays & NONE);

        float energy = s->energy[i];
        energy += number(WHERE(a < WAIT, -0.005) | WHERE(a == REST, 0.002) | WHERE(a == MEDITATE, -0.001));
        energy = lower(energy);
        energy = upper(energy);
        energy += number(AT(BED, 5 * 0.075) | AT(LUXURY_BED, 6 * 0.09375) | AT(FAST_FOOD, 2 * 0.05625)
            | AT(RECREATION, 3 * 0.045) | AT(BAR, -0.2) | AT(JOB, -0.15) | AT(LABOR, -0.2) | AT(GYM, -0.08)
            | AT(PARK, -0.15));
        energy = lower(energy);
        energy += number(AT(BED, 0.125) | AT(LUXURY_BED, 0.1875) | AT(FAST_FOOD, 0.0375) | AT(RECREATION, 0.03));
        energy = upper(energy) - 0.005f;

        float hygiene = s->hygiene[i] + number(AT(SHOWER, 3 * 0.1) | AT(BAR, -0.15));
        hygiene = lower(hygiene) + number(AT(SHOWER, 0.1));
        hygiene = upper(hygiene) - 0.003f;
        hygiene = lower(hygiene);

        float satiation = s->satiation[i];
        satiation += number(AT(HOME_MEAL, 2 * 0.1125) | AT(FAST_FOOD, 2 * 0.16875) | AT(BAR, 2 * 0.1125));
        satiation += number(AT(HOME_MEAL, 0.1125) | AT(FAST_FOOD, 0.1125) | AT(BAR, 0.075));
        satiation = upper(satiation) - 0.004f;
        satiation = lower(satiation);

        int32_t interacted = -(int32_t)(used != NONE);
        float money = cash - number(interacted & bits(price));
        money = lower(money) + number(AT(JOB, 8 * 0.05625) | AT(LABOR, 6 * 0.075));
        money += number(AT(JOB, 0.05625) | AT(LABOR, 0.075));
        money = upper(money);

        float mood = s->mood[i] + number(WHERE(a == REST, 0.01) | WHERE(a == MEDITATE, 0.02) | AT(THERAPIST, 4 * 0.1)
            | AT(RECREATION, 3 * 0.09375) | AT(BAR, 2 * 0.09375) | AT(PARK, 3 * 0.0375));
        mood += number(AT(THERAPIST, 0.1) | AT(RECREATION, 0.0625) | AT(BAR, 0.0625) | AT(PARK, 0.0375));
        mood = upper(mood) - 0.001f;
        mood = lower(mood);

        float social = s->social[i] + number(AT(FAST_FOOD, 0.01) | AT(BAR, 2 * 0.1875) | AT(JOB, 0.02) | AT(LABOR, 0.01)
            | AT(PARK, 3 * 0.0375));
        social += number(AT(BAR, 0.125) | AT(PARK, 0.0375));
        social = upper(social) - 0.006f;
        social = lower(social);

        float health = s->health[i];
        health += number(AT(BED, 0.02) | AT(LUXURY_BED, 0.05) | AT(HOME_MEAL, 0.03) | AT(FAST_FOOD, -0.02)
            | AT(DOCTOR, 3 * 0.09375) | AT(HOSPITAL, 6 * 0.1) | AT(BAR, -0.05) | AT(JOB, -0.03) | AT(LABOR, -0.05));
        health = lower(health) + number(AT(DOCTOR, 0.0625) | AT(HOSPITAL, 0.1));
        health = upper(health);

        float fitness = s->fitness[i];
        fitness += number(AT(FAST_FOOD, -0.03) | AT(LABOR, -0.05) | AT(GYM, 4 * 0.075) | AT(PARK, 3 * 0.05));
        fitness = lower(fitness) + number(AT(GYM, 0.075) | AT(PARK, 0.05));
        fitness = upper(fitness) - 0.002f;
        fitness = lower(fitness);

        health -= 0.001f * (0.5f + 2.5f * (1.0f - fitness));
        float hunger = lower(0.3f - satiation) / 0.3f;
        float gloom = lower(0.3f - mood) / 0.3f;
        float grime = lower(0.3f - hygiene) / 0.3f;
        float loneliness = lower(0.3f - social) / 0.3f;
        energy -= 0.005f * hunger;
        energy -= 0.005f * gloom;
        health -= 0.004f * hunger;
        satiation -= 0.002f * grime;
        mood -= 0.003f * grime;
        mood -= 0.004f * loneliness;
        fitness -= 0.002f * grime;
        energy -= 0.0005f * grime;
        energy -= 0.0008f * loneliness;
        health -= 0.0005f * grime;
        energy = lower(energy);
        satiation = lower(satiation);
        mood = lower(mood);
        fitness = lower(fitness);
        health = lower(health);

        int32_t age = s->age[i] + 1;
        int32_t old = -(int32_t)(age >= LIFESPAN);
        int32_t exhausted = -(int32_t)(energy <= 0.0f), sick = -(int32_t)(health <= 0.0f), dead = exhausted | sick;
        int32_t cause = ~sick & ((exhausted & 1) | (~exhausted & ((old & 2) | ~old)));
        float reward = energy * health + number(old & bits(1.0f));
        reward = number(~dead & bits(reward));

        s->energy[i] = energy;
        s->hygiene[i] = hygiene;
        s->satiation[i] = satiation;
        s->money[i] = money;
        s->mood[i] = mood;
        s->social[i] = social;
        s->health[i] = health;
        s->fitness[i] = fitness;
        s->age[i] = age;
        s->reward[i] = reward;
        s->episode_return[i] += reward;
        s->used[i] = used;
        s->cause[i] = cause;
    }
}

/* The cells of a lane's affordances and of its start; the compiler vectorises over the sixteen. */
static void settle(struct chunk *restrict s, int i, int observing)
{
    uint32_t cells[16], layout = s->layout[i];
    for (uint32_t index = 0; index < 16; index++) {
        uint32_t low = index & 7, high = index >> 3;
#define DO(round) \
        low = (low + feistel(high, layout, round)) & 7; \
        high = (high + feistel(low, layout, (round) + 1)) & 7;
        DO(0) DO(2) DO(4) DO(6)
        cells[index] = high * 8 + low;
    }
    for (int index = 0; index < 16; index++)
        s->cells[index][i] = (uint8_t)cells[index];
    if (observing) {
        uint64_t grid = 0;
        for (int index = 0; index < AFFORDANCES; index++)
            grid |= (uint64_t)1 << cells[index];
        s->grid_low[i] = (uint32_t)grid;
        s->grid_high[i] = (uint32_t)(grid >> 32);
    }
}

static void restart(struct chunk *restrict s, const struct town *town, uint32_t world, int i)
{
    s->energy[i] = s->hygiene[i] = s->satiation[i] = s->mood[i] = s->social[i] = s->health[i] = s->fitness[i] = 1.0f;
    s->money[i] = 0.5f;
    s->age[i] = 0;
    s->episode_return[i] = 0.0f;
    s->episode[i] += 1;
    s->layout[i] = layout_of(town, world, s->episode[i]);
#ifdef INVERSE
    s->cells[AFFORDANCES][i] = (uint8_t)cell_of(AFFORDANCES, s->layout[i]);
    if (town->observation)
        settle(s, i, 1);
#else
    settle(s, i, town->observation != 0);
#endif
    s->x[i] = s->cells[AFFORDANCES][i] & 7;
    s->y[i] = s->cells[AFFORDANCES][i] >> 3;
}

/* The lanes whose flag is set, in order. */
static int flagged(const uint8_t *flags, int lanes[CHUNK])
{
    int count = 0;
    for (int first = 0; first < CHUNK; first += 8) {
        uint64_t word;
        memcpy(&word, flags + first, 8);
        for (; word; word &= word - 1)
            lanes[count++] = first + (__builtin_ctzll(word) >> 3);
    }
    return count;
}

static void observe(struct chunk *restrict s, float *restrict out, int64_t lanes)
{
    EACH s->cell[i] = (uint8_t)((s->y[i] << 3) | s->x[i]);
    find(s);
    EACH s->action[i] = s->cell[i];
    for (int cell = 0; cell < 32; cell++) {
        float *row = out + cell * lanes;
        EACH row[i] = (float)((s->grid_low[i] >> cell) & 1) + (s->action[i] == cell ? 1.0f : 0.0f);
    }
    for (int cell = 32; cell < 64; cell++) {
        float *row = out + cell * lanes;
        EACH row[i] = (float)((s->grid_high[i] >> (cell - 32)) & 1) + (s->action[i] == cell ? 1.0f : 0.0f);
    }
    float *x = out + 64 * lanes, *y = out + 65 * lanes;
    EACH x[i] = (float)(s->action[i] & 7) / 7.0f;
    EACH y[i] = (float)(s->action[i] >> 3) / 7.0f;
    const float *meters[METERS] = {s->energy, s->hygiene, s->satiation, s->money, s->mood, s->social, s->health, s->fitness};
    for (int meter = 0; meter < METERS; meter++)
        memcpy(out + (66 + meter) * lanes, meters[meter], sizeof(float[CHUNK]));
    for (int k = 0; k < 14; k++) {
        float *row = out + (74 + k) * lanes;
        EACH row[i] = s->here[i] == k ? 1.0f : 0.0f;
    }
    float *nothing = out + 88 * lanes, *lifetime = out + 89 * lanes;
    EACH nothing[i] = s->here[i] == NONE ? 1.0f : 0.0f;
    EACH lifetime[i] = (float)s->age[i] / 500.0f;
}

static void write_mask(struct chunk *restrict s, uint8_t *restrict out, int64_t lanes)
{
    EACH out[UP * lanes + i] = s->y[i] > 0;
    EACH out[DOWN * lanes + i] = s->y[i] < SIDE - 1;
    EACH out[LEFT * lanes + i] = s->x[i] > 0;
    EACH out[RIGHT * lanes + i] = s->x[i] < SIDE - 1;
    EACH s->flags[i] = s->here[i] != NONE;
    memcpy(out + INTERACT * lanes, s->flags, CHUNK);
    for (int action = WAIT; action < ACTIONS; action++)
        memset(out + action * lanes, 1, CHUNK);
}

static void transfer(struct chunk *s, const struct town *town, int64_t first, int load)
{
    float *meters[METERS] = {s->energy, s->hygiene, s->satiation, s->money, s->mood, s->social, s->health, s->fitness};
    int32_t *x = town->position + first, *y = x + town->lanes;
#define COPY(inside, outside) \
    load ? memcpy(inside, outside, sizeof(float[CHUNK])) : memcpy(outside, inside, sizeof(float[CHUNK]))
    for (int meter = 0; meter < METERS; meter++)
        COPY(meters[meter], town->meters + meter * town->lanes + first);
    COPY(s->age, town->age + first);
    COPY(s->episode_return, town->episode_return + first);
    COPY(s->episode, town->episode + first);
    COPY(s->layout, town->layout + first);
    if (load) {
        EACH s->x[i] = (uint8_t)x[i];
        EACH s->y[i] = (uint8_t)y[i];
    } else {
        EACH x[i] = s->x[i];
        EACH y[i] = s->y[i];
        COPY(s->reward, town->reward + first);
        COPY(s->cause, town->cause + first);
        EACH town->used[first + i] = s->used[i] == NONE ? -1 : s->used[i];
        EACH town->terminated[first + i] = (uint8_t)(s->cause[i] == 0 || s->cause[i] == 1);
        EACH town->truncated[first + i] = s->cause[i] == 2;
    }
}

#ifdef AVX512
#include "avx512.h"
#define live live_avx512
#define draw draw_avx512
#endif

static void run_chunk(const struct town *town, int64_t first, struct counts *counts)
{
    struct chunk chunk, *s = &chunk;
    int chosen[CHUNK], observing = town->observation != 0;
    transfer(s, town, first, 1);
#ifdef INVERSE
    if (observing)
#endif
        EACH settle(s, i, observing);
    for (uint32_t t = 0; t < town->ticks; t++) {
        uint32_t tick = town->tick + t;
        if (t == 0 || (tick & 3) == 0)
            draw(s, town, (uint32_t)first, tick);
        const uint8_t *action = s->action_bytes[tick & 3];
        EACH s->action[i] = action[i];
        act(s, action);
        find(s);
        live(s);
        if (counts) {
            EACH s->flags[i] = s->used[i] != NONE;
            for (int n = flagged(s->flags, chosen), c = 0; c < n; c++)
                counts->uses[s->used[chosen[c]]]++;
        }
        EACH s->flags[i] = s->cause[i] >= 0;
        int ended = flagged(s->flags, chosen);
        if (ended && observing) {
            float final[OBSERVED][CHUNK];
            observe(s, final[0], CHUNK);
            for (int c = 0; c < ended; c++)
                for (int row = 0; row < OBSERVED; row++)
                    town->final_observation[(first + chosen[c]) * OBSERVED + row] = final[row][chosen[c]];
        }
        for (int c = 0; c < ended; c++) {
            int i = chosen[c];
            if (counts) {
                counts->causes[s->cause[i]]++;
                counts->lengths[s->age[i]]++;
                town->finished_return[first + i] += s->episode_return[i];
            }
            restart(s, town, (uint32_t)(first + i), i);
        }
        if (observing) {
            observe(s, town->observation + first, town->lanes);
            write_mask(s, town->mask + first, town->lanes);
        }
    }
    transfer(s, town, first, 0);
}

struct work {
    const struct town *town;
    atomic_llong *next;
    struct counts counts;
};

static void *run(void *argument)
{
    struct work *work = argument;
    const struct town *town = work->town;
    for (;;) {
        int64_t first = atomic_fetch_add(work->next, CHUNK);
        if (first >= town->lanes)
            return 0;
        run_chunk(town, first, town->uses ? &work->counts : 0);
    }
}

int chunk_lanes(void)
{
    return CHUNK;
}

/* `lanes` is a multiple of CHUNK, `threads` at most 64. */
void rollout(const struct town *town)
{
    atomic_llong next = 0;
    pthread_t threads[64];
    static _Thread_local struct work work[64];
    for (uint32_t n = 0; n < town->threads; n++) {
        memset(&work[n], 0, sizeof work[n]);
        work[n].town = town;
        work[n].next = &next;
        if (n > 0)
            pthread_create(&threads[n], 0, run, &work[n]);
    }
    run(&work[0]);
    for (uint32_t n = 0; n < town->threads; n++) {
        if (n > 0)
            pthread_join(threads[n], 0);
        if (town->uses) {
            for (int k = 0; k < AFFORDANCES; k++)
                town->uses[k] += work[n].counts.uses[k];
            for (int k = 0; k < CAUSES; k++)
                town->causes[k] += work[n].counts.causes[k];
            for (int k = 0; k <= LIFESPAN; k++)
                town->lengths[k] += work[n].counts.lengths[k];
        }
    }
}
