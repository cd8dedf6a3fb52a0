/*
 * sd_config.c - the training configuration in a few words
 *
 *   { "updater" : { "@class" : "...config.Adam", "learningRate" : 0.001, ... },
 *     "regularization" : [ { "@class" : "...L2Regularization",
 *         "l2" : { "@class" : "...FixedSchedule", "value" : 1.0E-4 } } ],
 *     "iterationCount" : 3750, "epochCount" : 2, ... }
 *
 * The text itself is never taken apart and put together again: it is kept byte
 * for byte wherever it goes.
 */
#include "base/json_read.h"
#include "base/sort.h"
#include "format/samediff/sd_graph.h"

enum { LEVELS = 4, WORD = 32, REGULARIZATIONS = 8 };

struct config {
    struct tn_arena *arena;
    struct tn_error *error;
    struct tn_bytes  updater, rate, schedule, iterations, epochs;
    struct tn_bytes  regularizations[REGULARIZATIONS];
    struct tn_bytes  amounts[REGULARIZATIONS];
    uint32_t         regularization_count;
    char             keys[LEVELS][WORD]; /* by depth, the outermost first     */
};

static bool is_at(const struct config *c, uint32_t level, const char *key)
{
    return strcmp(c->keys[level], key) == 0;
}

struct tn_bytes tn_sd_class_word(struct tn_bytes name)
{
    size_t begin = name.size;

    while (begin > 0 && name.data[begin - 1] != '.')
        begin--;
    if (begin == 0)
        return name;
    return tn_bytes(name.data + begin, name.size - begin);
}

static void note_regularization(struct config *c, uint32_t depth,
                                struct tn_bytes text)
{
    uint32_t count = c->regularization_count;

    if (depth == 3 && is_at(c, 2, "@class") && count < REGULARIZATIONS)
        c->regularizations[c->regularization_count++] = tn_sd_class_word(text);
    else if (depth == 4 && is_at(c, 3, "value") && count > 0)
        c->amounts[count - 1] = text;
}

/* A value that is not a bracket, at a depth of that many brackets. */
static void note(struct config *c, uint32_t depth, struct tn_bytes found)
{
    struct tn_bytes text = tn_bytes_dup(c->arena, found, c->error);

    if (depth == 1 && is_at(c, 0, "iterationCount"))
        c->iterations = text;
    else if (depth == 1 && is_at(c, 0, "epochCount"))
        c->epochs = text;
    else if (depth == 2 && is_at(c, 0, "updater") && is_at(c, 1, "@class"))
        c->updater = text;
    else if (depth == 2 && is_at(c, 0, "updater") &&
             is_at(c, 1, "learningRate"))
        c->rate = text;
    else if (depth == 3 && is_at(c, 0, "updater") &&
             is_at(c, 1, "learningRateSchedule") && is_at(c, 2, "@class"))
        c->schedule = tn_sd_class_word(text);
    else if (is_at(c, 0, "regularization"))
        note_regularization(c, depth, text);
}

static void note_key(struct config *c, uint32_t depth, struct tn_bytes key)
{
    for (uint32_t i = depth ? depth - 1 : 0; i < LEVELS; i++)
        c->keys[i][0] = '\0';
    if (depth && depth <= LEVELS && key.size < WORD) {
        memcpy(c->keys[depth - 1], key.data, key.size);
        c->keys[depth - 1][key.size] = '\0';
    }
}

static void read_config(struct config *c, struct tn_bytes json,
                        struct tn_memory *memory)
{
    struct tn_cursor      cursor = tn_cursor_bytes(json, 0, c->error);
    struct tn_json_reader reader;
    enum tn_json_event    event;

    tn_json_open(&reader, &cursor, memory);
    while ((event = tn_json_next(&reader)) != TN_JSON_END) {
        if (event == TN_JSON_KEY)
            note_key(c, reader.depth, reader.text);
        else if (event == TN_JSON_STRING || event == TN_JSON_NUMBER)
            note(c, reader.depth, reader.text);
    }
    tn_json_close(&reader);
}

struct tn_bytes tn_sd_config_updater(struct tn_bytes   json,
                                     struct tn_arena  *arena,
                                     struct tn_memory *memory)
{
    struct tn_error error  = TN_ERROR_INIT;
    struct config   config = { .arena = arena, .error = &error };

    if (json.size)
        read_config(&config, json, memory);
    return config.updater;
}

/* ---- states ------------------------------------------------------------- */

static const struct updater {
    const char *name;
    uint32_t    count;
    const char *keys[4];
} updaters[] = {
    { "Adam", 2, { "M", "V" } },
    { "Nadam", 2, { "M", "V" } },
    { "AdaMax", 2, { "M", "V" } },
    { "AMSGrad", 3, { "M", "V", "V_HAT" } },
    { "AdaBelief", 2, { "M", "S" } },
    { "Nesterovs", 1, { "V" } },
    { "AdaDelta", 2, { "msg", "msdx" } },
    { "AdaGrad", 1, { "grad" } },
    { "RmsProp", 1, { "G" } },
    { "Sgd", 0, { NULL } },
    { "NoOp", 0, { NULL } },
};

const char *const *tn_sd_state_keys(struct tn_bytes updater, uint32_t *count)
{
    struct tn_bytes name = tn_sd_class_word(updater);

    for (unsigned i = 0; i < sizeof updaters / sizeof updaters[0]; i++)
        if (tn_bytes_is(name, updaters[i].name)) {
            *count = updaters[i].count;
            return updaters[i].keys;
        }
    *count = 0;
    return NULL;
}

/* ---- facts -------------------------------------------------------------- */

static void add(struct tn_model *model, const char *key, struct tn_bytes value,
                struct tn_error *error)
{
    if (value.size)
        tn_model_add_fact(model, key, value, error);
}

static int by_text(const void *a, const void *b, void *context)
{
    (void)context;
    return tn_bytes_compare(*(const struct tn_bytes *)a,
                            *(const struct tn_bytes *)b);
}

/* Each container has them in an order of its own, which says nothing. */
static void add_sorted(struct tn_buffer *to, struct tn_arena *arena,
                       struct tn_sd_names keys, struct tn_error *error)
{
    struct tn_bytes *sorted = tn_new(arena, struct tn_bytes, keys.count, error);

    if (!sorted)
        return;
    memcpy(sorted, keys.items, keys.count * sizeof *sorted);
    tn_sort_items(sorted, keys.count, sizeof *sorted, by_text, NULL);
    for (uint32_t i = 0; i < keys.count; i++)
        tn_buffer_format(to, "%s%.*s", i ? ", " : "", TN_FMT(sorted[i]));
}

static void add_states(struct tn_model           *model,
                       const struct tn_sd_detail *detail,
                       struct tn_error           *error)
{
    const struct tn_sd_state *first = NULL;
    struct tn_buffer          keys;

    for (uint32_t i = 0; i < detail->state_count && !first; i++)
        if (detail->states[i].keys.count)
            first = &detail->states[i];
    tn_buffer_init(&keys, model->memory, error);
    if (first)
        add_sorted(&keys, &model->arena, first->keys, error);
    if (detail->state_count)
        tn_model_add_fact_format(
            model, error, "state", "%s of %" PRIu32 " parameter%s",
            first ? tn_buffer_string(&keys) : "nothing", detail->state_count,
            detail->state_count == 1 ? "" : "s");
    tn_buffer_done(&keys);
}

void tn_sd_take_training(struct tn_model *model)
{
    const struct tn_sd_detail *detail = tn_sd_detail_of(model);

    model->training = detail->training;
    if (!detail->graphs || !detail->graph_count)
        return;
    model->losses     = detail->graphs[0].loss.items;
    model->loss_count = detail->graphs[0].loss.count;
}

void tn_sd_config_facts(struct tn_model           *model,
                        const struct tn_sd_detail *detail,
                        struct tn_error           *error)
{
    struct tn_error broken = TN_ERROR_INIT; /* is reported by check */
    struct config   c      = { .arena = &model->arena, .error = &broken };

    if (detail->training.size)
        read_config(&c, detail->training, model->memory);
    if (tn_call_ended(&broken) || broken.status == TN_LIMIT)
        *error = broken;
    if (tn_failed(error))
        return;
    add(model, "updater", tn_sd_class_word(c.updater), error);
    add(model, "learning_rate", c.schedule.size ? c.schedule : c.rate, error);
    for (uint32_t i = 0; i < c.regularization_count; i++)
        tn_model_add_fact_format(model, error, "regularization", "%.*s%s%.*s",
                                 TN_FMT(c.regularizations[i]),
                                 c.amounts[i].size ? " " : "",
                                 TN_FMT(c.amounts[i]));
    add(model, "iterations", c.iterations, error);
    add(model, "epochs", c.epochs, error);
    add_states(model, detail, error);
}
