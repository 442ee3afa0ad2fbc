/* What an environment of PufferLib 5 is promised by the header of this name, for tests where PufferLib is not: the
names and types alone, as at commit 64da1a6b of PufferAI/PufferLib. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Env Env;
typedef struct Log Log;

typedef struct Agent {
    obs_t *observations;
    float *actions;
    float *rewards;
    float *terminals;
    unsigned char *action_mask;
    int policy;
} Agent;

/* Names with numbers. */
typedef struct Dict {
    char names[32][128];
    double values[32];
    int size;
} Dict;

static inline double dict_get(Dict *dict, const char *key) {
    for (int place = 0; place < dict->size; place++)
        if (strcmp(dict->names[place], key) == 0) return dict->values[place];
    fprintf(stderr, "no key %s\n", key);
    exit(1);
}

static inline void dict_set(Dict *dict, const char *key, double value) {
    snprintf(dict->names[dict->size], sizeof dict->names[0], "%s", key);
    dict->values[dict->size++] = value;
}

void puf_init(Env *env, Dict *kwargs);
void puf_reset(Env *env);
void puf_step(Env *env);
void puf_render(Env *env);
void puf_close(Env *env);
void puf_log(Log *log, Dict *out);
