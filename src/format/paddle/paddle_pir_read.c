/*
 * paddle_pir_read.c - from the tables of a PIR program to a ProgramDesc
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
#include "format/paddle/paddle_pir_maker.h"

#include "wire/pb/pb_write.h"

/* ---- parameters, inputs, outputs ---------------------------------------- */

static struct tn_bytes text_attr(const struct tn_pir_op *op, const char *name)
{
    return tn_tree_text(tn_tree_member(tn_pir_op_attr(op, name), "D"));
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
    struct tn_pir_result *row   = tn_pir_result_at(m->scan, op->first_result);
    struct tn_bytes       flags = unusual_flags(m, op);
    struct tn_pir_var     var   = { .name           = row->names[0],
                                    .type           = row->type,
                                    .is_persistable = true,
                                    .is_parameter   = true,
                                    .stop_gradient  = row->stop_gradient,
                                    .note_text      = flags };

    if (flags.data)
        var.note = "pir.flags";

    tn_pirm_put_var(m, 0, &var, false);
}

static void make_data(struct tn_pir_maker *m, const struct tn_pir_op *op,
                      uint32_t index)
{
    struct tn_pir_result *row = tn_pir_result_at(m->scan, op->first_result);
    const struct tn_tree *lod = tn_pir_op_attr(op, "legacy.lod_level");
    struct tn_pir_var     var = { .name           = row->names[0],
                                  .type           = row->type,
                                  .is_persistable = row->persistable,
                                  .needs_feed     = !row->persistable,
                                  .stop_gradient  = row->stop_gradient };

    tn_tree_int(tn_tree_member(lod, "D"), &var.lod_level);
    tn_pirm_put_var(m, op->block, &var, false);
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
            tn_pirm_put_natural(m, op, name, tn_tree_member(a, "AT"));
    }
}

/* Written when all are known: each stands in front of the one before. */
static void put_feed(struct tn_pir_maker *m, struct tn_rope *to, uint32_t col)
{
    static const char *const     said[] = { "name", "shape", "dtype",
                                            "legacy.lod_level", NULL };
    static const struct tn_bytes holder = { (const uint8_t *)"feed", 4 };
    const struct tn_pir_op      *from =
        tn_pir_op_at(m->scan, *tn_list_at(&m->feeds, uint32_t, col));
    const struct tn_pir_result *row =
        tn_pir_result_at(m->scan, from->first_result);
    const struct tn_tree *place = tn_pir_op_attr(from, "place");
    struct tn_pir_made_op op;

    tn_pirm_op_begin(m, &op, tn_text("feed"));
    tn_pirm_add_in(m, &op, "X", &holder, 1);
    tn_pirm_add_out(m, &op, "Out", row->names, row->name_count);
    tn_pirm_put_int(m, &op, "col", TN_DESC_INT, col);
    if (place && tn_bytes_is(tn_pirm_text_of(m, place),
                             "{\"#\":\"1.a_place\",\"D\":[0,0,\"\"]}")) {
        static const char *const usual[] = {
            "name", "shape", "dtype", "place", "legacy.lod_level", NULL
        };
        put_port_attrs(m, &op, from, usual);
    } else {
        put_port_attrs(m, &op, from, said);
    }
    tn_pirm_op_end(&op, to);
}

static void make_fetch(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    static const char *const     said[] = { "name", "col", NULL };
    static const struct tn_bytes holder = { (const uint8_t *)"fetch", 5 };
    const struct tn_pir_result  *row    = tn_pirm_operand(m, from, 0);
    struct tn_bytes              name   = text_attr(from, "name");
    int64_t                      col    = m->fetch_count++;
    struct tn_pir_made_op        op;

    tn_tree_int(tn_tree_member(tn_pir_op_attr(from, "col"), "D"), &col);
    tn_pirm_op_begin(m, &op, tn_text("fetch"));
    tn_pirm_add_in(m, &op, "X", row->names, row->name_count);
    tn_pirm_add_out(m, &op, "Out", &holder, 1);
    tn_pirm_put_int(m, &op, "col", TN_DESC_INT, col);
    if (row->name_count && !tn_bytes_equal(name, row->names[0]))
        tn_pirm_put_text(m, &op, "pir.name", name);
    put_port_attrs(m, &op, from, said);
    tn_pirm_op_end(&op, &tn_pirm_block_at(m, from->block)->ops);
}

/* ---- lists of tensors --------------------------------------------------- */

static void make_combine(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    uint32_t count = 0;

    if (op->result_count != 1)
        return;
    struct tn_pir_result *row = tn_pir_result_at(m->scan, op->first_result);
    for (uint32_t i = 0; i < op->operand_count; i++)
        count += tn_pirm_operand(m, op, i)->name_count;
    row->names = tn_new(m->arena, struct tn_bytes, count, m->error);
    for (uint32_t i = 0; row->names && i < op->operand_count; i++) {
        const struct tn_pir_result *part = tn_pirm_operand(m, op, i);
        for (uint32_t k = 0; k < part->name_count; k++)
            row->names[row->name_count++] = part->names[k];
    }
}

static void make_split(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    const struct tn_pir_result *list = tn_pirm_operand(m, op, 0);

    for (uint32_t i = 0; i < op->result_count; i++) {
        struct tn_pir_result *row =
            tn_pir_result_at(m->scan, op->first_result + i);
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
    const struct tn_pir_result *list  = tn_pirm_operand(m, op, 0);
    int64_t                     index = -1;

    tn_tree_int(tn_tree_member(tn_pir_op_attr(op, "index"), "D"), &index);
    if (index < 0 || index >= list->name_count || op->result_count != 1) {
        tn_error_set(m->error, TN_MALFORMED, op->tree->offset,
                     "item %" PRId64 " of a list of %" PRIu32, index,
                     list->name_count);
        return;
    }
    struct tn_pir_result *row = tn_pir_result_at(m->scan, op->first_result);
    row->names                = &list->names[index];
    row->name_count           = 1;
}

/* A variable is enough: who writes to it makes it. */
static void make_array(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    struct tn_bytes type = tn_text("array");

    tn_pirm_declare(m, op->block, tn_pir_result_at(m->scan, op->first_result),
                    type, tn_pirm_next_count(m, type));
}

/* ---- blocks ------------------------------------------------------------- */

/* A constant, or an operator of our own writer, that all its users folded. */
static bool is_folded(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    bool can_fold = tn_bytes_is(op->id, "1.full_int_array") ||
                    tn_bytes_is(op->id, "1.full") ||
                    tn_pir_op_attr(op, "legacy.axis") ||
                    tn_pir_op_attr(op, "legacy.parts");

    if (!can_fold || op->result_count != 1)
        return false;
    const struct tn_pir_result *row =
        tn_pir_result_at(m->scan, op->first_result);
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
        tn_pirm_make_if(m, op);
    else if (tn_bytes_is(op->id, "1.while"))
        tn_pirm_make_while(m, op);
    else if (tn_bytes_is(op->id, "2.yield") || is_folded(m, op))
        return;
    else if (op->rule)
        tn_pirm_make_ruled(m, op);
    else if (tn_pir_is_reserved(op->id, "legacy."))
        tn_pirm_make_legacy(m, op);
    else
        tn_pirm_make_unknown(m, op);
}

void tn_pirm_make_block(struct tn_pir_maker *m, uint32_t block)
{
    uint32_t ordinal = 0;

    for (uint32_t i = tn_pir_block_at(m->scan, block)->first_op;
         i != TN_NONE && !tn_failed(m->error); ordinal++) {
        const struct tn_pir_op *op = tn_pir_op_at(m->scan, i);
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
    if (!tn_pirm_take_name(m, name))
        tn_error_set(m->error, TN_MALFORMED, op->tree->offset,
                     "two inputs or parameters are named '%.*s'", TN_FMT(name));
    tn_pirm_set_name(m, tn_pir_result_at(m->scan, op->first_result), name);
}

static void name_output(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    struct tn_bytes name = text_attr(op, "name");

    if (op->operand_count != 1 || op->operands[0] == TN_NONE || op->block) {
        tn_error_set(m->error, TN_MALFORMED, op->tree->offset,
                     "a fetch has one operand and is in the outermost block");
        return;
    }
    struct tn_pir_result *row = tn_pir_result_at(m->scan, op->operands[0]);
    if (!row->names && !row->wish.size && row->op != TN_NONE && name.size &&
        tn_pirm_take_name(m, name))
        row->wish = name;
}

static void name_ports(struct tn_pir_maker *m)
{
    tn_pirm_take_name(m, tn_text("feed"));
    tn_pirm_take_name(m, tn_text("fetch"));
    for (uint32_t i = 0; i < m->scan->ops.count && !tn_failed(m->error); i++) {
        const struct tn_pir_op *op = tn_pir_op_at(m->scan, i);
        if (tn_bytes_is(op->id, "p"))
            name_port(m, op, tn_tree_text(tn_tree_item(op->attrs, 3)));
        else if (tn_bytes_is(op->id, "1.data"))
            name_port(m, op, text_attr(op, "name"));
    }
    for (uint32_t i = 0; i < m->scan->ops.count && !tn_failed(m->error); i++)
        if (tn_bytes_is(tn_pir_op_at(m->scan, i)->id, "1.fetch"))
            name_output(m, tn_pir_op_at(m->scan, i));
}

/* ---- the program -------------------------------------------------------- */

/* PIR says no version; what it means is what 3.0 means. */
#define VERSION_3_0_0 3000000

static void put_block(struct tn_pir_maker *m, struct tn_rope *to,
                      uint32_t index)
{
    struct tn_pir_made_block *block = tn_pirm_block_at(m, index);
    struct tn_rope            body;

    tn_rope_init(&body, m->arena, m->error);
    tn_pb_put_varint(&body, BLOCK_IDX, index);
    tn_pb_put_varint(&body, BLOCK_PARENT, index ? block->parent : (uint64_t)-1);
    tn_rope_append(&body, &block->vars);
    for (uint64_t i = index ? 0 : m->feeds.count; i > 0; i--)
        put_feed(m, &body, (uint32_t)i - 1);
    tn_rope_append(&body, &block->ops);
    tn_pb_put_message(to, PROGRAM_BLOCKS, &body);
    tn_rope_done(&body);
}

static void put_program(struct tn_pir_maker *m, struct tn_rope *to)
{
    struct tn_rope version;

    for (uint32_t i = 0; i < m->blocks.count && !tn_failed(m->error); i++)
        put_block(m, to, i);
    tn_rope_init(&version, m->arena, m->error);
    tn_pb_put_varint(&version, 1, VERSION_3_0_0);
    tn_pb_put_message(to, PROGRAM_VERSION, &version);
    tn_rope_done(&version);
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
        const struct tn_pir_op *op = tn_pir_op_at(m->scan, i);
        for (uint32_t b = op->first_block; b != TN_NONE;
             b          = tn_pir_block_at(m->scan, b)->next)
            tn_pirm_block_at(m, b)->parent = op->block;
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
        tn_rope_done(&tn_pirm_block_at(m, i)->vars);
        tn_rope_done(&tn_pirm_block_at(m, i)->ops);
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
    tn_pirm_put_var(m, 0, &feed, false);
    tn_pirm_put_var(m, 0, &fetch, false);
    tn_pirm_make_block(m, 0);
    if (!tn_failed(m->error))
        put_program(m, to);
}

enum tn_status tn_pir_to_program(const struct tn_tree *root,
                                 struct tn_arena *arena, struct tn_rope *to,
                                 struct tn_list *notes, struct tn_error *error)
{
    struct tn_pir_scan  scan;
    struct tn_pir_maker maker;

    if (tn_pir_scan_init(&scan, arena, error) == TN_OK &&
        tn_pir_scan_read(&scan, root) == TN_OK) {
        maker_init(&maker, &scan, notes);
        make_program(&maker, to);
        maker_done(&maker);
    }
    tn_pir_scan_done(&scan);
    return error->status;
}
