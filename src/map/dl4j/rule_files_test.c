/* rule_files_test.c - rules and ops out of text: what is refused, what is
 * found, and hostility: cut, flipped, without memory */
#include "map/dl4j/rule_files.h"

#include "map/dl4j/rule_table.h"
#include "support/import_bench.h"

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

/* ---- what is refused ---------------------------------------------------- */

#define MAPPING(parts)                                                         \
    "mappings { frameworkName: 'tensorflow' opName: 'op' "                     \
    "inputFrameworkOpName: 'Op' " parts " }"
#define SKETCH(parts) "op { tensorflow_mapping { " parts " } }"
#define MAPPER(parts) "Mapper { name: 'onnxA' opName: 'op' " parts " }"

static const struct {
    const char *text, *what;
} refused[] = {
    { "opList { }", "line 1, column 1: an op without a name" },
    { "opList: 3", "line 1, column 1: 'opList' takes a message" },
    { "opList { name: 'a' } ops { }",
      "line 1, column 22: expected 'opList', not 'ops'" },
    { "opList { name: 'a' color: 3 }",
      "line 1, column 20: an op has no field 'color'" },
    { "opList { name: 'a' opDeclarationType: NO_OP }",
      "line 1, column 20: unknown opDeclarationType 'NO_OP'" },
    { "opList { name: 'a' argDescriptor { argType: LONG } }",
      "line 1, column 36: unknown argType 'LONG'" },
    { "opList { name: 'a' argDescriptor { argIndex: -2 } }",
      "line 1, column 36: argIndex is from -1 to 65535" },
    { "opList { name: 'a' argDescriptor { argIndex: 65536 } }",
      "line 1, column 36: argIndex is from -1 to 65535" },
    { "opList { name: 'a' argDescriptor { dataTypeValue: TWO } }",
      "line 1, column 36: unknown DataType 'TWO'" },
    { "opList { name: 'a' argDescriptor { color: 3 } }",
      "line 1, column 36: an argument has no field 'color'" },
    { "opList { name: 'a' argDescriptor { name: 'x' argType: INT64 argIndex: 1 "
      "} }",
      "line 1, column 1: op 'a': argument 'x' has index 1, 0 comes next" },
    { "opList { name: 'a' } opList { name: 'b' } opList { name: 'a' }",
      "op 'a' is declared twice" },

    { MAPPING("color: 3"), "line 1, column 80: a mapper has no field 'color'" },
    { MAPPING("") " " MAPPING(""),
      "line 1, column 83: a second mapper for tensorflow's 'Op'" },
    { MAPPING("rule { ruleName: 'none' }"),
      "line 1, column 87: unknown function 'none'" },

    { SKETCH("color: 3"),
      "line 1, column 27: 'color' has no place in a mapping" },
    { "op { tensorflow_mapping { } color: 3 }",
      "line 1, column 29: 'color' has no place in an op" },
    { SKETCH("attribute_mapping_functions { n: 3 }"),
      "line 1, column 57: 'n' has no place in attribute_mapping_functions" },
    { "none { tensorflow_mapping { } }",
      "line 1, column 8: tensorflow has no op like 'none'; say which with "
      "inputFrameworkOpName" },
    { "op { onnx_mapping { } }",
      "line 1, column 6: onnx has no op like 'op'; say which with "
      "inputFrameworkOpName" },
    { "Mapper { opName: 'op' }",
      "line 1, column 1: a mapper needs name and opName" },
    { "Mapper { name: 'onnxA' }",
      "line 1, column 1: a mapper needs name and opName" },
    { "Mapper { name: 'caffeA' opName: 'op' }",
      "line 1, column 10: a mapper's name begins with tensorflow or onnx" },
    { MAPPER("rules { color: 3 }"),
      "line 1, column 45: 'color' has no place in rules" },
    { MAPPER("rules { list { color: 3 } }"),
      "line 1, column 52: 'color' has no place in a list of rules" },
    { MAPPER("color: 3"),
      "line 1, column 37: 'color' has no place in a mapping" },
};

static void broken_files_are_refused_where_they_break(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct import_bench b;
        bool                is_ops = strncmp(refused[i].text, "opList", 6) == 0;
        import_set_up(&b, NULL);
        (is_ops ? import_read_ops : import_read_rules)(&b, refused[i].text);
        assert_int_not_equal(b.error.status, TN_OK);
        if (strcmp(b.error.what, refused[i].what) != 0)
            fail_msg("%s: %s", refused[i].text, b.error.what);
        import_tear_down(&b);
    }
}

/* ---- what is found ------------------------------------------------------ */

/* An op of the same name, letter case and underscores aside; rules that are
 * named, in a list and alone; tensors first. */
static void sketches_become_mappers(void **state)
{
    static const char text[] =
        "MappingRule { name: 'same' functionName: 'StringEqualsConversion' } "
        "c_ou_nted { tensorflow_mapping { "
        "attribute_mapping_functions { n: 'N' rule { ruleName: 'passthrough' } "
        "} input_mappings { input_mapping { a: 'xs' } b: 'y' } } "
        "onnx_mapping { inputFrameworkOpName: 'C' } } "
        "Mapper { name: 'tensorflowMany' opName: 'op' inputFrameworkOpName: "
        "'Many' rules { list { MappingRule { name: 'same' } MappingRule { "
        "name: "
        "'own' functionName: 'valuemapping' } } } }";
    static const struct {
        const char *framework, *op_type, *rules[3];
    } want[] = {
        { "tensorflow",
          "Counted",
          { "passthrough", "ndarraymapping", "valuemapping" } },
        { "onnx", "C", { NULL } },
        { "tensorflow", "Many", { "stringequals", "valuemapping" } },
    };
    struct import_bench b;

    (void)state;
    import_set_up(&b, NULL);
    import_read_rules(&b, text);
    assert_string_equal(b.error.what, "");
    assert_int_equal(b.mappers.list.count, 3);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct tn_mapper *mapper = tn_mappers_find(
            &b.mappers, tn_text(want[i].framework), tn_text(want[i].op_type));
        assert_ptr_equal(mapper, tn_mappers_at(&b.mappers, (uint32_t)i));
        for (uint32_t k = 0; k < mapper->rule_count; k++)
            assert_string_equal(mapper->rules[k].function->name,
                                want[i].rules[k]);
        assert_true(mapper->rule_count == 3 ||
                    !want[i].rules[mapper->rule_count]);
    }
    assert_null(
        tn_mappers_find(&b.mappers, tn_text("onnx"), tn_text("Counted")));
    assert_null(tn_mappers_find(&b.mappers, tn_text("a"), tn_text("C")));
    assert_null(tn_mappers_find(&b.mappers, tn_text("z"), tn_text("C")));
    import_tear_down(&b);
}

static void groups_are_found_by_their_key(void **state)
{
    struct import_bench b;

    (void)state;
    import_set_up(&b, NULL);
    import_read_rules(&b, mappings);
    const struct tn_map_rule  *rules = tn_mappers_at(&b.mappers, 0)->rules;
    const struct tn_map_group *group =
        tn_map_rule_group(rules + 1, tn_text("d"));
    assert_non_null(group);
    assert_int_equal(group->items[0].number, 1);
    assert_int_equal(group->items[0].index, 6);
    assert_null(tn_map_rule_group(rules + 1, tn_text("e")));
    import_tear_down(&b);
}

/* libnd4j takes any number of arrays where the file names some. */
static void ops_know_how_much_they_take(void **state)
{
    static const char text[] =
        "opList { name: 'concat' argDescriptor { name: 'x' argType: "
        "INPUT_TENSOR } argDescriptor { name: 'k' argType: INT64 } } "
        "opList { name: 'abs' opDeclarationType: OP_IMPL argDescriptor { name: "
        "'x' argType: INPUT_TENSOR } argDescriptor { name: 'z' argType: "
        "OUTPUT_TENSOR } } "
        "opList { name: 'sum' opDeclarationType: LEGACY_XYZ argDescriptor { "
        "name: 'dimensions' argType: INT64 argIndex: 4 } }";
    struct import_bench b;

    (void)state;
    import_set_up(&b, NULL);
    import_read_ops(&b, text);
    assert_string_equal(b.error.what, "");
    const struct tn_op_descriptor *concat =
        tn_dl4j_ops_find(&b.ops, tn_text("concat"));
    assert_int_equal(concat->in_count, TN_ANY_NUMBER);
    assert_int_equal(concat->out_count, 1);
    assert_int_equal(concat->i_count, 1);
    assert_false(concat->is_inplaceable);
    const struct tn_op_descriptor *abs =
        tn_dl4j_ops_find(&b.ops, tn_text("abs"));
    assert_int_equal(abs->in_count, 1);
    assert_true(abs->is_inplaceable);
    const struct tn_op_descriptor *sum =
        tn_dl4j_ops_find(&b.ops, tn_text("sum"));
    assert_int_equal(sum->lists[TN_LIST_AXIS].count, 1);
    assert_int_equal(sum->lists[TN_LIST_I].count, 0);
    assert_null(tn_dl4j_ops_find(&b.ops, tn_text("mul")));
    import_tear_down(&b);
}

static void words_have_names(void **state)
{
    (void)state;
    assert_string_equal(tn_declaration_name(TN_LEGACY_XYZ), "LEGACY_XYZ");
    assert_string_equal(tn_declaration_name((enum tn_declaration)99),
                        "UNKNOWN");
    assert_string_equal(tn_arg_type_name(TN_ARG_STRING), "STRING");
    assert_string_equal(tn_arg_type_name(TN_ARG_TYPE_COUNT), "UNKNOWN");
    assert_string_equal(tn_arg_list_name(TN_LIST_AXIS), "axis");
    assert_string_equal(tn_arg_list_name(TN_LIST_COUNT), "unknown");
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
        cmocka_unit_test(broken_files_are_refused_where_they_break),
        cmocka_unit_test(sketches_become_mappers),
        cmocka_unit_test(groups_are_found_by_their_key),
        cmocka_unit_test(ops_know_how_much_they_take),
        cmocka_unit_test(words_have_names),
        cmocka_unit_test(test_all_functions_are_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
