/* chunked_test.c - chunked files open like the message that they make */
#define _GNU_SOURCE
#include <stdlib.h>

#include "chunk/cpb_testing.h"
#include "engine/chunked.h"
#include "support/little_models.h"

#define GOLDEN TN_SHARED_DATA "/tensorflow/proto_splitter/"

/* ---- a graph in three chunks --------------------------------------------- */

/* A Const [1, 2] without its bytes, and a NoOp that is appended. */
#define BASE                                                                   \
    "0a2c 0a0161 1205436f6e7374 2a0b 0a056474797065 1202 3001"                 \
    "2a13 0a0576616c7565 120a 4208 0801 1204 1202 0802"
#define CONTENT "0000803f 00000040"
#define SLICE   "0a09 0a0162 12044e6f4f70"

/* Three chunks; field_number is where the constant's node lies.  The third is a
 * slice of the graph, or more of the constant. */
static void make_three(struct tn_scratch *scratch, const char *name,
                       uint32_t field_number, uint64_t chunk,
                       enum tn_chunk_type content, bool is_more)
{
    const char *const   contents[] = { BASE, is_more ? "0000803f" : CONTENT,
                                     is_more ? "00000040" : SLICE };
    struct tn_field_tag tags[]     = {
            tn_tag_field(field_number),
            tn_tag_index(0),
            tn_tag_field(5),
            { .kind    = TN_TAG_KEY,
              .key     = TN_KEY_TEXT,
              .size    = 5,
              .at.text = (const uint8_t *)"value" },
            tn_tag_field(8),
            tn_tag_field(4),
    };
    struct tn_chunked_field fields[] = {
        { .tags = { tags, 6 }, .message = { .has_chunk = true, .chunk = 1 } },
        { .tags    = { tags, is_more ? 6 : 0 },
          .message = { .has_chunk = true, .chunk = chunk } },
    };
    struct tn_chunked         message = { true, false, 0, fields, 2 };
    struct tn_riegeli_options options = TN_RIEGELI_OPTIONS_INIT;
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_memory          memory;
    struct tn_arena           arena;
    struct tn_rope            ropes[3];
    struct tn_chunk           chunks[3];
    struct tn_chunk          *rows[3];
    struct tn_buffer          out;

    options.final_padding = 1024;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_buffer_init(&out, &memory, &error);
    for (int i = 0; i < 3; i++) {
        struct tn_bytes bytes = tn_hex(contents[i]);
        tn_rope_init(&ropes[i], &arena, &error);
        tn_rope_bytes(&ropes[i], bytes);
        chunks[i] = (struct tn_chunk){ .type    = i == 1 || (i == 2 && is_more)
                                                      ? content
                                                      : TN_CHUNK_MESSAGE,
                                       .is_rope = true,
                                       .content.rope = &ropes[i] };
        rows[i]   = &chunks[i];
        free((void *)(uintptr_t)bytes.data);
    }
    write_chunks(&out.sink, rows, 3, &message, &options, &arena, &error);
    tn_scratch_put(scratch, name, tn_buffer_bytes(&out));
    for (int i = 0; i < 3; i++)
        tn_rope_done(&ropes[i]);
    tn_buffer_done(&out);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

static void make_typed_graph(struct tn_scratch *scratch, const char *name,
                             uint32_t field_number, uint64_t chunk,
                             enum tn_chunk_type content)
{
    make_three(scratch, name, field_number, chunk, content, false);
}

static void make_graph(struct tn_scratch *scratch, const char *name,
                       uint32_t field_number, uint64_t chunk)
{
    make_typed_graph(scratch, name, field_number, chunk, TN_CHUNK_BYTES);
}

static bool has_fact(const struct tn_model *model, const char *key,
                     const char *value)
{
    for (uint32_t i = 0; i < tn_model_fact_count(model); i++) {
        struct tn_fact fact = tn_model_fact(model, i);
        if (tn_bytes_is(fact.key, key) && tn_bytes_is(fact.value, value))
            return true;
    }
    return false;
}

static void opens_as_what_the_chunks_make(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    float             a[2];

    (void)state;
    make_graph(&scratch, "a.cpb", 1, 2);
    tn_model_open(&model, tn_in_scratch(&scratch, "a.cpb"), NULL, &error);
    assert_string_equal(error.what, "");
    assert_string_equal(tn_model_format(model), "tf-graph");
    tn_tensor_read(tn_model_find(model, "a"), 0, a, sizeof a, &error);
    assert_string_equal(error.what, "");
    assert_true(a[0] == 1 && a[1] == 2);
    assert_true(has_fact(model, "splitter_version", "1"));
    assert_true(has_fact(model, "chunk", "0: (root), 46 bytes"));
    assert_true(has_fact(model, "chunk", "2: (root), 11 bytes"));
    assert_true(
        has_fact(model, "chunk",
                 "1: node[0].attr[\"value\"].tensor.tensor_content, 8 bytes"));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void any_name_will_do_and_any_source(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_options options = { .keep_unmapped = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    (void)state;
    make_graph(&scratch, "a", 1, 2);
    tn_model_open(&model, tn_in_scratch(&scratch, "a"), &options, &error);
    assert_string_equal(error.what, "");
    assert_non_null(tn_model_find(model, "a"));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void lies_are_refused(void **state)
{
    static const struct {
        uint32_t    field;
        uint64_t    chunk;
        const char *from;
        const char *what;
    } rows[] = {
        { 1, 3, NULL, "chunk" }, /* an index past the last */
        { 1, 2, "onnx",
          "the chunks do not form a onnx.ModelProto: their paths do "
          "not match" },
        { 99, 2, "tf-graph",
          "the chunks do not form a tensorflow.GraphDef: their "
          "paths do not match" },
    };
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_options options = { .from = rows[i].from };
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_model  *model;
        make_graph(&scratch, "a.cpb", rows[i].field, rows[i].chunk);
        tn_model_open(&model, tn_in_scratch(&scratch, "a.cpb"), &options,
                      &error);
        assert_int_equal(error.status, TN_MALFORMED);
        assert_non_null(strstr(error.what, rows[i].what));
        assert_null(model);
    }
    tn_scratch_close(&scratch);
}

static void every_allocation_may_fail(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    make_graph(&scratch, "a.cpb", 1, 2);
    for (uint64_t n = 0;; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator = &allocator };
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_model    *model;
        enum tn_status      status = tn_model_open(
                 &model, tn_in_scratch(&scratch, "a.cpb"), &options, &error);
        tn_model_close(model);
        assert_int_equal(budget.blocks, 0);
        if (status == TN_OK)
            break;
        assert_int_equal(status, TN_NO_MEMORY);
    }
    tn_scratch_close(&scratch);
}

/* ---- checking ------------------------------------------------------------ */

static int collect(void *context, const struct tn_finding *finding)
{
    char *rules = context;

    snprintf(rules + strlen(rules), 200 - strlen(rules), "%s ", finding->rule);
    return 0;
}

static void checks_to(const char *path, const char *expected)
{
    struct tn_error error      = TN_ERROR_INIT;
    char            rules[200] = "";

    tn_check(path, NULL, NULL, collect, rules, NULL, &error);
    assert_string_equal(error.what, "");
    assert_string_equal(rules, expected);
}

static void check_names_what_merging_ignores(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    make_graph(&scratch, "a.cpb", 1, 2);
    checks_to(tn_in_scratch(&scratch, "a.cpb"), "");
    tn_write_text(&scratch, "a.pb", "");
    checks_to(tn_in_scratch(&scratch, "a.cpb"), "stale-sibling ");
    make_typed_graph(&scratch, "c.cpb", 1, 2, TN_CHUNK_MESSAGE);
    checks_to(tn_in_scratch(&scratch, "c.cpb"), "chunk-type ");
    make_graph(&scratch, "b.cpb", 1, 0);
    char rules[200] = "";
    tn_check(tn_in_scratch(&scratch, "b.cpb"), NULL, NULL, collect, rules, NULL,
             &(struct tn_error)TN_ERROR_INIT);
    assert_non_null(strstr(rules, "reused-chunk unused-chunk "));
    tn_scratch_close(&scratch);
}

static void bytes_in_several_chunks_are_joined(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    struct tn_error         error   = TN_ERROR_INIT;
    char                    out[300];
    struct tn_target        target = { .path = out };
    struct tn_split_summary summary;
    struct tn_model        *model;
    float                   a[2];

    (void)state;
    make_three(&scratch, "a.cpb", 1, 2, TN_CHUNK_BYTES, true);
    snprintf(out, sizeof out, "%s/joined.pb", scratch.path);
    checks_to(tn_in_scratch(&scratch, "a.cpb"), "joined-bytes ");
    tn_merge_file(tn_in_scratch(&scratch, "a.cpb"), NULL, NULL, &target,
                  &summary, &error);
    assert_string_equal(error.what, "");
    assert_non_null(strstr(summary.warning, "tensor_content"));
    assert_non_null(strstr(summary.warning, "keeps the last"));
    tn_model_open(&model, out, NULL, &error);
    tn_tensor_read(tn_model_find(model, "a"), 0, a, sizeof a, &error);
    assert_string_equal(error.what, "");
    assert_true(a[0] == 1 && a[1] == 2);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void check_reads_what_nobody_needs(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    make_graph(&scratch, "a.cpb", 1, 2);
    struct tn_bytes bytes = tn_load_file(tn_in_scratch(&scratch, "a.cpb"));
    assert_int_equal(bytes.size, 1024);
    ((uint8_t *)(uintptr_t)bytes.data)[1023] = 1;
    tn_scratch_put(&scratch, "a.cpb", bytes);
    checks_to(tn_in_scratch(&scratch, "a.cpb"), "damaged-chunk ");
    free((void *)(uintptr_t)bytes.data);
    tn_scratch_close(&scratch);
}

/* ---- golden files -------------------------------------------------------- */

static bool is_golden_there(void)
{
    if (access(GOLDEN "split-standard.cpb", R_OK) == 0)
        return true;
    printf("skipped: wants real models\n");
    return false;
}

static void golden_files_open(void **state)
{
    static const struct {
        const char *name, *format;
        uint64_t    tensors;
    } rows[] = {
        { "split-large-constant.cpb", "tf-graph", 5 },
        { "split-large-nodes.cpb", "tf-graph", 6 },
        { "split-standard.cpb", "tf-saved-model", 17 },
    };

    (void)state;
    for (size_t i = 0; is_golden_there() && i < 3; i++) {
        char             path[400];
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_model *model;
        snprintf(path, sizeof path, GOLDEN "%s", rows[i].name);
        tn_model_open(&model, path, NULL, &error);
        assert_string_equal(error.what, "");
        assert_string_equal(tn_model_format(model), rows[i].format);
        assert_int_equal(tn_model_tensor_count(model), rows[i].tensors);
        tn_model_close(model);
    }
}

static void same_tensors(const struct tn_model *a, const struct tn_model *b)
{
    uint8_t         left[4096], right[4096];
    struct tn_error error = TN_ERROR_INIT;

    assert_int_equal(tn_model_tensor_count(a), tn_model_tensor_count(b));
    for (uint64_t i = 0; i < tn_model_tensor_count(a); i++) {
        const struct tn_tensor *x = tn_model_tensor(a, i);
        const struct tn_tensor *y = tn_model_tensor(b, i);
        uint64_t                n = tn_tensor_size(x);
        assert_true(tn_bytes_equal(tn_tensor_name(x), tn_tensor_name(y)));
        assert_true(n <= sizeof left && n == tn_tensor_size(y));
        tn_tensor_read(x, 0, left, (size_t)n, &error);
        tn_tensor_read(y, 0, right, (size_t)n, &error);
        assert_string_equal(error.what, "");
        assert_memory_equal(left, right, (size_t)n);
    }
}

/* Its .cpb wins over its .pb, which need not even be one. */
static void folder_opens_by_its_chunked_file(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_options options = { .from = "tf-saved-model" };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *chunked, *plain;

    (void)state;
    if (is_golden_there()) {
        struct tn_bytes file = tn_load_file(GOLDEN "split-standard.cpb");
        tn_scratch_put(&scratch, "saved_model.cpb", file);
        tn_write_text(&scratch, "saved_model.pb", "old");
        tn_model_open(&chunked, scratch.path, NULL, &error);
        tn_model_open(&plain, GOLDEN "split-standard.pb", &options, &error);
        assert_string_equal(error.what, "");
        assert_string_equal(tn_model_format(chunked), "tf-saved-model");
        assert_int_equal(tn_model_file_size(chunked), file.size);
        same_tensors(chunked, plain);
        tn_model_close(chunked);
        tn_model_close(plain);
        free((void *)(uintptr_t)file.data);
    }
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_as_what_the_chunks_make),
        cmocka_unit_test(any_name_will_do_and_any_source),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(check_names_what_merging_ignores),
        cmocka_unit_test(bytes_in_several_chunks_are_joined),
        cmocka_unit_test(check_reads_what_nobody_needs),
        cmocka_unit_test(golden_files_open),
        cmocka_unit_test(folder_opens_by_its_chunked_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
