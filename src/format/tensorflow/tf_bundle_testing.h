/*
 * tf_bundle_testing.h - for tests: small checkpoints that live in memory
 *
 * A checkpoint is a list of named files; "x.index" is its table.
 */
#ifndef TN_FORMAT_TENSORFLOW_BUNDLE_TESTING_H
#define TN_FORMAT_TENSORFLOW_BUNDLE_TESTING_H

#include <stdio.h>
#include <stdlib.h>

#include "base/varint.h"
#include "codec/crc32.h"
#include "format/tensorflow/tf_bundle.h"
#include "format/tensorflow/tf_slice_key.h"
#include "support/hostile.h"

#define FILES 5

struct files {
    struct {
        char             name[40];
        struct tn_buffer bytes;
        struct tn_source source;
        bool             is_open;
    } file[FILES];
    unsigned          count;
    struct tn_memory *memory;
};

static struct tn_memory memory;
static struct tn_error  error;
static struct files     files;

static inline int start(void **state)
{
    (void)state;
    tn_memory_init(&memory, NULL, 0);
    error = (struct tn_error)TN_ERROR_INIT;
    files = (struct files){ .memory = &memory };
    return 0;
}

static inline void files_done(void)
{
    for (unsigned i = 0; i < files.count; i++)
        tn_buffer_done(&files.file[i].bytes);
    files.count = 0;
}

static inline int finish(void **state)
{
    (void)state;
    files_done();
    return memory.used != 0;
}

static inline enum tn_status make_file(void *context, const char *name,
                                       struct tn_sink **sink,
                                       struct tn_error *e)
{
    struct files *f = context;

    assert_true(f->count < FILES);
    snprintf(f->file[f->count].name, sizeof f->file->name, "%s", name);
    tn_buffer_init(&f->file[f->count].bytes, &memory, e);
    f->file[f->count].is_open = false;
    *sink                     = &f->file[f->count++].bytes.sink;
    return TN_OK;
}

static inline struct tn_buffer *add_file(const char *name)
{
    struct tn_sink *sink;

    make_file(&files, name, &sink, &error);
    return (struct tn_buffer *)sink;
}

static inline struct tn_bytes file_bytes(const char *name)
{
    for (unsigned i = 0; i < files.count; i++)
        if (!strcmp(files.file[i].name, name))
            return tn_buffer_bytes(&files.file[i].bytes);
    fail_msg("no file %s", name);
    return tn_bytes(NULL, 0);
}

static inline enum tn_status open_file(void *context, const char *name,
                                       struct tn_source **source,
                                       struct tn_error   *e)
{
    struct files *f = context;

    for (unsigned i = 0; i < f->count; i++)
        if (!strcmp(f->file[i].name, name)) {
            tn_source_memory(&f->file[i].source, f->memory,
                             tn_buffer_bytes(&f->file[i].bytes));
            f->file[i].source.name = f->file[i].name;
            *source                = &f->file[i].source;
            return TN_OK;
        }
    return tn_error_set(e, TN_NOT_FOUND, TN_NOWHERE, "no such file");
}

static inline enum tn_status open_table(struct tn_tf_bundle *index,
                                        struct tn_source    *table)
{
    tn_source_memory(table, &memory, file_bytes("x.index"));
    table->name = "x.index";
    return tn_tf_bundle_read(index, table, "x", open_file, &files, &error);
}

/* ---- elements, compared ------------------------------------------------- */

static inline struct tn_buffer streamed(const struct tn_tf_bundle_entry *e)
{
    struct tn_buffer bytes;
    uint64_t         count = 0;

    tn_buffer_init(&bytes, &memory, &error);
    assert_true(tn_shape_count(&e->elements.shape, &count));
    tn_payload_stream(&e->elements, 0, count, &memory, &bytes.sink, &error);
    if (tn_failed(&error))
        fail_msg("%.*s: %s", TN_FMT(e->key), error.what);
    return bytes;
}

/* float32 elements 0, 1, 2, ... */
static inline void expect_counting(const struct tn_tf_bundle *index,
                                   const char *key, unsigned count)
{
    const struct tn_tf_bundle_entry *e = tn_tf_bundle_find(index, tn_text(key));

    assert_non_null(e);
    struct tn_buffer bytes = streamed(e);
    assert_int_equal(bytes.size, count * sizeof(float));
    for (unsigned i = 0; i < count; i++) {
        float value;
        memcpy(&value, bytes.data + i * sizeof value, sizeof value);
        if (value != (float)i)
            fail_msg("%s[%u] is %f", key, i, (double)value);
    }
    tn_buffer_done(&bytes);
}

/* crc32 of all elements; of strings with a zero between them. */
struct joined {
    uint32_t crc;
    bool     is_next;
};

static inline enum tn_status join_string(void *context, uint64_t i,
                                         struct tn_span   text,
                                         struct tn_error *e)
{
    struct joined *j     = context;
    uint8_t       *bytes = malloc((size_t)text.length + 1);

    (void)i;
    if (j->is_next)
        j->crc = tn_crc32(j->crc, "", 1);
    j->is_next = true;
    if (text.length)
        tn_source_read(text.source, text.offset, bytes, (size_t)text.length, e);
    j->crc = tn_crc32(j->crc, bytes, (size_t)text.length);
    free(bytes);
    return e->status;
}

static inline uint32_t data_crc(const struct tn_tf_bundle_entry *e)
{
    struct joined j     = { 0, false };
    uint64_t      count = 0;

    tn_shape_count(&e->elements.shape, &count);
    if (tn_dtype_size(e->elements.shape.dtype)) {
        struct tn_buffer bytes = streamed(e);
        j.crc                  = tn_crc32(0, bytes.data, bytes.size);
        tn_buffer_done(&bytes);
    } else {
        tn_payload_strings(&e->elements, 0, count, join_string, &j, &error);
        assert_int_equal(error.status, TN_OK);
    }
    return j.crc;
}

/* ---- slices ------------------------------------------------------------- */

#define ALL                                                                    \
    {                                                                          \
        0, TN_TF_WHOLE                                                         \
    }

/* A TensorSliceProto, as a field. */
static inline void put_extents(struct tn_buffer *to, uint32_t field,
                               const struct tn_tf_extent *extents,
                               unsigned                   rank)
{
    struct tn_buffer slice;

    tn_buffer_init(&slice, &memory, &error);
    for (unsigned i = 0; i < rank; i++) {
        uint8_t  body[24];
        unsigned size = 0;
        if (extents[i].length != TN_TF_WHOLE) {
            if (extents[i].start) {
                body[size++] = 0x08;
                size += tn_varint_put(body + size, (uint64_t)extents[i].start);
            }
            body[size++] = 0x10;
            size += tn_varint_put(body + size, (uint64_t)extents[i].length);
        }
        tn_buffer_byte(&slice, 0x0a);
        tn_buffer_byte(&slice, (uint8_t)size);
        tn_buffer_add(&slice, tn_bytes(body, size));
    }
    tn_buffer_varint(to, tn_tag(field, TN_WIRE_LEN));
    tn_buffer_varint(to, slice.size);
    tn_buffer_add(to, tn_buffer_bytes(&slice));
    tn_buffer_done(&slice);
}

/* ---- for tn_survives_hostility() ---------------------------------------- */

static inline enum tn_status read_bytes(struct tn_bytes   input,
                                        struct tn_memory *budget,
                                        struct tn_error  *complaint)
{
    struct tn_source    table;
    struct tn_tf_bundle index;

    tn_source_memory(&table, budget, input);
    files.memory = budget;
    if (tn_tf_bundle_read(&index, &table, "x", open_file, &files, complaint) ==
        TN_OK) {
        for (uint64_t i = 0; i < index.count && !tn_failed(complaint); i++)
            tn_tf_bundle_check_entry(index.entries[i], budget, complaint);
        tn_tf_bundle_close(&index);
    }
    tn_source_close(&table);
    return complaint->status;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, finish)

#endif
