/*
 * late_merge_test.c - a merge that verifies chunks while it writes them gives
 * the same message, and the same complaints, as one that verifies them before
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include <tenon/verbs.h>

#include "base/varint.h"
#include "support/little_models.h"

#define TYPE "tensorflow.GraphDef"

/* Chunks are long enough to be put off from 256 KiB on. */
#define LIMIT   ((uint64_t)600 << 10)
#define NODES   30000
#define CONTENT ((size_t)700 << 10)

static const char *const codecs[] = { "uncompressed", "zstd:1", "brotli:2",
                                      "snappy", "zstd:1,transpose" };
#define CODECS (sizeof codecs / sizeof *codecs)

/* ---- a graph ------------------------------------------------------------- */

static void put(struct tn_buffer *to, uint32_t number, struct tn_bytes bytes)
{
    tn_buffer_varint(to, tn_tag(number, TN_WIRE_LEN));
    tn_buffer_varint(to, bytes.size);
    tn_buffer_add(to, bytes);
}

static void put_node(struct tn_buffer *to, int number)
{
    struct tn_buffer node;
    char             name[64];

    tn_buffer_init(&node, to->memory, to->error);
    snprintf(name, sizeof name, "layer_%d/a/name/of/usual/length", number);
    put(&node, 1, tn_text(name));
    put(&node, 2, tn_text("NoOp"));
    put(to, 1, tn_buffer_bytes(&node));
    tn_buffer_done(&node);
}

/* A constant whose content is a chunk of its own, in the midst of the node. */
static void put_constant(struct tn_buffer *to)
{
    struct tn_buffer parts[4];
    uint8_t         *noise = malloc(CONTENT);
    uint32_t         seed  = 7;

    for (size_t i = 0; i < CONTENT; i++)
        noise[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    for (int i = 0; i < 4; i++)
        tn_buffer_init(&parts[i], to->memory, to->error);
    tn_buffer_varint(&parts[0], 8), tn_buffer_varint(&parts[0], 4);
    put(&parts[0], 4, tn_bytes(noise, CONTENT)); /* TensorProto              */
    put(&parts[1], 8, tn_buffer_bytes(&parts[0]));
    put(&parts[2], 1, tn_text("value"));
    put(&parts[2], 2, tn_buffer_bytes(&parts[1]));
    put(&parts[3], 1, tn_text("constant"));
    put(&parts[3], 2, tn_text("Const"));
    put(&parts[3], 5, tn_buffer_bytes(&parts[2]));
    put(to, 1, tn_buffer_bytes(&parts[3]));
    for (int i = 0; i < 4; i++)
        tn_buffer_done(&parts[i]);
    free(noise);
}

/* A group that no schema knows, longer than a chunk that is looked at early:
 * whether it is whole fields is not seen in passing. */
static void put_group(struct tn_buffer *to)
{
    static const uint8_t zeros[300 << 10];

    tn_buffer_varint(to, tn_tag(100, TN_WIRE_GROUP_BEGIN));
    put(to, 1, tn_bytes(zeros, sizeof zeros));
    tn_buffer_varint(to, tn_tag(100, TN_WIRE_GROUP_END));
}

static void make_graph(struct tn_scratch *scratch, bool has_group)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer graph;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&graph, &memory, &error);
    for (int i = 0; i < NODES; i++) {
        put_node(&graph, i);
        if (i == NODES / 2)
            put_constant(&graph);
    }
    if (has_group)
        put_group(&graph);
    tn_scratch_put(scratch, "in.pb", tn_buffer_bytes(&graph));
    tn_buffer_done(&graph);
}

static void split_graph(struct tn_scratch *scratch, const char *codec)
{
    struct tn_error         error  = TN_ERROR_INIT;
    struct tn_split_options split  = { .max_size = LIMIT, .records = codec };
    struct tn_options       from   = { .from = "tf-graph" };
    char                   *path   = tn_scratch_path(scratch, "m");
    struct tn_target        target = { .path = path, .can_replace = true };

    tn_split(tn_in_scratch(scratch, "in.pb"), &from, &split, &target, NULL,
             &error);
    assert_string_equal(error.what, "");
    free(path);
}

/* With a type all of it is verified before anything is written. */
static struct tn_error merge_graph(struct tn_scratch *scratch, const char *type,
                                   const char *out, unsigned workers)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_split_options merge = { .type = type };
    struct tn_options options     = { .from = "tf-graph", .workers = workers };
    char             *path        = tn_scratch_path(scratch, out);
    struct tn_target  target      = { .path = path, .can_replace = true };

    tn_merge_file(tn_in_scratch(scratch, "m.cpb"), &options, &merge, &target,
                  NULL, &error);
    free(path);
    return error;
}

static struct tn_bytes load(struct tn_scratch *scratch, const char *name)
{
    char           *path  = tn_scratch_path(scratch, name);
    struct tn_bytes bytes = tn_load_file(path);

    free(path);
    return bytes;
}

static void expect_same(struct tn_scratch *scratch, const char *name,
                        const char *other)
{
    struct tn_bytes a = load(scratch, name), b = load(scratch, other);

    assert_true(a.size > 0);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    free((void *)(uintptr_t)a.data);
    free((void *)(uintptr_t)b.data);
}

/* ---- claims -------------------------------------------------------------- */

static void test_same_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * CODECS; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        make_graph(&scratch, i >= CODECS);
        split_graph(&scratch, codecs[i % CODECS]);
        assert_string_equal(merge_graph(&scratch, TYPE, "slow.pb", 1).what, "");
        for (unsigned workers = 1; workers <= 3; workers++) {
            struct tn_error error =
                merge_graph(&scratch, NULL, "late.pb", workers);
            assert_string_equal(error.what, "");
            expect_same(&scratch, "slow.pb", "late.pb");
        }
        tn_scratch_close(&scratch);
    }
}

/* Any byte: in packed data, in headers, in blocks; nothing is left behind. */
static void test_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < CODECS; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        make_graph(&scratch, false);
        split_graph(&scratch, codecs[i]);
        struct tn_bytes good = load(&scratch, "m.cpb");
        uint8_t        *bad  = malloc(good.size);
        for (size_t at = 70; at < good.size; at += good.size / 7) {
            memcpy(bad, good.data, good.size);
            bad[at] ^= 0x10;
            tn_scratch_put(&scratch, "m.cpb", tn_bytes(bad, good.size));
            struct tn_error slow = merge_graph(&scratch, TYPE, "slow.pb", 1);
            struct tn_error late = merge_graph(&scratch, NULL, "late.pb", 2);
            assert_int_not_equal(late.status, TN_OK);
            assert_int_equal(late.status, slow.status);
            assert_string_equal(late.what, slow.what);
            assert_int_equal(late.offset, slow.offset);
            assert_int_equal(faccessat(scratch.folder, "late.pb", F_OK, 0), -1);
        }
        free(bad);
        free((void *)(uintptr_t)good.data);
        tn_scratch_close(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_message),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
