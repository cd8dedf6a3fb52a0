/*
 * paddle_hostile_test.c - programs, records and states that were cut, bent, or
 * read with too little memory
 */
#include <stdio.h>
#include <stdlib.h>

#include "format/paddle/paddle.h"
#include "support/hostile.h"
#include "wire/pb/pb_text_read.h"

extern const struct tn_format tn_format_paddle_params, tn_format_paddle_state;

/* Opens the bytes as a file of that name, and reads a little of each tensor. */
static enum tn_status open_as(const struct tn_format *format, const char *name,
                              struct tn_bytes bytes, struct tn_memory *memory,
                              struct tn_error *error)
{
    struct tn_source source;
    struct tn_model  model;
    struct tn_bundle bundle = { .memory = memory,
                                .main   = &source,
                                .name   = name,
                                .path   = name,
                                .folder = -1 };

    tn_source_memory(&source, memory, bytes);
    tn_arena_init(&bundle.arena, memory);
    tn_list_init(&bundle.kept, memory, sizeof(struct tn_source *));
    tn_model_init(&model, memory);
    model.wants_graph = true;
    format->open(&bundle, &model, error);
    for (uint64_t i = 0; i < model.tensors.count && !tn_failed(error); i++) {
        const struct tn_tensor *row = tn_model_tensor(&model, i);
        uint8_t                 got[16];
        if (tn_tensor_size(row) >= sizeof got)
            tn_tensor_read(row, tn_tensor_size(row) - sizeof got, got,
                           sizeof got, error);
    }
    if (!tn_failed(error))
        tn_model_finish(&model, error);
    tn_model_done(&model);
    for (uint64_t i = 0; i < bundle.kept.count; i++)
        tn_source_close(*tn_list_at(&bundle.kept, struct tn_source *, i));
    tn_list_done(&bundle.kept);
    tn_arena_done(&bundle.arena);
    tn_source_close(&source);
    return error->status;
}

/* ---- programs ----------------------------------------------------------- */

static enum tn_status read_program(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    return open_as(&tn_format_paddle, "a.pdmodel", input, memory, error);
}

/* Cut between fields of the root it is a program still, from the first block
 * on. */
static bool is_whole_program(struct tn_bytes prefix)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_cursor   c     = tn_cursor_bytes(prefix, 0, &error);
    struct tn_pb_field field;
    unsigned           count = 0;

    while (tn_pb_next(&c, &field))
        count++;
    return count > 0 && !tn_failed(&error);
}

/* The program of the corpus as bytes; freed with free(). */
static struct tn_bytes load_program(void)
{
    struct tn_bytes  text = tn_load_file(TN_CORPUS "/paddle/train.pdmodel.txt");
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_source source;
    struct tn_pb_schema schema;
    struct tn_rope      rope;
    struct tn_buffer    bytes;

    assert_non_null(text.data);
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_source_memory(&source, &memory, text);
    tn_rope_init(&rope, &arena, &error);
    tn_buffer_init(&bytes, &memory, &error);
    tn_pb_schema_load(&schema, &arena, tn_pb_builtin_set(TN_PB_PADDLE), &error);
    tn_pb_text_read(&schema, tn_pb_schema_find(&schema, TN_PADDLE_MESSAGE),
                    (struct tn_span){ &source, 0, text.size }, &rope, &error);
    tn_rope_write(&rope, &bytes.sink, &error);
    assert_int_equal(error.status, TN_OK);
    uint8_t *copy = malloc(bytes.size);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    struct tn_bytes result = tn_bytes(copy, bytes.size);
    tn_buffer_done(&bytes);
    tn_rope_done(&rope);
    tn_source_close(&source);
    tn_arena_done(&arena);
    free((void *)(uintptr_t)text.data);
    return result;
}

static void test_program(void **state)
{
    struct tn_bytes good = load_program();

    (void)state;
    tn_refuses_every_prefix(read_program, good, is_whole_program);
    tn_survives_every_flip(read_program, good);
    tn_survives_no_memory(read_program, good);
    free((void *)(uintptr_t)good.data);
}

/* ---- records ------------------------------------------------------------ */

static enum tn_status read_records(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    return open_as(&tn_format_paddle_params, "a.pdiparams", input, memory,
                   error);
}

/* Cut between records it is a file of fewer. */
static bool is_whole_records(struct tn_bytes prefix)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_cursor     c     = tn_cursor_bytes(prefix, 0, &error);
    struct tn_lod_record record;
    unsigned             count = 0;

    while (tn_more(&c) && tn_lod_read(&c, TN_LOD_SHIPPED, &record) == TN_OK)
        count++;
    return count > 0 && !tn_failed(&error);
}

static void test_records(void **state)
{
    struct tn_bytes good = tn_load_file(TN_CORPUS "/paddle/train.pdiparams");

    (void)state;
    assert_non_null(good.data);
    tn_refuses_every_prefix(read_records, good, is_whole_records);
    tn_survives_every_flip(read_records, good);
    tn_survives_no_memory(read_records, good);
    free((void *)(uintptr_t)good.data);
}

/* ---- states ------------------------------------------------------------- */

static enum tn_status read_state(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    return open_as(&tn_format_paddle_state, "a.pdparams", input, memory, error);
}

static void test_states(void **state)
{
    static const char *const files[] = { "protocol2.pdparams",
                                         "protocol4.pdopt", "sliced.pdparams",
                                         "container.pdparams" };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s/paddle/%s", TN_CORPUS, files[i]);
        struct tn_bytes good = tn_load_file(path);
        assert_non_null(good.data);
        tn_survives_hostility(read_state, good);
        free((void *)(uintptr_t)good.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
