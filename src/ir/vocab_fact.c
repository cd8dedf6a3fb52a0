/*
 * vocab_fact.c - what an operator needs its sizes to be
 *
 *   where CLAIM [if CONDITION [and CONDITION]]
 *   makes OUTPUT = EXPR [if CONDITION [and CONDITION]]
 *
 *   CLAIM      EXPR (== | != | >= | <=) EXPR | EXPR in EXPR..EXPR [once] |
 *              EXPR permutes EXPR | EXPR fits EXPR | EXPR meets EXPR |
 *              INPUT alike [but EXPR]
 *   CONDITION  CLAIM | ATTRIBUTE is "TEXT"
 *   EXPR       numbers and lists with + - * / % and parentheses
 *              NUMBER | ? | ... | r | NAME | INPUT[EXPR] | NAME[FROM:TO] |
 *              [EXPR EXPR] | len(NAME) | rank(INPUT) | given(NAME) |
 *              count(OUTPUT) | sum(EXPR) | prod(EXPR) | min(EXPR) |
 *              reverse(EXPR) |
 *              broadcast(EXPR EXPR) | insert(EXPR EXPR) |
 *              remove(EXPR EXPR) | replace(EXPR EXPR EXPR)
 */
#include "ir/vocab_lines.h"

/* Parentheses in parentheses. */
#define DEPTH_LIMIT 16

/* Bytes of a fact, and so its terms, which may be in each other. */
#define SIZE_LIMIT 200

struct reading {
    const struct tn_vocab *vocab;
    struct tn_cursor      *c;
    struct tn_vocab_op    *op;
    struct tn_vocab_term  *terms;
    uint64_t               room, count;
    uint64_t               attrs; /* bits: that it speaks of               */
    unsigned               depth;
    bool is_foreign; /* it speaks of what the operator does not have          */
};

static uint16_t read_expr(struct reading *r);

static uint16_t add_full(struct reading *r, struct tn_vocab_term term)
{
    if (tn_failed(r->c->error))
        return 0;
    if (r->count == r->room) {
        tn_fail(r->c, TN_LIMIT, "more than %" PRIu64 " terms", r->room);
        return 0;
    }
    r->terms[r->count] = term;
    return (uint16_t)r->count++;
}

static uint16_t add(struct reading *r, enum tn_vocab_term_kind kind,
                    uint16_t left, uint16_t right)
{
    return add_full(r, (struct tn_vocab_term){ (uint8_t)kind, left, right,
                                               TN_TERM_NONE, 0 });
}

static uint16_t add_number(struct reading *r, enum tn_vocab_term_kind kind,
                           int64_t number)
{
    return add_full(r, (struct tn_vocab_term){ (uint8_t)kind, TN_TERM_NONE,
                                               TN_TERM_NONE, TN_TERM_NONE,
                                               number });
}

/* ---- names -------------------------------------------------------------- */

/* Letters, digits and '_': "r..r" is none. */
static struct tn_bytes read_name(struct reading *r)
{
    struct tn_cursor *c = r->c;
    const uint8_t    *p = c->at;

    while (p < c->end &&
           ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
            (*p >= '0' && *p <= '9') || *p == '_'))
        p++;
    if (p == c->at)
        tn_fail(c, TN_MALFORMED, "a number or a name is missing here");
    struct tn_bytes name = tn_take_bytes(c, (uint64_t)(p - c->at));
    return name;
}

static uint32_t find_arg(const struct tn_vocab_arg *args, uint32_t count,
                         struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(args[i].name, name))
            return i;
    return UINT32_MAX;
}

/* An attribute, or the elements of an input. */
static uint16_t add_named(struct reading *r, struct tn_bytes name)
{
    const struct tn_vocab_attr *attr;
    uint32_t input = find_arg(r->op->inputs, r->op->input_count, name);

    if (input != UINT32_MAX)
        return add_number(r, TN_TERM_ELEMENTS, input);
    attr = tn_vocab_find_attr(r->op, name);
    if (attr && attr - r->op->attrs < 64) {
        r->attrs |= UINT64_C(1) << (attr - r->op->attrs);
        return add_number(r, TN_TERM_ATTR, attr - r->op->attrs);
    }
    r->is_foreign = true;
    return add(r, TN_TERM_UNKNOWN, TN_TERM_NONE, TN_TERM_NONE);
}

static uint32_t find_output(struct reading *r, struct tn_bytes name)
{
    uint32_t output = find_arg(r->op->outputs, r->op->output_count, name);

    r->is_foreign |= output == UINT32_MAX;
    return output;
}

/* "NAME)" after a function. */
static uint16_t read_named(struct reading *r, enum tn_vocab_term_kind kind)
{
    struct tn_bytes name = read_name(r);
    uint16_t        of;

    tn_vocab_spaces(r->c);
    tn_vocab_expect(r->c, ")");
    if (tn_failed(r->c->error))
        return 0;
    if (kind == TN_TERM_COUNT)
        return add_number(r, kind, find_output(r, name));
    of = add_named(r, name);
    return add(r, kind, of, TN_TERM_NONE);
}

/* ---- expressions -------------------------------------------------------- */

static const struct function {
    const char             *name;
    enum tn_vocab_term_kind kind;
    unsigned                count; /* of expressions; 0: a name              */
} functions[] = {
    { "len", TN_TERM_LENGTH, 0 },
    { "rank", TN_TERM_RANK_OF, 0 },
    { "given", TN_TERM_GIVEN, 0 },
    { "count", TN_TERM_COUNT, 0 },
    { "sum", TN_TERM_SUM, 1 },
    { "min", TN_TERM_LEAST, 1 },
    { "prod", TN_TERM_PRODUCT, 1 },
    { "reverse", TN_TERM_REVERSE, 1 },
    { "broadcast", TN_TERM_BROADCAST, 2 },
    { "insert", TN_TERM_INSERT, 2 },
    { "remove", TN_TERM_REMOVE, 2 },
    { "replace", TN_TERM_REPLACE, 3 },
};

/* After its "(". */
static uint16_t read_call(struct reading *r, struct tn_bytes name, uint64_t at)
{
    const struct function *f     = NULL;
    uint16_t               of[3] = { TN_TERM_NONE, TN_TERM_NONE, TN_TERM_NONE };

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (tn_bytes_is(name, functions[i].name))
            f = &functions[i];
    if (!f) {
        tn_fail_at(r->c, at, TN_MALFORMED, "there is no function '%.*s'",
                   TN_FMT(name));
        return 0;
    }
    if (f->count == 0)
        return read_named(r, f->kind);
    for (unsigned i = 0; i < f->count; i++)
        of[i] = read_expr(r);
    tn_vocab_expect(r->c, ")");
    return add_full(
        r, (struct tn_vocab_term){ (uint8_t)f->kind, of[0], of[1], of[2], 0 });
}

/* After its "[". */
static uint16_t read_index(struct reading *r, uint16_t left)
{
    struct tn_cursor *c    = r->c;
    uint16_t          from = TN_TERM_NONE, to = TN_TERM_NONE;

    if (tn_failed(c->error))
        return 0;
    if (r->terms[left].kind == TN_TERM_ELEMENTS)
        r->terms[left].kind = TN_TERM_DIMS;
    if (tn_vocab_peek(c) != ':')
        from = read_expr(r);
    if (tn_vocab_accept(c, "]"))
        return add(r, TN_TERM_ITEM, left, from);
    tn_vocab_expect(c, ":");
    if (tn_vocab_peek(c) != ']')
        to = read_expr(r);
    tn_vocab_expect(c, "]");
    return add_full(r,
                    (struct tn_vocab_term){ TN_TERM_SLICE, left, from, to, 0 });
}

/* After its "[". */
static uint16_t read_list(struct reading *r)
{
    uint16_t list = add(r, TN_TERM_EMPTY, TN_TERM_NONE, TN_TERM_NONE);

    while (!tn_failed(r->c->error) && !tn_vocab_accept(r->c, "]")) {
        uint16_t item = read_expr(r);
        list          = add(r, TN_TERM_JOIN, list, item);
    }
    return list;
}

static uint16_t read_name_term(struct reading *r)
{
    struct tn_cursor *c    = r->c;
    uint64_t          at   = c->offset;
    struct tn_bytes   name = read_name(r);
    uint16_t          term;

    if (tn_vocab_accept(c, "("))
        return read_call(r, name, at);
    if (tn_bytes_is(name, "r"))
        term = add(r, TN_TERM_RANK, TN_TERM_NONE, TN_TERM_NONE);
    else
        term = tn_failed(c->error) ? 0 : add_named(r, name);
    if (tn_vocab_accept(c, "["))
        return read_index(r, term);
    tn_vocab_spaces(c);
    return term;
}

static uint16_t read_factor(struct reading *r)
{
    struct tn_cursor *c = r->c;
    uint16_t          term;

    if (tn_vocab_accept(c, "-")) {
        term = read_factor(r);
        return add(r, TN_TERM_NEGATIVE, term, TN_TERM_NONE);
    }
    if (tn_vocab_accept(c, "..."))
        return add(r, TN_TERM_REST, TN_TERM_NONE, TN_TERM_NONE);
    if (tn_vocab_accept(c, "?"))
        return add(r, TN_TERM_UNKNOWN, TN_TERM_NONE, TN_TERM_NONE);
    if (tn_vocab_accept(c, "["))
        return read_list(r);
    if (tn_vocab_accept(c, "(")) {
        term = read_expr(r);
        tn_vocab_expect(c, ")");
        return term;
    }
    if (tn_vocab_peek(c) >= '0' && tn_vocab_peek(c) <= '9')
        return add_number(r, TN_TERM_NUMBER, tn_vocab_number(c));
    return read_name_term(r);
}

/* "*", "/" or "%" as a kind of term; TN_TERM_NUMBER: none of them. */
static enum tn_vocab_term_kind read_times(struct tn_cursor *c)
{
    if (tn_vocab_accept(c, "*"))
        return TN_TERM_MULTIPLY;
    if (tn_vocab_accept(c, "/"))
        return TN_TERM_DIVIDE;
    return tn_vocab_accept(c, "%") ? TN_TERM_REMAINDER : TN_TERM_NUMBER;
}

static uint16_t read_product(struct reading *r)
{
    uint16_t                term = read_factor(r), right;
    enum tn_vocab_term_kind kind;

    while (!tn_failed(r->c->error) &&
           (kind = read_times(r->c)) != TN_TERM_NUMBER) {
        right = read_factor(r);
        term  = add(r, kind, term, right);
    }
    return term;
}

/* In lists a sign that a space is before, and none after, begins an item. */
static bool is_sign_of_next(const struct tn_cursor *c)
{
    return c->at[-1] == ' ' && c->end - c->at > 1 && c->at[1] != ' ';
}

static uint16_t read_expr(struct reading *r)
{
    struct tn_cursor *c = r->c;
    uint16_t          term, right;

    if (++r->depth > DEPTH_LIMIT)
        tn_fail(c, TN_LIMIT, "more than %d expressions in each other",
                DEPTH_LIMIT);
    term = tn_failed(c->error) ? 0 : read_product(r);
    while (!tn_failed(c->error) &&
           (tn_vocab_peek(c) == '+' || tn_vocab_peek(c) == '-') &&
           !is_sign_of_next(c)) {
        bool is_sum = tn_vocab_peek(c) == '+';
        tn_skip(c, 1);
        tn_vocab_spaces(c);
        right = read_product(r);
        term  = add(r, is_sum ? TN_TERM_ADD : TN_TERM_SUBTRACT, term, right);
    }
    r->depth--;
    return term;
}

/* ---- claims ------------------------------------------------------------- */

static const struct {
    const char            *mark;
    enum tn_vocab_relation relation;
} relations[] = {
    { "==", TN_RELATION_EQUAL },    { "!=", TN_RELATION_UNEQUAL },
    { ">=", TN_RELATION_LEAST },    { "<=", TN_RELATION_MOST },
    { "in ", TN_RELATION_WITHIN },  { "permutes ", TN_RELATION_PERMUTES },
    { "fits ", TN_RELATION_FITS },  { "meets ", TN_RELATION_MEETS },
    { "alike", TN_RELATION_ALIKE }, { "is ", TN_RELATION_IS },
};

/* "TEXT" */
static struct tn_bytes read_text(struct reading *r)
{
    struct tn_cursor *c = r->c;
    const uint8_t    *p;

    if (tn_failed(c->error) || tn_vocab_peek(c) != '"') {
        tn_fail(c, TN_MALFORMED, "a text in quotes is missing here");
        return tn_bytes(NULL, 0);
    }
    tn_skip(c, 1);
    for (p = c->at; p < c->end && *p != '"' && *p != '\n';)
        p++;
    struct tn_bytes text = tn_take_bytes(c, (uint64_t)(p - c->at));
    tn_vocab_expect(c, "\"");
    return text;
}

/* What was read since, without spaces after it. */
static struct tn_bytes text_since(const struct tn_cursor *c,
                                  const uint8_t          *begin)
{
    struct tn_bytes text = tn_bytes(begin, (size_t)(c->at - begin));

    while (text.size && text.data[text.size - 1] == ' ')
        text.size--;
    return text;
}

static struct tn_vocab_claim read_claim(struct reading *r)
{
    struct tn_cursor     *c     = r->c;
    const uint8_t        *begin = c->at;
    struct tn_vocab_claim claim = { .right = TN_TERM_NONE,
                                    .last  = TN_TERM_NONE };
    size_t                i = 0, count = sizeof relations / sizeof *relations;

    claim.left      = read_expr(r);
    claim.left_text = text_since(c, begin);
    while (i < count && !tn_vocab_accept(c, relations[i].mark))
        i++;
    if (i == count) {
        tn_fail(c, TN_MALFORMED, "what it has to be is missing here");
        return claim;
    }
    claim.relation = (uint8_t)relations[i].relation;
    begin          = c->at;
    if (claim.relation == TN_RELATION_IS)
        claim.right_text = read_text(r);
    else if (claim.relation != TN_RELATION_ALIKE || tn_vocab_accept(c, "but "))
        claim.right = read_expr(r);
    if (claim.relation != TN_RELATION_IS)
        claim.right_text = text_since(c, begin);
    if (claim.relation == TN_RELATION_WITHIN) {
        tn_vocab_expect(c, "..");
        claim.last    = read_expr(r);
        claim.is_once = tn_vocab_accept(c, "once");
    }
    return claim;
}

/* "OUTPUT = EXPR" */
static struct tn_vocab_claim read_making(struct reading *r, uint32_t *output)
{
    struct tn_bytes       name  = read_name(r);
    struct tn_vocab_claim claim = { .right = TN_TERM_NONE,
                                    .last  = TN_TERM_NONE };

    *output = find_output(r, name);
    tn_vocab_spaces(r->c);
    tn_vocab_expect(r->c, "=");
    claim.left = read_expr(r);
    return claim;
}

static void read_conditions(struct reading *r, struct tn_vocab_fact *fact)
{
    const size_t most = sizeof fact->conditions / sizeof *fact->conditions;

    if (!tn_vocab_accept(r->c, "if "))
        return;
    do {
        if (fact->condition_count == most) {
            tn_fail(r->c, TN_LIMIT, "more than %zu conditions", most);
            return;
        }
        fact->conditions[fact->condition_count++] = read_claim(r);
    } while (!tn_failed(r->c->error) && tn_vocab_accept(r->c, "and "));
}

/* A term is at least a byte. */
static uint64_t count_bytes(const struct tn_cursor *c)
{
    const uint8_t *p = c->at;

    while (p < c->end && *p != '\n' && *p != '#')
        p++;
    return (uint64_t)(p - c->at);
}

static void read_fact(struct reading *r, struct tn_vocab_fact *fact)
{
    struct tn_cursor *c = r->c;

    fact->output = UINT32_MAX;
    if (tn_vocab_accept(c, "makes "))
        fact->claim = read_making(r, &fact->output);
    else if (tn_vocab_expect(c, "where "))
        fact->claim = read_claim(r);
    read_conditions(r, fact);
    if (!tn_failed(c->error))
        tn_vocab_end_line(c);
}

struct tn_vocab_fact *tn_vocab_fact_read(const struct tn_vocab *vocab,
                                         struct tn_cursor      *line,
                                         struct tn_vocab_op    *op)
{
    struct reading        r = { .vocab = vocab, .c = line, .op = op };
    struct tn_vocab_fact *fact =
        tn_new(vocab->arena, struct tn_vocab_fact, 1, line->error);

    tn_vocab_spaces(line);
    r.room = count_bytes(line);
    if (r.room > SIZE_LIMIT)
        tn_fail(line, TN_LIMIT, "a fact of %" PRIu64 " bytes, limit %d", r.room,
                SIZE_LIMIT);
    if (tn_failed(line->error))
        return NULL;
    r.terms = tn_new(vocab->arena, struct tn_vocab_term, r.room, line->error);
    if (r.terms)
        read_fact(&r, fact);
    if (tn_failed(line->error) || r.is_foreign)
        return NULL;
    op->fact_attrs |= r.attrs;
    for (uint64_t i = 0; i < r.count; i++)
        if (r.terms[i].kind == TN_TERM_ELEMENTS)
            op->fact_elements |= UINT64_C(1) << (r.terms[i].number & 63);
    fact->terms      = r.terms;
    fact->term_count = (uint32_t)r.count;
    return fact;
}
