/*
 * tfl_check.c - what is wrong with a TFLite model: every problem, with its byte
 *
 * The walk below needs only the verified FlatBuffer, so that it also reports
 * problems of files that cannot be opened.  What it reports about indices is in
 * the order of the file; the graph itself is checked when the model is open.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/sort.h"
#include "format/tflite/tflite.h"
#include "ir/graph_check.h"
#include "ir/vocab_check.h"

struct checking {
    struct tn_bundle   *bundle;
    struct tn_report   *report;
    struct tn_error    *error;
    struct tn_arena     arena;
    struct tn_fb_table  root;
    struct tn_fb_vector codes, subgraphs, buffers, external, groups;
    struct tn_list      calls; /* struct call                                 */
};

/* A subgraph that an operator of another one runs. */
struct call {
    uint32_t from, to;
    uint64_t at; /* in the file */
};

static uint64_t place(const struct tn_fb_table *table, uint16_t slot)
{
    uint64_t at = tn_fb_field(table, slot);

    return table->fb->span.offset + (at ? at : table->at);
}

static void find(struct checking *c, enum tn_finding_level level,
                 const char *rule, uint64_t at, const char *where,
                 const char *format, ...) TN_PRINTF(6, 7);

static void find(struct checking *c, enum tn_finding_level level,
                 const char *rule, uint64_t at, const char *where,
                 const char *format, ...)
{
    char    text[200];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tn_report_format(c->report, level, rule, "", at, where, "%s", text);
}

/* Whether a number is less than how many there are. */
static bool is_index(struct checking *c, uint64_t index, uint32_t count,
                     uint64_t at, const char *where, const char *what)
{
    if (index < count)
        return true;
    find(c, TN_LEVEL_ERROR, "bad-index", at, where,
         "%s %" PRId64 ", but there are %" PRIu32, what, (int64_t)index, count);
    return false;
}

/* ---- buffers ------------------------------------------------------------ */

/* The runtime maps the file and reads elements where they are. */
enum { BUFFER_ALIGN = 16 };

static void check_buffers(struct checking *c)
{
    char where[64];

    for (uint32_t i = 0; i < c->buffers.count && !c->report->is_stopped; i++) {
        struct tn_fb_table  table = tn_fb_vector_table(&c->buffers, i);
        struct tn_fb_vector data  = tn_fb_vector(&table, TN_TFL_BUFFER_DATA, 1);
        struct tn_error     own   = TN_ERROR_INIT;
        struct tn_span      span  = { 0 };
        snprintf(where, sizeof where, "buffers[%" PRIu32 "]", i);
        tn_tfl_buffer(&table, &span, &own);
        if (tn_failed(&own))
            find(c, TN_LEVEL_ERROR, "outside-file", own.offset, where, "%s",
                 own.what);
        else if (i == 0 && span.length)
            find(c, TN_LEVEL_WARNING, "first-buffer", span.offset, where,
                 "the first buffer has %" PRIu64
                 " bytes, but tensors without data refer to it",
                 span.length);
        else if (span.length && span.offset % BUFFER_ALIGN)
            find(c, TN_LEVEL_NOTE, "unaligned-buffer", span.offset, where,
                 "data at offset %" PRIu64 ", not a multiple of %d",
                 span.offset, BUFFER_ALIGN);
        if (data.count && (uint64_t)tn_fb_i64(&table, TN_TFL_BUFFER_OFFSET, 0) > 1)
            find(c, TN_LEVEL_WARNING, "data-twice",
                 place(&table, TN_TFL_BUFFER_OFFSET), where,
                 "data in the buffer and at an offset");
    }
}

/* Files of external buffers, also those that no tensor uses: they are beside the
 * model. */
static void check_groups(struct checking *c)
{
    char where[64];

    for (uint32_t i = 0; i < c->groups.count && !c->report->is_stopped &&
                         !tn_failed(c->error);
         i++) {
        struct tn_fb_table row = tn_fb_vector_table(&c->groups, i);
        struct tn_error    own = TN_ERROR_INIT;
        struct tn_source  *source;
        if (tn_bundle_sibling(c->bundle, tn_fb_string(&row, 0), &source, &own) ==
            TN_OK)
            continue;
        snprintf(where, sizeof where, "external_buffer_groups[%" PRIu32 "]", i);
        if (tn_machine_failed(&own))
            *c->error = own;
        else
            find(c, TN_LEVEL_ERROR,
                 own.status == TN_INVALID ? "unsafe-location" : "missing-file",
                 place(&row, 0), where, "%s", own.what);
    }
}

static void check_external(struct checking *c)
{
    char where[64];

    for (uint32_t i = 0; i < c->external.count && !c->report->is_stopped; i++) {
        struct tn_fb_table row = tn_fb_vector_table(&c->external, i);
        snprintf(where, sizeof where, "external_buffers[%" PRIu32 "]", i);
        is_index(c, tn_fb_u32(&row, TN_TFL_EXTERNAL_GROUP, 0), c->groups.count,
                 place(&row, TN_TFL_EXTERNAL_GROUP), where, "group");
    }
}

static void check_metadata(struct checking *c)
{
    struct tn_fb_vector rows = tn_fb_vector(&c->root, TN_TFL_MODEL_METADATA, 4);
    char                where[64];

    for (uint32_t i = 0; i < rows.count && !c->report->is_stopped; i++) {
        struct tn_fb_table row = tn_fb_vector_table(&rows, i);
        snprintf(where, sizeof where, "metadata[%" PRIu32 "]", i);
        is_index(c, tn_fb_u32(&row, TN_TFL_METADATA_BUFFER, 0),
                 c->buffers.count, place(&row, TN_TFL_METADATA_BUFFER), where,
                 "buffer");
    }
}

/* ---- tensors ------------------------------------------------------------ */

static void check_scales(struct checking *c, const struct tn_fb_table *tensor,
                         const struct tn_fb_table *q, const char *where)
{
    struct tn_fb_vector shape = tn_fb_vector(tensor, TN_TFL_TENSOR_SHAPE, 4);
    struct tn_fb_vector scale = tn_fb_vector(q, TN_TFL_QUANTIZATION_SCALE, 4);
    struct tn_fb_vector zero =
        tn_fb_vector(q, TN_TFL_QUANTIZATION_ZERO_POINT, 8);
    int32_t axis = tn_fb_i32(q, TN_TFL_QUANTIZATION_DIMENSION, 0);

    if (zero.count && scale.count && zero.count != scale.count &&
        zero.count != 1)
        find(c, TN_LEVEL_ERROR, "wrong-zero-points",
             place(q, TN_TFL_QUANTIZATION_ZERO_POINT), where,
             "%" PRIu32 " zero points for %" PRIu32 " scales", zero.count,
             scale.count);
    if (scale.count <= 1)
        return;
    if (axis < 0 || (uint32_t)axis >= shape.count)
        find(c, TN_LEVEL_ERROR, "wrong-quantized-dimension",
             place(q, TN_TFL_QUANTIZATION_DIMENSION), where,
             "scales of dimension %" PRId32 " of %" PRIu32, axis, shape.count);
    else if ((int64_t)scale.count !=
             tn_fb_vector_i32(&shape, (uint32_t)axis))
        find(c, TN_LEVEL_ERROR, "wrong-scales",
             place(q, TN_TFL_QUANTIZATION_SCALE), where,
             "%" PRIu32 " scales for dimension %" PRId32 ", which has %" PRId32,
             scale.count, axis, tn_fb_vector_i32(&shape, (uint32_t)axis));
}

static void check_details(struct checking *c, const struct tn_fb_table *q,
                          uint32_t tensor_count, const char *where)
{
    uint8_t type = tn_fb_u8(q, TN_TFL_QUANTIZATION_DETAILS_TYPE, 0);

    if ((type != TN_TFL_DETAILS_BLOCKS && type != TN_TFL_DETAILS_AXES) ||
        !tn_fb_has(q, TN_TFL_QUANTIZATION_DETAILS))
        return;
    struct tn_fb_table details = tn_fb_child(q, TN_TFL_QUANTIZATION_DETAILS);
    int32_t            zeros   = tn_fb_i32(&details, 1, 0);
    is_index(c, (uint64_t)(int64_t)tn_fb_i32(&details, 0, 0), tensor_count,
             place(&details, 0), where, "scales in tensor");
    if (zeros != -1)
        is_index(c, (uint64_t)(int64_t)zeros, tensor_count, place(&details, 1),
                 where, "zero points in tensor");
    if (tn_fb_i32(&details, 2, 0) <= 0)
        find(c, TN_LEVEL_ERROR, "wrong-block-size", place(&details, 2), where,
             "blocks of %" PRId32 " elements", tn_fb_i32(&details, 2, 0));
}

/* Sizes that no tensor can have. */
static void check_shape(struct checking *c, const struct tn_fb_table *tensor,
                        const struct tn_fb_vector *shape, const char *where)
{
    uint64_t count = 1;

    for (uint32_t i = 0; i < shape->count; i++) {
        int32_t dim = tn_fb_vector_i32(shape, i);
        if (dim < -1) {
            find(c, TN_LEVEL_ERROR, "bad-shape",
                 place(tensor, TN_TFL_TENSOR_SHAPE), where,
                 "dimension %" PRIu32 " is %" PRId32, i, dim);
            return;
        }
        if (dim >= 0 && !tn_mul(count, (uint64_t)dim, &count)) {
            find(c, TN_LEVEL_ERROR, "bad-shape",
                 place(tensor, TN_TFL_TENSOR_SHAPE), where,
                 "a shape of more than 2^64 elements");
            return;
        }
    }
}

static void check_tensor(struct checking *c, const struct tn_fb_table *tensor,
                         uint32_t tensor_count, const char *where)
{
    struct tn_fb_vector open = tn_fb_vector(tensor, TN_TFL_TENSOR_SIGNATURE, 4);
    struct tn_fb_vector shape = tn_fb_vector(tensor, TN_TFL_TENSOR_SHAPE, 4);
    uint32_t            buffer = tn_fb_u32(tensor, TN_TFL_TENSOR_BUFFER, 0);
    int8_t              type   = tn_fb_i8(tensor, TN_TFL_TENSOR_TYPE, 0);

    if (buffer)
        is_index(c, buffer, c->buffers.count,
                 place(tensor, TN_TFL_TENSOR_BUFFER), where, "buffer");
    if (tn_tfl_dtype(type) == TN_UNDEFINED)
        find(c, TN_LEVEL_ERROR, "unknown-type",
             place(tensor, TN_TFL_TENSOR_TYPE), where, "element type %d", type);
    check_shape(c, tensor, &shape, where);
    if (open.count && open.count != shape.count)
        find(c, TN_LEVEL_ERROR, "shape-mismatch",
             place(tensor, TN_TFL_TENSOR_SIGNATURE), where,
             "a shape of %" PRIu32 " dimensions, and a signature of %" PRIu32,
             shape.count, open.count);
    for (uint32_t i = 0; i < shape.count && i < open.count; i++) {
        int32_t dim = tn_fb_vector_i32(&open, i);
        if (open.count == shape.count && dim != -1 &&
            dim != tn_fb_vector_i32(&shape, i)) {
            find(c, TN_LEVEL_ERROR, "shape-mismatch",
                 place(tensor, TN_TFL_TENSOR_SIGNATURE), where,
                 "dimension %" PRIu32 " is %" PRId32
                 " in the shape and %" PRId32 " in its signature",
                 i, tn_fb_vector_i32(&shape, i), dim);
            break;
        }
    }
    if (!tn_fb_has(tensor, TN_TFL_TENSOR_QUANTIZATION))
        return;
    struct tn_fb_table q = tn_fb_child(tensor, TN_TFL_TENSOR_QUANTIZATION);
    check_scales(c, tensor, &q, where);
    check_details(c, &q, tensor_count, where);
}

/* ---- operators ---------------------------------------------------------- */

static void check_tensors_of(struct checking *c, const struct tn_fb_table *table,
                             uint16_t slot, bool is_optional,
                             uint32_t tensor_count, const char *where)
{
    struct tn_fb_vector list = tn_fb_vector(table, slot, 4);

    for (uint32_t i = 0; i < list.count && !c->report->is_stopped; i++) {
        int32_t index = tn_fb_vector_i32(&list, i);
        if (index == -1 && is_optional)
            continue;
        is_index(c, (uint64_t)(int64_t)index, tensor_count,
                 list.fb->span.offset + list.at + 4 * (uint64_t)i, where,
                 "tensor");
    }
}

static void add_call(struct checking *c, uint32_t from, int64_t to, uint64_t at,
                     const char *where)
{
    if (!is_index(c, (uint64_t)to, c->subgraphs.count, at, where, "subgraph"))
        return;
    struct call *row = tn_list_push(&c->calls, struct call, c->error);
    if (row)
        *row = (struct call){ from, (uint32_t)to, at };
}

static void check_calls(struct checking *c, const struct tn_tfl_options *options,
                        const struct tn_fb_table *given, uint32_t graph,
                        uint64_t at, const char *where)
{
    for (uint32_t i = 0; i < options->count && !tn_failed(c->error); i++) {
        const struct tn_tfl_field *field = &options->fields[i];
        if (field->kind == TN_TFL_SUBGRAPH) {
            add_call(c, graph,
                     given->fb ? tn_fb_i32(given, field->slot, 0) : 0,
                     given->fb ? place(given, field->slot) : at, where);
        } else if (field->kind == TN_TFL_SUBGRAPHS && given->fb) {
            struct tn_fb_vector list = tn_fb_vector(given, field->slot, 4);
            for (uint32_t k = 0; k < list.count && !tn_failed(c->error); k++)
                add_call(c, graph, tn_fb_vector_i32(&list, k),
                         list.fb->span.offset + list.at + 4 * (uint64_t)k,
                         where);
        }
    }
}

static void check_options(struct checking *c, const struct tn_fb_table *op,
                          uint32_t graph, const char *where)
{
    uint32_t           index = tn_fb_u32(op, TN_TFL_OPERATOR_CODE, 0);
    struct tn_fb_table code  = tn_fb_vector_table(&c->codes, index);
    int32_t            number = tn_tfl_code(&code);
    uint64_t           at     = op->fb->span.offset + op->at;
    struct tn_fb_table given;
    const struct tn_tfl_options *options = tn_tfl_options_of(op, number, &given);
    struct tn_error own = TN_ERROR_INIT;
    struct tn_span  data;

    if (number >= 0 && (uint32_t)number < tn_tfl_builtin_count && given.fb &&
        number != TN_TFL_CUSTOM) {
        const struct tn_tfl_options *own_options =
            &tn_tfl_options[tn_tfl_builtins[number].options];
        if (options != own_options)
            find(c, TN_LEVEL_ERROR, "wrong-options",
                 place(op, options->which == 1 ? TN_TFL_OPERATOR_OPTIONS_TYPE
                                               : TN_TFL_OPERATOR_OPTIONS2_TYPE),
                 where, "%s has %s, not %s", tn_tfl_builtins[number].name,
                 options->name, own_options->name[0] ? own_options->name
                                                     : "no options");
    }
    check_calls(c, options, &given, graph, at, where);
    tn_tfl_custom_options(op, &data, &own);
    if (tn_failed(&own))
        find(c, TN_LEVEL_ERROR, "outside-file", own.offset, where, "%s",
             own.what);
}

static void check_codes(struct checking *c)
{
    char where[64];

    for (uint32_t i = 0; i < c->codes.count && !c->report->is_stopped; i++) {
        struct tn_fb_table code   = tn_fb_vector_table(&c->codes, i);
        int32_t            number = tn_tfl_code(&code);
        struct tn_bytes    name   = tn_fb_string(&code, TN_TFL_CODE_CUSTOM);
        snprintf(where, sizeof where, "operator_codes[%" PRIu32 "]", i);
        if (number < 0 || (uint32_t)number >= tn_tfl_builtin_count)
            find(c, TN_LEVEL_WARNING, "unknown-builtin",
                 place(&code, TN_TFL_CODE_BUILTIN), where,
                 "builtin operator %" PRId32 ", the last known is %" PRIu32,
                 number, tn_tfl_builtin_count - 1);
        else if (number == TN_TFL_CUSTOM && !name.size)
            find(c, TN_LEVEL_ERROR, "nameless-custom-op",
                 code.fb->span.offset + code.at, where,
                 "a custom operator without a name");
    }
}

/* ---- subgraphs ---------------------------------------------------------- */

static void check_subgraph(struct checking *c, uint32_t index)
{
    struct tn_fb_table  graph = tn_fb_vector_table(&c->subgraphs, index);
    struct tn_fb_vector tensors =
        tn_fb_vector(&graph, TN_TFL_SUBGRAPH_TENSORS, 4);
    struct tn_fb_vector ops =
        tn_fb_vector(&graph, TN_TFL_SUBGRAPH_OPERATORS, 4);
    char where[96];

    for (uint32_t i = 0; i < tensors.count && !c->report->is_stopped; i++) {
        struct tn_fb_table tensor = tn_fb_vector_table(&tensors, i);
        snprintf(where, sizeof where,
                 "subgraphs[%" PRIu32 "].tensors[%" PRIu32 "]", index, i);
        check_tensor(c, &tensor, tensors.count, where);
    }
    for (uint32_t i = 0; i < ops.count && !c->report->is_stopped; i++) {
        struct tn_fb_table op = tn_fb_vector_table(&ops, i);
        snprintf(where, sizeof where,
                 "subgraphs[%" PRIu32 "].operators[%" PRIu32 "]", index, i);
        check_tensors_of(c, &op, TN_TFL_OPERATOR_INPUTS, true, tensors.count,
                         where);
        check_tensors_of(c, &op, TN_TFL_OPERATOR_OUTPUTS, true, tensors.count,
                         where);
        check_tensors_of(c, &op, TN_TFL_OPERATOR_INTERMEDIATES, true,
                         tensors.count, where);
        if (is_index(c, tn_fb_u32(&op, TN_TFL_OPERATOR_CODE, 0), c->codes.count,
                     place(&op, TN_TFL_OPERATOR_CODE), where, "operator code"))
            check_options(c, &op, index, where);
    }
    snprintf(where, sizeof where, "subgraphs[%" PRIu32 "].inputs", index);
    check_tensors_of(c, &graph, TN_TFL_SUBGRAPH_INPUTS, false, tensors.count,
                     where);
    snprintf(where, sizeof where, "subgraphs[%" PRIu32 "].outputs", index);
    check_tensors_of(c, &graph, TN_TFL_SUBGRAPH_OUTPUTS, false, tensors.count,
                     where);
}

static int compare_calls(const void *a, const void *b, void *context)
{
    const struct call *x = a, *y = b;

    (void)context;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->at > y->at) - (x->at < y->at);
}

/* Removes subgraphs that call nothing, one after the other: the remaining ones
 * call themselves. */
static void check_recursion(struct checking *c)
{
    uint32_t  count = c->subgraphs.count, done = 0;
    uint32_t *left  = tn_new(&c->arena, uint32_t, count, c->error);
    uint32_t *queue = tn_new(&c->arena, uint32_t, count, c->error);
    uint32_t *first = tn_new(&c->arena, uint32_t, (uint64_t)count + 1, c->error);
    uint32_t  queued = 0;
    struct call *calls = c->calls.items;
    char         where[64];

    if (tn_failed(c->error))
        return;
    /* By the subgraph that is called: its callers. */
    for (uint64_t i = 0; i < c->calls.count; i++) {
        left[calls[i].from]++;
        calls[i] = (struct call){ calls[i].to, calls[i].from, calls[i].at };
        first[calls[i].from + 1]++;
    }
    tn_sort_items(calls, c->calls.count, sizeof *calls, compare_calls, NULL);
    for (uint32_t i = 0; i < count; i++) {
        first[i + 1] += first[i];
        if (!left[i])
            queue[queued++] = i;
    }
    for (; done < queued; done++)
        for (uint32_t i = first[queue[done]]; i < first[queue[done] + 1]; i++)
            if (--left[calls[i].to] == 0)
                queue[queued++] = calls[i].to;
    for (uint64_t i = 0; i < c->calls.count && queued < count; i++) {
        if (!left[calls[i].from] || !left[calls[i].to])
            continue;
        snprintf(where, sizeof where, "subgraphs[%" PRIu32 "]", calls[i].to);
        find(c, TN_LEVEL_ERROR, "recursion", calls[i].at, where,
             "it runs subgraph %" PRIu32 ", which runs it in turn",
             calls[i].from);
        break;
    }
}

static void check_signatures(struct checking *c)
{
    struct tn_fb_vector all =
        tn_fb_vector(&c->root, TN_TFL_MODEL_SIGNATURES, 4);
    char where[96];

    for (uint32_t i = 0; i < all.count && !c->report->is_stopped; i++) {
        struct tn_fb_table row = tn_fb_vector_table(&all, i);
        uint32_t index = tn_fb_u32(&row, TN_TFL_SIGNATURE_SUBGRAPH, 0);
        snprintf(where, sizeof where, "signature_defs[%" PRIu32 "]", i);
        if (!is_index(c, index, c->subgraphs.count,
                      place(&row, TN_TFL_SIGNATURE_SUBGRAPH), where,
                      "subgraph"))
            continue;
        struct tn_fb_table  graph = tn_fb_vector_table(&c->subgraphs, index);
        struct tn_fb_vector tensors =
            tn_fb_vector(&graph, TN_TFL_SUBGRAPH_TENSORS, 4);
        for (uint16_t slot = TN_TFL_SIGNATURE_INPUTS;
             slot <= TN_TFL_SIGNATURE_OUTPUTS; slot++) {
            struct tn_fb_vector maps = tn_fb_vector(&row, slot, 4);
            for (uint32_t k = 0; k < maps.count && !c->report->is_stopped;
                 k++) {
                struct tn_fb_table map = tn_fb_vector_table(&maps, k);
                is_index(c, tn_fb_u32(&map, 1, 0), tensors.count,
                         place(&map, 1), where, "tensor");
            }
        }
    }
}

static void check_all(struct checking *c)
{
    uint32_t version = tn_fb_u32(&c->root, TN_TFL_MODEL_VERSION, 0);

    c->codes     = tn_fb_vector(&c->root, TN_TFL_MODEL_CODES, 4);
    c->subgraphs = tn_fb_vector(&c->root, TN_TFL_MODEL_SUBGRAPHS, 4);
    c->buffers   = tn_fb_vector(&c->root, TN_TFL_MODEL_BUFFERS, 4);
    c->groups    = tn_fb_vector(&c->root, TN_TFL_MODEL_GROUPS, 4);
    c->external  = tn_fb_vector(&c->root, TN_TFL_MODEL_EXTERNAL, 4);
    if (version != TN_TFL_VERSION)
        find(c, TN_LEVEL_ERROR, "wrong-version",
             place(&c->root, TN_TFL_MODEL_VERSION), "version",
             "version %" PRIu32 ", not %d", version, TN_TFL_VERSION);
    check_codes(c);
    check_buffers(c);
    if (tn_bundle_has_folder(c->bundle))
        check_groups(c);
    check_external(c);
    check_metadata(c);
    for (uint32_t i = 0; i < c->subgraphs.count && !c->report->is_stopped &&
                         !tn_failed(c->error);
         i++)
        check_subgraph(c, i);
    check_signatures(c);
    if (!tn_failed(c->error))
        check_recursion(c);
}

enum tn_status tn_tfl_check_bytes(struct tn_bundle *bundle,
                                  struct tn_report *report,
                                  struct tn_error  *error)
{
    struct checking c = { .bundle = bundle, .report = report, .error = error };

    if (!bundle->main)
        return TN_OK; /* opening reports it */
    tn_arena_init(&c.arena, bundle->memory);
    tn_list_init(&c.calls, bundle->memory, sizeof(struct call));
    c.root = tn_tfl_root(bundle->main, &c.arena, error);
    if (c.root.fb)
        check_all(&c);
    tn_list_done(&c.calls);
    tn_arena_done(&c.arena);
    return error->status;
}

/* ---- the open model ----------------------------------------------------- */

enum tn_status tn_tfl_check(struct tn_bundle *bundle,
                            const struct tn_model *model,
                            struct tn_report *report, struct tn_error *error)
{
    char path[256];

    (void)bundle;
    for (uint64_t i = 0; i < model->tensors.count && !report->is_stopped; i++) {
        const struct tn_tensor *t   = tn_model_tensor(model, i);
        struct tn_error         own = TN_ERROR_INIT;
        if (t->elements.payload.encoding == TN_ENCODING_NONE ||
            tn_payload_check(&t->elements, &own) == TN_OK)
            continue;
        if (tn_machine_failed(&own)) {
            *error = own;
            return own.status;
        }
        tn_tensor_path(t, path, sizeof path);
        tn_error_where(&own, "%s", path);
        tn_report_add(report, TN_LEVEL_ERROR, "wrong-data", &own);
    }
    return tn_tfl_check_graph(model, report, error);
}

/* Types and shapes in the file are checked for values that nothing computes.
 * For the others they are a converter's guess: engines compute them again. */
struct telling {
    const struct tn_model *model;
    struct tn_error       *error;
};

static void tell_values(const struct telling *t, uint8_t *types, uint8_t *ranks)
{
    const struct tn_model *model = t->model;
    struct tn_arena        arena;
    struct tn_value_about  about;

    tn_arena_init(&arena, model->arena.memory);
    for (uint32_t i = 0; i < model->values.count && !tn_failed(t->error); i++) {
        const struct tn_value *value = tn_model_value_at(model, i);
        if (!model->dialect->describe_value(model, value->graph,
                                            tn_model_name(model, value->name),
                                            &arena, &about, t->error))
            continue;
        if (types && about.dtype != TN_UNDEFINED)
            types[i] = TN_TYPE(about.dtype, TN_WRAP_NONE);
        if (ranks && about.rank && value->producer == TN_NONE)
            ranks[i] = TN_RANK(about.rank);
        tn_arena_rewind(&arena);
    }
    tn_arena_done(&arena);
}

static void declare(void *context, uint8_t *types)
{
    tell_values(context, types, NULL);
}

static void declare_ranks(void *context, uint8_t *ranks)
{
    tell_values(context, NULL, ranks);
}

enum tn_status tn_tfl_check_graph(const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error)
{
    struct telling      telling = { model, error };
    struct tn_vocab_use use     = {
            .context        = &telling,
            .declare        = declare,
            .declare_ranks  = declare_ranks,
            .compares_types = true,
            .file           = model->wire.source ? model->wire.source->name : "",
            .free_prefix    = "__",
            .unknown        = TN_LEVEL_NOTE,
            .deprecated     = TN_LEVEL_NOTE,
    };

    TN_TRY(tn_graph_check(model, report, error));
    return tn_vocab_check_builtin(model, &use, "tflite", report, error);
}
