/*
 * diff_patch_test.c - the law of patches, tried with random edits of real
 * models
 *
 * A model A is edited at random into B, and both are files.  Then
 *   apply(A, diff(A, B)) is B, in graph and tensors and byte by byte, and
 *   of a hundred patches ninety-nine have no more actions than the edit had.
 *
 * TN_EDITS is how many edits are tried, TN_SEED where they begin, TN_MODEL a
 * part of the names of models, and with TN_TELL every patch that is longer, a
 * copy, or wrong is printed.
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
        tn_tensor_role(tensor) == TN_ROLE_ATTRIBUTE)
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
    e->size += (size_t)snprintf(e->script + e->size, sizeof e->script - e->size,
                                "%s\n", line);
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

    if (!graphs) {
        change_tensor(e, below(3));
        return;
    }
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

static unsigned tried, longer, other_bytes, whole, wrong;

/* Files of a model are in a folder of their own, and keep the ending. */
struct places {
    struct tn_scratch *scratch;
    const char        *format;
    char               b[64], c[64], patch[64];
};

static bool write_to(struct tn_scratch *scratch, const struct tn_model *model,
                     const char *name, const char *format,
                     struct tn_error *error)
{
    struct tn_convert_options convert = TN_CONVERT_OPTIONS_INIT;
    struct tn_convert_summary summary;
    struct tn_target          target = { .path = tn_in_scratch(scratch, name),
                                         .can_replace = true };

    convert.force_invalid = true;
    convert.to            = format;
    return tn_edit_write(model, &convert, &target, NULL, &summary, error) ==
           TN_OK;
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

static bool are_same(const struct tn_model *made, const struct tn_model *wanted)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_diff *diff;

    const struct tn_diff_change *c = NULL;
    assert_int_equal(tn_diff_open(&diff, made, wanted, NULL, NULL, &error),
                     TN_OK);
    for (uint64_t i = 0; i < tn_diff_count(diff) && !c; i++)
        if (tn_diff_change_at(diff, i)->part != TN_DIFF_METADATA)
            c = tn_diff_change_at(diff, i);
    bool is_same = c == NULL;
    if (!is_same) {
        for (uint32_t i = 0; i < c->facet_count; i++)
            printf("%.*s: '%.*s', '%.*s'\n", TN_FMT(c->facets[i].name),
                   TN_FMT(c->facets[i].left), TN_FMT(c->facets[i].right));
        printf("not the same: part %d, kind %d, '%.*s'\n", (int)c->part,
               (int)c->kind, (int)c->name.size, (const char *)c->name.data);
    }
    tn_diff_close(diff);
    return is_same;
}

static struct tn_model *apply(const struct tn_model *model, const char *patch,
                              struct tn_error *error)
{
    struct tn_edit  *edit;
    struct tn_model *made = NULL;

    assert_int_equal(tn_edit_open(&edit, model, NULL, error), TN_OK);
    if (tn_edit_run_file(edit, patch, error) == TN_OK)
        tn_edit_commit(edit, &made, error);
    tn_edit_close(edit);
    return made;
}

/* What apply() makes of A is B, before and after it is written. */
static bool becomes_right(const struct places *at, const struct tn_model *a,
                          const struct tn_model *b)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *made =
        apply(a, tn_in_scratch(at->scratch, at->patch), &error);
    bool is_right =
        made && write_to(at->scratch, made, at->c, at->format, &error);

    if (!is_right)
        printf("cannot apply: %s: %s\n", error.where, error.what);
    if (is_right && strcmp(at->format, "onnx") == 0)
        is_right = are_same(made, b); /* others guess outputs when read */
    tn_model_close(made);
    if (is_right) {
        struct tn_model *c = open_file(at->scratch, at->c);
        is_right           = are_same(c, b);
        tn_model_close(c);
    }
    return is_right;
}

static void tell(const char *what, const struct editing *e, uint64_t actions)
{
    if (getenv("TN_TELL"))
        printf("%s: %u actions became %u\n%s\n", what, e->actions,
               (unsigned)actions, e->script);
}

/* The first lines of a patch. */
static void show_patch(const struct places *at)
{
    FILE *file = getenv("TN_TELL")
                     ? fopen(tn_in_scratch(at->scratch, at->patch), "r")
                     : NULL;
    char  line[200];

    for (int i = 0; file && i < 14 && fgets(line, sizeof line, file); i++)
        printf("    | %s", line);
    if (file)
        fclose(file);
}

static void law_holds(const struct places *at, const struct tn_model *a,
                      const struct editing *e, const struct tn_model *b)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_patch_summary summary;
    struct tn_target target = { .path = tn_in_scratch(at->scratch, at->patch),
                                .can_replace = true };
    struct tn_diff  *diff;

    assert_int_equal(tn_diff_open(&diff, a, b, NULL, NULL, &error), TN_OK);
    if (tn_diff_write_patch(diff, &target, NULL, &summary, &error) != TN_OK)
        fail_msg("%s%s: %s", e->script, error.where, error.what);
    tn_diff_close(diff);
    tried++;
    whole += summary.is_whole;
    if (summary.is_whole) {
        tell("whole", e, summary.actions);
        show_patch(at);
    }
    if (!becomes_right(at, a, b)) {
        wrong++;
        tell("wrong", e, summary.actions);
    } else if (!summary.is_whole && !same_bytes(at->scratch, at->b, at->c)) {
        other_bytes++;
        tell("other bytes", e, summary.actions);
    }
    if (summary.actions > e->actions) {
        longer++;
        tell("longer", e, summary.actions);
        show_patch(at);
    }
}

static void try_edits(struct places *at, const struct tn_model *a,
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
            if (write_to(at->scratch, edited, at->b, at->format, &error)) {
                struct tn_model *b = open_file(at->scratch, at->b);
                law_holds(at, a, &e, b);
                tn_model_close(b);
            }
            tn_model_close(edited);
        }
        if (error.status != TN_OK && getenv("TN_TELL"))
            printf("refused: %s: %s\n%s\n", error.where, error.what, e.script);
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
    "tensorflow/frozen/kws-crnn-s.pb",
    "tensorflow/frozen/lstm-unrolled.pb",
    "tensorflow/frozen/fc-layers.pb",
    "tensorflow/saved_model/half_plus_two/00000123",
    "tensorflow/saved_model/while_loop",
    "tensorflow/saved_model/VarsAndArithmeticObjectGraph",
    "tensorflow/saved_model/basic-pitch",
    "tflite/small/tf2onnx_model.tflite",
    "tflite/models/tiny_kws_f32.tflite",
    "tflite/models/tiny_resnet_int8.tflite",
    "tflite/models/dtln_model_quant_1.tflite",
    "tflite/small/litert_simple_topk_op.tflite",
    "paddle/mlp-mnist/__model__",
    "paddle/image-enhance/model.pdmodel",
    "paddle/text-cnn/__model__",
    "paddle/face-detect/model.pdmodel",
    "samediff/models/lstm_layer.fb",
    "samediff/models/onnx_loop_invoke.fb",
    "samediff/models/iris_mlp_sgd.fb",
    "samediff/models/mnist_mlp_adam.fb",
    "samediff/synthetic/sharded_stored.sdz",
    "samediff/synthetic/single_inline.sdnb",
    "samediff/libnd4j/simplewhile_1.fb",
    "gguf/v2.gguf",
    "gguf/all-types.gguf",
    "pytorch/tied.pt",
    "pytorch/nested.pt",
    "pytorch/checkpoint.pt",
    "pytorch/views.pt",
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
    unsigned          count   = number_of("TN_EDITS", 190);
    struct tn_scratch scratch = tn_scratch_open();
    char              path[1024];

    (void)state;
    chance = number_of("TN_SEED", 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (size_t i = 0; i < MODELS; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_model *a     = NULL;
        struct places    at    = { .scratch = &scratch };

        snprintf(path, sizeof path, "%s/%s", folder ? folder : TN_SHARED_DATA,
                 models[i]);
        if (getenv("TN_MODEL") && !strstr(models[i], getenv("TN_MODEL")))
            continue;
        if (access(path, R_OK) != 0) {
            printf("skipped: wants real models: %s\n", path);
            continue;
        }
        unsigned was[] = { tried, longer, other_bytes, whole, wrong };
        assert_int_equal(tn_model_open(&a, path, &with_graph, &error), TN_OK);
        at.format = tn_model_format(a);
        snprintf(at.b, sizeof at.b, "b%zu", i);
        snprintf(at.c, sizeof at.c, "c%zu", i);
        snprintf(at.patch, sizeof at.patch, "%zu.patch", i);
        if (getenv("TN_TELL"))
            printf("---- %s\n", models[i]);
        try_edits(&at, a, (count + MODELS - 1) / MODELS);
        tn_model_close(a);
        if (getenv("TN_TELL"))
            printf("==== %s: %u tried, %u longer, %u other bytes, %u whole, %u "
                   "wrong\n",
                   models[i], tried - was[0], longer - was[1],
                   other_bytes - was[2], whole - was[3], wrong - was[4]);
    }
    printf("%u edits: %u patches are longer, %u have other bytes, %u take the "
           "whole model, %u are wrong\n",
           tried, longer, other_bytes, whole, wrong);
    assert_int_equal(wrong, 0);
    assert_true(longer * 100 <= tried);
    assert_true(other_bytes * 100 <= tried);
    tn_scratch_close(&scratch);
}

#define INPUT                                                                  \
    "  input { name: \"a\" type { tensor_type { elem_type: 7 shape {\n"        \
    "    dim { dim_param: \"n\" } dim { } } } } }\n"
#define OUTPUT(type) "  output { name: \"d\" type { " type " } }\n}\n"
#define TENSOR       "tensor_type { elem_type: 7 }"
#define GRAPH(slot, name, body, out)                                           \
    "attribute { name: \"" slot "\" type: GRAPH g { name: \"" name "\" " body  \
    " output { name: \"" out "\" type { " TENSOR " } } } }\n"
#define NODE(in, out, type)                                                    \
    "node { input: \"" in "\" output: \"" out "\" op_type: \"" type "\" }\n"

static const char *const little[] = {
    little_onnx,
    "ir_version: 8 opset_import { version: 17 } graph { name: \"g\"\n" NODE(
        "a", "b", "Relu") "  node { input: \"b\" input: \"c\" output: \"d\" "
                          "name: \"sum\"\n"
                          "         op_type: \"Mul\" }\n"
                          "  initializer { dims: 1 data_type: 7 name: \"c\" "
                          "int64_data: 3 "
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
        "p")
        GRAPH("else_branch", "else", NODE("t", "s", "Neg"), "s") "}\n" INPUT
            OUTPUT("sequence_type { elem_type { " TENSOR
                   " } }") "functions { name: "
                           "\"Twice\" domain: \"f\" input: \"i\" output: \"o\" "
                           "opset_import { version: "
                           "17 } node { input: \"i\" input: \"i\" output: "
                           "\"o\" op_type: \"Add\" "
                           "doc_string: \"kept\" } }\n",
    /* another function of that name; strings and complex numbers */
    "ir_version: 8 opset_import { version: 17 } opset_import { domain: \"f\" "
    "version: 1 } graph { name: \"g\"\n"
    "node { input: \"a\" output: \"d\" op_type: \"Twice\" domain: \"f\" "
    "attribute { name: \"raw\" type: STRING s: \"a\\000b\" } }\n"
    "initializer { dims: 3 data_type: 8 name: \"c\" string_data: \"a\" "
    "string_data: \"\\000\" string_data: \"\" }\n"
    "initializer { dims: 1 data_type: 14 name: \"z\" float_data: 1 float_data: "
    "2 }\n" INPUT OUTPUT(
        TENSOR) "functions { name: \"Twice\" domain: \"f\" "
                "input: \"i\" input: \"j\" output: \"o\" opset_import { "
                "version: 17 } node "
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
    struct tn_target target = { .path = tn_in_scratch(scratch, "x.patch"),
                                .can_replace = true };

    assert_int_equal(tn_diff_open(&diff, a, b, NULL, NULL, &error), TN_OK);
    assert_int_equal(tn_diff_write_patch(diff, &target, NULL, &summary, &error),
                     TN_OK);
    assert_false(summary.is_whole);
    tn_diff_close(diff);
    struct tn_model *made = apply(a, tn_in_scratch(scratch, "x.patch"), &error);
    assert_non_null(made);
    assert_int_equal(tn_diff_open(&diff, made, b, NULL, NULL, &error), TN_OK);
    for (uint64_t i = 0; i < tn_diff_count(diff); i++)
        assert_true(tn_diff_change_at(diff, i)->part == TN_DIFF_METADATA ||
                    tn_diff_change_at(diff, i)->part == TN_DIFF_VERSION);
    tn_diff_close(diff);
    assert_true(write_to(scratch, made, "made", "onnx", &error));
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
