/* Uses an environment on a GPU as the trainer of PufferLib 5 does: buffers of the trainer, one call for all worlds. Reads and
writes what trainer.c does, but for masks, and the digest of all worlds. */
#include ENVIRONMENT

int main(int count, char **words) {
    Dict settings, logged;
    int total = atoi(words[1]), ticks = atoi(words[2]);
    Log sum;
    memset(&settings, 0, sizeof settings);
    memset(&logged, 0, sizeof logged);
    memset(&sum, 0, sizeof sum);
    for (int word = 3; word + 1 < count; word += 2) dict_set(&settings, words[word], atof(words[word + 1]));
    obs_t *observations = (obs_t *)calloc((size_t)total * OBS_SIZE, sizeof(obs_t));
    float *actions = (float *)calloc((size_t)total * NUM_ATNS, sizeof(float));
    float *rewards = (float *)calloc((size_t)total, sizeof(float)), *terminals = (float *)calloc((size_t)total, sizeof(float));
    Env *envs = puf_vec_create(total, &settings, observations, actions, rewards, terminals);
    puf_bind_stream(NULL);
    puf_reset(envs);
    for (int tick = 0; tick < ticks; tick++) {
        if (fread(actions, sizeof(float), (size_t)(total * NUM_ATNS), stdin) != (size_t)(total * NUM_ATNS)) return 1;
        puf_step(envs);
        fwrite(observations, sizeof(obs_t), (size_t)total * OBS_SIZE, stdout);
        fwrite(rewards, sizeof(float), (size_t)total, stdout);
        fwrite(terminals, sizeof(float), (size_t)total, stdout);
    }
    for (int env = 0; env < total; env++) {
        const float *from = (const float *)&envs[env].log;
        for (size_t place = 0; place < sizeof(Log) / sizeof(float); place++) ((float *)&sum)[place] += from[place];
    }
    fprintf(stderr, "digest %llx\n", (unsigned long long)DIGEST(hamlet_puffer.memory, hamlet_puffer.worlds));
    puf_close(envs);
    puf_log(&sum, &logged);
    for (int place = 0; place < logged.size; place++) fprintf(stderr, "%s %g\n", logged.names[place], logged.values[place]);
    return 0;
}
