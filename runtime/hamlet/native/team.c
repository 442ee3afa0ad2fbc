/* Threads that wait in machine code for the next launch: waking a thread of Python takes longer than a small step.

A member waits at a semaphore, at first without sleeping, takes what is posted, runs it and says so at another one. The
leader runs its own part and takes back what nobody has begun: a member that sleeps, that gets no processor, or that a
fork left behind delays nobody. Python's lock is held by none of them.

Python makes the blocks of members, semaphores included: `hamlet.launch.cpu.entry` has their words. */

#define _POSIX_C_SOURCE 200809L

#include <sched.h>
#include <semaphore.h>

#include "hamlet.h"

enum { IDLE, POSTED, CLAIMED, ENDED };

/* How often a thread looks at a semaphore and yields the processor before it sleeps: some 40 microseconds. */
enum { YIELDS = 100 };

/* What a member counted, `part`, is added to `total`, and begins at 0 again. */
typedef struct {
    i64 *total, *part;
    i64 length;
} pair;

/* A cache line each: the state, which threads change together, with what is called, and two semaphores. */
typedef struct {
    i64 state;
    i64 (*called)(void *);
    void *argument;
    const pair *pairs;
    i64 counts, unused[3];
    union {
        sem_t semaphore;
        i64 line[8];
    } start, done;
} block;

typedef char block_has_three_lines[sizeof(block) == 3 * 64 ? 1 : -1];

/* Look, yield, look again, in the end sleep. A signal interrupts a sleep. */
static void wait_at(sem_t *semaphore) {
    for (int turn = 0; turn < YIELDS; turn++) {
        if (sem_trywait(semaphore) == 0) return;
        sched_yield();
    }
    while (sem_wait(semaphore) != 0) {
    }
}

/* Change the state of a block from one to another, if that is its state; gives its state before. */
static i64 change(block *member, i64 from, i64 to) {
    __atomic_compare_exchange_n(&member->state, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return from;
}

/* What a member does all its life. */
HAMLET_EXPORT void hamlet_team_serve(block *member) {
    i64 before;
    do {
        wait_at(&member->start.semaphore);
        before = change(member, POSTED, CLAIMED);
        if (before == POSTED) {
            member->called(member->argument);
            __atomic_store_n(&member->state, IDLE, __ATOMIC_RELEASE);
            sem_post(&member->done.semaphore);
        }
    } while (before != ENDED);
}

static void add_counts(const block *member) {
    for (i64 number = 0; number < member->counts; number++) {
        pair each = member->pairs[number];
        for (i64 index = 0; index < each.length; index++) {
            each.total[index] += each.part[index];
            each.part[index] = 0;
        }
    }
}

/* Call what all `count` blocks say, that of the first one, the leader's, in this thread; returns when all are done. */
HAMLET_EXPORT void hamlet_team_lead(block *blocks, i64 count) {
    for (i64 number = 1; number < count; number++) {
        __atomic_store_n(&blocks[number].state, POSTED, __ATOMIC_RELEASE);
        sem_post(&blocks[number].start.semaphore);
    }
    blocks->called(blocks->argument);
    for (i64 number = 1; number < count; number++) {
        if (change(&blocks[number], POSTED, IDLE) == POSTED) continue;
        wait_at(&blocks[number].done.semaphore);
        add_counts(&blocks[number]);
    }
}
