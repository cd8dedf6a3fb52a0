/*
 * diff_patch_test.c - the law of patches, tried with random edits of real
 * models
 *
 * A model A is edited at random into B, and both are files.  Then
 *   apply(A, diff(A, B)) is B, in graph and tensors and byte by byte, and
 *   of a hundred patches ninety-nine have no more actions than the edit had.
 *
 * TN_EDITS is how many edits are tried, TN_SEED where they begin.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/little_models.h"

static const struct tn_options with_graph = { .wants_graph = true };

/* ---- chance ------------------------------------------------------------- */

static uint64_t chance;

static uint32_t below(uint32_t count)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return count ? (uint32_t)(chance >> 33) % count : 0;
}

/* ---- edits -------------------------------------------------------------- */

struct editing {
    const struct tn_model *model;
    struct tn_edit        *edit;
    char                   script[65536]; /* for messages                    */
    size_t                 size;
    unsigned               actions, fresh;
    uint32_t               graphs; /* of the draft                           */
    uint32_t               graph;  /* that ops are chosen from               */
};

static bool is_removed[1 << 16];

static void quoted(char *to, size_t room, struct tn_bytes name)
{
    size_t at = 0;

    to[at++] = '"';
    for (size_t i = 0; i < name.size && at + 6 < room; i++)
        if (name.data[i] < ' ' || name.data[i] > '~' || name.data[i] == '"' ||
            name.data[i] == '\\')
            at += (size_t)snprintf(to + at, room - at, "\\x%02x", name.data[i]);
        else
            to[at++] = (char)name.data[i];
    to[at++] = '"';
    to[at]   = '\0';
}

/* Runs a line; an edit that is refused is none. */
static bool try_line(struct editing *e, const char *line)
{
    struct tn_error error = TN_ERROR_INIT;

    if (tn_edit_run(e->edit, tn_text(line), &error) != TN_OK)
        return false;
    if (e->size + strlen(line) + 2 < sizeof e->script)
        e->size += (size_t)snprintf(e->script + e->size,
                                    sizeof e->script - e->size, "%s\n", line);
    e->actions++;
    return true;
}

static uint32_t random_op(const struct editing *e)
{
    struct tn_graph_info graph = tn_model_graph(e->model, e->graph);
    uint32_t             count =
        graph.op_count > UINT16_MAX ? UINT16_MAX : (uint32_t)graph.op_count;

    for (int i = 0; i < 20; i++) {
        uint32_t op = graph.first_op + below(count);
        if (count && op < (1 << 16) && !is_removed[op])
            return op;
    }
    return TN_NONE;
}

static struct tn_bytes random_value(const struct editing *e)
{
    uint32_t op = random_op(e);

    if (op == TN_NONE || tn_model_op(e->model, op).output_count == 0)
        return tn_text("");
    return tn_model_value_info(e->model, tn_op_output(e->model, op, 0)).name;
}

static void change_attr(struct editing *e, bool removes)
{
    struct tn_error error = TN_ERROR_INIT;
    uint32_t        op    = random_op(e);
    struct tn_attr *attr;
    char            line[4096], name[512];

    uint32_t count = op == TN_NONE ? 0 : tn_op_attr_count(e->model, op);
    if (count == 0 ||
        tn_attr_open(&attr, e->model, op, below(count), &error) != TN_OK)
        return;
    const struct tn_attr_value *value = tn_attr_get(attr);
    quoted(name, sizeof name, tn_attr_name(attr));
    line[0] = '\0';
    if (removes)
        snprintf(line, sizeof line, "remove-attr @%" PRIu32 " %s", op, name);
    else if (value->kind == TN_ATTR_INT && value->count > 0)
        snprintf(line, sizeof line, "set-attr @%" PRIu32 " %s %s %u", op, name,
                 value->is_list ? "ints" : "int", 90 + below(9));
    else if (value->kind == TN_ATTR_FLOAT && !value->is_list)
        snprintf(line, sizeof line, "set-attr @%" PRIu32 " %s float 0.%u", op,
                 name, 1 + below(1000));
    else if (value->kind == TN_ATTR_STRING && !value->is_list)
        snprintf(line, sizeof line, "set-attr @%" PRIu32 " %s string s%u", op,
                 name, below(100));
    tn_attr_close(attr);
    if (line[0])
        try_line(e, line);
}

static void rename_something(struct editing *e, bool is_node)
{
    char            line[2048], name[1024];
    uint32_t        op    = random_op(e);
    struct tn_bytes value = random_value(e);

    if (op == TN_NONE || value.size == 0 || value.size > 200)
        return;
    quoted(name, sizeof name, value);
    if (is_node)
        snprintf(line, sizeof line, "rename-node @%" PRIu32 " fresh_%u", op,
                 e->fresh++);
    else
        snprintf(line, sizeof line, "rename %s fresh_%u", name, e->fresh++);
    try_line(e, line);
}

static void change_node(struct editing *e, unsigned how)
{
    char            line[2048], name[1024];
    uint32_t        op = random_op(e), other = random_op(e);
    struct tn_bytes value = random_value(e);

    if (op == TN_NONE || other == TN_NONE || value.size > 200)
        return;
    quoted(name, sizeof name, value);
    line[0] = '\0';
    switch (how) {
    case 0: snprintf(line, sizeof line, "remove-op @%" PRIu32, op); break;
    case 1:
        snprintf(line, sizeof line,
                 "add-op fresh_%u Relu @%" PRIu32 " %s -> fresh_%u", e->fresh,
                 op, name, e->fresh + 1);
        e->fresh += 2;
        break;
    case 2:
        if (tn_model_op(e->model, op).input_count)
            snprintf(line, sizeof line, "set-input @%" PRIu32 " %u %s", op,
                     below(tn_model_op(e->model, op).input_count), name);
        break;
    case 3:
        if (op != other)
            snprintf(line, sizeof line, "move-op @%" PRIu32 " @%" PRIu32, op,
                     other);
        break;
    case 4: snprintf(line, sizeof line, "set-op @%" PRIu32 " Other", op); break;
    case 5:
        snprintf(line, sizeof line, "set-outputs @%" PRIu32 " fresh_%u", op,
                 e->fresh++);
        break;
    default: break;
    }
    if (line[0] && try_line(e, line) && how == 0)
        is_removed[op] = true;
}

/* Another element, or a tensor more or less. */
static void change_tensor(struct editing *e, unsigned how)
{
    struct tn_error         error = TN_ERROR_INIT;
    uint64_t                count = tn_model_tensor_count(e->model);
    const struct tn_tensor *tensor =
        tn_model_tensor(e->model, below((uint32_t)count));
    char    name[256], line[1024];
    uint8_t bytes[4096];

    if (!tensor || tn_tensor_name(tensor).size == 0 ||
        tn_tensor_name(tensor).size >= sizeof name ||
        tn_tensor_role(tensor) != TN_ROLE_INITIALIZER)
        return;
    snprintf(name, sizeof name, "%.*s", (int)tn_tensor_name(tensor).size,
             (const char *)tn_tensor_name(tensor).data);
    if (how == 0) {
        char word[1100];
        quoted(word, sizeof word, tn_tensor_name(tensor));
        snprintf(line, sizeof line, "remove-tensor %.900s", word);
        try_line(e, line);
        return;
    }
    uint64_t size = tn_tensor_size(tensor);
    if (size == 0 || size > sizeof bytes ||
        tn_tensor_read(tensor, 0, bytes, (size_t)size, &error) != TN_OK)
        return;
    bytes[below((uint32_t)size)] ^= 1;
    if (how == 2)
        snprintf(name, sizeof name, "fresh_%u", e->fresh++);
    enum tn_status status =
        how == 2 ? tn_edit_add_elements(
                       e->edit, 0, name, tn_tensor_dtype(tensor),
                       tn_tensor_rank(tensor), tn_tensor_dims(tensor),
                       (struct tn_bytes){ bytes, (size_t)size }, &error)
                 : tn_edit_replace_elements(
                       e->edit, 0, name, tn_tensor_dtype(tensor),
                       tn_tensor_rank(tensor), tn_tensor_dims(tensor),
                       (struct tn_bytes){ bytes, (size_t)size }, &error);
    if (status != TN_OK)
        return;
    e->actions++;
    e->size +=
        (size_t)snprintf(e->script + e->size, sizeof e->script - e->size,
                         "(%s %s)\n", how == 2 ? "add" : "replace", name);
}

/* Without counting: a place in the model is no action. */
static void go_to(struct editing *e, uint32_t graph)
{
    struct tn_error error = TN_ERROR_INIT;
    char            line[64];

    snprintf(line, sizeof line, "in @%" PRIu32, graph);
    assert_int_equal(tn_edit_run(e->edit, tn_text(line), &error), TN_OK);
    e->size += (size_t)snprintf(e->script + e->size,
                                sizeof e->script - e->size, "%s\n", line);
}

/* An If with two graphs inside. */
static void add_branches(struct editing *e)
{
    static const char *const slots[] = { "then_branch", "else_branch" };
    char                     line[2048], name[1024];
    struct tn_bytes          value = random_value(e);
    unsigned                 node  = e->fresh;

    if (value.size == 0 || value.size > 200)
        return;
    quoted(name, sizeof name, value);
    e->fresh += 4;
    snprintf(line, sizeof line, "add-op fresh_%u If - %s -> fresh_%u", node,
             name, node + 1);
    if (!try_line(e, line))
        return;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "add-graph fresh_%u %s inner_%u", node,
                 slots[i], i);
        if (!try_line(e, line))
            return;
    }
    for (unsigned i = 0; i < 2; i++) {
        go_to(e, e->graphs++);
        snprintf(line, sizeof line, "list-outputs fresh_%u float32 ...",
                 node + 2 + i);
        try_line(e, line);
        snprintf(line, sizeof line, "add-op \"\" Neg - %s -> fresh_%u", name,
                 node + 2 + i);
        try_line(e, line);
    }
    go_to(e, e->graph);
}

static void edit_once(struct editing *e)
{
    uint32_t graphs = (uint32_t)tn_model_graph_count(e->model);

    e->graph = below(3) ? 0 : below(graphs);
    go_to(e, e->graph);
    switch (below(15)) {
    case 0:
    case 1: change_attr(e, false); break;
    case 2: change_attr(e, true); break;
    case 3: rename_something(e, false); break;
    case 4: rename_something(e, true); break;
    case 5: change_node(e, 0); break;
    case 6: change_node(e, 1); break;
    case 7: change_node(e, 2); break;
    case 8: change_node(e, 3); break;
    case 9: change_node(e, 4); break;
    case 10: change_node(e, 5); break;
    case 11: change_tensor(e, 0); break;
    case 12: change_tensor(e, 1); break;
    case 13: add_branches(e); break;
    default: change_tensor(e, 2); break;
    }
}

/* ---- the law ------------------------------------------------------------ */

static unsigned tried, longer, other_bytes, whole;

static void write_to(struct tn_scratch *scratch, const struct tn_model *model,
                     const char *name, const char *format, const char *script)
{
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_convert_options convert = TN_CONVERT_OPTIONS_INIT;
    struct tn_convert_summary summary;
    struct tn_target          target = { .path = tn_in_scratch(scratch, name),
                                         .can_replace = true };

    convert.force_invalid = true;
    convert.to            = format;
    if (tn_edit_write(model, &convert, &target, NULL, &summary, &error) !=
        TN_OK)
        fail_msg("%s%s: %s", script, error.where, error.what);
}

static struct tn_model *open_file(struct tn_scratch *scratch, const char *name)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;

    if (tn_model_open(&model, tn_in_scratch(scratch, name), &with_graph,
                      &error) != TN_OK)
        fail_msg("%s: %s", name, error.what);
    return model;
}

static bool same_bytes(struct tn_scratch *scratch, const char *a, const char *b)
{
    FILE *x = fopen(tn_in_scratch(scratch, a), "rb");
    FILE *y = fopen(tn_in_scratch(scratch, b), "rb");
    int   c, d;

    assert_non_null(x);
    assert_non_null(y);
    do {
        c = getc(x);
        d = getc(y);
    } while (c == d && c != EOF);
    fclose(x);
    fclose(y);
    return c == d;
}

static void expect_same(const struct tn_model *made,
                        const struct tn_model *wanted, const char *script)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_diff *diff;

    assert_int_equal(tn_diff_open(&diff, made, wanted, NULL, NULL, &error),
                     TN_OK);
    if (tn_diff_count(diff) > 0) {
        const struct tn_diff_change *c = tn_diff_change_at(diff, 0);
        for (uint32_t i = 0; i < c->facet_count; i++)
            printf("%.*s: '%.*s', '%.*s'\n", TN_FMT(c->facets[i].name),
                   TN_FMT(c->facets[i].left), TN_FMT(c->facets[i].right));
        fail_msg("%snot the same: part %d, kind %d, '%.*s'", script,
                 (int)c->part, (int)c->kind, (int)c->name.size,
                 (const char *)c->name.data);
    }
    tn_diff_close(diff);
}

static struct tn_model *apply(const struct tn_model *model, const char *patch,
                              const char *script)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_edit  *edit;
    struct tn_model *made = NULL;

    assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
    if (tn_edit_run_file(edit, patch, &error) != TN_OK ||
        tn_edit_commit(edit, &made, &error) != TN_OK)
        fail_msg("%s%s: %s", script, error.where, error.what);
    tn_edit_close(edit);
    return made;
}

static void law_holds(struct tn_scratch *scratch, const struct tn_model *a,
                      const struct editing *e, const struct tn_model *edited)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_patch_summary summary;
    struct tn_target target = { .path = tn_in_scratch(scratch, "x.patch"),
                                .can_replace = true };
    struct tn_diff  *diff;

    write_to(scratch, edited, "b", tn_model_format(a), e->script);
    struct tn_model *b = open_file(scratch, "b");
    assert_int_equal(tn_diff_open(&diff, a, b, NULL, NULL, &error), TN_OK);
    if (tn_diff_write_patch(diff, &target, NULL, &summary, &error) != TN_OK)
        fail_msg("%s%s: %s", e->script, error.where, error.what);
    tn_diff_close(diff);
    struct tn_model *made =
        apply(a, tn_in_scratch(scratch, "x.patch"), e->script);
    if (strcmp(tn_model_format(a), "onnx") == 0)
        expect_same(made, b, e->script); /* others guess outputs when read */
    write_to(scratch, made, "c", tn_model_format(a), e->script);
    tn_model_close(made);
    struct tn_model *c = open_file(scratch, "c");
    expect_same(c, b, e->script);
    tn_model_close(c);
    tn_model_close(b);
    tried++;
    whole += summary.is_whole;
    if (!summary.is_whole && !same_bytes(scratch, "b", "c")) {
        other_bytes++;
        if (getenv("TN_TELL"))
            printf("other bytes:\n%s\n", e->script);
    }
    if (summary.actions > e->actions) {
        longer++;
        if (getenv("TN_TELL"))
            printf("%u actions became %u:\n%s\n", e->actions,
                   (unsigned)summary.actions, e->script);
    }
}

static void try_edits(struct tn_scratch *scratch, const struct tn_model *a,
                      unsigned count)
{
    static struct editing e;

    for (unsigned i = 0; i < count; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_model *edited;

        memset(is_removed, 0, sizeof is_removed);
        e = (struct editing){ .model  = a,
                              .graphs = (uint32_t)tn_model_graph_count(a) };
        assert_int_equal(tn_edit_open(&e.edit, a, NULL, &error), TN_OK);
        for (uint32_t k = 1 + below(4); k > 0; k--)
            edit_once(&e);
        if (tn_edit_commit(e.edit, &edited, &error) == TN_OK) {
            law_holds(scratch, a, &e, edited);
            tn_model_close(edited);
        }
        tn_edit_close(e.edit);
    }
}

static const char *const models[] = {
    "onnx/nested-loops.onnx",
    "onnx/crop-and-resize-loop.onnx",
    "onnx/scan-rnn.onnx",
    "onnx/basic-pitch.onnx",
    "onnx/face-rfb-320.onnx",
    "onnx/bert-qa-small.onnx",
    "tensorflow/frozen/lenet-mnist.pb",
    "tensorflow/frozen/kws-gru-s.pb",
    "tensorflow/frozen/kws-ds-cnn-s.pb",
};

static unsigned number_of(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);

    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static void edits_of_real_models(void **state)
{
    enum { MODELS = sizeof models / sizeof models[0] };
    const char       *folder  = getenv("TENON_TEST_DATA");
    unsigned          count   = number_of("TN_EDITS", 90);
    struct tn_scratch scratch = tn_scratch_open();
    char              path[1024];

    (void)state;
    chance = number_of("TN_SEED", 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (size_t i = 0; i < MODELS; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_model *a     = NULL;

        snprintf(path, sizeof path, "%s/%s", folder ? folder : TN_SHARED_DATA,
                 models[i]);
        if (access(path, R_OK) != 0) {
            printf("skipped: wants real models: %s\n", path);
            continue;
        }
        assert_int_equal(tn_model_open(&a, path, &with_graph, &error), TN_OK);
        try_edits(&scratch, a, (count + MODELS - 1) / MODELS);
        tn_model_close(a);
    }
    printf("%u edits: %u patches are longer, %u have other bytes, %u take the "
           "whole model\n",
           tried, longer, other_bytes, whole);
    assert_true(longer * 100 <= tried);
    assert_true(other_bytes * 100 <= tried);
    tn_scratch_close(&scratch);
}

#define INPUT                                                                  \
    "  input { name: \"a\" type { tensor_type { elem_type: 7 shape {\n"          \
    "    dim { dim_param: \"n\" } dim { } } } } }\n"
#define OUTPUT(type) "  output { name: \"d\" type { " type " } }\n}\n"
#define TENSOR       "tensor_type { elem_type: 7 }"
#define GRAPH(slot, name, body, out)                                           \
    "attribute { name: \"" slot "\" type: GRAPH g { name: \"" name "\" " body    \
    " output { name: \"" out "\" type { " TENSOR " } } } }\n"
#define NODE(in, out, type)                                                    \
    "node { input: \"" in "\" output: \"" out "\" op_type: \"" type "\" }\n"

static const char *const little[] = {
    little_onnx,
    "ir_version: 8 opset_import { version: 17 } graph { name: \"g\"\n" NODE(
        "a", "b",
        "Relu") "  node { input: \"b\" input: \"c\" output: \"d\" name: \"sum\"\n"
                "         op_type: \"Mul\" }\n"
                "  initializer { dims: 1 data_type: 7 name: \"c\" int64_data: 3 "
                "}\n" INPUT OUTPUT(TENSOR),
    /* graphs in graphs, a function, values that are no tensors */
    "ir_version: 8 opset_import { version: 17 } opset_import { domain: \"f\" "
    "version: 1 } graph { name: \"g\"\n"
    "node { input: \"a\" output: \"t\" op_type: \"Twice\" domain: \"f\" }\n"
    "node { input: \"t\" output: \"d\" name: \"if\" op_type: \"If\"\n" GRAPH(
        "then_branch", "then",
        "node { input: \"t\" output: \"p\" name: \"inner\" op_type: "
        "\"If\"\n" GRAPH("then_branch", "one", NODE("t", "q", "Neg"), "q")
            GRAPH("else_branch", "two", NODE("a", "r", "Abs"), "r") "}\n",
        "p") GRAPH("else_branch", "else", NODE("t", "s", "Neg"),
                   "s") "}\n" INPUT OUTPUT("sequence_type { elem_type { " TENSOR
                                           " } }") "functions { name: "
    "\"Twice\" domain: \"f\" input: \"i\" output: \"o\" opset_import { version: "
    "17 } node { input: \"i\" input: \"i\" output: \"o\" op_type: \"Add\" "
    "doc_string: \"kept\" } }\n",
    /* another function of that name; strings and complex numbers */
    "ir_version: 8 opset_import { version: 17 } opset_import { domain: \"f\" "
    "version: 1 } graph { name: \"g\"\n"
    "node { input: \"a\" output: \"d\" op_type: \"Twice\" domain: \"f\" "
    "attribute { name: \"raw\" type: STRING s: \"a\\000b\" } }\n"
    "initializer { dims: 3 data_type: 8 name: \"c\" string_data: \"a\" "
    "string_data: \"\\000\" string_data: \"\" }\n"
    "initializer { dims: 1 data_type: 14 name: \"z\" float_data: 1 float_data: "
    "2 }\n" INPUT OUTPUT(TENSOR) "functions { name: \"Twice\" domain: \"f\" "
    "input: \"i\" input: \"j\" output: \"o\" opset_import { version: 17 } node "
    "{ input: \"i\" output: \"o\" op_type: \"Neg\" } }\n",
};

static void becomes(struct tn_scratch *scratch, const char *from,
                    const char *to)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_model        *a     = open_file(scratch, from);
    struct tn_model        *b     = open_file(scratch, to);
    struct tn_diff         *diff;
    struct tn_patch_summary summary;
    struct tn_target        target = { .path = tn_in_scratch(scratch, "x.patch"),
                                       .can_replace = true };

    assert_int_equal(tn_diff_open(&diff, a, b, NULL, NULL, &error), TN_OK);
    assert_int_equal(tn_diff_write_patch(diff, &target, NULL, &summary, &error),
                     TN_OK);
    assert_false(summary.is_whole);
    tn_diff_close(diff);
    struct tn_model *made = apply(a, tn_in_scratch(scratch, "x.patch"), "");
    assert_int_equal(tn_diff_open(&diff, made, b, NULL, NULL, &error), TN_OK);
    for (uint64_t i = 0; i < tn_diff_count(diff); i++)
        assert_true(tn_diff_change_at(diff, i)->part == TN_DIFF_METADATA ||
                    tn_diff_change_at(diff, i)->part == TN_DIFF_VERSION);
    tn_diff_close(diff);
    write_to(scratch, made, "made", "onnx", from);
    tn_model_close(open_file(scratch, "made"));
    tn_model_close(made);
    tn_model_close(b);
    tn_model_close(a);
}

/* All directions between models that have little in common. */
static void little_models_become_each_other(void **state)
{
    enum { COUNT = sizeof little / sizeof little[0] };
    struct tn_scratch scratch = tn_scratch_open();
    char              names[COUNT][16];

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "model%zu", i);
        tn_make_model(&scratch, names[i], little[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < COUNT; k++)
            becomes(&scratch, names[i], names[k]);
    tn_scratch_close(&scratch);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_models_become_each_other),
        cmocka_unit_test(edits_of_real_models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
