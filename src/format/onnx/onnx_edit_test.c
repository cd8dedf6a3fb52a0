/* onnx_edit_test.c - edited models, written and read again */
#define _GNU_SOURCE
#include "format/onnx/onnx_testing.h"

#include "ir/draft.h"

#define CORPUS TN_CORPUS "/onnx/"

/* A draft over a model, the edited model, and what was read back. */
struct scene {
    char            folder[300], path[400];
    struct opened   base, again;
    struct tn_arena arena;
    struct tn_draft draft;
    struct tn_model edited;
    struct tn_error error;
};

static void open_scene(struct scene *s, const char *file)
{
    make_folder(s->folder, sizeof s->folder);
    snprintf(s->path, sizeof s->path, "%s/edited.onnx", s->folder);
    s->error = (struct tn_error)TN_ERROR_INIT;
    if (file)
        must_open(&s->base, file);
    else
        tn_memory_init(&s->base.memory, NULL, 0);
    tn_arena_init(&s->arena, &s->base.memory);
    assert_int_equal(tn_draft_init(&s->draft, &s->arena,
                                   file ? &s->base.model : NULL,
                                   &tn_dialect_onnx, &s->error),
                     TN_OK);
}

/* What an edit makes wrong on purpose; NULL: nothing. */
static const char *wrong;

/* Commits, writes and reads back; the result has no other errors. */
static int see_finding(void *context, enum tn_finding_level level,
                       const char *rule, const struct tn_error *finding)
{
    (void)context;
    if (level == TN_LEVEL_ERROR && !(wrong && !strcmp(wrong, rule)))
        fail_msg("%s: %s in '%s'", rule, finding->what, finding->where);
    return 0;
}

static void commit(struct scene *s, const char *external)
{
    struct tn_report report = { .each = see_finding };
    uint64_t         moved;

    tn_model_init(&s->edited, &s->base.memory);
    if (tn_draft_commit(&s->draft, &s->edited, &s->error) != TN_OK)
        fail_msg("%s", s->error.what);
    must_write(&s->edited, s->path, external, false, 1, &moved);
    must_open(&s->again, s->path);
    assert_int_equal(tn_format_onnx.check(&s->again.bundle, &s->again.model,
                                          &report, &s->error),
                     TN_OK);
}

static void close_scene(struct scene *s, bool has_base)
{
    close_model(&s->again);
    tn_model_done(&s->edited);
    tn_draft_done(&s->draft);
    tn_arena_done(&s->arena);
    if (has_base)
        close_model(&s->base);
    assert_int_equal(s->base.memory.used, 0);
    remove_folder(s->folder);
}

static uint32_t find_op(const struct tn_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->ops.count; i++)
        if (tn_bytes_is(tn_model_op(model, i).name, name))
            return i;
    fail_msg("no node is called %s", name);
    return TN_NONE;
}

static void set_attr(struct scene *s, uint32_t op, const char *name,
                     struct tn_attr_value value)
{
    if (tn_draft_set_attr(&s->draft, op, name, &value, &s->error) != TN_OK)
        fail_msg("%s", s->error.what);
}

static struct tn_attr *get_attr(struct scene *s, uint32_t op, const char *name)
{
    struct tn_attr *attr = NULL;

    if (tn_attr_find(&attr, &s->again.model, op, name, &s->error) != TN_OK)
        fail_msg("%s: %s", name, s->error.what);
    return attr;
}

static const struct tn_tensor *find_tensor(const struct tn_model *model,
                                           const char            *name)
{
    for (uint64_t i = 0; i < model->tensors.count; i++)
        if (tn_bytes_is(tn_tensor_name(tn_model_tensor(model, i)), name))
            return tn_model_tensor(model, i);
    return NULL;
}

/* ---- one node more, with attributes of every kind ----------------------- */

static uint32_t add_node(struct scene *s)
{
    struct tn_op_spec spec = {
        .name         = "new",
        .type         = "Custom",
        .domain       = "org.new",
        .inputs       = (const char *const[]){ "x", "", "w" },
        .input_count  = 3,
        .outputs      = (const char *const[]){ "o1", "o2" },
        .output_count = 2,
    };
    uint32_t op = TN_NONE;

    if (tn_draft_add_op(&s->draft, 0, TN_NONE, &spec, &op, &s->error) != TN_OK)
        fail_msg("%s", s->error.what);
    return op;
}

static void add_attributes(struct scene *s, uint32_t op)
{
    static const int64_t         ints[]    = { -1, 300 };
    static const float           floats[]  = { 0.5f, -2.0f };
    static const struct tn_bytes strings[] = { { (const uint8_t *)"a", 1 },
                                               { (const uint8_t *)"bc", 2 } };
    const struct tn_tensor      *tensor    = find_tensor(&s->base.model, "w");

    set_attr(s, op, "i",
             (struct tn_attr_value){ TN_ATTR_INT, false, 1, { .ints = ints } });
    set_attr(s, op, "is",
             (struct tn_attr_value){ TN_ATTR_INT, true, 2, { .ints = ints } });
    set_attr(s, op, "f",
             (struct tn_attr_value){
                 TN_ATTR_FLOAT, false, 1, { .floats = floats } });
    set_attr(
        s, op, "fs",
        (struct tn_attr_value){ TN_ATTR_FLOAT, true, 2, { .floats = floats } });
    set_attr(s, op, "ss",
             (struct tn_attr_value){
                 TN_ATTR_STRING, true, 2, { .strings = strings } });
    set_attr(s, op, "t",
             (struct tn_attr_value){
                 TN_ATTR_TENSOR, false, 1, { .tensors = &tensor } });
}

static void has_attributes(struct scene *s, uint32_t op)
{
    struct tn_attr *attr = get_attr(s, op, "is");

    assert_int_equal(tn_op_attr_count(&s->again.model, op), 6);
    assert_int_equal(tn_attr_get(attr)->count, 2);
    assert_int_equal(tn_attr_get(attr)->of.ints[0], -1);
    assert_int_equal(tn_attr_get(attr)->of.ints[1], 300);
    tn_attr_close(attr);
    attr = get_attr(s, op, "fs");
    assert_true(tn_attr_get(attr)->of.floats[1] == -2.0f);
    tn_attr_close(attr);
    attr = get_attr(s, op, "ss");
    assert_true(tn_bytes_is(tn_attr_get(attr)->of.strings[1], "bc"));
    tn_attr_close(attr);
    attr = get_attr(s, op, "t");
    assert_int_equal(tensor_crc(tn_attr_get(attr)->of.tensors[0], &s->error),
                     tensor_crc(find_tensor(&s->base.model, "w"), &s->error));
    tn_attr_close(attr);
}

static void a_new_node_comes_back_whole(void **state)
{
    static const char *const externals[] = { NULL, "side.data" };
    struct scene             s;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        open_scene(&s, CORPUS "everything.onnx");
        add_attributes(&s, add_node(&s));
        commit(&s, externals[i]);
        uint32_t          op   = find_op(&s.again.model, "new");
        struct tn_op_info info = tn_model_op(&s.again.model, op);
        assert_true(tn_bytes_is(info.type, "Custom"));
        assert_true(tn_bytes_is(info.domain, "org.new"));
        assert_int_equal(info.input_count, 3);
        assert_int_equal(tn_op_input(&s.again.model, op, 1), TN_NONE);
        assert_int_equal(info.output_count, 2);
        has_attributes(&s, op);
        /* nothing else has gone */
        assert_int_equal(s.again.model.ops.count, s.base.model.ops.count + 1);
        assert_int_equal(s.again.model.graphs.count, s.base.model.graphs.count);
        assert_int_equal(s.again.model.tensors.count,
                         s.base.model.tensors.count + 1);
        close_scene(&s, true);
    }
}

/* ---- nodes, tensors and functions that change --------------------------- */

static void changes_are_written_and_the_rest_is_kept(void **state)
{
    struct scene     s;
    const int64_t    to[]   = { 11 };
    const uint64_t   dims[] = { 1 };
    struct tn_source memory;

    (void)state;
    open_scene(&s, CORPUS "everything.onnx");
    set_attr(&s, 2, "to",
             (struct tn_attr_value){ TN_ATTR_INT, false, 1, { .ints = to } });
    tn_source_memory(&memory, &s.base.memory, tn_bytes("\1\2\3\4", 4));
    memory.name                 = "";
    struct tn_elements elements = { .shape = { TN_INT32, 1, dims } };
    elements.payload =
        tn_payload_raw(&elements.shape, (struct tn_span){ &memory, 0, 4 }, 1);
    assert_int_equal(
        tn_draft_add_tensor(&s.draft, 0, "fresh", &elements, &s.error), TN_OK);
    wrong = "type-mismatch"; /* the output is still declared as float32 */
    commit(&s, NULL);
    wrong                = NULL;
    struct tn_attr *attr = get_attr(&s, 2, "to");
    assert_int_equal(tn_attr_get(attr)->of.ints[0], 11);
    tn_attr_close(attr);
    const struct tn_tensor *fresh = find_tensor(&s.again.model, "fresh");
    assert_non_null(fresh);
    assert_int_equal(tn_tensor_dtype(fresh), TN_INT32);
    assert_int_equal(tn_tensor_offset(fresh) > 0, 1);
    assert_non_null(find_tensor(&s.again.model, "w"));
    assert_non_null(find_tensor(&s.again.model, "s"));
    assert_int_equal(tn_model_fact_count(&s.again.model),
                     tn_model_fact_count(&s.base.model));
    tn_source_close(&memory);
    close_scene(&s, true);
}

static void removed_nodes_and_functions_are_gone(void **state)
{
    struct scene s;
    uint32_t     function = 0;

    (void)state;
    open_scene(&s, CORPUS "everything.onnx");
    for (uint32_t i = 0; i < s.base.model.graphs.count; i++)
        if (tn_model_graph_at(&s.base.model, i)->kind == TN_GRAPH_FUNCTION)
            function = i;
    assert_int_equal(tn_draft_remove_op(&s.draft, 0, &s.error), TN_OK);
    assert_int_equal(tn_draft_remove_function(&s.draft, function, &s.error),
                     TN_OK);
    commit(&s, NULL);
    assert_int_equal(tn_model_function_count(&s.again.model), 0);
    assert_int_equal(s.again.model.ops.count, s.base.model.ops.count - 2);
    close_scene(&s, true);
}

static void a_new_function_can_be_called(void **state)
{
    struct scene      s;
    uint32_t          graph = TN_NONE;
    struct tn_op_spec relu  = { .name         = "inside",
                                .type         = "Relu",
                                .inputs       = (const char *const[]){ "a" },
                                .input_count  = 1,
                                .outputs      = (const char *const[]){ "b" },
                                .output_count = 1 };
    struct tn_op_spec call  = { .name         = "outside",
                                .type         = "Twice",
                                .domain       = "org.f",
                                .inputs       = (const char *const[]){ "x" },
                                .input_count  = 1,
                                .outputs      = (const char *const[]){ "t" },
                                .output_count = 1 };

    (void)state;
    open_scene(&s, CORPUS "if.onnx");
    assert_int_equal(tn_draft_add_function(&s.draft, "Twice", "org.f",
                                           (const char *const[]){ "a" }, 1,
                                           (const char *const[]){ "b" }, 1,
                                           &graph, &s.error),
                     TN_OK);
    assert_int_equal(
        tn_draft_add_op(&s.draft, graph, TN_NONE, &relu, NULL, &s.error),
        TN_OK);
    assert_int_equal(
        tn_draft_add_op(&s.draft, 0, TN_NONE, &call, NULL, &s.error), TN_OK);
    commit(&s, NULL);
    assert_int_equal(tn_model_function_count(&s.again.model), 1);
    find_op(&s.again.model, "inside");
    find_op(&s.again.model, "outside");
    assert_int_equal(s.again.model.graphs.count, s.base.model.graphs.count + 1);
    close_scene(&s, true);
}

/* A node inside a branch: the graphs around it are written anew. */
static void nested_nodes_can_change(void **state)
{
    struct scene  s;
    uint32_t      op    = TN_NONE;
    const int64_t one[] = { 1 };

    (void)state;
    open_scene(&s, CORPUS "if.onnx");
    for (uint32_t i = 0; i < s.base.model.ops.count; i++)
        if (tn_bytes_is(tn_model_op(&s.base.model, i).type, "Identity"))
            op = i;
    set_attr(&s, op, "__mark",
             (struct tn_attr_value){ TN_ATTR_INT, false, 1, { .ints = one } });
    commit(&s, NULL);
    assert_int_equal(s.again.model.ops.count, s.base.model.ops.count);
    assert_int_equal(s.again.model.graphs.count, s.base.model.graphs.count);
    struct tn_attr *attr = get_attr(&s, op, "__mark");
    assert_int_equal(tn_attr_get(attr)->of.ints[0], 1);
    tn_attr_close(attr);
    close_scene(&s, true);
}

static void a_model_can_come_from_nothing(void **state)
{
    struct scene      s;
    struct tn_source  memory;
    const uint64_t    dims[] = { 2 };
    struct tn_op_spec spec   = { .name         = "only",
                                 .type         = "Identity",
                                 .inputs       = (const char *const[]){ "w" },
                                 .input_count  = 1,
                                 .outputs      = (const char *const[]){ "y" },
                                 .output_count = 1 };

    (void)state;
    open_scene(&s, NULL);
    tn_source_memory(&memory, &s.base.memory, tn_bytes("\1\0\0\0\2\0\0\0", 8));
    memory.name                 = "";
    struct tn_elements elements = { .shape = { TN_INT32, 1, dims } };
    elements.payload =
        tn_payload_raw(&elements.shape, (struct tn_span){ &memory, 0, 8 }, 1);
    assert_int_equal(tn_draft_add_tensor(&s.draft, 0, "w", &elements, &s.error),
                     TN_OK);
    assert_int_equal(
        tn_draft_add_op(&s.draft, 0, TN_NONE, &spec, NULL, &s.error), TN_OK);
    commit(&s, NULL);
    const struct tn_onnx_detail *detail = s.again.model.detail;
    assert_int_equal(detail->ir_version, 8);
    assert_int_equal(detail->import_count, 1);
    assert_int_equal(detail->imports[0].version, 17);
    int32_t values[2];
    assert_int_equal(tn_tensor_read(tn_model_tensor(&s.again.model, 0), 0,
                                    values, sizeof values, &s.error),
                     TN_OK);
    assert_int_equal(values[1], 2);
    find_op(&s.again.model, "only");
    tn_source_close(&memory);
    close_scene(&s, false);
}

/* ---- graphs in pieces --------------------------------------------------- */

/* A node with a graph in two pieces, each with a node; the second one also
 * with a description of p. */
static const char in_pieces[] =
    "08 08 42 02 10 11 42 05 0a 01 64 10 01 3a 6a 0a 3e 0a 01 78 12 "
    "01 79 22 01 46 2a 30 0a 01 62 32 0e 0a 09 12 01 70 22 01 46 3a "
    "01 64 12 01 73 32 18 0a 09 12 01 71 22 01 46 3a 01 64 6a 0b 0a "
    "01 70 12 06 0a 04 08 01 12 00 a0 01 05 3a 01 64 12 01 67 5a 0b "
    "0a 01 78 12 06 0a 04 08 01 12 00 5a 0b 0a 01 7a 12 06 0a 04 08 "
    "01 12 00 62 0b 0a 01 79 12 06 0a 04 08 01 12 00 ";

static void write_pieces(const char *path)
{
    struct tn_bytes bytes = tn_hex(in_pieces);
    FILE           *file  = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    free((void *)(uintptr_t)bytes.data);
}

static uint64_t infos_of(const struct tn_model *model, uint32_t graph)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_span     piece;
    struct tn_pb_field field;
    uint64_t           count = 0;

    for (uint64_t i = 0; tn_onnx_graph_piece(model, graph, i, &piece); i++) {
        struct tn_cursor c = tn_cursor_span(piece, &error);
        while (tn_pb_next(&c, &field))
            count += field.number == GRAPH_VALUE_INFO;
    }
    return count;
}

/* `op` 0 is the node around the graph, 1 is in its first piece. */
static void touch_pieces(uint32_t op)
{
    struct scene s;
    char         folder[300], path[400];
    int64_t      one = 1;

    snprintf(path, sizeof path, "%s/pieces.onnx",
             make_folder(folder, sizeof folder));
    write_pieces(path);
    open_scene(&s, path);
    set_attr(&s, op, "new",
             (struct tn_attr_value){
                 .kind = TN_ATTR_INT, .count = 1, .of.ints = &one });
    commit(&s, NULL);
    assert_int_equal(s.again.model.graphs.count, 2);
    assert_int_equal(tn_model_graph_at(&s.again.model, 1)->op_count, 2);
    assert_int_equal(infos_of(&s.again.model, 1), 1);
    close_scene(&s, true);
    remove_folder(folder);
}

static void pieces_of_graphs_stay_together(void **state)
{
    (void)state;
    touch_pieces(0);
    touch_pieces(1);
}
/* ---- inputs, outputs and types of values -------------------------------- */

static void lists_of_a_graph_can_change(void **state)
{
    struct scene         s;
    static struct tn_dim batch[] = {
        { .symbol = { (const uint8_t *)"batch", 5 }, .value = -1 }
    };
    struct tn_io inputs[3], output, info;

    (void)state;
    open_scene(&s, CORPUS "everything.onnx");
    struct tn_io_list was = tn_model_inputs(&s.base.model);
    assert_int_equal(was.count, 3);
    inputs[0]      = was.items[1]; /* the second becomes the first */
    inputs[1]      = was.items[0];
    inputs[1].dims = batch;
    inputs[2]      = was.items[2];
    output         = tn_model_outputs(&s.base.model).items[0];
    info           = output;
    info.name      = tn_text("z");
    info.dims      = batch;
    assert_int_equal(
        tn_draft_list_io(&s.draft, 0, (struct tn_io_list){ 3, inputs },
                         (struct tn_io_list){ 1, &output }, &s.error),
        TN_OK);
    assert_int_equal(tn_draft_set_values(&s.draft, 0,
                                         (struct tn_io_list){ 1, &info }, false,
                                         &s.error),
                     TN_OK);
    commit(&s, NULL);
    struct tn_io_list now = tn_model_inputs(&s.again.model);
    assert_true(tn_bytes_is(now.items[0].name, "c"));
    assert_true(tn_bytes_is(now.items[1].name, "x"));
    assert_true(tn_bytes_is(now.items[1].dims[0].symbol, "batch"));
    assert_int_equal(infos_of(&s.again.model, 0), 1);
    close_scene(&s, true);
}

static void a_declared_type_can_go(void **state)
{
    struct scene s;
    struct tn_io info = { .name = tn_text("z"), .note = "" };

    (void)state;
    open_scene(&s, CORPUS "everything.onnx");
    assert_int_equal(tn_draft_set_values(&s.draft, 0,
                                         (struct tn_io_list){ 1, &info }, false,
                                         &s.error),
                     TN_OK);
    commit(&s, NULL);
    assert_int_equal(infos_of(&s.again.model, 0), 0);
    close_scene(&s, true);
}

/* By its key, a value keeps what the file says about it. */
static void an_output_can_be_renamed(void **state)
{
    struct scene s;
    struct tn_io output;

    (void)state;
    open_scene(&s, CORPUS "everything.onnx");
    output      = tn_model_outputs(&s.base.model).items[0];
    output.key  = output.name;
    output.name = tn_text("z");
    assert_int_equal(
        tn_draft_list_io(&s.draft, 0, tn_model_inputs(&s.base.model),
                         (struct tn_io_list){ 1, &output }, &s.error),
        TN_OK);
    assert_int_equal(tn_draft_set_values(&s.draft, 0,
                                         (struct tn_io_list){ 0, NULL }, true,
                                         &s.error),
                     TN_OK);
    commit(&s, NULL);
    struct tn_io_list now = tn_model_outputs(&s.again.model);
    assert_int_equal(now.count, 1);
    assert_true(tn_bytes_is(now.items[0].name, "z"));
    assert_int_equal(now.items[0].dtype, TN_FLOAT32);
    assert_int_equal(now.items[0].dims[0].value, 2);
    close_scene(&s, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_node_comes_back_whole),
        cmocka_unit_test(changes_are_written_and_the_rest_is_kept),
        cmocka_unit_test(removed_nodes_and_functions_are_gone),
        cmocka_unit_test(a_new_function_can_be_called),
        cmocka_unit_test(nested_nodes_can_change),
        cmocka_unit_test(a_model_can_come_from_nothing),
        cmocka_unit_test(pieces_of_graphs_stay_together),
        cmocka_unit_test(lists_of_a_graph_can_change),
        cmocka_unit_test(a_declared_type_can_go),
        cmocka_unit_test(an_output_can_be_renamed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
