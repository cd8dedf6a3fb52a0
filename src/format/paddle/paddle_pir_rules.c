/*
 * paddle_pir_rules.c - reads rules/paddle_pir.names
 *
 *   paddle-pir 1                                the first line
 *   unary NAME...                               op NAME = NAME (X) -> (Out)
 *   op PIR = LEGACY (IN...) -> (OUT...) [when A=1] [when A>0] [all A] [aligned]
 *   also PIR = LEGACY ...                       from the ProgramDesc's side
 *       NAME[=LEGACY] KIND [= JSON]             an attribute
 *
 *   IN   Slot  Slot?  Slot*  [Slot]@attr:KIND[=JSON][|Parts*]
 *   OUT  Slot  Slot?  Slot*  Slot!  Slot=InSlot
 *
 * Rows are few: they are searched one by one.
 */
#include "format/paddle/paddle_pir.h"

#include "base/byte_find.h"
#include "base/number.h"

extern const unsigned char tn_rules_paddle_pir[];
extern const size_t        tn_rules_paddle_pir_size;

struct tn_bytes tn_pir_rules_text(void)
{
    return tn_bytes(tn_rules_paddle_pir, tn_rules_paddle_pir_size);
}

struct parser {
    struct tn_arena     *arena;
    struct tn_error     *error;
    struct tn_pir_rules *rules;
    struct tn_list       ports, attrs; /* of the row being read               */
    struct tn_pir_rule  *row;          /* NULL: none yet                      */
};

/* ---- words -------------------------------------------------------------- */

static struct tn_bytes next_word(struct tn_cursor *line)
{
    while (tn_more(line) && (*line->at == ' ' || *line->at == '('))
        tn_skip(line, 1);
    const uint8_t *p = line->at;
    if (p < line->end && *p == ')')
        return tn_take_bytes(line, 1);
    while (p < line->end && *p != ' ' && *p != ')')
        p++;
    return tn_take_bytes(line, (uint64_t)(p - line->at));
}

/* What stands before `mark`, which is dropped; the rest stays in *text.  With
 * no mark in it all of the text is before. */
static struct tn_bytes cut(struct tn_bytes *text, char mark, bool *has_mark)
{
    const uint8_t  *at   = tn_bytes_find(*text, mark);
    struct tn_bytes head = *text;

    if (has_mark)
        *has_mark = at != NULL;
    if (!at) {
        *text = tn_bytes(NULL, 0);
        return head;
    }
    head.size = (size_t)(at - text->data);
    *text     = tn_bytes(at + 1, text->size - head.size - 1);
    return head;
}

static bool drop_end(struct tn_bytes *text, char mark)
{
    if (text->size == 0 || text->data[text->size - 1] != (uint8_t)mark)
        return false;
    text->size--;
    return true;
}

static const struct tn_tree *read_json(struct parser *p, struct tn_bytes text,
                                       const struct tn_cursor *line)
{
    struct tn_cursor c = tn_cursor_bytes(text, line->offset, p->error);

    return tn_tree_read(&c, p->arena);
}

static enum tn_pir_kind read_kind(struct tn_bytes word, struct tn_cursor *line)
{
    enum tn_pir_kind kind = TN_PIR_BOOL;

    if (!tn_pir_kind_parse(word, &kind))
        tn_fail(line, TN_MALFORMED, "'%.*s' is no kind", TN_FMT(word));
    return kind;
}

/* ---- ports -------------------------------------------------------------- */

static void read_port(struct parser *p, struct tn_cursor *line,
                      struct tn_bytes word, bool is_result)
{
    struct tn_pir_port *port =
        tn_list_push(&p->ports, struct tn_pir_port, p->error);
    bool has_attr, has_fallback;

    if (!port)
        return;
    struct tn_bytes rest = word, head = cut(&rest, '|', NULL);
    port->parts = rest;
    drop_end(&port->parts, '*');
    if (is_result) {
        port->slot  = cut(&head, '=', NULL);
        port->alias = head;
    } else {
        port->slot = cut(&head, '@', &has_attr);
        if (has_attr) {
            port->attr           = cut(&head, ':', NULL);
            struct tn_bytes kind = cut(&head, '=', &has_fallback);
            port->kind           = read_kind(kind, line);
            if (has_fallback)
                port->fallback = read_json(p, head, line);
            port->is_optional = true;
        }
    }
    port->is_optional |= drop_end(&port->slot, '?');
    port->is_list = drop_end(&port->slot, '*');
    port->is_made = drop_end(&port->slot, '!');
    port->is_over = drop_end(&port->slot, '^');
}

static void *keep(struct parser *p, struct tn_list *list, uint32_t *count)
{
    void *copy =
        tn_list_keep_items(list, p->arena, alignof(max_align_t), p->error);

    *count      = copy ? (uint32_t)list->count : 0;
    list->count = 0;
    return copy;
}

static const struct tn_pir_port *read_ports(struct parser    *p,
                                            struct tn_cursor *line,
                                            bool is_result, uint32_t *count)
{
    p->ports.count = 0;
    for (;;) {
        struct tn_bytes word = next_word(line);
        if (word.size == 0)
            tn_fail(line, TN_MALFORMED, "')' is missing here");
        if (word.size == 0 || tn_bytes_is(word, ")"))
            break;
        read_port(p, line, word, is_result);
    }
    return keep(p, &p->ports, count);
}

/* ---- lines -------------------------------------------------------------- */

static void finish_row(struct parser *p)
{
    if (p->row)
        p->row->attrs = keep(p, &p->attrs, &p->row->attr_count);
}

static void new_row(struct parser *p)
{
    finish_row(p);
    p->row = tn_list_push(&p->rules->rows, struct tn_pir_rule, p->error);
}

static void expect_word(struct tn_cursor *line, const char *word)
{
    if (!tn_bytes_is(next_word(line), word))
        tn_fail(line, TN_MALFORMED, "'%s' is missing before here", word);
}

static void read_condition(struct parser *p, struct tn_cursor *line)
{
    struct tn_bytes word = next_word(line), rest = word;
    bool            is_equal;

    cut(&rest, '=', &is_equal);
    p->row->when_how = is_equal ? '=' : '>';
    p->row->when     = cut(&word, p->row->when_how, NULL);
    if (!tn_int64_parse(word, &p->row->when_value))
        tn_fail(line, TN_MALFORMED, "a number is missing before here");
}

static void read_flags(struct parser *p, struct tn_cursor *line)
{
    for (struct tn_bytes word = next_word(line); word.size;
         word                 = next_word(line)) {
        if (tn_bytes_is(word, "when"))
            read_condition(p, line);
        else if (tn_bytes_is(word, "all"))
            p->row->all = next_word(line);
        else if (tn_bytes_is(word, "aligned"))
            p->row->is_aligned = true;
        else
            tn_fail(line, TN_MALFORMED, "'%.*s' is no flag", TN_FMT(word));
    }
}

static void read_op(struct parser *p, struct tn_cursor *line, bool is_also)
{
    new_row(p);
    if (!p->row)
        return;
    p->row->is_also = is_also;
    p->row->pir     = next_word(line);
    expect_word(line, "=");
    p->row->legacy = next_word(line);
    p->row->in     = read_ports(p, line, false, &p->row->in_count);
    expect_word(line, "->");
    p->row->out = read_ports(p, line, true, &p->row->out_count);
    read_flags(p, line);
}

static void read_unary(struct parser *p, struct tn_cursor *line)
{
    static const struct tn_pir_port in[]  = { { .slot = { (const uint8_t *)"X",
                                                          1 } } };
    static const struct tn_pir_port out[] = {
        { .slot = { (const uint8_t *)"Out", 3 } }
    };

    for (struct tn_bytes name                    = next_word(line);
         name.size && !tn_failed(p->error); name = next_word(line)) {
        new_row(p);
        if (p->row)
            *p->row = (struct tn_pir_rule){ .pir       = name,
                                            .legacy    = name,
                                            .in        = in,
                                            .out       = out,
                                            .in_count  = 1,
                                            .out_count = 1 };
    }
}

static void read_attr(struct parser *p, struct tn_cursor *line)
{
    struct tn_pir_attr_rule *attr =
        tn_list_push(&p->attrs, struct tn_pir_attr_rule, p->error);
    struct tn_bytes word = next_word(line);

    if (!attr)
        return;
    attr->pir    = cut(&word, '=', NULL);
    attr->legacy = word.size ? word : attr->pir;
    attr->kind   = read_kind(next_word(line), line);
    if (next_word(line).size)
        attr->fallback = read_json(
            p, tn_bytes(line->at, (size_t)(line->end - line->at)), line);
}

static void read_line(struct parser *p, struct tn_cursor *line)
{
    if (!tn_more(line) || *line->at == '#')
        return;
    if (*line->at == ' ') {
        if (p->row)
            read_attr(p, line);
        else
            tn_fail(line, TN_MALFORMED, "an attribute of no operator");
        return;
    }
    struct tn_bytes word = next_word(line);
    if (tn_bytes_is(word, "op") || tn_bytes_is(word, "also"))
        read_op(p, line, word.size == 4);
    else if (tn_bytes_is(word, "unary"))
        read_unary(p, line);
    else if (!tn_bytes_is(word, "paddle-pir"))
        tn_fail(line, TN_MALFORMED, "'%.*s' begins no line", TN_FMT(word));
}

enum tn_status tn_pir_rules_read(struct tn_pir_rules *rules,
                                 struct tn_arena *arena, struct tn_bytes text,
                                 struct tn_error *error)
{
    struct tn_cursor c = tn_cursor_bytes(text, 0, error);
    struct parser    p = { .arena = arena, .error = error, .rules = rules };

    tn_list_init(&rules->rows, arena->memory, sizeof(struct tn_pir_rule));
    tn_list_init(&p.ports, arena->memory, sizeof(struct tn_pir_port));
    tn_list_init(&p.attrs, arena->memory, sizeof(struct tn_pir_attr_rule));
    while (tn_more(&c)) {
        const uint8_t   *end = memchr(c.at, '\n', (size_t)(c.end - c.at));
        struct tn_cursor line =
            tn_sub(&c, (uint64_t)((end ? end : c.end) - c.at));
        read_line(&p, &line);
        if (end)
            tn_skip(&c, 1);
        if (tn_failed(error))
            break;
    }
    finish_row(&p);
    tn_list_done(&p.ports);
    tn_list_done(&p.attrs);
    return error->status;
}

void tn_pir_rules_done(struct tn_pir_rules *rules)
{
    tn_list_done(&rules->rows);
}

const struct tn_pir_rule *tn_pir_rule_of(const struct tn_pir_rules *rules,
                                         struct tn_bytes            pir,
                                         struct tn_bytes            legacy)
{
    for (uint64_t i = 0; i < rules->rows.count; i++) {
        const struct tn_pir_rule *row =
            tn_list_at(&rules->rows, struct tn_pir_rule, i);
        if (tn_bytes_equal(row->pir, pir) &&
            (legacy.size ? tn_bytes_equal(row->legacy, legacy) : !row->is_also))
            return row;
    }
    return NULL;
}
