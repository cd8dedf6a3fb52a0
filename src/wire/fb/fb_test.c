/*
 * fb_test.c - building, verifying and reading FlatBuffers
 *
 * The little buffers are arrays and graphs of the schemas that the library
 * carries; flatc's opinion on what is built here is in tests/judges.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "io/file_source.h"
#include "support/hostile.h"
#include "wire/fb/fb_build.h"
#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_schema.h"
#include "wire/fb/fb_verify.h"

/* Slots of sd.graph.FlatArray and FlatGraph. */
enum { ARRAY_SHAPE, ARRAY_BUFFER, ARRAY_DTYPE, ARRAY_ORDER };
enum { ARRAY_TOTAL = 5, ARRAY_FILES = 6, ARRAY_IS_EXTERNAL = 7 };
enum { GRAPH_ID, GRAPH_VARIABLES, GRAPH_NODES };
enum { VARIABLE_ID, VARIABLE_NAME };

static struct tn_memory    memory;
static struct tn_arena     arena;
static struct tn_fb_schema arrays, classic;

static int load_schemas(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_fb_schema_load_builtin(&arrays, &arena, TN_FB_SAMEDIFF_ARRAY, &error);
    tn_fb_schema_load_builtin(&classic, &arena, TN_FB_SAMEDIFF_CLASSIC, &error);
    assert_string_equal(error.what, "");
    return 0;
}

/* Those that are built in are loaded without it elsewhere. */
static void builtin_schemas_verify(void **state)
{
    (void)state;
    for (int i = 0; i < TN_FB_BUILTIN_COUNT; i++) {
        struct tn_error     error  = TN_ERROR_INIT;
        struct tn_fb_schema schema = { 0 };
        tn_fb_schema_load(
            &schema, &arena,
            tn_fb_builtin_schema((enum tn_fb_builtin)i, &arena, &error),
            &error);
        assert_string_equal(error.what, "");
        assert_non_null(schema.root);
    }
}

static int drop_schemas(void **state)
{
    (void)state;
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
    return 0;
}

/* ---- an array, the long way ------------------------------------------- */

static const int64_t shape[]   = { 1, 3, 1, 8192, 1, 99 };
static const uint8_t weights[] = { 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64 };

static uint32_t put_array(struct tn_fb_builder *b, struct tn_span data)
{
    uint32_t files[] = { tn_fb_put_string(b, tn_text("0.bin")),
                         tn_fb_put_string(b, tn_text("")) };
    uint32_t names   = tn_fb_put_refs(b, files, 2);
    uint32_t dims    = tn_fb_put_i64s(b, shape, 6);
    uint32_t bytes   = tn_fb_put_span(b, data, 1, 64);

    tn_fb_begin(b);
    tn_fb_add_ref(b, ARRAY_SHAPE, dims);
    tn_fb_add_ref(b, ARRAY_BUFFER, bytes);
    tn_fb_add_i8(b, ARRAY_DTYPE, 5, 0);
    tn_fb_add_i8(b, ARRAY_ORDER, 0, 0);
    tn_fb_add_i64(b, ARRAY_TOTAL, 12, 0);
    tn_fb_add_ref(b, ARRAY_FILES, names);
    tn_fb_add_bool(b, ARRAY_IS_EXTERNAL, true, false);
    return tn_fb_end(b);
}

/* The whole buffer in `out`. */
static enum tn_status build_array(struct tn_buffer *out,
                                  struct tn_memory *budget,
                                  struct tn_error  *error)
{
    struct tn_fb_builder b;
    struct tn_source     source;
    struct tn_arena      scratch;
    struct tn_rope       rope;

    tn_source_memory(&source, budget, tn_bytes(weights, sizeof weights));
    tn_arena_init(&scratch, budget);
    tn_rope_init(&rope, &scratch, error);
    tn_fb_build_init(&b, &scratch, error);
    uint32_t root =
        put_array(&b, (struct tn_span){ &source, 0, sizeof weights });
    if (tn_fb_finish(&b, root, "SDAR", &rope) == TN_OK)
        tn_rope_write(&rope, &out->sink, error);
    tn_fb_build_done(&b);
    tn_rope_done(&rope);
    tn_arena_done(&scratch);
    tn_source_close(&source);
    return error->status;
}

static void check_array(struct tn_fb *fb)
{
    struct tn_fb_table  root  = tn_fb_root(fb);
    struct tn_fb_vector dims  = tn_fb_vector(&root, ARRAY_SHAPE, 8);
    struct tn_fb_vector data  = tn_fb_vector(&root, ARRAY_BUFFER, 1);
    struct tn_fb_vector files = tn_fb_vector(&root, ARRAY_FILES, 4);
    struct tn_span      span  = tn_fb_vector_span(&data);

    assert_true(tn_fb_has_identifier(fb, "SDAR"));
    assert_int_equal(dims.count, 6);
    assert_int_equal(tn_fb_vector_i64(&dims, 3), 8192);
    assert_int_equal(tn_fb_vector_i64(&dims, 6), 0);
    assert_int_equal(tn_fb_i8(&root, ARRAY_DTYPE, 0), 5);
    assert_false(tn_fb_has(&root, ARRAY_ORDER));
    assert_int_equal(tn_fb_i8(&root, ARRAY_ORDER, 7), 7);
    assert_int_equal(tn_fb_i64(&root, ARRAY_TOTAL, 0), 12);
    assert_true(tn_fb_bool(&root, ARRAY_IS_EXTERNAL, false));
    assert_int_equal(files.count, 2);
    assert_true(tn_bytes_is(tn_fb_vector_string(&files, 0), "0.bin"));
    assert_non_null(tn_fb_vector_string(&files, 1).data);
    assert_null(tn_fb_vector_string(&files, 2).data);
    assert_int_equal(span.length, sizeof weights);
    assert_int_equal(data.at % 64, 0);
    assert_int_equal(tn_fb_vector_u8(&data, 2), 128);
}

static enum tn_status verify_as(struct tn_bytes bytes, struct tn_memory *budget,
                                const struct tn_fb_object         *type,
                                const struct tn_fb_verify_options *how,
                                struct tn_error                   *error)
{
    struct tn_arena  scratch;
    struct tn_source source;
    struct tn_fb     fb;

    tn_arena_init(&scratch, budget);
    tn_source_memory(&source, budget, bytes);
    if (tn_fb_open(&fb, (struct tn_span){ &source, 0, bytes.size }, &scratch,
                   error) == TN_OK)
        tn_fb_verify(&fb, type, how, NULL, budget);
    tn_source_close(&source);
    tn_arena_done(&scratch);
    return error->status;
}

static void builds_what_it_reads(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer out, again;
    struct tn_source source;
    struct tn_fb     fb;

    (void)state;
    tn_buffer_init(&out, &memory, &error);
    tn_buffer_init(&again, &memory, &error);
    assert_int_equal(build_array(&out, &memory, &error), TN_OK);
    assert_int_equal(build_array(&again, &memory, &error), TN_OK);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&out), tn_buffer_bytes(&again)));
    assert_int_equal(out.size % 64, 0);
    assert_int_equal(
        verify_as(tn_buffer_bytes(&out), &memory, arrays.root, NULL, &error),
        TN_OK);
    tn_source_memory(&source, &memory, tn_buffer_bytes(&out));
    tn_fb_open(&fb, (struct tn_span){ &source, 0, out.size }, &arena, &error);
    check_array(&fb);
    assert_int_equal(error.status, TN_OK);
    tn_source_close(&source);
    tn_buffer_done(&again);
    tn_buffer_done(&out);
}

/* The same from a source that must be read. */
static enum tn_status read_slowly(struct tn_source *source, uint64_t offset,
                                  void *to, size_t size, struct tn_error *error)
{
    (void)error;
    memcpy(to, (const uint8_t *)source->name + offset, size);
    return TN_OK;
}

static void reads_what_is_not_mapped(void **state)
{
    static const struct tn_source_ops slow  = { read_slowly, NULL };
    struct tn_error                   error = TN_ERROR_INIT;
    struct tn_buffer                  out;
    struct tn_source                  source;
    struct tn_fb                      fb;

    (void)state;
    tn_buffer_init(&out, &memory, &error);
    tn_buffer_text(&out, "before"); /* it need not be at the beginning */
    assert_int_equal(build_array(&out, &memory, &error), TN_OK);
    tn_source_memory(&source, &memory, tn_buffer_bytes(&out));
    source.map  = NULL;
    source.ops  = &slow;
    source.name = (const char *)out.data;
    tn_fb_open(&fb, (struct tn_span){ &source, 6, out.size - 6 }, &arena,
               &error);
    assert_int_equal(tn_fb_verify(&fb, arrays.root, NULL, NULL, &memory),
                     TN_OK);
    check_array(&fb);
    source.map = NULL;
    tn_arena_done(&source.pins);
    tn_buffer_done(&out);
}

/* The head is believed, the mapping below it is not looked at. */
static void prefers_a_head(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer out;
    struct tn_source source;
    struct tn_fb     fb;
    uint8_t          head[64];

    (void)state;
    tn_buffer_init(&out, &memory, &error);
    assert_int_equal(build_array(&out, &memory, &error), TN_OK);
    assert_true(out.size > sizeof head);
    memcpy(head, out.data, sizeof head);
    memset(out.data, 0xff, sizeof head);
    tn_source_memory(&source, &memory, tn_buffer_bytes(&out));
    tn_fb_open(&fb, (struct tn_span){ &source, 0, out.size }, &arena, &error);
    tn_fb_prefer(&fb, tn_bytes(head, sizeof head));
    assert_int_equal(tn_fb_verify(&fb, arrays.root, NULL, NULL, &memory),
                     TN_OK);
    check_array(&fb);
    tn_source_close(&source);
    tn_buffer_done(&out);
}

/* ---- hostility -------------------------------------------------------- */

static enum tn_status verify_array(struct tn_bytes   input,
                                   struct tn_memory *budget,
                                   struct tn_error  *error)
{
    return verify_as(input, budget, arrays.root, NULL, error);
}

static enum tn_status build_in_budget(struct tn_bytes   input,
                                      struct tn_memory *budget,
                                      struct tn_error  *error)
{
    struct tn_buffer out;

    (void)input;
    tn_buffer_init(&out, budget, error);
    build_array(&out, budget, error);
    tn_buffer_done(&out);
    return error->status;
}

/* What comes last is a string, so that a prefix lacks something. */
static bool is_padding_cut(struct tn_bytes prefix)
{
    struct tn_error error = TN_ERROR_INIT;

    return verify_array(prefix, &memory, &error) == TN_OK &&
           prefix.size % 64 > 57;
}

static void survives_hostility(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer out;

    (void)state;
    tn_buffer_init(&out, &memory, &error);
    build_array(&out, &memory, &error);
    struct tn_bytes good = tn_buffer_bytes(&out);
    tn_refuses_every_prefix(verify_array, good, is_padding_cut);
    tn_survives_every_flip(verify_array, good);
    tn_survives_no_memory(build_in_budget, good);
    tn_buffer_done(&out);
}

/* Little buffers by hand, as FlatArray. */
#define ROOT_8    "08 00 00 00 41 42 43 44 " /* at 0; the table is at 8       */
#define NO_FIELDS "f8 ff ff ff 00 00 00 00 04 00 04 00" /* vtable at 16 */
static const struct {
    const char    *name, *bytes;
    enum tn_status status;
    uint64_t       offset;
    const char    *where;
} cases[] = {
    { "an empty table", ROOT_8 NO_FIELDS, TN_OK, 0, "" },
    { "seven bytes", "08 00 00 00 00 00 00", TN_TRUNCATED, 0, "" },
    { "root at 0", "00 00 00 00 00 00 00 00", TN_MALFORMED, 0, "" },
    { "root past the end", "40 00 00 00 00 00 00 00", TN_TRUNCATED, 0, "" },
    { "root at 6", "06 00 00 00 00 00 00 00 00 00 00 00", TN_MALFORMED, 0, "" },
    { "root of 2 GiB", "00 00 00 80 00 00 00 00", TN_MALFORMED, 0, "" },
    { "vtable before the file", ROOT_8 "10 00 00 00", TN_MALFORMED, 8, "" },
    { "vtable past the file", ROOT_8 "f0 ff ff ff", TN_MALFORMED, 8, "" },
    { "vtable at an odd byte", ROOT_8 "07 00 00 00", TN_MALFORMED, 8, "" },
    { "vtable of 2 bytes", ROOT_8 "fc ff ff ff 02 00 04 00", TN_MALFORMED, 12,
      "" },
    { "vtable of 5 bytes", ROOT_8 "fc ff ff ff 05 00 04 00 00 00", TN_MALFORMED,
      12, "" },
    { "vtable cut short", ROOT_8 "fc ff ff ff 08 00 04 00", TN_MALFORMED, 12,
      "" },
    { "table of 3 bytes", ROOT_8 "fc ff ff ff 04 00 03 00", TN_MALFORMED, 14,
      "" },
    { "table past the end", ROOT_8 "fc ff ff ff 04 00 09 00", TN_MALFORMED, 14,
      "" },
    { "field over the vtable's place",
      ROOT_8 "f8 ff ff ff 00 00 00 00 06 00 08 00 03 00", TN_MALFORMED, 20,
      "shape" },
    { "field past the table",
      ROOT_8 "f8 ff ff ff 00 00 00 00 06 00 08 00 05 00", TN_MALFORMED, 20,
      "shape" },
    { "field between words",
      ROOT_8 "f4 ff ff ff 00 00 00 00 00 00 00 00 06 00 0c 00 06 00",
      TN_MALFORMED, 14, "shape" },
    { "reference to itself", ROOT_8 "f8 ff ff ff 00 00 00 00 06 00 08 00 04 00",
      TN_MALFORMED, 12, "shape" },
    { "vector past the end",
      ROOT_8 "f8 ff ff ff 0c 00 00 00 06 00 08 00 04 00 00 00 01 00 00 00",
      TN_TRUNCATED, 24, "shape" },
    { "endless vector",
      ROOT_8 "f8 ff ff ff 0c 00 00 00 06 00 08 00 04 00 00 00 ff ff ff ff",
      TN_TRUNCATED, 24, "shape" },
    { "i64, aligned",
      ROOT_8 "f8 ff ff ff 10 00 00 00 06 00 08 00 04 00 00 00 00 00 00 00"
             "01 00 00 00 00 00 00 00 00 00 00 00",
      TN_OK, 0, "" },
    { "i64, not aligned",
      ROOT_8 "f8 ff ff ff 0c 00 00 00 06 00 08 00 04 00 00 00 01 00 00 00"
             "00 00 00 00 00 00 00 00 00 00 00 00",
      TN_MALFORMED, 24, "shape" },
    { "no i64, not aligned",
      ROOT_8 "f8 ff ff ff 0c 00 00 00 06 00 08 00 04 00 00 00 00 00 00 00",
      TN_OK, 0, "" },
    { "string in a vector, not ended",
      ROOT_8 "f8 ff ff ff 18 00 00 00 12 00 08 00 00 00 00 00 00 00 00 00"
             "00 00 00 00 04 00 00 00 01 00 00 00 04 00 00 00 01 00 00 00"
             "61 62 00 00",
      TN_MALFORMED, 49, "externalDataFilename[0]" },
};

static void points_at_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_bytes   bytes = tn_hex(cases[i].bytes);
        struct tn_guarded end   = tn_guard(bytes);
        verify_as(end.bytes, &memory, arrays.root, NULL, &error);
        if (error.status != cases[i].status ||
            (error.status && error.offset != cases[i].offset) ||
            strcmp(error.where, cases[i].where) != 0)
            fail_msg("%s: status %d at %d in '%s': %s", cases[i].name,
                     error.status, (int)error.offset, error.where, error.what);
        tn_unguard(&end);
        free((void *)bytes.data);
    }
}

static void finish(struct tn_fb_builder *b, uint32_t root,
                   struct tn_buffer *out)
{
    struct tn_rope rope;

    tn_rope_init(&rope, b->arena, b->error);
    tn_fb_finish(b, root, NULL, &rope);
    tn_rope_write(&rope, &out->sink, b->error);
    tn_rope_done(&rope);
    tn_fb_build_done(b);
}

/* ---- many tables ------------------------------------------------------ */

/* Variables with a name; every third has an id, and the last ones have what
 * none before had, so that a vtable is written late. */
struct variables {
    uint32_t         count;
    _Atomic uint32_t made;
    bool             is_fickle; /* the second time they are something else */
    bool             is_solo;
    bool             is_long; /* one is longer than a thread makes by itself */
    bool             is_wide; /* one wants more than an even place           */
};

static const uint8_t much[300000];

static uint32_t make_variable(struct tn_fb_builder *b, void *context,
                              uint32_t index)
{
    struct variables *v = context;
    char              text[64];

    v->made++;
    snprintf(text, sizeof text, "a name of the variable %u%s", index,
             v->is_fickle && b->is_again ? ", another" : "");
    uint32_t name = tn_fb_put_string(b, tn_text(text)), id = 0;
    if (index == 50000 && v->is_long)
        tn_fb_put_vector(b, tn_bytes(much, sizeof much), 1, 1);
    if (index == 40000 && v->is_wide)
        tn_fb_put_vector(b, tn_bytes(much, 8), 8, 4096);
    if (index % 3 == 0) {
        tn_fb_begin(b);
        tn_fb_add_i32(b, 0, (int32_t)index, -1);
        id = tn_fb_end(b);
    }
    tn_fb_begin(b);
    tn_fb_add_ref(b, VARIABLE_ID, id);
    tn_fb_add_ref(b, VARIABLE_NAME, name);
    if (index + 10 > v->count)
        tn_fb_add_i8(b, VARIABLE_NAME + 1, 5, 0);
    return tn_fb_end(b);
}

/* At once, or one by one as they always could be; gives the status. */
static enum tn_status build_variables(struct variables *v, bool at_once,
                                      struct tn_buffer *out, uint64_t *held)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     budget;
    struct tn_arena      scratch;
    struct tn_fb_builder b;

    tn_memory_init(&budget, NULL, 0);
    tn_arena_init(&scratch, &budget);
    tn_fb_build_init(&b, &scratch, &error);
    uint32_t *refs = tn_new(&scratch, uint32_t, at_once ? 0 : v->count, &error);
    for (uint32_t i = 0; !at_once && i < v->count; i++)
        refs[i] = make_variable(&b, v, i);
    uint32_t all =
        at_once ? tn_fb_put_tables(&b, v->count, make_variable, v, &v->is_solo)
                : tn_fb_put_refs(&b, refs, v->count);
    tn_fb_begin(&b);
    tn_fb_add_ref(&b, GRAPH_VARIABLES, all);
    *held = budget.used;
    finish(&b, tn_fb_end(&b), out);
    tn_arena_done(&scratch);
    assert_int_equal(budget.used, 0);
    return error.status;
}

static void many_tables_are_not_kept(void **state)
{
    static const uint32_t counts[] = { 0, 1, 1000, 60000 };
    uint64_t              held;

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct variables v     = { .count = counts[i], .is_solo = true };
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_buffer kept, made;
        tn_buffer_init(&kept, &memory, &error);
        tn_buffer_init(&made, &memory, &error);
        assert_int_equal(build_variables(&v, false, &kept, &held), TN_OK);
        v.made = 0;
        assert_int_equal(build_variables(&v, true, &made, &held), TN_OK);
        assert_int_equal(v.made, 2 * v.count);
        assert_true(held < UINT64_C(4) * v.count + (32u << 10));
        assert_true(
            tn_bytes_equal(tn_buffer_bytes(&kept), tn_buffer_bytes(&made)));
        verify_as(tn_buffer_bytes(&made), &memory, classic.root, NULL, &error);
        assert_string_equal(error.what, "");
        tn_buffer_done(&kept);
        tn_buffer_done(&made);
    }
}

/* Whether the names are there, in order. */
static void expect_names(struct tn_bytes buffer, uint32_t count)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_source source;
    struct tn_fb     fb;
    char             text[64];

    tn_source_memory(&source, &memory, buffer);
    tn_fb_view(&fb, &source, &error);
    struct tn_fb_table  root = tn_fb_root(&fb);
    struct tn_fb_vector all  = tn_fb_vector(&root, GRAPH_VARIABLES, 4);
    assert_int_equal(all.count, count);
    for (uint32_t i = 0; i < count; i++) {
        struct tn_fb_table one = tn_fb_vector_table(&all, i);
        snprintf(text, sizeof text, "a name of the variable %u", i);
        assert_true(tn_bytes_is(tn_fb_string(&one, VARIABLE_NAME), text));
    }
    tn_source_close(&source);
}

/* The same bytes each time, though threads make them as they come. */
static void many_tables_are_made_by_threads(void **state)
{
    uint64_t held;

    (void)state;
    for (int i = 0; i < 8; i++) {
        struct variables v     = { .count   = 60000,
                                   .is_long = i & 1,
                                   .is_wide = i & 2 };
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_buffer made[2];
        for (int k = 0; k < 2; k++) {
            tn_buffer_init(&made[k], &memory, &error);
            assert_int_equal(build_variables(&v, true, &made[k], &held), TN_OK);
            assert_true(held < UINT64_C(4) * v.count + (32u << 10));
        }
        assert_true(tn_bytes_equal(tn_buffer_bytes(&made[0]),
                                   tn_buffer_bytes(&made[1])));
        verify_as(tn_buffer_bytes(&made[0]), &memory, classic.root, NULL,
                  &error);
        assert_string_equal(error.what, "");
        expect_names(tn_buffer_bytes(&made[0]), v.count);
        tn_buffer_done(&made[0]);
        tn_buffer_done(&made[1]);
    }
}

static void tables_that_change_are_refused(void **state)
{
    static const uint32_t counts[] = { 100, 60000 }; /* on threads, the many */

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct variables v     = { .count = counts[i], .is_fickle = true };
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_buffer out;
        uint64_t         held;
        tn_buffer_init(&out, &memory, &error);
        assert_int_equal(build_variables(&v, true, &out, &held), TN_INVALID);
        assert_true(out.size < 1000 + 4 * (uint64_t)v.count);
        tn_buffer_done(&out);
    }
}

/* ---- sharing, and how deep --------------------------------------------- */

/* Sub-graphs that each hold the next one 300 times: 300^7 paths. */
static void walks_what_is_shared_once(void **state)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_fb_schema  graphs;
    struct tn_fb_builder b;
    struct tn_buffer     out;
    uint32_t             refs[300];

    (void)state;
    tn_fb_schema_load_builtin(&graphs, &arena, TN_FB_SAMEDIFF_GRAPH, &error);
    tn_buffer_init(&out, &memory, &error);
    tn_fb_build_init(&b, &arena, &error);
    uint32_t graph = 0;
    for (int level = 0; level < 8; level++) {
        tn_fb_begin(&b);
        tn_fb_add_ref(&b, 1, graph); /* SubGraph.graph */
        uint32_t sub = tn_fb_end(&b);
        for (int i = 0; i < 300; i++)
            refs[i] = sub;
        uint32_t subs = tn_fb_put_refs(&b, refs, 300);
        tn_fb_begin(&b);
        tn_fb_add_ref(&b, 7, subs); /* Graph.subgraphs */
        graph = tn_fb_end(&b);
    }
    finish(&b, graph, &out);
    verify_as(tn_buffer_bytes(&out), &memory, graphs.root, NULL, &error);
    assert_string_equal(error.what, "");
    tn_buffer_done(&out);
}

static void limits_the_depth(void **state)
{
    struct tn_fb_schema graphs;
    struct tn_error     error = TN_ERROR_INIT;

    (void)state;
    tn_fb_schema_load_builtin(&graphs, &arena, TN_FB_SAMEDIFF_GRAPH, &error);
    for (int levels = 32; levels <= 33; levels++) { /* two tables each */
        struct tn_fb_builder b;
        struct tn_buffer     out;
        tn_buffer_init(&out, &memory, &error);
        tn_fb_build_init(&b, &arena, &error);
        uint32_t graph = 0;
        for (int i = 0; i < levels; i++) {
            tn_fb_begin(&b);
            tn_fb_add_ref(&b, 1, graph);
            uint32_t sub  = tn_fb_end(&b);
            uint32_t subs = tn_fb_put_refs(&b, &sub, 1);
            tn_fb_begin(&b);
            tn_fb_add_ref(&b, 7, subs);
            graph = tn_fb_end(&b);
        }
        finish(&b, graph, &out);
        verify_as(tn_buffer_bytes(&out), &memory, graphs.root, NULL, &error);
        assert_int_equal(error.status, levels == 32 ? TN_OK : TN_LIMIT);
        assert_true(levels == 32 || !strncmp(error.where, "subgraphs[0].", 13));
        tn_buffer_done(&out);
    }
}

static void put32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* A thousand tables of 60000 bytes, each four bytes behind the one before. */
static void refuses_what_overlaps(void **state)
{
    static const uint8_t head[] = {
        20, 0, 0, 0, 4, 0, 0x60, 0xea, /* root at 20; a vtable at 4  */
        8,  0, 8, 0, 0, 0, 4,    0,    0, 0, 0, 0, /* the root's at 8      */
        12, 0, 0, 0, 4, 0, 0,    0, /* the root: variables are at 28    */
    };
    static uint8_t  bytes[70000];
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    memcpy(bytes, head, sizeof head);
    put32(bytes + 28, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t from = 32 + 4 * i, to = 5000 + 4 * i;
        put32(bytes + from, to - from);
        put32(bytes + to, to - 4);
    }
    verify_as(tn_bytes(bytes, sizeof bytes), &memory, classic.root, NULL,
              &error);
    assert_int_equal(error.status, TN_MALFORMED);
    assert_non_null(strstr(error.what, "overlap"));
    put32(bytes + 28, 9); /* as many as may overlap */
    error = (struct tn_error)TN_ERROR_INIT;
    verify_as(tn_bytes(bytes, sizeof bytes), &memory, classic.root, NULL,
              &error);
    assert_string_equal(error.what, "");
}

/* ---- nulls at the end ------------------------------------------------- */

static void takes_the_end_for_null_when_asked(void **state)
{
    /* FlatProperties.a (slot 4) is a vector of one, which is the end. */
    static const char hex[] =
        ROOT_8 "f8 ff ff ff 14 00 00 00 0e 00 08 00 00 00 00 00 00 00 00 00 "
               "04 00 00 00 01 00 00 00 04 00 00 00";
    const struct tn_fb_object *type =
        tn_fb_schema_find(&classic, "FlatProperties");
    struct tn_fb_verify_options how   = { .allow_end_as_null = true };
    struct tn_error             error = TN_ERROR_INIT;
    struct tn_bytes             bytes = tn_hex(hex);

    (void)state;
    assert_int_equal(verify_as(bytes, &memory, type, NULL, &error),
                     TN_TRUNCATED);
    assert_string_equal(error.where, "a[0]");
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(verify_as(bytes, &memory, type, &how, &error), TN_OK);
    free((void *)bytes.data);
}

/* ---- as large as it goes ---------------------------------------------- */

static enum tn_status produce_zeros(const struct tn_producer *producer,
                                    struct tn_sink *to, struct tn_error *error)
{
    return tn_sink_zeros(to, producer->length, error);
}

/* A sink over a file that leaves holes. */
struct hole_sink {
    struct tn_sink sink;
    int            file;
};

static enum tn_status hole_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    int file = ((struct hole_sink *)sink)->file;

    (void)error;
    assert_int_equal(pwrite(file, bytes.data, bytes.size, (off_t)sink->offset),
                     bytes.size);
    return TN_OK;
}

static enum tn_status hole_zeros(struct tn_sink *sink, uint64_t count,
                                 struct tn_error *error)
{
    (void)sink, (void)count, (void)error;
    return TN_OK;
}

static const struct tn_sink_ops hole_ops = { .write = hole_write,
                                             .zeros = hole_zeros };

/* An array with a payload of zeros, in an unnamed file. */
static int make_large(const struct tn_producer *payload,
                      struct tn_memory *budget, struct tn_error *error)
{
    struct hole_sink     to = { { &hole_ops, 0 }, -1 };
    struct tn_fb_builder b;
    struct tn_arena      scratch;
    struct tn_rope       rope;
    const char          *folder;

    assert_int_equal(tn_unnamed_file(&to.file, &folder, error), TN_OK);
    tn_arena_init(&scratch, budget);
    tn_rope_init(&rope, &scratch, error);
    tn_fb_build_init(&b, &scratch, error);
    uint32_t data = tn_fb_put_producer(&b, payload, 1, 64);
    uint32_t dims = tn_fb_put_i64s(&b, shape, 6);
    tn_fb_begin(&b);
    tn_fb_add_ref(&b, ARRAY_SHAPE, dims);
    tn_fb_add_ref(&b, ARRAY_BUFFER, data);
    if (tn_fb_finish(&b, tn_fb_end(&b), "SDAR", &rope) == TN_OK &&
        tn_rope_write(&rope, &to.sink, error) == TN_OK)
        assert_int_equal(ftruncate(to.file, (off_t)rope.length), 0);
    tn_fb_build_done(&b);
    tn_rope_done(&rope);
    tn_arena_done(&scratch);
    return to.file;
}

static void two_gigabytes_cost_little(void **state)
{
    struct tn_producer payload = { produce_zeros, 0x7fffff00 };

    (void)state;
    for (int is_mapped = 0; is_mapped < 2; is_mapped++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  budget;
        struct tn_arena   scratch;
        struct tn_source *source;
        struct tn_fb      fb;
        tn_memory_init(&budget, NULL, 1 << 20);
        tn_arena_init(&scratch, &budget);
        int file = make_large(&payload, &budget, &error);
        assert_string_equal(error.what, "");
        tn_source_file(&source, &budget, file, "large", is_mapped, &error);
        tn_fb_open(&fb, (struct tn_span){ source, 0, source->size }, &scratch,
                   &error);
        tn_fb_verify(&fb, arrays.root, NULL, NULL, &budget);
        assert_string_equal(error.what, "");
        struct tn_fb_table  root = tn_fb_root(&fb);
        struct tn_fb_vector data = tn_fb_vector(&root, ARRAY_BUFFER, 1);
        assert_int_equal(data.count, 0x7fffff00);
        assert_int_equal(data.at % 64, 0);
        tn_source_close(source);
        tn_arena_done(&scratch);
    }
}

static void more_is_refused(void **state)
{
    struct tn_producer payload = { produce_zeros, UINT64_C(1) << 31 };
    struct tn_error    error   = TN_ERROR_INIT;

    (void)state;
    close(make_large(&payload, &memory, &error));
    assert_int_equal(error.status, TN_LIMIT);
}

/* ---- the n-th read fails ------------------------------------------------- */

struct failing {
    struct tn_bytes bytes;
    int             left; /* reads that succeed */
};

static int read_or_fail(void *context, uint64_t offset, void *to, size_t size)
{
    struct failing *from = context;

    if (from->left-- == 0)
        return EIO;
    memcpy(to, from->bytes.data + offset, size);
    return 0;
}

/* Two pages apart, so that there is more than one read. */
static void survives_failing_reads(void **state)
{
    static uint8_t   filler[200000];
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer out;
    int              reads = 0;

    (void)state;
    tn_buffer_init(&out, &memory, &error);
    struct tn_fb_builder b;
    tn_fb_build_init(&b, &arena, &error);
    uint32_t files = tn_fb_put_string(&b, tn_text("last"));
    uint32_t names = tn_fb_put_refs(&b, &files, 1);
    uint32_t data = tn_fb_put_vector(&b, tn_bytes(filler, sizeof filler), 1, 1);
    tn_fb_begin(&b);
    tn_fb_add_ref(&b, ARRAY_BUFFER, data);
    tn_fb_add_ref(&b, ARRAY_FILES, names);
    finish(&b, tn_fb_end(&b), &out);
    for (;; reads++) {
        struct failing    from = { tn_buffer_bytes(&out), reads };
        struct tn_source *source;
        struct tn_fb      fb;
        error = (struct tn_error)TN_ERROR_INIT;
        tn_source_callback(&source, &memory, out.size, read_or_fail, &from, "",
                           &error);
        tn_fb_open(&fb, (struct tn_span){ source, 0, out.size }, &arena,
                   &error);
        tn_fb_verify(&fb, arrays.root, NULL, NULL, &memory);
        tn_source_close(source);
        if (error.status == TN_OK)
            break;
        assert_int_equal(error.status, TN_IO);
    }
    assert_true(reads >= 2);
    tn_buffer_done(&out);
}

/* ---- real files ------------------------------------------------------- */

static unsigned verify_folder(const char *folder)
{
    char           path[600];
    unsigned       count   = 0;
    DIR           *entries = opendir(folder);
    struct dirent *entry;

    while (entries && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct tn_error error = TN_ERROR_INIT;
        struct tn_bytes file  = tn_load_file(path);
        assert_non_null(file.data);
        verify_as(file, &memory, tn_fb_schema_find(&classic, "FlatGraphM2"),
                  NULL, &error);
        if (error.status)
            fail_msg("%s: %s at %d: %s", path, error.where, (int)error.offset,
                     error.what);
        free((void *)file.data);
        count++;
    }
    if (entries)
        closedir(entries);
    return count;
}

#define SDNB TN_SHARED_DATA "/samediff/synthetic/"

/* The buffer of an SDNB file is at 32 and ends where the manifest or the first
 * array begins; the place of the manifest is at 8, big-endian. */
static unsigned verify_sdnb(const char *path)
{
    struct tn_error             error = TN_ERROR_INIT;
    struct tn_bytes             file  = tn_load_file(path);
    struct tn_fb_verify_options how   = { .allow_end_as_null = true };
    uint64_t                    end   = 0;

    if (!file.data)
        return 0;
    for (int i = 8; i < 16; i++)
        end = end << 8 | file.data[i];
    assert_true(end <= file.size && end > 32);
    verify_as(tn_bytes(file.data + 32, (size_t)end - 32), &memory, classic.root,
              &how, &error);
    if (error.status)
        fail_msg("%s: %s at %d: %s", path, error.where, (int)error.offset,
                 error.what);
    free((void *)file.data);
    return 1;
}

static void verifies_real_files(void **state)
{
    unsigned count = verify_folder(TN_SHARED_DATA "/samediff/models") +
                     verify_folder(TN_SHARED_DATA "/samediff/libnd4j") +
                     verify_sdnb(SDNB "single_inline.sdnb") +
                     verify_sdnb(SDNB "single_appended.sdnb") +
                     verify_sdnb(SDNB "sharded/model.shard0-of-3.sdnb") +
                     verify_sdnb(SDNB "sharded/model.shard1-of-3.sdnb") +
                     verify_sdnb(SDNB "sharded/model.shard2-of-3.sdnb");

    (void)state;
    if (count == 0) {
        print_message("skipped: wants real models\n");
        skip();
    }
    print_message("%u files\n", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_schemas_verify),
        cmocka_unit_test(builds_what_it_reads),
        cmocka_unit_test(reads_what_is_not_mapped),
        cmocka_unit_test(prefers_a_head),
        cmocka_unit_test(survives_hostility),
        cmocka_unit_test(points_at_what_is_wrong),
        cmocka_unit_test(many_tables_are_not_kept),
        cmocka_unit_test(many_tables_are_made_by_threads),
        cmocka_unit_test(tables_that_change_are_refused),
        cmocka_unit_test(walks_what_is_shared_once),
        cmocka_unit_test(limits_the_depth),
        cmocka_unit_test(refuses_what_overlaps),
        cmocka_unit_test(takes_the_end_for_null_when_asked),
        cmocka_unit_test(two_gigabytes_cost_little),
        cmocka_unit_test(more_is_refused),
        cmocka_unit_test(survives_failing_reads),
        cmocka_unit_test(verifies_real_files),
    };

    return cmocka_run_group_tests(tests, load_schemas, drop_schemas);
}
