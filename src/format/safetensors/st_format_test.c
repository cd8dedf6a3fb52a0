/* st_format_test.c - safetensors as a model: opened, checked, written */
#define _GNU_SOURCE
#include <inttypes.h>
#include "format/safetensors/st.h"

#include <stdlib.h>

#include "support/little_models.h"

/* Length, header, data. */
static void make_file(struct tn_scratch *scratch, const char *name,
                      const char *header, struct tn_bytes data)
{
    size_t   length = strlen(header);
    uint8_t *all    = calloc(1, 8 + length + data.size);

    assert_non_null(all);
    for (unsigned i = 0; i < 8; i++)
        all[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(all + 8, header, length);
    if (data.size)
        memcpy(all + 8 + length, data.data, data.size);
    tn_scratch_put(scratch, name, tn_bytes(all, 8 + length + data.size));
    free(all);
}

static struct tn_model *open_model(struct tn_scratch *scratch, const char *name)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    if (tn_model_open(&model, tn_in_scratch(scratch, name), NULL, &error) !=
        TN_OK)
        fail_msg("%s: %s: %s", name, error.where, error.what);
    return model;
}

/* What was lost, one line each. */
struct losses {
    char text[400];
};

static void note_loss(void *context, uint64_t offset, const char *where,
                      const char *what)
{
    struct losses *losses = context;
    size_t         used   = strlen(losses->text);

    assert_int_equal(offset, TN_NOWHERE);
    snprintf(losses->text + used, sizeof losses->text - used, "%s: %s\n", where,
             what);
}

static enum tn_status convert(struct tn_scratch *scratch, const char *from,
                              const char *to, uint64_t shard_size,
                              struct losses *losses)
{
    struct tn_error           error = TN_ERROR_INIT;
    struct tn_model          *model = open_model(scratch, from);
    struct tn_convert_summary summary;
    char                      size[24];
    struct tn_setting         setting = { "shard-size", size };
    struct tn_convert_options how     = { .settings      = &setting,
                                          .setting_count = shard_size ? 1 : 0,
                                          .loss          = note_loss,
                                          .loss_context  = losses };
    struct tn_target          target  = { .path = tn_in_scratch(scratch, to),
                                          .can_replace = true };

    losses->text[0] = '\0';
    snprintf(size, sizeof size, "%" PRIu64, shard_size);
    tn_convert(model, &how, &target, NULL, &summary, &error);
    tn_model_close(model);
    return error.status;
}

static bool same_files(struct tn_scratch *scratch, const char *a, const char *b)
{
    struct tn_bytes x       = tn_load_file(tn_in_scratch(scratch, a));
    struct tn_bytes y       = tn_load_file(tn_in_scratch(scratch, b));
    bool            is_same = x.data && y.data && tn_bytes_equal(x, y);

    free((void *)(uintptr_t)x.data);
    free((void *)(uintptr_t)y.data);
    return is_same;
}

/* As the reference lays it out: types by descending alignment, then names. */
#define CANONICAL                                                              \
    "{\"__metadata__\":{\"format\":\"pt\",\"q\":\"\\\"\\n\"},"                 \
    "\"n\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"          \
    "\"\xc3\xa9\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[8,16]},"   \
    "\"c\":{\"dtype\":\"C64\",\"shape\":[1],\"data_offsets\":[16,24]},"        \
    "\"a\":{\"dtype\":\"BF16\",\"shape\":[2,1],\"data_offsets\":[24,28]},"     \
    "\"b\":{\"dtype\":\"BF16\",\"shape\":[0],\"data_offsets\":[28,28]},"       \
    "\"x\":{\"dtype\":\"F8_E5M2FNUZ\",\"shape\":[1],"                          \
    "\"data_offsets\":[28,29]},"                                               \
    "\"f\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[29,31]},"         \
    "\"t\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[31,32]}}"

static void make_canonical(struct tn_scratch *scratch, const char *name)
{
    uint8_t data[32];
    char    header[sizeof CANONICAL + 8];

    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7 + 1);
    strcpy(header, CANONICAL);
    while (strlen(header) % 8)
        strcat(header, " ");
    make_file(scratch, name, header, tn_bytes(data, sizeof data));
}

static void canonical_files_come_back(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct losses     losses;

    (void)state;
    make_canonical(&scratch, "a.safetensors");
    assert_int_equal(
        convert(&scratch, "a.safetensors", "b.safetensors", 0, &losses), TN_OK);
    assert_string_equal(losses.text, "");
    assert_true(same_files(&scratch, "a.safetensors", "b.safetensors"));
    tn_scratch_close(&scratch);
}

static void elements_are_where_the_header_says(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    uint8_t           bytes[4];

    (void)state;
    make_canonical(&scratch, "a.safetensors");
    struct tn_model *model = open_model(&scratch, "a.safetensors");
    assert_int_equal(tn_model_tensor_count(model), 8);
    const struct tn_tensor *a = tn_model_find(model, "a");
    assert_int_equal(tn_tensor_dtype(a), TN_BFLOAT16);
    assert_int_equal(tn_tensor_rank(a), 2);
    assert_int_equal(tn_tensor_read(a, 0, bytes, 4, &error), TN_OK);
    assert_int_equal(bytes[0], 24 * 7 + 1);
    const struct tn_tensor *f = tn_model_find(model, "f");
    assert_int_equal(tn_tensor_dtype(f), TN_FLOAT4E2M1);
    assert_int_equal(tn_tensor_read(f, 0, bytes, 4, &error), TN_OK);
    assert_int_equal(bytes[0], 0xc); /* 0xcc: low half first */
    assert_int_equal(bytes[2], 0x3); /* 0xd3 */
    assert_int_equal(bytes[3], 0xd);
    assert_int_equal(tn_model_fact_count(model), 2);
    assert_true(tn_bytes_is(tn_model_fact(model, 0).value, "format=pt"));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void shards_come_back(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct losses     losses;

    (void)state;
    make_canonical(&scratch, "a.safetensors");
    assert_int_equal(mkdir(tn_in_scratch(&scratch, "m"), 0777), 0);
    assert_int_equal(convert(&scratch, "a.safetensors",
                             "m/m.safetensors.index.json", 16, &losses),
                     TN_OK);
    assert_true(tn_scratch_has(&scratch, "m/m-00001-of-00002.safetensors"));
    assert_true(tn_scratch_has(&scratch, "m/m-00002-of-00002.safetensors"));
    assert_int_equal(convert(&scratch, "m", "b.safetensors", 0, &losses),
                     TN_OK);
    assert_true(same_files(&scratch, "a.safetensors", "b.safetensors"));
    /* A limit for one file is a misunderstanding. */
    assert_int_equal(
        convert(&scratch, "a.safetensors", "c.safetensors", 16, &losses),
        TN_INVALID);
    tn_scratch_close(&scratch);
}

static void graphs_are_left_behind_and_said(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct losses     losses;

    (void)state;
    tn_make_model(&scratch, "a.onnx", little_onnx);
    assert_int_equal(convert(&scratch, "a.onnx", "a.safetensors", 0, &losses),
                     TN_OK);
    assert_string_equal(losses.text, ": the graph is left behind: 1 node\n");
    tn_make_model(&scratch, "b.pb", little_graph);
    assert_int_equal(convert(&scratch, "b.pb", "b.safetensors", 0, &losses),
                     TN_OK);
    /* One has the name of its graph in __metadata__. */
    assert_false(same_files(&scratch, "a.safetensors", "b.safetensors"));
    /* By way of a checkpoint it is the same. */
    assert_int_equal(convert(&scratch, "b.safetensors", "c.index", 0, &losses),
                     TN_OK);
    assert_int_equal(convert(&scratch, "c.index", "c.safetensors", 0, &losses),
                     TN_OK);
    assert_true(same_files(&scratch, "b.safetensors", "c.safetensors"));
    tn_scratch_close(&scratch);
}

/* Names that clash, types that are not there, types that are made wider. */
static const char odd_onnx[] =
    "ir_version: 8 opset_import { version: 17 } graph { name: \"g\"\n"
    "  node { output: \"c\" op_type: \"Constant\" attribute { name: \"value\"\n"
    "    type: TENSOR t { dims: 1 data_type: 3 raw_data: \"\\007\" } } }\n"
    "  initializer { dims: 1 data_type: 8 name: \"s\" string_data: \"x\" }\n"
    "  initializer { dims: 1 data_type: 15 name: \"z\" raw_data:\n"
    "    \"\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\" }\n"
    "  initializer { dims: 3 data_type: 22 name: \"i\" raw_data: "
    "\"\\341\\017\"\n"
    "  } }\n";

static void what_does_not_fit_is_said(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct losses     losses;
    int8_t            codes[3];

    (void)state;
    tn_make_model(&scratch, "a.onnx", odd_onnx);
    assert_int_equal(convert(&scratch, "a.onnx", "a.safetensors", 0, &losses),
                     TN_OK);
    assert_string_equal(losses.text,
                        ": the graph is left behind: 1 node\n"
                        "s: left behind: safetensors has no strings\n"
                        "z: left behind: safetensors has no such elements\n"
                        "i: int4 is written as int8\n");
    struct tn_model *model = open_model(&scratch, "a.safetensors");
    assert_int_equal(tn_model_tensor_count(model), 2);
    const struct tn_tensor *wide = tn_model_find(model, "i");
    assert_int_equal(tn_tensor_dtype(wide), TN_INT8);
    assert_int_equal(tn_tensor_read(wide, 0, codes, 3, &error), TN_OK);
    assert_true(codes[0] == 1 && codes[1] == -2 && codes[2] == -1);
    assert_non_null(tn_model_find(model, "graph.node[0].attribute[0].t"));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* ---- indices that lie --------------------------------------------------- */

#define ONE "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}"
#define MAP "{\"weight_map\":{"

static const struct {
    const char    *name, *index;
    enum tn_status status;
    const char    *rules;
} lies[] = {
    { "the truth", MAP "\"a\":\"1.safetensors\"}}", TN_OK, "" },
    { "a wrong sum",
      "{\"metadata\":{\"total_size\":2},\"weight_map\":{\"a\":"
      "\"1.safetensors\"}}",
      TN_OK, "wrong-total" },
    { "a tensor too many",
      MAP "\"a\":\"1.safetensors\",\"b\":\"1.safetensors\"}}", TN_MALFORMED,
      "missing-tensor" },
    { "a file that is not there", MAP "\"a\":\"0.safetensors\"}}", TN_NOT_FOUND,
      "missing-shard missing-tensor" },
    { "a file outside", MAP "\"a\":\"../1.safetensors\"}}", TN_INVALID,
      "missing-shard missing-tensor" },
    { "an absolute file", MAP "\"a\":\"/etc/passwd\"}}", TN_INVALID,
      "missing-shard missing-tensor" },
    { "a link", MAP "\"a\":\"link.safetensors\"}}", TN_INVALID,
      "missing-shard missing-tensor" },
    { "a pickle", MAP "\"a\":\"bad.txt\"}}", TN_LIMIT,
      "bad-shard missing-tensor" },
    { "in the other file",
      MAP "\"a\":\"1.safetensors\",\"b\":\"2.safetensors\"}}", TN_MALFORMED,
      "misplaced-tensor missing-tensor" },
    { "tensors it does not know", MAP "\"b\":\"2.safetensors\"}}", TN_MALFORMED,
      "stray-tensor missing-tensor" },
};

/* Names in the metadata for a tensor of six bytes, 0 to 5. */
#define SIX                                                                    \
    "\"a\":{\"dtype\":\"U8\",\"shape\":[2,3],\"data_offsets\":[0,6]}}"
#define VIEW(text) "{\"__metadata__\":{\"tenon.views\":\"" text "\"}," SIX

static const struct {
    const char    *name, *header;
    enum tn_status status;
    const char    *tensors; /* each "NAME=ELEMENTS;" */
} aliases[] = {
    { "a name", "{\"__metadata__\":{\"b\":\"a\",\"format\":\"pt\"}," SIX, TN_OK,
      "a=012345;b=012345;" },
    { "a name that is a tensor", "{\"__metadata__\":{\"a\":\"a\"}," SIX, TN_OK,
      "a=012345;" },
    { "a part",
      VIEW("{\\\"b\\\":{\\\"of\\\":\\\"a\\\",\\\"start\\\":2,\\\"shape\\\":[2]}}"),
      TN_OK, "a=012345;b=23;" },
    { "transposed",
      VIEW("{\\\"b\\\":{\\\"of\\\":\\\"a\\\",\\\"shape\\\":[3,2],\\\"strides\\\":[1,3]}}"),
      TN_OK, "a=012345;b=031425;" },
    { "a part that leaves it",
      VIEW("{\\\"b\\\":{\\\"of\\\":\\\"a\\\",\\\"start\\\":5,\\\"shape\\\":[2]}}"),
      TN_MALFORMED, NULL },
    { "strides that leave it",
      VIEW("{\\\"b\\\":{\\\"of\\\":\\\"a\\\",\\\"shape\\\":[3,2],\\\"strides\\\":[2,3]}}"),
      TN_MALFORMED, NULL },
    { "of nothing",
      VIEW("{\\\"b\\\":{\\\"of\\\":\\\"c\\\",\\\"shape\\\":[2]}}"), TN_MALFORMED,
      NULL },
    { "a name that is taken",
      VIEW("{\\\"a\\\":{\\\"of\\\":\\\"a\\\",\\\"shape\\\":[2]}}"), TN_MALFORMED,
      NULL },
    { "a name twice",
      VIEW("{\\\"b\\\":{\\\"of\\\":\\\"a\\\",\\\"shape\\\":[2]},\\\"b\\\":{}}"),
      TN_MALFORMED, NULL },
    { "strides too many",
      VIEW("{\\\"b\\\":{\\\"of\\\":\\\"a\\\",\\\"shape\\\":[2],\\\"strides\\\":[1,1]}}"),
      TN_MALFORMED, NULL },
    { "no JSON", VIEW("{"), TN_TRUNCATED, NULL },
    { "a list", VIEW("[]"), TN_MALFORMED, NULL },
};

static int note_rule(void *context, const struct tn_finding *finding)
{
    char  *rules = context;
    size_t used  = strlen(rules);

    snprintf(rules + used, 200 - used, "%s%s", used ? " " : "", finding->rule);
    return 0;
}

static void show_tensors(const struct tn_model *model, char *to, size_t room)
{
    size_t used = 0;

    to[0] = 0;
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        struct tn_error         error  = TN_ERROR_INIT;
        uint8_t                 bytes[16];
        size_t                  size = (size_t)tn_tensor_size(tensor);
        assert_true(size <= sizeof bytes);
        assert_int_equal(tn_tensor_read(tensor, 0, bytes, size, &error), TN_OK);
        used += (size_t)snprintf(to + used, room - used, "%.*s=",
                                 TN_FMT(tn_tensor_name(tensor)));
        for (size_t k = 0; k < size; k++)
            used += (size_t)snprintf(to + used, room - used, "%d", bytes[k]);
        used += (size_t)snprintf(to + used, room - used, ";");
    }
}

static void names_of_the_metadata_are_tensors(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        struct tn_error  error     = TN_ERROR_INIT;
        char             rules[200] = "", text[100];
        struct tn_model *model;
        make_file(&scratch, "a.safetensors", aliases[i].header,
                  tn_bytes("\0\1\2\3\4\5", 6));
        const char *path = tn_in_scratch(&scratch, "a.safetensors");
        tn_model_open(&model, path, NULL, &error);
        if (error.status != aliases[i].status)
            fail_msg("%s: status %d: %s", aliases[i].name, error.status,
                     error.what);
        if (model) {
            show_tensors(model, text, sizeof text);
            assert_string_equal(text, aliases[i].tensors);
        }
        tn_model_close(model);
        error = (struct tn_error)TN_ERROR_INIT;
        path  = tn_in_scratch(&scratch, "a.safetensors");
        tn_check(path, NULL, NULL, note_rule, rules, NULL, &error);
        assert_string_equal(rules, aliases[i].tensors ? "" : "bad-alias");
    }
    tn_scratch_close(&scratch);
}

/* What was read under several names is stored once again. */
static void names_come_back(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char              text[100];

    (void)state;
    make_file(&scratch, "a.safetensors", aliases[3].header,
              tn_bytes("\0\1\2\3\4\5", 6));
    struct tn_model *model = open_model(&scratch, "a.safetensors");
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_target target = {
        .path = tn_in_scratch(&scratch, "b.safetensors")
    };
    assert_int_equal(tn_convert(model, NULL, &target, NULL, NULL, &error),
                     TN_OK);
    tn_model_close(model);
    model = open_model(&scratch, "b.safetensors");
    show_tensors(model, text, sizeof text);
    assert_string_equal(text, "a=012345;b=031425;");
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void indices_and_files_agree(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    const char       *path;

    (void)state;
    make_file(&scratch, "1.safetensors", ONE, tn_text("x"));
    make_file(&scratch, "2.safetensors", ONE, tn_text("y"));
    tn_write_text(&scratch, "bad.txt", "\x80\x02}q\x01(no safetensors at all");
    assert_int_equal(
        symlinkat("1.safetensors", scratch.folder, "link.safetensors"), 0);
    path = tn_in_scratch(&scratch, "m.safetensors.index.json");
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT, own = TN_ERROR_INIT;
        struct tn_model *model;
        char             rules[200] = "";
        tn_write_text(&scratch, "m.safetensors.index.json", lies[i].index);
        tn_model_open(&model, path, NULL, &error);
        tn_model_close(model);
        tn_check(path, NULL, NULL, note_rule, rules, NULL, &own);
        if (error.status != lies[i].status ||
            strcmp(rules, lies[i].rules) != 0 || own.status)
            fail_msg("%s: status %d: %s; rules '%s'", lies[i].name,
                     error.status, error.what, rules);
    }
    tn_scratch_close(&scratch);
}

static void folders_hold_one_model(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    (void)state;
    make_file(&scratch, "1.safetensors", ONE, tn_text("x"));
    assert_int_equal(tn_model_open(&model, scratch.path, NULL, &error), TN_OK);
    tn_model_close(model);
    make_file(&scratch, "2.safetensors", ONE, tn_text("y"));
    assert_int_equal(tn_model_open(&model, scratch.path, NULL, &error),
                     TN_NOT_FOUND);
    assert_non_null(strstr(error.what, "2.safetensors"));
    tn_scratch_close(&scratch);
}

/* ---- trouble with the machine ------------------------------------------- */

static enum tn_status open_and_write(struct tn_scratch       *scratch,
                                     const struct tn_options *options,
                                     struct tn_error         *error)
{
    struct tn_target target = { .path =
                                    tn_in_scratch(scratch, "out.safetensors"),
                                .can_replace = true };
    struct tn_model *model;

    tn_model_open(&model, tn_in_scratch(scratch, "m.safetensors.index.json"),
                  options, error);
    if (model)
        tn_convert(model, NULL, &target, options, NULL, error);
    tn_model_close(model);
    return error->status;
}

static void every_allocation_may_fail(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct losses     losses;

    (void)state;
    make_canonical(&scratch, "a.safetensors");
    assert_int_equal(convert(&scratch, "a.safetensors",
                             "m.safetensors.index.json", 16, &losses),
                     TN_OK);
    for (uint64_t n = 0;; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator = &allocator };
        struct tn_error     error     = TN_ERROR_INIT;
        enum tn_status      status = open_and_write(&scratch, &options, &error);
        assert_int_equal(budget.blocks, 0);
        if (status == TN_OK)
            break;
        assert_int_equal(status, TN_NO_MEMORY);
        assert_false(tn_scratch_has(&scratch, "out.safetensors"));
    }
    assert_true(same_files(&scratch, "a.safetensors", "out.safetensors"));
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_files_come_back),
        cmocka_unit_test(elements_are_where_the_header_says),
        cmocka_unit_test(shards_come_back),
        cmocka_unit_test(graphs_are_left_behind_and_said),
        cmocka_unit_test(what_does_not_fit_is_said),
        cmocka_unit_test(names_of_the_metadata_are_tensors),
        cmocka_unit_test(names_come_back),
        cmocka_unit_test(indices_and_files_agree),
        cmocka_unit_test(folders_hold_one_model),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
