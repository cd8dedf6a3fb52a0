/*
 * mapper_fuzz.c - valid rules in Deeplearning4j's language over valid nodes
 *
 * Every byte is a choice, so that what comes out of them can be read: rules
 * name functions that exist, and arguments and attributes that mostly do; nodes
 * have attributes of every kind, lists that are empty, inputs that are missing;
 * constants have shapes and values that fit, or not.
 *
 *   u8[] choices: the node, the constant that every input is, the rules
 *
 * Claims: every rule gives a descriptor or a reason, arguments are in order,
 * and the same choices give the same call.
 */
#include <assert.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/number.h"
#include "map/dl4j/explain.h"
#include "map/dl4j/rule_files.h"
#include "map/dl4j/rule_table.h"
#include "map/dl4j/run_mapper.h"
#include "support/import_ops.h"
#include "support/node_model.h"
#include "wire/pb/pb_write.h"

#define MEMORY (UINT64_C(64) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct making {
    struct tn_cursor  choices;
    struct tn_arena  *arena;
    struct tn_memory *memory;
    struct tn_error  *error;
};

static const char *const words[]    = { "SAME", "VALID", "", "a", "NHWC" };
static const char *const targets[]  = { "a",    "b",    "n",    "m",    "both",
                                        "real", "flag", "text", "type", "zz" };
static const char *const sources[]  = { "x",  "y",  "xs", "i",  "f",    "s",
                                        "fs", "is", "ss", "ts", "flag", "t",
                                        "sh", "v",  "fn", "d",  "dv",   "N" };
static const char *const op_types[] = { "Op", "Counted", "Many", "Typed" };

#define COUNT(array)   ((uint32_t)(sizeof(array) / sizeof(array)[0]))
#define PICK(m, array) array[choose(m, COUNT(array))]

static uint32_t choose(struct making *m, uint32_t count)
{
    return tn_more(&m->choices) ? tn_u8(&m->choices) % count : 0;
}

/* Small, and at the edges of what fits. */
static int64_t any_int(struct making *m)
{
    static const int64_t odd[] = { INT64_MAX, INT64_MIN, UINT32_MAX, -1 };
    uint32_t             k     = choose(m, 20);

    return k < 4 ? odd[k] : (int64_t)k - 4;
}

static struct tn_bytes bytes_of(struct making *m, struct tn_rope *rope)
{
    struct tn_buffer buffer;
    struct tn_bytes  bytes = { NULL, 0 };

    tn_buffer_init(&buffer, m->memory, m->error);
    if (tn_rope_write(rope, &buffer.sink, m->error) == TN_OK)
        bytes = tn_bytes_dup(m->arena, tn_buffer_bytes(&buffer), m->error);
    tn_buffer_done(&buffer);
    tn_rope_done(rope);
    return bytes;
}

/* ---- the node ----------------------------------------------------------- */

/* A tensorflow.TensorProto. */
static struct tn_bytes make_tensor(struct making *m)
{
    static const uint32_t types[] = { 3, 9, 1, 7, 10, 19, 8, 2 };
    static const uint32_t lists[] = { 7, 10, 5, 8, 11, 13, 9, 6 };
    uint32_t              type    = choose(m, COUNT(types));
    uint32_t              rank = choose(m, 3), values = choose(m, 5);
    struct tn_rope        to, shape, dim;

    tn_rope_init(&to, m->arena, m->error);
    tn_rope_init(&shape, m->arena, m->error);
    tn_pb_put_varint(&to, 1, types[type]);
    for (uint32_t i = 0; i < rank; i++) {
        tn_rope_init(&dim, m->arena, m->error);
        tn_pb_put_varint(&dim, 1, (uint64_t)any_int(m));
        tn_pb_put_message(&shape, 2, &dim);
    }
    tn_pb_put_message(&to, 2, &shape);
    for (uint32_t i = 0; i < values; i++)
        if (lists[type] == 8)
            tn_pb_put_text(&to, 8, PICK(m, words));
        else if (lists[type] == 5)
            tn_pb_put_fixed32(&to, 5, 0x3f000000);
        else if (lists[type] == 6)
            tn_pb_put_fixed64(&to, 6, tn_double_bits(0.5));
        else
            tn_pb_put_varint(&to, lists[type], (uint64_t)any_int(m));
    return bytes_of(m, &to);
}

/* One value, by the fields of AttrValue: the same numbers in its lists. */
static void put_value(struct making *m, struct tn_rope *to, uint32_t field)
{
    static const uint32_t types[] = { 1, 3, 7, 8, 21, 99 };

    switch (field) {
    case 2: tn_pb_put_text(to, 2, PICK(m, words)); break;
    case 3: tn_pb_put_varint(to, 3, (uint64_t)any_int(m)); break;
    case 4: tn_pb_put_fixed32(to, 4, choose(m, 2) ? 0x3f000000 : 0); break;
    case 5: tn_pb_put_varint(to, 5, choose(m, 2)); break;
    case 6: tn_pb_put_varint(to, 6, types[choose(m, COUNT(types))]); break;
    case 7: tn_pb_put_bytes(to, 7, tn_bytes("\x12\x02\x08\x02", 4)); break;
    default: tn_pb_put_bytes(to, 8, make_tensor(m)); break;
    }
}

static void put_attr(struct making *m, struct tn_rope *to)
{
    struct tn_rope entry, value, list;
    uint32_t       field = 2 + choose(m, 7), count = choose(m, 5);

    tn_rope_init(&entry, m->arena, m->error);
    tn_rope_init(&value, m->arena, m->error);
    tn_rope_init(&list, m->arena, m->error);
    tn_pb_put_text(&entry, 1, PICK(m, sources));
    if (count == 4) {
        put_value(m, &value, field);
    } else {
        for (uint32_t i = 0; i < count; i++)
            put_value(m, &list, field);
        tn_pb_put_message(&value, 1, &list);
    }
    tn_pb_put_message(&entry, 2, &value);
    tn_pb_put_message(to, 5, &entry);
    tn_rope_done(&list);
    tn_rope_done(&value);
    tn_rope_done(&entry);
}

static struct tn_bytes make_node(struct making *m, const char *op_type)
{
    static const char *const inputs[] = { "p", "q/read", "", "^c", "r:1" };
    struct tn_rope           to;
    uint32_t                 input_count = choose(m, 5);
    uint32_t                 attr_count  = choose(m, 6);

    tn_rope_init(&to, m->arena, m->error);
    tn_pb_put_text(&to, 1, "n");
    tn_pb_put_text(&to, 2, op_type);
    for (uint32_t i = 0; i < input_count; i++)
        tn_pb_put_text(&to, 3, PICK(m, inputs));
    for (uint32_t i = 0; i < attr_count; i++)
        put_attr(m, &to);
    return bytes_of(m, &to);
}

/* ---- the rules ---------------------------------------------------------- */

static void put_parameter(struct making *m, struct tn_buffer *to)
{
    tn_buffer_format(to, " transformerArgs { name: '%s' argIndex: %u",
                     PICK(m, words), choose(m, 4));
    switch (choose(m, 5)) {
    case 0:
        tn_buffer_format(to, " int64Value: %lld argType: INT64",
                         (long long)any_int(m));
        break;
    case 1: tn_buffer_format(to, " stringValue: '%s'", PICK(m, sources)); break;
    case 2: tn_buffer_text(to, " doubleValue: 0.5 argType: DOUBLE"); break;
    case 3: tn_buffer_text(to, " boolValue: true argType: BOOL"); break;
    default: tn_buffer_text(to, " stringValue: '1' argType: STRING"); break;
    }
    tn_buffer_text(to, " }");
}

static void put_rule(struct making *m, struct tn_buffer *to)
{
    uint32_t functions = 0, pairs = choose(m, 3), groups = choose(m, 3);

    while (tn_map_function_at(functions))
        functions++;
    tn_buffer_format(to, " rule { ruleName: '%s'",
                     tn_map_function_at(choose(m, functions))->name);
    for (uint32_t i = 0; i < pairs; i++)
        tn_buffer_format(to, " inputToOutput { key: '%s' value: '%s' }",
                         PICK(m, targets), PICK(m, sources));
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t count = choose(m, 5);
        tn_buffer_format(to, " transformerArgs { key: '%s'",
                         i ? "index" : PICK(m, targets));
        for (uint32_t k = 0; k < count; k++)
            put_parameter(m, to);
        tn_buffer_text(to, " }");
    }
    tn_buffer_text(to, " }");
}

static struct tn_bytes make_rules(struct making *m, const char *op_type)
{
    static const char *const resolutions[] = { "DIRECT", "OVERRIDE",
                                               "ERROR_ON_NOT_EQUAL" };
    struct tn_buffer         to;
    uint32_t                 rules = 1 + choose(m, 4), swaps = choose(m, 3);

    tn_buffer_init(&to, m->memory, m->error);
    tn_buffer_format(&to,
                     "mappings { frameworkName: 'tensorflow' opName: 'op' "
                     "inputFrameworkOpName: '%s' variableResolutionType: %s",
                     op_type, PICK(m, resolutions));
    for (uint32_t i = 0; i < swaps; i++)
        tn_buffer_format(&to, " indexOverrides { key: %u value: %u }",
                         choose(m, 3), choose(m, 3));
    for (uint32_t i = 0; i < rules; i++)
        put_rule(m, &to);
    tn_buffer_text(&to, " }");
    struct tn_bytes text =
        tn_bytes_dup(m->arena, tn_buffer_bytes(&to), m->error);
    tn_buffer_done(&to);
    return text;
}

/* ---- one run ------------------------------------------------------------ */

/* A tn_map_constant: every other input is the TensorProto. */
static enum tn_status constant(void *context, struct tn_bytes name,
                               struct tn_map_tensor *tensor, bool *is_known,
                               struct tn_arena *arena, struct tn_error *error)
{
    *is_known = name.size % 2;
    return *is_known ? node_model_tensor(tensor, false,
                                         *(const struct tn_bytes *)context,
                                         arena, error)
                     : TN_OK;
}

static void assert_in_order(const struct tn_op_descriptor *op)
{
    for (int list = 0; list < TN_LIST_COUNT; list++)
        for (uint32_t i = 1; i < op->lists[list].count; i++)
            assert(op->lists[list].items[i - 1].index <=
                   op->lists[list].items[i].index);
}

static void assert_equal(const struct tn_op_descriptor *a,
                         const struct tn_op_descriptor *b)
{
    for (int list = 0; list < TN_LIST_COUNT; list++) {
        assert(a->lists[list].count == b->lists[list].count);
        for (uint32_t i = 0; i < a->lists[list].count; i++) {
            const struct tn_arg *x = &a->lists[list].items[i];
            const struct tn_arg *y = &b->lists[list].items[i];
            assert(x->number == y->number && tn_bytes_equal(x->text, y->text) &&
                   tn_bytes_equal(x->tensor, y->tensor));
        }
    }
}

static void ignore(void *context, enum tn_explain_kind kind, const char *what)
{
    (void)context;
    (void)kind;
    assert(what);
}

static void run_job(struct making *m, const struct tn_map_job *job)
{
    struct tn_error         first = TN_ERROR_INIT, again = TN_ERROR_INIT;
    struct tn_op_descriptor out, twin;
    enum tn_status          status = tn_map_run(job, &out, m->arena, &first);

    if (status == TN_OK)
        assert_in_order(&out);
    else
        assert(first.what[0]);
    if (status == TN_NO_MEMORY || status == TN_LIMIT)
        return;
    assert(tn_map_run(job, &twin, m->arena, &again) == status);
    if (status == TN_OK)
        assert_equal(&out, &twin);
    tn_map_explain(job->mapper, job->target, job->definition, m->memory, ignore,
                   NULL, m->error);
}

static void run(struct making *m)
{
    struct tn_dl4j_ops    ops;
    struct tn_mappers     mappers;
    struct tn_vocab       vocab;
    struct tn_map_node    node;
    struct tn_text_field  root;
    struct tn_rule_file   file    = { .mappers = &mappers, .error = m->error };
    const char           *op_type = PICK(m, op_types);
    struct tn_bytes       tensor  = make_tensor(m);
    struct tn_map_context context = { .is_strict = choose(m, 2),
                                      .constant  = constant,
                                      .context   = &tensor };
    struct node_model     model;

    tn_dl4j_ops_init(&ops, m->arena);
    tn_mappers_init(&mappers, m->arena);
    if (node_model_open(&model, false, false, make_node(m, op_type),
                        m->error) == TN_OK &&
        tn_map_node_take(&node, TN_FRAMEWORK_TENSORFLOW, model.model, 0,
                         m->arena, m->error) == TN_OK &&
        tn_text_tree_read(&root, m->arena, tn_text(import_nd4j_ops),
                          m->error) == TN_OK &&
        tn_dl4j_ops_read(&ops, &root, m->error) == TN_OK &&
        tn_dl4j_ops_commit(&ops, m->error) == TN_OK &&
        tn_vocab_load(&vocab, m->arena, tn_text(import_framework_ops),
                      m->error) == TN_OK &&
        tn_text_tree_read(&root, m->arena, make_rules(m, op_type), m->error) ==
            TN_OK &&
        tn_dl4j_rules_read(&file, &root) == TN_OK)
        run_job(m, &(struct tn_map_job){
                       .mapper     = tn_mappers_at(&mappers, 0),
                       .target     = tn_dl4j_ops_find(&ops, tn_text("op")),
                       .definition = tn_vocab_find(&vocab, tn_text(""),
                                                   node.op_type, 1, m->error),
                       .node       = &node,
                       .context    = &context });
    assert(!tn_failed(m->error)); /* what was made of choices is valid */
    node_model_close(&model);
    tn_mappers_done(&mappers);
    tn_dl4j_ops_done(&ops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT, none = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct making    m = { .choices =
                               tn_cursor_bytes(tn_bytes(data, size), 0, &none),
                           .arena  = &arena,
                           .memory = &memory,
                           .error  = &error };

    tn_memory_init(&memory, NULL, MEMORY);
    tn_arena_init(&arena, &memory);
    run(&m);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
