/*
 * chunked_damage_test.c - check sees every damaged byte of a chunked file, and
 * every byte that is missing
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include <tenon/verbs.h>

#include "chunk/splitter.h"
#include "format/tensorflow/tf_split.h"
#include "support/little_models.h"
#include "support/random_message.h"
#include "wire/riegeli/riegeli.h"

static struct tn_schema *schema;
static struct tn_memory  memory;

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    return tn_schema_builtin(&schema, "tensorflow", NULL, &error);
}

static int end(void **state)
{
    (void)state;
    tn_schema_close(schema);
    assert_int_equal(memory.used, 0);
    return 0;
}

/* ---- files --------------------------------------------------------------- */

/* A constant "a" of eight floats, up to their bytes. */
#define NODE                                                                   \
    "0a0161 1205436f6e7374 2a0b 0a056474797065 12023001"                       \
    "2a35 0a0576616c7565 122c 422a 0801 1204 1202 0808 2220"

static void put_node(struct tn_buffer *graph, uint8_t i)
{
    struct tn_bytes  head = tn_hex(NODE);
    struct tn_buffer node;

    tn_buffer_init(&node, graph->memory, graph->error);
    tn_buffer_add(&node, head);
    node.data[2] = (uint8_t)('a' + i);
    for (uint8_t k = 0; k < 32; k++)
        tn_buffer_byte(&node, (uint8_t)(k < 9 ? i : k % 4));
    tn_put_body(graph, 1, &node);
    tn_buffer_done(&node);
    free((void *)(uintptr_t)head.data);
}

/* GraphDef { constants, versions { producer } } as chunks in a file. */
static struct tn_bytes make_file(uint8_t nodes, const char *records,
                                 unsigned version)
{
    struct tn_split_format     format = { .version = version };
    struct tn_tf_split_options rules  = { TN_SPLIT_PYTHON, 60 };
    struct tn_error            error  = TN_ERROR_INIT;
    struct tn_buffer           graph, versions;
    struct tn_message         *message;
    struct tn_splitter        *splitter;
    struct tn_bytes            file;
    bool                       is_chunked;

    tn_buffer_init(&graph, &memory, &error);
    tn_buffer_init(&versions, &memory, &error);
    for (uint8_t i = 0; i < nodes; i++)
        put_node(&graph, i);
    tn_put_number(&versions, 1, 1500);
    tn_put_body(&graph, 4, &versions);
    tn_message_bytes(&message, schema, "tensorflow.GraphDef",
                     tn_buffer_bytes(&graph), NULL, &error);
    tn_splitter_open(&splitter, message, &error);
    tn_tf_split_graph(splitter, &rules, &error);
    if (version == 2)
        format = (struct tn_split_format){ 2, false, 20, 256, 0 };
    tn_splitter_format(splitter, &format, &error);
    tn_splitter_write_memory(splitter, records, &file, &is_chunked, &error);
    assert_string_equal(error.what, "");
    assert_true(is_chunked);
    uint8_t *copy = malloc(file.size);
    memcpy(copy, file.data, file.size);
    file.data = copy;
    tn_splitter_close(splitter);
    tn_message_close(message);
    tn_buffer_done(&graph);
    tn_buffer_done(&versions);
    return file;
}

static uint64_t findings(struct tn_scratch *scratch)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_check_summary summary;

    tn_check(tn_in_scratch(scratch, "a.cpb"), NULL, NULL, NULL, NULL, &summary,
             &error);
    assert_string_equal(error.what, "");
    return summary.errors + summary.warnings;
}

/* ---- claims -------------------------------------------------------------- */

static const char *const kinds[] = {
    "uncompressed",
    "brotli",
    "zstd",
    "snappy",
    "transpose,uncompressed",
    "transpose,brotli",
    "transpose,zstd",
    "transpose,snappy",
    "uncompressed,chunk_size:1",
    "uncompressed,padding:700",
};

#define KINDS (sizeof kinds / sizeof *kinds)

/* All kinds in version 1 of the format, then the first two in version 2. */
#define TRIALS (KINDS + 2)

static struct tn_bytes make_trial(size_t trial)
{
    return make_file(2, kinds[trial % KINDS], trial < KINDS ? 1 : 2);
}

static void any_flipped_byte_is_found(void **state)
{
    static const uint8_t masks[] = { 0x01, 0x80, 0xff };
    struct tn_scratch    scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < TRIALS; i++) {
        struct tn_bytes file  = make_trial(i);
        uint8_t        *bytes = (uint8_t *)(uintptr_t)file.data;

        tn_scratch_put(&scratch, "a.cpb", file);
        assert_int_equal(findings(&scratch), 0);
        for (size_t k = 0; k < file.size; k++) {
            bytes[k] ^= masks[k % 3];
            tn_scratch_put(&scratch, "a.cpb", file);
            if (findings(&scratch) == 0)
                fail_msg("%s: byte %d of %d", kinds[i % KINDS], (int)k,
                         (int)file.size);
            bytes[k] ^= masks[k % 3];
        }
        free(bytes);
    }
    tn_scratch_close(&scratch);
}

/* Where the chunk of padding begins: without it a file is whole. */
static size_t padding_of(struct tn_bytes file)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_source        source;
    struct tn_riegeli       records;
    struct tn_riegeli_frame frame = { .end = TN_RIEGELI_SIGNATURE_SIZE };

    tn_source_memory(&source, &memory, file);
    tn_riegeli_open(&records, &source, &memory, &error);
    while (frame.end < file.size && frame.type != TN_RIEGELI_PADDING &&
           !tn_failed(&error))
        tn_riegeli_frame_read(&records, frame.end, &frame, NULL, &error);
    assert_string_equal(error.what, "");
    tn_source_close(&source);
    return frame.type == TN_RIEGELI_PADDING ? (size_t)frame.begin : file.size;
}

static void any_missing_end_is_found(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < TRIALS; i++) {
        struct tn_bytes file    = make_trial(i);
        size_t          padding = padding_of(file);

        for (size_t size = 0; size < file.size; size++) {
            tn_scratch_put(&scratch, "a.cpb", tn_bytes(file.data, size));
            if (findings(&scratch) == 0 && size != padding)
                fail_msg("%s: %d of %d bytes", kinds[i % KINDS], (int)size,
                         (int)file.size);
        }
        free((void *)(uintptr_t)file.data);
    }
    tn_scratch_close(&scratch);
}

/* Each chunk of records ends in a good file of records. */
static void cut_between_chunks(unsigned version)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_bytes   file    = make_file(26, "zstd,chunk_size:200", version);
    struct tn_source  source;
    struct tn_riegeli records;
    struct tn_riegeli_frame frame;
    uint64_t                cuts = 0;

    tn_source_memory(&source, &memory, file);
    tn_riegeli_open(&records, &source, &memory, &error);
    for (uint64_t at = TN_RIEGELI_SIGNATURE_SIZE; at < file.size;
         at          = frame.end, cuts++) {
        tn_riegeli_frame_read(&records, at, &frame, NULL, &error);
        assert_string_equal(error.what, "");
        tn_scratch_put(&scratch, "a.cpb", tn_bytes(file.data, (size_t)at));
        if (findings(&scratch) == 0)
            fail_msg("cut at %d of %d bytes", (int)at, (int)file.size);
    }
    assert_true(cuts > 5);
    tn_source_close(&source);
    free((void *)(uintptr_t)file.data);
    tn_scratch_close(&scratch);
}

static void a_file_cut_between_chunks_is_found(void **state)
{
    (void)state;
    cut_between_chunks(1);
    cut_between_chunks(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_flipped_byte_is_found),
        cmocka_unit_test(any_missing_end_is_found),
        cmocka_unit_test(a_file_cut_between_chunks_is_found),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
