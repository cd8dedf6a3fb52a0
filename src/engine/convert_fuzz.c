/*
 * convert_fuzz.c - any bytes as a model that is to be converted
 *
 * Claims: whatever the graph says, a conversion ends with a model or with a
 * reason, stays inside its memory, and gives everything back.
 */
#undef NDEBUG
#include <assert.h>
#include <string.h>

#include <tenon/rules.h>
#include <tenon/verbs.h>

#include "ir/dialect_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int serve(void *context, uint64_t offset, void *to, size_t size)
{
    memcpy(to, (const uint8_t *)context + offset, size);
    return 0;
}

static void hear(void *context, const struct tn_plan_row *row)
{
    assert(row->count > 0 && (row->rule || (row->why && row->stub)));
    *(uint64_t *)context += row->count;
}

/* Rules are read once: reading them takes ten times as long as converting a
 * model as small as those that are tried here. */
static struct tn_rulebook *the_book(void)
{
    static struct tn_rulebook *book;
    struct tn_error            error = TN_ERROR_INIT;

    if (!book)
        assert(tn_rulebook_open(&book, NULL, 0, NULL, &error) == TN_OK);
    return book;
}

static void plan(const struct tn_model *model, const struct tn_options *options,
                 const char *to)
{
    struct tn_map_options     map     = { .book = the_book() };
    struct tn_convert_options convert = { .to = to, .map = &map };
    struct tn_plan_summary    summary;
    struct tn_error           error    = TN_ERROR_INIT;
    uint64_t                  heard    = 0;
    struct tn_plan_listener   listener = { .op = hear, .context = &heard };

    if (tn_plan(model, &convert, "out", options, &listener, &summary, &error) ==
        TN_OK)
        assert(heard == summary.mapped + summary.unmapped);
    else
        assert(error.what[0]);
}

/* With all ops allowed that have no rule, everything is laid out and written
 * to nowhere. */
static void convert(const struct tn_model   *model,
                    const struct tn_options *options, const char *to)
{
    const char           *op_names[16];
    char                  names[16][32];
    struct tn_map_options map = { .allow      = op_names,
                                  .book       = the_book(),
                                  .simplifies = strcmp(to, "onnx") == 0 };

    for (uint32_t i = 0; i < tn_model_op_kind_count(model) && i < 16; i++) {
        struct tn_bytes type = tn_model_op_kind(model, i)->type;
        size_t          size = type.size < 31 ? type.size : 31;
        if (size)
            memcpy(names[i], type.data, size);
        names[i][size]              = '\0';
        op_names[map.allow_count++] = names[i];
    }
    struct tn_convert_options how    = { .to = to, .map = &map };
    struct tn_target          target = { .path = "out", .is_dry_run = true };
    struct tn_error           error  = TN_ERROR_INIT;
    if (tn_convert(model, &how, &target, options, NULL, &error) != TN_OK)
        assert(error.what[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_options options = { .max_memory  = (uint64_t)64 << 20,
                                  .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    if (tn_model_open_source(&model, "a", size, serve, (void *)(uintptr_t)data,
                             &options, &error) != TN_OK)
        return 0;
    enum tn_dialect_id dialect = tn_dialect_facts(tn_model_dialect(model))->id;
    const char        *to = dialect == TN_DIALECT_ND4J ? "onnx" : "samediff-fb";
    if (tn_model_dialect(model)[0]) {
        plan(model, &options, to);
        convert(model, &options, to);
        if (dialect == TN_DIALECT_ONNX)
            convert(model, &options, "onnx");
    }
    tn_model_close(model);
    return 0;
}
