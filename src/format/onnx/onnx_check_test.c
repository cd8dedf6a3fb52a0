/*
 * onnx_check_test.c - what check finds, and at which byte
 *
 * tests/corpus/onnx holds small models with one thing to find each; MANIFEST
 * says which rule, and where the offending message begins.
 */
#define _GNU_SOURCE
#include "format/onnx/onnx_testing.h"

#define CORPUS TN_CORPUS "/onnx/"

/* ---- collecting --------------------------------------------------------- */

struct finding {
    enum tn_finding_level level;
    char                  rule[40];
    uint64_t              offset;
    char                  where[120], what[sizeof((struct tn_error *)0)->what];
};

struct findings {
    struct finding items[64];
    unsigned       count;
};

static int collect(void *context, enum tn_finding_level level, const char *rule,
                   const struct tn_error *finding)
{
    struct findings *all = context;

    assert_true(all->count < 64);
    struct finding *f = &all->items[all->count++];
    f->level          = level;
    f->offset         = finding->offset;
    snprintf(f->rule, sizeof f->rule, "%s", rule);
    snprintf(f->where, sizeof f->where, "%s", finding->where);
    snprintf(f->what, sizeof f->what, "%s", finding->what);
    return 0;
}

static void check_model(struct opened *o, const struct tn_format *format,
                        struct findings *all)
{
    struct tn_report report = { .each = collect, .context = all };

    all->count = 0;
    assert_int_equal(format->check(&o->bundle, &o->model, &report, &o->error),
                     TN_OK);
}

/* ---- the corpus --------------------------------------------------------- */

/* An offset points at the message, at its length or at its tag. */
static bool is_near(uint64_t found, const char *expected)
{
    if (!strcmp(expected, "-"))
        return found == 0 || found == TN_NOWHERE;
    uint64_t wanted = strtoull(expected, NULL, 10);
    /* "missing" things of an external file have no byte of their own */
    return found == TN_NOWHERE || (found <= wanted + 12 && found + 4 >= wanted);
}

static void has_finding(const char *file, const struct findings *all,
                        char *expected, bool *used)
{
    char *offset = strchr(expected, '@');

    assert_non_null(offset);
    *offset++ = '\0';
    for (unsigned i = 0; i < all->count; i++)
        if (!used[i] && !strcmp(all->items[i].rule, expected) &&
            is_near(all->items[i].offset, offset)) {
            used[i] = true;
            return;
        }
    for (unsigned i = 0; i < all->count; i++)
        print_message("%s: %s at %" PRIu64 " in '%s': %s\n", file,
                      all->items[i].rule, all->items[i].offset,
                      all->items[i].where, all->items[i].what);
    fail_msg("%s: no finding %s at %s", file, expected, offset);
}

static void check_file(const char *file, const struct tn_format *format,
                       char *expected)
{
    char            path[600];
    struct opened   o;
    struct findings all;
    bool            used[64] = { false };

    snprintf(path, sizeof path, CORPUS "%s", file);
    o.error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&o.memory, NULL, 0);
    assert_int_equal(tn_bundle_open(&o.bundle, &o.memory, path, NULL, &o.error),
                     TN_OK);
    if (open_bundle(&o, format, true) != TN_OK)
        fail_msg("%s: %s", file, o.error.what);
    check_model(&o, format, &all);
    if (strcmp(expected, "good"))
        for (char *word = strtok(expected, " "); word; word = strtok(NULL, " "))
            has_finding(file, &all, word, used);
    for (unsigned i = 0; i < all.count; i++)
        if (!used[i])
            fail_msg("%s: unexpected %s at %" PRIu64 " in '%s': %s", file,
                     all.items[i].rule, all.items[i].offset, all.items[i].where,
                     all.items[i].what);
    close_model(&o);
}

static void the_corpus_has_what_its_manifest_says(void **state)
{
    FILE    *manifest = fopen(CORPUS "MANIFEST", "r");
    char     line[600], file[200], format[40], expected[300];
    unsigned rows = 0;

    (void)state;
    assert_non_null(manifest);
    while (fgets(line, sizeof line, manifest)) {
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%199[^\t]\t%39[^\t]\t%299[^\n]", file,
                                format, expected),
                         3);
        check_file(file,
                   strcmp(format, "onnx") ? &tn_format_onnx_tensor
                                          : &tn_format_onnx,
                   expected);
        rows++;
    }
    fclose(manifest);
    assert_true(rows > 80);
}

/* ---- training information ----------------------------------------------- */

/* The output that an update takes is in the first piece of the graph. */
static void bindings_see_graphs_in_pieces(void **state)
{
    struct tn_bytes bytes =
        tn_hex("08 08 42 02 10 11 3a 12 12 01 67"
               " 2a 0d 08 01 10 01 42 01 77 4a 04 00 00 00 00"
               " a2 01 2c"
               " 12 1c 12 01 73 0a 11 0a 01 77 12 02 77 32"
               " 22 08 49 64 65 6e 74 69 74 79 62 04 0a 02 77 32"
               " 12 03 12 01 74"
               " 22 07 0a 01 77 12 02 77 32");
    struct opened   o = { .error = TN_ERROR_INIT };
    struct findings all;

    (void)state;
    tn_memory_init(&o.memory, NULL, 0);
    tn_source_memory(&o.bytes, &o.memory, bytes);
    assert_int_equal(
        tn_bundle_from_source(&o.bundle, &o.memory, &o.bytes, "m", &o.error),
        TN_OK);
    assert_int_equal(open_bundle(&o, &tn_format_onnx, true), TN_OK);
    check_model(&o, &tn_format_onnx, &all);
    assert_int_equal(all.count, 1);
    assert_string_equal(all.items[0].rule, "split-message");
    close_model(&o);
    free((void *)(uintptr_t)bytes.data);
}

/* ---- nodes that are alike ------------------------------------------------ */

#define IN     " 0a 01 78"          /* 'x'                                  */
#define OUT(c) " 12 01 " c          /* 'a' is 61                            */
#define RELU   " 22 04 52 65 6c 75" /* 'Relu'                               */
#define OTHER  " 3a 01 71"          /* a domain that is not imported        */
#define LATER  " 42 01 6f"          /* an overload, which came with IR 10   */

/* What is wrong with one of them, or with each. */
static void nodes_that_are_alike_are_judged(void **state)
{
    static const char *const expected[][2] = {
        { "unknown-domain", "graph.node[3]" },
        { "unknown-domain", "graph.node[4]" },
        { "no-ends", "graph.node[5]" },
        { "ir-too-old", "graph.node[6]" },
    };
    struct tn_bytes bytes =
        tn_hex("08 08 42 02 10 11 3a 68 12 01 67"
               " 0a 0c" IN OUT("61") RELU " 0a 0c" IN OUT("62") RELU
               " 0a 0c" IN OUT("63") RELU " 0a 0f" IN OUT("64") RELU OTHER
               " 0a 0f" IN OUT("65") RELU OTHER
               " 0a 06" RELU " 0a 0f" IN OUT("66") LATER RELU);
    struct opened   o = { .error = TN_ERROR_INIT };
    struct findings all;

    (void)state;
    tn_memory_init(&o.memory, NULL, 0);
    tn_source_memory(&o.bytes, &o.memory, bytes);
    assert_int_equal(
        tn_bundle_from_source(&o.bundle, &o.memory, &o.bytes, "m", &o.error),
        TN_OK);
    assert_int_equal(open_bundle(&o, &tn_format_onnx, true), TN_OK);
    assert_int_not_equal(tn_model_op_at(&o.model, 0)->alike, 0);
    assert_int_equal(tn_model_op_at(&o.model, 0)->alike,
                     tn_model_op_at(&o.model, 2)->alike);
    check_model(&o, &tn_format_onnx, &all);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        unsigned k = 0;
        while (k < all.count && (strcmp(all.items[k].rule, expected[i][0]) ||
                                 strcmp(all.items[k].where, expected[i][1])))
            k++;
        if (k == all.count)
            fail_msg("no %s at %s", expected[i][0], expected[i][1]);
    }
    close_model(&o);
    free((void *)(uintptr_t)bytes.data);
}

/* ---- real models -------------------------------------------------------- */

static void real_models_have_no_errors(void **state)
{
    static const char *const names[] = {
        "basic-pitch.onnx",  "bert-qa-small.onnx",
        "dtln-1.onnx",       "conv-qdq-external/model.onnx",
        "face-rfb-320.onnx", "crop-and-resize-loop.onnx",
        "imagenet-qdq.onnx", "magika.onnx",
        "nested-loops.onnx", "ppocr-rec-v4.onnx",
        "scan-rnn.onnx",     "silero-vad.onnx",
    };
    struct opened   o;
    struct findings all;
    char            path[600];

    (void)state;
    for (size_t i = 0; has_shared_data() && i < sizeof names / sizeof names[0];
         i++) {
        snprintf(path, sizeof path, SHARED "%s", names[i]);
        must_open(&o, path);
        check_model(&o, &tn_format_onnx, &all);
        for (unsigned k = 0; k < all.count; k++)
            if (all.items[k].level == TN_LEVEL_ERROR)
                fail_msg("%s: %s at %" PRIu64 " in '%s': %s", names[i],
                         all.items[k].rule, all.items[k].offset,
                         all.items[k].where, all.items[k].what);
            else
                print_message("%s: %s at %" PRIu64 " in '%s': %s\n", names[i],
                              all.items[k].rule, all.items[k].offset,
                              all.items[k].where, all.items[k].what);
        close_model(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corpus_has_what_its_manifest_says),
        cmocka_unit_test(bindings_see_graphs_in_pieces),
        cmocka_unit_test(nodes_that_are_alike_are_judged),
        cmocka_unit_test(real_models_have_no_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
