/* vocab_pack.c - vocabularies as bytes, and back */
#include "ir/vocab_pack.h"

#include "base/pack.h"
#include "base/varint.h"
#include "ir/vocab_lines.h"

#define ROW_SIZE 12

/* ---- arguments ---------------------------------------------------------- */

static struct tn_vocab_types pack_types(struct tn_pack       *p,
                                        struct tn_vocab_types types)
{
    types.tensors            = tn_pack_number(p, types.tensors);
    types.sequences          = tn_pack_number(p, types.sequences);
    types.optionals          = tn_pack_number(p, types.optionals);
    types.optional_sequences = tn_pack_number(p, types.optional_sequences);
    for (int i = 0; i < 2; i++) {
        types.maps[i]          = tn_pack_number(p, types.maps[i]);
        types.map_sequences[i] = tn_pack_number(p, types.map_sequences[i]);
    }
    return types;
}

static struct tn_vocab_rank pack_rank(struct tn_pack      *p,
                                      struct tn_vocab_rank rank)
{
    rank.is_said     = tn_pack_bool(p, rank.is_said);
    rank.is_variable = tn_pack_bool(p, rank.is_variable);
    rank.is_up_to    = tn_pack_bool(p, rank.is_up_to);
    rank.is_shape    = tn_pack_bool(p, rank.is_shape);
    rank.least       = (uint8_t)tn_pack_number(p, rank.least);
    rank.most        = (uint8_t)tn_pack_number(p, rank.most);
    return rank;
}

static const struct tn_vocab_arg *pack_args(struct tn_pack            *p,
                                            const struct tn_vocab_arg *was,
                                            uint32_t                  *count)
{
    *count                  = tn_pack_u32(p, *count);
    struct tn_vocab_arg *to = tn_pack_room(p, struct tn_vocab_arg, *count);
    for (uint32_t i = 0; i < *count; i++) {
        struct tn_vocab_arg arg  = was ? was[i] : (struct tn_vocab_arg){ 0 };
        struct tn_pack      part = tn_pack_part(p);

        arg.name       = tn_pack_text(&part, arg.name);
        arg.arity      = (enum tn_vocab_arity)tn_pack_u32(&part, arg.arity);
        arg.is_mixed   = tn_pack_bool(&part, arg.is_mixed);
        arg.is_ref     = tn_pack_bool(&part, arg.is_ref);
        arg.list       = tn_pack_text(&part, arg.list);
        arg.variable   = tn_pack_text(&part, arg.variable);
        arg.has_others = tn_pack_bool(&part, arg.has_others);
        if (!arg.variable.size || arg.has_others)
            arg.types = pack_types(&part, arg.types);
        arg.rank = pack_rank(&part, arg.rank);
        tn_pack_part_end(p, &part);
        if (to)
            to[i] = arg;
    }
    return to ? to : was;
}

static const struct tn_vocab_variable *pack_variables(
    struct tn_pack *p, const struct tn_vocab_variable *was, uint32_t *count)
{
    *count = tn_pack_u32(p, *count);
    struct tn_vocab_variable *to =
        tn_pack_room(p, struct tn_vocab_variable, *count);
    for (uint32_t i = 0; i < *count; i++) {
        struct tn_vocab_variable one =
            was ? was[i] : (struct tn_vocab_variable){ 0 };

        one.name  = tn_pack_text(p, one.name);
        one.types = pack_types(p, one.types);
        if (to)
            to[i] = one;
    }
    return to ? to : was;
}

/* ---- attributes --------------------------------------------------------- */

static const struct tn_bytes *pack_strings(struct tn_pack        *p,
                                           const struct tn_bytes *was,
                                           uint32_t               count)
{
    struct tn_bytes *to = tn_pack_room(p, struct tn_bytes, count);

    for (uint32_t i = 0; i < count; i++) {
        struct tn_bytes text =
            tn_pack_text(p, was ? was[i] : tn_bytes(NULL, 0));
        if (to)
            to[i] = text;
    }
    return to ? to : was;
}

static const int64_t *pack_ints(struct tn_pack *p, const int64_t *was,
                                uint32_t count)
{
    int64_t *to = tn_pack_room(p, int64_t, count);

    for (uint32_t i = 0; i < count; i++) {
        int64_t number = tn_pack_signed(p, was ? was[i] : 0);
        if (to)
            to[i] = number;
    }
    return to ? to : was;
}

static const float *pack_floats(struct tn_pack *p, const float *was,
                                uint32_t count)
{
    float *to = tn_pack_room(p, float, count);

    for (uint32_t i = 0; i < count; i++) {
        float number = (float)tn_pack_real(p, was ? (double)was[i] : 0);
        if (to)
            to[i] = number;
    }
    return to ? to : was;
}

static const struct tn_attr_shape *pack_shapes(struct tn_pack             *p,
                                               const struct tn_attr_shape *was,
                                               uint32_t count)
{
    struct tn_attr_shape *to = tn_pack_room(p, struct tn_attr_shape, count);

    for (uint32_t i = 0; i < count; i++) {
        struct tn_attr_shape shape = was ? was[i] : (struct tn_attr_shape){ 0 };

        shape.has_rank = tn_pack_bool(p, shape.has_rank);
        shape.rank     = tn_pack_u32(p, shape.rank);
        shape.dims     = pack_ints(p, shape.dims, shape.rank);
        if (to)
            to[i] = shape;
    }
    return to ? to : was;
}

/* The kinds that a default may have: see vocab_op.c. */
static struct tn_attr_value pack_value(struct tn_pack      *p,
                                       struct tn_attr_value value)
{
    value.kind    = (enum tn_attr_kind)tn_pack_u32(p, value.kind);
    value.is_list = tn_pack_bool(p, value.is_list);
    value.count   = tn_pack_u32(p, value.count);
    if (!value.count)
        return value;
    if (value.kind == TN_ATTR_FLOAT)
        value.of.floats = pack_floats(p, value.of.floats, value.count);
    else if (value.kind == TN_ATTR_SHAPE)
        value.of.shapes = pack_shapes(p, value.of.shapes, value.count);
    else if (value.kind == TN_ATTR_STRING || value.kind == TN_ATTR_OTHER)
        value.of.strings = pack_strings(p, value.of.strings, value.count);
    else
        value.of.ints = pack_ints(p, value.of.ints, value.count);
    return value;
}

static const struct tn_vocab_attr *pack_attrs(struct tn_pack             *p,
                                              const struct tn_vocab_attr *was,
                                              uint32_t                   *count)
{
    *count                   = tn_pack_u32(p, *count);
    struct tn_vocab_attr *to = tn_pack_room(p, struct tn_vocab_attr, *count);
    for (uint32_t i = 0; i < *count; i++) {
        struct tn_vocab_attr attr = was ? was[i] : (struct tn_vocab_attr){ 0 };
        struct tn_pack       part = tn_pack_part(p);

        attr.name          = tn_pack_text(&part, attr.name);
        attr.type          = tn_pack_text(&part, attr.type);
        attr.is_list       = tn_pack_bool(&part, attr.is_list);
        attr.is_required   = tn_pack_bool(&part, attr.is_required);
        attr.has_default   = tn_pack_bool(&part, attr.has_default);
        attr.has_minimum   = tn_pack_bool(&part, attr.has_minimum);
        attr.is_restricted = tn_pack_bool(&part, attr.is_restricted);
        if (attr.has_default)
            attr.value = pack_value(&part, attr.value);
        attr.minimum      = tn_pack_signed(&part, attr.minimum);
        attr.types        = tn_pack_number(&part, attr.types);
        attr.string_count = tn_pack_u32(&part, attr.string_count);
        attr.strings = pack_strings(&part, attr.strings, attr.string_count);
        attr.list    = (enum tn_vocab_list)tn_pack_u32(&part, attr.list);
        attr.slot    = tn_pack_u32(&part, attr.slot);
        attr.is_rest = tn_pack_bool(&part, attr.is_rest);
        tn_pack_part_end(p, &part);
        if (to)
            to[i] = attr;
    }
    return to ? to : was;
}

/* ---- facts -------------------------------------------------------------- */

static const struct tn_vocab_term *pack_terms(struct tn_pack             *p,
                                              const struct tn_vocab_term *was,
                                              uint32_t                   *count)
{
    *count                   = tn_pack_u32(p, *count);
    struct tn_vocab_term *to = tn_pack_room(p, struct tn_vocab_term, *count);
    for (uint32_t i = 0; i < *count; i++) {
        struct tn_vocab_term term = was ? was[i] : (struct tn_vocab_term){ 0 };

        term.kind   = (uint8_t)tn_pack_u32(p, term.kind);
        term.left   = (uint16_t)tn_pack_u32(p, term.left);
        term.right  = (uint16_t)tn_pack_u32(p, term.right);
        term.last   = (uint16_t)tn_pack_u32(p, term.last);
        term.number = tn_pack_signed(p, term.number);
        if (to)
            to[i] = term;
    }
    return to ? to : was;
}

static struct tn_vocab_claim pack_claim(struct tn_pack       *p,
                                        struct tn_vocab_claim claim)
{
    claim.relation   = (uint8_t)tn_pack_u32(p, claim.relation);
    claim.is_once    = tn_pack_bool(p, claim.is_once);
    claim.left       = (uint16_t)tn_pack_u32(p, claim.left);
    claim.right      = (uint16_t)tn_pack_u32(p, claim.right);
    claim.last       = (uint16_t)tn_pack_u32(p, claim.last);
    claim.left_text  = tn_pack_text(p, claim.left_text);
    claim.right_text = tn_pack_text(p, claim.right_text);
    return claim;
}

static void pack_fact(struct tn_pack *p, struct tn_vocab_fact *fact)
{
    fact->terms           = pack_terms(p, fact->terms, &fact->term_count);
    fact->output          = tn_pack_u32(p, fact->output);
    fact->claim           = pack_claim(p, fact->claim);
    fact->condition_count = tn_pack_u32(p, fact->condition_count);
    for (uint32_t i = 0; i < 2; i++)
        fact->conditions[i] = pack_claim(p, fact->conditions[i]);
}

/* A list: before each, and at the end, whether there is one more. */
static const struct tn_vocab_fact *pack_facts(struct tn_pack             *p,
                                              const struct tn_vocab_fact *was)
{
    const struct tn_vocab_fact *first = was, **end = &first;

    while (tn_pack_bool(p, was != NULL)) {
        struct tn_vocab_fact  fact = was ? *was : (struct tn_vocab_fact){ 0 };
        struct tn_vocab_fact *to   = tn_pack_room(p, struct tn_vocab_fact, 1);

        struct tn_pack part = tn_pack_part(p);
        pack_fact(&part, &fact);
        tn_pack_part_end(p, &part);
        if (was)
            was = was->next;
        if (to) {
            *to  = fact;
            *end = to;
            end  = &to->next;
        }
    }
    return first;
}

/* ---- operators ---------------------------------------------------------- */

static void pack_op(struct tn_pack *p, struct tn_vocab_op *op)
{
    op->name           = tn_pack_text(p, op->name);
    op->since          = tn_pack_u32(p, op->since);
    op->deprecated     = tn_pack_u32(p, op->deprecated);
    op->has_signature  = tn_pack_bool(p, op->has_signature);
    op->is_legacy      = tn_pack_bool(p, op->is_legacy);
    op->is_loose       = tn_pack_bool(p, op->is_loose);
    op->is_stateful    = tn_pack_bool(p, op->is_stateful);
    op->is_commutative = tn_pack_bool(p, op->is_commutative);
    op->is_aggregate   = tn_pack_bool(p, op->is_aggregate);
    op->is_promoting   = tn_pack_bool(p, op->is_promoting);
    op->kernel         = tn_pack_text(p, op->kernel);
    op->kernel_number  = tn_pack_u32(p, op->kernel_number);
    op->inputs         = pack_args(p, op->inputs, &op->input_count);
    op->outputs        = pack_args(p, op->outputs, &op->output_count);
    op->attrs          = pack_attrs(p, op->attrs, &op->attr_count);
    op->variables      = pack_variables(p, op->variables, &op->variable_count);
    op->min_inputs     = tn_pack_u32(p, op->min_inputs);
    op->max_inputs     = tn_pack_u32(p, op->max_inputs);
    op->min_outputs    = tn_pack_u32(p, op->min_outputs);
    op->max_outputs    = tn_pack_u32(p, op->max_outputs);
    op->output_counts  = tn_pack_number(p, op->output_counts);
    op->has_lists      = tn_pack_bool(p, op->has_lists);
    op->has_ranks      = tn_pack_bool(p, op->has_ranks);
    op->has_shapes     = tn_pack_bool(p, op->has_shapes);
    op->facts          = pack_facts(p, op->facts);
    op->fact_attrs     = tn_pack_number(p, op->fact_attrs);
    op->fact_elements  = tn_pack_number(p, op->fact_elements);
}

const struct tn_vocab_op *tn_vocab_unpack_op(const struct tn_vocab *vocab,
                                             uint32_t               index,
                                             struct tn_error       *error)
{
    uint32_t at = tn_load32(vocab->packed_rows + (size_t)index * ROW_SIZE + 8);
    struct tn_pack p = tn_pack_reader(&vocab->packed, at, vocab->arena, error);
    struct tn_vocab_op *op = tn_new(vocab->arena, struct tn_vocab_op, 1, error);

    if (!op)
        return NULL;
    pack_op(&p, op);
    return tn_failed(error) ? NULL : op;
}

/* ---- rows --------------------------------------------------------------- */

struct tn_vocab_row tn_vocab_unpack_row(const struct tn_vocab *vocab,
                                        uint32_t               index)
{
    const uint8_t  *row  = vocab->packed_rows + (size_t)index * ROW_SIZE;
    struct tn_error ours = TN_ERROR_INIT; /* our own bytes are whole, and names
                                             are there since it was opened   */

    return (struct tn_vocab_row){
        .name  = tn_packed_text(&vocab->packed, tn_load32(row), &ours),
        .since = tn_load32(row + 4),
    };
}

/* The operators go to `out`. */
static void write_rows(struct tn_vocab *vocab, struct tn_pack_texts *texts,
                       struct tn_buffer *out, struct tn_buffer *rows)
{
    struct tn_pack p = tn_pack_writer(out, texts);

    for (uint32_t i = 0; i < vocab->row_count; i++) {
        const struct tn_vocab_op *op   = tn_vocab_at(vocab, i, out->error);
        struct tn_vocab_op        copy = op ? *op : (struct tn_vocab_op){ 0 };
        struct tn_bytes           name = tn_vocab_row_name(vocab, i);

        tn_buffer_u32(rows, tn_pack_text_place(texts, name));
        tn_buffer_u32(rows, copy.since);
        tn_buffer_u32(rows, tn_pack_tree(&p));
        pack_op(&p, &copy);
    }
}

/* ---- the outline -------------------------------------------------------- */

static void pack_sets(struct tn_pack *p, struct tn_vocab *vocab)
{
    vocab->set_count = tn_pack_u32(p, vocab->set_count);
    struct tn_vocab_set *to =
        tn_pack_room(p, struct tn_vocab_set, vocab->set_count);
    for (uint32_t i = 0; i < vocab->set_count; i++) {
        struct tn_vocab_set set =
            vocab->sets ? vocab->sets[i] : (struct tn_vocab_set){ 0 };

        set.name  = tn_pack_text(p, set.name);
        set.types = tn_pack_number(p, set.types);
        if (to)
            to[i] = set;
    }
    vocab->sets = to ? to : vocab->sets;
}

static void pack_domains(struct tn_pack *p, struct tn_vocab *vocab)
{
    vocab->domain_count = tn_pack_u32(p, vocab->domain_count);
    struct tn_vocab_domain *to =
        tn_pack_room(p, struct tn_vocab_domain, vocab->domain_count);
    for (uint32_t i = 0; i < vocab->domain_count; i++) {
        struct tn_vocab_domain one =
            vocab->domains ? vocab->domains[i] : (struct tn_vocab_domain){ 0 };

        one.name_count = tn_pack_u32(p, one.name_count);
        for (uint32_t k = 0; k < 2; k++)
            one.names[k] = tn_pack_text(p, one.names[k]);
        one.is_open   = tn_pack_bool(p, one.is_open);
        one.first_row = tn_pack_u32(p, one.first_row);
        one.row_count = tn_pack_u32(p, one.row_count);
        if (to)
            to[i] = one;
    }
    vocab->domains = to ? to : vocab->domains;
}

/* `names`: where the names of operators end among the texts. */
static void pack_outline(struct tn_pack *p, struct tn_vocab *vocab,
                         uint32_t *names)
{
    *names           = tn_pack_u32(p, *names);
    vocab->dialect   = tn_pack_text(p, vocab->dialect);
    vocab->row_count = tn_pack_u32(p, vocab->row_count);
    pack_sets(p, vocab);
    pack_domains(p, vocab);
}

void tn_vocab_pack(struct tn_vocab *vocab, struct tn_buffer *out,
                   struct tn_buffer *cuts)
{
    struct tn_vocab      copy = *vocab;
    struct tn_pack_texts texts;
    struct tn_buffer     rows, outline;

    tn_pack_texts_init(&texts, vocab->arena, out->error);
    tn_buffer_init(&rows, out->memory, out->error);
    tn_buffer_init(&outline, out->memory, out->error);
    for (uint32_t i = 0; i < vocab->row_count; i++)
        tn_pack_text_place(&texts, tn_vocab_row_name(vocab, i));
    uint32_t names = (uint32_t)texts.bytes.size;
    write_rows(vocab, &texts, out, &rows);
    struct tn_pack p = tn_pack_writer(&outline, &texts);
    pack_outline(&p, &copy, &names);
    tn_buffer_add(&outline, tn_buffer_bytes(&rows));
    tn_pack_end(out, &texts, &outline, cuts);
    tn_buffer_done(&outline);
    tn_buffer_done(&rows);
    tn_pack_texts_done(&texts);
}

enum tn_status tn_vocab_unpack(struct tn_vocab *vocab, struct tn_arena *arena,
                               struct tn_bytes        packed,
                               struct tn_pack_blocks *blocks,
                               struct tn_error       *error)
{
    uint32_t names = 0;

    *vocab = (struct tn_vocab){ .arena = arena };
    TN_TRY(tn_packed_open(&vocab->packed, packed, blocks, error));
    struct tn_pack p =
        tn_pack_reader(&vocab->packed, vocab->packed.outline, arena, error);
    pack_outline(&p, vocab, &names);
    TN_TRY(tn_packed_need_texts(&vocab->packed, names, error));
    vocab->packed_rows = tn_take(&p.in, (uint64_t)vocab->row_count * ROW_SIZE);
    vocab->ops =
        tn_new(arena, const struct tn_vocab_op *, vocab->row_count, error);
    return error->status;
}
