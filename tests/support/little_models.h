/*
 * little_models.h - small models as files, for tests of the verbs
 *
 * Written as protobuf text, which the library itself turns into bytes; what it
 * reads and writes is judged by protoc elsewhere (tests/judges).
 */
#ifndef TN_TESTS_LITTLE_MODELS_H
#define TN_TESTS_LITTLE_MODELS_H

#include "support/scratch.h"

#include <tenon/tenon.h>

/* y = x + w, with w = [1, 2]. */
static const char little_onnx[] =
    "ir_version: 8 producer_name: \"test\" opset_import { version: 17 }\n"
    "graph {\n"
    "  node { input: \"x\" input: \"w\" output: \"y\" name: \"sum\"\n"
    "         op_type: \"Add\" }\n"
    "  name: \"g\"\n"
    "  initializer { dims: 2 data_type: 1 name: \"w\"\n"
    "    raw_data: \"\\000\\000\\200?\\000\\000\\000@\" }\n"
    "  input { name: \"x\" type { tensor_type { elem_type: 1 shape {\n"
    "    dim { dim_value: 2 } } } } }\n"
    "  output { name: \"y\" type { tensor_type { elem_type: 1 shape {\n"
    "    dim { dim_value: 2 } } } } }\n"
    "}\n";

/* The same in TensorFlow's words; w is a splat of typed values. */
static const char little_graph[] =
    "node { name: \"x\" op: \"Placeholder\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
    "node { name: \"w\" op: \"Const\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "  attr { key: \"value\" value { tensor { dtype: DT_FLOAT\n"
    "    tensor_shape { dim { size: 2 } } float_val: 1 float_val: 2 } } } }\n"
    "node { name: \"y\" op: \"AddV2\" input: \"x\" input: \"w\"\n"
    "  attr { key: \"T\" value { type: DT_FLOAT } } }\n"
    "versions { producer: 1087 min_consumer: 12 }\n";

static inline void tn_write_text(struct tn_scratch *scratch, const char *name,
                                 const char *text)
{
    tn_scratch_put(scratch, name, tn_text(text));
}

/* The path of a file in the scratch folder; valid until the next call but
 * three. */
static inline const char *tn_in_scratch(struct tn_scratch *scratch,
                                        const char        *name)
{
    static char     paths[4][512];
    static unsigned next;
    char           *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", scratch->path, name);
    return path;
}

/* Writes a binary model from its text. */
static inline void tn_make_model(struct tn_scratch *scratch, const char *name,
                                 const char *text)
{
    struct tn_error        error  = TN_ERROR_INIT;
    struct tn_dump_options undump = { 0 };

    tn_write_text(scratch, "model.txt", text);
    struct tn_target target = { .path        = tn_in_scratch(scratch, name),
                                .can_replace = true };
    tn_undump(tn_in_scratch(scratch, "model.txt"), NULL, &undump, &target,
              &error);
    if (error.status != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
}

#endif
