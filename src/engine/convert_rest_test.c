/* convert_rest_test.c - texts, comments and fields: taken along, or told */
#define _GNU_SOURCE
#include "engine/convert_rest.h"

#include <stdio.h>

#include "support/little_models.h"

#include "support/told.h"

struct heard {
    char text[1000];
};

static void note(void *context, uint64_t offset, const char *where,
                 const char *what)
{
    struct heard *heard = context;
    size_t        size  = strlen(heard->text);

    (void)offset;
    snprintf(heard->text + size, sizeof heard->text - size, "%s|%s\n", where,
             what);
}

/* ---- comments ----------------------------------------------------------- */

/* A graph as text; what its comments are. */
static const struct {
    const char *name, *front, *comment;
} fronts[] = {
    { "none", "", "" },
    { "one line", "# MIT\n", "# MIT" },
    { "lines", "# one\n# two\n", "# one\n# two" },
    { "with a gap", "# one\n\n  # two\n\n", "# one\n\n  # two" },
    { "another line ending", "# one\r\n", "# one\r" },
    { "not what comes later", "versions { producer: 1 } # no\n# no\n", "" },
};

static void expect_comment(struct tn_scratch *scratch, const char *name,
                           const char *front, const char *comment)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_about  about;
    char             text[1000];

    snprintf(text, sizeof text, "%snode { name: 'x' op: 'NoOp' }\n", front);
    tn_write_text(scratch, "g.pbtxt", text);
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_about_init(&about, &arena, &error);
    assert_int_equal(
        tn_model_open(&model, tn_in_scratch(scratch, "g.pbtxt"), NULL, &error),
        TN_OK);
    assert_int_equal(tn_convert_comments(model, &about, &error), TN_OK);
    struct tn_bytes found = tn_about_find(&about, "comment");
    if (!tn_bytes_is(found, comment))
        fail_msg("%s: '%.*s'", name, TN_FMT(found));
    tn_model_close(model);
    tn_about_done(&about);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

static void comments_are_those_at_the_beginning(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++)
        expect_comment(&scratch, fronts[i].name, fronts[i].front,
                       fronts[i].comment);
    tn_scratch_close(&scratch);
}

/* A long one is cut, and a loss is one line. */
static void lost_comments_are_one_line(void **state)
{
    struct heard              heard   = { "" };
    struct tn_convert_options convert = { .loss         = note,
                                          .loss_context = &heard };
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_memory          memory;
    struct tn_arena           arena;
    struct tn_about           about;
    struct tn_losses          losses;
    char text[] = "# one\r\n# two ............................"
                  ".....................................";

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_about_init(&about, &arena, &error);
    tn_losses_init(&losses, &memory, &convert, &error);
    tn_convert_lose_comments(&about, &losses);
    assert_string_equal(heard.text, "");
    tn_about_add_text(&about, "comment", tn_text(text));
    tn_convert_lose_comments(&about, &losses);
    assert_non_null(strstr(heard.text, "|left behind: comments at the "
                                       "beginning of the text: # one  # two"));
    assert_ptr_equal(strchr(heard.text, '\n') + 1,
                     heard.text + strlen(heard.text));
    tn_losses_done(&losses);
    tn_about_done(&about);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

/* In the same dialect, too, where nothing but comments is left behind. */
static void odd_comments_are_told(void **state)
{
    static const char *const targets[] = { "b.pb", "b.pbtxt", "b.onnx" };
    struct tn_scratch        scratch   = tn_scratch_open();

    (void)state;
    tn_write_text(&scratch, "a.pbtxt",
                  "# \xff\nnode { name: 'x' op: 'Placeholder'\n"
                  "  attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
                  "node { name: 'y' op: 'Relu' input: 'x'\n"
                  "  attr { key: 'T' value { type: DT_FLOAT } } }\n");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct tn_error error;
        char           *told =
            tn_told(tn_in_scratch(&scratch, "a.pbtxt"),
                    tn_in_scratch(&scratch, targets[i]), NULL, false, &error);
        if (error.status != TN_OK)
            fail_msg("%s: %s: %s", targets[i], error.where, error.what);
        if (!strstr(told, "1 text about the model: no UTF-8"))
            fail_msg("%s: %s", targets[i], told);
        free(told);
    }
    tn_scratch_close(&scratch);
}

/* ---- texts and fields --------------------------------------------------- */

#define GRAPH(more)                                                            \
    "graph { name: 'g' node { op_type: 'Add' input: 'x' input: 'w' output: "   \
    "'y' } initializer { dims: 2 data_type: 1 name: 'w' float_data: 1 "        \
    "float_data: 2 } input { name: 'x' type { tensor_type { elem_type: 1 "     \
    "shape { dim { dim_value: 2 } } } } } output { name: 'y' type { "          \
    "tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } } " more    \
    " }"
#define HEAD "ir_version: 8 opset_import { version: 17 } "

/* clang-format off */
static const struct {
    const char *name, *text, *to;
    const char *says;   /* in a line of the losses; NULL: in none             */
    const char *absent; /* in no line; NULL: nothing                          */
} rows[] = {
    { "metadata has a place", HEAD "metadata_props { key: 'licence' value: 'MIT' } " GRAPH(""), "o.sdz", NULL, "licence" },
    { "metadata has none", HEAD "metadata_props { key: 'licence' value: 'MIT' } " GRAPH(""), "o.fb", "|left behind: texts about the model: ", NULL },
    { "what the texts are", HEAD "metadata_props { key: 'licence' value: 'MIT' } producer_name: 'me' " GRAPH(""), "o.npz", "licence", NULL },
    { "a key for the second time", HEAD "metadata_props { key: 'a' value: '1' } metadata_props { key: 'a' value: '2' } " GRAPH(""), "o.sdz",
      "|left behind: 1 text about the model: no UTF-8, or a key for the second time", NULL },
    { "a key alone has a place", HEAD "metadata_props { key: 'checked' value: '' } " GRAPH(""), "o.sdz", NULL, "checked" },
    { "a key alone has none", HEAD "metadata_props { key: 'checked' value: '' } " GRAPH(""), "o.fb", "checked", NULL },
    { "a key that SDNB needs itself", HEAD "metadata_props { key: 'shard.index' value: '7' } " GRAPH(""), "o.sdz", "metadataKeys|left behind: metadata 'shard.index'", NULL },
    { "a key that containers need, too", HEAD "metadata_props { key: 'nd4j.format.type' value: '' } " GRAPH(""), "o.samediff", "left behind: metadata 'nd4j.format.type'", NULL },
    { "a key that others do not need", HEAD "metadata_props { key: 'shard.index' value: '7' } " GRAPH(""), "o.safetensors", NULL, "shard.index" },
    { "a field that no other format has", HEAD GRAPH("quantization_annotation { tensor_name: 'w' } "), "o.fb", "quantization_annotation", NULL },
    { "fields of a graph that is left behind", HEAD GRAPH(""), "o.safetensors", NULL, "metadata" },
};
/* clang-format on */

static void expect_losses(struct tn_scratch *scratch, size_t i)
{
    struct heard              heard   = { "" };
    struct tn_options         open    = { .wants_graph = true };
    struct tn_convert_options options = { .loss         = note,
                                          .loss_context = &heard };
    struct tn_target target = { .path = tn_in_scratch(scratch, rows[i].to),
                                .can_replace = true };
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_model *model  = NULL;

    tn_make_model(scratch, "m.onnx", rows[i].text);
    assert_int_equal(
        tn_model_open(&model, tn_in_scratch(scratch, "m.onnx"), &open, &error),
        TN_OK);
    if (tn_convert(model, &options, &target, NULL, NULL, &error) != TN_OK)
        fail_msg("%s: %s", rows[i].name, error.what);
    if ((rows[i].says && !strstr(heard.text, rows[i].says)) ||
        (rows[i].absent && strstr(heard.text, rows[i].absent)))
        fail_msg("%s:\n%s", rows[i].name, heard.text);
    tn_model_close(model);
}

static void what_has_no_place_is_told(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_losses(&scratch, i);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_are_those_at_the_beginning),
        cmocka_unit_test(lost_comments_are_one_line),
        cmocka_unit_test(odd_comments_are_told),
        cmocka_unit_test(what_has_no_place_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
