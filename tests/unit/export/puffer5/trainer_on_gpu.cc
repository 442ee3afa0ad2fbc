/* Uses an environment on a GPU as the trainer of PufferLib 5 does: buffers of the trainer on the device, one call for all
worlds. Reads and writes what trainer.c does, but for masks, and the digest of all worlds. */
#include ENVIRONMENT

static void *on_device(size_t bytes) {
    void *memory;
    hamlet_puffer_check(cudaMalloc(&memory, bytes));
    hamlet_puffer_check(cudaMemset(memory, 0, bytes));
    return memory;
}

static void *on_host(const void *memory, size_t bytes) {
    void *copy = malloc(bytes);
    hamlet_puffer_check(cudaMemcpy(copy, memory, bytes, cudaMemcpyDeviceToHost));
    return copy;
}

static void show(const float *memory, size_t count) {
    void *copy = on_host(memory, count * sizeof(float));
    fwrite(copy, sizeof(float), count, stdout);
    free(copy);
}

int main(int count, char **words) {
    Dict settings, logged;
    int total = atoi(words[1]), ticks = atoi(words[2]);
    Log sum;
    memset(&settings, 0, sizeof settings);
    memset(&logged, 0, sizeof logged);
    memset(&sum, 0, sizeof sum);
    for (int word = 3; word + 1 < count; word += 2) dict_set(&settings, words[word], atof(words[word + 1]));
    const size_t chosen = (size_t)(total * NUM_ATNS), lanes = (size_t)total;
    obs_t *observations = (obs_t *)on_device(lanes * OBS_SIZE * sizeof(obs_t));
    float *given = (float *)malloc(chosen * sizeof(float)), *actions = (float *)on_device(chosen * sizeof(float));
    float *rewards = (float *)on_device(lanes * sizeof(float)), *terminals = (float *)on_device(lanes * sizeof(float));
    Env *envs = puf_vec_create(total, &settings, observations, actions, rewards, terminals);
    puf_bind_stream(NULL);
    puf_reset(envs);
    for (int tick = 0; tick < ticks; tick++) {
        if (fread(given, sizeof(float), chosen, stdin) != chosen) return 1;
        hamlet_puffer_check(cudaMemcpy(actions, given, chosen * sizeof(float), cudaMemcpyHostToDevice));
        puf_step(envs);
        show(observations, lanes * OBS_SIZE);
        show(rewards, lanes);
        show(terminals, lanes);
    }
    Env *copies = (Env *)on_host(envs, lanes * sizeof(Env));
    for (int env = 0; env < total; env++) {
        const float *from = (const float *)&copies[env].log;
        for (size_t place = 0; place < sizeof(Log) / sizeof(float); place++) ((float *)&sum)[place] += from[place];
    }
    LAID at;
    void *memory = on_host(hamlet_puffer.memory, (size_t)LAY(&at, NULL, hamlet_puffer.worlds));
    fprintf(stderr, "digest %llx\n", (unsigned long long)DIGEST((uint8_t *)memory, hamlet_puffer.worlds));
    puf_close(envs);
    puf_log(&sum, &logged);
    for (int place = 0; place < logged.size; place++) fprintf(stderr, "%s %g\n", logged.names[place], logged.values[place]);
    return 0;
}
