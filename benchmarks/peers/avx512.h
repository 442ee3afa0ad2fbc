/* The arithmetic of fast.c by AVX-512 intrinsics. What an affordance adds to a meter is a table of sixteen numbers, one
 * register, looked up by one permutation. Included in fast.c with -DAVX512.
 */
#include <immintrin.h>

typedef __m512 v16;
typedef __m512i i16;

#define N (-0.0f) /* x + -0.0 is x for every x */
#define TABLE(name, ...) static const _Alignas(64) float name[16] = {__VA_ARGS__}
/*                   Bed    Luxury  Shower  Meal   Fast   Doctor Hospit Therap Recr   Bar    Job    Labor  Gym    Park  -  none */
TABLE(price,         0.05f, 0.11f,  0.03f,  0.03f, 0.1f,  0.08f, 0.15f, 0.15f, 0.06f, 0.15f, 0,     0,     0.08f, 0,    0, 0);
TABLE(energy_first,  0.375f,0.5625f,N,      N,     0.1125f,N,    N,     N,  3 * 0.045,-0.2f, -0.15f,-0.2f, -0.08f,-0.15f,N, N);
TABLE(energy_then,   0.125f,0.1875f,N,      N,     0.0375f,N,    N,     N,     0.03f, N,     N,     N,     N,     N,    N, N);
TABLE(hygiene_first, N,     N,   3 * 0.1,   N,     N,     N,     N,     N,     N,    -0.15f, N,     N,     N,     N,    N, N);
TABLE(hygiene_then,  N,     N,      0.1f,   N,     N,     N,     N,     N,     N,     N,     N,     N,     N,     N,    N, N);
TABLE(satiation_first,N,    N,      N,    0.225f,  0.3375f,N,    N,     N,     N,     0.225f,N,     N,     N,     N,    N, N);
TABLE(satiation_then,N,     N,      N,    0.1125f, 0.1125f,N,    N,     N,     N,     0.075f,N,     N,     N,     N,    N, N);
TABLE(money_first,  -0.05f,-0.11f, -0.03f, -0.03f, -0.1f, -0.08f,-0.15f,-0.15f,-0.06f,-0.15f,0.45f, 0.45f, -0.08f,N,    N, N);
TABLE(money_then,    N,     N,      N,      N,     N,     N,     N,     N,     N,     N,    0.05625f,0.075f,N,    N,    N, N);
TABLE(mood_first,    N,     N,      N,      N,     N,     N,     N,     0.4f,0.28125f,0.1875f,N,    N,     N,   0.1125f,N, N);
TABLE(mood_then,     N,     N,      N,      N,     N,     N,     N,     0.1f, 0.0625f,0.0625f,N,    N,     N,   0.0375f,N, N);
TABLE(social_first,  N,     N,      N,      N,     0.01f, N,     N,     N,     N,     0.375f,0.02f, 0.01f, N,   0.1125f,N, N);
TABLE(social_then,   N,     N,      N,      N,     N,     N,     N,     N,     N,     0.125f,N,     N,     N,   0.0375f,N, N);
TABLE(health_first,  0.02f, 0.05f,  N,      0.03f,-0.02f,0.28125f,6 * 0.1,N,   N,    -0.05f,-0.03f,-0.05f, N,     N,    N, N);
TABLE(health_then,   N,     N,      N,      N,     N,   0.0625f, 0.1f,  N,     N,     N,     N,     N,     N,     N,    N, N);
TABLE(fitness_first, N,     N,      N,      N,    -0.03f, N,     N,     N,     N,     N,     N,    -0.05f, 0.3f, 3 * 0.05,N, N);
TABLE(fitness_then,  N,     N,      N,      N,     N,     N,     N,     N,     N,     N,     N,     N,    0.075f, 0.05f,N, N);
TABLE(energy_by_action, -0.005f, -0.005f, -0.005f, -0.005f, -0.005f, N, 0.002f, -0.001f);
TABLE(mood_by_action, N, N, N, N, N, N, 0.01f, 0.02f);

#define ALL(x) _mm512_set1_ps(x)
#define LOOKUP(table, index) _mm512_permutexvar_ps(index, _mm512_load_ps(table))
/* Of two equal or unordered operands both give the second: as in `x < low ? low : x` and `high < x ? high : x`. */
#define FLOOR(x) _mm512_max_ps(zero, x)
#define CEIL(x) _mm512_min_ps(one, x)

/* (0.3 - x) / 0.3, and 0 from 0.3 on. A division: a Newton step with fma gives the same bits and was no faster. */
static inline v16 deficit(v16 source)
{
    return _mm512_max_ps(ALL(0.3f) - source, _mm512_setzero_ps()) / ALL(0.3f);
}

static void live_avx512(struct chunk *restrict s)
{
    const v16 zero = _mm512_setzero_ps(), one = ALL(1.0f);
    for (int i = 0; i < CHUNK; i += 16) {
#define IN(field) _mm512_load_ps(s->field + i)
#define OUT(field, value) _mm512_store_ps(s->field + i, value)
        i16 action = _mm512_load_si512(s->action + i);
        i16 here = _mm512_mask_mov_epi32(_mm512_set1_epi32(NONE),
            _mm512_cmpeq_epi32_mask(action, _mm512_set1_epi32(INTERACT)), _mm512_load_si512(s->here + i));
        v16 money = IN(money);
        i16 used = _mm512_mask_mov_epi32(_mm512_set1_epi32(NONE),
            _mm512_cmp_ps_mask(money, LOOKUP(price, here), _CMP_GE_OQ), here);

        v16 energy = FLOOR(IN(energy) + LOOKUP(energy_by_action, action));
        energy = FLOOR(CEIL(energy) + LOOKUP(energy_first, used));
        energy = CEIL(energy + LOOKUP(energy_then, used)) - ALL(0.005f);
        v16 hygiene = FLOOR(IN(hygiene) + LOOKUP(hygiene_first, used));
        hygiene = FLOOR(CEIL(hygiene + LOOKUP(hygiene_then, used)) - ALL(0.003f));
        v16 satiation = IN(satiation) + LOOKUP(satiation_first, used) + LOOKUP(satiation_then, used);
        satiation = FLOOR(CEIL(satiation) - ALL(0.004f));
        money = FLOOR(money + LOOKUP(money_first, used));
        OUT(money, CEIL(money + LOOKUP(money_then, used)));
        v16 mood = CEIL(IN(mood) + LOOKUP(mood_by_action, action)) + LOOKUP(mood_first, used) + LOOKUP(mood_then, used);
        mood = FLOOR(CEIL(mood) - ALL(0.001f));
        v16 social = IN(social) + LOOKUP(social_first, used) + LOOKUP(social_then, used);
        social = FLOOR(CEIL(social) - ALL(0.006f));
        v16 health = FLOOR(IN(health) + LOOKUP(health_first, used));
        health = CEIL(health + LOOKUP(health_then, used));
        v16 fitness = FLOOR(IN(fitness) + LOOKUP(fitness_first, used));
        fitness = FLOOR(CEIL(fitness + LOOKUP(fitness_then, used)) - ALL(0.002f));

        health -= ALL(0.001f) * (ALL(0.5f) + ALL(2.5f) * (one - fitness));
        v16 hunger = deficit(satiation), gloom = deficit(mood), grime = deficit(hygiene), loneliness = deficit(social);
        energy -= ALL(0.005f) * hunger;
        energy -= ALL(0.005f) * gloom;
        health -= ALL(0.004f) * hunger;
        v16 third = ALL(0.002f) * grime, fifth = ALL(0.0005f) * grime;
        mood -= ALL(0.003f) * grime;
        mood -= ALL(0.004f) * loneliness;
        energy -= fifth;
        energy -= ALL(0.0008f) * loneliness;
        energy = FLOOR(energy);
        health = FLOOR(health - fifth);

        i16 age = _mm512_add_epi32(_mm512_load_si512(s->age + i), _mm512_set1_epi32(1));
        __mmask16 old = _mm512_cmpge_epi32_mask(age, _mm512_set1_epi32(LIFESPAN));
        __mmask16 exhausted = _mm512_cmp_ps_mask(energy, zero, _CMP_LE_OQ);
        __mmask16 sick = _mm512_cmp_ps_mask(health, zero, _CMP_LE_OQ);
        i16 cause = _mm512_mask_mov_epi32(_mm512_set1_epi32(-1), old, _mm512_set1_epi32(2));
        cause = _mm512_mask_mov_epi32(cause, exhausted, _mm512_set1_epi32(1));
        cause = _mm512_mask_mov_epi32(cause, sick, _mm512_setzero_si512());
        v16 reward = energy * health;
        reward = _mm512_mask_add_ps(reward, old, reward, one);
        reward = _mm512_maskz_mov_ps((__mmask16)~(exhausted | sick), reward);

        OUT(energy, energy);
        OUT(hygiene, hygiene);
        OUT(satiation, FLOOR(satiation - third));
        OUT(mood, FLOOR(mood));
        OUT(social, social);
        OUT(health, health);
        OUT(fitness, FLOOR(fitness - third));
        OUT(reward, reward);
        OUT(episode_return, IN(episode_return) + reward);
        _mm512_store_si512(s->age + i, age);
        _mm512_store_si512(s->used + i, used);
        _mm512_store_si512(s->cause + i, cause);
    }
}

/* The low and the high halves of sixteen products. */
static inline void multiply(i16 a, i16 b, i16 *low, i16 *high)
{
    i16 even = _mm512_mul_epu32(a, b), odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), b);
    *low = _mm512_mask_shuffle_epi32(even, 0xAAAA, odd, 0xA0);
    *high = _mm512_mask_shuffle_epi32(odd, 0x5555, even, 0xF5);
}

static void draw_avx512(struct chunk *restrict s, const struct town *town, uint32_t first, uint32_t tick)
{
    const i16 ramp = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const i16 one = _mm512_set1_epi32((int)0xD2511F53u), other = _mm512_set1_epi32((int)0xCD9E8D57u);
    for (int i = 0; i < CHUNK; i += 16) {
        i16 a = _mm512_add_epi32(ramp, _mm512_set1_epi32((int)(first + (uint32_t)i)));
        i16 b = _mm512_set1_epi32((int)(tick >> 2)), c = _mm512_set1_epi32(1), d = _mm512_setzero_si512();
        uint32_t low_key = town->seed_low, high_key = town->seed_high;
        for (int round = 0; round < 10; round++) {
            i16 first_low, first_high, second_low, second_high;
            multiply(a, one, &first_low, &first_high);
            multiply(c, other, &second_low, &second_high);
            a = _mm512_ternarylogic_epi32(second_high, b, _mm512_set1_epi32((int)low_key), 0x96);
            c = _mm512_ternarylogic_epi32(first_high, d, _mm512_set1_epi32((int)high_key), 0x96);
            b = second_low;
            d = first_low;
            low_key += 0x9E3779B9u;
            high_key += 0xBB67AE85u;
        }
        i16 words[4] = {a, b, c, d};
        for (int word = 0; word < 4; word++)
            _mm_store_si128((__m128i *)(s->action_bytes[word] + i), _mm512_cvtepi32_epi8(_mm512_srli_epi32(words[word], 29)));
    }
}

#undef N
