/* sd_model_test.c - graphs in every container, there and back, and lies */
#include <unistd.h>

#include "format/registry.h"
#include "format/samediff/sd_testing.h"

#define SHARED TN_SHARED_DATA "/samediff/"

/* ---- attributes --------------------------------------------------------- */

static struct tn_attr *find(const struct tn_model *model, uint32_t op,
                            const char *name)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_attr *attr;

    if (tn_attr_find(&attr, model, op, name, &error) != TN_OK)
        fail_msg("%s: %s", name, error.what);
    return attr;
}

static void is_ints(const struct tn_model *model, const char *name,
                    enum tn_attr_kind kind, int64_t first, uint32_t count)
{
    struct tn_attr             *attr  = find(model, 0, name);
    const struct tn_attr_value *value = tn_attr_get(attr);

    assert_int_equal(value->kind, kind);
    assert_int_equal(value->count, count);
    assert_int_equal(value->of.ints[0], first);
    tn_attr_close(attr);
}

static void arguments_are_attributes(void **state)
{
    struct tn_bytes  bytes = sd_make(sd_little);
    struct sd_opened o;

    (void)state;
    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    const struct tn_model *model = &o.model;
    is_ints(model, "iArgs", TN_ATTR_INT, 1, 2);
    is_ints(model, "bArgs", TN_ATTR_BOOL, 1, 2);
    is_ints(model, "dArgs", TN_ATTR_DTYPE, TN_INT64, 1);
    is_ints(model, "dimensions", TN_ATTR_INT, 0, 2);
    is_ints(model, "outputTypes", TN_ATTR_DTYPE, TN_FLOAT32, 1);
    struct tn_attr *attr = find(model, 0, "tArgs");
    assert_true(tn_attr_get(attr)->of.doubles[0] == 0.5);
    tn_attr_close(attr);
    attr = find(model, 0, "sArgs");
    assert_true(tn_bytes_is(tn_attr_get(attr)->of.strings[0], "frame"));
    tn_attr_close(attr);
    attr = find(model, 0, "opType");
    assert_true(tn_bytes_is(tn_attr_get(attr)->of.strings[0], "CUSTOM"));
    tn_attr_close(attr);
    attr = find(model, 1, "scalar");
    assert_int_equal(tn_tensor_count(tn_attr_get(attr)->of.tensors[0]), 1);
    tn_attr_close(attr);
    assert_int_equal(tn_model_op(model, 1).control_count, 1);
    assert_int_equal(tn_op_attr_count(model, 1), 4);
    sd_close(&o);
    sd_free(bytes);
}

/* ---- there and back ----------------------------------------------------- */

static struct tn_bytes convert(struct sd_opened       *from,
                               const struct tn_format *format,
                               uint64_t shard_size, uint64_t most_losses)
{
    struct tn_error error  = TN_ERROR_INIT;
    uint64_t        losses = 0;
    struct tn_bytes bytes =
        sd_write(&from->model, format, shard_size, &losses, &error);

    if (!bytes.data)
        fail_msg("%s: %s: %s", format->name, error.where, error.what);
    assert_true(losses <= most_losses);
    return bytes;
}

/* Classic, SDNB, SDZ, SDZ in shards, classic: the same model everywhere. */
static void goes_round(struct tn_bytes bytes)
{
    static const struct {
        const struct tn_format *format;
        uint64_t                shard_size;
    } ways[] = { { &tn_format_sdnb, 0 },
                 { &tn_format_sdz, 0 },
                 { &tn_format_sdz, 16 },
                 { &tn_format_samediff_fb, 0 } };
    struct sd_opened first, o[4];
    struct tn_bytes  made[4];

    sd_must_open(&first, &tn_format_samediff_fb, bytes);
    for (int i = 0; i < 4; i++) {
        made[i] = convert(i ? &o[i - 1] : &first, ways[i].format,
                          ways[i].shard_size, 0);
        sd_must_open(&o[i], ways[i].format, made[i]);
        if (ways[i].shard_size == 0)
            sd_same_model(&first.model, &o[i].model);
        else
            sd_same_ops(&first.model, &o[i].model);
    }
    for (int i = 0; i < 4; i++) {
        sd_close(&o[i]);
        sd_free(made[i]);
    }
    sd_close(&first);
}

static void a_little_model_goes_round(void **state)
{
    struct tn_bytes bytes = sd_make(sd_little);

    (void)state;
    goes_round(bytes);
    sd_free(bytes);
}

static void what_stays_is_the_same_bytes(void **state)
{
    static const struct tn_format *const formats[] = { &tn_format_samediff_fb,
                                                       &tn_format_sdnb,
                                                       &tn_format_sdz };
    struct tn_bytes  bytes = sd_make(sd_little), made[3], again;
    struct sd_opened first, o;

    (void)state;
    sd_must_open(&first, &tn_format_samediff_fb, bytes);
    for (int i = 0; i < 3; i++) {
        made[i] = convert(&first, formats[i], 0, 0);
        sd_must_open(&o, formats[i], made[i]);
        again = convert(&o, formats[i], 0, 0);
        sd_same_bytes(made[i], again);
        sd_free(again);
        sd_close(&o);
    }
    sd_same_bytes(bytes, made[0]);
    for (int i = 0; i < 3; i++)
        sd_free(made[i]);
    sd_close(&first);
    sd_free(bytes);
}

static void real_files_go_round(void **state)
{
    static const char *const files[] = {
        "libnd4j/assert_type_rank2_int64.fb",
        "libnd4j/avg_pooling3d.fb",
        "libnd4j/identity_n_2.fb",
        "libnd4j/non2d_1.fb",
        "libnd4j/reduce_all_rank2_d0_keep.fb",
        "libnd4j/simpleif_0_alt.fb",
        "libnd4j/simplewhile_1.fb",
        "models/iris_mlp_sgd.fb",
        "models/mnist_mlp_adam.fb",
        "models/onnx_loop_invoke.fb",
        "models/lstm_layer.fb",
        "models/stack_bidirectional_rnn.fb",
    };
    char path[512];

    (void)state;
    if (access(SHARED "README.md", R_OK) != 0) {
        print_message("skipped: wants real models\n");
        return;
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, SHARED "%s", files[i]);
        struct tn_bytes bytes = tn_load_file(path);
        assert_non_null(bytes.data);
        goes_round(bytes);
        sd_free(bytes);
    }
}

/* ---- what a container cannot hold --------------------------------------- */

static void strings_are_refused_by_sdnb(void **state)
{
    char *json = sd_replace(
        sd_little, "\"ndarray\": { " SD_COLUMNS " }",
        "\"ndarray\": { \"shape\": [0, 1048576, 1, 99], \"dtype\": \"UTF8\", "
        "\"buffer\": [0,0,0,0,0,0,0,0, 1,0,0,0,0,0,0,0, 97] }");
    struct tn_bytes  bytes = sd_make(json);
    struct tn_error  error = TN_ERROR_INIT;
    uint64_t         losses;
    struct sd_opened o;

    (void)state;
    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    assert_null(sd_write(&o.model, &tn_format_sdnb, 0, &losses, &error).data);
    assert_int_equal(error.status, TN_INVALID);
    assert_string_equal(error.where, "c");
    sd_close(&o);
    sd_free(bytes);
    free(json);
}

static void metadata_are_left_behind_by_classic(void **state)
{
    char            *json  = sd_replace(sd_little, "\"placeholders\"",
                                        "\"metadataKeys\": [\"who\", \"shard.index\"], "
                                                    "\"metadataValues\": [\"me\", \"0\"], "
                                                    "\"placeholders\"");
    struct tn_bytes  bytes = sd_make(json), sdnb, back;
    struct sd_opened o, p;

    (void)state;
    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    sdnb = convert(&o, &tn_format_sdnb, 0, 0);
    sd_must_open(&p, &tn_format_sdnb, sdnb);
    const struct tn_sd_graph *g = &tn_sd_detail_of(&p.model)->graphs[0];
    assert_int_equal(g->meta_keys.count, 3);
    assert_true(tn_bytes_is(g->meta_keys.items[2], "who"));
    struct tn_error error = TN_ERROR_INIT;
    uint64_t        losses;
    back = sd_write(&p.model, &tn_format_samediff_fb, 0, &losses, &error);
    assert_int_equal(losses, 1);
    sd_free(back);
    sd_close(&p);
    sd_free(sdnb);
    sd_close(&o);
    sd_free(bytes);
    free(json);
}

/* ---- check -------------------------------------------------------------- */

static const struct {
    const char *rule, *old, *new;
} lies[] = {
    { "", "\"opNum\": 1", "\"opNum\": 2" },
    { "duplicate-variable", "\"name\": \"c\"", "\"name\": \"w\"" },
    { "duplicate-number", "\"first\": 3", "\"first\": 2" },
    { "duplicate-node", "\"name\": \"add\"", "\"name\": \"mmul\"" },
    { "dangling-input", "[{\"first\": 4}]", "[{\"first\": 44}]" },
    { "unknown-output", "\"outputNames\": [\"out\"]",
      "\"outputNames\": [\"oit\"]" },
    { "wrong-number", "\"first\": 5}", "\"first\": 6}" },
    { "wrong-output-types", "\"outputTypes\": [\"FLOAT\"]",
      "\"outputTypes\": [\"FLOAT\", \"BOOL\"]" },
    { "missing-data", "\"ndarray\": { " SD_TWO " },", "" },
    { "wrong-dtype", "\"name\": \"w\", \"dtype\": \"FLOAT\"",
      "\"name\": \"w\", \"dtype\": \"INT32\"" },
    { "wrong-flags", "[1, 2, 1, 8192, 1, 99]", "[1, 2, 1, 16384, 1, 99]" },
    { "unknown-kind", "\"CONSTANT\"", "77" },
    { "sequence", "\"PLACEHOLDER\"", "4" },
    { "unknown-dtype", "\"name\": \"mmul\", \"dtype\": \"FLOAT\"",
      "\"name\": \"mmul\", \"dtype\": 99" },
    { "unknown-op-type", "\"opType\": \"CUSTOM\"", "\"opType\": 99" },
    { "wrong-placeholders", "\"placeholders\": [\"x\"]",
      "\"placeholders\": [\"w\"]" },
    { "wrong-placeholders", "\"placeholders\": [\"x\"]",
      "\"placeholders\": []" },
    { "unknown-loss", "\"lossVariables\": [\"out\"]",
      "\"lossVariables\": [\"o\"]" },
    { "unknown-parameter", "\"paramName\": \"w\"", "\"paramName\": \"v\"" },
    { "wrong-state", "[\"V\", \"M\"]", "[\"V\"]" },
    { "wrong-state", "\"paramName\": \"w\"", "\"paramName\": \"c\"" },
    { "bad-training", "{\\\"updater\\\"", "{updater" },
    { "wrong-hash", "-273014250715117663", "-273014250715117664" },
    { "missing-subgraph", "\"opName\": \"matmul\"", "\"opName\": \"invoke\"" },
    { "type-not-allowed", "\"opName\": \"matmul\"",
      "\"opName\": \"gather_nd\"" },
    { "rank-not-allowed", "\"opName\": \"matmul\"",
      "\"opName\": \"conv2d\"" },
    { "type-not-allowed", "\"opName\": \"matmul\"",
      "\"opName\": \"switch\"" }, /* by a float */
    { "stale-control", "\"controlDeps\": [\"mmul\"]",
      "\"controlDeps\": [\"gone\"]" },
    { "no-training",
      "\"trainingConfig\": \"{\\\"updater\\\": {\\\"@class\\\": "
      "\\\"a.Adam\\\", \\\"learningRate\\\": 0.5}}\",",
      "" },
};

struct heard {
    const char *rule;
    bool        is_heard;
    uint64_t    size;
};

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct heard *heard = context;

    (void)level;
    assert_true(finding->what[0]);
    assert_true(finding->offset < heard->size);
    heard->is_heard |= strcmp(rule, heard->rule) == 0;
    if (!heard->rule[0])
        fail_msg("%s: %s", rule, finding->what);
    return 0;
}

static void lies_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        char            *json = sd_replace(sd_little, lies[i].old, lies[i].new);
        struct tn_bytes  bytes  = sd_make(json);
        struct heard     heard  = { lies[i].rule, false, bytes.size };
        struct tn_report report = { .each = hear, .context = &heard };
        struct sd_opened o;
        sd_must_open(&o, &tn_format_samediff_fb, bytes);
        assert_int_equal(
            tn_format_samediff_fb.check(&o.bundle, &o.model, &report, &o.error),
            TN_OK);
        if (!heard.is_heard && lies[i].rule[0])
            fail_msg("not found: %s", lies[i].rule);
        sd_close(&o);
        sd_free(bytes);
        free(json);
    }
}

/* ---- hostility ---------------------------------------------------------- */

static enum tn_status read_as(const struct tn_format *format,
                              struct tn_bytes input, struct tn_memory *memory,
                              struct tn_error *error)
{
    struct tn_report report = { .limit = 50 };
    struct tn_source source;
    struct tn_bundle bundle;
    struct tn_model  model;

    tn_source_memory(&source, memory, input);
    source.name = "";
    if (tn_bundle_from_source(&bundle, memory, &source, "test", error) != TN_OK)
        return error->status;
    tn_model_init(&model, memory);
    model.format      = format->name;
    model.wants_graph = true;
    if (format->open(&bundle, &model, error) == TN_OK &&
        tn_model_finish(&model, error) == TN_OK)
        format->check(&bundle, &model, &report, error);
    tn_model_done(&model);
    tn_bundle_close(&bundle);
    return error->status;
}

static enum tn_status read_classic(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    return read_as(&tn_format_samediff_fb, input, memory, error);
}

static enum tn_status read_sdnb(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    return read_as(&tn_format_sdnb, input, memory, error);
}

static enum tn_status read_sdz(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    return read_as(&tn_format_sdz, input, memory, error);
}

/* Nothing refers to the padding at the end of a buffer. */
static size_t whole_size;

static bool lacks_padding(struct tn_bytes prefix)
{
    return whole_size - prefix.size < 16;
}

static void classic_survives_hostility(void **state)
{
    struct tn_bytes bytes = sd_make(sd_little);

    (void)state;
    whole_size = bytes.size;
    tn_refuses_every_prefix(read_classic, bytes, lacks_padding);
    tn_survives_every_flip(read_classic, bytes);
    tn_survives_no_memory(read_classic, bytes);
    sd_free(bytes);
}

static void sdnb_survives_hostility(void **state)
{
    struct tn_bytes  bytes = sd_make(sd_little);
    struct sd_opened o;

    (void)state;
    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    struct tn_bytes sdnb = convert(&o, &tn_format_sdnb, 0, 0);
    struct tn_bytes sdz  = convert(&o, &tn_format_sdz, 16, 0);
    tn_survives_hostility(read_sdnb, sdnb);
    tn_survives_every_flip(read_sdz, sdz);
    tn_survives_no_memory(read_sdz, sdz);
    sd_free(sdz);
    sd_free(sdnb);
    sd_close(&o);
    sd_free(bytes);
}

/* Every allocation of a conversion fails once. */
static enum tn_status write_all(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    uint64_t                moved   = 0;
    struct tn_write_options options = { .tensors_moved = &moved,
                                        .shard_size    = 16 };
    struct tn_output       *output  = NULL;
    struct tn_source        source;
    struct tn_bundle        bundle;
    struct tn_model         model;

    tn_source_memory(&source, memory, input);
    source.name = "";
    if (tn_bundle_from_source(&bundle, memory, &source, "test", error) != TN_OK)
        return error->status;
    tn_model_init(&model, memory);
    model.format = tn_format_samediff_fb.name;
    if (tn_format_samediff_fb.open(&bundle, &model, error) == TN_OK &&
        tn_output_memory(&output, memory, error) == TN_OK &&
        tn_format_sdz.write(&model, &options, output, error) == TN_OK)
        tn_output_flush(output, error);
    tn_output_close(output);
    tn_model_done(&model);
    tn_bundle_close(&bundle);
    return error->status;
}

static void writing_survives_no_memory(void **state)
{
    struct tn_bytes bytes = sd_make(sd_little);

    (void)state;
    tn_survives_no_memory(write_all, bytes);
    sd_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_attributes),
        cmocka_unit_test(a_little_model_goes_round),
        cmocka_unit_test(what_stays_is_the_same_bytes),
        cmocka_unit_test(real_files_go_round),
        cmocka_unit_test(strings_are_refused_by_sdnb),
        cmocka_unit_test(metadata_are_left_behind_by_classic),
        cmocka_unit_test(lies_are_found),
        cmocka_unit_test(classic_survives_hostility),
        cmocka_unit_test(sdnb_survives_hostility),
        cmocka_unit_test(writing_survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
