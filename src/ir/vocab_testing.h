/*
 * vocab_testing.h - little graphs that are held against a vocabulary, for the
 * tests here
 *
 * The tests' dialect: a node is text on the wire, attributes only.
 *
 *   "axis=i7;mode=sa;Ts=t2;N=?"     name, '=', kind, what follows
 *
 * i: int, l: a list of ints with commas, s: string, t: a list of so many int8,
 * T: a list of one bool, d: types by letters, of several a list, e: an empty
 * list, ?: the caller's.
 */
#ifndef TN_IR_VOCAB_TESTING_H
#define TN_IR_VOCAB_TESTING_H

#include <stdio.h>

#include "base/number.h"
#include "ir/attr.h"
#include "ir/vocab_check.h"
#include "support/hostile.h"

/* f: float32, h: float16, i: int64, b: bool. */
static inline enum tn_dtype testing_dtype(char letter)
{
    switch (letter) {
    case 'f': return TN_FLOAT32;
    case 'h': return TN_FLOAT16;
    case 'i': return TN_INT64;
    case 'b': return TN_BOOL;
    default: return TN_UNDEFINED;
    }
}

/* ---- the dialect -------------------------------------------------------- */

static inline bool testing_next_attr(struct tn_cursor *node,
                                     struct tn_bytes *name,
                                     struct tn_span  *wire)
{
    size_t size = 0;

    if (!tn_more(node))
        return false;
    while (node->at + size < node->end && node->at[size] != '=')
        size++;
    *name = tn_take_bytes(node, size);
    tn_skip(node, 1);
    for (size = 0; node->at + size < node->end && node->at[size] != ';';)
        size++;
    *wire = tn_span(node, size);
    if (tn_more(node))
        tn_skip(node, 1);
    return !tn_failed(node->error);
}

/* The kind, and what follows it. */
static inline char testing_text(struct tn_span wire, struct tn_bytes *rest,
                                struct tn_error *error)
{
    struct tn_cursor c    = tn_cursor_span(wire, error);
    char             kind = (char)tn_u8(&c);

    *rest = tn_take_bytes(&c, wire.length ? wire.length - 1 : 0);
    return kind;
}

static inline const char *testing_attr_type(struct tn_span wire)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_bytes rest;

    switch (testing_text(wire, &rest, &error)) {
    case 'i': return "int";
    case 'l': return "list(int)";
    case 's': return "string";
    case 'd': return rest.size > 1 ? "list(type)" : "type";
    case 't':
    case 'T': return "list(type)";
    case 'e': return "list()";
    case '?': return "reference";
    default: return "";
    }
}

/* How many an attribute of that kind holds. */
static inline uint32_t testing_count(char kind, struct tn_bytes rest)
{
    switch (kind) {
    case 'e': return 0;
    case 't': return (uint32_t)(rest.data[0] - '0');
    case 'd': return (uint32_t)rest.size;
    default: break;
    }
    uint32_t count = 1;
    for (size_t i = 0; kind == 'l' && i < rest.size; i++)
        count += rest.data[i] == ',';
    return count;
}

/* "2,-1" */
static inline void testing_ints(struct tn_bytes text, int64_t *to)
{
    for (size_t begin = 0, i = 0; i <= text.size; i++)
        if (i == text.size || text.data[i] == ',') {
            tn_int64_parse(tn_bytes(text.data + begin, i - begin), to++);
            begin = i + 1;
        }
}

static inline enum tn_status testing_decode(const struct tn_model *model,
                                            uint32_t op, struct tn_span wire,
                                            struct tn_arena      *arena,
                                            struct tn_attr_value *value,
                                            struct tn_error      *error)
{
    int64_t         *ints = tn_new(arena, int64_t, 10, error);
    struct tn_bytes *text = tn_new(arena, struct tn_bytes, 1, error);
    struct tn_bytes  rest;
    char             kind = testing_text(wire, &rest, error);

    (void)model;
    (void)op;
    *value = (struct tn_attr_value){ .kind = TN_ATTR_DTYPE };
    if (tn_failed(error))
        return error->status;
    value->count   = testing_count(kind, rest);
    value->is_list = strchr("tTel", kind) != NULL || value->count > 1;
    value->of.ints = ints;
    if (kind == 's') {
        *text             = rest;
        value->kind       = TN_ATTR_STRING;
        value->of.strings = text;
    } else if (kind == 'i' || kind == 'l') {
        value->kind = TN_ATTR_INT;
        testing_ints(rest, ints);
    }
    for (uint32_t i = 0; value->kind == TN_ATTR_DTYPE && i < value->count; i++)
        ints[i] = kind == 't'   ? TN_INT8
                  : kind == 'T' ? TN_BOOL
                                : testing_dtype((char)rest.data[i]);
    return TN_OK;
}

static const struct tn_dialect testing_by_values = {
    .name          = "test",
    .next_attr     = testing_next_attr,
    .decode        = testing_decode,
    .attr_type     = testing_attr_type,
    .names_outputs = true,
};
static const struct tn_dialect testing_by_attrs = {
    .name      = "test",
    .next_attr = testing_next_attr,
    .decode    = testing_decode,
    .attr_type = testing_attr_type,
};

/* ---- findings: the first, and how many ---------------------------------- */

struct testing_heard {
    int                   count;
    enum tn_finding_level level;
    uint64_t              offset;
    char                  rule[40], where[120], what[sizeof ((struct tn_error *)0)->what];
};

static inline int testing_hear(void *context, enum tn_finding_level level,
                               const char            *rule,
                               const struct tn_error *finding)
{
    struct testing_heard *heard = context;

    if (heard->count++ == 0) {
        heard->level  = level;
        heard->offset = finding->offset;
        snprintf(heard->rule, sizeof heard->rule, "%s", rule);
        snprintf(heard->where, sizeof heard->where, "%s", finding->where);
        snprintf(heard->what, sizeof heard->what, "%s", finding->what);
    }
    return 0;
}

/* ---- a graph ------------------------------------------------------------ */

/* Inputs and outputs are letters, '-' for one that is left out; where ops do
 * not name their outputs, letters are those of one node in their order. */
struct testing_node {
    const char *domain, *type, *inputs, *outputs, *attrs;
};

/* A file that nodes lie in. */
struct testing_file {
    uint8_t          bytes[300];
    struct tn_source source;
};

static inline void testing_file_init(struct testing_file *file)
{
    static const struct tn_source_ops no_ops = { 0 };

    memset(file->bytes, 0, sizeof file->bytes);
    file->source = (struct tn_source){ .ops  = &no_ops,
                                       .size = sizeof file->bytes,
                                       .map  = file->bytes,
                                       .name = "" };
}

static inline uint32_t testing_value(struct tn_model *model, uint32_t graph,
                                     char letter, struct tn_error *error)
{
    if (letter == '-')
        return TN_NONE;
    return tn_model_value(
        model, graph, tn_intern_copy(&model->names, tn_bytes(&letter, 1), error),
        error);
}

/* At the end of the graph; its attributes lie at `offset` in the file. */
static inline void testing_add(struct tn_model *model, uint32_t graph,
                               struct testing_file       *file,
                               const struct testing_node *node,
                               uint64_t offset, struct tn_error *error)
{
    uint32_t      op  = tn_model_add_op(model, graph, error);
    struct tn_op *row = op == TN_NONE ? NULL : tn_model_op_at(model, op);

    if (!row)
        return;
    row->type   = tn_intern_copy(&model->names, tn_text(node->type), error);
    row->domain = tn_intern_copy(&model->names, tn_text(node->domain), error);
    row->name   = row->type;
    row->source = tn_model_source_id(model, &file->source, error);
    row->wire_offset = offset;
    row->wire_length = strlen(node->attrs) & TN_WIRE_LENGTH_MAX;
    memcpy(file->bytes + offset, node->attrs, strlen(node->attrs));
    tn_model_graph_at(model, graph)->op_count++;
    for (const char *p = node->inputs; *p; p++)
        tn_model_add_input(model, testing_value(model, graph, *p, error),
                           error);
    for (const char *p = node->outputs; *p; p++) {
        uint32_t value = testing_value(model, graph, *p, error);
        if (model->dialect->names_outputs)
            tn_model_add_output(model, value, error);
        if (value != TN_NONE)
            tn_model_define(model, value, TN_VALUE_OUTPUT, op,
                            (uint32_t)(p - node->outputs));
    }
}

#endif
