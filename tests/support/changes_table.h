/* changes_table.h - what tn_diff_open() says about pairs of little models, as
 * lines of text, for tests of the parts of a comparison */
#ifndef TN_TESTS_CHANGES_TABLE_H
#define TN_TESTS_CHANGES_TABLE_H

#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"
#include "support/little_models.h"

#include <tenon/diff.h>

/* An ONNX model y = f(x): nodes, initializers and other fields of the graph,
 * and fields of the model. */
#define ONNX_OF(nodes, fields)                                                 \
    "ir_version: 8 opset_import { version: 17 } " fields " graph { name: "     \
    "\"g\" " nodes " input { name: \"x\" type { tensor_type { elem_type: 1 "   \
    "shape { dim { dim_value: 2 } dim { dim_value: 2 } } } } } output { "      \
    "name: \"y\" type { tensor_type { elem_type: 1 } } } }"
#define NODE(type, name, in, out, rest)                                        \
    "node { op_type: \"" type "\" name: \"" name "\" input: " in               \
    " output: \"" out "\" " rest " } "
#define TENSOR(name, type, dims, values)                                       \
    "initializer { name: \"" name "\" data_type: " type " " dims " " values    \
    " } "
#define SQUARE "dims: 2 dims: 2"

struct change_row {
    const char *name, *left, *right;
    const char *expected; /* one line a change */
};

static inline void put_change(struct tn_buffer            *to,
                              const struct tn_diff_change *c)
{
    static const char *const parts[] = { "input",     "output",  "version",
                                         "signature", "graph",   "operator",
                                         "tensor",    "metadata" };
    static const char *const kinds[] = { "+", "-", "~", "renamed", "moved" };

    tn_buffer_format(to, "%s %s %.*s", kinds[c->kind], parts[c->part],
                     TN_FMT(c->name));
    if (c->new_name.size)
        tn_buffer_format(to, " -> %.*s", TN_FMT(c->new_name));
    for (uint32_t i = 0; i < c->facet_count; i++)
        tn_buffer_format(to, "; %.*s: %.*s -> %.*s", TN_FMT(c->facets[i].name),
                         TN_FMT(c->facets[i].left), TN_FMT(c->facets[i].right));
    if (c->changed_count)
        tn_buffer_format(to, "; %" PRIu64 " of %" PRIu64 ", %g, %g",
                         c->changed_count, c->element_count, c->max_absolute,
                         c->max_relative);
    tn_buffer_text(to, "\n");
}

static inline void expect_changes(const struct change_row *row)
{
    static const struct tn_options with_graph = { .wants_graph = true };
    struct tn_scratch              scratch    = tn_scratch_open();
    struct tn_error                error      = TN_ERROR_INIT;
    struct tn_model               *left = NULL, *right = NULL;
    struct tn_diff                *diff = NULL;
    struct tn_memory               memory;
    struct tn_buffer               text;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&text, &memory, &error);
    tn_make_model(&scratch, "left", row->left);
    tn_make_model(&scratch, "right", row->right);
    if (tn_model_open(&left, tn_in_scratch(&scratch, "left"), &with_graph,
                      &error) != TN_OK ||
        tn_model_open(&right, tn_in_scratch(&scratch, "right"), &with_graph,
                      &error) != TN_OK ||
        tn_diff_open(&diff, left, right, NULL, NULL, &error) != TN_OK)
        fail_msg("%s: %s: %s", row->name, error.where, error.what);
    for (uint64_t i = 0; i < tn_diff_count(diff); i++)
        put_change(&text, tn_diff_change_at(diff, i));
    if (strcmp(tn_buffer_string(&text), row->expected) != 0)
        fail_msg("%s:\n%swanted\n%s", row->name, tn_buffer_string(&text),
                 row->expected);
    tn_buffer_done(&text);
    tn_diff_close(diff);
    tn_model_close(right);
    tn_model_close(left);
    tn_scratch_close(&scratch);
}

#define CHANGES_MAIN(rows)                                                     \
    static void the_table_holds(void **state)                                  \
    {                                                                          \
        (void)state;                                                           \
        for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)             \
            expect_changes(&(rows)[i]);                                        \
    }                                                                          \
    int main(void)                                                             \
    {                                                                          \
        const struct CMUnitTest tests[] = { cmocka_unit_test(                  \
            the_table_holds) };                                                \
        return cmocka_run_group_tests(tests, NULL, NULL);                      \
    }

#endif
