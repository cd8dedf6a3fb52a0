/* tf_testing.h - models made from protobuf text, for the tests here */
#ifndef TN_FORMAT_TF_TESTING_H
#define TN_FORMAT_TF_TESTING_H

#include "support/hostile.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/format.h"
#include "format/tensorflow/tf.h"

extern const struct tn_format tn_format_tf_graph;
extern const struct tn_format tn_format_tf_meta_graph;
extern const struct tn_format tn_format_tf_saved_model;

struct opened {
    struct tn_memory memory;
    struct tn_bundle bundle;
    struct tn_model  model;
    struct tn_error  error;
    struct tn_source bytes;
};

static inline enum tn_status open_bytes(struct opened          *o,
                                        const struct tn_format *format,
                                        struct tn_bytes bytes, bool wants_graph)
{
    o->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&o->memory, NULL, 0);
    tn_source_memory(&o->bytes, &o->memory, bytes);
    o->bytes.name = "";
    if (tn_bundle_from_source(&o->bundle, &o->memory, &o->bytes, "test",
                              &o->error) != TN_OK)
        return o->error.status;
    tn_model_init(&o->model, &o->memory);
    o->model.wants_graph = wants_graph;
    o->model.format      = format->name;
    if (format->open(&o->bundle, &o->model, &o->error) == TN_OK)
        tn_model_finish(&o->model, &o->error);
    if (tn_failed(&o->error)) {
        tn_model_done(&o->model);
        tn_bundle_close(&o->bundle);
    }
    return o->error.status;
}

/* Opens text like any model; the test fails if that fails. */
static inline void open_text(struct opened *o, const struct tn_format *format,
                             const char *text)
{
    if (open_bytes(o, format, tn_text(text), true) != TN_OK)
        fail_msg("%s: %s at %s", text, o->error.what, o->error.where);
}

static inline void close_model(struct opened *o)
{
    tn_model_done(&o->model);
    tn_bundle_close(&o->bundle);
    assert_int_equal(o->memory.used, 0);
}

/* The bytes that a format writes for a model; the caller frees .data. */
static inline struct tn_bytes write_bytes(const struct tn_model  *model,
                                          const struct tn_format *format)
{
    uint64_t                moved   = 0;
    struct tn_write_options options = { .tensors_moved = &moved };
    struct tn_error         error   = TN_ERROR_INIT;
    struct tn_output       *output  = NULL;

    assert_int_equal(tn_output_memory(&output, model->memory, &error), TN_OK);
    if (format->write(model, &options, output, &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    assert_int_equal(tn_output_flush(output, &error), TN_OK);
    struct tn_bytes bytes = tn_output_memory_bytes(output);
    uint8_t        *copy  = malloc(bytes.size + 1);
    memcpy(copy, bytes.data, bytes.size);
    tn_output_close(output);
    return tn_bytes(copy, bytes.size);
}

/* The binary form of a text. */
static inline struct tn_bytes binary_of(const struct tn_format *format,
                                        const char             *text)
{
    struct opened o;

    open_text(&o, format, text);
    struct tn_span wire = o.model.wire;
    uint8_t       *copy = malloc((size_t)wire.length + 1);
    assert_int_equal(tn_source_read(wire.source, wire.offset, copy,
                                    (size_t)wire.length, &o.error),
                     TN_OK);
    close_model(&o);
    return tn_bytes(copy, (size_t)wire.length);
}

/* Findings about operators are ignored: the tests make up operators as they
 * need them. */
static inline bool is_of_vocabulary(const char *rule)
{
    static const char *const rules[] = {
        "bad-attribute-value", "deprecated-op",        "missing-attribute",
        "missing-input",       "unknown-attribute",    "unknown-op",
        "wrong-arity",         "wrong-attribute-type",
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rule, rules[i]) == 0)
            return true;
    return false;
}

/* Findings as "rule@offset (rule)@offset", where the second is a note. */
struct findings {
    char   text[1000];
    size_t size;
};

static inline int add_finding(void *context, enum tn_finding_level level,
                              const char *rule, const struct tn_error *finding)
{
    struct findings *f = context;

    assert_true(finding->what[0]);
    if (is_of_vocabulary(rule))
        return 0;
    f->size += (size_t)snprintf(f->text + f->size, sizeof f->text - f->size,
                                level == TN_LEVEL_NOTE ? "%s(%s)" : "%s%s",
                                f->size ? " " : "", rule);
    if (finding->offset != TN_NOWHERE)
        f->size +=
            (size_t)snprintf(f->text + f->size, sizeof f->text - f->size,
                             "@%llu", (unsigned long long)finding->offset);
    return 0;
}

static inline void check_model(struct opened *o, const struct tn_format *format,
                               struct findings *findings)
{
    struct tn_report report = { .each = add_finding, .context = findings };

    *findings = (struct findings){ .size = 0 };
    if (format->check(&o->bundle, &o->model, &report, &o->error) != TN_OK)
        fail_msg("%s", o->error.what);
}

static inline uint32_t op_named(const struct tn_model *model, const char *name)
{
    for (uint32_t i = 0; i < tn_model_op_count(model); i++)
        if (tn_bytes_is(tn_model_op(model, i).name, name))
            return i;
    fail_msg("no op '%s'", name);
    return TN_NONE;
}

#endif
