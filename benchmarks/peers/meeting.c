/* Three worlds of the gallery whose agents meet, in C for 256 agents per world: queue, market, epidemic; all that the
 * author of a single universe knows is made use of: nobody dies, so that all agents of a world end together.
 *
 * Structure of arrays; a world stays in the level-1 cache for all ticks; selects instead of branches, so that the
 * compiler vectorises; threads take worlds from a common counter. Equal to the interpreter in every bit of the state.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "town.h"

#define AGENTS 256
#define EACH for (int i = 0; i < AGENTS; i++)

struct worlds {
    int64_t worlds;
    float *meters;         /* [meters, lanes] */
    int32_t *age;
    uint8_t *alive;
    float *episode_return;
    int32_t *episode;      /* [worlds] */
    uint32_t *layout;
    float *world_meters;   /* [meters of the world, worlds] */
    float *params;         /* [worlds] */
    uint32_t seed_low, seed_high, tick, ticks, threads;
};

/* What a world has while it runs. */
struct world {
    _Alignas(64) float meter[4][AGENTS];
    float returned[AGENTS];
    uint32_t words[4][AGENTS];
    float drawn[2][AGENTS];
    int32_t action[AGENTS], rank[AGENTS];
    uint32_t key[2][AGENTS];
    float of_world[2], param;
    int32_t age, episode;
    uint32_t layout, number;
};

/* Word 0 of Philox4x32-10. */
static inline uint32_t word(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t low, uint32_t high)
{
    uint32_t words[4] = {a, b, c, d};
    philox_of(words, low, high);
    return words[0];
}

static inline float share(uint32_t word)
{
    return (float)(int32_t)(word >> 8) * 0x1p-24f;
}

static void draw(struct world *restrict s, int at, const struct worlds *all, uint32_t now, uint32_t site)
{
    uint32_t low = all->seed_low, high = all->seed_high, first = s->number * AGENTS;
    EACH s->drawn[at][i] = share(word(first + (uint32_t)i, now, site, 1, low, high));
}

/* Words of the policy for this tick and those that share its counter. */
static void think(struct world *restrict s, const struct worlds *all, uint32_t now)
{
    uint32_t low = all->seed_low, high = all->seed_high, first = s->number * AGENTS;
    EACH {
        uint32_t words[4];
        /* town.h's counter is that of the policy. */
        philox(first + (uint32_t)i, now >> 2, low, high, words);
        s->words[0][i] = words[0];
        s->words[1][i] = words[1];
        s->words[2][i] = words[2];
        s->words[3][i] = words[3];
    }
}

static void begin(struct world *s, const struct worlds *all)
{
    uint32_t seed = mix(all->seed_low ^ mix(all->seed_high ^ 0x68616D6Cu));
    s->episode++;
    s->age = 0;
    s->layout = mix(mix(s->number ^ seed) + (uint32_t)s->episode * 0x9E3779B9u);
    EACH s->returned[i] = 0.0f;
}

/* --- queue: one doctor treats who has waited longest -------------------------------------------------------------- */

/* `one`: the first draw is made for who is served alone. */
static inline void serve(struct world *restrict s, const struct worlds *all, uint32_t now, int one)
{
    float *restrict ill = s->meter[0], *restrict waited = s->meter[1];
    uint32_t longest = 0;
    int healthy = 0, served = -1, waiting = 0;
    EACH s->action[i] = (int32_t)(s->words[now & 3][i] >> 31);
    EACH healthy += ill[i] == 0.0f;
    EACH {
        /* Claims by how long somebody has waited, which is 0 or more; 0 for none. */
        uint32_t bits;
        memcpy(&bits, &waited[i], 4);
        bits = s->action[i] == 0 && ill[i] == 1.0f ? bits + 1 : 0;
        s->key[0][i] = bits;
        longest = bits > longest ? bits : longest;
    }
    if (longest > 0)
        for (served = 0; s->key[0][served] != longest; served++)
            ;
    if (!one)
        draw(s, 0, all, now, 0xccbc5617u);
    else if (served >= 0)
        s->drawn[0][served] = share(
            word(s->number * AGENTS + (uint32_t)served, now, 0xccbc5617u, 1, all->seed_low, all->seed_high));
    draw(s, 1, all, now, 0x7da8500du);
    float some = (float)healthy;
    float chance = s->param / (some < 1.0f ? 1.0f : some);
    if (served >= 0 && s->drawn[0][served] < 0.04f)
        ill[served] -= 1.0f;
    EACH {
        int falls = ill[i] == 0.0f && s->drawn[1][i] < chance;
        float sick = falls ? 1.0f : ill[i], long_ = falls ? 0.0f : waited[i];
        long_ += sick == 1.0f ? 1.0f : -0.0f;
        ill[i] = sick;
        waited[i] = 4000.0f < long_ ? 4000.0f : long_;
        waiting += sick == 1.0f;
        s->returned[i] += -sick;
    }
    s->of_world[0] = (float)waiting;
    if (++s->age >= 4000) {
        begin(s, all);
        EACH ill[i] = waited[i] = 0.0f;
        s->of_world[0] = 0.0f;
    }
}

static void queue(struct world *restrict s, const struct worlds *all, uint32_t now)
{
    serve(s, all, now, 0);
}

static void queue_of_one(struct world *restrict s, const struct worlds *all, uint32_t now)
{
    serve(s, all, now, 1);
}

/* --- market: who gains most buys and sells first ------------------------------------------------------------------- */

/* The places of all agents among those that count, by any number: each is compared with each. */
static void places(struct world *restrict s, const uint32_t *restrict key, const float *restrict wants, float side)
{
    uint32_t keys[AGENTS];
    int lanes[AGENTS], number = 0;
    for (int i = 0; i < AGENTS; i++) {
        keys[number] = key[i];
        lanes[number] = i;
        number += wants[i] == side;
    }
    int32_t *restrict rank = s->rank;
    EACH rank[i] = 0;
    for (int at = 0; at < number; at++) {
        uint32_t other = keys[at];
        int lane = lanes[at];
        EACH rank[i] += key[i] < other + (lane < i);
    }
}

/* The same of whole numbers from 1 to 20, `most` or the least of them first: as many places as have been counted. */
static void places_of_few(struct world *restrict s, const float *restrict wants, float side, int most)
{
    int next[32] = {0}, before = 0;
    const float *restrict worth = s->meter[0];
    for (int i = 0; i < AGENTS; i++)
        next[(int)worth[i]] += wants[i] == side;
    for (int at = 1; at <= 20; at++) {
        int value = most ? 21 - at : at, here = next[value];
        next[value] = before;
        before += here;
    }
    for (int i = 0; i < AGENTS; i++) {
        int *place = &next[(int)worth[i]];
        s->rank[i] = *place;
        *place += wants[i] == side;
    }
}

static inline void trade(struct world *restrict s, const struct worlds *all, int whole)
{
    float *restrict worth = s->meter[0], *restrict bread = s->meter[1];
    float *restrict coins = s->meter[2], *restrict wants = s->meter[3];
    float price = s->of_world[0], before_bread[AGENTS], before_coins[AGENTS];
    int buyers = 0, sellers = 0;
    EACH {
        buyers += wants[i] == 1.0f;
        sellers += wants[i] == -1.0f;
        before_bread[i] = bread[i];
        before_coins[i] = coins[i];
    }
    int deals = buyers < sellers ? buyers : sellers;
    EACH {
        uint32_t bits;
        memcpy(&bits, &worth[i], 4);
        s->key[0][i] = bits;
        s->key[1][i] = ~bits;
    }
    if (whole) places_of_few(s, wants, 1.0f, 1); else places(s, s->key[0], wants, 1.0f);
    EACH {
        int buys = wants[i] == 1.0f && s->rank[i] < deals;
        float more = bread[i] + (buys ? 1.0f : -0.0f), left = coins[i] - (buys ? price : 0.0f);
        bread[i] = 102400.0f < more ? 102400.0f : more;
        coins[i] = left < 0.0f ? 0.0f : left;
    }
    if (whole) places_of_few(s, wants, -1.0f, 0); else places(s, s->key[1], wants, -1.0f);
    buyers = sellers = 0;
    EACH {
        int sells = wants[i] == -1.0f && s->rank[i] < deals;
        float less = bread[i] - (sells ? 1.0f : 0.0f), more = coins[i] + (sells ? price : -0.0f);
        bread[i] = less < 0.0f ? 0.0f : less;
        coins[i] = 2048000.0f < more ? 2048000.0f : more;
        float sell = worth[i] < price && 1.0f <= bread[i] ? -1.0f : 0.0f;
        wants[i] = price < worth[i] && 20.0f <= coins[i] ? 1.0f : sell;
        buyers += wants[i] == 1.0f;
        sellers += wants[i] == -1.0f;
        s->returned[i] += ((worth[i] * (bread[i] - before_bread[i])) + coins[i]) - before_coins[i];
    }
    float by = (float)(buyers - sellers);
    by = by < -1.0f ? -1.0f : by;
    price += 1.0f < by ? 1.0f : by;
    price = price < 1.0f ? 1.0f : price;
    s->of_world[0] = 20.0f < price ? 20.0f : price;
    if (++s->age >= 100) {
        uint32_t low = all->seed_low, high = all->seed_high, first = s->number * AGENTS;
        begin(s, all);
        EACH {
            uint32_t drawn = word(first + (uint32_t)i, (uint32_t)s->episode, 0x94bdd1d7u, 3, low, high);
            worth[i] = (float)(int32_t)((((uint64_t)drawn * 20) >> 32) + 1);
            bread[i] = 100.0f;
            coins[i] = 2000.0f;
            wants[i] = 0.0f;
        }
        s->of_world[0] = 4.0f;
    }
}

static void market(struct world *restrict s, const struct worlds *all, uint32_t now)
{
    (void)now;
    trade(s, all, 0);
}

static void market_of_few(struct world *restrict s, const struct worlds *all, uint32_t now)
{
    (void)now;
    trade(s, all, 1);
}

/* --- epidemic: everybody meets everybody --------------------------------------------------------------------------- */

static void epidemic(struct world *restrict s, const struct worlds *all, uint32_t now)
{
    float *restrict sick = s->meter[0], *restrict immune = s->meter[1], *restrict mood = s->meter[2];
    int many = 0, had = 0;
    /* 0 or 1 each, so that any order of additions is right. */
    EACH many += sick[i] == 1.0f;
    float average = (float)many / 256.0f;
    EACH s->action[i] = (int32_t)(((uint64_t)s->words[now & 3][i] * 3) >> 32);
    draw(s, 0, all, now, 0x2c41fb7du);
    draw(s, 1, all, now, 0xab8ca874u);
    float bare = s->param * average, masked = (0.3f * s->param) * average;
    many = 0;
    EACH {
        int mask = s->action[i] == 2;
        float left = mood[i] - (mask ? 0.001f : 0.0f), was = sick[i], is;
        mood[i] = left < 0.0f ? 0.0f : left;
        int falls = was == 0.0f && immune[i] == 0.0f && s->drawn[0][i] < (mask ? masked : bare);
        int heals = was == 1.0f && s->drawn[1][i] < 0.05f;
        is = heals ? 0.0f : falls ? 1.0f : was;
        sick[i] = is;
        immune[i] = heals ? 1.0f : immune[i];
        many += is == 1.0f;
        had += is == 1.0f || immune[i] == 1.0f;
        s->returned[i] += mood[i] - is;
    }
    s->of_world[0] = (float)many;
    s->of_world[1] = (float)had;
    if (++s->age >= 1000) {
        begin(s, all);
        EACH {
            sick[i] = i == 0 ? 1.0f : 0.0f;
            immune[i] = 0.0f;
            mood[i] = 1.0f;
        }
        s->of_world[0] = s->of_world[1] = 0.0f;
    }
}

/* --- all worlds ----------------------------------------------------------------------------------------------------- */

struct kind {
    void (*tick)(struct world *restrict, const struct worlds *, uint32_t);
    int meters, of_world, params, acts;
};

static const struct kind KINDS[] = {
    {queue, 2, 1, 1, 1}, {queue_of_one, 2, 1, 1, 1}, {market, 4, 1, 0, 0}, {market_of_few, 4, 1, 0, 0},
    {epidemic, 3, 2, 1, 1}};

struct work {
    const struct worlds *all;
    const struct kind *kind;
    _Atomic int64_t next;
};

static void run(struct world *s, const struct worlds *all, const struct kind *kind, int64_t number)
{
    int64_t lanes = all->worlds * AGENTS, first = number * AGENTS;
    for (int row = 0; row < kind->meters; row++)
        memcpy(s->meter[row], all->meters + row * lanes + first, sizeof s->meter[row]);
    memcpy(s->returned, all->episode_return + first, sizeof s->returned);
    for (int row = 0; row < kind->of_world; row++)
        s->of_world[row] = all->world_meters[row * all->worlds + number];
    s->param = kind->params ? all->params[number] : 0.0f;
    s->age = all->age[first];
    s->episode = all->episode[number];
    s->layout = all->layout[number];
    s->number = (uint32_t)number;
    for (uint32_t passed = 0; passed < all->ticks; passed++) {
        uint32_t now = all->tick + passed;
        if (kind->acts && (passed == 0 || (now & 3) == 0))
            think(s, all, now);
        kind->tick(s, all, now);
    }
    for (int row = 0; row < kind->meters; row++)
        memcpy(all->meters + row * lanes + first, s->meter[row], sizeof s->meter[row]);
    memcpy(all->episode_return + first, s->returned, sizeof s->returned);
    for (int row = 0; row < kind->of_world; row++)
        all->world_meters[row * all->worlds + number] = s->of_world[row];
    EACH all->age[first + i] = s->age;
    all->episode[number] = s->episode;
    all->layout[number] = s->layout;
}

static void *worker(void *given)
{
    struct work *work = given;
    struct world s;
    int64_t number;
    while ((number = atomic_fetch_add(&work->next, 1)) < work->all->worlds)
        run(&s, work->all, work->kind, number);
    return 0;
}

int agents_of_worlds(void)
{
    return AGENTS;
}

void rollout(const struct worlds *all, int kind)
{
    struct work work = {all, &KINDS[kind], 0};
    pthread_t threads[64];
    for (uint32_t i = 1; i < all->threads; i++)
        pthread_create(&threads[i], 0, worker, &work);
    worker(&work);
    for (uint32_t i = 1; i < all->threads; i++)
        pthread_join(threads[i], 0);
}
