/*
 * sd_testing.h - little SameDiff models, for the tests here
 *
 * Written as JSON, which the library itself converts to a FlatGraph; that
 * conversion is compared with flatc's elsewhere (tests/judges).
 */
#ifndef TN_FORMAT_SD_TESTING_H
#define TN_FORMAT_SD_TESTING_H

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "format/samediff/sd_graph.h"
#include "support/hostile.h"
#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_json_read.h"

extern const struct tn_format tn_format_samediff_fb;
extern const struct tn_format tn_format_sdnb;
extern const struct tn_format tn_format_sdz;

#define SD_SCALAR                                                              \
    "\"shape\": [0, 8192, 1, 99], \"dtype\": \"FLOAT\", "                      \
    "\"byteOrder\": \"BE\", \"buffer\": [63, -128, 0, 0]"
#define SD_TWO                                                                 \
    "\"shape\": [1, 2, 1, 8192, 1, 99], \"dtype\": \"FLOAT\", "                \
    "\"byteOrder\": \"BE\", "                                                  \
    "\"buffer\": [63, -128, 0, 0, 64, 0, 0, 0]"
#define SD_COLUMNS                                                             \
    "\"shape\": [2, 2, 2, 1, 2, 131072, 1, 102], "                             \
    "\"dtype\": \"INT32\", \"byteOrder\": \"BE\", "                            \
    "\"buffer\": [0,0,0,1, 0,0,0,2, 0,0,0,3, 0,0,0,4]"

/* out = (x @ w) + b, with an updater, arguments of all kinds and a loop's
 * control dependency. */
static const char sd_little[] =
    "{ \"variables\": [\n"
    " { \"id\": {\"first\": 1}, \"name\": \"x\", \"dtype\": \"FLOAT\",\n"
    "   \"shape\": [-1, 2], \"device\": -1, \"variabletype\": "
    "\"PLACEHOLDER\" },\n"
    " { \"id\": {\"first\": 2}, \"name\": \"w\", \"dtype\": \"FLOAT\",\n"
    "   \"ndarray\": { " SD_TWO " }, \"device\": -1 },\n"
    " { \"id\": {\"first\": 3}, \"name\": \"c\", \"dtype\": \"INT32\",\n"
    "   \"ndarray\": { " SD_COLUMNS " }, \"device\": -1,\n"
    "   \"variabletype\": \"CONSTANT\" },\n"
    " { \"id\": {\"first\": 4}, \"name\": \"mmul\", \"dtype\": \"FLOAT\",\n"
    "   \"variabletype\": \"ARRAY\" },\n"
    " { \"id\": {\"first\": 5}, \"name\": \"out\", \"dtype\": \"FLOAT\",\n"
    "   \"variabletype\": \"ARRAY\" } ],\n"
    "\"nodes\": [\n"
    " { \"id\": 4, \"name\": \"mmul\", \"opType\": \"CUSTOM\",\n"
    "   \"opNum\": -273014250715117663, \"opName\": \"matmul\",\n"
    "   \"inputPaired\": [{\"first\": 1}, {\"first\": 2}],\n"
    "   \"outputNames\": [\"mmul\"], \"outputTypes\": [\"FLOAT\"],\n"
    "   \"extraInteger\": [1, -2], \"extraParams\": [0.5],\n"
    "   \"extraBools\": [true, false], \"extraTypes\": [\"INT64\"],\n"
    "   \"extraStrings\": [\"frame\"], \"dimensions\": [0, 1],\n"
    "   \"properties\": [{ \"name\": \"p\", \"i\": [7], \"s\": [\"q\"],\n"
    "     \"a\": [{ " SD_SCALAR " }] }] },\n"
    " { \"id\": 5, \"name\": \"add\", \"opType\": \"SCALAR\", \"opNum\": 1,\n"
    "   \"opName\": \"add_scalar\", \"inputPaired\": [{\"first\": 4}],\n"
    "   \"outputNames\": [\"out\"], \"outputTypes\": [\"FLOAT\"],\n"
    "   \"scalar\": { " SD_SCALAR " }, \"controlDeps\": [\"mmul\"] } ],\n"
    "\"placeholders\": [\"x\"], \"lossVariables\": [\"out\"],\n"
    "\"trainingConfig\": \"{\\\"updater\\\": {\\\"@class\\\": \\\"a.Adam\\\", "
    "\\\"learningRate\\\": 0.5}}\",\n"
    "\"updaterState\": [{ \"paramName\": \"w\", \"updaterStateKeys\": "
    "[\"V\", \"M\"],\n"
    "  \"updaterStateValues\": [{ " SD_TWO " }, { " SD_TWO " }] }] }";

/* The text with one piece of it replaced; the caller frees it. */
static inline char *sd_replace(const char *text, const char *old,
                               const char *new)
{
    const char *at   = strstr(text, old);
    char       *made = malloc(strlen(text) + strlen(new) + 1);

    assert_non_null(at);
    assert_non_null(made);
    sprintf(made, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return made;
}

/* A FlatGraph of JSON; the caller frees it. */
static inline struct tn_bytes sd_make(const char *json)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_source    source;
    struct tn_rope      rope;
    struct tn_buffer    buffer;
    struct tn_fb_schema schema;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_source_memory(&source, &memory, tn_text(json));
    tn_rope_init(&rope, &arena, &error);
    tn_buffer_init(&buffer, &memory, &error);
    tn_fb_schema_load_builtin(&schema, &arena, TN_FB_SAMEDIFF_CLASSIC, &error);
    tn_fb_json_read(&schema, tn_fb_schema_find(&schema, "sd.graph.FlatGraph"),
                    (struct tn_span){ &source, 0, strlen(json) }, &rope,
                    &error);
    tn_rope_write(&rope, &buffer.sink, &error);
    if (tn_failed(&error))
        fail_msg("%s: %s", error.where, error.what);
    uint8_t *copy = malloc(buffer.size);
    assert_non_null(copy);
    memcpy(copy, buffer.data, buffer.size);
    struct tn_bytes bytes = tn_bytes(copy, buffer.size);
    tn_buffer_done(&buffer);
    tn_rope_done(&rope);
    tn_source_close(&source);
    tn_arena_done(&arena);
    return bytes;
}

static inline void sd_free(struct tn_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

struct sd_opened {
    struct tn_memory memory;
    struct tn_source source;
    struct tn_bundle bundle;
    struct tn_model  model;
    struct tn_error  error;
};

/* A failed one needs no closing. */
static inline enum tn_status sd_open(struct sd_opened       *o,
                                     const struct tn_format *format,
                                     struct tn_bytes         bytes)
{
    o->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&o->memory, NULL, 0);
    tn_source_memory(&o->source, &o->memory, bytes);
    o->source.name = "";
    if (tn_bundle_from_source(&o->bundle, &o->memory, &o->source, "test",
                              &o->error) != TN_OK)
        return o->error.status;
    tn_model_init(&o->model, &o->memory);
    o->model.format      = format->name;
    o->model.wants_graph = true;
    if (format->open(&o->bundle, &o->model, &o->error) == TN_OK)
        tn_model_finish(&o->model, &o->error);
    if (tn_failed(&o->error)) {
        tn_model_done(&o->model);
        tn_bundle_close(&o->bundle);
        assert_int_equal(o->memory.used, 0);
    }
    return o->error.status;
}

static inline void sd_must_open(struct sd_opened       *o,
                                const struct tn_format *format,
                                struct tn_bytes         bytes)
{
    if (sd_open(o, format, bytes) != TN_OK)
        fail_msg("%s: byte %llu: %s: %s", format->name,
                 (unsigned long long)o->error.offset, o->error.where,
                 o->error.what);
}

static inline void sd_close(struct sd_opened *o)
{
    tn_model_done(&o->model);
    tn_bundle_close(&o->bundle);
    assert_int_equal(o->memory.used, 0);
}

static inline void sd_count_loss(void *context, uint64_t offset,
                                 const char *where, const char *what)
{
    (void)offset;
    (void)where;
    assert_true(what[0]);
    ++*(uint64_t *)context;
}

/* The model in another format; the caller frees it.  .data NULL: refused. */
static inline struct tn_bytes sd_write(const struct tn_model  *model,
                                       const struct tn_format *format,
                                       uint64_t shard_size, uint64_t *losses,
                                       struct tn_error *error)
{
    uint64_t                moved   = 0;
    struct tn_output       *output  = NULL;
    struct tn_bytes         made    = { NULL, 0 };
    struct tn_write_options options = { .tensors_moved = &moved,
                                        .shard_size    = shard_size,
                                        .loss          = sd_count_loss,
                                        .loss_context  = losses };

    *losses = 0;
    if (tn_output_memory(&output, model->memory, error) == TN_OK &&
        format->write(model, &options, output, error) == TN_OK &&
        tn_output_flush(output, error) == TN_OK) {
        struct tn_bytes bytes = tn_output_memory_bytes(output);
        uint8_t        *copy  = malloc(bytes.size + 1);
        assert_non_null(copy);
        memcpy(copy, bytes.data, bytes.size);
        made = tn_bytes(copy, bytes.size);
    }
    tn_output_close(output);
    return made;
}

/* ---- the same model ----------------------------------------------------- */

static inline void sd_same_bytes(struct tn_bytes a, struct tn_bytes b)
{
    assert_true(tn_bytes_equal(a, b));
}

static inline void sd_same_names(struct tn_sd_names a, struct tn_sd_names b)
{
    assert_int_equal(a.count, b.count);
    for (uint32_t i = 0; i < a.count; i++)
        sd_same_bytes(a.items[i], b.items[i]);
}

struct sd_joined {
    struct tn_buffer *to;
};

static inline enum tn_status sd_join(void *context, uint64_t index,
                                     struct tn_span   text,
                                     struct tn_error *error)
{
    struct tn_buffer *to   = context;
    uint8_t          *room = tn_buffer_room(to, (size_t)text.length + 1);

    (void)index;
    assert_non_null(room);
    if (text.length)
        tn_source_read(text.source, text.offset, room, (size_t)text.length,
                       error);
    room[text.length] = '|';
    to->size += (size_t)text.length + 1;
    return error->status;
}

/* All elements; strings with a bar after each. */
static inline void sd_elements(const struct tn_elements *e,
                               struct tn_memory *memory, struct tn_buffer *to,
                               struct tn_error *error)
{
    uint64_t count = 0;

    tn_shape_count(&e->shape, &count);
    if (e->shape.dtype == TN_STRING)
        tn_payload_strings(e, 0, count, sd_join, to, error);
    else
        tn_payload_stream(e, 0, count, memory, &to->sink, error);
    if (tn_failed(error))
        fail_msg("%s", error->what);
}

static inline void sd_same_elements(const struct tn_elements *a,
                                    const struct tn_elements *b)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer x, y;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&x, &memory, &error);
    tn_buffer_init(&y, &memory, &error);
    assert_int_equal(a->shape.dtype, b->shape.dtype);
    assert_int_equal(a->shape.rank, b->shape.rank);
    for (uint32_t i = 0; i < a->shape.rank; i++)
        assert_int_equal(a->shape.dims[i], b->shape.dims[i]);
    sd_elements(a, &memory, &x, &error);
    sd_elements(b, &memory, &y, &error);
    sd_same_bytes(tn_buffer_bytes(&x), tn_buffer_bytes(&y));
    tn_buffer_done(&x);
    tn_buffer_done(&y);
}

static inline void sd_same_tensors(const struct tn_model *a,
                                   const struct tn_model *b)
{
    char at[300], there[300];

    assert_int_equal(a->tensors.count, b->tensors.count);
    for (uint64_t i = 0; i < a->tensors.count; i++) {
        const struct tn_tensor *x = tn_model_tensor(a, i);
        const struct tn_tensor *y = tn_model_tensor(b, i);
        sd_same_bytes(tn_tensor_name(x), tn_tensor_name(y));
        assert_int_equal(x->role, y->role);
        tn_tensor_path(x, at, sizeof at);
        tn_tensor_path(y, there, sizeof there);
        assert_string_equal(at, there);
        sd_same_elements(&x->elements, &y->elements);
    }
}

static inline void sd_same_variables(const struct tn_sd_graph *a,
                                     const struct tn_sd_graph *b)
{
    assert_int_equal(a->variable_count, b->variable_count);
    for (uint32_t i = 0; i < a->variable_count; i++) {
        const struct tn_sd_variable *x = &a->variables[i];
        const struct tn_sd_variable *y = &b->variables[i];
        sd_same_bytes(x->name, y->name);
        assert_int_equal(x->first, y->first);
        assert_int_equal(x->second, y->second);
        assert_int_equal(x->dtype, y->dtype);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->device, y->device);
        assert_int_equal(x->tensor, y->tensor);
        sd_same_names(x->deps, y->deps);
        sd_same_names(x->for_op, y->for_op);
        sd_same_names(x->for_var, y->for_var);
        if (x->kind == TN_SD_PLACEHOLDER && x->tensor == TN_NONE) {
            assert_int_equal(x->has_shape, y->has_shape);
            assert_int_equal(x->rank, y->rank);
            for (uint32_t k = 0; k < x->rank; k++)
                assert_int_equal(x->shape[k], y->shape[k]);
        }
    }
    sd_same_names(a->loss, b->loss);
    sd_same_names(a->placeholders, b->placeholders);
}

static inline void sd_same_value(const struct tn_attr_value *a,
                                 const struct tn_attr_value *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++)
        switch (a->kind) {
        case TN_ATTR_STRING:
        case TN_ATTR_OTHER:
            sd_same_bytes(a->of.strings[i], b->of.strings[i]);
            break;
        case TN_ATTR_TENSOR:
            sd_same_elements(&a->of.tensors[i]->elements,
                             &b->of.tensors[i]->elements);
            break;
        default: /* doubles by their bits, too */
            assert_int_equal(a->of.ints[i], b->of.ints[i]);
        }
}

static inline void sd_same_attrs(const struct tn_model *a,
                                 const struct tn_model *b, uint32_t op)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_attr *x, *y;
    uint32_t        count = tn_op_attr_count(a, op);

    assert_int_equal(count, tn_op_attr_count(b, op));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(tn_attr_open(&x, a, op, i, &error), TN_OK);
        assert_int_equal(tn_attr_open(&y, b, op, i, &error), TN_OK);
        sd_same_bytes(tn_attr_name(x), tn_attr_name(y));
        sd_same_value(tn_attr_get(x), tn_attr_get(y));
        tn_attr_close(x);
        tn_attr_close(y);
    }
}

static inline void sd_same_ops(const struct tn_model *a,
                               const struct tn_model *b)
{
    assert_int_equal(a->ops.count, b->ops.count);
    for (uint32_t op = 0; op < a->ops.count; op++) {
        const struct tn_op *x = tn_model_op_at(a, op);
        const struct tn_op *y = tn_model_op_at(b, op);
        sd_same_bytes(tn_model_name(a, x->name), tn_model_name(b, y->name));
        sd_same_bytes(tn_model_name(a, x->type), tn_model_name(b, y->type));
        assert_int_equal(x->input_count, y->input_count);
        assert_int_equal(x->control_count, y->control_count);
        assert_int_equal(x->output_count, y->output_count);
        for (uint32_t i = 0; i < x->input_count; i++)
            sd_same_bytes(
                tn_model_value_name(a, tn_model_ref_at(a, x->first_input + i)),
                tn_model_value_name(b, tn_model_ref_at(b, y->first_input + i)));
        for (uint32_t i = 0; i < x->output_count; i++)
            sd_same_bytes(
                tn_model_value_name(a, tn_model_ref_at(a, x->first_output + i)),
                tn_model_value_name(b,
                                    tn_model_ref_at(b, y->first_output + i)));
        sd_same_attrs(a, b, op);
    }
}

static inline void sd_same_model(const struct tn_model *a,
                                 const struct tn_model *b)
{
    const struct tn_sd_detail *x = tn_sd_detail_of(a);
    const struct tn_sd_detail *y = tn_sd_detail_of(b);

    sd_same_tensors(a, b);
    assert_int_equal(x->graph_count, y->graph_count);
    for (uint32_t i = 0; i < x->graph_count; i++)
        sd_same_variables(&x->graphs[i], &y->graphs[i]);
    sd_same_ops(a, b);
    sd_same_bytes(x->training, y->training);
    assert_int_equal(x->state_count, y->state_count);
    for (uint32_t i = 0; i < x->state_count; i++) {
        sd_same_bytes(x->states[i].param, y->states[i].param);
        sd_same_names(x->states[i].keys, y->states[i].keys);
    }
}

#endif
