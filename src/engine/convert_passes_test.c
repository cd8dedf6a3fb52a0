/* convert_passes_test.c - passes run in the order in which they are declared */
#define _GNU_SOURCE
#include <stdio.h>

#include "support/little_models.h"

/* y = F(x), where nothing has a rule for Mystery. */
#define MODEL(op, domain)                                                      \
    "ir_version: 8 opset_import { version: 17 }\n"                             \
    "opset_import { domain: \"my.ops\" version: 1 }\n"                         \
    "graph { name: \"g\"\n"                                                    \
    "  node { input: \"x\" output: \"y\" op_type: \"" op "\"\n"                \
    "    domain: \"" domain "\" }\n"                                           \
    "  input { name: \"x\" type { tensor_type { elem_type: 1 shape {\n"        \
    "    dim { dim_value: 2 } } } } }\n"                                       \
    "  output { name: \"y\" type { tensor_type { elem_type: 1 shape {\n"       \
    "    dim { dim_value: 2 } } } } } }\n"

struct heard {
    char     names[200];
    uint64_t nodes; /* after the last pass */
};

static void hear(void *context, const struct tn_plan_pass *pass)
{
    struct heard *heard = context;
    size_t        used  = strlen(heard->names);

    assert_true(pass->dialect[0] && pass->what[0]);
    snprintf(heard->names + used, sizeof heard->names - used, "%s%s",
             used ? " " : "", pass->name);
    heard->nodes = pass->nodes;
}

static struct heard plan(const char *text, const char *to, uint64_t *unmapped)
{
    struct tn_scratch         scratch  = tn_scratch_open();
    struct tn_options         options  = { .wants_graph = true };
    struct tn_convert_options convert  = { .to = to };
    struct tn_error           error    = TN_ERROR_INIT;
    struct heard              heard    = { .nodes = 0 };
    struct tn_plan_listener   listener = { .pass = hear, .context = &heard };
    struct tn_plan_summary    summary;
    struct tn_model          *model;

    tn_make_model(&scratch, "m.onnx", text);
    assert_int_equal(tn_model_open(&model, tn_in_scratch(&scratch, "m.onnx"),
                                   &options, &error),
                     TN_OK);
    assert_int_equal(
        tn_plan(model, &convert, "-", NULL, &listener, &summary, &error),
        TN_OK);
    *unmapped = summary.unmapped;
    tn_model_close(model);
    tn_scratch_close(&scratch);
    return heard;
}

static void every_pass_runs_in_its_place(void **state)
{
    uint64_t     unmapped;
    struct heard heard = plan(MODEL("Relu", ""), "samediff-fb", &unmapped);

    (void)state;
    assert_string_equal(heard.names,
                        "load prune inline prune account cells rules "
                        "infer simplify lower infer pack layout");
    assert_int_equal(heard.nodes, 1);
    assert_int_equal(unmapped, 0);
}

static void nothing_is_finished_without_a_rule(void **state)
{
    uint64_t     unmapped;
    struct heard heard =
        plan(MODEL("Mystery", "my.ops"), "samediff-fb", &unmapped);

    (void)state;
    assert_string_equal(heard.names,
                        "load prune inline prune account cells rules");
    assert_int_equal(unmapped, 1);
}

static void a_dialect_that_stays_has_no_rules(void **state)
{
    uint64_t     unmapped;
    struct heard heard = plan(MODEL("Mystery", "my.ops"), "onnx", &unmapped);

    (void)state;
    assert_string_equal(heard.names, "load prune account infer layout");
    assert_int_equal(unmapped, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pass_runs_in_its_place),
        cmocka_unit_test(nothing_is_finished_without_a_rule),
        cmocka_unit_test(a_dialect_that_stays_has_no_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
