/* A step of one world as Gymnasium hands it out, made by one function of Python: statements of Python around a tick of
one agent take some times as long as the tick.

Python's own functions come by their addresses, all of them of its stable ABI, so that nothing of Python is needed to
compile this. `hamlet.launch.cpu.turn` has the same structures. */

#include "hamlet.h"

typedef struct python_object object;

/* Functions of Python, in the order of `hamlet.launch.cpu.turn.FUNCTIONS`. */
typedef struct {
    object *(*function)(void *, object *, object *);
    object *(*capsule)(void *, const char *, void *);
    void *(*pointer)(object *, const char *);
    void (*more)(object *);
    void (*fewer)(object *);
    object *(*type)(object *);
    int (*set_attribute)(object *, object *, object *);
    object *(*call)(object *);
    object *(*call_with)(object *, ...);
    object *(*error)(void);
    void (*forget)(void);
    long (*whole)(object *);
    double (*real)(object *);
    object *(*of_whole)(long long);
    object *(*of_real)(double);
    object *(*of_bool)(long);
    object *(*tuple)(intptr_t);
    int (*set_item)(object *, intptr_t, object *);
    object *(*copied)(object *);
    int (*set_key)(object *, object *, object *);
    intptr_t (*length)(object *);
    object *(*element)(object *, intptr_t);
    /* numpy's */
    object *(*copy)(object *, int);
} python;

enum { ROWS_FIRST = 0 };

/* What a step reads and writes, in the order of `hamlet.launch.cpu.turn.Turn`. */
typedef struct {
    const python *by;
    void (*kernel)(i64 *);
    i64 *words, *tick, *share;
    i64 now, full, actions, count;
    i32 *action;
    float *controls;
    const float *reward;
    const u8 *terminated, *truncated;
    const i32 *used, *cause;
    i32 idle;
    float least, greatest;
    object *clock, *taken, *observation, *mask, *numbers, *ended, *info;
    object *plain, *of_numpy, *array, *narrow;
    object *tick_name;
    object *mask_key, *used_key, *cause_key;
    /* PyMethodDef */
    const char *name;
    void *called;
    i64 flags;
    const char *doc;
} turn;

/* Python's, by which a function finds its `turn`. */
static void *(*pointer_in)(object *, const char *);

/* Whether an object is the very one that another is, whose reference is given back. */
static bool is(const turn *of, object *one, object *other) {
    if (one) of->by->fewer(one);
    return one == other;
}

/* Put a new object under a key, whose reference is taken. */
static int put(const turn *of, object *into, object *key, object *value) {
    if (!value) return -1;
    int wrong = of->by->set_key(into, key, value);
    of->by->fewer(value);
    return wrong;
}

/* The number of an array [1] of binary32, which then is written; gives whether it is one. */
static bool narrow(const turn *of, object *given, float *number) {
    const python *by = of->by;
    if (!is(of, by->type(given), of->array) || by->length(given) != 1) {
        by->forget();
        return false;
    }
    object *value = by->element(given, 0);
    if (!value) {
        by->forget();
        return false;
    }
    bool fits = is(of, by->type(value), of->narrow);
    if (fits) *number = (float)by->real(value);
    by->fewer(value);
    return fits;
}

/* Write an action and controls as Python takes them, which refuses what is out of range. */
static int taken(const turn *of, object *given) {
    const python *by = of->by;
    object *both = by->call_with(of->taken, given, (object *)0);
    object *action = both ? by->element(both, 0) : 0;
    object *controls = action ? by->element(both, 1) : 0;
    i64 row = 0;
    if (controls) *of->action = (i32)by->whole(action);
    for (; controls && row < of->count; row++) {
        object *value = by->element(controls, row);
        if (!value) break;
        of->controls[row] = (float)by->real(value);
        by->fewer(value);
    }
    if (both) by->fewer(both);
    if (action) by->fewer(action);
    if (controls) by->fewer(controls);
    return controls && row == of->count && !by->error() ? 0 : -1;
}

/* Write what an agent is said to do: the usual types at once, all others as Python does. */
static int take(const turn *of, object *given) {
    const python *by = of->by;
    if (of->count == 0 && (is(of, by->type(given), of->plain) || is(of, by->type(given), of->of_numpy))) {
        long number = by->whole(given);
        if (by->error())
            by->forget();
        else if (0 <= number && number < of->actions) {
            *of->action = (i32)number;
            return 0;
        }
    } else if (of->count == 1) {
        float control;
        if (narrow(of, given, &control) && of->least <= control && control <= of->greatest) {
            *of->controls = control;
            *of->action = of->idle;
            return 0;
        }
    }
    return taken(of, given);
}

/* The dictionary of a step. A negative number is the last of the numbers. */
static object *info(const turn *of) {
    const python *by = of->by;
    object *made = by->copied(of->info);
    if (made && !put(of, made, of->mask_key, by->copy(of->mask, ROWS_FIRST)) &&
        !put(of, made, of->used_key, by->element(of->numbers, *of->used)) &&
        !put(of, made, of->cause_key, by->element(of->numbers, *of->cause)))
        return made;
    if (made) by->fewer(made);
    return 0;
}

/* The tuple of objects, which it takes over, as far as all were made. */
static object *together(const turn *of, object **objects, intptr_t count) {
    bool all = true;
    for (intptr_t each = 0; each < count; each++) all &= objects[each] != 0;
    object *made = all ? of->by->tuple(count) : 0;
    for (intptr_t each = 0; each < count; each++) {
        if (made)
            of->by->set_item(made, each, objects[each]);
        else if (objects[each])
            of->by->fewer(objects[each]);
    }
    return made;
}

/* Of Python, with what an agent does: the tuple of a step. */
static object *step(object *self, object *given) {
    turn *of = pointer_in(self, 0);
    const python *by = of->by;
    if (take(of, given)) return 0;
    i64 tick = of->now;
    object *next = by->of_whole((tick + 1) & 0xFFFFFFFF);
    if (!next) return 0;
    int wrong = by->set_attribute(of->clock, of->tick_name, next);
    by->fewer(next);
    if (wrong) return 0;
    of->now = (tick + 1) & 0xFFFFFFFF;
    *of->tick = tick;
    *of->share = of->full;
    of->kernel(of->words);
    bool terminated = *of->terminated, truncated = *of->truncated;
    if (terminated || truncated) {
        object *done = by->call(of->ended);
        if (!done) return 0;
        by->fewer(done);
    }
    object *objects[] = {by->copy(of->observation, ROWS_FIRST), by->of_real(*of->reward), by->of_bool(terminated),
                         by->of_bool(truncated), info(of)};
    return together(of, objects, 5);
}

/* A function of Python that makes a step; `of` and what it names stay until `owner`, which the function holds, goes. */
HAMLET_EXPORT object *hamlet_step_of_python(turn *of, object *owner);
HAMLET_EXPORT object *hamlet_step_of_python(turn *of, object *owner) {
    pointer_in = of->by->pointer;
    of->called = (void *)(intptr_t)step;
    object *self = of->by->capsule(of, 0, 0);
    if (!self) return 0;
    object *made = of->by->function(&of->name, self, owner);
    of->by->fewer(self);
    return made;
}
