/* A GPU for tests where there is none: threads of a launch run one after the other on this machine, and intrinsics are what
CUDA's documentation says of them. Its name is that of CUDA's own header. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tuple>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __shared__
#define __forceinline__ inline

struct dim3 {
    unsigned x, y = 1, z = 1;
    dim3(unsigned x = 1) : x(x) {}
};
static dim3 threadIdx(0), blockIdx(0), blockDim(1);
/* Shared memory of a block. */
uint8_t *hamlet_rooms_of[1024];

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __int2float_rn(int a) { return (float)a; }
static inline float __ll2float_rn(long long a) { return (float)a; }
static inline long long __float2ll_rz(float a) { return (long long)a; }
static inline unsigned __float_as_uint(float a) { unsigned bits; memcpy(&bits, &a, 4); return bits; }
static inline float __uint_as_float(unsigned bits) { float a; memcpy(&a, &bits, 4); return a; }

typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
enum { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
static inline const char *cudaGetErrorString(cudaError_t error) { return error ? "an error" : "none"; }
static inline cudaError_t cudaMalloc(void **memory, size_t bytes) { return (*memory = malloc(bytes)) == NULL; }
static inline cudaError_t cudaFree(void *memory) { free(memory); return 0; }
static inline cudaError_t cudaMemset(void *memory, int value, size_t bytes) { memset(memory, value, bytes); return 0; }
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
    memcpy(to, from, bytes);
    return 0;
}

template <typename... Types, size_t... Places>
void hamlet_thread(void (*kernel)(Types...), void **given, std::index_sequence<Places...>) {
    kernel(*(std::tuple_element_t<Places, std::tuple<Types...>> *)given[Places]...);
}
template <typename... Types>
cudaError_t cudaLaunchKernel(void (*kernel)(Types...), dim3 blocks, dim3 threads, void **given, size_t, cudaStream_t) {
    blockDim = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks.x; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < threads.x; threadIdx.x++)
            hamlet_thread(kernel, given, std::index_sequence_for<Types...>{});
    return 0;
}
