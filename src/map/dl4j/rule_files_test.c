/* rule_files_test.c - rules under hostility: cut, flipped, without memory */
#include "map/dl4j/rule_files.h"

#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/rule_table.h"
#include "support/hostile.h"

static const char mappings[] =
    "mappings { frameworkName: 'onnx' opName: 'p' inputFrameworkOpName: 'P' "
    "indexOverrides { key: 0 value: 1 } variableResolutionType: OVERRIDE "
    "rule { ruleName: 'IndexLookup' ruleType: 'attribute' "
    "inputToOutput { key: 'd' value: 'e' } transformerArgs { key: 'd' "
    "transformerArgs { name: 'e' int64Value: 1 argIndex: 6 } } } "
    "rule { ruleName: 'passthrough' } }";

static const char sketch[] =
    "MappingRule { name: 'n' functionName: 'StringEqualsConversion' } "
    "Mapper { name: 'onnxConversion' opName: 'c' inputFrameworkOpName: 'C' "
    "rules { list { MappingRule { name: 'n' } } } } "
    "f { onnx_mapping { inputFrameworkOpName: 'F' input_mappings { a: 'X' } "
    "attribute_mapping_functions { d: 'axis' } } }";

static const char ops[] =
    "opList { name: 'b' argDescriptor { name: 'x' argType: INPUT_TENSOR } "
    "argDescriptor { name: 'k' argType: INT64 } } opList { name: 'a' }";

static enum tn_status read_any(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_arena      arena;
    struct tn_text_field root;
    struct tn_mappers    mappers;
    struct tn_dl4j_ops   list;
    struct tn_rule_file  file = { .mappers = &mappers, .error = error };

    tn_arena_init(&arena, memory);
    tn_mappers_init(&mappers, &arena);
    tn_dl4j_ops_init(&list, &arena);
    if (tn_text_tree_read(&root, &arena, input, error) == TN_OK) {
        if (root.fields && tn_text_is(root.fields, "opList")) {
            if (tn_dl4j_ops_read(&list, &root, error) == TN_OK)
                tn_dl4j_ops_commit(&list, error);
        } else if ((tn_rules_are_sketch(&root)
                        ? tn_rule_sketch_read
                        : tn_dl4j_rules_read)(&file, &root) == TN_OK) {
            tn_mappers_commit(&mappers, error);
        }
    }
    tn_dl4j_ops_done(&list);
    tn_mappers_done(&mappers);
    tn_arena_done(&arena);
    return error->status;
}

static void test_good_files_load(void **state)
{
    const char *const good[] = { mappings, sketch, ops };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;

        tn_memory_init(&memory, NULL, 0);
        read_any(tn_text(good[i]), &memory, &error);
        assert_string_equal(error.what, "");
        tn_survives_every_flip(read_any, tn_text(good[i]));
        tn_survives_no_memory(read_any, tn_text(good[i]));
    }
}

/* Three place tensors, twenty-five make arguments. */
static void test_all_functions_are_there(void **state)
{
    unsigned tensors = 0, others = 0;

    (void)state;
    for (unsigned i = 0; tn_map_function_at(i); i++) {
        const struct tn_map_function *function = tn_map_function_at(i);

        assert_ptr_equal(tn_map_function_find(tn_text(function->name)),
                         function);
        tensors += function->places_tensors;
        others += !function->places_tensors;
    }
    assert_int_equal(tensors, 3);
    assert_int_equal(others, 25);
    assert_string_equal(
        tn_map_function_find(tn_text("StringEqualsConversion"))->name,
        "stringequals");
    assert_string_equal(tn_map_function_find(tn_text("IndexLookup"))->name,
                        "listattributevaluelookuptoindex");
    assert_null(tn_map_function_find(tn_text("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_files_load),
        cmocka_unit_test(test_all_functions_are_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
