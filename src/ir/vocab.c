/*
 * vocab.c - vocabularies: indexed by line, found by name and version
 *
 *   vocabulary onnx 1                    the first line
 *   types floats = {float16 float32}     a name for types
 *   domain ai.onnx "" [open]             whose operators follow
 *   op Conv@11 (X $T) -> (Y $T)          one version of one operator,
 *       $T in {floats}                   and what is indented belongs to it
 *   facts Conv MaxPool @11..             what holds for several operators,
 *       where len(pads) == 2 * (r - 2)   of which each takes what it can
 *   # a comment
 *
 * Operators of a domain are in ascending order of name, then version: the index
 * is searched as it is.  vocab_op.c reads the lines of an operator,
 * vocab_fact.c those of facts.
 */
#include "ir/vocab.h"

#include <inttypes.h>

#include "base/bisect.h"
#include "ir/vocab_lines.h"
#include "ir/vocab_pack.h"

/* Domains and named sets of types are compared one by one. */
#define GROUP_LIMIT 256

/* ---- lines -------------------------------------------------------------- */

/* Byte offsets become lines and columns when something is wrong, not before. */
static void add_line(const struct tn_vocab *vocab, struct tn_error *error)
{
    uint64_t line = 1, begin = 0;

    if (!tn_failed(error) || error->offset > vocab->text.size)
        return;
    for (uint64_t i = 0; i < error->offset; i++)
        if (vocab->text.data[i] == '\n') {
            line++;
            begin = i + 1;
        }
    tn_error_where(error, "line %" PRIu64 ", column %" PRIu64, line,
                   error->offset - begin + 1);
}

static struct tn_cursor lines_at(const struct tn_vocab *vocab, uint64_t offset,
                                 uint64_t length, struct tn_error *error)
{
    return tn_cursor_bytes(
        tn_bytes(vocab->text.data + (size_t)offset, (size_t)length), offset,
        error);
}

/* The next line without its end; the cursor is past it then. */
static struct tn_cursor next_line(struct tn_cursor *c)
{
    const uint8_t   *end  = memchr(c->at, '\n', (size_t)(c->end - c->at));
    struct tn_cursor line = tn_sub(c, (uint64_t)((end ? end : c->end) - c->at));

    if (end)
        tn_skip(c, 1);
    return line;
}

static bool starts_with(const struct tn_cursor *line, const char *word)
{
    size_t size = strlen(word);

    return (size_t)(line->end - line->at) >= size &&
           !memcmp(line->at, word, size);
}

static bool is_blank(const struct tn_cursor *line)
{
    return line->at == line->end || *line->at == '#';
}

/* ---- what is outside operators ------------------------------------------ */

struct indexing {
    struct tn_vocab        *vocab;
    struct tn_vocab_domain *domain; /* the one being filled                   */
    struct tn_vocab_row    *row;    /* likewise; NULL: its lines are over     */
    struct tn_vocab_facts  *facts;  /* likewise                               */
};

static void read_header(struct tn_vocab *vocab, struct tn_cursor *c)
{
    struct tn_cursor line = next_line(c);

    tn_vocab_expect(&line, "vocabulary");
    vocab->dialect   = tn_vocab_name(&line, "a dialect");
    uint64_t at      = line.offset;
    uint32_t version = tn_vocab_number(&line);
    if (version != 1)
        tn_fail_at(&line, at, TN_UNSUPPORTED,
                   "version %" PRIu32 " of the format, not 1", version);
    tn_vocab_end_line(&line);
}

static void read_set(struct indexing *x, struct tn_cursor *line)
{
    struct tn_vocab      *vocab = x->vocab;
    struct tn_vocab_types types = { 0 };
    uint64_t              at;

    tn_vocab_expect(line, "types");
    at                   = line->offset;
    struct tn_bytes name = tn_vocab_name(line, "a name for the types");
    tn_vocab_expect(line, "=");
    tn_vocab_types_read(vocab, line, &types);
    tn_vocab_end_line(line);
    for (uint32_t i = 0; i < vocab->set_count; i++)
        if (tn_bytes_equal(vocab->sets[i].name, name))
            tn_fail_at(line, at, TN_MALFORMED, "'%.*s' is there already",
                       TN_FMT(name));
    if (!tn_failed(line->error))
        vocab->sets[vocab->set_count++] =
            (struct tn_vocab_set){ name, types.tensors };
}

/* A name of a domain; "" is one too. */
static void read_domain_name(struct tn_vocab        *vocab,
                             struct tn_vocab_domain *domain,
                             struct tn_cursor       *line)
{
    uint64_t        at   = line->offset;
    struct tn_bytes name = { NULL, 0 };

    if (!tn_vocab_accept(line, "\"\""))
        name = tn_vocab_name(line, "a domain");
    if (!tn_failed(line->error) && tn_vocab_domain(vocab, name))
        tn_fail_at(line, at, TN_MALFORMED, "the domain is there already");
    if (domain->name_count == 2)
        tn_fail_at(line, at, TN_MALFORMED, "a third name for a domain");
    if (!tn_failed(line->error))
        domain->names[domain->name_count++] = name;
}

static void read_domain(struct indexing *x, struct tn_cursor *line)
{
    struct tn_vocab        *vocab  = x->vocab;
    struct tn_vocab_domain *domain = &vocab->domains[vocab->domain_count++];

    x->domain         = domain;
    domain->first_row = vocab->row_count;
    tn_vocab_expect(line, "domain");
    read_domain_name(vocab, domain, line);
    while (tn_more(line) && !is_blank(line) && !domain->is_open)
        if (tn_vocab_accept(line, "open"))
            domain->is_open = true;
        else
            read_domain_name(vocab, domain, line);
    tn_vocab_end_line(line);
}

/* ---- operators ---------------------------------------------------------- */

/* Name and version; the rest is read when it is asked for. */
static void read_row(struct indexing *x, struct tn_cursor *line)
{
    struct tn_vocab     *vocab = x->vocab;
    struct tn_vocab_row *row   = &vocab->rows[vocab->row_count];
    uint64_t             begin = line->offset;

    tn_vocab_expect(line, "op");
    uint64_t at = line->offset;
    row->name   = tn_vocab_glued_name(line, "an operator");
    if (tn_vocab_accept(line, "@"))
        row->since = tn_vocab_number(line);
    if (!x->domain) {
        tn_fail_at(line, begin, TN_MALFORMED, "an operator of no domain");
        return;
    }
    if (x->domain->row_count) {
        int order = tn_bytes_compare(row[-1].name, row->name);
        if (order > 0 || (order == 0 && row[-1].since >= row->since))
            tn_fail_at(line, at, TN_MALFORMED,
                       "'%.*s' must come before the one above it",
                       TN_FMT(row->name));
    }
    row->offset = begin;
    x->row      = row;
    x->domain->row_count++;
    vocab->row_count++;
}

/* ---- facts -------------------------------------------------------------- */

/* "@11..", "@..10", "@9..13"; nothing: all of them. */
static void read_versions(struct tn_vocab_facts *facts, struct tn_cursor *line)
{
    facts->most = UINT32_MAX;
    if (!tn_vocab_accept(line, "@"))
        return;
    if (tn_vocab_peek(line) != '.')
        facts->least = tn_vocab_number(line);
    tn_vocab_expect(line, "..");
    if (tn_more(line) && !is_blank(line))
        facts->most = tn_vocab_number(line);
}

static void read_facts(struct indexing *x, struct tn_cursor *line)
{
    struct tn_vocab       *vocab = x->vocab;
    struct tn_vocab_facts *facts = &vocab->facts[vocab->facts_count++];
    const uint8_t         *begin;

    tn_vocab_expect(line, "facts");
    if (!x->domain)
        tn_fail(line, TN_MALFORMED, "facts of no domain");
    begin = line->at;
    do
        tn_vocab_name(line, "an operator");
    while (!tn_failed(line->error) && tn_more(line) && !is_blank(line) &&
           tn_vocab_peek(line) != '@');
    facts->names = tn_bytes(begin, (size_t)(line->at - begin));
    read_versions(facts, line);
    if (!tn_failed(line->error))
        tn_vocab_end_line(line);
    facts->domain = vocab->domain_count - 1;
    facts->offset = line->offset + (uint64_t)(line->end - line->at);
    x->facts      = facts;
}

/* The next of the names; empty if there is none. */
static struct tn_bytes next_name(struct tn_bytes *names)
{
    size_t          size = 0;
    struct tn_bytes name;

    while (size < names->size && names->data[size] != ' ')
        size++;
    name = tn_bytes(names->data, size);
    while (size < names->size && names->data[size] == ' ')
        size++;
    *names = tn_bytes(names->data + size, names->size - size);
    return name;
}

static bool are_about(const struct tn_vocab_facts *facts, uint32_t domain,
                      const struct tn_vocab_op *op)
{
    struct tn_bytes names = facts->names;

    if (facts->domain != domain || op->since < facts->least ||
        op->since > facts->most)
        return false;
    while (names.size)
        if (tn_bytes_equal(next_name(&names), op->name))
            return true;
    return false;
}

/* Appends the facts about arguments that the operator has to its list. */
static void take_facts(struct tn_vocab *vocab, struct tn_vocab_facts *facts,
                       struct tn_vocab_op           *op,
                       const struct tn_vocab_fact ***end,
                       struct tn_error              *error)
{
    struct tn_cursor c = lines_at(vocab, facts->offset, facts->length, error);

    for (unsigned i = 0; tn_more(&c); i++) {
        struct tn_cursor      line = next_line(&c);
        struct tn_vocab_fact *fact;
        tn_vocab_spaces(&line);
        if (is_blank(&line))
            continue;
        fact = tn_vocab_fact_read(vocab, &line, op);
        if (!fact)
            continue;
        facts->used |= UINT64_C(1) << (i < 63 ? i : 63);
        **end = fact;
        *end  = &fact->next;
    }
}

static void add_facts(struct tn_vocab *vocab, uint32_t row,
                      struct tn_vocab_op *op, struct tn_error *error)
{
    const struct tn_vocab_fact **end    = &op->facts;
    uint32_t                     domain = 0;

    while (row - vocab->domains[domain].first_row >=
           vocab->domains[domain].row_count)
        domain++;
    for (uint32_t i = 0; i < vocab->facts_count && !tn_failed(error); i++)
        if (are_about(&vocab->facts[i], domain, op))
            take_facts(vocab, &vocab->facts[i], op, &end, error);
}

static int64_t version_from(const struct tn_vocab *vocab,
                            struct tn_bytes domain_name, struct tn_bytes name,
                            int64_t version);

/* After all operators were read: checks that every name is an operator, and
 * that every line applies to one. */
static void check_facts(struct tn_vocab *vocab, struct tn_error *error)
{
    for (uint32_t i = 0; i < vocab->facts_count && !tn_failed(error); i++) {
        const struct tn_vocab_facts  *facts  = &vocab->facts[i];
        const struct tn_vocab_domain *domain = &vocab->domains[facts->domain];
        struct tn_cursor              c =
            lines_at(vocab, facts->offset, facts->length, error);
        struct tn_bytes names = facts->names;
        while (names.size) {
            struct tn_bytes name = next_name(&names);
            if (version_from(vocab, domain->names[0], name, 0) < 0)
                tn_fail_at(&c, facts->offset, TN_MALFORMED,
                           "facts of '%.*s', which is not an operator",
                           TN_FMT(name));
        }
        for (unsigned k = 0; tn_more(&c); k++) {
            struct tn_cursor line = next_line(&c);
            tn_vocab_spaces(&line);
            if (!is_blank(&line) && !(facts->used >> (k < 63 ? k : 63) & 1))
                tn_fail(&line, TN_MALFORMED,
                        "no operator has the argument that this describes");
        }
    }
}

static void read_line(struct indexing *x, struct tn_cursor line)
{
    if (is_blank(&line))
        return;
    if (*line.at != ' ') {
        x->row   = NULL;
        x->facts = NULL;
    }
    if (starts_with(&line, "op "))
        read_row(x, &line);
    else if (starts_with(&line, "types "))
        read_set(x, &line);
    else if (starts_with(&line, "domain "))
        read_domain(x, &line);
    else if (starts_with(&line, "facts "))
        read_facts(x, &line);
    else if (!x->row && !x->facts)
        tn_fail(&line, TN_MALFORMED,
                "neither 'types' nor 'domain' nor 'op' nor 'facts', nor "
                "inside one");
    if (x->row)
        x->row->length =
            line.offset + (uint64_t)(line.end - line.at) - x->row->offset;
    if (x->facts) /* of its first line nothing is left */
        x->facts->length =
            line.offset + (uint64_t)(line.end - line.at) - x->facts->offset;
}

/* Most lines are indented: the facts about an operator, which are read on first
 * use. */
static void pass_indented(struct tn_vocab_row *row, struct tn_cursor *c)
{
    const uint8_t *at = c->at, *end = c->at;

    while (at < c->end && *at == ' ') {
        end = memchr(at, '\n', (size_t)(c->end - at));
        if (!end)
            end = c->end;
        at = end < c->end ? end + 1 : end;
    }
    row->length = c->offset + (uint64_t)(end - c->at) - row->offset;
    tn_skip(c, (uint64_t)(at - c->at));
}

/* Room for all lines of each kind: what they announce is there. */
static bool make_room(struct tn_vocab *vocab, struct tn_cursor c)
{
    uint64_t       rows = 0, sets = 0, domains = 0, facts = 0;
    const uint8_t *next;

    for (const uint8_t *at = c.at; at; at = next) {
        next = memchr(at, '\n', (size_t)(c.end - at));
        next = next ? next + 1 : NULL;
        rows += at < c.end && *at == 'o';
        sets += at < c.end && *at == 't';
        domains += at < c.end && *at == 'd';
        facts += at < c.end && *at == 'f';
    }
    if (rows > INT32_MAX || domains > GROUP_LIMIT || sets > GROUP_LIMIT ||
        facts > GROUP_LIMIT) {
        tn_fail_at(&c, 0, TN_LIMIT,
                   "%" PRIu64 " operators, %" PRIu64 " domains, %" PRIu64
                   " sets of types, %" PRIu64 " of facts: too many",
                   rows, domains, sets, facts);
        return false;
    }
    vocab->rows  = tn_new(vocab->arena, struct tn_vocab_row, rows, c.error);
    vocab->sets  = tn_new(vocab->arena, struct tn_vocab_set, sets, c.error);
    vocab->facts = tn_new(vocab->arena, struct tn_vocab_facts, facts, c.error);
    vocab->domains =
        tn_new(vocab->arena, struct tn_vocab_domain, domains, c.error);
    return !tn_failed(c.error);
}

enum tn_status tn_vocab_index(struct tn_vocab *vocab, struct tn_arena *arena,
                              struct tn_bytes text, struct tn_error *error)
{
    struct indexing  x = { .vocab = vocab };
    struct tn_cursor c = tn_cursor_bytes(text, 0, error);

    *vocab = (struct tn_vocab){ .arena = arena, .text = text };
    if (make_room(vocab, c)) {
        read_header(vocab, &c);
        while (!tn_failed(error) && tn_more(&c))
            if (x.row && *c.at == ' ')
                pass_indented(x.row, &c);
            else
                read_line(&x, next_line(&c));
    }
    add_line(vocab, error);
    return error->status;
}

enum tn_status tn_vocab_load(struct tn_vocab *vocab, struct tn_arena *arena,
                             struct tn_bytes text, struct tn_error *error)
{
    TN_TRY(tn_vocab_index(vocab, arena, text, error));
    for (uint32_t i = 0; i < vocab->row_count; i++)
        if (!tn_vocab_at(vocab, i, error))
            break;
    if (!tn_failed(error)) {
        check_facts(vocab, error);
        add_line(vocab, error);
    }
    return error->status;
}

/* ---- finding ------------------------------------------------------------ */

uint64_t tn_vocab_any(const struct tn_vocab *vocab)
{
    for (uint32_t i = 0; i < vocab->set_count; i++)
        if (tn_bytes_equal(vocab->sets[i].name, tn_text("any")))
            return vocab->sets[i].types;
    return UINT64_MAX;
}

const struct tn_vocab_domain *tn_vocab_domain(const struct tn_vocab *vocab,
                                              struct tn_bytes        name)
{
    for (uint32_t i = 0; i < vocab->domain_count; i++)
        for (uint32_t k = 0; k < vocab->domains[i].name_count; k++)
            if (tn_bytes_equal(vocab->domains[i].names[k], name))
                return &vocab->domains[i];
    return NULL;
}

static struct tn_vocab_row row_at(const struct tn_vocab *vocab, uint32_t index)
{
    return vocab->rows ? vocab->rows[index] : tn_vocab_unpack_row(vocab, index);
}

struct tn_bytes tn_vocab_row_name(const struct tn_vocab *vocab, uint32_t index)
{
    return row_at(vocab, index).name;
}

/* The first row that is not before (name, version), up to the domain's end. */
static uint32_t lower_bound(const struct tn_vocab        *vocab,
                            const struct tn_vocab_domain *domain,
                            struct tn_bytes name, int64_t version)
{
    uint64_t at;
    int      order;

    TN_BISECT(at, domain->first_row, domain->first_row + domain->row_count,
              (order = tn_bytes_compare(row_at(vocab, (uint32_t)at).name,
                                        name)) < 0 ||
                  (order == 0 && row_at(vocab, (uint32_t)at).since < version));
    return (uint32_t)at;
}

/* The version of the first row of that name from `version` on; -1: none. */
static int64_t version_from(const struct tn_vocab *vocab,
                            struct tn_bytes domain_name, struct tn_bytes name,
                            int64_t version)
{
    const struct tn_vocab_domain *domain = tn_vocab_domain(vocab, domain_name);

    if (!domain)
        return -1;
    uint32_t at = lower_bound(vocab, domain, name, version);
    if (at == domain->first_row + domain->row_count ||
        tn_bytes_compare(row_at(vocab, at).name, name) != 0)
        return -1;
    return row_at(vocab, at).since;
}

int64_t tn_vocab_first_version(const struct tn_vocab *vocab,
                               struct tn_bytes domain, struct tn_bytes name)
{
    return version_from(vocab, domain, name, 0);
}

int64_t tn_vocab_next_version(const struct tn_vocab *vocab,
                              struct tn_bytes domain, struct tn_bytes name,
                              int64_t version)
{
    return version == INT64_MAX
               ? -1
               : version_from(vocab, domain, name, version + 1);
}

const struct tn_vocab_op *tn_vocab_find(struct tn_vocab *vocab,
                                        struct tn_bytes  domain_name,
                                        struct tn_bytes name, int64_t version,
                                        struct tn_error *error)
{
    const struct tn_vocab_domain *domain = tn_vocab_domain(vocab, domain_name);

    if (!domain || version < 0)
        return NULL;
    uint32_t at = lower_bound(vocab, domain, name,
                              version < INT64_MAX ? version + 1 : INT64_MAX);
    if (at == domain->first_row ||
        tn_bytes_compare(row_at(vocab, at - 1).name, name) != 0)
        return NULL;
    return tn_vocab_at(vocab, at - 1, error);
}

const struct tn_vocab_op *tn_vocab_at(struct tn_vocab *vocab, uint32_t index,
                                      struct tn_error *error)
{
    if (!vocab->rows) {
        if (!vocab->ops[index])
            vocab->ops[index] = tn_vocab_unpack_op(vocab, index, error);
        return vocab->ops[index];
    }
    struct tn_vocab_row *row = &vocab->rows[index];
    if (!row->op) {
        struct tn_cursor c = lines_at(vocab, row->offset, row->length, error);
        struct tn_vocab_op *op = tn_vocab_op_read(vocab, &c);
        if (op)
            add_facts(vocab, index, op, error);
        row->op = tn_failed(error) ? NULL : op;
        add_line(vocab, error);
    }
    return row->op;
}

const struct tn_vocab_attr *tn_vocab_find_attr(const struct tn_vocab_op *op,
                                               struct tn_bytes           name)
{
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (tn_bytes_equal(op->attrs[i].name, name))
            return &op->attrs[i];
    return NULL;
}

const struct tn_vocab_attr *tn_vocab_find_slot(const struct tn_vocab_op *op,
                                               enum tn_vocab_list        list,
                                               uint32_t                  slot)
{
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const struct tn_vocab_attr *attr = &op->attrs[i];
        if (attr->list == list &&
            (attr->slot == slot || (attr->is_rest && slot > attr->slot)))
            return attr;
    }
    return NULL;
}
