/* sd_expected_test.c - real SameDiff files against the values beside them */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "codec/crc32.h"
#include "format/samediff/samediff.h"
#include "support/hostile.h"

#include <tenon/tenon.h>

#define DATA TN_SHARED_DATA "/samediff/"

enum { FIELDS = 14 };

static void cut(char *line, char *fields[FIELDS])
{
    char *rest = line;

    for (int i = 0; i < FIELDS; i++) {
        fields[i] = strsep(&rest, "\t\n");
        if (!fields[i])
            fields[i] = (char *)"";
    }
}

/* Every other time with read_at alone. */
static struct tn_model *open_model(const char *name)
{
    static unsigned   calls;
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_options options = { .wants_graph   = true,
                                  .keep_unmapped = calls++ % 2 };
    struct tn_model  *model;
    char              path[512];

    snprintf(path, sizeof path, DATA "%s", name);
    if (tn_model_open(&model, path, &options, &error) != TN_OK)
        fail_msg("%s: byte %llu: %s: %s", path,
                 (unsigned long long)error.offset, error.where, error.what);
    return model;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

static uint64_t count_kind(const struct tn_sd_graph *g, int kind)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < g->variable_count; i++)
        count += g->variables[i].kind == kind;
    return count;
}

static void decode_attributes(const struct tn_model *model)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_attr *attr;

    for (uint32_t op = 0; op < tn_model_op_count(model); op++) {
        uint32_t count = tn_op_attr_count(model, op);
        assert_true(count >= 2); /* opType and opNum */
        for (uint32_t i = 0; i < count; i++) {
            if (tn_attr_open(&attr, model, op, i, &error) != TN_OK)
                fail_msg("%s", error.what);
            tn_attr_close(attr);
        }
    }
}

/* file size variables VARIABLE CONSTANT ARRAY PLACEHOLDER nodes arrays loss
 * training_config updater_params graph_slots node_slots */
static void same_graph(char *line)
{
    char *f[FIELDS];

    cut(line, f);
    struct tn_model           *model  = open_model(f[0]);
    const struct tn_sd_detail *detail = tn_sd_detail_of(model);
    const struct tn_sd_graph  *g      = &detail->graphs[0];
    assert_int_equal(tn_model_file_size(model), number(f[1]));
    assert_int_equal(g->variable_count, number(f[2]));
    assert_int_equal(count_kind(g, TN_SD_VARIABLE), number(f[3]));
    assert_int_equal(count_kind(g, TN_SD_CONSTANT), number(f[4]));
    assert_int_equal(count_kind(g, TN_SD_ARRAY), number(f[5]));
    assert_int_equal(count_kind(g, TN_SD_PLACEHOLDER), number(f[6]));
    assert_int_equal(tn_model_node_count(model), number(f[7]));
    assert_int_equal(tn_model_op_count(model), number(f[7]));
    assert_int_equal(tn_model_tensor_count(model), number(f[8]));
    assert_int_equal(g->loss.count, number(f[9]));
    assert_string_equal(detail->training.size ? "yes" : "no", f[10]);
    assert_int_equal(detail->state_count, number(f[11]));
    assert_int_equal(g->graph_slots, number(f[12]));
    assert_int_equal(g->node_slots, number(f[13]));
    decode_attributes(model);
    tn_model_close(model);
}

/* ---- arrays ------------------------------------------------------------- */

struct sum {
    uint32_t crc;
    uint64_t bytes;
};

static enum tn_status add_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct sum *sum   = context;
    size_t      size  = (size_t)text.length;
    uint8_t    *bytes = malloc(size + 1);

    assert_non_null(bytes);
    if (index)
        sum->crc = tn_crc32(sum->crc, "", 1);
    if (size)
        tn_source_read(text.source, text.offset, bytes, size, error);
    sum->crc = tn_crc32(sum->crc, bytes, size);
    sum->bytes += size;
    free(bytes);
    return error->status;
}

static struct sum sum_of(const struct tn_tensor *tensor)
{
    struct tn_error error = TN_ERROR_INIT;
    struct sum      sum   = { 0, tn_tensor_size(tensor) };

    if (tn_tensor_dtype(tensor) == TN_STRING) {
        tn_payload_strings(&tensor->elements, 0, tn_tensor_count(tensor),
                           add_string, &sum, &error);
    } else {
        void *bytes = malloc((size_t)sum.bytes + 1);
        assert_non_null(bytes);
        tn_tensor_read(tensor, 0, bytes, (size_t)sum.bytes, &error);
        sum.crc = tn_crc32(0, bytes, (size_t)sum.bytes);
        free(bytes);
    }
    assert_int_equal(error.status, TN_OK);
    return sum;
}

/* role and name, as the table has them */
static void name_of(const struct tn_model *model, const struct tn_tensor *t,
                    char *role, char *name, size_t size)
{
    struct tn_bytes text = tn_tensor_name(t);

    snprintf(role, size, "variable");
    snprintf(name, size, "%.*s", TN_FMT(text));
    if (t->role == TN_ROLE_STATE) {
        char key[32], param[200];
        assert_int_equal(sscanf(name, "updater/%31[^/]/%199s", key, param), 2);
        snprintf(role, size, "updater:%s", key);
        snprintf(name, size, "%s", param);
    } else if (t->role == TN_ROLE_ATTRIBUTE) {
        struct tn_op_info op   = tn_model_op(model, t->node);
        bool              is_s = t->slot == TN_NONE;
        snprintf(role, size, is_s ? "op-scalar" : "op-property");
        snprintf(name, size, "%.*s", TN_FMT(op.name));
    }
}

static void put_dims(const struct tn_tensor *tensor, char *to, size_t size)
{
    size_t at = 0;

    snprintf(to, size, tn_tensor_count(tensor) ? "scalar" : "empty");
    for (uint32_t i = 0; tn_tensor_count(tensor) && i < tn_tensor_rank(tensor);
         i++)
        at += (size_t)snprintf(to + at, size - at, "%s%llu", i ? "x" : "",
                               (unsigned long long)tn_tensor_dims(tensor)[i]);
}

/* file role name dtype order dims values nbytes crc32 */
static void same_array(const struct tn_model *model, uint64_t index, char *f[])
{
    const struct tn_tensor *t = tn_model_tensor(model, index);
    char                    role[300], name[300], dims[200], crc[16];
    struct sum              sum = sum_of(t);

    name_of(model, t, role, name, sizeof role);
    assert_string_equal(role, f[1]);
    if (strcmp(role, "op-property") == 0)
        assert_memory_equal(name, f[2], strlen(name)); /* .PROPERTY follows */
    else
        assert_string_equal(name, f[2]);
    assert_string_equal(tn_sd_dtype_name(tn_sd_dtype_code(tn_tensor_dtype(t))),
                        f[3]);
    put_dims(t, dims, sizeof dims);
    assert_string_equal(dims, f[5]);
    assert_int_equal(tn_tensor_count(t), number(f[6]));
    assert_int_equal(sum.bytes, number(f[7]));
    snprintf(crc, sizeof crc, "%08x", (unsigned)sum.crc);
    assert_string_equal(crc, f[8]);
}

static FILE *open_table(const char *path)
{
    FILE *rows = fopen(path, "r");
    char  line[2048];

    if (!rows)
        print_message("skipped: wants real models\n");
    else
        assert_non_null(fgets(line, sizeof line, rows)); /* the heading */
    return rows;
}

static void test_graphs(void **state)
{
    FILE *rows = open_table(DATA "expected_graphs.tsv");
    char  line[2048];

    (void)state;
    while (rows && fgets(line, sizeof line, rows)) {
        char again[2048];
        memcpy(again, line, sizeof again);
        same_graph(line);
        same_graph(again);
    }
    if (rows)
        fclose(rows);
}

static void test_arrays(void **state)
{
    FILE            *rows = open_table(DATA "expected_arrays.tsv");
    char             line[2048], file[512] = "", *f[FIELDS];
    struct tn_model *model = NULL;
    uint64_t         index = 0, total = 0;

    (void)state;
    for (; rows && fgets(line, sizeof line, rows); index++, total++) {
        cut(line, f);
        if (strcmp(file, f[0]) != 0) {
            tn_model_close(model);
            snprintf(file, sizeof file, "%s", f[0]);
            model = open_model(file);
            index = 0;
        }
        same_array(model, index, f);
    }
    tn_model_close(model);
    if (rows) {
        assert_int_equal(total, 318);
        fclose(rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_arrays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
