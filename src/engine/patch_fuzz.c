/*
 * patch_fuzz.c - any bytes as a patch, applied to a model
 *
 * The first byte chooses the model: an ONNX graph with an If, a function and
 * weights, or a GraphDef with a function.  Claims: a patch runs or is refused;
 * what it made is checked, and if nothing is wrong with it, it is written and
 * opens again with as many nodes.  No memory is lost.
 */
#include <assert.h>
#include <string.h>

#include <tenon/edit.h>

#include "engine/convert_valid.h"
#include "engine/opened.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char onnx_text[] =
    "ir_version: 8 opset_import { version: 17 } opset_import { domain: \"f\" "
    "version: 1 } graph { name: \"g\"\n"
    "node { input: \"x\" input: \"w\" output: \"a\" name: \"sum\" op_type: "
    "\"Add\" }\n"
    "node { input: \"a\" output: \"b\" name: \"call\" op_type: \"Twice\" "
    "domain: \"f\" }\n"
    "node { input: \"c\" output: \"y\" name: \"if\" op_type: \"If\"\n"
    "attribute { name: \"then_branch\" type: GRAPH g { name: \"then\" node { "
    "input: \"b\" output: \"p\" name: \"n\" op_type: \"Neg\" } output { name: "
    "\"p\" type { tensor_type { elem_type: 1 } } } } }\n"
    "attribute { name: \"else_branch\" type: GRAPH g { name: \"else\" node { "
    "input: \"b\" output: \"q\" name: \"m\" op_type: \"Softmax\" attribute { "
    "name: \"axis\" type: INT i: 0 } } output { name: \"q\" type { "
    "tensor_type { elem_type: 1 } } } } } }\n"
    "initializer { dims: 2 data_type: 1 name: \"w\" float_data: 1 float_data: "
    "2 }\n"
    "input { name: \"x\" type { tensor_type { elem_type: 1 shape { dim { "
    "dim_value: 2 } } } } }\n"
    "input { name: \"c\" type { tensor_type { elem_type: 9 shape { } } } }\n"
    "output { name: \"y\" type { tensor_type { elem_type: 1 shape { dim { "
    "dim_value: 2 } } } } } }\n"
    "functions { name: \"Twice\" domain: \"f\" input: \"i\" output: \"o\" "
    "opset_import { version: 17 } node { input: \"i\" input: \"i\" output: "
    "\"o\" op_type: \"Add\" } }\n";

static const char graph_text[] =
    "node { name: \"x\" op: \"Placeholder\" attr { key: \"dtype\" value { "
    "type: DT_FLOAT } } }\n"
    "node { name: \"w\" op: \"Const\" attr { key: \"dtype\" value { type: "
    "DT_FLOAT } } attr { key: \"value\" value { tensor { dtype: DT_FLOAT "
    "tensor_shape { dim { size: 2 } } float_val: 1 float_val: 2 } } } }\n"
    "node { name: \"s\" op: \"AddV2\" input: \"x\" input: \"w\" attr { key: "
    "\"T\" value { type: DT_FLOAT } } }\n"
    "node { name: \"y\" op: \"twice\" input: \"s\" input: \"^w\" }\n"
    "library { function { signature { name: \"twice\" input_arg { name: \"i\" "
    "type: DT_FLOAT } output_arg { name: \"o\" type: DT_FLOAT } } node_def { "
    "name: \"sum\" op: \"AddV2\" input: \"i\" input: \"i\" attr { key: \"T\" "
    "value { type: DT_FLOAT } } } ret { key: \"o\" value: \"sum:z:0\" } } }\n"
    "versions { producer: 1087 min_consumer: 12 }\n";

static int read_at(void *context, uint64_t offset, void *to, size_t size)
{
    memcpy(to, (const uint8_t *)context + offset, size);
    return 0;
}

static struct tn_model *open_bytes(struct tn_bytes bytes)
{
    struct tn_options options = { .wants_graph = true, .workers = 1 };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model   = NULL;

    tn_model_open_source(&model, "fuzz", bytes.size, read_at,
                         (void *)(uintptr_t)bytes.data, &options, &error);
    return model;
}

/* Files that a patch names are not opened here. */
static bool names_files(struct tn_bytes text)
{
    static const char *const words[] = { "script", "put",          "weights",
                                         "from",   "take",         "append",
                                         "tensor", "add-function", NULL };

    for (const char *const *word = words; *word; word++)
        for (size_t at = 0; at + strlen(*word) <= text.size; at++)
            if (memcmp(text.data + at, *word, strlen(*word)) == 0)
                return true;
    return false;
}

static void lose(void *context, uint64_t offset, const char *where,
                 const char *what)
{
    (void)context;
    (void)offset;
    (void)where;
    (void)what;
}

static void write_again(const struct tn_model *made)
{
    const struct tn_format *format = tn_opened_of(made)->format;
    struct tn_write_options how    = { .loss = lose };
    struct tn_error         error  = TN_ERROR_INIT;
    struct tn_output       *output;
    struct tn_model        *again;

    assert(tn_output_memory(&output, made->memory, &error) == TN_OK);
    if (format->write(made, &how, output, &error) == TN_OK &&
        tn_output_flush(output, &error) == TN_OK) {
        again = open_bytes(tn_output_memory_bytes(output));
        assert(again && again->ops.count == made->ops.count);
        tn_model_close(again);
    }
    tn_output_close(output);
}

static void apply(const struct tn_model *model, struct tn_bytes patch)
{
    struct tn_validity how   = { .workers = 1 };
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_model   *made  = NULL;
    struct tn_edit    *edit;

    assert(tn_edit_open(&edit, model, NULL, &error) == TN_OK);
    if (tn_edit_run(edit, patch, &error) == TN_OK &&
        tn_edit_commit(edit, &made, &error) == TN_OK &&
        tn_refuse_edited(made, model, &how, &error) == TN_OK)
        write_again(made);
    tn_model_close(made);
    tn_edit_close(edit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tn_bytes texts[2];

    if (size == 0 || names_files(tn_bytes(data + 1, size - 1)))
        return 0;
    texts[0]               = tn_bytes(onnx_text, sizeof onnx_text - 1);
    texts[1]               = tn_bytes(graph_text, sizeof graph_text - 1);
    struct tn_model *model = open_bytes(texts[data[0] & 1]);
    assert(model);
    apply(model, tn_bytes(data + 1, size - 1));
    tn_model_close(model);
    return 0;
}
