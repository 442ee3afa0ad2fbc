/* Worlds of an export on a GPU: begins them, makes steps with actions from standard input, then ticks at random. Writes the
digest of all worlds, of their observations and of their masks after the beginning, each step and the last tick; then the
milliseconds of further ticks, in some turns. Words: worlds, seed, steps, ticks, turns, ticks of a turn. */
#include <cuda_runtime.h>
#include ENVIRONMENT
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 32 };

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

/* What is in memory on the device, in three numbers. */
static void told(const uint8_t *memory, uint8_t *host, size_t bytes, int64_t worlds) {
    const uint64_t none = 0xCBF29CE484222325u;
    LAID at;
    check(cudaMemcpy(host, memory, bytes, cudaMemcpyDeviceToHost));
    LAY(&at, host, worlds);
    printf("%llx %llx %llx\n", (unsigned long long)DIGEST(host, worlds),
           (unsigned long long)HASHED(none, at.observation, at.lanes * SEEN_EACH * (int64_t)sizeof *at.observation),
           (unsigned long long)HASHED(none, at.mask, at.lanes * ALLOWED_EACH));
}

struct Batch {
    uint8_t *memory;
    int64_t worlds;
    uint64_t seed;
};

/* One tick with actions, some at random, or the beginning. */
static void launch(const Batch *batch, const int32_t *actions, int64_t ticks, int32_t begins) {
    uint8_t *memory = batch->memory;
    int64_t worlds = batch->worlds, first = 0;
    uint64_t seed = batch->seed;
    void *given[] = {&memory, &worlds, &first, &seed, &actions, &ticks, &begins};
    const unsigned blocks = (unsigned)((worlds + BLOCK - 1) / BLOCK);
    check(cudaLaunchKernel(WORLDS, dim3(blocks), dim3(BLOCK), given, BLOCK * sizeof(uint8_t *), 0));
}

int main(int count, char **words) {
    (void)count;
    const int64_t worlds = atoll(words[1]), steps = atoll(words[3]), ticks = atoll(words[4]), turns = atoll(words[5]);
    LAID at;
    const size_t bytes = (size_t)LAY(&at, NULL, worlds);
    uint8_t *memory, *host = (uint8_t *)malloc(bytes);
    int32_t *wrong, found, *actions, *chosen = (int32_t *)malloc(sizeof(int32_t) * (size_t)at.lanes);
    const size_t row = sizeof(int32_t) * (size_t)at.lanes;
    check(cudaMalloc((void **)&memory, bytes));
    check(cudaMemset(memory, 0, bytes));
    check(cudaMalloc((void **)&actions, row));
    check(cudaMalloc((void **)&wrong, sizeof(int32_t)));
    void *given[] = {&wrong};
    check(cudaLaunchKernel(EXACT, dim3(1), dim3(1), given, 0, 0));
    check(cudaMemcpy(&found, wrong, sizeof(int32_t), cudaMemcpyDeviceToHost));
    if (found) return fprintf(stderr, "the self-test found %d\n", found), 1;
    const Batch batch = {memory, worlds, strtoull(words[2], NULL, 10)};
    launch(&batch, NULL, 0, 1);
    told(memory, host, bytes, worlds);
    for (int64_t step = 0; step < steps; step++) {
        if (fread(chosen, 1, row, stdin) != row) return fprintf(stderr, "no more actions\n"), 1;
        check(cudaMemcpy(actions, chosen, row, cudaMemcpyHostToDevice));
        launch(&batch, actions, 1, 0);
        told(memory, host, bytes, worlds);
    }
    launch(&batch, NULL, ticks, 0);
    told(memory, host, bytes, worlds);
#ifdef __CUDACC__
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    for (int64_t turn = 0; turn < turns; turn++) {
        float milliseconds;
        check(cudaEventRecord(begin));
        launch(&batch, NULL, atoll(words[6]), 0);
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        printf("%g\n", milliseconds);
    }
#else
    (void)turns;
#endif
    return 0;
}
