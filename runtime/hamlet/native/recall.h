/* What a lane remembers, a number of it in each vector: the minimal gated recurrent unit of L. Feng and others (2024), by
the order of operations of docs/semantics.md ("Memory"). */

#ifndef HAMLET_RECALL_H
#define HAMLET_RECALL_H

#include "elementary.h"

/* How many times as large a network sees what has changed in an observation. */
#define CHANGE 8.0f

/* 1 / (1 + e**-x), without overflow. */
HAMLET_INLINE vf32 sigmoid_vf32(vf32 x) {
    const vf32 one = alike_vf32(1.0f);
    vf32 shrunk = exp_vf32(negate_vf32(absolute_vf32(x)));
    return divide_vf32(where_vf32(less_vf32(x, alike_vf32(0.0f)), shrunk, one), add_vf32(one, shrunk));
}

/* What was remembered and what is new, weighed by the gate: both are squashed already. */
HAMLET_INLINE vf32 recalled_vf32(vf32 gate, vf32 news, vf32 before) {
    return fma_vf32(gate, subtract_vf32(news, before), before);
}

#endif
