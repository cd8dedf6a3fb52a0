/*
 * paddle_pir_scan.c - a PIR program as tables: operators, values, blocks
 *
 *   {"base_code":{"magic":"pir","trainable":true,"version":1},
 *    "program":{"regions":[{"#":"region_0","blocks":[BLOCK]}]}}
 *   BLOCK   {"#":"block_0","args":[{"#":-1,"TT":TYPE}],"ops":[OP]}
 *   OP      {"#":"1.conv2d","A":[{"AT":ATTR,"N":"strides"}],"I":[{"%":146}],
 *            "O":[{"%":147,"TT":TYPE}],"OA":[...],"regions":[...]}
 *   OP      {"#":"p","A":[0,1,1,"w_0"],"DA":[],"O":{"%":1,"TT":TYPE},
 *            "OA":[1,0,1],"QA":[]}
 */
#include "format/paddle/paddle_pir_scan.h"

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

const struct tn_tree *tn_pir_op_attr(const struct tn_pir_op *op,
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
    if (index == UINT32_MAX || tn_pir_result_at(s, index)->is_gone) {
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
    const struct tn_tree *stop =
        first_flag(tn_pir_op_attr(&flags, "stop_gradient"));
    const struct tn_tree *kept =
        first_flag(tn_pir_op_attr(&flags, "persistable"));

    for (uint32_t i = 0; i < op->result_count; i++) {
        struct tn_pir_result *row = tn_pir_result_at(s, op->first_result + i);
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
    const struct tn_tree *was  = tn_pir_op_attr(op, "legacy.type");

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
    struct tn_pir_block *row = tn_pir_block_at(s, block);

    if (row->last_op == TN_NONE)
        row->first_op = op;
    else
        tn_pir_op_at(s, row->last_op)->next = op;
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
    *tn_pir_op_at(s, index) = op;
    add_to_block(s, block, index);
    const struct tn_tree *regions = tn_tree_member(tree, "regions");
    if (regions && !tn_failed(s->error))
        scan_regions(s, regions, index, depth + 1);
    if (tn_failed(s->error) || tn_bytes_is(op.id, "p"))
        return;
    op = *tn_pir_op_at(s, index);
    scan_results(s, &op, index);
    *tn_pir_op_at(s, index) = op;
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
    tn_pir_block_at(s, block)->arg_count = index;
}

static void scan_block(struct tn_pir_scan *s, const struct tn_tree *tree,
                       uint32_t block, uint32_t depth)
{
    uint64_t              first = s->results.count;
    const struct tn_tree *ops   = need(s, tree, "ops", TN_JSON_ARRAY_BEGIN);
    uint32_t              index = 0;

    tn_pir_block_at(s, block)->first_arg = (uint32_t)first;
    scan_args(s, tn_tree_member(tree, "args"), block);
    for (const struct tn_tree *c      = ops ? ops->first : NULL;
         c && !tn_failed(s->error); c = c->next, index++) {
        scan_op(s, c, block, depth);
        if (tn_failed(s->error))
            tn_error_where(s->error, "ops[%" PRIu32 "]", index);
    }
    if (depth > 0)
        for (uint64_t i = first; i < s->results.count; i++)
            tn_pir_result_at(s, (uint32_t)i)->is_gone = true;
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
            tn_pir_block_at(s, last)->next = block;
        else if (op != TN_NONE)
            tn_pir_op_at(s, op)->first_block = block;
        last = block;
        scan_region(s, c, block, depth);
        if (tn_failed(s->error))
            tn_error_where(s->error, "regions[%" PRIu32 "]", index);
    }
    if (op != TN_NONE)
        tn_pir_op_at(s, op)->block_count = index;
}

/* ---- what folds --------------------------------------------------------- */

static const struct tn_pir_op *producer(const struct tn_pir_scan *s,
                                        const struct tn_pir_op   *op,
                                        uint32_t                  index)
{
    if (index >= op->operand_count || op->operands[index] == TN_NONE)
        return NULL;
    uint32_t maker = tn_pir_result_at(s, op->operands[index])->op;
    return maker == TN_NONE ? NULL : tn_pir_op_at(s, maker);
}

/* Of one element: [1] or []. */
static bool is_single(const struct tn_tree *shape)
{
    const struct tn_tree *dims = tn_tree_member(shape, "D");
    int64_t               dim  = 1;

    return tn_tree_is_list(dims) && dims->count <= 1 &&
           (dims->count == 0 || (tn_tree_int(dims->first, &dim) && dim == 1));
}

bool tn_pir_folds(struct tn_pir_scan *s, const struct tn_pir_op *op,
                  uint32_t index, struct tn_pir_value *value)
{
    const struct tn_pir_op *maker = producer(s, op, index);

    if (!maker || !op->rule || index >= op->rule->in_count ||
        op->rule->in[index].attr.size == 0)
        return false;
    bool is_list = tn_bytes_is(maker->id, "1.full_int_array");
    if (!is_list && (!tn_bytes_is(maker->id, "1.full") ||
                     !is_single(tn_pir_op_attr(maker, "shape"))))
        return false;
    const struct tn_tree *attr = tn_pir_op_attr(maker, "value");
    return attr && tn_pir_value_read(attr, s->arena, value, s->error) &&
           tn_pir_value_as(value, tn_pir_kind_type(op->rule->in[index].kind),
                           s->arena, s->error);
}

const struct tn_pir_op *tn_pir_helper(const struct tn_pir_scan *s,
                                      const struct tn_pir_op   *op,
                                      uint32_t index, const char *mark)
{
    const struct tn_pir_op *maker = producer(s, op, index);

    if (!maker || !op->rule || !tn_pir_op_attr(maker, mark) ||
        maker->operand_count == 0 || maker->operands[0] == TN_NONE)
        return NULL;
    return maker;
}

static bool is_plain_use(struct tn_pir_scan *s, const struct tn_pir_op *op,
                         uint32_t index)
{
    struct tn_pir_value value;

    if (tn_pir_folds(s, op, index, &value))
        return false;
    if (op->rule && op->rule->is_aligned && index == 1)
        return !tn_pir_helper(s, op, index, "legacy.axis");
    if (op->rule && index < op->rule->in_count &&
        op->rule->in[index].parts.size)
        return !tn_pir_helper(s, op, index, "legacy.parts");
    return true;
}

static void count_uses(struct tn_pir_scan *s)
{
    for (uint32_t i = 0; i < s->ops.count; i++) {
        const struct tn_pir_op *op = tn_pir_op_at(s, i);
        for (uint32_t k = 0; k < op->operand_count && !tn_failed(s->error);
             k++) {
            if (op->operands[k] == TN_NONE)
                continue;
            struct tn_pir_result *row = tn_pir_result_at(s, op->operands[k]);
            row->uses++;
            row->plain_uses += is_plain_use(s, op, k);
        }
    }
}

/* ---- from the top ------------------------------------------------------- */

enum tn_status tn_pir_scan_init(struct tn_pir_scan *scan,
                                struct tn_arena *arena, struct tn_error *error)
{
    *scan = (struct tn_pir_scan){ .arena = arena, .error = error };
    tn_list_init(&scan->ops, arena->memory, sizeof(struct tn_pir_op));
    tn_list_init(&scan->results, arena->memory, sizeof(struct tn_pir_result));
    tn_list_init(&scan->blocks, arena->memory, sizeof(struct tn_pir_block));
    tn_pairs_init(&scan->numbers, arena->memory);
    return tn_pir_rules_read(&scan->rules, arena, tn_pir_rules_text(), error);
}

void tn_pir_scan_done(struct tn_pir_scan *scan)
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

enum tn_status tn_pir_scan_read(struct tn_pir_scan   *scan,
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
