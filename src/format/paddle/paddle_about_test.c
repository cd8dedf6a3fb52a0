/* paddle_about_test.c - what only a program of Paddle says is told */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "support/little_models.h"

#include "support/told.h"

#define TYPE                                                                   \
    "type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 "           \
    "dims: -1 dims: 2 }"

static const char program[] =
    "blocks { idx: 0 parent_idx: -1\n"
    " vars { name: \"feed\" type { type: FEED_MINIBATCH } persistable: true }\n"
    " vars { name: \"fetch\" type { type: FETCH_LIST } persistable: true }\n"
    " vars { name: \"x\" " TYPE " lod_level: 1 } } need_check_feed: true }\n"
    " vars { name: \"y\" " TYPE " } } stop_gradient: true }\n"
    " ops { inputs { parameter: \"X\" arguments: \"feed\" }\n"
    "  outputs { parameter: \"Out\" arguments: \"x\" } type: \"feed\"\n"
    "  attrs { name: \"col\" type: INT i: 0 } }\n"
    " ops { inputs { parameter: \"X\" arguments: \"x\" }\n"
    "  outputs { parameter: \"Out\" arguments: \"y\" } type: \"relu\"\n"
    "  attrs { name: \"op_note\" type: STRING s: \"a note\" }\n"
    "  is_target: true }\n"
    " ops { inputs { parameter: \"X\" arguments: \"y\" }\n"
    "  outputs { parameter: \"Out\" arguments: \"fetch\" } type: \"fetch\"\n"
    "  attrs { name: \"col\" type: INT i: 0 } } }\n"
    "version { version: 2004002 }\n"
    "op_version_map { pair { op_name: \"relu\"\n"
    "  op_version { version: 3 } } }\n";

static void flags_and_levels(void **state)
{
    struct tn_scratch        scratch = tn_scratch_open();
    static const char *const onnx[]  = {
         "LoDTensorDesc.lod_level [field]",
         "VarDesc.need_check_feed [field]",
         "VarDesc.stop_gradient [field]",
         "OpDesc.is_target [field]",
         "ProgramDesc.op_version_map",
         "attributes op_note (1)",
         NULL,
    };
    static const char *const pir[] = {
        "OpDesc.is_target [field]",
        "an input of ragged sequences: Paddle 3 knows none [end]",
        "PIR has no versions of operators [field]",
        NULL,
    };

    (void)state;
    tn_make_model(&scratch, "a.pdmodel", program);
    tn_must_tell(tn_in_scratch(&scratch, "a.pdmodel"),
                 tn_in_scratch(&scratch, "a.onnx"), NULL, onnx);
    tn_must_tell(tn_in_scratch(&scratch, "a.pdmodel"),
                 tn_in_scratch(&scratch, "b.json"), "paddle-pir", pir);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(flags_and_levels) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
