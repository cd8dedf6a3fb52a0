/*
 * paddle_pir_read.c - from a PIR program to a ProgramDesc
 *
 * First the JSON becomes tables of operators, values and blocks; then these
 * become operators and variables:
 *
 *   p            a persistable variable
 *   1.data       a variable and a `feed` operator; 1.fetch a `fetch` operator
 *   0.combine    nothing: its operands are the arguments of one slot
 *   0.split      nothing: its results are arguments of the slot
 *   1.full       nothing, where all who use it have an attribute for it
 *   1.if         two conditional_blocks and select_input
 *   1.while      a while, whose variables are assigned to before and inside
 *   by a rule    that operator
 *   legacy.NAME  the operator NAME, which our writer had no rule for
 *   anything     pir.ID, with operands in the slots I0, I1, ... (V0 for a
 *                vector) and results in O0, O1, ... (W0)
 *
 * Values get the names of parameters, inputs and outputs; all others are called
 * like `conv2d_3.tmp_0`, after operator, its number and the result's.
 */
#include <stdio.h>

#include "base/intern.h"
#include "format/paddle/paddle_pir.h"
#include "ir/pairs.h"
#include "wire/pb/pb_write.h"

struct tn_pir_result {
    int64_t               number;
    const struct tn_tree *type;  /* TT; NULL: none                           */
    uint32_t              op;    /* TN_NONE: an argument of a block          */
    uint32_t              index; /* which result of it, or which argument    */
    uint32_t              block;
    uint32_t              uses, plain_uses; /* plain: not folded away         */
    bool                  is_gone; /* its block is closed                     */
    bool                  stop_gradient, persistable;
    struct tn_bytes       wish;  /* how it shall be called; empty: no matter  */
    struct tn_bytes      *names; /* one, or those of a vector                 */
    uint32_t              name_count;
};

struct tn_pir_op {
    const struct tn_tree     *tree, *attrs; /* attrs: the list A, or NULL     */
    struct tn_bytes           id;           /* "1.conv2d"                     */
    const struct tn_pir_rule *rule;         /* NULL: none                     */
    const uint32_t           *operands;     /* results; TN_NONE: not given    */
    uint32_t                  operand_count;
    uint32_t                  first_result, result_count;
    uint32_t                  block;
    uint32_t                  next; /* in its block; TN_NONE: it is the last  */
    uint32_t                  first_block, block_count; /* its regions        */
};

struct tn_pir_block {
    uint32_t first_op, last_op;
    uint32_t first_arg, arg_count; /* results                                 */
    uint32_t next;                 /* region of the same operator             */
};

struct tn_pir_scan {
    struct tn_arena    *arena;
    struct tn_error    *error;
    struct tn_pir_rules rules;
    struct tn_list      ops;     /* struct tn_pir_op                          */
    struct tn_list      results; /* struct tn_pir_result                      */
    struct tn_list      blocks; /* struct tn_pir_block; the first is the root */
    struct tn_pairs     numbers; /* of a value -> its result                  */
};

static struct tn_pir_op *op_at(const struct tn_pir_scan *scan, uint32_t op)
{
    return tn_list_at(&scan->ops, struct tn_pir_op, op);
}

static struct tn_pir_result *result_at(const struct tn_pir_scan *scan,
                                       uint32_t                  result)
{
    return tn_list_at(&scan->results, struct tn_pir_result, result);
}

static struct tn_pir_block *block_at(const struct tn_pir_scan *scan,
                                     uint32_t                  block)
{
    return tn_list_at(&scan->blocks, struct tn_pir_block, block);
}

/* A block of the program that is made. */
struct tn_pir_made_block {
    struct tn_rope vars, ops;
    uint32_t       parent;
};

struct tn_pir_maker {
    struct tn_pir_scan *scan;
    struct tn_arena    *arena;
    struct tn_error    *error;
    struct tn_list blocks; /* struct tn_pir_made_block                        */
    struct tn_list  *told; /* struct tn_pir_note; NULL: nobody asks     */
    struct tn_intern names;    /* that are taken                           */
    struct tn_intern counters; /* types of operators, by                   */
    struct tn_list   counts;   /* uint32_t, how many there were            */
    struct tn_list   feeds;    /* uint32_t, ops                            */
    struct tn_buffer text;     /* scratch                                  */
    uint32_t         fetch_count;
    uint32_t         ordinal; /* in its block, of the operator being made */
};

/* A variable on its way into a block. */
struct tn_pir_var {
    struct tn_bytes       name;
    const struct tn_tree *type;
    bool     is_persistable, needs_feed, is_parameter, stop_gradient;
    int64_t  lod_level;
    uint32_t raw_type; /* instead of `type`: FEED and so on; 0: none          */
    const char     *note; /* an attribute, and what it says                   */
    struct tn_bytes note_text;
};

/* A slot of the operator that is made. */
struct tn_pir_slot {
    struct tn_bytes        name;
    const struct tn_bytes *args;
    uint32_t               count;
};

#define TN_PIR_SLOT_LIMIT 32

struct tn_pir_made_op {
    struct tn_bytes    type;
    struct tn_pir_slot in[TN_PIR_SLOT_LIMIT], out[TN_PIR_SLOT_LIMIT];
    uint32_t           in_count, out_count;
    struct tn_rope     attrs;
};

static void make_block(struct tn_pir_maker *m, uint32_t block);

/* ---- a PIR program as tables: operators, values, blocks ----------------- */

/*
 *   {"base_code":{"magic":"pir","trainable":true,"version":1},
 *    "program":{"regions":[{"#":"region_0","blocks":[BLOCK]}]}}
 *   BLOCK   {"#":"block_0","args":[{"#":-1,"TT":TYPE}],"ops":[OP]}
 *   OP      {"#":"1.conv2d","A":[{"AT":ATTR,"N":"strides"}],"I":[{"%":146}],
 *            "O":[{"%":147,"TT":TYPE}],"OA":[...],"regions":[...]}
 *   OP      {"#":"p","A":[0,1,1,"w_0"],"DA":[],"O":{"%":1,"TT":TYPE},
 *            "OA":[1,0,1],"QA":[]}
 */

static void fail(struct tn_pir_scan *s, const struct tn_tree *at,
                 const char *what)
{
    tn_error_set(s->error, TN_MALFORMED, at ? at->offset : TN_NOWHERE, "%s",
                 what);
}

/* A member that must be there and be a list (or an object). */
static const struct tn_tree *need(struct tn_pir_scan   *s,
                                  const struct tn_tree *tree, const char *key,
                                  enum tn_json_event kind)
{
    const struct tn_tree *member = tn_tree_member(tree, key);

    if (member && member->kind == kind)
        return member;
    tn_error_set(s->error, TN_MALFORMED, member ? member->offset : tree->offset,
                 "\"%s\" is %s", key, member ? "of another type" : "missing");
    return NULL;
}

/* The attribute of an operator, {"#":..., "D":...}, or NULL. */
static const struct tn_tree *op_attr(const struct tn_pir_op *op,
                                     const char             *name)
{
    for (const struct tn_tree *a = tn_tree_is_list(op->attrs) ? op->attrs->first
                                                              : NULL;
         a; a                    = a->next)
        if (tn_bytes_is(tn_tree_text(tn_tree_member(a, "N")), name))
            return tn_tree_member(a, "AT");
    return NULL;
}

/* ---- values ------------------------------------------------------------- */

static uint32_t find_value(const struct tn_pir_scan *s, int64_t number)
{
    return tn_pairs_find(&s->numbers, (uint32_t)((uint64_t)number >> 32),
                         (uint32_t)number);
}

static void define(struct tn_pir_scan *s, const struct tn_tree *at,
                   int64_t number, struct tn_pir_result made)
{
    uint32_t index = (uint32_t)s->results.count;

    if (number != 0 && find_value(s, number) != UINT32_MAX) {
        tn_error_set(s->error, TN_MALFORMED, at->offset,
                     "value %" PRId64 " is defined twice", number);
        return;
    }
    struct tn_pir_result *row =
        tn_list_push(&s->results, struct tn_pir_result, s->error);
    if (!row)
        return;
    *row        = made;
    row->number = number;
    row->type   = tn_tree_member(at, "TT");
    if (number != 0)
        tn_pairs_add(&s->numbers, (uint32_t)((uint64_t)number >> 32),
                     (uint32_t)number, index, s->error);
}

/* 0 is a result that is missing: it has no name and cannot be used. */
static void scan_result(struct tn_pir_scan *s, const struct tn_tree *at,
                        struct tn_pir_result made)
{
    int64_t number;

    if (!tn_tree_int(tn_tree_member(at, "%"), &number) || number < 0)
        fail(s, at, "a result without its number");
    else
        define(s, at, number, made);
}

static uint32_t scan_operand(struct tn_pir_scan *s, const struct tn_tree *at)
{
    int64_t number;

    if (!tn_tree_int(tn_tree_member(at, "%"), &number)) {
        fail(s, at, "an operand without its number");
        return TN_NONE;
    }
    if (number == 0)
        return TN_NONE;
    uint32_t index = find_value(s, number);
    if (index == UINT32_MAX || result_at(s, index)->is_gone) {
        tn_error_set(s->error, TN_MALFORMED, at->offset,
                     "value %" PRId64 " is not defined %s", number,
                     index == UINT32_MAX ? "before here" : "in this block");
        return TN_NONE;
    }
    return index;
}

/* ---- operators ---------------------------------------------------------- */

/* The first of the flags in an attribute {"#":"0.a_array","D":[...]}. */
static const struct tn_tree *first_flag(const struct tn_tree *attr)
{
    const struct tn_tree *list = tn_tree_member(attr, "D");

    return tn_tree_is_list(list) ? list->first : NULL;
}

static bool next_flag(const struct tn_tree **flag)
{
    const struct tn_tree *data = tn_tree_member(*flag, "D");

    *flag = *flag ? (*flag)->next : NULL;
    return data && data->kind == TN_JSON_TRUE;
}

/* OA: {"AT":{"#":"0.a_array","D":[bool...]},"N":"stop_gradient"} */
static void scan_flags(struct tn_pir_scan *s, const struct tn_pir_op *op)
{
    struct tn_pir_op      flags = { .attrs = tn_tree_member(op->tree, "OA") };
    const struct tn_tree *stop  = first_flag(op_attr(&flags, "stop_gradient"));
    const struct tn_tree *kept  = first_flag(op_attr(&flags, "persistable"));

    for (uint32_t i = 0; i < op->result_count; i++) {
        struct tn_pir_result *row = result_at(s, op->first_result + i);
        row->stop_gradient        = next_flag(&stop);
        row->persistable          = next_flag(&kept);
    }
}

static void scan_operands(struct tn_pir_scan *s, struct tn_pir_op *op)
{
    const struct tn_tree *list = need(s, op->tree, "I", TN_JSON_ARRAY_BEGIN);
    uint32_t             *operands =
        list ? tn_new(s->arena, uint32_t, list->count, s->error) : NULL;

    if (!list || tn_failed(s->error))
        return;
    for (const struct tn_tree *c = list->first; c; c = c->next) {
        operands[op->operand_count] = scan_operand(s, c);
        if (tn_failed(s->error)) {
            tn_error_where(s->error, "I[%" PRIu32 "]", op->operand_count);
            return;
        }
        op->operand_count++;
    }
    op->operands = operands;
}

static void scan_results(struct tn_pir_scan *s, struct tn_pir_op *op,
                         uint32_t index)
{
    const struct tn_tree *list = need(s, op->tree, "O", TN_JSON_ARRAY_BEGIN);
    struct tn_pir_result  made = { .op = index, .block = op->block };

    op->first_result = (uint32_t)s->results.count;
    for (const struct tn_tree *c      = list ? list->first : NULL;
         c && !tn_failed(s->error); c = c->next) {
        made.index = op->result_count++;
        scan_result(s, c, made);
        if (tn_failed(s->error))
            tn_error_where(s->error, "O[%" PRIu32 "]", made.index);
    }
    if (!tn_failed(s->error))
        scan_flags(s, op);
}

/* A: [is_distributed, is_parameter, need_clip, name] */
static void scan_parameter(struct tn_pir_scan *s, struct tn_pir_op *op,
                           uint32_t index)
{
    const struct tn_tree *name = tn_tree_item(op->attrs, 3);
    const struct tn_tree *made = need(s, op->tree, "O", TN_JSON_OBJECT_BEGIN);
    int64_t               flag = 0;

    if (!name || name->kind != TN_JSON_STRING || name->text.size == 0) {
        fail(s, name ? name : op->tree, "a parameter without a name");
        tn_error_where(s->error, "A[3]");
        return;
    }
    op->first_result = (uint32_t)s->results.count;
    op->result_count = 1;
    tn_tree_int(tn_tree_item(tn_tree_member(op->tree, "OA"), 1), &flag);
    if (made)
        scan_result(s, made,
                    (struct tn_pir_result){ .op            = index,
                                            .block         = op->block,
                                            .persistable   = true,
                                            .stop_gradient = flag != 0 });
}

static void find_rule(struct tn_pir_scan *s, struct tn_pir_op *op)
{
    struct tn_bytes       name = op->id;
    const struct tn_tree *was  = op_attr(op, "legacy.type");

    if (name.size < 2 || memcmp(name.data, "1.", 2) != 0)
        return;
    name = tn_bytes(name.data + 2, name.size - 2);
    op->rule =
        tn_pir_rule_of(&s->rules, name, tn_tree_text(tn_tree_member(was, "D")));
}

static bool is_attr(const struct tn_tree *entry)
{
    const struct tn_tree *value = tn_tree_member(entry, "AT");

    return tn_tree_text(tn_tree_member(entry, "N")).size != 0 &&
           tn_tree_text(tn_tree_member(value, "#")).size != 0;
}

static void scan_attrs(struct tn_pir_scan *s, const struct tn_pir_op *op)
{
    const struct tn_tree *a     = op->attrs ? op->attrs->first : NULL;
    uint32_t              index = 0;

    for (; a && is_attr(a); a = a->next)
        index++;
    if (a) {
        fail(s, a, "an attribute needs \"N\" and \"AT\"");
        tn_error_where(s->error, "A[%" PRIu32 "]", index);
    }
}

static void scan_regions(struct tn_pir_scan *s, const struct tn_tree *regions,
                         uint32_t op, uint32_t depth);

static void add_to_block(struct tn_pir_scan *s, uint32_t block, uint32_t op)
{
    struct tn_pir_block *row = block_at(s, block);

    if (row->last_op == TN_NONE)
        row->first_op = op;
    else
        op_at(s, row->last_op)->next = op;
    row->last_op = op;
}

/* The row moves while regions are read, so it is filled on the stack. */
static void scan_op(struct tn_pir_scan *s, const struct tn_tree *tree,
                    uint32_t block, uint32_t depth)
{
    struct tn_pir_op op    = { .tree  = tree,
                               .id    = tn_tree_text(tn_tree_member(tree, "#")),
                               .block = block,
                               .next  = TN_NONE,
                               .first_block = TN_NONE };
    uint32_t         index = (uint32_t)s->ops.count;

    if (tree->kind != TN_JSON_OBJECT_BEGIN || op.id.size == 0) {
        fail(s, tree, "an operator without its name \"#\"");
        return;
    }
    op.attrs = need(s, tree, "A", TN_JSON_ARRAY_BEGIN);
    if (!op.attrs || !tn_list_push(&s->ops, struct tn_pir_op, s->error))
        return;
    if (tn_bytes_is(op.id, "p")) {
        scan_parameter(s, &op, index);
    } else {
        scan_attrs(s, &op);
        if (!tn_failed(s->error))
            scan_operands(s, &op);
        find_rule(s, &op);
    }
    *op_at(s, index) = op;
    add_to_block(s, block, index);
    const struct tn_tree *regions = tn_tree_member(tree, "regions");
    if (regions && !tn_failed(s->error))
        scan_regions(s, regions, index, depth + 1);
    if (tn_failed(s->error) || tn_bytes_is(op.id, "p"))
        return;
    op = *op_at(s, index);
    scan_results(s, &op, index);
    *op_at(s, index) = op;
}

/* ---- blocks ------------------------------------------------------------- */

static void scan_args(struct tn_pir_scan *s, const struct tn_tree *list,
                      uint32_t block)
{
    uint32_t index = 0;
    int64_t  number;

    for (const struct tn_tree *c = tn_tree_is_list(list) ? list->first : NULL;
         c && !tn_failed(s->error); c = c->next, index++) {
        if (!tn_tree_int(tn_tree_member(c, "#"), &number) || number >= 0)
            fail(s, c, "an argument of a block has a number below 0");
        else
            define(s, c, number,
                   (struct tn_pir_result){
                       .op = TN_NONE, .block = block, .index = index });
        if (tn_failed(s->error))
            tn_error_where(s->error, "args[%" PRIu32 "]", index);
    }
    block_at(s, block)->arg_count = index;
}

static void scan_block(struct tn_pir_scan *s, const struct tn_tree *tree,
                       uint32_t block, uint32_t depth)
{
    uint64_t              first = s->results.count;
    const struct tn_tree *ops   = need(s, tree, "ops", TN_JSON_ARRAY_BEGIN);
    uint32_t              index = 0;

    block_at(s, block)->first_arg = (uint32_t)first;
    scan_args(s, tn_tree_member(tree, "args"), block);
    for (const struct tn_tree *c      = ops ? ops->first : NULL;
         c && !tn_failed(s->error); c = c->next, index++) {
        scan_op(s, c, block, depth);
        if (tn_failed(s->error))
            tn_error_where(s->error, "ops[%" PRIu32 "]", index);
    }
    if (depth > 0)
        for (uint64_t i = first; i < s->results.count; i++)
            result_at(s, (uint32_t)i)->is_gone = true;
}

static uint32_t add_block(struct tn_pir_scan *s)
{
    struct tn_pir_block *row =
        tn_list_push(&s->blocks, struct tn_pir_block, s->error);

    if (!row)
        return TN_NONE;
    *row = (struct tn_pir_block){ .first_op = TN_NONE,
                                  .last_op  = TN_NONE,
                                  .next     = TN_NONE };
    return (uint32_t)s->blocks.count - 1;
}

/* A region has one block: nothing that Paddle writes has more. */
static void scan_region(struct tn_pir_scan *s, const struct tn_tree *region,
                        uint32_t block, uint32_t depth)
{
    const struct tn_tree *blocks =
        need(s, region, "blocks", TN_JSON_ARRAY_BEGIN);

    if (!blocks)
        return;
    if (blocks->count != 1 || blocks->first->kind != TN_JSON_OBJECT_BEGIN) {
        fail(s, blocks, "a region has one block");
        return;
    }
    scan_block(s, blocks->first, block, depth);
    if (tn_failed(s->error))
        tn_error_where(s->error, "blocks[0]");
}

static void scan_regions(struct tn_pir_scan *s, const struct tn_tree *regions,
                         uint32_t op, uint32_t depth)
{
    uint32_t index = 0, last = TN_NONE;

    if (!tn_tree_is_list(regions) || depth > TN_PIR_REGION_LIMIT) {
        tn_error_set(s->error,
                     depth > TN_PIR_REGION_LIMIT ? TN_LIMIT : TN_MALFORMED,
                     regions->offset, "regions %s",
                     depth > TN_PIR_REGION_LIMIT ? "more than 16 deep"
                                                 : "are not a list");
        return;
    }
    for (const struct tn_tree *c = regions->first; c && !tn_failed(s->error);
         c                       = c->next, index++) {
        uint32_t block = add_block(s);
        if (block == TN_NONE)
            return;
        if (last != TN_NONE)
            block_at(s, last)->next = block;
        else if (op != TN_NONE)
            op_at(s, op)->first_block = block;
        last = block;
        scan_region(s, c, block, depth);
        if (tn_failed(s->error))
            tn_error_where(s->error, "regions[%" PRIu32 "]", index);
    }
    if (op != TN_NONE)
        op_at(s, op)->block_count = index;
}

/* ---- what folds --------------------------------------------------------- */

static const struct tn_pir_op *producer(const struct tn_pir_scan *s,
                                        const struct tn_pir_op   *op,
                                        uint32_t                  index)
{
    if (index >= op->operand_count || op->operands[index] == TN_NONE)
        return NULL;
    uint32_t maker = result_at(s, op->operands[index])->op;
    return maker == TN_NONE ? NULL : op_at(s, maker);
}

/* Of one element: [1] or []. */
static bool is_single(const struct tn_tree *shape)
{
    const struct tn_tree *dims = tn_tree_member(shape, "D");
    int64_t               dim  = 1;

    return tn_tree_is_list(dims) && dims->count <= 1 &&
           (dims->count == 0 || (tn_tree_int(dims->first, &dim) && dim == 1));
}

/* Operand `index` is a constant that becomes an attribute: its value. */
static bool folds(struct tn_pir_scan *s, const struct tn_pir_op *op,
                  uint32_t index, struct tn_pir_value *value)
{
    const struct tn_pir_op *maker = producer(s, op, index);

    if (!maker || !op->rule || index >= op->rule->in_count ||
        op->rule->in[index].attr.size == 0)
        return false;
    bool is_list = tn_bytes_is(maker->id, "1.full_int_array");
    if (!is_list && (!tn_bytes_is(maker->id, "1.full") ||
                     !is_single(op_attr(maker, "shape"))))
        return false;
    const struct tn_tree *attr = op_attr(maker, "value");
    return attr && tn_pir_value_read(attr, s->arena, value, s->error) &&
           tn_pir_value_as(value, tn_pir_kind_type(op->rule->in[index].kind),
                           s->arena, s->error);
}

/* Operand `index` is made by an operator that our writer put there, and which
 * goes again: `mark` is the attribute that says so. */
static const struct tn_pir_op *helper_op(const struct tn_pir_scan *s,
                                         const struct tn_pir_op   *op,
                                         uint32_t index, const char *mark)
{
    const struct tn_pir_op *maker = producer(s, op, index);

    if (!maker || !op->rule || !op_attr(maker, mark) ||
        maker->operand_count == 0 || maker->operands[0] == TN_NONE)
        return NULL;
    return maker;
}

static bool is_plain_use(struct tn_pir_scan *s, const struct tn_pir_op *op,
                         uint32_t index)
{
    struct tn_pir_value value;

    if (folds(s, op, index, &value))
        return false;
    if (op->rule && op->rule->is_aligned && index == 1)
        return !helper_op(s, op, index, "legacy.axis");
    if (op->rule && index < op->rule->in_count &&
        op->rule->in[index].parts.size)
        return !helper_op(s, op, index, "legacy.parts");
    return true;
}

static void count_uses(struct tn_pir_scan *s)
{
    for (uint32_t i = 0; i < s->ops.count; i++) {
        const struct tn_pir_op *op = op_at(s, i);
        for (uint32_t k = 0; k < op->operand_count && !tn_failed(s->error);
             k++) {
            if (op->operands[k] == TN_NONE)
                continue;
            struct tn_pir_result *row = result_at(s, op->operands[k]);
            row->uses++;
            row->plain_uses += is_plain_use(s, op, k);
        }
    }
}

/* ---- from the top ------------------------------------------------------- */

static enum tn_status scan_init(struct tn_pir_scan *scan,
                                struct tn_arena *arena, struct tn_error *error)
{
    *scan = (struct tn_pir_scan){ .arena = arena, .error = error };
    tn_list_init(&scan->ops, arena->memory, sizeof(struct tn_pir_op));
    tn_list_init(&scan->results, arena->memory, sizeof(struct tn_pir_result));
    tn_list_init(&scan->blocks, arena->memory, sizeof(struct tn_pir_block));
    tn_pairs_init(&scan->numbers, arena->memory);
    return tn_pir_rules_read(&scan->rules, arena,
                             tn_pir_rules_text(arena, error), error);
}

static void scan_done(struct tn_pir_scan *scan)
{
    tn_list_done(&scan->ops);
    tn_list_done(&scan->results);
    tn_list_done(&scan->blocks);
    tn_pairs_done(&scan->numbers);
    tn_pir_rules_done(&scan->rules);
}

static void check_magic(struct tn_pir_scan *s, const struct tn_tree *root)
{
    const struct tn_tree *base    = tn_tree_member(root, "base_code");
    const struct tn_tree *version = tn_tree_member(base, "version");
    int64_t               number;

    if (!tn_bytes_is(tn_tree_text(tn_tree_member(base, "magic")), "pir"))
        fail(s, base ? base : root, "base_code.magic is not \"pir\"");
    else if (!tn_tree_int(version, &number))
        fail(s, version ? version : base, "base_code has no version");
    else if (number < 1 || number > 2)
        tn_error_set(s->error, TN_UNSUPPORTED, version->offset,
                     "version %" PRId64 " of PIR, known are 1 and 2", number);
}

static enum tn_status scan_read(struct tn_pir_scan   *scan,
                                const struct tn_tree *root)
{
    const struct tn_tree *program = NULL, *regions = NULL;

    check_magic(scan, root);
    if (!tn_failed(scan->error))
        program = need(scan, root, "program", TN_JSON_OBJECT_BEGIN);
    if (program)
        regions = need(scan, program, "regions", TN_JSON_ARRAY_BEGIN);
    if (!regions)
        return scan->error->status;
    if (regions->count != 1)
        fail(scan, regions, "a program has one region");
    else
        scan_regions(scan, regions, TN_NONE, 0);
    if (tn_failed(scan->error))
        tn_error_where(scan->error, "program");
    else
        count_uses(scan);
    return scan->error->status;
}

/* ---- names, variables and operators of a ProgramDesc -------------------- */

/* ---- names -------------------------------------------------------------- */

static struct tn_pir_made_block *made_block_at(struct tn_pir_maker *m,
                                               uint32_t             block)
{
    return tn_list_at(&m->blocks, struct tn_pir_made_block, block);
}

/* A tree as it is printed, in the arena; empty for NULL. */
static struct tn_bytes text_of(struct tn_pir_maker  *m,
                               const struct tn_tree *tree)
{
    tn_buffer_clear(&m->text);
    if (tree)
        tn_tree_put(&m->text, tree);
    return tn_bytes_dup(m->arena, tn_buffer_bytes(&m->text), m->error);
}

/* False: it is taken. */
static bool take_name(struct tn_pir_maker *m, struct tn_bytes name)
{
    if (tn_intern_find(&m->names, name) != TN_NO_NAME)
        return false;
    tn_intern_borrow(&m->names, name, m->error);
    return true;
}

/* STEM, or STEM_1, STEM_2 when that is taken. */
static struct tn_bytes fresh_name(struct tn_pir_maker *m, const char *stem)
{
    const char *name = stem;

    for (unsigned i = 1; name && !take_name(m, tn_text(name)); i++)
        name = tn_text_format(m->arena, m->error, "%s_%u", stem, i);
    return name ? tn_text(name) : tn_bytes("", 0);
}

/* How many operators of that type there were before. */
static uint32_t next_count(struct tn_pir_maker *m, struct tn_bytes type)
{
    uint32_t id = tn_intern_copy(&m->counters, type, m->error);

    while (!tn_failed(m->error) && m->counts.count <= id)
        tn_list_push(&m->counts, uint32_t, m->error);
    return tn_failed(m->error) ? 0 : (*tn_list_at(&m->counts, uint32_t, id))++;
}

static struct tn_bytes temporary(struct tn_pir_maker *m, struct tn_bytes type,
                                 uint32_t count, uint32_t index)
{
    const char *stem =
        tn_text_format(m->arena, m->error, "%.*s_%" PRIu32 ".tmp_%" PRIu32,
                       TN_FMT(type), count, index);

    return stem ? fresh_name(m, stem) : tn_bytes("", 0);
}

/* Names a value: by one name, or by those of another. */
static void set_name(struct tn_pir_maker *m, struct tn_pir_result *row,
                     struct tn_bytes name)
{
    row->names = tn_new(m->arena, struct tn_bytes, 1, m->error);
    if (row->names) {
        row->names[0]   = name;
        row->name_count = 1;
    }
}

static void same_names(struct tn_pir_result       *row,
                       const struct tn_pir_result *as)
{
    row->names      = as->names;
    row->name_count = as->name_count;
}

/* ---- variables ---------------------------------------------------------- */

enum { VAR_IS_PARAMETER = 5, VAR_STOP_GRADIENT = 6, VAR_ATTRS = 7 };

/* TensorDesc */
static void put_tensor(struct tn_rope *to, uint32_t field, int data_type,
                       const struct tn_tree *dims, bool is_shape_note)
{
    struct tn_rope body;
    int64_t        dim;

    tn_rope_init(&body, to->arena, to->error);
    tn_pb_put_varint(&body, 1, (uint64_t)data_type);
    if (is_shape_note) /* XShape: 0, then the dims of X */
        tn_pb_put_varint(&body, 2, 0);
    for (const struct tn_tree *c = tn_tree_is_list(dims) ? dims->first : NULL;
         c; c                    = c->next)
        if (tn_tree_int(c, &dim))
            tn_pb_put_varint(&body, 2, (uint64_t)dim);
    tn_pb_put_message(to, field, &body);
}

/* The layout, LoD and offset that nearly all types have. */
static bool is_usual(const struct tn_tree *data)
{
    const struct tn_tree *layout = tn_tree_item(data, 2);
    const struct tn_tree *lod    = tn_tree_item(data, 3);
    const struct tn_tree *offset = tn_tree_item(data, 4);
    int64_t               number = 0;

    return data->count == 5 && tn_bytes_is(tn_tree_text(layout), "NCHW") &&
           tn_tree_is_list(lod) && lod->count == 0 &&
           tn_tree_int(offset, &number) && number == 0;
}

/* VarType; false: the type says more than that. */
static bool put_type(struct tn_rope *to, const struct tn_tree *type,
                     int64_t lod_level, bool is_shape_note)
{
    struct tn_bytes       id        = tn_tree_text(tn_tree_member(type, "#"));
    const struct tn_tree *data      = tn_tree_member(type, "D");
    bool                  is_tensor = tn_bytes_is(id, "0.t_dtensor");
    bool                  is_array  = tn_bytes_is(id, "1.t_dense_tensor_array");
    bool                  is_rows   = tn_bytes_is(id, "1.t_selected_rows");
    const struct tn_tree *item    = tn_tree_member(tn_tree_item(data, 0), "#");
    int                   element = tn_pir_type_number(tn_tree_text(item));
    struct tn_rope        body;

    if (!is_tensor && !is_array && !is_rows) {
        tn_pb_put_varint(to, 1, TN_PADDLE_RAW);
        return false;
    }
    tn_pb_put_varint(to, 1,
                     is_tensor  ? TN_PADDLE_LOD_TENSOR
                     : is_array ? TN_PADDLE_TENSOR_ARRAY
                                : TN_PADDLE_SELECTED_ROWS);
    if (element < 0) /* a parameter of such a type is stored all the same */
        return false;
    if (is_rows) {
        put_tensor(to, 2, element, tn_tree_item(data, 1), false);
        return is_usual(data);
    }
    tn_rope_init(&body, to->arena, to->error);
    put_tensor(&body, 1, element, tn_tree_item(data, 1), is_shape_note);
    if (lod_level)
        tn_pb_put_varint(&body, 2, (uint64_t)lod_level);
    tn_pb_put_message(to, is_tensor ? 3 : 4, &body);
    return is_array ? tn_bytes_is(tn_tree_text(tn_tree_item(data, 2)), "NCHW")
                    : is_usual(data);
}

/* VarDesc.Attr: name = 1, type = 2, s = 4 */
static void put_var_attr(struct tn_rope *to, const char *name,
                         struct tn_bytes text)
{
    struct tn_rope body;

    tn_rope_init(&body, to->arena, to->error);
    tn_pb_put_text(&body, 1, name);
    tn_pb_put_varint(&body, 2, TN_DESC_STRING);
    tn_pb_put_bytes(&body, 4, text);
    tn_pb_put_message(to, VAR_ATTRS, &body);
}

/* is_shape_note: the dims are 0 and those of the type, as of XShape. */
static void put_var(struct tn_pir_maker *m, uint32_t block,
                    const struct tn_pir_var *var, bool is_shape_note)
{
    struct tn_rope body, type;
    bool           is_plain = true;

    tn_rope_init(&body, m->arena, m->error);
    tn_rope_init(&type, m->arena, m->error);
    tn_pb_put_bytes(&body, VAR_NAME, var->name);
    if (var->raw_type)
        tn_pb_put_varint(&type, 1, var->raw_type);
    else
        is_plain = put_type(&type, var->type, var->lod_level, is_shape_note);
    tn_pb_put_message(&body, VAR_TYPE, &type);
    tn_pb_put_varint(&body, VAR_PERSISTABLE, var->is_persistable);
    if (var->needs_feed)
        tn_pb_put_varint(&body, VAR_NEED_CHECK_FEED, 1);
    if (var->is_parameter)
        tn_pb_put_varint(&body, VAR_IS_PARAMETER, 1);
    if (var->stop_gradient)
        tn_pb_put_varint(&body, VAR_STOP_GRADIENT, 1);
    if (!is_plain && var->type && !is_shape_note)
        put_var_attr(&body, "pir.type", text_of(m, var->type));
    if (var->note)
        put_var_attr(&body, var->note, var->note_text);
    tn_pb_put_message(&made_block_at(m, block)->vars, BLOCK_VARS, &body);
    tn_rope_done(&type);
}

/* A result without a type is none; one of several tensors is a vector. */
static bool is_missing(const struct tn_pir_result *row)
{
    return !row->type ||
           tn_bytes_is(tn_tree_text(tn_tree_member(row->type, "#")), "NULL");
}

static bool is_vector(const struct tn_pir_result *row)
{
    return tn_bytes_is(tn_tree_text(tn_tree_member(row->type, "#")), "0.t_vec");
}

/* Names and variables of a result that an operator of that type makes. */
static void declare(struct tn_pir_maker *m, uint32_t block,
                    struct tn_pir_result *row, struct tn_bytes type,
                    uint32_t count)
{
    const struct tn_tree *list    = tn_tree_member(row->type, "D");
    bool                  is_list = is_vector(row) && tn_tree_is_list(list);
    struct tn_pir_var     var     = { .stop_gradient = row->stop_gradient,
                                      .type          = row->type };

    if (row->names || is_missing(row))
        return;
    uint32_t              names = is_list ? list->count : 1;
    const struct tn_tree *item  = is_list ? list->first : row->type;
    row->names = tn_new(m->arena, struct tn_bytes, names, m->error);
    for (uint32_t i = 0; row->names && i < names && !tn_failed(m->error); i++) {
        var.type = item;
        item     = is_list ? item->next : item;
        var.name = row->names[i] =
            row->wish.size && !is_list
                ? row->wish
                : temporary(m, type, count, row->index + i);
        put_var(m, block, &var, false);
    }
    row->name_count = row->names ? names : 0;
}

/* ---- operators ---------------------------------------------------------- */

/* Begin, add slots and attributes in any order, end: it is then in `to`. */
static void op_begin(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     struct tn_bytes type)
{
    op->type     = type;
    op->in_count = op->out_count = 0;
    tn_rope_init(&op->attrs, m->arena, m->error);
}

/* Slots are in the order of their names, as Paddle writes them. */
static void add_slot(struct tn_pir_maker *m, struct tn_pir_slot *slots,
                     uint32_t *count, struct tn_bytes name,
                     const struct tn_bytes *args, uint32_t arg_count)
{
    uint32_t at = *count;

    if (arg_count == 0)
        return;
    if (*count == TN_PIR_SLOT_LIMIT) {
        tn_error_set(m->error, TN_LIMIT, TN_NOWHERE,
                     "an operator of more than %d slots", TN_PIR_SLOT_LIMIT);
        return;
    }
    for (; at > 0 && tn_bytes_compare(slots[at - 1].name, name) > 0; at--)
        slots[at] = slots[at - 1];
    slots[at] = (struct tn_pir_slot){ name, args, arg_count };
    (*count)++;
}

static void add_in(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                   const char *name, const struct tn_bytes *args,
                   uint32_t count)
{
    add_slot(m, op->in, &op->in_count, tn_text(name), args, count);
}

static void add_out(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                    const char *name, const struct tn_bytes *args,
                    uint32_t count)
{
    add_slot(m, op->out, &op->out_count, tn_text(name), args, count);
}

static void put_slots(struct tn_rope *to, uint32_t field,
                      const struct tn_pir_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct tn_rope body;
        tn_rope_init(&body, to->arena, to->error);
        tn_pb_put_bytes(&body, SLOT_PARAMETER, slots[i].name);
        for (uint32_t k = 0; k < slots[i].count; k++)
            tn_pb_put_bytes(&body, SLOT_ARGUMENTS, slots[i].args[k]);
        tn_pb_put_message(to, field, &body);
    }
}

static void op_end(struct tn_pir_made_op *op, struct tn_rope *to)
{
    struct tn_rope body;

    tn_rope_init(&body, to->arena, to->error);
    put_slots(&body, OP_INPUTS, op->in, op->in_count);
    put_slots(&body, OP_OUTPUTS, op->out, op->out_count);
    tn_pb_put_bytes(&body, OP_TYPE, op->type);
    tn_rope_append(&body, &op->attrs);
    tn_pb_put_message(to, BLOCK_OPS, &body);
    tn_rope_done(&op->attrs);
}

static void put_int(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                    const char *name, uint8_t type, int64_t number)
{
    struct tn_pir_value value =
        tn_pir_int_value(m->arena, type, number, m->error);

    tn_pir_put_desc(&op->attrs, tn_text(name), &value);
}

static void put_text(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     const char *name, struct tn_bytes text)
{
    struct tn_pir_value value = tn_pir_text_value(m->arena, text, m->error);

    tn_pir_put_desc(&op->attrs, tn_text(name), &value);
}

/* ---- one operator of PIR as one of a ProgramDesc ------------------------ */

/* ---- attributes --------------------------------------------------------- */

/* pir.NAME: the whole attribute, as it was. */
static void put_kept(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     struct tn_bytes name, const struct tn_tree *attr)
{
    const char *kept =
        tn_text_format(m->arena, m->error, "pir.%.*s", TN_FMT(name));

    if (kept)
        put_text(m, op, kept, text_of(m, attr));
}

/* legacy.empty.03.NAME: a list of nothing, of a type that only the name says.
 */
static bool put_empty(struct tn_pir_made_op *op, struct tn_bytes name)
{
    static const char   mark[] = "legacy.empty.";
    size_t              at     = strlen(mark);
    struct tn_pir_value value  = { .type = TN_DESC_NONE };

    if (!tn_pir_is_reserved(name, mark) || name.size < at + 4 ||
        name.data[at + 2] != '.')
        return false;
    unsigned type = (name.data[at] - '0') * 10u + (name.data[at + 1] - '0');
    if (type > TN_DESC_SCALARS || tn_pir_is_one((uint8_t)type))
        return false;
    value.type = (uint8_t)type;
    tn_pir_put_desc(&op->attrs,
                    tn_bytes(name.data + at + 3, name.size - at - 3), &value);
    return true;
}

/* An attribute that no rule names: by its type, or else as its JSON. */
static void put_natural(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                        struct tn_bytes name, const struct tn_tree *attr)
{
    struct tn_pir_value value;

    if (put_empty(op, name))
        return;
    if (tn_pir_is_reserved(name, "legacy."))
        name = tn_bytes(name.data + 7, name.size - 7);
    if (tn_pir_value_read(attr, m->arena, &value, m->error) &&
        value.type != TN_DESC_NONE)
        tn_pir_put_desc(&op->attrs, name, &value);
    else
        put_kept(m, op, name, attr);
}

/* Whether our writer would write the value in these words. */
static bool is_what_we_write(struct tn_pir_maker *m, const struct tn_tree *attr,
                             const struct tn_pir_value *value,
                             enum tn_pir_kind           kind)
{
    struct tn_bytes was = text_of(m, attr);

    tn_buffer_clear(&m->text);
    tn_pir_put_value(&m->text, value, kind);
    return tn_bytes_equal(was, tn_buffer_bytes(&m->text));
}

/* fill_constant keeps its value twice: as a float, and exactly, as text. */
static void put_fill(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     struct tn_pir_value *value)
{
    struct tn_buffer *text = &m->text;

    if (!tn_pir_value_as(value, TN_DESC_DOUBLE, m->arena, m->error))
        return;
    tn_buffer_clear(text);
    double real = tn_pir_real_at(value, 0);
    if (real != real || real - real != 0)
        tn_buffer_text(text, real != real ? "nan" : real > 0 ? "inf" : "-inf");
    else if (real > -1e15 && real < 1e15 && real == (double)(int64_t)real)
        tn_pir_put_int(text, (int64_t)real);
    else
        tn_pir_put_double(text, real);
    struct tn_bytes exact =
        tn_bytes_dup(m->arena, tn_buffer_bytes(text), m->error);
    value->type = TN_DESC_FLOAT;
    tn_pir_put_desc(&op->attrs, tn_text("value"), value);
    put_text(m, op, "str_value", exact);
}

/* assign_value: one list, by the type of the elements. */
static bool put_values(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                       const struct tn_pir_op *from, struct tn_pir_value *value)
{
    static const struct {
        int         number;
        const char *name;
        uint8_t     type;
    } lists[] = {
        { 0, "bool_values", TN_DESC_INTS },
        { 2, "int32_values", TN_DESC_INTS },
        { 3, "int64_values", TN_DESC_LONGS },
        { 5, "fp32_values", TN_DESC_FLOATS },
        { 6, "fp64_values", TN_DESC_DOUBLES },
    };
    const struct tn_tree *attr = op_attr(from, "dtype");
    int dtype = tn_pir_dtype_number(tn_tree_text(tn_tree_member(attr, "D")));

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (lists[i].number != dtype)
            continue;
        if (!tn_pir_value_as(value, lists[i].type, m->arena, m->error))
            return false;
        tn_pir_put_desc(&op->attrs, tn_text(lists[i].name), value);
        if (!op_attr(from, "shape")) {
            struct tn_pir_value shape = tn_pir_int_value(
                m->arena, TN_DESC_INTS, value->count, m->error);
            tn_pir_put_desc(&op->attrs, tn_text("shape"), &shape);
        }
        return true;
    }
    return false;
}

/* A list that is one number for all axes; none is 0. */
static void put_first(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      struct tn_bytes name, const struct tn_pir_value *value)
{
    double *real = tn_new(m->arena, double, 1, m->error);

    if (!real)
        return;
    *real                   = tn_pir_real_at(value, 0);
    struct tn_pir_value one = { .type  = TN_DESC_FLOAT,
                                .count = 1,
                                .reals = real };
    tn_pir_put_desc(&op->attrs, name, &one);
}

static void put_ruled(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      const struct tn_pir_op        *from,
                      const struct tn_pir_attr_rule *rule,
                      const struct tn_tree          *attr)
{
    struct tn_pir_value value;
    bool is_read = tn_pir_value_read(attr, m->arena, &value, m->error);

    if (rule->kind == TN_PIR_PLACE) {
        struct tn_bytes now = text_of(m, tn_tree_member(attr, "D"));
        if (!rule->fallback || !tn_bytes_equal(now, text_of(m, rule->fallback)))
            put_kept(m, op, rule->pir, attr);
        return;
    }
    if (is_read && rule->kind == TN_PIR_VALUES) {
        if (!put_values(m, op, from, &value))
            put_kept(m, op, rule->pir, attr);
        return;
    }
    if (is_read && rule->kind == TN_PIR_FLOAT_PLUS) {
        put_first(m, op, rule->legacy, &value);
        return;
    }
    uint8_t type = rule->kind == TN_PIR_FILL ? TN_DESC_DOUBLE
                                             : tn_pir_kind_type(rule->kind);
    if (is_read && tn_pir_value_as(&value, type, m->arena, m->error)) {
        bool is_ours = is_what_we_write(m, attr, &value, rule->kind);
        if (rule->kind == TN_PIR_FILL)
            put_fill(m, op, &value);
        else
            tn_pir_put_desc(&op->attrs, rule->legacy, &value);
        if (is_ours)
            return;
    }
    put_kept(m, op, rule->pir, attr);
}

static bool is_mark(struct tn_bytes name)
{
    return tn_bytes_is(name, "legacy.type") ||
           tn_bytes_is(name, "legacy.axis") ||
           tn_bytes_is(name, "legacy.parts") ||
           tn_bytes_is(name, "legacy.inputs") ||
           tn_bytes_is(name, "legacy.outputs");
}

/* Our writer writes `axis` as all axes, with the old value beside it. */
static bool is_set_aside(const struct tn_pir_op        *from,
                         const struct tn_pir_attr_rule *rule)
{
    char name[80];

    snprintf(name, sizeof name, "%.*s", TN_FMT(rule->legacy));
    return !tn_bytes_equal(rule->legacy, rule->pir) && op_attr(from, name);
}

static void put_attrs(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      const struct tn_pir_op *from)
{
    for (const struct tn_tree *a      = from->attrs->first;
         a && !tn_failed(m->error); a = a->next) {
        struct tn_bytes       name = tn_tree_text(tn_tree_member(a, "N"));
        const struct tn_tree *attr = tn_tree_member(a, "AT");
        const struct tn_pir_attr_rule *rule = NULL;
        for (uint32_t i = 0; from->rule && i < from->rule->attr_count; i++)
            if (tn_bytes_equal(from->rule->attrs[i].pir, name))
                rule = &from->rule->attrs[i];
        if (is_mark(name) || (rule && is_set_aside(from, rule)))
            continue;
        if (rule)
            put_ruled(m, op, from, rule, attr);
        else
            put_natural(m, op, name, attr);
    }
}

/* ---- operators by rule -------------------------------------------------- */

/* Operand `index`; if it is not given, a result without a name. */
static const struct tn_pir_result *operand(struct tn_pir_maker    *m,
                                           const struct tn_pir_op *op,
                                           uint32_t                index)
{
    static const struct tn_pir_result none;

    if (index >= op->operand_count || op->operands[index] == TN_NONE)
        return &none;
    return result_at(m->scan, op->operands[index]);
}

/* An attribute that only a tensor knows the value of. */
static void put_variable(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                         struct tn_bytes name, const struct tn_pir_result *row)
{
    struct tn_pir_value value = { .type  = row->name_count == 1 ? TN_DESC_VAR
                                                                : TN_DESC_VARS,
                                  .count = row->name_count,
                                  .texts = row->names };

    (void)m;
    if (row->name_count)
        tn_pir_put_desc(&op->attrs, name, &value);
}

static void put_operand(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                        const struct tn_pir_op *from, uint32_t index)
{
    const struct tn_pir_port   *port = &from->rule->in[index];
    const struct tn_pir_result *row  = operand(m, from, index);
    const struct tn_pir_op     *helper;
    struct tn_pir_value         value;

    if (port->is_over)
        return;
    if (port->parts.size &&
        (helper = helper_op(m->scan, from, index, "legacy.parts"))) {
        row = operand(m, helper, 0);
        add_slot(m, op->in, &op->in_count, port->parts, row->names,
                 row->name_count);
    } else if (from->rule->is_aligned && index == 1 &&
               (helper = helper_op(m->scan, from, 1, "legacy.axis"))) {
        row = operand(m, helper, 0);
        add_slot(m, op->in, &op->in_count, port->slot, row->names,
                 row->name_count);
        put_natural(m, op, tn_text("axis"), op_attr(helper, "legacy.axis"));
    } else if (folds(m->scan, from, index, &value)) {
        char name[80];
        snprintf(name, sizeof name, "%.*s", TN_FMT(port->attr));
        if (!op_attr(from, name)) /* the value that our writer kept takes
                                     precedence */
            tn_pir_put_desc(&op->attrs, port->attr, &value);
    } else if (port->slot.size) {
        add_slot(m, op->in, &op->in_count, port->slot, row->names,
                 row->name_count);
    } else {
        put_variable(m, op, port->attr, row);
    }
}

/* The operand in that slot. */
static const struct tn_pir_result *in_slot(struct tn_pir_maker    *m,
                                           const struct tn_pir_op *from,
                                           struct tn_bytes         slot)
{
    for (uint32_t i = 0; i < from->rule->in_count; i++)
        if (tn_bytes_equal(from->rule->in[i].slot, slot))
            return operand(m, from, i);
    return operand(m, from, UINT32_MAX);
}

static void put_made(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     const struct tn_pir_op   *from,
                     const struct tn_pir_port *port, uint32_t index,
                     uint32_t count)
{
    const struct tn_pir_result *x = operand(m, from, 0);
    struct tn_bytes *name = tn_new(m->arena, struct tn_bytes, 1, m->error);

    if (!name || is_missing(x))
        return;
    *name                 = temporary(m, op->type, count, index);
    struct tn_pir_var var = { .name = *name, .type = x->type };
    put_var(m, from->block, &var, true);
    add_slot(m, op->out, &op->out_count, port->slot, name, 1);
}

static void put_results(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                        const struct tn_pir_op *from)
{
    uint32_t count = next_count(m, op->type);

    for (uint32_t i = 0; i < from->rule->out_count && !tn_failed(m->error);
         i++) {
        const struct tn_pir_port *port = &from->rule->out[i];
        if (i >= from->result_count) {
            if (port->is_made)
                put_made(m, op, from, port, i, count);
            continue;
        }
        struct tn_pir_result *row = result_at(m->scan, from->first_result + i);
        const struct tn_pir_result *as =
            port->alias.size ? in_slot(m, from, port->alias) : NULL;
        if (as && as->name_count && !is_missing(row))
            same_names(row, as);
        declare(m, from->block, row, op->type, count);
        add_slot(m, op->out, &op->out_count, port->slot, row->names,
                 row->name_count);
    }
}

/* Which of several operators of PIR it was, when our writer would take another
 * (shape64, relu_), and the flag that tells one from the other there. */
static void put_origin(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                       const struct tn_pir_op *from)
{
    const struct tn_pir_rule *rule = from->rule;

    for (uint64_t i = 0; i < m->scan->rules.rows.count; i++) {
        const struct tn_pir_rule *row =
            tn_list_at(&m->scan->rules.rows, struct tn_pir_rule, i);
        if (row == rule)
            break;
        if (tn_bytes_equal(row->legacy, rule->legacy) && row->when.size == 0) {
            put_text(m, op, "pir.op", from->id);
            break;
        }
    }
    if (rule->when_how == '=' && !rule->is_also)
        put_int(m, op, "lower", TN_DESC_BOOL, rule->when_value);
}

/* By a rule; one that our writer had no rule for; any other. */
static void make_ruled(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    struct tn_pir_made_op op;

    if (from->operand_count > from->rule->in_count ||
        from->result_count > from->rule->out_count) {
        tn_error_set(m->error, TN_MALFORMED, from->tree->offset,
                     "%.*s has %" PRIu32 " operands and %" PRIu32
                     " results, at most %" PRIu32 " and %" PRIu32 " are known",
                     TN_FMT(from->id), from->operand_count, from->result_count,
                     from->rule->in_count, from->rule->out_count);
        return;
    }
    op_begin(m, &op, from->rule->legacy);
    put_attrs(m, &op, from);
    for (uint32_t i = 0; i < from->operand_count && !tn_failed(m->error); i++)
        put_operand(m, &op, from, i);
    put_origin(m, &op, from);
    put_results(m, &op, from);
    op_end(&op, &made_block_at(m, from->block)->ops);
}

/* ---- operators without a rule ------------------------------------------- */

/* The path of the operator that is being made. */
static const char *where_of(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    const char *path =
        tn_text_format(m->arena, m->error, "%sblocks[0].ops[%" PRIu32 "]",
                       op->block ? "" : "program.regions[0].", m->ordinal);

    return path ? path : "";
}

static void note(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    struct tn_pir_note *row =
        m->told ? tn_list_push(m->told, struct tn_pir_note, m->error) : NULL;

    if (row)
        *row = (struct tn_pir_note){ from->tree->offset, where_of(m, from),
                                     from->id };
}

/* Where the names of slots are, as our writer noted them, one for each operand
 * or result; and one of them. */
static const struct tn_tree *noted_slots(const struct tn_pir_op *from,
                                         const char             *name)
{
    const struct tn_tree *list = tn_tree_member(op_attr(from, name), "D");

    return tn_tree_is_list(list) ? list->first : NULL;
}

static struct tn_bytes noted_slot(const struct tn_tree *item)
{
    return tn_tree_text(tn_tree_member(item, "D"));
}

/* How many of them are the same slot. */
static uint32_t same_slot_count(const struct tn_tree *item, uint32_t most)
{
    struct tn_bytes slot  = noted_slot(item);
    uint32_t        count = 0;

    for (; item && count < most && tn_bytes_equal(noted_slot(item), slot);
         item = item->next)
        count++;
    return count;
}

/* Neighbours in one slot are its arguments. */
static void put_noted(struct tn_pir_maker *m, struct tn_pir_slot *slots,
                      uint32_t *slot_count, const struct tn_tree *item,
                      uint32_t first, const uint32_t *operands, uint32_t count)
{
    for (uint32_t i = 0; item && i < count && !tn_failed(m->error);) {
        struct tn_bytes  slot = noted_slot(item);
        uint32_t         left = same_slot_count(item, count - i), used = 0;
        struct tn_bytes *args =
            tn_new(m->arena, struct tn_bytes, left, m->error);
        for (; args && left; left--, i++, item = item->next) {
            uint32_t                    at = operands ? operands[i] : first + i;
            const struct tn_pir_result *row =
                at == TN_NONE ? NULL : result_at(m->scan, at);
            if (row && row->name_count)
                args[used++] = row->names[0];
        }
        if (args && slot.size)
            add_slot(m, slots, slot_count, slot, args, used);
    }
}

static void make_legacy(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    struct tn_bytes       type = tn_bytes(from->id.data + 7, from->id.size - 7);
    uint32_t              count = next_count(m, type);
    struct tn_pir_made_op op;

    note(m, from);
    op_begin(m, &op, type);
    put_attrs(m, &op, from);
    for (uint32_t i = 0; i < from->result_count && !tn_failed(m->error); i++)
        declare(m, from->block, result_at(m->scan, from->first_result + i),
                type, count);
    put_noted(m, op.in, &op.in_count, noted_slots(from, "legacy.inputs"), 0,
              from->operands, from->operand_count);
    put_noted(m, op.out, &op.out_count, noted_slots(from, "legacy.outputs"),
              from->first_result, NULL, from->result_count);
    op_end(&op, &made_block_at(m, from->block)->ops);
}

static const char *port_name(struct tn_pir_maker        *m,
                             const struct tn_pir_result *row, char plain,
                             char vector, uint32_t index)
{
    return tn_text_format(m->arena, m->error, "%c%" PRIu32,
                          is_vector(row) ? vector : plain, index);
}

static void make_unknown(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    const char *name =
        tn_text_format(m->arena, m->error, "pir.%.*s", TN_FMT(from->id));
    struct tn_bytes       type  = tn_text(name ? name : "");
    uint32_t              count = next_count(m, type);
    struct tn_pir_made_op op;

    if (from->block_count) {
        tn_error_set(m->error, TN_UNSUPPORTED, from->tree->offset,
                     "%.*s has regions, and is not known here",
                     TN_FMT(from->id));
        return;
    }
    note(m, from);
    op_begin(m, &op, type);
    put_attrs(m, &op, from);
    for (uint32_t i = 0; i < from->operand_count && !tn_failed(m->error); i++) {
        const struct tn_pir_result *row  = operand(m, from, i);
        const char                 *port = port_name(m, row, 'I', 'V', i);
        if (port)
            add_in(m, &op, port, row->names, row->name_count);
    }
    for (uint32_t i = 0; i < from->result_count && !tn_failed(m->error); i++) {
        struct tn_pir_result *row  = result_at(m->scan, from->first_result + i);
        const char           *port = port_name(m, row, 'O', 'W', i);
        declare(m, from->block, row, type, count);
        if (port)
            add_out(m, &op, port, row->names, row->name_count);
    }
    op_end(&op, &made_block_at(m, from->block)->ops);
}

/* ---- regions of PIR as blocks of a ProgramDesc -------------------------- */

/* The type of what such operators keep their insides in. */
#define STEP_SCOPES 11

/* ---- control flow ------------------------------------------------------- */

static void put_assign(struct tn_pir_maker *m, uint32_t block,
                       const struct tn_bytes *from, const struct tn_bytes *to)
{
    struct tn_pir_made_op op;

    op_begin(m, &op, tn_text("assign"));
    add_in(m, &op, "X", from, 1);
    add_out(m, &op, "Out", to, 1);
    op_end(&op, &made_block_at(m, block)->ops);
}

/* The values that the last operator of a block returns. */
static const struct tn_pir_op *yield_of(struct tn_pir_maker *m, uint32_t block)
{
    uint32_t last = block_at(m->scan, block)->last_op;

    if (last == TN_NONE)
        return NULL;
    const struct tn_pir_op *op = op_at(m->scan, last);
    return tn_bytes_is(op->id, "2.yield") ? op : NULL;
}

static struct tn_bytes *names_of_results(struct tn_pir_maker    *m,
                                         const struct tn_pir_op *op,
                                         const char *stem, bool is_declared)
{
    struct tn_bytes *names =
        tn_new(m->arena, struct tn_bytes, op->result_count, m->error);
    uint32_t count = next_count(m, tn_text(stem));

    for (uint32_t i = 0; names && i < op->result_count; i++) {
        struct tn_pir_result *row = result_at(m->scan, op->first_result + i);
        struct tn_pir_var     var = { .type          = row->type,
                                      .stop_gradient = row->stop_gradient };
        var.name = names[i] = temporary(m, tn_text(stem), count, i);
        if (is_declared)
            put_var(m, op->block, &var, false);
    }
    return names;
}

static void put_holder(struct tn_pir_maker *m, uint32_t block,
                       struct tn_bytes name, uint32_t type)
{
    struct tn_pir_var var = { .name = name, .raw_type = type };

    put_var(m, block, &var, false);
}

/* conditional_block: Cond -> Out, Scope; sub_block */
static void put_branch(struct tn_pir_maker *m, const struct tn_pir_op *from,
                       uint32_t block, const struct tn_bytes *condition,
                       const struct tn_bytes *outs)
{
    const struct tn_pir_op *yield = yield_of(m, block);
    struct tn_bytes *scope = tn_new(m->arena, struct tn_bytes, 1, m->error);
    struct tn_pir_made_op op;

    if (!scope)
        return;
    make_block(m, block);
    for (uint32_t i = 0; yield && i < from->result_count &&
                         i < yield->operand_count && !tn_failed(m->error);
         i++)
        if (operand(m, yield, i)->name_count)
            put_assign(m, block, operand(m, yield, i)->names, &outs[i]);
    *scope = temporary(m, tn_text("conditional_block"),
                       next_count(m, tn_text("conditional_block")), 0);
    put_holder(m, from->block, *scope, STEP_SCOPES);
    op_begin(m, &op, tn_text("conditional_block"));
    add_in(m, &op, "Cond", condition, 1);
    add_out(m, &op, "Out", outs, from->result_count);
    add_out(m, &op, "Scope", scope, 1);
    put_int(m, &op, "sub_block", TN_DESC_BLOCK, block);
    put_int(m, &op, "is_scalar_condition", TN_DESC_BOOL, 1);
    op_end(&op, &made_block_at(m, from->block)->ops);
}

/* A small operator of one input and one output, both single. */
static struct tn_bytes *put_small(struct tn_pir_maker *m, uint32_t block,
                                  const char *type, const struct tn_tree *like,
                                  const struct tn_bytes *x, int out_dtype)
{
    struct tn_bytes      *name = tn_new(m->arena, struct tn_bytes, 1, m->error);
    struct tn_pir_made_op op;

    if (!name)
        return NULL;
    uint32_t count        = next_count(m, tn_text(type));
    *name                 = temporary(m, tn_text(type), count, 0);
    struct tn_pir_var var = { .name = *name, .type = like };
    put_var(m, block, &var, false);
    op_begin(m, &op, tn_text(type));
    add_in(m, &op, "X", x, 1);
    add_out(m, &op, "Out", name, 1);
    if (out_dtype >= 0) {
        put_int(m, &op, "in_dtype", TN_DESC_INT, 0);
        put_int(m, &op, "out_dtype", TN_DESC_INT, out_dtype);
    }
    op_end(&op, &made_block_at(m, block)->ops);
    return name;
}

static void put_select(struct tn_pir_maker *m, const struct tn_pir_op *from,
                       uint32_t index, const struct tn_bytes *pair,
                       const struct tn_bytes *mask)
{
    struct tn_pir_result *row = result_at(m->scan, from->first_result + index);
    struct tn_pir_made_op op;

    declare(m, from->block, row, tn_text("select_input"),
            next_count(m, tn_text("select_input")));
    op_begin(m, &op, tn_text("select_input"));
    add_in(m, &op, "X", pair, 2);
    add_in(m, &op, "Mask", mask, 1);
    add_out(m, &op, "Out", row->names, row->name_count);
    op_end(&op, &made_block_at(m, from->block)->ops);
}

static const struct tn_tree *int32_type(struct tn_pir_maker *m)
{
    struct tn_cursor c = tn_cursor_bytes(
        tn_text("{\"#\":\"0.t_dtensor\",\"D\":[{\"#\":\"0.t_i32\"},[1],"
                "\"NCHW\",[],0]}"),
        0, m->error);

    return tn_tree_read(&c, m->arena);
}

/* With regions. */
static void make_if(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    const struct tn_pir_result *condition = operand(m, from, 0);
    uint32_t                    yes       = from->first_block, no;

    if (from->block_count != 2 || condition->name_count != 1) {
        tn_error_set(m->error, TN_MALFORMED, from->tree->offset,
                     "an if has a condition and two regions");
        return;
    }
    no                      = block_at(m->scan, yes)->next;
    struct tn_bytes *in_yes = names_of_results(m, from, "cond_true", true);
    struct tn_bytes *in_no  = names_of_results(m, from, "cond_false", true);
    uint64_t         both   = 2 * (uint64_t)from->result_count;
    struct tn_bytes *pairs  = tn_new(m->arena, struct tn_bytes, both, m->error);
    if (!in_yes || !in_no || !pairs)
        return;
    put_branch(m, from, yes, condition->names, in_yes);
    const struct tn_bytes *other = put_small(
        m, from->block, "logical_not", condition->type, condition->names, -1);
    if (other)
        put_branch(m, from, no, other, in_no);
    const struct tn_bytes *mask =
        put_small(m, from->block, "cast", int32_type(m), condition->names, 2);
    for (uint32_t i = 0; mask && i < from->result_count && !tn_failed(m->error);
         i++) {
        pairs[2 * i]     = in_no[i];
        pairs[2 * i + 1] = in_yes[i];
        put_select(m, from, i, &pairs[2 * i], mask);
    }
}

static bool is_carried(const struct tn_bytes *carried, uint32_t count,
                       struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(carried[i], name))
            return true;
    return false;
}

/* At the end of a loop's block: all values are read before any is written.  An
 * array that was written to is where it belongs. */
static void put_next_round(struct tn_pir_maker *m, const struct tn_pir_op *from,
                           const struct tn_bytes *condition,
                           const struct tn_bytes *carried)
{
    const struct tn_pir_op *yield = yield_of(m, from->first_block);
    uint32_t                block = from->first_block;
    uint32_t                count = yield ? yield->operand_count : 0;
    struct tn_bytes       **copies =
        tn_new(m->arena, struct tn_bytes *, (uint64_t)count + 1, m->error);

    for (uint32_t i = 0; copies && i < count && !tn_failed(m->error); i++) {
        const struct tn_pir_result *row = operand(m, yield, i);
        copies[i]                       = row->names;
        if (i && row->name_count && i <= from->result_count &&
            row->op != TN_NONE && tn_bytes_equal(row->names[0], carried[i - 1]))
            copies[i] = NULL;
        else if (row->name_count &&
                 (row->op == TN_NONE ||
                  is_carried(carried, from->result_count, row->names[0])))
            copies[i] =
                put_small(m, block, "assign", row->type, row->names, -1);
    }
    for (uint32_t i = 0;
         copies && i < count && i <= from->result_count && !tn_failed(m->error);
         i++)
        if (copies[i])
            put_assign(m, block, copies[i], i ? &carried[i - 1] : condition);
}

static bool is_while(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    bool is_one =
        from->block_count == 1 && operand(m, from, 0)->name_count == 1 &&
        from->operand_count == from->result_count + 1 &&
        block_at(m->scan, from->first_block)->arg_count == from->result_count;

    if (!is_one)
        tn_error_set(m->error, TN_MALFORMED, from->tree->offset,
                     "a while has a condition, values and one region that "
                     "takes and gives as many");
    return is_one;
}

/* The variables of the loop get the initial values; they keep their names
 * inside and after it. */
static void put_first_round(struct tn_pir_maker    *m,
                            const struct tn_pir_op *from,
                            const struct tn_bytes  *carried)
{
    uint32_t arg = block_at(m->scan, from->first_block)->first_arg;

    for (uint32_t i = 0; i < from->result_count && !tn_failed(m->error); i++) {
        const struct tn_pir_result *value = operand(m, from, i + 1);
        if (value->name_count)
            put_assign(m, from->block, value->names, &carried[i]);
        set_name(m, result_at(m->scan, arg + i), carried[i]);
        set_name(m, result_at(m->scan, from->first_result + i), carried[i]);
    }
}

static void put_loop(struct tn_pir_maker *m, const struct tn_pir_op *from,
                     const struct tn_bytes *condition,
                     const struct tn_bytes *carried)
{
    struct tn_bytes *scope = tn_new(m->arena, struct tn_bytes, 1, m->error);
    struct tn_pir_made_op op;

    if (!scope)
        return;
    *scope = fresh_name(m, "while_scopes");
    put_holder(m, from->block, *scope, STEP_SCOPES);
    op_begin(m, &op, tn_text("while"));
    add_in(m, &op, "Condition", condition, 1);
    add_in(m, &op, "X", carried, from->result_count);
    add_out(m, &op, "Out", carried, from->result_count);
    add_out(m, &op, "StepScopes", scope, 1);
    put_int(m, &op, "sub_block", TN_DESC_BLOCK, from->first_block);
    put_int(m, &op, "is_test", TN_DESC_BOOL, 1);
    op_end(&op, &made_block_at(m, from->block)->ops);
}

static void make_while(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    const struct tn_pir_result *first   = operand(m, from, 0);
    struct tn_bytes            *carried = NULL, *condition = NULL;

    if (is_while(m, from))
        carried = names_of_results(m, from, "while", true);
    if (carried)
        condition =
            put_small(m, from->block, "assign", first->type, first->names, -1);
    if (!condition)
        return;
    put_first_round(m, from, carried);
    if (tn_failed(m->error))
        return;
    make_block(m, from->first_block);
    put_next_round(m, from, condition, carried);
    put_loop(m, from, condition, carried);
}

/* ---- parameters, inputs, outputs ---------------------------------------- */

static struct tn_bytes text_attr(const struct tn_pir_op *op, const char *name)
{
    return tn_tree_text(tn_tree_member(op_attr(op, name), "D"));
}

/* A and OA of a parameter, when they are not what most have: an inference
 * model's parameter is one, may be clipped, and is trained unless its gradient
 * stops. */
static struct tn_bytes unusual_flags(struct tn_pir_maker    *m,
                                     const struct tn_pir_op *op)
{
    const struct tn_tree *flags = tn_tree_member(op->tree, "OA");
    int64_t               a[3] = { 0, 1, 1 }, f[3] = { 1, 0, 1 };

    for (uint32_t i = 0; i < 3; i++) {
        tn_tree_int(tn_tree_item(op->attrs, i), &a[i]);
        tn_tree_int(tn_tree_item(flags, i), &f[i]);
    }
    if (a[0] == 0 && a[1] == 1 && a[2] == 1 && f[0] == 1 && f[2] == !f[1])
        return tn_bytes(NULL, 0);
    const char *text = tn_text_format(m->arena, m->error,
                                      "%" PRId64 " %" PRId64 " %" PRId64
                                      " %" PRId64 " %" PRId64,
                                      a[0], a[1], a[2], f[0], f[2]);
    return text ? tn_text(text) : tn_bytes(NULL, 0);
}

static void make_parameter(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    struct tn_pir_result *row   = result_at(m->scan, op->first_result);
    struct tn_bytes       flags = unusual_flags(m, op);
    struct tn_pir_var     var   = { .name           = row->names[0],
                                    .type           = row->type,
                                    .is_persistable = true,
                                    .is_parameter   = true,
                                    .stop_gradient  = row->stop_gradient,
                                    .note_text      = flags };

    if (flags.data)
        var.note = "pir.flags";

    put_var(m, 0, &var, false);
}

static void make_data(struct tn_pir_maker *m, const struct tn_pir_op *op,
                      uint32_t index)
{
    struct tn_pir_result *row = result_at(m->scan, op->first_result);
    const struct tn_tree *lod = op_attr(op, "legacy.lod_level");
    struct tn_pir_var     var = { .name           = row->names[0],
                                  .type           = row->type,
                                  .is_persistable = row->persistable,
                                  .needs_feed     = !row->persistable,
                                  .stop_gradient  = row->stop_gradient };

    tn_tree_int(tn_tree_member(lod, "D"), &var.lod_level);
    put_var(m, op->block, &var, false);
    uint32_t *feed =
        row->persistable ? NULL : tn_list_push(&m->feeds, uint32_t, m->error);
    if (feed)
        *feed = index;
}

static void put_port_attrs(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                           const struct tn_pir_op *from, const char *const *but)
{
    for (const struct tn_tree *a = from->attrs->first; a; a = a->next) {
        struct tn_bytes    name = tn_tree_text(tn_tree_member(a, "N"));
        const char *const *word = but;
        while (*word && !tn_bytes_is(name, *word))
            word++;
        if (!*word)
            put_natural(m, op, name, tn_tree_member(a, "AT"));
    }
}

/* Written when all are known: each stands in front of the one before. */
static void put_feed(struct tn_pir_maker *m, struct tn_rope *to, uint32_t col)
{
    static const char *const     said[] = { "name", "shape", "dtype",
                                            "legacy.lod_level", NULL };
    static const struct tn_bytes holder = { (const uint8_t *)"feed", 4 };
    const struct tn_pir_op      *from =
        op_at(m->scan, *tn_list_at(&m->feeds, uint32_t, col));
    const struct tn_pir_result *row   = result_at(m->scan, from->first_result);
    const struct tn_tree       *place = op_attr(from, "place");
    struct tn_pir_made_op       op;

    op_begin(m, &op, tn_text("feed"));
    add_in(m, &op, "X", &holder, 1);
    add_out(m, &op, "Out", row->names, row->name_count);
    put_int(m, &op, "col", TN_DESC_INT, col);
    if (place && tn_bytes_is(text_of(m, place),
                             "{\"#\":\"1.a_place\",\"D\":[0,0,\"\"]}")) {
        static const char *const usual[] = {
            "name", "shape", "dtype", "place", "legacy.lod_level", NULL
        };
        put_port_attrs(m, &op, from, usual);
    } else {
        put_port_attrs(m, &op, from, said);
    }
    op_end(&op, to);
}

static void make_fetch(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    static const char *const     said[] = { "name", "col", NULL };
    static const struct tn_bytes holder = { (const uint8_t *)"fetch", 5 };
    const struct tn_pir_result  *row    = operand(m, from, 0);
    struct tn_bytes              name   = text_attr(from, "name");
    int64_t                      col    = m->fetch_count++;
    struct tn_pir_made_op        op;

    tn_tree_int(tn_tree_member(op_attr(from, "col"), "D"), &col);
    op_begin(m, &op, tn_text("fetch"));
    add_in(m, &op, "X", row->names, row->name_count);
    add_out(m, &op, "Out", &holder, 1);
    put_int(m, &op, "col", TN_DESC_INT, col);
    if (row->name_count && !tn_bytes_equal(name, row->names[0]))
        put_text(m, &op, "pir.name", name);
    put_port_attrs(m, &op, from, said);
    op_end(&op, &made_block_at(m, from->block)->ops);
}

/* ---- lists of tensors --------------------------------------------------- */

static void make_combine(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    uint32_t count = 0;

    if (op->result_count != 1)
        return;
    struct tn_pir_result *row = result_at(m->scan, op->first_result);
    for (uint32_t i = 0; i < op->operand_count; i++)
        count += operand(m, op, i)->name_count;
    row->names = tn_new(m->arena, struct tn_bytes, count, m->error);
    for (uint32_t i = 0; row->names && i < op->operand_count; i++) {
        const struct tn_pir_result *part = operand(m, op, i);
        for (uint32_t k = 0; k < part->name_count; k++)
            row->names[row->name_count++] = part->names[k];
    }
}

static void make_split(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    const struct tn_pir_result *list = operand(m, op, 0);

    for (uint32_t i = 0; i < op->result_count; i++) {
        struct tn_pir_result *row = result_at(m->scan, op->first_result + i);
        if (i < list->name_count) {
            row->names      = &list->names[i];
            row->name_count = 1;
        }
    }
    if (op->result_count > list->name_count)
        tn_error_set(m->error, TN_MALFORMED, op->tree->offset,
                     "a list of %" PRIu32 " is split into %" PRIu32,
                     list->name_count, op->result_count);
}

/* 0.slice: one of a list. */
static void make_slice(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    const struct tn_pir_result *list  = operand(m, op, 0);
    int64_t                     index = -1;

    tn_tree_int(tn_tree_member(op_attr(op, "index"), "D"), &index);
    if (index < 0 || index >= list->name_count || op->result_count != 1) {
        tn_error_set(m->error, TN_MALFORMED, op->tree->offset,
                     "item %" PRId64 " of a list of %" PRIu32, index,
                     list->name_count);
        return;
    }
    struct tn_pir_result *row = result_at(m->scan, op->first_result);
    row->names                = &list->names[index];
    row->name_count           = 1;
}

/* Declaring a variable is enough: the op that writes to it creates it. */
static void make_array(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    struct tn_bytes type = tn_text("array");

    declare(m, op->block, result_at(m->scan, op->first_result), type,
            next_count(m, type));
}

/* ---- blocks ------------------------------------------------------------- */

/* A constant, or an operator of our own writer, that all its users folded. */
static bool is_folded(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    bool can_fold = tn_bytes_is(op->id, "1.full_int_array") ||
                    tn_bytes_is(op->id, "1.full") ||
                    op_attr(op, "legacy.axis") || op_attr(op, "legacy.parts");

    if (!can_fold || op->result_count != 1)
        return false;
    const struct tn_pir_result *row = result_at(m->scan, op->first_result);
    return row->uses && row->plain_uses == 0;
}

static void make_op(struct tn_pir_maker *m, const struct tn_pir_op *op,
                    uint32_t index)
{
    if (tn_bytes_is(op->id, "p"))
        make_parameter(m, op);
    else if (tn_bytes_is(op->id, "1.data"))
        make_data(m, op, index);
    else if (tn_bytes_is(op->id, "1.fetch"))
        make_fetch(m, op);
    else if (tn_bytes_is(op->id, "0.combine"))
        make_combine(m, op);
    else if (tn_bytes_is(op->id, "0.split"))
        make_split(m, op);
    else if (tn_bytes_is(op->id, "0.slice"))
        make_slice(m, op);
    else if (tn_bytes_is(op->id, "1.create_array") && op->result_count == 1)
        make_array(m, op);
    else if (tn_bytes_is(op->id, "1.if"))
        make_if(m, op);
    else if (tn_bytes_is(op->id, "1.while"))
        make_while(m, op);
    else if (tn_bytes_is(op->id, "2.yield") || is_folded(m, op))
        return;
    else if (op->rule)
        make_ruled(m, op);
    else if (tn_pir_is_reserved(op->id, "legacy."))
        make_legacy(m, op);
    else
        make_unknown(m, op);
}

/* All operators of a block, into the block of the same number. */
static void make_block(struct tn_pir_maker *m, uint32_t block)
{
    uint32_t ordinal = 0;

    for (uint32_t i = block_at(m->scan, block)->first_op;
         i != TN_NONE && !tn_failed(m->error); ordinal++) {
        const struct tn_pir_op *op = op_at(m->scan, i);
        m->ordinal                 = ordinal;
        make_op(m, op, i);
        if (tn_failed(m->error) && m->error->offset == TN_NOWHERE)
            m->error->offset = op->tree->offset;
        if (tn_failed(m->error))
            tn_error_where(m->error, "%sblocks[0].ops[%" PRIu32 "]",
                           block ? "regions[]." : "program.regions[0].",
                           ordinal);
        i = op->next;
    }
}

/* ---- the names that the program brings ---------------------------------- */

/* Of a parameter or an input; two of one name cannot be told apart. */
static void name_port(struct tn_pir_maker *m, const struct tn_pir_op *op,
                      struct tn_bytes name)
{
    if (op->result_count != 1 || op->block != 0 || name.size == 0) {
        tn_error_set(m->error, TN_MALFORMED, op->tree->offset,
                     "%.*s needs a name, one result, and the outermost block",
                     TN_FMT(op->id));
        return;
    }
    if (!take_name(m, name))
        tn_error_set(m->error, TN_MALFORMED, op->tree->offset,
                     "two inputs or parameters are named '%.*s'", TN_FMT(name));
    set_name(m, result_at(m->scan, op->first_result), name);
}

static void name_output(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    struct tn_bytes name = text_attr(op, "name");

    if (op->operand_count != 1 || op->operands[0] == TN_NONE || op->block) {
        tn_error_set(m->error, TN_MALFORMED, op->tree->offset,
                     "a fetch has one operand and is in the outermost block");
        return;
    }
    struct tn_pir_result *row = result_at(m->scan, op->operands[0]);
    if (!row->names && !row->wish.size && row->op != TN_NONE && name.size &&
        take_name(m, name))
        row->wish = name;
}

static void name_ports(struct tn_pir_maker *m)
{
    take_name(m, tn_text("feed"));
    take_name(m, tn_text("fetch"));
    for (uint32_t i = 0; i < m->scan->ops.count && !tn_failed(m->error); i++) {
        const struct tn_pir_op *op = op_at(m->scan, i);
        if (tn_bytes_is(op->id, "p"))
            name_port(m, op, tn_tree_text(tn_tree_item(op->attrs, 3)));
        else if (tn_bytes_is(op->id, "1.data"))
            name_port(m, op, text_attr(op, "name"));
    }
    for (uint32_t i = 0; i < m->scan->ops.count && !tn_failed(m->error); i++)
        if (tn_bytes_is(op_at(m->scan, i)->id, "1.fetch"))
            name_output(m, op_at(m->scan, i));
}

/* ---- the program -------------------------------------------------------- */

/* PIR has no version; its operators have the meaning of 3.0. */

static void put_block(struct tn_pir_maker *m, struct tn_rope *to,
                      uint32_t index)
{
    struct tn_pir_made_block *block = made_block_at(m, index);
    struct tn_rope            body;

    tn_rope_init(&body, m->arena, m->error);
    tn_pb_put_varint(&body, BLOCK_IDX, index);
    tn_pb_put_varint(&body, BLOCK_PARENT, index ? block->parent : (uint64_t)-1);
    tn_rope_append(&body, &block->vars);
    for (uint64_t i = index ? 0 : m->feeds.count; i > 0; i--)
        put_feed(m, &body, (uint32_t)i - 1);
    tn_rope_append(&body, &block->ops);
    tn_pb_put_message(to, PROGRAM_BLOCKS, &body);
}

static void put_program(struct tn_pir_maker *m, struct tn_rope *to)
{
    struct tn_rope version;

    for (uint32_t i = 0; i < m->blocks.count && !tn_failed(m->error); i++)
        put_block(m, to, i);
    tn_rope_init(&version, m->arena, m->error);
    tn_pb_put_varint(&version, 1, TN_PIR_PROGRAM_VERSION);
    tn_pb_put_message(to, PROGRAM_VERSION, &version);
}

static void open_blocks(struct tn_pir_maker *m)
{
    for (uint64_t i = 0; i < m->scan->blocks.count; i++) {
        struct tn_pir_made_block *block =
            tn_list_push(&m->blocks, struct tn_pir_made_block, m->error);
        if (!block)
            return;
        tn_rope_init(&block->vars, m->arena, m->error);
        tn_rope_init(&block->ops, m->arena, m->error);
    }
    for (uint32_t i = 0; i < m->scan->ops.count; i++) {
        const struct tn_pir_op *op = op_at(m->scan, i);
        for (uint32_t b = op->first_block; b != TN_NONE;
             b          = block_at(m->scan, b)->next)
            made_block_at(m, b)->parent = op->block;
    }
}

static void maker_init(struct tn_pir_maker *m, struct tn_pir_scan *scan,
                       struct tn_list *notes)
{
    *m = (struct tn_pir_maker){
        .scan = scan, .arena = scan->arena, .error = scan->error, .told = notes
    };
    tn_list_init(&m->blocks, m->arena->memory,
                 sizeof(struct tn_pir_made_block));
    tn_list_init(&m->counts, m->arena->memory, sizeof(uint32_t));
    tn_list_init(&m->feeds, m->arena->memory, sizeof(uint32_t));
    tn_intern_init(&m->names, m->arena);
    tn_intern_init(&m->counters, m->arena);
    tn_buffer_init(&m->text, m->arena->memory, m->error);
}

static void maker_done(struct tn_pir_maker *m)
{
    for (uint32_t i = 0; i < m->blocks.count; i++) {
        tn_rope_done(&made_block_at(m, i)->vars);
        tn_rope_done(&made_block_at(m, i)->ops);
    }
    tn_list_done(&m->blocks);
    tn_list_done(&m->counts);
    tn_list_done(&m->feeds);
    tn_intern_done(&m->names);
    tn_intern_done(&m->counters);
    tn_buffer_done(&m->text);
}

static void make_program(struct tn_pir_maker *m, struct tn_rope *to)
{
    struct tn_pir_var feed  = { .name           = tn_text("feed"),
                                .raw_type       = TN_PADDLE_FEED,
                                .is_persistable = true };
    struct tn_pir_var fetch = { .name           = tn_text("fetch"),
                                .raw_type       = TN_PADDLE_FETCH,
                                .is_persistable = true };

    open_blocks(m);
    name_ports(m);
    if (tn_failed(m->error))
        return;
    put_var(m, 0, &feed, false);
    put_var(m, 0, &fetch, false);
    make_block(m, 0);
    if (!tn_failed(m->error))
        put_program(m, to);
}

enum tn_status tn_pir_to_program(const struct tn_tree *root,
                                 struct tn_arena *arena, struct tn_rope *to,
                                 struct tn_list *notes, struct tn_error *error)
{
    struct tn_pir_scan  scan;
    struct tn_pir_maker maker;

    if (scan_init(&scan, arena, error) == TN_OK &&
        scan_read(&scan, root) == TN_OK) {
        maker_init(&maker, &scan, notes);
        make_program(&maker, to);
        maker_done(&maker);
    }
    scan_done(&scan);
    return error->status;
}
