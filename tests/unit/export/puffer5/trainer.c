/* Uses an environment as the trainer of PufferLib 5 does: environments until there are enough agents, buffers of its own
that agents are given, environments that move in memory, steps in threads. Reads `key value` of the settings, then the
number of agents and of ticks; then the actions of all agents for each tick, as floats. Writes what it has after each
tick, as bytes: observations, rewards, terminals, masks; then the logged means as text to the standard error. */
#include ENVIRONMENT

int main(int count, char **words) {
    Dict settings, logged;
    int total = atoi(words[1]), ticks = atoi(words[2]), environments = 0, created = 0;
    int sizes[] = ACT_SIZES, masked = 0;
    Env *envs = (Env *)calloc((size_t)total, sizeof(Env));
    Log sum;
    memset(&settings, 0, sizeof settings);
    memset(&logged, 0, sizeof logged);
    memset(&sum, 0, sizeof sum);
    for (int word = 3; word + 1 < count; word += 2) dict_set(&settings, words[word], atof(words[word + 1]));
    for (int head = 0; head < NUM_ATNS; head++) masked += sizes[head];
    for (; created < total; environments++) {
        envs[environments].rng = (unsigned)environments;
        puf_init(&envs[environments], &settings);
        created += envs[environments].num_agents;
    }
    envs = (Env *)realloc(envs, (size_t)environments * sizeof(Env));
    obs_t *observations = (obs_t *)calloc((size_t)created * OBS_SIZE, sizeof(obs_t));
    float *actions = (float *)calloc((size_t)created * NUM_ATNS, sizeof(float));
    float *rewards = (float *)calloc((size_t)created, sizeof(float));
    float *terminals = (float *)calloc((size_t)created, sizeof(float));
    unsigned char *masks = (unsigned char *)malloc((size_t)created * (size_t)masked);
    memset(masks, 1, (size_t)created * (size_t)masked);
    for (int env = 0, agent = 0; env < environments; env++)
        for (int lane = 0; lane < envs[env].num_agents; lane++, agent++) {
            Agent *each = &envs[env].agents[lane];
            each->observations = observations + (size_t)agent * OBS_SIZE;
            each->actions = actions + (size_t)agent * NUM_ATNS;
            each->rewards = rewards + agent;
            each->terminals = terminals + agent;
            each->action_mask = masks + (size_t)agent * (size_t)masked;
        }
    for (int env = 0; env < environments; env++) puf_reset(&envs[env]);
    for (int tick = 0; tick < ticks; tick++) {
        if (fread(actions, sizeof(float), (size_t)(created * NUM_ATNS), stdin) != (size_t)(created * NUM_ATNS)) return 1;
        memset(rewards, 0, (size_t)created * sizeof(float));
        memset(terminals, 0, (size_t)created * sizeof(float));
#pragma omp parallel for
        for (int env = 0; env < environments; env++) puf_step(&envs[env]);
        fwrite(observations, sizeof(obs_t), (size_t)created * OBS_SIZE, stdout);
        fwrite(rewards, sizeof(float), (size_t)created, stdout);
        fwrite(terminals, sizeof(float), (size_t)created, stdout);
        fwrite(masks, 1, (size_t)(created * masked), stdout);
    }
    for (int env = 0; env < environments; env++) {
        const float *from = (const float *)&envs[env].log;
        for (size_t place = 0; place < sizeof(Log) / sizeof(float); place++) ((float *)&sum)[place] += from[place];
        fprintf(stderr, "digest %llx\n", (unsigned long long)DIGEST(envs[env].worlds));
        puf_close(&envs[env]);
    }
    puf_log(&sum, &logged);
    for (int place = 0; place < logged.size; place++) fprintf(stderr, "%s %g\n", logged.names[place], logged.values[place]);
    return 0;
}
