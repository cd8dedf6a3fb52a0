/*
 * tf_alias_test.c - the other names of a variable in a checkpoint
 *
 * The checkpoint is made of tensors that go through ONNX text, its object graph
 * among them.
 */
#define _GNU_SOURCE
#include <tenon/tenon.h>

#include "support/hostile.h"
#include "support/little_models.h"

#define END "/.ATTRIBUTES/VARIABLE_VALUE"
#define TENSOR(name, value)                                                    \
    "initializer { name: '" name "' data_type: 1 dims: 1 float_data: " value   \
    " } "

/* TrackableObjectGraph { nodes { attributes { name, full_name, key } } }, for
 * keys of ten letters and full names of five */
#define OBJECT(full, key)                                                      \
    "\\n\\100\\022\\076\\n\\016VARIABLE_VALUE\\022\\005" full                  \
    "\\032\\045" key END
#define GRAPH(objects)                                                         \
    "initializer { name: '_CHECKPOINTABLE_OBJECT_GRAPH' data_type: 8 "         \
    "string_data: '" objects "' } "
#define MODEL(tensors)                                                         \
    "ir_version: 8 opset_import { version: 17 } graph { name: 'g' node { "     \
    "op_type: 'Relu' input: 'plain' output: 'y' } " tensors                    \
    "output { name: 'y' type { tensor_type { elem_type: 1 shape { dim { "      \
    "dim_value: 1 } } } } } }"

static const char model[] = MODEL(
    TENSOR("net/kernel" END, "1") TENSOR("net/weight" END, "2")
        TENSOR("net/slots1" END, "3") TENSOR("plain", "4") GRAPH(
            OBJECT("dense", "net/kernel") OBJECT("twice", "net/kernel") OBJECT(
                "twice", "net/weight") OBJECT("other", "net/weight")
                OBJECT("other", "net/weight") OBJECT("plain", "net/slots1")));

static const struct {
    const char *name;
    float       value; /* 0: nothing is called so                             */
} rows[] = {
    { "net/kernel" END, 1 },
    { "net/kernel", 1 },   /* the path                                       */
    { "net/kernel:0", 1 }, /* what its op gives                              */
    { "dense", 1 },        /* its name in the graph                          */
    { "dense:0", 1 },
    { "dense:1", 0 },
    { "twice", 0 }, /* of two variables                               */
    { "other", 2 }, /* twice the same                                 */
    { "plain", 4 }, /* a name of its own comes first                  */
    { "net", 0 },
    { "", 0 },
};

static void make_checkpoint(struct tn_scratch *scratch)
{
    struct tn_error           error = TN_ERROR_INIT;
    struct tn_convert_options how   = { .to = "tf-checkpoint" };
    struct tn_target target = { .path = tn_in_scratch(scratch, "v.index") };
    struct tn_model *from;

    tn_write_text(scratch, "m.onnx.txt", model);
    if (tn_model_open(&from, tn_in_scratch(scratch, "m.onnx.txt"), NULL,
                      &error) != TN_OK ||
        tn_convert(from, &how, &target, NULL, NULL, &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    tn_model_close(from);
}

static void variables_are_found_by_other_names(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *checkpoint;

    (void)state;
    make_checkpoint(&scratch);
    assert_int_equal(tn_model_open(&checkpoint,
                                   tn_in_scratch(&scratch, "v.index"), NULL,
                                   &error),
                     TN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct tn_tensor *found = tn_model_find(checkpoint, rows[i].name);
        float                   value = 0;
        if (found)
            assert_int_equal(
                tn_tensor_read(found, 0, &value, sizeof value, &error), TN_OK);
        if ((found != NULL) != (rows[i].value != 0) || value != rows[i].value)
            fail_msg("'%s': %g", rows[i].name, (double)value);
    }
    tn_model_close(checkpoint);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_found_by_other_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
