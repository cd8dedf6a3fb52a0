/*
 * dl4j_write.c - op descriptors and rules as messages of the import IR
 *
 * proto3: default values are left out.
 */
#include "map/dl4j/dl4j_write.h"

#include "base/number.h"
#include "map/dl4j/rule_table.h"
#include "wire/pb/pb_write.h"

struct writing {
    struct tn_arena *arena;
    struct tn_error *error;
};

typedef void put_body(const struct writing *w, struct tn_rope *to,
                      const void *what);

/* A message in a field; its pieces are built in a rope of their own. */
static void put_message(const struct writing *w, struct tn_rope *to,
                        uint32_t number, put_body *put, const void *what)
{
    struct tn_rope body;

    tn_rope_init(&body, w->arena, w->error);
    put(w, &body, what);
    tn_pb_put_message(to, number, &body);
}

static void put_text(struct tn_rope *to, uint32_t number, struct tn_bytes text)
{
    if (text.size > 0)
        tn_pb_put_bytes(to, number, text);
}

static void put_number(struct tn_rope *to, uint32_t number, int64_t value)
{
    if (value != 0)
        tn_pb_put_varint(to, number, (uint64_t)value);
}

/* ---- ops ---------------------------------------------------------------- */

/* The field for a number; parameters often have no type of their own, and then
 * hold 64-bit numbers. */
static uint32_t number_field(const struct tn_arg *arg)
{
    switch (arg->type) {
    case TN_ARG_INT32: return 4;
    case TN_ARG_BOOL: return 6;
    case TN_ARG_DATA_TYPE: return 7;
    default: return 5;
    }
}

static void put_name(const struct writing *w, struct tn_rope *to,
                     const void *what)
{
    const struct tn_arg *arg = what;

    (void)w;
    tn_pb_put_bytes(to, 8, arg->text);
}

/* A value that is read or made: a constant, or only a name. */
static void put_tensor(const struct writing *w, struct tn_rope *to,
                       const struct tn_arg *arg)
{
    bool is_output = arg->type == TN_ARG_OUTPUT_TENSOR;

    if (arg->tensor.size > 0)
        tn_pb_put_bytes(to, is_output ? 9 : 8, arg->tensor);
    else if (arg->text.size > 0)
        put_message(w, to, is_output ? 9 : 8, put_name, arg);
}

static void put_arg(const struct writing *w, struct tn_rope *to,
                    const void *what)
{
    const struct tn_arg *arg = what;
    bool                 is_tensor =
        arg->type == TN_ARG_INPUT_TENSOR || arg->type == TN_ARG_OUTPUT_TENSOR;

    put_text(to, 1, arg->name);
    if (arg->has_value && tn_double_bits(arg->real) != 0)
        tn_pb_put_fixed64(to, 3, tn_double_bits(arg->real));
    if (arg->has_value)
        put_number(to, number_field(arg), arg->number);
    if (is_tensor)
        put_tensor(w, to, arg);
    put_number(to, 10, arg->type);
    put_number(to, 11, arg->index);
    if (!is_tensor)
        put_text(to, 12, arg->text);
    put_number(to, 13, arg->is_optional);
    put_number(to, 14, arg->converts_bool);
    put_number(to, 15, arg->is_array);
}

static void put_declared(const struct writing *w, struct tn_rope *to,
                         const void *what)
{
    const struct tn_op_descriptor *op = what;

    (void)w;
    put_number(to, 1, op->in_count);
    put_number(to, 2, op->out_count);
    put_number(to, 3, op->t_count);
    put_number(to, 4, op->i_count);
    put_number(to, 5, op->is_inplaceable);
}

static void put_op(const struct writing *w, struct tn_rope *to,
                   const void *what)
{
    const struct tn_op_descriptor *op = what;

    put_text(to, 1, op->name);
    for (uint32_t i = 0; i < op->args.count; i++)
        put_message(w, to, 2, put_arg, &op->args.items[i]);
    put_number(to, 3, op->declaration);
    if (op->is_counted)
        put_message(w, to, 100, put_declared, op);
    put_text(to, 101, op->assumed);
}

/* The op as a call: in the order of the lists, with the indices in them. */
static void put_call(const struct writing *w, struct tn_rope *to,
                     const void *what)
{
    const struct tn_op_descriptor *op = what;

    put_text(to, 1, op->name);
    for (unsigned k = 0; k < TN_LIST_COUNT; k++)
        for (uint32_t i = 0; i < op->lists[k].count; i++) {
            struct tn_arg arg = op->lists[k].items[i];
            arg.index         = (int32_t)i;
            put_message(w, to, 2, put_arg, &arg);
        }
    put_number(to, 3, op->declaration);
    put_text(to, 101, op->assumed);
}

enum tn_status tn_dl4j_call_write(const struct tn_op_descriptor *op,
                                  bool is_list, struct tn_arena *arena,
                                  struct tn_buffer *to, struct tn_error *error)
{
    struct writing w = { arena, error };
    struct tn_rope all;

    tn_rope_init(&all, arena, error);
    if (!is_list)
        put_call(&w, &all, op);
    for (; is_list && op && !tn_failed(error); op = op->next)
        put_message(&w, &all, 1, put_call, op);
    if (!tn_failed(error))
        tn_rope_write(&all, &to->sink, error);
    tn_rope_done(&all);
    return error->status;
}

enum tn_status tn_dl4j_ops_write(const struct tn_dl4j_ops *ops,
                                 struct tn_arena *arena, struct tn_buffer *to,
                                 struct tn_error *error)
{
    struct writing w = { arena, error };
    struct tn_rope all;

    tn_rope_init(&all, arena, error);
    for (uint64_t i = 0; i < ops->list.count && !tn_failed(error); i++)
        put_message(&w, &all, 1, put_op,
                    tn_list_at(&ops->list, struct tn_op_descriptor, i));
    if (!tn_failed(error))
        tn_rope_write(&all, &to->sink, error);
    tn_rope_done(&all);
    return error->status;
}

/* ---- rules -------------------------------------------------------------- */

static void put_pair(const struct writing *w, struct tn_rope *to,
                     const void *what)
{
    const struct tn_map_pair *pair = what;

    (void)w;
    tn_pb_put_bytes(to, 1, pair->target);
    tn_pb_put_bytes(to, 2, pair->source);
}

static void put_group(const struct writing *w, struct tn_rope *to,
                      const void *what)
{
    const struct tn_map_group *group = what;

    put_text(to, 1, group->key);
    for (uint32_t i = 0; i < group->count; i++)
        put_message(w, to, 2, put_arg, &group->items[i]);
}

static void put_rule(const struct writing *w, struct tn_rope *to,
                     const void *what)
{
    const struct tn_map_rule *rule = what;

    tn_pb_put_text(to, 1, rule->function->name);
    tn_pb_put_text(to, 2, rule->function->name);
    for (uint32_t i = 0; i < rule->pair_count; i++)
        put_message(w, to, 17, put_pair, &rule->pairs[i]);
    tn_pb_put_text(to, 18,
                   rule->function->places_tensors ? "tensor" : "attribute");
    for (uint32_t i = 0; i < rule->group_count; i++)
        put_message(w, to, 19, put_group, &rule->groups[i]);
}

static void put_swap(const struct writing *w, struct tn_rope *to,
                     const void *what)
{
    const struct tn_map_swap *swap = what;

    (void)w;
    tn_pb_put_varint(to, 1, (uint64_t)swap->to);
    tn_pb_put_varint(to, 2, (uint64_t)swap->from);
}

static void put_mapper(const struct writing *w, struct tn_rope *to,
                       const void *what)
{
    const struct tn_mapper *mapper = what;

    put_text(to, 1, mapper->framework);
    put_text(to, 2, mapper->target);
    put_text(to, 3, mapper->op_type);
    for (uint32_t i = 0; i < mapper->rule_count; i++)
        put_message(w, to, 4, put_rule, &mapper->rules[i]);
    for (uint32_t i = 0; i < mapper->swap_count; i++)
        put_message(w, to, 5, put_swap, &mapper->swaps[i]);
    put_number(to, 6, mapper->resolution);
}

enum tn_status tn_dl4j_rules_write(const struct tn_mappers *mappers,
                                   struct tn_arena *arena, struct tn_buffer *to,
                                   struct tn_error *error)
{
    struct writing w = { arena, error };
    struct tn_rope all;

    tn_rope_init(&all, arena, error);
    for (uint32_t i = 0; i < mappers->list.count && !tn_failed(error); i++)
        put_message(&w, &all, 1, put_mapper, tn_mappers_at(mappers, i));
    if (!tn_failed(error))
        tn_rope_write(&all, &to->sink, error);
    tn_rope_done(&all);
    return error->status;
}
