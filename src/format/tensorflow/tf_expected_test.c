/*
 * tf_expected_test.c - real TensorFlow files against tables of what is in them
 *
 * The tables were made by an independent reader: for frozen graphs every Const
 * with type, dims, storage and the CRC-32 of its expanded elements; for
 * SavedModels every checkpoint entry.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/tenon.h>

#include "codec/crc32.h"
#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_dtype.h"
#include "ir/model_tables.h"
#include "support/hostile.h"

#define DATA TN_SHARED_DATA "/tensorflow/"

static bool has_data(void)
{
    struct stat st;

    return stat(DATA, &st) == 0;
}

static struct tn_model *open_model(const char *path, bool wants_graph,
                                   bool keep_unmapped)
{
    struct tn_options options = { .wants_graph   = wants_graph,
                                  .keep_unmapped = keep_unmapped };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    if (tn_model_open(&model, path, &options, &error) != TN_OK)
        fail_msg("%s: %s at %llu: %s: %s", path, tn_status_name(error.status),
                 (unsigned long long)error.offset, error.where, error.what);
    return model;
}

/* ---- elements as the tables count them ---------------------------------- */

struct crc_strings {
    uint32_t crc;
    uint64_t bytes;
};

static enum tn_status add_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct crc_strings *to   = context;
    uint8_t            *copy = malloc((size_t)text.length + 1);

    copy[0] = 0;
    if (text.length)
        assert_int_equal(tn_source_read(text.source, text.offset, copy + 1,
                                        (size_t)text.length, error),
                         TN_OK);
    copy[0] = 0; /* strings are joined by a zero byte */
    to->crc = tn_crc32(to->crc, index ? copy : copy + 1,
                       (size_t)text.length + (index != 0));
    to->bytes += text.length;
    free(copy);
    return TN_OK;
}

static uint32_t tensor_crc(const struct tn_tensor *tensor)
{
    struct tn_error error = TN_ERROR_INIT;

    if (tn_tensor_dtype(tensor) == TN_STRING) {
        struct crc_strings sum = { 0, 0 };
        assert_int_equal(tn_payload_strings(&tensor->elements, 0,
                                            tn_tensor_count(tensor), add_string,
                                            &sum, &error),
                         TN_OK);
        return sum.crc;
    }
    size_t size  = (size_t)tn_tensor_size(tensor);
    void  *bytes = malloc(size + 1);
    if (tn_tensor_read(tensor, 0, bytes, size, &error) != TN_OK)
        fail_msg("%s", error.what);
    uint32_t crc = tn_crc32(0, bytes, size);
    free(bytes);
    return crc;
}

/* "784,256", or "-" for a scalar. */
static void print_dims(const struct tn_tensor *tensor, char *to, size_t size)
{
    size_t at = 0;

    snprintf(to, size, "-");
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        at += (size_t)snprintf(to + at, size - at, "%s%llu", i ? "," : "",
                               (unsigned long long)tn_tensor_dims(tensor)[i]);
}

static void check_row(const struct tn_tensor *tensor, const char *name,
                      const char *type, const char *dims, uint32_t crc)
{
    char            text[200];
    struct tn_bytes own = tn_tensor_name(tensor);

    assert_int_equal(own.size, strlen(name));
    assert_memory_equal(own.data, name, own.size);
    assert_string_equal(
        tn_tf_dtype_name(tn_tf_dtype_number(tn_tensor_dtype(tensor))), type);
    print_dims(tensor, text, sizeof text);
    assert_string_equal(text, dims);
    assert_int_equal(tensor_crc(tensor), crc);
}

/* Operators are judged by a table of names; some real ones are in none.  And
 * one fingerprint is of a time before the formulas. */
static int count_faults(void *context, const struct tn_finding *finding)
{
    if (strcmp(finding->rule, "unknown-op") == 0 ||
        strcmp(finding->rule, "unverified-fingerprint") == 0)
        return 0;
    print_message("%s: %s: %s\n", finding->rule, finding->where, finding->what);
    ++*(unsigned *)context;
    return 0;
}

/* Real models have no faults, down to every checksum. */
static void check_clean(const char *path)
{
    struct tn_check_summary summary;
    struct tn_error         error  = TN_ERROR_INIT;
    unsigned                faults = 0;

    assert_int_equal(
        tn_check(path, NULL, NULL, count_faults, &faults, &summary, &error),
        TN_OK);
    if (faults)
        fail_msg("%s: %u faults", path, faults);
}

/* ---- frozen graphs ------------------------------------------------------ */

static const char *const frozen[] = {
    "fc-layers", "kws-crnn-s",  "kws-ds-cnn-s",
    "kws-gru-s", "lenet-mnist", "lstm-unrolled",
};

static void check_storage(const struct tn_tensor *tensor, const char *storage,
                          unsigned long long stored)
{
    const char *own = tn_tensor_storage(tensor);

    if (strcmp(storage, "content") == 0)
        assert_string_equal(own, "raw");
    else if (stored < tn_tensor_count(tensor))
        assert_string_equal(own, stored ? "splat" : "zeros");
    else
        assert_string_equal(own, "typed");
}

static void check_tensors(const struct tn_model *model, const char *name)
{
    char     path[300], line[600];
    uint64_t row = 0;

    snprintf(path, sizeof path, DATA "expected/%s.tensors.tsv", name);
    FILE *table = fopen(path, "r");
    assert_non_null(table);
    while (fgets(line, sizeof line, table)) {
        char               node[256], type[32], dims[64], storage[32];
        unsigned long long stored, bytes;
        unsigned           crc;
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%255s %31s %63s %31s %llu %llu %x", node,
                                type, dims, storage, &stored, &bytes, &crc),
                         7);
        assert_true(row < tn_model_tensor_count(model));
        const struct tn_tensor *tensor = tn_model_tensor(model, row++);
        check_row(tensor, node, type, dims, crc);
        check_storage(tensor, storage, stored);
        assert_int_equal(tn_tensor_size(tensor), bytes);
    }
    fclose(table);
    assert_int_equal(row, tn_model_tensor_count(model));
}

static void check_ops(const struct tn_model *model, char *list)
{
    uint32_t kinds = 0;

    for (char *item = strtok(list, ",\n"); item; item = strtok(NULL, ",\n")) {
        char               op[100];
        unsigned long long count;
        bool               is_found = false;
        assert_int_equal(sscanf(item, " %99s %llu", op, &count), 2);
        for (uint32_t i = 0; i < tn_model_op_kind_count(model); i++) {
            const struct tn_op_kind *kind = tn_model_op_kind(model, i);
            if (tn_bytes_is(kind->type, op)) {
                assert_int_equal(kind->count, count);
                is_found = true;
            }
        }
        assert_true(is_found);
        kinds++;
    }
    assert_int_equal(kinds, tn_model_op_kind_count(model));
}

/* Up to this version of graphs `shape {}`, which the list has as [-], is a
 * shape that is not known. */
#define NO_SCALARS_UNTIL 21

/* "X DT_FLOAT [-1,784]; keep_prob DT_FLOAT [?]" */
static void check_inputs(const struct tn_model *model, char *list)
{
    struct tn_io_list io_list    = tn_model_inputs(model);
    char              text[1000] = "";
    size_t            at         = 0;

    for (uint32_t i = 0; i < io_list.count; i++) {
        const struct tn_io *io = &io_list.items[i];
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s %s [",
                               i ? "; " : "", TN_FMT(io->name),
                               tn_tf_dtype_name(tn_tf_dtype_number(io->dtype)));
        if (!io->has_rank || io->rank == 0)
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   io->has_rank ? "-" : "?");
        for (uint32_t k = 0; k < io->rank; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld",
                                   k ? "," : "", (long long)io->dims[k].value);
        at += (size_t)snprintf(text + at, sizeof text - at, "]");
    }
    strcat(text, "\n");
    if (tn_tf_detail_of(model)->versions.producer <= NO_SCALARS_UNTIL)
        for (char *dash; (dash = strstr(list, "[-]"));)
            dash[1] = '?';
    assert_string_equal(text, list);
}

static void check_outputs(const struct tn_model *model, char *list)
{
    struct tn_io_list io_list = tn_model_outputs(model);
    uint32_t          count   = 0;

    for (char *name = strtok(list, " ,\n"); name; name = strtok(NULL, " ,\n")) {
        assert_true(count < io_list.count);
        assert_true(tn_bytes_is(io_list.items[count++].name, name));
    }
    assert_int_equal(count, io_list.count);
}

static uint64_t control_edges(const struct tn_model *model)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < tn_model_op_count(model); i++)
        count += tn_model_op(model, i).control_count;
    return count;
}

static void check_summary(const struct tn_model *model, const char *name,
                          bool has_graph)
{
    static const char  inputs[]  = "placeholders: ";
    static const char  outputs[] = "nodes nobody uses: ";
    char               path[300], line[2000];
    unsigned long long nodes, functions, constants, controls;

    snprintf(path, sizeof path, DATA "expected/%s.summary.txt", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line,
                   "nodes=%llu functions=%llu constants=%llu control "
                   "edges=%llu",
                   &nodes, &functions, &constants, &controls) == 4) {
            assert_int_equal(tn_model_node_count(model), nodes);
            assert_int_equal(tn_model_function_count(model), functions);
            assert_int_equal(tn_model_tensor_count(model), constants);
            if (has_graph)
                assert_int_equal(control_edges(model), controls);
        }
        if (!strncmp(line, inputs, sizeof inputs - 1))
            check_inputs(model, line + sizeof inputs - 1);
        if (!strncmp(line, outputs, sizeof outputs - 1))
            check_outputs(model, line + sizeof outputs - 1);
        if (!strncmp(line, "ops: ", 5))
            check_ops(model, line + 5);
    }
    fclose(file);
}

static void test_frozen_graphs(void **state)
{
    (void)state;
    if (!has_data()) {
        print_message("skipped: wants real models\n");
        skip();
    }
    for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
        char path[300];
        snprintf(path, sizeof path, DATA "frozen/%s.pb", frozen[i]);
        check_clean(path);
        for (unsigned how = 0; how < 4; how++) {
            struct tn_model *model = open_model(path, how & 1, how & 2);
            assert_string_equal(tn_model_format(model), "tf-graph");
            check_tensors(model, frozen[i]);
            check_summary(model, frozen[i], how & 1);
            tn_model_close(model);
        }
    }
}

/* ---- SavedModels -------------------------------------------------------- */

static const struct tn_tensor *find_variable(const struct tn_model *model,
                                             const char            *key)
{
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        if (tn_tensor_role(tensor) != TN_ROLE_ATTRIBUTE &&
            tn_bytes_is(tn_tensor_name(tensor), key))
            return tensor;
    }
    return NULL;
}

static uint64_t variable_count(const struct tn_model *model)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++)
        count += tn_tensor_role(tn_model_tensor(model, i)) != TN_ROLE_ATTRIBUTE;
    return count;
}

static void check_variables(const struct tn_model *model,
                            const char *table_path, const char *prefix)
{
    char     line[600], want[300];
    uint64_t rows  = 0;
    FILE    *table = fopen(table_path, "r");

    assert_non_null(table);
    while (fgets(line, sizeof line, table)) {
        char               key[300], type[32], dims[64];
        unsigned long long shard, offset, size;
        unsigned           masked, crc;
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%299s %31s %63s %llu %llu %llu %x %x",
                                key, type, dims, &shard, &offset, &size,
                                &masked, &crc),
                         8);
        const struct tn_tensor *tensor = find_variable(model, key);
        assert_non_null(tensor);
        check_row(tensor, key, type, dims, crc);
        assert_int_equal(tn_tensor_offset(tensor), offset);
        assert_int_equal(tn_tensor_stored_size(tensor), size);
        assert_string_equal(tn_tensor_storage(tensor), "shard");
        snprintf(want, sizeof want, "%s.data-%05llu-of-", prefix, shard);
        assert_memory_equal(tn_tensor_file(tensor), want, strlen(want));
        rows++;
    }
    fclose(table);
    assert_int_equal(rows, variable_count(model));
}

/* "half_plus_two__00000123.variables.tsv" is of half_plus_two/00000123. */
static void folder_of(const char *table, char *to)
{
    const char *end = strstr(table, ".variables.tsv");

    while (table < end) {
        if (!strncmp(table, "__", 2)) {
            *to++ = '/';
            table += 2;
        } else {
            *to++ = *table++;
        }
    }
    *to = '\0';
}

static void each_saved_model(void (*check)(const char *folder,
                                           const char *table))
{
    DIR           *dir = opendir(DATA "expected");
    struct dirent *entry;
    unsigned       count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        char name[300], folder[600], table[600];
        if (!strstr(entry->d_name, ".variables.tsv"))
            continue;
        folder_of(entry->d_name, name);
        snprintf(folder, sizeof folder, DATA "saved_model/%s", name);
        snprintf(table, sizeof table, DATA "expected/%s", entry->d_name);
        check(folder, table);
        count++;
    }
    closedir(dir);
    assert_int_equal(count, 11);
}

static void check_saved_model(const char *folder, const char *table)
{
    if (!strstr(folder, "fuzz_generated"))
        check_clean(folder);
    for (unsigned how = 0; how < 4; how++) {
        struct tn_model *model = open_model(folder, how & 1, how & 2);
        assert_string_equal(tn_model_format(model), "tf-saved-model");
        check_variables(model, table, "variables/variables");
        tn_model_close(model);
    }
}

static void check_by_file(const char *folder, const char *table)
{
    char        path[700];
    struct stat st;

    snprintf(path, sizeof path, "%s/saved_model.pb", folder);
    if (stat(path, &st) != 0)
        snprintf(path, sizeof path, "%s/saved_model.pbtxt", folder);
    struct tn_model *model = open_model(path, false, false);
    assert_string_equal(tn_model_format(model), "tf-saved-model");
    check_variables(model, table, "variables/variables");
    tn_model_close(model);
}

static void check_index_alone(const char *folder, const char *table)
{
    char path[700];

    snprintf(path, sizeof path, "%s/variables/variables.index", folder);
    struct tn_model *model = open_model(path, true, false);
    assert_string_equal(tn_model_format(model), "tf-checkpoint");
    check_variables(model, table, "variables");
    assert_int_equal(tn_model_tensor_count(model), variable_count(model));
    tn_model_close(model);
}

static void test_saved_models(void **state)
{
    (void)state;
    if (!has_data()) {
        print_message("skipped: wants real models\n");
        skip();
    }
    each_saved_model(check_saved_model);
    each_saved_model(check_by_file);
    each_saved_model(check_index_alone);
}

/* ---- the import suite --------------------------------------------------- */

/* test, ops as Op=count, nodes, ...: tab-separated. */
static void check_suite_row(char *line)
{
    char  folder[400], path[600];
    char *test  = strtok(line, "\t");
    char *ops   = strtok(NULL, "\t");
    char *nodes = strtok(NULL, "\t");
    char *to    = folder;

    for (const char *from = test; *from; from++) {
        if (*from == '/') {
            *to++ = '_';
            *to++ = '_';
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    snprintf(path, sizeof path, DATA "import-suite/%s/model.pb", folder);
    check_clean(path);
    struct tn_model *model = open_model(path, true, false);
    assert_string_equal(tn_model_format(model), "tf-graph");
    assert_int_equal(tn_model_node_count(model), strtoull(nodes, NULL, 10));
    for (char *p = ops; *p; p++)
        *p = *p == ' ' ? ',' : *p == '=' ? ' ' : *p;
    check_ops(model, ops);
    tn_model_close(model);
}

static void test_import_suite(void **state)
{
    char     line[20000];
    unsigned rows = 0;

    (void)state;
    if (!has_data()) {
        print_message("skipped: wants real models\n");
        skip();
    }
    FILE *table = fopen(DATA "import-suite/MANIFEST.tsv", "r");
    assert_non_null(table);
    while (fgets(line, sizeof line, table))
        if (rows++)
            check_suite_row(line);
    fclose(table);
    assert_int_equal(rows, 911);
}

/* ---- damaged on purpose, and not models at all -------------------------- */

struct rules {
    char text[600];
};

static int note_rule(void *context, const struct tn_finding *finding)
{
    struct rules *rules = context;

    strcat(rules->text, " ");
    strcat(rules->text, finding->rule);
    assert_true(finding->offset != TN_NOWHERE);
    return 0;
}

static void test_damaged(void **state)
{
    static const char *const rows[][4] = {
        { "bad_node_attr", "missing-attribute" },
        { "const_with_no_value", "missing-attribute", "missing-asset" },
        { "negative_shape", "bad-shape", "missing-asset", "schema-version" },
    };

    (void)state;
    if (!has_data()) {
        print_message("skipped: wants real models\n");
        skip();
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error         error = TN_ERROR_INIT;
        struct rules            rules = { "" };
        struct tn_check_summary summary;
        char                    path[300];
        snprintf(path, sizeof path, DATA "saved_model/fuzz_generated/%s",
                 rows[i][0]);
        assert_int_equal(
            tn_check(path, NULL, NULL, note_rule, &rules, &summary, &error),
            TN_OK);
        for (size_t k = 1; k < 4 && rows[i][k]; k++)
            if (!strstr(rules.text, rows[i][k]))
                fail_msg("%s: no %s, but%s", rows[i][0], rows[i][k],
                         rules.text);
    }
}

static void test_no_models(void **state)
{
    static const char *const rows[][3] = {
        { "checkpoint", "model_checkpoint_path: \"m-7\"\n", "open m-7.index" },
        { "m.data-00000-of-00001", "\1\2\3\4", "open m.index" },
        { "tfhub_module.pb", "\x08\x03", "TensorFlow Hub" },
        { "keras_metadata.pb", "\x0a\x02", "Keras" },
    };
    char folder[] = "/tmp/tenon-tf-XXXXXX";
    char path[100];

    (void)state;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_model *model;
        snprintf(path, sizeof path, "%s/%s", folder, rows[i][0]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(rows[i][1], file);
        fclose(file);
        assert_int_not_equal(tn_model_open(&model, path, NULL, &error), TN_OK);
        if (!strstr(error.what, rows[i][2]))
            fail_msg("%s: %s", rows[i][0], error.what);
        remove(path);
    }
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frozen_graphs),
        cmocka_unit_test(test_saved_models),
        cmocka_unit_test(test_import_suite),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_no_models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
