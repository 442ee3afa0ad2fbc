/* The town in C as it is first written: one struct per agent, branches, one tick over all agents at a time. */
#include <pthread.h>
#include <stdlib.h>

#include "town.h"

struct agent {
    float meters[METERS];
    float episode_return, reward;
    int32_t x, y, age, episode, used, cause;
    uint32_t layout;
    uint8_t on_cell[CELLS]; /* the affordance on each cell, or AFFORDANCES */
};

static void add(struct agent *agent, int meter, float amount)
{
    float value = agent->meters[meter] + amount;
    agent->meters[meter] = value < 0.0f ? 0.0f : 1.0f < value ? 1.0f : value;
}

static int pay(struct agent *agent, float price)
{
    return agent->meters[MONEY] >= price;
}

/* Whether the tick was not wasted. */
static int interact(struct agent *agent, int affordance)
{
    switch (affordance) {
    case BED:
        if (!pay(agent, 0.05f)) return 0;
        add(agent, ENERGY, (float)(5 * 0.075)); add(agent, ENERGY, 0.125f); add(agent, HEALTH, 0.02f);
        add(agent, MONEY, -0.05f);
        return 1;
    case LUXURY_BED:
        if (!pay(agent, 0.11f)) return 0;
        add(agent, ENERGY, (float)(6 * 0.09375)); add(agent, ENERGY, 0.1875f); add(agent, HEALTH, 0.05f);
        add(agent, MONEY, -0.11f);
        return 1;
    case SHOWER:
        if (!pay(agent, 0.03f)) return 0;
        add(agent, HYGIENE, (float)(3 * 0.1)); add(agent, HYGIENE, 0.1f); add(agent, MONEY, -0.03f);
        return 1;
    case HOME_MEAL:
        if (!pay(agent, 0.03f)) return 0;
        add(agent, SATIATION, (float)(2 * 0.1125)); add(agent, SATIATION, 0.1125f); add(agent, HEALTH, 0.03f);
        add(agent, MONEY, -0.03f);
        return 1;
    case FAST_FOOD:
        if (!pay(agent, 0.1f)) return 0;
        add(agent, SATIATION, (float)(2 * 0.16875)); add(agent, ENERGY, (float)(2 * 0.05625));
        add(agent, SATIATION, 0.1125f); add(agent, ENERGY, 0.0375f); add(agent, SOCIAL, 0.01f);
        add(agent, FITNESS, -0.03f); add(agent, HEALTH, -0.02f); add(agent, MONEY, -0.1f);
        return 1;
    case DOCTOR:
        if (!pay(agent, 0.08f)) return 0;
        add(agent, HEALTH, (float)(3 * 0.09375)); add(agent, HEALTH, 0.0625f); add(agent, MONEY, -0.08f);
        return 1;
    case HOSPITAL:
        if (!pay(agent, 0.15f)) return 0;
        add(agent, HEALTH, (float)(6 * 0.1)); add(agent, HEALTH, 0.1f); add(agent, MONEY, -0.15f);
        return 1;
    case THERAPIST:
        if (!pay(agent, 0.15f)) return 0;
        add(agent, MOOD, (float)(4 * 0.1)); add(agent, MOOD, 0.1f); add(agent, MONEY, -0.15f);
        return 1;
    case RECREATION:
        if (!pay(agent, 0.06f)) return 0;
        add(agent, MOOD, (float)(3 * 0.09375)); add(agent, ENERGY, (float)(3 * 0.045)); add(agent, MOOD, 0.0625f);
        add(agent, ENERGY, 0.03f); add(agent, MONEY, -0.06f);
        return 1;
    case BAR:
        if (!pay(agent, 0.15f)) return 0;
        add(agent, SOCIAL, (float)(2 * 0.1875)); add(agent, MOOD, (float)(2 * 0.09375));
        add(agent, SATIATION, (float)(2 * 0.1125)); add(agent, SOCIAL, 0.125f); add(agent, MOOD, 0.0625f);
        add(agent, SATIATION, 0.075f); add(agent, ENERGY, -0.2f); add(agent, HYGIENE, -0.15f);
        add(agent, HEALTH, -0.05f); add(agent, MONEY, -0.15f);
        return 1;
    case JOB:
        add(agent, MONEY, (float)(8 * 0.05625)); add(agent, MONEY, 0.05625f); add(agent, ENERGY, -0.15f);
        add(agent, SOCIAL, 0.02f); add(agent, HEALTH, -0.03f);
        return 1;
    case LABOR:
        add(agent, MONEY, (float)(6 * 0.075)); add(agent, MONEY, 0.075f); add(agent, ENERGY, -0.2f);
        add(agent, FITNESS, -0.05f); add(agent, HEALTH, -0.05f); add(agent, SOCIAL, 0.01f);
        return 1;
    case GYM:
        if (!pay(agent, 0.08f)) return 0;
        add(agent, FITNESS, (float)(4 * 0.075)); add(agent, FITNESS, 0.075f); add(agent, ENERGY, -0.08f);
        add(agent, MONEY, -0.08f);
        return 1;
    case PARK:
        add(agent, FITNESS, (float)(3 * 0.05)); add(agent, SOCIAL, (float)(3 * 0.0375));
        add(agent, MOOD, (float)(3 * 0.0375)); add(agent, FITNESS, 0.05f); add(agent, SOCIAL, 0.0375f);
        add(agent, MOOD, 0.0375f); add(agent, ENERGY, -0.15f);
        return 1;
    default:
        return 0;
    }
}

static void cascade(struct agent *agent, int source, int target, float rate)
{
    float value = agent->meters[source];
    if (value < 0.3f)
        add(agent, target, -(rate * ((0.3f - value) / 0.3f)));
}

static void settle(struct agent *agent)
{
    for (int cell = 0; cell < CELLS; cell++)
        agent->on_cell[cell] = AFFORDANCES;
    for (uint32_t k = 0; k < AFFORDANCES; k++)
        agent->on_cell[cell_of(k, agent->layout)] = (uint8_t)k;
}

static void restart(struct agent *agent, const struct town *town, int64_t world)
{
    for (int meter = 0; meter < METERS; meter++)
        agent->meters[meter] = meter == MONEY ? 0.5f : 1.0f;
    agent->age = 0;
    agent->episode_return = 0.0f;
    agent->episode++;
    agent->layout = layout_of(town, (uint32_t)world, (uint32_t)agent->episode);
    settle(agent);
    uint32_t cell = cell_of(AFFORDANCES, agent->layout);
    agent->x = cell & 7;
    agent->y = cell >> 3;
}

static void step(struct agent *agent, int action)
{
    if (action == UP && agent->y > 0) agent->y--;
    if (action == DOWN && agent->y < SIDE - 1) agent->y++;
    if (action == LEFT && agent->x > 0) agent->x--;
    if (action == RIGHT && agent->x < SIDE - 1) agent->x++;
    if (action == REST) { add(agent, ENERGY, 0.002f); add(agent, MOOD, 0.01f); }
    if (action == MEDITATE) { add(agent, ENERGY, -0.001f); add(agent, MOOD, 0.02f); }
    if (action <= INTERACT) add(agent, ENERGY, -0.005f);
    agent->used = -1;
    if (action == INTERACT) {
        int affordance = agent->on_cell[agent->y * SIDE + agent->x];
        if (interact(agent, affordance))
            agent->used = affordance;
    }
    add(agent, ENERGY, -0.005f);
    add(agent, HYGIENE, -0.003f);
    add(agent, SATIATION, -0.004f);
    add(agent, MOOD, -0.001f);
    add(agent, SOCIAL, -0.006f);
    add(agent, FITNESS, -0.002f);
    add(agent, HEALTH, -(0.001f * (0.5f + 2.5f * (1.0f - agent->meters[FITNESS]))));
    cascade(agent, SATIATION, ENERGY, 0.005f);
    cascade(agent, MOOD, ENERGY, 0.005f);
    cascade(agent, SATIATION, HEALTH, 0.004f);
    cascade(agent, HYGIENE, SATIATION, 0.002f);
    cascade(agent, HYGIENE, MOOD, 0.003f);
    cascade(agent, SOCIAL, MOOD, 0.004f);
    cascade(agent, HYGIENE, FITNESS, 0.002f);
    cascade(agent, HYGIENE, ENERGY, 0.0005f);
    cascade(agent, SOCIAL, ENERGY, 0.0008f);
    cascade(agent, HYGIENE, HEALTH, 0.0005f);
    agent->age++;
    agent->cause = agent->meters[HEALTH] <= 0.0f ? 0 : agent->meters[ENERGY] <= 0.0f ? 1 : agent->age >= LIFESPAN ? 2 : -1;
    agent->reward = 0.0f;
    if (agent->cause < 0 || agent->cause == 2)
        agent->reward = agent->meters[ENERGY] * agent->meters[HEALTH];
    if (agent->cause == 2)
        agent->reward += 1.0f;
    agent->episode_return += agent->reward;
}

struct work {
    const struct town *town;
    struct agent *agents;
    int64_t begin, end;
};

static void *run(void *argument)
{
    struct work *work = argument;
    const struct town *town = work->town;
    for (uint32_t t = 0; t < town->ticks; t++) {
        for (int64_t lane = work->begin; lane < work->end; lane++) {
            struct agent *agent = &work->agents[lane];
            uint32_t words[4], tick = town->tick + t;
            philox((uint32_t)lane, tick >> 2, town->seed_low, town->seed_high, words);
            step(agent, words[tick & 3] >> 29);
            if (agent->cause >= 0)
                restart(agent, town, lane);
        }
    }
    return 0;
}

struct agent *pack(const struct town *town)
{
    struct agent *agents = calloc((size_t)town->lanes, sizeof *agents);
    for (int64_t lane = 0; agents && lane < town->lanes; lane++) {
        struct agent *agent = &agents[lane];
        for (int meter = 0; meter < METERS; meter++)
            agent->meters[meter] = town->meters[meter * town->lanes + lane];
        agent->x = town->position[lane];
        agent->y = town->position[town->lanes + lane];
        agent->age = town->age[lane];
        agent->episode = town->episode[lane];
        agent->episode_return = town->episode_return[lane];
        agent->layout = town->layout[lane];
        settle(agent);
    }
    return agents;
}

void unpack(const struct town *town, struct agent *agents)
{
    for (int64_t lane = 0; lane < town->lanes; lane++) {
        const struct agent *agent = &agents[lane];
        for (int meter = 0; meter < METERS; meter++)
            town->meters[meter * town->lanes + lane] = agent->meters[meter];
        town->position[lane] = agent->x;
        town->position[town->lanes + lane] = agent->y;
        town->age[lane] = agent->age;
        town->episode[lane] = agent->episode;
        town->episode_return[lane] = agent->episode_return;
        town->layout[lane] = agent->layout;
        town->reward[lane] = agent->reward;
        town->used[lane] = agent->used;
        town->cause[lane] = agent->cause;
        town->terminated[lane] = agent->cause == 0 || agent->cause == 1;
        town->truncated[lane] = agent->cause == 2;
    }
    free(agents);
}

void discard(struct agent *agents)
{
    free(agents);
}

void rollout_agents(const struct town *town, struct agent *agents)
{
    pthread_t threads[64];
    struct work work[64];
    for (uint32_t n = 0; n < town->threads; n++) {
        work[n] = (struct work){town, agents, town->lanes * n / town->threads, town->lanes * (n + 1) / town->threads};
        if (n > 0)
            pthread_create(&threads[n], 0, run, &work[n]);
    }
    run(&work[0]);
    for (uint32_t n = 1; n < town->threads; n++)
        pthread_join(threads[n], 0);
}
