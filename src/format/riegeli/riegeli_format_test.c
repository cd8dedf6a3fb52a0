/* riegeli_format_test.c - files of records, and what check says of chunks */
#define _GNU_SOURCE
#include <glob.h>
#include <stdlib.h>

#include <tenon/verbs.h>

#include "chunk/cpb.h"
#include "support/little_models.h"

#define DATA TN_SHARED_DATA "/riegeli/"

/* ---- check --------------------------------------------------------------- */

static int collect(void *context, const struct tn_finding *finding)
{
    char *rules = context;

    snprintf(rules + strlen(rules), 400 - strlen(rules), "%s ", finding->rule);
    return 0;
}

static void rules_of(const char *path, char rules[400])
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_check_options check = { .max_findings = 8 };

    rules[0] = '\0';
    tn_check(path, NULL, &check, collect, rules, NULL, &error);
    assert_string_equal(error.what, "");
}

static void write_records(struct tn_scratch *scratch, const char *metadata)
{
    const char *const         records[] = { "7801", "7802", metadata };
    struct tn_riegeli_options options   = TN_RIEGELI_OPTIONS_INIT;
    struct tn_error           error     = TN_ERROR_INIT;
    struct tn_memory          memory;
    struct tn_buffer          out;
    struct tn_riegeli_writer  writer;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&out, &memory, &error);
    tn_riegeli_writer_init(&writer, &out.sink, &options, &memory, &error);
    for (int i = 0; i < 3; i++) {
        struct tn_bytes bytes = tn_hex(records[i]);
        tn_riegeli_add(&writer, bytes);
        free((void *)(uintptr_t)bytes.data);
    }
    tn_riegeli_finish(&writer);
    tn_riegeli_writer_done(&writer);
    assert_string_equal(error.what, "");
    tn_scratch_put(scratch, "a.cpb", tn_buffer_bytes(&out));
    tn_buffer_done(&out);
    assert_int_equal(memory.used, 0);
}

#define V1   "0a020801"
#define TWO  "1206080110021840 1206080110021841"
#define BOTH "1a08 0800 1204 1a020801"

static void every_rule_of_chunks(void **state)
{
    static const char *const rows[][2] = {
        { V1 TWO BOTH, "" },
        { "0a020803" TWO BOTH, "splitter-version " },
        { V1 TWO BOTH "2001", "unknown-metadata " },
        { V1 TWO "1a020800", "unused-chunk " },
        { V1 TWO "1a08 0800 1204 1a020800", "reused-chunk unused-chunk " },
        { V1 "1206080110021840 1a020800", "stray-record " },
        { V1 "1206080110021840 1206080110021840" BOTH,
          "stray-record shared-record " },
        { V1 "1206080110021840 1206080110031841 1a020800",
          "unused-chunk bad-chunk " },
        { V1 TWO "1a0c 0800 1208 0a020863 1a020809",
          "chunk-index unused-chunk " },
        { V1 "1206080110021840 1206080110031841" BOTH, "bad-chunk " },
        { V1 "1206080110021840 1206080110021842" BOTH, "bad-chunk " },
        /* a file that there is not; and all at once */
        { V1 "1206080110021840 120d08011002188080808080808001" BOTH,
          "bad-chunk " },
        { V1 "1206080110031840 1206080110021842 1206080110021841"
             "1a0c 0800 1208 0a020801 1a020809",
          "chunk-index bad-chunk unused-chunk bad-chunk unused-chunk " },
        /* join version 1 in the layout of old is read, 2 nobody knows */
        { "0a020801 0a021001" TWO BOTH, "" },
        { "0a020801 0a021002" TWO BOTH, "unsupported " },
    };
    struct tn_scratch scratch = tn_scratch_open();
    char              rules[400];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_records(&scratch, rows[i][0]);
        rules_of(tn_in_scratch(&scratch, "a.cpb"), rules);
        assert_string_equal(rules, rows[i][1]);
    }
    tn_scratch_close(&scratch);
}

/* ---- records ------------------------------------------------------------- */

static void records_are_tensors(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    uint8_t           record[2] = { 0 };

    (void)state;
    write_records(&scratch, "ff");
    assert_int_equal(
        renameat(scratch.folder, "a.cpb", scratch.folder, "a.riegeli"), 0);
    tn_model_open(&model, tn_in_scratch(&scratch, "a.riegeli"), NULL, &error);
    assert_string_equal(error.what, "");
    assert_string_equal(tn_model_format(model), "riegeli");
    assert_int_equal(tn_model_tensor_count(model), 3);
    tn_tensor_read(tn_model_find(model, "record[1]"), 0, record, 2, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(record[1], 2);
    assert_int_equal(tn_tensor_size(tn_model_find(model, "record[2]")), 1);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* Listing records does not unpack them: whoever reads them finds damage there,
 * and for a check. */
static void listing_leaves_records_packed(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    uint8_t           record[2];
    char              rules[400];

    (void)state;
    write_records(&scratch, "ff");
    assert_int_equal(
        renameat(scratch.folder, "a.cpb", scratch.folder, "a.riegeli"), 0);
    const char *path = tn_in_scratch(&scratch, "a.riegeli");
    FILE       *file = fopen(path, "r+b");
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    int last = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    assert_int_equal(fputc(last ^ 0x55, file), last ^ 0x55);
    assert_int_equal(fclose(file), 0);
    tn_model_open(&model, path, NULL, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(tn_model_tensor_count(model), 3);
    assert_int_equal(
        tn_tensor_read(tn_model_find(model, "record[1]"), 0, record, 2, &error),
        TN_MALFORMED);
    tn_model_close(model);
    rules_of(path, rules);
    assert_string_equal(rules, "damaged-chunk ");
    tn_scratch_close(&scratch);
}

/* Without metadata it may be a file of records, but not one called .cpb. */
static void cut_file_is_no_shorter_one(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char              rules[400];

    (void)state;
    write_records(&scratch, "ff");
    rules_of(tn_in_scratch(&scratch, "a.cpb"), rules);
    assert_string_equal(rules, "bad-metadata ");
    tn_scratch_close(&scratch);
}

static void check_poorly(const char *metadata)
{
    struct tn_scratch scratch = tn_scratch_open();

    write_records(&scratch, metadata);
    for (uint64_t n = 0;; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator = &allocator };
        struct tn_error     error     = TN_ERROR_INIT;
        enum tn_status      status =
            tn_check(tn_in_scratch(&scratch, "a.cpb"), &options, NULL, NULL,
                     NULL, NULL, &error);
        assert_int_equal(budget.blocks, 0);
        if (status == TN_OK)
            break;
        assert_int_equal(status, TN_NO_MEMORY);
    }
    tn_scratch_close(&scratch);
}

/* Of what can be joined, and of what cannot. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    check_poorly(V1 TWO BOTH);
    check_poorly(V1 "1206080110021840 1206080110031841" BOTH);
}

/* ---- real files ---------------------------------------------------------- */

static void each_real_file(const char *pattern, void (*each)(const char *path))
{
    glob_t found;

    if (glob(pattern, 0, NULL, &found) != 0) {
        printf("skipped: wants real models: %s\n", pattern);
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        each(found.gl_pathv[i]);
    globfree(&found);
}

static void is_clean(const char *path)
{
    char rules[400];

    rules_of(path, rules);
    assert_string_equal(rules, "");
}

static bool tells_of_damage(const char *rules)
{
    static const char *const words[] = { "not-a-model", "damaged-chunk",
                                         "bad-chunk", "malformed",
                                         "truncated" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(rules, words[i]))
            return true;
    return false;
}

/* All bytes of small files, a hundred of large ones: each means unpacking all
 * of it, and riegeli_hostile_test has every byte of every kind of chunk. */
static void flips_are_seen(const char *path)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_bytes   bytes   = tn_load_file(path);
    uint8_t          *data    = (uint8_t *)(uintptr_t)bytes.data;
    size_t            step    = bytes.size < 1000 ? 1 : 1 + bytes.size / 100;
    const char       *name    = strstr(path, ".cpb") ? "a.cpb" : "a.riegeli";
    char              rules[400];

    for (size_t i = 0; i < bytes.size; i += step) {
        data[i] ^= 0x10;
        tn_scratch_put(&scratch, name, bytes);
        data[i] ^= 0x10;
        rules_of(tn_in_scratch(&scratch, name), rules);
        if (!tells_of_damage(rules))
            fail_msg("%s: byte %zu: '%s'", path, i, rules);
    }
    free(data);
    tn_scratch_close(&scratch);
}

static void is_record(const struct tn_model *model, unsigned index)
{
    char            name[40], path[400];
    struct tn_error error = TN_ERROR_INIT;

    snprintf(name, sizeof name, "record[%u]", index);
    snprintf(path, sizeof path, DATA "records/r%02u.bin", index);
    const struct tn_tensor *tensor = tn_model_find(model, name);
    struct tn_bytes         bytes  = tn_load_file(path);
    assert_non_null(tensor);
    assert_int_equal(tn_tensor_size(tensor), bytes.size);
    uint8_t *copy = malloc(bytes.size + 1);
    assert_non_null(copy);
    tn_tensor_read(tensor, 0, copy, bytes.size, &error);
    assert_string_equal(error.what, "");
    assert_memory_equal(copy, bytes.data, bytes.size);
    free(copy);
    free((void *)(uintptr_t)bytes.data);
}

/* All files of ten records hold the same ones. */
static void has_its_records(const char *path)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    tn_model_open(&model, path, NULL, &error);
    assert_string_equal(error.what, "");
    for (unsigned i = 0; tn_model_tensor_count(model) == 10 && i < 10; i++)
        is_record(model, i);
    tn_model_close(model);
}

static void real_files_are_clean(void **state)
{
    (void)state;
    each_real_file(DATA "*.riegeli", is_clean);
    each_real_file(DATA "*.riegeli", has_its_records);
}

static void every_flipped_byte_is_seen(void **state)
{
    (void)state;
    each_real_file(DATA "*.riegeli", flips_are_seen);
    each_real_file(TN_SHARED_DATA "/tensorflow/proto_splitter/*.cpb",
                   flips_are_seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_of_chunks),
        cmocka_unit_test(records_are_tensors),
        cmocka_unit_test(listing_leaves_records_packed),
        cmocka_unit_test(cut_file_is_no_shorter_one),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(real_files_are_clean),
        cmocka_unit_test(every_flipped_byte_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
