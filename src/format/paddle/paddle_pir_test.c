/* paddle_pir_test.c - PIR programs, in and out again */
#include <stdio.h>
#include <stdlib.h>

#include "format/paddle/paddle_pir.h"
#include "format/paddle/paddle_pir_desc.h"
#include "support/hostile.h"

#define SEEDS TN_CORPUS "/fuzz/paddle_pir_fuzz/"
#define DATA  TN_SHARED_DATA "/paddle/"

/* ---- what both ways do -------------------------------------------------- */

/* JSON to a program. */
static enum tn_status to_program(struct tn_bytes text, struct tn_memory *memory,
                                 struct tn_buffer *to, struct tn_error *error)
{
    struct tn_cursor c = tn_cursor_bytes(text, 0, error);
    struct tn_arena  arena;
    struct tn_rope   rope;

    tn_arena_init(&arena, memory);
    tn_rope_init(&rope, &arena, error);
    const struct tn_tree *root = tn_tree_read(&c, &arena);
    if (root && tn_pir_to_program(root, &arena, &rope, NULL, error) == TN_OK)
        tn_rope_write(&rope, &to->sink, error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error->status;
}

static enum tn_status to_json(struct tn_bytes program, struct tn_memory *memory,
                              struct tn_buffer *to, struct tn_error *error)
{
    struct tn_source source;

    tn_source_memory(&source, memory, program);
    tn_pir_from_program((struct tn_span){ &source, 0, program.size }, memory,
                        to, NULL, NULL, error);
    tn_source_close(&source);
    return error->status;
}

static enum tn_status there(struct tn_bytes text, struct tn_memory *memory,
                            struct tn_error *error)
{
    struct tn_buffer program;

    tn_buffer_init(&program, memory, error);
    to_program(text, memory, &program, error);
    tn_buffer_done(&program);
    return error->status;
}

static enum tn_status there_and_back(struct tn_bytes   text,
                                     struct tn_memory *memory,
                                     struct tn_error  *error)
{
    struct tn_buffer program, again;

    tn_buffer_init(&program, memory, error);
    tn_buffer_init(&again, memory, error);
    if (to_program(text, memory, &program, error) == TN_OK)
        to_json(tn_buffer_bytes(&program), memory, &again, error);
    tn_buffer_done(&program);
    tn_buffer_done(&again);
    return error->status;
}

static struct tn_bytes load(const char *path)
{
    struct tn_bytes bytes = tn_load_file(path);

    if (!bytes.data) {
        print_message("skipped: wants real models\n");
        skip();
    }
    return bytes;
}

/* ---- numbers and text --------------------------------------------------- */

static const struct {
    double      value;
    const char *text;
} doubles[] = {
    { 0, "0.0" },
    { -0.0, "-0.0" },
    { 1, "1.0" },
    { -2.5, "-2.5" },
    { (double)0.9f, "0.8999999761581421" },
    { (double)1e-5f, "9.999999747378752e-06" },
    { 0.0001, "0.0001" },
    { 0.00001, "1e-05" },
    { 123456789012345.0, "123456789012345.0" },
    { 1e14, "100000000000000.0" },
    { 1e15, "1e+15" },
    { 1.5e20, "1.5e+20" },
    { 1e-300, "1e-300" },
    { 5e-324, "5e-324" },
    { 1.7976931348623157e308, "1.7976931348623157e+308" },
    { 0.1, "0.1" },
    { 2.0 / 3, "0.6666666666666666" },
};

static void test_doubles(void **state)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer text;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&text, &memory, &error);
    for (size_t i = 0; i < sizeof doubles / sizeof doubles[0]; i++) {
        tn_buffer_clear(&text);
        tn_pir_put_double(&text, doubles[i].value);
        assert_string_equal(tn_buffer_string(&text), doubles[i].text);
    }
    tn_buffer_done(&text);
}

/* Every number and string made anew gives the bytes that Paddle wrote. */
static void same_when_printed(const char *path)
{
    struct tn_bytes  bytes = load(path);
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer text;
    struct tn_arena  arena;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_buffer_init(&text, &memory, &error);
    struct tn_cursor      c    = tn_cursor_bytes(bytes, 0, &error);
    const struct tn_tree *root = tn_tree_read(&c, &arena);
    assert_non_null(root);
    tn_tree_put(&text, root);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&text), bytes));
    tn_buffer_done(&text);
    tn_arena_done(&arena);
    free((void *)bytes.data);
}

static void test_real_text(void **state)
{
    (void)state;
    same_when_printed(DATA "textline-ori/inference.json");
}

static void test_seed_text(void **state)
{
    (void)state;
    same_when_printed(SEEDS "plain.json");
    same_when_printed(SEEDS "flow.json");
}

/* ---- there and back ----------------------------------------------------- */

/* Through a ProgramDesc, and the same bytes again. */
static void same_through_program(const char *path)
{
    struct tn_bytes  bytes = load(path);
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer program, again;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&program, &memory, &error);
    tn_buffer_init(&again, &memory, &error);
    to_program(bytes, &memory, &program, &error);
    assert_string_equal(error.what, "");
    to_json(tn_buffer_bytes(&program), &memory, &again, &error);
    assert_string_equal(error.what, "");
    if (!tn_bytes_equal(tn_buffer_bytes(&again), bytes)) {
        size_t at = 0;
        while (at < again.size && at < bytes.size &&
               again.data[at] == bytes.data[at])
            at++;
        size_t from = at > 200 ? at - 200 : 0;
        fail_msg("differs at %zu:\n%.400s\n%.400s", at,
                 tn_buffer_string(&again) + from,
                 (const char *)bytes.data + from);
    }
    tn_buffer_done(&program);
    tn_buffer_done(&again);
    assert_int_equal(memory.used, 0);
    free((void *)bytes.data);
}

static void test_real_through_program(void **state)
{
    (void)state;
    same_through_program(DATA "textline-ori/inference.json");
}

static void test_seed_through_program(void **state)
{
    (void)state;
    same_through_program(SEEDS "plain.json");
}

/* ---- real programs, there and back -------------------------------------- */

/* Kinds may drift (INT for BOOLEAN); numbers may not. */
static void same_attr(const struct tn_desc_op   *op,
                      const struct tn_desc_attr *was,
                      const struct tn_desc_attr *now, struct tn_arena *arena)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_pir_value value;

    if (!now)
        fail_msg("%.*s lost %.*s", TN_FMT(op->type), TN_FMT(was->name));
    value = now->value;
    if (!tn_pir_value_as(&value, was->value.type, arena, &error) ||
        !tn_pir_value_equal(&was->value, &value))
        fail_msg("%.*s: %.*s changed", TN_FMT(op->type), TN_FMT(was->name));
}

static void same_slots(const struct tn_desc_op   *op,
                       const struct tn_desc_slot *was, uint32_t was_count,
                       const struct tn_desc_slot *now, uint32_t now_count)
{
    for (uint32_t i = 0; i < was_count; i++) {
        if (was[i].count == 0)
            continue;
        const struct tn_desc_slot *slot =
            tn_desc_slot(now, now_count, was[i].name);
        if (!slot || slot->count != was[i].count)
            fail_msg("%.*s lost slot %.*s", TN_FMT(op->type),
                     TN_FMT(was[i].name));
    }
}

static void same_op(const struct tn_desc_op *was, const struct tn_desc_op *now,
                    struct tn_arena *arena)
{
    if (!tn_bytes_equal(was->type, now->type))
        fail_msg("%.*s became %.*s", TN_FMT(was->type), TN_FMT(now->type));
    same_slots(was, was->in, was->in_count, now->in, now->in_count);
    same_slots(was, was->out, was->out_count, now->out, now->out_count);
    for (uint32_t i = 0; i < was->attr_count; i++)
        same_attr(was, &was->attrs[i], tn_desc_attr(now, was->attrs[i].name),
                  arena);
}

static void program_survives(const char *path)
{
    struct tn_bytes  bytes = load(path);
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer json, again;
    struct tn_arena  arena;
    struct tn_desc   was, now;
    struct tn_source first, second;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_buffer_init(&json, &memory, &error);
    tn_buffer_init(&again, &memory, &error);
    to_json(bytes, &memory, &json, &error);
    assert_string_equal(error.what, "");
    to_program(tn_buffer_bytes(&json), &memory, &again, &error);
    assert_string_equal(error.what, "");
    tn_source_memory(&first, &memory, bytes);
    tn_source_memory(&second, &memory, tn_buffer_bytes(&again));
    tn_desc_read(&was, (struct tn_span){ &first, 0, first.size }, &arena,
                 &error);
    tn_desc_read(&now, (struct tn_span){ &second, 0, second.size }, &arena,
                 &error);
    assert_int_equal(was.blocks[0].op_count, now.blocks[0].op_count);
    for (uint32_t i = 0; i < was.blocks[0].op_count; i++)
        same_op(&was.blocks[0].ops[i], &now.blocks[0].ops[i], &arena);
    tn_source_close(&first);
    tn_source_close(&second);
    tn_buffer_done(&json);
    tn_buffer_done(&again);
    tn_arena_done(&arena);
    free((void *)bytes.data);
}

static void test_real_programs(void **state)
{
    (void)state;
    program_survives(DATA "mlp-mnist/__model__");
    program_survives(DATA "text-cnn/__model__");
    program_survives(DATA "ocr-det-db/model");
    program_survives(DATA "face-detect/model.pdmodel");
    program_survives(DATA "image-enhance/model.pdmodel");
}

/* ---- hostile ------------------------------------------------------------ */

#define HEAD                                                                   \
    "{\"base_code\":{\"magic\":\"pir\",\"trainable\":true,\"version\":1},"     \
    "\"program\":{\"regions\":[{\"#\":\"region_0\",\"blocks\":[{\"#\":"        \
    "\"block_0\",\"args\":[],\"ops\":["
#define TAIL "]}]}]}}"
#define TYPE                                                                   \
    "\"TT\":{\"#\":\"0.t_dtensor\",\"D\":[{\"#\":\"0.t_f32\"},[1],\"NCHW\",[]" \
    ","                                                                        \
    "0]}"
#define PARAM                                                                  \
    "{\"#\":\"p\",\"A\":[0,1,1,\"w\"],\"DA\":[],\"O\":{\"%\":1," TYPE          \
    "},\"OA\":[1,0,1],\"QA\":[]}"
#define RELU(in, out)                                                          \
    "{\"#\":\"1.relu\",\"A\":[],\"I\":[{\"%\":" in "}],\"O\":[{\"%\":" out     \
    "," TYPE "}]}"

static const struct {
    const char    *name, *text;
    enum tn_status status;
    const char    *where;  /* that the path must end in                       */
    const char    *needle; /* the complaint points here; NULL: anywhere       */
} hostile[] = {
    { "nothing", "", TN_TRUNCATED, "", NULL },
    { "no object", "[]", TN_MALFORMED, "", "[]" },
    { "another magic", "{\"base_code\":{\"magic\":\"irp\"}}", TN_MALFORMED, "",
      "{\"magic" },
    { "version 9", "{\"base_code\":{\"magic\":\"pir\",\"version\":9}}",
      TN_UNSUPPORTED, "", "9}}" },
    { "no program", "{\"base_code\":{\"magic\":\"pir\",\"version\":1}}",
      TN_MALFORMED, "", NULL },
    { "empty", HEAD TAIL, TN_OK, "", NULL },
    { "one parameter", HEAD PARAM TAIL, TN_OK, "", NULL },
    { "a key twice", "{\"a\":1,\"a\":2}", TN_MALFORMED, "", "\"a\":2" },
    { "a value twice", HEAD PARAM "," RELU("1", "1") TAIL, TN_MALFORMED,
      "program.regions[0].blocks[0].ops[1].O[0]", "{\"%\":1,\"TT\"" },
    { "a value that is not there", HEAD RELU("7", "1") TAIL, TN_MALFORMED,
      "program.regions[0].blocks[0].ops[0].I[0]", "{\"%\":7}" },
    { "a value of later", HEAD RELU("2", "1") "," RELU("1", "2") TAIL,
      TN_MALFORMED, "ops[0].I[0]", "{\"%\":2}" },
    { "a huge number", HEAD RELU("99999999999999999999", "1") TAIL,
      TN_MALFORMED, "ops[0].I[0]", "{\"%\":9999" },
    { "a negative result", HEAD PARAM "," RELU("1", "-2") TAIL, TN_MALFORMED,
      "ops[1].O[0]", "{\"%\":-2" },
    { "a parameter without a name",
      HEAD "{\"#\":\"p\",\"A\":[0,1,1],\"O\":{\"%\":1," TYPE "}}" TAIL,
      TN_MALFORMED, "ops[0].A[3]", "{\"#\":\"p\"" },
    { "two of one name",
      HEAD PARAM ",{\"#\":\"p\",\"A\":[0,1,1,\"w\"],\"O\":{\"%\":2," TYPE
                 "}}" TAIL,
      TN_MALFORMED, "", NULL },
    { "an attribute without a value",
      HEAD "{\"#\":\"1.x\",\"A\":[{\"N\":\"a\"}],\"I\":[],\"O\":[]}" TAIL,
      TN_MALFORMED, "ops[0].A[0]", "{\"N\":\"a\"}" },
    { "too many operands",
      HEAD PARAM ",{\"#\":\"1.relu\",\"A\":[],\"I\":[{\"%\":1},{\"%\":1}],"
                 "\"O\":[]}" TAIL,
      TN_MALFORMED, "ops[1]", "{\"#\":\"1.relu\"" },
    { "a region of two blocks",
      HEAD "{\"#\":\"1.if\",\"A\":[],\"I\":[],\"O\":[],\"regions\":[{"
           "\"blocks\":[{\"ops\":[]},{\"ops\":[]}]}]}" TAIL,
      TN_MALFORMED, "ops[0].regions[0]", "[{\"ops\":[]},{" },
    { "an if without a condition",
      HEAD "{\"#\":\"1.if\",\"A\":[],\"I\":[],\"O\":[],\"regions\":[]}" TAIL,
      TN_MALFORMED, "ops[0]", "{\"#\":\"1.if\"" },
    { "a list split into more",
      HEAD PARAM ",{\"#\":\"0.combine\",\"A\":[],\"I\":[{\"%\":1}],\"O\":[{"
                 "\"%\":2,\"TT\":{\"#\":\"0.t_vec\",\"D\":[]}}]},{\"#\":"
                 "\"0.split\",\"A\":[],\"I\":[{\"%\":2}],\"O\":[{\"%\":3," TYPE
                 "},{\"%\":4," TYPE "}]}" TAIL,
      TN_MALFORMED, "ops[2]", "{\"#\":\"0.split\"" },
    { "words after the end", HEAD TAIL "x", TN_MALFORMED, "", "x" },
};

static bool ends_in(const char *text, const char *tail)
{
    size_t size = strlen(text), tail_size = strlen(tail);

    return size >= tail_size && !strcmp(text + size - tail_size, tail);
}

static void test_hostile(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        struct tn_memory memory;
        struct tn_error  error = TN_ERROR_INIT;
        tn_memory_init(&memory, NULL, 0);
        there(tn_text(hostile[i].text), &memory, &error);
        if (error.status != hostile[i].status ||
            !ends_in(error.where, hostile[i].where))
            fail_msg("%s: %d at %s: %s", hostile[i].name, error.status,
                     error.where, error.what);
        /* The last place of that text: where the trouble is in all rows. */
        const char *last = NULL;
        for (const char *at = hostile[i].needle ? hostile[i].text : NULL;
             at && (at = strstr(at, hostile[i].needle)); at++)
            last = at;
        if (last && error.offset != (uint64_t)(last - hostile[i].text))
            fail_msg("%s: complains at %llu", hostile[i].name,
                     (unsigned long long)error.offset);
        assert_int_equal(memory.used, 0);
    }
}

/* Brackets without end, and regions inside regions. */
static void test_depth(void **state)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    char            *bomb  = malloc(100000);

    (void)state;
    assert_non_null(bomb);
    memset(bomb, '[', 100000);
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(there(tn_bytes(bomb, 100000), &memory, &error), TN_LIMIT);
    free(bomb);
    struct tn_buffer text;
    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&text, &memory, &error);
    tn_buffer_text(&text, HEAD);
    for (int i = 0; i < 18; i++)
        tn_buffer_text(&text, "{\"#\":\"1.x\",\"A\":[],\"I\":[],\"O\":[],"
                              "\"regions\":[{\"blocks\":[{\"ops\":[");
    for (int i = 0; i < 18; i++)
        tn_buffer_text(&text, "]}]}]}");
    tn_buffer_text(&text, TAIL);
    struct tn_error failure = TN_ERROR_INIT;
    assert_int_equal(there(tn_buffer_bytes(&text), &memory, &failure),
                     TN_LIMIT);
    tn_buffer_done(&text);
    assert_int_equal(memory.used, 0);
}

static void survives(const char *path)
{
    struct tn_bytes bytes = load(path);

    tn_refuses_every_prefix(there, bytes, NULL);
    tn_survives_no_memory(there_and_back, bytes);
    free((void *)bytes.data);
}

static void test_prefixes_and_memory(void **state)
{
    (void)state;
    survives(SEEDS "indented.json");
    struct tn_bytes bytes = load(SEEDS "plain.json");
    tn_survives_no_memory(there_and_back, bytes);
    free((void *)bytes.data);
    bytes = load(SEEDS "flow.json");
    tn_survives_no_memory(there_and_back, bytes);
    free((void *)bytes.data);
}

static void test_flips(void **state)
{
    struct tn_bytes bytes = load(SEEDS "indented.json");

    (void)state;
    tn_survives_every_flip(there_and_back, bytes);
    free((void *)bytes.data);
}

/* ---- the table ---------------------------------------------------------- */

static void test_rules(void **state)
{
    struct tn_memory    memory;
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_arena     arena;
    struct tn_pir_rules rules;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_int_equal(tn_pir_rules_read(&rules, &arena,
                                       tn_pir_rules_text(&arena, &error),
                                       &error),
                     TN_OK);
    assert_non_null(tn_pir_rule_of(&rules, tn_text("conv2d"), tn_text("")));
    assert_null(tn_pir_rule_of(&rules, tn_text("foo"), tn_text("")));
    for (uint64_t i = 0; i < rules.rows.count; i++) {
        const struct tn_pir_rule *row =
            tn_list_at(&rules.rows, struct tn_pir_rule, i);
        if (row->is_also && !tn_pir_rule_of(&rules, row->pir, row->legacy))
            fail_msg("%.*s is not found again", TN_FMT(row->legacy));
    }
    tn_pir_rules_done(&rules);
    assert_int_equal(tn_pir_rules_read(&rules, &arena,
                                       tn_text("op a = b (X -> (Y)\n"), &error),
                     TN_MALFORMED);
    tn_pir_rules_done(&rules);
    tn_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_seed_text),
        cmocka_unit_test(test_real_text),
        cmocka_unit_test(test_seed_through_program),
        cmocka_unit_test(test_real_through_program),
        cmocka_unit_test(test_real_programs),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_prefixes_and_memory),
        cmocka_unit_test(test_flips),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
