/* sdnb_test.c - SDNB files: who owns which bytes, shards, and lies about both
 */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <unistd.h>

#include "format/samediff/sd_testing.h"
#include "format/samediff/sdnb.h"

#include <tenon/tenon.h>

#define SHARED TN_SHARED_DATA "/samediff/synthetic/"

/* The graph of sd_little with dimensions, and `w` and `c` without data. */
static char *plain_json(void)
{
    char *a =
        sd_replace(sd_little, "\"ndarray\": { " SD_TWO " }", "\"shape\": [2]");
    char *b =
        sd_replace(a, "\"ndarray\": { " SD_COLUMNS " }", "\"shape\": [2, 2]");
    char *c = sd_replace(b, "\"placeholders\"",
                         "\"metadataKeys\": [\"k\"], "
                         "\"metadataValues\": [\"v\"], \"placeholders\"");

    free(a);
    free(b);
    return c;
}

struct blob {
    const char *name;
    int64_t     at, size; /* `at` counts from the end of the graph            */
};

static void put_big(uint8_t *to, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> 8 * (size - 1 - i));
}

/* Header, graph, `room` bytes 1, 2, 3 and so on, manifest. */
static struct tn_bytes make_file(struct tn_bytes graph, uint64_t room,
                                 const struct blob *blobs, uint64_t count)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_javaser_entry entries[4];
    struct tn_memory        memory;
    struct tn_buffer        to;
    uint8_t                 head[32] = "SDNB";

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&to, &memory, &error);
    for (uint64_t i = 0; i < count; i++)
        entries[i] = (struct tn_javaser_entry){
            .key    = tn_text(blobs[i].name),
            .first  = 32 + (int64_t)graph.size + blobs[i].at,
            .second = blobs[i].size,
        };
    tn_buffer_add(&to, tn_bytes(head, sizeof head));
    tn_buffer_add(&to, graph);
    for (uint64_t i = 0; i < room; i++)
        tn_buffer_byte(&to, (uint8_t)(i + 1));
    uint64_t manifest = to.size;
    tn_javaser_write(&to, entries, count);
    put_big(to.data + 4, 1, 4);
    put_big(to.data + 8, manifest, 8);
    put_big(to.data + 16, to.size - manifest, 8);
    put_big(to.data + 24, 32, 8);
    uint8_t *copy = malloc(to.size);
    memcpy(copy, to.data, to.size);
    struct tn_bytes bytes = tn_bytes(copy, to.size);
    tn_buffer_done(&to);
    return bytes;
}

static const struct {
    const char    *name;
    struct blob    blobs[3];
    uint64_t       count;
    enum tn_status status;
} files[] = {
    { "as it should be", { { "w", 0, 8 }, { "c", 8, 16 } }, 2, TN_OK },
    { "in another order", { { "c", 8, 16 }, { "w", 0, 8 } }, 2, TN_OK },
    { "with a hole", { { "w", 0, 8 }, { "c", 12, 16 } }, 2, TN_OK },
    { "over the graph",
      { { "w", -2000, 8 }, { "c", 8, 16 } },
      2,
      TN_MALFORMED },
    { "over the header", { { "w", -20000, 8 } }, 1, TN_MALFORMED },
    { "over another", { { "w", 0, 8 }, { "c", 4, 16 } }, 2, TN_MALFORMED },
    { "past the manifest",
      { { "w", 0, 8 }, { "c", 40, 16 } },
      2,
      TN_MALFORMED },
    { "past 2^63", { { "w", 0, INT64_MAX }, { "c", 8, 16 } }, 2, TN_MALFORMED },
    { "less than nothing",
      { { "w", 0, -8 }, { "c", 8, 16 } },
      2,
      TN_MALFORMED },
    { "too short for its shape",
      { { "w", 0, 4 }, { "c", 8, 16 } },
      2,
      TN_MALFORMED },
    { "no variable of that name",
      { { "w", 0, 8 }, { "v", 8, 16 } },
      2,
      TN_MALFORMED },
    { "for what needs none", { { "mmul", 0, 8 } }, 1, TN_MALFORMED },
};

static void ranges_have_one_owner(void **state)
{
    char           *json  = plain_json();
    struct tn_bytes graph = sd_make(json);

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct sd_opened o;
        struct tn_bytes  bytes =
            make_file(graph, 32, files[i].blobs, files[i].count);
        if (sd_open(&o, &tn_format_sdnb, bytes) != files[i].status)
            fail_msg("%s: %s: %s", files[i].name,
                     tn_status_name(o.error.status), o.error.what);
        if (!tn_failed(&o.error)) {
            uint8_t w[8];
            assert_int_equal(
                tn_tensor_read(tn_model_find(&o.model, "w"), 0, w, 8, &o.error),
                TN_OK);
            assert_int_equal(w[7], 8);
            sd_close(&o);
        } else {
            assert_true(o.error.offset < bytes.size);
        }
        sd_free(bytes);
    }
    sd_free(graph);
    free(json);
}

/* ---- headers ------------------------------------------------------------ */

static const struct {
    const char    *name;
    unsigned       at;
    uint8_t        bytes[8];
    unsigned       size;
    enum tn_status status;
    uint64_t       offset;
} headers[] = {
    { "another magic", 0, { 'X' }, 1, TN_MALFORMED, 0 },
    { "version 2", 7, { 2 }, 1, TN_UNSUPPORTED, 4 },
    { "stopped while writing",
      8,
      { 255, 255, 255, 255, 255, 255, 255, 255 },
      8,
      TN_TRUNCATED,
      8 },
    { "a manifest before the graph",
      8,
      { 0, 0, 0, 0, 0, 0, 0, 31 },
      8,
      TN_TRUNCATED,
      8 },
    { "a manifest past the end",
      8,
      { 0, 0, 1, 0, 0, 0, 0, 0 },
      8,
      TN_TRUNCATED,
      8 },
    { "a manifest longer than the file",
      16,
      { 0, 0, 1, 0, 0, 0, 0, 0 },
      8,
      TN_TRUNCATED,
      16 },
    { "the graph elsewhere", 31, { 40 }, 1, TN_MALFORMED, 24 },
};

static void headers_are_checked(void **state)
{
    char           *json  = plain_json();
    struct tn_bytes graph = sd_make(json);

    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct sd_opened o;
        struct tn_bytes  bytes = make_file(graph, 32, files[0].blobs, 2);
        memcpy((uint8_t *)(uintptr_t)bytes.data + headers[i].at,
               headers[i].bytes, headers[i].size);
        if (sd_open(&o, &tn_format_sdnb, bytes) != headers[i].status ||
            o.error.offset != headers[i].offset)
            fail_msg("%s: %s", headers[i].name, o.error.what);
        sd_free(bytes);
    }
    sd_free(graph);
    free(json);
}

static void names_of_shards(void **state)
{
    static const struct {
        const char *name;
        bool        is_one;
        uint32_t    index, count;
    } rows[] = {
        { "m.shard0-of-3.sdnb", true, 0, 3 },
        { "m.shard2-of-3", true, 2, 3 },
        { "a.b.shard10-of-12.sdnb", true, 10, 12 },
        { "m.shard0-of-N.sdnb", false, 0, 0 },
        { "m.shard3-of-3.sdnb", false, 0, 0 },
        { "m.shard0-of-99999999999999999999.sdnb", false, 0, 0 },
        { "m.shard-of-3.sdnb", false, 0, 0 },
        { "m.sdnb", false, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_sdnb_shard shard = { 0 };
        if (tn_sdnb_shard_name(tn_text(rows[i].name), &shard) != rows[i].is_one)
            fail_msg("%s", rows[i].name);
        if (rows[i].is_one) {
            assert_int_equal(shard.index, rows[i].index);
            assert_int_equal(shard.count, rows[i].count);
        }
    }
}

/* ---- files beside each other -------------------------------------------- */

static char folder[256];

static const char *in_folder(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/tenon-sdnb-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[300];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* sd_little in shards of little data: m.shard0-of-N.sdnb and so on. */
static uint32_t write_shards(struct sd_opened *o, struct tn_bytes bytes)
{
    struct tn_output_options how     = { .can_replace = true };
    uint64_t                 moved   = 0;
    struct tn_write_options  options = { .tensors_moved = &moved,
                                         .shard_size    = 16 };
    struct tn_output        *output;
    struct tn_bundle         bundle;
    const char *const       *names;
    uint64_t                 count;
    char                     path[400];

    sd_must_open(o, &tn_format_samediff_fb, bytes);
    in_folder(path, sizeof path, "m.sdnb");
    assert_int_equal(tn_output_file(&output, &o->memory, path, &how, &o->error),
                     TN_OK);
    if (tn_format_sdnb.write(&o->model, &options, output, &o->error) != TN_OK ||
        tn_output_commit(output, &o->error) != TN_OK)
        fail_msg("%s", o->error.what);
    tn_output_close(output);
    tn_bundle_open(&bundle, &o->memory, folder, NULL, &o->error);
    tn_bundle_list(&bundle, "", &names, &count, &o->error);
    tn_bundle_close(&bundle);
    assert_int_not_equal(access(path, F_OK), 0);
    return (uint32_t)count;
}

static void shards_go_round(void **state)
{
    struct tn_bytes   bytes   = sd_make(sd_little);
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_options options = { .wants_graph = true };
    struct tn_model  *model;
    struct sd_opened  o;
    char              name[64], path[400];

    (void)state;
    uint32_t count = write_shards(&o, bytes);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i <= count; i++) { /* each of them, and the folder */
        snprintf(name, sizeof name, "m.shard%u-of-%u.sdnb", i, count);
        in_folder(path, sizeof path, name);
        if (tn_model_open(&model, i < count ? path : folder, &options,
                          &error) != TN_OK)
            fail_msg("%s: %s", path, error.what);
        sd_same_model(&o.model, model);
        tn_model_close(model);
    }
    sd_close(&o);
    sd_free(bytes);
}

/* A lax reader opens it, and says what it let pass. */
static void expect_lax(const char *path, const char *beware)
{
    struct tn_setting lax     = { "lax", NULL };
    struct tn_options options = { .settings = &lax, .setting_count = 1 };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    bool              is_told = false;

    if (tn_model_open(&model, path, &options, &error) != TN_OK)
        fail_msg("%s: %s", path, error.what);
    for (uint32_t i = 0; i < tn_model_fact_count(model); i++) {
        struct tn_fact fact = tn_model_fact(model, i);
        is_told |= tn_bytes_is(fact.key, "beware") &&
                   tn_bytes_is(fact.value, beware);
    }
    assert_true(is_told);
    tn_model_close(model);
}

static void shards_must_be_whole(void **state)
{
    struct tn_bytes  bytes = sd_make(sd_little);
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;
    struct sd_opened o;
    char             one[400], two[400];

    (void)state;
    write_shards(&o, bytes);
    in_folder(one, sizeof one, "m.shard1-of-3.sdnb");
    in_folder(two, sizeof two, "m.shard2-of-3.sdnb");
    assert_int_equal(rename(one, two), 0); /* one is missing */
    assert_int_equal(tn_model_open(&model, two, NULL, &error), TN_NOT_FOUND);
    expect_lax(two, "shards that are missing: 1");
    struct tn_bytes copy = tn_load_file(two);
    FILE           *to   = fopen(one, "wb"); /* and now twice the same */
    fwrite(copy.data, 1, copy.size, to);
    fclose(to);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_model_open(&model, two, NULL, &error), TN_MALFORMED);
    assert_non_null(strstr(error.what, "once more"));
    expect_lax(two, "data of a variable in two shards: 1");
    free((void *)(uintptr_t)copy.data);
    sd_close(&o);
    sd_free(bytes);
}

static int hear_stale(void *context, const struct tn_finding *finding)
{
    *(int *)context += strcmp(finding->rule, "stale-shards") == 0;
    return 0;
}

static void old_shards_are_told(void **state)
{
    struct tn_bytes  bytes = sd_make(sd_little);
    struct tn_error  error = TN_ERROR_INIT;
    struct sd_opened o;
    char             path[400];
    uint64_t         losses;
    int              heard = 0;

    (void)state;
    write_shards(&o, bytes);
    struct tn_bytes sdnb =
        sd_write(&o.model, &tn_format_sdnb, 0, &losses, &error);
    FILE *to = fopen(in_folder(path, sizeof path, "m.sdnb"), "wb");
    fwrite(sdnb.data, 1, sdnb.size, to);
    fclose(to);
    assert_int_equal(
        tn_check(path, NULL, NULL, hear_stale, &heard, NULL, &error), TN_OK);
    assert_int_equal(heard, 1);
    sd_free(sdnb);
    sd_close(&o);
    sd_free(bytes);
}

/* ---- files that were made from the description alone --------------------- */

static void is_float(const struct tn_model *model, const char *name,
                     uint32_t index, float wanted)
{
    const struct tn_tensor *t     = tn_model_find(model, name);
    struct tn_error         error = TN_ERROR_INIT;
    float                   value;

    assert_non_null(t);
    assert_int_equal(tn_tensor_read(t, 4 * (uint64_t)index, &value, 4, &error),
                     TN_OK);
    assert_true(value == wanted);
}

static void shared_files_have_their_values(void **state)
{
    static const char *const names[] = { "single_appended.sdnb", "sharded",
                                         "single_deflated.sdz",
                                         "sharded_stored.sdz" };
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_model         *model;
    char                     path[400];

    (void)state;
    if (access(SHARED "single_appended.sdnb", R_OK) != 0) {
        print_message("skipped: wants real models\n");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, SHARED "%s", names[i]);
        if (tn_model_open(&model, path, NULL, &error) != TN_OK)
            fail_msg("%s: %s", path, error.what);
        assert_int_equal(tn_model_tensor_count(model), 10);
        is_float(model, "w0", 11, 1.25f);
        is_float(model, "b0", 1, -0.5f);
        is_float(model, "fortran", 1, 2); /* row-major: 0 2 4 1 3 5 */
        is_float(model, "fortran", 3, 1);
        is_float(model, "big/weights", 47, 5.875f);
        is_float(model, "updater/M/w0", 10, 1.0f);
        is_float(model, "updater/V/b0", 2, 0.03f);
        tn_model_close(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_have_one_owner),
        cmocka_unit_test(headers_are_checked),
        cmocka_unit_test(names_of_shards),
        cmocka_unit_test_setup_teardown(shards_go_round, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(shards_must_be_whole, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(old_shards_are_told, make_folder,
                                        remove_folder),
        cmocka_unit_test(shared_files_have_their_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
