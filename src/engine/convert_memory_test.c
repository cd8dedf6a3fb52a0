/*
 * convert_memory_test.c - what a node costs while it becomes another dialect's
 *
 * Rules and tables cost the same for every model.  So two models are
 * converted, and what the larger one takes more at its peak is what its nodes
 * take.  Whoever passes a limit has made something live longer than it serves.
 *
 * One worker takes the same at every run: 307 to 311 bytes, while the result
 * is laid out as a model.  That is the limit that notices a few bytes.
 *
 * Of several workers one reads the graph while two others check it, and how
 * much of that is alive at the same moment depends on the clock.  But each of
 * the three takes the same at every run, whatever the others do: 240 bytes a
 * node (and the rules), 33 and 104, together 377 to 381.  So that is the most
 * that any timing can show, and the limit is above it.  Later the result is
 * checked while it is written, which is less.  The number of workers is fixed,
 * since each holds a block of what it builds.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/little_models.h"

enum { FEW = 500, MANY = 5500, KINDS = 4 };

static const struct {
    unsigned workers, most; /* bytes a node */
} limits[] = { { 1, 320 }, { 4, 400 } };

/* ---- counting ----------------------------------------------------------- */

struct budget {
    pthread_mutex_t lock; /* of the three below                              */
    uint64_t        used, peak;
    bool            has_others; /* threads that have called                  */
    pthread_t       owner;
};

static void *resize(void *context, void *block, size_t old_size,
                    size_t new_size)
{
    struct budget *budget = context;
    void          *moved  = new_size ? realloc(block, new_size) : NULL;

    if (new_size && !moved)
        return NULL;
    pthread_mutex_lock(&budget->lock);
    budget->has_others |= !pthread_equal(pthread_self(), budget->owner);
    budget->used += new_size - (uint64_t)old_size;
    if (budget->used > budget->peak)
        budget->peak = budget->used;
    pthread_mutex_unlock(&budget->lock);
    if (!new_size)
        free(block);
    return moved;
}

/* ---- a model of many nodes ---------------------------------------------- */

/* What one layer is: its nodes are called as exporters do. */
static void add_layer(FILE *to, unsigned layer)
{
    static const char *const kinds[KINDS] = { "Relu", "Softmax", "Sigmoid",
                                              "LeakyRelu" };
    static const char *const attrs[KINDS] = {
        "", "attribute { name: \"axis\" type: INT i: 1 }", "",
        "attribute { name: \"alpha\" type: FLOAT f: 0.5 }"
    };

    for (unsigned i = 0; i < KINDS; i++)
        fprintf(to,
                "  node { input: \"v%u\" output: \"v%u\" op_type: \"%s\"\n"
                "    name: \"/model/layers.%u/%s\" %s }\n",
                layer * KINDS + i, layer * KINDS + i + 1, kinds[i], layer,
                kinds[i], attrs[i]);
}

static char *model_text(unsigned layers)
{
    char  *text = NULL;
    size_t size = 0;
    FILE  *to   = open_memstream(&text, &size);

    assert_non_null(to);
    fprintf(to, "ir_version: 8 opset_import { version: 17 }\ngraph {\n");
    for (unsigned i = 0; i < layers; i++)
        add_layer(to, i);
    fprintf(to,
            "  name: \"g\"\n"
            "  input { name: \"v0\" type { tensor_type { elem_type: 1 shape {\n"
            "    dim { dim_value: 2 } dim { dim_value: 3 } } } } }\n"
            "  output { name: \"v%u\" type { tensor_type { elem_type: 1 } } }\n"
            "}\n",
            layers * KINDS);
    fclose(to);
    return text;
}

/* ---- the claim ---------------------------------------------------------- */

static uint64_t peak_of(struct tn_scratch *scratch, unsigned layers,
                        const char *name, unsigned workers)
{
    struct budget       budget    = { .lock  = PTHREAD_MUTEX_INITIALIZER,
                                      .owner = pthread_self() };
    struct tn_allocator allocator = { resize, &budget };
    struct tn_options options = { .allocator = &allocator, .workers = workers };
    struct tn_target  target  = { .path        = tn_in_scratch(scratch, name),
                                  .can_replace = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model   = NULL;
    char             *text    = model_text(layers);

    tn_make_model(scratch, "many.onnx", text);
    free(text);
    if (tn_model_open(&model, tn_in_scratch(scratch, "many.onnx"), &options,
                      &error) != TN_OK ||
        tn_convert(model, NULL, &target, &options, NULL, &error) != TN_OK)
        fail_msg("%s: %s: %s", name, error.where, error.what);
    tn_model_close(model);
    assert_int_equal(budget.used, 0);
    if (workers == 1 && budget.has_others)
        fail_msg("%s: other threads allocate", name);
    return budget.peak;
}

static void check_cost(struct tn_scratch *scratch, const char *name,
                       unsigned workers, unsigned most)
{
    uint64_t few  = peak_of(scratch, FEW, name, workers);
    uint64_t many = peak_of(scratch, MANY, name, workers);
    uint64_t each = (many - few) / ((MANY - FEW) * KINDS);

    if (each > most)
        fail_msg("%s, %u workers: %u bytes a node, limit %u", name, workers,
                 (unsigned)each, most);
}

static void a_node_costs_little(void **state)
{
    static const char *const names[] = { "out.fb", "out.sdnb", "out.samediff" };
    struct tn_scratch        scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
            check_cost(&scratch, names[i], limits[k].workers, limits[k].most);
    tn_scratch_close(&scratch);
}

/* An allocator need not be safe for threads when there is one worker. */
static void one_worker_is_one_thread(void **state)
{
    static const char *const names[] = { "out.fb", "out.sdnb", "out.samediff",
                                         "out.onnx" };
    struct tn_scratch        scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        peak_of(&scratch, MANY, names[i], 1);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_costs_little),
        cmocka_unit_test(one_worker_is_one_thread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
