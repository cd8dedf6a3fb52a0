/* edit_table.h - what actions make of a little model, as text, for tests of the
 * files that actions are in */
#ifndef TN_TESTS_EDIT_TABLE_H
#define TN_TESTS_EDIT_TABLE_H

#include <stdio.h>

#include "base/buffer.h"
#include "ir/model_tables.h"
#include "support/little_models.h"

#include <tenon/edit.h>

/* y = |x + w|, with w and v equal. */
static const char table_model[] =
    "ir_version: 8 producer_name: \"me\" opset_import { version: 17 } graph { "
    "name: \"g\"\n"
    "node { input: \"x\" input: \"w\" output: \"s\" name: \"sum\" op_type: "
    "\"Add\" }\n"
    "node { input: \"s\" input: \"v\" output: \"t\" name: \"twice\" op_type: "
    "\"Add\" }\n"
    "node { input: \"t\" output: \"y\" name: \"last\" op_type: \"Softmax\" "
    "attribute { name: \"axis\" type: INT i: 0 } }\n"
    "initializer { dims: 2 data_type: 1 name: \"w\" float_data: [1, 2] }\n"
    "initializer { dims: 2 data_type: 1 name: \"v\" float_data: [1, 2] }\n"
    "input { name: \"x\" type { tensor_type { elem_type: 1 shape { dim { "
    "dim_value: 2 } } } } }\n"
    "output { name: \"y\" type { tensor_type { elem_type: 1 shape { dim { "
    "dim_value: 2 } } } } } }\n"
    "metadata_props { key: \"k\" value: \"1\" }\n";

struct edit_row {
    const char *script;
    const char *expected; /* the model; or "! " and the refusal               */
};

static inline void put_io_names(struct tn_buffer *to, const char *word,
                                struct tn_io_list list)
{
    tn_buffer_text(to, word);
    for (uint32_t i = 0; i < list.count; i++)
        tn_buffer_format(to, " %.*s", TN_FMT(list.items[i].name));
    tn_buffer_text(to, "; ");
}

static inline void put_model(struct tn_buffer *to, const struct tn_model *model)
{
    put_io_names(to, "in", tn_model_inputs(model));
    for (uint32_t i = 0; i < tn_model_op_count(model); i++) {
        struct tn_op_info op = tn_model_op(model, i);
        tn_buffer_format(to, "%.*s=%.*s(", TN_FMT(op.name), TN_FMT(op.type));
        for (uint32_t k = 0; k < op.input_count; k++)
            tn_buffer_format(
                to, "%s%.*s", k ? "," : "",
                TN_FMT(tn_model_value_name(model, tn_op_input(model, i, k))));
        tn_buffer_format(to, ")/%u; ", tn_op_attr_count(model, i));
    }
    put_io_names(to, "out", tn_model_outputs(model));
    tn_buffer_text(to, "tensors");
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++)
        tn_buffer_format(to, " %.*s",
                         TN_FMT(tn_tensor_name(tn_model_tensor(model, i))));
    for (uint32_t i = 0; i < tn_model_fact_count(model); i++) {
        struct tn_fact fact = tn_model_fact(model, i);
        if (tn_bytes_is(fact.key, "doc") || tn_bytes_is(fact.key, "producer") ||
            tn_bytes_is(fact.key, "metadata") ||
            tn_bytes_is(fact.key, "graph") || tn_bytes_is(fact.key, "domain"))
            tn_buffer_format(to, "; %.*s %.*s", TN_FMT(fact.key),
                             TN_FMT(fact.value));
    }
}

static inline void expect_edit(const struct edit_row *row)
{
    static const struct tn_options with_graph = { .wants_graph = true };
    struct tn_scratch              scratch    = tn_scratch_open();
    struct tn_error                error      = TN_ERROR_INIT;
    struct tn_model               *model = NULL, *made = NULL, *again = NULL;
    struct tn_edit                *edit = NULL;
    struct tn_target target = { .path = tn_in_scratch(&scratch, "out.onnx") };
    struct tn_memory memory;
    struct tn_buffer text;
    struct tn_error  quiet = TN_ERROR_INIT;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&text, &memory, &quiet);
    tn_make_model(&scratch, "in.onnx", table_model);
    if (tn_model_open(&model, tn_in_scratch(&scratch, "in.onnx"), &with_graph,
                      &error) == TN_OK &&
        tn_edit_open(&edit, model, NULL, &error) == TN_OK &&
        tn_edit_run(edit, tn_text(row->script), &error) == TN_OK &&
        tn_edit_commit(edit, &made, &error) == TN_OK &&
        tn_edit_write(made, NULL, &target, NULL, NULL, &error) == TN_OK &&
        tn_model_open(&again, target.path, &with_graph, &error) == TN_OK)
        put_model(&text, again);
    else
        tn_buffer_format(&text, "! %s", error.what);
    if (strcmp(tn_buffer_string(&text), row->expected) != 0)
        fail_msg("%s:\n%s\nwanted\n%s", row->script, tn_buffer_string(&text),
                 row->expected);
    tn_buffer_done(&text);
    tn_model_close(again);
    tn_model_close(made);
    tn_edit_close(edit);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

#define EDITS_MAIN(rows)                                                       \
    static void the_table_holds(void **state)                                  \
    {                                                                          \
        (void)state;                                                           \
        for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)             \
            expect_edit(&(rows)[i]);                                           \
    }                                                                          \
    int main(void)                                                             \
    {                                                                          \
        const struct CMUnitTest tests[] = { cmocka_unit_test(                  \
            the_table_holds) };                                                \
        return cmocka_run_group_tests(tests, NULL, NULL);                      \
    }

#endif
