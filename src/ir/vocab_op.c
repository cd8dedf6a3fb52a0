/*
 * vocab_op.c - the lines of one operator
 *
 *   op NAME[@since] [(ARGS) -> (ARGS)] [FLAG...]
 *       $VARIABLE in {TYPES}
 *       NAME[?] TYPE [@PLACE] [= DEFAULT] [in {ALLOWED}] [>= MINIMUM]
 *
 *   ARG       NAME[?|*|+] [&][~][COUNT*]($VARIABLE['|'TYPE] | TYPE)
 *             [RANK]                                    or  NAME *LIST
 *   RANK      '[' (N | N.. | N..N | V | V N.. | ..V) ']', V being r or s
 *   FLAG      stateful | commutative | aggregate | promotes | legacy |
 *             loose | deprecated@VERSION | outputs{COUNTS} |
 *             legacy(TYPE NUMBER)
 *   PLACE     (i|t|b|d|s)SLOT[..] | axis | scalar
 */
#include "base/number.h"
#include "ir/vocab_lines.h"

/* Memory is allocated after counting; these limits keep comparisons one by one
 * cheap.  The largest real operator has 34 of anything. */
#define ARG_LIMIT  256
#define ATTR_LIMIT 256

struct reading {
    const struct tn_vocab *vocab;
    struct tn_cursor      *c;
    struct tn_vocab_op    *op;
};

static struct tn_error *error_of(struct reading *r)
{
    return r->c->error;
}

/* How often `mark` occurs up to the end of the line; an upper bound for what
 * it separates. */
static uint64_t count_marks(const struct tn_cursor *c, uint8_t mark)
{
    uint64_t count = 0;

    for (const uint8_t *p = c->at; p < c->end && *p != '\n'; p++)
        count += *p == mark;
    return count;
}

/* ---- arguments ---------------------------------------------------------- */

/* What is known before the type. */
static enum tn_vocab_arity read_mark(struct tn_cursor *c)
{
    enum tn_vocab_arity arity = TN_VOCAB_ONE;

    switch (tn_vocab_peek(c)) {
    case '?': arity = TN_VOCAB_OPTIONAL; break;
    case '*': arity = TN_VOCAB_MANY; break;
    case '+': arity = TN_VOCAB_SOME; break;
    default: return arity;
    }
    tn_skip(c, 1);
    return arity;
}

/* "N*" in front of a type. */
static bool read_count(struct tn_cursor *c, struct tn_bytes *attribute)
{
    struct tn_error  none  = TN_ERROR_INIT;
    struct tn_cursor ahead = *c;

    ahead.error          = &none;
    struct tn_bytes name = tn_vocab_glued_name(&ahead, "");
    if (tn_failed(&none) || !tn_vocab_accept(&ahead, "*"))
        return false;
    ahead.error = c->error;
    *c          = ahead;
    *attribute  = name;
    return true;
}

static uint8_t read_rank_number(struct tn_cursor *c)
{
    uint64_t at     = c->offset;
    uint32_t number = tn_vocab_number(c);

    if (number > TN_VOCAB_RANK_LIMIT)
        tn_fail_at(c, at, TN_LIMIT, "rank %" PRIu32 ", limit %d", number,
                   TN_VOCAB_RANK_LIMIT);
    return (uint8_t)number;
}

/* "r" or "s". */
static bool read_rank_variable(struct tn_cursor *c, struct tn_vocab_rank *rank)
{
    rank->is_shape    = tn_vocab_accept(c, "s");
    rank->is_variable = rank->is_shape || tn_vocab_accept(c, "r");
    return rank->is_variable;
}

/* After "[". */
static void read_rank(struct tn_cursor *c, struct tn_vocab_rank *rank)
{
    *rank =
        (struct tn_vocab_rank){ .is_said = true, .most = TN_VOCAB_RANK_LIMIT };
    if (tn_vocab_accept(c, "..")) {
        rank->is_up_to = true;
        if (!read_rank_variable(c, rank))
            tn_vocab_expect(c, "r");
    } else {
        if (!read_rank_variable(c, rank) || tn_vocab_peek(c) != ']') {
            rank->least = read_rank_number(c);
            if (!tn_vocab_accept(c, ".."))
                rank->most = rank->least;
            else if (tn_vocab_peek(c) != ']')
                rank->most = read_rank_number(c);
        }
    }
    tn_vocab_expect(c, "]");
}

static void read_arg(struct reading *r, struct tn_vocab_arg *arg)
{
    struct tn_cursor *c = r->c;

    arg->name  = tn_vocab_glued_name(c, "an argument");
    arg->arity = read_mark(c);
    tn_vocab_expect(c, " ");
    if (tn_vocab_accept(c, "*")) {
        arg->arity = TN_VOCAB_BY_TYPES;
        arg->list  = tn_vocab_name(c, "an attribute");
        return;
    }
    arg->is_ref   = tn_vocab_accept(c, "&");
    arg->is_mixed = tn_vocab_accept(c, "~");
    if (read_count(c, &arg->list))
        arg->arity = TN_VOCAB_COUNTED;
    if (tn_vocab_accept(c, "$")) {
        arg->variable   = tn_vocab_name(c, "a type variable");
        arg->has_others = tn_vocab_accept(c, "|");
    }
    if (!arg->variable.size || arg->has_others)
        tn_vocab_type_read(r->vocab, c, &arg->types);
    if (tn_vocab_accept(c, "["))
        read_rank(c, &arg->rank);
}

/* "(a T, b T)"; returns how many. */
static uint32_t read_args(struct reading *r, const struct tn_vocab_arg **out)
{
    struct tn_cursor    *c = r->c;
    struct tn_vocab_arg *args;
    uint64_t             room  = count_marks(c, ',') + 1;
    uint32_t             count = 0;

    if (room > ARG_LIMIT)
        tn_fail(c, TN_LIMIT, "more than %d arguments", ARG_LIMIT);
    if (!tn_vocab_expect(c, "(") || tn_vocab_accept(c, ")"))
        return 0;
    *out = args =
        tn_new(r->vocab->arena, struct tn_vocab_arg, room, error_of(r));
    while (args && !tn_failed(error_of(r))) {
        uint64_t at = c->offset;
        if (count && (args[count - 1].arity == TN_VOCAB_MANY ||
                      args[count - 1].arity == TN_VOCAB_SOME))
            tn_fail_at(c, at, TN_MALFORMED,
                       "an argument after one that takes all that is left");
        read_arg(r, &args[count++]);
        if (tn_vocab_accept(c, ")"))
            break;
        tn_vocab_expect(c, ",");
    }
    return count;
}

static void note_ranks(struct tn_vocab_op *op, const struct tn_vocab_arg *args,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        op->has_ranks |= args[i].rank.is_said;
        op->has_shapes |= args[i].rank.is_shape;
    }
}

/* The fewest and the most values that the arguments stand for. */
static bool count_values(const struct tn_vocab_arg *args, uint32_t count,
                         uint32_t *least, uint32_t *most)
{
    bool has_lists = false;

    *least = 0;
    *most  = count;
    for (uint32_t i = 0; i < count; i++) {
        switch (args[i].arity) {
        case TN_VOCAB_ONE: *least = i + 1; break;
        case TN_VOCAB_OPTIONAL: break;
        case TN_VOCAB_MANY:
            *least = i;
            *most  = UINT32_MAX;
            break;
        case TN_VOCAB_SOME:
            *least = i + 1;
            *most  = UINT32_MAX;
            break;
        case TN_VOCAB_COUNTED:
        case TN_VOCAB_BY_TYPES: has_lists = true; break;
        }
    }
    return has_lists;
}

/* ---- the first line ----------------------------------------------------- */

static void read_output_counts(struct reading *r)
{
    struct tn_cursor *c = r->c;

    while (!tn_failed(error_of(r)) && !tn_vocab_accept(c, "}")) {
        uint32_t count = tn_vocab_number(c);
        if (count > 63)
            tn_fail(c, TN_LIMIT, "%" PRIu32 " outputs, limit 63", count);
        else
            r->op->output_counts |= UINT64_C(1) << count;
    }
}

/* "TRANSFORM_SAME 12)" */
static void read_kernel(struct reading *r)
{
    r->op->kernel        = tn_vocab_name(r->c, "a type of kernels");
    r->op->kernel_number = tn_vocab_number(r->c);
    tn_vocab_expect(r->c, ")");
}

static void read_flag(struct reading *r)
{
    struct tn_cursor   *c  = r->c;
    struct tn_vocab_op *op = r->op;

    if (tn_vocab_accept(c, "stateful"))
        op->is_stateful = true;
    else if (tn_vocab_accept(c, "commutative"))
        op->is_commutative = true;
    else if (tn_vocab_accept(c, "aggregate"))
        op->is_aggregate = true;
    else if (tn_vocab_accept(c, "promotes"))
        op->is_promoting = true;
    else if (tn_vocab_accept(c, "legacy("))
        read_kernel(r);
    else if (tn_vocab_accept(c, "legacy"))
        op->is_legacy = true;
    else if (tn_vocab_accept(c, "loose"))
        op->is_loose = true;
    else if (tn_vocab_accept(c, "deprecated@"))
        op->deprecated = tn_vocab_number(c);
    else if (tn_vocab_accept(c, "outputs{"))
        read_output_counts(r);
    else
        tn_fail(c, TN_MALFORMED, "no flag of an operator");
}

static bool is_line_over(const struct tn_cursor *c)
{
    uint8_t next = tn_vocab_peek(c);

    return !tn_more(c) || next == '\n' || next == '#';
}

static void skip_line(struct tn_cursor *c)
{
    while (tn_more(c) && tn_u8(c) != '\n') {
    }
}

static void read_head(struct reading *r)
{
    struct tn_cursor   *c  = r->c;
    struct tn_vocab_op *op = r->op;

    tn_vocab_expect(c, "op");
    op->name = tn_vocab_glued_name(c, "an operator");
    if (tn_vocab_accept(c, "@"))
        op->since = tn_vocab_number(c);
    tn_vocab_spaces(c);
    if (tn_vocab_peek(c) == '(') {
        op->has_signature = true;
        op->input_count   = read_args(r, &op->inputs);
        tn_vocab_expect(c, "->");
        op->output_count = read_args(r, &op->outputs);
    }
    while (!tn_failed(error_of(r)) && !is_line_over(c))
        read_flag(r);
    skip_line(c);
}

/* ---- values ------------------------------------------------------------- */

static const struct word_kind {
    const char       *word;
    enum tn_attr_kind kind;
} word_kinds[] = {
    { "int", TN_ATTR_INT },          { "float", TN_ATTR_FLOAT },
    { "bool", TN_ATTR_BOOL },        { "string", TN_ATTR_STRING },
    { "type", TN_ATTR_DTYPE },       { "shape", TN_ATTR_SHAPE },
    { "tensor", TN_ATTR_TENSOR },    { "graph", TN_ATTR_GRAPH },
    { "func", TN_ATTR_FUNCTION },    { "sparse_tensor", TN_ATTR_OTHER },
    { "type_proto", TN_ATTR_OTHER },
};

/* "int", "list(int)" */
static enum tn_attr_kind read_attr_type(struct tn_cursor     *c,
                                        struct tn_vocab_attr *attr)
{
    const uint8_t *begin = c->at;
    uint64_t       at    = c->offset;

    attr->is_list        = tn_vocab_accept(c, "list(");
    struct tn_bytes word = tn_vocab_glued_name(c, "a type");
    if (attr->is_list)
        tn_vocab_expect(c, ")");
    attr->type = tn_bytes(begin, (size_t)(word.data + word.size - begin) +
                                     attr->is_list);
    tn_vocab_spaces(c);
    for (size_t i = 0; i < sizeof word_kinds / sizeof *word_kinds; i++)
        if (tn_bytes_is(word, word_kinds[i].word))
            return word_kinds[i].kind;
    tn_fail_at(c, at, TN_MALFORMED, "'%.*s' is not a type of an attribute",
               TN_FMT(word));
    return TN_ATTR_NONE;
}

/* What is up to the next space or bracket. */
static struct tn_bytes read_word(struct tn_cursor *c)
{
    const uint8_t *p = c->at;

    while (p < c->end && !strchr(" \n]}#", *p))
        p++;
    struct tn_bytes word = tn_take_bytes(c, (uint64_t)(p - c->at));
    tn_vocab_spaces(c);
    return word;
}

static int64_t read_int(struct tn_cursor *c)
{
    uint64_t at     = c->offset;
    int64_t  number = 0;

    if (!tn_int64_parse(read_word(c), &number))
        tn_fail_at(c, at, TN_MALFORMED, "a whole number should be here");
    return number;
}

static float read_float(struct tn_cursor *c)
{
    uint64_t        at     = c->offset;
    struct tn_bytes word   = read_word(c);
    double          number = 0;

    if (tn_bytes_is(word, "inf"))
        return tn_float_of_bits(0x7f800000);
    if (tn_bytes_is(word, "-inf"))
        return tn_float_of_bits(0xff800000);
    if (!tn_double_parse(word, &number))
        tn_fail_at(c, at, TN_MALFORMED, "a number should be here");
    return tn_double_to_float(number);
}

static int64_t read_bool(struct tn_cursor *c)
{
    uint64_t        at   = c->offset;
    struct tn_bytes word = read_word(c);

    if (!tn_bytes_is(word, "true") && !tn_bytes_is(word, "false"))
        tn_fail_at(c, at, TN_MALFORMED, "'true' or 'false' should be here");
    return tn_bytes_is(word, "true");
}

static int64_t read_dtype(struct reading *r)
{
    uint64_t at    = r->c->offset;
    uint64_t types = tn_vocab_plain_types(r->vocab, r->c);
    int64_t  dtype = 0;

    tn_vocab_spaces(r->c);
    if (types & (types - 1))
        tn_fail_at(r->c, at, TN_MALFORMED,
                   "one type should be here, not a set");
    while (types > 1) {
        types >>= 1;
        dtype++;
    }
    return dtype;
}

static uint8_t escaped(struct tn_cursor *c)
{
    uint64_t at = c->offset - 1;

    switch (tn_u8(c)) {
    case 'n': return '\n';
    case 't': return '\t';
    case '"': return '"';
    case '\\': return '\\';
    default:
        tn_fail_at(c, at, TN_MALFORMED,
                   "after a backslash come n, t, \" or another backslash");
        return 0;
    }
}

/* "text"; borrowed unless something in it is escaped. */
static struct tn_bytes read_string(struct reading *r)
{
    struct tn_cursor *c     = r->c;
    uint64_t          begin = c->offset;
    size_t            size  = 0;

    if (tn_vocab_peek(c) != '"') {
        tn_fail(c, TN_MALFORMED, "a text in quotes should be here");
        return tn_bytes(NULL, 0);
    }
    tn_skip(c, 1);
    size_t         most = (size_t)(c->end - c->at);
    const uint8_t *end  = memchr(c->at, '\n', most);
    if (end)
        most = (size_t)(end - c->at);
    const uint8_t *quote = memchr(c->at, '"', most);
    const uint8_t *slash = memchr(c->at, '\\', most);
    if (quote && (!slash || slash > quote)) {
        struct tn_bytes text = tn_take_bytes(c, (uint64_t)(quote - c->at));
        tn_skip(c, 1);
        tn_vocab_spaces(c);
        return text;
    }
    uint8_t *to = tn_new(r->vocab->arena, uint8_t, most, c->error);
    while (to && tn_more(c) && size < most && tn_vocab_peek(c) != '"') {
        uint8_t byte = tn_u8(c);
        to[size++]   = byte == '\\' ? escaped(c) : byte;
    }
    if (!tn_failed(c->error) && tn_vocab_peek(c) != '"')
        tn_fail_at(c, begin, TN_MALFORMED, "the quote has no end");
    tn_vocab_accept(c, "\"");
    return tn_bytes(to, size);
}

/* "?" or "[2 -1 3]" */
static struct tn_attr_shape read_shape(struct reading *r)
{
    struct tn_cursor    *c     = r->c;
    struct tn_attr_shape shape = { .has_rank = !tn_vocab_accept(c, "?") };
    int64_t             *dims;

    if (!shape.has_rank || !tn_vocab_expect(c, "["))
        return shape;
    uint64_t most = count_marks(c, ' ') + 1;
    shape.dims = dims = tn_new(r->vocab->arena, int64_t, most, c->error);
    while (dims && !tn_failed(c->error) && shape.rank < most &&
           tn_vocab_peek(c) != ']')
        dims[shape.rank++] = read_int(c);
    tn_vocab_expect(c, "]");
    return shape;
}

/* "uint8[255 0 0 255]": as it is written. */
static struct tn_bytes read_tensor(struct reading *r)
{
    const uint8_t *begin = r->c->at;

    tn_vocab_plain_types(r->vocab, r->c);
    tn_vocab_expect(r->c, "[");
    while (!tn_failed(r->c->error) && tn_vocab_peek(r->c) != ']')
        read_float(r->c);
    struct tn_bytes text = tn_bytes(begin, (size_t)(r->c->at - begin) + 1);
    tn_vocab_expect(r->c, "]");
    return text;
}

/* Where values go, by kind. */
struct values {
    enum tn_attr_kind     kind;
    int64_t              *ints;
    float                *floats;
    struct tn_bytes      *strings;
    struct tn_attr_shape *shapes;
};

static bool make_room(struct reading *r, struct values *v, uint64_t count,
                      struct tn_attr_value *value)
{
    struct tn_arena *arena = r->vocab->arena;
    struct tn_error *error = error_of(r);

    if (v->kind == TN_ATTR_FLOAT)
        value->of.floats = v->floats = tn_new(arena, float, count, error);
    else if (v->kind == TN_ATTR_SHAPE)
        value->of.shapes = v->shapes =
            tn_new(arena, struct tn_attr_shape, count, error);
    else if (v->kind == TN_ATTR_STRING || v->kind == TN_ATTR_TENSOR)
        value->of.strings = v->strings =
            tn_new(arena, struct tn_bytes, count, error);
    else
        value->of.ints = v->ints = tn_new(arena, int64_t, count, error);
    return !tn_failed(error);
}

static void read_value(struct reading *r, struct values *v, uint32_t index)
{
    switch (v->kind) {
    case TN_ATTR_INT: v->ints[index] = read_int(r->c); break;
    case TN_ATTR_BOOL: v->ints[index] = read_bool(r->c); break;
    case TN_ATTR_DTYPE: v->ints[index] = read_dtype(r); break;
    case TN_ATTR_FLOAT: v->floats[index] = read_float(r->c); break;
    case TN_ATTR_STRING: v->strings[index] = read_string(r); break;
    case TN_ATTR_TENSOR: v->strings[index] = read_tensor(r); break;
    case TN_ATTR_SHAPE: v->shapes[index] = read_shape(r); break;
    default: tn_fail(r->c, TN_MALFORMED, "this type has no default"); break;
    }
}

static void read_default(struct reading *r, struct tn_vocab_attr *attr,
                         enum tn_attr_kind kind)
{
    struct tn_cursor *c     = r->c;
    struct values     v     = { .kind = kind };
    uint64_t          most  = count_marks(c, ' ') + 1;
    uint32_t          count = 0;

    attr->has_default   = true;
    attr->value.is_list = attr->is_list;
    attr->value.kind    = kind == TN_ATTR_TENSOR ? TN_ATTR_OTHER : kind;
    if (attr->is_list && (!tn_vocab_expect(c, "[") || tn_vocab_accept(c, "]")))
        return;
    if (!make_room(r, &v, attr->is_list ? most : 1, &attr->value))
        return;
    do
        read_value(r, &v, count++);
    while (attr->is_list && !tn_failed(c->error) && count < most &&
           tn_vocab_peek(c) != ']');
    attr->value.count = count;
    if (attr->is_list)
        tn_vocab_expect(c, "]");
}

/* ---- places ------------------------------------------------------------- */

/* Each slot belongs to one attribute, and kernels find it by counting. */
#define SLOT_LIMIT 256

static const struct place {
    const char        *mark;
    enum tn_vocab_list list;
    enum tn_attr_kind  kind; /* what its values are                           */
    bool               is_whole, is_list;
} places[] = {
    { "axis", TN_VOCAB_AXIS, TN_ATTR_INT, true, true },
    { "scalar", TN_VOCAB_SCALAR, TN_ATTR_FLOAT, true, false },
    { "i", TN_VOCAB_IARGS, TN_ATTR_INT, false, false },
    { "t", TN_VOCAB_TARGS, TN_ATTR_FLOAT, false, false },
    { "b", TN_VOCAB_BARGS, TN_ATTR_BOOL, false, false },
    { "d", TN_VOCAB_DARGS, TN_ATTR_DTYPE, false, false },
    { "s", TN_VOCAB_SARGS, TN_ATTR_STRING, false, false },
};

static const struct place *find_place(struct tn_cursor *c)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (tn_vocab_accept(c, places[i].mark))
            return &places[i];
    tn_fail(c, TN_MALFORMED, "no place of an attribute");
    return NULL;
}

/* Two attributes that both want a slot. */
static bool is_shared(const struct tn_vocab_attr *a,
                      const struct tn_vocab_attr *b)
{
    if (a->list != b->list || a->list == TN_VOCAB_NAMED)
        return false;
    return a->slot == b->slot || (a->is_rest && b->slot > a->slot) ||
           (b->is_rest && a->slot > b->slot);
}

static void read_slot(struct tn_cursor *c, struct tn_vocab_attr *attr)
{
    uint64_t at = c->offset;

    attr->slot    = tn_vocab_number(c);
    attr->is_rest = tn_vocab_accept(c, "..");
    if (attr->slot >= SLOT_LIMIT)
        tn_fail_at(c, at, TN_LIMIT, "slot %" PRIu32 ", limit %d", attr->slot,
                   SLOT_LIMIT);
}

/* After "@". */
static void read_place(struct reading *r, struct tn_vocab_attr *attr,
                       enum tn_attr_kind kind)
{
    struct tn_cursor   *c     = r->c;
    uint64_t            at    = c->offset;
    const struct place *place = find_place(c);

    if (!place)
        return;
    if (!place->is_whole)
        read_slot(c, attr);
    attr->list = place->list;
    if (place->kind != kind ||
        attr->is_list != (place->is_list || attr->is_rest))
        tn_fail_at(c, at, TN_MALFORMED, "a place for values of another type");
    for (uint32_t i = 0; i < r->op->attr_count; i++)
        if (is_shared(&r->op->attrs[i], attr))
            tn_fail_at(c, at, TN_MALFORMED, "attribute '%.*s' has this place",
                       TN_FMT(r->op->attrs[i].name));
}

/* ---- attributes and type variables -------------------------------------- */

static void read_allowed(struct reading *r, struct tn_vocab_attr *attr,
                         enum tn_attr_kind kind)
{
    struct tn_cursor *c    = r->c;
    uint64_t          most = count_marks(c, ' ') + 1;

    attr->is_restricted = true;
    if (kind == TN_ATTR_DTYPE) {
        struct tn_vocab_types types = { 0 };
        tn_vocab_types_read(r->vocab, c, &types);
        attr->types = types.tensors;
        return;
    }
    if (kind != TN_ATTR_STRING) {
        tn_fail(c, TN_MALFORMED, "only types and strings are restricted so");
        return;
    }
    struct tn_bytes *strings =
        tn_new(r->vocab->arena, struct tn_bytes, most, c->error);
    attr->strings = strings;
    tn_vocab_expect(c, "{");
    while (strings && !tn_failed(c->error) && attr->string_count < most &&
           tn_vocab_peek(c) != '}')
        strings[attr->string_count++] = read_string(r);
    tn_vocab_expect(c, "}");
}

static void read_attr(struct reading *r, struct tn_vocab_attr *attr)
{
    struct tn_cursor *c  = r->c;
    uint64_t          at = c->offset;

    attr->name       = tn_vocab_glued_name(c, "an attribute");
    bool is_optional = tn_vocab_accept(c, "?");
    if (!is_optional)
        tn_vocab_expect(c, " ");
    enum tn_attr_kind kind = read_attr_type(c, attr);
    if (tn_vocab_accept(c, "@"))
        read_place(r, attr, kind);
    if (tn_vocab_accept(c, "="))
        read_default(r, attr, kind);
    if (tn_vocab_accept(c, "in "))
        read_allowed(r, attr, kind);
    if (tn_vocab_accept(c, ">=")) {
        attr->has_minimum = true;
        attr->minimum     = read_int(c);
    }
    attr->is_required = !is_optional && !attr->has_default;
    if (!tn_failed(c->error) && tn_vocab_find_attr(r->op, attr->name))
        tn_fail_at(c, at, TN_MALFORMED, "attribute '%.*s' is there already",
                   TN_FMT(attr->name));
}

static void read_variable(struct reading *r, struct tn_vocab_variable *variable)
{
    tn_vocab_expect(r->c, "$");
    variable->name = tn_vocab_name(r->c, "a type variable");
    tn_vocab_expect(r->c, "in ");
    tn_vocab_types_read(r->vocab, r->c, &variable->types);
}

/* ---- from the top ------------------------------------------------------- */

/* An indented line: a variable, an attribute, or nothing. */
static void read_line(struct reading *r, struct tn_vocab_attr *attrs,
                      struct tn_vocab_variable *variables)
{
    struct tn_cursor   *c  = r->c;
    struct tn_vocab_op *op = r->op;

    tn_vocab_spaces(c);
    if (tn_vocab_peek(c) == '$') {
        read_variable(r, &variables[op->variable_count]);
        op->variable_count++;
    } else if (!is_line_over(c)) {
        read_attr(r, &attrs[op->attr_count]);
        op->attr_count++;
    }
    if (!tn_failed(c->error) && !is_line_over(c))
        tn_fail(c, TN_MALFORMED, "the line should end here");
    skip_line(c);
}

static void read_lines(struct reading *r)
{
    struct tn_cursor *c     = r->c;
    uint64_t          lines = 1;

    for (const uint8_t *p = c->at; p < c->end; p++)
        lines += *p == '\n';
    if (lines > ATTR_LIMIT)
        tn_fail(c, TN_LIMIT, "more than %d lines", ATTR_LIMIT);
    if (!tn_more(c))
        return;
    struct tn_vocab_attr *attrs =
        tn_new(r->vocab->arena, struct tn_vocab_attr, lines, c->error);
    struct tn_vocab_variable *variables =
        tn_new(r->vocab->arena, struct tn_vocab_variable, lines, c->error);
    r->op->attrs     = attrs;
    r->op->variables = variables;
    while (attrs && variables && tn_more(c))
        read_line(r, attrs, variables);
}

struct tn_vocab_op *tn_vocab_op_read(const struct tn_vocab *vocab,
                                     struct tn_cursor      *c)
{
    struct tn_vocab_op *op =
        tn_new(vocab->arena, struct tn_vocab_op, 1, c->error);
    struct reading r = { vocab, c, op };

    if (!op)
        return NULL;
    read_head(&r);
    read_lines(&r);
    op->has_lists = count_values(op->inputs, op->input_count, &op->min_inputs,
                                 &op->max_inputs);
    op->has_lists |= count_values(op->outputs, op->output_count,
                                  &op->min_outputs, &op->max_outputs);
    note_ranks(op, op->inputs, op->input_count);
    note_ranks(op, op->outputs, op->output_count);
    return tn_failed(c->error) ? NULL : op;
}
