/*
 * chunk_files_test.c - a message in several files is one model, and check sees
 * every damaged byte of each of them
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include <tenon/verbs.h>

#include "support/little_models.h"
#include "wire/riegeli/riegeli.h"

static const char graph[] =
    "node { name: 'a' op: 'Const'\n"
    "  attr { key: 'dtype' value { type: DT_UINT8 } }\n"
    "  attr { key: 'value' value { tensor { dtype: DT_UINT8\n"
    "    tensor_shape { dim { size: 100 } } tensor_content: '0123456789"
    "0123456789012345678901234567890123456789"
    "01234567890123456789012345678901234567890123456789' } } } }\n"
    "node { name: 'b' op: 'NoOp' } node { name: 'c' op: 'NoOp' }\n"
    "node { name: 'd' op: 'NoOp' } node { name: 'e' op: 'NoOp' }\n"
    "versions { producer: 1087 min_consumer: 12 }\n";

/* Each with files of its own kind. */
static const struct kind {
    const char            *records;
    struct tn_split_format format;
} kinds[] = {
    { "uncompressed", { .version = 2 } },
    { "uncompressed", { .version = 2, .separates_bytes = true } },
    { "brotli", { .version = 2, .max_metadata = 256, .max_file = 1024 } },
    { "zstd,chunk_size:1",
      { .version = 2, .separates_bytes = true, .max_file = 1024 } },
    { "uncompressed,padding:300",
      { .version = 2, .separates_bytes = true, .max_metadata = 256 } },
    { "snappy", { .version = 2, .max_metadata = 256 } },
    { "zstd:1,transpose", { .version = 2 } },
};

#define KINDS (sizeof kinds / sizeof *kinds)

static void make_files(struct tn_scratch *scratch, const struct kind *kind)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_split_options split = { .max_size = 40,
                                      .records  = kind->records,
                                      .format   = kind->format };
    struct tn_options       from  = { .from = "tf-graph" };
    char                    target_path[512];

    tn_make_model(scratch, "in.pb", graph);
    snprintf(target_path, sizeof target_path, "%s/m", scratch->path);
    struct tn_target target = { .path = target_path, .can_replace = true };
    tn_split(tn_in_scratch(scratch, "in.pb"), &from, &split, &target, NULL,
             &error);
    assert_string_equal(error.what, "");
}

/* The names of all files of it, "m.cpb" among them. */
struct names {
    char at[20][64];
    int  count;
};

static struct names list(struct tn_scratch *scratch)
{
    struct names   names   = { .count = 0 };
    DIR           *entries = fdopendir(dup(scratch->folder));
    struct dirent *entry;

    rewinddir(entries);
    while ((entry = readdir(entries)) != NULL)
        if (strstr(entry->d_name, ".cpb")) {
            assert_true(names.count < 20);
            snprintf(names.at[names.count++], sizeof names.at[0], "%.60s",
                     entry->d_name);
        }
    closedir(entries);
    return names;
}

static struct tn_bytes load(struct tn_scratch *scratch, const char *name)
{
    struct tn_bytes file = tn_load_file(tn_in_scratch(scratch, name));

    assert_non_null(file.data);
    return file;
}

/* "rule file " of each finding. */
static int collect(void *context, const struct tn_finding *finding)
{
    char *rules = context;

    snprintf(rules + strlen(rules), 400 - strlen(rules), "%s %s ",
             finding->rule, finding->file);
    return 0;
}

static void check(struct tn_scratch *scratch, char rules[400])
{
    struct tn_error error = TN_ERROR_INIT;

    rules[0] = '\0';
    tn_check(tn_in_scratch(scratch, "m.cpb"), NULL, NULL, collect, rules, NULL,
             &error);
    assert_string_equal(error.what, "");
}

/* ---- claims -------------------------------------------------------------- */

static bool has_fact(const struct tn_model *model, const char *key)
{
    for (uint32_t i = 0; i < tn_model_fact_count(model); i++)
        if (tn_bytes_is(tn_model_fact(model, i).key, key))
            return true;
    return false;
}

static void opens_as_one_model(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        struct tn_scratch scratch = tn_scratch_open();
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_model  *model;
        char              content[100], rules[400];

        make_files(&scratch, &kinds[kind]);
        tn_model_open(&model, tn_in_scratch(&scratch, "m.cpb"), NULL, &error);
        assert_string_equal(error.what, "");
        assert_string_equal(tn_model_format(model), "tf-graph");
        tn_tensor_read(tn_model_find(model, "a"), 0, content, sizeof content,
                       &error);
        assert_string_equal(error.what, "");
        for (int i = 0; i < 100; i++)
            assert_int_equal(content[i], '0' + i % 10);
        assert_int_equal(has_fact(model, "chunk_file"),
                         list(&scratch).count > 1);
        tn_model_close(model);
        check(&scratch, rules);
        assert_string_equal(rules, "");
        tn_scratch_close(&scratch);
    }
}

static void flip_all(struct tn_scratch *scratch, const char *name)
{
    static const uint8_t masks[] = { 0x01, 0x80, 0xff };
    struct tn_bytes      file    = load(scratch, name);
    uint8_t             *bytes   = (uint8_t *)(uintptr_t)file.data;
    char                 rules[400];

    for (size_t i = 0; i < file.size; i++) {
        bytes[i] ^= masks[i % 3];
        tn_scratch_put(scratch, name, file);
        check(scratch, rules);
        if (!rules[0])
            fail_msg("%s: byte %d", name, (int)i);
        bytes[i] ^= masks[i % 3];
    }
    tn_scratch_put(scratch, name, file);
    free(bytes);
}

static void any_flipped_byte_is_found(void **state)
{
    (void)state;
    for (size_t kind = 1; kind < 4; kind++) { /* of several files */
        struct tn_scratch scratch = tn_scratch_open();
        make_files(&scratch, &kinds[kind]);
        struct names names = list(&scratch);
        for (int i = 0; i < names.count; i++)
            flip_all(&scratch, names.at[i]);
        tn_scratch_close(&scratch);
    }
}

/* Cut between chunks of records, which leaves a good file of records.  Padding
 * at the end of the main file is no loss. */
static void cut_all(struct tn_scratch *scratch, const char *name)
{
    struct tn_bytes         file  = load(scratch, name);
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_memory        memory;
    struct tn_source        source;
    struct tn_riegeli       records;
    struct tn_riegeli_frame frame;
    char                    rules[400];

    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, file);
    tn_riegeli_open(&records, &source, &memory, &error);
    for (uint64_t at = 0; at < file.size; at = frame.end) {
        tn_riegeli_frame_read(&records, at, &frame, NULL, &error);
        assert_string_equal(error.what, "");
        if (frame.type == TN_RIEGELI_PADDING && strcmp(name, "m.cpb") == 0)
            continue;
        tn_scratch_put(scratch, name, tn_bytes(file.data, (size_t)at));
        check(scratch, rules);
        if (!rules[0])
            fail_msg("%s: cut at %d", name, (int)at);
    }
    tn_scratch_put(scratch, name, file);
    tn_source_close(&source);
    free((void *)(uintptr_t)file.data);
}

static void any_missing_end_is_found(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        struct tn_scratch scratch = tn_scratch_open();
        make_files(&scratch, &kinds[kind]);
        struct names names = list(&scratch);
        for (int i = 0; i < names.count; i++)
            cut_all(&scratch, names.at[i]);
        tn_scratch_close(&scratch);
    }
}

static void a_missing_file_is_named(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    char              rules[400];

    (void)state;
    make_files(&scratch, &kinds[1]);
    assert_int_equal(unlinkat(scratch.folder, "m.bytes.cpb", 0), 0);
    assert_int_equal(
        tn_model_open(&model, tn_in_scratch(&scratch, "m.cpb"), NULL, &error),
        TN_NOT_FOUND);
    assert_string_equal(error.file, "m.bytes.cpb");
    check(&scratch, rules);
    assert_non_null(strstr(rules, "m.bytes.cpb"));
    tn_scratch_close(&scratch);
}

static void a_stale_file_is_named(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char              rules[400];

    (void)state;
    make_files(&scratch, &kinds[0]);
    tn_write_text(&scratch, "m.bytes.cpb", "old");
    tn_write_text(&scratch, "m.00001-of-00002.cpb", "old");
    tn_write_text(&scratch, "m.notes.cpb", "not ours");
    check(&scratch, rules);
    assert_string_equal(rules, "stale-sibling m.00001-of-00002.cpb "
                               "stale-sibling m.bytes.cpb ");
    tn_scratch_close(&scratch);
}

/* No format has this message: a file of records, whose files are checked. */
static void of_a_type_that_nobody_knows(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    struct tn_error         error   = TN_ERROR_INIT;
    char                    out[512], rules[400];
    struct tn_split_options split = {
        .type     = "tensorflow.AttrValue",
        .max_size = 40,
        .records  = "uncompressed",
        .format   = { .version = 2, .separates_bytes = true },
    };

    (void)state;
    struct tn_bytes tensor = tn_hex("426e 0801 1204 1202 0864");
    struct tn_bytes head   = tn_hex("2264");
    uint8_t         bytes[200];
    memcpy(bytes, tensor.data, tensor.size);
    memcpy(bytes + tensor.size, head.data, head.size);
    memset(bytes + tensor.size + head.size, 7, 100);
    tn_scratch_put(&scratch, "in.pb",
                   tn_bytes(bytes, tensor.size + head.size + 100));
    snprintf(out, sizeof out, "%s/m", scratch.path);
    struct tn_target target = { .path = out, .can_replace = true };
    tn_split(tn_in_scratch(&scratch, "in.pb"), NULL, &split, &target, NULL,
             &error);
    assert_string_equal(error.what, "");
    check(&scratch, rules);
    assert_string_equal(rules, "");
    assert_int_equal(unlinkat(scratch.folder, "m.bytes.cpb", 0), 0);
    check(&scratch, rules);
    assert_string_equal(rules, "missing-file m.bytes.cpb ");
    tn_write_text(&scratch, "m.bytes.cpb", "something else");
    check(&scratch, rules);
    assert_string_equal(rules, "damaged-file m.bytes.cpb ");
    free((void *)(uintptr_t)tensor.data);
    free((void *)(uintptr_t)head.data);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_as_one_model),
        cmocka_unit_test(any_flipped_byte_is_found),
        cmocka_unit_test(any_missing_end_is_found),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(a_stale_file_is_named),
        cmocka_unit_test(of_a_type_that_nobody_knows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
