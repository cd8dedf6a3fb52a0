/* tf_edit_test.c - edited models, written and read back */
#define _GNU_SOURCE
#include "support/hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/tenon.h>

#include "format/tensorflow/tf_testing.h"

#define DATA TN_SHARED_DATA "/tensorflow/saved_model/"

#define GRAPH                                                                  \
    "node { name: 'x' op: 'Placeholder' device: '/cpu:0' attr { key: 'dtype' " \
    "value { type: DT_FLOAT } } }\n"                                           \
    "node { name: 'k' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT " \
    "} } attr { key: 'value' value { tensor { dtype: DT_FLOAT float_val: 3 } " \
    "} } }\n"                                                                  \
    "node { name: 'mul' op: 'Mul' input: 'x' input: 'k' device: '/gpu:1' "     \
    "attr { key: 'T' value { type: DT_FLOAT } } }\n"                           \
    "node { name: 'f1' op: 'twice' input: 'mul' input: '^k' }\n"               \
    "library { function { signature { name: 'twice' input_arg { name: 'a' "    \
    "type: DT_FLOAT } output_arg { name: 'b' type: DT_FLOAT } } node_def { "   \
    "name: 'sum' op: 'AddV2' input: 'a' input: 'a' } ret { key: 'b' value: "   \
    "'sum:z:0' } } gradient { function_name: 'twice' gradient_func: 'twice' "  \
    "} }\n"                                                                    \
    "versions { producer: 1087 min_consumer: 12 }\n"

struct place {
    char folder[200];
    char path[300];
};

static void make_place(struct place *place)
{
    snprintf(place->folder, sizeof place->folder, "%s/tenon-tf-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(place->folder));
}

static const char *in_place(struct place *place, const char *name)
{
    snprintf(place->path, sizeof place->path, "%s/%s", place->folder, name);
    return place->path;
}

static void remove_place(const struct place *place)
{
    char command[300];

    snprintf(command, sizeof command, "rm -rf '%s'", place->folder);
    assert_int_equal(system(command), 0);
}

static struct tn_model *open_model(const char *path)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    if (tn_model_open(&model, path, &options, &error) != TN_OK)
        fail_msg("%s: %s: %s", path, error.where, error.what);
    return model;
}

static void convert(const struct tn_model *model, const char *path,
                    const char *to)
{
    struct tn_convert_options how    = { .to = to };
    struct tn_target          target = { .path = path, .can_replace = true };
    struct tn_error           error  = TN_ERROR_INIT;

    if (tn_convert(model, &how, &target, NULL, NULL, &error) != TN_OK)
        fail_msg("%s: %s: %s", path, error.where, error.what);
}

static int count_faults(void *context, const struct tn_finding *finding)
{
    if (is_of_vocabulary(finding->rule))
        return 0;
    print_message("%s: %s: %s\n", finding->rule, finding->where, finding->what);
    ++*(unsigned *)context;
    return 0;
}

static void check_clean(const char *path)
{
    struct tn_check_summary summary;
    struct tn_error         error  = TN_ERROR_INIT;
    unsigned                faults = 0;

    assert_int_equal(
        tn_check(path, NULL, NULL, count_faults, &faults, &summary, &error),
        TN_OK);
    assert_int_equal(faults, 0);
}

static struct tn_model *graph_model(struct place *place)
{
    FILE *file = fopen(in_place(place, "graph.pbtxt"), "w");

    assert_non_null(file);
    assert_true(fputs(GRAPH, file) >= 0);
    fclose(file);
    struct tn_model *text = open_model(in_place(place, "graph.pbtxt"));
    convert(text, in_place(place, "graph.pb"), NULL);
    tn_model_close(text);
    return open_model(in_place(place, "graph.pb"));
}

static struct tn_bytes input_name(const struct tn_model *model, const char *op,
                                  uint32_t index)
{
    return tn_model_value_info(model,
                               tn_op_input(model, op_named(model, op), index))
        .name;
}

static struct tn_edit *edit_of(const struct tn_model *model)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_edit *edit;

    assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
    return edit;
}

static struct tn_model *commit(struct tn_edit *edit)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    if (tn_edit_commit(edit, &model, &error) != TN_OK)
        fail_msg("%s", error.what);
    tn_edit_close(edit);
    return model;
}

/* ---- graphs ------------------------------------------------------------- */

/* An edit that changes nothing gives the same bytes. */
static void test_nothing_changed(void **state)
{
    struct place place;

    (void)state;
    make_place(&place);
    struct tn_model *old    = graph_model(&place);
    struct tn_model *edited = commit(edit_of(old));
    convert(edited, in_place(&place, "again.pb"), NULL);
    struct tn_bytes a = tn_load_file(in_place(&place, "graph.pb"));
    struct tn_bytes b = tn_load_file(in_place(&place, "again.pb"));
    assert_true(tn_bytes_equal(a, b));
    free((void *)(uintptr_t)a.data);
    free((void *)(uintptr_t)b.data);
    tn_model_close(edited);
    tn_model_close(old);
    remove_place(&place);
}

static void make_changes(struct tn_edit *edit, const struct tn_model *old)
{
    struct tn_error            error   = TN_ERROR_INIT;
    const int64_t              dtype[] = { TN_FLOAT32 };
    const int64_t              ints[]  = { 1, -2 };
    const struct tn_attr_value type    = { .kind    = TN_ATTR_DTYPE,
                                           .count   = 1,
                                           .of.ints = dtype };
    const struct tn_attr_value list    = {
           .kind = TN_ATTR_INT, .is_list = true, .count = 2, .of.ints = ints
    };
    const char *const       inputs[] = { "f1", "added", "mul" };
    const struct tn_op_spec add      = { .name          = "new/add",
                                         .type          = "AddV2",
                                         .inputs        = inputs,
                                         .input_count   = 3,
                                         .control_count = 1 };
    const float             four     = 4;
    uint32_t                op;

    assert_int_equal(tn_edit_add_op(edit, 0, TN_NONE, &add, &op, &error),
                     TN_OK);
    assert_int_equal(tn_edit_set_attr(edit, op, "T", &type, &error), TN_OK);
    assert_int_equal(tn_edit_set_attr(edit, op, "list", &list, &error), TN_OK);
    assert_int_equal(tn_edit_add_elements(edit, 0, "added", TN_FLOAT32, 0, NULL,
                                          tn_bytes(&four, sizeof four), &error),
                     TN_OK);
    assert_int_equal(
        tn_edit_set_input(edit, op_named(old, "mul"), 1, "added", &error),
        TN_OK);
    assert_int_equal(
        tn_edit_copy_function(edit, old, 1, "thrice", NULL, &error), TN_OK);
}

static void test_changes(void **state)
{
    struct place place;
    float        four = 0;

    (void)state;
    make_place(&place);
    struct tn_model *old  = graph_model(&place);
    struct tn_edit  *edit = edit_of(old);
    make_changes(edit, old);
    struct tn_model *edited = commit(edit);
    tn_model_close(old);
    convert(edited, in_place(&place, "new.pb"), NULL);
    tn_model_close(edited);

    check_clean(in_place(&place, "new.pb"));
    struct tn_model *model = open_model(in_place(&place, "new.pb"));
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_attr  *attr;
    assert_int_equal(tn_model_node_count(model), 8);
    assert_int_equal(tn_model_function_count(model), 2);
    assert_true(tn_bytes_is(tn_model_graph(model, 2).name, "thrice"));
    assert_true(tn_bytes_is(input_name(model, "mul", 1), "added"));
    assert_true(tn_bytes_is(input_name(model, "new/add", 2), "mul"));
    uint32_t add = op_named(model, "new/add");
    assert_int_equal(tn_model_op(model, add).control_count, 1);
    assert_int_equal(tn_attr_find(&attr, model, add, "list", &error), TN_OK);
    assert_int_equal(tn_attr_get(attr)->of.ints[1], -2);
    tn_attr_close(attr);
    assert_int_equal(tn_tensor_read(tn_model_find(model, "added"), 0, &four,
                                    sizeof four, &error),
                     TN_OK);
    assert_true(four == 4);
    tn_model_close(model);
    remove_place(&place);
}

/* What the tables do not hold stays: devices, gradients. */
static void test_rest_is_kept(void **state)
{
    struct place place;

    (void)state;
    make_place(&place);
    struct tn_model *old  = graph_model(&place);
    struct tn_edit  *edit = edit_of(old);
    make_changes(edit, old);
    struct tn_model *edited = commit(edit);
    convert(edited, in_place(&place, "new.pb"), NULL);
    struct tn_bytes bytes = tn_load_file(in_place(&place, "new.pb"));
    assert_non_null(memmem(bytes.data, bytes.size, "/gpu:1", 6));
    assert_non_null(memmem(bytes.data, bytes.size, "/cpu:0", 6));
    struct tn_model *model = open_model(in_place(&place, "new.pb"));
    convert(model, in_place(&place, "new.pbtxt"), NULL);
    struct tn_bytes text = tn_load_file(in_place(&place, "new.pbtxt"));
    assert_non_null(memmem(text.data, text.size, "gradient_func", 13));
    free((void *)(uintptr_t)bytes.data);
    free((void *)(uintptr_t)text.data);
    tn_model_close(model);
    tn_model_close(edited);
    tn_model_close(old);
    remove_place(&place);
}

/* TensorFlow wants the types of all arguments. */
static void type_io_list(struct tn_edit *edit, uint32_t function)
{
    struct tn_error error = TN_ERROR_INIT;

    assert_int_equal(tn_edit_type_io(edit, function, "p", TN_FLOAT16, &error),
                     TN_OK);
    assert_int_equal(
        tn_edit_type_io(edit, function, "neg:y:0", TN_FLOAT64, &error), TN_OK);
    assert_int_equal(tn_edit_type_io(edit, function, "q", TN_FLOAT64, &error),
                     TN_NOT_FOUND);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_edit_type_io(edit, 0, "p", TN_FLOAT64, &error),
                     TN_INVALID);
}

static void test_from_nothing(void **state)
{
    const char *const       in[]  = { "p" };
    const char *const       out[] = { "neg:y:0" };
    const char *const       arg[] = { "p" };
    const struct tn_op_spec neg   = {
          .name = "neg", .type = "Neg", .inputs = arg, .input_count = 1
    };
    const struct tn_op_spec p     = { .name = "p", .type = "NoOp" };
    struct tn_error         error = TN_ERROR_INIT;
    struct place            place;
    struct tn_edit         *edit;
    uint32_t                function;

    (void)state;
    make_place(&place);
    assert_int_equal(tn_edit_new(&edit, "tf-graph", NULL, &error), TN_OK);
    assert_int_equal(tn_edit_add_op(edit, 0, TN_NONE, &p, NULL, &error), TN_OK);
    assert_int_equal(tn_edit_add_function(edit, "minus", "", in, 1, out, 1,
                                          &function, &error),
                     TN_OK);
    assert_int_equal(
        tn_edit_add_op(edit, function, TN_NONE, &neg, NULL, &error), TN_OK);
    type_io_list(edit, function);
    struct tn_model *made = commit(edit);
    convert(made, in_place(&place, "made.pb"), NULL);
    tn_model_close(made);
    check_clean(in_place(&place, "made.pb"));
    struct tn_model *model = open_model(in_place(&place, "made.pb"));
    assert_int_equal(tn_model_node_count(model), 2);
    struct tn_graph_info f = tn_model_graph(model, 1);
    assert_true(tn_bytes_is(f.inputs.items[0].name, "p"));
    assert_true(tn_bytes_is(f.outputs.items[0].name, "neg:y:0"));
    assert_int_equal(f.inputs.items[0].dtype, TN_FLOAT16);
    assert_int_equal(f.outputs.items[0].dtype, TN_FLOAT64);
    tn_model_close(model);
    remove_place(&place);
}

/* y = x + 4, with a signature: a folder that loaders find by the tag "serve".
 */
static void test_saved_model_from_nothing(void **state)
{
    const int64_t              dtype[] = { TN_FLOAT32 };
    const struct tn_attr_value type    = { .kind    = TN_ATTR_DTYPE,
                                           .count   = 1,
                                           .of.ints = dtype };
    const char *const          both[]  = { "x", "four" };
    const struct tn_op_spec    x       = { .name = "x", .type = "Placeholder" };
    const struct tn_op_spec    y       = {
                 .name = "y", .type = "AddV2", .inputs = both, .input_count = 2
    };
    const struct tn_dim any     = { .value = -1 };
    const struct tn_io  ends[]  = { { .name     = tn_text("x:0"),
                                      .key      = tn_text("in"),
                                      .dtype    = TN_FLOAT32,
                                      .has_rank = true,
                                      .rank     = 1,
                                      .dims     = &any },
                                    { .name     = tn_text("y:0"),
                                      .key      = tn_text("out"),
                                      .dtype    = TN_FLOAT32,
                                      .has_rank = true,
                                      .rank     = 1,
                                      .dims     = &any } };
    struct tn_signature serving = { .name    = tn_text("serving_default"),
                                    .inputs  = { 1, &ends[0] },
                                    .outputs = { 1, &ends[1] } };
    const float         four    = 4;
    struct tn_error     error   = TN_ERROR_INIT;
    struct place        place;
    struct tn_edit     *edit;
    uint32_t            op;

    (void)state;
    make_place(&place);
    tn_edit_new(&edit, "tf-saved-model", NULL, &error);
    tn_edit_add_op(edit, 0, TN_NONE, &x, &op, &error);
    tn_edit_set_attr(edit, op, "dtype", &type, &error);
    tn_edit_add_elements(edit, 0, "four", TN_FLOAT32, 0, NULL,
                         tn_bytes(&four, sizeof four), &error);
    tn_edit_add_op(edit, 0, TN_NONE, &y, &op, &error);
    tn_edit_set_attr(edit, op, "T", &type, &error);
    tn_edit_set_signature(edit, &serving, &error);
    if (tn_failed(&error))
        fail_msg("%s", error.what);
    struct tn_model *made = commit(edit);
    convert(made, in_place(&place, "made"), NULL);
    tn_model_close(made);
    check_clean(in_place(&place, "made"));
    struct tn_model *model = open_model(in_place(&place, "made"));
    assert_string_equal(tn_model_format(model), "tf-saved-model");
    assert_int_equal(tn_model_node_count(model), 3);
    assert_true(tn_bytes_is(tn_model_tag(model, 0), "serve"));
    assert_int_equal(tn_model_signature_count(model), 1);
    assert_true(
        tn_bytes_is(tn_model_signature(model, 0)->inputs.items[0].key, "in"));
    convert(model, in_place(&place, "again"), NULL);
    check_clean(in_place(&place, "again"));
    tn_model_close(model);
    remove_place(&place);
}

/* ---- graphs in pieces --------------------------------------------------- */

#define PIECE_ONE                                                              \
    "graph_def { node { name: 'x' op: 'NoOp' } library { gradient { "          \
    "function_name: 'f' gradient_func: 'g' } } versions { producer: 1087 } "   \
    "}\n"
#define PIECE_TWO                                                              \
    "graph_def { node { name: 'y' op: 'NoOp' } versions { min_consumer: 12 } " \
    "library { function { signature { name: 'f' } } } }\n"

/* A meta graph that holds its graph twice: the graph is both together. */
static struct tn_model *pieces_model(struct place *place)
{
    static const char *const texts[] = { PIECE_ONE, PIECE_TWO };
    FILE                    *file = fopen(in_place(place, "pieces.meta"), "w");

    assert_non_null(file);
    for (size_t i = 0; i < 2; i++) {
        struct tn_bytes piece = binary_of(&tn_format_tf_meta_graph, texts[i]);
        assert_int_equal(fwrite(piece.data, 1, piece.size, file), piece.size);
        free((void *)(uintptr_t)piece.data);
    }
    fclose(file);
    return open_model(in_place(place, "pieces.meta"));
}

static void expect_text(struct place *place, const char *binary)
{
    static const char *const wanted[] = { "'x'",  "'y'", "'f'",
                                          "1087", "12",  "gradient_func" };
    char                     text[300];
    struct tn_model         *model = open_model(in_place(place, binary));

    snprintf(text, sizeof text, "%s.pbtxt", binary);
    convert(model, in_place(place, text), NULL);
    struct tn_bytes bytes = tn_load_file(in_place(place, text));
    for (size_t i = 0; i < bytes.size; i++)
        if (bytes.data[i] == '"')
            ((uint8_t *)(uintptr_t)bytes.data)[i] = '\'';
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!memmem(bytes.data, bytes.size, wanted[i], strlen(wanted[i])))
            fail_msg("%s: no %s", binary, wanted[i]);
    free((void *)(uintptr_t)bytes.data);
    tn_model_close(model);
}

static void test_pieces(void **state)
{
    const struct tn_op_spec z     = { .name = "z", .type = "NoOp" };
    struct tn_error         error = TN_ERROR_INIT;
    struct place            place;

    (void)state;
    make_place(&place);
    struct tn_model *old = pieces_model(&place);
    convert(old, in_place(&place, "joined.pb"), NULL);
    expect_text(&place, "joined.pb");
    struct tn_edit *edit = edit_of(old);
    assert_int_equal(tn_edit_add_op(edit, 0, TN_NONE, &z, NULL, &error), TN_OK);
    struct tn_model *edited = commit(edit);
    convert(edited, in_place(&place, "edited.meta"), NULL);
    convert(edited, in_place(&place, "edited.pb"), NULL);
    tn_model_close(edited);
    tn_model_close(old);
    expect_text(&place, "edited.meta");
    expect_text(&place, "edited.pb");
    remove_place(&place);
}

/* ---- SavedModels -------------------------------------------------------- */

static bool exists(const char *path)
{
    return access(path, R_OK) == 0;
}

static void expect_same_file(struct place *place, const char *folder,
                             const char *name)
{
    char path[400];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct tn_bytes a = tn_load_file(path);
    snprintf(path, sizeof path, "model/%s", name);
    struct tn_bytes b = tn_load_file(in_place(place, path));
    assert_non_null(a.data);
    assert_true(tn_bytes_equal(a, b));
    free((void *)(uintptr_t)a.data);
    free((void *)(uintptr_t)b.data);
}

static bool has_data(void)
{
    if (exists(DATA "basic-pitch"))
        return true;
    print_message("skipped: wants real models\n");
    return false;
}

static void test_folder_copied(void **state)
{
    static const char *const files[] = {
        "saved_model.pb",
        "fingerprint.pb",
        "variables/variables.index",
        "variables/variables.data-00000-of-00001",
        "debug/saved_model_debug_info.pb",
    };
    struct place place;

    (void)state;
    if (!has_data())
        skip();
    make_place(&place);
    struct tn_model *model = open_model(DATA "VarsAndArithmeticObjectGraph");
    convert(model, in_place(&place, "model"), "tf-saved-model");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        expect_same_file(&place, DATA "VarsAndArithmeticObjectGraph", files[i]);
    tn_model_close(model);
    remove_place(&place);
}

/* The n-th variable. */
static const struct tn_tensor *variable_at(const struct tn_model *model,
                                           uint32_t               nth)
{
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++)
        if (tn_tensor_role(tn_model_tensor(model, i)) == TN_ROLE_VARIABLE &&
            nth-- == 0)
            return tn_model_tensor(model, i);
    fail_msg("too few variables");
    return NULL;
}

static float scalar(const struct tn_tensor *tensor)
{
    struct tn_error error = TN_ERROR_INIT;
    float           value = 0;

    assert_int_equal(tn_tensor_read(tensor, 0, &value, sizeof value, &error),
                     TN_OK);
    return value;
}

/* A variable and the graph change: both files are new, the rest goes along,
 * and the fingerprint is that of the new files: a check would complain. */
static void test_folder_changed(void **state)
{
    const struct tn_op_spec noop  = { .name = "extra", .type = "NoOp" };
    struct tn_error         error = TN_ERROR_INIT;
    struct place            place;
    char                    name[200];

    (void)state;
    if (!has_data())
        skip();
    make_place(&place);
    struct tn_model *old  = open_model(DATA "VarsAndArithmeticObjectGraph");
    struct tn_edit  *edit = edit_of(old);
    float            x    = scalar(variable_at(old, 0));
    assert_true(x != scalar(variable_at(old, 1)));
    snprintf(name, sizeof name, "%.*s",
             TN_FMT(tn_tensor_name(variable_at(old, 1))));
    assert_int_equal(tn_edit_replace_tensor(edit, TN_NONE, name,
                                            variable_at(old, 0), &error),
                     TN_OK);
    assert_int_equal(tn_edit_add_op(edit, 0, TN_NONE, &noop, NULL, &error),
                     TN_OK);
    struct tn_model *edited = commit(edit);
    tn_model_close(old);
    convert(edited, in_place(&place, "model"), "tf-saved-model");
    tn_model_close(edited);

    check_clean(in_place(&place, "model"));
    assert_true(exists(in_place(&place, "model/fingerprint.pb")));
    assert_true(
        exists(in_place(&place, "model/debug/saved_model_debug_info.pb")));
    struct tn_model *model = open_model(in_place(&place, "model"));
    assert_true(scalar(tn_model_find(model, name)) == x);
    op_named(model, "extra");
    assert_int_equal(tn_model_signature_count(model), 1);
    tn_model_close(model);
    remove_place(&place);
}

/* The checkpoint on its own, in shards; and the graph on its own. */
static void test_parts(void **state)
{
    struct tn_setting         shard = { "shard-size", "20000" };
    struct tn_convert_options how   = { .to            = "tf-checkpoint",
                                        .settings      = &shard,
                                        .setting_count = 1 };
    struct tn_error           error = TN_ERROR_INIT;
    struct place              place;

    (void)state;
    if (!has_data())
        skip();
    make_place(&place);
    struct tn_model *model  = open_model(DATA "basic-pitch");
    struct tn_target target = { .path = in_place(&place, "out.index") };
    assert_int_equal(tn_convert(model, &how, &target, NULL, NULL, &error),
                     TN_OK);
    check_clean(in_place(&place, "out.index"));
    struct tn_model *table = open_model(in_place(&place, "out.index"));
    assert_int_equal(tn_model_tensor_count(table), 74);
    for (uint64_t i = 0; i < tn_model_tensor_count(table); i++) {
        uint8_t                 a[TN_HASH_SIZE], b[TN_HASH_SIZE];
        char                    name[300];
        const struct tn_tensor *tensor = tn_model_tensor(table, i);
        snprintf(name, sizeof name, "%.*s", TN_FMT(tn_tensor_name(tensor)));
        assert_int_equal(tn_tensor_hash(tensor, a, &error), TN_OK);
        assert_int_equal(tn_tensor_hash(tn_model_find(model, name), b, &error),
                         TN_OK);
        assert_memory_equal(a, b, sizeof a);
    }
    tn_model_close(table);
    convert(model, in_place(&place, "graph.pb"), NULL);
    check_clean(in_place(&place, "graph.pb"));
    convert(model, in_place(&place, "graph.meta"), NULL);
    check_clean(in_place(&place, "graph.meta"));
    tn_model_close(model);
    remove_place(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_changed),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_rest_is_kept),
        cmocka_unit_test(test_from_nothing),
        cmocka_unit_test(test_saved_model_from_nothing),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_folder_copied),
        cmocka_unit_test(test_folder_changed),
        cmocka_unit_test(test_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
