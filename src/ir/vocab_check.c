/*
 * vocab_check.c - the operators of a model against a vocabulary
 *
 * A model has a million nodes of thirty kinds, most with the same attributes:
 * each kind is looked up once, and an attribute whose bytes were found good
 * before is not examined again.
 */
#include "ir/vocab_check.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"
#include "ir/attr.h"
#include "ir/value_flow.h"

/* Attributes of an operator that we keep track of; vocabularies have fewer. */
#define ATTR_LIMIT 256

/* The longest attribute whose bytes are remembered as good. */
#define MEMO_LIMIT 64

/* Up to this number, attributes are compared by name, each with each. */
#define FEW 16

/* Decoded values are thrown away now and then, not after each. */
#define SCRATCH_USES 1000

enum verdict { SKIPPED, KNOWN, UNKNOWN, DEPRECATED, LEGACY };

/* Bytes of an attribute that were good: those of the last op of a kind, and
 * others before, since two kinds of constants, say, come in turns. */
struct memo {
    struct {
        struct tn_bytes bytes;
        uint8_t         said; /* the type that they say                       */
    } last, before;
};

/* What is remembered of an op of a kind whose attributes were good, for others
 * that are like it. */
struct variant {
    uint32_t alike, source; /* alike 0: nothing                               */
    uint32_t binding;       /* of its types                                   */
    uint32_t group;         /* where values are judged                        */
    uint64_t seen[ATTR_LIMIT / 64];
};

#define VARIANTS 8

/* A kind of op, in one scope. */
struct kind {
    enum verdict              verdict;
    const struct tn_vocab_op *op;
    int64_t                   version;
    struct memo              *memos;    /* by attribute                       */
    bool                     *counters; /* by attribute: an argument's length */
    bool                     *sayers;   /* by attribute: an argument's type   */
    struct tn_typed_kind     *typed;
    uint64_t                  seen[ATTR_LIMIT / 64]; /* of the last op        */
    struct tn_bytes           rest; /* of its wire, from the first attribute on;
                                       no data: that says nothing about the
                                       next                                   */
    uint32_t alike, source;         /* of its row; 0: likewise       */
    uint32_t first_slot, slot_count; /* attributes that an edit made, all good;
                                        TN_NONE: likewise                     */
    uint32_t group;                 /* the ops with its attributes; 0: none  */
    struct variant *variants;       /* by number; NULL: none yet             */
};

/* A kind that was asked for lately. */
struct recent {
    uint32_t scope, domain, type;
    uint32_t kind; /* counted from 1; 0: nothing is here                      */
};

#define RECENT 64
#define FAMILIAR 64

struct check {
    const struct tn_model     *model;
    const struct tn_vocab_use *use;
    struct tn_report          *report;
    struct tn_error           *error;
    struct tn_error            failure; /* of a node: others say so           */
    struct tn_arena            arena, scratch;
    uint32_t                   scratch_uses;
    struct tn_pairs            names; /* (domain, type) -> number             */
    struct tn_pairs            index; /* (scope, number) -> kind              */
    struct tn_list             kinds; /* struct kind                          */
    struct recent              recent[RECENT]; /* by type                     */
    uint32_t  familiar[FAMILIAR]; /* numbers of ops whose wire is not read */
    uint32_t *used; /* by op: outputs that others use; NULL: ops name theirs  */
    struct tn_flow flow;
};

/* What is known of the op being looked at. */
struct visit {
    struct check       *check;
    uint32_t            op;
    const struct tn_op *row;
    struct kind        *kind;
    bool                has_reference; /* a length is the caller's to say     */
    bool                is_new;        /* not all attributes are those of the
                                          last op of the kind                 */
    bool is_odd;                       /* what the next one has, cannot be told
                                          from them                           */
    bool                is_bad; /* something is wrong with one, or it
                                   says how long an argument is        */
    bool     is_same;                  /* all are those of the last op        */
    bool                is_variant; /* worth remembering as one            */
    uint64_t seen[ATTR_LIMIT / 64];
    int64_t  counts[ATTR_LIMIT];      /* where seen and a counter; -1:
                                         it cannot be said              */
    uint8_t        said[ATTR_LIMIT];  /* where seen and a sayer         */
    const uint8_t *lists[ATTR_LIMIT]; /* the same of a list of types    */
};

/* An attribute of the op. */
struct given {
    struct tn_bytes             name;
    struct tn_span              wire;
    uint32_t                    index;
    const struct tn_attr_value *value; /* NULL: on the wire                   */
};

static void complain(struct visit *v, enum tn_finding_level level,
                     const char *rule, const struct given *given,
                     const char *format, ...) TN_PRINTF(5, 6);

static void complain(struct visit *v, enum tn_finding_level level,
                     const char *rule, const struct given *given,
                     const char *format, ...)
{
    const struct tn_vocab_use *use = v->check->use;
    char                       what[200], where[200];
    uint64_t                   offset = v->row->wire_offset;
    va_list                    arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    size_t length = tn_op_path(v->check->model, v->op, where, sizeof where);
    if (given && given->wire.length)
        offset = given->wire.offset;
    if (given && length < sizeof where && use->attr_word)
        snprintf(where + length, sizeof where - length, ".%s[%" PRIu32 "]",
                 use->attr_word, given->index);
    else if (given && length < sizeof where)
        snprintf(where + length, sizeof where - length, ".attr.%.*s",
                 TN_FMT(given->name));
    tn_report_format(v->check->report, level, rule, use->file, offset, where,
                     "%s", what);
}

/* ---- kinds -------------------------------------------------------------- */

static bool is_counter(const struct tn_vocab_arg *args, uint32_t count,
                       struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (args[i].list.size && tn_bytes_equal(args[i].list, name))
            return true;
    return false;
}

static void mark_sayers(struct kind *kind)
{
    uint32_t count = kind->op->input_count + kind->op->output_count;

    for (uint32_t i = 0; kind->typed->is_typed && i < count; i++)
        if (kind->typed->variables[i] != TN_NONE)
            kind->sayers[kind->typed->variables[i]] = true;
}

static void prepare_attrs(struct check *c, struct kind *kind)
{
    const struct tn_vocab_op *op = kind->op;

    kind->memos    = tn_new(&c->arena, struct memo, op->attr_count, c->error);
    kind->counters = tn_new(&c->arena, bool, op->attr_count, c->error);
    kind->sayers   = tn_new(&c->arena, bool, op->attr_count, c->error);
    for (uint32_t i = 0; !tn_failed(c->error) && i < op->attr_count; i++)
        kind->counters[i] =
            is_counter(op->inputs, op->input_count, op->attrs[i].name) ||
            is_counter(op->outputs, op->output_count, op->attrs[i].name);
    kind->typed = tn_flow_prepare(&c->flow, op);
    if (!tn_failed(c->error) && tn_typing_is_by_attrs(&c->flow.typing))
        mark_sayers(kind);
}

static void judge_kind(struct check *c, uint32_t scope, const struct tn_op *row,
                       struct kind *kind)
{
    struct tn_vocab              *vocab  = c->use->vocab;
    struct tn_bytes               domain = tn_model_name(c->model, row->domain);
    struct tn_bytes               type   = tn_model_name(c->model, row->type);
    const struct tn_vocab_domain *known  = tn_vocab_domain(vocab, domain);

    kind->first_slot = TN_NONE;
    if (c->use->version)
        kind->version = c->use->version(c->use->context, scope, domain);
    if (!known || kind->version < 0 || type.size == 0 ||
        (c->use->is_call && c->use->is_call(c->use->context, scope, row)))
        return;
    kind->op = tn_vocab_find(vocab, domain, type, kind->version, c->error);
    if (!kind->op)
        kind->verdict = known->is_open ? SKIPPED : UNKNOWN;
    else if (kind->op->is_legacy)
        kind->verdict = LEGACY;
    else if (kind->op->deprecated && kind->version >= kind->op->deprecated)
        kind->verdict = DEPRECATED;
    else if (kind->op->has_signature && kind->op->attr_count <= ATTR_LIMIT)
        kind->verdict = KNOWN;
    if (kind->op)
        prepare_attrs(c, kind);
}

/* NULL on failure. */
static struct kind *find_kind(struct check *c, uint32_t scope,
                              const struct tn_op *row)
{
    uint32_t number = tn_pairs_find(&c->names, row->domain, row->type);

    if (number == UINT32_MAX)
        number = tn_pairs_add(&c->names, row->domain, row->type,
                              (uint32_t)c->names.count, c->error);
    uint32_t found = tn_pairs_find(&c->index, scope, number);
    if (found == UINT32_MAX && !tn_failed(c->error)) {
        struct kind *kind = tn_list_push(&c->kinds, struct kind, c->error);
        if (kind)
            judge_kind(c, scope, row, kind);
        found = tn_pairs_add(&c->index, scope, number,
                             (uint32_t)c->kinds.count - 1, c->error);
    }
    return tn_failed(c->error) ? NULL
                               : tn_list_at(&c->kinds, struct kind, found);
}

static struct kind *kind_of(struct check *c, uint32_t scope,
                            const struct tn_op *row)
{
    struct recent *r = &c->recent[row->type % RECENT];

    if (r->kind && r->type == row->type && r->domain == row->domain &&
        r->scope == scope)
        return tn_list_at(&c->kinds, struct kind, r->kind - 1);
    struct kind *kind = find_kind(c, scope, row);
    if (kind)
        *r = (struct recent){
            scope, row->domain, row->type,
            1 + (uint32_t)(kind - tn_list_at(&c->kinds, struct kind, 0))
        };
    return kind;
}

static void complain_unknown(struct visit *v)
{
    const struct tn_model *model  = v->check->model;
    struct tn_bytes        domain = tn_model_name(model, v->row->domain);
    struct tn_bytes        type   = tn_model_name(model, v->row->type);
    int64_t first = tn_vocab_first_version(v->check->use->vocab, domain, type);

    if (first < 0)
        complain(v, v->check->use->unknown, "unknown-op", NULL,
                 "there is no operator '%.*s'", TN_FMT(type));
    else
        complain(v, v->check->use->unknown, "unknown-op", NULL,
                 "operator '%.*s' came with version %" PRId64
                 ", the version in use is %" PRId64,
                 TN_FMT(type), first, v->kind->version);
}

/* ---- values of attributes ----------------------------------------------- */

static bool is_allowed(const struct tn_vocab_attr *attr,
                       const struct tn_attr_value *value, uint32_t index)
{
    if (value->kind == TN_ATTR_DTYPE)
        return (uint64_t)value->of.ints[index] < TN_DTYPE_COUNT &&
               attr->types >> value->of.ints[index] & 1;
    if (value->kind != TN_ATTR_STRING)
        return true;
    for (uint32_t i = 0; i < attr->string_count; i++)
        if (tn_bytes_equal(attr->strings[i], value->of.strings[index]))
            return true;
    return false;
}

/* Texts that are allowed, in quotes, as far as the room goes. */
static void list_texts(const struct tn_vocab_attr *attr, char *to, size_t room)
{
    size_t used = 0;

    to[0] = '\0';
    for (uint32_t i = 0; i < attr->string_count; i++) {
        struct tn_bytes text = attr->strings[i];
        if (text.size == 0)
            continue;
        if (used + text.size + sizeof ", '', ..." > room) {
            snprintf(to + used, room - used, ", ...");
            return;
        }
        used += (size_t)snprintf(to + used, room - used, "%s'%.*s'",
                                 used ? ", " : "", TN_FMT(text));
    }
}

static void complain_of_text(struct visit *v, const struct given *given,
                             const struct tn_vocab_attr *attr,
                             struct tn_bytes             text)
{
    char known[120];

    list_texts(attr, known, sizeof known);
    complain(v, TN_LEVEL_ERROR, "bad-attribute-value", given,
             "'%.*s' cannot be '%.*s'; it is one of %s", TN_FMT(given->name),
             TN_FMT(text), known);
}

static bool check_allowed(struct visit *v, const struct given *given,
                          const struct tn_vocab_attr *attr,
                          const struct tn_attr_value *value)
{
    for (uint32_t i = 0; i < value->count; i++) {
        if (is_allowed(attr, value, i))
            continue;
        if (value->kind == TN_ATTR_STRING)
            complain_of_text(v, given, attr, value->of.strings[i]);
        else
            complain(v, TN_LEVEL_ERROR, "bad-attribute-value", given,
                     "'%.*s' cannot be %s", TN_FMT(given->name),
                     tn_dtype_name((enum tn_dtype)value->of.ints[i]));
        return false;
    }
    return true;
}

static bool check_minimum(struct visit *v, const struct given *given,
                          const struct tn_vocab_attr *attr,
                          const struct tn_attr_value *value)
{
    int64_t number = value->count;

    if (!value->is_list && value->kind != TN_ATTR_INT)
        return true;
    if (!value->is_list)
        number = value->of.ints[0];
    if (number >= attr->minimum)
        return true;
    complain(v, TN_LEVEL_ERROR, "bad-attribute-value", given,
             "'%.*s' is %s%" PRId64 ", at least %" PRId64 " is needed",
             TN_FMT(given->name), attr->is_list ? "a list of " : "", number,
             attr->minimum);
    return false;
}

static const struct tn_attr_value *decode(struct visit         *v,
                                          const struct given   *given,
                                          struct tn_attr_value *room)
{
    struct check   *c       = v->check;
    struct tn_error failure = TN_ERROR_INIT;

    if (given->value)
        return given->value;
    if (++c->scratch_uses % SCRATCH_USES == 0)
        tn_arena_done(&c->scratch);
    c->model->dialect->decode(c->model, v->op, given->wire, &c->scratch, room,
                              &failure);
    if (tn_machine_failed(&failure) || failure.status == TN_LIMIT)
        *c->error = failure;
    return tn_failed(&failure) ? NULL : room; /* bad bytes: others say so */
}

/* Types that it says, for arguments. */
static void note_types(struct visit *v, uint64_t number,
                       const struct tn_attr_value *value)
{
    struct tn_typing *typing = &v->check->flow.typing;
    uint8_t          *list;

    if (!typing->types || value->kind != TN_ATTR_DTYPE)
        return;
    if (!value->is_list) {
        v->said[number] = TN_TYPE(value->of.ints[0], TN_WRAP_NONE);
        return;
    }
    list = tn_new(&typing->arena, uint8_t, value->count, v->check->error);
    for (uint32_t i = 0; list && i < value->count; i++)
        list[i] = TN_TYPE(value->of.ints[i], TN_WRAP_NONE);
    v->lists[number] = list;
}

static bool check_value(struct visit *v, const struct given *given,
                        const struct tn_vocab_attr *attr)
{
    struct tn_attr_value        room;
    uint64_t                    number = (uint64_t)(attr - v->kind->op->attrs);
    const struct tn_attr_value *value  = NULL;

    if (!attr->is_restricted && !attr->has_minimum &&
        !v->kind->counters[number] && !v->kind->sayers[number])
        return true;
    value = decode(v, given, &room);
    if (!value)
        return false;
    if (v->kind->sayers[number] || v->kind->counters[number])
        note_types(v, number, value);
    if (v->kind->counters[number]) {
        v->counts[number] = value->count;
        if (value->kind == TN_ATTR_INT && !value->is_list)
            v->counts[number] = value->of.ints[0];
    }
    return (!attr->is_restricted || check_allowed(v, given, attr, value)) &&
           (!attr->has_minimum || check_minimum(v, given, attr, value));
}

/* ---- attributes --------------------------------------------------------- */

/* The type of a value that an edit has set, in the dialect's words. */
static const char *type_of_value(const struct tn_attr_value *value)
{
    static const char *const words[][2] = {
        [TN_ATTR_INT]      = { "int", "list(int)" },
        [TN_ATTR_FLOAT]    = { "float", "list(float)" },
        [TN_ATTR_BOOL]     = { "bool", "list(bool)" },
        [TN_ATTR_STRING]   = { "string", "list(string)" },
        [TN_ATTR_DTYPE]    = { "type", "list(type)" },
        [TN_ATTR_SHAPE]    = { "shape", "list(shape)" },
        [TN_ATTR_TENSOR]   = { "tensor", "list(tensor)" },
        [TN_ATTR_GRAPH]    = { "graph", "list(graph)" },
        [TN_ATTR_FUNCTION] = { "func", "list(func)" },
        [TN_ATTR_DOUBLE]   = { "double", "list(double)" },
    };

    if (value->is_list && value->count == 0)
        return "list()";
    return words[value->kind][value->is_list];
}

/* "list()" is an empty list, which is one of anything. */
static bool is_type(const char *word, const struct tn_vocab_attr *attr)
{
    return tn_bytes_is(attr->type, word) ||
           (attr->is_list && !strcmp(word, "list()"));
}

/* Whether nothing is wrong with the attribute: then nothing is wrong with the
 * same bytes elsewhere. */
static bool check_attr(struct visit *v, const struct given *given,
                       const struct tn_vocab_attr *attr)
{
    const struct tn_dialect *dialect = v->check->model->dialect;
    const char              *word    = NULL;

    if (given->value)
        word = type_of_value(given->value);
    else
        word = dialect->attr_type(given->wire);
    if (!word || !word[0])
        return false; /* nothing to compare: others say so */
    if (!strcmp(word, "reference")) {
        v->has_reference = true;
        return false;
    }
    if (!is_type(word, attr)) {
        complain(v, TN_LEVEL_ERROR, "wrong-attribute-type", given,
                 "'%.*s' is %s, it should be %.*s", TN_FMT(given->name), word,
                 TN_FMT(attr->type));
        return false;
    }
    return check_value(v, given, attr);
}

static bool is_free(const struct check *c, struct tn_bytes name)
{
    return tn_bytes_starts_with(name, c->use->free_prefix);
}

static struct tn_bytes read_bytes(struct tn_span wire)
{
    struct tn_error  failure = TN_ERROR_INIT;
    struct tn_cursor c       = tn_cursor_span(wire, &failure);

    return tn_take_bytes(&c, wire.length);
}

/* The bytes of a short one; empty: not worth comparing. */
static struct tn_bytes short_bytes(const struct given *given)
{
    struct tn_span wire = given->wire;

    if (given->value || !wire.length || wire.length > MEMO_LIMIT)
        return tn_bytes(NULL, 0);
    if (wire.source->map &&
        tn_inside(wire.offset, wire.length, wire.source->size))
        return tn_bytes(wire.source->map + wire.offset, (size_t)wire.length);
    return read_bytes(wire);
}

static void remember(struct memo *memo, struct tn_bytes bytes, uint8_t said)
{
    memo->before     = memo->last;
    memo->last.bytes = bytes;
    memo->last.said  = said;
}

/* Whether the attribute had these bytes before, and all was well. */
static bool is_remembered(struct visit *v, uint32_t number,
                          struct tn_bytes bytes)
{
    struct memo *memo = &v->kind->memos[number];

    if (!bytes.size)
        return false;
    if (!tn_bytes_equal(bytes, memo->last.bytes)) {
        if (!tn_bytes_equal(bytes, memo->before.bytes))
            return false;
        remember(memo, bytes, memo->before.said);
        v->is_new = true;
    }
    v->said[number] = memo->last.said;
    return true;
}

static void see_attr(struct visit *v, const struct given *given,
                     uint32_t *expected)
{
    const struct tn_vocab_op   *op   = v->kind->op;
    const struct tn_vocab_attr *attr = NULL;

    if (*expected < op->attr_count &&
        tn_bytes_equal(op->attrs[*expected].name, given->name))
        attr = &op->attrs[*expected]; /* writers keep an order */
    else
        attr = tn_vocab_find_attr(op, given->name);
    if (!attr) {
        if (given->name.size && !op->is_loose &&
            !is_free(v->check, given->name))
            complain(v, v->check->use->unknown, "unknown-attribute", given,
                     "%.*s has no attribute '%.*s'", TN_FMT(op->name),
                     TN_FMT(given->name));
        return;
    }
    uint32_t number = (uint32_t)(attr - op->attrs);
    *expected       = number + 1;
    v->seen[number / 64] |= UINT64_C(1) << number % 64;
    v->counts[number]     = -1;
    v->said[number]       = 0;
    v->lists[number]      = NULL;
    struct tn_bytes bytes = short_bytes(given);
    if (is_remembered(v, number, bytes))
        return;
    v->is_new = true;
    if (!check_attr(v, given, attr) || v->kind->counters[number])
        v->is_bad = true;
    if (v->is_bad || !bytes.size)
        v->is_odd = true;
    else
        remember(&v->kind->memos[number], bytes, v->said[number]);
}

static bool is_among(const struct given *few, uint32_t count,
                     struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(few[i].name, name))
            return true;
    return false;
}

/* Few attributes with names that differ are seen in one walk.  False: there
 * are more, or a name comes again, and nothing was seen. */
static bool see_few(struct visit *v, struct tn_cursor node)
{
    const struct tn_dialect *dialect = v->check->model->dialect;
    struct given             few[FEW];
    uint32_t                 count = 0, expected = 0;
    struct tn_bytes          name;
    struct tn_span           wire;

    while (dialect->next_entry(&node, &name, &wire)) {
        if (count == FEW || is_among(few, count, name))
            return false;
        few[count] = (struct given){ name, wire, count, NULL };
        count++;
    }
    for (uint32_t i = 0; i < count; i++)
        see_attr(v, &few[i], &expected);
    return true;
}

/* Moves the cursor to the op's first attribute, and returns the op's wire from
 * there on; no data if it is not all in memory, or if lengths of attributes are
 * needed, too. */
static struct tn_bytes rest_of(const struct visit *v, struct tn_cursor *node)
{
    const struct tn_dialect *dialect = v->check->model->dialect;

    if (!dialect->find_attrs || v->kind->op->has_lists)
        return tn_bytes(NULL, 0);
    dialect->find_attrs(node);
    return node->beyond ? tn_bytes(NULL, 0)
                        : tn_bytes(node->at, (size_t)tn_left(node));
}

static uint64_t findings(const struct check *c)
{
    const uint64_t *counts = c->report->counts;

    return counts[TN_LEVEL_NOTE] + counts[TN_LEVEL_WARNING] +
           counts[TN_LEVEL_ERROR];
}

/* Whether the op has the attributes that are kept of its kind.  Most often
 * whoever opened the file knows; otherwise the cursor goes to the first of
 * them, and *rest is what comes from there on. */
static bool is_kept(const struct visit *v, struct tn_cursor *node,
                    struct tn_bytes *rest)
{
    const struct kind *kind = v->kind;

    if (kind->alike && tn_op_alike(v->row) == kind->alike &&
        v->row->source == kind->source)
        return true;
    *rest = rest_of(v, node);
    return rest->data && kind->rest.data && tn_bytes_equal(*rest, kind->rest);
}

/* For the next op of the kind. */
static void keep(struct visit *v, struct tn_bytes rest)
{
    v->kind->rest   = rest;
    v->kind->alike  = rest.data ? tn_op_alike(v->row) : 0;
    v->kind->source = v->row->source;
}

/* ---- ops that are like others ------------------------------------------- */

/* Kinds come in a few variants, in turns.  Where both halves are checked at
 * once, only neighbours are compared: an op that is like another but for the
 * elements of a tensor is the same to the first half, not to the second. */
static uint32_t number_of(const struct visit *v)
{
    switch (v->check->use->half) {
    case TN_VOCAB_OPS: return (uint32_t)v->row->alike;
    case TN_VOCAB_VALUES: return tn_op_alike(v->row);
    default: return 0;
    }
}

/* The variant that the op is; NULL: none that is remembered. */
static const struct variant *find_variant(const struct visit *v)
{
    const struct variant *all    = v->kind->variants;
    uint32_t              number = number_of(v);

    return all && number && all[number % VARIANTS].alike == number &&
                   all[number % VARIANTS].source == v->row->source
               ? &all[number % VARIANTS]
               : NULL;
}

static void remember_variant(struct visit *v, uint32_t group)
{
    struct check *c      = v->check;
    struct kind  *kind   = v->kind;
    uint32_t      number = number_of(v);

    if (!number)
        return;
    if (!kind->variants)
        kind->variants = tn_new(&c->arena, struct variant, VARIANTS, c->error);
    if (!kind->variants)
        return;
    struct variant *variant = &kind->variants[number % VARIANTS];
    *variant                = (struct variant){ .alike   = number,
                                                .source  = v->row->source,
                                                .binding = kind->typed->last,
                                                .group   = group };
    memcpy(variant->seen, v->seen, sizeof v->seen);
}

/* Whether the attributes are those of a variant: then as if it had been the
 * last op. */
static bool is_like_variant(struct visit *v)
{
    const struct variant *variant = find_variant(v);

    if (!variant)
        return false;
    memcpy(v->seen, variant->seen, sizeof v->seen);
    v->kind->typed->last = variant->binding;
    v->is_same           = true;

    v->check->familiar[variant->alike % FAMILIAR] = variant->alike;
    keep(v, tn_bytes(NULL, 0));
    return true;
}

/* ---- attributes of one op ----------------------------------------------- */

static void see_each(struct visit *v, struct tn_cursor node)
{
    const struct tn_dialect *dialect  = v->check->model->dialect;
    struct given             given    = { .index = 0 };
    uint32_t                 expected = 0;

    for (; dialect->next_attr(&node, &given.name, &given.wire); given.index++)
        see_attr(v, &given, &expected);
}

/* Attributes that are on the wire.  Those of the last op of the kind need not
 * be looked at again, one by one. */
static void see_wire(struct visit *v, struct tn_cursor node)
{
    struct tn_bytes rest;
    uint64_t        before = findings(v->check);

    if (is_like_variant(v))
        return;
    if (is_kept(v, &node, &rest)) {
        v->is_same = true;
        memcpy(v->seen, v->kind->seen, sizeof v->seen);
        return;
    }
    if (!v->check->model->dialect->next_entry || !see_few(v, node))
        see_each(v, node);
    bool is_good  = findings(v->check) == before && !tn_failed(node.error);
    v->is_variant = is_good && !v->is_bad && rest.data;
    keep(v, is_good && !v->is_odd ? rest : tn_bytes(NULL, 0));
}

/* Attributes that an edit has set, or left on the wire.  Ops that a conversion
 * made share equal ones: then they need not be looked at again, either. */
static void see_slots(struct visit *v)
{
    const struct tn_model *model    = v->check->model;
    struct kind           *kind     = v->kind;
    struct given           given    = { .index = 0 };
    uint32_t               expected = 0;
    uint64_t               before   = findings(v->check);

    if (kind->first_slot != TN_NONE && kind->first_slot == v->row->first_attr &&
        kind->slot_count == v->row->attr_count) {
        v->is_same = true;
        memcpy(v->seen, kind->seen, sizeof v->seen);
        return;
    }
    for (; given.index < v->row->attr_count; given.index++) {
        const struct tn_attr_slot *slot =
            tn_list_at(&model->attrs, struct tn_attr_slot,
                       (uint64_t)v->row->first_attr + given.index);
        given.name  = tn_model_name(model, slot->name);
        given.wire  = slot->wire;
        given.value = slot->value;
        see_attr(v, &given, &expected);
    }
    bool is_good = given.index && !v->is_bad && !kind->op->has_lists &&
                   findings(v->check) == before;
    kind->first_slot = is_good ? v->row->first_attr : TN_NONE;
    kind->slot_count = v->row->attr_count;
    if (is_good)
        v->is_odd = false;
}

static void see_attrs(struct visit *v)
{
    struct tn_error *failure = &v->check->failure;

    if (v->row->first_attr != TN_NONE) {
        keep(v, tn_bytes(NULL, 0));
        see_slots(v);
        return;
    }
    v->kind->first_slot = TN_NONE;
    if (tn_failed(failure))
        *failure = (struct tn_error)TN_ERROR_INIT;
    see_wire(
        v, tn_cursor_span(tn_model_op_wire(v->check->model, v->row), failure));
}

static bool is_seen(const struct visit *v, uint32_t number)
{
    return v->seen[number / 64] >> number % 64 & 1;
}

static void check_required(struct visit *v)
{
    const struct tn_vocab_op *op = v->kind->op;

    for (uint32_t i = 0; i < op->attr_count; i++)
        if (op->attrs[i].is_required && !is_seen(v, i))
            complain(v, TN_LEVEL_ERROR, "missing-attribute", NULL,
                     "%.*s without '%.*s'", TN_FMT(op->name),
                     TN_FMT(op->attrs[i].name));
}

/* ---- how many ----------------------------------------------------------- */

/* The length of a list argument; -1: it cannot be said. */
static int64_t length_of(const struct visit *v, struct tn_bytes list)
{
    const struct tn_vocab_attr *attr = tn_vocab_find_attr(v->kind->op, list);
    uint64_t                    number;

    if (!attr)
        return -1;
    number = (uint64_t)(attr - v->kind->op->attrs);
    if (is_seen(v, (uint32_t)number))
        return v->counts[number];
    if (!attr->has_default)
        return -1;
    return attr->is_list ? attr->value.count : attr->value.of.ints[0];
}

/* How many values the arguments have together; false if that is unknown. */
static bool add_up(const struct visit *v, const struct tn_vocab_arg *args,
                   uint32_t count, uint64_t *sum)
{
    *sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t length = args[i].list.size ? length_of(v, args[i].list) : 1;
        if (length < 0)
            return false;
        *sum = *sum > UINT64_MAX / 2 ? *sum : *sum + (uint64_t)length;
    }
    return true;
}

/* "Conv has 1 input; allowed: 2 to 3"; `word` is "input" or "output". */
static void complain_arity(struct visit *v, const char *word, uint64_t count,
                           uint64_t least, uint64_t most)
{
    char allowed[64];

    if (most == UINT32_MAX)
        snprintf(allowed, sizeof allowed, "at least %" PRIu64, least);
    else if (least == most)
        snprintf(allowed, sizeof allowed, "%" PRIu64, least);
    else
        snprintf(allowed, sizeof allowed, "%" PRIu64 " to %" PRIu64, least,
                 most);
    complain(v, TN_LEVEL_ERROR, "wrong-arity", NULL,
             "%.*s has %" PRIu64 " %s%s; allowed: %s",
             TN_FMT(v->kind->op->name), count, word, count == 1 ? "" : "s",
             allowed);
}

static void check_listed(struct visit *v, uint32_t inputs)
{
    const struct tn_vocab_op  *op  = v->kind->op;
    const struct tn_vocab_use *use = v->check->use;
    uint64_t                   sum;

    if (v->has_reference)
        return;
    if (add_up(v, op->inputs, op->input_count, &sum) && sum != inputs &&
        !(use->has_list_input && use->has_list_input(use->context, v->op)))
        complain_arity(v, "input", inputs, sum, sum);
    if (v->check->used && add_up(v, op->outputs, op->output_count, &sum) &&
        v->check->used[v->op] > sum)
        complain_arity(v, "output", v->check->used[v->op], sum, sum);
}

static void check_outputs(struct visit *v)
{
    const struct tn_vocab_op *op    = v->kind->op;
    uint32_t                  count = v->row->output_count;

    if (v->check->used) {
        if (v->check->used[v->op] > op->max_outputs)
            complain_arity(v, "output", v->check->used[v->op], op->min_outputs,
                           op->max_outputs);
    } else if (count < op->min_outputs || count > op->max_outputs) {
        complain_arity(v, "output", count, op->min_outputs, op->max_outputs);
    } else if (op->output_counts &&
               (count > 63 || !(op->output_counts >> count & 1))) {
        complain(v, TN_LEVEL_ERROR, "wrong-arity", NULL,
                 "%.*s cannot have %" PRIu32 " outputs", TN_FMT(op->name),
                 count);
    }
}

static void check_counts(struct visit *v)
{
    const struct tn_vocab_op  *op  = v->kind->op;
    const struct tn_vocab_use *use = v->check->use;
    uint32_t inputs = v->row->input_count - v->row->control_count;

    if (op->has_lists) {
        check_listed(v, inputs);
        return;
    }
    if ((inputs < op->min_inputs || inputs > op->max_inputs) &&
        !(use->has_list_input && use->has_list_input(use->context, v->op)))
        complain_arity(v, "input", inputs, op->min_inputs, op->max_inputs);
    check_outputs(v);
}

/* An argument that must be there may not be "". */
static void check_given(struct visit *v, const struct tn_vocab_arg *args,
                        uint32_t arg_count, uint32_t first, uint32_t count,
                        const char *word)
{
    for (uint32_t i = 0; i < count && i < arg_count; i++)
        if (args[i].arity == TN_VOCAB_ONE &&
            tn_model_ref_at(v->check->model, (uint64_t)first + i) == TN_NONE)
            complain(v, TN_LEVEL_ERROR, "missing-input", NULL,
                     "%s %" PRIu32 " ('%.*s') is empty, and not optional", word,
                     i, TN_FMT(args[i].name));
}

/* ---- from the top ------------------------------------------------------- */

static void check_types(struct visit *v)
{
    struct tn_attr_types attrs = { v->said, v->lists, v->counts, v->seen };

    tn_flow_note(&v->check->flow, v->kind->typed, v->op,
                 v->is_same ? NULL : &attrs);
}

/* Ops of a kind one after the other with the same attributes are a group. */
static uint32_t group_of(struct visit *v)
{
    struct kind *kind = v->kind;

    if (v->is_odd)
        kind->group = 0;
    else if (v->is_new || !kind->group ||
             memcmp(kind->seen, v->seen, sizeof v->seen) != 0)
        kind->group = v->op + 1;
    memcpy(kind->seen, v->seen, sizeof v->seen);
    return kind->group;
}

/* The same where attributes are not looked at: those in the same slots are the
 * same, */
static void group_by_slots(struct visit *v)
{
    struct kind *kind = v->kind;
    bool         is_same =
        kind->first_slot != TN_NONE && kind->group &&
        kind->slot_count == v->row->attr_count &&
        (!kind->slot_count || kind->first_slot == v->row->first_attr);

    keep(v, tn_bytes(NULL, 0));
    kind->group      = is_same ? kind->group : v->op + 1;
    kind->first_slot = v->row->first_attr;
    kind->slot_count = v->row->attr_count;
    tn_sizing_note(&v->check->flow.sizing, v->op, kind->group);
}

/* and those of the same bytes. */
static void group_by_wire(struct visit *v)
{
    struct tn_sizing     *sizing  = &v->check->flow.sizing;
    struct kind          *kind    = v->kind;
    const struct variant *variant = find_variant(v);
    struct tn_error       failure = TN_ERROR_INIT;
    struct tn_cursor      node;
    struct tn_bytes       rest;

    if (!sizing->groups || !kind->op->facts)
        return;
    if (v->row->first_attr != TN_NONE) {
        group_by_slots(v);
        return;
    }
    kind->first_slot = TN_NONE;
    if (variant) {
        keep(v, tn_bytes(NULL, 0));
        tn_sizing_note(sizing, v->op, variant->group);
        return;
    }
    node = tn_cursor_span(tn_model_op_wire(v->check->model, v->row), &failure);
    if (!is_kept(v, &node, &rest)) {
        keep(v, tn_failed(&failure) ? tn_bytes(NULL, 0) : rest);
        kind->group = kind->rest.data ? v->op + 1 : 0;
    }
    if (kind->group)
        remember_variant(v, kind->group);
    tn_sizing_note(sizing, v->op, kind->group);
}

static void check_known(struct visit *v)
{
    const struct tn_vocab_op *op  = v->kind->op;
    const struct tn_op       *row = v->row;

    if (v->check->use->half == TN_VOCAB_VALUES) {
        check_types(v);
        group_by_wire(v);
        return;
    }
    see_attrs(v);
    check_required(v);
    check_counts(v);
    check_given(v, op->inputs, op->input_count, row->first_input,
                row->input_count - row->control_count, "input");
    check_given(v, op->outputs, op->output_count, row->first_output,
                row->output_count, "output");
    check_types(v);
    if (v->is_variant)
        remember_variant(v, 0);
    tn_sizing_note(&v->check->flow.sizing, v->op, group_of(v));
}

static void complain_unless_known(struct visit *v)
{
    struct kind *kind = v->kind;

    switch (kind->verdict) {
    case SKIPPED:
    case KNOWN: break;
    case UNKNOWN: complain_unknown(v); break;
    case DEPRECATED:
        complain(v, v->check->use->deprecated, "deprecated-op", NULL,
                 "%.*s was removed in version %" PRIu32
                 ", the version in use is %" PRId64,
                 TN_FMT(kind->op->name), kind->op->deprecated, kind->version);
        break;
    case LEGACY:
        complain(v, TN_LEVEL_WARNING, "deprecated-op", NULL,
                 "%.*s was an experiment that no version has kept",
                 TN_FMT(kind->op->name));
        break;
    }
}

static void check_op(struct check *c, uint32_t scope, uint32_t op)
{
    struct visit v;

    v.check         = c;
    v.op            = op;
    v.row           = tn_model_op_at(c->model, op);
    v.kind          = kind_of(c, scope, v.row);
    v.has_reference = v.is_new = v.is_odd = v.is_bad = v.is_same = false;
    v.is_variant                                                 = false;
    memset(v.seen, 0, sizeof v.seen); /* counts: only where seen */
    if (!v.kind)
        return;
    if (v.kind->verdict == KNOWN)
        check_known(&v);
    else if (c->use->half != TN_VOCAB_VALUES)
        complain_unless_known(&v);
}

/* Where ops do not name their outputs: how many of each are in use. */
static void count_used(struct check *c)
{
    if (c->model->dialect->names_outputs)
        return;
    c->used = tn_new(&c->arena, uint32_t, c->model->ops.count, c->error);
    for (uint64_t i = 0; c->used && i < c->model->values.count; i++) {
        const struct tn_value *value =
            tn_list_at(&c->model->values, struct tn_value, i);
        if (value->kind != TN_VALUE_OUTPUT || value->producer == TN_NONE ||
            value->output == 0 || value->output == UINT32_MAX ||
            tn_model_graph_at(c->model, value->graph)->kind ==
                TN_GRAPH_FUNCTION)
            continue; /* in functions outputs have names */
        if (c->used[value->producer] < value->output + 1)
            c->used[value->producer] = value->output + 1;
    }
}

#define AHEAD      12 /* ops */
#define LINE       64
#define MOST_AHEAD (8 * LINE)

/* Ops that are like none before lie here and there in the file: the processor
 * cannot foresee where. */
__attribute__((always_inline)) /* gcc drops calls that only fetch */
static inline void
fetch_wire(const struct check *c, uint32_t op)
{
#if defined(__GNUC__)
    const struct tn_op     *row  = tn_model_op_at(c->model, op);
    struct tn_span          wire = tn_model_op_wire(c->model, row);
    const struct tn_source *from = wire.source;

    if ((row->alike && c->familiar[row->alike % FAMILIAR] == row->alike) ||
        !from || !from->map || !tn_inside(wire.offset, wire.length, from->size))
        return;
    for (uint64_t at = 0; at < wire.length && at < MOST_AHEAD; at += LINE)
        __builtin_prefetch(from->map + wire.offset + at);
#else
    (void)c;
    (void)op;
#endif
}

static void check_graph(struct check *c, uint32_t index)
{
    const struct tn_graph *graph = tn_model_graph_at(c->model, index);
    uint32_t scope = c->use->scope ? c->use->scope(c->use->context, index) : 0;

    for (uint64_t i = 0; i < graph->op_count; i++) {
        if (c->report->is_stopped || tn_failed(c->error))
            return;
        if (c->use->half == TN_VOCAB_OPS && graph->op_count - i > AHEAD)
            fetch_wire(c, graph->first_op + (uint32_t)i + AHEAD);
        check_op(c, scope, graph->first_op + (uint32_t)i);
    }
}

/* What the part that is not checked would need. */
static void leave_out(struct tn_vocab_use *use, const struct tn_model *model)
{
    bool is_by_attrs = !model->dialect->names_outputs;

    if (use->half == TN_VOCAB_OPS) {
        use->compares_types &= is_by_attrs;
        use->declare_ranks = NULL;
        use->declare_sizes = NULL;
        use->callee        = NULL;
        use->is_merge      = NULL;
    } else if (use->half == TN_VOCAB_VALUES) {
        use->compares_types &= !is_by_attrs;
    }
}

enum tn_status tn_vocab_check(const struct tn_model     *model,
                              const struct tn_vocab_use *use,
                              struct tn_report *report, struct tn_error *error)
{
    struct tn_vocab_use own = *use;
    struct check        c   = {
                 .model   = model,
                 .use     = &own,
                 .report  = report,
                 .error   = error,
                 .failure = TN_ERROR_INIT,
    };

    if (!model->dialect)
        return TN_OK;
    leave_out(&own, model);
    tn_arena_init(&c.arena, model->memory);
    tn_arena_init(&c.scratch, model->memory);
    tn_pairs_init(&c.names, model->memory);
    tn_pairs_init(&c.index, model->memory);
    tn_list_init(&c.kinds, model->memory, sizeof(struct kind));
    tn_flow_init(&c.flow, model, &own, report, error);
    if (own.half != TN_VOCAB_VALUES)
        count_used(&c);
    for (uint32_t i = 0; i < model->graphs.count && !tn_failed(error); i++)
        check_graph(&c, i);
    if (own.after_ops)
        own.after_ops(own.context);
    tn_flow_run(&c.flow);
    tn_flow_done(&c.flow);
    tn_list_done(&c.kinds);
    tn_pairs_done(&c.index);
    tn_pairs_done(&c.names);
    tn_arena_done(&c.scratch);
    tn_arena_done(&c.arena);
    return error->status;
}

enum tn_status tn_vocab_check_builtin(const struct tn_model     *model,
                                      const struct tn_vocab_use *use,
                                      const char                *dialect,
                                      struct tn_report          *report,
                                      struct tn_error           *error)
{
    struct tn_vocab_use own = *use;
    struct tn_arena     arena;
    struct tn_vocab     vocab;

    own.vocab = &vocab;
    tn_arena_init(&arena, model->memory);
    if (tn_vocab_open(&vocab, &arena, dialect, error) == TN_OK)
        tn_vocab_check(model, &own, report, error);
    tn_arena_done(&arena);
    return error->status;
}
