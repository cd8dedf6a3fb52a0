/* view_model_test.c - pictures of models, friendly and hostile */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "support/little_models.h"
#include "support/picture_check.h"
#include "view/view_svg.h"

/* ---- models as text ----------------------------------------------------- */

struct text {
    char  *data;
    size_t size;
    FILE  *file;
};

static void begin(struct text *text)
{
    text->file = open_memstream(&text->data, &text->size);
    fputs("ir_version: 8 opset_import { version: 17 }\ngraph { name: \"g\"\n",
          text->file);
}

static void node(struct text *text, const char *name, const char *op,
                 const char *inputs, const char *output)
{
    fprintf(text->file,
            "node { name: \"%s\" op_type: \"%s\" %s output: \"%s\" }\n", name,
            op, inputs, output);
}

static const char type[] =
    "type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } }";

static void end(struct text *text, const char *output)
{
    fprintf(text->file,
            "input { name: \"x\" %s }\noutput { name: \"%s\" %s }\n}\n", type,
            output, type);
    fclose(text->file);
}

/* ---- drawing ------------------------------------------------------------ */

struct drawing {
    struct tn_scratch scratch;
    struct tn_model  *model;
    struct tn_memory  memory;
    struct tn_picture picture;
    struct tn_error   error;
};

static void draw(struct drawing *d, const char *file, const char *text,
                 uint64_t limit)
{
    struct tn_options options = { .wants_graph = true };

    d->error   = (struct tn_error)TN_ERROR_INIT;
    d->scratch = tn_scratch_open();
    tn_make_model(&d->scratch, file, text);
    assert_int_equal(tn_model_open(&d->model, tn_in_scratch(&d->scratch, file),
                                   &options, &d->error),
                     TN_OK);
    tn_memory_init(&d->memory, NULL, limit);
    tn_picture_init(&d->picture, d->model, &d->memory, &d->error);
    if (tn_picture_draw(&d->picture) != TN_OK)
        fail_msg("%s", d->error.what);
    tn_check_picture(&d->picture);
}

static void done(struct drawing *d)
{
    struct tn_view_about about = { "test", "0", 1 };
    struct tn_buffer     out;

    tn_buffer_init(&out, &d->memory, &d->error);
    assert_int_equal(
        tn_view_write_html(&d->picture, &about, &out.sink, &d->error), TN_OK);
    assert_int_equal(
        tn_view_write_svg(&d->picture, &about, &out.sink, &d->error), TN_OK);
    tn_buffer_done(&out);
    tn_picture_done(&d->picture);
    assert_int_equal(d->memory.used, 0);
    tn_model_close(d->model);
    tn_scratch_close(&d->scratch);
}

/* "x | Conv x24 | y": the items of the root. */
static const char *root_text(const struct tn_picture *p, char *to, size_t size)
{
    const struct tn_view_block *root = tn_picture_block(p, 0);

    to[0] = 0;
    for (uint32_t i = 0; i < root->item_count; i++) {
        const struct tn_view_item *item =
            tn_picture_item(p, root->first_item + i);
        size_t used = strlen(to);
        snprintf(to + used, size - used, "%s%.*s", i ? " | " : "",
                 TN_FMT(tn_picture_text(p, item->label)));
        used = strlen(to);
        if (item->repeat > 1)
            snprintf(to + used, size - used, " x%u", item->repeat);
    }
    return to;
}

/* `layers` layers of five nodes, with a residual edge. */
static void add_layers(struct text *text, int layers, const char *format)
{
    for (int i = 0; i < layers; i++) {
        char at[32], in[96], out[32], name[64];
        snprintf(at, sizeof at, i ? "l%d" : "x", i - 1);
        const char *ops[] = { "MatMul", "Relu", "MatMul", "Add", "Tanh" };
        for (int k = 0; k < 5; k++) {
            snprintf(name, sizeof name, format, i, k);
            snprintf(in, sizeof in, "input: \"%s\" %s%s%s", k ? out : at,
                     k == 3 ? "input: \"" : "", k == 3 ? at : "",
                     k == 3 ? "\"" : "");
            snprintf(out, sizeof out, k == 4 ? "l%d" : "v%d_%d", i, k);
            node(text, name, ops[k], in, out);
        }
    }
}

static const struct {
    const char *format; /* of names of nodes: layer, number */
    const char *root;
} layered[] = {
    { "enc/layer.%d/n%d", "x | enc | l11" },
    { "layer_%d/n%d", "x | layer x12 | l11" },
    { "", "x | MatMul · Relu · Tanh x12 | l11" },
    { "node_%d_%d", "x | MatMul · Relu · Tanh x12 | l11" },
};

static void test_layers_are_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layered / sizeof *layered; i++) {
        struct drawing d;
        struct text    text;
        char           root[256];
        begin(&text);
        add_layers(&text, 12, layered[i].format);
        end(&text, "l11");
        draw(&d, "m.onnx", text.data, 0);
        assert_string_equal(root_text(&d.picture, root, sizeof root),
                            layered[i].root);
        done(&d);
        free(text.data);
    }
}

/* A layer that differs leaves the others alone. */
static void test_one_layer_differs(void **state)
{
    struct drawing d;
    struct text    text;
    char           root[256];

    (void)state;
    begin(&text);
    add_layers(&text, 6, "layer_%d/n%d");
    node(&text, "layer_6/odd", "Sigmoid", "input: \"l5\"", "s");
    node(&text, "layer_6/odd2", "Sigmoid", "input: \"s\"", "y");
    end(&text, "y");
    draw(&d, "m.onnx", text.data, 0);
    assert_string_equal(root_text(&d.picture, root, sizeof root),
                        "x | layer x6 | layer_6 | y");
    done(&d);
    free(text.data);
}

/* Constants and arithmetic on shapes are in the box of what takes them, unless
 * something else takes them, too. */
static void test_constants_belong_to_their_user(void **state)
{
    struct drawing d;
    struct text    text;
    char           root[256];

    (void)state;
    begin(&text);
    node(&text, "", "Shape", "input: \"x\"", "s");
    node(&text, "", "Gather", "input: \"s\" input: \"i\"", "t");
    node(&text, "", "Reshape", "input: \"x\" input: \"t\"", "a");
    node(&text, "", "Shape", "input: \"a\"", "u");
    node(&text, "", "Expand", "input: \"a\" input: \"u\"", "b");
    node(&text, "", "Tile", "input: \"b\" input: \"u\"", "y");
    fputs("initializer { dims: 1 data_type: 7 name: \"i\" int64_data: 0 }\n",
          text.file);
    end(&text, "y");
    draw(&d, "m.onnx", text.data, 0);
    assert_string_equal(root_text(&d.picture, root, sizeof root),
                        "x | Reshape | Shape | Expand | Tile | y");
    done(&d);
    free(text.data);
}

/* A layer in which something changed leaves the others. */
static void test_states(void **state)
{
    struct tn_options options    = { .wants_graph = true };
    struct tn_error   error      = TN_ERROR_INIT;
    struct tn_scratch scratch    = tn_scratch_open();
    uint8_t           states[60] = { 0 };
    struct tn_memory  memory;
    struct tn_picture picture;
    struct tn_model  *model;
    struct text       text;
    char              root[256];

    (void)state;
    begin(&text);
    add_layers(&text, 12, "layer_%d/n%d");
    end(&text, "l11");
    tn_make_model(&scratch, "m.onnx", text.data);
    assert_int_equal(tn_model_open(&model, tn_in_scratch(&scratch, "m.onnx"),
                                   &options, &error),
                     TN_OK);
    tn_memory_init(&memory, NULL, 0);
    tn_picture_init(&picture, model, &memory, &error);
    states[5 * 5 + 2] = TN_VIEW_CHANGED; /* in layer 5 */
    picture.op_states = states;
    assert_int_equal(tn_picture_draw(&picture), TN_OK);
    tn_check_picture(&picture);
    assert_string_equal(root_text(&picture, root, sizeof root),
                        "x | layer x5 | layer_5 | layer x6 | l11");
    const struct tn_view_item *item =
        tn_picture_item(&picture, tn_picture_block(&picture, 0)->first_item);
    assert_int_equal(item[1].state, TN_VIEW_SAME);
    assert_int_equal(item[2].state, TN_VIEW_DIFFERS_INSIDE);
    tn_picture_done(&picture);
    tn_model_close(model);
    tn_scratch_close(&scratch);
    free(text.data);
}

/* ---- hostile ------------------------------------------------------------ */

static void add_shape(struct text *text, int shape, int count)
{
    char name[64], in[96], out[32];

    for (int i = 0; i < count; i++) {
        snprintf(out, sizeof out, "v%d", i);
        snprintf(name, sizeof name, "n%d", i);
        switch (shape) {
        case 0: /* a cycle through all of them */
            snprintf(in, sizeof in, "input: \"v%d\"", (i + 1) % count);
            break;
        case 1: /* one value that everything takes */
            snprintf(in, sizeof in, "input: \"x\" input: \"v0\"");
            break;
        case 2: /* everywhere from anywhere */
            snprintf(in, sizeof in, "input: \"v%u\" input: \"v%u\"",
                     (unsigned)i * 2654435761u % (unsigned)count,
                     (unsigned)i * 40503u % (unsigned)count);
            break;
        case 3: /* a scope for each */
            snprintf(name, sizeof name, "a%d/b%d/c%d", i % 7, i, i);
            snprintf(in, sizeof in, "input: \"v%d\"", i ? i - 1 : 0);
            break;
        default: /* scopes that are producers and consumers of each other */
            snprintf(name, sizeof name, "s%d/n%d", i % 5, i);
            snprintf(in, sizeof in, "input: \"v%d\"", i ? i - 1 : 0);
            break;
        }
        node(text, name, i % 3 ? "Relu" : "Add", in, out);
    }
}

static void test_shapes_of_graphs(void **state)
{
    enum { COUNT = 4000 };

    (void)state;
    for (int shape = 0; shape < 5; shape++) {
        struct drawing d;
        struct text    text;
        begin(&text);
        add_shape(&text, shape, COUNT);
        end(&text, "v9");
        /* Memory is linear: so many bytes a node, and some to begin with. */
        draw(&d, "m.onnx", text.data, COUNT * UINT64_C(2500) + (16 << 20));
        assert_true(tn_picture_block(&d.picture, 0)->item_count <= 120);
        done(&d);
        free(text.data);
    }
}

static void test_endless_names(void **state)
{
    struct drawing d;
    struct text    text;
    char          *name = malloc(20002);

    (void)state;
    for (int i = 0; i < 20000; i++)
        name[i] = (char)(i % 2 ? '/' : 'a' + i / 2 % 26);
    name[20000] = 0;
    begin(&text);
    node(&text, name, "Relu", "input: \"x\"", "a");
    name[19999] = 'z';
    node(&text, name, "Relu", "input: \"a\"", "b");
    node(&text, "////", "Relu", "input: \"b\"", "c");
    node(&text, "/", "Relu", "input: \"c\"", "d");
    node(&text, "a//b/", "Relu", "input: \"d\"", "y");
    end(&text, "y");
    draw(&d, "m.onnx", text.data, 64 << 20);
    done(&d);
    free(text.data);
    free(name);
}

/* Functions that call themselves, and a subgraph. */
static const char functions[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "opset_import { domain: \"f\" version: 1 }\n"
    "graph { name: \"g\"\n"
    "  node { op_type: \"Twice\" domain: \"f\" input: \"x\" output: \"a\" }\n"
    "  node { op_type: \"Twice\" domain: \"f\" input: \"a\" output: \"b\" }\n"
    "  node { op_type: \"If\" input: \"c\" output: \"y\"\n"
    "    attribute { name: \"then_branch\" type: GRAPH g { name: \"t\"\n"
    "      node { op_type: \"Relu\" input: \"b\" output: \"p\" }\n"
    "      output { name: \"p\" } } }\n"
    "    attribute { name: \"else_branch\" type: GRAPH g { name: \"e\"\n"
    "      node { op_type: \"Tanh\" input: \"b\" output: \"q\" }\n"
    "      output { name: \"q\" } } } }\n"
    "  input { name: \"x\" } input { name: \"c\" } output { name: \"y\" }\n"
    "}\n"
    "functions { name: \"Twice\" domain: \"f\" input: \"i\" output: \"o\"\n"
    "  opset_import { version: 17 } opset_import { domain: \"f\" version: 1 }\n"
    "  node { op_type: \"Add\" input: \"i\" input: \"i\" output: \"j\" }\n"
    "  node { op_type: \"Twice\" domain: \"f\" input: \"j\" output: \"o\" } "
    "}\n";

static void test_functions(void **state)
{
    struct drawing d;
    char           root[256];
    unsigned       homes = 0, bodies = 0;

    (void)state;
    draw(&d, "m.onnx", functions, 0);
    assert_string_equal(root_text(&d.picture, root, sizeof root),
                        "x | c | Twice | Twice | If | y");
    for (uint32_t i = 0; i < d.picture.blocks.count; i++) {
        const struct tn_view_block *block = tn_picture_block(&d.picture, i);
        homes += block->home != TN_NONE;
        bodies += block->kind == TN_VIEW_BODY_BLOCK;
    }
    assert_int_equal(homes, 1);
    assert_int_equal(bodies, 2);
    done(&d);
}

/* Every allocation fails once: an error each time, and nothing is kept. */
static void test_no_memory(void **state)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *model;
    struct text       text;

    (void)state;
    begin(&text);
    add_layers(&text, 4, "layer_%d/n%d");
    end(&text, "l3");
    tn_make_model(&scratch, "m.onnx", text.data);
    assert_int_equal(tn_model_open(&model, tn_in_scratch(&scratch, "m.onnx"),
                                   &options, &error),
                     TN_OK);
    for (uint64_t left = 0;; left++) {
        struct tn_budget     budget    = { .left = left };
        struct tn_allocator  allocator = { tn_budget_resize, &budget };
        struct tn_view_about about     = { "test", "0", 1 };
        struct tn_memory     memory;
        struct tn_picture    picture;
        struct tn_buffer     out;
        error = (struct tn_error)TN_ERROR_INIT;
        tn_memory_init(&memory, &allocator, 0);
        tn_buffer_init(&out, &memory, &error);
        tn_picture_init(&picture, model, &memory, &error);
        if (!tn_failed(&error) && tn_picture_draw(&picture) == TN_OK &&
            tn_view_write_html(&picture, &about, &out.sink, &error) == TN_OK)
            tn_view_write_svg(&picture, &about, &out.sink, &error);
        tn_picture_done(&picture);
        tn_buffer_done(&out);
        assert_int_equal(budget.blocks, 0);
        if (error.status == TN_OK)
            break;
        assert_int_equal(error.status, TN_NO_MEMORY);
    }
    tn_model_close(model);
    tn_scratch_close(&scratch);
    free(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_are_one),
        cmocka_unit_test(test_one_layer_differs),
        cmocka_unit_test(test_constants_belong_to_their_user),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_shapes_of_graphs),
        cmocka_unit_test(test_endless_names),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
