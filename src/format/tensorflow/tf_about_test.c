/* tf_about_test.c - what stands around a graph of TensorFlow is told */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "support/little_models.h"

#include "support/told.h"

static const char saved[] =
    "saved_model_schema_version: 1 meta_graphs {\n"
    " meta_info_def { tags: \"serve\" tensorflow_version: \"2.99\"\n"
    "  tensorflow_git_version: \"git\" }\n"
    " graph_def {\n"
    "  node { name: \"x\" op: \"Placeholder\" device: \"/cpu:0\"\n"
    "   attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "   attr { key: \"shape\" value { shape { dim { size: 2 } } } } }\n"
    "  node { name: \"y\" op: \"Neg\" input: \"x\" input: \"^check\"\n"
    "   attr { key: \"T\" value { type: DT_FLOAT } } }\n"
    "  node { name: \"check\" op: \"Relu\" input: \"x\"\n"
    "   attr { key: \"T\" value { type: DT_FLOAT } } }\n"
    "  node { name: \"alone\" op: \"Relu\" input: \"x\"\n"
    "   attr { key: \"T\" value { type: DT_FLOAT } } }\n"
    "  versions { producer: 1087 } }\n"
    " collection_def { key: \"c\" value { node_list { value: \"n\" } } }\n"
    " signature_def { key: \"serving_default\" value {\n"
    "  inputs { key: \"x\" value { name: \"x:0\" dtype: DT_FLOAT } }\n"
    "  outputs { key: \"y\" value { name: \"y:0\" dtype: DT_FLOAT } } } }\n"
    " signature_def { key: \"train\" value {\n"
    "  outputs { key: \"l\" value { name: \"alone:0\" dtype: DT_FLOAT } } } } "
    "}\n"
    "meta_graphs { meta_info_def { tags: \"other\" } graph_def {\n"
    "  node { name: \"n\" op: \"NoOp\" } } }\n";

static void make_model(struct tn_scratch *scratch)
{
    assert_int_equal(mkdirat(scratch->folder, "saved", 0700), 0);
    assert_int_equal(mkdirat(scratch->folder, "saved/assets", 0700), 0);
    tn_make_model(scratch, "saved/saved_model.pb", saved);
    tn_write_text(scratch, "saved/assets/vocabulary.txt", "words");
}

static void around_a_graph(void **state)
{
    struct tn_scratch        scratch = tn_scratch_open();
    static const char *const onnx[]  = {
         "train: left behind: a signature [signature]",
         "check: left behind: an operator that only runs by a control "
          "dependency [operator]",
         "alone: left behind: an operator that no output needs [operator]",
         "meta_graphs[1]: left behind: the graph for the tags 'other' [graph]",
         "assets/vocabulary.txt: left behind: a file of the SavedModel [file]",
         "MetaGraphDef.collection_def [field]",
         "NodeDef.device [field]",
         NULL,
    };
    static const char *const graph[] = {
        "MetaGraphDef.meta_info_def [field]",
        "MetaGraphDef.signature_def",
        "meta_graphs[1]: left behind: the graph for the tags 'other' [graph]",
        "assets/vocabulary.txt: left behind: a file of the SavedModel [file]",
        NULL,
    };
    (void)state;
    make_model(&scratch);
    const char *from = tn_in_scratch(&scratch, "saved");
    tn_must_tell(from, tn_in_scratch(&scratch, "a.onnx"), NULL, onnx);
    tn_must_tell(from, tn_in_scratch(&scratch, "a.pb"), "tf-graph", graph);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(around_a_graph) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
